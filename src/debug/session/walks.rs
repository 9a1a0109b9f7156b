//! Ways through the body of an action, forwards and backwards.
//!
//! A body goes backwards by an execution of its event again, from the beginning to one statement fewer.

use std::io::Write;

use hasse::event::EventError;
use hasse::moment::Timeline;
use hasse_model::id::EventId;
use hasse_runtime::control::breakpoint::Place;
use hasse_runtime::control::{ActionState, BodyView, Frame, Step, StopPoint};

use super::super::command::Walk;
use super::super::line::LineError;
use super::super::wording;
use super::events::fault_at;
use super::moments::no_more;
use super::travel::{MomentPlace, bare, stop_in};
use super::{Session, unplaced, written};
use crate::fault::Fault;

impl Session<'_, '_> {
    /// Goes through the body of the selected action, or shows what there is to see in it.
    pub(super) fn walk(&mut self, walk: Walk, out: &mut dyn Write) -> Result<(), Fault> {
        match walk {
            Walk::Forth { step, n_times } => {
                for _ in 0..n_times {
                    if !self.advance(step, out)? {
                        break;
                    }
                }
                Ok(())
            }
            Walk::Back { over, n_times, column } => {
                (0..n_times).try_for_each(|_| self.step_back(over, column, out))
            }
            Walk::Stack => self.write_stack(out),
            Walk::Locals => self.write_locals(out),
        }
    }

    /// Lets the selected action go on in its body; returns whether it is within it then.
    fn advance(&mut self, step: Step, out: &mut dyn Write) -> Result<bool, Fault> {
        let Some(path) = self.selected()? else { return Err(Fault::NotUnderWay) };
        let is_at_moment = self.moment_control().is_some();
        if !is_at_moment {
            self.control()?;
        }
        self.ask(move |inspector| inspector.advance(&path, step))?.map_err(Fault::Inspect)?;
        if is_at_moment {
            self.rest_at_moment(out)?;
        } else {
            self.rest(out)?;
        }
        self.write_line(out)
    }

    /// Shows the statement before which the selected action is stopped; returns whether there is one.
    fn write_line(&self, out: &mut dyn Write) -> Result<bool, Fault> {
        if self.live.is_none() && !self.is_within() {
            return Ok(false);
        }
        let Some(path) = self.selected()? else { return Ok(false) };
        let view = self.ask(move |inspector| inspector.action(&path))?.map_err(Fault::Inspect)?;
        let (Some(at), Some(text)) = (view.at, view.line_text) else { return Ok(false) };
        written(writeln!(out, "line {}: {text}", at.line))?;
        Ok(true)
    }

    /// Goes back by a statement, or to the end of the event before.
    fn step_back(&mut self, over: bool, column: usize, out: &mut dyn Write) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let Some((action, path)) = self.selected_action(&timeline, column)? else {
            return Err(Fault::NotUnderWay);
        };
        let place = self.here();
        let Some(within) = place.within else {
            let count = timeline.moments().n_of_before(action, place.position);
            if count == 0 {
                return Err(no_more(&format!("{path} has no earlier event"), column));
            }
            return self.open_at_end(&timeline, EventId { action, count }, column, out);
        };
        let event = within.event;
        if event.action != action {
            let message = format!("the moment is within {}", timeline.names().event(event));
            let hint = "select its action with `cd`, or go to another moment";
            return Err(unplaced(LineError::new(column, message, hint)));
        }
        let asked = path.clone();
        let view = self.ask(move |inspector| inspector.action(&asked))?.map_err(Fault::Inspect)?;
        let is_before = view.summary.state == ActionState::Stopped(StopPoint::Befcomp);
        let body = if is_before || view.at.is_some() {
            self.course(&path)?
        } else {
            // Nobody may have counted the statements of a body that has ended.
            self.open_before(&timeline, event, column)?;
            self.go_through(&path, u64::MAX, column)?;
            self.course(&path)?
        };
        if is_before {
            let name = timeline.names().event(event);
            written(writeln!(out, "{name} begins here: this is the moment before it"))?;
            return self.open_and_report(MomentPlace { position: place.position, within: None }, out);
        }
        let has_ended = view.at.is_none();
        let target = match (over, has_ended) {
            (true, _) => body.previous,
            (false, true) => body.n_statements,
            (false, false) => body.n_statements - 1,
        };
        self.open_before(&timeline, event, column)?;
        if target == 0 {
            return self.tell_moment(out);
        }
        self.go_through(&path, target, column)?;
        self.write_line(out).map(drop)
    }

    /// Opens the place after the body of an event, or where it fails.
    pub(super) fn open_at_end(
        &mut self,
        timeline: &Timeline<'_>,
        event: EventId,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let position = timeline.moments().after(event).unwrap_or_default().saturating_sub(1);
        let place = |place| -> Result<MomentPlace, Fault> {
            let within = stop_in(timeline, event, &bare(place)).map_err(|error| fault_at(error, column))?;
            Ok(MomentPlace { position, within: Some(within) })
        };
        match self.open_and_report(place(Place::Aftcomp)?, out) {
            Err(Fault::Event(EventError::NoValues { .. })) => {
                self.open_and_report(place(Place::Failed)?, out)
            }
            ended => ended,
        }
    }

    /// Opens the place before the body of an event.
    pub(super) fn open_before(
        &mut self,
        timeline: &Timeline<'_>,
        event: EventId,
        column: usize,
    ) -> Result<(), Fault> {
        let position = timeline.moments().after(event).unwrap_or_default().saturating_sub(1);
        let within =
            stop_in(timeline, event, &bare(Place::Befcomp)).map_err(|error| fault_at(error, column))?;
        self.open_moment(MomentPlace { position, within: Some(within) })
    }

    /// Goes on from before the body by this number of statements, or to its end. A body in Rust has no statements.
    pub(super) fn go_through(&mut self, path: &str, n_statements: u64, column: usize) -> Result<(), Fault> {
        let asked = path.to_owned();
        let gone = self.ask(move |inspector| inspector.advance(&asked, Step::Into(n_statements)))?;
        match gone {
            Ok(()) => self.rest_at_moment(&mut std::io::sink()),
            Err(_) if n_statements == u64::MAX => Ok(()),
            Err(error) => Err(unplaced(LineError::new(column, error.to_string(), ""))),
        }
    }

    fn course(&self, path: &str) -> Result<BodyView, Fault> {
        let asked = path.to_owned();
        self.ask(move |inspector| inspector.body(&asked))?.map_err(Fault::Inspect)
    }

    fn write_stack(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let Some(path) = self.selected()? else { return Err(Fault::NotUnderWay) };
        let asked = path.clone();
        let view = self.ask(move |inspector| inspector.action(&asked))?.map_err(Fault::Inspect)?;
        let body = self.course(&path)?;
        let event = format!("{path}:{}", view.summary.count);
        let Some(at) = view.at else {
            let state = wording::state(&view.summary.state);
            return written(writeln!(out, "{event} is {state}: no statement is next"));
        };
        let mut line = Some(at.line);
        let on = |line: Option<u32>| line.map_or(String::new(), |line| format!(" at line {line}"));
        for (frame_idx, Frame { function, arguments, called_at }) in body.frames.iter().enumerate() {
            let arguments: Vec<String> = arguments.iter().map(wording::value_or).collect();
            let arguments = arguments.join(", ");
            written(writeln!(out, "{frame_idx}  {function}({arguments}){}", on(line)))?;
            line = *called_at;
        }
        written(writeln!(out, "{}  body of {event}{}", body.frames.len(), on(line)))
    }

    fn write_locals(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let Some(path) = self.selected()? else { return Err(Fault::NotUnderWay) };
        let asked = path.clone();
        let view = self.ask(move |inspector| inspector.action(&asked))?.map_err(Fault::Inspect)?;
        // A place in a body is that of an execution which has begun.
        self.course(&path)?;
        let names = wording::names(&view.names);
        if names.is_empty() {
            return written(writeln!(out, "no names"));
        }
        written(names.iter().try_for_each(|line| writeln!(out, "{line}")))
    }
}
