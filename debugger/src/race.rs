//! Races: accesses to a shared object that nothing orders but the object's lock.
//!
//! Every execution locks the objects that it names for as long as it runs, so that conflicting accesses (one of
//! them a write, at least) never meet: the protocol serializes them, and the record says in which order. A race is
//! a pair whose order is due to that alone. Without the lock the two would be simultaneous; with it the result
//! depends on who comes first. A [`RaceDetector`] finds races as events come in causal order (Hyder 1994, sections
//! 3.6 and 8.3.5, tables 3-3 and 8-1):
//!
//! - The *shared orderings* that end at an event are those of table 3-3: from the last writer of each object that it
//!   accesses, and for a writer from each action's last read since. What was there before them is ordered with the
//!   event through them.
//! - A shared ordering from a to b is a **race** unless a is before b also by a path of `<C` that arrives at b by a
//!   flow or sequence edge. All the locks that b takes are left out at once, as one does not support another: a
//!   pair of tellers that lock two accounts race for both. (Table 8-1 brings the clock up to date object by object,
//!   which would hide the second.)
//! - After the check, b is after all its predecessors, racing ones included (the `update` of table 8-1). So what an
//!   event left behind that came by a race is no race once more when it comes by values.
//! - A race from a to b is **first** if no other race is before it: if in the causal past of b there is no event
//!   at which a race ended. What led to a first race would have come about under any order of the locks: it cannot
//!   be an artefact of another race (the point of Netzer and Miller 1990, who have to estimate which races may be
//!   affected; here the record says which are). Races that end at the same event do not precede each other.
//! - A shared ordering from a to b is **enforced by locks only** if a is not before b by flow and sequence edges
//!   alone, wherever they begin. All races are; so are pairs that only an earlier race brought into order.
//!
//! Beside races, the detector notes [updates that may be lost](LostUpdate) by one.
//!
//! Cost for each event: linear in its edges times the size of a past, which the module `order` bounds by what is
//! concurrent.

/// Accesses.
mod access;
mod found;
mod lost;
mod order;
mod past;
mod place;
mod render;
mod report;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::trace::{BatchSource, Names, RecordingMode};

use crate::read::{ReadError, Summary, for_each_in_order};
use found::{Groups, Pair};
use lost::Looks;
use order::{Order, OwnChains};
use past::{Mark, Past};

use access::Accessor;
pub use access::RaceEnd;
pub use found::{Finding, OrderingGroup, Race, RaceGroup, Races};
pub use lost::{LostGroup, LostUpdate};
pub use place::Line;
pub use render::{render, to_json};
pub use report::{EndReport, LostReport, OrderingReport, RaceReport, Report, report};

/// Why races could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum RaceError {
    /// The record does not hold every event with its predecessors.
    #[error("a {} record does not hold every event with what came before it, which finding races takes", mode.name())]
    Incomplete {
        /// How much was recorded.
        mode: RecordingMode,
    },
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace contradicts itself.
    #[error("the trace contradicts itself: {event} took more values of {sender} than that one sent")]
    TakenTooOften {
        /// Path of the event that took a value.
        event: String,
        /// Path of the event that is said to have sent it.
        sender: String,
    },
}

/// What to look for.
#[derive(Clone, Copy, Debug, Default)]
pub struct RaceOptions {
    /// Whether to list the shared orderings that only locks enforced, too. It costs a second clock for each event.
    pub wants_orderings: bool,
}

/// The accesses that the next one to an object is ordered with.
#[derive(Debug, Default)]
struct ObjectState {
    writer: Option<Accessor>,
    /// The last read of each action since.
    readers: BTreeMap<ActionId, Accessor>,
    /// The merged pasts of all of them.
    readers_past: Past,
}

impl ObjectState {
    /// The accesses from which a shared ordering leads to this one.
    fn before(&self, access: Access) -> impl Iterator<Item = &Accessor> {
        let readers = (access == Access::Write).then(|| self.readers.values());
        self.writer.iter().chain(readers.into_iter().flatten())
    }
}

/// Finds races among events that come in causal order, all of a run with all their predecessors.
#[derive(Debug, Default)]
pub struct RaceDetector {
    causal: Order,
    /// Flow and sequence alone.
    program: Option<Order>,
    objects: FxHashMap<ObjectId, ObjectState>,
    looks: Looks,
    groups: Groups,
}

impl RaceDetector {
    /// A detector for the events of a record of this mode.
    ///
    /// # Errors
    /// Where such a record does not hold every event with all its predecessors.
    pub fn new(mode: RecordingMode, options: RaceOptions) -> Result<Self, RaceError> {
        match mode {
            RecordingMode::Full | RecordingMode::Perf => Ok(Self::with_chains(options, OwnChains::default())),
            RecordingMode::Restricted | RecordingMode::Minimal | RecordingMode::Holes => {
                Err(RaceError::Incomplete { mode })
            }
        }
    }

    fn with_chains(options: RaceOptions, chains: OwnChains) -> Self {
        let found = Races { orderings: options.wants_orderings.then(Vec::new), ..Races::default() };
        let groups = Groups::new(found);
        let program = options.wants_orderings.then(|| Order::new(chains));
        Self { causal: Order::new(chains), program, groups, ..Self::default() }
    }

    /// Takes in the next event in causal order.
    ///
    /// # Errors
    /// Where the record lacks predecessors or contradicts itself. The detector must not be used any more.
    pub fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), RaceError> {
        self.event_with(event, names, &mut |_| {})
    }

    /// Takes in the next event in causal order, and hands on each race and ordering at once.
    ///
    /// # Errors
    /// Those of [`event`](Self::event).
    pub fn event_with(
        &mut self,
        event: &EventRecord,
        names: &Names,
        on_finding: &mut impl FnMut(Finding),
    ) -> Result<(), RaceError> {
        if !event.relayed.is_empty() {
            return Err(RaceError::Incomplete { mode: RecordingMode::Restricted });
        }
        let too_often = |sender| RaceError::TakenTooOften {
            event: names.event(event.id).to_string(),
            sender: names.event(sender).to_string(),
        };
        self.groups.found.n_events += 1;
        let number = self.groups.found.n_events;
        let base = self.causal.arrive(event).map_err(too_often)?;
        let mut past = base.clone();
        for access in &event.shared {
            let Some(object) = self.objects.get(&access.object) else { continue };
            // A past that has an event has all that is before it.
            let unknown = object.writer.iter().filter(|writer| !base.has(&writer.mark));
            unknown.for_each(|writer| past.merge(&writer.past));
            if access.access == Access::Write {
                past.merge(&object.readers_past);
            }
        }
        let program_base = match &mut self.program {
            Some(program) => Some(program.arrive(event).map_err(too_often)?),
            None => None,
        };
        let known = Known { base: &base, has_race: past.has_race, program: program_base.as_ref() };
        past.has_race |= self.compare(event, names, &known, on_finding);

        self.looks.pass(event);

        // Gone before `past` is changed, which may share its memory.
        drop(base);
        let mark = self.causal.place(event, number, &past);
        mark.into_iter().for_each(|mark| past.add(mark));
        let mut program_mark = None;
        if let Some((program, mut program_past)) = self.program.as_mut().zip(program_base) {
            program_mark = program.place(event, number, &program_past);
            program_mark.into_iter().for_each(|mark| program_past.add(mark));
            program.leave(event, program_mark, program_past);
        }
        if let Some(mark) = mark {
            self.access(event, names, &Accessed { mark, program_mark, past: &past });
        }
        self.causal.leave(event, mark, past);
        Ok(())
    }

    /// The first races so far: the groups that have some.
    pub fn first_races(&self) -> impl Iterator<Item = &RaceGroup> {
        self.groups.found.groups.iter().filter(|group| group.n_first > 0)
    }

    /// What was found so far.
    pub fn found(&self) -> &Races {
        &self.groups.found
    }

    /// What was found.
    pub fn finish(self) -> Races {
        self.groups.found
    }

    /// Compares an event's accesses with those before them; gives whether a race ends here.
    fn compare(
        &mut self,
        event: &EventRecord,
        names: &Names,
        known: &Known<'_>,
        on_finding: &mut impl FnMut(Finding),
    ) -> bool {
        let template = names.template_of(event.id.action);
        let mut has_race = false;
        for access in &event.shared {
            let Some(object) = self.objects.get(&access.object) else { continue };
            let later = RaceEnd { event: event.id, template, access: access.access };
            for earlier in object.before(access.access) {
                self.groups.found.n_orderings += 1;
                let pair = Pair { object: access.object, earlier, later, base: known.base };
                let is_race = !known.base.has(&earlier.mark);
                let is_first = is_race && !known.has_race;
                let is_enforced = known
                    .program
                    .zip(earlier.program_mark)
                    .is_some_and(|(program, mark)| !program.has(&mark));
                let mut reader = None;
                if is_race {
                    self.groups.note_race(&pair, names, is_first);
                    has_race = true;
                    if earlier.end.access == Access::Write && access.access == Access::Write {
                        let groups = &mut self.groups;
                        self.looks.lost_to(event, access.object, known.base, |between, read_by| {
                            reader.get_or_insert(read_by);
                            groups.note_lost(access.object, (read_by, between, later), names);
                        });
                    }
                }
                if is_enforced {
                    self.groups.note_ordering(&pair, names, is_race);
                }
                if is_race || is_enforced {
                    let (object, earlier) = (access.object, earlier.end);
                    on_finding(Finding { object, earlier, later, is_race, is_first, reader, is_enforced });
                }
            }
        }
        has_race
    }

    /// Makes the event the one that later accesses are compared with.
    fn access(&mut self, event: &EventRecord, names: &Names, accessed: &Accessed<'_>) {
        for access in &event.shared {
            self.groups.found.n_accesses += 1;
            if access.access == Access::Write {
                let template = names.template_of(event.id.action);
                let end = RaceEnd { event: event.id, template, access: Access::Write };
                self.looks.write(access.object, end, accessed.mark);
            }
            let object = self.objects.entry(access.object).or_insert_with(|| {
                self.groups.found.n_objects += 1;
                ObjectState::default()
            });
            let template = names.template_of(event.id.action);
            let accessor = Accessor {
                end: RaceEnd { event: event.id, template, access: access.access },
                mark: accessed.mark,
                program_mark: accessed.program_mark,
                past: accessed.past.clone(),
            };
            match access.access {
                Access::Read => {
                    object.readers_past.merge(accessed.past);
                    object.readers.insert(event.id.action, accessor);
                }
                Access::Write => *object = ObjectState { writer: Some(accessor), ..ObjectState::default() },
            }
        }
    }
}

/// What is known to be before an event.
struct Known<'a> {
    /// By its flow and sequence edges.
    base: &'a Past,
    /// Whether that or its shared orderings lead to a race.
    has_race: bool,
    /// By flow and sequence alone, where orderings are asked for.
    program: Option<&'a Past>,
}

/// What an event that accesses objects is after, for those that come after it.
struct Accessed<'a> {
    mark: Mark,
    program_mark: Option<Mark>,
    past: &'a Past,
}

/// Looks for races in a trace. Time: linear in events and edges, times the size of a past.
///
/// # Errors
/// Where the trace is not of a full record, cannot be read or contradicts itself.
pub fn find(source: impl BatchSource, options: RaceOptions) -> Result<(Races, Summary), RaceError> {
    let mut detector = RaceDetector::new(source.header().mode, options)?;
    let mut failure = None;
    let summary = for_each_in_order(source, |event, names| {
        if failure.is_none() {
            failure = detector.event(&event, names).err();
        }
    })?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok((detector.finish(), summary)),
    }
}

#[cfg(test)]
mod tests;
