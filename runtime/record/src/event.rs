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

/// Identity of an input port of an action, or of an element of a family.
pub struct PortPlace<'a> {
    /// Node of the action.
    pub template: TemplateId,
    /// Graph instance of the action.
    pub graph: &'a Arc<GraphInstance>,
    /// Index of the action.
    pub index: &'a Index,
    /// Name of the port.
    pub port: &'a str,
    /// Element of the family; empty for a plain port.
    pub elements: &'a Index,
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

/// Events of one action that are recorded together.
pub struct EventRun<'a, M: Instrumentation> {
    /// The first event.
    pub first: EventId,
    /// Number of events.
    pub n_events: usize,
    /// Choices: true if the firing rule of the first one is not the predicted one.
    pub is_free: bool,
    /// Stamps of the values that the first one has taken.
    pub taken: &'a [M::Stamp],
    /// Executions between the events that sent what one event has taken, and those that sent what the next one has: 1, or 0 where
    /// all of it is from one event.
    pub step: u64,
    /// Ports from which they were taken, with their elements.
    pub ports: &'a [(usize, Index)],
    /// Position of the firing rule of each event, where they are by several; empty where all are by one.
    pub rules: &'a [u8],
    /// Answers of the world to each event.
    pub answers: Answers<'a>,
}

impl<M: Instrumentation> EventRun<'_, M> {
    /// The firing rule of an event, by position, where `rule` is that of all if they are by one.
    #[inline]
    pub(crate) fn rule_at(&self, nth: usize, rule: i32) -> i32 {
        self.rules.get(nth).map_or(rule, |&rule| i32::from(rule))
    }

    /// Events in a row by the same firing rule: the rule, and their number. `rule` is that of all if they are by one.
    pub(crate) fn parts(&self, rule: i32) -> impl Iterator<Item = (i32, usize)> {
        let whole = self.rules.is_empty().then_some((rule, self.n_events));
        let parts = self.rules.chunk_by(u8::eq).map(|part| (i32::from(part[0]), part.len()));
        whole.into_iter().chain(parts)
    }
}

/// Answers of the world outside to events in a row.
#[derive(Clone, Copy, Default)]
pub struct Answers<'a> {
    /// In the order asked.
    effects: &'a [Effect],
    /// Start of those of each event, and then the end of those of the last one; empty where there are none.
    starts: &'a [u32],
}

impl<'a> Answers<'a> {
    /// Answers to events, of which those of each begin at a position, and those of the last one end at another one.
    pub fn new(effects: &'a [Effect], starts: &'a [u32]) -> Self {
        Self { effects, starts }
    }

    /// Returns true if no event has any.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.effects.is_empty()
    }

    /// Those to an event, by position.
    #[inline]
    pub fn of(&self, nth: usize) -> &'a [Effect] {
        match self.starts.get(nth..nth + 2) {
            Some(&[start, end]) => &self.effects[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Those of some events in a row, by position.
    #[inline]
    pub fn part(self, first: usize, n_events: usize) -> Self {
        match self.starts.get(first..=first + n_events) {
            Some(starts) => Self { effects: self.effects, starts },
            None => Self::default(),
        }
    }
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
