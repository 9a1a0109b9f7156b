//! The editor's window.
