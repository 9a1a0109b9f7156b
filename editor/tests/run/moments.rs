//! Moments of a record: what is asked of the session, and when.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hasse_editor::run::{Mode, Moment, NoMoment, Request, RunState, Snapshot, Subject, Told};

use super::fake::{Fake, facts, panel};

const RECORD: &str = "/records/run-1.trace";

fn moment(position: u64) -> Told {
    Told::Rest(Arc::new(Snapshot {
        state: RunState::Over { is_open: true },
        moment: Some(Moment {
            position,
            n_events: 9,
            is_within: false,
            text: format!("moment {position} of 9: after /A:{position}"),
        }),
        ..Snapshot::default()
    }))
}

fn arrive(panel: &mut hasse_editor::run::RunPanel, fake: &Fake, position: u64) {
    fake.tell(moment(position));
    fake.tell(Told::Moment(Ok(())));
    panel.tick(Duration::ZERO);
}

/// A panel whose session has the record.
fn recorded() -> (hasse_editor::run::RunPanel, Fake) {
    let (mut panel, fake) = panel();
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(Told::State(RunState::Over { is_open: true }));
    fake.tell(Told::Recorded(RECORD.into()));
    panel.tick(Duration::ZERO);
    fake.sent();
    (panel, fake)
}

#[test]
fn newest_position_replaces_those_between() {
    let (mut panel, fake) = recorded();
    let record = Path::new(RECORD);
    (1..=7).for_each(|position| panel.go_to_moment(record, position));
    assert_eq!(fake.sent(), [Request::Moment(1)], "one question is open");
    assert!(panel.is_traveling());
    arrive(&mut panel, &fake, 1);
    assert_eq!(fake.sent(), [Request::Moment(7)]);
    assert!(panel.shows_moment(record, 1) && !panel.shows_moment(record, 7));
    // Back to what is being asked: nothing more is wanted.
    panel.go_to_moment(record, 5);
    panel.go_to_moment(record, 7);
    arrive(&mut panel, &fake, 7);
    assert_eq!(fake.sent(), []);
    assert!(panel.shows_moment(record, 7) && !panel.is_traveling());
    assert_eq!(panel.state_name(), "at a moment");
    panel.go_to_moment(record, 7);
    assert_eq!(fake.sent(), [], "it is there");
    assert_eq!(panel.take_sought(), None, "the player has asked for it");
}

#[test]
fn record_of_another_run_opens_a_session_on_its_file() {
    let (mut panel, fake) = recorded();
    let other = Path::new("/records/run-0.trace");
    panel.go_to_moment(other, 3);
    let sent = fake.sent();
    let [Request::Open(Subject::Trace(path), options), Request::Moment(3)] = &sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!((path.as_path(), options.mode), (other, Mode::Full));
    fake.tell(Told::State(RunState::Opening));
    fake.tell(Told::Opened(facts()));
    fake.tell(Told::Recorded(other.to_owned()));
    arrive(&mut panel, &fake, 3);
    assert!(panel.shows_moment(other, 3));
    assert!(!panel.take_for_views().iter().any(|told| matches!(told, Told::Recorded(path) if path == other)));
    panel.go_to_moment(other, 4);
    assert_eq!(fake.sent(), [Request::Moment(4)], "the session has it");
}

#[test]
fn hit_and_fork_come_after_the_moment_that_is_gone_to() {
    let (mut panel, fake) = recorded();
    let record = Path::new(RECORD);
    panel.go_to_moment(record, 4);
    panel.go_to_hit(record, true);
    assert_eq!(fake.sent(), [Request::Moment(4)]);
    arrive(&mut panel, &fake, 4);
    assert_eq!(fake.sent(), [Request::Hit { is_back: true }]);
    arrive(&mut panel, &fake, 2);
    assert_eq!(panel.take_sought(), Some(2), "the session has gone there");
    assert_eq!(panel.take_sought(), None);
    panel.fork(record);
    assert_eq!(fake.sent(), [Request::Fork]);
    fake.tell(Told::Begun(Mode::Full));
    fake.tell(Told::State(RunState::Running));
    panel.tick(Duration::ZERO);
    assert!(!panel.is_traveling() && panel.moment().is_none());
    fake.sent();
    panel.go_to_moment(record, 1);
    assert_eq!(fake.sent(), [], "a run is under way");
}

#[test]
fn refusal_is_told_once_with_its_reason() {
    let (mut panel, fake) = recorded();
    let record = Path::new(RECORD);
    let refuse = |text: &str, is_of_record| {
        let problem = NoMoment { text: text.to_owned(), is_of_record };
        fake.tell(Told::Moment(Err(problem)));
    };
    panel.go_to_moment(record, 2);
    refuse("no earlier hit", false);
    panel.tick(Duration::ZERO);
    assert_eq!(panel.moment_problem(), "no earlier hit");
    panel.go_to_moment(record, 3);
    arrive(&mut panel, &fake, 3);
    assert_eq!(panel.moment_problem(), "");
    fake.sent();
    // Of a record that has no moments nothing more is asked.
    panel.go_to_moment(record, 5);
    panel.go_to_moment(record, 6);
    refuse("it is restricted", true);
    panel.tick(Duration::ZERO);
    panel.go_to_moment(record, 7);
    assert_eq!(fake.sent(), [Request::Moment(5)]);
    assert_eq!(panel.moment_problem(), "it is restricted");
}
