//! The report on records made by hand, and on random ones against brute force.

use proptest::prelude::*;

use hasse_model::event::{EventBatch, EventRecord, SharedAccess, Timing};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::{Names, RecordingMode, TraceHeader};

use super::*;
use crate::restrict::restricted_batches;
use crate::stored::Stored;
use crate::testing::{self, History};

fn id(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

/// An event that took values of some.
fn event(own: EventId, flow: &[EventId], n_sent: u64, timing: (u32, u64, u64)) -> EventRecord {
    let mut event = EventRecord::new(own);
    event.rule = 0;
    event.flow = flow.to_vec();
    event.flow_successors = n_sent;
    event.timing = Some(Timing::new(timing.0, timing.1 * 1000, timing.2 * 1000));
    event
}

fn writing(mut event: EventRecord, writer: Option<EventId>) -> EventRecord {
    let (object, access) = (ObjectId(0), Access::Write);
    event.shared.push(SharedAccess { object, access, writer, readers: 0 });
    event
}

/// A start node sends to three; two of these write one object, so that one waits for the lock; one gathers. In
/// microseconds, on two of three workers.
fn by_hand() -> Vec<EventRecord> {
    vec![
        event(id(0, 1), &[], 3, (0, 0, 100)),
        // Begins before its sender has ended.
        writing(event(id(1, 1), &[id(0, 1)], 1, (1, 90, 290)), None),
        writing(event(id(4, 1), &[id(0, 1)], 1, (0, 110, 390)), Some(id(1, 1))),
        event(id(3, 1), &[id(0, 1)], 1, (1, 300, 330)),
        event(id(2, 1), &[id(1, 1)], 0, (1, 340, 350)),
        event(id(2, 2), &[id(3, 1), id(4, 1)], 0, (0, 420, 520)),
    ]
}

fn header(mode: RecordingMode, n_workers: u32) -> TraceHeader {
    let names = testing::unread_names();
    TraceHeader {
        program_path: "by-hand.hasse".into(),
        mode,
        n_workers,
        templates: names.templates().to_vec(),
        shared: names.shared().to_vec(),
        ..TraceHeader::default()
    }
}

fn batches(events: &[EventRecord]) -> Vec<EventBatch> {
    let history = History { events: events.to_vec(), past: Vec::new() };
    let order: Vec<usize> = (0..events.len()).collect();
    history.batches(&order, 4)
}

fn measured(events: &[EventRecord], mode: RecordingMode, options: &PerfOptions<'_>) -> Report {
    let batches = batches(events);
    let (report, summary) =
        measure(Stored::new(&header(mode, 3), &batches), options).expect("the record is consistent");
    assert_eq!(summary.n_delivered, events.len() as u64);
    report
}

fn untimed(mut events: Vec<EventRecord>) -> Vec<EventRecord> {
    events.iter_mut().for_each(|event| event.timing = None);
    events
}

#[test]
fn a_record_with_times_is_reported_in_full() {
    let report = measured(&by_hand(), RecordingMode::Perf, &PerfOptions::default());
    insta::assert_snapshot!(report.to_text());
}

#[test]
fn a_record_without_times_is_reported_by_its_order() {
    let report = measured(&untimed(by_hand()), RecordingMode::Full, &PerfOptions::default());
    insta::assert_snapshot!(report.to_text());
}

#[test]
fn events_are_counted_by_action_and_tables_are_cut() {
    let options = PerfOptions { by: By::Action, n_top: 2, ..PerfOptions::default() };
    insta::assert_snapshot!(measured(&by_hand(), RecordingMode::Perf, &options).to_text());
}

/// An answer of the world outside is one more of what an event needs: it was not ready before.
#[test]
fn an_event_that_was_suspended_was_not_ready() {
    let queued = |suspended: u64| {
        let first = event(id(0, 1), &[], 1, (0, 0, 100));
        let mut second = event(id(1, 1), &[first.id], 0, (0, 400, 410));
        second.timing.as_mut().expect("it has times").suspended = suspended * 1000;
        let report = measured(&[first, second], RecordingMode::Perf, &PerfOptions::default());
        let waiting = report.path.waiting;
        assert_eq!(waiting.total(), 300_000);
        (waiting.depends, waiting.queued, report.times.expect("there are times").queued)
    };
    assert_eq!(queued(0), (0, 300_000, 300_000));
    assert_eq!(queued(290), (290_000, 10_000, 10_000));
    assert_eq!(queued(1_000), (300_000, 0, 0));
}

/// /T1[1]:1 has its lock at 290, when its worker executes something else.
#[test]
fn an_event_that_waited_for_a_lock_goes_on_when_a_worker_is_free() {
    let mut events = by_hand();
    events.insert(2, event(id(0, 2), &[], 0, (0, 270, 310)));
    let report = measured(&events, RecordingMode::Perf, &PerfOptions::default());
    let step = report.path.steps.iter().find(|step| step.event == "/T1[1]:1").expect("it is on the path");
    assert_eq!((step.computes, step.adds), (310_000, 80_000));
    // It has the lock at once when the event before it on the path ends.
    assert_eq!(step.waiting, report::Waiting { depends: 0, queued: 20_000, locked: 0 });
    let times = report.times.as_ref().expect("there are times");
    assert_eq!((times.work, times.workers[0].busy), (560_000, 320_000));
    assert_eq!(times.profile.len(), 3, "no more than two events compute at once on two workers");
}

#[test]
fn a_window_cuts_times_off() {
    let window = Some(Window { from_nanos: 50_000, to_nanos: 345_000 });
    let options = PerfOptions { window, ..PerfOptions::default() };
    let report = measured(&by_hand(), RecordingMode::Perf, &options);
    let times = report.times.as_ref().expect("there are times");
    assert_eq!((times.first, times.last, report.n_events), (50_000, 345_000, 5));
    // 50 + 200 + (345 - 290) + 30 + 5
    assert_eq!(times.work, 340_000);
    // /T0:1 up to 90, /T1:1, /T1[1]:1 from 290 on.
    assert_eq!(report.path.span, 40_000 + 200_000 + 55_000);
    assert_eq!(report.path.steps.last().map(|step| &*step.event), Some("/T1[1]:1"));
    // Nothing went on for most of this one, which is wall time all the same.
    let window = Some(Window { from_nanos: 391_000, to_nanos: 430_000 });
    let report = measured(&by_hand(), RecordingMode::Perf, &PerfOptions { window, ..PerfOptions::default() });
    assert_eq!((report.n_events, report.wall(), report.work()), (1, 39_000, 10_000));
}

#[test]
fn a_window_of_a_record_without_times_is_refused() {
    let options =
        PerfOptions { window: Some(Window { from_nanos: 0, to_nanos: 9 }), ..PerfOptions::default() };
    let (header, batches) = (header(RecordingMode::Full, 3), batches(&untimed(by_hand())));
    let refused = measure(Stored::new(&header, &batches), &options);
    assert!(matches!(refused, Err(PerfError::NoTimes)));
}

#[test]
fn nothing_is_reported_of_nothing() {
    for mode in [RecordingMode::Perf, RecordingMode::Full, RecordingMode::Restricted] {
        let report = measured(&[], mode, &PerfOptions::default());
        assert_eq!((report.n_events, report.path.span, report.work()), (0, 0, 0));
        assert!(report.to_text().starts_with("performance of by-hand.hasse: 0 events"));
        assert!(report.to_svg().starts_with("<svg"));
        assert_eq!(report.to_json()["events"], 0);
    }
}

#[test]
fn all_is_in_the_json() {
    let json = measured(&by_hand(), RecordingMode::Perf, &PerfOptions::default()).to_json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).expect("it is JSON"));
}

/// Histories whose events have times, drawn without regard to what is before what.
fn timed() -> impl Strategy<Value = Vec<EventRecord>> {
    testing::histories(18).prop_flat_map(|history| {
        let times = prop::collection::vec((0..3_u32, 0..60_u64, 0..20_u64), history.events.len());
        (Just(history.events), times).prop_map(|(mut events, times)| {
            for (event, (worker, start, taken)) in events.iter_mut().zip(times) {
                event.timing = Some(Timing::new(worker, start, start + taken));
            }
            events
        })
    })
}

/// From when to when each event computed, by its definition: looked up in the whole history.
struct Definition {
    computes: Vec<u64>,
    ends: Vec<u64>,
    before: Vec<Vec<usize>>,
}

fn by_definition(events: &[EventRecord]) -> Definition {
    // The events come in one batch after another in this order.
    let resumed = |own: usize| {
        let timing = |at: usize| events[at].timing.expect("all have times");
        let on_worker = (0..own).filter(|&at| timing(at).worker == timing(own).worker);
        let last = on_worker.map(|at| timing(at).end).max().unwrap_or(0);
        if events[own].shared.is_empty() || last > timing(own).end { 0 } else { last }
    };
    let at = |id: EventId| events.iter().position(|event| event.id == id).expect("an event of the history");
    let (mut computes, mut ends, mut all_before) = (Vec::new(), Vec::new(), Vec::new());
    for (own, event) in events.iter().enumerate() {
        let mut by_object = Vec::new();
        for access in &event.shared {
            let since = access.writer.map_or(0, |writer| at(writer) + 1);
            by_object.extend(access.writer.map(at));
            if access.access == Access::Write {
                let reads = |earlier: &usize| {
                    events[*earlier].shared.iter().any(|known| known.object == access.object)
                };
                by_object.extend((since..own).filter(reads));
            }
        }
        let mut before: Vec<usize> = event.flow.iter().map(|&sender| at(sender)).collect();
        if event.id.count > 1 {
            before.push(at(EventId { count: event.id.count - 1, ..event.id }));
        }
        let timing = event.timing.expect("all have times");
        let unlocked = by_object.iter().map(|&other| ends[other]).max().unwrap_or(0);
        before.extend(by_object);
        let began = before.iter().map(|&other| computes[other]).max().unwrap_or(0);
        let own_computes = timing.start.max(unlocked.min(timing.end)).max(resumed(own)).max(began);
        computes.push(own_computes);
        ends.push(timing.end.max(own_computes));
        all_before.push(before);
    }
    Definition { computes, ends, before: all_before }
}

impl Definition {
    /// The most that any chain to an event adds up to, with what its events add up to `cut`: all chains are tried.
    fn longest(&self, own: usize, cut: u64) -> u64 {
        let adds = self.ends[own].min(cut).saturating_sub(self.computes[own]);
        let before = self.before[own].iter().map(|&other| self.longest(other, self.computes[own]));
        adds + before.max().unwrap_or(0)
    }
}

fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![0..5_u64, any::<u64>(), Just(u64::MAX), Just(u64::MAX - 1)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// The critical path is the longest of all chains; it fits into the wall time, and its parts add up.
    #[test]
    fn the_critical_path_is_the_longest_chain(events in timed()) {
        let report = measured(&events, RecordingMode::Perf, &PerfOptions::default());
        let slow = by_definition(&events);
        let longest = (0..events.len()).map(|own| slow.longest(own, u64::MAX)).max().unwrap_or(0);
        prop_assert_eq!(report.path.span, longest);
        prop_assert!(report.path.span <= report.wall() && report.path.span <= report.work());
        prop_assert_eq!(report.path.steps.iter().map(|step| step.adds).sum::<u64>(), report.path.span);
        if let (Some(first), Some(last)) = (report.path.steps.first(), report.path.steps.last()) {
            let elapsed = last.end - first.computes;
            prop_assert_eq!(elapsed, report.path.span + report.path.waiting.total());
        }
        let work: u64 = slow.computes.iter().zip(&slow.ends).map(|(from, to)| to - from).sum();
        prop_assert_eq!(report.work(), work);
    }

    /// For how long k events computed at once, counted moment by moment.
    #[test]
    fn the_concurrency_profile_is_what_counting_gives(events in timed()) {
        let report = measured(&events, RecordingMode::Perf, &PerfOptions::default());
        let slow = by_definition(&events);
        let times = report.times.as_ref().expect("there are times");
        let mut profile = vec![0; events.len() + 1];
        for now in times.first..times.last {
            let runs = |own: &usize| slow.computes[*own] <= now && now < slow.ends[*own];
            profile[(0..events.len()).filter(runs).count()] += 1;
        }
        while profile.len() > 1 && profile.last() == Some(&0) {
            profile.pop();
        }
        let mut found = times.profile.clone();
        while found.len() > 1 && found.last() == Some(&0) {
            found.pop();
        }
        prop_assert_eq!(found, profile);
        prop_assert_eq!(times.profile.iter().sum::<u64>(), times.last - times.first);
        for worker in &times.workers {
            let is_busy = |now: &u64| {
                let own = |own: &usize| {
                    events[*own].timing.is_some_and(|timing| timing.worker == worker.worker)
                        && slow.computes[*own] <= *now && *now < slow.ends[*own]
                };
                (0..events.len()).any(|at| own(&at))
            };
            prop_assert_eq!(worker.busy, (times.first..times.last).filter(is_busy).count() as u64);
            prop_assert_eq!(worker.bins.iter().sum::<u64>(), worker.busy);
        }
    }

    /// Without times: the longest path over immediate predecessors, and everything is counted once.
    #[test]
    fn levels_are_the_lengths_of_longest_chains(events in timed()) {
        let slow = by_definition(&events);
        let mut level = Vec::new();
        for before in &slow.before {
            level.push(1 + before.iter().map(|&other| level[other]).max().unwrap_or(0));
        }
        let report = measured(&untimed(events.clone()), RecordingMode::Full, &PerfOptions::default());
        let longest: usize = level.iter().max().copied().unwrap_or(0);
        prop_assert_eq!((report.path.span as usize, report.path.steps.len()), (longest, longest));
        let count = |at: usize| level.iter().filter(|level| **level == at + 1).count() as u64;
        prop_assert_eq!(&report.levels, &(0..longest).map(count).collect::<Vec<_>>());
        let n_taken: usize = events.iter().map(|event| event.flow.len()).sum();
        prop_assert_eq!(report.cells.iter().map(|cell| cell.values).sum::<u64>(), n_taken as u64);
    }

    /// Two windows beside each other share out work and busy time.
    #[test]
    fn windows_add_up(events in timed(), cut in 1..80_u64) {
        let of = |from_nanos, to_nanos| {
            let window = Some(Window { from_nanos, to_nanos });
            measured(&events, RecordingMode::Perf, &PerfOptions { window, ..PerfOptions::default() })
        };
        let whole = measured(&events, RecordingMode::Perf, &PerfOptions::default());
        let (left, right) = (of(0, cut), of(cut, u64::MAX));
        prop_assert_eq!(left.work() + right.work(), whole.work());
        prop_assert!(left.path.span <= whole.path.span && right.path.span <= whole.path.span);
        prop_assert!(whole.path.span <= left.path.span + right.path.span);
    }

    /// A restricted record has the longest chain of its events, whatever lay in between.
    #[test]
    fn a_restricted_record_keeps_chains(history in testing::histories(30), selected in any::<u8>()) {
        let is_selected = |action: ActionId| selected >> action.0 & 1 == 1;
        let order: Vec<usize> = (0..history.events.len()).collect();
        let (header, mut restricted) = (header(RecordingMode::Restricted, 1), Vec::new());
        let (full, batches) = (self::header(RecordingMode::Full, 1), history.batches(&order, 5));
        let option = |action, _: &Names| if is_selected(action) { RecordOption::Full } else { RecordOption::Off };
        restricted_batches(Stored::new(&full, &batches), option, |batch| {
            restricted.push(batch.clone());
            Ok(())
        }).expect("the history is consistent");
        let (report, _) = measure(Stored::new(&header, &restricted), &PerfOptions::default()).expect("it is consistent");
        let mut levels: Vec<Option<u64>> = Vec::new();
        for (own, event) in history.events.iter().enumerate() {
            let before = (0..own).filter(|&earlier| history.is_before(earlier, own)).filter_map(|earlier| levels[earlier]);
            let level = 1 + before.max().unwrap_or(0);
            levels.push(is_selected(event.id.action).then_some(level));
        }
        let longest = levels.iter().flatten().max().copied().unwrap_or(0);
        prop_assert_eq!((report.path.span, report.levels.len() as u64), (longest, longest));
        prop_assert_eq!(report.n_events, levels.iter().flatten().count() as u64);
    }

    /// A file may say anything of times.
    #[test]
    fn any_times_are_reported(
        history in testing::histories(12),
        times in prop::collection::vec((any::<u32>(), extreme(), extreme()), 12),
    ) {
        let mut events = history.events;
        for (event, (worker, start, end)) in events.iter_mut().zip(times) {
            event.timing = Some(Timing::new(worker, start, end));
        }
        let report = measured(&events, RecordingMode::Perf, &PerfOptions::default());
        prop_assert!(report.path.span <= report.wall() && report.path.span <= report.work());
        prop_assert!(!report.to_text().is_empty() && report.to_json().is_object());
        prop_assert!(!report.to_svg().contains("NaN"));
    }

    /// Any record is told in any form.
    #[test]
    fn every_report_can_be_written(events in timed(), by in prop_oneof![Just(By::Action), Just(By::Graph)]) {
        let report = measured(&events, RecordingMode::Perf, &PerfOptions { by, n_top: 3, ..PerfOptions::default() });
        let svg = report.to_svg();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", svg);
        prop_assert!(report.to_text().lines().all(|line| line.trim_end() == line));
        prop_assert!(report.to_json().is_object());
    }
}

#[test]
fn a_chain_of_a_million_events_is_freed() {
    let mut chains = chain::Chains::new(RecordingMode::Full, false, in_memory);
    for count in 1..=1_000_000 {
        let event = EventRecord::new(id(0, count));
        let head =
            chain::Head { event: &event, routes: 0, timing: None, suspended: 0, resumed: 0, counts: true };
        chains.event(&head).expect("it takes nothing");
    }
    let longest = chains.finish().0.map(|tail| tail.level);
    assert_eq!(longest, Some(1_000_000));
}

/// Reads of an object that nobody writes, by events of different actions.
fn reading(own: u32, timing: (u32, u64, u64)) -> EventRecord {
    let mut event = event(id(own, 1), &[], 0, timing);
    event.shared.push(SharedAccess { object: ObjectId(0), access: Access::Read, writer: None, readers: 0 });
    event
}

/// Of two readers neither outdoes the other: the one computed longer, the other ended later.
#[test]
fn the_longest_of_the_readers_counts_for_the_writer() {
    let span = |first: (u32, u64, u64), second: (u32, u64, u64), writer: (u32, u64, u64)| {
        let mut writes = writing(event(id(2, 1), &[], 0, writer), None);
        writes.shared[0].readers = 2;
        let next = event(id(2, 2), &[], 0, (2, 100, 120));
        let events = [reading(0, first), reading(1, second), writes, next];
        measured(&events, RecordingMode::Perf, &PerfOptions::default()).path.span / 1000
    };
    assert_eq!(span((0, 0, 50), (1, 60, 65), (2, 70, 80)), 50 + 10 + 20);
    assert_eq!(span((1, 60, 65), (0, 0, 50), (2, 70, 80)), 50 + 10 + 20);
    // The second one had not ended when the writer, by its own end, had the lock.
    assert_eq!(span((0, 10, 20), (1, 18, 30), (2, 15, 22)), 10 + 20);
    assert_eq!(span((1, 18, 30), (0, 10, 20), (2, 15, 22)), 10 + 20);
}

#[test]
fn of_a_long_path_the_heaviest_events_are_told() {
    let mut events: Vec<EventRecord> =
        (1..=10_010).map(|count| event(id(0, count), &[], 0, (0, count * 10, count * 10 + 3))).collect();
    events[9_999].timing = Some(Timing::new(0, 100_000_000, 100_009_000));
    let report = measured(&events, RecordingMode::Perf, &PerfOptions::default());
    let path = &report.to_json()["critical_path"];
    assert_eq!(path["events_in_all"], 10_010);
    let places: Vec<u64> = path["events"]
        .as_array()
        .map_or(Vec::new(), |events| events.iter().filter_map(|event| event["place"].as_u64()).collect());
    assert!(places.len() == 10_000 && places.is_sorted() && places.contains(&10_000));
    assert!(report.to_text().contains("  10000  /T0[0]:10000"), "{}", report.to_text());
}
