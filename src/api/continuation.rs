//! Going on from a moment of a recorded run, with all choices free.
//!
//! The new run has a record of its own: the events before the moment, as recorded, and those that it executes. If nothing is changed at the
//! moment, this is a record as any other. If a value or the program is changed, the events before the moment do not lead to
//! the state that the run goes on from, so that the record holds that state, its base.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use hasse_debugger::event_path::EventPath;
use hasse_debugger::moments::prefix;
use hasse_debugger::read::ReadError;
use hasse_model::event::EventBatch;
use hasse_model::id::{CallId, SharedId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::{Names, TraceHeader};
use hasse_model::value::{Type, Value};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, Output, Recording, Run, RunOptions, RuntimeError, relabel};

/// Outcomes of many runs.
mod outcomes;

pub use outcomes::{ForkError, OutcomeOfRuns, Outcomes};

use super::event::EventError;
use super::moment::Timeline;
use super::trace::trace_header;
use crate::Recorded;

/// A recorded run at a moment, from which it goes on.
#[derive(Clone, Debug)]
pub struct Fork<'p> {
    plan: &'p Plan,
    position: u64,
    n_events: u64,
    after: Option<String>,
    names: Names,
    state: Snapshot,
    /// The events before the moment.
    before: Arc<[EventBatch]>,
    /// The base of the record that was forked.
    base: Option<Arc<Snapshot>>,
    /// True if the events before the moment do not lead to `state`.
    is_changed: bool,
}

/// A value that can be set at a moment.
#[derive(Clone, Copy, Debug)]
enum Variable {
    Var { action_idx: usize, var_idx: usize },
    Object { object_idx: usize },
}

impl<'p> Fork<'p> {
    /// Takes the state of a moment. `recorded` is the record of the timeline, [with every event](super::moment::with_every_event).
    ///
    /// Cost: that of [`Timeline::state`], and of the record's events.
    ///
    /// # Errors
    /// As for [`Timeline::state`].
    pub fn new(timeline: &Timeline<'p>, recorded: &Recorded, position: u64) -> Result<Self, EventError> {
        if recorded.header.kept.is_some() {
            return Err(EventError::HasHoles);
        }
        let moments = timeline.moments();
        let position = position.min(moments.n_events());
        let mut state = Snapshot::clone(&*timeline.state(position)?);
        let names = timeline.names_at(&state);
        // Ids of actions that have not executed depend on the schedule of the replay; the order in which they are served must not.
        state.actions.sort_by_cached_key(|action| {
            let is_new = action.count == 0;
            let path = is_new.then(|| names.action(action.record.action).to_string());
            (is_new, path, action.record.action)
        });
        let contradiction = |error: ReadError| RuntimeError::Record { message: error.to_string() };
        let before = prefix(Names::new(&recorded.header), &recorded.record.batches, position);
        Ok(Self {
            plan: timeline.plan(),
            position,
            n_events: moments.n_events(),
            after: moments.event_before(position).map(|event| names.event(event).to_string()),
            names,
            state,
            before: before.map_err(contradiction)?.into(),
            base: recorded.header.base.clone(),
            is_changed: false,
        })
    }

    /// Takes the state at the end of a record.
    #[cfg(feature = "cli")]
    pub(crate) fn of_end(plan: &'p Plan, recorded: &Recorded, state: Snapshot) -> Self {
        let mut names = Names::new(&recorded.header);
        recorded.record.batches.iter().for_each(|batch| names.read(batch));
        Self {
            plan,
            position: state.n_events,
            n_events: state.n_events,
            after: None,
            names,
            state,
            before: recorded.record.batches.clone().into(),
            base: recorded.header.base.clone(),
            is_changed: false,
        }
    }

    /// The program that the run goes on with.
    #[cfg(feature = "cli")]
    pub(crate) fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Returns true if the events before the moment do not lead to the state.
    #[cfg(feature = "cli")]
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// The state, in place of all.
    #[cfg(feature = "cli")]
    pub(crate) fn into_state(self) -> Snapshot {
        self.state
    }

    /// The events before the moment.
    #[cfg(feature = "cli")]
    pub(crate) fn before(&self) -> &[EventBatch] {
        &self.before
    }

    /// Number of events before the moment.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Number of events of the record.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// The last event before the moment, in the order of the record.
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// The moment in a few words.
    pub fn headline(&self) -> String {
        let place = match &self.after {
            Some(event) => format!("after {event}"),
            None => "nothing has been executed".to_owned(),
        };
        format!("moment {} of {}: {place}", self.position, self.n_events)
    }

    /// The state that the run goes on from.
    pub fn state(&self) -> &Snapshot {
        &self.state
    }

    /// Names of what is in the state.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The declared type of a var, such as `/Sum.total`, or of a shared object, such as `/balance`.
    ///
    /// # Errors
    /// There is none at the moment.
    pub fn type_of(&self, name: &str) -> Result<Type, EventError> {
        Ok(match self.find(name)? {
            Variable::Var { action_idx, var_idx } => {
                let action = &self.state.actions[action_idx];
                let held = action.vars.iter().flatten().nth(var_idx).map(|(name, _)| name);
                let slots = &self.plan.template(action.record.template).slots;
                let slot = slots.iter().find(|slot| Some(&slot.name) == held);
                slot.map_or(Type::Any, |slot| slot.ty.clone())
            }
            Variable::Object { object_idx } => {
                self.plan.shared[self.state.objects[object_idx].record.shared.idx()].ty.clone()
            }
        })
    }

    /// Gives a var or a shared object another value.
    ///
    /// # Errors
    /// There is none of this name at the moment, or the value is of another type.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), EventError> {
        let ty = self.type_of(name)?;
        let found = value.type_name().to_owned();
        let value = ty.admit(value).ok_or_else(|| {
            refused(name, format!("it is of type {ty} and cannot hold a value of type {found}"))
        })?;
        match self.find(name)? {
            Variable::Var { action_idx, var_idx } => {
                let vars = self.state.actions[action_idx].vars.iter_mut().flatten();
                if let Some((_, held)) = vars.into_iter().nth(var_idx) {
                    *held = value;
                }
            }
            Variable::Object { object_idx } => self.state.objects[object_idx].value = value,
        }
        self.is_changed = true;
        Ok(())
    }

    fn find(&self, name: &str) -> Result<Variable, EventError> {
        let path = format!("/{}", name.trim_start_matches('/'));
        let is_it = |object: &hasse_model::snapshot::ObjectState| {
            self.names.object(object.record.object).to_string() == path
        };
        if let Some(object_idx) = self.state.objects.iter().position(is_it) {
            return Ok(Variable::Object { object_idx });
        }
        let none = || {
            refused(
                name,
                "no event before the moment has accessed such an object, and it is no var".to_owned(),
            )
        };
        let (action, var) = name.rsplit_once('.').ok_or_else(none)?;
        let path = EventPath::parse(action)
            .map_err(|source| EventError::Path { text: action.to_owned(), source })?;
        let mut fitting = self.state.actions.iter().enumerate();
        let found = fitting.find(|(_, known)| path.fits_from_main(known.record.action, &self.names));
        let (action_idx, found) =
            found.ok_or_else(|| refused(name, format!("there is no action {action} at the moment")))?;
        let vars = found.vars.as_ref();
        let vars =
            vars.ok_or_else(|| refused(name, format!("{action} has not executed: it has no vars yet")))?;
        let var_idx = vars.iter().position(|(known, _)| known == var);
        let var_idx = var_idx.ok_or_else(|| {
            let known: Vec<&str> = vars.iter().map(|(known, _)| known.as_str()).collect();
            refused(name, format!("the vars of {action} are: {}", known.join(", ")))
        })?;
        Ok(Variable::Var { action_idx, var_idx })
    }

    /// The same with another program, whose nodes, ports and vars are found by their names.
    ///
    /// # Errors
    /// The program lacks a part that the state or the events before the moment name.
    pub fn with_program<'q>(self, plan: &'q Plan) -> Result<Fork<'q>, EventError> {
        let mut before = self.before.to_vec();
        let Snapshot { templates, shared, calls, .. } = &self.state;
        let labels = [templates, shared, calls].map(Vec::clone);
        let own = [plan.template_labels(), plan.shared_labels(), plan.call_labels()];
        let find = |kind: usize, noun: &str, idx: usize| {
            let label = labels[kind].get(idx).map_or("?", String::as_str);
            let position = own[kind].iter().position(|known| known == label);
            position.ok_or_else(|| RuntimeError::Snapshot {
                message: format!("the program has no {noun} `{label}`"),
            })
        };
        for batch in &mut before {
            for action in &mut batch.actions {
                action.template = TemplateId::from_idx(find(0, "node", action.template.idx())?);
            }
            for object in &mut batch.objects {
                object.shared = SharedId::from_idx(find(1, "shared object", object.shared.idx())?);
            }
            for graph in &mut batch.graphs {
                graph.call = CallId::from_idx(find(2, "call", graph.call.idx())?);
            }
            for edit in &mut batch.edits {
                edit.template = TemplateId::from_idx(find(0, "node", edit.template.idx())?);
            }
        }
        let state = relabel(self.state, plan)?;
        Ok(Fork { plan, state, before: before.into(), is_changed: true, ..self })
    }

    /// The header of the record of a run from here.
    ///
    /// # Errors
    /// The parameters of the recorded run do not fit the program.
    pub fn header(&self, path: &str, text: &str, options: &RunOptions) -> Result<TraceHeader, RuntimeError> {
        let options = RunOptions { params: self.state.params.clone(), ..options.clone() };
        let base = match self.is_changed {
            true => Some(Arc::new(self.state.clone())),
            false => self.base.clone(),
        };
        Ok(TraceHeader { base, ..trace_header(path, text, self.plan, &options)? })
    }

    /// Goes on to the end. `sink` takes the whole record, from the beginning of the recorded run; `output` the lines from here on.
    ///
    /// # Errors
    /// The run cannot be carried out, or the state does not fit the program.
    pub fn run<'s>(
        &self,
        options: &RunOptions,
        sink: Option<Box<dyn EventSink + 's>>,
        output: Output,
    ) -> Result<RunReport, RuntimeError> {
        let run = Run::from_snapshot(self.plan, options, self.state.clone())?;
        let recording = match sink {
            None => Recording::None,
            Some(sink) => Recording::Full(self.after_prefix(sink)),
        };
        run.run(recording, output)
    }

    /// A sink that is given the events before the moment first.
    pub fn after_prefix<'s>(&self, sink: Box<dyn EventSink + 's>) -> Box<dyn EventSink + 's> {
        Box::new(AfterPrefix { before: Some(Arc::clone(&self.before)), sink })
    }
}

/// A sink for a replay of a record: it is given the events before the base of the record first, if there is one, as a replay begins
/// after them.
///
/// # Errors
/// The record contradicts itself.
pub fn sink_of_replay<'s>(
    recorded: &Recorded,
    sink: Box<dyn EventSink + 's>,
) -> Result<Box<dyn EventSink + 's>, RuntimeError> {
    let Some(base) = &recorded.header.base else { return Ok(sink) };
    let names = Names::new(&recorded.header);
    // A record that is read to be replayed has events that are alike folded.
    let mut batches = recorded.record.batches.clone();
    batches.iter_mut().for_each(EventBatch::unfold);
    let before = prefix(names, &batches, base.n_events);
    let before = before.map_err(|error| RuntimeError::Record { message: error.to_string() })?;
    Ok(Box::new(AfterPrefix { before: Some(before.into()), sink }))
}

fn refused(name: &str, problem: String) -> EventError {
    EventError::Change { name: name.to_owned(), problem }
}

/// Hands over the events before the moment before all others. A run that is refused leaves the sink untouched.
struct AfterPrefix<'s> {
    /// `None` once they have been handed over.
    before: Option<Arc<[EventBatch]>>,
    sink: Box<dyn EventSink + 's>,
}

impl AfterPrefix<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let before = self.before.take();
        before.iter().flat_map(|before| before.iter()).try_for_each(|batch| self.sink.take_batch(batch))
    }
}

impl EventSink for AfterPrefix<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.begin()?;
        self.sink.take_batch(batch)
    }

    fn segment(&self) -> Option<Arc<AtomicU32>> {
        self.sink.segment()
    }

    fn takes_folded(&self) -> bool {
        self.sink.takes_folded()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.begin()?;
        self.sink.sync()
    }

    fn finish(&mut self, report: &RunReport, idle: &Idle) -> io::Result<()> {
        self.begin()?;
        self.sink.finish(report, idle)
    }
}
