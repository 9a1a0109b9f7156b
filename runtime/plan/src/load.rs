//! Loading: the way from a plan and its options to a program.

use std::sync::Arc;

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::script::{self, CodeError};
use hasse_code::eval::Env;
use hasse_code::layout::Layout;
use hasse_code::natives::node::Registered;
use hasse_code::natives::registry::Natives;
use hasse_code::{eval, routines};
use hasse_model::id::{GraphId, TemplateId};
use hasse_model::plan::routine::Lowering;
use hasse_model::plan::{Body, Code, Plan, Slot, SlotKind, Source, Target, Template};
use hasse_model::value::Type;
use hasse_request::options::{RunOptions, RuntimeError};
use hasse_routine::Machine;
use rhai::{Dynamic, Engine};

use crate::bounds::{self, Bounded, Misfit};
use crate::known::known_params;
use crate::lane::Lane;
use crate::program::Program;
use crate::sources::Sources;

impl<'p> Program<'p> {
    /// Compiles every script once and evaluates the parameters.
    pub fn load(plan: &'p Plan, options: &RunOptions, engine: &Engine) -> Result<Self, RuntimeError> {
        let asts = plan
            .scripts
            .iter()
            .map(|text| script::compile(engine, text))
            .collect::<Result<Vec<_>, CodeError>>()
            .map_err(|error| RuntimeError::Initial {
                what: format!("the script at line {}", error.at.line),
                message: error.message,
            })?;
        let machines = machines_of(plan, options);
        let bodies = plan.templates.iter();
        let bodies = bodies.map(|template| native_body(plan, template, &options.natives, &machines));
        let native_bodies = bodies.collect::<Result<Vec<_>, RuntimeError>>()?;
        let mut program = Self { asts, ..Self::of(plan, options, machines, native_bodies) };
        program.params = program.param_values(options, engine)?;
        if let Some(Misfit { what, at, message }) = bounds::misfit(plan, plan.main, &program.params) {
            return Err(RuntimeError::Misfit { what, line: at.line, message });
        }
        program.find_lanes();
        Ok(program)
    }

    /// Makes a plan ready to be looked at and not to be run: code in Rust that is not registered is taken to be any, and
    /// parameters that the options do not tell have the default values of their types unless theirs are plain numbers.
    pub fn outline(plan: &'p Plan, options: &RunOptions) -> Self {
        let machines = machines_of(plan, options);
        let native_bodies = plan.templates.iter().map(|template| {
            native_body(plan, template, &options.natives, &machines)
                .unwrap_or_else(|_| Some(Arc::new(Registered::unknown(&template.name))))
        });
        let native_bodies = native_bodies.collect();
        let mut program = Self::of(plan, options, machines, native_bodies);
        let params = plan.params().iter().map(|param| {
            let given = options.params.iter().rev().find(|(name, _)| *name == param.name);
            let value = match (given, &param.default) {
                (Some((_, value)), _) => param.ty.admit(value.clone()),
                (None, Some(Code::Expr(expr))) => {
                    let held = eval::eval(expr, &Env { frame: None, locals: &[], params: &[] }).ok();
                    held.and_then(|held| param.ty.admit(value_from_dynamic(&held).ok()?))
                }
                (None, _) => None,
            };
            dynamic_from_value(value.unwrap_or_else(|| param.ty.default_value()))
        });
        program.params = params.collect();
        program.find_lanes();
        program
    }

    fn find_lanes(&mut self) {
        self.known_params = known_params(self.plan, &self.params);
        let templates = (0..self.plan.templates.len()).map(TemplateId::from_idx);
        self.lanes = templates.map(|template| Lane::of(self, template)).collect();
    }

    /// The parts that are looked up, without what is evaluated.
    fn of(
        plan: &'p Plan,
        options: &RunOptions,
        machines: Vec<Option<Arc<Machine>>>,
        native_bodies: Vec<Option<Arc<Registered>>>,
    ) -> Self {
        let no_arcs = |n_ports: usize| vec![Vec::new(); n_ports];
        let outputs_of = |graph: GraphId| plan.graphs[graph.idx()].outputs.len();
        let mut arcs_from: Vec<Vec<Vec<_>>> =
            plan.templates.iter().map(|template| no_arcs(template.outputs.len())).collect();
        let mut arcs_from_call: Vec<Vec<Vec<_>>> =
            plan.calls.iter().map(|call| no_arcs(outputs_of(call.graph))).collect();
        let mut arcs_from_interface: Vec<Vec<Vec<_>>> =
            plan.graphs.iter().map(|graph| no_arcs(graph.inputs.len())).collect();
        for arc in &plan.arcs {
            let arcs_of_ports = match arc.source {
                Source::Unit(template) => &mut arcs_from[template.idx()],
                Source::Call(call) => &mut arcs_from_call[call.idx()],
                Source::Interface => &mut arcs_from_interface[arc.graph.idx()],
            };
            arcs_of_ports[arc.source_port].push(arc);
        }
        let of_inputs = |template: &Template| vec![true; template.inputs.len()];
        let mut checked_ports: Vec<Vec<bool>> = plan.templates.iter().map(of_inputs).collect();
        for arc in &plan.arcs {
            let Target::Unit(target) = arc.target else { continue };
            let taken = &plan.template(target).inputs[arc.target_port].ty;
            let is_same = match arc.source {
                Source::Unit(template) => plan.template(template).outputs[arc.source_port].ty == *taken,
                Source::Call(_) | Source::Interface => false,
            };
            checked_ports[target.idx()][arc.target_port] &= is_same;
        }
        let layouts = plan.templates.iter().enumerate().map(|(template_idx, template)| Layout {
            captured: options.capture.of(TemplateId::from_idx(template_idx)),
            ..Layout::of(template)
        });
        let layouts = layouts.collect();
        Self {
            plan,
            asts: Vec::new(),
            params: Vec::new(),
            known_params: Vec::new(),
            arcs_from,
            arcs_from_call,
            arcs_from_interface,
            checked_ports,
            bounded: Bounded::of(plan),
            sources: Sources::of(plan),
            delays_values: plan.templates.iter().map(Template::delays_values).collect(),
            layouts,
            lanes: Vec::new(),
            natives: options.natives.clone(),
            captured_only: options.capture.only.clone(),
            tiers: options.tiers.of_expressions(),
            machines,
            native_bodies,
        }
    }

    fn param_values(&self, options: &RunOptions, engine: &Engine) -> Result<Vec<Dynamic>, RuntimeError> {
        if let Some((name, _)) =
            options.params.iter().find(|(name, _)| self.plan.params().iter().all(|param| param.name != *name))
        {
            return Err(RuntimeError::UnknownParam { name: name.clone() });
        }
        let mut values: Vec<Dynamic> = Vec::new();
        for param in self.plan.params() {
            let given = options.params.iter().rev().find(|(name, _)| *name == param.name);
            let value = match (given, &param.default) {
                (Some((_, value)), _) => value.clone(),
                (None, Some(code)) => {
                    let what = || format!("the default of parameter `{}`", param.name);
                    let names = self.param_names(self.plan.main);
                    self.constant(code, engine, &names, &values, &[], &[])
                        .map_err(|error| RuntimeError::Initial { what: what(), message: error.message })?
                }
                (None, None) => {
                    return Err(RuntimeError::MissingParam {
                        name: param.name.clone(),
                        ty: param.ty.to_string(),
                    });
                }
            };
            let shown = value.to_string();
            let value = param.ty.admit(value).ok_or_else(|| RuntimeError::ParamType {
                name: param.name.clone(),
                ty: param.ty.to_string(),
                value: shown,
            })?;
            values.push(dynamic_from_value(value));
        }
        Ok(values)
    }
}

/// The machines of all scripts that were lowered.
fn machines_of(plan: &Plan, options: &RunOptions) -> Vec<Option<Arc<Machine>>> {
    let machine = |lowering: &Option<Lowering>| options.tiers.machine(lowering.as_ref(), &options.natives);
    plan.lowerings.iter().map(machine).collect()
}

/// The native body of a node, or its lowered one, if it has one.
fn native_body(
    plan: &Plan,
    template: &Template,
    natives: &Natives,
    machines: &[Option<Arc<Machine>>],
) -> Result<Option<Arc<Registered>>, RuntimeError> {
    let name = match &template.body {
        None => return Ok(None),
        Some(Body::Script(script)) => {
            let machine = machines.get(script.idx()).and_then(Option::as_ref);
            return Ok(machine.map(|machine| Arc::new(routines::body(machine, template, natives))));
        }
        Some(Body::Native { name, .. }) => name,
    };
    let wrong = |problem| {
        let (node, name) = (plan.template_label(template), name.clone());
        Err(RuntimeError::NativeBody { node, name, problem })
    };
    let Some(body) = natives.registered_body(name) else { return wrong("is not registered") };
    let slots = &template.slots[template.slots_of(SlotKind::Let)];
    // A struct type that was declared in Rust is `any` here.
    let is_same = |slot: &Slot, (name, ty): &(String, Type)| slot.name == *name && ty.accepts(&slot.ty);
    let lets = &body.facts().lets;
    if slots.len() != lets.len() || !slots.iter().zip(lets).all(|(slot, set)| is_same(slot, set)) {
        return wrong("sets other names than when the program was compiled");
    }
    Ok(Some(Arc::clone(body)))
}
