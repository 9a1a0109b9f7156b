//! Sources: events that go on by themselves, as those of a node that asks again and again.
//!
//! A run that drains does not wait for their times, which would never end. Those of other events it waits for: somebody has sent what they
//! process.

use hasse_model::id::TemplateId;
use hasse_model::plan::{Plan, Source, Target};

/// By template and input port: whether what comes there keeps a source going. The node itself sends there, and beside it only nodes
/// without firing rules, which begin it.
#[derive(Debug)]
pub struct Sources {
    own: Vec<Vec<bool>>,
}

impl Sources {
    /// The sources of a plan. Cost: linear in the arcs.
    pub(crate) fn of(plan: &Plan) -> Self {
        let of_inputs = |value: bool| -> Vec<Vec<bool>> {
            plan.templates.iter().map(|template| vec![value; template.inputs.len()]).collect()
        };
        let (mut own, mut others) = (of_inputs(false), of_inputs(false));
        for arc in &plan.arcs {
            let Target::Unit(target) = arc.target else { continue };
            let port = |ports: &mut Vec<Vec<bool>>| ports[target.idx()][arc.target_port] = true;
            match arc.source {
                Source::Unit(source) if source == target => port(&mut own),
                Source::Unit(source) if plan.template(source).fire.is_empty() => {}
                _ => port(&mut others),
            }
        }
        let both = own.iter_mut().flatten().zip(others.into_iter().flatten());
        both.for_each(|(own, others)| *own &= !others);
        Self { own }
    }

    /// Returns true if events of a rule go on by themselves: all that they take keeps a source going. Start events, which have no rule,
    /// take nothing.
    pub fn has(&self, plan: &Plan, template: TemplateId, rule: i32) -> bool {
        let rule = usize::try_from(rule).ok().and_then(|rule| plan.template(template).fire.get(rule));
        rule.is_none_or(|rule| rule.takes.iter().all(|take| self.own[template.idx()][take.port]))
    }
}
