//! Bodies of nodes that a program says in Rust: compiled to a library, loaded, and called for executions.
//!
//! In goes the library's file, and for each execution a [`BodyContext`](hasse_runtime::natives::BodyContext); out comes how
//! the body ended. The library is one file of Rust that knows `std` alone: [`guest_source`] is the text of its module
//! `hasse`, which looks to bodies as the crate `hasse` does and asks the host for each value through C (`guest/abi`). Host
//! and library share no allocator, no type and no panic: values are copied, errors are numbers and texts.
//!
//! This package does not know where the text of bodies comes from, nor how it is compiled. Begin reading at [`Library`],
//! then `host` and `guest/context`, which are the two ends of each call.

/// What a library has in place of the crate `hasse`. Its macros name it as `crate::hasse`, where it stands in a library,
/// too; the parts that both ends use are used from here.
#[path = "guest"]
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    unreachable_pub,
    missing_docs,
    reason = "the text stands in crates of other rules"
)]
mod hasse {
    pub mod abi;
    mod context;
    mod convert;
    pub mod cross;
    mod entry;
    mod facade;
    pub mod structs;
    mod value;
    pub mod wire;

    pub use facade::*;
}

/// What a body asks for, answered.
mod host;
/// Libraries of bodies.
mod library;
/// The text of the module.
mod source;

pub use host::CallError;
pub use library::{Library, OpenError};
pub use source::guest_source;

#[cfg(test)]
mod tests;
