//! Random choices, as numbers on a tape: proptest makes it shorter and smaller where something fails.

use proptest::prelude::{Strategy, any};

/// Numbers to choose by; zeros beyond its end.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    numbers: Vec<u32>,
    next: usize,
}

impl Tape {
    /// The next choice out of `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        number as usize % n
    }

    /// One of them.
    pub(crate) fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Whether there are numbers left.
    pub(crate) fn has_more(&self) -> bool {
        self.next < self.numbers.len()
    }
}

/// Tapes of any numbers.
pub(crate) fn tapes() -> impl Strategy<Value = Tape> {
    proptest::collection::vec(any::<u32>(), 40..700).prop_map(|numbers| Tape { numbers, next: 0 })
}
