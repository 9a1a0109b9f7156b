//! Longest chains by `<C`, as events come in causal order.
//!
//! An event takes the longest chain of those that end immediately before it (order.rs: flow, shared, sequence) and adds its own
//! computing. Of a predecessor that had not ended when the event began to compute, only what lies before that moment
//! counts: a value is under way before its sender's end is noted, and a chain is never longer than the time that passed.
//!
//! Chains share their beginnings. In memory is the last event of each chain that later events can continue; the others are
//! in a [log](ChainLog).

use std::io;

use smallvec::SmallVec;

use hasse_model::event::EventRecord;
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::RecordingMode;

use super::chain_log::{ChainLog, Link, Place, Via};
use super::scratch::OpenScratch;
use crate::carry::{Carry, TakenTooOften};

/// The last event of a chain, as far as later events ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) place: Place,
    computes: u64,
    end: u64,
    /// Length of the longest chain that ends here, in nanoseconds.
    pub(super) depth: u64,
    /// The same in events.
    pub(super) level: u64,
}

/// The events immediately before one, and how they are.
type Before = SmallVec<[(Via, Tail); 4]>;

/// Why an event cannot be taken in.
#[derive(Debug)]
pub(super) enum ChainError {
    TakenTooOften(TakenTooOften),
    Scratch(io::Error),
}

impl From<TakenTooOften> for ChainError {
    fn from(error: TakenTooOften) -> Self {
        Self::TakenTooOften(error)
    }
}

impl From<io::Error> for ChainError {
    fn from(error: io::Error) -> Self {
        Self::Scratch(error)
    }
}

/// An event before its chain is known.
pub(super) struct Head<'e> {
    pub(super) event: &'e EventRecord,
    pub(super) routes: u32,
    /// Worker, start and end, where they are known.
    pub(super) timing: Option<(u32, u64, u64)>,
    /// For how long it waited for the world outside, after it had taken its values and before its start.
    pub(super) suspended: u64,
    /// When it can have been carried on at the earliest, if it waited for locks.
    pub(super) resumed: u64,
    /// Whether it is to add anything.
    pub(super) counts: bool,
}

/// Who met an object last.
#[derive(Clone, Debug, Default)]
struct Meeting {
    writer: Option<Tail>,
    /// Readers since, without those that can neither end a longer chain nor hold a writer up for longer than another one.
    readers: SmallVec<[Tail; 2]>,
}

/// The chains that events can still continue.
#[derive(Debug)]
pub(super) struct Chains {
    is_timed: bool,
    events: Carry<Option<Tail>>,
    objects: IdTable<Meeting>,
    longest: Option<Tail>,
    log: ChainLog,
    /// Ends of the senders of the event that was taken in last.
    sent: SmallVec<[u64; 4]>,
}

impl Chains {
    /// Expects records of a mode; the longest chain is that with the most computing or with the most events.
    pub(super) fn new(mode: RecordingMode, is_timed: bool, open: OpenScratch) -> Self {
        let keeps_all = mode == RecordingMode::Restricted;
        let (events, objects, log) = (Carry::new(keeps_all), IdTable::new(), ChainLog::new(open));
        Self { is_timed, events, objects, longest: None, log, sent: SmallVec::new() }
    }

    /// Takes in the next event and gives its link, and the length of the longest chain to it in events.
    pub(super) fn event(&mut self, head: &Head<'_>) -> Result<(Link, u64), ChainError> {
        let event = head.event;
        let before = self.immediate(event)?;
        let values = before.iter().filter(|(via, _)| matches!(via, Via::Value { .. }));
        self.sent = values.map(|(_, sender)| sender.end).collect();
        let latest = |is_wanted: fn(Via) -> bool| {
            before.iter().filter(|(via, _)| is_wanted(*via)).map(|(_, link)| link.end).max()
        };
        let came = latest(|via| !matches!(via, Via::Object(_)));
        let unlocked = latest(|via| matches!(via, Via::Object(_))).unwrap_or(0);
        let (worker, start, end) = head.timing.unwrap_or_else(|| {
            let at = came.unwrap_or(0).max(unlocked);
            (0, at, at)
        });
        let end = end.max(start);
        // An answer is one more of what it needs.
        let ready = came.map_or(start, |came| came.saturating_add(head.suspended).min(start));
        let began = before.iter().map(|(_, link)| link.computes).max().unwrap_or(0);
        let granted = start.max(unlocked.min(end));
        let computes = granted.max(head.resumed.min(end)).max(began);
        let end = end.max(computes);
        let reached = |link: &Tail| match self.is_timed {
            true => (link.depth - link.end.saturating_sub(computes), link.end),
            false => (link.level, 0),
        };
        // Of equal ones the first: a value says more than an object, and that more than the sequence.
        let longest = before.iter().rev().max_by_key(|(_, link)| reached(link));
        let (via, chain) = longest.map_or((Via::Nothing, None), |(via, link)| (*via, Some(*link)));
        let level = before.iter().map(|(_, link)| link.level).max().unwrap_or(0);
        let unit = u64::from(head.counts);
        let depth = chain.as_ref().map_or(0, |link| link.depth - link.end.saturating_sub(computes));
        let link = Link {
            event: event.id,
            firing_rule: event.rule,
            routes: head.routes,
            counts: head.counts,
            worker,
            ready,
            start,
            granted,
            computes,
            end,
            via,
            before: chain.map(|chain| chain.place),
        };
        let depth = depth + unit * (end - computes);
        let tail = Tail { place: self.log.push(&link)?, computes, end, depth, level: level + unit };
        self.leave(event, tail);
        Ok((link, tail.level))
    }

    /// Moments at which the values of the event taken in last were sent.
    pub(super) fn sent(&self) -> &[u64] {
        &self.sent
    }

    /// The longest chain, and where its links are.
    pub(super) fn finish(self) -> (Option<Tail>, ChainLog) {
        (self.longest, self.log)
    }

    /// The chains that end immediately before an event: by values, by objects, by sequence.
    fn immediate(&mut self, event: &EventRecord) -> Result<Before, TakenTooOften> {
        let mut before = SmallVec::new();
        for (flow_idx, &sender) in event.flow.iter().enumerate() {
            let error = TakenTooOften { event: event.id, sender };
            let chain = self.events.take(sender).flatten().ok_or(error)?;
            before.push((Via::Value { flow_idx, n_flow: event.flow.len() }, chain));
        }
        for access in &event.shared {
            let Some(meeting) = self.objects.get(access.object.0) else { continue };
            let via = Via::Object(access.object);
            before.extend(meeting.writer.map(|writer| (via, writer)));
            if access.access == Access::Write {
                before.extend(meeting.readers.iter().map(|reader| (via, *reader)));
            }
        }
        for relayed in &event.relayed {
            let error = TakenTooOften { event: event.id, sender: relayed.event };
            let chain = self.events.peek(relayed.event).flatten().ok_or(error)?;
            before.push((Via::Relayed(relayed.object), chain));
        }
        if event.id.count > 1 {
            before.extend(self.events.of_action(event.id.action).map(|link| (Via::Sequence, link)));
        }
        Ok(before)
    }

    fn leave(&mut self, event: &EventRecord, link: Tail) {
        let length = |link: Tail| if self.is_timed { link.depth } else { link.level };
        if self.longest.is_none_or(|longest| length(link) > length(longest)) {
            self.longest = Some(link);
        }
        for access in &event.shared {
            let meeting = self.objects.slot(access.object.0);
            match access.access {
                Access::Read => {
                    if !meeting.readers.iter().any(|known| outdoes(known, &link)) {
                        meeting.readers.retain(|known| !outdoes(&link, known));
                        meeting.readers.push(link);
                    }
                }
                Access::Write => {
                    *meeting = Meeting { writer: Some(link), readers: SmallVec::new() };
                }
            }
        }
        self.events.leave(event, Some(link));
    }
}

/// Whether whoever comes after both loses nothing if it comes after the first one alone.
fn outdoes(one: &Tail, other: &Tail) -> bool {
    one.level >= other.level
        && one.end >= other.end
        && one.computes >= other.computes
        // Where both are cut off at one moment, the first one keeps more; so it does where they are not, since it ends
        // later. No chain is longer than the time to its end.
        && one.end - one.depth <= other.end - other.depth
}
