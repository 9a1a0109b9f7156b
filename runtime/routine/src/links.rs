//! Links: routes, functions and tasks that a routine names by number.

use std::sync::Arc;

use crate::compute::{Library, Task};
use crate::native::Callee;
use crate::route::Route;

/// Targets of the numbers in a routine's operations.
pub(crate) struct Links {
    /// The ways of its paths.
    pub(crate) routes: Vec<Route>,
    /// The functions that are registered in Rust.
    pub(crate) natives: Vec<Callee>,
    /// What it does with objects as wholes.
    pub(crate) tasks: Vec<Task>,
    /// Functions of the library.
    pub(crate) library: Vec<Arc<Library>>,
}
