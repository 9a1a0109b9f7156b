//! Changing what waits on input ports while the run is at rest.
//!
//! A controlled run serves all events on the slow path, so that values wait in inboxes and on ports alone: there are no
//! entries of matching stores and no batches of the fast path. A change is recorded at once, by the event that sent the
//! value; the action is looked at again when the run goes on.

use std::sync::Arc;

use hasse_body::edge::MAX_VALUE;
use hasse_model::event::{EventBatch, QueueChange, SentValue};
use hasse_model::id::{CallId, EventId, Index, TemplateId};
use hasse_model::key;
use hasse_model::plan::{Call, Port, Template};
use hasse_model::quantity::counted;
use hasse_model::value::{Type, Value, brief};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;
use hasse_store::bounded::HeldPort;
use hasse_store::fifo::Fifo;
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::token::Token;

use crate::inspect::desk::{Desk, FOLLOWS_ITS_RECORD};

pub(crate) use hasse_request::control::error::InspectError;
pub(crate) use hasse_request::control::inspector::Inspector;
pub(crate) use hasse_request::control::state::{ChangedQueue, QueueOrder};

/// An element of an input port, such as `x` or `left[2]`.
struct Element {
    port: usize,
    /// Empty for a plain port.
    elements: Index,
}

impl Element {
    /// Finds the port of a text.
    fn parse(text: &str, template: &Template, path: &str) -> Result<Self, String> {
        let (name, elements) = name_and_numbers(text);
        let Some(port) = template.inputs.iter().position(|port| port.name == name) else {
            let names: Vec<_> = template.inputs.iter().map(|port| port.name.as_str()).collect();
            let there_are = match &names[..] {
                [] => "it has none".to_owned(),
                names => format!("there are: {}", names.join(", ")),
            };
            return Err(format!("`{path}` has no input port `{name}`; {there_are}"));
        };
        let elements = elements.ok_or_else(|| format!("`{text}` is not an element of port `{name}`"))?;
        let n_indices = template.inputs[port].n_indices;
        match elements.as_slice().len() {
            n_numbers if n_numbers == n_indices => Ok(Self { port, elements }),
            _ if n_indices == 0 => Err(format!("port `{name}` has no elements")),
            0 => Err(format!("port `{name}` is a family: name an element, as in `{name}[0]`")),
            n_numbers => {
                let expected = counted(n_indices, "number");
                Err(format!("an element of port `{name}` has {expected}, not {n_numbers}"))
            }
        }
    }

    fn name(&self, port: &Port) -> String {
        format!("{}{}", port.name, self.elements)
    }
}

/// A name, and the numbers in brackets after it; `None` where one of them is not a number.
fn name_and_numbers(text: &str) -> (&str, Option<Index>) {
    let (name, numbers) = text.split_at(text.find('[').unwrap_or(text.len()));
    let numbers = numbers.split(['[', ']', ',']).map(str::trim).filter(|number| !number.is_empty());
    (name.trim(), numbers.map(key::parse).collect())
}

fn refused(message: impl Into<String>) -> InspectError {
    InspectError::Queue { message: message.into() }
}

impl<M: Instrumentation> Desk<'_, '_, '_, M> {
    /// Changes a queue; see [`Inspector::edit_queue`].
    pub(crate) fn change_queue(
        &mut self,
        path: &str,
        port: &str,
        order: &QueueOrder,
    ) -> Result<ChangedQueue, InspectError> {
        if self.worker.session.replays() {
            return Err(refused(FOLLOWS_ITS_RECORD));
        }
        let session = self.worker.session;
        let board = session.board.as_ref().ok_or_else(|| refused("the run cannot be controlled"))?;
        if board.report().is_some() {
            return Err(refused("the run is over: nothing takes what waits any more"));
        }
        if board.state().is_busy() {
            return Err(refused("values are changed while the run is at rest: stop it first"));
        }
        if self.line(path).is_some() {
            return Err(refused(format!(
                "`{path}` is stopped in its body: let it go on to the end of that first"
            )));
        }
        // A cut of a minimal record is made before the change or after it, and not at the same time. Nor is the instance that is found let
        // go of before it has the value: it would be created anew by the next one.
        let _whole = session.registry.reclaim.keep_off();
        let instance = match self.find(path) {
            Err(InspectError::NoAction { .. }) if matches!(order, QueueOrder::Add { .. }) => {
                self.create(path)?
            }
            found => found?,
        };
        let template = session.program.plan.template(instance.template);
        let element = Element::parse(port, template, path).map_err(refused)?;
        let declared = &template.inputs[element.port];
        let value = match order {
            QueueOrder::Drop { .. } => None,
            QueueOrder::Replace { value, .. } | QueueOrder::Add { value } => {
                Some(admitted(declared, self.evaluate(path, value)?).map_err(refused)?)
            }
        };
        let busy = || InspectError::Busy { path: path.to_owned() };
        if matches!(order, QueueOrder::Add { .. })
            && !session.registry.reclaim.may_be_given(&instance, session.program, &session.registry)
        {
            let message = format!(
                "nothing can be sent to `{path}` any more, and actions that it sends to are gone: no value can be added there"
            );
            return Err(refused(message));
        }
        let mut core = instance.core.try_lock().ok_or_else(busy)?;
        if core.has_failed {
            return Err(refused(format!("`{path}` has failed: it takes no more values")));
        }
        self.worker.collect(&instance, &mut core);
        let n_waiting = core.ports[element.port].n_values(&element.elements);
        let position = match order {
            QueueOrder::Drop { position } | QueueOrder::Replace { position, .. } => Some(*position),
            QueueOrder::Add { .. } => None,
        };
        if let Some(position) = position.filter(|position| *position >= n_waiting) {
            let (name, holds) = (element.name(declared), counted(n_waiting, "value"));
            return Err(refused(format!("port `{name}` holds {holds}: there is no value {}", position + 1)));
        }
        let sent = match position {
            Some(position) => {
                let line = core.ports[element.port].line_mut(&element.elements).ok_or_else(busy)?;
                let (mut sent, sender) = sent_value::<M>(line, position).ok_or_else(busy)?;
                if let Some(sender) = sender.filter(|_| session.has_bounds) {
                    sent.n_later +=
                        self.n_held_back(sender, (&instance, &core), (element.port, &element.elements));
                }
                Some((sent, sender))
            }
            None => None,
        };
        let queue = &mut core.ports[element.port];
        let senders = match &sent {
            Some((_, Some(sender))) if M::NOTES_CHOICES => vec![self.sender(*sender)?],
            _ => Vec::new(),
        };
        let (before, change) = match (position, sent, value.clone()) {
            (Some(position), Some((sent, _)), None) => {
                let removed = queue.remove(&element.elements, position);
                (removed.map(|token| token.value), QueueChange::Dropped(sent))
            }
            (Some(position), Some((sent, _)), Some(value)) => {
                let line = queue.line_mut(&element.elements);
                let token = line.and_then(|line| line.get_mut(position)).ok_or_else(busy)?;
                let before = std::mem::replace(&mut token.value, value.clone());
                (Some(before), QueueChange::Replaced(sent, value))
            }
            (_, _, value) => {
                let value = value.ok_or_else(busy)?;
                queue.push(&element.elements, Token::by_hand(value.clone()));
                if let Some(board) = &session.board {
                    board.note_directives();
                }
                (None, QueueChange::Added(value))
            }
        };
        let n_waiting = queue.n_values(&element.elements);
        let mut batch = instance.edited(declared.name.clone(), element.elements.clone(), change);
        senders.iter().for_each(|sender| announce(sender, &mut batch));
        session.instrumentation.hand_over_edits(batch);
        let is_idle = core.pending.is_none();
        drop(core);
        let mut inbox = instance.inbox.lock();
        if is_idle && !inbox.is_scheduled {
            inbox.is_scheduled = true;
            drop(inbox);
            session.look_again(Arc::clone(&instance));
        }
        Ok(ChangedQueue {
            place: format!("{path}.{}", element.name(declared)),
            before,
            after: value,
            n_waiting,
        })
    }

    /// Creates an action that no value has been sent to yet, and the graph instances around it.
    fn create(&mut self, path: &str) -> Result<Ready<M>, InspectError> {
        let none = || InspectError::NoAction { path: path.to_owned() };
        let session = self.worker.session;
        let (program, notes) = (session.program, session.instrumentation);
        if session.registry.reclaim.n_reclaimed() > 0 {
            let message = format!(
                "`{path}` does not exist, and actions that had come to their end are gone: it could be one of them"
            );
            return Err(refused(message));
        }
        let (calls, node) =
            path.strip_prefix('/').ok_or_else(none)?.rsplit_once('/').unwrap_or_else(|| ("", &path[1..]));
        let mut graph = Arc::clone(&session.main);
        for step in calls.split('/').filter(|step| !step.is_empty()) {
            let (name, index) = name_and_numbers(step);
            let index = index.ok_or_else(none)?;
            let fits = |call: &Call| {
                call.owner == graph.graph
                    && call.name == name
                    && call.index_names.len() == index.as_slice().len()
            };
            let call = CallId::from_idx(program.plan.calls.iter().position(fits).ok_or_else(none)?);
            let entered = session.enter(&graph, call, index, &self.worker.engine);
            graph = entered.map_err(|error| refused(error.message))?;
        }
        let (name, index) = name_and_numbers(node);
        let index = index.ok_or_else(none)?;
        let fits = |template: &Template| {
            template.graph == graph.graph
                && template.name == name
                && template.n_indices == index.as_slice().len()
        };
        let template = TemplateId::from_idx(program.plan.templates.iter().position(fits).ok_or_else(none)?);
        Ok(session.registry.instance(program.plan, notes, &graph, template, index).0)
    }

    /// Number of values of an event that still wait for room on a port.
    fn n_held_back(
        &self,
        sender: EventId,
        (target, core): (&Instance<M>, &Core<M>),
        place: (usize, &Index),
    ) -> u32 {
        let count = |core: &Core<M>| {
            let held = core.held_back.iter().flat_map(|held_back| held_back.ports());
            let is_it = |held: &&HeldPort<M>| {
                (held.port, &held.elements) == place
                    && held.target().is_some_and(|known| known.action == target.action)
            };
            // Others are of a later event.
            let mut n_of_sender = 0;
            for held in held.filter(is_it) {
                held.values.each(|token| n_of_sender += u32::from(M::sender(&token.stamp) == Some(sender)));
            }
            n_of_sender
        };
        if sender.action == target.action {
            return count(core);
        }
        let instances = self.worker.session.registry.instances();
        let sender = instances.iter().find(|known| known.action == sender.action);
        // One that executes holds nothing back.
        sender.and_then(|sender| sender.core.try_lock().map(|core| count(&core))).unwrap_or(0)
    }

    /// The action of an event that sent a value, which a minimal record has to name.
    fn sender(&self, sender: EventId) -> Result<Arc<Instance<M>>, InspectError> {
        let mut instances = self.worker.session.registry.instances().into_iter();
        let found = instances.find(|known| known.action == sender.action);
        found.ok_or_else(|| {
            refused("the action that sent the value is gone, and a minimal record cannot name it")
        })
    }
}

/// A value for a port, as one of its type.
fn admitted(port: &Port, value: Value) -> Result<Value, String> {
    let shown = brief(&value, MAX_VALUE);
    let function = match (&port.ty, &value) {
        (Type::Vector, Value::Array(_)) => "vector",
        (Type::Matrix, Value::Array(_)) => "matrix",
        _ => "",
    };
    port.ty.admit(value).ok_or_else(|| {
        let hint = if function.is_empty() { String::new() } else { format!("; write {function}({shown})") };
        format!("port `{}` of type {} cannot hold {shown}{hint}", port.name, port.ty)
    })
}

/// The sender of the value at a position, and the number of values of the same sender after it.
fn sent_value<M: Instrumentation>(
    line: &Fifo<Token<M>>,
    position: usize,
) -> Option<(SentValue, Option<EventId>)> {
    let sender_of = |token: &Token<M>| M::sender(&token.stamp).filter(|_| !token.directive.is_by_hand());
    let mut rest = line.iter().skip(position);
    let sender = sender_of(rest.next()?);
    let n_later = rest.filter(|token| sender_of(token) == sender).count() as u32;
    Some((SentValue { sender, n_later }, sender))
}

/// Announces an action that a batch names.
fn announce<M: Instrumentation>(action: &Instance<M>, batch: &mut EventBatch) {
    batch.graphs.extend(action.graph.outward().map_while(|graph| graph.record()));
    // A parent has a lesser id than its children.
    batch.graphs.sort_unstable_by_key(|graph| graph.graph);
    batch.graphs.dedup_by_key(|graph| graph.graph);
    batch.actions.push(action.record());
}
