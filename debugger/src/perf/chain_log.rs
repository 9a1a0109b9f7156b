//! The links of all chains, as bytes: in memory up to a bound, then in a file.
//!
//! A chain can have as many events as the record. It is read once, from its last event back.

use std::io::{self, SeekFrom};

use hasse_model::id::{ActionId, EventId, ObjectId};

use super::scratch::{OpenScratch, ScratchFile};

/// Bytes in memory before they are written.
const MOST_HELD: usize = 32 << 20;
/// Bytes that are read at once.
const READ_AT_ONCE: u64 = 1 << 20;
/// Most bytes that a link takes: a byte for its kind and 15 numbers.
const MOST_LINK: usize = 1 + 15 * 10;

/// Where a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u64);

/// An event on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) event: EventId,
    pub(super) firing_rule: i32,
    /// Number of the list of its routing rules.
    pub(super) routes: u32,
    /// Whether it adds anything.
    pub(super) counts: bool,
    pub(super) worker: u32,
    /// When all that it takes by values and sequence was there.
    pub(super) ready: u64,
    pub(super) start: u64,
    /// When it had its locks.
    pub(super) granted: u64,
    pub(super) computes: u64,
    pub(super) end: u64,
    pub(super) via: Via,
    /// The event before it on the chain.
    pub(super) before: Option<Place>,
}

/// How the event before is immediately before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Via {
    /// It is not: the chain begins here.
    Nothing,
    /// A value that it sent, at position `flow_idx` of `n_flow`.
    Value { flow_idx: usize, n_flow: usize },
    /// It accessed this object.
    Object(ObjectId),
    /// It is recorded, and something came from it over this object through others.
    Relayed(ObjectId),
    /// It is the action's event before.
    Sequence,
}

/// The links, in the order of their events.
#[derive(Debug)]
pub(super) struct ChainLog {
    open: OpenScratch,
    most_held: usize,
    held: Vec<u8>,
    /// Number of bytes before those in memory: in the file.
    n_written: u64,
    file: Option<Box<dyn ScratchFile>>,
    /// A part of the file, and where it begins.
    read: (u64, Vec<u8>),
}

impl ChainLog {
    pub(super) fn new(open: OpenScratch) -> Self {
        Self::with_memory(open, MOST_HELD)
    }

    pub(super) fn with_memory(open: OpenScratch, most_held: usize) -> Self {
        Self { open, most_held, held: Vec::new(), n_written: 0, file: None, read: (0, Vec::new()) }
    }

    /// Takes in a link.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn push(&mut self, link: &Link) -> io::Result<Place> {
        if self.held.len() >= self.most_held {
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert((self.open)()?),
            };
            file.write_all(&self.held)?;
            self.n_written += self.held.len() as u64;
            self.held.clear();
        }
        let place = Place(self.n_written + self.held.len() as u64);
        put(&mut self.held, link, place);
        Ok(place)
    }

    /// The link at a place.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn get(&mut self, place: Place) -> io::Result<Link> {
        if let Some(at) = place.0.checked_sub(self.n_written) {
            return Ok(take(&self.held[at as usize..], place));
        }
        let (first, bytes) = &self.read;
        let has_it = place.0 >= *first
            && (place.0 + MOST_LINK as u64).min(self.n_written) <= first + bytes.len() as u64;
        if !has_it {
            // The links before it come next.
            let last = (place.0 + MOST_LINK as u64).min(self.n_written);
            let first = last.saturating_sub(READ_AT_ONCE);
            let mut bytes = vec![0; (last - first) as usize];
            if let Some(file) = &mut self.file {
                file.seek(SeekFrom::Start(first))?;
                file.read_exact(&mut bytes)?;
            }
            self.read = (first, bytes);
        }
        let (first, bytes) = &self.read;
        Ok(take(&bytes[(place.0 - first) as usize..], place))
    }
}

fn put(out: &mut Vec<u8>, link: &Link, place: Place) {
    let (kind, numbers) = match link.via {
        Via::Nothing => (0, [0, 0]),
        Via::Value { flow_idx, n_flow } => (1, [flow_idx as u64, n_flow as u64]),
        Via::Object(object) => (2, [u64::from(object.0), 0]),
        Via::Relayed(object) => (3, [u64::from(object.0), 0]),
        Via::Sequence => (4, [0, 0]),
    };
    out.push(kind << 1 | u8::from(link.counts));
    let back = link.before.map_or(0, |before| place.0 - before.0);
    let numbers = [
        u64::from(link.event.action.0),
        link.event.count,
        u64::from(link.firing_rule.cast_unsigned().wrapping_add(1)),
        link.routes.into(),
        link.worker.into(),
        link.end,
        link.end.wrapping_sub(link.computes),
        link.end.wrapping_sub(link.granted),
        link.end.wrapping_sub(link.start),
        link.end.wrapping_sub(link.ready),
        back,
        numbers[0],
        numbers[1],
    ];
    for mut number in numbers {
        while number >= 0x80 {
            out.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        out.push(number.to_le_bytes()[0]);
    }
}

/// Reads what [`put`] wrote.
fn take(bytes: &[u8], place: Place) -> Link {
    let (kind, mut rest) = (bytes[0], &bytes[1..]);
    let mut next = || {
        let n_more = rest.iter().take_while(|byte| **byte >= 0x80).count();
        let (own, others) = rest.split_at(n_more + 1);
        rest = others;
        own.iter().rev().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f))
    };
    let short = |number: u64| number as u32;
    let event = EventId { action: ActionId(short(next())), count: next() };
    let firing_rule = short(next()).wrapping_sub(1).cast_signed();
    let (routes, worker, end) = (short(next()), short(next()), next());
    let mut earlier = || end.wrapping_sub(next());
    let (computes, granted, start, ready) = (earlier(), earlier(), earlier(), earlier());
    let back = next();
    let (first, second) = (next(), next());
    let via = match kind >> 1 {
        0 => Via::Nothing,
        1 => Via::Value { flow_idx: first as usize, n_flow: second as usize },
        2 => Via::Object(ObjectId(short(first))),
        3 => Via::Relayed(ObjectId(short(first))),
        _ => Via::Sequence,
    };
    let before = (back > 0).then(|| Place(place.0 - back));
    let counts = kind & 1 == 1;
    Link { event, firing_rule, routes, counts, worker, ready, start, granted, computes, end, via, before }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::scratch::in_memory;
    use super::*;

    fn links() -> impl Strategy<Value = Link> {
        let via = prop_oneof![
            Just(Via::Nothing),
            (0..9_usize, 0..9_usize).prop_map(|(flow_idx, n_flow)| Via::Value { flow_idx, n_flow }),
            any::<u32>().prop_map(|object| Via::Object(ObjectId(object))),
            any::<u32>().prop_map(|object| Via::Relayed(ObjectId(object))),
            Just(Via::Sequence),
        ];
        let ids = (any::<u32>(), any::<u64>(), any::<i32>(), any::<u32>(), any::<bool>(), any::<u32>());
        (ids, any::<[u64; 5]>(), via).prop_map(|(ids, times, via)| {
            let (action, count, firing_rule, routes, counts, worker) = ids;
            let [ready, start, granted, computes, end] = times;
            let event = EventId { action: ActionId(action), count };
            let before = None;
            Link {
                event,
                firing_rule,
                routes,
                counts,
                worker,
                ready,
                start,
                granted,
                computes,
                end,
                via,
                before,
            }
        })
    }

    proptest! {
        #[test]
        fn links_are_read_as_they_were_written(
            all in prop::collection::vec((links(), any::<prop::sample::Index>()), 1..80),
            most_held in 1..2000_usize,
        ) {
            let mut log = ChainLog::with_memory(in_memory, most_held);
            let mut places: Vec<Place> = Vec::new();
            let mut written = Vec::new();
            for (mut link, before) in all {
                link.before = (!places.is_empty()).then(|| *before.get(&places));
                places.push(log.push(&link).expect("memory takes it"));
                written.push(link);
            }
            for (place, link) in places.iter().zip(&written).rev() {
                prop_assert_eq!(log.get(*place).expect("memory gives it"), *link);
            }
        }
    }
}
