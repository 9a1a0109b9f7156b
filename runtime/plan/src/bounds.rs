//! Templates that bounded ports concern.

use hasse_code::eval::{self, Env};
use hasse_code::graph::GraphInstance;
use hasse_model::diagnostic::Location;
use hasse_model::id::{GraphId, TemplateId};
use hasse_model::plan::{Arc, Expr, FullPolicy, Plan, Port, Source, Target, Template};

use crate::times::misfit_of;

/// Templates with bounded ports, and those that send to such ports.
pub struct Bounded {
    /// By template: whether one of its input ports has a bound.
    receivers: Vec<bool>,
    /// By template: whether one of its arcs leads to a bounded port where senders wait, directly or over interfaces of graphs.
    senders: Vec<bool>,
    /// By template: whether one of its input ports drops values when it is full.
    dropping: Vec<bool>,
    /// By template: whether one of its arcs leads to a port that fails its senders when it is full, directly or over interfaces of graphs.
    failing: Vec<bool>,
    /// By template: positions of its bounded plain ports to which at most one action sends, and where that one waits for room.
    of_one_sender: Vec<Vec<usize>>,
}

impl Bounded {
    /// The templates of a plan. Cost: linear in the arcs, times the depth of nested interfaces.
    pub(crate) fn of(plan: &Plan) -> Self {
        let has_port = |is_meant: fn(&Port) -> bool| -> Vec<bool> {
            plan.templates.iter().map(|template| template.inputs.iter().any(is_meant)).collect()
        };
        let receivers = has_port(|port| port.bound.is_some());
        let dropping = has_port(drops);
        let senders_to = |is_meant: fn(&Port) -> bool| {
            let mut senders = vec![false; plan.templates.len()];
            if receivers.contains(&true) {
                let interfaces = Interfaces::of(plan, is_meant);
                for arc in &plan.arcs {
                    if let Source::Unit(template) = arc.source {
                        senders[template.idx()] |= interfaces.leads_there(plan, arc);
                    }
                }
            }
            senders
        };
        let senders = senders_to(|port| port.bound.is_some() && !drops(port));
        let failing = senders_to(fails);
        let of_one_sender = plan.templates.iter().enumerate().map(|(template_idx, template)| {
            let ports = template.inputs.iter().enumerate();
            let bounded = ports.filter(|(_, port)| {
                port.bound.is_some() && port.full == FullPolicy::Wait && port.n_indices == 0
            });
            let target = Target::Unit(TemplateId::from_idx(template_idx));
            bounded.map(|(port, _)| port).filter(|port| has_one_sender(plan, &target, *port)).collect()
        });
        let of_one_sender = of_one_sender.collect();
        Self { receivers, senders, dropping, failing, of_one_sender }
    }

    /// Returns true if there are any.
    pub fn is_any(&self) -> bool {
        self.receivers.contains(&true)
    }

    /// Returns true if a port drops values when it is full.
    pub fn is_any_dropping(&self) -> bool {
        self.dropping.contains(&true)
    }

    /// Returns true if one of the template's input ports has a bound.
    #[inline]
    pub fn receives(&self, template: TemplateId) -> bool {
        self.receivers[template.idx()]
    }

    /// Returns true if one of the template's input ports drops values when it is full.
    #[inline]
    pub fn drops(&self, template: TemplateId) -> bool {
        self.dropping[template.idx()]
    }

    /// Returns true if one action of the main graph alone sends to a plain port with a bound, and waits where it is full.
    pub fn has_one_sender(&self, template: TemplateId, port: usize) -> bool {
        self.of_one_sender[template.idx()].contains(&port)
    }

    /// Returns true if an event of the template may fail as a port is full.
    #[inline]
    pub fn fails(&self, template: TemplateId) -> bool {
        self.failing[template.idx()]
    }

    /// Returns true if values of the template may have to wait for room.
    #[inline]
    pub fn sends(&self, template: TemplateId) -> bool {
        self.senders[template.idx()]
    }
}

/// Formal ports of graphs from which values go on to certain ports of nodes.
struct Interfaces {
    is_meant: fn(&Port) -> bool,
    inputs: Vec<Vec<bool>>,
    outputs: Vec<Vec<bool>>,
}

impl Interfaces {
    fn of(plan: &Plan, is_meant: fn(&Port) -> bool) -> Self {
        let mut found = Self {
            is_meant,
            inputs: plan.graphs.iter().map(|graph| vec![false; graph.inputs.len()]).collect(),
            outputs: plan.graphs.iter().map(|graph| vec![false; graph.outputs.len()]).collect(),
        };
        loop {
            let mut is_new = false;
            for arc in &plan.arcs {
                if !found.leads_there(plan, arc) {
                    continue;
                }
                let port = match arc.source {
                    Source::Unit(_) => continue,
                    Source::Interface => &mut found.inputs[arc.graph.idx()][arc.source_port],
                    Source::Call(call) => &mut found.outputs[plan.call(call).graph.idx()][arc.source_port],
                };
                is_new |= !std::mem::replace(port, true);
            }
            if !is_new {
                return found;
            }
        }
    }

    fn leads_there(&self, plan: &Plan, arc: &Arc) -> bool {
        match arc.target {
            Target::Unit(template) => (self.is_meant)(&plan.template(template).inputs[arc.target_port]),
            Target::Call(call) => self.inputs[plan.call(call).graph.idx()][arc.target_port],
            Target::Interface => self.outputs[arc.graph.idx()][arc.target_port],
        }
    }
}

/// Returns true if one action at most sends to a port: an arc of the main graph leads there, which nothing calls.
fn has_one_sender(plan: &Plan, target: &Target, port: usize) -> bool {
    let mut arcs = plan.arcs.iter().filter(|arc| arc.target == *target && arc.target_port == port);
    let is_of_one = |arc: &Arc| match arc.source {
        Source::Unit(sender) => arc.graph == plan.main && plan.template(sender).n_indices == 0,
        Source::Call(_) | Source::Interface => false,
    };
    let is_called = || plan.calls.iter().any(|call| call.graph == plan.main);
    arcs.next().is_some_and(is_of_one) && arcs.next().is_none() && !is_called()
}

/// Returns true if a port drops values when it is full.
fn drops(port: &Port) -> bool {
    port.bound.is_some() && port.full.drops()
}

/// Returns true if a port fails those who send to it when it is full.
fn fails(port: &Port) -> bool {
    port.bound.is_some() && port.full == FullPolicy::Fail
}

/// Maximum number of values that wait on a port, or on each of its elements, in a graph instance.
#[inline]
pub fn bound_of(port: &Port, graph: &GraphInstance) -> usize {
    let Some(bound) = &port.bound else { return usize::MAX };
    let env = Env { frame: None, locals: &[], params: &graph.params };
    let number = eval::eval_int(bound, &env).ok().and_then(|number| usize::try_from(number).ok());
    // Graph instances are made of parameters that give numbers above 0 alone.
    number.unwrap_or(1).max(1)
}

/// Maximum number of instances of a template that execute at a time, as one of a graph instance sees it; `None` where there is no
/// bound.
#[inline]
pub fn most_at_once(template: &Template, graph: &GraphInstance) -> Option<usize> {
    let env = Env { frame: None, locals: &[], params: &graph.params };
    let number = eval::eval_int(template.at_once.as_ref()?, &env).ok();
    // As for the bounds of ports.
    Some(number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1).max(1))
}

/// Maximum number of retries of the body of a template in one event, as an instance of a graph instance sees it.
pub fn most_retries(template: &Template, graph: &GraphInstance) -> u64 {
    let env = Env { frame: None, locals: &[], params: &graph.params };
    let number = template.on_error.retry.as_ref().and_then(|retry| eval::eval_int(retry, &env).ok());
    // As for the bounds of ports.
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

/// A bound that cannot be computed, or admits nothing.
pub(crate) struct Misfit {
    /// The bound, in words.
    pub(crate) what: String,
    /// Place of the declaration.
    pub(crate) at: Location,
    /// The reason, as a predicate of `what`.
    pub(crate) message: String,
}

/// The first bound in a graph that does not fit its parameters.
pub(crate) fn misfit(plan: &Plan, graph: GraphId, params: &[rhai::Dynamic]) -> Option<Misfit> {
    let env = Env { frame: None, locals: &[], params };
    let reason = |bound: &Option<Expr>, least: &str| match eval::eval_int(bound.as_ref()?, &env) {
        Ok(1..) => None,
        Ok(number) => Some(format!("is {number}, and at least one {least}")),
        Err(message) => Some(format!("cannot be computed: {message}")),
    };
    plan.templates.iter().filter(|template| template.graph == graph).find_map(|template| {
        if let Some(message) = reason(&template.at_once, "instance must be able to execute") {
            let what = format!("`at_once` of the node `{}`", template.name);
            return Some(Misfit { what, at: template.at, message });
        }
        let retries = match template.on_error.retry.as_ref().map(|retry| eval::eval_int(retry, &env)) {
            Some(Ok(number @ ..0)) => Some(format!("is {number}, which is no number of retries")),
            Some(Err(message)) => Some(format!("cannot be computed: {message}")),
            _ => None,
        };
        if let Some(message) = retries {
            let what = format!("`retry` of the node `{}`", template.name);
            return Some(Misfit { what, at: template.at, message });
        }
        if let Some((key, at, message)) = misfit_of(template, params) {
            let what = format!("`{key}` of the node `{}`", template.name);
            return Some(Misfit { what, at, message });
        }
        template.inputs.iter().find_map(|port| {
            let message = reason(&port.bound, "value must have room")?;
            let what = format!("the bound of the port `{}`", port.name);
            Some(Misfit { what, at: port.at, message })
        })
    })
}
