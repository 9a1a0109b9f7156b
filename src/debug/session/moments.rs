//! The moments of the session's events: going to one, forwards and backwards, and asking the run there.
//!
//! At a moment a replay has executed the events before it and no others, and is open to the questions that a run at rest is.

use std::io::Write;
use std::sync::Arc;

use hasse::moment::Timeline;
use hasse_model::id::{ActionId, EventId};
use hasse_runtime::control::breakpoint;
use hasse_runtime::control::{Control, Said};
use hasse_runtime::run::StopSignal;

use super::super::command::{At, Command, Move, Needs, Target};
use super::super::line::LineError;
use super::events::fault_at;
#[cfg(feature = "editor")]
use super::travel::MomentAt;
use super::travel::{Extent, MomentPlace, Travel, bare, open_replay, stop_in};
use super::{Session, unplaced, written};
use crate::debug::held::Origin;
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::ground;
use crate::index_file::IndexFile;

impl<'scope, 'p> Session<'scope, 'p> {
    /// Goes to a moment that is named.
    pub(in super::super) fn go_to(&mut self, target: &Target, out: &mut dyn Write) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let moments = timeline.moments();
        let n_events = moments.n_events();
        let place = match target {
            Target::Position { number, column } => {
                if *number > n_events {
                    let message = format!("there are {n_events} events: the last moment is {n_events}");
                    return Err(unplaced(LineError::new(*column, message, "`goto end` goes there")));
                }
                MomentPlace { position: *number, within: None }
            }
            Target::Share(percent) => {
                let position = (u128::from(n_events) * u128::from(*percent) / 100) as u64;
                MomentPlace { position, within: None }
            }
            Target::Event { event, at } => {
                let path = self.asked_event(event)?;
                let id = timeline.find(&path).map_err(|error| fault_at(error, event.column))?;
                let after = moments.after(id).unwrap_or(n_events);
                let within = |place| stop_in(&timeline, id, &bare(place)).map(Some);
                let within = match at {
                    At::After | At::Before => Ok(None),
                    At::Befcomp => within(breakpoint::Place::Befcomp),
                    At::Aftcomp => within(breakpoint::Place::Aftcomp),
                };
                let position = if *at == At::After { after } else { after - 1 };
                MomentPlace { position, within: within.map_err(|error| fault_at(error, event.column))? }
            }
        };
        self.open_and_report(place, out)
    }

    /// Goes by events: of the whole run, or of the selected action.
    pub(in super::super) fn go_by(
        &mut self,
        way: Move,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let moments = timeline.moments();
        let here = self.here();
        let n_events = moments.n_events();
        let Some((action, path)) = self.selected_action(&timeline, column)? else {
            // Within an event, the moment before it is the one that the place has.
            let is_within = u64::from(here.within.is_some());
            let position = match way {
                Move::Back(0) | Move::Forth(0) => here.position,
                Move::Back(n) if n - is_within > here.position => {
                    return Err(no_more("the first moment has been reached", column));
                }
                Move::Back(n) => here.position - (n - is_within),
                Move::Forth(n) if n > n_events - here.position => {
                    return Err(no_more("the last moment has been reached", column));
                }
                Move::Forth(n) => here.position + n,
                Move::First => 0,
                Move::Last => n_events,
            };
            return self.open_and_report(MomentPlace { position, within: None }, out);
        };
        let n_of = moments.n_of(action);
        let n_before = moments.n_of_before(action, here.position);
        let is_within = here.within.as_ref().is_some_and(|within| within.event.action == action);
        let n_begun = n_before + u64::from(is_within);
        let after = |count: u64| moments.after(EventId { action, count }).unwrap_or(n_events);
        let position = match way {
            // Going back undoes the last event of the action.
            Move::Back(n) if n > n_begun => {
                let message = format!("{path} has no earlier event");
                return Err(no_more(&message, column));
            }
            Move::Back(n) => after(n_begun - n + 1) - 1,
            Move::Forth(n) if n > n_of - n_before => {
                let message = format!("{path} has no later event");
                return Err(no_more(&message, column));
            }
            Move::Forth(n) => after(n_before + n),
            Move::First => after(1) - 1,
            Move::Last => after(n_of),
        };
        self.open_and_report(MomentPlace { position, within: None }, out)
    }

    /// The action that is selected, and its path; `None` where the program or a call is.
    pub(super) fn selected_action(
        &self,
        timeline: &Timeline<'_>,
        column: usize,
    ) -> Result<Option<(ActionId, String)>, Fault> {
        let scope = &self.settings.scope;
        if !matches!(scope.context(), Context::Action | Context::Event) {
            return Ok(None);
        }
        let Some(path) = scope.selector() else { return Ok(None) };
        if !scope.is_one() {
            return Err(Fault::Several { scope: path });
        }
        let first = timeline.find(&format!("{path}:1")).map_err(|error| fault_at(error, column))?;
        Ok(Some((first.action, path)))
    }

    /// Shows the moment that the session is at.
    pub(in super::super) fn write_moment(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        self.timeline()?;
        self.tell_moment(out)
    }

    pub(super) fn tell_moment(&self, out: &mut dyn Write) -> Result<(), Fault> {
        match &self.travel {
            Some(travel) => written(writeln!(out, "{}", travel.shown())),
            None => Ok(()),
        }
    }

    /// The place in time that the session is at; the end where it has gone nowhere.
    pub(super) fn here(&self) -> MomentPlace {
        match &self.travel {
            Some(travel) => travel.place.clone(),
            None => MomentPlace { position: u64::MAX, within: None },
        }
    }

    /// The session's events as moments.
    pub(super) fn timeline(&mut self) -> Result<Arc<Timeline<'p>>, Fault> {
        self.require_idle()?;
        let events = (self.held.origin.clone(), self.source_of_events()?.into_records());
        if let Some(travel) = &self.travel {
            let is_same = match (&travel.events.1, &events.1) {
                (Some(known), Some(records)) => known.is_same(records),
                (None, None) => true,
                _ => false,
            };
            if is_same && travel.events.0 == events.0 {
                return Ok(Arc::clone(&travel.timeline));
            }
        }
        self.leave_moment();
        let subject = self.subject_of_events();
        let recorded = self.source_of_events()?.recorded()?;
        let stop = StopSignal::default();
        let sandbox = Grants::default().sandbox_of_replay(false)?;
        let natives = subject.natives()?;
        let options = ground::options(&subject.program, natives, self.options.n_workers, sandbox, &stop);
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let timeline = Timeline::new(&subject.plan, recorded, &options, self.index_memory.bytes());
        *self.subject.current.lock() = before;
        let timeline = Arc::new(timeline.map_err(|error| fault_at(error, 1))?);
        let index = self.subject.trace.as_deref().filter(|_| matches!(self.held.origin, Origin::Trace(_)));
        let index = index.and_then(|trace| IndexFile::of(trace).ok());
        if let Some(index) = &index {
            index.read(&timeline);
        }
        let place = MomentPlace { position: timeline.moments().n_events(), within: None };
        self.travel = Some(Travel {
            timeline: Arc::clone(&timeline),
            events,
            index,
            place,
            is_at: false,
            replay: None,
        });
        Ok(timeline)
    }

    /// Goes to a moment, and prints it.
    pub(super) fn open_and_report(&mut self, place: MomentPlace, out: &mut dyn Write) -> Result<(), Fault> {
        self.open_moment(place)?;
        self.tell_moment(out)
    }

    /// Goes to a moment. A replay is made when something is asked there, or where the moment is within an event.
    pub(super) fn open_moment(&mut self, place: MomentPlace) -> Result<(), Fault> {
        self.timeline()?;
        self.shut()?;
        if place.within.is_some() {
            return self.open_replay(place, Extent::Whole);
        }
        if let Some(travel) = &mut self.travel {
            (travel.place, travel.is_at) = (place, true);
        }
        Ok(())
    }

    /// Makes the replay at the moment that can answer a command.
    pub(super) fn open_for(&mut self, command: &Command) -> Result<(), Fault> {
        self.open_as(command.needs_moment())
    }

    /// Makes the replay at the moment with all actions, if the session is at one.
    ///
    /// # Errors
    /// The replay does not come there.
    #[cfg(feature = "editor")]
    pub(in super::super) fn open_whole(&mut self) -> Result<(), Fault> {
        self.open_as(Needs::Everything)
    }

    fn open_as(&mut self, needs: Needs) -> Result<(), Fault> {
        let Some(travel) = self.travel.as_ref().filter(|travel| travel.is_at && needs != Needs::Nothing)
        else {
            return Ok(());
        };
        let (timeline, place) = (Arc::clone(&travel.timeline), travel.place.clone());
        let one =
            if needs == Needs::Selected { self.selected_action(&timeline, 1).ok().flatten() } else { None };
        let extent = one.map_or(Extent::Whole, |(action, _)| Extent::One(action));
        match &travel.replay {
            Some(replay) if replay.extent == Extent::Whole || replay.extent == extent => Ok(()),
            _ => self.open_replay(place, extent),
        }
    }

    fn open_replay(&mut self, place: MomentPlace, extent: Extent) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        self.leave_replay();
        let stop = timeline.interruptible();
        let before = self.subject.current.lock().replace(Underway::of_question(stop.clone()));
        let indexed = self.travel.as_mut().and_then(|travel| travel.index.take());
        // Where the replay leaves the record further on, this moment may be there all the same.
        let indexed = indexed.map(|index| index.make(&timeline));
        let opened = match indexed {
            Some(Err(error)) if stop.is_set() => Err(error),
            _ => open_replay(self.threads, &timeline, &place, extent, stop),
        };
        *self.subject.current.lock() = before;
        let replay = opened.map_err(|error| fault_at(error, 1))?;
        if let Some(travel) = &mut self.travel {
            (travel.place, travel.is_at, travel.replay) = (place, true, Some(replay));
        }
        Ok(())
    }

    /// Returns true if the moment is within an event.
    pub(super) fn is_within(&self) -> bool {
        self.travel.as_ref().is_some_and(|travel| travel.place.within.is_some())
    }

    /// Lets the event that the moment is within go on to its next stop point, or to its end.
    pub(super) fn next_at_moment(&mut self, n_times: u64, out: &mut dyn Write) -> Result<(), Fault> {
        for _ in 0..n_times {
            if !self.is_within() {
                break;
            }
            self.ask(move |inspector| inspector.resume_all(true))?;
            self.rest_at_moment(out)?;
        }
        Ok(())
    }

    /// Waits until the event that the moment is within has come to a stop point, or has ended.
    pub(super) fn rest_at_moment(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        let Some(control) = self.moment_control().cloned() else { return Ok(()) };
        control.wait_for_rest();
        let stops = control.take_news().into_iter().filter(|news| matches!(news.said, Said::Stopped(_)));
        let stop = stops.last();
        let Some(travel) = &mut self.travel else { return Ok(()) };
        match (stop, &mut travel.place.within) {
            (Some(news), Some(within)) if control.report().is_none() => {
                within.point = match news.at {
                    Some(at) => format!("line {}", at.line),
                    None => news.point.name().to_owned(),
                };
                if news.at.is_some() { Ok(()) } else { self.tell_moment(out) }
            }
            (_, Some(_)) => {
                travel.place = MomentPlace { position: travel.place.position + 1, within: None };
                self.tell_moment(out)
            }
            (_, None) => Ok(()),
        }
    }

    /// Opens the end of the record for questions, in a session on a trace in which no run can be asked.
    pub(super) fn open_end_of_trace(&mut self) -> Result<(), Fault> {
        if self.is_open() || self.subject.trace.is_none() {
            return Ok(());
        }
        self.timeline()?;
        let place = self.here();
        self.open_moment(place)
    }

    /// The control of the replay at a moment, if the session is at one.
    pub(super) fn moment_control(&self) -> Option<&Control> {
        self.travel.as_ref()?.replay.as_ref().map(|replay| &replay.control)
    }

    /// Returns true if the session is at a moment.
    pub(super) fn is_at_moment(&self) -> bool {
        self.travel.as_ref().is_some_and(|travel| travel.is_at)
    }

    /// Leaves the moment.
    pub(super) fn leave_moment(&mut self) {
        self.leave_replay();
        if let Some(travel) = &mut self.travel {
            travel.is_at = false;
        }
    }

    fn leave_replay(&mut self) {
        if let Some((replay, timeline)) = self
            .travel
            .as_mut()
            .and_then(|travel| Some((travel.replay.take()?, Arc::clone(&travel.timeline))))
        {
            // Its errors were reported when it was opened.
            drop(replay.close());
            // What ended it is not to end the next one.
            timeline.interruptible();
        }
    }

    /// The moment that a replay rests at, and its text; `None` where the session is at none.
    #[cfg(feature = "editor")]
    pub(in super::super) fn moment(&self) -> Option<MomentAt> {
        let travel = self.travel.as_ref().filter(|travel| travel.is_at)?;
        Some(MomentAt {
            position: travel.place.position,
            n_events: travel.timeline.moments().n_events(),
            is_within: travel.place.within.is_some(),
            text: travel.shown(),
        })
    }

    /// Number of events of the session's record, which is read where that is not done.
    ///
    /// # Errors
    /// A run is under way, or the events have no moments.
    #[cfg(feature = "editor")]
    pub(in super::super) fn n_moments(&mut self) -> Result<u64, Fault> {
        Ok(self.timeline()?.moments().n_events())
    }

    /// The position for the prompt.
    pub(super) fn position(&self) -> Option<u64> {
        self.travel.as_ref().filter(|travel| travel.is_at).map(|travel| travel.place.position)
    }
}

pub(super) fn no_more(message: &str, column: usize) -> Fault {
    unplaced(LineError::new(column, message, "`moment` shows where the session is"))
}
