//! Names in bodies in Rust: renamed, collected and given as in other texts of a node, or left alone.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "common/edits.rs"]
mod common;

use std::sync::Arc;

use common::{difference, edited, refused};
use hasse_compiler::{compile, format};
use hasse_editor::edit::collapse::collapse;
use hasse_editor::edit::name::{rename_param, rename_shared, rename_var};
use hasse_editor::edit::unpack::unpack;
use hasse_editor::run::Facts;
use hasse_editor::state::{Config, Editor};
use hasse_editor::target::{Attribute, Target};
use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::function::FunctionTable;

/// Comments, order and spelling are to stay.
const PROGRAM: &str = r#"hasse = 1
main = "grid"

[graph.grid]
params = { size = "int = 4", unused = "int = 1" }
arcs = [
  "Begin.x[i] -> Cell[i].x",
]
share = ["total -- Cell[i].total"]

[graph.grid.shared.total]
type = "int"

[graph.grid.uc.Begin]
out = { "x[i]" = "int" }
start = true
route = ["x[i] <- i for i in 0..size"]

[graph.grid.uc.Cell]
index = ["i"]
in = { x = "int" }
vars = { seen = "int = 0" }
shared = { total = 'write' }
fire = ["x -> x"]
do = { rust = '''
// size of the grid
seen += 1;  # no comment of TOML
*total += size * x - point.size;
context.print(format!("{size:>3} of {seen} {{size}}"));
''' }  # kept
"#;

#[test]
fn names_are_renamed_in_bodies_in_rust() {
    let (text, ()) = edited(PROGRAM, |tables| rename_param(tables, "grid", "size", "n")).unwrap();
    let expected = [
        "-params = { size = \"int = 4\", unused = \"int = 1\" }",
        "+params = { n = \"int = 4\", unused = \"int = 1\" }",
        "-route = [\"x[i] <- i for i in 0..size\"]",
        "+route = [\"x[i] <- i for i in 0..n\"]",
        "-*total += size * x - point.size;",
        "-context.print(format!(\"{size:>3} of {seen} {{size}}\"));",
        "+*total += n * x - point.size;",
        "+context.print(format!(\"{n:>3} of {seen} {{size}}\"));",
        "",
    ];
    assert_eq!(difference(PROGRAM, &text), expected.join("\n"));
    let (text, ()) = edited(PROGRAM, |tables| rename_var(tables, "grid", "Cell", "seen", "type")).unwrap();
    assert!(text.contains("\nr#type += 1;") && text.contains("{size:>3} of {type} "), "{text}");
    let (text, ()) = edited(PROGRAM, |tables| rename_shared(tables, "grid", "Cell", "total", "sum")).unwrap();
    assert!(text.contains("\n*sum += size * x") && text.contains("shared = { sum = 'write' }"), "{text}");
}

#[test]
fn a_body_in_rust_that_binds_the_name_is_left_alone() {
    let bound = PROGRAM.replace("seen += 1;", "seen += [1].iter().map(|size| size).sum::<i64>();");
    let (text, ()) = edited(&bound, |tables| rename_param(tables, "grid", "size", "n")).unwrap();
    assert!(text.contains("*total += size * x"), "{text}");
    assert_eq!(difference(&bound, &text).lines().count(), 4);
}

#[test]
fn a_collapsed_body_in_rust_gets_the_parameters_that_it_names() {
    let arc = "\"Begin.x[i] -> Cell[i].x\"";
    let alone = PROGRAM
        .replace("share = [\"total -- Cell[i].total\"]\n", "")
        .replace("shared = { total = 'write' }\n", "");
    assert!(alone.contains(arc));
    let (text, call) = edited(&alone, |tables| collapse(tables, "grid", &["Cell"], "Row")).unwrap();
    assert!(text.contains("args  = { size = \"size\" }"), "{text}");
    let body = alone.split("do = ").nth(1).unwrap();
    assert!(text.contains(body.trim_end()), "{text}");
    // Given under its own name, the parameter means the same outside.
    let (back, _) = edited(&text, |tables| unpack(tables, "grid", &call)).unwrap();
    assert_eq!(format(&back).unwrap(), format(&alone).unwrap());
    let other = text.replace("args  = { size = \"size\" }", "args  = { size = \"size + 1\" }");
    let said = refused(&other, |tables| unpack(tables, "grid", &call));
    assert!(said.contains("size") && said.contains("Cell"), "{said}");
    // One that the body does not name can be given as anything.
    let unnamed =
        other.replace("size", "sizes").replace("{sizes:>3}", "").replace("sizes * x - point.sizes", "x");
    let unnamed = unnamed.replace("// sizes", "// number").replace("{{sizes}}", "");
    edited(&unnamed, |tables| unpack(tables, "grid", &call)).unwrap();
}

#[test]
fn lines_of_a_body_in_rust_lead_to_it() {
    let plan = compile(PROGRAM, &FunctionTable::default()).plan.unwrap();
    let facts = Facts::of(&plan, PROGRAM, false);
    let first = PROGRAM.lines().position(|line| line.starts_with("// size")).unwrap() as u32 + 1;
    let third = Attribute { line: Some(3), ..Attribute::of("do") };
    assert_eq!(facts.unit_of_line(first + 2), Some(Target::of_node("grid", "Cell").with(third)));
    assert_eq!(facts.unit_of_line(first - 1), None);
    assert_eq!(facts.unit_of_line(first + 4), None, "where the text is closed");
}

#[test]
fn what_the_rust_compiler_says_is_shown_while_the_text_is_the_same() {
    let mut editor = Editor::of_text(Config::default(), PROGRAM);
    assert_eq!(editor.check_now().unwrap().list(), []);
    let at = PROGRAM.find("point.size").unwrap() as u32;
    let line = PROGRAM[..at as usize].lines().count() as u32;
    let location = Location { start: at, end: at + 5, line, column: 21 };
    let finding = Diagnostic::error("E0512", "cannot find value `point`".to_owned(), location, "");
    editor.add_problems(Arc::from(PROGRAM), vec![finding.clone()]);
    assert_eq!(editor.problem_counts(), [1, 0]);
    let third = Attribute { line: Some(3), ..Attribute::of("do") };
    assert_eq!(editor.problems().unwrap().list()[0].target, Target::of_node("grid", "Cell").with(third));
    // Told before the compiler beside is done, it is kept for its result; of another text it is not.
    let mut editor = Editor::of_text(Config::default(), PROGRAM);
    editor.add_problems(Arc::from(PROGRAM), vec![finding.clone()]);
    assert_eq!(editor.check_now().unwrap().list().len(), 1);
    editor.add_problems(Arc::from("hasse = 1"), vec![finding]);
    assert_eq!(editor.problem_counts(), [1, 0]);
}
