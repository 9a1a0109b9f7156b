//! Orders between events, by the variables that stand for them.

/// Position of an event variable.
pub(super) type VarId = usize;

/// How two events are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// `->`: the left one is among the recorded predecessors of the right one.
    Immediate,
    /// `<`: causal order.
    Before,
    /// `||`: two events, none before the other.
    Concurrent,
    /// `==`: one event.
    Same,
}

impl Relation {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Relation::Immediate => "->",
            Relation::Before => "<",
            Relation::Concurrent => "||",
            Relation::Same => "==",
        }
    }
}
