//! From a seed: every choice is drawn at random. With one worker the run is a function of the seed;
//! with many, random choices and pauses bring rare interleavings to light.

use std::hint::spin_loop;
use std::thread::yield_now;

use hasse_body::seed::{mix, split_mix};
use parking_lot::Mutex;

pub(super) struct Seeded<T> {
    ready: Mutex<Vec<T>>,
    has_noise: bool,
}

/// The random numbers of one worker (SplitMix64).
pub(super) struct Local {
    state: u64,
}

impl Local {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(split_mix(&mut self.state)) * bound as u128) >> 64) as usize
    }
}

impl<T: Send> Seeded<T> {
    /// For workers, and others behind them that only put items in: what these are given changes nothing of the choices.
    pub(super) fn new(n_workers: usize, n_locals: usize, seed: u64) -> (Self, Vec<Local>) {
        let locals =
            (0..n_locals as u64).map(|worker_idx| Local { state: mix(seed ^ mix(worker_idx)) }).collect();
        (Self { ready: Mutex::new(Vec::new()), has_noise: n_workers > 1 }, locals)
    }
}

impl<T: Send> Seeded<T> {
    pub(super) fn push(&self, item: T) {
        self.ready.lock().push(item);
    }

    pub(super) fn pop(&self, local: &mut Local) -> Option<T> {
        let mut ready = self.ready.lock();
        if ready.is_empty() {
            return None;
        }
        let item_idx = local.below(ready.len());
        Some(ready.swap_remove(item_idx))
    }

    pub(super) fn has_work(&self) -> bool {
        !self.ready.lock().is_empty()
    }

    pub(super) fn has_surplus(&self) -> bool {
        self.ready.lock().len() > 1
    }

    pub(super) fn pause(&self, local: &mut Local) {
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
