//! Questions over time: who wrote a variable last, and all changes of it.

use std::io::Write;

use hasse::moment::{Change, Timeline, Variable};
use hasse_model::id::ObjectId;
use hasse_model::quantity::counted;

use super::super::command::{OverTime, Symbol};
use super::super::line::LineError;
use super::super::wording;
use super::events::fault_at;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;
use crate::suggest;

impl Session<'_, '_> {
    /// Answers a question over time.
    pub(in super::super) fn answer_over_time(
        &mut self,
        question: &OverTime,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        match question {
            OverTime::Whowrote(symbol) => self.whowrote(symbol, out),
            OverTime::Changes(symbol) => self.write_changes_of(symbol, out),
            OverTime::When { which, text, column } => self.write_occurrence(*which, text, *column, out),
            OverTime::Wherefrom { what, column } => self.write_origin(what.as_ref(), *column, out),
            OverTime::Lifetime(asked) => self.write_lifetime(asked, out),
        }
    }

    /// Shows the last event before the moment that gave a var or an object another value.
    fn whowrote(&mut self, asked: &Symbol, out: &mut dyn Write) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let variable = self.variable(&timeline, asked)?;
        let mut to = self.here().position;
        // Searches backwards, from station to station.
        while to > 0 {
            let from = timeline.station_before(to);
            let changes = self.changes(&timeline, &variable, (from, to), asked.column)?;
            if let Some(change) = changes.last() {
                return written(writeln!(out, "{}", shown(&timeline, &asked.name, change)));
            }
            to = from;
        }
        written(writeln!(
            out,
            "{} has its first value: no event before this moment has changed it",
            asked.name
        ))
    }

    /// Lists the changes of a var or an object up to the moment.
    fn write_changes_of(&mut self, asked: &Symbol, out: &mut dyn Write) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let variable = self.variable(&timeline, asked)?;
        let (mut from, end) = (0, self.here().position);
        let mut n_changes = 0_u64;
        while from < end {
            let to = timeline.station_after(from).min(end);
            let changes = self.changes(&timeline, &variable, (from, to), asked.column)?;
            n_changes += changes.len() as u64;
            for change in &changes {
                written(writeln!(out, "{}", shown(&timeline, &asked.name, change)))?;
            }
            from = to;
        }
        written(writeln!(out, "{} up to moment {end}", counted(n_changes, "change")))
    }

    fn changes(
        &self,
        timeline: &Timeline<'_>,
        variable: &Variable,
        (from, to): (u64, u64),
        column: usize,
    ) -> Result<Vec<Change>, Fault> {
        let stop = timeline.interruptible();
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let changes = timeline.changes(variable, from, to);
        *self.subject.current.lock() = before;
        changes.map_err(|error| fault_at(error, column))
    }

    /// The var of the selected action, or the object, that a name stands for.
    pub(super) fn variable(&self, timeline: &Timeline<'_>, asked: &Symbol) -> Result<Variable, Fault> {
        let plan = timeline.plan();
        let Symbol { name, column } = asked;
        let mut known = Vec::new();
        if matches!(self.settings.scope.context(), Context::Action | Context::Event)
            && let Some((action, _)) = self.selected_action(timeline, *column)?
            && let Some(template) = self.settings.scope.template(plan)
        {
            let of_node = plan.template(template);
            let slots = of_node.slots[of_node.slots_of(hasse_model::plan::SlotKind::Var)].iter();
            let vars: Vec<&str> = slots.map(|slot| slot.name.as_str()).collect();
            if vars.contains(&name.as_str()) {
                return Ok(Variable::Var { action, template, name: name.clone() });
            }
            known.extend(vars.into_iter().map(str::to_owned));
        }
        let mut objects: Vec<(String, ObjectId)> = timeline
            .moments()
            .written_objects()
            .map(|object| (timeline.names().object(object).to_string(), object))
            .collect();
        objects.sort();
        let ends = |path: &str| path.rsplit('/').next() == Some(name);
        let fitting: Vec<&(String, ObjectId)> =
            objects.iter().filter(|(path, _)| path == name || ends(path)).collect();
        if let [(_, object)] = fitting[..] {
            return Ok(Variable::Object(*object));
        }
        if fitting.len() > 1 {
            let paths: Vec<&str> = fitting.iter().map(|(path, _)| path.as_str()).collect();
            let hint = format!("say which: {}", paths.join(", "));
            return Err(unplaced(LineError::new(
                *column,
                format!("there are several objects `{name}`"),
                hint,
            )));
        }
        known.extend(objects.into_iter().map(|(path, _)| path));
        let message =
            format!("`{name}` is no var of the selected action, and no shared object that is written");
        let hint =
            suggest::help(name, known.iter().map(String::as_str), "select an action with `cd` for its vars");
        Err(unplaced(LineError::new(*column, message, hint)))
    }
}

fn shown(timeline: &Timeline<'_>, name: &str, change: &Change) -> String {
    let Change { event, position, before, after } = change;
    let event = timeline.names().event(*event);
    format!("{event}  {name} = {} -> {}  (moment {position})", wording::shown(before), wording::shown(after))
}
