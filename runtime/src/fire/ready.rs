//! Instances that are ready, in the order of their priorities and of the scheduler.
//!
//! Without priorities all of this is the scheduler's. Where nodes have priorities (`priority = 1`), their instances are with
//! [`Ranks`]: those above 0 are served before all others, those below 0 where nothing else is ready.

use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;
use hasse_record::instrumentation::Instrumentation;
use hasse_schedule::ranks::Ranks;
use hasse_schedule::scheduler::Local;
use hasse_store::instance::Ready;

use crate::fire::session::Session;

/// Returns the ranks of a plan in which a node has a priority.
pub(crate) fn ranks<T>(plan: &Plan) -> Option<Box<Ranks<T>>> {
    plan.templates.iter().any(|template| template.priority != 0).then(Box::default)
}

impl<M: Instrumentation> Session<'_, M> {
    fn priority(&self, template: TemplateId) -> i32 {
        self.program.plan.template(template).priority
    }

    /// The ranks for the instances of a template, with its priority; `None` where the scheduler has them.
    fn ranks_for(&self, template: TemplateId) -> Option<(&Ranks<Ready<M>>, i32)> {
        let ranks = self.ranks.as_ref()?;
        let priority = self.priority(template);
        (priority != 0).then_some((&**ranks, priority))
    }

    /// Makes an instance ready, from outside of all workers.
    pub(crate) fn inject(&self, instance: Ready<M>) {
        match self.ranks_for(instance.template) {
            Some((ranks, priority)) => ranks.push(priority, instance),
            None => self.scheduler.inject(instance),
        }
    }

    /// Makes an instance ready, and sees to it that somebody serves it.
    pub(crate) fn make_ready(&self, local: &mut Local<Ready<M>>, instance: Ready<M>) {
        match self.ranks_for(instance.template) {
            Some((ranks, priority)) => {
                ranks.push(priority, instance);
                self.wake_for_ranks();
            }
            None => {
                self.scheduler.push(local, instance);
                self.wake_for_surplus(local);
            }
        }
    }

    /// Makes an instance ready again that has had its turn: after all others of its priority.
    pub(crate) fn requeue(&self, local: &mut Local<Ready<M>>, instance: Ready<M>) {
        match self.ranks_for(instance.template) {
            Some((ranks, priority)) => {
                ranks.push(priority, instance);
                self.wake_for_ranks();
            }
            None => {
                self.scheduler.requeue(local, instance);
                self.wake_for_surplus(local);
            }
        }
    }

    fn wake_for_ranks(&self) {
        if self.pool.has_sleeper() {
            self.pool.wake_one();
        }
    }

    /// The next instance for a worker.
    pub(crate) fn pop(&self, local: &mut Local<Ready<M>>) -> Option<Ready<M>> {
        let Some(ranks) = &self.ranks else { return self.scheduler.pop(local) };
        let urgent = ranks.pop_urgent();
        urgent.or_else(|| self.scheduler.pop(local)).or_else(|| ranks.pop_patient())
    }

    /// Returns true if anything is ready that any worker may take, or that is a worker's own.
    pub(crate) fn has_work(&self) -> bool {
        self.scheduler.has_work() || self.ranks.as_ref().is_some_and(|ranks| ranks.has_any())
    }

    /// Returns true if an instance that has had its turn is to be left for others.
    pub(crate) fn has_other(&self, local: &Local<Ready<M>>) -> bool {
        self.scheduler.has_other(local) || self.ranks.as_ref().is_some_and(|ranks| ranks.has_urgent())
    }

    /// Returns true if a worker may serve, without asking, an instance of a template that it has just made ready.
    pub(crate) fn may_go_on(&self, local: &mut Local<Ready<M>>, template: TemplateId) -> bool {
        !self.is_outranked(local, template) && self.scheduler.may_go_on(local)
    }

    /// Returns true if an instance is ready that goes before those of a template.
    pub(crate) fn is_outranked(&self, local: &Local<Ready<M>>, template: TemplateId) -> bool {
        let Some(ranks) = &self.ranks else { return false };
        let priority = self.priority(template);
        ranks.has_above(priority) || priority < 0 && self.scheduler.has_other(local)
    }
}
