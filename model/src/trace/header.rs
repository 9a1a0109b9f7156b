//! The header and the footer as bytes.

use std::sync::Arc;

use super::frame::{FORMAT_VERSION, VERSION_WITHOUT_BASE, VERSION_WITHOUT_HOLES};
use crate::digest::history::HistoryDigest;
use crate::encoding::place::{put_action, put_graph, take_action, take_graph};
use crate::encoding::value::{put_value, take_value};
use crate::encoding::varint::{Cursor, Malformed, put_bytes, put_varint};
use crate::event::{ActionRecord, GraphRecord};
use crate::id::ActionId;
use crate::snapshot::Snapshot;
use crate::value::Value;

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
        RecordingMode::Holes => 4,
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
    if header.n_before > 0 || header.base.is_some() {
        put_varint(out, header.n_before);
    }
    if let Some(base) = &header.base {
        let mut bytes = Vec::new();
        let written = base.write(&mut bytes);
        written.map_err(|_| Malformed("the state that the events go on from has no form in bytes"))?;
        put_bytes(out, &bytes);
    }
    if let (RecordingMode::Holes, Some(kept)) = (header.mode, &header.kept) {
        put_texts(out, &kept.selectors);
        put_texts(out, &kept.nodes);
    }
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
        4 => RecordingMode::Holes,
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
    let n_before = if cursor.is_empty() { 0 } else { cursor.varint()? };
    let base = if cursor.is_empty() { None } else { Some(Arc::new(take_base(&mut cursor)?)) };
    let kept = match mode {
        RecordingMode::Holes => {
            Some(Arc::new(Kept { selectors: take_texts(&mut cursor)?, nodes: take_texts(&mut cursor)? }))
        }
        _ => None,
    };
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
        n_before,
        base,
        kept,
    };
    if header.program_hash() != program_hash {
        return Err(Malformed("the program's text does not have the hash that was stored with it"));
    }
    if !cursor.is_empty() {
        return Err(Malformed("there is more data than a header"));
    }
    Ok(header)
}

fn take_base(cursor: &mut Cursor<'_>) -> Result<Snapshot, Malformed> {
    let mut bytes = cursor.bytes()?;
    let damaged = Malformed("the state that the events go on from is damaged");
    let base = Snapshot::read(&mut bytes).map_err(|_| damaged)?;
    if bytes.is_empty() { Ok(base) } else { Err(Malformed("there is more data than a state")) }
}

/// In a footer: a digest of today's kind follows. That of 1, up to format version 7, was computed in another way.
const FOOTER_DIGEST: u8 = 2;

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
            out.push(FOOTER_DIGEST);
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
        kind => {
            let bits =
                cursor.slice(8)?.try_into().map_err(|_| Malformed("the digest has not eight bytes"))?;
            let digest = HistoryDigest::from_bits(u64::from_le_bytes(bits));
            // That of another kind is not that of a run of today.
            (kind == FOOTER_DIGEST).then_some(digest)
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

/// How much a run recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordingMode {
    /// Every event with all its predecessors.
    #[default]
    Full,
    /// Events of selected actions; the others relay their predecessors.
    Restricted,
    /// Only the choices that a run was free to make.
    Minimal,
    /// Every event with its predecessors, worker, start and end.
    Perf,
    /// Every event of some graph instances, and the values that came into these from outside.
    Holes,
}

impl RecordingMode {
    /// The name in exports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RecordingMode::Full => "full",
            RecordingMode::Restricted => "restricted",
            RecordingMode::Minimal => "minimal",
            RecordingMode::Perf => "perf",
            RecordingMode::Holes => "holes",
        }
    }
}

/// What a trace says before its first event: all that a replay or an analysis needs beside the
/// events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceHeader {
    /// Path of the program file as it was given.
    pub program_path: String,
    /// Text of the program file.
    pub program_text: String,
    /// How much was recorded.
    pub mode: RecordingMode,
    /// Number of worker threads.
    pub n_workers: u32,
    /// Seed of the scheduler, where it had one.
    pub seed: Option<u64>,
    /// Creation parameters of the main graph by name, in the order of the file.
    pub params: Vec<(String, Value)>,
    /// Labels of the templates (see [`Plan::template_label`](crate::plan::Plan::template_label)); a
    /// `TemplateId` is a position here.
    pub templates: Vec<String>,
    /// Labels of the declared shared objects; a `SharedId` is a position here.
    pub shared: Vec<String>,
    /// Labels of the call nodes; a `CallId` is a position here.
    pub calls: Vec<String>,
    /// Version of the Hasse that ran the program.
    pub hasse_version: String,
    /// Number of events recorded before the first one of this trace, which are not kept: more than 0 if the record was
    /// rotated.
    pub n_before: u64,
    /// The state that the later events go on from, where the events before it do not lead to it: somebody changed values or the
    /// program there. Its cut says which events these are.
    pub base: Option<Arc<Snapshot>>,
    /// The part of the run that is kept; there if and only if the mode is [`RecordingMode::Holes`].
    pub kept: Option<Arc<Kept>>,
}

/// The part of a run that a record with holes keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Selectors of the kept graph instances and actions, as they were given.
    pub selectors: Vec<String>,
    /// Labels of the nodes that have kept actions, in the order of the program.
    pub nodes: Vec<String>,
}

impl TraceHeader {
    /// Oldest version of the format that has all that this header says.
    pub(super) fn format_version(&self) -> u32 {
        match (&self.kept, &self.base) {
            (Some(_), _) => FORMAT_VERSION,
            (None, Some(_)) => VERSION_WITHOUT_HOLES,
            (None, None) => VERSION_WITHOUT_BASE,
        }
    }

    /// BLAKE3 of the program's text; stored in the trace and verified on reading.
    pub fn program_hash(&self) -> [u8; 32] {
        *blake3::hash(self.program_text.as_bytes()).as_bytes()
    }
}

/// What a trace says after its last event. A run that was killed leaves none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFooter {
    /// How the run ended: `finished`, `failed`, `quiescent` or `stopped`; [`CUT_OFF`](Self::CUT_OFF) in a trace that was
    /// recovered.
    pub outcome: String,
    /// Number of events in all batches.
    pub n_events: u64,
    /// Number of events of the run, recorded or not.
    pub n_executed: u64,
    /// Number of actions created.
    pub n_actions: u64,
    /// Graph instances that idle actions belong to, and their parents, parents first.
    pub idle_graphs: Vec<GraphRecord>,
    /// Actions that were created and never executed.
    pub idle_actions: Vec<ActionRecord>,
    /// Of a minimal record: the digest of all events of the run, recorded or not.
    pub digest: Option<HistoryDigest>,
}

impl TraceFooter {
    /// The outcome in the footer of a trace that was recovered: nobody knows how the run ended.
    pub const CUT_OFF: &str = "cut off";

    /// Whether the trace was recovered, so that the run went on behind what it holds.
    pub fn is_cut_off(&self) -> bool {
        self.outcome == Self::CUT_OFF
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::trace::{TraceReader, TraceWriter};

    fn bytes_of(header: &TraceHeader) -> Vec<u8> {
        TraceWriter::new(Vec::new(), header).unwrap().into_inner()
    }

    #[test]
    fn base_is_read_again_and_needs_a_newer_version() {
        let base = Snapshot { n_events: 7, random_seed: 3, ..Snapshot::default() };
        let header = TraceHeader { base: Some(Arc::new(base)), ..TraceHeader::default() };
        let bytes = bytes_of(&header);
        assert_eq!(TraceReader::open(&bytes[..]).unwrap().header(), &header);
        assert_eq!(bytes[8..12], VERSION_WITHOUT_HOLES.to_le_bytes());
        let without = bytes_of(&TraceHeader::default());
        assert_eq!(TraceReader::open(&without[..]).unwrap().header().base, None);
        assert_eq!(without[8..12], VERSION_WITHOUT_BASE.to_le_bytes());
    }

    #[test]
    fn kept_part_is_read_again_and_needs_the_newest_version() {
        let kept = Kept { selectors: vec!["/Part[2]".to_owned()], nodes: vec!["part.Add".to_owned()] };
        let header = TraceHeader {
            mode: RecordingMode::Holes,
            base: Some(Arc::default()),
            kept: Some(Arc::new(kept)),
            ..TraceHeader::default()
        };
        let bytes = bytes_of(&header);
        assert_eq!(TraceReader::open(&bytes[..]).unwrap().header(), &header);
        assert_eq!(bytes[8..12], FORMAT_VERSION.to_le_bytes());
        let mut content = Vec::new();
        put_header(&mut content, &header).unwrap();
        assert!(take_header(&content[..content.len() - 1]).is_err());
    }

    #[test]
    fn damaged_base_is_refused() {
        let header = TraceHeader { base: Some(Arc::default()), ..TraceHeader::default() };
        let mut content = Vec::new();
        put_header(&mut content, &header).unwrap();
        let whole = content.clone();
        assert!(take_header(&whole).is_ok());
        if let Some(last) = content.last_mut() {
            *last ^= 1;
        }
        assert_eq!(
            take_header(&content).err().map(|error| error.0),
            Some("the state that the events go on from is damaged")
        );
        let cut_off = &whole[..whole.len() - 1];
        assert!(take_header(cut_off).is_err());
        let longer = [&whole[..], &[0]].concat();
        assert_eq!(take_header(&longer).err().map(|error| error.0), Some("there is more data than a header"));
    }
}
