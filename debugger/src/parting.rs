//! The first event in which two records of one program part.
//!
//! An event is the same in both if its action, count, rule, routes, predecessors, shared accesses and outcome are. Events
//! are read in causal order, so that all events before the first one that differs are the same in both records: what
//! differs there is a free choice, or what was given from outside.

use std::fmt;

use hasse_model::digest::Digester;
use hasse_model::event::EventRecord;
use hasse_model::plan::Access;
use hasse_model::quantity::counted;
use hasse_model::trace::{BatchSource, Names, RecordingMode};
use rustc_hash::FxHashMap;

use crate::read::{ReadError, lend_in_order};

/// An event in which two records part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Its path, such as `/Merge:3`.
    pub event: String,
    /// The event as each record has it; `None` where a record lacks it.
    pub sides: [Option<Side>; 2],
}

/// An event as one record has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Number of the firing rule, from 1; 0 where none was taken.
    pub rule: u32,
    /// Paths of the flow predecessors, in the order of the values taken.
    pub flow: Vec<String>,
    /// Objects accessed, each with the event that wrote it before.
    pub shared: Vec<(String, Option<String>)>,
    /// Objects written, each with the number of reads since it was written before.
    pub reads: Vec<(String, u64)>,
    /// Numbers of the routing rules taken, from 1.
    pub routes: Vec<u32>,
    /// Number of values sent along arcs.
    pub n_sent: u64,
    /// The outcome in a word.
    pub outcome: &'static str,
}

impl Side {
    fn of(event: &EventRecord, names: &Names) -> Self {
        Self {
            rule: u32::try_from(event.rule + 1).unwrap_or(0),
            flow: event.flow.iter().map(|&before| names.event(before).to_string()).collect(),
            shared: event
                .shared
                .iter()
                .map(|access| {
                    let writer = access.writer.map(|writer| names.event(writer).to_string());
                    (names.object(access.object).to_string(), writer)
                })
                .collect(),
            reads: event
                .shared
                .iter()
                .filter(|access| access.access == Access::Write)
                .map(|access| (names.object(access.object).to_string(), access.readers))
                .collect(),
            routes: event.routes.iter().map(|route| route + 1).collect(),
            n_sent: event.flow_successors,
            outcome: event.outcome.name(),
        }
    }
}

/// Writes `/Merge:3: from /A:1 | from /B:1`: of each side what the other does not have.
impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.event)?;
        match &self.sides {
            [Some(left), Some(right)] => {
                write!(f, "{} | {}", difference(left, right), difference(right, left))
            }
            [Some(_), None] => f.write_str("in the first record alone"),
            [None, Some(_)] => f.write_str("in the second record alone"),
            [None, None] => f.write_str("in no record"),
        }
    }
}

/// Properties of one side that the other side lacks.
fn difference(own: &Side, other: &Side) -> String {
    let mut parts = Vec::new();
    if own.rule != other.rule {
        parts.push(format!("rule {}", own.rule));
    }
    if own.flow != other.flow {
        parts.push(match own.flow.as_slice() {
            [] => "from no event".to_owned(),
            flow => format!("from {}", flow.join(", ")),
        });
    }
    for access in own.shared.iter().filter(|access| !other.shared.contains(access)) {
        parts.push(match access {
            (object, Some(writer)) => format!("{object} as written by {writer}"),
            (object, None) => format!("{object} as it was at first"),
        });
    }
    if own.outcome != other.outcome {
        parts.push(own.outcome.to_owned());
    }
    if own.routes != other.routes || own.n_sent != other.n_sent {
        parts.push(sent_text(own));
    }
    for (object, n_reads) in own.reads.iter().filter(|read| !other.reads.contains(read)) {
        parts.push(format!("{object} after {}", counted(*n_reads, "read")));
    }
    if parts.is_empty() {
        // In a restricted record.
        parts.push("other causes by way of shared objects".to_owned());
    }
    parts.join(", ")
}

/// Number of values that an event sent and the rules by which it did: `sends 2 values by routing rule 1`.
fn sent_text(side: &Side) -> String {
    let rules: Vec<String> = side.routes.iter().map(u32::to_string).collect();
    match (side.n_sent, rules.as_slice()) {
        (0, []) => "sends no value".to_owned(),
        (n_sent, []) => format!("sends {}", counted(n_sent, "value")),
        (n_sent, [rule]) => format!("sends {} by routing rule {rule}", counted(n_sent, "value")),
        (n_sent, _) => format!("sends {} by routing rules {}", counted(n_sent, "value"), rules.join(", ")),
    }
}

/// Finds the first event in which two records part; `None` where both have the same events. `open` opens the first record, 0,
/// or the second, 1; each is opened twice at most. Restricted records part where what was selected differs, too. Memory: 32 bytes for each event of the
/// first record.
///
/// # Errors
/// A record cannot be opened or read, or contradicts itself.
pub fn parting<S: BatchSource, E: From<ReadError>>(
    mut open: impl FnMut(usize) -> Result<S, E>,
) -> Result<Option<Parting>, E> {
    let left = open(0)?;
    let mut digester = match left.header().mode {
        RecordingMode::Restricted => Digester::restricted(),
        RecordingMode::Full | RecordingMode::Minimal | RecordingMode::Perf | RecordingMode::Holes => {
            Digester::new()
        }
    };
    let mut known: FxHashMap<u128, u128> = FxHashMap::default();
    lend_in_order(left, |event, names| {
        known.insert(key(event, names), shortened(digester.hash(event, names)));
    })?;
    let mut differs: Option<(String, Side)> = None;
    // Keys of the graph instances of one record mean nothing in another.
    let mut digester = digester.cleared();
    lend_in_order(open(1)?, |event, names| {
        if differs.is_some() {
            return;
        }
        let found = known.remove(&key(event, names));
        if found != Some(shortened(digester.hash(event, names))) {
            differs = Some((names.event(event.id).to_string(), Side::of(event, names)));
        }
    })?;
    if let Some((path, right)) = differs {
        let left = side_of(open(0)?, |event, names| names.event(event.id).to_string() == path)?;
        return Ok(Some(Parting { event: path, sides: [left.map(|(_, side)| side), Some(right)] }));
    }
    if known.is_empty() {
        return Ok(None);
    }
    let left = side_of(open(0)?, |event, names| known.contains_key(&key(event, names)))?;
    Ok(left.map(|(event, side)| Parting { event, sides: [Some(side), None] }))
}

/// The first event of a record that is as wanted.
fn side_of(
    source: impl BatchSource,
    mut is_wanted: impl FnMut(&EventRecord, &Names) -> bool,
) -> Result<Option<(String, Side)>, ReadError> {
    let mut found = None;
    lend_in_order(source, |event, names| {
        if found.is_none() && is_wanted(event, names) {
            found = Some((names.event(event.id).to_string(), Side::of(event, names)));
        }
    })?;
    Ok(found)
}

/// Key of an event: a hash of its path, which is the same in all records.
fn key(event: &EventRecord, names: &Names) -> u128 {
    shortened(Digester::hash_of_text(&names.event(event.id).to_string()))
}

fn shortened(hash: [u8; 32]) -> u128 {
    let (words, _) = hash.as_chunks::<16>();
    u128::from_le_bytes(words[0])
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use hasse_model::trace::TraceHeader;
    use proptest::prelude::*;

    use super::*;
    use crate::stored::Stored;
    use crate::testing::{self, History};

    fn parted(left: &History, right: &History) -> Option<Parting> {
        let names = testing::unread_names();
        let (templates, shared) = (names.templates().to_vec(), names.shared().to_vec());
        let header = TraceHeader { templates, shared, ..TraceHeader::default() };
        let batches = [left, right].map(|history| {
            let order: Vec<usize> = (0..history.events.len()).collect();
            history.batches(&order, 4)
        });
        parting(|side| Ok::<_, ReadError>(Stored::new(&header, &batches[side]))).unwrap()
    }

    fn path(event: &EventRecord) -> String {
        testing::names().event(event.id).to_string()
    }

    proptest! {
        #[test]
        fn same_events_part_nowhere_and_one_event_more_is_the_parting(history in testing::histories(40)) {
            prop_assert_eq!(parted(&history, &history), None);
            let mut shorter = history.clone();
            let Some(last) = shorter.events.pop() else { return Ok(()) };
            let has = |found: &Parting| found.sides.clone().map(|side| side.is_some());
            let found = parted(&history, &shorter).unwrap();
            prop_assert_eq!((&found.event, has(&found)), (&path(&last), [true, false]));
            let found = parted(&shorter, &history).unwrap();
            prop_assert_eq!((&found.event, has(&found)), (&path(&last), [false, true]));
        }

        #[test]
        fn event_that_sends_otherwise_says_what_it_sends(history in testing::histories(40), at in 0_usize..1000) {
            prop_assume!(!history.events.is_empty());
            let at = at % history.events.len();
            let [mut left, mut right] = [history.clone(), history];
            (left.events[at].routes, left.events[at].flow_successors) = (Vec::new(), 0);
            (right.events[at].routes, right.events[at].flow_successors) = (vec![0, 2], 2);
            let found = parted(&left, &right).unwrap();
            let shown = format!("{}: sends no value | sends 2 values by routing rules 1, 3", found.event);
            prop_assert_eq!(found.to_string(), shown);
        }

        #[test]
        fn event_with_another_rule_is_the_parting(history in testing::histories(40), at in 0_usize..1000) {
            prop_assume!(!history.events.is_empty());
            let at = at % history.events.len();
            let mut other = history.clone();
            other.events[at].rule += 1;
            let found = parted(&history, &other).unwrap();
            prop_assert_eq!(&found.event, &path(&history.events[at]));
            let [Some(left), Some(right)] = &found.sides else { panic!("{found:?}") };
            prop_assert_eq!(left.rule + 1, right.rule);
            let shown = format!("{}: rule {} | rule {}", found.event, left.rule, right.rule);
            prop_assert_eq!(found.to_string(), shown);
        }
    }
}
