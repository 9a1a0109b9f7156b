//! Pages as text and fenced blocks.

use std::fs;
use std::path::{Path, PathBuf};

use super::docs;

/// A part of a page.
pub(crate) enum Part {
    /// A line outside of blocks.
    Line(String),
    /// A fenced block.
    Block(Block),
}

/// A fenced block.
pub(crate) struct Block {
    /// The words of its info string.
    pub(crate) words: Vec<String>,
    /// What stands between the fences, each line with its end.
    pub(crate) text: String,
    /// Line of the opening fence, from 1.
    pub(crate) line: usize,
}

impl Block {
    /// Whether the info string begins with these words.
    pub(crate) fn is(&self, words: &str) -> bool {
        let words: Vec<_> = words.split(' ').collect();
        self.words.len() >= words.len() && self.words.iter().zip(words).all(|(own, word)| own == word)
    }

    /// A word behind the first one.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().skip(1).any(|own| own == word)
    }
}

/// The chapters that are tested: those of the language and the tools, in a stable order.
pub(crate) fn chapters() -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(docs().join("language")).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let pages = [
        "tools.md",
        "session.md",
        "moments.md",
        "forks.md",
        "tutorials/editor.md",
        "tutorials/solver.md",
        "tutorials/philosophers.md",
        "tutorials/lost-update.md",
        "tutorials/back-lost-update.md",
        "tutorials/back-solver.md",
        "tutorials/back-philosophers.md",
        "breakpoints.md",
        "checking.md",
        "models.md",
        "races.md",
        "performance-report.md",
        "isolation.md",
        "minimal.md",
        "exports.md",
        "compiled.md",
    ];
    paths.extend(pages.map(|page| docs().join(page)));
    paths
}

/// Reads a page.
pub(crate) fn read(path: &Path) -> Vec<Part> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut parts = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            parts.push(Part::Line(line.to_owned()));
            continue;
        };
        let words = info.split_whitespace().map(str::to_owned).collect();
        let inside: String = lines
            .by_ref()
            .take_while(|(line, _)| *line != "```")
            .map(|(line, _)| format!("{line}\n"))
            .collect();
        parts.push(Part::Block(Block { words, text: inside, line: number }));
    }
    parts
}

/// The whole programs of all chapters.
pub(crate) fn programs() -> Vec<String> {
    let parts = chapters().into_iter().flat_map(|path| read(&path));
    let programs = parts.filter_map(|part| match part {
        Part::Block(block) if block.is("toml run") => Some(block.text),
        _ => None,
    });
    programs.collect()
}

/// A page as text again.
pub(crate) fn write(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Line(line) => text += &format!("{line}\n"),
            Part::Block(block) => text += &format!("```{}\n{}```\n", block.words.join(" "), block.text),
        }
    }
    text
}
