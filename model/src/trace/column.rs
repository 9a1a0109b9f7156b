//! The layout of a batch in a trace: its columns, and the tags within them.

/// The columns, in the order in which they lie in a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Action,
    Flags,
    Repeats,
    Count,
    Rule,
    Routes,
    FlowLen,
    FlowAction,
    FlowCount,
    Objects,
    Writers,
    Readers,
    Successors,
    Extras,
    Answers,
    Relayed,
    Timing,
    Choices,
}

/// Number of columns.
pub(super) const N_COLUMNS: usize = 18;

/// Which action a number stands for: 0 for the one that is announced next, else one more than the step from the last.
pub(super) const NEXT_ANNOUNCED: u64 = 0;

/// A sender's action is told by its distance to the nearest of so many others.
pub(super) const N_NEAR: u64 = 3;

/// Bits of the flag byte of a batch: parts in addition to the columns of a full record.
pub(super) mod batch_flag {
    pub(crate) const RELAYED: u8 = 1;
    pub(crate) const TIMED: u8 = 1 << 1;
    pub(crate) const CHOICES: u8 = 1 << 2;
    pub(crate) const CUT: u8 = 1 << 3;
    pub(crate) const EDITS: u8 = 1 << 4;
    /// What each event has, whether it is as expected or not.
    pub(crate) const EACH: u8 = RELAYED | TIMED | CHOICES;
}

/// Free choices of an event, as bits.
pub(super) mod choice_tag {
    pub(crate) const THERE: u8 = 1;
    pub(crate) const RULE: u8 = 1 << 1;
    pub(crate) const LINE: u8 = 1 << 2;
    pub(crate) const TAKES: u8 = 1 << 3;
    pub(crate) const ACCESSES: u8 = 1 << 4;
}

/// How an access is told: bit 0 says whether it writes, the others how its writer is told: as expected, none, by what
/// follows, or as that of the access before it.
pub(super) mod access_tag {
    pub(crate) const WRITE: u8 = 1;
    pub(crate) const EXPECTED: u8 = 0;
    pub(crate) const NONE: u8 = 1 << 1;
    pub(crate) const TOLD: u8 = 2 << 1;
    pub(crate) const SAME: u8 = 3 << 1;
}

/// Kinds of answers to questions of a body. Whole numbers, of which there may be many, have a column of their own.
pub(super) mod answer_tag {
    pub(crate) const VALUE: u8 = 0;
    pub(crate) const ERROR: u8 = 1;
    pub(crate) const INT: u8 = 2;
}
