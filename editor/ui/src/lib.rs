//! How the editor's window looks: what the toolkit makes of `description/*.slint`.
//!
//! Structs and globals of the description are Rust types here, and [`EditorWindow`] is the window. The package holds
//! generated code, and [`Mirror`], whose list of properties is generated, so that it is compiled anew only when the description
//! changes.
#![allow(missing_docs, unreachable_pub, clippy::all)]

slint::include_modules!();

mod mirror;

pub use mirror::Mirror;
