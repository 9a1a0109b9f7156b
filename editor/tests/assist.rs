//! Help while writing through the crate's interface: problems, find, palette, forms, completion, colors.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fmt::Write;
use std::sync::mpsc;

use hasse_editor::checker::Checker;
use hasse_editor::complete::{Completion, complete};
use hasse_editor::document::Document;
use hasse_editor::edit::EditError;
use hasse_editor::edit::link::LinkList;
use hasse_editor::find::find;
use hasse_editor::forms::{self, Field, FieldKind, FieldValue, form};
use hasse_editor::highlight::{self, Notation, Token, TokenKind};
use hasse_editor::names::{NameKind, Names};
use hasse_editor::palette::{self, Action, Wire, WireEnd, fuzzy};
use hasse_editor::places::Places;
use hasse_editor::problems::{Counts, Problems};
use hasse_editor::target::{Attribute, Part, Target};
use hasse_model::function::{BodyFacts, FunctionTable};
use hasse_model::value::Type;
use proptest::prelude::*;

/// Each node has something wrong with it; line 6 of the body of `Work` and the last arc, too.
const PROGRAM: &str = r#"# A program with mistakes.
hasse = 1
main  = "top"

[type.Block]
row  = "int"
rhs  = "vectr"

[graph.top]
params = { n = "int = 4" }
arcs = [
  "Begin.part[i] -> Work[i].part",
  "Work[i].sum -> Sub.a",  # inside
  "Sub.x -> End.sum",
  "Work[i].none -> End.sum",
  "Begin.part[0] -> End.sum",
]
share = ["total -- Work[i].acc", "total -- End.nothing"]

[graph.top.shared.total]
type = "real"
init = "0.0"

[graph.top.call.Sub]
doc   = "Calls the graph with a mistake"
graph = "sub"
args  = { m = "n / 2" }

[graph.top.uc.Begin]
start = true
out   = { "part[i]" = "vector" }
route = ["part[i] <- vector(n, 1.0) for i in 0..n"]

[graph.top.uc.Work]
doc    = "Adds up its part."
index  = ["i"]
in     = { part = "vector" }
out    = { sum = "real" }
vars   = { k = "int = 0", last = "intt" }
shared = { acc = "write" }
fire   = ["part -> part if k == 0", "part -> v if kk > 0"]
do = '''
// Adds.
let s = 0.0;
for x in part {
    s += x;
}
acc += whole(s);
let text = `${k} of "${n}"`;
k += 1;
'''
route = ["sum <- s"]

[graph.top.uc.End]
stop = true
in   = { sum = "real" }
fire = ["sum -> total_sum"]
do   = "print(total_sum);"
# A comment

[graph.sub]
params = { m = "int" }
in     = { a = "real" }
out    = { x = "real" }
arcs = [
  "in.a -> Half.a",
  "Half.x -> out.x",
]

[graph.sub.uc.Half]
in    = { a = "real" }
out   = { x = "real" }
fire  = ["a -> a"]
do    = "let x = a / m + wrong;"
route = ["x <- x"]

[layout.top]
Work = [10, 20]
"#;

fn functions() -> FunctionTable {
    let mut table = FunctionTable::default();
    for (name, arity, in_body_only) in [
        ("print", 1, true),
        ("result", 2, true),
        ("vector", 1, false),
        ("vector", 2, false),
        ("sum", 1, false),
        ("+", 2, false),
    ] {
        table.add(name, arity, in_body_only);
    }
    table.add_body(
        "fast_sum",
        BodyFacts { lets: vec![("total".to_owned(), Type::Real)], ..BodyFacts::default() },
    );
    table
}

/// All problems of a text, a line each.
fn shown(problems: &Problems) -> String {
    let mut text = String::new();
    for problem in problems.list() {
        let (at, target) = (problem.at, &problem.target);
        writeln!(text, "{}:{} {} [{target}] {}", at.line, at.column, problem.code, problem.message).unwrap();
        for related in &problem.related {
            writeln!(
                text,
                "    {}:{} [{}] {}",
                related.at.line, related.at.column, related.target, related.text
            )
            .unwrap();
        }
        if let Some(help) = &problem.help {
            writeln!(text, "    help: {help}").unwrap();
        }
    }
    text
}

#[test]
fn problems_are_attached_to_what_is_drawn() {
    let problems = Problems::of(PROGRAM, &functions());
    insta::assert_snapshot!(shown(&problems));
    let body = Attribute { line: Some(6), ..Attribute::of("do") };
    let of_line = Target::of_node("top", "Work").with(body);
    assert_eq!(problems.of_target(&of_line).count(), 1);
    assert!(problems.of_target(&Target::of_node("top", "Work")).count() > 2);
    let other_line = Target::of_node("top", "Work").with(Attribute { line: Some(5), ..Attribute::of("do") });
    assert_eq!(problems.of_target(&other_line).count(), 0);
}

#[test]
fn badges_count_what_is_inside_calls() {
    let problems = Problems::of(PROGRAM, &functions());
    let of_node = |graph, node| problems.counts(&Target::of_node(graph, node));
    let half = of_node("sub", "Half");
    assert_eq!(half, Counts { n_errors: 1, ..Counts::default() });
    assert_eq!(of_node("top", "Sub"), Counts { n_errors_inside: 1, ..Counts::default() });
    assert_eq!(problems.counts(&Target::of_graph("sub")).n_errors, 1);
    assert_eq!(problems.counts(&Target::of_link("top", LinkList::Arcs, 3)).n_errors, 1);
    assert!(problems.counts(&Target::of_link("top", LinkList::Arcs, 1)).is_empty());
    assert!(of_node("top", "Begin").is_empty());
    // Recursion counts each graph once.
    let recursive = PROGRAM.replace("graph = \"sub\"", "graph = \"top\"");
    let problems = Problems::of(&recursive, &functions());
    let call = problems.counts(&Target::of_node("top", "Sub"));
    assert_eq!(call.n_errors_inside, problems.counts(&Target::of_graph("top")).n_errors);
}

#[test]
fn a_text_that_is_no_toml_has_its_problem_at_the_node_above() {
    let text = PROGRAM.replace("index  = [\"i\"]", "index  = [\"i\"");
    let problems = Problems::of(&text, &functions());
    assert_eq!(problems.list().len(), 1);
    assert_eq!(problems.list()[0].code, "E0001");
    assert_eq!(problems.list()[0].target, Target::of_node("top", "Work"));
    assert_eq!(problems.counts(&Target::of_node("top", "Work")).n_errors, 1);
    assert!(!problems.places().is_readable());
    let nothing = Problems::of("= =", &functions());
    assert_eq!(nothing.list()[0].target, Target::default());
}

/// The text that stands where a target does.
fn text_of(target: &Target) -> Option<String> {
    let places = Places::of(PROGRAM);
    places.range(target).map(|range| PROGRAM[range].to_owned())
}

#[test]
fn what_is_drawn_has_its_place_in_the_file() {
    let work = Target::of_node("top", "Work");
    let of = |attribute: Attribute| text_of(&work.with(attribute)).unwrap();
    assert_eq!(text_of(&work).unwrap(), "Work");
    assert_eq!(of(Attribute::of("doc")), "Adds up its part.");
    assert_eq!(of(Attribute { row: Some(1), ..Attribute::of("fire") }), "part -> v if kk > 0");
    assert_eq!(of(Attribute { line: Some(4), ..Attribute::of("do") }), "    s += x;");
    assert_eq!(of(Attribute { line: Some(99), ..Attribute::of("do") }), "");
    assert_eq!(of(Attribute { entry: Some("last".to_owned()), ..Attribute::of("vars") }), "intt");
    assert_eq!(text_of(&Target::of_link("top", LinkList::Arcs, 2)).unwrap(), "Sub.x -> End.sum");
    assert_eq!(text_of(&Target::of_node("sub", "in.a")).unwrap(), "a");
    assert_eq!(text_of(&Target::of_node("sub", "in.a").with(Attribute::of("type"))).unwrap(), "real");
    // What is not there has the place of what it is a part of.
    assert_eq!(of(Attribute::of("init")), "Work");
    assert_eq!(of(Attribute { row: Some(9), ..Attribute::of("fire") }), "fire");
    assert_eq!(text_of(&Target::of_node("top", "None")).unwrap(), "top");
    assert_eq!(text_of(&Target::of_node("none", "Work")), None);
    let ty = Target { part: Part::Type("Block".to_owned()), ..Target::default() };
    assert_eq!(text_of(&ty.with(Attribute::of("rhs"))).unwrap(), "vectr");
}

#[test]
fn places_know_all_spellings_of_tables_and_strings() {
    let text = r#"
[graph]
h.uc.B = { do = "one\ntwo \u00e9 x", in = { "q[i]" = "int" } }
g.arcs = ["A.x -> B.y"]
[graph.g.uc.A.vars]
k = "int"
# of the vars
[graph.g.uc.A]
in.p = "real"
do = """
one \
   more
two\nthree
"""
"#;
    let places = Places::of(text);
    for (at, expected, from) in [
        ("two \\u", "h.B do line 2", "two \\u00e9 x"),
        ("x\", in", "h.B do line 2", "two \\u00e9 x"),
        ("q[i]", "h.B in q", "int"),
        ("A.x", "g arcs row 1", "A.x -> B.y"),
        ("k = ", "g.A vars k", "int"),
        ("# of", "g.A vars", "vars"),
        ("p = ", "g.A in p", "real"),
        ("more", "g.A do line 1", "one \\\n   more"),
        ("three", "g.A do line 3", "three"),
    ] {
        let target = places.target(text.find(at).unwrap());
        assert_eq!(target.to_string(), expected, "{at}");
        assert_eq!(&text[places.range(&target).unwrap()], from, "{at}");
    }
}

#[test]
fn a_comment_belongs_to_the_header_above() {
    let places = Places::of(PROGRAM);
    let target = |text: &str| places.target(PROGRAM.find(text).unwrap()).to_string();
    assert_eq!(target("# inside"), "top arcs");
    assert_eq!(target("# A program"), "program");
    assert_eq!(target("[graph.sub.uc.Half]"), "sub.Half");
    assert_eq!(target("# A comment"), "top.End");
    assert_eq!(target("Half]"), "sub.Half");
    assert_eq!(target("s += x"), "top.Work do line 4");
    assert_eq!(target("wrong"), "sub.Half do line 1");
    assert_eq!(target("[10, 20]"), "top.Work layout");
    assert_eq!(places.target(PROGRAM.len() + 10).to_string(), "top layout");
    assert_eq!(Places::of("").target(3), Target::default());
}

proptest! {
    /// What stands at a place leads back to it: a key to its value, a body to its first line.
    #[test]
    fn places_and_targets_lead_to_each_other(offset in 0..PROGRAM.len()) {
        let places = Places::of(PROGRAM);
        let target = places.target(offset);
        let range = places.range(&target).unwrap();
        let mut back = places.target(range.start);
        if target.attribute.as_ref().is_some_and(|attribute| attribute.line.is_none()) {
            back.attribute.iter_mut().for_each(|attribute| attribute.line = None);
        }
        prop_assert_eq!(back, target);
    }

    #[test]
    fn no_text_makes_places_or_problems_fail(start in 0..PROGRAM.len(), n_bytes in 0..80_usize, put in "[\\[\\]{}\"'=\\n.a-z é`]{0,6}") {
        let text = format!("{}{put}{}", &PROGRAM[..start], PROGRAM.get(start + n_bytes..).unwrap_or_default());
        let problems = Problems::of(&text, &functions());
        for problem in problems.list() {
            prop_assert!(problems.places().range(&problem.target).is_some(), "{}", problem.target);
        }
        for found in find(problems.places(), "a", false) {
            let range = found.at.start as usize..found.at.end as usize;
            prop_assert_eq!(found.excerpt[found.range].to_lowercase(), "a");
            prop_assert!(text.get(range).is_some());
        }
        let _ = palette::entries(&text, "top", None);
        let _ = form(&text, "top", Some("Work"));
    }
}

#[test]
fn the_newest_text_is_checked_next() {
    let (begun, begins) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let mut checker = Checker::with(move |text: &str| {
        begun.send(text.to_owned()).unwrap();
        gone.recv().unwrap();
        text.to_uppercase()
    });
    assert_eq!(checker.wait(), None, "nothing was handed in");
    checker.submit(1, "one");
    assert_eq!(begins.recv().unwrap(), "one");
    checker.submit(2, "two");
    checker.submit(3, "three");
    checker.submit(2, "two again");
    assert_eq!(checker.poll(), None);
    go.send(()).unwrap();
    assert_eq!(begins.recv().unwrap(), "three", "no text is checked that is older than one that waits");
    assert_eq!(checker.poll(), Some((1, "ONE".to_owned())));
    go.send(()).unwrap();
    assert_eq!(checker.wait(), Some((3, "THREE".to_owned())));
    assert_eq!(checker.wait(), None);
    drop(checker);
    assert!(begins.recv().is_err(), "the worker has ended");
}

#[test]
fn a_checker_that_is_dropped_ends_with_the_text_under_way() {
    let (begun, begins) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let mut checker = Checker::with(move |text: &str| {
        begun.send(text.to_owned()).unwrap();
        gone.recv().unwrap_or_default();
    });
    checker.submit(1, "one");
    assert_eq!(begins.recv().unwrap(), "one");
    checker.submit(2, "two");
    let ending = std::thread::spawn(move || drop(checker));
    // The worker goes on once the drop has begun, or before: then it may begin the second text as well.
    drop(go);
    ending.join().unwrap();
    // Ends only if the worker has.
    let rest: Vec<String> = begins.iter().collect();
    assert!(rest.is_empty() || rest == ["two"], "{rest:?}");
}

#[test]
fn a_check_that_panics_has_no_result_and_the_next_one_has() {
    let mut checker = Checker::with(|text: &str| {
        assert_ne!(text, "bad");
        text.len()
    });
    checker.submit(1, "bad");
    assert_eq!(checker.wait(), None);
    checker.submit(2, "good");
    assert_eq!(checker.wait(), Some((2, 4)));
}

#[test]
fn the_checker_compiles() {
    let mut checker = Checker::new(functions());
    checker.submit(7, PROGRAM);
    let (revision, problems) = checker.wait().unwrap();
    assert_eq!(revision, 7);
    assert_eq!(problems.list(), Problems::of(PROGRAM, &functions()).list());
}

fn found(query: &str, is_case_sensitive: bool) -> String {
    let mut text = String::new();
    for found in find(&Places::of(PROGRAM), query, is_case_sensitive) {
        let (before, rest) = found.excerpt.split_at(found.range.start);
        let (hit, behind) = rest.split_at(found.range.len());
        let at = found.at;
        assert_eq!(PROGRAM[at.start as usize..at.end as usize].to_lowercase(), hit.to_lowercase());
        writeln!(text, "{}:{} [{}] {before}<{hit}>{behind}", at.line, at.column, found.target).unwrap();
    }
    text
}

#[test]
fn names_types_rules_and_bodies_are_found() {
    insta::assert_snapshot!(format!("{}\nPart, same case\n{}", found("PART", false), found("Sub", true)));
    assert_eq!(found("", false), "");
    assert_eq!(found("inside", false), "", "comments are not searched");
    assert_eq!(found("start", false), "", "keys of the language are not searched");
    let double = Places::of("a = \"x\\ty\\u00e9 Y\"\n");
    let at: Vec<_> = find(&double, "é y", false).iter().map(|found| (found.at.start, found.at.end)).collect();
    assert_eq!(at, [(9, 17)]);
    let broken = Places::of("[graph.g]\nx = [\n\n[graph.g.uc.A]\ndo = 'find me'");
    let in_broken = find(&broken, "FIND", false);
    assert_eq!(in_broken.len(), 1);
    assert_eq!(in_broken[0].target, Target::of_node("g", "A"));
    assert_eq!(&in_broken[0].excerpt, "do = 'find me'");
}

fn labels(entries: &[palette::Entry]) -> String {
    entries.iter().map(|entry| format!("{} | {} | {:?}\n", entry.label, entry.detail, entry.action)).collect()
}

#[test]
fn the_palette_lists_what_can_be_added() {
    insta::assert_snapshot!(labels(&palette::entries(PROGRAM, "top", None)));
    let broken = palette::entries("[", "top", None);
    assert!(broken.iter().any(|entry| entry.label == "shared int"));
    assert!(!broken.iter().any(|entry| matches!(entry.action, Action::Call(..))));
}

#[test]
fn a_dropped_wire_is_offered_what_can_take_it() {
    let mut all = String::new();
    for (from, ty, what) in [
        (WireEnd::Source, "int", "from an output of int"),
        (WireEnd::Source, "vector", "from an output of vector"),
        (WireEnd::Target, "real", "from an input of real"),
        (WireEnd::Object, "real", "from an object of real"),
        (WireEnd::User, "real", "from a name for an object of real"),
        (WireEnd::User, "int", "from a name for an object of int"),
    ] {
        let wire = Wire { from, ty: ty.to_owned() };
        let _ = writeln!(all, "{what}\n{}", labels(&palette::entries(PROGRAM, "top", Some(&wire))));
    }
    insta::assert_snapshot!(all);
}

fn ranked(names: &[&str], query: &str) -> Vec<String> {
    let entry = |name: &&str| palette::Entry {
        label: (*name).to_owned(),
        detail: String::new(),
        action: Action::Call((*name).to_owned(), None),
    };
    let entries: Vec<_> = names.iter().map(entry).collect();
    let ranked = palette::rank(&entries, query, &[Action::Call("recent".to_owned(), None)]);
    ranked.into_iter().map(|ranked| ranked.entry.label).collect()
}

#[test]
fn the_best_entry_comes_first() {
    assert_eq!(
        ranked(&["subMatrix", "SparseMult", "sum", "some"], "sm"),
        ["subMatrix", "SparseMult", "sum", "some"]
    );
    assert_eq!(ranked(&["shared int", "input int", "int"], "int"), ["int", "input int", "shared int"]);
    assert_eq!(ranked(&["start unit", "stop unit", "unit"], "st un"), ["stop unit", "start unit"]);
    assert_eq!(ranked(&["Solve", "Gather"], "x"), Vec::<String>::new());
    assert_eq!(ranked(&["b", "recent", "a"], ""), ["recent", "b", "a"]);
    assert_eq!(ranked(&["recenter", "recent"], "rec")[0], "recent");
    assert_eq!(fuzzy("DoBTSolver", "bts").unwrap().letters, [2, 3, 4]);
    assert_eq!(fuzzy("to_be_solved", "bs").unwrap().letters, [3, 6]);
}

proptest! {
    /// The letters found are those typed, in order, and exactly the names that hold them are found.
    #[test]
    fn ranking_finds_subsequences(name in "[aAbB_1]{0,12}", query in "[aAbB1]{0,4}") {
        let mut rest = name.chars();
        let holds = query.chars().all(|typed| rest.any(|letter| letter.eq_ignore_ascii_case(&typed)));
        let found = fuzzy(&name, &query);
        prop_assert_eq!(found.is_some(), holds);
        if let Some(found) = found {
            prop_assert!(found.letters.is_sorted_by(|a, b| a < b));
            let letters: String = found.letters.iter().map(|at| name.chars().nth(*at).unwrap()).collect();
            prop_assert!(letters.eq_ignore_ascii_case(&query));
        }
    }
}

fn shown_form(fields: &[Field]) -> String {
    let mut text = String::new();
    for Field { key, label, help, example, kind, value, is_foreign } in fields {
        writeln!(text, "{key}: {label} ({kind:?}). {help} Example: {example}").unwrap();
        writeln!(text, "    {value:?}{}", if *is_foreign { " as text" } else { "" }).unwrap();
    }
    text
}

#[test]
fn forms_have_fields_in_the_order_of_the_file() {
    let mut text = String::new();
    for (graph, node) in [
        ("top", None),
        ("top", Some("Work")),
        ("top", Some("Sub")),
        ("top", Some("total")),
        ("sub", Some("in.a")),
    ] {
        let fields = form(PROGRAM, graph, node).unwrap();
        writeln!(text, "# {graph} {}\n{}", node.unwrap_or_default(), shown_form(&fields)).unwrap();
    }
    insta::assert_snapshot!(text);
    assert_eq!(form(PROGRAM, "top", Some("none")), None);
    assert_eq!(form(PROGRAM, "top", Some("in.a")), None);
    assert_eq!(form("[", "top", None), None);
    let foreign =
        form("[graph.g.uc.A]\nstart = 1\ndo = { native = 'f' }\nfire = ['a', 1]", "g", Some("A")).unwrap();
    let of = |key| foreign.iter().find(|field: &&Field| field.key == key).unwrap();
    assert!(of("start").is_foreign && of("start").value.is_none());
    assert!(of("fire").is_foreign);
    assert_eq!(of("do").value, Some(FieldValue::Native("f".to_owned())));
    assert!(!of("route").is_foreign);
}

/// Sets fields of `top`, and gives the lines that are gone and new.
fn set_all(node: Option<&str>, fields: &[(&str, FieldValue)]) -> String {
    let mut document = Document::new(PROGRAM);
    for (key, value) in fields {
        document.edit("form", |tables| forms::set(tables, "top", node, key, value)).unwrap();
        let held = form(document.text(), "top", node).unwrap();
        let held = held.into_iter().find(|field| field.key == *key).unwrap().value;
        let expected = Some(value.clone()).filter(|value| !value.is_empty());
        match (&held, &expected) {
            (Some(FieldValue::Text(held)), Some(FieldValue::Text(expected))) => {
                assert_eq!(held.trim_end_matches('\n'), expected.trim_end_matches('\n'));
            }
            _ => assert_eq!(held, expected),
        }
    }
    let diff = similar::TextDiff::from_lines(PROGRAM, document.text());
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

fn list(rows: &[&str]) -> FieldValue {
    FieldValue::List(rows.iter().map(|row| (*row).to_owned()).collect())
}

fn pairs(entries: &[(&str, &str)]) -> FieldValue {
    FieldValue::Entries(entries.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

#[test]
fn setting_a_field_changes_no_more_than_it() {
    let mut changes = String::new();
    for (what, node, fields) in [
        ("doc and flag", Some("Work"), vec![("doc", text("Other.")), ("stop", FieldValue::Flag(true))]),
        ("removed", Some("Work"), vec![("doc", text(" ")), ("vars", pairs(&[])), ("fire", list(&[]))]),
        ("rows", Some("Work"), vec![("fire", list(&["part -> v if k > 0", "part -> part if k == 0"]))]),
        ("row added", Some("Work"), vec![("route", list(&["sum <- s", "sum <- 2.0 * s if k > 1"]))]),
        ("arcs", None, vec![("arcs", list(&["Begin.part[i] -> Work[i].part", "Work[i].sum -> End.sum"]))]),
        ("entries", Some("Work"), vec![("vars", pairs(&[("k", "int = 1"), ("m", "real")]))]),
        ("other order", Some("Work"), vec![("vars", pairs(&[("last", "int"), ("k", "int = 0")]))]),
        ("body", Some("Work"), vec![("do", text("acc += 1.0;\nk += 1;")), ("init", text("k = 2;"))]),
        ("short body", Some("End"), vec![("do", text("print(1);"))]),
        ("body that grows", Some("End"), vec![("do", text("let c = '''';\nprint(1);\n"))]),
        ("native", Some("End"), vec![("do", FieldValue::Native("fast_sum".to_owned()))]),
        ("call", Some("Sub"), vec![("graph", text("other")), ("index", list(&["i", "j"]))]),
        ("object", Some("total"), vec![("type", text("int")), ("init", text("1"))]),
    ] {
        writeln!(changes, "{what}:\n{}", set_all(node, &fields)).unwrap();
    }
    insta::assert_snapshot!(changes);
}

#[test]
fn a_form_that_is_saved_as_it_is_changes_nothing() {
    let mut document = Document::new(PROGRAM);
    for (graph, node) in
        [("top", None), ("sub", None), ("top", Some("Work")), ("top", Some("Sub")), ("sub", Some("out.x"))]
    {
        for field in form(PROGRAM, graph, node).unwrap() {
            let Some(value) = field.value else { continue };
            let changed = document.edit("form", |tables| forms::set(tables, graph, node, field.key, &value));
            assert_eq!(changed, Ok(false), "{}", field.key);
        }
    }
    assert_eq!(document.text(), PROGRAM);
}

#[test]
fn fields_that_cannot_be_set_are_refused() {
    let refused = |program: &str, graph: &str, node: Option<&str>, key: &str, value: FieldValue| {
        let mut document = Document::new(program);
        document.edit("form", |tables| forms::set(tables, graph, node, key, &value)).unwrap_err()
    };
    let missing = |what, name: &str| EditError::Missing { what, name: name.to_owned() };
    assert_eq!(refused(PROGRAM, "none", None, "doc", text("x")), missing("graph", "none"));
    assert_eq!(refused(PROGRAM, "top", Some("None"), "doc", text("x")), missing("node", "None"));
    assert_eq!(refused(PROGRAM, "sub", Some("in.b"), "type", text("x")), missing("node", "in.b"));
    let twice = pairs(&[("part", "vector"), ("part[i]", "vector")]);
    assert_eq!(
        refused(PROGRAM, "top", Some("Work"), "in", twice),
        EditError::Taken { name: "part".to_owned() }
    );
    let bad = pairs(&[("part", "vector"), ("a b", "int")]);
    assert_eq!(
        refused(PROGRAM, "top", Some("Work"), "in", bad),
        EditError::BadName { name: "a b".to_owned() }
    );
    let odd = "[graph.g.uc.A]\nfire = ['a', 1]\nin = 1\n";
    let form = |path: &str| EditError::Form { path: path.to_owned() };
    assert_eq!(refused(odd, "g", Some("A"), "fire", list(&["b"])), form("graph.g.uc.A.fire"));
    assert_eq!(refused(odd, "g", Some("A"), "in", pairs(&[("a", "int")])), form("graph.g.uc.A.in"));
    assert_eq!(refused(PROGRAM, "sub", Some("in.a"), "type", FieldValue::Flag(true)), form("graph.sub.in.a"));
}

/// Completes where `|` stands in a field of the program.
fn completed(target: &Target, field: &str) -> Completion {
    let cursor = field.find('|').unwrap();
    complete(PROGRAM, &functions(), target, &field.replacen('|', "", 1), cursor)
}

#[test]
fn completion_knows_the_place_in_a_field() {
    let work = |key: &str| Target::of_node("top", "Work").with(Attribute::of(key));
    let entry = |target: Target, key: &str| {
        target.with(Attribute { entry: Some("x".to_owned()), ..Attribute::of(key) })
    };
    let sub = Target::of_node("top", "Sub");
    let arc = Target::of_link("top", LinkList::Arcs, 9);
    let share = Target::of_link("top", LinkList::Shares, 0);
    let mut all = String::new();
    for (target, field) in [
        (entry(work(""), "in"), "Bl|"),
        (entry(work(""), "vars"), "|"),
        (entry(work(""), "vars"), "int = |"),
        (entry(work(""), "shared"), "|"),
        (Target::of_node("top", "total").with(Attribute::of("type")), "re|"),
        (sub.with(Attribute::of("graph")), "|"),
        (sub.with(Attribute::of("args")), "|"),
        (entry(sub.clone(), "args"), "n|"),
        (work("fire"), "|"),
        (work("fire"), "part -> |"),
        (work("fire"), "part -> v |"),
        (work("fire"), "part -> v if |"),
        (work("fire"), "part[|] -> v for j in 0..n"),
        (work("fire"), "part -> v for j in 0..|"),
        (work("fire"), "part -> v if (|"),
        (work("fire"), "part -> v for |"),
        (work("route"), "|"),
        (work("route"), "sum <- |"),
        (work("route"), "sum <- s |"),
        (work("route"), "sum <- s if c|"),
        (work("do"), "let y = 1; |"),
        (work("do"), "for q in part { q| }"),
        (work("do"), "as_|"),
        (work("do"), "bl|"),
        (work("do"), "part.|"),
        (work("do"), "let |"),
        (work("do"), "print(\"a|\")"),
        (work("do"), "print(\"a\")|"),
        (work("do"), "print(`a ${|}`)"),
        (work("do"), "print(`a| ${k}`)"),
        (work("do"), "// a|"),
        (work("init"), "|"),
        (entry(work(""), "doc"), "|"),
        (arc.clone(), "|"),
        (arc.clone(), "Work[|"),
        (arc.clone(), "Work[i].|"),
        (arc.clone(), "Work[i].sum -> |"),
        (arc.clone(), "Work[i].sum -> Sub.|"),
        (arc, "Begin.part[i] -> Work[|]"),
        (share.clone(), "|"),
        (share.clone(), "total -- |"),
        (share.clone(), "total[|] -- Work[i].acc"),
        (Target::of_node("top", "total").with(Attribute::of("init")), "v|"),
        (share, "total -- Work[i].|"),
        (Target::of_link("sub", LinkList::Arcs, 0), "in.|"),
    ] {
        let completion = completed(&target, field);
        writeln!(all, "[{target}] {field}").unwrap();
        for item in &completion.items {
            writeln!(all, "    {} {:?} {}", item.text, item.kind, item.detail).unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_whole_word_around_the_cursor_is_replaced() {
    let target = Target::of_node("top", "Work").with(Attribute::of("do"));
    let completion = completed(&target, "k += pa|xx + 1");
    assert_eq!(completion.range, 5..9);
    let items: Vec<_> = completion.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(items, ["part"]);
    assert_eq!(completed(&target, "1|").items, []);
    // A cursor behind the end, or within a letter, is moved to a place where one can be.
    let moved = complete(PROGRAM, &functions(), &target, "é", 1);
    assert_eq!(moved.range, 0..2);
    assert_eq!(complete(PROGRAM, &functions(), &target, "x", 9).range, 0..1);
    // Without a program that can be read there are still functions and keywords.
    let broken = complete("[", &functions(), &target, "pr", 2);
    assert_eq!(broken.items.len(), 1);
    assert_eq!(broken.items[0].text, "print");
}

/// Tokens of a text as `kind:text`, a line each; white space and signs left out.
fn colors(text: &str, lines: &[Vec<Token>]) -> String {
    let mut shown = String::new();
    for (line, tokens) in text.split('\n').zip(lines) {
        let plain = |token: &&Token| token.kind != TokenKind::Plain;
        let tokens: Vec<String> = tokens
            .iter()
            .filter(plain)
            .map(|token| match token.kind {
                TokenKind::Name(kind) => format!("{kind:?}:{}", &line[token.range.clone()]),
                kind => format!("{kind:?}:{}", &line[token.range.clone()]),
            })
            .collect();
        writeln!(shown, "{}", tokens.join("  ")).unwrap();
    }
    shown
}

#[test]
fn texts_are_colored_by_what_the_names_are() {
    let names = Names::of(PROGRAM, "top", Some("Work"), &functions());
    assert_eq!(names.get("acc").unwrap().kind, NameKind::Shared);
    assert_eq!(names.get("v").unwrap().detail, "vector from part");
    let body = "let z = Block(1, as_Block(n));\nlet a = #{k: 1, last: [n]}; // n\n/* one\ntwo */ acc += `k ${k + `${i}`} n`;\nfor (x, j) in part { print(x.len + j, 'c', v, rule, s); }\nfn f(b) { b }\nf(|c| c + missing(0x1F)) + \"open\n-1.5e3";
    let mut all = colors(body, &highlight::body(body, &names, &functions()));
    let of_graph = Names::of(PROGRAM, "top", None, &functions());
    for (line, notation, names) in [
        ("part -> part, none[j] -> new for j in 0..n if k == count && vv", Notation::Firing, &names),
        ("sum <- sum(part) + s for j in 0..n if part, part <- 1", Notation::Routing, &names),
        ("Begin.part[i] -> Work[i + n - q].part", Notation::Arc, &of_graph),
        ("Work[i].part -> Nope.part", Notation::Arc, &of_graph),
        ("Sub.x -> Sub.a", Notation::Arc, &of_graph),
        ("total -- Work[i].acc", Notation::Share, &of_graph),
        ("total -- Work[i].part", Notation::Share, &of_graph),
        ("in.a -> ", Notation::Arc, &Names::of(PROGRAM, "sub", None, &functions())),
        ("in.b -> out.x", Notation::Arc, &Names::of(PROGRAM, "sub", None, &functions())),
    ] {
        all += &colors(line, &highlight::line(line, notation, names, &functions()));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn names_that_a_body_in_rust_sets_are_known() {
    let kind = |native: &str| {
        let text = format!("[graph.g.uc.A]\ndo = {{ native = \"{native}\" }}\nroute = [\"x <- total\"]\n");
        let names = Names::of(&text, "g", Some("A"), &functions());
        let tokens = highlight::line("x <- total + other", Notation::Routing, &names, &functions());
        let kind = |text: &str| {
            tokens[0].iter().find(|token| &"x <- total + other"[token.range.clone()] == text).unwrap().kind
        };
        (kind("total"), kind("other"))
    };
    let local = TokenKind::Name(NameKind::Local);
    assert_eq!(kind("fast_sum"), (local, TokenKind::Unknown));
    assert_eq!(kind("nobody_knows"), (local, local));
}

/// Texts of pieces that matter to a lexer.
fn snippets() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "`", "${", "}", "{", "\"", "'", "\\", "\n", "//", "/*", "*/", "#", "part", "k", " ", "->", "<-",
        "--", ".", "[", "]", ",", "if", "for", "in", "1.5", "0x", "1e", "é", "𝄞", "let", "fn", "|", "(", ")",
        "Work", "ß", "\r\n", "\u{a0}",
    ]);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_make_up_any_text(text in prop_oneof![snippets(), any::<String>()]) {
        let names = Names::of(PROGRAM, "top", Some("Work"), &functions());
        let mut all = vec![highlight::body(&text, &names, &functions())];
        for notation in [Notation::Firing, Notation::Routing, Notation::Arc, Notation::Share] {
            all.push(highlight::line(&text, notation, &names, &functions()));
        }
        for lines in all {
            let texts: Vec<&str> = text.split('\n').collect();
            prop_assert_eq!(lines.len(), texts.len());
            for (line, tokens) in texts.into_iter().zip(lines) {
                let mut end = 0;
                for token in tokens {
                    prop_assert_eq!(token.range.start, end);
                    prop_assert!(token.range.end > end);
                    prop_assert!(line.get(token.range.clone()).is_some());
                    end = token.range.end;
                }
                prop_assert_eq!(end, line.len());
            }
        }
    }

    #[test]
    fn completion_takes_any_text(text in snippets(), cursor in 0..40_usize) {
        let node = Target::of_node("top", "Work");
        for target in [
            node.with(Attribute::of("do")),
            node.with(Attribute::of("fire")),
            node.with(Attribute::of("route")),
            Target::of_link("top", LinkList::Arcs, 0),
            Target::of_link("top", LinkList::Shares, 0),
        ] {
            let Completion { range, items } = complete(PROGRAM, &functions(), &target, &text, cursor);
            prop_assert!(text.get(range.clone()).is_some());
            let mut seen: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
            let n_items = seen.len();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), n_items);
        }
    }

    #[test]
    fn any_body_can_be_set_and_read_again(body in prop_oneof![snippets(), any::<String>()]) {
        for node in ["Work", "End"] {
            let mut document = Document::new(PROGRAM);
            let value = text(&body);
            document.edit("form", |tables| forms::set(tables, "top", Some(node), "do", &value)).unwrap();
            let held = form(document.text(), "top", Some(node)).unwrap();
            let held = held.into_iter().find(|field| field.kind == FieldKind::Body && field.key == "do").unwrap().value;
            let expected = body.replace("\r\n", "\n");
            match held {
                Some(FieldValue::Text(held)) => prop_assert_eq!(held.trim_end_matches('\n'), expected.trim_end_matches('\n')),
                None => prop_assert!(body.trim().is_empty()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

/// The programs of the examples, by path.
fn examples() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found = Vec::new();
    for example in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(example.unwrap().path()).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "hasse") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20);
    found
}

/// What is colored as unknown, but for calls: the functions are the runtime's.
fn unknown(text: &str, lines: &[Vec<Token>]) -> Vec<String> {
    let mut found = Vec::new();
    for (line, tokens) in text.split('\n').zip(lines) {
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Unknown) {
            if !line[token.range.end..].trim_start().starts_with('(') {
                found.push(format!("{} in {line}", &line[token.range.clone()]));
            }
        }
    }
    found
}

#[test]
fn nothing_in_the_examples_is_unknown() {
    let functions = functions();
    for (path, program) in examples() {
        let outline = hasse_compiler::outline(&program).unwrap();
        for graph in &outline {
            for node in std::iter::once(None).chain(graph.nodes.iter().map(|node| Some(node.name.as_str()))) {
                let names = Names::of(&program, &graph.name, node, &functions);
                for field in form(&program, &graph.name, node).unwrap() {
                    assert!(!field.is_foreign, "{path} {node:?} {}", field.key);
                    let notation = match field.key {
                        "fire" => Some(Notation::Firing),
                        "route" => Some(Notation::Routing),
                        "arcs" => Some(Notation::Arc),
                        "share" => Some(Notation::Share),
                        _ => None,
                    };
                    let texts = match (field.value, notation) {
                        (Some(FieldValue::List(rows)), Some(notation)) => rows
                            .into_iter()
                            .map(|row| (highlight::line(&row, notation, &names, &functions), row))
                            .collect(),
                        (Some(FieldValue::Text(body)), _) if field.kind == FieldKind::Body => {
                            vec![(highlight::body(&body, &names, &functions), body)]
                        }
                        _ => Vec::new(),
                    };
                    for (tokens, text) in texts {
                        let none: [String; 0] = [];
                        assert_eq!(
                            unknown(&text, &tokens),
                            none,
                            "{path} {} {node:?} {}",
                            graph.name,
                            field.key
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn all_that_is_drawn_of_the_examples_has_its_place_and_its_form() {
    for (path, program) in examples() {
        let places = Places::of(&program);
        let outline = hasse_compiler::outline(&program).unwrap();
        let mut document = Document::new(&program);
        for graph in &outline {
            for node in &graph.nodes {
                let target = Target::of_node(&graph.name, &node.name);
                let range = places.range(&target).unwrap();
                let name = node.name.split_once('.').map_or(node.name.as_str(), |(_, port)| port);
                assert!(program[range.clone()].trim_matches('"').starts_with(name), "{path} {target}");
                assert_eq!(places.target(range.start), target, "{path}");
                for field in form(&program, &graph.name, Some(&node.name)).unwrap() {
                    let Some(value) = field.value else { continue };
                    let set =
                        |tables: &mut _| forms::set(tables, &graph.name, Some(&node.name), field.key, &value);
                    assert_eq!(document.edit("form", set), Ok(false), "{path} {target} {}", field.key);
                }
            }
            for link in &graph.links {
                let list = match link.kind {
                    hasse_compiler::LinkKind::Arc => LinkList::Arcs,
                    hasse_compiler::LinkKind::Share { .. } => LinkList::Shares,
                };
                let target = Target::of_link(&graph.name, list, link.row);
                let range = places.range(&target).unwrap();
                assert!(program[range.clone()].starts_with(link.source.node.as_str()), "{path} {target}");
                assert_eq!(places.target(range.start), target, "{path}");
            }
        }
        assert_eq!(document.text(), program);
    }
}
