//! The canonical digest of a run: equal for two runs exactly if they had the same events.
//!
//! Each event is written with paths in place of ids and hashed by BLAKE3; the hashes are added up
//! as 256-bit numbers, so that neither the order in which events come nor the ids of a run matter;
//! the sum is hashed together with the number of events. Addition of hashes is a multiset hash
//! (Clarke et al., 2003, MSet-Add-Hash); it guards against accidents, not against an adversary who
//! makes up events. Time: linear in the events and the items of their lists. Memory: one event, and one hash for each graph instance.

use std::fmt;
use std::io::Write;

use rustc_hash::FxHashMap;

use crate::event::EventRecord;
use crate::id::{GraphInstanceId, Index};
use crate::plan::Access;
use crate::trace::Names;

pub use history::{ActionHistory, EventHistory, Found, History, HistoryDigest, Row};

/// Digests that are computed while a run goes on.
pub(crate) mod history;

/// What identifies a set of events. Displays as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Takes events in any order and makes a [`Digest`] of them. What an event names must have been
/// announced to the names by then: add events in causal order, or after reading everything.
#[derive(Clone, Debug, Default)]
pub struct Digester {
    /// Sum of the events' hashes modulo 2^256, least significant word first.
    sum: [u64; 4],
    n_events: u64,
    text: Vec<u8>,
    keys: GraphKeys,
    is_restricted: bool,
}

impl Digester {
    /// A digester that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A digester of restricted records, whose predecessors are sets.
    pub fn restricted() -> Self {
        Self { is_restricted: true, ..Self::default() }
    }

    /// Adds an event: action path, count, rule, routes, flow predecessors, shared accesses, outcome
    /// and number of values sent. Effects, output and error texts do not count.
    pub fn add(&mut self, event: &EventRecord, names: &Names) {
        let hash = self.hash(event, names);
        let (words, _) = hash.as_chunks::<8>();
        let mut carry = false;
        for (sum, &word) in self.sum.iter_mut().zip(words) {
            (*sum, carry) = sum.carrying_add(u64::from_le_bytes(word), carry);
        }
        self.n_events += 1;
    }

    /// The hash of one event, which is the same in two records exactly if what [`add`](Self::add) looks at is. Adds nothing.
    pub fn hash(&mut self, event: &EventRecord, names: &Names) -> [u8; 32] {
        self.text.clear();
        put_event(&mut self.text, event, names, &mut self.keys, self.is_restricted)
            .expect("a vector takes every write");
        *blake3::hash(&self.text).as_bytes()
    }

    /// A digester of the same kind that has seen nothing.
    #[must_use]
    pub fn cleared(&self) -> Self {
        Self { is_restricted: self.is_restricted, ..Self::default() }
    }

    /// The hash of a text, such as the path of an event.
    pub fn hash_of_text(text: &str) -> [u8; 32] {
        *blake3::hash(text.as_bytes()).as_bytes()
    }

    /// The digest of all events added.
    pub fn finish(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.n_events.to_le_bytes());
        self.sum.iter().for_each(|word| {
            hasher.update(&word.to_le_bytes());
        });
        Digest(*hasher.finalize().as_bytes())
    }
}

/// Hashes of the paths of graph instances, so that the cost of an event does not grow with its depth.
#[derive(Clone, Debug, Default)]
struct GraphKeys(FxHashMap<GraphInstanceId, [u8; 32]>);

impl GraphKeys {
    /// The key of a graph instance: the hash of its parent's key, its call and its index.
    fn key(&mut self, graph: GraphInstanceId, names: &Names) -> [u8; 32] {
        let mut steps = Vec::new();
        let mut at = graph;
        let mut key = loop {
            if at == GraphInstanceId::MAIN {
                break [0; 32];
            }
            if let Some(known) = self.0.get(&at) {
                break *known;
            }
            // A graph instance that was never announced counts as one of its own.
            let Some(record) = names.graph(at) else { break [0xFF; 32] };
            steps.push(record);
            at = record.parent;
        };
        for record in steps.into_iter().rev() {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&key);
            hasher.update(names.call_name(record.call).unwrap_or("?").as_bytes());
            hasher.update(record.index.to_string().as_bytes());
            key = *hasher.finalize().as_bytes();
            self.0.insert(record.graph, key);
        }
        key
    }

    /// Writes a path, with the key of the graph instance in place of its path.
    fn put(
        &mut self,
        text: &mut Vec<u8>,
        place: Option<(GraphInstanceId, &str, &Index)>,
        names: &Names,
    ) -> std::io::Result<()> {
        let Some((graph, name, index)) = place else { return write!(text, "/?") };
        if graph != GraphInstanceId::MAIN {
            text.extend_from_slice(&self.key(graph, names));
        }
        write!(text, "/{name}{index}")
    }
}

/// Writes one property a line; no path contains a line end or a space, so that no two events read
/// the same.
fn put_event(
    text: &mut Vec<u8>,
    event: &EventRecord,
    names: &Names,
    keys: &mut GraphKeys,
    is_restricted: bool,
) -> std::io::Result<()> {
    keys.put(text, names.place_of_action(event.id.action), names)?;
    writeln!(text, ":{} {}", event.id.count, event.rule)?;
    event.routes.iter().try_for_each(|route| write!(text, "{route} "))?;
    text.push(b'\n');
    if is_restricted {
        put_sets(text, event, names, keys)?;
        return write!(text, "\n{} {}\n", event.outcome.name(), event.flow_successors);
    }
    for sender in &event.flow {
        keys.put(text, names.place_of_action(sender.action), names)?;
        write!(text, ":{} ", sender.count)?;
    }
    text.push(b'\n');
    for access in &event.shared {
        keys.put(text, names.place_of_object(access.object), names)?;
        write!(text, " {} ", access_name(access.access))?;
        match access.writer {
            Some(writer) => {
                keys.put(text, names.place_of_action(writer.action), names)?;
                write!(text, ":{} ", writer.count)?;
            }
            None => write!(text, "- ")?,
        }
        write!(text, "{} ", access.readers)?;
    }
    write!(text, "\n{} {}\n", event.outcome.name(), event.flow_successors)
}

/// Writes the predecessors of a restricted record in an order that does not depend on ids.
fn put_sets(
    text: &mut Vec<u8>,
    event: &EventRecord,
    names: &Names,
    keys: &mut GraphKeys,
) -> std::io::Result<()> {
    let mut entries: Vec<Vec<u8>> = Vec::new();
    for sender in &event.flow {
        let mut entry = Vec::new();
        keys.put(&mut entry, names.place_of_action(sender.action), names)?;
        write!(entry, ":{} ", sender.count)?;
        entries.push(entry);
    }
    for relayed in &event.relayed {
        let mut entry = b" ".to_vec();
        keys.put(&mut entry, names.place_of_object(relayed.object), names)?;
        write!(entry, " {} ", access_name(relayed.access))?;
        keys.put(&mut entry, names.place_of_action(relayed.event.action), names)?;
        write!(entry, ":{} ", relayed.event.count)?;
        entries.push(entry);
    }
    entries.sort_unstable();
    entries.iter().for_each(|entry| text.extend_from_slice(entry));
    Ok(())
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
    }
}
