use std::sync::LazyLock;

use hasse_model::plan::Access;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::breakpoint::{LogPart, Place, PointCommand, Reaction};
use crate::expression::Expression;

/// A main graph and one that it calls, with a shared object, families and names of all kinds.
const PROGRAM: &str = r#"
hasse = 1
main = "outer"

[graph.outer]
params = { n = "int = 3" }
arcs = [
  "Before.go[i] -> call[i].go",
  "Before.go[i] -> Twin[i].go",
  "call[i].done -> After.done[i]",
  "Twin[i].done -> After.done[i]",
]
share = ["log -- Before.log", "log -- call[i].log", "log -- After.log"]

[graph.outer.shared.log]
type = "int"

[graph.outer.call.call]
graph = "Called"
index = ["i"]

[graph.outer.uc.Before]
out = { "go[i]" = "int" }
shared = { log = "write" }
start = true
do = "let first = 7; log += first;"
route = ["go[i] <- first for i in 0..n"]

[graph.outer.uc.Twin]
index = ["i"]
in = { go = "int" }
out = { done = "int" }
vars = { total = "int = 0" }
fire = ["go -> amount"]
do = "total += amount;"
route = ["done <- total"]

[graph.outer.uc.After]
in = { "done[i]" = "int" }
shared = { log = "read" }
fire = ["done[i] -> done[i] for i in 0..n"]
do = "let sum = done.len() + log;"

[graph.Called]
in = { go = "int" }
out = { done = "int" }
inout = { log = "int" }
arcs = ["in.go -> Inner.go", "Inner.done -> out.done"]
share = ["inout.log -- Inner.log"]

[graph.Called.uc.Inner]
in = { go = "int" }
out = { done = "int" }
shared = { log = "write" }
fire = ["go -> amount"]
do = "log += amount; let doubled = 2 * amount;"
route = ["done <- doubled"]
"#;

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let compiled = hasse_compiler::compile(PROGRAM, &hasse_body::functions());
    compiled.plan.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
});

fn read(line: &str) -> Result<Breakpoint, GrammarError> {
    let (word, text) = line.split_once(' ').unwrap_or((line, ""));
    parse(Keyword::of_word(word).expect("a keyword"), text, word.len() + 2, &PLAN, None)
}

#[test]
fn breakpoints_are_shown_as_they_are_set() {
    for line in [
        "stop in Twin",
        "stop in Twin[2] at aftcomp if total > 3 after 2",
        "stop in /call[1]/Inner at failed",
        "stop in call at aftcomp if doubled > 1",
        "stop in /call[1] if amount = 1",
        "stop in / if n = 3",
        "stop at befcomp",
        "stop on arc Before.go[i] -> Twin[i].go if value == 7",
        "stop on arc Before.go[i] -> call[i].go, Before.go[i] -> Twin[i].go",
        "stop on arc Called.in.go -> Inner.go",
        "stop on shared log write",
        "stop on shared log",
        "stop in Before on create Twin[1]",
        "stop on create",
        "once in Inner at send if doubled == 4",
        "once if NodeIndex = 3 AND Pred(Before)",
        "once if Pred(Called.Inner) OR Pred(outer.Twin[2..4], outer.Before)",
        "watch total in Twin",
        "watch total, total * 2, go.len() in Twin at befcomp if count > 1",
        "when in Twin { print total }",
        "when in Twin at aftcomp if total = 3 { log \"{i}: {{total}} is {total}, \\\"so\\\"\"; dump; stop }",
        "when in * { where; print port(\"go\") }",
        "when in Twin { assign total = total + 1; print [total][0] }",
        "stop in Twin if if total > 1 { true } else { false } after 1",
        "when in Twin if 3 in [i, total] { print switch i { 1 => 2, _ => 3 } }",
    ] {
        let breakpoint = read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(shown(&breakpoint, &PLAN), line);
    }
}

#[test]
fn other_spellings_are_understood() {
    for (line, expected) in [
        ("stop at befcomp in Twin", "stop in Twin"),
        ("stop in Twin on failed", "stop in Twin at failed"),
        ("stop on arc Twin.done", "stop on arc Twin[i].done -> After.done[i]"),
        ("stop on arc Twin . done->After.done", "stop on arc Twin[i].done -> After.done[i]"),
        ("stop on arc outer.Twin[i].done", "stop on arc Twin[i].done -> After.done[i]"),
        ("stop on arc Before.go", "stop on arc Before.go[i] -> call[i].go, Before.go[i] -> Twin[i].go"),
        ("stop on arc Inner.done", "stop on arc Called.Inner.done -> out.done"),
        ("stop on shared outer.log read", "stop on shared log read"),
        ("when in Twin {p total;pwd;}", "when in Twin { print total; where }"),
        ("stop if total > 3 at aftcomp in Twin", "stop in Twin at aftcomp if total > 3"),
        ("stop after 1 if total > 2 on create", "stop on create if total > 2 after 1"),
        ("watch total in Twin at aftcomp", "watch total in Twin"),
    ] {
        let breakpoint = read(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(shown(&breakpoint, &PLAN), expected);
    }
}

#[test]
fn what_is_selected_stands_for_in() {
    let selected: Selector = "Twin[2]".parse().expect("a selector");
    let set = |text| parse(Keyword::Stop, text, 6, &PLAN, Some(&selected));
    assert_eq!(
        set("if total == 3").map(|set| shown(&set, &PLAN)).as_deref(),
        Ok("stop in Twin[2] if total == 3")
    );
    assert_eq!(set("in After").map(|set| shown(&set, &PLAN)).as_deref(), Ok("stop in After"));
    let error = set("if sum == 3").expect_err("not a name of Twin");
    assert_eq!(error.column, 9, "{error}");
}

#[test]
fn what_is_no_breakpoint_says_where_why_and_what_to_write() {
    let told: String = [
        "stop",
        "stop Twin",
        "stop in",
        "stop in Twni",
        "stop in Twin[1, 2]",
        "stop in call/Inner",
        "stop in Twin in After",
        "stop in Twin at",
        "stop in Twin at befcmp",
        "stop in Twin at befcomp on failed",
        "stop in Twin if",
        "stop in Twin if total >",
        "stop in Twin if totl > 3",
        "stop in Twin if total += 3",
        "stop in After if sum > 3",
        "stop in Twin if value > 3",
        "stop in Twin if port(\"og\").len() > 3",
        "stop in Twin if Pred(call/Mult)",
        "stop in Twin if Pred(Nowhere.Twin)",
        "stop in Twin if Pred(Before) AND Pred(Twin, Nothing)",
        "stop on create if value > 1",
        "stop in Twin if print(total)",
        "stop if total > 3 in Twin",
        "stop if total > 3 if i == 2",
        "stop in Twin after",
        "stop in Twin after three",
        "stop in Twin after 1 after 2",
        "stop in Twin { print total }",
        "stop on",
        "stop on nothing",
        "stop on arc",
        "stop on arc Twin",
        "stop on arc Twin.dnoe",
        "stop on arc Twin.done -> Before.done",
        "stop on arc Twin.done if sum > 1",
        "stop on shared",
        "stop on shared lgo",
        "stop on create Nothing",
        "stop on failed now",
        "when in Twin",
        "when in Twin {}",
        "when in Twin { ; }",
        "when in Twin { print }",
        "when in Twin { prnt total }",
        "when in Twin { dump total }",
        "when in Twin { print totl }",
        "when in Twin { assign }",
        "when in Twin { assign total }",
        "when in Twin { assign total = }",
        "when in Twin { assign i = 3 }",
        "when in Twin { assign totl = 3 }",
        "when in After { assign log = 3 }",
        "when in Before { assign first = 3 }",
        "when in Twin { log total }",
        "when in Twin { log \"{totl}\" }",
        "when in Twin { log \"a \\\" {total + }\" }",
        "when in Twin { log \"{total\" }",
        "when in Twin { log \"total}\" }",
        "watch",
        "watch in Twin",
        "watch total, in Twin",
        "watch totl in Twin",
        "stop in Twin if name == \"open",
    ]
    .iter()
    .map(|line| {
        let error = read(line).expect_err(line);
        format!("{line}\n{:>column$} {}\n    {}\n", "^", error.message, error.hint, column = error.column)
    })
    .collect();
    insta::assert_snapshot!(told);
}

#[test]
fn what_is_unknown_comes_with_what_there_is() {
    let error = read("stop in Twin if totl > 3").expect_err("unknown");
    assert_eq!(error.name.as_deref(), Some("totl"));
    assert!(error.known.iter().any(|name| name == "total"), "{:?}", error.known);
    assert!(error.known.is_sorted());
}

#[test]
fn names_are_those_of_the_template() {
    let inner = PLAN.templates.iter().position(|template| template.name == "Inner").expect("Inner");
    let names = known_names(&PLAN, hasse_model::id::TemplateId::from_idx(inner));
    let told: Vec<String> = names.iter().map(|known| format!("{} {:?}", known.name, known.kind)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

fn expression() -> impl Strategy<Value = Expression> {
    let texts = [
        "i == 3",
        "NodeIndex = 3 AND Pred(Before, Twin[*])",
        "total > 2 || count = 1",
        "port(\"go\").len() > 0",
        "total in [1, 2, 3]",
        "\"; { } in at \\\" if\" == `after 3`",
        "if total > 1 { true } else { false }",
        "[1, 2, 3][1..] = [i]",
        "#{ a: 1 }.a == i",
    ];
    proptest::sample::select(texts.to_vec()).prop_map(|text| Expression::parse(text).expect("an expression"))
}

fn selector() -> impl Strategy<Value = Selector> {
    proptest::sample::select(vec!["Twin", "Twin[2]", "/Twin[*]", "outer.Twin"])
        .prop_map(|text| text.parse().expect("a selector"))
}

fn place() -> impl Strategy<Value = Place> {
    let arcs = proptest::sample::subsequence((0..PLAN.arcs.len()).collect::<Vec<_>>(), 1..=PLAN.arcs.len());
    prop_oneof![
        Just(Place::Befcomp),
        Just(Place::Aftcomp),
        Just(Place::Send),
        Just(Place::Failed),
        // Arcs from which `Twin` sends, so that its names are known.
        arcs.prop_map(|arcs| {
            let twin = PLAN.arcs.iter().position(|arc| arc.text.starts_with("Twin")).expect("an arc of Twin");
            let mut arcs: Vec<_> = arcs.into_iter().chain([twin]).collect();
            arcs.sort_unstable();
            arcs.dedup();
            Place::Arc(arcs.into_iter().map(hasse_model::id::ArcId::from_idx).collect())
        }),
        proptest::sample::select(vec![None, Some(Access::Read), Some(Access::Write)])
            .prop_map(|access| Place::Shared { shared: vec![hasse_model::id::SharedId(0)], access }),
        option::of(selector()).prop_map(Place::Creation),
    ]
}

fn command() -> impl Strategy<Value = PointCommand> {
    let text = "[a-z{}\"\\\\\n\t ;]{1,8}".prop_map(LogPart::Text);
    let value = expression().prop_map(LogPart::Value);
    // Two texts in a row are one.
    let parts = vec((text, value), 0..3)
        .prop_map(|pairs| pairs.into_iter().flat_map(|(text, value)| [text, value]).collect());
    prop_oneof![
        expression().prop_map(PointCommand::Print),
        Just(PointCommand::Dump),
        Just(PointCommand::Where),
        Just(PointCommand::Stop),
        parts.prop_map(PointCommand::Log),
        expression().prop_map(|value| PointCommand::Assign { name: "total".to_owned(), value }),
    ]
}

fn reaction() -> impl Strategy<Value = Reaction> {
    // `in` begins a clause behind what is watched.
    let watched = expression().prop_map(|watched| match watched.text().contains(" in ") {
        true => Expression::parse(&format!("({})", watched.text())).expect("an expression"),
        false => watched,
    });
    prop_oneof![
        Just(Reaction::Stop),
        Just(Reaction::Once),
        vec(command(), 1..4).prop_map(Reaction::When),
        vec(watched, 1..3).prop_map(Reaction::Watch),
    ]
}

proptest! {
    #[test]
    fn what_is_shown_is_read_again_as_the_same(
        within in selector(),
        place in place(),
        condition in option::of(expression()),
        n_ignored in 0..9_u64,
        reaction in reaction(),
    ) {
        let breakpoint = Breakpoint { within: Some(within), place, condition, n_ignored, reaction };
        let line = shown(&breakpoint, &PLAN);
        let again = read(&line).map_err(|error| TestCaseError::fail(format!("{line}: {error}")))?;
        prop_assert_eq!(shown(&again, &PLAN), line);
        prop_assert_eq!(again, breakpoint);
    }

    #[test]
    fn any_text_is_a_breakpoint_or_an_error_in_it(
        keyword in proptest::sample::select(Keyword::ALL.to_vec()),
        text in "(in|at|on|if|after|arc|shared|Twin|total|log|print|befcomp|[\\[\\]{}()\"/*.,;=0-9-]| ){0,14}",
    ) {
        let column = keyword.word().len() + 2;
        match parse(keyword, &text, column, &PLAN, None) {
            Ok(breakpoint) => {
                let line = shown(&breakpoint, &PLAN);
                prop_assert_eq!(read(&line), Ok(breakpoint), "{}", line);
            }
            Err(error) => {
                prop_assert!(error.column >= column && error.column <= column + text.chars().count());
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}
