//! The run panel on a host that does nothing but what the test says.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod run {
    mod console;
    mod fake;
    mod lines;
    mod marks;
    mod moments;
    mod options;
    mod panel;
    mod points;
    mod table;
}
