//! The expansion of a plan.

use std::sync::Arc;

use hasse_model::plan::Plan;
use hasse_request::options::RuntimeError;

use crate::builder::Builder;
use crate::evaluator::{Evaluator, Known};
use crate::ordered::expansion;
use crate::possible::{Expansion, ExpansionOptions, MOST_INSTANCES};

/// Expands a plan for given creation parameters. Nothing is executed. Where a limit is reached, calls within each other and
/// instances of one node whose number depends on values are cut after the first few, so that the rest of the program is seen.
/// Cost: linear in instances and in the values that they send, and bounded.
///
/// # Errors
/// [`RuntimeError::UnknownParam`], [`RuntimeError::MissingParam`] or [`RuntimeError::ParamType`] where the parameters do not fit
/// the plan.
pub fn expand(plan: &Plan, options: &ExpansionOptions) -> Result<Expansion, RuntimeError> {
    let params: Arc<[Known]> = Evaluator::new(plan).main_params(&options.params)?.into();
    let max_instances = options.max_instances.clamp(1, MOST_INSTANCES);
    let build = |is_brief| {
        let mut builder = Builder::new(plan, max_instances, Arc::clone(&params), is_brief);
        builder.run();
        builder
    };
    let mut builder = build(false);
    if !builder.limits.is_empty() {
        // Whatever depends on values without end would take all the room.
        let limits = builder.limits;
        builder = build(true);
        let more = builder.limits.into_iter().filter(|limit| !limits.contains(limit)).collect::<Vec<_>>();
        builder.limits = limits.into_iter().chain(more).collect();
    }
    Ok(expansion(builder))
}
