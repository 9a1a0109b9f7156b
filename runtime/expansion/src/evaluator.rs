//! Evaluation of code of which some names are unknown. What cannot be evaluated without a run has no value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::edge::default_of;
use hasse_body::effects::SharedContext;
use hasse_body::interrupt::StopSignal;
use hasse_body::script;
use hasse_code::eval::length;
use hasse_code::partial;
use hasse_code::partial::{Scalar, scalar_of};
use hasse_model::plan::{Call, Code, Expr, Graph, Param, Plan, Slot};
use hasse_model::value::{Type, Value};
use hasse_request::options::RuntimeError;
use rhai::{AST, Dynamic, Engine, Scope};

/// Maximum number of steps of an expansion: of the interpreter, and of values on their ways.
const MAX_STEPS: u64 = 2_000_000;
/// Maximum number of steps of one script.
const MAX_SCRIPT_STEPS: u64 = 50_000;

/// A value of a name, where it is known.
pub(crate) type Known = Option<Dynamic>;

/// Names that code may use.
#[derive(Clone, Copy, Default)]
pub(crate) struct Names<'a> {
    /// Slots of a template, and their values.
    pub(crate) slots: (&'a [Slot], &'a [Known]),
    /// Parameters of a graph, and their values.
    pub(crate) params: (&'a [Param], &'a [Known]),
    /// Loop or index variables, and their values. Their names may be left out where code is no script.
    pub(crate) locals: (&'a [&'a str], &'a [Option<i64>]),
}

/// An interpreter with a budget of steps.
pub(crate) struct Evaluator<'p> {
    plan: &'p Plan,
    engine: Engine,
    /// Scripts that were compiled; `Some(None)` where one could not be.
    asts: Vec<Option<Option<AST>>>,
    n_steps: Arc<AtomicU64>,
    /// Step at which the script under way is given up.
    ends_at: Arc<AtomicU64>,
}

impl<'p> Evaluator<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let mut engine = script::engine(&SharedContext::default(), &StopSignal::default(), &plan.structs);
        let n_steps = Arc::new(AtomicU64::new(0));
        let ends_at = Arc::new(AtomicU64::new(MAX_SCRIPT_STEPS));
        let (counted, end) = (Arc::clone(&n_steps), Arc::clone(&ends_at));
        engine.on_progress(move |_| {
            let n_steps = counted.fetch_add(1, Ordering::Relaxed);
            (n_steps >= end.load(Ordering::Relaxed)).then_some(Dynamic::UNIT)
        });
        Self { plan, engine, asts: vec![None; plan.scripts.len()], n_steps, ends_at }
    }

    /// Takes steps from the budget; returns whether it is not used up.
    pub(crate) fn step(&self, n_steps: u64) -> bool {
        self.n_steps.fetch_add(n_steps, Ordering::Relaxed) < MAX_STEPS
    }

    /// Returns the value of code, where it is known.
    pub(crate) fn value(&mut self, code: &Code, names: &Names<'_>) -> Known {
        let script = match code {
            Code::Expr(Expr::Slot(slot)) => return names.slots.1.get(slot.idx())?.clone(),
            Code::Expr(Expr::Param(param)) => return names.params.1.get(*param as usize)?.clone(),
            Code::Expr(expr) => {
                return Some(match scalar(expr, names)? {
                    Scalar::Int(number) => Dynamic::from_int(number),
                    Scalar::Bool(flag) => Dynamic::from_bool(flag),
                });
            }
            Code::Script(script) => *script,
        };
        let text = self.plan.scripts.get(script.idx())?;
        let compiled = self.asts.get_mut(script.idx())?;
        let ast = compiled.get_or_insert_with(|| script::compile(&self.engine, text).ok()).as_ref()?;
        // A name that is not in the scope is an error of the script, so that it has no value.
        let mut scope = Scope::new();
        let named = |name: &str, value: &Known, scope: &mut Scope<'_>| {
            if let Some(value) = value {
                scope.push_dynamic(name.to_owned(), value.clone());
            }
        };
        for (slot, value) in names.slots.0.iter().zip(names.slots.1) {
            named(&slot.name, value, &mut scope);
        }
        for (param, value) in names.params.0.iter().zip(names.params.1) {
            named(&param.name, value, &mut scope);
        }
        for (name, number) in names.locals.0.iter().zip(names.locals.1) {
            named(name, &number.map(Dynamic::from_int), &mut scope);
        }
        let n_steps = self.n_steps.load(Ordering::Relaxed);
        self.ends_at.store(MAX_STEPS.min(n_steps.saturating_add(MAX_SCRIPT_STEPS)), Ordering::Relaxed);
        script::eval(&self.engine, ast, text, &mut scope).ok()
    }

    /// Returns the value of code that is an integer, where it is known.
    pub(crate) fn int(&mut self, code: &Code, names: &Names<'_>) -> Option<i64> {
        self.value(code, names)?.as_int().ok()
    }

    /// Returns the value of a guard, where it is known.
    pub(crate) fn flag(&mut self, code: &Code, names: &Names<'_>) -> Option<bool> {
        self.value(code, names)?.as_bool().ok()
    }

    /// Returns the values of the main graph's parameters.
    pub(crate) fn main_params(&mut self, given: &[(String, Value)]) -> Result<Vec<Known>, RuntimeError> {
        let declared = self.plan.params();
        if let Some((name, _)) =
            given.iter().find(|(name, _)| declared.iter().all(|param| param.name != *name))
        {
            return Err(RuntimeError::UnknownParam { name: name.clone() });
        }
        let mut values: Vec<Known> = Vec::new();
        for param in declared {
            let given = given.iter().rev().find(|(name, _)| *name == param.name);
            let value = match (given, &param.default) {
                (Some((_, value)), _) => {
                    let shown = value.to_string();
                    let admitted = param.ty.admit(value.clone()).ok_or_else(|| RuntimeError::ParamType {
                        name: param.name.clone(),
                        ty: param.ty.to_string(),
                        value: shown,
                    })?;
                    Some(dynamic_from_value(admitted))
                }
                (None, Some(default)) => {
                    let names = Names { params: (declared, &values), ..Names::default() };
                    self.value(default, &names).and_then(|held| admitted(&param.ty, &held))
                }
                (None, None) => {
                    return Err(RuntimeError::MissingParam {
                        name: param.name.clone(),
                        ty: param.ty.to_string(),
                    });
                }
            };
            values.push(value);
        }
        Ok(values)
    }

    /// Returns the parameters that a call of an index passes.
    pub(crate) fn call_params(
        &mut self,
        call: &Call,
        (owner, params): (&Graph, &[Known]),
        index: &[Option<i64>],
    ) -> Vec<Known> {
        let declared = &self.plan.graphs[call.graph.idx()].params;
        let index_names: Vec<&str> = call.index_names.iter().map(String::as_str).collect();
        let mut values: Vec<Known> = Vec::with_capacity(declared.len());
        for (param, arg) in declared.iter().zip(&call.args) {
            let value = match (arg, &param.default) {
                (Some(arg), _) => {
                    let (params, locals) = ((owner.params.as_slice(), params), (&index_names[..], index));
                    self.value(&arg.code, &Names { params, locals, ..Names::default() })
                }
                (None, Some(default)) => {
                    let names = Names { params: (declared, &values), ..Names::default() };
                    self.value(default, &names)
                }
                (None, None) => default_of(&param.ty, call.at).ok().map(dynamic_from_value),
            };
            values.push(value.and_then(|held| admitted(&param.ty, &held)));
        }
        values
    }
}

/// Returns a value as one of a type; `None` where it does not fit, so that a run fails.
fn admitted(ty: &Type, held: &Dynamic) -> Known {
    let value = value_from_dynamic(held).ok()?;
    ty.admit(value).map(dynamic_from_value)
}

fn scalar(expr: &Expr, names: &Names<'_>) -> Option<Scalar> {
    partial::eval(expr, names.locals.1, &|expr| match expr {
        Expr::Slot(slot) => scalar_of(names.slots.1.get(slot.idx())?.as_ref()?),
        Expr::Param(param) => scalar_of(names.params.1.get(*param as usize)?.as_ref()?),
        Expr::Length(slot) => {
            let n_items = length(names.slots.1.get(slot.idx())?.as_ref()?)?;
            Some(Scalar::Int(i64::try_from(n_items).ok()?))
        }
        _ => None,
    })
}

/// Returns the value of an index expression of an arc or share line, where it is known.
pub(crate) fn index_number(expr: &Expr, locals: &[Option<i64>], params: &[Known]) -> Option<i64> {
    scalar(expr, &Names { params: (&[], params), locals: (&[], locals), ..Names::default() })?.int()
}

/// Returns the truth value of an expression over a template's names, where it is known.
pub(crate) fn truth(expr: &Expr, slots: &[Known]) -> Option<bool> {
    match scalar(expr, &Names { slots: (&[], slots), ..Names::default() })? {
        Scalar::Bool(flag) => Some(flag),
        Scalar::Int(_) => None,
    }
}
