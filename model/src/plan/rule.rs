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
    /// Time for which its values must have waited before it is enabled (`a -> a after 200ms`), over the names of the template.
    pub after: Option<TimeSpan>,
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
    /// True if as many values are taken as there are, at least one and at most as many as the only loop has rounds (`for k in ..100`).
    /// All of them are of one port or element.
    pub is_up_to: bool,
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
    /// Delay of the value after the end of the event; `None` where it is delivered at once.
    pub after: Option<Delay>,
}

/// Delay of a value that is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// Number of units: an int or a real.
    pub number: Code,
    /// The unit, by position in [`UNITS_OF_TIME`].
    pub unit: usize,
    /// True if the value is delivered at the next multiple of this time since the beginning of the run (`every = "100ms"`), and not this
    /// long after the end of the event.
    pub is_periodic: bool,
}

/// Time over the creation parameters, or in a firing rule over the names of the template, such as `200ms` or `10 * n s`.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSpan {
    /// Number of units.
    pub number: Expr,
    /// The unit, by position in [`UNITS_OF_TIME`].
    pub unit: usize,
}

/// Units of delays, with the nanoseconds of each.
pub const UNITS_OF_TIME: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

impl Send {
    /// All expressions of the sending.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        let bounds = self.loops.iter().flat_map(|range| [&range.low, &range.high]);
        bounds
            .chain(&self.elements)
            .chain([&self.value])
            .chain(self.after.as_ref().map(|after| &after.number))
    }
}

impl RoutingRule {
    /// All expressions of the rule, its guard last.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        self.sends.iter().flat_map(Send::codes).chain(&self.guard)
    }
}

impl Template {
    /// Returns true if a routing rule sends delayed values.
    pub fn delays_values(&self) -> bool {
        self.route.iter().flat_map(|rule| &rule.sends).any(|send| send.after.is_some())
    }

    /// Returns true if a firing rule is enabled some time after its values have come.
    pub fn has_timed_rules(&self) -> bool {
        self.fire.iter().any(|rule| rule.after.is_some())
    }
}
