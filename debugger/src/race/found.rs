//! What was found, in groups: a report tells of each group's first one.

use rustc_hash::FxHashMap;

use hasse_model::id::{EventId, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::trace::Names;

use super::access::Accessor;
use super::access::RaceEnd;
use super::lost::{LostGroup, LostUpdate};
use super::past::{Mark, Past};

/// Two conflicting accesses to an object, in the order in which they were granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The object.
    pub object: ObjectId,
    /// The access that was granted first.
    pub earlier: RaceEnd,
    /// The other one.
    pub later: RaceEnd,
    /// The last event of the earlier one's action that is before the later one; `None` where none is known.
    pub last_known: Option<EventId>,
    /// The last event known that both come after.
    pub last_common: Option<EventId>,
}

/// A shared ordering that is a race or that only locks enforced, as it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The object.
    pub object: ObjectId,
    /// The access that was granted first.
    pub earlier: RaceEnd,
    /// The other one: of the event just taken in.
    pub later: RaceEnd,
    /// Whether it is a race.
    pub is_race: bool,
    /// Whether it is a first race.
    pub is_first: bool,
    /// An event that had read the object before the earlier one wrote it, and sent a value to the later one, which
    /// writes it: what the earlier one wrote may be lost. Writes before the earlier one may be lost as well.
    pub reader: Option<EventId>,
    /// Whether only locks enforced it; always `false` where that was not asked for.
    pub is_enforced: bool,
}

/// Races for the objects of one declaration between instances of the same two templates.
#[derive(Clone, Debug)]
pub struct RaceGroup {
    /// What the objects were declared as; `None` where that is not known.
    pub shared: Option<SharedId>,
    /// The first one found that is first, or, where none is, the first one found.
    pub example: Race,
    /// Number of first races.
    pub n_first: u64,
    /// Number of races behind another one.
    pub n_behind: u64,
}

/// Shared orderings of one kind that only locks enforced.
#[derive(Clone, Debug)]
pub struct OrderingGroup {
    /// What the objects were declared as; `None` where that is not known.
    pub shared: Option<SharedId>,
    /// The object of the first one found.
    pub object: ObjectId,
    /// The access granted first, of the first one found.
    pub earlier: RaceEnd,
    /// The other one.
    pub later: RaceEnd,
    /// Number of orderings.
    pub n_orderings: u64,
    /// How many of them are races; the others are between accesses that an earlier race brought into order.
    pub n_races: u64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// Number of events seen.
    pub n_events: u64,
    /// Number of accesses to shared objects.
    pub n_accesses: u64,
    /// Number of objects accessed.
    pub n_objects: u64,
    /// Number of shared orderings between accesses.
    pub n_orderings: u64,
    /// Races in the order in which the first of each group was found.
    pub groups: Vec<RaceGroup>,
    /// Updates that may be lost, in the order in which the first of each group was found.
    pub lost: Vec<LostGroup>,
    /// Shared orderings that only locks enforced, in the order in which the first of each group was found; `None`
    /// where they were not asked for.
    pub orderings: Option<Vec<OrderingGroup>>,
}

impl Races {
    /// Number of first races.
    pub fn n_first(&self) -> u64 {
        self.groups.iter().map(|group| group.n_first).sum()
    }

    /// Number of races behind another one.
    pub fn n_behind(&self) -> u64 {
        self.groups.iter().map(|group| group.n_behind).sum()
    }
}

type EndKey = (Option<TemplateId>, Access);

/// Two accesses with a shared ordering between them.
pub(super) struct Pair<'a> {
    pub(super) object: ObjectId,
    pub(super) earlier: &'a Accessor,
    pub(super) later: RaceEnd,
    /// What is before the later one by its flow and sequence edges.
    pub(super) base: &'a Past,
}

impl Pair<'_> {
    fn race(&self) -> Race {
        let Self { object, earlier, later, base } = *self;
        let known = base.last(earlier.mark.chain).map(Mark::event);
        Race {
            object,
            earlier: earlier.end,
            later,
            last_known: known.filter(|known| known.action == earlier.end.event.action),
            last_common: earlier.past.last_common(base),
        }
    }

    fn keys(&self) -> (EndKey, EndKey) {
        let key = |end: &RaceEnd| (end.template, end.access);
        (key(&self.earlier.end), key(&self.later))
    }
}

/// What was found so far, and where in it what belongs.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) found: Races,
    /// Position of each group, whoever of the two came first.
    races: FxHashMap<(Option<SharedId>, EndKey, EndKey), usize>,
    /// Position of each group of updates that may be lost: templates of reader, of the one between, and of the writer.
    lost: FxHashMap<(Option<SharedId>, [Option<TemplateId>; 3]), usize>,
    /// Position of each group of orderings.
    orderings: FxHashMap<(Option<SharedId>, EndKey, EndKey), usize>,
}

impl Groups {
    /// No groups yet; `found` says what is asked for.
    pub(super) fn new(found: Races) -> Self {
        Self { found, ..Self::default() }
    }

    pub(super) fn note_race(&mut self, pair: &Pair<'_>, names: &Names, is_first: bool) {
        let groups = &mut self.found.groups;
        let shared = names.shared_of(pair.object);
        let (one, other) = pair.keys();
        let group_idx = *self.races.entry((shared, one.min(other), one.max(other))).or_insert_with(|| {
            groups.push(RaceGroup { shared, example: pair.race(), n_first: 0, n_behind: 0 });
            groups.len() - 1
        });
        let group = &mut groups[group_idx];
        if !is_first {
            group.n_behind += 1;
            return;
        }
        if group.n_first == 0 && group.n_behind > 0 {
            group.example = pair.race();
        }
        group.n_first += 1;
    }

    /// Notes that `writer` may overwrite unseen what `between` wrote after `reader` had read.
    pub(super) fn note_lost(
        &mut self,
        object: ObjectId,
        (reader, between, writer): (EventId, RaceEnd, RaceEnd),
        names: &Names,
    ) {
        let groups = &mut self.found.lost;
        let shared = names.shared_of(object);
        let reader =
            RaceEnd { event: reader, template: names.template_of(reader.action), access: Access::Read };
        let example = LostUpdate { object, reader, between, writer };
        let templates = [reader, example.between, example.writer].map(|end| end.template);
        let group_idx = *self.lost.entry((shared, templates)).or_insert_with(|| {
            groups.push(LostGroup { shared, example, n_updates: 0 });
            groups.len() - 1
        });
        groups[group_idx].n_updates += 1;
    }

    pub(super) fn note_ordering(&mut self, pair: &Pair<'_>, names: &Names, is_race: bool) {
        let Some(groups) = &mut self.found.orderings else { return };
        let shared = names.shared_of(pair.object);
        let (earlier, later) = pair.keys();
        let group_idx = *self.orderings.entry((shared, earlier, later)).or_insert_with(|| {
            let (object, earlier, later) = (pair.object, pair.earlier.end, pair.later);
            groups.push(OrderingGroup { shared, object, earlier, later, n_orderings: 0, n_races: 0 });
            groups.len() - 1
        });
        groups[group_idx].n_orderings += 1;
        groups[group_idx].n_races += u64::from(is_race);
    }
}
