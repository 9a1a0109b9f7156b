//! Path expressions: the shapes that a history, or each chain through it, may have.
//!
//! An expression is over specs: `A ; B` sequence, `A | B` selection, `A*`, `A+`, `A?` repetition and option, `A || B`
//! concurrency, `{A}` any number of concurrent ones, `(..)` grouping, `A{3}` thrice. It speaks of the events that some spec in it names;
//! the history is restricted to them. There are two readings.
//!
//! `check path E`: the whole history is one of E, as a partial order (data path expressions, Hseush and Kaiser, 1990): `A ; B` says that
//! all of A is before all of B, and `A || B` that nothing of A is ordered with anything of B ([`series`]).
//!
//! `check chain E`: each chain of immediate orderings, from an event with nothing before it to one with nothing behind it, spells a
//! word of E, read as a regular expression; `||` and `{}` have no place in it ([`chains`]).

use super::command::Spec;

mod chains;
mod parse;
mod plain;
mod rest;
mod series;
#[cfg(test)]
mod tests;

pub(super) use chains::ChainCheck;
pub(super) use parse::{parse_chain, parse_path};
pub(super) use series::PathCheck;

/// A path expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// One event of a spec.
    Event(Spec),
    /// One after the other; two or more.
    Sequence(Vec<Path>),
    /// One of several; two or more.
    Choice(Vec<Path>),
    /// All of them, concurrently; two or more.
    Parallel(Vec<Path>),
    /// Any number, one after the other.
    Repeat(Box<Path>),
    /// Any number, concurrently.
    Burst(Box<Path>),
    /// Once or not at all.
    Optional(Box<Path>),
}

impl Path {
    /// The specs in it, without repetition, in the order of the text.
    pub fn specs(&self) -> Vec<&Spec> {
        let mut specs = Vec::new();
        self.collect(&mut specs);
        specs
    }

    fn collect<'p>(&'p self, specs: &mut Vec<&'p Spec>) {
        match self {
            Path::Event(spec) if specs.contains(&spec) => {}
            Path::Event(spec) => specs.push(spec),
            Path::Sequence(parts) | Path::Choice(parts) | Path::Parallel(parts) => {
                parts.iter().for_each(|part| part.collect(specs));
            }
            Path::Repeat(inner) | Path::Burst(inner) | Path::Optional(inner) => inner.collect(specs),
        }
    }

    /// Whether it speaks of concurrency.
    pub(super) fn is_concurrent(&self) -> bool {
        match self {
            Path::Event(_) => false,
            Path::Parallel(_) | Path::Burst(_) => true,
            Path::Sequence(parts) | Path::Choice(parts) => parts.iter().any(Path::is_concurrent),
            Path::Repeat(inner) | Path::Optional(inner) => inner.is_concurrent(),
        }
    }
}
