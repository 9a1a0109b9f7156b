//! Which rules and arcs a record used, and what the picture shows of it.

use std::path::Path;

use hasse_debugger::coverage::Meter;
use hasse_debugger::read::for_each_in_order;
use hasse_editor::edit::link::LinkList;
use hasse_editor::views::coverage::Covered;
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::state::Views;
use hasse_editor::views::task::no_wake;
use hasse_model::trace::RecordingMode;

use super::batches;
use super::made::{example, functions, loaded, ran};
use super::together::nested;

/// `Left` is never reached: `Fork` sends to the right alone.
const FORK: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = [
  "Fork.left -> Left.n",
  "Fork.right -> Right.n",
]

[graph.g.uc.Fork]
out = { left = "int", right = "int" }
start = true
do = "let n = 3;"
route = ["left <- n if n > 5", "right <- n if n <= 5"]

[graph.g.uc.Left]
in = { n = "int" }
fire = ["n -> n"]

[graph.g.uc.Right]
in = { n = "int" }
fire = ["n -> n if count > 1", "n -> n if count == 1"]
"#;

fn sources() -> Vec<RecordSource> {
    let examples = [
        ("bts", "bts.hasse"),
        ("dandc", "dandc.hasse"),
        ("merge", "merge.hasse"),
        ("philosophers", "philosophers.hasse"),
        ("quicksort", "quicksort.hasse"),
        ("sieve", "sieve.hasse"),
    ];
    let fork = ran(FORK, Path::new("."), RecordingMode::Full);
    examples.into_iter().map(|(folder, name)| example(folder, name)).chain([nested(), fork]).collect()
}

/// The command line counts events as they come, the window those of a loaded record.
#[test]
fn window_and_command_line_count_the_same() {
    for source in sources() {
        let record = loaded(&source);
        let plan = record.program().plan().unwrap();
        let mut meter = Meter::new(plan, &record.header().params);
        for_each_in_order(batches(&source), |event, names| meter.event(&event, names)).unwrap();
        let covered = Covered::of(&record).unwrap();
        assert_eq!(*covered.coverage(), meter.finish());
    }
}

#[test]
fn what_was_never_used_is_faint_on_the_picture() {
    let mut views = Views::new(functions(), no_wake());
    views.open(ran(FORK, Path::new("."), RecordingMode::Full));
    while views.is_busy() {
        views.tick(0.0);
        std::thread::yield_now();
    }
    assert_eq!(
        views.coverage_note(),
        "3 of 5 rules were never taken; 1 of 2 arcs was never used",
        "{}",
        views.covered().unwrap().coverage().to_text(false)
    );
    assert!(views.marks("g").links.values().all(|link| !link.is_dimmed), "nobody has asked for it");
    views.set_shows_coverage(true);
    let marks = views.marks("g");
    let is_dimmed = |row| marks.links.get(&(LinkList::Arcs, row)).is_some_and(|link| link.is_dimmed);
    assert_eq!([is_dimmed(0), is_dimmed(1)], [true, false]);
    let node = |name: &str| (marks.nodes[name].is_dimmed, marks.nodes[name].note.clone());
    assert_eq!(node("Left"), (true, "never executed".to_owned()));
    assert_eq!(node("Right"), (false, "1 rule not taken".to_owned()));
    let covered = views.covered().unwrap();
    let taken = |node: &str, key: &str| -> Vec<u64> {
        covered.rules("g", node, key).iter().map(|rule| rule.n_taken).collect()
    };
    assert_eq!([taken("Right", "fire"), taken("Fork", "route")], [[0, 1], [0, 1]]);
    assert!(taken("Right", "do").is_empty() && taken("Nobody", "fire").is_empty());
}

#[test]
fn call_is_faint_where_nothing_within_it_executed() {
    let text = FORK.replace(
        "[graph.g.uc.Left]\nin = { n = \"int\" }\nfire = [\"n -> n\"]",
        "[graph.g.call.Left]\ngraph = \"h\"",
    ) + "\n[graph.h]\nin = { n = \"int\" }\narcs = [\"in.n -> Take.n\"]\n\n[graph.h.uc.Take]\nin = { n = \"int\" }\nfire = [\"n -> n\"]\n";
    let mut views = Views::new(functions(), no_wake());
    views.open(ran(&text, Path::new("."), RecordingMode::Full));
    views.set_shows_coverage(true);
    while views.is_busy() {
        views.tick(0.0);
        std::thread::yield_now();
    }
    let marks = views.marks("g");
    assert_eq!((marks.nodes["Left"].is_dimmed, &*marks.nodes["Left"].note), (true, "never executed"));
    assert!(views.marks("h").nodes["Take"].is_dimmed);
}
