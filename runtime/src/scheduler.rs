//! Scheduling: who is served next, and which of several enabled firing rules is taken.
//!
//! Without a seed workers steal from each other; with one, every choice is drawn at random. The policy is a value, not a
//! type parameter: events are served in batches, so the branch is rare, and the runtime is compiled once for both.

use free::Free;
use seeded::Seeded;

/// Work stealing, for speed.
mod free;
/// From a seed: reproducible with one worker, noise with many.
pub(crate) mod seeded;

/// A policy for all choices that a run is free to make. Replay uses it as well: what the record forces is
/// decided before the scheduler is asked.
pub(crate) struct Scheduler<T> {
    free: Free<T>,
    /// In a run with a seed.
    seeded: Option<Seeded<T>>,
}

/// Scheduling state of one worker.
pub(crate) struct Local<T> {
    free: free::Local<T>,
    seeded: Option<seeded::Local>,
}

impl<T: Send> Scheduler<T> {
    /// A scheduler for `n_workers` workers. The locals beyond these only push items, which changes none of the choices drawn
    /// from the seed.
    pub(crate) fn new(n_workers: usize, n_locals: usize, seed: Option<u64>) -> (Self, Vec<Local<T>>) {
        let (free, locals) = Free::new(n_locals);
        let mut locals: Vec<_> = locals.into_iter().map(|free| Local { free, seeded: None }).collect();
        let seeded = seed.map(|seed| {
            let (seeded, drawing) = Seeded::new(n_workers, n_locals, seed);
            locals.iter_mut().zip(drawing).for_each(|(local, drawing)| local.seeded = Some(drawing));
            seeded
        });
        (Self { free, seeded }, locals)
    }

    /// Whether an instance's turn may also end by the clock. Not where the run is to be a function of
    /// a seed.
    pub(crate) fn has_clock(&self) -> bool {
        self.seeded.is_none()
    }

    /// Makes an item ready, from outside of all workers.
    pub(crate) fn inject(&self, item: T) {
        match &self.seeded {
            None => self.free.inject(item),
            Some(seeded) => seeded.push(item),
        }
    }

    /// Makes an item ready, from a worker.
    pub(crate) fn push(&self, local: &mut Local<T>, item: T) {
        match &self.seeded {
            None => self.free.push(&mut local.free, item),
            Some(seeded) => seeded.push(item),
        }
    }

    /// Makes an item ready again that has had its turn: behind all others of the worker.
    pub(crate) fn requeue(&self, local: &mut Local<T>, item: T) {
        match &self.seeded {
            None => self.free.requeue(&mut local.free, item),
            Some(seeded) => seeded.push(item),
        }
    }

    /// The next item for a worker: its own or another's.
    pub(crate) fn pop(&self, local: &mut Local<T>) -> Option<T> {
        match (&self.seeded, &mut local.seeded) {
            (Some(seeded), Some(drawing)) => seeded.pop(drawing),
            _ => self.free.pop(&mut local.free),
        }
    }

    /// Whether anything is ready anywhere that a worker other than its owner may take, or that is
    /// the owner's own.
    pub(crate) fn has_work(&self) -> bool {
        match &self.seeded {
            None => self.free.has_work(),
            Some(seeded) => seeded.has_work(),
        }
    }

    /// Whether the worker has more ready than it will serve next.
    pub(crate) fn has_surplus(&self, local: &Local<T>) -> bool {
        match &self.seeded {
            None => self.free.has_surplus(&local.free),
            Some(seeded) => seeded.has_surplus(),
        }
    }

    /// Whether the worker has anything ready at all.
    pub(crate) fn has_other(&self, local: &Local<T>) -> bool {
        match &self.seeded {
            None => self.free.has_other(&local.free),
            Some(seeded) => seeded.has_work(),
        }
    }

    /// Whether the worker may serve, without asking, what it has just made ready: as often in a row as it would be given
    /// what it made ready last.
    pub(crate) fn may_go_on(&self, local: &mut Local<T>) -> bool {
        self.seeded.is_none() && self.free.may_go_on(&mut local.free)
    }

    /// Gives up what is held back for this worker alone, as it will be busy for some time.
    pub(crate) fn share(&self, local: &mut Local<T>) {
        self.free.share(&mut local.free);
    }

    /// Which of `n_choices` equally good choices to take; `turn` goes round by itself.
    pub(crate) fn choose(&self, local: &mut Local<T>, n_choices: usize, turn: usize) -> usize {
        match &mut local.seeded {
            None => turn % n_choices,
            Some(drawing) => drawing.below(n_choices),
        }
    }

    /// How many events of one instance may follow each other before others are served.
    pub(crate) fn batch_size(&self, local: &mut Local<T>) -> usize {
        match &mut local.seeded {
            None => free::BATCH_SIZE,
            Some(drawing) => 1 + drawing.below(4),
        }
    }

    /// A place where noise may be injected.
    pub(crate) fn pause(&self, local: &mut Local<T>) {
        if let (Some(seeded), Some(drawing)) = (&self.seeded, &mut local.seeded) {
            seeded.pause(drawing);
        }
    }
}
