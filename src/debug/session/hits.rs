//! Going on, forwards and backwards, to where a breakpoint is hit in the record.
//!
//! The events between two moments are executed again, and each hit is noted; nobody stops. The nearest one is then gone to.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use hasse::event::EventError;
use hasse::moment::Timeline;
use hasse_model::id::EventId;
use hasse_runtime::control::breakpoint::{Breakpoint, PointCommand, Reaction};
use hasse_runtime::control::{Control, News, Printed, Said, StopPoint};
use hasse_runtime::run::RunOptions;

use super::events::fault_at;
use super::moments::no_more;
use super::travel::{MomentPlace, stop_in};
use super::{Session, written};
use crate::debug::underway::Underway;
use crate::fault::Fault;

/// A hit of a breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hit {
    /// The moment after its event.
    after: u64,
    point: StopPoint,
    number: u64,
    event: EventId,
}

impl Session<'_, '_> {
    /// Goes to the next hit of a breakpoint after the moment that the session is at, or to the last one before it; several times.
    pub(in super::super) fn go_to_hit(
        &mut self,
        is_back: bool,
        n_times: u64,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        for _ in 0..n_times {
            let timeline = self.timeline()?;
            let here = self.here();
            let breakpoints = self.breakpoints_that_count();
            if breakpoints.is_empty() {
                return Err(no_more("no breakpoint is set", column));
            }
            let stop = timeline.interruptible();
            let before = self.subject.current.lock().replace(Underway::of_question(stop));
            let found = nearest(&timeline, &breakpoints, &here, is_back);
            *self.subject.current.lock() = before;
            match found.map_err(|error| fault_at(error, column))? {
                Some(hit) => {
                    let breakpoint = breakpoints.iter().find(|(number, _)| *number == hit.number);
                    let within = breakpoint.map(|(_, breakpoint)| stop_in(&timeline, hit.event, breakpoint));
                    let within = within.transpose().map_err(|error| fault_at(error, column))?;
                    written(writeln!(out, "breakpoint {}", hit.number))?;
                    self.open_and_report(MomentPlace { position: hit.after - 1, within }, out)?;
                }
                None => {
                    let (position, side) = match is_back {
                        true => (0, "no earlier hit"),
                        false => (timeline.moments().n_events(), "no later hit"),
                    };
                    written(writeln!(out, "{side}"))?;
                    return self.open_and_report(MomentPlace { position, within: None }, out);
                }
            }
        }
        Ok(())
    }

    fn breakpoints_that_count(&self) -> Vec<(u64, Breakpoint)> {
        let settings = &self.settings;
        let counts = |number: &u64| !settings.disabled.contains(number);
        let breakpoints = settings.breakpoints.iter().filter(|(number, _)| counts(number));
        breakpoints.map(|(number, breakpoint)| (*number, breakpoint.clone())).collect()
    }
}

/// The nearest hit on one side of a place.
fn nearest(
    timeline: &Timeline<'_>,
    breakpoints: &[(u64, Breakpoint)],
    here: &MomentPlace,
    is_back: bool,
) -> Result<Option<Hit>, EventError> {
    let n_events = timeline.moments().n_events();
    // The event that the place is within counts on neither side.
    let (low, high) = (here.position, here.position + u64::from(here.within.is_some()));
    // Some look at what was before: they are executed from the beginning.
    let looks_back = |(_, breakpoint): &(u64, Breakpoint)| {
        breakpoint.n_ignored > 0 || matches!(breakpoint.reaction, Reaction::Watch(_))
    };
    let from_beginning = breakpoints.iter().any(looks_back);
    let mut at = if is_back { low } else { high };
    while if is_back { at > 0 } else { at < n_events } {
        let (from, to) = match is_back {
            true => (timeline.station_before(at), at),
            false => (at, timeline.station_after(at)),
        };
        let hits = hits_between(timeline, breakpoints, if from_beginning { 0 } else { from }, to)?;
        let within = hits.into_iter().filter(|hit| hit.after > from && hit.after <= to);
        let found = match is_back {
            true => within.max_by_key(|hit| (hit.after, hit.point)),
            false => within.min_by_key(|hit| (hit.after, hit.point)),
        };
        if found.is_some() {
            return Ok(found);
        }
        at = if is_back { from } else { to };
    }
    Ok(None)
}

/// All hits of the events between two moments.
fn hits_between(
    timeline: &Timeline<'_>,
    breakpoints: &[(u64, Breakpoint)],
    from: u64,
    to: u64,
) -> Result<Vec<Hit>, EventError> {
    let control = Control::new();
    for (number, breakpoint) in breakpoints {
        let reaction = match &breakpoint.reaction {
            Reaction::Watch(expressions) => Reaction::Watch(expressions.clone()),
            Reaction::Stop | Reaction::Once | Reaction::When(_) => Reaction::When(vec![PointCommand::Where]),
        };
        // A condition may name something that the edited program no longer has.
        let _ =
            control.set_breakpoint(timeline.plan(), *number, Breakpoint { reaction, ..breakpoint.clone() });
    }
    let news = Arc::<Mutex<Vec<(String, StopPoint, u64)>>>::default();
    let noted = Arc::clone(&news);
    control.set_printer(Some(Arc::new(move |news: &News| {
        let Said::Printed { breakpoint, printed } = &news.said else { return };
        if !matches!(printed, Printed::Changed { before: None, .. }) {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            noted.push((news.event.clone(), news.point, *breakpoint));
        }
    })));
    let options = RunOptions { control: Some(control), ..timeline.options() };
    timeline.pass(from, to, &options, None)?;
    let news = std::mem::take(&mut *news.lock().unwrap_or_else(PoisonError::into_inner));
    let hit = |(path, point, number): (String, StopPoint, u64)| {
        let event = timeline.find(&path).ok()?;
        Some(Hit { after: timeline.moments().after(event)?, point, number, event })
    };
    Ok(news.into_iter().filter_map(hit).collect())
}
