//! One event alone: its values are kept, its answers come from where the isolation says, and nothing else is
//! noted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hasse_body::effects::EffectSource;
use hasse_code::graph::GraphInstance;
use hasse_model::event::{Effect, LocalState, Outcome};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use parking_lot::Mutex;

use crate::event::{Ending, ObjectPlace};
use crate::instrumentation::{Instrumentation, light_is_draft};

/// What came of the event.
pub struct Ended {
    /// Outcome of the event.
    pub outcome: Outcome,
    /// Routing rules that held, by position.
    pub routes: Vec<u32>,
    /// Number of values that were sent.
    pub flow_successors: u64,
    /// Effects of the body, with the answers of the world outside.
    pub effects: Vec<Effect>,
    /// Message of the error, if the event failed.
    pub error: Option<String>,
    /// Values of the names when the event ended.
    pub local: LocalState,
}

/// Keeps the one event that ends.
pub struct Alone {
    answers: Vec<Effect>,
    /// Whether the world is asked where the answers do not fit.
    asks_world: bool,
    ended: Mutex<Option<Ended>>,
    n_actions: AtomicU32,
    n_objects: AtomicU32,
    n_graphs: AtomicU32,
}

impl Alone {
    /// Keeps an event that gets these answers; `asks_world`: the world outside answers where they do not fit.
    pub fn new(answers: Vec<Effect>, asks_world: bool) -> Self {
        Self {
            answers,
            asks_world,
            ended: Mutex::new(None),
            n_actions: AtomicU32::new(0),
            n_objects: AtomicU32::new(0),
            n_graphs: AtomicU32::new(0),
        }
    }

    /// The event, once it has ended.
    pub fn take_ended(&self) -> Option<Ended> {
        self.ended.lock().take()
    }
}

impl Instrumentation for Alone {
    type Stamp = ();
    type Mark = ();
    type Keep = ();
    type Draft = ();
    type Light = ();
    type Local = ();
    type Directive = ();

    const RECORDS: bool = true;
    const CONTROLLED: bool = false;

    #[inline]
    fn assigns_again(&self) -> bool {
        true
    }

    #[inline]
    fn local(&self, _: usize) {}

    #[inline]
    fn action_id(&self, _: TemplateId, _: GraphInstanceId, _: &Index) -> ActionId {
        ActionId(self.n_actions.fetch_add(1, Ordering::Relaxed))
    }

    #[inline]
    fn object_id(&self, _: SharedId, _: GraphInstanceId, _: &Index) -> ObjectId {
        ObjectId(self.n_objects.fetch_add(1, Ordering::Relaxed))
    }

    #[inline]
    fn graph_id(&self, _: GraphInstanceId, _: CallId, _: &Index) -> GraphInstanceId {
        GraphInstanceId(1 + self.n_graphs.fetch_add(1, Ordering::Relaxed))
    }

    #[inline]
    fn keep(&self, _: TemplateId, _: &Arc<GraphInstance>, _: &Index) {}
    #[inline]
    fn begin(&self, (): &mut (), (): &(), _: EventId, _: i32) {}
    #[inline]
    fn take(&self, (): &mut (), (): &()) {}
    #[inline]
    fn access(&self, (): &mut (), _: ObjectId, _: Access, (): &()) {}
    #[inline]
    fn release(&self, (): &(), _: Access, (): &mut ()) {}
    #[inline]
    fn stamp(&self, (): &()) {}
    #[inline]
    fn by_hand() {}
    #[inline]
    fn announce_object(&self, (): &mut (), (): &(), _: &ObjectPlace) {}

    light_is_draft!();

    #[inline]
    fn end(&self, (): &mut (), (): (), ending: Ending) {
        *self.ended.lock() = Some(Ended {
            outcome: ending.outcome,
            routes: ending.routes.to_vec(),
            flow_successors: ending.flow_successors,
            effects: ending.effects,
            error: ending.error,
            local: ending.local.map(|local| *local).unwrap_or_default(),
        });
    }

    #[inline]
    fn flush(&self, (): &mut ()) {}
    #[inline]
    fn tick(&self, (): &mut ()) {}

    #[inline]
    fn answers(&self) -> Option<EffectSource> {
        // What the user assigned answers no question of the body.
        let answers = self.answers.iter().filter(|answer| answer.kind.is_question()).cloned();
        let answers = answers.collect::<Vec<_>>().into_iter();
        Some(if self.asks_world {
            EffectSource::RecordThenWorld { answers }
        } else {
            EffectSource::Record { answers, mismatch: None }
        })
    }

    #[inline]
    fn recorded_effects(&self, _: EventId) -> &[Effect] {
        &self.answers
    }
}
