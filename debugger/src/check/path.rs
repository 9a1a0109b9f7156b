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

mod chains;
mod expression;
mod parse;
mod plain;
mod rest;
mod series;
#[cfg(test)]
mod tests;

pub(super) use chains::ChainCheck;
pub use expression::Path;
pub(super) use parse::{parse_chain, parse_path};
pub(super) use series::PathCheck;
