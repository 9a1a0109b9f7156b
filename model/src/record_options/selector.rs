//! Selectors: `Mult`, `DoBTS.Mult[2..5]`, `/dobts[*]/Mult[3]`, `/dobts[2]/*`, `/`.
//!
//! A selector without a slash names nodes, wherever their graph is instantiated; one with a slash in front is a
//! path from the main graph. `*` stands for any node or any index number, `low..high` for the numbers from
//! `low` on below `high`; without an index all instances are meant.

use crate::key;
use crate::name::is_of_name;
use crate::quantity::counted;
use std::fmt;
use std::str::FromStr;

/// Names instances of nodes. Displays as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    text: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `/`
    Root,
    /// `Mult`, `DoBTS.Mult`: the graph with its column.
    Anywhere { graph: Option<(String, usize)>, node: Node },
    /// `/dobts[2]/Mult`: at least one node.
    Path(Vec<Node>),
}

/// One step of a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// `None` for `*`.
    pub(super) name: Option<String>,
    /// `None` for all indices.
    pub(super) index: Option<Vec<Side>>,
    pub(super) column: usize,
}

/// What one number of an index may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Any,
    One(i64),
    /// From the first on below the second.
    Range(i64, i64),
}

impl Side {
    pub(super) fn takes(self, number: i64) -> bool {
        match self {
            Side::Any => true,
            Side::One(wanted) => number == wanted,
            Side::Range(low, high) => low <= number && number < high,
        }
    }
}

/// Why a selector cannot be used. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// It is not readable.
    #[error("`{text}`, column {column}: {problem}")]
    Syntax {
        /// The selector.
        text: String,
        /// Where reading ended.
        column: usize,
        /// What is wrong there.
        problem: &'static str,
        /// What to write instead.
        hint: &'static str,
    },
    /// It names what the program does not have.
    #[error("`{text}`, column {column}: {place} has no {what} `{name}`")]
    Unknown {
        /// The selector.
        text: String,
        /// Where the name begins.
        column: usize,
        /// Where it was looked up.
        place: String,
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Its index has another number of numbers than the node's.
    #[error("`{text}`, column {column}: an index of `{name}` has {}, not {found}", counted(*expected, "number"))]
    Arity {
        /// The selector.
        text: String,
        /// Where the node's name begins.
        column: usize,
        /// The node.
        name: String,
        /// How many numbers an index of it has.
        expected: usize,
        /// How many are given.
        found: usize,
    },
}

impl SelectorError {
    /// Where in the selector, in characters from 1.
    pub fn column(&self) -> usize {
        match self {
            SelectorError::Syntax { column, .. }
            | SelectorError::Unknown { column, .. }
            | SelectorError::Arity { column, .. } => *column,
        }
    }

    /// What there is instead of an unknown name, for suggestions; the name first.
    pub fn unknown(&self) -> Option<(&str, &[String])> {
        match self {
            SelectorError::Unknown { name, known, .. } => Some((name, known)),
            SelectorError::Syntax { .. } | SelectorError::Arity { .. } => None,
        }
    }

    /// What to do about it, as far as that does not depend on names.
    pub fn hint(&self) -> Option<String> {
        match self {
            SelectorError::Syntax { hint, .. } => Some((*hint).to_owned()),
            SelectorError::Unknown { .. } => None,
            SelectorError::Arity { name, expected: 0, .. } => {
                Some(format!("`{name}` has no index: leave the brackets out"))
            }
            SelectorError::Arity { name, expected, .. } => {
                let any = vec!["*"; *expected].join(", ");
                Some(format!("write `{name}` or `{name}[{any}]` for all of its instances"))
            }
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const SELECTORS: &str = "a selector is such as `Mult`, `Graph.Mult`, `Mult[3]`, `Mult[2..5]`, `Mult[*, 1]`, `/call[2]/Mult`, \
     `/call[2]/*` or `/`";

impl FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let mut reader = Reader { text, letters: text.chars().collect(), place: 0 };
        let kind = reader.selector()?;
        Ok(Self { text: text.to_owned(), kind })
    }
}

struct Reader<'t> {
    text: &'t str,
    letters: Vec<char>,
    place: usize,
}

impl Reader<'_> {
    fn selector(&mut self) -> Result<Kind, SelectorError> {
        self.skip_spaces();
        let kind = if self.takes('/') {
            self.skip_spaces();
            if self.is_at_end() {
                return Ok(Kind::Root);
            }
            let mut nodes = vec![self.node()?];
            while self.takes('/') {
                nodes.push(self.node()?);
            }
            Kind::Path(nodes)
        } else {
            let mut node = self.node()?;
            let mut graph = None;
            if node.index.is_none() && self.takes('.') {
                let Some(name) = node.name else {
                    return self.fault("`*` stands for a node, not for a graph", SELECTORS);
                };
                graph = Some((name, node.column));
                node = self.node()?;
            }
            Kind::Anywhere { graph, node }
        };
        self.skip_spaces();
        match self.letters.get(self.place) {
            None => Ok(kind),
            Some('/') => {
                let hint = "a path begins at the main graph: put a `/` in front";
                self.fault("a path goes on behind a name without a slash", hint)
            }
            Some(_) => self.fault("the selector goes on after its end", SELECTORS),
        }
    }

    fn node(&mut self) -> Result<Node, SelectorError> {
        let column = self.place + 1;
        let name = if self.takes('*') {
            None
        } else {
            let name: String = self.letters[self.place..].iter().take_while(|&&c| is_of_name(c)).collect();
            if name.is_empty() {
                return self.fault("the name of a node or `*` is missing", SELECTORS);
            }
            self.place += name.chars().count();
            Some(name)
        };
        let mut index: Option<Vec<Side>> = None;
        while self.takes('[') {
            let sides = index.get_or_insert_default();
            loop {
                self.skip_spaces();
                sides.push(self.side()?);
                self.skip_spaces();
                if self.takes(']') {
                    break;
                }
                if !self.takes(',') {
                    return self
                        .fault("`,` or `]` is missing", "an index is such as `[3]`, `[2..5]` or `[*, 1]`");
                }
            }
        }
        Ok(Node { name, index, column })
    }

    fn side(&mut self) -> Result<Side, SelectorError> {
        if self.takes('*') {
            return Ok(Side::Any);
        }
        let low = self.number()?;
        if !(self.takes('.') && self.takes('.')) {
            return Ok(Side::One(low));
        }
        let high = self.number()?;
        if high <= low {
            let hint = "`2..5` stands for 2, 3 and 4";
            return self.fault("the range holds no number", hint);
        }
        Ok(Side::Range(low, high))
    }

    fn number(&mut self) -> Result<i64, SelectorError> {
        let start = self.place;
        if self.takes('"') {
            let n_inner = self.letters[self.place..].iter().position(|letter| *letter == '"');
            self.place = n_inner.map_or(self.letters.len(), |n_inner| self.place + n_inner + 1);
        }
        let _ = self.takes('-');
        while self.letters.get(self.place).is_some_and(char::is_ascii_digit) {
            self.place += 1;
        }
        let digits: String = self.letters[start..self.place].iter().collect();
        key::parse(&digits).map_or_else(
            || {
                self.place = start;
                self.fault("an index number is missing", "an index is such as `[3]`, `[2..5]` or `[*, 1]`")
            },
            Ok,
        )
    }

    fn fault<T>(&self, problem: &'static str, hint: &'static str) -> Result<T, SelectorError> {
        Err(SelectorError::Syntax { text: self.text.to_owned(), column: self.place + 1, problem, hint })
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.letters.get(self.place) == Some(&wanted);
        self.place += usize::from(is_next);
        is_next
    }

    fn skip_spaces(&mut self) {
        while self.letters.get(self.place) == Some(&' ') {
            self.place += 1;
        }
    }

    fn is_at_end(&self) -> bool {
        self.place == self.letters.len()
    }
}
