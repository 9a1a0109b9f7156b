//! What is kept of the form of another program.

use std::path::PathBuf;

use crate::run::form::Typed;
use crate::run::options::Options;

/// The options of a program that is not the subject now.
#[derive(Clone, Debug)]
pub(in super::super) struct Kept {
    pub(in super::super) path: Option<PathBuf>,
    pub(in super::super) options: Options,
    pub(in super::super) typed: Typed,
    /// True if breakpoints were set in it.
    pub(in super::super) has_breakpoints: bool,
}
