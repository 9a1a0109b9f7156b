//! What waits at the end of an arc.

use hasse_editor::run::{MOST_QUEUED, Queue, QueuedValue};
use hasse_model::plan::{Plan, Source, Target};

use super::super::session::Session;
use crate::fault::Fault;

/// Reads it from a run that rests, or that is over and open. Of several arcs to a port, values belong to the one that
/// comes from the node of their sender, as in what is counted at arcs. Cost: linear in the actions, and in the values that
/// wait at the receiving node.
pub(super) fn read(session: &Session<'_, '_>, arc: usize) -> Result<Queue, Fault> {
    let plan = &session.subject.plan;
    let Some((template, port)) = end_of(plan, arc) else { return Ok(Queue::default()) };
    let senders = Senders::of(plan, arc);
    session.ask(move |inspector| {
        let mut queue = Queue::default();
        let receivers = inspector.actions().into_iter();
        let receivers = receivers.filter(|action| action.template == template && action.n_queued > 0);
        for receiver in receivers.map(|action| action.path) {
            let Ok(view) = inspector.action(&receiver) else { continue };
            for held in view.ports.into_iter().filter(|held| base(&held.name) == port) {
                for queued in held.queued.into_iter().filter(|queued| senders.take(queued.sender.as_deref()))
                {
                    queue.n_values += 1;
                    if queue.values.len() < MOST_QUEUED {
                        queue.values.push(QueuedValue {
                            action: receiver.clone(),
                            port: held.name.clone(),
                            value: queued.value,
                            sender: queued.sender,
                        });
                    }
                }
            }
        }
        queue
    })
}

/// A port without the number of an element.
fn base(port: &str) -> &str {
    port.split('[').next().unwrap_or(port)
}

/// The node and the port at which values of an arc wait; `None` where it ends at a formal port.
fn end_of(plan: &Plan, arc: usize) -> Option<(hasse_model::id::TemplateId, String)> {
    let arc = plan.arcs.get(arc)?;
    let Target::Unit(template) = arc.target else { return None };
    let port = plan.template(template).inputs.get(arc.target_port)?;
    Some((template, base(&port.name).to_owned()))
}

/// Whose values come along an arc.
struct Senders {
    /// The node that it comes from; `None` where it comes from another graph.
    own: Option<String>,
    /// Nodes that other arcs to the port come from.
    others: Vec<String>,
}

impl Senders {
    fn of(plan: &Plan, arc: usize) -> Self {
        let name = |source: Source| match source {
            Source::Unit(template) => Some(plan.template(template).name.clone()),
            Source::Call(_) | Source::Interface => None,
        };
        let Some(own) = plan.arcs.get(arc) else { return Self { own: None, others: Vec::new() } };
        let to_port = plan.arcs.iter().enumerate().filter(|(other_idx, other)| {
            *other_idx != arc && (other.target, other.target_port) == (own.target, own.target_port)
        });
        Self { own: name(own.source), others: to_port.filter_map(|(_, other)| name(other.source)).collect() }
    }

    /// Whether a value of a sender, such as `/A[2]:1`, comes along it.
    fn take(&self, sender: Option<&str>) -> bool {
        let Some(sender) = sender else { return true };
        let action = sender.rsplit_once(':').map_or(sender, |(action, _)| action);
        let name = base(action.rsplit('/').next().unwrap_or(action));
        match &self.own {
            Some(own) => own == name,
            None => self.others.iter().all(|other| other != name),
        }
    }
}
