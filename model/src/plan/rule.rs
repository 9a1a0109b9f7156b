//! Firing rules and routing rules: what an execution removes, and what it sends.

use super::Template;
use super::code::{Code, Expr};
use crate::diagnostic::Location;
use crate::id::SlotId;

/// A firing rule.
#[derive(Clone, Debug, PartialEq)]
pub struct FiringRule {
    /// What it removes, in this order.
    pub takes: Vec<Take>,
    /// Boolean over vars, parameters, index and count.
    pub guard: Option<Code>,
    /// Text of the rule.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// One binding of a firing rule: `port[elements] -> target[target_elements] for ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// Position of the input port.
    pub port: usize,
    /// Index of the element of a family.
    pub elements: Vec<Expr>,
    /// Replication; loop variable k is `Expr::Local(k)` in `elements` and `target_elements`, and in
    /// the bounds of the loops behind it.
    pub loops: Vec<Loop<Expr>>,
    /// The name bound.
    pub target: SlotId,
    /// Where in the bound array a replicated value goes; empty for a plain binding.
    pub target_elements: Vec<Expr>,
}

/// `for name in low..high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop<C> {
    /// Name of the loop variable.
    pub name: String,
    /// First number.
    pub low: C,
    /// Number behind the last one.
    pub high: C,
}

/// A routing rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingRule {
    /// What it sends, in this order.
    pub sends: Vec<Send>,
    /// The rule sends where this holds.
    pub guard: Option<Code>,
    /// Whether the guard names a loop variable, and so is asked for every element by itself.
    pub guards_elements: bool,
    /// True if the rule is for failed events (`on_error`), and for no others.
    pub on_error: bool,
    /// Text of the rule.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// One sending of a routing rule: `port[elements] <- value for ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Position of the output port.
    pub port: usize,
    /// Index of the element of a family.
    pub elements: Vec<Code>,
    /// Replication; loop variable k is `Expr::Local(k)`, and a script sees it by name.
    pub loops: Vec<Loop<Code>>,
    /// What is sent.
    pub value: Code,
    /// The time between the end of the event and the arrival of the value; `None` where it comes at once.
    pub after: Option<Delay>,
}

/// A time, as a number of units.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// The number: an int or a real.
    pub number: Code,
    /// The unit in nanoseconds.
    pub unit_nanos: u64,
}

impl Template {
    /// Returns true if a routing rule sends values that come later.
    pub fn sends_later(&self) -> bool {
        self.route.iter().flat_map(|rule| &rule.sends).any(|send| send.after.is_some())
    }
}
