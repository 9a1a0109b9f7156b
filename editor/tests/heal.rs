//! Arcs that are joined again, split and bent.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "common/edits.rs"]
mod common;

use common::{difference, edited, refused};
use hasse_editor::edit::EditError;
use hasse_editor::edit::heal::{self, LinkEnd};
use hasse_editor::edit::link::LinkList;
use toml_edit::DocumentMut;

/// Passes values on, in several ways.
const PIPE: &str = r#"hasse = 1
main  = "pipe"

[graph.pipe]
params = { n = "int = 2" }
out    = { done = "int" }
arcs = [
  "Make.x -> First.x",  # begins
  "First.y -> Second.x",
  "Second.y -> Left.x",
  "Second.y -> Right.x",
  "Make.many[i] -> Each[i].x",
  "Each[k].y -> Left.parts[2 * k]",
  "Each[k].y -> Right.parts[k]",
  "Make.words -> Count.words",
  "Count.n -> Right.x",
  "Make.odd[i] -> Odd[i + 1].x",
  "Odd[0].y -> Left.x",
  "Left.z -> out.done",
]

[graph.pipe.uc.Make]
out   = { x = "int", "many[i]" = "int", words = "string", "odd[i]" = "int" }
start = true

[graph.pipe.uc.First]
in  = { x = "int" }
out = { y = "int" }

[graph.pipe.uc.Second]
in  = { x = "int" }
out = { y = "int" }

[graph.pipe.uc.Each]
index = ["i"]
in    = { x = "int" }
out   = { y = "int" }

[graph.pipe.uc.Odd]
index = ["i"]
in    = { x = "int" }
out   = { y = "int" }

[graph.pipe.uc.Count]
in  = { words = "string" }
out = { n = "int" }

[graph.pipe.uc.Left]
in  = { x = "int", "parts[k]" = "int" }
out = { z = "int" }

[graph.pipe.uc.Right]
in  = { x = "int", "parts[k]" = "int" }
out = { z = "int", w = "int" }
"#;

/// The arcs that are gone and new.
fn arcs_changed(edit: impl FnOnce(&mut DocumentMut) -> Result<usize, EditError>) -> (usize, String) {
    let (new, n_joined) = edited(PIPE, edit).unwrap();
    let changed = difference(PIPE, &new);
    let arcs = changed.lines().filter(|line| line.contains("->")).map(|line| format!("{line}\n")).collect();
    (n_joined, arcs)
}

#[test]
fn arcs_are_healed_where_index_numbers_and_types_allow() {
    let healed = |nodes: &'static [&'static str]| arcs_changed(|tables| heal::remove(tables, "pipe", nodes));
    let mut shown = String::new();
    for (nodes, n_expected) in [
        (&["First"][..], 1),
        (&["Second"], 2),
        (&["First", "Second"], 3),
        (&["Each"], 2),
        (&["Count"], 0), // a string cannot come where an int is expected
        (&["Odd"], 0),   // i + 1 cannot be compared with 0
        (&["Left"], 0),  // several arcs come in
        (&["Make"], 0),
    ] {
        let (n_joined, arcs) = healed(nodes);
        assert_eq!(n_joined, n_expected, "{nodes:?}");
        shown += &format!("{nodes:?}\n{arcs}");
    }
    insta::assert_snapshot!("healed", shown);
    assert_eq!(refused(PIPE, |tables| heal::remove(tables, "pipe", &["First", "Z"])), "there is no node `Z`");
}

#[test]
fn a_node_is_put_onto_an_arc() {
    let inserted = |row, node: &'static str| {
        let (_, arcs) = arcs_changed(|tables| heal::insert_on_link(tables, "pipe", row, node).map(|()| 0));
        arcs
    };
    assert_eq!(
        inserted(2, "First"),
        "-  \"Second.y -> Left.x\",\n+  \"Second.y -> First.x\",\n+  \"First.y -> Left.x\",\n"
    );
    assert_eq!(
        inserted(5, "Odd"),
        "-  \"Each[k].y -> Left.parts[2 * k]\",\n+  \"Each[k].y -> Odd[k].x\",\n+  \"Odd[k].y -> Left.parts[2 * k]\",\n"
    );
    let refusal =
        |row, node: &'static str| refused(PIPE, |tables| heal::insert_on_link(tables, "pipe", row, node));
    assert_eq!(refusal(0, "First"), "`First` is an end of this arc already");
    assert_eq!(refusal(0, "Right"), "`Right` has not exactly one input and one output port");
    assert_eq!(
        refusal(0, "Each"),
        "`Each` would not hand on the index numbers of `Make.x -> First.x`: give it as many"
    );
    assert_eq!(
        refusal(5, "First"),
        "`First` would not hand on the index numbers of `Each[k].y -> Left.parts[2 * k]`: give it as many"
    );
    assert_eq!(refusal(12, "First"), "`arcs` has no line 12");
    assert_eq!(refusal(0, "Z"), "there is no node `Z`");
    let broken = PIPE.replace("Make.x -> First.x", "Make.x to First.x");
    assert_eq!(
        refused(&broken, |tables| heal::insert_on_link(tables, "pipe", 0, "Second")),
        "`Make.x to First.x` cannot be read: mend it first"
    );
}

#[test]
fn an_end_is_led_to_another_port() {
    let led = |row, which, end: (&'static str, &'static str)| {
        let (_, arcs) = arcs_changed(|tables| {
            heal::reconnect(tables, "pipe", (LinkList::Arcs, row), which, end).map(|()| 0)
        });
        arcs.lines().find_map(|line| line.strip_prefix('+')).unwrap_or_default().trim().to_owned()
    };
    assert_eq!(led(0, LinkEnd::Target, ("Right", "x")), r#""Make.x -> Right.x",  # begins"#);
    assert_eq!(led(0, LinkEnd::Target, ("Each", "x")), r#""Make.x -> Each[0].x",  # begins"#);
    assert_eq!(led(4, LinkEnd::Target, ("Right", "parts")), r#""Make.many[i] -> Right.parts[0]","#);
    assert_eq!(led(5, LinkEnd::Target, ("Odd", "x")), r#""Each[k].y -> Odd[0].x","#);
    assert_eq!(led(4, LinkEnd::Target, ("Odd", "x")), r#""Make.many[i] -> Odd[i].x","#);
    assert_eq!(led(0, LinkEnd::Source, ("Each", "y")), r#""Each[i].y -> First.x",  # begins"#);
    assert_eq!(led(5, LinkEnd::Source, ("Make", "many")), r#""Make.many[i] -> Left.parts[2 * k]","#);
    assert_eq!(led(0, LinkEnd::Target, ("out.done", "")), r#""Make.x -> out.done",  # begins"#);
    let refusal = |row, end| {
        let list = (LinkList::Arcs, row);
        refused(PIPE, |tables| heal::reconnect(tables, "pipe", list, LinkEnd::Source, end))
    };
    assert_eq!(refusal(0, ("Z", "x")), "there is no node `Z`");
    assert_eq!(refusal(12, ("First", "y")), "`arcs` has no line 12");
    let shares = PIPE.replace("arcs = [", "share = [\"log[k] -- Left.a\"]\narcs = [");
    let list = (LinkList::Shares, 0);
    let (new, ()) =
        edited(&shares, |tables| heal::reconnect(tables, "pipe", list, LinkEnd::Target, ("Each", "log")))
            .unwrap();
    assert!(new.contains("\"log[k] -- Each[i].log\""));
}
