//! Questions over time, and ways through bodies, as data.

use hasse_runtime::control::Step;

use super::asked::{AskedEvent, Symbol};

/// A question over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::debug) enum OverTime {
    /// The event that changed a variable last.
    Whowrote(Symbol),
    /// All changes of a variable.
    Changes(Symbol),
    /// The first, next or last moment at which a condition begins to hold.
    When { which: Occurrence, text: String, column: usize },
    /// Where a value comes from; without one, the way on.
    Wherefrom { what: Option<Wherefrom>, column: usize },
    /// The life of an action.
    Lifetime(AskedEvent),
}

/// One of the moments at which a condition begins to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::debug) enum Occurrence {
    /// The first of the record.
    First,
    /// The first after the moment of the session.
    Next,
    /// The last up to the moment of the session.
    Last,
}

/// A value whose origin is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::debug) struct Wherefrom {
    /// A var, a shared object, or an input port of the selected action.
    pub(in crate::debug) name: Symbol,
    /// Number of the value on the port, from 1.
    pub(in crate::debug) number: Option<u64>,
}

/// A way through the body of the selected action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::debug) enum Walk {
    /// Forwards, several times.
    Forth { step: Step, n_times: u64 },
    /// Back by a statement, several times; `over` functions that the present one called.
    Back { over: bool, n_times: u64, column: usize },
    /// Shows the calls under way.
    Stack,
    /// Shows the names that the next statement sees.
    Locals,
}
