//! The editor's window.

mod models;
