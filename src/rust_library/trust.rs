//! Trust: bodies in Rust run without a sandbox, so that a person allows each text once before it is loaded.
//!
//! The list holds the hashes of the texts, one a line, in the user's cache.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::cache::folder;
use super::fault::RustFault;
use crate::generate::bodies::Bodies;
use crate::message;

/// Environment variable that allows all bodies in Rust: for machines that run nothing but their owner's programs.
const VARIABLE: &str = "HASSE_TRUST";

/// Makes sure that the bodies may run: this user has run them before, `is_granted` says so, or a person at the terminal
/// does.
pub(super) fn require(bodies: &Bodies<'_>, program: &Path, is_granted: bool) -> Result<(), RustFault> {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "all") {
        return Ok(());
    }
    let path = folder()?.join("trusted");
    let known = fs::read_to_string(&path).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().collect();
    let mut new: BTreeSet<String> = BTreeSet::new();
    let mut labels = Vec::new();
    for body in bodies.iter() {
        let hash = blake3::hash(body.text.text.as_bytes()).to_hex().to_string();
        if !known.contains(hash.as_str()) {
            new.insert(hash);
            labels.push(format!("`{}`", body.label));
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    if !is_granted && !is_allowed_at_terminal(program, &labels) {
        return Err(RustFault::Untrusted { program: program.to_owned(), bodies: listing(&labels) });
    }
    note(&path, &new).map_err(|source| RustFault::Write { path, source })
}

/// Asks the person at the terminal; without one, nobody allows anything.
fn is_allowed_at_terminal(program: &Path, labels: &[String]) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    message::print(&format!(
        "{} has bodies in Rust that you have not run before: {}\n\
         They can do whatever you can do. Read them first if the program is not yours.\nRun them? [y/N] ",
        program.display(),
        listing(labels)
    ));
    let mut answer = String::new();
    let has_answer = io::stdin().read_line(&mut answer).is_ok();
    has_answer && matches!(answer.trim(), "y" | "Y" | "yes" | "Yes")
}

/// Appends to the list, each line in one write, so that two processes do not mix theirs.
fn note(path: &PathBuf, hashes: &BTreeSet<String>) -> io::Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    hashes.iter().try_for_each(|hash| file.write_all(format!("{hash}\n").as_bytes()))
}

/// The first names of a list.
fn listing(labels: &[String]) -> String {
    const MAX_NAMES: usize = 8;
    let mut listing = labels.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if labels.len() > MAX_NAMES {
        listing.push_str(&format!(" and {} more", labels.len() - MAX_NAMES));
    }
    listing
}
