//! What waits at the end of an arc, value by value.

use hasse_debugger::show::{Limits, Shown};
use hasse_model::value::Value;

/// Most values that are told one by one.
pub const MOST_QUEUED: usize = 200;

/// Values that wait at the end of an arc.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queue {
    /// How many there are.
    pub n_values: usize,
    /// The first ones, by receiver and then in the order in which they are taken.
    pub values: Vec<QueuedValue>,
}

/// A value that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuedValue {
    /// The action on whose port it waits.
    pub action: String,
    /// The port.
    pub port: String,
    /// The value.
    pub value: Value,
    /// The event that has sent it, such as `/A:1`, where that is known.
    pub sender: Option<String>,
}

/// A change of a value that waits. Positions count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueChange {
    /// Drops the value at a position.
    Drop(usize),
    /// Gives the value at a position that of an expression.
    Set(usize, String),
    /// Adds the value of an expression after the others.
    Add(String),
}

impl QueuedValue {
    /// The value on one line.
    pub fn text(&self) -> String {
        Shown::new(&self.value, &Limits::one_line()).to_string()
    }
}
