//! Routing: which values go where after the body.
//!
//! All rules are evaluated before anything is sent, so that an event sends everything or nothing.

use std::sync::Arc;

use hasse_model::diagnostic::Location;
use hasse_model::id::Index;
use hasse_model::plan::{Code, RoutingRule, Send, Template};
use hasse_model::value::Value;
use rhai::Dynamic;

use crate::body::edge::admit;
use crate::body::script::{self, CodeError};
use crate::eval::{self, Env};
use crate::instance::Instance;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::scheduler::Scheduler;
use crate::token::{Delivery, Token};
use crate::worker::{Ready, Worker};

/// A value that is to be sent along one arc.
pub(crate) struct Outgoing<M: Instrumentation, K: ResultOrder> {
    target: Arc<Instance<M, K>>,
    port: usize,
    elements: Index,
    value: Value,
}

impl<'p, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Worker<'_, 'p, M, K, S> {
    /// Evaluates the routing rules; fills `routes_taken` and `outgoing`.
    pub(crate) fn route(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        template: &'p Template,
    ) -> Result<(), CodeError> {
        for (rule_idx, rule) in template.route.iter().enumerate() {
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
        instance: &Arc<Instance<M, K>>,
        template: &'p Template,
        rule: &'p RoutingRule,
        send: &'p Send,
        locals: &mut Vec<(&'p str, i64)>,
    ) -> Result<(), CodeError> {
        if let Some(range) = send.loops.get(locals.len()) {
            let low = self.code_int(&range.low, rule, locals)?;
            let high = self.code_int(&range.high, rule, locals)?;
            for number in low..high {
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
            .map(|element| self.code_int(element, rule, locals))
            .collect::<Result<Index, _>>()?;
        let port = &template.outputs[send.port];
        let held = self.code(&send.value, rule, locals)?;
        let value = admit(&held, &port.ty, "output port", &port.name, rule.at)?;
        self.send(instance, template, send.port, elements, value, rule.at)
    }

    /// Finds the arcs that a value travels along.
    fn send(
        &mut self,
        instance: &Arc<Instance<M, K>>,
        template: &Template,
        port: usize,
        elements: Index,
        value: Value,
        at: Location,
    ) -> Result<(), CodeError> {
        let session = self.session;
        let program = session.program;
        let n_before = self.outgoing.len();
        for arc in &program.arcs_from[instance.template.idx()][port] {
            self.arc_locals.clear();
            self.arc_locals.resize(arc.n_locals, None);
            let params = &program.params;
            if !eval::matches(&arc.source_index, instance.index.as_slice(), params, &mut self.arc_locals)
                || !eval::matches(&arc.source_elements, elements.as_slice(), params, &mut self.arc_locals)
            {
                continue;
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
            let (target_index, target_elements) =
                (numbers(&arc.target_index)?, numbers(&arc.target_elements)?);
            let target =
                session.registry.instance(program.plan, session.instrumentation, arc.target, target_index);
            self.outgoing.push(Outgoing {
                target,
                port: arc.target_port,
                elements: target_elements,
                value: value.clone(),
            });
        }
        if self.outgoing.len() == n_before {
            let origin = program.path(instance.template.idx(), &instance.index);
            let port = &template.outputs[port].name;
            return Err(CodeError {
                code: "R0004",
                message: format!("no arc takes the value {value} that {origin} sends on {port}{elements}"),
                at,
            });
        }
        Ok(())
    }

    /// Puts everything that is to be sent into the inboxes of the receivers.
    pub(crate) fn deliver(&mut self, stamp: &M::Stamp, known: &K) {
        let session = self.session;
        for outgoing in self.outgoing.drain(..) {
            let token = Token { value: outgoing.value, stamp: stamp.clone(), known: known.clone() };
            let delivery = Delivery { port: outgoing.port, elements: outgoing.elements, token };
            let mut inbox = outgoing.target.inbox.lock();
            inbox.deliveries.push(delivery);
            if !std::mem::replace(&mut inbox.is_scheduled, true) {
                drop(inbox);
                session.make_ready(&mut self.local, outgoing.target);
            }
            session.scheduler.pause(&mut self.local);
        }
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
                let env =
                    Env { frame: Some(&self.frame), locals: &self.loop_numbers, params: &program.params };
                eval::eval(expr, &env).map_err(|message| CodeError { code: "R0005", message, at: rule.at })
            }
            Code::Script(script) => {
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
            message: format!("an int is needed for an index or a bound, not a {found}"),
            at: rule.at,
        })
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
