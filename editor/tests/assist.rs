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

/// Forms.
#[path = "assist/fields.rs"]
mod fields;
/// Finding, and the palette.
#[path = "assist/finding.rs"]
mod finding;
/// Problems, places and the checker.
#[path = "assist/problems.rs"]
mod problems;
/// Bodies in Rust.
#[path = "assist/rust.rs"]
mod rust;
/// All of it on the shipped examples.
#[path = "assist/shipped.rs"]
mod shipped;
/// Completion and colors.
#[path = "assist/texts.rs"]
mod texts;

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
