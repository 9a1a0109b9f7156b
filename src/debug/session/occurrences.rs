//! Moments at which a condition begins to hold: the first, the next and the last one.
//!
//! The record is executed once with the values of what the condition names, from station to station; the condition is evaluated
//! where one of them has changed.

use std::io::Write;

use hasse::moment::{Timeline, Watched};
use hasse_model::id::ActionId;
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::Value;
use hasse_runtime::control::expression::{Evaluator, Expression};

use super::super::command::{Occurrence, Symbol};
use super::super::line::LineError;
use super::super::wording;
use super::control::parse;
use super::events::fault_at;
use super::{Session, unplaced, written};
use crate::debug::underway::Underway;
use crate::fault::Fault;

/// A name of a condition.
enum Named {
    /// It has the same value at all moments.
    Constant(Value),
    /// Position among what is watched.
    Watched(usize),
}

/// A condition with what its names stand for.
struct Condition {
    expression: Expression,
    names: Vec<(String, Named)>,
    watched: Vec<Watched>,
    column: usize,
}

impl Condition {
    /// The watched names with their values.
    fn shown(&self, values: &[Option<Value>]) -> String {
        let shown = self.names.iter().filter_map(|(name, named)| match named {
            Named::Watched(idx) => {
                let value = values.get(*idx)?.as_ref()?;
                Some(format!("{name} = {}", wording::shown(value)))
            }
            Named::Constant(_) => None,
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Returns true if it holds. It does not where a value that it names is not known yet.
    fn holds(&self, evaluator: &Evaluator, values: &[Option<Value>]) -> Result<bool, String> {
        let is_known = |(_, named): &(String, Named)| match named {
            Named::Watched(idx) => values.get(*idx).is_some_and(Option::is_some),
            Named::Constant(_) => true,
        };
        if !self.names.iter().all(is_known) {
            return Ok(false);
        }
        let found = evaluator.value(&self.expression, |name| {
            let (_, named) = self.names.iter().find(|(known, _)| known == name)?;
            match named {
                Named::Constant(value) => Some(value.clone()),
                Named::Watched(idx) => values.get(*idx)?.clone(),
            }
        })?;
        match found {
            Value::Bool(holds) => Ok(holds),
            _ => Err(format!("`{}` gives no bool", self.expression.text())),
        }
    }

    fn fault(&self, message: &str) -> Fault {
        let place = message.strip_prefix("column ").and_then(|rest| rest.split_once(": "));
        let place = place.and_then(|(at, message)| Some((at.parse::<usize>().ok()?, message)));
        let (at, message) = place.unwrap_or((1, message));
        unplaced(LineError::new(self.column + at - 1, message, HINT))
    }
}

const HINT: &str = "conditions are over vars and `count` of the selected action, its index, parameters of the program and \
                    shared objects";

impl Session<'_, '_> {
    /// Shows the first, next or last moment at which a condition begins to hold.
    pub(super) fn write_occurrence(
        &mut self,
        which: Occurrence,
        text: &str,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let condition = self.condition(&timeline, text, column)?;
        let stop = timeline.interruptible();
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let found = self.occurrence(&timeline, &condition, which);
        *self.subject.current.lock() = before;
        let line = match (found?, which) {
            (Found::At { position, values }, _) => {
                let after = timeline.moments().event_before(position);
                let after = after.map_or_else(
                    || "from the beginning".to_owned(),
                    |event| format!("after {}", timeline.names().event(event)),
                );
                let values = condition.shown(&values);
                let values = if values.is_empty() { values } else { format!(": {values}") };
                format!("{after}  (moment {position}){values}")
            }
            (Found::Nowhere { holds_here: false }, Occurrence::First) => "it never holds".to_owned(),
            (Found::Nowhere { holds_here: false }, Occurrence::Next) => {
                "no event after this moment makes it hold".to_owned()
            }
            (Found::Nowhere { .. }, Occurrence::Last) => {
                "no event before this moment has made it hold".to_owned()
            }
            (Found::Nowhere { holds_here: true }, _) => {
                "it holds at this moment, and no later event makes it hold again".to_owned()
            }
        };
        written(writeln!(out, "{line}"))
    }

    fn occurrence(
        &self,
        timeline: &Timeline<'_>,
        condition: &Condition,
        which: Occurrence,
    ) -> Result<Found, Fault> {
        let n_events = timeline.moments().n_events();
        let here = self.here().position.min(n_events);
        if which == Occurrence::Last {
            let mut to = here;
            while to > 0 {
                let from = timeline.station_before(to);
                let mut part = self.part(timeline, condition, (from, to))?;
                // An error matters where it is nearer than the answer.
                if let Some((_, message)) =
                    part.failed_last.filter(|(n_before, _)| *n_before == part.begun.len())
                {
                    return Err(condition.fault(&message));
                }
                match part.begun.pop() {
                    Some(found) => return Ok(found),
                    None if from == 0 => return Ok(part.at_first.unwrap_or(NOWHERE)),
                    None => to = from,
                }
            }
            return Ok(NOWHERE);
        }
        let start = if which == Occurrence::First { 0 } else { here };
        let (mut from, mut holds_here) = (start, false);
        while from < n_events {
            let to = timeline.station_after(from);
            let part = self.part(timeline, condition, (from, to))?;
            if from == start
                && let Some(found) = part.at_first
            {
                if which == Occurrence::First {
                    return Ok(found);
                }
                holds_here = true;
            }
            if let Some((_, message)) = part.failed_first.filter(|(n_before, _)| *n_before == 0) {
                return Err(condition.fault(&message));
            }
            if let Some(found) = part.begun.into_iter().next() {
                return Ok(found);
            }
            from = to;
        }
        Ok(Found::Nowhere { holds_here })
    }

    /// Looks at a condition between two moments.
    fn part(
        &self,
        timeline: &Timeline<'_>,
        condition: &Condition,
        between: (u64, u64),
    ) -> Result<Part, Fault> {
        let evaluator = Evaluator::new(&timeline.plan().structs);
        let (mut failed_first, mut failed_last) = (None, None);
        let (mut held, mut at_first, mut values_then) = (None, None, Vec::new());
        let mut holds = |values: &[Option<Value>]| {
            let holds = condition.holds(&evaluator, values).unwrap_or_else(|message| {
                failed_last = Some((values_then.len(), message));
                failed_first = failed_first.take().or_else(|| failed_last.clone());
                false
            });
            match held.replace(holds) {
                Some(false) if holds => values_then.push(values.to_vec()),
                None if holds => at_first = Some(values.to_vec()),
                _ => {}
            }
            holds
        };
        let holding = timeline.holding(&condition.watched, between, &mut holds);
        let holding = holding.map_err(|error| fault_at(error, condition.column))?;
        let found = |(position, values)| Found::At { position, values };
        Ok(Part {
            at_first: at_first.map(|values| Found::At { position: between.0, values }),
            begun: holding.begins.into_iter().zip(values_then).map(found).collect(),
            failed_first,
            failed_last,
        })
    }

    /// Reads a condition, and finds what its names stand for.
    fn condition(&self, timeline: &Timeline<'_>, text: &str, column: usize) -> Result<Condition, Fault> {
        let plan = timeline.plan();
        let expression = parse(text, column, plan)?;
        let selected = self.selected_action(timeline, column)?.map(|(action, _)| action);
        let template = selected.and_then(|_| self.settings.scope.template(plan)).map(|of| plan.template(of));
        let (mut names, mut watched) = (Vec::new(), Vec::new());
        for name in expression.names() {
            let at = expression.uses().find(|(used, _)| used == name).map_or(1, |(_, at)| at);
            let asked = Symbol { name: name.clone(), column: column + at - 1 };
            let of_action = selected
                .zip(template)
                .and_then(|(action, template)| of_action(timeline, action, template, name));
            let named = match of_action {
                Some(Ok(constant)) => Named::Constant(constant),
                Some(Err(count)) => {
                    watched.push(count);
                    Named::Watched(watched.len() - 1)
                }
                None if matches!(name.as_str(), "Pred" | "value") || name.starts_with("port ") => {
                    let message =
                        format!("`{}` is not known at all moments", name.trim_start_matches("port "));
                    return Err(unplaced(LineError::new(asked.column, message, HINT)));
                }
                None => match self.variable(timeline, &asked) {
                    Ok(variable) => {
                        watched.push(Watched::Variable(variable));
                        Named::Watched(watched.len() - 1)
                    }
                    Err(fault) => {
                        let params = timeline.options().params;
                        let is_main = template.is_none_or(|template| template.graph == plan.main);
                        let param = params.iter().find(|(known, _)| known == name && is_main);
                        Named::Constant(param.map(|(_, value)| value.clone()).ok_or(fault)?)
                    }
                },
            };
            names.push((name.clone(), named));
        }
        Ok(Condition { expression, names, watched, column })
    }
}

/// What a name stands for in an action: a constant, or its count; `None` for vars and all other names.
fn of_action(
    timeline: &Timeline<'_>,
    action: ActionId,
    template: &Template,
    name: &str,
) -> Option<Result<Value, Watched>> {
    let index = timeline.names().index_of(action)?.as_slice();
    let mut indices = template.slots[template.slots_of(SlotKind::Index)].iter();
    match name {
        "count" | "ExecCnt" => Some(Err(Watched::Count(action))),
        "NodeIndex" | "index" => Some(Ok(match index {
            [number] => Value::Int(*number),
            numbers => {
                Value::Array(numbers.iter().map(|&number| Value::Int(number)).collect::<Vec<_>>().into())
            }
        })),
        _ => {
            let at = indices.position(|slot| slot.name == name)?;
            index.get(at).map(|&number| Ok(Value::Int(number)))
        }
    }
}

/// What a look at a part of a record has found.
struct Part {
    /// Its first moment, if the condition holds there.
    at_first: Option<Found>,
    /// The moments at which it begins to hold.
    begun: Vec<Found>,
    /// The first and the last error of an evaluation, each with the number of moments found before it.
    failed_first: Option<(usize, String)>,
    failed_last: Option<(usize, String)>,
}

const NOWHERE: Found = Found::Nowhere { holds_here: false };

/// Answer to a question for a moment.
enum Found {
    At {
        position: u64,
        /// In the order of what is watched.
        values: Vec<Option<Value>>,
    },
    Nowhere {
        /// True if the condition holds at the moment of the session.
        holds_here: bool,
    },
}
