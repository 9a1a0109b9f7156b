//! Finding, problems, the tree of graphs, the way to a graph.

use std::fmt::Write;

use hasse_editor::panels::breadcrumbs::{Step, breadcrumbs};
use hasse_editor::panels::find_panel::{FindPanel, Query, RenameError, Scope};
use hasse_editor::panels::outline_panel::{OutlineKind, OutlinePanel};
use hasse_editor::panels::problems_panel::{Filter, ProblemsPanel, page};
use hasse_model::diagnostic::Severity;

use super::*;

fn query(text: &str) -> Query {
    Query { text: text.to_owned(), ..Query::default() }
}

fn shown_find(panel: &FindPanel) -> String {
    let mut text = String::new();
    for group in panel.groups() {
        writeln!(text, "# {}", group.graph).unwrap();
        for row in &panel.rows()[group.first..group.first + group.n_rows] {
            let name = if row.is_name { " name" } else { "" };
            let (before, behind) = (&row.excerpt[..row.range.start], &row.excerpt[row.range.end..]);
            let found = &row.excerpt[row.range.clone()];
            writeln!(text, "{} {}: {before}<{found}>{behind}{name}", row.line, row.place).unwrap();
        }
    }
    text
}

#[test]
fn what_is_found_is_grouped_by_graph() {
    let document = Document::new(PROGRAM);
    let mut panel = FindPanel::new();
    panel.set_query(&document, query("SUM"));
    insta::assert_snapshot!(shown_find(&panel));
    assert_eq!(panel.n_found(), panel.rows().len());
    let n_rows = panel.rows().len();
    panel.set_query(&document, Query { is_case_sensitive: true, ..query("SUM") });
    assert_eq!((panel.rows().len(), panel.groups().len()), (0, 0));
    assert_eq!((panel.next(true), panel.next(false), panel.select(0)), (None, None, None));
    panel.set_query(&document, Query { is_whole_word: true, ..query("sum") });
    assert!(panel.rows().len() < n_rows && panel.rows().iter().all(|row| row.excerpt != "total_sum"));
    let scoped = |scope| Query { scope, is_whole_word: true, ..query("x") };
    panel.set_query(&document, scoped(Scope::Program));
    let n_all = panel.rows().len();
    panel.set_query(&document, scoped(Scope::Graph("sub".to_owned())));
    let n_graph = panel.rows().len();
    panel.set_query(&document, scoped(Scope::Node("sub".to_owned(), "Half".to_owned())));
    assert!(n_all > n_graph && n_graph > panel.rows().len() && !panel.rows().is_empty());
    assert!(panel.rows().iter().all(|row| row.target.node() == Some("Half")));
}

#[test]
fn the_next_hit_is_around_the_end_and_stays_when_the_program_changes() {
    let mut document = Document::new(PROGRAM);
    let mut panel = FindPanel::new();
    panel.set_query(&document, query("whole"));
    assert_eq!(panel.rows().len(), 1);
    panel.set_query(&document, query("parts"));
    let n_rows = panel.rows().len();
    assert!(n_rows > 2);
    let first = panel.next(true).unwrap();
    let last = panel.rows()[n_rows - 1].target.clone();
    assert_eq!((panel.selected(), panel.next(false)), (Some(0), Some(last)));
    assert_eq!(panel.next(true), Some(first));
    panel.next(true);
    let held = panel.rows()[1].clone();
    assert!(!panel.refresh(&document));
    document.replace("beside", &PROGRAM.replace("Cuts.", "parts parts"));
    assert!(panel.refresh(&document));
    assert_eq!(panel.rows().len(), n_rows + 2);
    assert_eq!(panel.rows()[panel.selected().unwrap()].target, held.target);
    // No TOML: lines are searched.
    document.replace("beside", "[graph.top\nparts");
    panel.refresh(&document);
    assert_eq!(panel.rows().len(), 1);
}

#[test]
fn names_are_renamed_where_they_are_found() {
    let mut document = Document::new(PROGRAM);
    let mut panel = FindPanel::new();
    for (text, place, new, line) in [
        ("Work", "top.Work", "Job", "Begin.part[i] -> Job[i].part"),
        ("sub", "sub", "half", "graph = \"half\""),
        ("part", "top.Begin out part", "piece", "Begin.piece[i] -> Job[i].part"),
        ("n", "top params n", "m", "for i in 0..m"),
        ("k", "top.Job vars k", "step", "part -> x if step == 0"),
        ("a", "half.in.a", "b", "in.b -> Half.a"),
        ("acc", "top.Job shared acc", "all", "all += whole(s);"),
    ] {
        panel.set_query(&document, Query { is_whole_word: true, is_case_sensitive: true, ..query(text) });
        let row = panel.rows().iter().position(|row| row.place == place && row.is_name);
        panel.select(row.unwrap_or_else(|| panic!("{place} {}", shown_find(&panel))));
        assert_eq!(panel.rename(&mut document, new), Ok(true), "{text}");
        assert!(document.text().contains(line), "{line} {}", difference(PROGRAM, document.text()));
    }
    for _ in 0..7 {
        assert_eq!(document.undo().as_deref(), Some("rename"));
    }
    assert_eq!(document.text(), PROGRAM);
    panel.set_query(&document, query("End"));
    let row = panel.rows().iter().position(|row| row.is_name).unwrap();
    panel.select(row);
    assert!(matches!(panel.rename(&mut document, "Work"), Err(RenameError::Edit(_))));
    let other = panel.rows().iter().position(|row| !row.is_name).unwrap();
    panel.select(other);
    assert_eq!(panel.rename(&mut document, "Last"), Err(RenameError::NotAName));
    assert_eq!(document.text(), PROGRAM);
}

fn shown_problems(panel: &ProblemsPanel) -> String {
    let mut text = String::new();
    for row in panel.rows() {
        writeln!(text, "{} {} {}: {} ({:?})", row.line, row.code, row.place, row.message, row.help).unwrap();
    }
    text
}

#[test]
fn problems_are_listed_filtered_and_explained() {
    let text = PROGRAM
        .replace("row = \"int\"", "row = \"itn\"")
        .replace("acc += whole(s);", "acc += s;\nlet z = none;");
    let mut panel = ProblemsPanel::new();
    assert!(panel.refresh(&problems(&text)));
    assert!(!panel.refresh(&problems(&text)), "nothing has changed");
    insta::assert_snapshot!(shown_problems(&panel));
    assert_eq!(panel.graphs(), ["top", "sub"]);
    let (n_errors, n_warnings) = panel.counts();
    assert_eq!(n_errors + n_warnings, panel.rows().len());
    panel.set_filter(Filter { graph: Some("sub".to_owned()), severity: None });
    assert!(!panel.rows().is_empty() && panel.rows().iter().all(|row| row.graph == "sub"));
    assert_eq!(panel.next(false).unwrap().graph, "sub");
    assert!(panel.page().unwrap().starts_with("# E"));
    panel.set_filter(Filter { graph: None, severity: Some(Severity::Error) });
    assert_eq!(panel.rows().len(), n_errors);
    assert_eq!(panel.rows()[panel.selected().unwrap()].graph, "sub", "the selected one is still there");
    panel.set_filter(Filter { graph: Some("none".to_owned()), severity: None });
    assert_eq!((panel.selected(), panel.next(true), panel.page()), (None, None, None));
    panel.set_filter(Filter::default());
    assert!(panel.next(true).is_some());
    assert_eq!(panel.selected(), Some(0));
    assert_eq!(panel.select(99), None);
    // A line above is another line for the same problem, which stays selected.
    panel.set_filter(Filter::default());
    panel.select(1);
    let held = panel.rows()[1].clone();
    panel.refresh(&problems(&format!("# one more\n{text}")));
    let now = &panel.rows()[panel.selected().unwrap()];
    assert_eq!((now.line, &now.message), (held.line + 1, &held.message));
    assert!(panel.refresh(&problems("")));
    assert_eq!(page("E9999"), None);
    assert!(page("E0101").is_some() && page("E0001").is_some());
}

fn shown_tree(panel: &OutlinePanel) -> String {
    let mut text = String::new();
    for row in panel.rows() {
        let flags = [
            (row.is_main, " main"),
            (row.is_foldable && row.is_open, " open"),
            (row.is_foldable && !row.is_open, " folded"),
            (row.is_recursion, " recursion"),
            (row.is_repeated, " repeated"),
            (row.is_shown, " shown"),
            (row.is_missing, " missing"),
        ];
        let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
        let counts = if row.counts.is_empty() {
            String::new()
        } else {
            format!(" {}+{} errors", row.counts.n_errors, row.counts.n_errors_inside)
        };
        let indent = "  ".repeat(row.depth);
        writeln!(text, "{indent}{:?} {} {}{flags}{counts}", row.kind, row.label, row.detail).unwrap();
    }
    text
}

const TREE: &str = r#"
main = "a"
[graph.a.uc.S]
start = true
do = "wrong"
[graph.a.call.B]
graph = "b"
[graph.a.call.C]
graph = "c"
index = ["i"]
[graph.b.call.C]
graph = "c"
[graph.b.call.Self]
graph = "b"
[graph.c.shared.x]
type = "int"
[graph.c.call.None]
graph = "none"
[graph.alone.call.C]
graph = "c"
[graph.ring.call.R]
graph = "gnir"
[graph.gnir.call.R]
graph = "ring"
"#;

#[test]
fn the_tree_has_each_graph_once() {
    let mut document = Document::new(TREE);
    let mut panel = OutlinePanel::new();
    assert!(panel.refresh(&document, &problems(TREE), Some("b")));
    assert!(!panel.refresh(&document, &problems(TREE), Some("b")));
    let mut text = shown_tree(&panel);
    panel.toggle_nodes("a");
    panel.toggle_nodes("c");
    panel.toggle("b");
    panel.toggle("ring");
    assert!(panel.refresh(&document, &problems(TREE), Some("a")));
    write!(text, "\n# nodes of a and c, b and ring folded\n{}", shown_tree(&panel)).unwrap();
    insta::assert_snapshot!(text);
    // How it is folded goes with the name.
    panel.rename_graph(&mut document, "b", "beta").unwrap();
    panel.refresh(&document, &problems(document.text()), None);
    let beta = panel.rows().iter().find(|row| row.graph == "beta" && row.kind == OutlineKind::Graph).unwrap();
    assert!(beta.is_foldable && !beta.is_open);
    assert_eq!(panel.add_graph(&mut document, "graph").as_deref(), Ok("graph"));
    assert_eq!(panel.add_graph(&mut document, "graph").as_deref(), Ok("graph2"));
    assert!(panel.add_graph(&mut document, "1").is_err());
    panel.remove_graph(&mut document, "c").unwrap();
    assert!(panel.rename_graph(&mut document, "c", "d").is_err());
    assert!(panel.rename_graph(&mut document, "a", "beta").is_err());
    panel.refresh(&document, &problems(document.text()), None);
    let rows = panel.rows();
    assert!(rows.iter().any(|row| row.graph == "c" && row.is_missing));
    assert!(rows.iter().any(|row| row.graph == "graph2" && row.depth == 1));
    while document.undo().is_some() {}
    assert_eq!(document.text(), TREE);
    // A text that cannot be read leaves the tree.
    let n_rows = panel.rows().len();
    document.replace("text", "[");
    assert!(!panel.refresh(&document, &problems("["), None));
    assert_eq!(panel.rows().len(), n_rows);
    assert_eq!(panel.add_graph(&mut document, "g"), Err(hasse_editor::edit::EditError::NotReadable));
    assert!(panel.refresh(&Document::new(""), &problems(""), None) && panel.rows().is_empty());
}

#[test]
fn many_ways_to_a_graph_do_not_make_the_tree_large() {
    let mut text = "main = \"g0\"\n".to_owned();
    for n in 0..40 {
        for call in ["A", "B"] {
            writeln!(text, "[graph.g{n}.call.{call}]\ngraph = \"g{}\"", n + 1).unwrap();
        }
        // A second way over the next but one.
        writeln!(text, "[graph.g{n}.call.D]\ngraph = \"g{}\"", n + 2).unwrap();
    }
    let mut panel = OutlinePanel::new();
    panel.refresh(&Document::new(&text), &problems(""), None);
    assert!(panel.rows().len() <= 2 * 42, "{}", panel.rows().len());
}

#[test]
fn the_way_is_shortened_in_the_middle() {
    let step =
        |graph: &str, call: Option<&str>| Step { graph: graph.to_owned(), call: call.map(str::to_owned) };
    let steps = [
        step("a", None),
        step("b", Some("B")),
        step("b", Some("Self")),
        step("c", Some("C")),
        step("c", Some("gone")),
    ];
    let found = problems(TREE);
    let crumbs = breadcrumbs(TREE, &steps, &found, 9);
    let labels: Vec<&str> = crumbs.iter().map(|crumb| &*crumb.label).collect();
    assert_eq!(labels, ["a", "B: b", "Self: b", "C: c", "gone: c"]);
    let flags: Vec<_> = crumbs.iter().map(|crumb| (crumb.is_recursion, crumb.is_missing)).collect();
    assert_eq!(flags, [(false, false), (false, false), (true, false), (false, false), (true, true)]);
    assert!(crumbs[0].counts.n_errors > 0);
    let short = breadcrumbs(TREE, &steps, &found, 4);
    let steps_shown: Vec<_> = short.iter().map(|crumb| crumb.step).collect();
    assert_eq!(steps_shown, [Some(0), None, Some(3), Some(4)]);
    assert_eq!(breadcrumbs(TREE, &steps, &found, 0).len(), 3);
    assert!(breadcrumbs("[", &[], &found, 5).is_empty());
    assert!(breadcrumbs("[", &steps, &found, 5).iter().all(|crumb| crumb.is_missing));
}
