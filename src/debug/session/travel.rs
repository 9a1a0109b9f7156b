//! The moment that a session is at, and the replay that is at rest there.

use std::str::FromStr;
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};

use hasse::event::EventError;
use hasse::moment::{Timeline, Wanted};
use hasse_model::id::{ActionId, EventId};
use hasse_model::record_options::Selector;
use hasse_runtime::control::breakpoint::{self, Breakpoint, Reaction};
use hasse_runtime::control::{Control, GlobalState, StopPoint};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{RunOptions, RuntimeError, StopSignal};

use crate::debug::held::Origin;
use crate::debug::job::Records;
use crate::index_file::IndexFile;

/// The session's events as moments, and the one that it is at.
pub(super) struct Travel<'scope, 'p> {
    pub(super) timeline: Arc<Timeline<'p>>,
    /// The run or file that it is of, and the records; `None` for a trace.
    pub(super) events: (Origin, Option<Records>),
    /// The file of its states; `None` where there is none, or no more need of it.
    pub(super) index: Option<IndexFile>,
    pub(super) place: MomentPlace,
    /// True if the session is at that place, and not where it has run to.
    pub(super) is_at: bool,
    /// The replay that is asked there, once something is asked.
    pub(super) replay: Option<MomentReplay<'scope>>,
}

/// The actions that a replay at a moment can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All that exist.
    Whole,
    /// One of them.
    One(ActionId),
}

/// A place in time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MomentPlace {
    /// Number of events before it.
    pub(super) position: u64,
    /// The next event, where it has begun.
    pub(super) within: Option<Within>,
}

/// The moment that a session is at, for a window.
#[cfg(feature = "editor")]
pub(in super::super) struct MomentAt {
    pub(in super::super) position: u64,
    pub(in super::super) n_events: u64,
    pub(in super::super) is_within: bool,
    pub(in super::super) text: String,
}

/// A place within an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Within {
    pub(super) event: EventId,
    /// Where its action stops: a breakpoint for this action alone.
    pub(super) breakpoint: Breakpoint,
    /// The place for a person, such as `befcomp`.
    pub(super) point: String,
}

impl Within {
    /// Returns true if the body of the event has not begun.
    pub(super) fn is_before(&self) -> bool {
        self.point == StopPoint::Befcomp.name()
    }
}

/// A replay that is at rest at a place.
pub(super) struct MomentReplay<'scope> {
    pub(super) control: Control,
    pub(super) extent: Extent,
    stop: StopSignal,
    thread: ScopedJoinHandle<'scope, Result<RunReport, EventError>>,
}

impl MomentReplay<'_> {
    /// Ends it, and returns its report.
    pub(super) fn close(self) -> Result<RunReport, EventError> {
        if self.control.report().is_none() {
            self.stop.stop();
            self.control.wake();
        }
        self.control.release();
        match self.thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl Travel<'_, '_> {
    /// The place in a few words.
    pub(super) fn shown(&self) -> String {
        let moments = self.timeline.moments();
        let MomentPlace { position, within } = &self.place;
        let position = *position;
        let of = format!("moment {position} of {}", moments.n_events());
        let name = |event: EventId| self.timeline.names().event(event).to_string();
        match (within, moments.event_before(position)) {
            (Some(within), _) => format!("{of}: {} at {}", name(within.event), within.point),
            (None, None) => format!("{of}: nothing has been executed"),
            (None, Some(event)) => format!("{of}: after {}", name(event)),
        }
    }
}

/// Starts a replay, and waits until it is at rest at a place.
pub(super) fn open_replay<'scope, 'p>(
    threads: &'scope Scope<'scope, 'p>,
    timeline: &Arc<Timeline<'p>>,
    place: &MomentPlace,
    extent: Extent,
    stop: StopSignal,
) -> Result<MomentReplay<'scope>, EventError> {
    let MomentPlace { position, within } = place;
    // An event that has begun is among those that are executed.
    let target = position + u64::from(within.is_some());
    let (control, from) = (Control::new(), *position);
    // From the very state, in which values wait in an order that does not depend on workers. An event that the place is within is
    // the only one that is executed then, so that nothing else comes to the breakpoint.
    let base = match extent {
        Extent::Whole => timeline.state(*position)?,
        Extent::One(action) => Arc::new(timeline.part(*position, &Wanted::action(action))?),
    };
    if let Some(within) = within {
        let set = control.set_breakpoint(timeline.plan(), 1, within.breakpoint.clone());
        set.map_err(|error| refused(error.to_string()))?;
    }
    control.begin();
    let options = RunOptions { control: Some(control.clone()), ..timeline.options() };
    let (of_thread, ended) = (Arc::clone(timeline), control.clone());
    let thread = threads.spawn(move || {
        let report = of_thread.stay(Some(&base), (from, target), &options, &mut |_| {});
        ended.end();
        report
    });
    let replay = MomentReplay { control, extent, stop, thread };
    let state = replay.control.wait_for_rest();
    let Some(report) = replay.control.report() else {
        if state != GlobalState::Finished {
            return Ok(replay);
        }
        let report = replay.close()?;
        timeline.checked(&report, target)?;
        return Err(timeline.stopped(target));
    };
    let come = timeline.checked(&report, target).and_then(|()| match within {
        None => Ok(()),
        Some(within) => {
            let event = timeline.names().event(within.event).to_string();
            Err(EventError::NoValues { event, problem: "does not come there: it fails before" })
        }
    });
    match come {
        Ok(()) => Ok(replay),
        Err(error) => replay.close().and(Err(error)),
    }
}

/// A breakpoint that stops whoever comes to a place.
pub(super) fn bare(place: breakpoint::Place) -> Breakpoint {
    Breakpoint { within: None, place, condition: None, n_ignored: 0, reaction: Reaction::Stop }
}

/// The place within an event at which a breakpoint stops it.
pub(super) fn stop_in(
    timeline: &Timeline<'_>,
    event: EventId,
    breakpoint: &Breakpoint,
) -> Result<Within, EventError> {
    let path = timeline.names().action(event.action).to_string();
    let within = Selector::from_str(&path).map_err(|error| refused(error.to_string()))?;
    let point = match &breakpoint.place {
        breakpoint::Place::Line(line) => format!("line {line}"),
        breakpoint::Place::Aftcomp => StopPoint::Aftcomp.name().to_owned(),
        breakpoint::Place::Send | breakpoint::Place::Arc(_) | breakpoint::Place::Creation(_) => {
            StopPoint::Send.name().to_owned()
        }
        breakpoint::Place::Failed => StopPoint::Failed.name().to_owned(),
        breakpoint::Place::Befcomp | breakpoint::Place::Shared { .. } => StopPoint::Befcomp.name().to_owned(),
    };
    let breakpoint =
        Breakpoint { within: Some(within), n_ignored: 0, reaction: Reaction::Stop, ..breakpoint.clone() };
    Ok(Within { event, breakpoint, point })
}

fn refused(message: String) -> EventError {
    EventError::Runtime(RuntimeError::Record { message })
}
