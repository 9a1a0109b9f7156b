//! What an event computes, between the taking of its values and its routing rules.

use std::error::Error;

use hasse_model::value::Value;

use super::super::batch::NodeBody;
use crate::natives::{BodyContext, BodyScope};

/// What computes.
pub(super) trait Computes {
    /// Values of names by slot, and constants behind them.
    fn values(&mut self) -> Option<&mut [Value]>;
    /// Runs the body, if there is one. False where the event is to end in the general way.
    fn compute(&mut self, count: u64) -> bool;
}

/// A node without a body.
pub(super) struct Bodiless<'l>(pub(super) &'l mut [Value]);

/// A node with one.
pub(super) struct Bodied<'l> {
    pub(super) body: &'l NodeBody<'l>,
    pub(super) context: BodyContext<'l>,
    pub(super) is_running: bool,
    /// How the body has failed.
    pub(super) error: Option<Box<dyn Error + Send + Sync>>,
}

impl Computes for Bodiless<'_> {
    #[inline(always)]
    fn values(&mut self) -> Option<&mut [Value]> {
        Some(self.0)
    }

    #[inline(always)]
    fn compute(&mut self, _: u64) -> bool {
        true
    }
}

impl Computes for Bodied<'_> {
    #[inline(always)]
    fn values(&mut self) -> Option<&mut [Value]> {
        match &mut self.context.scope {
            BodyScope::Lane(values) => Some(values),
            BodyScope::Frame(_) => None,
        }
    }

    #[inline(always)]
    fn compute(&mut self, count: u64) -> bool {
        self.context.count = count;
        self.is_running = true;
        let ended = self.body.native.call(&mut self.context);
        self.is_running = false;
        match ended {
            Ok(()) => !self.context.has_taken && !self.context.has_asked.get(),
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}
