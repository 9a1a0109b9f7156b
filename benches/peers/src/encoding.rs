//! Size and speed of the trace encoding, for streams of events like those of the workloads: one thread, in memory, with
//! compression and checksums. Run by `cargo bench -p hasse-bench --bench encoding`; arguments are sizes of batches, and beginnings of
//! names of streams.

use std::time::Duration;

use hasse_model::event::EventBatch;
use hasse_model::trace::{TraceFooter, TraceHeader, TraceReader, TraceWriter};

use streams::Stream;

mod clock;
mod streams;

const N_EVENTS: u64 = 500_000;
const N_ROUNDS: usize = 5;
/// Passes of a round: the system counts processor time in steps of some milliseconds.
const N_PASSES: u32 = 8;

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument.starts_with(char::is_alphabetic)).collect();
    for &batch_events in if sizes.is_empty() { &[8192][..] } else { &sizes } {
        println!(
            "batches of {batch_events} events; millions of events a second of processor time: best of {N_ROUNDS}"
        );
        for stream in streams::all(N_EVENTS, batch_events) {
            if !wanted.is_empty() && !wanted.iter().any(|name| stream.name.starts_with(name)) {
                continue;
            }
            measure(&stream);
            let n_cuts = (stream.n_executed / 1_000_000).max(1);
            if stream.name.starts_with("wavefront") {
                measure_size("minimal", &streams::cuts(&stream, 2 * n_cuts, 512));
            } else {
                measure_size("minimal", &streams::cuts(&stream, n_cuts, 64));
            }
        }
    }
}

fn measure(stream: &Stream) {
    let (mut encoding, mut decoding) = (Duration::MAX, Duration::MAX);
    let mut n_bytes = 0;
    for _ in 0..N_ROUNDS {
        let began = clock::now();
        let passes: Vec<_> = (0..N_PASSES).map(|_| written(&stream.batches)).collect();
        encoding = encoding.min(clock::since(began) / N_PASSES);
        let bytes = &passes[0];
        n_bytes = bytes.len();
        let began = clock::now();
        for bytes in &passes {
            assert_eq!(read(bytes, |_| {}), stream.batches.len(), "every batch is read");
        }
        decoding = decoding.min(clock::since(began) / N_PASSES);
        let mut expected = stream.batches.iter();
        read(bytes, |batch| assert!(expected.next() == Some(batch), "what was written is read back"));
    }
    let rate = |time: Duration| stream.n_executed as f64 / time.as_secs_f64() / 1e6;
    println!(
        "{:22} {:8} events, {:.4} bytes an event, encode {:6.1} M/s, decode {:6.1} M/s",
        stream.name,
        stream.n_executed,
        n_bytes as f64 / stream.n_executed as f64,
        rate(encoding),
        rate(decoding)
    );
}

fn measure_size(mode: &str, stream: &Stream) {
    let n_bytes = written(&stream.batches).len() as f64;
    println!("{:22} {mode}: {:.4} bytes an event", stream.name, n_bytes / stream.n_executed as f64);
}

fn written(batches: &[EventBatch]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("memory takes every write");
    for batch in batches {
        writer.write_batch(batch).expect("memory takes every write");
    }
    writer.finish(&TraceFooter::default()).expect("memory takes every write")
}

/// Reads a trace; returns the number of its batches.
fn read(bytes: &[u8], mut look: impl FnMut(&EventBatch)) -> usize {
    let mut reader = TraceReader::open(bytes).expect("a trace");
    let mut n_batches = 0;
    while let Some(batch) = reader.next_batch().expect("a readable batch") {
        look(&batch);
        n_batches += 1;
    }
    n_batches
}
