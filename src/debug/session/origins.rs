//! Where a value comes from: back along arcs and through events, a page at a time.

use std::io::{self, Write};
use std::sync::Arc;

use hasse::moment::{Holder, Inputs, Onward, Origin, Passage, Timeline, Variable, Watched};
use hasse_debugger::check::evidence::Quote;
use hasse_model::id::EventId;

use super::super::command::{Symbol, Wherefrom};
use super::super::line::LineError;
use super::super::wording;
use super::events::fault_at;
use super::remembered::WayBack;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;

/// Maximum number of steps that one command shows.
const MOST_STEPS: usize = 16;
/// Maximum number of inputs of a kind that are shown.
const MOST_INPUTS: usize = 8;

impl<'p> Session<'_, 'p> {
    /// Follows a value back to what made it; without a value, goes on where the last page ended.
    pub(super) fn write_origin(
        &mut self,
        asked: Option<&Wherefrom>,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let stop = timeline.interruptible();
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let begun = match asked {
            Some(asked) => self.holder(&timeline, asked, out),
            None => self.way_on(&timeline, column),
        };
        let way = begun.and_then(|holder| self.follow(&timeline, holder, column, out));
        *self.subject.current.lock() = before;
        self.way_back = way?.map(|holder| WayBack { timeline: Arc::downgrade(&timeline), holder });
        Ok(())
    }

    /// Where the last page ended.
    fn way_on(&self, timeline: &Arc<Timeline<'p>>, column: usize) -> Result<Holder, Fault> {
        let way = self.way_back.as_ref().filter(|way| way.timeline.ptr_eq(&Arc::downgrade(timeline)));
        let hint = "say `wherefrom` with a var, a shared object or an input port";
        way.map(|way| way.holder.clone())
            .ok_or_else(|| unplaced(LineError::new(column, "no value has been followed so far", hint)))
    }

    /// Shows up to a page of steps; returns where the way goes on.
    fn follow(
        &self,
        timeline: &Timeline<'_>,
        mut holder: Holder,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<Option<Holder>, Fault> {
        let file = self.subject_of_events().program.name();
        let text = Text { timeline, file: &file };
        for _ in 0..MOST_STEPS {
            let (passage, onward) = timeline.origin(&holder).map_err(|error| fault_at(error, column))?;
            if let Some(passage) = &passage {
                written(text.passage(passage, out))?;
            }
            match onward {
                Onward::From(next) => {
                    written(text.onward(&next, out))?;
                    holder = next;
                }
                Onward::Ends(origin) => {
                    let inputs = match &origin {
                        Origin::Body { event, .. }
                        | Origin::Rule { event, .. }
                        | Origin::Collected { event, .. } => Some(timeline.inputs(*event)),
                        Origin::Parameter { .. }
                        | Origin::OfAction { .. }
                        | Origin::First
                        | Origin::NotSent => None,
                    };
                    let inputs = inputs.transpose().map_err(|error| fault_at(error, column))?;
                    written(text.origin(&origin, inputs.as_ref(), out))?;
                    return Ok(None);
                }
            }
        }
        written(writeln!(out, "{MOST_STEPS} steps are shown: `wherefrom` goes on"))?;
        Ok(Some(holder))
    }

    /// The value that a text names, which is shown.
    fn holder(
        &self,
        timeline: &Timeline<'_>,
        asked: &Wherefrom,
        out: &mut dyn Write,
    ) -> Result<Holder, Fault> {
        let position = self.here().position.min(timeline.moments().n_events());
        let column = asked.name.column;
        if let Some(holder) = self.waiting_value(timeline, asked, position)? {
            let Holder::Sent { value, .. } = &holder else { return Ok(holder) };
            let name = &asked.name.name;
            written(writeln!(out, "{name} = {} waits at moment {position}", wording::shown(value)))?;
            return Ok(holder);
        }
        if asked.number.is_some() {
            let message = format!("`{}` is no input port of the selected action", asked.name.name);
            let hint = "a number stands after a port, of whose values it is one; `queue` lists them";
            return Err(unplaced(LineError::new(column, message, hint)));
        }
        let of = self.variable(timeline, &asked.name)?;
        let values = timeline.values_at(&[Watched::Variable(of.clone())], position);
        let values = values.map_err(|error| fault_at(error, column))?;
        let Some(Some(value)) = values.first() else {
            let message = format!("`{}` has no value at this moment yet", asked.name.name);
            return Err(unplaced(LineError::new(
                column,
                message,
                "`forth` and `goto` lead to later moments",
            )));
        };
        let name = &asked.name.name;
        written(writeln!(out, "{name} = {} at moment {position}", wording::shown(value)))?;
        Ok(Holder::Variable { of, position })
    }

    /// A value that waits on a port of the selected action; `None` where the name is not that of a port.
    fn waiting_value(
        &self,
        timeline: &Timeline<'_>,
        asked: &Wherefrom,
        position: u64,
    ) -> Result<Option<Holder>, Fault> {
        let Symbol { name, column } = &asked.name;
        let scope = &self.settings.scope;
        if !matches!(scope.context(), Context::Action | Context::Event) {
            return Ok(None);
        }
        let (Some(path), Some(template)) = (scope.selector(), scope.template(timeline.plan())) else {
            return Ok(None);
        };
        let inputs = &timeline.plan().template(template).inputs;
        let port = name.split('[').next().unwrap_or(name);
        if !inputs.iter().any(|input| input.name == port) {
            return Ok(None);
        }
        let state = timeline.state(position).map_err(|error| fault_at(error, *column))?;
        let names = timeline.names_at(&state);
        let of_action =
            state.actions.iter().find(|state| names.action(state.record.action).to_string() == path);
        let queues = of_action.iter().flat_map(|state| &state.queues);
        let mut of_port = queues.filter(|queue| format!("{}{}", queue.port, queue.elements) == *name);
        let number = asked.number.unwrap_or(1);
        let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
        let Some(waiting) = of_port.next().and_then(|queue| queue.values.get(place)) else {
            let message = format!("no value {number} waits on port {name} of {path} at this moment");
            return Err(unplaced(LineError::new(*column, message, "`queue` lists the values that wait")));
        };
        let Some(sender) = waiting.sender else { return Ok(None) };
        let receiver = format!("{path}.{name}");
        Ok(Some(Holder::Sent { sender, receiver, value: waiting.value.clone(), taken: None }))
    }
}

/// The words for a way back.
struct Text<'t> {
    timeline: &'t Timeline<'t>,
    file: &'t str,
}

impl Text<'_> {
    fn event(&self, event: EventId) -> String {
        let position = self.timeline.moments().after(event).unwrap_or_default();
        format!("{} (moment {position})", self.timeline.names().event(event))
    }

    fn quote(&self, quote: &Quote) -> String {
        format!("`{}` ({}:{})", quote.text, self.file, quote.line)
    }

    fn passage(&self, passage: &Passage, out: &mut dyn Write) -> io::Result<()> {
        match passage {
            Passage::Set { event, before, after } => {
                let (before, after) = (wording::shown(before), wording::shown(after));
                writeln!(out, "set by {}: {before} -> {after}", self.event(*event))
            }
            Passage::Sent { event, port, rule, ways } => {
                let rule = rule
                    .as_ref()
                    .map_or(String::new(), |rule| format!(" by routing rule {}", self.quote(rule)));
                writeln!(out, "sent by {} on port {port}{rule}", self.event(*event))?;
                let arcs = ways.iter().flat_map(|way| &way.arc_quotes);
                arcs.map(|arc| self.quote(arc)).try_for_each(|arc| writeln!(out, "  along arc {arc}"))
            }
        }
    }

    fn onward(&self, holder: &Holder, out: &mut dyn Write) -> io::Result<()> {
        match holder {
            Holder::Sent { receiver, value, .. } => {
                writeln!(out, "  which took it, {}, from {receiver}", wording::shown(value))
            }
            Holder::Variable { of: Variable::Var { name, .. }, .. } => {
                writeln!(out, "  which had it in {name}")
            }
            Holder::Variable { of: Variable::Object(object), .. } => {
                writeln!(out, "  which had it from {}", self.timeline.names().object(*object))
            }
        }
    }

    fn origin(&self, origin: &Origin, inputs: Option<&Inputs>, out: &mut dyn Write) -> io::Result<()> {
        match origin {
            Origin::Body { event, line } => {
                let line = line.map_or(String::new(), |line| format!(" ({}:{line})", self.file));
                writeln!(out, "made by the body of {}{line}", self.event(*event))?;
            }
            Origin::Rule { rule: Some(_), .. } => writeln!(out, "which made it")?,
            Origin::Rule { rule: None, event } => {
                writeln!(out, "made by one of the routing rules of {}", self.event(*event))?;
            }
            Origin::Collected { event, rule } => {
                writeln!(out, "collected by {} by firing rule {}", self.event(*event), self.quote(rule))?;
            }
            Origin::Parameter { name } => writeln!(out, "it is the creation parameter {name}")?,
            Origin::OfAction { event, name } => writeln!(out, "it is `{name}` of {}", self.event(*event))?,
            Origin::First => writeln!(out, "it is the first value: no event has changed it")?,
            Origin::NotSent => writeln!(out, "no event has sent it as it is")?,
        }
        inputs.map_or(Ok(()), |inputs| self.inputs(inputs, out))
    }

    fn inputs(&self, inputs: &Inputs, out: &mut dyn Write) -> io::Result<()> {
        let by = |word: &str, event: &Option<EventId>| {
            event.map_or(String::new(), |event| format!(", {word} {}", self.event(event)))
        };
        let took = inputs.took.iter().map(|(port, value, sender)| {
            format!("took {} on port {port}{}", wording::shown(value), by("sent by", sender))
        });
        let found = inputs.found.iter().map(|(name, value, writer)| {
            format!("found {name} = {}{}", wording::shown(value), by("written by", writer))
        });
        let vars =
            inputs.vars.iter().map(|(name, value)| format!("found {name} = {}", wording::shown(value)));
        let asked = inputs.asked.iter().map(|(kind, answer)| match answer {
            Ok(value) => format!("asked {kind:?}: {}", wording::shown(value)),
            Err(error) => format!("asked {kind:?}, which failed: {error}"),
        });
        let kinds: [Vec<String>; 4] = [took.collect(), found.collect(), vars.collect(), asked.collect()];
        for lines in &kinds {
            lines.iter().take(MOST_INPUTS).try_for_each(|line| writeln!(out, "  it {line}"))?;
            if lines.len() > MOST_INPUTS {
                writeln!(out, "  and {} more", lines.len() - MOST_INPUTS)?;
            }
        }
        Ok(())
    }
}
