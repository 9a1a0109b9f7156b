//! The life of an action in the record.

use std::io::Write;

use hasse::moment::{Lifetime, Timeline, WaitingValue};
use hasse_model::event::Outcome;
use hasse_model::id::EventId;
use hasse_model::quantity::counted;

use super::super::command::AskedEvent;
use super::super::line::LineError;
use super::super::wording;
use super::events::fault_at;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;

/// Maximum number of values listed per port.
const MOST_VALUES: usize = 8;

impl Session<'_, '_> {
    /// Shows since when an action exists, its executions, and what has become of it at the end of the record.
    pub(super) fn write_lifetime(&mut self, asked: &AskedEvent, out: &mut dyn Write) -> Result<(), Fault> {
        let scope = self.asked_scope(asked)?;
        let path = match scope.context() {
            Context::Action | Context::Event => scope.selector(),
            Context::Program | Context::Call => None,
        };
        let Some(path) = path else {
            let message = format!("an action is to be named, and `{scope}` is none");
            let hint = "name one such as `Mult[3]`, or select one with `cd`; `lsi` lists them";
            return Err(unplaced(LineError::new(asked.column, message, hint)));
        };
        if !scope.is_one() {
            return Err(Fault::Several { scope: path });
        }
        let timeline = self.timeline()?;
        let stop = timeline.interruptible();
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let lifetime = timeline.lifetime(&path);
        *self.subject.current.lock() = before;
        match lifetime.map_err(|error| fault_at(error, asked.column))? {
            Some(lifetime) => written(write_text(&lifetime, &timeline, out)),
            None => {
                let message = format!("the record has no action {path}");
                let hint = "nothing was sent to it; `lsi` lists the actions that there are";
                Err(unplaced(LineError::new(asked.column, message, hint)))
            }
        }
    }
}

fn write_text(lifetime: &Lifetime, timeline: &Timeline<'_>, out: &mut dyn Write) -> std::io::Result<()> {
    let Lifetime { action, since, executions, ended, has_failed, queues } = lifetime;
    let moments = timeline.moments();
    let with_moment = |event: EventId| {
        let position = moments.after(event).unwrap_or_default();
        format!("{} (moment {position})", timeline.names().event(event))
    };
    writeln!(out, "{action}")?;
    match moments.event_before(*since) {
        None => writeln!(out, "  exists from the beginning")?,
        Some(event) => writeln!(out, "  created by {}, which sent it a value", with_moment(event))?,
    }
    match executions {
        None => writeln!(out, "  has never executed")?,
        Some((first, last)) if first == last => writeln!(out, "  1 execution: {}", with_moment(*first))?,
        Some((first, last)) => {
            let n_executions = counted(last.count, "execution");
            writeln!(out, "  {n_executions}: from {} to {}", with_moment(*first), with_moment(*last))?;
        }
    }
    match ended {
        Some((Outcome::Failed, error)) => {
            let error = error.as_ref().map_or(String::new(), |error| format!(": {error}"));
            let stays = if *has_failed { "" } else { "; it goes on after failed events" };
            writeln!(out, "  its last event has failed{error}{stays}")?;
        }
        Some((Outcome::Stopped, _)) => writeln!(out, "  its last event was ended by the end of the run")?,
        Some((Outcome::Done, _)) | None => {}
    }
    if queues.is_empty() {
        return writeln!(out, "  at the end nothing waits on its ports");
    }
    writeln!(out, "  at the end there wait")?;
    for queue in queues {
        for WaitingValue { value, sender } in queue.values.iter().take(MOST_VALUES) {
            let sender = sender.as_ref().map_or(String::new(), |sender| format!(" from {sender}"));
            writeln!(out, "    {} on port {}{sender}", wording::shown(value), queue.port)?;
        }
        if queue.values.len() > MOST_VALUES {
            writeln!(out, "    {} more on port {}", queue.values.len() - MOST_VALUES, queue.port)?;
        }
    }
    Ok(())
}
