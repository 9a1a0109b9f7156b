//! A plan made ready to run: scripts compiled, parameters evaluated, arcs looked up by port.

use std::hash::BuildHasher;
use std::sync::Arc;

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::edge::default_of;
use hasse_body::script::{self, CodeError};
use hasse_body::seed::mix;
use hasse_code::eval::{Env, Scalar};
use hasse_code::graph::{CallPlace, GraphInstance};
use hasse_code::layout::Layout;
use hasse_code::natives::node::Registered;
use hasse_code::natives::registry::Natives;
use hasse_code::reason::{Cause, Reason, Site};
use hasse_code::{eval, routines};
use hasse_model::diagnostic::Location;
use hasse_model::id::{CallId, GraphId, GraphInstanceId, Index, ScriptId, SlotId, TemplateId};
use hasse_model::plan::routine::{Place, Routine};
use hasse_model::plan::{Arc as PlanArc, Body, Code, Plan, Template};
use hasse_model::record_options::RecordOption;
use hasse_model::value::Value;
use hasse_routine::{Machine, Tiers};
use rhai::{AST, Dynamic, Engine, Scope};
use rustc_hash::FxBuildHasher;

use crate::bounds::{self, Bounded, Misfit};
use crate::lane::Lane;
use crate::sources::Sources;

/// A plan made ready to run. Shared by all workers, never written after loading.
pub struct Program<'p> {
    /// The plan itself.
    pub plan: &'p Plan,
    /// Compiled scripts, by [`ScriptId`].
    pub asts: Vec<AST>,
    /// Values of the main graph's creation parameters, by position.
    pub params: Vec<Dynamic>,
    /// By graph and parameter: the value that it has in all instances, if there is one.
    pub(crate) known_params: Vec<Vec<Option<Scalar>>>,
    /// Arcs by template and output port, in the order of the file.
    pub arcs_from: Vec<Vec<Vec<&'p PlanArc>>>,
    /// Arcs by call and output port of the graph called.
    pub arcs_from_call: Vec<Vec<Vec<&'p PlanArc>>>,
    /// Arcs by graph and formal input port.
    pub arcs_from_interface: Vec<Vec<Vec<&'p PlanArc>>>,
    /// By template and input port: true if all that comes there has been checked, when it was sent, to be of the type of the port.
    pub(crate) checked_ports: Vec<Vec<bool>>,
    /// Templates that bounded ports concern.
    pub bounded: Bounded,
    /// Events that go on by themselves.
    pub sources: Sources,
    /// By template: true if a routing rule sends delayed values.
    pub delays_values: Vec<bool>,
    /// Frame layouts, by template.
    pub layouts: Vec<Layout>,
    /// By template: what the lane knows of it, or why it is served in the general way alone.
    pub lanes: Vec<Result<Lane<'p>, Reason>>,
    /// Registered functions and bodies in Rust.
    pub natives: Natives,
    /// Values are kept of these executions alone: index of the instance, and count.
    pub captured_only: Option<(Index, u64)>,
    /// Tiers of expressions of rules.
    pub(crate) tiers: Tiers,
    /// Lowered scripts, by [`ScriptId`].
    pub machines: Vec<Option<Arc<Machine>>>,
    /// Native bodies and lowered ones, by template.
    pub native_bodies: Vec<Option<Arc<Registered>>>,
}

impl<'p> Program<'p> {
    /// Why no events of the program are served in columns, if they are not.
    #[inline]
    pub fn column_obstacle(&self) -> Option<Reason> {
        self.plan.orders_results.then_some(Site::Node.because(Cause::OrderedResults))
    }

    /// The integer or truth value that a slot of a template always holds, where that is known.
    pub(crate) fn known_slot(&self, template_id: TemplateId, slot_idx: usize) -> Option<Scalar> {
        let param = slot_idx.checked_sub(self.layouts[template_id.idx()].params.start)?;
        *self.known_params[self.plan.template(template_id).graph.idx()].get(param)?
    }

    /// Returns true if the body of a template certainly leaves what a slot is bound to as it is.
    pub(crate) fn keeps(&self, template: &Template, slot_idx: usize) -> bool {
        let writes = |routine: &Routine| {
            routine.objects.iter().any(|object| object.is_written && object.slot.idx() == slot_idx)
        };
        self.looks(template, |routine| !assigns(routine, slot_idx) && !writes(routine))
    }

    /// Returns true if the body of a template certainly leaves what a slot is bound to of the same type.
    pub(crate) fn keeps_type(&self, template: &Template, slot_idx: usize) -> bool {
        self.looks(template, |routine| !assigns(routine, slot_idx))
    }

    /// Returns true if something holds of the routine of a body, or there is no body.
    fn looks(&self, template: &Template, holds: impl Fn(&Routine) -> bool) -> bool {
        let script = match &template.body {
            None => return true,
            Some(Body::Native { .. }) => return false,
            Some(Body::Script(script)) => script,
        };
        let machine = self.machines.get(script.idx()).and_then(Option::as_ref);
        machine.is_some_and(|machine| holds(machine.routine()))
    }

    /// The value of an expression that was lowered to a routine; `None` where the interpreter is to evaluate it.
    #[inline]
    pub fn evaluate(&self, script: ScriptId, env: &Env<'_>) -> Option<Dynamic> {
        routines::evaluate(self.machines.get(script.idx())?.as_ref()?, env)
    }

    /// Evaluates code outside of any event: a default or an initial value. `param_names` and `params`
    /// go together, and so do `local_names` and `locals`.
    pub fn constant(
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
    pub fn param_names(&self, graph: GraphId) -> Vec<&'p str> {
        self.plan.graphs[graph.idx()].params.iter().map(|param| param.name.as_str()).collect()
    }

    /// Makes the graph instance that a call stands for, with an effective recording option: evaluates its
    /// creation parameters.
    pub fn enter(
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
        if let Some(Misfit { what, at, message }) = bounds::misfit(self.plan, call.graph, &params) {
            return Err(CodeError { code: "R0005", message: format!("{what} {message}"), at });
        }
        let path_hash = mix(parent.path_hash ^ FxBuildHasher.hash_one((&call.name, &index)));
        let place = CallPlace { parent: Arc::clone(parent), call: call_id, index };
        let (graph, depth) = (call.graph, parent.depth + 1);
        Ok(GraphInstance { id, graph, call: Some(place), depth, path_hash, params: params.into(), option })
    }
}

/// Returns true if a routine sets a slot anew.
fn assigns(routine: &Routine, slot_idx: usize) -> bool {
    let place = Place::Slot(SlotId::from_idx(slot_idx));
    routine.outputs.iter().any(|output| output.place == place)
        || routine.left.iter().any(|left| left.place == place)
}
