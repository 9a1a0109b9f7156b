//! A program to begin with, and its files.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::edit::graph;
use crate::gallery::{Example, Template};

/// A program to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Name of the file that the save dialog suggests, without extension.
    pub name: String,
    /// Program text.
    pub text: String,
    /// Files that the program reads, by their paths beside it.
    pub files: &'static [(&'static str, &'static [u8])],
}

impl From<&Template> for Draft {
    fn from(template: &Template) -> Self {
        let is_program = template.text.contains("[graph.");
        let text = if is_program { template.text.to_owned() } else { graph::new_program("main") };
        Self { name: template.name.to_owned(), text, files: &[] }
    }
}

impl From<&Example> for Draft {
    fn from(example: &Example) -> Self {
        Self { name: example.name.to_owned(), text: example.text.to_owned(), files: example.files }
    }
}

/// A draft that is open and was never saved.
pub(in super::super) struct OpenDraft {
    name: String,
    files: &'static [(&'static str, &'static [u8])],
    /// A folder with the files, so that the program can be run before it is saved. Removed with the draft.
    folder: Option<TempDir>,
}

impl OpenDraft {
    pub(in super::super) fn new(draft: &Draft) -> Self {
        // A run that does not find its files says so: a full disk is no reason not to open the program.
        let folder = (!draft.files.is_empty())
            .then(|| tempfile::Builder::new().prefix("hasse-").tempdir().ok())
            .flatten()
            .filter(|folder| put_files(draft.files, folder.path()).is_ok());
        Self { name: draft.name.clone(), files: draft.files, folder }
    }

    /// The name of its file.
    pub(in super::super) fn file_name(&self) -> String {
        format!("{}.hasse", self.name)
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.path().join(self.file_name()))
    }

    /// Puts the files beside the program that was saved; those that are there stay.
    pub(in super::super) fn put_beside(&self, program: &Path) -> std::io::Result<()> {
        put_files(self.files, program.parent().unwrap_or(Path::new("")))
    }
}

fn put_files(held: &[(&str, &[u8])], folder: &Path) -> std::io::Result<()> {
    for (name, bytes) in held {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if !path.exists() {
            std::fs::write(path, bytes)?;
        }
    }
    Ok(())
}
