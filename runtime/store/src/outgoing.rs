//! Values that an event is about to send.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::id::{ArcId, Index, TemplateId};
use hasse_model::plan::{Arc as PlanArc, Source};
use hasse_model::value::Value;

/// Receiver of a value, which need not exist yet.
pub enum Receiver {
    /// An instance in another graph instance than the sender's.
    Elsewhere(Arc<GraphInstance>, TemplateId, Index),
    /// An instance in the sender's graph instance.
    Instance(TemplateId, Index),
    /// One whose template has a store: an integer for a plain port, by index.
    Entry(TemplateId, Index),
}

/// A value that is to be sent along one arc. An event that fails sends nothing: nobody receives, and no receiver is created,
/// before it is delivered.
pub struct Outgoing {
    /// The last arc of its way; told where choices are noted.
    pub arc: ArcId,
    /// Receiver of the value.
    pub target: Receiver,
    /// Input port of the receiver, by position.
    pub port: usize,
    /// Element of the port.
    pub elements: Index,
    /// The value.
    pub value: Value,
    /// Its fate in a replay, which knows it already.
    pub fate: Fate,
    /// Time until it comes in nanoseconds; 0 if it comes at once.
    pub delay: u64,
}

/// Fates of values that are sent. One that is dropped while it waits creates its receiver and goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It comes to its port.
    Delivered,
    /// A person drops it.
    DroppedByHand,
    /// It is dropped as its port is full.
    NoRoom,
}

impl Outgoing {
    /// The action that receives it; `sender_graph` is the graph instance of the sender.
    #[inline]
    pub fn receiver<'o>(
        &'o self,
        sender_graph: &'o Arc<GraphInstance>,
    ) -> (&'o Arc<GraphInstance>, TemplateId, &'o Index) {
        match &self.target {
            Receiver::Elsewhere(graph, template, index) => (graph, *template, index),
            Receiver::Instance(template, index) | Receiver::Entry(template, index) => {
                (sender_graph, *template, index)
            }
        }
    }

    /// The port that it goes to, with the element.
    #[inline]
    pub fn port(&self) -> (usize, &Index) {
        (self.port, &self.elements)
    }
}

impl Receiver {
    /// Receiver in a graph instance, which may be the sender's own one.
    #[inline]
    pub fn of((graph, is_own): (&Arc<GraphInstance>, bool), template: TemplateId, index: Index) -> Self {
        match is_own {
            true => Self::Instance(template, index),
            false => Self::Elsewhere(Arc::clone(graph), template, index),
        }
    }
}

impl Receiver {
    /// The same as an instance, which is created if it does not exist.
    pub fn without_entry(self) -> Self {
        match self {
            Self::Entry(template, index) => Self::Instance(template, index),
            other => other,
        }
    }
}

/// An action that does not exist before a value is sent to it.
pub struct Created {
    /// Graph instance that holds it.
    pub graph: Arc<GraphInstance>,
    /// Template of the action.
    pub template: TemplateId,
    /// Index of the action.
    pub index: Index,
}

/// A value that has come to the interface of a graph, on its inner or its outer side.
pub struct Hop<'p> {
    /// The graph instance whose arcs are to be followed.
    pub graph: Arc<GraphInstance>,
    /// Start of the arcs to be followed.
    pub source: Source,
    /// Arcs to be followed.
    pub arcs: &'p [&'p PlanArc],
    /// Index of the call, on the outer side.
    pub index: Index,
    /// Element of the port.
    pub elements: Index,
    /// Port of the interface, by position.
    pub port: usize,
}
