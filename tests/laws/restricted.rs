//! Laws 2 and 3: what is recorded of selected actions is the full record of the same execution, restricted.
//!
//! The reference restricts a full record by the definition (dissertation, section 5.3), with plain maps, and knows
//! nothing of how the runtime passes lists on.

use std::collections::{BTreeMap, BTreeSet};

use hasse_debugger::restrict::Restrictor;
use hasse_debugger::sort::Sorter;
use hasse_model::digest::{Digest, Digester};
use hasse_model::event::{EventBatch, EventRecord, RelayedAccess};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::order::{Before, before};
use hasse_model::plan::{Access, Plan};
use hasse_model::record_options::{NamedOptions, RecordOption, RecordOptions, ResolvedOptions};
use hasse_model::trace::{Names, RecordingMode};
use hasse_runtime::run::Recording;
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::recording::{
    compile, names, options, record, record_as, record_restricted, record_with, replay_restricted_of, sorted,
};
use crate::{WORKER_COUNTS, n_programs};

type List = BTreeMap<ActionId, u64>;

fn union(list: &mut List, other: &List) {
    for (&action, &count) in other {
        let held = list.entry(action).or_insert(count);
        *held = count.max(*held);
    }
}

fn events_of(list: &List) -> Vec<EventId> {
    list.iter().map(|(&action, &count)| EventId { action, count }).collect()
}

#[derive(Default)]
struct Left {
    by_writer: List,
    by_readers: List,
}

/// Restricts events that stand in a causal order.
fn restrict(events: &[EventRecord], option_of: impl Fn(ActionId) -> RecordOption) -> Vec<EventRecord> {
    let mut on_values: BTreeMap<EventId, List> = BTreeMap::new();
    let mut on_objects: BTreeMap<ObjectId, Left> = BTreeMap::new();
    let mut carried: BTreeMap<ActionId, List> = BTreeMap::new();
    let mut restricted = Vec::new();
    for event in events {
        let itself = List::from([(event.id.action, event.id.count)]);
        let mut in_flow = List::new();
        event.flow.iter().for_each(|sender| union(&mut in_flow, &on_values[sender]));
        let mut in_shared = List::new();
        let mut found = Vec::new();
        for access in &event.shared {
            let left = on_objects.entry(access.object).or_default();
            let mut at_object = left.by_writer.clone();
            if access.access == Access::Write {
                union(&mut at_object, &left.by_readers);
            }
            union(&mut in_shared, &at_object);
            let relayed = |event| RelayedAccess { object: access.object, access: access.access, event };
            found.extend(events_of(&at_object).into_iter().map(relayed));
        }
        let own = carried.entry(event.id.action).or_default();
        let option = option_of(event.id.action);
        let (values, objects) = match option {
            RecordOption::Full => (itself.clone(), itself),
            RecordOption::Restrict => {
                union(own, &in_shared);
                (itself, own.clone())
            }
            RecordOption::Off => {
                union(own, &in_flow);
                union(own, &in_shared);
                (own.clone(), own.clone())
            }
        };
        if option != RecordOption::Off {
            let relayed = if option == RecordOption::Full { found } else { Vec::new() };
            let flow = events_of(&in_flow);
            restricted.push(EventRecord { flow, relayed, shared: Vec::new(), ..event.clone() });
        }
        on_values.insert(event.id, values);
        for access in &event.shared {
            let left = on_objects.entry(access.object).or_default();
            match access.access {
                Access::Read => union(&mut left.by_readers, &objects),
                Access::Write => *left = Left { by_writer: objects.clone(), by_readers: List::new() },
            }
        }
    }
    restricted
}

/// A random choice of options for a program.
pub fn choose(dice: &mut Dice, plan: &Plan, has_restrict: bool) -> RecordOptions {
    let option = |dice: &mut Dice| match dice.below(if has_restrict { 3 } else { 2 }) {
        0 => RecordOption::Full,
        1 => RecordOption::Off,
        _ => RecordOption::Restrict,
    };
    let mut chosen = RecordOptions::restricted();
    chosen.other_actions = option(dice);
    let templates = plan.templates.iter().map(|template| (plan.template_label(template), template.n_indices));
    let calls = plan.calls.iter().map(|call| {
        let owner = &plan.graphs[call.owner.idx()].name;
        (format!("{owner}.{}", call.name), call.index_names.len())
    });
    for (name, n_indices) in templates.chain(calls) {
        if dice.below(2) == 0 {
            continue;
        }
        let index = match (n_indices, dice.below(3)) {
            (0, _) | (_, 0) => String::new(),
            (_, 1) => format!("[{}]", vec!["0..2"; n_indices].join(", ")),
            _ => format!("[{}]", vec!["1"; n_indices].join(", ")),
        };
        chosen = chosen.set(&format!("{name}{index}"), option(dice)).unwrap();
    }
    if plan.calls.iter().any(|call| call.owner == plan.main) && dice.below(3) == 0 {
        let call = plan.calls.iter().find(|call| call.owner == plan.main).unwrap();
        chosen = chosen.set(&format!("/{}/*", call.name), option(dice)).unwrap();
    }
    chosen
}

pub fn digest(events: impl IntoIterator<Item = EventRecord>, names: &Names) -> Digest {
    let mut digester = Digester::restricted();
    events.into_iter().for_each(|event| digester.add(&event, names));
    digester.finish()
}

pub fn events_in(batches: &[EventBatch]) -> impl Iterator<Item = EventRecord> + '_ {
    batches.iter().flat_map(EventBatch::events)
}

/// What a full record is, restricted by the reference.
pub fn restricted_by_reference(
    plan: &Plan,
    batches: &[EventBatch],
    selected: &ResolvedOptions,
) -> (Vec<EventRecord>, Names) {
    let (events, n_left) = sorted(batches);
    assert_eq!(n_left, 0);
    let names = names(plan, batches);
    let mut named = NamedOptions::new(selected.clone());
    let actions: BTreeSet<ActionId> = events.iter().map(|event| event.id.action).collect();
    let option_of: BTreeMap<_, _> =
        actions.into_iter().map(|action| (action, named.action(action, &names))).collect();
    (restrict(&events, |action| option_of[&action]), names)
}

/// What is left of events in causal order, restricted by the debugger.
fn post_restricted(
    events: &[EventRecord],
    mode: RecordingMode,
    selected: &ResolvedOptions,
    names: &Names,
) -> Vec<EventRecord> {
    let mut named = NamedOptions::new(selected.clone());
    let mut restrictor = Restrictor::new(mode, |action, names: &Names| named.action(action, names));
    events.iter().filter_map(|event| restrictor.event(event, names).unwrap().cloned()).collect()
}

/// A set of events, a bit for each position in the full record.
type Bits = Vec<u64>;

fn put(bits: &mut Bits, position: usize) {
    bits[position / 64] |= 1 << (position % 64);
}

/// The events before each of some, by what their records list; `positions` has all events of the full record.
fn pasts(events: &[EventRecord], positions: &BTreeMap<EventId, usize>) -> BTreeMap<EventId, Bits> {
    let mut pasts: BTreeMap<EventId, Bits> = BTreeMap::new();
    let mut readers: BTreeMap<(ObjectId, Option<EventId>), Vec<EventId>> = BTreeMap::new();
    for event in events {
        let mut past = vec![0; positions.len().div_ceil(64)];
        for before in before(event) {
            let direct = match before {
                Before::Sequence(event) | Before::Flow(event) => vec![event],
                Before::Version(_, writer) => writer.into_iter().collect(),
                Before::Readers(object, writer, _) => readers[&(object, writer)].clone(),
            };
            for event in direct {
                past.iter_mut().zip(&pasts[&event]).for_each(|(own, other)| *own |= other);
                put(&mut past, positions[&event]);
            }
        }
        for access in event.shared.iter().filter(|access| access.access == Access::Read) {
            readers.entry((access.object, access.writer)).or_default().push(event.id);
        }
        pasts.insert(event.id, past);
    }
    pasts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_in_restricted_mode_gives_the_full_record_restricted(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let plan = compile(&text);
        let mut dice = Dice::new(!seed);
        let recorded = record(&plan, WORKER_COUNTS[dice.below(4)], Some(seed));
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let (expected, full_names) = restricted_by_reference(&plan, &recorded.batches, &selected);
        let n_workers = WORKER_COUNTS[dice.below(4)];
        let replayed =
            replay_restricted_of(&plan, &options(n_workers, Some(!seed)), &recorded.batches, &selected);
        prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
        prop_assert_eq!(&replayed.lines, &recorded.lines, "{}", text);
        prop_assert_eq!(&replayed.report.results, &recorded.report.results, "{}", text);
        prop_assert_eq!(replayed.report.n_events, recorded.report.n_events, "{}", text);
        let restricted_names = names(&plan, &replayed.batches);
        let found = digest(events_in(&replayed.batches), &restricted_names);
        prop_assert_eq!(found, digest(expected, &full_names), "{}", text);
        prop_assert_eq!(sorted(&replayed.batches).1, 0);
        let (events, _) = sorted(&recorded.batches);
        let post = post_restricted(&events, RecordingMode::Full, &selected, &full_names);
        prop_assert_eq!(found, digest(post, &full_names), "{}", text);
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restricted_run_sorts_and_holds_what_was_selected(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let n_workers = WORKER_COUNTS[dice.below(4)];
        let run = record_restricted(&plan, &options(n_workers, Some(seed)), &selected);
        let names = names(&plan, &run.batches);
        let mut named = NamedOptions::new(selected);
        let (events, n_left) = sorted(&run.batches);
        prop_assert_eq!(n_left, 0);
        for event in &events {
            let option = named.action(event.id.action, &names);
            prop_assert_ne!(option, RecordOption::Off);
            prop_assert!(event.shared.is_empty());
            prop_assert!(option == RecordOption::Full || event.relayed.is_empty());
            prop_assert!(event.flow.is_sorted_by(|one, next| one.action < next.action));
        }
    }

    /// One worker and one seed give one run, so that both records are of the same execution.
    #[test]
    fn a_restricted_run_is_the_full_record_restricted(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let full = record_with(&plan, &options(1, Some(seed)));
        let restricted = record_restricted(&plan, &options(1, Some(seed)), &selected);
        prop_assert_eq!(&restricted.lines, &full.lines);
        let (expected, full_names) = restricted_by_reference(&plan, &full.batches, &selected);
        let restricted_names = names(&plan, &restricted.batches);
        let found = digest(events_in(&restricted.batches), &restricted_names);
        prop_assert_eq!(found, digest(expected, &full_names));
    }

    /// Selecting less of what was recorded in full gives what selecting less at once gives.
    #[test]
    fn a_restricted_record_can_be_restricted_further(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let first = choose(&mut dice, &plan, false);
        let mut both = first.clone();
        for template in &plan.templates {
            if dice.below(3) == 0 {
                let label = format!("{}.{}", plan.graphs[template.graph.idx()].name, template.name);
                both = both.set(&label, RecordOption::Off).unwrap();
            }
        }
        let (first, both) = (first.resolve(&plan).unwrap(), both.resolve(&plan).unwrap());
        let run = record_restricted(&plan, &options(1, Some(seed)), &first);
        let (events, _) = sorted(&run.batches);
        let run_names = names(&plan, &run.batches);
        let twice = post_restricted(&events, RecordingMode::Restricted, &both, &run_names);
        let at_once = record_restricted(&plan, &options(1, Some(seed)), &both);
        let once_names = names(&plan, &at_once.batches);
        prop_assert_eq!(digest(twice, &run_names), digest(events_in(&at_once.batches), &once_names));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    /// The point of relaying: between events that are recorded in full, no order is lost and none is made up.
    #[test]
    fn the_order_of_the_recorded_events_is_kept(seed: u64, size in 1_usize..10) {
        let plan = compile(&generator::program(seed, size));
        let mut dice = Dice::new(seed);
        let selected = choose(&mut dice, &plan, false).resolve(&plan).unwrap();
        let recorded = record(&plan, WORKER_COUNTS[dice.below(4)], Some(seed));
        let full = sorted(&recorded.batches).0;
        let positions = full.iter().enumerate().map(|(position, event)| (event.id, position)).collect();
        let full_pasts = pasts(&full, &positions);
        let replayed = replay_restricted_of(&plan, &options(2, None), &recorded.batches, &selected);
        let mut kept = Vec::new();
        let mut sorter = Sorter::default();
        for event in events_in(&replayed.batches) {
            sorter.push(event, &mut |event| kept.push(event)).unwrap();
        }
        let restricted_pasts = pasts(&kept, &positions);
        let mut is_recorded = vec![0; positions.len().div_ceil(64)];
        restricted_pasts.keys().for_each(|event| put(&mut is_recorded, positions[event]));
        for (event, past) in &restricted_pasts {
            let expected: Bits =
                full_pasts[event].iter().zip(&is_recorded).map(|(full, recorded)| full & recorded).collect();
            prop_assert_eq!(past, &expected, "{:?}", event);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn with_everything_off_nothing_is_recorded(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let run = |chosen: RecordOptions| {
            record_restricted(&plan, &options(4, Some(seed)), &chosen.resolve(&plan).unwrap())
        };
        let nothing = run(RecordOptions::restricted());
        prop_assert!(nothing.batches.is_empty());
        let off = RecordOptions { root: RecordOption::Off, ..RecordOptions::default() };
        prop_assert!(run(off).batches.is_empty());
    }

    #[test]
    fn with_everything_full_all_events_are_recorded(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let selected = RecordOptions::default().resolve(&plan).unwrap();
        let run = record_restricted(&plan, &options(4, Some(seed)), &selected);
        prop_assert_eq!(events_in(&run.batches).count() as u64, run.report.n_events);
    }

    #[test]
    fn a_perf_record_is_a_full_record_with_times(seed: u64, size in 1_usize..12) {
        let plan = compile(&generator::program(seed, size));
        let full = record_with(&plan, &options(1, Some(seed)));
        let timed = record_as(&plan, &options(1, Some(seed)), Recording::Perf);
        prop_assert_eq!(
            crate::digest(&plan, &timed.batches),
            crate::digest(&plan, &full.batches)
        );
        let mut ends = BTreeMap::new();
        let (events, n_left) = sorted(&timed.batches);
        prop_assert_eq!(n_left, 0);
        for event in &events {
            let timing = event.timing.unwrap();
            prop_assert!(timing.start <= timing.end && timing.worker == 0);
            // What was taken had been sent, and what was sent had ended.
            for sender in &event.flow {
                prop_assert!(ends[sender] <= timing.start);
            }
            ends.insert(event.id, timing.end);
        }
    }
}
