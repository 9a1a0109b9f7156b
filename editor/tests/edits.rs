//! Edits of programs through the crate's interface: what they change, and what they leave as it was.
#![allow(clippy::unwrap_used, clippy::vec_init_then_push, missing_docs, reason = "tests")]

use hasse_editor::document::Document;
use hasse_editor::edit::link::{self, LinkList};
use hasse_editor::edit::node::{self, NewNode};
use hasse_editor::edit::port::{self, Side};
use hasse_editor::edit::{EditError, fit, graph, name, place};
use toml_edit::{DocumentMut, Value};

const PROGRAM: &str = r#"# A program.
hasse = 1
main  = "g"   # begins here

[graph.g]
arcs = [
  # First of all.
  "A.x -> B.y",  # to B
  "A.x   ->   C.y",
  "B.done[i] -> C.done",  # element i
]
share = ["t -- B.t"]

# What is shared.
[graph.g.shared.t]
type = 'int'

[graph.g.uc.A] # the first
start = true
out = { 'x' = "int" }  # out
route = ["x <- 1", "x <- 2 if count > 0"]

[graph.g.uc.B]
in     = { y = "int" }
out    = { "done[i]" = "int" }
shared = { t = "write" }
fire   = ["y -> v"]
do = '''
t += v;  // y
'''
route = ["done[i] <- v for i in 0..2"]

# Ends.
[graph.g.uc.C]
in = { y = "int", done = "int" }
fire = ["y -> a", "done -> b"]

[layout.g]
A = [0, 0] # left
B = [100, 0]
"#;

fn edited(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    let mut document = Document::new(PROGRAM);
    document.edit("edit", edit).unwrap();
    let text = document.text().to_owned();
    assert!(document.undo().is_none_or(|label| label == "edit"));
    assert_eq!(document.text(), PROGRAM);
    difference(PROGRAM, &text)
}

/// Lines that are gone and lines that are new.
fn difference(old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

fn refused(edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>) -> String {
    let mut document = Document::new(PROGRAM);
    let error = document.edit("edit", edit).unwrap_err();
    assert_eq!(document.text(), PROGRAM);
    assert_eq!(document.next_undo(), None);
    error.to_string()
}

#[test]
fn a_node_is_added_behind_its_like() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| node::add(tables, "g", "D", NewNode::Unit)));
    changes.push(edited(|tables| node::add(tables, "g", "u", NewNode::Shared("real"))));
    changes.push(edited(|tables| node::add(tables, "g", "Sub", NewNode::Call("h"))));
    changes.push(edited(|tables| node::add(tables, "g", "p[i]", NewNode::Input("int"))));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn names_are_checked() {
    let mut changes = Vec::new();
    changes.push(refused(|tables| node::add(tables, "g", "A", NewNode::Unit)));
    changes.push(refused(|tables| node::add(tables, "g", "a-b", NewNode::Unit)));
    changes.push(refused(|tables| node::add(tables, "h", "D", NewNode::Unit)));
    changes.push(refused(|tables| node::rename(tables, "g", "A", "t")));
    changes.push(refused(|tables| node::rename(tables, "g", "Z", "Y")));
    changes.push(refused(|tables| port::add(tables, "g", "B", Side::Output, "done", "int")));
    changes.push(refused(|tables| port::rename(tables, "g", "B", Side::Input, "done", "d")));
    changes.push(refused(|tables| link::set(tables, "g", LinkList::Arcs, 7, "A.x -> C.y")));
    changes.push(refused(|tables| graph::add(tables, "g")));
    changes.push(refused(|tables| graph::rename(tables, "h", "k")));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn a_renamed_node_is_renamed_where_it_is_meant() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| node::rename(tables, "g", "B", "Second")));
    changes.push(edited(|tables| node::rename(tables, "g", "t", "total")));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn what_is_removed_goes_with_its_arcs_and_their_comments() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| node::remove(tables, "g", &["B"])));
    changes.push(edited(|tables| node::remove(tables, "g", &["A", "B", "C", "t"])));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn lines_are_added_changed_and_removed_alone() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| link::add(tables, "g", LinkList::Arcs, "A.x -> D.z").map(drop)));
    changes.push(edited(|tables| link::add(tables, "g", LinkList::Arcs, "D.x -> A.z").map(drop)));
    changes.push(edited(|tables| link::add(tables, "g", LinkList::Shares, "t -- C.t").map(drop)));
    changes.push(edited(|tables| link::set(tables, "g", LinkList::Arcs, 0, "A.x -> C.y")));
    changes.push(edited(|tables| link::remove(tables, "g", LinkList::Arcs, 0)));
    changes.push(edited(|tables| link::remove(tables, "g", LinkList::Arcs, 1)));
    changes.push(edited(|tables| link::remove(tables, "g", LinkList::Arcs, 2)));
    changes.push(edited(|tables| link::remove(tables, "g", LinkList::Shares, 0)));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn ports_are_changed_with_rules_and_arcs() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| port::rename(tables, "g", "B", Side::Output, "done", "ready[k]")));
    changes.push(edited(|tables| port::rename(tables, "g", "B", Side::Input, "y", "z")));
    changes.push(edited(|tables| port::add(tables, "g", "A", Side::Input, "go[i]", "real")));
    changes.push(edited(|tables| port::set_type(tables, "g", "A", Side::Output, "x", "real")));
    changes.push(edited(|tables| port::remove(tables, "g", "A", Side::Output, "x")));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn attributes_stand_in_canonical_order() {
    let mut changes = Vec::new();
    let doc =
        |tables: &mut DocumentMut| node::set_attribute(tables, "g", "B", "doc", Some(Value::from("adds")));
    changes.push(edited(doc));
    let start = |tables: &mut DocumentMut| node::set_attribute(tables, "g", "A", "start", None);
    changes.push(edited(start));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn positions_stand_apart() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| place::set(tables, "g", &[("A", [5, 6]), ("C", [-7, 8])])));
    changes.push(edited(|tables| place::set(tables, "h", &[("in.a", [5, 6])])));
    changes.push(edited(|tables| place::set(tables, "g", &[("A", [0, 0])])));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn graphs_are_renamed_where_they_are_meant() {
    let mut changes = Vec::new();
    changes.push(edited(|tables| graph::rename(tables, "g", "tree")));
    changes.push(edited(|tables| graph::add(tables, "h")));
    insta::assert_snapshot!(changes.join(
        "
"
    ));
}

#[test]
fn lines_follow_a_node_that_gets_an_index() {
    let fitted = |node: &'static str, names: &'static [&'static str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        edited(|tables| fit::add_index(tables, "g", node, &names))
    };
    // All instances send, and use the object; none is named by what comes from a node without numbers.
    assert_eq!(
        fitted("B", &["k"]),
        "-  \"B.done[i] -> C.done\",  # element i\n+  \"B[k].done[i] -> C.done\",  # element i\n\
         -share = [\"t -- B.t\"]\n+share = [\"t -- B[k].t\"]\n"
    );
    // An instance for each element that is sent.
    assert_eq!(
        fitted("C", &["n"]),
        "-  \"B.done[i] -> C.done\",  # element i\n+  \"B.done[i] -> C[i].done\",  # element i\n"
    );
    assert_eq!(fitted("C", &["n", "m"]), "", "one number is sent, two are needed");
    assert_eq!(fitted("C", &[]), "");
}

/// Ports of nodes and graphs are renamed in rules for failed events, too; units of time are no names.
#[test]
fn names_of_rules_for_failed_events_are_renamed() {
    let text = "hasse = 1
main = \"g\"

[graph.g]
out = { bad = \"error\" }
on_error = \"bad\"
arcs = [\"A.x -> A.y\", \"A.x -> out.bad\"]
params = { ms = \"int\", s = \"int\" }

[graph.g.uc.A]
out = { x = \"error\" }
in = { y = \"error\" }
fire = [\"y -> v\"]
retry = \"2 * ms\"
route = [\"x <- v after ms ms if s > 0\"]
on_error = \"x <- error after 2 * s s\"
";
    let mut document: DocumentMut = text.parse().unwrap();
    port::rename(&mut document, "g", "A", Side::Output, "x", "z").unwrap();
    node::rename(&mut document, "g", "out.bad", "worse").unwrap();
    name::rename_param(&mut document, "g", "ms", "pause").unwrap();
    name::rename_param(&mut document, "g", "s", "long").unwrap();
    let renamed = document.to_string();
    for line in [
        "out = { worse = \"error\" }",
        "on_error = \"worse\"",
        "arcs = [\"A.z -> A.y\", \"A.z -> out.worse\"]",
        "retry = \"2 * pause\"",
        "route = [\"z <- v after pause ms if long > 0\"]",
        "on_error = \"z <- error after 2 * long s\"",
    ] {
        assert!(renamed.contains(line), "{line}: {renamed}");
    }
}
