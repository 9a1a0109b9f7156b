//! Arcs and share lines as ways between ends, and joining two of them to one.
//!
//! A way has a side that matches index numbers and a side that computes them: in arcs the source and the target, in share
//! lines the user and the object. Two ways are joined by giving the variables of the second what the first computes.

use std::collections::{BTreeMap, BTreeSet};

use hasse_compiler::{EndOutline, link_ends};

use super::link::line::LinkList;
use super::words::{is_name, substitute_index};

/// An end of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) node: String,
    pub(super) index: Vec<String>,
    /// Empty where the node is a port or object itself.
    pub(super) port: String,
    pub(super) elements: Vec<String>,
}

impl From<EndOutline> for Spot {
    fn from(end: EndOutline) -> Self {
        Self { node: end.node, index: end.index, port: end.port, elements: end.elements }
    }
}

fn brackets(list: &[String]) -> String {
    if list.is_empty() { String::new() } else { format!("[{}]", list.join(", ")) }
}

impl Spot {
    /// As it stands in a line.
    pub(super) fn text(&self) -> String {
        let node = format!("{}{}", self.node, brackets(&self.index));
        if self.port.is_empty() { node } else { format!("{node}.{}{}", self.port, brackets(&self.elements)) }
    }

    /// All index numbers.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &String> {
        self.index.iter().chain(&self.elements)
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.index.iter_mut().chain(&mut self.elements)
    }

    /// Writes what the map says in place of names.
    pub(super) fn substitute(&mut self, map: &BTreeMap<String, String>) {
        self.numbers_mut().for_each(|number| *number = substitute_index(number, map));
    }
}

/// A line: the end that matches, and the end that computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) from: Spot,
    pub(super) to: Spot,
}

/// What joining gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// One way.
    Way(Way),
    /// No value ever goes along both.
    Never,
    /// The language has no line for it.
    Cannot,
}

impl Way {
    /// Reads a line.
    pub(super) fn read(list: LinkList, line: &str) -> Option<Self> {
        let (source, target) = link_ends(line)?;
        let (source, target) = (Spot::from(source), Spot::from(target));
        Some(match list {
            LinkList::Arcs => Self { from: source, to: target },
            LinkList::Shares => Self { from: target, to: source },
        })
    }

    /// The line.
    pub(super) fn text(&self, list: LinkList) -> String {
        match list {
            LinkList::Arcs => format!("{} -> {}", self.from.text(), self.to.text()),
            LinkList::Shares => format!("{} -- {}", self.to.text(), self.from.text()),
        }
    }

    /// The names that the matching side binds, in the order in which they stand.
    pub(super) fn variables(&self, params: &BTreeSet<String>) -> Vec<String> {
        let mut variables: Vec<String> = Vec::new();
        for number in self.from.numbers() {
            if is_variable(number, params) && !variables.contains(number) {
                variables.push(number.clone());
            }
        }
        variables
    }

    /// Writes what the map says in place of names, on both sides.
    pub(super) fn substitute(&mut self, map: &BTreeMap<String, String>) {
        self.from.substitute(map);
        self.to.substitute(map);
    }
}

/// Whether an index number on the matching side is a variable.
pub(super) fn is_variable(number: &str, params: &BTreeSet<String>) -> bool {
    is_name(number) && !params.contains(number)
}

/// The way along `first` and then `second`, which begins at the port where `first` ends.
pub(super) fn join(first: &Way, second: &Way, params: &BTreeSet<String>) -> Joined {
    let mut first = first.clone();
    let patterns: Vec<&String> = second.from.numbers().collect();
    if first.to.numbers().count() != patterns.len() {
        return Joined::Cannot;
    }
    let mut given: BTreeMap<String, String> = BTreeMap::new();
    for (number_idx, pattern) in patterns.into_iter().enumerate() {
        let computed = first.to.numbers().nth(number_idx).cloned().unwrap_or_default();
        let wanted = match given.get(pattern) {
            None if is_variable(pattern, params) => {
                given.insert(pattern.clone(), computed);
                continue;
            }
            Some(earlier) => earlier.clone(),
            None => pattern.clone(),
        };
        // Both are to be equal: where one is a variable of the first way, it is that.
        let free = first.variables(params);
        let (name, value) = if wanted == computed {
            continue;
        } else if free.contains(&computed) {
            (computed, wanted)
        } else if free.contains(&wanted) {
            (wanted, computed)
        } else {
            let are_numbers = wanted.parse::<i64>().is_ok() && computed.parse::<i64>().is_ok();
            return if are_numbers { Joined::Never } else { Joined::Cannot };
        };
        let is_pattern = is_name(&value) || value.parse::<i64>().is_ok();
        if !is_pattern {
            return Joined::Cannot;
        }
        let map = BTreeMap::from([(name, value)]);
        first.substitute(&map);
        given.values_mut().for_each(|number| *number = substitute_index(number, &map));
    }
    let mut to = second.to.clone();
    to.substitute(&given);
    Joined::Way(Way { from: first.from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(first: &str, second: &str) -> String {
        let read = |line| Way::read(LinkList::Arcs, line).expect("it can be read");
        match join(&read(first), &read(second), &BTreeSet::from(["n".to_owned()])) {
            Joined::Way(way) => way.text(LinkList::Arcs),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn variables_are_given_what_is_computed() {
        for (first, second, expected) in [
            ("A.x -> B.y", "B.z -> C.w", "A.x -> C.w"),
            ("A.x[i] -> B[i + 1].y", "B[k].z -> C[2 * k].w[k]", "A.x[i] -> C[2 * (i + 1)].w[i + 1]"),
            ("A[i].x[j] -> B[j].y", "B[0].z -> C.w", "A[i].x[0] -> C.w"),
            ("A[i].x -> B[n].y", "B[n].z -> C.w", "A[i].x -> C.w"),
            ("A[i].x -> B[1].y", "B[2].z -> C.w", "Never"),
            ("A[i].x -> B[i + 1].y", "B[0].z -> C.w", "Cannot"),
            ("A[i].x -> B.y", "B[i].z -> C.w", "Cannot"),
            ("A[i, j].x -> B[i, j].y", "B[k, k].z -> C[k].w", "A[i, i].x -> C[i].w"),
            ("A[i, j].x -> B[i + 1, j].y", "B[k, k].z -> C[k].w", "Cannot"),
        ] {
            assert_eq!(joined(first, second), expected, "{first}, {second}");
        }
    }
}
