//! An action as expressions of the debugger see it.

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_breakpoint::expression::special::{family, port_key};
use hasse_breakpoint::expression::{Expression, special};
use hasse_code::frame::Frame;
use hasse_model::id::EventId;
use hasse_model::plan::{SlotKind, Template};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;
use hasse_request::control::state::{NamedValue, PortView, Queued};
use hasse_store::instance::{Core, Instance};
use hasse_store::port::PortQueue;
use hasse_store::queue::Queue;
use hasse_store::token::Token;
use rhai::{Dynamic, Engine};

/// An action at a moment when nothing of it changes.
pub(crate) struct Scene<'a, M: Instrumentation> {
    pub(crate) template: &'a Template,
    pub(crate) instance: &'a Instance<M>,
    pub(crate) core: &'a Core<M>,
    pub(crate) frame: &'a Frame,
    /// The immediate predecessors of the execution under way, by name.
    pub(crate) predecessors: &'a [String],
    /// The value that is about to pass an arc.
    pub(crate) passing: Option<&'a Value>,
}

impl<M: Instrumentation> Scene<'_, M> {
    /// The value of an expression.
    pub(crate) fn evaluate(&self, engine: &Engine, expression: &Expression) -> Result<Dynamic, String> {
        expression.evaluate(engine, |name| self.value_of(name))
    }

    /// The value of an expression as one of the program language.
    pub(crate) fn value(&self, engine: &Engine, expression: &Expression) -> Result<Value, String> {
        let held = self.evaluate(engine, expression)?;
        value_from_dynamic(&held).map_err(|found| format!("it is a {found}, which is not a value"))
    }

    /// The value of a name: of the action's own first, then of those that the debugger defines (section 7.4.2), then
    /// of the ports.
    fn value_of(&self, name: &str) -> Option<Dynamic> {
        // What an execution binds stands for nothing outside of it: then the name is that of the port, if there is one.
        if let Some(held) = self.frame.value_of(name).filter(|held| !self.is_unset(name, held)) {
            return Some(held.clone());
        }
        if let Some(held) = special(name, self.instance.index.as_slice(), self.core.count) {
            return Some(held);
        }
        match name {
            "Pred" => {
                let names = self.predecessors.iter().cloned().map(Dynamic::from);
                Some(Dynamic::from_array(names.collect()))
            }
            "value" => self.passing.cloned().map(dynamic_from_value),
            _ => {
                let is_asked_for = |port: &hasse_model::plan::Port| port_key(&port.name) == name;
                let port = self.template.inputs.iter().position(is_asked_for)?;
                Some(queued(&self.core.ports[port]))
            }
        }
    }

    /// Whether a name gets its value by an execution, and has none.
    fn is_unset(&self, name: &str, held: &Dynamic) -> bool {
        let is_of_execution = |kind| matches!(kind, SlotKind::Bound | SlotKind::Let | SlotKind::Shared);
        held.is_unit()
            && self.template.slots.iter().any(|slot| slot.name == name && is_of_execution(slot.kind))
    }

    /// All names with their values, each once: first those of the template, then what the body bound by `let`. The
    /// result does not depend on whether the body was compiled.
    pub(crate) fn names(&self) -> Vec<NamedValue> {
        let lets = self.frame.lets();
        let is_slot_of_node = |name: &str| {
            self.template.slots.iter().any(|slot| slot.name == name && slot.kind != SlotKind::Let)
        };
        let is_let = |name: &str| lets.iter().any(|(bound, _)| *bound == name);
        let mut names: Vec<_> = self
            .template
            .slots
            .iter()
            .filter(|slot| slot.kind != SlotKind::Let || !is_let(&slot.name))
            .filter_map(|slot| {
                let held = self.frame.value_of(&slot.name)?;
                let kind = if is_let(&slot.name) { "let" } else { kind(slot.kind) };
                (!self.is_unset(&slot.name, held)).then(|| named(&slot.name, kind, held))
            })
            .collect();
        let others = lets.iter().filter(|(name, _)| !is_slot_of_node(name));
        names.extend(others.map(|(name, held)| named(name, "let", held)));
        names
    }

    /// Ports that hold values.
    pub(crate) fn ports(&self, sender: impl Fn(EventId) -> String) -> Vec<PortView> {
        let mut ports = Vec::new();
        for (port, queue) in self.template.inputs.iter().zip(&self.core.ports) {
            let queued = |token: &Token<M>| Queued {
                value: token.value.clone(),
                sender: M::sender(&token.stamp).filter(|_| !token.directive.is_by_hand()).map(&sender),
                is_by_hand: token.directive.is_by_hand(),
            };
            match queue {
                PortQueue::Plain(queue) if queue.is_empty() => {}
                PortQueue::Plain(queue) => {
                    ports.push(PortView { name: port.name.clone(), queued: all(queue, queued) });
                }
                PortQueue::Family(family) => {
                    ports.extend(family.iter().map(|(index, queue)| PortView {
                        name: format!("{}{index}", port.name),
                        queued: all(queue, queued),
                    }));
                }
            }
        }
        ports
    }
}

fn named(name: &str, kind: &'static str, held: &Dynamic) -> NamedValue {
    NamedValue { name: name.to_owned(), kind, value: value_from_dynamic(held) }
}

pub(crate) fn kind(kind: SlotKind) -> &'static str {
    match kind {
        SlotKind::Param => "parameter",
        SlotKind::Index => "index",
        SlotKind::Var => "var",
        SlotKind::Shared => "shared",
        SlotKind::Bound => "bound",
        SlotKind::Let => "let",
        SlotKind::Rule => "rule",
        SlotKind::Count => "count",
    }
}

/// What waits on a port.
pub(crate) fn queued<M: Instrumentation>(port: &PortQueue<M>) -> Dynamic {
    let values = |queue: &Queue<M>| all(queue, |token| dynamic_from_value(token.value.clone()));
    match port {
        PortQueue::Plain(queue) => Dynamic::from_array(values(queue)),
        PortQueue::Family(queues) => {
            let elements: Vec<_> = queues.iter().collect();
            family(elements.iter().map(|(index, queue)| (index.as_slice(), values(queue))))
        }
    }
}

/// Results of a function for each value of a queue.
fn all<M: Instrumentation, T>(queue: &Queue<M>, make: impl Fn(&Token<M>) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(queue.len());
    queue.each(|token| all.push(make(token)));
    all
}
