//! A plan made ready to run: scripts compiled, parameters evaluated, arcs looked up by port.

use std::hash::BuildHasher;
use std::sync::Arc;

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::edge::default_of;
use hasse_body::script::{self, CodeError};
use hasse_body::seed::mix;
use hasse_model::diagnostic::Location;
use hasse_model::id::{CallId, GraphId, GraphInstanceId, Index, ScriptId, SlotId, TemplateId};
use hasse_model::plan::routine::{Lowering, Place};
use hasse_model::plan::{Arc as PlanArc, Body, Code, Plan, Slot, SlotKind, Source, Target, Template};
use hasse_model::record_options::RecordOption;
use hasse_model::value::{Type, Value};
use hasse_routine::{Machine, Tiers};
use rhai::{AST, Dynamic, Engine, Scope};
use rustc_hash::FxBuildHasher;

use crate::code::eval;
use crate::code::eval::Env;
use crate::code::graph::{CallPlace, GraphInstance};
use crate::code::layout::Layout;
use crate::code::natives::Natives;
use crate::code::natives::node::Registered;
use crate::code::reason::{Cause, Reason, Site};
use crate::code::routines;
use crate::plan::lane::Lane;
use crate::request::options::{RunOptions, RuntimeError};

/// A plan made ready to run. Shared by all workers, never written after loading.
pub(crate) struct Program<'p> {
    pub(crate) plan: &'p Plan,
    /// Compiled scripts, by [`ScriptId`](hasse_model::id::ScriptId).
    pub(crate) asts: Vec<AST>,
    /// Values of the main graph's creation parameters, by position.
    pub(crate) params: Vec<Dynamic>,
    /// Arcs by template and output port, in the order of the file.
    pub(crate) arcs_from: Vec<Vec<Vec<&'p PlanArc>>>,
    /// Arcs by call and output port of the graph called.
    pub(crate) arcs_from_call: Vec<Vec<Vec<&'p PlanArc>>>,
    /// Arcs by graph and formal input port.
    pub(crate) arcs_from_interface: Vec<Vec<Vec<&'p PlanArc>>>,
    /// By template and input port: true if all that comes there has been checked, when it was sent, to be of the type of the port.
    pub(crate) checked_ports: Vec<Vec<bool>>,
    pub(crate) layouts: Vec<Layout>,
    /// By template: what the lane knows of it, or why it is served in the general way alone.
    pub(crate) lanes: Vec<Result<Lane<'p>, Reason>>,
    pub(crate) natives: Natives,
    /// Values are kept of these executions alone: index of the instance, and count.
    pub(crate) captured_only: Option<(Index, u64)>,
    /// Tiers of expressions of rules.
    pub(crate) tiers: Tiers,
    /// Lowered scripts, by [`ScriptId`](hasse_model::id::ScriptId).
    pub(crate) machines: Vec<Option<Arc<Machine>>>,
    /// Native bodies and lowered ones, by template.
    pub(crate) native_bodies: Vec<Option<Arc<Registered>>>,
}

impl<'p> Program<'p> {
    /// Compiles every script once and evaluates the parameters.
    pub(crate) fn load(plan: &'p Plan, options: &RunOptions, engine: &Engine) -> Result<Self, RuntimeError> {
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
        program.find_lanes();
        Ok(program)
    }

    /// Makes a plan ready to be looked at and not to be run: code in Rust that is not registered is taken to be any, and
    /// parameters that the options do not tell have the default values of their types unless theirs are plain numbers.
    pub(crate) fn outline(plan: &'p Plan, options: &RunOptions) -> Self {
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
        let templates = (0..self.plan.templates.len()).map(TemplateId::from_idx);
        self.lanes = templates.map(|template| Lane::of(self, template)).collect();
    }

    /// Why no events of the program are served in columns, if they are not.
    pub(crate) fn column_obstacle(&self) -> Option<Reason> {
        self.plan.orders_results.then_some(Site::Node.because(Cause::OrderedResults))
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
            arcs_from,
            arcs_from_call,
            arcs_from_interface,
            checked_ports,
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

    /// Returns true if the body of a template certainly leaves what a slot is bound to as it is.
    pub(crate) fn keeps(&self, template: &Template, slot_idx: usize) -> bool {
        let script = match &template.body {
            None => return true,
            Some(Body::Native { .. }) => return false,
            Some(Body::Script(script)) => script,
        };
        let Some(machine) = self.machines.get(script.idx()).and_then(Option::as_ref) else { return false };
        let (routine, place) = (machine.routine(), Place::Slot(SlotId::from_idx(slot_idx)));
        !routine.outputs.iter().any(|output| output.place == place)
            && !routine.left.iter().any(|left| left.place == place)
            && !routine.objects.iter().any(|object| object.is_written && object.slot.idx() == slot_idx)
    }

    /// The value of an expression that was lowered to a routine; `None` where the interpreter is to evaluate it.
    pub(crate) fn evaluate(&self, script: ScriptId, env: &Env<'_>) -> Option<Dynamic> {
        routines::evaluate(self.machines.get(script.idx())?.as_ref()?, env)
    }

    /// Evaluates code outside of any event: a default or an initial value. `param_names` and `params`
    /// go together, and so do `local_names` and `locals`.
    pub(crate) fn constant(
        &self,
        code: &Code,
        engine: &Engine,
        param_names: &[&str],
        params: &[Dynamic],
        local_names: &[String],
        locals: &[i64],
    ) -> Result<Value, CodeError> {
        match code {
            Code::Expr(expr) => {
                let held = eval::eval(expr, &Env { frame: None, locals, params })?;
                Ok(value_from_dynamic(&held)?)
            }
            Code::Script(script) => {
                let mut scope = Scope::new();
                for (name, value) in param_names.iter().zip(params) {
                    scope.push_dynamic(*name, value.clone());
                }
                for (name, number) in local_names.iter().zip(locals) {
                    scope.push(name.as_str(), *number);
                }
                let text = &self.plan.scripts[script.idx()];
                let held = script::eval(engine, &self.asts[script.idx()], text, &mut scope)?;
                value_from_dynamic(&held).map_err(|held| CodeError {
                    code: "R0003",
                    message: format!("a {held} is not a value"),
                    at: text.at,
                })
            }
        }
    }

    /// Names of the creation parameters of a graph.
    pub(crate) fn param_names(&self, graph: GraphId) -> Vec<&'p str> {
        self.plan.graphs[graph.idx()].params.iter().map(|param| param.name.as_str()).collect()
    }

    /// Makes the graph instance that a call stands for, with an effective recording option: evaluates its
    /// creation parameters.
    pub(crate) fn enter(
        &self,
        id: GraphInstanceId,
        parent: &Arc<GraphInstance>,
        call_id: CallId,
        index: Index,
        option: RecordOption,
        engine: &Engine,
    ) -> Result<GraphInstance, CodeError> {
        let call = self.plan.call(call_id);
        let outer_names = self.param_names(call.owner);
        let inner_names = self.param_names(call.graph);
        let mut params = Vec::with_capacity(inner_names.len());
        for (param, arg) in self.plan.graphs[call.graph.idx()].params.iter().zip(&call.args) {
            let at = arg.as_ref().map_or(call.at, |arg| arg.at);
            let evaluated = match (arg, &param.default) {
                (Some(arg), _) => {
                    let (names, numbers) = (&call.index_names, index.as_slice());
                    self.constant(&arg.code, engine, &outer_names, &parent.params, names, numbers)
                }
                (None, Some(code)) => self.constant(code, engine, &inner_names, &params, &[], &[]),
                (None, None) => default_of(&param.ty, at),
            };
            let value = evaluated.map_err(|error| CodeError {
                message: format!("parameter `{}` of call `{}`: {}", param.name, call.name, error.message),
                at: if error.at == Location::default() { at } else { error.at },
                ..error
            })?;
            if param.ty.mismatch(&value).is_some() {
                let (name, ty, found) = (&param.name, &param.ty, value.type_name());
                let message = format!("parameter `{name}` of type {ty} cannot hold the {found} {value}");
                return Err(CodeError { code: "R0003", message, at });
            }
            let value = param.ty.admit(value).expect("a value without a mismatch is admitted");
            params.push(dynamic_from_value(value));
        }
        let path_hash = mix(parent.path_hash ^ FxBuildHasher.hash_one((&call.name, &index)));
        let place = CallPlace { parent: Arc::clone(parent), call: call_id, index };
        let (graph, depth) = (call.graph, parent.depth + 1);
        Ok(GraphInstance { id, graph, call: Some(place), depth, path_hash, params: params.into(), option })
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
