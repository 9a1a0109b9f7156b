//! Imports among the modules of each crate. `workspace` finds the crates, `module` reads their module trees, and
//! `import` resolves their paths; each rule is a file of its own.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "imports/import.rs"]
mod import;
#[path = "imports/module.rs"]
mod module;
#[path = "imports/resolver.rs"]
mod resolver;
#[path = "imports/workspace.rs"]
mod workspace;

// The rules.
#[path = "imports/crates.rs"]
mod crates;
#[path = "imports/cycles.rs"]
mod cycles;
#[path = "imports/layers.rs"]
mod layers;
