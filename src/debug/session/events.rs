//! One event of the records or of the trace: its values, why it happened, and the event alone.
//!
//! Values are made again by a replay of what is before the event; those of the last event that was asked for are kept.

use std::io::Write;
use std::path::Path;

use hasse::event::{self, EventError, EventValues, Ground};
use hasse_debugger::event_path::EventPath;
use hasse_debugger::show::{Limits, Shown};
use hasse_model::plan::SlotKind;
use hasse_model::trace::RecordingMode;
use hasse_model::value::Value;
use hasse_runtime::control::ActionState;
use hasse_runtime::control::expression::{Expression, port_key};
use hasse_runtime::natives::Natives;
use hasse_runtime::run::StopSignal;

use super::super::command::{AskedEvent, Change};
use super::super::line::LineError;
use super::super::listing;
use super::super::scope::Scope;
use super::remembered::Regenerated;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::{ground, isolate, params};

/// Most events that are explained at once.
const MOST_EXPLAINED: usize = 20;
/// How many events deep one event is explained.
const DEPTH: usize = 2;

impl Session<'_, '_> {
    /// The scope that is asked for, or else the selected one.
    pub(super) fn asked_scope(&self, asked: &AskedEvent) -> Result<Scope, Fault> {
        let scope = &self.settings.scope;
        match &asked.target {
            None => Ok(scope.clone()),
            Some(target) => scope.go(target, asked.column, &self.subject.plan).map_err(unplaced),
        }
    }

    /// The path of the event that is asked for. Of an action that has executed once, the count may be left out.
    pub(super) fn asked_event(&self, asked: &AskedEvent) -> Result<String, Fault> {
        let scope = self.asked_scope(asked)?;
        let is_one = match scope.context() {
            Context::Event => true,
            Context::Action => scope.is_one(),
            Context::Program | Context::Call => false,
        };
        if is_one {
            return Ok(scope.to_string());
        }
        let message = format!("one event is to be named, and `{scope}` is none");
        let hint = "name one such as `Mult[3]:2`, or select one with `cd`; `lse` lists them";
        Err(unplaced(LineError::new(asked.column, message, hint)))
    }

    /// Asks the records or the trace, with Ctrl-C to end what is replayed for it. Events without their values are recorded,
    /// unless the record holds choices: nothing is executed for them.
    fn ask_records<T>(
        &self,
        column: usize,
        needs_values: bool,
        ask: impl FnOnce(Ground<'_>) -> Result<T, EventError>,
    ) -> Result<T, Fault> {
        let recorded = self.source_of_events()?.recorded()?;
        let stop = StopSignal::default();
        let sandbox = Grants::default().sandbox_of_replay(false)?;
        let subject = self.subject_of_events();
        let executes = needs_values || recorded.header.mode == RecordingMode::Minimal;
        let natives = if executes { subject.natives()? } else { Natives::new() };
        let program = &subject.program;
        let options = ground::options(program, natives, self.options.n_workers, sandbox, &stop);
        let current = &self.subject.current;
        let before = current.lock().replace(Underway::of_question(stop));
        let ground = Ground { plan: &subject.plan, recorded: &recorded, options: &options };
        let answer = ask(ground);
        *current.lock() = before;
        answer.map_err(|error| fault_at(error, column))
    }

    /// The values of an event, made again unless they are known.
    fn regenerated(&mut self, asked: &AskedEvent) -> Result<&EventValues, Fault> {
        let event = self.asked_event(asked)?;
        let records = self.source_of_events()?.into_records();
        let is_known = self.regenerated.as_ref().is_some_and(|known| {
            let is_same = match (&known.records, &records) {
                (Some(known), Some(records)) => known.is_same(records),
                (None, None) => true,
                _ => false,
            };
            is_same && known.event == event
        });
        if !is_known {
            let values = self.ask_records(asked.column, true, |ground| event::values(ground, &event))?;
            self.regenerated = Some(Regenerated { event, records, values });
        }
        Ok(&self.regenerated.as_ref().expect("it was made or known").values)
    }

    /// `values`, and `dump` in an event.
    pub(super) fn values(&mut self, asked: &AskedEvent, out: &mut dyn Write) -> Result<(), Fault> {
        let program_name = self.subject_of_events().program.name();
        written(self.regenerated(asked)?.write_text(&program_name, out))
    }

    /// Executes an event alone, with the changes that are asked for, and writes it to a file where one is named.
    pub(super) fn isolate(
        &mut self,
        asked: &AskedEvent,
        changes: &[Change],
        save: Option<&str>,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let event = self.asked_event(asked)?;
        if let Some(path) = save {
            self.refuse_own_files(Path::new(path))?;
        }
        let subject = self.subject_of_events();
        let plan = &subject.plan;
        let isolated = self.ask_records(asked.column, true, |ground| event::isolate(ground, &event));
        let (mut isolation, _) = isolated?;
        for Change { name, value, column } in changes {
            let wrong = |error: EventError| fault_at(error, *column);
            let ty = isolation.type_of(plan, name).map_err(wrong)?;
            let value = params::value_of(&ty, value, name).map_err(|fault| {
                let hint = fault.help().unwrap_or_default();
                unplaced(LineError::new(*column, fault.to_string(), hint))
            })?;
            isolation.set(plan, name, value).map_err(wrong)?;
        }
        let sandbox = match changes {
            [] => Grants::default().sandbox_of_replay(false)?,
            // What was not asked when it was recorded is asked now.
            _ => self.options.sandbox.clone(),
        };
        let stop = StopSignal::default();
        let (program, natives) = (&subject.program, subject.natives()?);
        let options = ground::options(program, natives, 1, sandbox, &stop);
        let before = self.subject.current.lock().replace(Underway::of_question(stop));
        let executed = isolation.execute(plan, &options, false, 1);
        *self.subject.current.lock() = before;
        let executed = executed.map_err(|error| fault_at(error, asked.column))?;
        if let Some(path) = save {
            isolate::write(Path::new(path), &isolation.to_json())?;
        }
        let is_other = executed.differences.as_ref().is_some_and(|differences| !differences.is_empty());
        self.has_failed |= is_other && executed.changed.is_empty();
        written(executed.write_text(&subject.program.name(), out))
    }

    /// The causes of an event, or of the first events of a scope.
    pub(super) fn why_events(&self, scope: &Scope, column: usize, out: &mut dyn Write) -> Result<(), Fault> {
        let (events, n_more, depth) = if scope.context() == Context::Event {
            (vec![scope.to_string()], 0, DEPTH)
        } else {
            let source = self.source_of_events()?;
            let (events, n_events) =
                listing::event_paths(&source, scope, &self.subject_of_events().plan, MOST_EXPLAINED)?;
            let depth = if n_events == 1 { DEPTH } else { 1 };
            let n_more = n_events - events.len() as u64;
            (events, n_more, depth)
        };
        if events.is_empty() {
            return written(writeln!(out, "no events of {scope}"));
        }
        let explained = self.ask_records(column, false, |ground| {
            events.iter().map(|event| event::why(ground, event, depth, false)).collect::<Result<Vec<_>, _>>()
        })?;
        let program_name = self.subject_of_events().program.name();
        written(explained.iter().try_for_each(|why| why.write_text(&program_name, out)))?;
        if n_more > 0 {
            written(writeln!(out, "{n_more} more: name one of them"))?;
        }
        Ok(())
    }

    /// Whether the selected event is the execution that its action is in, of a run that is under way.
    pub(super) fn is_under_way(&self) -> bool {
        let scope = &self.settings.scope;
        let (Some(path), Some(count), Some(_)) = (scope.selector(), scope.count(), &self.live) else {
            return false;
        };
        let actions = self.ask(|inspector| inspector.actions()).unwrap_or_default();
        actions.iter().any(|action| {
            action.path == path
                && action.count == count
                && matches!(action.state, ActionState::Stopped(_) | ActionState::WaitsFor(_))
        })
    }

    /// The value of an expression over what the selected event left.
    pub(super) fn print_in_event(
        &mut self,
        text: &str,
        column: usize,
        expression: &Expression,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let (plan, template) = (&self.subject.plan, self.settings.scope.template(&self.subject.plan));
        let values = self.regenerated(&AskedEvent { target: None, column })?;
        let value = expression.value(&plan.structs, |name| {
            let template = &plan.templates[template?.idx()];
            let slots =
                |kind: SlotKind| template.slots[template.slots_of(kind)].iter().map(|slot| &*slot.name);
            let ports = |inputs: bool| {
                let ports = if inputs { &template.inputs } else { &template.outputs };
                ports.iter().map(|port| &*port.name).collect::<Vec<_>>()
            };
            value_in(values, name, &slots(SlotKind::Index).collect::<Vec<_>>(), &ports)
        });
        let value = value.map_err(|message| at_its_column(&message, column))?;
        written(writeln!(out, "{} = {}", text.trim(), Shown::new(&value, &Limits::default())))
    }
}

/// The value of a name in an event, as it was after the body.
fn value_in<'p>(
    values: &EventValues,
    name: &str,
    index_names: &[&str],
    ports: &impl Fn(bool) -> Vec<&'p str>,
) -> Option<Value> {
    let named = |list: &[(String, Value)]| {
        list.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let array = |values: Vec<Value>| Value::Array(values.into());
    let var = values.vars.iter().find(|var| var.name == name);
    let shared = values.shared.iter().find(|shared| shared.name == name);
    let path = EventPath::parse(&values.event).ok();
    let index = path.as_ref().map_or(&[][..], |path| path.node().1.as_slice());
    let int = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let own = var
        .and_then(|var| var.after.as_ref().or(var.before.as_ref()).or(var.found.as_ref()).cloned())
        .or_else(|| shared.map(|shared| shared.after.as_ref().unwrap_or(&shared.before).clone()))
        .or_else(|| named(&values.bound))
        .or_else(|| named(&values.lets))
        .or_else(|| named(&values.params))
        .or_else(|| {
            let place = index_names.iter().position(|known| *known == name)?;
            index.get(place).map(|&number| Value::Int(number))
        });
    if own.is_some() {
        return own;
    }
    let of_port = |port: &str, sent: bool| {
        let is_of =
            |full: &str| full == port || full.strip_prefix(port).is_some_and(|rest| rest.starts_with('['));
        let sends = values.sent.iter().filter(|_| sent).map(|sent| (&sent.port, &sent.value));
        let takes = values.took.iter().filter(|_| !sent).map(|taken| (&taken.port, &taken.value));
        array(sends.chain(takes).filter(|(full, _)| is_of(full)).map(|(_, value)| value.clone()).collect())
    };
    match name {
        "rule" => Some(Value::Int(values.rule.as_ref().map_or(-1, |rule| i64::from(rule.position)))),
        "count" | "ExecCnt" => path.as_ref().and_then(EventPath::count).map(int),
        "NodeIndex" | "index" => Some(match index {
            [number] => Value::Int(*number),
            numbers => array(numbers.iter().map(|&number| Value::Int(number)).collect()),
        }),
        "Pred" => {
            let senders = values.took.iter().filter_map(|taken| taken.sender.as_ref());
            let writers = values.shared.iter().filter_map(|shared| shared.writer.as_ref());
            let mut paths: Vec<&String> = Vec::new();
            for path in senders.chain(writers) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            Some(array(paths.into_iter().map(|path| Value::String(path.as_str().into())).collect()))
        }
        "outcome" => Some(Value::String(values.outcome.into())),
        "sent" => Some(array(values.sent.iter().map(|sent| sent.value.clone()).collect())),
        "took" => Some(array(values.took.iter().map(|taken| taken.value.clone()).collect())),
        _ => {
            let output = ports(false).into_iter().find(|port| *port == name);
            let input = || ports(true).into_iter().find(|port| port_key(port) == name);
            output.map(|port| of_port(port, true)).or_else(|| input().map(|port| of_port(port, false)))
        }
    }
}

/// The error of an evaluation at the place in the line where it arises.
fn at_its_column(message: &str, column: usize) -> Fault {
    let place = message.strip_prefix("column ").and_then(|rest| rest.split_once(": "));
    let place = place.and_then(|(at, message)| Some((at.parse::<usize>().ok()?, message)));
    let (at, message) = place.unwrap_or((1, message));
    let hint =
        "the names are those of the event after its body, `count`, `Pred`, `took`, `sent`, and its ports";
    unplaced(LineError::new(column + at - 1, message, hint))
}

/// An error about an event as one of the command line of a session.
pub(super) fn fault_at(error: EventError, column: usize) -> Fault {
    let hint = match &error {
        EventError::NoEvent(_) | EventError::Path { .. } => "`lse` lists the events that are recorded",
        EventError::NotReplayable { .. } => "record all of it: `mode record full; run`",
        EventError::Set { .. } => "`values` shows what the event took, its vars and its shared objects",
        EventError::Refused { .. } => "give other values, or none to execute it as recorded",
        _ => return Fault::Event(error),
    };
    unplaced(LineError::new(column, error.to_string(), hint))
}
