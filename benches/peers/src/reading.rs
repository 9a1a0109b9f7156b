//! Speed of reading traces from a file and bringing their events into causal order, as every command that looks at events
//! does: one thread. Run by `cargo bench -p hasse-bench --bench reading`, with a number of events if other than 10,000,000.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::time::Duration;

use hasse_debugger::read::lend_in_order;
use hasse_model::trace::{TraceFooter, TraceHeader, TraceReader, TraceWriter};

use streams::Stream;

mod clock;
#[allow(dead_code, reason = "cuts are for sizes alone")]
mod streams;

const N_ROUNDS: usize = 3;
const BATCH_EVENTS: usize = 8192;

type Made = fn(u64, usize) -> Stream;

fn main() -> Result<(), Box<dyn Error>> {
    let n_events = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000_000);
    println!("millions of events a second of processor time: best of {N_ROUNDS}");
    let one_by_one: Made = |n_events, size| streams::counter("counter, one by one", n_events, 1, size);
    let one_worker: Made = |n_events, size| streams::wavefront("wavefront, 1 worker", n_events, 1, size);
    let two_workers: Made = |n_events, size| streams::wavefront("wavefront, 2 workers", n_events, 2, size);
    // One after the other, as each takes a gigabyte.
    for made in [streams::chain, streams::fan, streams::merge, one_by_one, one_worker, two_workers] {
        measure(made(n_events, BATCH_EVENTS))?;
    }
    Ok(())
}

fn measure(stream: Stream) -> Result<(), Box<dyn Error>> {
    let Stream { name, n_executed: n_events, batches } = stream;
    let file = tempfile::NamedTempFile::new()?;
    let header = TraceHeader { templates: vec!["Node".to_owned(); 64], ..TraceHeader::default() };
    let mut writer = TraceWriter::new(BufWriter::new(file.reopen()?), &header)?;
    batches.iter().try_for_each(|batch| writer.write_batch(batch))?;
    drop(batches);
    writer.finish(&TraceFooter { n_events, ..TraceFooter::default() })?;
    let open =
        || -> Result<_, Box<dyn Error>> { Ok(TraceReader::open(BufReader::new(File::open(file.path())?))?) };
    let (mut reading, mut sorting) = (Duration::MAX, Duration::MAX);
    for _ in 0..N_ROUNDS {
        let began = clock::now();
        let (mut reader, mut n_read) = (open()?, 0);
        while let Some(batch) = reader.next_batch()? {
            n_read += batch.n_events() as u64;
        }
        reading = reading.min(clock::since(began));
        let began = clock::now();
        let mut n_sorted = 0;
        let summary = lend_in_order(open()?, |_, _| n_sorted += 1)?;
        sorting = sorting.min(clock::since(began));
        assert_eq!((n_read, n_sorted, summary.n_dropped), (n_events, n_events, 0), "every event is there");
    }
    let rate = |time: Duration| n_events as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{name:22} {n_events:9} events, read {:5.1} M/s, read and sorted {:5.2} M/s",
        rate(reading),
        rate(sorting)
    );
    Ok(())
}
