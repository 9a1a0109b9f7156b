//! From a seed: every choice is drawn at random. With one worker the run is a function of the seed;
//! with many, random choices and pauses bring rare interleavings to light.

use std::hint::spin_loop;
use std::thread::yield_now;

use hasse_body::seed::{mix, split_mix};
use parking_lot::Mutex;

use crate::policy::Schedule;

pub struct Seeded<T> {
    ready: Mutex<Vec<T>>,
    has_noise: bool,
}

/// The random numbers of one worker (SplitMix64).
pub struct Local {
    state: u64,
}

impl Local {
    #[inline]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(split_mix(&mut self.state)) * bound as u128) >> 64) as usize
    }
}

/// Random numbers of workers, and of others that only push items: what these are given changes nothing of the choices.
pub(crate) fn locals(n_locals: usize, seed: u64) -> impl Iterator<Item = Local> {
    (0..n_locals as u64).map(move |worker_idx| Local { state: mix(seed ^ mix(worker_idx)) })
}

impl<T: Send> Seeded<T> {
    pub(crate) fn new(n_workers: usize) -> Self {
        Self { ready: Mutex::new(Vec::new()), has_noise: n_workers > 1 }
    }
}

impl<T: Send> Schedule<T> for Seeded<T> {
    type Local = Local;

    const HAS_CLOCK: bool = false;

    fn inject(&self, item: T) {
        self.ready.lock().push(item);
    }

    fn push(&self, _: &mut Local, item: T) {
        self.ready.lock().push(item);
    }

    fn requeue(&self, _: &mut Local, item: T) {
        self.ready.lock().push(item);
    }

    fn pop(&self, local: &mut Local) -> Option<T> {
        let mut ready = self.ready.lock();
        if ready.is_empty() {
            return None;
        }
        let item_idx = local.below(ready.len());
        Some(ready.swap_remove(item_idx))
    }

    fn has_work(&self) -> bool {
        !self.ready.lock().is_empty()
    }

    fn has_surplus(&self, _: &Local) -> bool {
        self.ready.lock().len() > 1
    }

    fn has_other(&self, _: &Local) -> bool {
        self.has_work()
    }

    fn choose(&self, local: &mut Local, n_choices: usize) -> usize {
        local.below(n_choices)
    }

    fn batch_size(&self, local: &mut Local) -> usize {
        1 + local.below(4)
    }

    fn pause(&self, local: &mut Local) {
        if !self.has_noise {
            return;
        }
        match local.below(8) {
            0 => yield_now(),
            1 => (0..local.below(2000)).for_each(|_| spin_loop()),
            _ => {}
        }
    }
}
