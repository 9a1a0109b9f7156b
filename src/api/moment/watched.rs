//! Conditions over time: the events after which a condition on variables begins to hold.

use std::io;
use std::sync::{Mutex, PoisonError};

use hasse_debugger::moments::Moments;
use hasse_model::event::{EventBatch, EventRow, Outcome};
use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::snapshot::Snapshot;
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, RunOptions};

use super::changes::Variable;
use super::part::Wanted;
use super::timeline::Timeline;
use crate::api::event::EventError;

/// Something whose value a condition may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A var, known once its action has executed, or a shared object, known once an action that uses it exists.
    Variable(Variable),
    /// Number of executions of an action.
    Count(ActionId),
}

/// Part of a record in which a condition was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// True if the condition holds at the first moment.
    pub from_beginning: bool,
    /// Later moments at which it holds and before whose last event it does not, ascending.
    pub begins: Vec<u64>,
}

impl Timeline<'_> {
    /// The moments between two at which a condition begins to hold. `holds` is asked once for the first moment and once for each
    /// later one at which something watched has another value; it gets the values in the order of `watched`.
    ///
    /// Cost: one replay from the first moment to the last, in which the values of the nodes concerned are kept, and one call of
    /// `holds` for each change; also the states after events that have failed, and for an
    /// object that is created in between the states of as many moments as their number has binary digits.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn holding(
        &self,
        watched: &[Watched],
        (from, to): (u64, u64),
        holds: &mut dyn FnMut(&[Option<Value>]) -> bool,
    ) -> Result<Holding, EventError> {
        let mut values = self.values_at(watched, from)?;
        let mut held = holds(&values);
        let mut holding = Holding { from_beginning: held, begins: Vec::new() };
        let mut changes = self.values_between(watched, (from, to))?;
        for idx in (0..watched.len()).filter(|idx| values[*idx].is_none()) {
            changes.extend(self.first_value(&watched[idx], (from, to))?.map(|(at, value)| (at, idx, value)));
        }
        changes.sort_by_key(|(position, idx, _)| (*position, *idx));
        for of_event in changes.chunk_by(|(left, ..), (right, ..)| left == right) {
            let mut is_changed = false;
            for (_, idx, value) in of_event {
                is_changed |= values[*idx].as_ref() != Some(value);
                values[*idx] = Some(value.clone());
            }
            let Some((position, ..)) = of_event.first().filter(|_| is_changed) else { continue };
            let holds_now = holds(&values);
            if holds_now && !held {
                holding.begins.push(*position);
            }
            held = holds_now;
        }
        Ok(holding)
    }

    /// Values at a moment, in the order of `watched`; `None` for what is not known yet.
    ///
    /// Cost: that of [`part`](Self::part).
    ///
    /// # Errors
    /// As for [`part`](Self::part).
    pub fn values_at(&self, watched: &[Watched], position: u64) -> Result<Vec<Option<Value>>, EventError> {
        let mut wanted = Wanted::default();
        for watched in watched {
            match watched {
                Watched::Variable(Variable::Var { action, .. }) => drop(wanted.actions.insert(*action)),
                Watched::Variable(Variable::Object(object)) => drop(wanted.objects.insert(*object)),
                Watched::Count(_) => {}
            }
        }
        let state = self.part(position, &wanted)?;
        Ok(watched.iter().map(|watched| self.value_in(watched, &state, position)).collect())
    }

    fn value_in(&self, watched: &Watched, state: &Snapshot, position: u64) -> Option<Value> {
        match watched {
            Watched::Count(action) => Some(count(self.moments().n_of_before(*action, position))),
            Watched::Variable(Variable::Var { action, name, .. }) => {
                let of_action = state.actions.iter().find(|state| state.record.action == *action)?;
                named(of_action.vars.as_ref()?, name)
            }
            Watched::Variable(Variable::Object(object)) => {
                let of_object = state.objects.iter().find(|state| state.record.object == *object)?;
                Some(of_object.value.clone())
            }
        }
    }

    /// The first moment between two at which an object is part of the state, with its value there. It is as soon as an action
    /// that uses it is, before any event accesses it.
    fn first_value(
        &self,
        watched: &Watched,
        (from, to): (u64, u64),
    ) -> Result<Option<(u64, Value)>, EventError> {
        let Watched::Variable(Variable::Object(_)) = watched else { return Ok(None) };
        let value = |position| {
            let mut values = self.values_at(std::slice::from_ref(watched), position)?;
            Ok::<_, EventError>(values.pop().flatten())
        };
        let (mut low, mut high) = (from + 1, to);
        let Some(mut first) = value(to)? else { return Ok(None) };
        while low < high {
            let middle = low + (high - low) / 2;
            match value(middle)? {
                Some(value) => (first, high) = (value, middle),
                None => low = middle + 1,
            }
        }
        Ok(Some((high, first)))
    }

    /// Values after the events between two moments that touch what is watched: positions, positions in `watched`, values.
    fn values_between(
        &self,
        watched: &[Watched],
        (from, to): (u64, u64),
    ) -> Result<Vec<(u64, usize, Value)>, EventError> {
        let mut capture = Capture::none();
        let (mut found, mut is_replayed) = (Vec::new(), false);
        for (idx, watched) in watched.iter().enumerate() {
            match watched {
                Watched::Count(action) => {
                    let n_before = |position| self.moments().n_of_before(*action, position);
                    let events =
                        (n_before(from) + 1..=n_before(to)).map(|count| EventId { action: *action, count });
                    found.extend(events.filter_map(|event| {
                        Some((self.moments().after(event)?, idx, Some(count(event.count))))
                    }));
                }
                Watched::Variable(Variable::Var { template, .. }) => {
                    capture.add(*template, Captured::ALL);
                    is_replayed = true;
                }
                Watched::Variable(Variable::Object(_)) => {
                    for (template_idx, _) in
                        self.plan().templates.iter().enumerate().filter(|(_, node)| !node.shared.is_empty())
                    {
                        capture.add(TemplateId::from_idx(template_idx), Captured::ALL);
                    }
                    is_replayed = true;
                }
            }
        }
        if is_replayed {
            let noted = Mutex::new(found);
            let sink = NotesValues { watched, moments: self.moments(), found: &noted };
            self.pass(from, to, &RunOptions { capture, ..self.options() }, Some(Box::new(sink)))?;
            found = noted.into_inner().unwrap_or_else(PoisonError::into_inner);
        }
        let mut values = Vec::with_capacity(found.len());
        for (position, idx, value) in found {
            let value = match value {
                Some(value) => Some(value),
                None => self.value_in(&watched[idx], self.state(position)?.as_ref(), position),
            };
            values.extend(value.map(|value| (position, idx, value)));
        }
        Ok(values)
    }
}

fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn named(list: &[(String, Value)], name: &str) -> Option<Value> {
    list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

/// Notes the values that events leave.
struct NotesValues<'n> {
    watched: &'n [Watched],
    moments: &'n Moments,
    found: &'n Mutex<Vec<(u64, usize, Option<Value>)>>,
}

impl NotesValues<'_> {
    /// The value that an event leaves: `None` where it does not touch what is watched, and within where its values do not tell, as
    /// those of an event that has failed.
    fn left_by(watched: &Watched, row: &EventRow<'_>) -> Option<Option<Value>> {
        let local = row.local.filter(|_| row.outcome == Outcome::Done);
        match watched {
            Watched::Variable(Variable::Var { action, name, .. }) if *action == row.id.action => {
                Some(local.and_then(|local| named(&local.after, name)))
            }
            Watched::Variable(Variable::Object(object)) => {
                let at = row.shared.iter().position(|access| access.object == *object)?;
                Some(local.and_then(|local| {
                    let (name, before) = local.shared_before.get(at)?;
                    Some(named(&local.shared_after, name).unwrap_or_else(|| before.clone()))
                }))
            }
            Watched::Variable(Variable::Var { .. }) | Watched::Count(_) => None,
        }
    }
}

impl EventSink for NotesValues<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for row in batch.rows() {
            let Some(position) = self.moments.after(row.id) else { continue };
            for (idx, watched) in self.watched.iter().enumerate() {
                found.extend(Self::left_by(watched, &row).map(|value| (position, idx, value)));
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
