//! Choices: what of an execution was free, and the minimal record that keeps nothing else.
//!
//! A *choice* is free where what came before in the history of the action does not settle it. A minimal record
//! has a row for an execution only if there is something in it that a replay cannot find out by itself
//! (Hyder 1994, section 8.3.6; Netzer 1993): a free choice, an answer of the world, a line whose place in the
//! output was open, or a bad end. Everything else is made again by replaying the choices.

use crate::id::ActionId;

/// Which sender's value was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TakeChoice {
    /// Which of the values removed, from 0, in the order of removal. Of an execution that failed before a firing rule
    /// was looked at: number of the port with the value that it comes after.
    pub position: u32,
    /// Who had sent it. Values of one sender come in the order of sending, so that it need not be told which
    /// of them it was.
    pub sender: ActionId,
}

/// What of an execution was free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The firing rule.
    pub rule: bool,
    /// Values removed whose sender was open, by position.
    pub takes: Vec<TakeChoice>,
    /// Positions of the shared accesses whose order was settled by nothing but the lock. Empty in a minimal
    /// record, which holds these accesses and no others.
    pub accesses: Vec<u32>,
    /// The place of the lines in the output.
    pub line: bool,
}

impl Choices {
    /// Whether nothing was free.
    pub fn is_empty(&self) -> bool {
        !self.rule && self.takes.is_empty() && self.accesses.is_empty() && !self.line
    }
}
