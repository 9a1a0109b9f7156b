//! Templates whose instances wait in the matching store.

use hasse_code::calc::Calc;

/// Events that take an integer from each of all ports, compute integers by a function or nothing at all, and send integers by
/// index numbers: there is nothing to know of an instance but what waits on its ports.
pub struct Matching {
    /// Number of index numbers.
    pub n_numbers: usize,
    /// By port, the slot that takes its value.
    pub slots: Vec<usize>,
    /// Slots of the arguments of the function, and of what it gives.
    pub takes: Vec<usize>,
    /// Slots of the results of the function.
    pub gives: Vec<usize>,
    /// Tests that must hold for a rule, by its bit.
    pub guards: Vec<(u64, Vec<Test>)>,
    /// Numbers that stand behind those of slots and the constants that are sent.
    pub constants: Vec<i64>,
}

/// A test of a guard.
pub enum Test {
    /// Two integers, by where they stand, and for which orders of them it holds: as bits, less, equal, greater.
    Orders(usize, usize, u8),
    /// Any other guard.
    Other(Calc),
}
