//! The book in `docs/`: its programs run and print what it shows, it covers the whole language, and it renders
//! without broken links.
//!
//! A fenced block says in the words behind its language what a test does with it:
//!
//! | info string | what is tested |
//! |---|---|
//! | `toml run` | a whole program: canonical, checked without a finding, and run by a `console` block below it |
//! | `toml run W0309` | the same, with this warning |
//! | `toml error E0104` | a whole program for which the compiler reports the code, and no other one |
//! | `toml fragment`, `rhai fragment` | lines of a whole program of the page; `fragment bank`: of the example |
//! | `text file NAME` | a file that the commands below read |
//! | `console` | commands behind `$ ` with what they print; `hasse run` with 1 and with 2 workers |
//! | `console fails` | the same; they end with exit code 1 or 2 |
//! | `text session` | the next commands of the session that a `console` block above has run with `--echo`, and what they print |
//! | `text breakpoints bts` | behind `> ` commands that set breakpoints of the example, with how they are listed |
//! | `text names`, `text expressions` | names with their values; behind `> ` expressions over them, with their values |
//! | `console any-order` | the same; lines may come in another order |
//!
//! In a `console` block `...` stands for anything. `HASSE_BLESS=1 cargo test --test book` puts in what
//! commands print now.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// Breakpoints and expressions.
mod breakpoints;
/// What the programs of the book have to show.
mod coverage;
/// Pages as blocks.
mod page;
/// The book as HTML.
mod render;
/// A folder to work in and the binary to run there.
#[path = "../cli/support.rs"]
#[allow(dead_code, reason = "shared with the tests of the command line")]
mod support;
/// Blocks put to the test.
mod trial;

use std::path::PathBuf;

/// The folder of the book.
fn docs() -> PathBuf {
    support::repository().join("docs")
}

/// Whether pages are to be brought up to date.
fn blesses() -> bool {
    std::env::var_os("HASSE_BLESS").is_some()
}

#[test]
fn every_block_shows_what_is_true() {
    let mut complaints = String::new();
    for path in page::chapters() {
        trial::try_page(&path, &mut complaints);
    }
    assert!(complaints.is_empty(), "{complaints}");
}
