//! A thread for each node, and a bounded channel for each port.

use std::thread;
use std::time::Instant;

use crossbeam_channel::bounded;

use crate::sample::Outcome;
use crate::workload::{N_LINKS, N_PRODUCERS, wave};

/// Values that a port holds at most.
const CAPACITY: usize = 1024;

/// Values pass 64 threads.
pub(super) fn chain(size: u64) -> Result<Outcome, String> {
    let began = Instant::now();
    let total = thread::scope(|scope| {
        let (first, mut port) = bounded::<u64>(CAPACITY);
        for _ in 1..N_LINKS {
            let (to_next, next) = bounded(CAPACITY);
            let own = std::mem::replace(&mut port, next);
            scope.spawn(move || {
                for x in own {
                    // A closed channel ends the thread behind it, too.
                    let _ = to_next.send(x + 1);
                }
            });
        }
        let last = scope.spawn(move || port.iter().map(|x| x + 1).sum::<u64>());
        for nth in 0..size {
            let _ = first.send(nth % wave(size));
        }
        drop(first);
        last.join()
    });
    let total = total.map_err(|_| "a thread panicked".to_owned())?;
    Ok((began.elapsed(), total as f64))
}

/// 8 threads send to one.
pub(super) fn merge(size: u64) -> Result<Outcome, String> {
    let began = Instant::now();
    let total: u64 = thread::scope(|scope| {
        let (sender, port) = bounded::<u64>(CAPACITY);
        for _ in 0..N_PRODUCERS {
            let sender = sender.clone();
            scope.spawn(move || {
                for x in 1..=size {
                    let _ = sender.send(x);
                }
            });
        }
        drop(sender);
        port.iter().sum()
    });
    Ok((began.elapsed(), total as f64))
}
