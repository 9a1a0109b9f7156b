//! Bounds of the number of instances of a node that execute at a time (`at_once = 4`).
//!
//! Whoever has no place waits here, without a worker. A place goes from one that ends its turn to the one that has waited longest.
//! An execution that waits for a lock keeps its place: whoever holds that lock has one already, or needs none.

use std::collections::VecDeque;
use std::sync::Arc;

use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_record::instrumentation::Instrumentation;
use hasse_runtime_plan::bounds::most_at_once;
use hasse_store::instance::Ready;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

/// Places for the instances of each template that has a bound.
pub(crate) struct AtOnce<M: Instrumentation>(Vec<Option<Mutex<Places<M>>>>);

struct Places<M: Instrumentation> {
    /// Number of places that are taken or handed on.
    n_taken: usize,
    /// Those to whom a place has been handed on, and that are not served yet.
    next: FxHashSet<ActionId>,
    waiting: VecDeque<Ready<M>>,
}

impl<M: Instrumentation> AtOnce<M> {
    /// Places for the nodes of a plan; none in a replay, which executes what was executed.
    pub(crate) fn of(plan: &Plan, replays: bool) -> Self {
        let places = plan.templates.iter().map(|template| {
            let has_bound = template.at_once.is_some() && !replays;
            has_bound.then(|| {
                Mutex::new(Places { n_taken: 0, next: FxHashSet::default(), waiting: VecDeque::new() })
            })
        });
        Self(places.collect())
    }

    fn places(&self, template: TemplateId) -> Option<&Mutex<Places<M>>> {
        self.0[template.idx()].as_ref()
    }

    /// Returns true if instances of a template need places.
    #[inline]
    pub(crate) fn is_bounded(&self, template: TemplateId) -> bool {
        self.0[template.idx()].is_some()
    }

    /// Takes a place for an instance; where there is none, it waits, and is made ready when it has one.
    pub(crate) fn take(&self, plan: &Plan, instance: &Ready<M>) -> bool {
        let Some(places) = self.places(instance.template) else { return true };
        let mut places = places.lock();
        if places.next.remove(&instance.action) {
            return true;
        }
        let most = most_at_once(plan.template(instance.template), &instance.graph).unwrap_or(usize::MAX);
        if places.n_taken < most {
            places.n_taken += 1;
            return true;
        }
        places.waiting.push_back(Arc::clone(instance));
        false
    }

    /// Gives back the place of an instance of a template. `make_ready` is given those who have places now.
    pub(crate) fn give_back(&self, plan: &Plan, template: TemplateId, mut make_ready: impl FnMut(Ready<M>)) {
        let Some(places) = self.places(template) else { return };
        let mut places = places.lock();
        places.n_taken -= 1;
        let template = plan.template(template);
        // Graph instances may have different bounds.
        while let Some(next) = places.waiting.pop_front() {
            if most_at_once(template, &next.graph).is_some_and(|most| places.n_taken >= most) {
                places.waiting.push_front(next);
                break;
            }
            places.n_taken += 1;
            places.next.insert(next.action);
            make_ready(next);
        }
    }
}
