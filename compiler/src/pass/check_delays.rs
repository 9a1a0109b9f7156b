//! Delayed values do not go to ports that drop values, or fail their senders: such a port decides about all values of an event together,
//! at its end.

use std::collections::BTreeSet;

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::id::{CallId, GraphId, TemplateId};
use hasse_model::plan::{FullPolicy, Plan, Source, Target};

use crate::session::Session;

/// Reports routing rules whose delayed values can reach a port that drops values or fails its senders.
pub(crate) fn check_delays(plan: &Plan, session: &mut Session<'_>) {
    for (template_idx, template) in plan.templates.iter().enumerate() {
        let mut ports: BTreeSet<(usize, Location)> = BTreeSet::new();
        for rule in &template.route {
            let delayed = rule.sends.iter().filter(|send| send.after.is_some());
            ports.extend(delayed.map(|send| (send.port, rule.at)));
        }
        for (port, at) in ports {
            let source = Source::Unit(TemplateId::from_idx(template_idx));
            let Some((receiver, input)) = dropping_port(plan, (template.graph, source, port)) else {
                continue;
            };
            let receiver = plan.template(receiver);
            let declared = &receiver.inputs[input];
            let name = format!("{}.{}", plan.template_label(receiver), declared.name);
            let what = if declared.full.drops() { "drops values" } else { "fails its senders" };
            let message = format!("delayed values would go to `{name}`, which {what} when it is full");
            let help = "send them to a node of its own, which passes them on to that port";
            let diagnostic = Diagnostic::error("E0107", message, at, "").with_help(help);
            session.report(diagnostic.with_label(declared.at, "the port is declared here"));
        }
    }
}

/// The first port that drops values, or fails its senders, and can be reached from an output port, whatever the index numbers.
fn dropping_port(plan: &Plan, from: (GraphId, Source, usize)) -> Option<(TemplateId, usize)> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![from];
    while let Some((graph, source, port)) = todo.pop() {
        for (arc_id, arc) in plan.arcs_from(graph, source, port) {
            if !seen.insert(arc_id) {
                continue;
            }
            match arc.target {
                Target::Unit(template) => {
                    let declared = &plan.template(template).inputs[arc.target_port];
                    if declared.bound.is_some() && declared.full != FullPolicy::Wait {
                        return Some((template, arc.target_port));
                    }
                }
                Target::Call(call) => todo.push((plan.call(call).graph, Source::Interface, arc.target_port)),
                Target::Interface => {
                    let calls = plan.calls.iter().enumerate().filter(|(_, call)| call.graph == graph);
                    todo.extend(calls.map(|(call_idx, call)| {
                        let source = Source::Call(CallId::from_idx(call_idx));
                        (call.owner, source, arc.target_port)
                    }));
                }
            }
        }
    }
    None
}
