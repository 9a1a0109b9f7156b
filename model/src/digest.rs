//! The canonical digest of a run: equal for two runs exactly if they had the same events.
//!
//! Each event is written with paths in place of ids and hashed by BLAKE3; the hashes are added up
//! as 256-bit numbers, so that neither the order in which events come nor the ids of a run matter;
//! the sum is hashed together with the number of events. Addition of hashes is a multiset hash
//! (Clarke et al., 2003, MSet-Add-Hash); it guards against accidents, not against an adversary who
//! makes up events. Time: linear in the events and the items of their lists. Memory: one event.

use std::fmt;
use std::io::Write;

use crate::event::EventRecord;
use crate::plan::Access;
use crate::trace::Names;

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
}

impl Digester {
    /// A digester that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event: action path, count, rule, routes, flow predecessors, shared accesses, outcome
    /// and number of values sent. Effects, output and error texts do not count.
    pub fn add(&mut self, event: &EventRecord, names: &Names) {
        self.text.clear();
        put_event(&mut self.text, event, names).expect("a vector takes every write");
        let hash = *blake3::hash(&self.text).as_bytes();
        let (words, _) = hash.as_chunks::<8>();
        let mut carry = false;
        for (sum, &word) in self.sum.iter_mut().zip(words) {
            (*sum, carry) = sum.carrying_add(u64::from_le_bytes(word), carry);
        }
        self.n_events += 1;
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

/// Writes one property a line; no path contains a line end or a space, so that no two events read
/// the same.
fn put_event(text: &mut Vec<u8>, event: &EventRecord, names: &Names) -> std::io::Result<()> {
    write!(text, "{} {}", names.event(event.id), event.rule)?;
    text.push(b'\n');
    event.routes.iter().try_for_each(|route| write!(text, "{route} "))?;
    text.push(b'\n');
    event.flow.iter().try_for_each(|&sender| write!(text, "{} ", names.event(sender)))?;
    text.push(b'\n');
    for access in &event.shared {
        let name = match access.access {
            Access::Read => "read",
            Access::Write => "write",
        };
        write!(text, "{} {name} ", names.object(access.object))?;
        match access.writer {
            Some(writer) => write!(text, "{} ", names.event(writer))?,
            None => write!(text, "- ")?,
        }
        write!(text, "{} ", access.readers)?;
    }
    write!(text, "\n{} {}\n", event.outcome.name(), event.flow_successors)
}
