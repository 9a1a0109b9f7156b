//! What a minimal record tells of small programs: what is settled before the run is not told, what is open is.

use hasse_model::event::EventBatch;
use hasse_runtime::run::Recording;

use crate::minimal::replay_minimal;
use crate::recording::{compile, digest, names, options, record_as};

/// The events of which a run of a program told something, and that its record replays.
fn told(text: &str, seed: u64) -> Vec<String> {
    let plan = compile(&format!("hasse = 1\nmain = \"main\"\n{text}"));
    let recorded = record_as(&plan, &options(4, Some(seed)), Recording::Minimal);
    assert_eq!(recorded.report.errors, []);
    let replays = [1, 2, 3].map(|n_workers| {
        let options = options(n_workers as usize, Some(seed + n_workers));
        let replayed = replay_minimal(&plan, &options, &recorded, &recorded.batches);
        assert_eq!(replayed.report.divergence, None, "{text}");
        assert_eq!((&replayed.report.results, &replayed.lines), (&recorded.report.results, &recorded.lines));
        digest(&plan, &replayed.batches)
    });
    assert_eq!((replays[0], replays[1]), (replays[1], replays[2]), "{text}");
    let names = names(&plan, &recorded.batches);
    let events = recorded.batches.iter().flat_map(EventBatch::events);
    let mut told: Vec<String> = events.map(|event| names.event(event.id).to_string()).collect();
    told.sort();
    told
}

/// Asserts that with some seeds and no others something is told, always of this node.
fn assert_told_of(node: &str, text: &str) {
    let told: Vec<Vec<String>> = (0..12).map(|seed| told(text, seed)).collect();
    assert!(told.iter().any(|told| !told.is_empty()), "{text}");
    let prefix = format!("/{node}");
    assert!(told.iter().flatten().all(|event| event.starts_with(&prefix)), "{told:?}");
}

fn assert_nothing_told(text: &str) {
    (0..6).for_each(|seed| assert_eq!(told(text, seed), [""; 0], "{text}"));
}

/// Sends 0 to 5, each to an instance of `Work`.
const SPREAD: &str = "
[graph.main.uc.Start]
start = true
out = { \"o[j]\" = \"int\" }
route = [\"o[j] <- j for j in 0..6\"]
[graph.main.uc.Work]
index = [\"i\"]
in = { a = \"int\" }
out = { o = \"int\" }
fire = [\"a -> v\"]
route = [\"o <- v + i\"]
";

/// Gathers what six instances send, one round of elements in an execution.
fn gather(arc: &str, elements: usize) -> String {
    format!(
        "[graph.main]\narcs = [\"Start.o[j] -> Work[j].a\", \"{arc}\"]\n{SPREAD}
[graph.main.uc.End]
in = {{ \"a[e]\" = \"int\" }}
vars = {{ sum = \"int\" }}
fire = [\"a[k] -> v[k] for k in 0..{elements}\"]
do = 'sum = sum * 31 + v[0]; result(\"sum\", sum);'\n"
    )
}

#[test]
fn an_element_for_each_sender_leaves_nothing_open() {
    assert_nothing_told(&gather("Work[i].o -> End.a[i]", 6));
    assert_nothing_told(&gather("Work[i].o -> End.a[5 - i]", 6));
    assert_nothing_told(&gather("Work[i].o -> End.a[1 + i - 1]", 6));
}

#[test]
fn an_element_for_two_senders_is_told() {
    assert_told_of("End", &gather("Work[i].o -> End.a[i / 2]", 3));
    assert_told_of("End", &gather("Work[i].o -> End.a[i % 3]", 3));
    assert_told_of("End", &gather("Work[i].o -> End.a[i * 0]", 1));
}

#[test]
fn the_border_of_a_grid_is_told_from_its_inside() {
    assert_nothing_told(
        "[graph.main]
arcs = [
  \"Start.o[j] -> Cell[0, j].above\", \"Start.o[j] -> Cell[j, 0].left\",
  \"Cell[i, j].below -> Cell[i + 1, j].above\", \"Cell[i, j].right -> Cell[i, j + 1].left\",
]
[graph.main.uc.Start]
start = true
out = { \"o[j]\" = \"int\" }
route = [\"o[j] <- j for j in 0..5\"]
[graph.main.uc.Cell]
index = [\"i\", \"j\"]
in = { above = \"int\", left = \"int\" }
out = { below = \"int\", right = \"int\" }
fire = [\"above -> v, left -> w\"]
route = [\"below <- v + w if i < 4\", \"right <- v - w if j < 4\"]
",
    );
}

/// A graph that passes values on, called for each of six indices.
fn through_calls(inner_arcs: &str, out: &str) -> String {
    const COPY: &str = "
[graph.Pass.uc.Copy]
index = [\"i\"]
in = { a = \"int\" }
out = { o = \"int\" }
fire = [\"a -> v\"]
route = [\"o <- v\"]
";
    let copy = if inner_arcs.contains("Copy") { COPY } else { "" };
    format!(
        "[graph.main]
arcs = [\"Start.o[j] -> Work[j].a\", \"Work[i].o -> pass[i].x[i]\", \"pass[i].y[e] -> {out}\"]
{SPREAD}
[graph.main.call.pass]
graph = \"Pass\"
index = [\"i\"]
[graph.main.uc.End]
in = {{ \"a[e, f]\" = \"int\" }}
vars = {{ sum = \"int\" }}
fire = [\"a[k, k] -> v[k] for k in 0..1\"]
do = 'sum = sum * 31 + v[0]; result(\"sum\", sum);'
[graph.Pass]
in = {{ \"x[e]\" = \"int\" }}
out = {{ \"y[e]\" = \"int\" }}
arcs = [{inner_arcs}]
{copy}
"
    )
}

#[test]
fn senders_are_followed_through_interfaces() {
    let copies = "\"in.x[e] -> Copy[e].a\", \"Copy[i].o -> out.y[i]\"";
    assert_nothing_told(&through_calls(copies, "End.a[i, e]"));
    assert_nothing_told(&through_calls("\"in.x[e] -> out.y[e]\"", "End.a[i, e]"));
    // That a call sends on the element of its own index alone does not follow from the arcs.
    assert_told_of("End", &through_calls(copies, "End.a[e, e]"));
    assert_told_of("End", &through_calls(copies, "End.a[0, 0]"));
    assert_told_of("End", &through_calls("\"in.x[e] -> out.y[0]\"", "End.a[i, e]"));
    assert_told_of(
        "End",
        &through_calls("\"in.x[e] -> Copy[e].a\", \"Copy[i].o -> out.y[0]\"", "End.a[i, e]"),
    );
}

/// A node with two rules that is given six values on each of two ports.
fn two_rules(fire: &str) -> String {
    format!(
        "[graph.main]
arcs = [\"Left.o -> Both.a\", \"Right.o -> Both.b\"]
[graph.main.uc.Left]
start = true
out = {{ o = \"int\" }}
route = [\"o <- k for k in 0..6\"]
[graph.main.uc.Right]
start = true
out = {{ o = \"int\" }}
route = [\"o <- 10 + k for k in 0..6\"]
[graph.main.uc.Both]
in = {{ a = \"int\", b = \"int\" }}
vars = {{ sum = \"int\" }}
fire = [{fire}]
do = 'sum = sum * 31 + v + rule; result(\"sum\", sum);'
"
    )
}

#[test]
fn rules_are_told_where_state_does_not_settle_them() {
    assert_nothing_told(&two_rules("\"a -> v if count % 2 == 0\", \"b -> v if count % 2 == 1\""));
    assert_nothing_told(&two_rules(
        "\"a -> v, b -> w if count % 2 == 0\", \"a -> v, b -> w if count % 2 == 1\"",
    ));
    assert_told_of("Both", &two_rules("\"a -> v\", \"b -> v\""));
    assert_told_of("Both", &two_rules("\"a -> v, b -> w\", \"a -> w, b -> v\""));
}

/// Six instances write one object; `next` is an arc by which they may wait for each other.
fn writers(next: &str) -> String {
    format!(
        "[graph.main]
arcs = [{next}]
share = [\"s -- Work[i].s\"]
[graph.main.shared.s]
type = \"int\"
[graph.main.uc.Start]
start = true
out = {{ \"o[j]\" = \"int\" }}
route = [\"o[j] <- j for j in 0..6\"]
[graph.main.uc.Work]
index = [\"i\"]
in = {{ a = \"int\" }}
out = {{ o = \"int\" }}
shared = {{ s = \"write\" }}
fire = [\"a -> v\"]
do = 's = s * 31 + i; if i == 5 {{ result(\"s\", s); }}'
route = [\"o <- v if i < 5\"]
"
    )
}

#[test]
fn locks_are_told_where_values_do_not_settle_their_order() {
    assert_told_of("Work", &writers("\"Start.o[j] -> Work[j].a\", \"Work[i].o -> Idle[i].a\"").replace(
        "[graph.main.uc.Start]",
        "[graph.main.uc.Idle]\nindex = [\"i\"]\nin = { a = \"int\" }\nfire = [\"a -> v\"]\n[graph.main.uc.Start]",
    ));
    // Each waits for the one before it.
    assert_nothing_told(
        &writers("\"Start.o[j] -> Work[0].a\", \"Work[i].o -> Work[i + 1].a\"").replace("0..6", "0..1"),
    );
}

#[test]
fn lines_are_told_where_values_do_not_settle_their_order() {
    let lines = |arcs: &str, width: usize| {
        format!(
            "[graph.main]\narcs = [{arcs}]
[graph.main.uc.Start]
start = true
out = {{ \"o[j]\" = \"int\" }}
route = [\"o[j] <- j for j in 0..{width}\"]
[graph.main.uc.Say]
index = [\"i\"]
in = {{ a = \"int\" }}
out = {{ o = \"int\" }}
fire = [\"a -> v\"]
do = 'print(i); print(-i);'
route = [\"o <- v if i < 5\"]
[graph.main.uc.End]
in = {{ a = \"int\" }}
fire = [\"a -> v\"]
"
        )
    };
    assert_told_of(
        "Say",
        &lines("\"Start.o[j] -> Say[j].a\", \"Say[i].o -> End.a\"", 6).replace("5\"]", "0\"]"),
    );
    assert_nothing_told(&lines("\"Start.o[j] -> Say[0].a\", \"Say[i].o -> Say[i + 1].a\"", 1));
}
