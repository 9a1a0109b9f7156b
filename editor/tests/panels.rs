//! Panels, popups and dialogs through the crate's interface, driven as a person drives them.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::sync::Arc;

use hasse_editor::document::Document;
use hasse_editor::edit::link::LinkList;
use hasse_editor::panels::inspector::{CellId, Inspector};
use hasse_editor::panels::subject::Subject;
use hasse_editor::problems::Problems;
use hasse_editor::target::{Attribute, Part, Target};
use hasse_model::function::FunctionTable;
use proptest::prelude::*;

/// Writing bodies and rules.
#[path = "panels/code.rs"]
mod code;
/// Dialog and settings.
#[path = "panels/files.rs"]
mod files;
/// The fields of what is selected.
#[path = "panels/inspector.rs"]
mod inspector;
/// Finding, problems, the tree of graphs, the way to a graph.
#[path = "panels/lists.rs"]
mod lists;
/// Choosing by typing.
#[path = "panels/popups.rs"]
mod popups;
/// Bodies in Rust.
#[path = "panels/rust.rs"]
mod rust;

/// With mistakes: a name in the body of `Work`, and one in `Half`, which `Sub` calls.
const PROGRAM: &str = r#"# A program with mistakes.
hasse = 1
main  = "top"

[type.Block]
row = "int"

[graph.top]
params = { n = "int = 4" }
arcs = [
  "Begin.part[i] -> Work[i].part",
  "Work[i].sum -> Sub.a",  # inside
  "Sub.x -> End.sum",
]
share = ["total -- Work[i].acc"]

[graph.top.shared.total]
type = "real"
init = "0.0"

[graph.top.uc.Begin]
doc   = "Cuts."  # kept
out   = { "part[i]" = "real" }
start = true
do    = "let parts = n * 1.0;"
route = ["part[i] <- parts for i in 0..n"]

[graph.top.uc.Work]
index  = ["i"]
in     = { part = "real" }
out    = { sum = "real" }
vars   = { k = "int = 0", s = "real = 0.0" }
shared = { acc = "write" }
fire   = ["part -> x if k == 0", "part -> y if k > 0"]  # two
do = '''
// k counts.
let parts = [k, n];
for p in parts {
	s += p * 1.0;
}
acc += whole(s);
k += 1;
'''
route = ["sum <- s"]

[graph.top.call.Sub]
graph = "sub"
args  = { m = "n" }

[graph.top.uc.End]
stop = true
in   = { sum = "real" }
fire = ["sum -> total_sum"]
do   = "print(total_sum);"

[graph.sub]
params = { m = "int" }
in     = { a = "real" }
out    = { x = "real" }
arcs = ["in.a -> Half.a", "Half.x -> out.x"]

[graph.sub.uc.Half]
in    = { a = "real" }
out   = { x = "real" }
fire  = ["a -> a"]
do    = "let x = a / m + wrong;"
route = ["x <- x"]

[layout.top]
Work = [10, 20]
"comment 1" = { at = [40, 300], text = "reads" }
"frame 1" = { at = [0, 0], size = [400, 300], title = "Solvers", color = "blue" }
"#;

fn functions() -> FunctionTable {
    let mut table = FunctionTable::default();
    for (name, arity, in_body_only) in
        [("print", 1, true), ("sum", 1, false), ("sqrt", 1, false), ("+", 2, false), ("*", 2, false)]
    {
        table.add(name, arity, in_body_only);
    }
    table
}

fn problems(text: &str) -> Problems {
    Problems::of(text, &functions())
}

fn node(graph: &str, node: &str) -> Subject {
    Subject::Node { graph: graph.to_owned(), node: node.to_owned() }
}

/// An inspector at work.
struct Desk {
    document: Document,
    inspector: Inspector,
}

impl Desk {
    fn new(subject: Subject) -> Self {
        let mut desk = Self { document: Document::new(PROGRAM), inspector: Inspector::new() };
        desk.select(subject);
        desk
    }

    fn select(&mut self, subject: Subject) {
        let found = problems(self.document.text());
        self.inspector.show(subject, &self.document, &found);
    }

    fn refresh(&mut self) -> bool {
        let found = problems(self.document.text());
        self.inspector.refresh(&self.document, &found)
    }

    /// Types a text letter by letter in place of what is there.
    fn type_over(&mut self, id: &CellId, text: &str) {
        for (at, letter) in text.char_indices() {
            self.inspector.type_text(&mut self.document, id, &text[..at + letter.len_utf8()]);
        }
    }

    fn text(&self, key: &str, row: usize, cell: usize) -> &str {
        &self.inspector.cell(&CellId::new(key, row, cell)).unwrap().text
    }

    fn error(&self, id: &CellId) -> Option<&str> {
        self.inspector.cell(id).unwrap().error.as_deref()
    }

    fn commit(&mut self, id: &CellId) -> Option<Subject> {
        self.inspector.commit(&mut self.document, id)
    }
}

/// Lines that are gone and lines that are new.
fn difference(old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}
