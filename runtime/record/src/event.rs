//! Events as recorders get them: what they took, and how they ended.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::event::{Effect, LocalState, Outcome};
use hasse_model::id::{ActionId, ArcId, EventId, Index, ObjectId, SharedId, TemplateId};
use rhai::Dynamic;

use crate::instrumentation::Instrumentation;

/// Identity of a shared object.
pub struct ObjectPlace {
    /// Id of the object.
    pub id: ObjectId,
    /// Its declaration in the plan.
    pub shared: SharedId,
    /// Graph instance that holds it.
    pub graph: Arc<GraphInstance>,
    /// Its index.
    pub index: Index,
}

/// End of an execution, for its record.
pub struct Ending<'a> {
    /// Template of the action.
    pub template: TemplateId,
    /// Graph instance of the action.
    pub graph: &'a GraphInstance,
    /// Index of the action.
    pub index: &'a Index,
    /// Positions of the routing rules taken, ascending.
    pub routes: &'a [u32],
    /// Number of values sent along arcs.
    pub flow_successors: u64,
    /// Outcome of the execution.
    pub outcome: Outcome,
    /// Questions to the world outside, in the order asked.
    pub effects: Vec<Effect>,
    /// Position in the output of the first line that it printed at its end.
    pub first_line: Option<u64>,
    /// Message of the error, if it failed.
    pub error: Option<String>,
    /// Values, where they were asked for.
    pub local: Option<Box<LocalState>>,
}

/// End of an execution that ended well, without effects, output and error.
#[derive(Clone, Copy)]
pub struct Done<'a> {
    /// Template of the action.
    pub template: TemplateId,
    /// Position of the firing rule taken.
    pub rule: i32,
    /// Graph instance of the action.
    pub graph: &'a GraphInstance,
    /// Index of the action.
    pub index: &'a Index,
    /// Positions of the routing rules taken, ascending.
    pub routes: &'a [u32],
    /// Number of values sent along arcs.
    pub flow_successors: u64,
}

impl<'a> From<Done<'a>> for Ending<'a> {
    #[inline]
    fn from(done: Done<'a>) -> Self {
        let Done { template, graph, index, routes, flow_successors, .. } = done;
        Self {
            template,
            graph,
            index,
            routes,
            flow_successors,
            outcome: Outcome::Done,
            effects: Vec::new(),
            first_line: None,
            error: None,
            local: None,
        }
    }
}

/// Events of one action by one firing rule that are recorded together.
pub struct EventRun<'a, M: Instrumentation> {
    /// The first event.
    pub first: EventId,
    /// Number of events.
    pub n_events: usize,
    /// Choices: true if the firing rule of the first one is not the predicted one.
    pub is_free: bool,
    /// Stamps of the values that the first one has taken. What each other one has taken was sent by the events after those
    /// that sent what the one before it has taken.
    pub taken: &'a [M::Stamp],
    /// Ports from which they were taken, with their elements.
    pub ports: &'a [(usize, Index)],
}

/// Origin of a value that is taken.
#[derive(Clone, Copy)]
pub struct Taken<'a> {
    /// Template of the instance.
    pub template: TemplateId,
    /// Index of the instance.
    pub index: &'a Index,
    /// Creation parameters of its graph instance.
    pub params: &'a [Dynamic],
    /// Input port, by position.
    pub port: usize,
    /// Element of the port.
    pub elements: &'a Index,
}

/// Sender whose value a replay takes, where the record does not name the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedSender {
    /// The first one: there is only one sender.
    Any,
    /// The first value of this action.
    Action(ActionId),
    /// The first value that came by this arc.
    Arc(ArcId),
    /// The record would have to tell.
    Unknown,
}
