//! The header and the footer as bytes.

use super::{RecordingMode, TraceFooter, TraceHeader};
use crate::digest::HistoryDigest;
use crate::encoding::place::{put_action, put_graph, take_action, take_graph};
use crate::encoding::value::{put_value, take_value};
use crate::encoding::varint::{Cursor, Malformed, put_bytes, put_varint};
use crate::id::ActionId;

/// Appends a header; `Err` where a parameter's value cannot be written.
pub(super) fn put_header(out: &mut Vec<u8>, header: &TraceHeader) -> Result<(), Malformed> {
    put_bytes(out, header.hasse_version.as_bytes());
    put_bytes(out, header.program_path.as_bytes());
    out.extend_from_slice(&header.program_hash());
    put_bytes(out, header.program_text.as_bytes());
    out.push(match header.mode {
        RecordingMode::Full => 0,
        RecordingMode::Restricted => 1,
        RecordingMode::Minimal => 2,
        RecordingMode::Perf => 3,
    });
    put_varint(out, u64::from(header.n_workers));
    match header.seed {
        None => out.push(0),
        Some(seed) => {
            out.push(1);
            put_varint(out, seed);
        }
    }
    put_varint(out, header.params.len() as u64);
    for (name, value) in &header.params {
        put_bytes(out, name.as_bytes());
        put_value(out, value)?;
    }
    put_texts(out, &header.templates);
    put_texts(out, &header.shared);
    put_texts(out, &header.calls);
    Ok(())
}

/// Takes a header and verifies the hash of the program's text.
pub(super) fn take_header(content: &[u8]) -> Result<TraceHeader, Malformed> {
    let mut cursor = Cursor(content);
    let hasse_version = cursor.text()?.to_owned();
    let program_path = cursor.text()?.to_owned();
    let program_hash = cursor.slice(32)?;
    let program_text = cursor.text()?.to_owned();
    let mode = match cursor.byte()? {
        0 => RecordingMode::Full,
        1 => RecordingMode::Restricted,
        2 => RecordingMode::Minimal,
        3 => RecordingMode::Perf,
        _ => return Err(Malformed("the recording mode is unknown")),
    };
    let n_workers = cursor.id()?;
    let seed = match cursor.byte()? {
        0 => None,
        _ => Some(cursor.varint()?),
    };
    let mut params = Vec::new();
    for _ in 0..cursor.n_items()? {
        params.push((cursor.text()?.to_owned(), take_value(&mut cursor)?));
    }
    let templates = take_texts(&mut cursor)?;
    let shared = take_texts(&mut cursor)?;
    let calls = take_texts(&mut cursor)?;
    let header = TraceHeader {
        program_path,
        program_text,
        mode,
        n_workers,
        seed,
        params,
        templates,
        shared,
        calls,
        hasse_version,
    };
    if header.program_hash() != program_hash {
        return Err(Malformed("the program's text does not have the hash that was stored with it"));
    }
    if !cursor.is_empty() {
        return Err(Malformed("there is more data than a header"));
    }
    Ok(header)
}

/// Appends a footer.
pub(super) fn put_footer(out: &mut Vec<u8>, footer: &TraceFooter) {
    put_bytes(out, footer.outcome.as_bytes());
    put_varint(out, footer.n_events);
    put_varint(out, footer.n_executed);
    put_varint(out, footer.n_actions);
    put_varint(out, footer.idle_graphs.len() as u64);
    footer.idle_graphs.iter().for_each(|graph| put_graph(out, graph));
    put_varint(out, footer.idle_actions.len() as u64);
    for action in &footer.idle_actions {
        put_varint(out, u64::from(action.action.0));
        put_action(out, action);
    }
    match footer.digest {
        None => out.push(0),
        Some(digest) => {
            out.push(1);
            out.extend_from_slice(&digest.to_bits().to_le_bytes());
        }
    }
}

/// Takes a footer.
pub(super) fn take_footer(content: &[u8]) -> Result<TraceFooter, Malformed> {
    let mut cursor = Cursor(content);
    let outcome = cursor.text()?.to_owned();
    let (n_events, n_executed, n_actions) = (cursor.varint()?, cursor.varint()?, cursor.varint()?);
    let mut idle_graphs = Vec::new();
    for _ in 0..cursor.n_items()? {
        idle_graphs.push(take_graph(&mut cursor)?);
    }
    let mut idle_actions = Vec::new();
    for _ in 0..cursor.n_items()? {
        let action = ActionId(cursor.id()?);
        idle_actions.push(take_action(&mut cursor, action)?);
    }
    let digest = match cursor.byte()? {
        0 => None,
        _ => {
            let bits =
                cursor.slice(8)?.try_into().map_err(|_| Malformed("the digest has not eight bytes"))?;
            Some(HistoryDigest::from_bits(u64::from_le_bytes(bits)))
        }
    };
    if !cursor.is_empty() {
        return Err(Malformed("there is more data than a footer"));
    }
    Ok(TraceFooter { outcome, n_events, n_executed, n_actions, idle_graphs, idle_actions, digest })
}

fn put_texts(out: &mut Vec<u8>, texts: &[String]) {
    put_varint(out, texts.len() as u64);
    texts.iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

fn take_texts(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Malformed> {
    let n_texts = cursor.n_items()?;
    (0..n_texts).map(|_| cursor.text().map(str::to_owned)).collect()
}
