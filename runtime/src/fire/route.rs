//! Routing: which values go where after the body.
//!
//! All rules are evaluated before anything is sent, so that an event sends everything or nothing.

use std::sync::Arc;

use hasse_body::edge::admit;
use hasse_body::memory;
use hasse_body::script::{self, CodeError};
use hasse_code::eval;
use hasse_code::eval::Env;
use hasse_code::graph::GraphInstance;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, GraphInstanceId, Index, TemplateId};
use hasse_model::key;
use hasse_model::plan::{Arc as PlanArc, Code, Expr, RoutingRule, Send, Source, Target, Template};
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Directive;
use hasse_runtime_plan::arcs::IndexedWay;
use hasse_runtime_plan::ports::port_bit;
use hasse_store::instance::Instance;
use hasse_store::outgoing::{Created, Fate, Hop, Outgoing, Receiver};
use hasse_store::token::{Delivery, Token};
use rhai::{Dynamic, ImmutableString};
use smallvec::SmallVec;

use crate::fire::session::Session;
use crate::fire::worker::Worker;

/// Values for bounded ports.
pub(crate) mod bounded;
/// Delayed values.
pub(crate) mod delay;
/// Changes of queues, in replays.
pub(crate) mod edits;

impl<M: Instrumentation> Session<'_, M> {
    /// Where a value is going, and the value.
    pub(crate) fn shown_outgoing(&self, outgoing: &Outgoing, sender: &Instance<M>) -> (String, Value) {
        let (graph, template, index) = outgoing.receiver(&sender.graph);
        let port = &self.program.plan.template(template).inputs[outgoing.port].name;
        let path = self.path_of(graph, template, index);
        (format!("{path}.{port}{}", outgoing.elements), outgoing.value.clone())
    }
}

impl<'p, M: Instrumentation> Worker<'_, 'p, M> {
    /// Evaluates the routing rules, or those of a failed event; fills `routes_taken` and `outgoing`.
    pub(crate) fn route(
        &mut self,
        instance: &Arc<Instance<M>>,
        template: &'p Template,
        on_error: bool,
    ) -> Result<(), CodeError> {
        self.begin_steps();
        for (rule_idx, rule) in template.route.iter().enumerate() {
            if rule.on_error != on_error {
                continue;
            }
            let holds = match &rule.guard {
                Some(guard) if !rule.guards_elements => self.code_bool(guard, rule, &[])?,
                _ => true,
            };
            if holds {
                self.routes_taken.push(rule_idx as u32);
                for send in &rule.sends {
                    let mut locals = Vec::new();
                    self.send_loops(instance, template, rule, send, &mut locals)?;
                }
            }
        }
        Ok(())
    }

    /// Goes through the loops of a sending, outermost first.
    fn send_loops(
        &mut self,
        instance: &Arc<Instance<M>>,
        template: &'p Template,
        rule: &'p RoutingRule,
        send: &'p Send,
        locals: &mut Vec<(&'p str, i64)>,
    ) -> Result<(), CodeError> {
        if let Some(range) = send.loops.get(locals.len()) {
            let low = self.code_int(&range.low, rule, locals)?;
            let high = self.code_int(&range.high, rule, locals)?;
            for number in low..high {
                self.step(rule.at)?;
                locals.push((&range.name, number));
                self.send_loops(instance, template, rule, send, locals)?;
                locals.pop();
            }
            return Ok(());
        }
        if rule.guards_elements
            && let Some(guard) = &rule.guard
            && !self.code_bool(guard, rule, locals)?
        {
            return Ok(());
        }
        let elements = send
            .elements
            .iter()
            .map(|element| self.code_element(element, rule, locals))
            .collect::<Result<Index, _>>()?;
        let port = &template.outputs[send.port];
        let value = match &send.value {
            // No copy but that of the conversion.
            Code::Expr(Expr::Slot(slot)) => {
                admit(self.frame.get(*slot), &port.ty, "output port", &port.name, rule.at)?
            }
            code => {
                let held = self.code(code, rule, locals)?;
                admit(&held, &port.ty, "output port", &port.name, rule.at)?
            }
        };
        if M::RECORDS && self.keeps_sent {
            self.sent.push((format!("{}{elements}", port.name), value.clone()));
        }
        self.delay = match &send.after {
            // It may fail also where nothing is delayed.
            Some(after) => {
                let delay = self.delay(after, rule, locals)?;
                if self.session.delays_values(instance.template) { delay } else { 0 }
            }
            None => 0,
        };
        self.send(instance, template, send.port, elements, value, rule.at)
    }

    /// Finds the instances that a value travels to, through the interfaces of graphs.
    pub(crate) fn send(
        &mut self,
        instance: &Arc<Instance<M>>,
        template: &Template,
        port: usize,
        elements: Index,
        value: Value,
        at: Location,
    ) -> Result<(), CodeError> {
        let session = self.session;
        let arcs = &session.program.arcs_from[instance.template.idx()][port][..];
        let no_arc = |end: &str| {
            let origin = session.path(instance);
            let port = &template.outputs[port].name;
            let message =
                format!("no arc takes the value {value} that {origin} sends on {port}{elements}{end}");
            CodeError { code: "R0004", message, at }
        };
        self.hops.clear();
        let index = instance.index.as_slice();
        if !self.follow((&instance.graph, true), arcs, index, elements.as_slice(), &value)? {
            return Err(no_arc(""));
        }
        let held_at_start = if self.hops.is_empty() { 0 } else { memory::held() };
        while let Some(hop) = self.hops.pop_front() {
            self.step_since(held_at_start, at)?;
            let Hop { graph, arcs, index, elements, .. } = &hop;
            if !self.follow((graph, false), arcs, index.as_slice(), elements.as_slice(), &value)? {
                return Err(no_arc(&format!(": its way ends at {}", self.shown(&hop))));
            }
        }
        Ok(())
    }

    /// The same, along arcs that the lane knows; `None` where none takes the value, or an index number overflows.
    pub(crate) fn send_indexed(
        &mut self,
        instance: &Instance<M>,
        ways: &[IndexedWay],
        elements: &Index,
        value: Value,
    ) -> Option<()> {
        let mut numbers: SmallVec<[i64; 4]> = SmallVec::from_slice(instance.index.as_slice());
        numbers.extend_from_slice(elements.as_slice());
        let mut has_matched = false;
        for way in ways.iter().filter(|way| way.matches(&numbers)) {
            has_matched = true;
            let index = way.index(&numbers)?;
            let elements = way.element(&numbers)?;
            let target = if way.is_plain() {
                self.receiver((&instance.graph, true), way.target, index, &value)
            } else {
                Receiver::Instance(way.target, index)
            };
            let arc = if M::NOTES_CHOICES { way.arc } else { ArcId(0) };
            let port = way.port;
            self.outgoing.push(Outgoing {
                arc,
                target,
                port,
                elements,
                value: value.clone(),
                fate: Fate::Delivered,
                delay: 0,
            });
        }
        has_matched.then_some(())
    }

    /// The receiver of a value for a plain port; `is_own`: in the sender's graph instance.
    fn receiver(
        &self,
        (graph, is_own): (&Arc<GraphInstance>, bool),
        template: TemplateId,
        index: Index,
        value: &Value,
    ) -> Receiver {
        let is_entry = matches!(value, Value::Int(_)) && graph.id == GraphInstanceId::MAIN;
        if is_entry && self.session.registry.store(template).is_some() {
            return Receiver::Entry(template, index);
        }
        Receiver::of((graph, is_own), template, index)
    }

    /// Controlled run: notes that a value is about to create its receiver, if that does not exist.
    fn note_created(&mut self, graph: &Arc<GraphInstance>, template: TemplateId, index: &Index) {
        let is_it = |created: &Created| {
            (created.graph.id, created.template, &created.index) == (graph.id, template, index)
        };
        let exists = self.session.registry.has_instance(graph.id, template, index);
        if !exists && !self.created.iter().any(is_it) {
            let (graph, index) = (Arc::clone(graph), index.clone());
            self.created.push(Created { graph, template, index });
        }
    }

    /// Follows the arcs that match, within one graph instance: values for instances go to `outgoing`,
    /// values for other graphs to `hops`. Returns whether any arc matched.
    fn follow(
        &mut self,
        (graph, is_own): (&Arc<GraphInstance>, bool),
        arcs: &[&'p PlanArc],
        index: &[i64],
        elements: &[i64],
        value: &Value,
    ) -> Result<bool, CodeError> {
        let session = self.session;
        let program = session.program;
        let params = &graph.params;
        let mut has_matched = false;
        for arc in arcs {
            self.arc_locals.clear();
            self.arc_locals.resize(arc.n_locals, None);
            if !eval::matches(&arc.source_index, index, params, &mut self.arc_locals)
                || !eval::matches(&arc.source_elements, elements, params, &mut self.arc_locals)
            {
                continue;
            }
            has_matched = true;
            let is_controlled = self.board().is_some();
            if is_controlled {
                self.passed.push((program.plan.arc_id(arc), value.clone()));
            }
            self.arc_numbers.clear();
            self.arc_numbers.extend(self.arc_locals.iter().map(|local| local.unwrap_or_default()));
            let env = Env { frame: None, locals: &self.arc_numbers, params };
            let numbers = |exprs: &[hasse_model::plan::Expr]| {
                exprs
                    .iter()
                    .map(|expr| eval::eval_int(expr, &env))
                    .collect::<Result<Index, String>>()
                    .map_err(|message| CodeError { code: "R0005", message, at: arc.at })
            };
            let (target_index, elements) = (numbers(&arc.target_index)?, numbers(&arc.target_elements)?);
            let port = arc.target_port;
            match arc.target {
                // Nobody looks at who receives.
                Target::Unit(template)
                    if !is_controlled && !self.keeps_receivers && elements.as_slice().is_empty() =>
                {
                    let target = self.receiver((graph, is_own), template, target_index, value);
                    let arc = if M::NOTES_CHOICES { program.plan.arc_id(arc) } else { ArcId(0) };
                    self.outgoing.push(Outgoing {
                        arc,
                        target,
                        port,
                        elements,
                        value: value.clone(),
                        fate: Fate::Delivered,
                        delay: self.delay,
                    });
                }
                Target::Unit(template) => {
                    if is_controlled {
                        self.note_created(graph, template, &target_index);
                    }
                    if self.keeps_receivers {
                        let port = &program.plan.template(template).inputs[port].name;
                        let path = session.path_of(graph, template, &target_index);
                        let receiver = format!("{path}.{port}{elements}");
                        self.receivers.push((self.sent.len().saturating_sub(1), receiver));
                    }
                    let arc = if M::NOTES_CHOICES { program.plan.arc_id(arc) } else { ArcId(0) };
                    let target = Receiver::of((graph, is_own), template, target_index);
                    self.outgoing.push(Outgoing {
                        arc,
                        target,
                        port,
                        elements,
                        value: value.clone(),
                        fate: Fate::Delivered,
                        delay: self.delay,
                    });
                }
                Target::Call(call) => {
                    let callee = session.enter(graph, call, target_index, &self.engine)?;
                    let arcs = &program.arcs_from_interface[callee.graph.idx()][port];
                    let source = Source::Interface;
                    let index = Index::none();
                    self.hops.push_back(Hop { graph: callee, source, arcs, index, elements, port });
                }
                Target::Interface => {
                    let Some(place) = &graph.call else { continue };
                    let arcs = &program.arcs_from_call[place.call.idx()][port];
                    let (graph, index) = (Arc::clone(&place.parent), place.index.clone());
                    let source = Source::Call(place.call);
                    self.hops.push_back(Hop { graph, source, arcs, index, elements, port });
                }
            }
        }
        Ok(has_matched)
    }

    /// Where a hop begins, for a person.
    fn shown(&self, hop: &Hop<'_>) -> String {
        let plan = self.session.program.plan;
        let graph = &plan.graphs[hop.graph.graph.idx()];
        let path = hop.graph.path(plan);
        let elements = &hop.elements;
        match hop.source {
            Source::Call(call) => {
                let call = plan.call(call);
                let port = &plan.graphs[call.graph.idx()].outputs[hop.port].name;
                format!("{path}/{}{}.{port}{elements}", call.name, hop.index)
            }
            Source::Unit(_) | Source::Interface => {
                format!(
                    "in.{}{elements} of {}",
                    graph.inputs[hop.port].name,
                    if path.is_empty() { "/" } else { &path }
                )
            }
        }
    }

    /// Puts everything that is to be sent into the inboxes of the receivers, which are created if they do not exist.
    pub(crate) fn deliver(
        &mut self,
        sender: &Instance<M>,
        stamp: &M::Stamp,
        known: &ResultOrder,
        sends_next: bool,
    ) {
        let session = self.session;
        let create = |graph: &Arc<GraphInstance>, template, index| {
            let (plan, notes) = (session.program.plan, session.instrumentation);
            session.registry.instance(plan, notes, graph, template, index).0
        };
        let mut outgoing = std::mem::take(&mut self.outgoing);
        if session.replays() {
            for (template, port) in edits::apply(&mut outgoing, sender.graph.id, &session.edits_of(stamp)) {
                session.dropped.add(template, port, 1);
            }
        }
        let has_delays = session.delays_values(sender.template);
        for Outgoing { arc, target, port, elements, value, fate, delay } in outgoing.drain(..) {
            let stamp = M::via(stamp, arc);
            let target = if has_delays { target.without_entry() } else { target };
            let target = match (target, &value) {
                (Receiver::Elsewhere(graph, template, index), _) => create(&graph, template, index),
                (Receiver::Instance(template, index), _) => create(&sender.graph, template, index),
                (Receiver::Entry(template, index), Value::Int(number)) => {
                    self.put_into_store(template, &index, (port, *number, stamp));
                    continue;
                }
                (Receiver::Entry(..), _) => continue,
            };
            let directive = M::Directive::of(sends_next);
            let token = Token { value, stamp, known: known.clone(), directive };
            let mut delivery = Delivery { port, elements, token };
            if has_delays {
                let Some(now) = session.delay_value(sender, &target, delivery, delay) else { continue };
                delivery = now;
            }
            if session.has_bounds && session.program.bounded.receives(target.template) {
                self.deliver_bounded(&target, delivery);
                session.scheduler.pause(&mut self.local);
                continue;
            }
            let mut inbox = target.inbox.lock();
            let mut filled = 0;
            if fate == Fate::Delivered {
                inbox.put(delivery);
                filled = port_bit(port);
            }
            let is_due = inbox.schedule(filled, session.needs(target.template));
            drop(inbox);
            if is_due {
                session.make_ready(&mut self.local, target);
            }
            session.scheduler.pause(&mut self.local);
        }
        self.outgoing = outgoing;
        self.deliver_dropping();
    }

    fn code(
        &mut self,
        code: &Code,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<Dynamic, CodeError> {
        let program = self.session.program;
        match code {
            Code::Expr(expr) => {
                self.loop_numbers.clear();
                self.loop_numbers.extend(locals.iter().map(|(_, number)| number));
                let env = Env { frame: Some(&self.frame), locals: &self.loop_numbers, params: &[] };
                eval::eval(expr, &env).map_err(|message| CodeError { code: "R0005", message, at: rule.at })
            }
            Code::Script(script) => {
                self.loop_numbers.clear();
                self.loop_numbers.extend(locals.iter().map(|(_, number)| number));
                let env = Env { frame: Some(&self.frame), locals: &self.loop_numbers, params: &[] };
                if let Some(held) = program.evaluate(*script, &env) {
                    return Ok(held);
                }
                let text = &program.plan.scripts[script.idx()];
                let scope = self.frame.enter_scope();
                let n_names = scope.len();
                for (name, number) in locals {
                    scope.push(*name, *number);
                }
                let value = script::eval(&self.engine, &program.asts[script.idx()], text, scope);
                scope.rewind(n_names);
                Ok(value?)
            }
        }
    }

    fn code_int(
        &mut self,
        code: &Code,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<i64, CodeError> {
        let held = self.code(code, rule, locals)?;
        held.as_int().map_err(|found| CodeError {
            code: "R0005",
            message: format!("an int is needed for a bound, not a {found}"),
            at: rule.at,
        })
    }

    /// Number of an index: that of a key, where it is a text.
    fn code_element(
        &mut self,
        code: &Code,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<i64, CodeError> {
        let held = self.code(code, rule, locals)?;
        let fault = |message| CodeError { code: "R0005", message, at: rule.at };
        if let Some(text) = held.read_lock::<ImmutableString>() {
            return key::key(&text).map_err(|same| fault(same.to_string()));
        }
        held.as_int().map_err(|found| fault(format!("an index is an int or a string, not a {found}")))
    }

    fn code_bool(
        &mut self,
        code: &Code,
        rule: &RoutingRule,
        locals: &[(&str, i64)],
    ) -> Result<bool, CodeError> {
        let held = self.code(code, rule, locals)?;
        CodeError::bool_of(held, rule.at)
    }
}
