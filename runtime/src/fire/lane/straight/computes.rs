//! What an event computes, between the taking of its values and its routing rules.

use std::error::Error;
use std::panic::resume_unwind;

use hasse_body::natives::put_int;
use hasse_code::natives::node::{BodyContext, BodyTemplate};
use hasse_model::value::{Type, Value};

use crate::fire::lane::prepared::NodeBody;
use crate::fire::lane::straight::columns::{Columns, Failure};

pub(crate) use hasse_code::natives::scope::BodyScope;

/// What computes.
pub(crate) trait Computes<'b> {
    /// Values of names by slot, and constants behind them.
    fn values(&mut self) -> Option<&mut [Value]>;
    /// The same, with the columns of events that can be laid out in them.
    fn columns(&mut self) -> Option<(&mut Columns<'b>, &mut [Value])>;
    /// Sets the firing rule of the events that are next.
    fn set_rule(&mut self, rule_slot: usize, rule: i32);
    /// Returns true if columns hold a name that is the same for all events that are laid out.
    fn looks_at(&mut self, slot_idx: usize) -> bool {
        self.columns().is_some_and(|(columns, _)| columns.looks_at(slot_idx))
    }
    /// Returns true if the body asks the world outside where it is called for columns.
    fn asks(&mut self) -> bool {
        self.columns().is_some_and(|(columns, _)| columns.asks())
    }
    /// Runs the body, if there is one. False where the event is to end in the general way.
    fn compute(&mut self, count: u64) -> bool;
}

/// A node without a body.
pub(crate) struct Bodiless<'l, 'b> {
    pub(crate) values: &'l mut [Value],
    pub(crate) columns: Option<&'l mut Columns<'b>>,
}

/// A node with one.
pub(crate) struct Bodied<'l, 'b> {
    pub(crate) body: &'l NodeBody<'l>,
    pub(crate) columns: Option<&'l mut Columns<'b>>,
    pub(crate) context: BodyContext<'l>,
    pub(crate) is_running: bool,
    /// How the body has failed.
    pub(crate) error: Option<Box<dyn Error + Send + Sync>>,
}

impl Bodied<'_, '_> {
    /// Returns true if a body that has taken values out of names has left one in each var, and there is no shared object.
    fn leaves_names(&self) -> bool {
        let BodyTemplate { template, layout, .. } = self.body.template;
        let BodyScope::Lane(values) = &self.context.scope else { return false };
        let is_set = |slot_idx: usize| {
            !matches!(values[slot_idx], Value::Unit) || template.slots[slot_idx].ty == Type::Any
        };
        layout.shared.is_empty() && layout.vars.clone().all(is_set)
    }
}

impl<'b> Computes<'b> for Bodiless<'_, 'b> {
    #[inline(always)]
    fn values(&mut self) -> Option<&mut [Value]> {
        Some(self.values)
    }

    #[inline(always)]
    fn columns(&mut self) -> Option<(&mut Columns<'b>, &mut [Value])> {
        Some((self.columns.as_deref_mut()?, self.values))
    }

    #[inline(always)]
    fn set_rule(&mut self, rule_slot: usize, rule: i32) {
        put_int(&mut self.values[rule_slot], i64::from(rule));
    }

    #[inline(always)]
    fn compute(&mut self, _: u64) -> bool {
        true
    }
}

impl<'b> Computes<'b> for Bodied<'_, 'b> {
    #[inline(always)]
    fn values(&mut self) -> Option<&mut [Value]> {
        match &mut self.context.scope {
            BodyScope::Lane(values) => Some(values),
            BodyScope::Frame(_) => None,
        }
    }

    #[inline(always)]
    fn columns(&mut self) -> Option<(&mut Columns<'b>, &mut [Value])> {
        let columns = self.columns.as_deref_mut()?;
        match &mut self.context.scope {
            BodyScope::Lane(values) => Some((columns, values)),
            BodyScope::Frame(_) => None,
        }
    }

    #[inline(always)]
    fn set_rule(&mut self, rule_slot: usize, rule: i32) {
        self.context.rule = rule;
        if let BodyScope::Lane(values) = &mut self.context.scope {
            put_int(&mut values[rule_slot], i64::from(rule));
        }
    }

    #[inline(always)]
    fn compute(&mut self, count: u64) -> bool {
        self.context.count = count;
        self.is_running = true;
        let ended = match self.columns.as_deref_mut().and_then(Columns::take_failure) {
            None => self.body.native.call(&mut self.context),
            Some(Failure::Failed(error)) => Err(error),
            Some(Failure::Panicked(panic)) => resume_unwind(panic),
        };
        self.is_running = false;
        match ended {
            Ok(()) => {
                if self.body.native.asks {
                    // Answers that nobody records are forgotten with the event.
                    self.context.has_asked.set(false);
                }
                let has_taken = std::mem::take(&mut self.context.has_taken);
                !self.context.has_asked.get() && (!has_taken || self.leaves_names())
            }
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}
