//! Actions that are stopped in the middle of their bodies.
//!
//! The interpreter cannot put a body aside: its state is on the stack of a worker. So the worker waits where the body
//! is, holding what it holds, and what there is to see is left here for the debugger. Such a worker counts as idle for
//! the state of the run: when all are idle or wait here, nothing executes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_body::convert::value_from_dynamic;
use hasse_body::interrupt::StopSignal;
use hasse_body::output::OutputOrder;
use hasse_breakpoint::expression::Expression;
use hasse_model::diagnostic::Location;
use hasse_model::id::{Index, TemplateId};
use hasse_model::value::Value;
use hasse_request::control::board::Board;
use parking_lot::{Condvar, Mutex};
use rhai::{Dynamic, Engine};

pub(crate) use hasse_request::control::state::Why;
use hasse_request::control::state::{
    ActionState, ActionSummary, ActionView, NamedValue, ObjectUse, PortView, StopPoint,
};
use hasse_request::control::stepping::{BodyView, Step};
use hasse_schedule::pool::Pool;

/// What a body that waits is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// To stop at a later statement.
    Step(Step),
    /// To go on.
    Go,
    /// To go on, and to stop behind the body.
    ToAftcomp,
}

/// What is known of an execution before its body, and does not change within it.
pub(crate) struct Outline {
    pub(crate) path: String,
    pub(crate) event: String,
    pub(crate) template: TemplateId,
    pub(crate) graph: String,
    pub(crate) index: Index,
    pub(crate) count: u64,
    pub(crate) rule: i32,
    pub(crate) predecessors: Vec<String>,
    pub(crate) ports: Vec<PortView>,
    /// What the names of ports stand for.
    pub(crate) queues: Vec<(String, Dynamic)>,
    pub(crate) objects: Vec<ObjectUse>,
    pub(crate) n_queued: u64,
    /// Kinds of the names that the action has before its body, by slot.
    pub(crate) kinds: Vec<&'static str>,
}

/// A body at the beginning of a statement.
pub(crate) struct LineScene {
    pub(crate) outline: Arc<Outline>,
    pub(crate) at: Location,
    pub(crate) text: String,
    /// Names that the statement sees, each once, with kinds and values. `None`: a call under way is changing it.
    pub(crate) names: Vec<(String, &'static str, Option<Dynamic>)>,
    pub(crate) reasons: Vec<Why>,
    pub(crate) body: BodyView,
}

impl LineScene {
    /// The value of a name: of those that the statement sees first, then as at the other stop points.
    fn value_of(&self, name: &str) -> Option<Dynamic> {
        if let Some((_, _, held)) = self.names.iter().find(|(known, ..)| known == name) {
            return held.clone();
        }
        match name {
            "NodeIndex" | "index" => Some(match self.outline.index.as_slice() {
                [number] => Dynamic::from_int(*number),
                numbers => Dynamic::from_array(numbers.iter().copied().map(Dynamic::from_int).collect()),
            }),
            "ExecCnt" => Some(Dynamic::from_int(self.outline.count as i64)),
            "Pred" => {
                let names = self.outline.predecessors.iter().cloned().map(Dynamic::from);
                Some(Dynamic::from_array(names.collect()))
            }
            _ => {
                let mut queues = self.outline.queues.iter();
                queues.find(|(port, _)| port == name).map(|(_, queue)| queue.clone())
            }
        }
    }

    /// The value of an expression.
    pub(crate) fn evaluate(&self, engine: &Engine, expression: &Expression) -> Result<Dynamic, String> {
        expression.evaluate(engine, |name| self.value_of(name))
    }

    /// The value of an expression as one of the program language.
    pub(crate) fn value(&self, engine: &Engine, expression: &Expression) -> Result<Value, String> {
        let held = self.evaluate(engine, expression)?;
        value_from_dynamic(&held).map_err(|found| format!("it is a {found}, which is not a value"))
    }

    /// The names with their values; without those that have none yet.
    pub(crate) fn named(&self) -> Vec<NamedValue> {
        let is_set = |kind: &str, held: &Option<Dynamic>| {
            kind != "bound" && kind != "let" || held.as_ref().is_none_or(|held| !held.is_unit())
        };
        let seen = self.names.iter().filter(|(_, kind, held)| is_set(kind, held));
        let told = seen.map(|(name, kind, held)| NamedValue {
            name: name.clone(),
            kind,
            value: match held {
                Some(held) => value_from_dynamic(held),
                None => Err("value that a call under way is changing".to_owned()),
            },
        });
        told.collect()
    }

    /// The action in a list; `n_arrived` values are on their way to its ports.
    pub(crate) fn summary(&self, n_arrived: u64) -> ActionSummary {
        let outline = &self.outline;
        ActionSummary {
            path: outline.path.clone(),
            template: outline.template,
            graph: outline.graph.clone(),
            index: outline.index.clone(),
            count: outline.count,
            state: ActionState::Stopped(StopPoint::Line),
            n_queued: outline.n_queued + n_arrived,
        }
    }

    /// All that is known of the action.
    pub(crate) fn view(&self, n_arrived: u64) -> ActionView {
        let outline = &self.outline;
        ActionView {
            summary: self.summary(n_arrived),
            names: self.named(),
            ports: outline.ports.clone(),
            empty_ports: Vec::new(),
            rule: Some(outline.rule),
            predecessors: outline.predecessors.clone(),
            objects: outline.objects.clone(),
            sends: Vec::new(),
            reasons: self.reasons.clone(),
            at: Some(self.at),
            line_text: Some(self.text.clone()),
        }
    }
}

/// A body that waits.
pub(crate) struct LineStop {
    pub(crate) scene: LineScene,
    order: Mutex<Option<Order>>,
    ordered: Condvar,
}

impl LineStop {
    fn tell(&self, order: Order) {
        *self.order.lock() = Some(order);
        self.ordered.notify_one();
    }
}

/// The bodies of a run that wait.
pub(crate) struct Lines {
    pool: Arc<Pool>,
    pub(crate) board: Arc<Board>,
    pub(crate) stop: StopSignal,
    pub(crate) output: Arc<OutputOrder>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// By path of the action.
    stops: BTreeMap<String, Arc<LineStop>>,
    /// A worker has gone down: nobody waits any more.
    is_abandoned: bool,
}

impl Lines {
    pub(crate) fn new(
        pool: Arc<Pool>,
        board: Arc<Board>,
        stop: StopSignal,
        output: Arc<OutputOrder>,
    ) -> Self {
        Self { pool, board, stop, output, held: Mutex::default() }
    }

    /// Waits, on a worker's thread, until the body is told to go on. Does not wait where the run is to end.
    pub(crate) fn wait(&self, scene: LineScene) -> Order {
        let path = scene.outline.path.clone();
        let stop = Arc::new(LineStop { scene, order: Mutex::new(None), ordered: Condvar::new() });
        {
            // Whoever ends the run sets the signal first and then lets all go on that are found here.
            let mut held = self.held.lock();
            if self.stop.is_set() || held.is_abandoned {
                return Order::Go;
            }
            // In this order: a worker that sees this one blocked sees that something is stopped.
            self.board.note_stopped();
            self.pool.block();
            held.stops.insert(path, Arc::clone(&stop));
        }
        self.pool.wake_all();
        self.note_rest();
        let mut order = stop.order.lock();
        loop {
            if let Some(order) = *order {
                return order;
            }
            stop.ordered.wait(&mut order);
        }
    }

    /// Tells the board where all workers wait in bodies: then nobody else will.
    pub(crate) fn note_rest(&self) {
        if self.pool.are_all_blocked() {
            self.board.rest(|| self.pool.are_all_blocked());
        }
    }

    /// Whether no worker is left that could serve anything.
    pub(crate) fn are_all_blocked(&self) -> bool {
        self.pool.are_all_blocked()
    }

    /// The body of an action that waits.
    pub(crate) fn find(&self, path: &str) -> Option<Arc<LineStop>> {
        self.held.lock().stops.get(path).cloned()
    }

    /// All that wait, by path.
    pub(crate) fn all(&self) -> Vec<Arc<LineStop>> {
        self.held.lock().stops.values().cloned().collect()
    }

    /// Tells one body to go on; tells how many did. To be called with the desk of the board in hand.
    pub(crate) fn order(&self, path: &str, order: Order) -> usize {
        let mut held = self.held.lock();
        let Some(stop) = held.stops.remove(path) else { return 0 };
        self.pool.unblock(1);
        stop.tell(order);
        1
    }

    /// Tells all to go on; tells how many did. To be called with the desk of the board in hand.
    pub(crate) fn order_all(&self, order: Order) -> usize {
        let stops = std::mem::take(&mut self.held.lock().stops);
        self.pool.unblock(stops.len());
        stops.values().for_each(|stop| stop.tell(order));
        stops.len()
    }

    /// Lets all go on, now and later: a worker has gone down.
    pub(crate) fn abandon(&self) {
        self.held.lock().is_abandoned = true;
        self.order_all(Order::Go);
    }
}
