//! A trace of any bytes: a readable, causally closed prefix or an error, never a panic.
//!
//! Mutations of compressed and checksummed bytes would hardly ever get past the checksum. The mutator
//! therefore unpacks a frame, changes its content and packs it again; now and then it changes the
//! bytes as they are.

#![no_main]

use std::io::Cursor;

use hasse_debugger::export::{self, Form, Level, Rules, shiviz::Host};
use hasse_debugger::info::summarize;
use hasse_debugger::race::{self, RaceOptions};
use hasse_debugger::read::for_each_in_order;
use hasse_model::digest::Digester;
use hasse_model::trace::{TraceIndex, TraceReader, salvage};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = TraceReader::open(bytes) else { return };
    if let Ok(info) = summarize(reader, Some(bytes.len() as u64)) {
        let _ = (info.to_text(), info.to_json());
    }
    if let Ok((found, whole)) = salvage(&mut Cursor::new(bytes), Vec::new()) {
        let (again, same) = salvage(&mut Cursor::new(&whole[..]), Vec::new()).expect("what was recovered is a trace");
        assert_eq!((again.n_events, again.n_lost_bytes), (found.n_events, 0), "recovered once and for all");
        assert_eq!(same, whole);
    }
    let _ = TraceIndex::read(&mut Cursor::new(bytes));
    let mut digester = Digester::new();
    let Ok(reader) = TraceReader::open(bytes) else { return };
    let sorted = for_each_in_order(reader, |event, names| digester.add(&event, names));
    let _ = digester.finish();
    let Ok(reader) = TraceReader::open(bytes) else { return };
    if let Ok((found, _)) = race::find(reader, RaceOptions { wants_orderings: true }) {
        let n_enforced = found.orderings.iter().flatten().map(|group| group.n_orderings).sum::<u64>();
        assert!(found.n_first() + found.n_behind() <= n_enforced, "every race is an ordering that only a lock enforced");
    }
    let Ok(reader) = TraceReader::open(bytes) else { return };
    let header = reader.header().clone();
    for form in [
        Form::Dot(Level::Events),
        Form::Graphml(Level::Program),
        Form::Shiviz(Host::Template),
        Form::Perfetto,
    ] {
        let mut exporter = export::exporter(form, &header, Rules::unknown(), std::io::sink());
        let _ = export::export(|| TraceReader::open(bytes), None, export::Part::default(), &mut *exporter);
    }
    let mut exported = Vec::new();
    let mut jsonl = export::exporter(Form::Jsonl, &header, Rules::unknown(), &mut exported);
    let summary = export::export(|| TraceReader::open(bytes), None, export::Part::default(), &mut *jsonl);
    drop(jsonl);
    assert_eq!(sorted.is_ok(), summary.is_ok(), "what can be sorted can be exported");
    if let Ok(summary) = summary {
        let n_lines = exported.iter().filter(|&&byte| byte == b'\n').count() as u64;
        assert_eq!(n_lines, summary.n_delivered + 1, "every event that is delivered has a line");
        let _ = summary.notes();
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_content(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});

/// Bytes of the magic and the version, and of the head of a frame.
const START_BYTES: usize = 12;
const HEAD_BYTES: usize = 17;
/// Bytes behind the content of a footer, whose kind is 3.
const TAIL_BYTES: usize = 8;
const FOOTER: u8 = 3;
const MOST_CONTENT: usize = 1 << 16;

/// A frame: its kind and where its payload stands.
struct Frame {
    kind: u8,
    start: usize,
    end: usize,
}

/// Changes the content of one frame; `None` where that is not possible or not wanted this time.
fn mutate_content(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> Option<usize> {
    let frames = frames(&data[..size]);
    // Rarely the header, which comes first: a changed text does not fit its hash.
    let frame_idx = match seed as usize % 16 {
        0 => return None,
        1 => 0,
        _ => 1 + (seed as usize / 16) % frames.len().checked_sub(1).filter(|&n_others| n_others > 0)?,
    };
    let frame = frames.get(frame_idx)?;
    let payload = &data[frame.start + HEAD_BYTES..frame.end];
    let n_tail = if frame.kind == FOOTER { TAIL_BYTES } else { 0 };
    let (payload, tail) = payload.split_at(payload.len().checked_sub(n_tail)?);
    let n_events = data.get(frame.start + 9..frame.start + 13)?;
    let mut content = zstd::bulk::decompress(payload, MOST_CONTENT).ok()?;
    let n_content = content.len();
    content.resize(MOST_CONTENT, 0);
    let n_content = fuzzer_mutate(&mut content, n_content, MOST_CONTENT);
    content.truncate(n_content);
    let packed = packed(frame.kind, n_events, &content, tail)?;
    let mutated = [&data[..frame.start], &packed, &data[frame.end..size]].concat();
    (mutated.len() <= max_size).then(|| {
        data[..mutated.len()].copy_from_slice(&mutated);
        mutated.len()
    })
}

fn frames(data: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut start = START_BYTES;
    while let Some(&[kind, a, b, c, d]) = data.get(start..start + 5).and_then(|head| head.first_chunk()) {
        let end = start + HEAD_BYTES + u32::from_le_bytes([a, b, c, d]) as usize;
        if end > data.len() {
            break;
        }
        frames.push(Frame { kind, start, end });
        start = end;
    }
    frames
}

fn packed(kind: u8, n_events: &[u8], content: &[u8], tail: &[u8]) -> Option<Vec<u8>> {
    let payload = [&zstd::bulk::compress(content, 1).ok()?[..], tail].concat();
    let mut frame = vec![kind];
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(&(content.len() as u32).to_le_bytes());
    frame.extend_from_slice(n_events);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&frame);
    hasher.update(&payload);
    frame.extend_from_slice(&hasher.finalize().to_le_bytes());
    frame.extend_from_slice(&payload);
    Some(frame)
}
