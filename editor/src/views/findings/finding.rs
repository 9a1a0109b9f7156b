//! What a check has found, with its evidence.

use std::collections::BTreeSet;

use crate::target::Target;
use crate::views::record::arrays::Record;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// It is not as expected, or there are races.
    Violated,
    /// It cannot be said.
    Unknown,
    /// It is as expected.
    Holds,
}

/// A line that supports a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// What is said.
    pub text: String,
    /// Events that it names, by position in the record.
    pub events: Vec<u32>,
    /// What it names in the program.
    pub targets: Vec<Target>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Position of the query.
    pub query: usize,
    /// What became of it.
    pub status: Status,
    /// One line.
    pub title: String,
    /// What supports it, in causal order.
    pub evidence: Vec<Evidence>,
    /// All of it in words, as the command line has it.
    pub text: String,
    /// Whether it is about races.
    pub is_race: bool,
}

impl Finding {
    /// All events that it names.
    pub fn events(&self) -> BTreeSet<u32> {
        self.evidence.iter().flat_map(|evidence| evidence.events.iter().copied()).collect()
    }

    /// All that it names in the program, each once.
    pub fn targets(&self) -> BTreeSet<&Target> {
        self.evidence.iter().flat_map(|evidence| &evidence.targets).collect()
    }

    /// What cannot be said of a query, and why.
    pub(in super::super) fn unknown(query: usize, title: String, text: String) -> Self {
        let evidence = vec![Evidence { text: text.clone(), ..Evidence::default() }];
        Self { query, status: Status::Unknown, title, evidence, text, is_race: false }
    }
}

/// Names and lines of a record and its program.
pub(super) struct World<'w> {
    pub(super) record: &'w Record,
    pub(super) instances: rustc_hash::FxHashMap<String, u32>,
    pub(super) program_path: &'w str,
}

impl World<'_> {
    pub(super) fn event(&self, path: &str) -> Option<u32> {
        self.record.event_named(&self.instances, path)
    }

    /// The node of an event.
    fn node(&self, event: u32) -> Option<Target> {
        let template = self.record.template_of(event);
        let node = self.record.program().templates().get(template as usize)?;
        Some(Target::of_node(&node.graph, &node.node))
    }

    pub(super) fn line(&self, line: u32) -> Option<Target> {
        self.record.program().target_of_line(line)
    }

    pub(super) fn evidence(&self, text: String, paths: &[&str]) -> Evidence {
        let mut events: Vec<u32> = paths.iter().filter_map(|path| self.event(path)).collect();
        events.dedup();
        let mut targets: Vec<Target> = events.iter().filter_map(|&event| self.node(event)).collect();
        targets.dedup();
        Evidence { text, events, targets }
    }
}
