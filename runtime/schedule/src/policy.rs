//! The interface of scheduling policies.

/// A policy for the choices that a run is free to make. Replay uses one as well: what the record forces is decided before the
/// policy is asked.
pub trait Schedule<T> {
    /// State of one worker.
    type Local;

    /// True if an instance's turn may also end by the clock. Not where the run is to be a function of a seed or of decisions.
    const HAS_CLOCK: bool;

    /// Makes an item ready, from outside of all workers.
    fn inject(&self, item: T);

    /// Makes an item ready, from a worker.
    fn push(&self, local: &mut Self::Local, item: T);

    /// Makes an item ready again that has had its turn: after all others of the worker.
    fn requeue(&self, local: &mut Self::Local, item: T);

    /// The next item for a worker: its own or another's.
    fn pop(&self, local: &mut Self::Local) -> Option<T>;

    /// Returns true if anything is ready that any worker may take, or that is a worker's own.
    fn has_work(&self) -> bool;

    /// Returns true if the worker has more ready than it will serve next.
    fn has_surplus(&self, local: &Self::Local) -> bool;

    /// Returns true if the worker has anything ready at all.
    fn has_other(&self, local: &Self::Local) -> bool;

    /// Returns true if the worker may serve, without asking, what it has just made ready: as often in a row as it would be given
    /// what it made ready last.
    fn may_go_on(&self, _local: &mut Self::Local) -> bool {
        false
    }

    /// Gives up what is held back for this worker alone, as it will be busy for some time.
    fn share(&self, _local: &mut Self::Local) {}

    /// Picks one of `n_choices` equally good choices; the first one is the next in turn.
    fn choose(&self, local: &mut Self::Local, n_choices: usize) -> usize;

    /// Number of events of one instance that may follow each other before others are served.
    fn batch_size(&self, local: &mut Self::Local) -> usize;

    /// A point at which noise may be injected.
    fn pause(&self, _local: &mut Self::Local) {}
}
