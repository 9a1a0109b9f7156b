//! Where a value comes from: back along arcs and through events, to what made it.
//!
//! A value is followed as long as it is passed on as it is: a routing rule sends a name, a firing rule binds a taken value to a
//! name, and the body leaves that name alone. Where it is computed the way ends. Nothing is guessed from equal values.

use std::io;
use std::sync::{Mutex, PoisonError};

use hasse_debugger::check::evidence::{Quote, Way};
use hasse_debugger::why::ways;
use hasse_model::event::{EffectKind, EventBatch, EventRecord, LocalState};
use hasse_model::id::{ActionId, EventId, SlotId, TemplateId};
use hasse_model::plan::{Body, Code, Expr, SlotKind, Template};
use hasse_model::value::Value;
use hasse_runtime::capture::Capture;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, RunOptions};

use super::changes::Variable;
use super::timeline::Timeline;
use crate::api::event::EventError;

/// A value whose origin is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Holder {
    /// A variable at a moment.
    Variable {
        /// The variable.
        of: Variable,
        /// Position of the moment.
        position: u64,
    },
    /// A value that an event sent.
    Sent {
        /// The event.
        sender: EventId,
        /// The port of the action that it was sent to, such as `/Solve.b`.
        receiver: String,
        /// The value.
        value: Value,
        /// The event that took it, with its position among what that took; `None` while it waits.
        taken: Option<(EventId, usize)>,
    },
}

/// A step back on the way of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// A routing rule sent it.
    Sent {
        /// The event.
        event: EventId,
        /// The output port.
        port: String,
        /// The routing rule; `None` where several send on this port.
        rule: Option<Quote>,
        /// The arcs that it can have come along: one way, as a rule. None while it waits.
        ways: Vec<Way>,
    },
    /// An event gave a variable this value.
    Set {
        /// The event.
        event: EventId,
        /// The value that it replaced.
        before: Value,
        /// The value.
        after: Value,
    },
}

/// The end of the way of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A body made it.
    Body {
        /// The event.
        event: EventId,
        /// Line of the body in the program file; `None` for one in another file.
        line: Option<u32>,
    },
    /// A routing rule computed it.
    Rule {
        /// The event.
        event: EventId,
        /// The routing rule; `None` where several send on this port.
        rule: Option<Quote>,
    },
    /// A firing rule collected it from several values.
    Collected {
        /// The event.
        event: EventId,
        /// The firing rule.
        rule: Quote,
    },
    /// It is a creation parameter of the graph.
    Parameter {
        /// Name of the parameter.
        name: String,
    },
    /// It is the index, the count or the rule of the action.
    OfAction {
        /// The event.
        event: EventId,
        /// The name that stands for it.
        name: String,
    },
    /// It is the first value of a variable.
    First,
    /// No event sent it.
    NotSent,
}

/// The way on.
#[derive(Clone, Debug, PartialEq)]
pub enum Onward {
    /// The value was passed on.
    From(Holder),
    /// The way ends.
    Ends(Origin),
}

/// Inputs of an event, from which its body or a rule made a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Values taken, with ports and senders.
    pub took: Vec<(String, Value, Option<EventId>)>,
    /// Shared objects found, with the events that wrote them last.
    pub found: Vec<(String, Value, Option<EventId>)>,
    /// Vars found.
    pub vars: Vec<(String, Value)>,
    /// Questions to the world outside, with answers or errors.
    pub asked: Vec<(EffectKind, Result<Value, String>)>,
}

impl Timeline<'_> {
    /// One step back from a value: how it came there, if an event had to do with it, and where it was before.
    ///
    /// Cost: a replay from the nearest earlier state for each event on the way; for variables, a search for their last change
    /// from station to station.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn origin(&self, holder: &Holder) -> Result<(Option<Passage>, Onward), EventError> {
        match holder {
            Holder::Variable { of, position } => self.origin_of_variable(of, *position),
            Holder::Sent { sender, receiver, value, taken } => {
                self.origin_of_sent(*sender, receiver, value, *taken)
            }
        }
    }

    /// Inputs of an event.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn inputs(&self, event: EventId) -> Result<Inputs, EventError> {
        let row = self.event_with_values(event)?;
        let senders = row.senders().into_iter().chain(std::iter::repeat(None));
        let local = row.local.as_deref().cloned().unwrap_or_default();
        let took = local.took.into_iter().zip(senders).map(|((port, value), sender)| (port, value, sender));
        let found = local.shared_before.into_iter().zip(&row.shared);
        let is_note = |kind| {
            matches!(kind, EffectKind::Taken | EffectKind::Refused | EffectKind::Earlier | EffectKind::Found)
        };
        let asked = row.effects.iter().filter(|effect| !is_note(effect.kind));
        Ok(Inputs {
            took: took.collect(),
            found: found.map(|((name, value), access)| (name, value, access.writer)).collect(),
            vars: local.found,
            asked: asked.map(|effect| (effect.kind, effect.answer.clone())).collect(),
        })
    }

    fn origin_of_variable(
        &self,
        of: &Variable,
        position: u64,
    ) -> Result<(Option<Passage>, Onward), EventError> {
        let mut to = position;
        let change = loop {
            if to == 0 {
                return Ok((None, Onward::Ends(Origin::First)));
            }
            let from = self.station_before(to);
            if let Some(change) = self.changes(of, from, to)?.pop() {
                break change;
            }
            to = from;
        };
        let event = change.event;
        let passage = Passage::Set { event, before: change.before, after: change.after };
        let row = self.event_with_values(event)?;
        let by_rule = match (of, self.template_at(event.action)) {
            (Variable::Var { name, .. }, Some(template)) if is_left_alone(&row, name) => {
                let slot = template.slots.iter().position(|slot| slot.name == *name);
                slot.and_then(|slot| self.taken_for(&row, template, SlotId::from_idx(slot)))
            }
            _ => None,
        };
        Ok((Some(passage), by_rule.unwrap_or_else(|| Onward::Ends(self.body_of(event)))))
    }

    fn origin_of_sent(
        &self,
        sender: EventId,
        receiver: &str,
        value: &Value,
        taken: Option<(EventId, usize)>,
    ) -> Result<(Option<Passage>, Onward), EventError> {
        let row = self.event_with_values(sender)?;
        let empty = LocalState::default();
        let local = row.local.as_deref().unwrap_or(&empty);
        let there = local.receivers.iter().filter(|(_, known)| known == receiver);
        let mut sent = there.filter_map(|(at, _)| local.sent.get(*at));
        let Some((port, _)) = sent.find(|(_, sent)| sent == value) else {
            return Ok((None, Onward::Ends(Origin::NotSent)));
        };
        let ways = match taken {
            Some((taker, at)) => {
                let taker = self.event_with_values(taker)?;
                let flow_idx = (0..taker.flow.len()).find(|idx| taker.position_taken(*idx) == at);
                let params = self.options().params;
                flow_idx.map_or_else(Vec::new, |idx| {
                    ways(self.plan(), self.names(), &params, &taker, idx, &row.routes)
                })
            }
            None => Vec::new(),
        };
        let name = port.split('[').next().unwrap_or(port);
        let template = self.template_at(sender.action);
        let mut sends = template.iter().flat_map(|template| {
            let rules = row.routes.iter().filter_map(|route| template.route.get(*route as usize));
            let sends = rules.flat_map(|rule| rule.sends.iter().map(move |send| (rule, send)));
            sends.filter(|(_, send)| template.outputs.get(send.port).is_some_and(|port| port.name == name))
        });
        let only = sends.next().filter(|_| sends.next().is_none());
        let rule = only.map(|(rule, _)| Quote { text: rule.text.clone(), line: rule.at.line });
        let passage = Passage::Sent { event: sender, port: port.clone(), rule: rule.clone(), ways };
        let named = match (only, template) {
            (Some((_, send)), Some(template)) => match &send.value {
                Code::Expr(Expr::Slot(slot)) => Some((template, *slot)),
                Code::Expr(_) | Code::Script(_) => None,
            },
            _ => None,
        };
        let onward = match named {
            Some((template, slot)) => self.origin_of_name(&row, template, slot, value),
            None => Onward::Ends(Origin::Rule { event: sender, rule }),
        };
        Ok((Some(passage), onward))
    }

    /// Where the value of a name that an event sends comes from.
    fn origin_of_name(&self, row: &EventRecord, template: &Template, slot: SlotId, value: &Value) -> Onward {
        let event = row.id;
        let Some(named) = template.slots.get(slot.idx()) else { return Onward::Ends(Origin::NotSent) };
        let name = named.name.clone();
        let position = self.moments().after(event).unwrap_or_default();
        match named.kind {
            SlotKind::Param => Onward::Ends(Origin::Parameter { name }),
            SlotKind::Index | SlotKind::Rule | SlotKind::Count => {
                Onward::Ends(Origin::OfAction { event, name })
            }
            SlotKind::Let => Onward::Ends(self.body_of(event)),
            SlotKind::Bound => {
                let local = row.local.as_deref();
                let bound = local.and_then(|local| local.bound.iter().find(|(known, _)| *known == name));
                let is_same = bound.is_some_and(|(_, bound)| bound == value);
                let taken = is_same.then(|| self.taken_for(row, template, slot)).flatten();
                taken.unwrap_or_else(|| Onward::Ends(self.body_of(event)))
            }
            SlotKind::Var => {
                let taken = is_left_alone(row, &name).then(|| self.taken_for(row, template, slot)).flatten();
                let of = self.template_id_at(event.action).map(|template| Variable::Var {
                    action: event.action,
                    template,
                    name,
                });
                let of = of.map(|of| Onward::From(Holder::Variable { of, position }));
                taken.or(of).unwrap_or(Onward::Ends(Origin::NotSent))
            }
            SlotKind::Shared => {
                let local = row.local.as_deref();
                let at =
                    local.and_then(|local| local.shared_before.iter().position(|(known, _)| *known == name));
                let object = at.and_then(|at| row.shared.get(at)).map(|access| access.object);
                match object {
                    Some(object) => {
                        let of = Variable::Object(object);
                        Onward::From(Holder::Variable { of, position })
                    }
                    None => Onward::Ends(self.body_of(event)),
                }
            }
        }
    }

    /// The value that the firing rule of an event bound to a name; `None` where it binds none to it.
    fn taken_for(&self, row: &EventRecord, template: &Template, slot: SlotId) -> Option<Onward> {
        let rule = template.fire.get(usize::try_from(row.rule).ok()?)?;
        let takes: Vec<_> = rule.takes.iter().filter(|take| take.target == slot).collect();
        let first = takes.first()?;
        let quote = Quote { text: rule.text.clone(), line: rule.at.line };
        let collected = Onward::Ends(Origin::Collected { event: row.id, rule: quote });
        let is_plain =
            takes.len() == 1 && first.loops.is_empty() && first.target_elements.is_empty() && !first.is_up_to;
        if !is_plain {
            return Some(collected);
        }
        let port = &template.inputs.get(first.port)?.name;
        let local = row.local.as_deref()?;
        let is_of = |full: &str| full.split('[').next() == Some(port.as_str());
        let mut taken = local.took.iter().enumerate().filter(|(_, (full, _))| is_of(full));
        let (at, (full, value)) = taken.next()?;
        if taken.next().is_some() {
            return Some(collected);
        }
        Some(match row.senders().get(at).copied().flatten() {
            Some(sender) => Onward::From(Holder::Sent {
                sender,
                receiver: format!("{}.{full}", self.names().action(row.id.action)),
                value: value.clone(),
                taken: Some((row.id, at)),
            }),
            None => Onward::Ends(Origin::NotSent),
        })
    }

    fn body_of(&self, event: EventId) -> Origin {
        let body = self.template_at(event.action).and_then(|template| template.body.as_ref());
        let line = match body {
            Some(Body::Script(script)) => self.plan().scripts.get(script.idx()).map(|script| script.at.line),
            Some(Body::Native { at, .. }) => Some(at.line),
            None => None,
        };
        Origin::Body { event, line }
    }

    /// The node of an action, as the plan numbers it.
    fn template_id_at(&self, action: ActionId) -> Option<TemplateId> {
        let label = self.names().template_name(self.names().template_of(action)?)?;
        let plan = self.plan();
        let position = plan.templates.iter().position(|template| plan.template_label(template) == label);
        position.map(TemplateId::from_idx)
    }

    fn template_at(&self, action: ActionId) -> Option<&Template> {
        self.template_id_at(action).map(|template| self.plan().template(template))
    }

    /// An event, executed again for its values.
    pub(super) fn event_with_values(&self, event: EventId) -> Result<EventRecord, EventError> {
        let ended = self.moments().after(event).unwrap_or_default();
        let index = self.names().index_of(event.action).cloned().unwrap_or_default();
        let template = self.template_id_at(event.action);
        let capture =
            template.map_or_else(Capture::none, |template| Capture::event(template, index, event.count));
        let kept = Mutex::new(None);
        let options = RunOptions { capture, ..self.options() };
        let sink = KeepsOne { event, kept: &kept };
        self.pass(ended.saturating_sub(1), ended, &options, Some(Box::new(sink)))?;
        let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        kept.ok_or_else(|| self.stopped(ended))
    }
}

/// Returns true if the body left a var as the firing rule had made it.
fn is_left_alone(row: &EventRecord, name: &str) -> bool {
    let Some(local) = row.local.as_deref() else { return false };
    let of = |list: &[(String, Value)]| {
        list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    of(&local.before).is_some_and(|before| of(&local.after) == Some(before))
}

/// Keeps one event.
struct KeepsOne<'k> {
    event: EventId,
    kept: &'k Mutex<Option<EventRecord>>,
}

impl EventSink for KeepsOne<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        if let Some(row) = batch.rows().find(|row| row.id == self.event) {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(row.to_record());
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
