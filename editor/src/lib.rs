//! The editor: draws programs, runs and findings in one window.
//!
//! This crate reserves the editor's place in the workspace: it depends on every other crate and no
//! crate depends on it. It holds no code yet; programs are written as text and debugged from the
//! command line.
