//! State that all workers of one run share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use hasse_body::effects::{EventContext, SharedContext};
use hasse_body::interrupt::StopSignal;
use hasse_body::memory::{MemoryLimit, RunLimit};
use hasse_body::output::{LinePlace, OutputOrder};
use hasse_body::sandbox::Outside;
use hasse_body::script::{self, CodeError};
use hasse_body::seed::{Seeds, event_seed};
use hasse_code::graph::GraphInstance;
use hasse_model::diagnostic::Location;
use hasse_model::event::Outcome;
use hasse_model::id::{ActionId, CallId, EventId, Index, TemplateId};
use hasse_record::event::Ending;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::needs::ColumnOrder;
use hasse_record::replay::edits::SentEdit;
use hasse_record::replay::{ExpectedEvent, Script};
use hasse_record::results::Results;
use hasse_request::control::board::Board;
use hasse_runtime_plan::ports::PortSet;
use hasse_runtime_plan::program::Program;
use hasse_schedule::pool::Pool;
use hasse_schedule::ranks::Ranks;
use hasse_schedule::scheduler::{Local, Scheduler};
use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance, Ready, SharedObject};
use hasse_store::matching::Offered;
use hasse_store::registry::Registry;
use parking_lot::Mutex;
use rhai::Engine;
use rustc_hash::FxHashMap;

use crate::fire::at_once::AtOnce;
use crate::fire::delayed::DelayedValues;
use crate::fire::dropped::DroppedCounts;
use crate::fire::handled::Handled;
use crate::fire::lines::Lines;
use crate::fire::looks::LookTimes;
use crate::fire::rest::Rest;
use crate::fire::waits::Waits;

pub(crate) use hasse_request::control::command::GlobalCommand;
use hasse_request::report::{Divergence, RunError};

/// One run.
pub(crate) struct Session<'p, M: Instrumentation> {
    pub(crate) program: &'p Program<'p>,
    pub(crate) outside: Arc<Outside>,
    pub(crate) memory: MemoryLimit,
    pub(crate) instrumentation: &'p M,
    pub(crate) scheduler: Scheduler<Ready<M>>,
    /// The instance of the main graph.
    pub(crate) main: Arc<GraphInstance>,
    pub(crate) registry: Registry<M>,
    /// Entries that a worker has given up to whoever has nothing to do.
    pub(crate) offered: CachePadded<Offered>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) output: Arc<OutputOrder>,
    pub(crate) results: Results,
    pub(crate) errors: Mutex<Vec<RunError>>,
    pub(crate) divergence: Mutex<Option<Divergence>>,
    pub(crate) stop: StopSignal,
    /// What the debugger asks for; `None` where there is none, or where the mode has no control.
    pub(crate) board: Option<Arc<Board>>,
    /// In a controlled run: actions that are stopped in their bodies.
    pub(crate) lines: Option<Arc<Lines>>,
    /// In a controlled run: instances that are stopped, in the order of stopping.
    pub(crate) held: Mutex<Vec<Ready<M>>>,
    /// In a controlled run: idle instances whose queues were changed by hand, and which are to be looked at when it goes on.
    pub(crate) edited: Mutex<Vec<Ready<M>>>,
    /// In a controlled run: paths of the actions that have executed.
    pub(crate) names: Mutex<FxHashMap<ActionId, Arc<str>>>,
    /// The stop node has executed: no further execution starts.
    pub(crate) has_ended: AtomicBool,
    /// The start node that executes before all others has not yet.
    pub(crate) awaits_first: AtomicBool,
    /// A replay has gone another way: no further execution starts.
    pub(crate) is_halted: AtomicBool,
    /// Bytes that the run may take, once it has taken them; else 0.
    pub(crate) used_up_bytes: AtomicU64,
    pub(crate) started: Instant,
    /// Where the random numbers of all events come from.
    pub(crate) random_seed: u64,
    /// True if ports have bounds here: a replay does what was done, whatever waited meanwhile.
    pub(crate) has_bounds: bool,
    /// True if the record is written ahead of what bodies do outside.
    pub(crate) writes_ahead: bool,
    /// Instances that are ready of nodes with a priority; `None` where no node has one, and in replays and decided runs.
    pub(crate) ranks: Option<Box<Ranks<Ready<M>>>>,
    /// Places of instances of which only some execute at a time.
    pub(crate) at_once: AtOnce<M>,
    /// Values that full ports have dropped.
    pub(crate) dropped: DroppedCounts,
    /// Handled errors.
    pub(crate) handled: Handled,
    /// Moments at which instances are looked at again.
    pub(crate) looks: LookTimes<M>,
    /// Delayed values.
    pub(crate) delays: DelayedValues<M>,
    /// Executions that wait for answers of the world outside. `None` where questions block their workers.
    pub(crate) waits: Option<Box<Waits<M>>>,
    /// Pauses in which its state is taken.
    pub(crate) rest: Rest<M>,
}

impl<M: Instrumentation> Session<'_, M> {
    /// Returns true if events may be served in lanes: where choices are free. In a controlled run only those of actions of which
    /// nothing is asked; see [`Worker::is_unwatched`](crate::fire::worker::Worker::is_unwatched).
    pub(crate) fn has_lanes(&self) -> bool {
        // Events of a lane are handed over when their worker comes to it, and not when another is about to act outside.
        self.scheduler.has_clock() && !self.replays() && !self.writes_ahead
    }

    /// Returns true if values that an action of a template sends may have to wait for room.
    #[inline]
    pub(crate) fn may_hold_back(&self, template: TemplateId) -> bool {
        self.has_bounds && self.program.bounded.sends(template)
    }

    /// Returns true if an input port of the template drops values here when it is full.
    #[inline]
    pub(crate) fn drops(&self, template: TemplateId) -> bool {
        self.has_bounds && self.program.bounded.drops(template)
    }

    /// Returns true if an input port has a bound here.
    pub(crate) fn is_bounded(&self, template: TemplateId, port: usize) -> bool {
        self.has_bounds && self.program.plan.template(template).inputs[port].bound.is_some()
    }

    /// Returns true if a record says what happens.
    #[inline(always)]
    pub(crate) fn replays(&self) -> bool {
        self.instrumentation.replays()
    }

    /// Returns true if events may be served by columns: nothing is appended to a value but its sender.
    pub(crate) fn has_columns(&self) -> bool {
        self.instrumentation.column_order() != ColumnOrder::None && self.program.column_obstacle().is_none()
    }

    /// Returns true if a person has asked for something since an action looked at the board.
    #[inline]
    pub(crate) fn is_called(&self, core: &Core<M>) -> bool {
        M::CONTROLLED
            && self.board.as_ref().is_some_and(|board| {
                board.global() != GlobalCommand::Go || board.version() != core.asked_version()
            })
    }

    /// Whether a replay serves events in lanes: where nobody looks at actions, and the record tells every event.
    pub(crate) fn follows(&self) -> bool {
        self.scheduler.has_clock()
            && self.instrumentation.follows()
            && self.board.is_none()
            && !self.has_edits()
    }

    /// Returns true if this replays a run in which values that waited were changed by hand or dropped: then all values go the slow path,
    /// which makes the changes.
    pub(crate) fn has_edits(&self) -> bool {
        self.replays() && self.instrumentation.recorded().is_some_and(|script| script.known.has_edits())
    }

    /// Replay: changes of values that an event sent.
    pub(crate) fn edits_of(&self, stamp: &M::Stamp) -> Vec<SentEdit<'_>> {
        let known = self.instrumentation.recorded().map(|script| &script.known);
        let Some(known) = known.filter(|known| known.has_edits()) else { return Vec::new() };
        M::sender(stamp).map_or_else(Vec::new, |sender| known.edits_of(sender))
    }

    /// Has an action looked at again when the run goes on.
    pub(crate) fn look_again(&self, instance: Ready<M>) {
        let Some(board) = &self.board else { return };
        board.note_stopped();
        self.edited.lock().push(instance);
    }

    /// Has an action served, unless it is about to be.
    pub(crate) fn schedule(&self, instance: Ready<M>) {
        let was_scheduled = std::mem::replace(&mut instance.inbox.lock().is_scheduled, true);
        if !was_scheduled {
            self.inject(instance);
        }
    }

    /// Makes the actions ready whose queues were changed by hand. Returns their number.
    pub(crate) fn look_at_edited(&self) -> usize {
        let edited = std::mem::take(&mut *self.edited.lock());
        let n_edited = edited.len();
        edited.into_iter().for_each(|instance| self.inject(instance));
        n_edited
    }

    /// The world outside, for a worker.
    pub(crate) fn context(&self) -> SharedContext {
        SharedContext::new(self.event_context())
    }

    /// The same, for an event that is put aside. A replay writes lines where the record says.
    pub(crate) fn event_context(&self) -> EventContext {
        let context = EventContext::new(Arc::clone(&self.outside));
        if self.replays() { context } else { context.with_output(&self.output) }
    }

    /// The sets of ports of which one must be filled before an instance of a template can fire. In a replay, an event whose
    /// guard failed takes no values, so that nothing says that they come.
    pub(crate) fn needs(&self, template: TemplateId) -> &[PortSet] {
        match &self.program.lanes[template.idx()] {
            // The debugger shows and changes ports: values are moved there from inboxes at once.
            Ok(lane) if self.board.is_none() => match self.has_lanes() {
                true => &lane.needs,
                false if self.follows() && lane.is_plain_and_unguarded() => &lane.needs,
                false => &[0],
            },
            _ => &[0],
        }
    }

    /// Wakes a sleeping worker if this one has more ready than it will serve next.
    pub(crate) fn wake_for_surplus(&self, local: &Local<Ready<M>>) {
        if self.scheduler.has_surplus(local) && self.pool.has_sleeper() {
            self.pool.wake_one();
        }
    }

    /// Puts a worker to sleep; false when the run is over.
    pub(crate) fn sleep(&self) -> bool {
        let has_work = || self.has_work() || self.offered.is_any();
        let timers = (|| self.next_timer(), || self.advance_to_next());
        let Some(board) = &self.board else {
            return self.pool.sleep(has_work, || self.rest.is_asked(), || true, timers);
        };
        self.pool.sleep(
            has_work,
            || {
                self.hold_waiting(board);
                board.has_stopped()
            },
            || board.rest(|| !has_work() && self.pool.is_nobody_serving()),
            timers,
        )
    }

    /// After a global stop, holds the actions whose bodies wait for the world outside, so that a run in which nothing else executes is at
    /// rest.
    fn hold_waiting(&self, board: &Board) {
        if let Some(waits) = self.waits.as_ref().filter(|waits| waits.is_any_held()) {
            board.hold_waiting(&waits.is_held);
        }
    }

    /// Puts a stopped instance aside. Gives it back where the user, who had asked all to stop, has in the meantime let
    /// all go on: it was not among those that were.
    pub(crate) fn hold(&self, instance: Ready<M>, by_all: bool) -> Option<Ready<M>> {
        let Some(board) = &self.board else { return Some(instance) };
        let mut held = self.held.lock();
        if self.stop.is_set() || by_all && board.global() != GlobalCommand::Stop {
            return Some(instance);
        }
        board.note_stopped();
        held.push(instance);
        None
    }

    /// Notes the name of an action that executes.
    pub(crate) fn note_name(&self, instance: &Instance<M>) {
        self.names.lock().entry(instance.action).or_insert_with(|| self.path(instance).into());
    }

    /// The name of an event of an action that has executed, here or before the snapshot that the run goes on from.
    pub(crate) fn event_name(&self, id: EventId) -> String {
        if let Some(path) = self.names.lock().get(&id.action) {
            return format!("{path}:{}", id.count);
        }
        let recorded = self.instrumentation.recorded().map(|script| script.known.names());
        match recorded.filter(|names| names.template_of(id.action).is_some()) {
            Some(names) => names.event(id).to_string(),
            None => format!("?:{}", id.count),
        }
    }

    /// The immediate predecessors of an execution, by name.
    pub(crate) fn predecessors(&self, execution: &Execution<M>) -> Vec<String> {
        let Some(controlled) = &execution.controlled else { return Vec::new() };
        let mut names: Vec<String> = Vec::new();
        for &id in controlled.senders.iter().chain(&controlled.writers) {
            let name = self.event_name(id);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The path of a shared object.
    pub(crate) fn object_path(&self, object: &SharedObject<M>) -> String {
        let plan = self.program.plan;
        let name = &plan.shared[object.place.shared.idx()].name;
        format!("{}/{name}{}", object.place.graph.path(plan), object.place.index)
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.stop.is_set() || self.is_halted.load(Ordering::Relaxed)
    }

    /// Ends the run if it takes more memory than it may; returns whether it does so now.
    pub(crate) fn end_if_over(&self, limit: RunLimit) -> bool {
        let is_over = (limit.meter)().is_some_and(|n_bytes| n_bytes > limit.most_bytes);
        if !is_over || self.stop.is_set() {
            return false;
        }
        self.used_up_bytes.store(limit.most_bytes, Ordering::Relaxed);
        self.stop.stop();
        self.pool.wake_all();
        true
    }

    /// Whether the run is ended because of its memory.
    pub(crate) fn has_used_up_memory(&self) -> bool {
        self.used_up_bytes.load(Ordering::Relaxed) > 0
    }

    /// Whether the stop node has executed, so that no execution begins any more. Whoever has received a value of its
    /// event, or an object after it, sees this. A replay executes what its record has.
    #[inline]
    pub(crate) fn begins_no_more(&self) -> bool {
        !self.replays() && self.has_ended.load(Ordering::Relaxed)
    }

    /// The event of the stop node ends. To be called before it gives its objects back or hands its values over: what
    /// these reach must not begin.
    pub(crate) fn end_by_stop_node(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if !self.replays() {
            self.stop.end();
        }
    }

    pub(crate) fn path(&self, instance: &Instance<M>) -> String {
        self.path_of(&instance.graph, instance.template, &instance.index)
    }

    /// The path of an action, which need not exist.
    pub(crate) fn path_of(&self, graph: &Arc<GraphInstance>, template: TemplateId, index: &Index) -> String {
        let plan = self.program.plan;
        format!("{}/{}{index}", graph.path(plan), plan.template(template).name)
    }

    pub(crate) fn event_path(&self, instance: &Instance<M>, count: u64) -> String {
        format!("{}:{count}", self.path(instance))
    }

    /// The seed of an event's random numbers: a function of the run's seed and the event's name, so
    /// that it does not depend on the schedule.
    pub(crate) fn event_seed(&self, instance: &Instance<M>, count: u64) -> u64 {
        event_seed(self.seed_of_action(instance), count)
    }

    /// What the random numbers of an action's events depend on.
    pub(crate) fn seed_of_action(&self, instance: &Instance<M>) -> u64 {
        let template = &self.program.plan.template(instance.template).name;
        self.seeds(instance).of_action(template, instance.index.as_slice())
    }

    /// What the random numbers of an action depend on.
    pub(crate) fn seeds(&self, instance: &Instance<M>) -> Seeds {
        Seeds { random_seed: self.random_seed, path_hash: instance.graph.path_hash }
    }

    /// Replay: where the lines of an event stand, and the position of the first one as the record says it, or as it follows
    /// from the events before. No place where it has no turn and prints nothing.
    pub(crate) fn line_place(
        &self,
        draft: &M::Draft,
        id: EventId,
        n_lines: usize,
    ) -> (Option<LinePlace>, Option<u64>) {
        let Some(script) = self.instrumentation.recorded() else { return (None, None) };
        let recorded = self.instrumentation.expected(id).and_then(|event| event.first_line);
        match recorded {
            Some(first_line) if !script.is_minimal() => (Some(LinePlace::Turn(first_line)), recorded),
            _ if n_lines == 0 => (None, recorded),
            _ if !script.is_minimal() => (Some(script.place_of_added_lines(id)), None),
            _ => {
                let first_line = recorded.max(M::next_line(draft));
                (first_line.map(LinePlace::Line), first_line)
            }
        }
    }

    /// Replay: place of lines that an event printed before its end, of which the first has this position in the record.
    pub(crate) fn place_of_block(&self, first_line: u64) -> LinePlace {
        match self.instrumentation.recorded() {
            Some(script) if !script.is_minimal() => LinePlace::Turn(first_line),
            _ => LinePlace::Line(first_line),
        }
    }

    /// Replay: compares an execution that has ended with its record.
    pub(crate) fn compare(
        &self,
        instance: &Arc<Instance<M>>,
        execution: &Execution<M>,
        ending: &Ending,
        mismatch: Option<String>,
    ) {
        if self.stop.is_set() {
            return;
        }
        let template = self.program.plan.template(instance.template);
        let rule = usize::try_from(execution.rule).ok().and_then(|rule_idx| template.fire.get(rule_idx));
        let mut at = rule.map_or(template.at, |rule| rule.at);
        let expected = self.instrumentation.expected(execution.id);
        if self.instrumentation.recorded().is_some_and(Script::is_minimal) {
            let expected = expected.map_or(Outcome::Done, |event| event.outcome);
            if let Some((expected, found)) = misfit(expected, ending, mismatch) {
                self.note_divergence(instance, execution.id, at, expected, found);
            }
            return;
        }
        let (Some(expected), Some(draft)) = (expected, M::drafted(&execution.draft)) else { return };
        let difference = if let Some(misfit) = misfit(expected.outcome, ending, mismatch) {
            Some(misfit)
        } else if !expected.flow().eq(draft.flow.iter().copied())
            || !expected.shared().eq(draft.shared.iter().copied())
        {
            Some((self.shown(&expected), "other predecessors".to_owned()))
        } else if ending.routes != expected.routes {
            let differs = |rule: &u32| ending.routes.contains(rule) != expected.routes.contains(rule);
            let first = ending.routes.iter().chain(expected.routes).copied().filter(differs).min();
            let first = first.and_then(|rule| template.route.get(rule as usize));
            at = first.map_or(at, |rule| rule.at);
            Some((
                format!("routing rules {:?}", expected.routes),
                format!("routing rules {:?}", ending.routes),
            ))
        } else if ending.flow_successors != expected.flow_successors {
            Some((
                format!("{} values sent", expected.flow_successors),
                format!("{} values sent", ending.flow_successors),
            ))
        } else {
            None
        };
        if let Some((expected, found)) = difference {
            self.note_divergence(instance, execution.id, at, expected, found);
        }
    }

    /// Replay: an event cannot be executed as recorded.
    pub(crate) fn diverge(&self, instance: &Instance<M>, id: EventId, at: Location, found: &str) {
        if let Some(expected) = self.instrumentation.expected(id) {
            self.note_divergence(instance, id, at, self.shown(&expected), found.to_owned());
        }
    }

    fn note_divergence(
        &self,
        instance: &Instance<M>,
        id: EventId,
        at: Location,
        expected: String,
        found: String,
    ) {
        self.is_halted.store(true, Ordering::Relaxed);
        let event = self.event_path(instance, id.count);
        let mut divergence = self.divergence.lock();
        // Several workers may each come upon one: of events of which none is before another, the
        // first by name is told.
        if divergence.as_ref().is_none_or(|other| event < other.event) {
            *divergence = Some(Divergence { event, expected, found, at });
        }
    }

    /// What the record says of an event, in words.
    pub(crate) fn shown(&self, expected: &ExpectedEvent) -> String {
        let mut shown = match expected.rule {
            -1 if expected.outcome == Outcome::Failed && expected.flow().len() > 0 => {
                "a failure of `init`".to_owned()
            }
            -1 => "the first execution of a start node".to_owned(),
            rule => format!("firing rule {rule}"),
        };
        if expected.flow().len() > 0 {
            let named = |sender: EventId| match self.instrumentation.recorded() {
                Some(script) => script.known.names().event(sender).to_string(),
                None => sender.count.to_string(),
            };
            let senders: Vec<_> = expected.flow().map(named).collect();
            let link = if expected.rule < 0 { "after" } else { "with" };
            shown.push_str(&format!(" {link} values of {}", senders.join(", ")));
        }
        if expected.outcome != Outcome::Done {
            shown.push_str(&format!(", outcome {}", expected.outcome.name()));
        }
        shown
    }

    /// The instance of a template of the main graph without index.
    /// An interpreter for bodies and expressions.
    pub(crate) fn engine(&self, context: &SharedContext) -> Engine {
        let mut engine = script::engine(context, &self.stop, &self.program.plan.structs);
        self.program.natives.register(&mut engine, context);
        engine
    }

    /// The graph instance that a call stands for, created if this is the first that is heard of it.
    ///
    /// # Errors
    /// Where a parameter of the call cannot be evaluated.
    pub(crate) fn enter(
        &self,
        graph: &Arc<GraphInstance>,
        call: CallId,
        index: Index,
        engine: &Engine,
    ) -> Result<Arc<GraphInstance>, CodeError> {
        self.registry.graph(graph.id, call, index, |index| {
            let id = self.instrumentation.graph_id(graph.id, call, &index);
            let option = self.instrumentation.graph_option(graph, call, &index);
            self.program.enter(id, graph, call, index, option, engine)
        })
    }

    /// The action of a node of the main graph that has no index.
    pub(crate) fn find_or_create(&self, template_idx: usize) -> Arc<Instance<M>> {
        let template = TemplateId::from_idx(template_idx);
        let (plan, notes) = (self.program.plan, self.instrumentation);
        self.registry.instance(plan, notes, &self.main, template, Index::none()).0
    }
}

/// How an execution ended otherwise than the record says: what that says, and what was found.
fn misfit(expected: Outcome, ending: &Ending, mismatch: Option<String>) -> Option<(String, String)> {
    if let Some(mismatch) = mismatch {
        return Some(("the recorded questions to the world".to_owned(), mismatch));
    }
    if ending.outcome == expected {
        return None;
    }
    let found = match &ending.error {
        Some(error) => format!("outcome {}: {error}", ending.outcome.name()),
        None => format!("outcome {}", ending.outcome.name()),
    };
    Some((format!("outcome {}", expected.name()), found))
}
