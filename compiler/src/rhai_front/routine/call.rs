//! Calls: of operators, of functions of the text, of functions of the library, and of functions that are registered in Rust.

use hasse_model::plan::routine::{Comparison, Kind, Measure, Op, Reg};
use hasse_model::value::Type;
use rhai::{Expr, FnCallExpr, Position};

use super::code::FunctionCode;
use super::expression::Val;
use super::held::{Held, Origin, Var};
use super::path::Route;
use super::whole::Arg;
use super::{Instance, Lowered, Lowerer, MOST_FUNCTIONS_DEEP};

impl Lowerer<'_> {
    /// A call; of a method if there is an object.
    pub(super) fn call(
        &mut self,
        call: &FnCallExpr,
        object: Option<Val>,
        position: Position,
    ) -> Lowered<Val> {
        let name = call.name.as_str();
        if let (Some(token), None) = (&call.op_token, &object)
            && call.is_operator_call()
        {
            if let Some(value) = self.presence(token, &call.args) {
                return Ok(value);
            }
            let operands = self.arguments(&call.args)?;
            let Some(operands) = Self::all_scalars(&operands) else {
                return self.operate_on_objects(token, operands, position);
            };
            let (reg, kind) = match operands[..] {
                [operand] => {
                    let (reg, kind) = self.operate_on_one(token, operand, position)?;
                    return Ok(Val::Scalar(reg, kind, reg != operand.0));
                }
                [one, other] => self.operate(token, one, other, position)?,
                _ => return Err(self.obstacle(position, "this operator is not compiled", None)),
            };
            return Ok(Val::Scalar(reg, kind, true));
        }
        if let Some(object) = object {
            return self.call_method(call, &object, position);
        }
        if let Some(function_place) = self.own_function(name, call.args.len()) {
            let arguments = self.scalars(&call.args)?;
            return self.call_own(function_place, &arguments, position);
        }
        self.call_library(call, position)
    }

    /// The function of the text that a call means.
    fn own_function(&self, name: &str, n_arguments: usize) -> Option<usize> {
        let is_meant =
            |function: &super::Function| function.name == name && function.params.len() == n_arguments;
        self.script_functions.iter().position(is_meant)
    }

    fn call_method(&mut self, call: &FnCallExpr, object: &Val, position: Position) -> Lowered<Val> {
        let name = call.name.as_str();
        if self.script_functions.iter().any(|function| function.name == name) {
            return Err(self.obstacle(position, "a method of the text itself is not compiled", None));
        }
        self.expect_scalar_native(name, call.args.len() + 1, position)?;
        if let Val::Object(route) = object
            && route.scalar_kind().is_none()
        {
            return self.look_into(route, name, &call.args, true, position);
        }
        self.call_with(object.clone(), name, &call.args, position)
    }

    /// A function of the library whose first argument is a scalar.
    fn call_with(&mut self, first: Val, name: &str, rest: &[Expr], position: Position) -> Lowered<Val> {
        let later: Vec<&Expr> = rest.iter().collect();
        let mut arguments = vec![self.argument(first, &later, position)?];
        arguments.extend(self.arguments(rest)?);
        match Self::all_scalars(&arguments) {
            Some(operands) => self.library_value(name, &operands, position),
            None => self.library_object(name, arguments, position),
        }
    }

    /// A function of the library that works on objects or gives one.
    fn library_object(&mut self, name: &str, arguments: Vec<Arg>, position: Position) -> Lowered<Val> {
        if !(self.names.has_own_function)(name)
            && let Some(value) = self.library_call(name, arguments, position)?
        {
            return Ok(value);
        }
        let message = format!("`{name}` is not compiled");
        Err(self.obstacle(position, &message, None))
    }

    fn call_library(&mut self, call: &FnCallExpr, position: Position) -> Lowered<Val> {
        let name = call.name.as_str();
        self.expect_scalar_native(name, call.args.len(), position)?;
        if let Some(value) = self.structure(name, &call.args, position)? {
            return Ok(value);
        }
        let Some((first, rest)) = call.args.split_first() else {
            return self.library_value(name, &[], position);
        };
        let first_value = self.value(first, true)?;
        if let Val::Object(route) = &first_value
            && route.scalar_kind().is_none()
        {
            return self.look_into(route, name, rest, false, position);
        }
        self.call_with(first_value, name, rest, position)
    }

    fn library_value(&mut self, name: &str, operands: &[(Reg, Kind)], position: Position) -> Lowered<Val> {
        if let Some(value) = self.native_function(name, operands, position)? {
            return Ok(value);
        }
        let has_own = (self.names.has_own_function)(name);
        if let Some((reg, kind)) = self.library_function(name, operands).filter(|_| !has_own) {
            let is_temporary = operands.iter().all(|operand| operand.0 != reg);
            return Ok(Val::Scalar(reg, kind, is_temporary));
        }
        let arguments = operands.iter().map(|(reg, kind)| Arg::Scalar(*reg, *kind)).collect();
        self.library_object(name, arguments, position)
    }

    /// What can be asked of an object, or done to it.
    fn look_into(
        &mut self,
        route: &Route,
        name: &str,
        arguments: &[Expr],
        is_method: bool,
        position: Position,
    ) -> Lowered<Val> {
        if let (Some(measure), []) = (route.measure(name), arguments) {
            return Ok(Val::Scalar(self.measure(route, measure), Kind::Int, true));
        }
        if let ("is_empty", []) = (name, arguments)
            && let Some(is_empty) = self.is_empty(route)
        {
            return Ok(is_empty);
        }
        match (name, arguments) {
            ("get", [row, col]) if route.is_matrix() => {
                let cell = self.cell(route, row, col, position)?;
                let reg = self.get(&cell, Kind::Real);
                Ok(Val::Scalar(reg, Kind::Real, true))
            }
            ("set", [row, col, value]) if route.is_matrix() => {
                let value = self.copied(value)?;
                if value.1 == Kind::Bool {
                    return Err(self.obstacle(
                        position,
                        "an entry of a matrix is a number, not a bool",
                        None,
                    ));
                }
                let value = self.real_of(value);
                let cell = self.cell(route, row, col, position)?;
                self.set(&cell, value, position)?;
                Ok(Val::Unit)
            }
            _ => match self.function_of_object(route, name, arguments, is_method, position)? {
                Some(value) => Ok(value),
                None => {
                    let message = format!("`{name}` of {} is not compiled", route.shown());
                    Err(self.obstacle(position, &message, None))
                }
            },
        }
    }

    /// Whether an array has no items.
    fn is_empty(&mut self, route: &Route) -> Option<Val> {
        let Type::Array(_) = route.ty() else { return None };
        let n_items = self.measure(route, Measure::Len);
        let zero = self.function.result(Kind::Int, |to| Op::Int(to, 0));
        let flag =
            self.function.result(Kind::Bool, |to| Op::CompareInts(Comparison::Equal, to, n_items, zero));
        Some(Val::Scalar(flag, Kind::Bool, true))
    }

    /// The size that a property asks for.
    pub(super) fn property(&mut self, object: &Val, name: &str, position: Position) -> Lowered<Val> {
        if let Val::Object(route) = object
            && route.scalar_kind().is_none()
        {
            if let Some(measure @ (Measure::Len | Measure::Rows | Measure::Cols)) = route.measure(name) {
                return Ok(Val::Scalar(self.measure(route, measure), Kind::Int, true));
            }
            if let Some(is_empty) = self.is_empty(route).filter(|_| name == "is_empty") {
                return Ok(is_empty);
            }
            let message = format!("`{name}` of {} is not compiled", route.shown());
            return Err(self.obstacle(position, &message, None));
        }
        let operand = object.scalar(self, position)?;
        let is_property = matches!(
            name,
            "floor" | "ceiling" | "round" | "int" | "fraction" | "is_nan" | "is_finite" | "is_infinite"
        );
        if is_property && operand.1 == Kind::Real {
            return self.library_value(name, &[operand], position);
        }
        Err(self.obstacle(position, &format!("the property `{name}` of {} is not compiled", operand.1), None))
    }

    fn call_own(&mut self, place: usize, arguments: &[(Reg, Kind)], position: Position) -> Lowered<Val> {
        let kinds: Vec<Kind> = arguments.iter().map(|argument| argument.1).collect();
        let instance_idx = self.instance(place, &kinds, position)?;
        let instance = &mut self.instances[instance_idx];
        instance.is_relied_on = true;
        let (function_idx, gives) = (instance.function_idx, instance.gives);
        let regs: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
        let operands = self.function.operands(&regs);
        Ok(match gives {
            Some(kind) => {
                let result = self.function.result(kind, |to| Op::Call(Some(to), function_idx, operands));
                Val::Scalar(result, kind, true)
            }
            None => {
                self.function.push(Op::Call(None, function_idx, operands));
                Val::Unit
            }
        })
    }

    /// The function for arguments of some kinds, lowered if it is not yet.
    fn instance(&mut self, place: usize, kinds: &[Kind], position: Position) -> Lowered<usize> {
        let name = self.script_functions[place].name.clone();
        let is_it = |instance: &Instance| instance.name == name && instance.arguments == kinds;
        if let Some(known) = self.instances.iter().position(is_it) {
            return Ok(known);
        }
        if self.n_deep == MOST_FUNCTIONS_DEEP {
            return Err(self.obstacle(position, "functions call each other too deep to be compiled", None));
        }
        let (n_instances, n_functions) = (self.instances.len(), self.parts.functions.len());
        // What a function gives that calls itself is found by assuming it, and looking whether it does.
        let mut found_first = None;
        for gives in [Some(Kind::Int), Some(Kind::Real), Some(Kind::Bool), None] {
            self.instances.truncate(n_instances);
            self.parts.functions.truncate(n_functions);
            self.parts.functions.push(None);
            let (name, arguments, function_idx) = (name.clone(), kinds.to_vec(), n_functions as u32);
            self.instances.push(Instance { name, arguments, function_idx, gives, is_relied_on: false });
            let found = self.lower_function(place, kinds, n_functions);
            let instance = &mut self.instances[n_instances];
            match found {
                Ok(found) if !instance.is_relied_on || found == gives => {
                    instance.gives = found;
                    return Ok(n_instances);
                }
                Err(obstacle) if !instance.is_relied_on => return Err(obstacle),
                Err(obstacle) => found_first = found_first.or(Some(obstacle)),
                Ok(_) => {}
            }
        }
        let message = format!("what `{name}` gives depends on itself");
        Err(found_first.unwrap_or_else(|| self.obstacle(position, &message, None)))
    }

    fn lower_function(&mut self, place: usize, kinds: &[Kind], function_idx: usize) -> Lowered<Option<Kind>> {
        let params = self.script_functions[place].params.clone();
        let statements = std::mem::take(&mut self.script_functions[place].statements);
        let mut function = FunctionCode::default();
        function.n_params = kinds.len();
        let vars = params.iter().zip(kinds).map(|(name, kind)| {
            let held = Held::Scalar(function.register(*kind), *kind);
            Var { name: name.clone(), held, origin: Origin::Inner, is_assignable: true }
        });
        let vars = vars.collect();
        let outer = (
            std::mem::replace(&mut self.function, function),
            std::mem::replace(&mut self.vars, vars),
            std::mem::take(&mut self.loops),
            std::mem::replace(&mut self.is_outermost, false),
            self.gives.take(),
            std::mem::replace(&mut self.is_in_function, true),
        );
        // A function that calls itself finds its statements again.
        self.script_functions[place].statements.clone_from(&statements);
        self.n_deep += 1;
        let ended = self.block(&statements, true).and_then(|value| {
            if self.function.is_reachable { self.end_function(value, Position::NONE) } else { Ok(()) }
        });
        self.n_deep -= 1;
        let function = std::mem::replace(&mut self.function, outer.0);
        self.vars = outer.1;
        self.loops = outer.2;
        self.is_outermost = outer.3;
        let gives = std::mem::replace(&mut self.gives, outer.4).flatten();
        self.is_in_function = outer.5;
        ended?;
        let name = self.script_functions[place].name.clone();
        self.parts.functions[function_idx] = Some(function.finish(name, gives));
        Ok(gives)
    }

    /// Ends a function of the text with what it gives.
    pub(super) fn end_function(&mut self, value: Val, position: Position) -> Lowered<()> {
        let given = match &value {
            Val::Unit => None,
            Val::Never => return Ok(()),
            other => Some(other.scalar(self, position)?),
        };
        let kind = given.map(|(_, kind)| kind);
        if *self.gives.get_or_insert(kind) != kind {
            let help = "let all its ways give the same kind";
            return Err(self.obstacle(position, "this function gives values of different kinds", Some(help)));
        }
        self.function.end(given.map(|(reg, _)| reg));
        Ok(())
    }
}
