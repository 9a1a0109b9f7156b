//! Operators of timely dataflow. A batch of 1,024 values has one time stamp; with several workers each has its part.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use timely::dataflow::operators::vec::Map;
use timely::dataflow::operators::{Concatenate, Input, Inspect, Probe};
use timely::dataflow::{InputHandle, ProbeHandle, StreamVec};
use timely::{Config, execute};

use crate::sample::Outcome;
use crate::workload::{N_BRANCHES, N_LINKS, wave};

/// 64 maps.
pub(super) fn chain(n_threads: usize, size: u64) -> Result<Outcome, String> {
    run(n_threads, size, |mut stream| {
        for _ in 0..N_LINKS {
            stream = stream.map(|x| x + 1);
        }
        stream
    })
}

/// A map, 16 maps of what it gives, and all of them put together. Values are summed as they come: which of them
/// belong to one round is not asked, which is less than the others do.
pub(super) fn fan(n_threads: usize, size: u64) -> Result<Outcome, String> {
    run(n_threads, size, |stream| {
        let sent = stream.map(|x| x + 1);
        let branches: Vec<_> = (0..N_BRANCHES).map(|_| sent.clone().map(|x| x + 1)).collect();
        sent.scope().concatenate(branches)
    })
}

/// Feeds a dataflow in batches and sums what comes out.
fn run(
    n_threads: usize,
    size: u64,
    build: impl for<'s> Fn(StreamVec<'s, u64, u64>) -> StreamVec<'s, u64, u64> + Send + Sync + 'static,
) -> Result<Outcome, String> {
    let total = Arc::new(AtomicU64::new(0));
    let sum = total.clone();
    let began = Instant::now();
    let workers = execute(Config::process(n_threads), move |worker| {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let (sum, build) = (sum.clone(), &build);
        let own = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = own.clone();
        worker.dataflow(|scope| {
            let values = scope.input_from(&mut input).container::<Vec<u64>>();
            // Spelled out, as the compiler does not find the container by itself.
            Inspect::<u64, Vec<u64>>::inspect(build(values), move |x| counted.set(counted.get() + x))
                .probe_with(&probe);
        });
        let (nth_worker, n_workers) = (worker.index() as u64, worker.peers() as u64);
        let n_waves = size.div_ceil(wave(size));
        for nth_wave in 0..n_waves {
            for nth in (0..wave(size)).filter(|nth| nth % n_workers == nth_worker) {
                if nth_wave * wave(size) + nth < size {
                    input.send(nth);
                }
            }
            input.advance_to(nth_wave + 1);
            worker.step();
        }
        drop(input);
        worker.step_while(|| !probe.done());
        sum.fetch_add(own.get(), Ordering::Relaxed);
    });
    drop(workers?);
    Ok((began.elapsed(), total.load(Ordering::Relaxed) as f64))
}
