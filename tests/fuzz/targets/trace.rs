//! A trace of any bytes: a readable, causally closed prefix or an error, never a panic.

#![no_main]

use hasse_debugger::export::jsonl;
use hasse_debugger::info::summarize;
use hasse_debugger::read::for_each_in_order;
use hasse_model::digest::Digester;
use hasse_model::trace::TraceReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = TraceReader::open(bytes) else { return };
    if let Ok(info) = summarize(reader, Some(bytes.len() as u64)) {
        let _ = (info.to_text(), info.to_json());
    }
    let mut digester = Digester::new();
    let Ok(reader) = TraceReader::open(bytes) else { return };
    let sorted = for_each_in_order(reader, |event, names| digester.add(&event, names));
    let _ = digester.finish();
    let mut exported = Vec::new();
    let summary = jsonl::export(|| TraceReader::open(bytes), &mut exported);
    assert_eq!(sorted.is_ok(), summary.is_ok(), "what can be sorted can be exported");
    if let Ok(summary) = summary {
        let n_lines = exported.iter().filter(|&&byte| byte == b'\n').count() as u64;
        assert_eq!(n_lines, summary.n_delivered + 1, "every event that is delivered has a line");
        let _ = summary.notes();
    }
});
