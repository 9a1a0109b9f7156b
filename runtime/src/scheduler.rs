//! Schedulers: who is served next, and which of several enabled firing rules is taken.

/// Work stealing, for speed.
pub(crate) mod free;
/// From a seed: reproducible with one worker, noise with many.
pub(crate) mod seeded;

/// A policy for all choices that a run is free to make. Replay uses any scheduler: what it forces is
/// decided before the scheduler is asked.
pub(crate) trait Scheduler<T: Send>: Sync {
    /// What each worker has for itself.
    type Local: Send;

    /// Whether an instance's turn may also end by the clock. Not where the run is to be a function of
    /// a seed.
    const HAS_CLOCK: bool;

    /// Makes an item ready, from outside of all workers.
    fn inject(&self, item: T);
    /// Makes an item ready, from a worker.
    fn push(&self, local: &mut Self::Local, item: T);
    /// Makes an item ready again that has had its turn: behind all others of the worker.
    fn requeue(&self, local: &mut Self::Local, item: T);
    /// The next item for a worker: its own or another's.
    fn pop(&self, local: &mut Self::Local) -> Option<T>;
    /// Whether anything is ready anywhere that a worker other than its owner may take, or that is
    /// the owner's own.
    fn has_work(&self) -> bool;
    /// Whether the worker has more ready than it will serve next.
    fn has_surplus(&self, local: &Self::Local) -> bool;
    /// Whether the worker has anything ready at all.
    fn has_other(&self, local: &Self::Local) -> bool;
    /// Whether the worker may serve, without asking, what it has just made ready: as often in a row as it would be given
    /// what it made ready last.
    fn may_go_on(&self, local: &mut Self::Local) -> bool;
    /// Gives up what is held back for this worker alone, as it will be busy for some time.
    fn share(&self, local: &mut Self::Local);
    /// Which of `n_choices` equally good choices to take; `turn` goes round by itself.
    fn choose(&self, local: &mut Self::Local, n_choices: usize, turn: usize) -> usize;
    /// How many events of one instance may follow each other before others are served.
    fn batch_size(&self, local: &mut Self::Local) -> usize;
    /// A place where noise may be injected.
    fn pause(&self, local: &mut Self::Local);
}
