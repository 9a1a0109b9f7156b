//! Events as recorders get them: what they took, and how they ended.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::event::{Effect, LocalState, Outcome};
use hasse_model::id::{ActionId, ArcId, EventId, Index, ObjectId, SharedId, TemplateId};
use rhai::Dynamic;

use crate::record::instrumentation::Instrumentation;

/// Identity of a shared object.
pub(crate) struct ObjectPlace {
    pub(crate) id: ObjectId,
    pub(crate) shared: SharedId,
    pub(crate) graph: Arc<GraphInstance>,
    pub(crate) index: Index,
}

/// End of an execution, for its record.
pub(crate) struct Ending<'a> {
    pub(crate) template: TemplateId,
    pub(crate) graph: &'a GraphInstance,
    pub(crate) index: &'a Index,
    pub(crate) routes: &'a [u32],
    pub(crate) flow_successors: u64,
    pub(crate) outcome: Outcome,
    pub(crate) effects: Vec<Effect>,
    pub(crate) first_line: Option<u64>,
    pub(crate) error: Option<String>,
    pub(crate) local: Option<Box<LocalState>>,
}

/// End of an execution that ended well, without effects, output and error.
#[derive(Clone, Copy)]
pub(crate) struct Done<'a> {
    pub(crate) template: TemplateId,
    pub(crate) rule: i32,
    pub(crate) graph: &'a GraphInstance,
    pub(crate) index: &'a Index,
    pub(crate) routes: &'a [u32],
    pub(crate) flow_successors: u64,
}

impl<'a> From<Done<'a>> for Ending<'a> {
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
pub(crate) struct EventRun<'a, M: Instrumentation> {
    pub(crate) first: EventId,
    pub(crate) n_events: usize,
    /// Choices: true if the firing rule of the first one is not the predicted one.
    pub(crate) is_free: bool,
    /// Stamps of the values that the first one has taken. What each other one has taken was sent by the events after those
    /// that sent what the one before it has taken.
    pub(crate) taken: &'a [M::Stamp],
    /// Ports from which they were taken.
    pub(crate) ports: &'a [usize],
    /// One for each event: of what it has sent.
    pub(crate) cells: &'a [M::Cell],
}

/// Origin of a value that is taken.
#[derive(Clone, Copy)]
pub(crate) struct Taken<'a> {
    pub(crate) template: TemplateId,
    /// Index of the instance.
    pub(crate) index: &'a Index,
    /// Creation parameters of its graph instance.
    pub(crate) params: &'a [Dynamic],
    pub(crate) port: usize,
    pub(crate) elements: &'a Index,
}

/// Sender whose value a replay takes, where the record does not name the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedSender {
    /// The first one: there is only one sender.
    Any,
    /// The first value of this action.
    Action(ActionId),
    /// The first value that came by this arc.
    Arc(ArcId),
    /// The record would have to tell.
    Unknown,
}
