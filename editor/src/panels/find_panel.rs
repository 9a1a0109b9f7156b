//! Finding in the program, and renaming what was found where it is a name.

use std::ops::Range;

use crate::edit::{EditError, graph, name, node, port};
use crate::find::{Found, find};
use crate::panels::program::Program;
use crate::places::Places;
use crate::target::{Part, Target};

/// How many hits are listed.
pub const MOST: usize = 5000;

/// Where is searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The whole program.
    #[default]
    Program,
    /// A graph.
    Graph(String),
    /// A node of a graph.
    Node(String, String),
}

impl Scope {
    fn holds(&self, target: &Target) -> bool {
        match self {
            Self::Program => true,
            Self::Graph(graph) => target.graph == *graph,
            Self::Node(graph, node) => target.graph == *graph && target.node() == Some(node),
        }
    }
}

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The text.
    pub text: String,
    /// Whether capitals and small letters differ.
    pub is_case_sensitive: bool,
    /// Whether it has to be a word by itself.
    pub is_whole_word: bool,
    /// Where.
    pub scope: Scope,
}

/// Something found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindRow {
    /// Where, in words: `bts.Mult do line 7`.
    pub place: String,
    /// Where.
    pub target: Target,
    /// Its line in the file, from 1.
    pub line: u32,
    /// The line that it stands in.
    pub excerpt: String,
    /// Where in the excerpt, in bytes.
    pub range: Range<usize>,
    /// Whether it is the name of something that can be renamed with all that refers to it.
    pub is_name: bool,
}

/// What was found in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindGroup {
    /// The graph; empty for what stands in none.
    pub graph: String,
    /// Position of its first row among all rows.
    pub first: usize,
    /// How many rows it has.
    pub n_rows: usize,
}

/// The state of the panel.
#[derive(Clone, Debug, Default)]
pub struct FindPanel {
    query: Query,
    rows: Vec<FindRow>,
    groups: Vec<FindGroup>,
    n_found: usize,
    selected: Option<usize>,
    /// The text that was searched.
    searched: String,
    version: u64,
}

impl FindPanel {
    /// A panel with nothing searched for.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is searched for.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// What was found, by graph in the order in which they have something, then in the order of the file; [`MOST`] at
    /// most.
    pub fn rows(&self) -> &[FindRow] {
        &self.rows
    }

    /// The graphs that have something.
    pub fn groups(&self) -> &[FindGroup] {
        &self.groups
    }

    /// How much was found, also where not all of it is listed.
    pub fn n_found(&self) -> usize {
        self.n_found
    }

    /// Position of the selected row.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Searches for something else. Cost: as for [`find`].
    pub fn set_query(&mut self, document: &impl Program, query: Query) {
        if self.query != query {
            self.query = query;
            self.selected = None;
            self.search(document);
        }
    }

    /// Searches again where the program has changed; what is selected stays so where it is still there.
    pub fn refresh(&mut self, document: &impl Program) -> bool {
        if self.searched == document.text() {
            return false;
        }
        let old = self.selected.and_then(|selected| self.rows.get(selected)).cloned();
        self.search(document);
        let is_same = |row: &FindRow| old.as_ref().is_some_and(|old| row.target == old.target);
        let is_equal = |row: &FindRow| is_same(row) && old.as_ref().is_some_and(|old| row.range == old.range);
        let rows = &self.rows;
        self.selected = rows.iter().position(is_equal).or_else(|| rows.iter().position(is_same));
        true
    }

    fn search(&mut self, document: &impl Program) {
        document.text().clone_into(&mut self.searched);
        let places = Places::of(document.text());
        let mut found = find(&places, &self.query.text, self.query.is_case_sensitive);
        found.retain(|found| self.query.scope.holds(&found.target));
        if self.query.is_whole_word {
            found.retain(|found| is_word(&found.excerpt, &found.range));
        }
        self.n_found = found.len();
        found.truncate(MOST);
        let mut graphs: Vec<&String> = Vec::new();
        for found in &found {
            if !graphs.contains(&&found.target.graph) {
                graphs.push(&found.target.graph);
            }
        }
        (self.rows, self.groups) = (Vec::new(), Vec::new());
        for graph in graphs {
            let first = self.rows.len();
            self.rows.extend(found.iter().filter(|found| found.target.graph == *graph).map(row));
            self.groups.push(FindGroup { graph: graph.clone(), first, n_rows: self.rows.len() - first });
        }
        self.version += 1;
    }

    /// Selects a row, as a click does; gives where to go.
    pub fn select(&mut self, row: usize) -> Option<Target> {
        self.selected = (row < self.rows.len()).then_some(row);
        self.version += 1;
        self.rows.get(row).map(|row| row.target.clone())
    }

    /// Selects the next row, or the one before; around the ends. Gives where to go.
    pub fn next(&mut self, is_forward: bool) -> Option<Target> {
        self.select(super::next_row(self.selected, is_forward, self.rows.len())?)
    }

    /// Gives the name that the selected row is another one, with all that refers to it; as one step. Tells whether the
    /// program has changed.
    ///
    /// # Errors
    /// The row is no name, or what the renaming gives: the name is taken, or cannot be one.
    pub fn rename(&mut self, document: &mut impl Program, new: &str) -> Result<bool, RenameError> {
        let row = self.selected.and_then(|selected| self.rows.get(selected)).filter(|row| row.is_name);
        let row = row.ok_or(RenameError::NotAName)?.clone();
        self.refresh(document);
        let done = document.edit("rename", |tables| {
            let target = &row.target;
            let attribute = target.attribute.as_ref();
            let entry = attribute.and_then(|attribute| attribute.entry.as_deref()).unwrap_or_default();
            match (&target.part, attribute.map(|attribute| attribute.key.as_str())) {
                (Part::Graph, None) => graph::rename(tables, &target.graph, new),
                (Part::Node(held), None) => node::rename(tables, &target.graph, held, new),
                (Part::Graph, Some("params")) => name::rename_param(tables, &target.graph, entry, new),
                (Part::Node(held), Some("vars")) => name::rename_var(tables, &target.graph, held, entry, new),
                (Part::Node(held), Some("shared")) => {
                    name::rename_shared(tables, &target.graph, held, entry, new)
                }
                (Part::Node(held), Some(key)) => {
                    let side = port::Side::ALL.into_iter().find(|side| side.key() == key);
                    let declared = declared(&row.excerpt, new);
                    let side = side.unwrap_or(port::Side::Input);
                    port::rename(tables, &target.graph, held, side, entry, &declared)
                }
                _ => Ok(()),
            }
        })?;
        self.refresh(document);
        Ok(done)
    }
}

/// Why nothing was renamed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// What is selected is no name that others follow.
    #[error("this is no name of a graph, node, port, parameter or variable")]
    NotAName,
    /// The renaming was refused.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The new name of a port with the brackets that the old one has.
fn declared(old: &str, new: &str) -> String {
    match old.split_once('[') {
        Some((_, index)) if !new.contains('[') => format!("{new}[{index}"),
        _ => new.to_owned(),
    }
}

fn row(found: &Found) -> FindRow {
    let target = found.target.clone();
    let place =
        if target.part == Part::Program { format!("line {}", found.at.line) } else { target.to_string() };
    FindRow {
        place,
        is_name: is_name(&target, &found.excerpt),
        line: found.at.line,
        excerpt: found.excerpt.clone(),
        range: found.range.clone(),
        target,
    }
}

/// Whether what was found is the declared name of a target; a value below the same target is not.
fn is_name(target: &Target, excerpt: &str) -> bool {
    let bare = excerpt.split('[').next().unwrap_or_default().trim();
    let attribute = target.attribute.as_ref();
    let entry = attribute.and_then(|attribute| attribute.entry.as_deref());
    match (&target.part, attribute.map(|attribute| attribute.key.as_str())) {
        (Part::Graph, None) => excerpt == target.graph,
        (Part::Node(node), None) => node.split_once('.').map_or(node.as_str(), |(_, port)| port) == bare,
        (Part::Graph, Some("params")) | (Part::Node(_), Some("in" | "out" | "shared" | "vars")) => {
            entry == Some(bare)
        }
        _ => false,
    }
}

/// Whether what stands around a range is no part of a word.
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let is_part = hasse_model::name::is_of_name;
    !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part)
}
