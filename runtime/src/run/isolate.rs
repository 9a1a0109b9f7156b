//! Isolation: one event executed alone, on values that were recorded or regenerated (Hyder 1994, section 8.2.1).
//!
//! The program is made ready as for a run, but a single instance is created, given its vars, its values and the
//! content of the objects that it shares, and served once with the firing rule that is asked for. The body, the
//! checks of types and the routing are those of a run; what the event sends goes nowhere.

use std::sync::Arc;
use std::thread;

use hasse_body::convert::dynamic_from_value;
use hasse_body::memory::MemoryLimit;
use hasse_body::output::OutputOrder;
use hasse_body::script::CodeError;
use hasse_model::diagnostic::Location;
use hasse_model::event::{Effect, LocalState, Outcome};
use hasse_model::id::{CallId, Index, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_record::alone::{Alone, Ended};
use hasse_record::result_order::ResultOrder;
use hasse_request::options::{RunOptions, RuntimeError};
use hasse_runtime_plan::program::Program;
use hasse_schedule::scheduler::{Policy, Scheduler};
use hasse_store::execution::{Execution, Progress};
use hasse_store::instance::{Core, Ready};
use hasse_store::token::Token;
use rhai::Dynamic;

use crate::fire::worker::Worker;
use crate::run::entry::load;
use crate::run::workers::{STACK_BYTES, open, turns_of};

pub use hasse_request::report::Refusal;
use hasse_request::report::RunError;

/// A value that the event is to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Position of the input port.
    pub port: usize,
    /// Index of the element of a family.
    pub elements: Index,
    /// The value.
    pub value: Value,
}

/// All that one event is a function of, beside the program and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Isolated {
    /// The node.
    pub template: TemplateId,
    /// The calls from the main graph to the node's graph, outermost first, each with its index.
    pub calls: Vec<(CallId, Index)>,
    /// Index of the instance.
    pub index: Index,
    /// Which execution it is, from 1.
    pub count: u64,
    /// Position of the firing rule; -1 for a start node's first execution.
    pub rule: i32,
    /// Vars before the rule is selected; what is not named has its first value, as `init` leaves it.
    pub vars: Vec<(String, Value)>,
    /// Values on the ports, in the order of removal.
    pub inputs: Vec<Input>,
    /// Shared objects by the node's names; what is not named has its first value.
    pub shared: Vec<(String, Value)>,
    /// Answers of the world outside, in the order of the questions.
    pub answers: Vec<Effect>,
    /// Whether the world is asked from the first question on that the answers do not fit. Otherwise such a
    /// question fails, and [`Executed::mismatch`] tells of it.
    pub asks_world: bool,
    /// The memory limit in bytes, where it is another than that of the options.
    pub most_bytes: Option<u64>,
}

/// What came of an event that was executed alone.
#[derive(Clone, Debug)]
pub struct Executed {
    /// How it ended.
    pub outcome: Outcome,
    /// What went wrong.
    pub error: Option<RunError>,
    /// Its values.
    pub local: LocalState,
    /// Positions of the routing rules taken, ascending.
    pub routes: Vec<u32>,
    /// Number of values sent along arcs.
    pub flow_successors: u64,
    /// Questions to the world and their answers, in the order asked.
    pub effects: Vec<Effect>,
    /// How its questions differ from the answers given, where the world was not to be asked.
    pub mismatch: Option<String>,
}

/// Executes one event alone. What it prints and sends goes to the result and nowhere else. `options.params` are
/// those of the recorded run, `options.seed` gives the random numbers that the answers do not.
///
/// # Errors
/// [`RuntimeError`] where it could not be carried out; in the value, why the event does not take place.
pub fn execute(
    plan: &Plan,
    options: &RunOptions,
    event: &Isolated,
) -> Result<Result<Executed, Refusal>, RuntimeError> {
    let mut options = options.clone();
    options.capture =
        hasse_request::capture::Capture::event(event.template, event.index.clone(), event.count);
    if let Some(most_bytes) = event.most_bytes {
        options.sandbox.memory = MemoryLimit { most_bytes, ..options.sandbox.memory };
    }
    let program = load(plan, &options)?;
    thread::scope(|scope| {
        let serve = || serve(&program, &options, event);
        let worker = thread::Builder::new()
            .name("hasse-worker-alone".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, serve)
            .map_err(RuntimeError::Spawn)?;
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

type Served = Result<Result<Executed, Refusal>, RuntimeError>;

fn serve(program: &Program<'_>, options: &RunOptions, event: &Isolated) -> Served {
    let alone = Alone::new(event.answers.clone(), event.asks_world);
    let (scheduler, mut locals) = Scheduler::<Ready<Alone>>::new(1, 1, Policy::Free);
    let session = open(
        program,
        options,
        &alone,
        OutputOrder::new(Box::new(|_| {}), turns_of(&alone)),
        scheduler,
        locals.len(),
    );
    let local = locals.pop().expect("one worker has one local part");
    let context = session.context();
    let mut worker = Worker::new(&session, &context, local, 0);
    let initial = |what: &str, error: CodeError| RuntimeError::Initial {
        what: what.to_owned(),
        message: error.message,
    };

    let mut graph = Arc::clone(&session.main);
    for (call, index) in &event.calls {
        let entered = session.enter(&graph, *call, index.clone(), &worker.engine);
        graph = entered.map_err(|error| initial("a parameter of a call", error))?;
    }
    let (instance, _) =
        session.registry.instance(program.plan, &alone, &graph, event.template, event.index.clone());
    let mut core = instance.core.lock();
    worker.load(&instance, &mut core);
    core.count = event.count.saturating_sub(1);
    core.must_start = event.rule < 0 && program.plan.template(event.template).is_start;
    worker.set_count(event);
    let begun = match worker.initialize(&instance, &mut core) {
        Ok(()) => {
            worker.give(event, &mut core);
            worker.take_rule(&instance, &mut core, event.rule)
        }
        Err(error) => Ok(worker.begin_failed(&mut core, event.count, event.rule, error)),
    };
    let execution = match begun {
        Ok(execution) => execution,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match worker.execute(&instance, &mut core, execution) {
        Progress::Ended => {}
        Progress::Waits(_) | Progress::Stopped(_) => {
            unreachable!("nobody else holds a lock, and nobody can stop it")
        }
    }
    let mismatch = worker.context.lock().mismatch();
    let ended = alone.take_ended().expect("an execution that ended was noted");
    let error = session.errors.lock().pop();
    let handled = || session.handled.report(program.plan).pop().and_then(|handled| handled.first);
    let error = error.or_else(handled);
    Ok(Ok(executed(ended, error, mismatch)))
}

fn executed(ended: Ended, error: Option<RunError>, mismatch: Option<String>) -> Executed {
    let Ended { outcome, routes, flow_successors, effects, error: message, local } = ended;
    let error = error.or_else(|| {
        message.map(|message| RunError {
            code: "R0001",
            event: String::new(),
            message,
            at: Location::default(),
            values: Vec::new(),
        })
    });
    Executed { outcome, error, local, routes, flow_successors, effects, mismatch }
}

impl Worker<'_, '_, Alone> {
    fn set_count(&mut self, event: &Isolated) {
        let layout = &self.session.program.layouts[event.template.idx()];
        self.frame.set(layout.count, Dynamic::from_int(event.count as i64));
    }

    /// Puts the values of the event where it finds them.
    fn give(&mut self, event: &Isolated, core: &mut Core<Alone>) {
        let program = self.session.program;
        let template = program.plan.template(event.template);
        let layout = &program.layouts[event.template.idx()];
        for slot_idx in layout.vars.clone() {
            let name = &template.slots[slot_idx].name;
            if let Some((_, value)) = event.vars.iter().find(|(known, _)| known == name) {
                self.frame.set(slot_idx, dynamic_from_value(value.clone()));
            }
        }
        for lock in &core.locks {
            let name = &template.slots[lock.slot_idx].name;
            if let Some((_, value)) = event.shared.iter().find(|(known, _)| known == name) {
                lock.object.put(value.clone());
            }
        }
        core.open_ports(template);
        for input in &event.inputs {
            let token =
                Token { value: input.value.clone(), stamp: (), known: ResultOrder::default(), directive: () };
            core.ports[input.port].push(&input.elements, token);
        }
    }

    /// The execution of a node that could not be initialized.
    fn begin_failed(
        &mut self,
        core: &mut Core<Alone>,
        count: u64,
        rule: i32,
        error: CodeError,
    ) -> Execution<Alone> {
        let id = hasse_model::id::EventId { action: hasse_model::id::ActionId(0), count };
        self.begin(core, id, rule, Some(error))
    }
}
