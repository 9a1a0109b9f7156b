//! Size and speed of the trace encoding for a chain of 64 nodes and 10,000 values: one thread, in
//! memory. Run by `cargo bench --bench encoding`.
#![allow(missing_docs, reason = "a measurement")]

use std::time::{Duration, Instant};

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{TraceFooter, TraceHeader, TraceReader, TraceWriter};

const N_NODES: usize = 64;
const N_VALUES: u64 = 10_000;
const BATCH_EVENTS: usize = 4096;
/// Most executions of one node in a row.
const BURST: u64 = 64;

fn main() {
    let batches = chain();
    let n_events: usize = batches.iter().map(EventBatch::n_events).sum();
    for round in 0..3 {
        let began = Instant::now();
        let bytes = written(&batches);
        let encoding = began.elapsed();
        let began = Instant::now();
        let found = read(&bytes);
        let decoding = began.elapsed();
        assert!(found == batches, "what was written is read back");
        let millions_a_second = |time: Duration| n_events as f64 / time.as_secs_f64() / 1e6;
        println!(
            "{round}: {n_events} events, {:.4} bytes an event, encode {:.1} M/s, decode {:.1} M/s",
            bytes.len() as f64 / n_events as f64,
            millions_a_second(encoding),
            millions_a_second(decoding)
        );
    }
}

/// What one worker sees: a random ready node executes next, for up to a burst.
fn chain() -> Vec<EventBatch> {
    let (mut n_done, mut seed) = ([0_u64; N_NODES], 1_u64);
    let mut batches = vec![EventBatch::default()];
    let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
    while n_done[N_NODES - 1] < N_VALUES {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let node = (seed >> 58) as usize;
        let n_ready = if node == 0 { N_VALUES } else { n_done[node - 1] };
        for _ in 0..BURST.min(n_ready - n_done[node]) {
            n_done[node] += 1;
            event.reset(EventId { action: ActionId(node as u32), count: n_done[node] });
            event.rule = 0;
            event.routes.push(0);
            event.flow_successors = 1;
            if node > 0 {
                event.flow.push(EventId { action: ActionId(node as u32 - 1), count: n_done[node] });
            }
            if batches.last().is_none_or(|batch| batch.n_events() == BATCH_EVENTS) {
                batches.push(EventBatch::default());
            }
            if let Some(batch) = batches.last_mut() {
                batch.push(&mut event);
            }
        }
    }
    batches
}

fn written(batches: &[EventBatch]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("memory takes every write");
    for batch in batches {
        writer.write_batch(batch).expect("memory takes every write");
    }
    writer.finish(&TraceFooter::default()).expect("memory takes every write")
}

fn read(bytes: &[u8]) -> Vec<EventBatch> {
    let mut reader = TraceReader::open(bytes).expect("a trace");
    std::iter::from_fn(|| reader.next_batch().expect("a readable batch")).collect()
}
