//! Imports of small crates.

use std::path::Path;

use crate::cycles::{cycles, describe};
use crate::import::Imports;
use crate::module::Tree;

/// Returns the imports of a crate of these files, of which the first one is the root.
fn imports(files: &[(&str, &str)]) -> Imports {
    let read = |file: &Path| {
        files.iter().find(|(name, _)| Path::new(name) == file).map(|(_, text)| (*text).to_owned())
    };
    Imports::of(&Tree::read("own", Path::new(files[0].0), &read))
}

/// Returns the imports as lines `a -> b`.
fn lines(files: &[(&str, &str)]) -> Vec<String> {
    let imports = imports(files);
    imports
        .edges
        .keys()
        .map(|&(from, to)| format!("{} -> {}", imports.names[from], imports.names[to]))
        .collect()
}

/// Returns the imports of the module `a`, which has a child `below` and siblings `b` and `b::c`.
fn of_a(text: &str) -> Vec<String> {
    let text = format!("mod below; {text}");
    let files = [
        ("lib.rs", "mod a; mod b; pub use b::c::Deep; fn root() {}"),
        ("a.rs", &text),
        ("a/below.rs", ""),
        ("b.rs", "pub mod c;"),
        ("b/c.rs", "pub struct Deep;"),
    ];
    let prefix = "a -> ";
    lines(&files).iter().filter_map(|line| line.strip_prefix(prefix)).map(str::to_owned).collect()
}

#[test]
fn a_declaration_alone_is_no_import() {
    assert!(of_a("").is_empty());
}

#[test]
fn nested_trees_are_spread() {
    assert_eq!(
        of_a("use crate::{b::{c::{self, Deep}, Other}, a::below::{X as Y}};"),
        ["below", "b", "b::c"].map(name)
    );
}

fn name(text: &str) -> String {
    if text == "below" { "a::below".to_owned() } else { text.to_owned() }
}

#[test]
fn globs_import_the_module_before_the_star() {
    assert_eq!(of_a("use crate::b::*;"), ["b"]);
    assert_eq!(of_a("use super::*;"), ["crate"]);
    assert_eq!(of_a("use below::*;"), ["a::below"]);
}

#[test]
fn paths_in_code_are_imports() {
    assert_eq!(of_a("fn f() { crate::b::c::g(); }"), ["b::c"]);
    assert_eq!(of_a("fn f(x: super::b::X) {}"), ["b"]);
    assert_eq!(of_a("fn f() { self::below::g(); }"), ["a::below"]);
    assert_eq!(of_a("fn f() { below::g(); }"), ["a::below"]);
    assert_eq!(of_a("fn f() { own::b::g(); }"), ["b"]);
    assert_eq!(of_a("impl From<crate::b::X> for Y {}"), ["b"]);
    assert_eq!(of_a("fn f() { std::b::g(); b::g(); }"), Vec::<String>::new());
}

#[test]
fn paths_in_macros_and_attributes_are_imports() {
    assert_eq!(of_a("fn f() { assert!(x == crate::b::c::D, \"{}\", [super::b::g()]); }"), ["b", "b::c"]);
    assert_eq!(of_a("#[serde(with = \"crate::b\")] struct X;"), ["b"]);
    assert_eq!(of_a("fn f() { println!(\"crate::b::c\", x: y); }"), Vec::<String>::new());
}

#[test]
fn imported_modules_lead_on() {
    assert_eq!(of_a("use crate::b; fn f() { b::c::g(); }"), ["b", "b::c"]);
    assert_eq!(of_a("use crate::b as other; use other::c::Deep;"), ["b", "b::c"]);
}

#[test]
fn visibility_is_no_import() {
    assert!(of_a("pub(crate) struct X; pub(super) struct Y; pub(in crate::b) struct Z;").is_empty());
}

#[test]
fn code_for_tests_does_not_count() {
    assert!(of_a("#[cfg(test)] use crate::b; #[cfg(test)] mod tests;").is_empty());
    assert!(
        of_a("#[cfg(all(test, unix))] fn f() { crate::b::g(); } #[test] fn g() { crate::b::g(); }")
            .is_empty()
    );
    assert!(of_a("struct S; impl S { #[cfg(test)] fn f() { crate::b::g(); } }").is_empty());
    assert_eq!(of_a("#[cfg(not(test))] use crate::b;"), ["b"]);
}

#[test]
fn blocks_are_part_of_their_file() {
    assert_eq!(of_a("mod block { use super::super::b; use super::below::X; }"), ["a::below", "b"]);
    assert!(of_a("mod block { use super::X; } use block::Y;").is_empty());
}

/// The root is the interface: its exports are followed. Others are not: who goes through a parent imports it.
#[test]
fn exports_of_the_root_alone_are_followed() {
    assert_eq!(of_a("use crate::Deep;"), ["b::c"]);
    assert_eq!(of_a("use crate::root;"), ["crate"]);
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::c::Deep;"),
        ("a.rs", "use crate::b::Deep;"),
        ("b.rs", "mod c; pub use c::Deep;"),
        ("b/c.rs", "pub struct Deep;"),
    ];
    assert_eq!(lines(&files), ["a -> b", "b -> b::c"]);
}

#[test]
fn folders_of_path_attributes_are_found() {
    let files = [
        ("src/lib.rs", "#[path = \"other\"] mod block { pub mod x; pub mod y; }"),
        ("src/other/x.rs", "use super::y::Y;"),
        ("src/other/y.rs", "mod z;"),
        ("src/other/y/z.rs", "use crate::block::x::X;"),
    ];
    assert_eq!(lines(&files), ["block::x -> block::y", "block::y::z -> block::x"]);
}

#[test]
fn a_cycle_of_three_is_found_with_the_import_that_closes_it() {
    let files = [
        ("src/lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("src/a.rs", "use crate::b::{X, Y};\nuse crate::d;"),
        ("src/b.rs", "use crate::c::{X, Y};"),
        ("src/c.rs", "\nfn f() { crate::a::g() }"),
        ("src/d.rs", "use crate::e::E;"),
        ("src/e.rs", "use crate::d::D;"),
    ];
    let imports = imports(&files);
    let cycles = cycles(&imports);
    assert_eq!(cycles.len(), 1, "cycles of two are allowed");
    let expected = "3 modules import each other: a, b, c\n  \
         without the import of a by c there would be no cycle:\n    \
         src/c.rs:2: crate::a::g\n";
    assert_eq!(describe(&imports, &cycles[0]), expected);
}
