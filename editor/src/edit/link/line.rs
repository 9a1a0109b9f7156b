//! The lists of lines, and the ends of a line.

use hasse_compiler::{EndOutline, link_ends};

/// Which of a graph's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkList {
    /// `arcs`
    Arcs,
    /// `share`
    Shares,
}

impl LinkList {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Arcs, Self::Shares];

    /// Its key in the file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Arcs => "arcs",
            Self::Shares => "share",
        }
    }
}

/// Which ends of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum End {
    Source,
    Target,
    Both,
}

impl End {
    /// The line with other names for ends, as `rename_ends` has them.
    pub(in super::super) fn renamed(
        self,
        line: &str,
        part: Part,
        renamed: &impl Fn(&str, &str) -> Option<String>,
    ) -> String {
        let mut text = line.to_owned();
        // From behind, so that places before stay what they are.
        for end in self.of(line).into_iter().rev() {
            if let Some(name) = renamed(&end.node, &end.port) {
                let range = if part == Part::Node { end.node_range } else { end.port_range };
                text.replace_range(range, &name);
            }
        }
        text
    }

    /// These ends of a line; none of what cannot be read.
    pub(in super::super) fn of(self, line: &str) -> Vec<EndOutline> {
        let Some((source, target)) = link_ends(line) else { return Vec::new() };
        match self {
            Self::Source => vec![source],
            Self::Target => vec![target],
            Self::Both => vec![source, target],
        }
    }
}

/// A part of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Part {
    Node,
    Port,
}
