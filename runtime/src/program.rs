//! A plan made ready to run: scripts compiled, parameters evaluated, arcs looked up by port.

use hasse_model::plan::{Arc as PlanArc, Code, Plan, SlotKind, Template};
use hasse_model::value::Value;
use rhai::{AST, Dynamic, Engine, Identifier, Scope};

use crate::body::convert::{dynamic_from_value, value_from_dynamic};
use crate::body::script::{self, CodeError};
use crate::eval::{self, Env};
use crate::run::{RunOptions, RuntimeError};

/// A plan made ready to run. Shared by all workers, never written after loading.
pub(crate) struct Program<'p> {
    pub(crate) plan: &'p Plan,
    /// Compiled scripts, by [`ScriptId`](hasse_model::id::ScriptId).
    pub(crate) asts: Vec<AST>,
    /// Values of the creation parameters, by position.
    pub(crate) params: Vec<Dynamic>,
    /// Arcs by template and output port, in the order of the file.
    pub(crate) arcs_from: Vec<Vec<Vec<&'p PlanArc>>>,
    pub(crate) layouts: Vec<Layout>,
}

/// Where the kinds of names stand in a template's scope, as ranges of slot positions.
pub(crate) struct Layout {
    pub(crate) names: Vec<Identifier>,
    pub(crate) params: std::ops::Range<usize>,
    pub(crate) indices: std::ops::Range<usize>,
    pub(crate) vars: std::ops::Range<usize>,
    pub(crate) shared: std::ops::Range<usize>,
    pub(crate) bound: std::ops::Range<usize>,
    pub(crate) rule: usize,
    pub(crate) count: usize,
    /// Whether a routing rule needs the interpreter, and so may name what the body bound by `let`.
    pub(crate) routes_by_script: bool,
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
        let arcs_from = (0..plan.templates.len())
            .map(|template_idx| {
                let n_ports = plan.templates[template_idx].outputs.len();
                let mut arcs_of_ports = vec![Vec::new(); n_ports];
                for arc in plan.arcs.iter().filter(|arc| arc.source.idx() == template_idx) {
                    arcs_of_ports[arc.source_port].push(arc);
                }
                arcs_of_ports
            })
            .collect();
        let layouts = plan.templates.iter().map(Layout::of).collect();
        let mut program = Self { plan, asts, params: Vec::new(), arcs_from, layouts };
        program.params = program.param_values(options, engine)?;
        Ok(program)
    }

    fn param_values(&self, options: &RunOptions, engine: &Engine) -> Result<Vec<Dynamic>, RuntimeError> {
        if let Some((name, _)) =
            options.params.iter().find(|(name, _)| self.plan.params.iter().all(|param| param.name != *name))
        {
            return Err(RuntimeError::UnknownParam { name: name.clone() });
        }
        let mut values: Vec<Dynamic> = Vec::new();
        for param in &self.plan.params {
            let given = options.params.iter().rev().find(|(name, _)| *name == param.name);
            let value = match (given, &param.default) {
                (Some((_, value)), _) => value.clone(),
                (None, Some(code)) => {
                    let what = || format!("the default of parameter `{}`", param.name);
                    let names: Vec<_> = self.plan.params.iter().map(|param| param.name.as_str()).collect();
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

    pub(crate) fn path(&self, template_idx: usize, index: &hasse_model::id::Index) -> String {
        format!("/{}{index}", self.plan.templates[template_idx].name)
    }
}

impl Layout {
    fn of(template: &Template) -> Self {
        let is_script = |code: &Code| matches!(code, Code::Script(_));
        let routes_by_script = template.route.iter().any(|rule| {
            rule.guard.as_ref().is_some_and(is_script)
                || rule.sends.iter().any(|send| {
                    is_script(&send.value)
                        || send.elements.iter().any(is_script)
                        || send.loops.iter().any(|range| is_script(&range.low) || is_script(&range.high))
                })
        });
        Self {
            names: template.slots.iter().map(|slot| Identifier::from(slot.name.as_str())).collect(),
            params: template.slots_of(SlotKind::Param),
            indices: template.slots_of(SlotKind::Index),
            vars: template.slots_of(SlotKind::Var),
            shared: template.slots_of(SlotKind::Shared),
            bound: template.slots_of(SlotKind::Bound),
            rule: template.rule_slot().idx(),
            count: template.count_slot().idx(),
            routes_by_script,
        }
    }
}
