//! What the constructs of the language lower to.
#![allow(clippy::unwrap_used, reason = "a test that fails to unwrap has failed")]

use hasse_compiler::{Change, changes, compile};
use hasse_model::plan::{Code, Expr, Plan, ScriptKind};

#[path = "common/program.rs"]
mod program;
#[path = "common/render.rs"]
mod render;
use program::{GOOD, functions, good_with};

fn lowered(text: &str) -> Plan {
    let compiled = compile(text, &functions());
    let errors: String = compiled.diagnostics.iter().map(|found| format!("{found}\n")).collect();
    compiled.plan.unwrap_or_else(|| panic!("{errors}"))
}

/// The lines of a rendered plan that begin with a word.
fn lines(text: &str, word: &str) -> Vec<String> {
    let rendered = render::plan(&lowered(text));
    let matching = rendered.lines().map(str::trim).filter(|line| line.starts_with(word));
    matching.map(str::to_owned).collect()
}

#[test]
fn the_good_program() {
    insta::assert_snapshot!(render::plan(&lowered(GOOD)));
}

/// One node with an index and families on both sides, and whatever a test adds.
fn ring(arcs: &str, fire: &str, route: &str) -> String {
    format!(
        "hasse = 1
main = 'ring'
[graph.ring]
params = {{ n = 'int', m = 'int = n * 2', label = 'string = \"a\" + n' }}
arcs = [{arcs}]
share = ['cell[i % n] -- Cell[i, 0].own', 'cell[0] -- Cell[n, i].own', 'cell[i + j] -- Cell[i][j].own']
[graph.ring.shared.cell]
index = ['c']
type = 'real[]'
init = '[c + n, 1.5]'
[graph.ring.uc.Start]
start = true
out = {{ x = 'int' }}
[graph.ring.uc.Cell]
index = ['i', 'j']
in = {{ x = 'int', 'p[a]' = 'int', 'q[a, b]' = 'real' }}
out = {{ y = 'int', 's[a][b]' = 'any' }}
vars = {{ k = 'int = i + 1', seen = 'bool', sum = 'real = sqrt(2.0)' }}
shared = {{ own = 'write' }}
fire = [{fire}]
do = '''
let z = k;
x += 1;
'''
route = [{route}]
"
    )
}

const FEED: &str = "'Start.x -> Cell[0, 0].x'";
const TAKE: &str = "'x -> x'";

#[test]
fn arcs_bind_and_compare_variables() {
    let arcs = "'Start.x -> Cell[n, -1].x', 'Cell[i, i].y -> Cell[i % n][i + 1].p[2 * i]', \
                'Cell[n][3].s[a, b] -> Cell[a, b].p[a - b * n]', 'Cell[i, j].y -> Cell[j, i].q[i, m]'";
    let text = ring(arcs, TAKE, "'y <- 1', 's[0, 1] <- 1'").replace("'s[a][b]' = 'any'", "'s[a][b]' = 'int'");
    assert_eq!(
        lines(&text, "arc"),
        [
            "arc Start.x -> Cell[param n][-1].x (0 locals)",
            "arc Cell[$0][$0].y -> Cell[($0 % param n)][($0 + 1)].p[(2 * $0)] (1 locals)",
            "arc Cell[n][3].s[$0][$1] -> Cell[$0][$1].p[($0 - ($1 * param n))] (2 locals)",
            "arc Cell[$0][$1].y -> Cell[$1][$0].q[$0][param m] (2 locals)",
        ]
    );
}

#[test]
fn share_lines_match_the_instance_and_compute_the_object() {
    assert_eq!(
        lines(&ring(FEED, TAKE, ""), "share "),
        [
            "share Write [$0][0] is cell[($0 % param n)]",
            "share Write [n][$0] is cell[0]",
            "share Write [$0][$1] is cell[($0 + $1)]",
        ]
    );
    assert_eq!(lines(&ring(FEED, TAKE, ""), "shared "), ["shared cell[\"c\"]: real[] = {[c + n, 1.5]}"]);
}

#[test]
fn defaults_are_lowered_where_they_can_be() {
    let text = ring(FEED, TAKE, "");
    assert_eq!(
        lines(&text, "param "),
        ["param n: int =", "param m: int = (param n * 2)", "param label: string = {\"a\" + n}"]
    );
    assert_eq!(lines(&text, "default"), ["default (i + 1)", "default", "default {sqrt(2.0)}"]);
}

#[test]
fn firing_rules_replicate() {
    let fire = "'p[a] -> v[a] for a in 0..n', \
                'x -> k, q[i, b] -> w[a][b - a] for a in k..=count + 1 for b in a..m if k % 2 == 0 && !seen', \
                'x -> x if label.len() > 1', 'p[k] -> v2, p[k + 1] -> v3'";
    let text = ring(FEED, fire, "");
    assert_eq!(
        lines(&text, "fire"),
        [
            "fire p[$0] -> v[$0] for a in 0..n",
            "fire x -> k, q[i][$1] -> w[$0][($1 - $0)] for a in k..((count + 1) + 1) for b in $0..m \
             if (((k % 2) == 0) && !seen)",
            "fire x -> x if {label.len() > 1}",
            "fire p[k] -> v2, p[(k + 1)] -> v3",
        ]
    );
    let bound = lines(&text, "slot Bound");
    assert_eq!(
        bound,
        [
            "slot Bound v: int[]",
            "slot Bound w: real[][]",
            "slot Bound x: int",
            "slot Bound v2: int",
            "slot Bound v3: int"
        ]
    );
}

#[test]
fn a_name_bound_to_different_types_is_any() {
    let text = ring(FEED, "'x -> x', 'q[0, 0] -> x'", "");
    assert_eq!(lines(&text, "slot Bound"), ["slot Bound x: any"]);
}

#[test]
fn routing_rules_lower_or_stay_scripts() {
    let route = "'y <- if k > 0 { 1 } else if seen { 2 } else { 3 } if k > 1', \
                 'y <- k + j * 2 - 1 for a in 0..=3 if a != i', \
                 's[a, z] <- own for a in 0..len(own) for b in a..=z if count > 1', \
                 'y <- k for a in 0..2, s[a, b] <- [a, b] for b in 0..3 for a in b..=b if a == 1', \
                 'y <- x, y <- z, y <- rule'";
    let arcs = format!("{FEED}, 'Cell[i, j].y -> Cell[i, j].p[0]', 'Cell[i, j].s[a, b] -> Cell[i, j].p[a]'");
    let text = ring(&arcs, TAKE, route).replace("'p[a]' = 'int'", "'p[a]' = 'any'");
    assert_eq!(
        lines(&text, "route"),
        [
            "route y <- {if k > 0 { 1 } else if seen { 2 } else { 3 }} if (k > 1)",
            "route y <- ((k + (j * 2)) - 1) for a in 0..4 if ($0 != i) (each)",
            // The body, which is lowered, leaves ints in `x` and `z`.
            "route s[$0][z] <- own for a in 0..{len(own)} for b in $0..(z + 1) if (count > 1)",
            "route y <- k for a in 0..2, s[$1][$0] <- {[a, b]} for b in 0..3 for a in $0..($0 + 1) \
             if {a == 1} (each)",
            "route y <- x, y <- z, y <- rule",
        ]
    );
}

#[test]
fn commas_and_keywords_within_a_value_do_not_split_it() {
    let route = "'y <- len([1, 2].map(|a| if a > 1 { a } else { 0 })), y <- (if seen { 1 } else { 2 })'";
    let arcs = format!("{FEED}, 'Cell[i, j].y -> Cell[i, j].p[0]'");
    assert_eq!(lines(&ring(&arcs, TAKE, route), "route").len(), 1);
}

#[test]
fn scripts_know_their_place() {
    let plan = lowered(GOOD);
    let body = plan.scripts.iter().find(|script| script.text.starts_with("k += 1")).unwrap();
    assert_eq!((body.kind, body.at.line, body.at.column), (ScriptKind::Body, 34, 1));
    assert_eq!(&GOOD[body.at.start as usize..body.at.end as usize], body.text);
    let inline = plan.scripts.iter().find(|script| script.kind == ScriptKind::Init).unwrap();
    assert_eq!((inline.at.line, inline.at.column), (31, 9));
}

#[test]
fn a_let_that_hides_a_var_makes_its_routing_a_script() {
    let plan = lowered(&good_with(&[("k += 1;", "let k = 7;")]));
    assert!(matches!(plan.templates[1].route[0].sends[0].value, Code::Script(_)));
    let plain = lowered(GOOD);
    assert!(matches!(plain.templates[1].route[0].sends[0].value, Code::Expr(Expr::Slot(_))));
}

#[test]
fn results_need_an_order_where_several_actions_can_set_one() {
    assert!(!lowered(GOOD).orders_results);
    let in_both = good_with(&[("let parts", "result(\"sum\", 1); let parts")]);
    assert!(lowered(&in_both).orders_results);
    let other_name = good_with(&[("let parts", "result(\"other\", 1); let parts")]);
    assert!(!lowered(&other_name).orders_results);
    let computed = good_with(&[("result(\"sum\"", "result(\"s\" + n")]);
    assert!(lowered(&computed).orders_results);
    let many_instances = good_with(&[("k += 1;", "k += 1; result(\"w\", k);")]);
    assert!(lowered(&many_instances).orders_results);
}

#[test]
fn all_graphs_are_lowered_and_checked() {
    let other = "[graph.other.uc.A]\nstart = true\ndo = 'print(1);'\n[layout.g]";
    let plan = lowered(&good_with(&[("[layout.g]", other)]));
    assert_eq!(plan.template_labels(), ["Src", "Work", "Sink", "other.A"]);
    let wrong = other.replace("print(1)", "prin(1)");
    let found = compile(&good_with(&[("[layout.g]", &wrong)]), &functions());
    assert_eq!(found.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>(), ["E0503", "W0701"]);
}

fn change(what: &str, line: Option<u32>) -> Change {
    Change { what: what.to_owned(), line }
}

#[test]
fn changes_are_those_of_meaning() {
    let same = good_with(&[
        ("hasse = 1", "# a comment\nhasse   = 1"),
        ("main = \"g\"", "main = 'g'"),
        ("stop = true", "doc = 'the end'\nstop = true"),
        ("Src = [10, 20]", "Src = [30, 20]"),
    ]);
    assert_eq!(changes(GOOD, &same), []);
    let other = good_with(&[
        ("done <- k\"", "done <- k + 1\""),
        ("  \"Src.go -> Sink.go\",\n", ""),
        ("stop = true\n", ""),
        ("init = \"0\"", "init = \"0\"\nindex = ['c']"),
    ]);
    assert_eq!(
        changes(GOOD, &other),
        [
            change("shared object total of graph g: index name 0 is new", Some(15)),
            change("node Work of graph g: routing rule 0 differs", Some(37)),
            change("graph g: arc 2 is gone", None),
            change("node Sink of graph g: `stop` is gone", None),
        ]
    );
    let swapped = good_with(&[(
        "n = \"int = 4\", label = 'string = \"run\"'",
        "label = 'string = \"run\"', n = \"int = 4\"",
    )]);
    assert_eq!(
        changes(GOOD, &swapped),
        [
            change("graph g: position of parameter label differs", Some(5)),
            change("graph g: position of parameter n differs", Some(5)),
        ]
    );
    assert_eq!(changes(GOOD, "x =").len(), 1);
}

#[test]
fn a_native_body_sets_names_that_rules_send_without_rhai() {
    let body = "do = '''\nk += 1;\nsum += p.len();\n'''";
    let text = good_with(&[(body, "do = { native = \"set_y\" }"), ("done <- k", "done <- y if y > k")]);
    assert_eq!(
        lines(&text, "node Work"),
        ["node Work, 1 indices, start false, stop false, init Some(ScriptId(3)), body Some(native set_y)"]
    );
    assert_eq!(lines(&text, "slot Let"), ["slot Let parts: real[]", "slot Let y: int"]);
    let plan = lowered(&text);
    let rule = &plan.templates.iter().find(|template| template.name == "Work").unwrap().route[0];
    assert!(matches!((&rule.guard, &rule.sends[0].value), (Some(Code::Expr(_)), Code::Expr(_))), "{rule:?}");
}
