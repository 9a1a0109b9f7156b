//! Calls: of operators, of functions of the text, of functions of the library, and of functions that are registered in Rust.

use hasse_model::plan::routine::{Comparison, Kind, Measure, Op, Reg};
use hasse_model::value::Type;
use rhai::{Expr, FnCallExpr, Position};

use super::MOST_FUNCTIONS_DEEP;
use super::code::FunctionCode;
use super::held::{Held, Origin, Var};
use super::lowerer::{Given, Instance, Lowered, Lowerer, Taken};
use super::route::Route;
use super::val::Val;
use super::whole::Arg;

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
        let own_function = self.own_function(name, call.args.len());
        if let ("print", [] | [_], None, None) = (name, &call.args[..], own_function, &object) {
            return self.print(call.args.first(), position);
        }
        if let ("result", [Expr::StringConstant(named, _), value], None, None) =
            (name, &call.args[..], own_function, &object)
        {
            return self.set_result(named, value, position);
        }
        if let (None, None, Some(signature)) =
            (&object, own_function, self.names.functions.asked(name, call.args.len()))
            && !(self.names.has_own_function)(name)
        {
            return self.ask(name, signature, &call.args, position);
        }
        if own_function.is_none() && self.names.functions.get(name).is_some_and(|facts| facts.in_body_only) {
            // What is outside of the subset is the call, not what it is handed.
            return Err(self.foreign(position, &format!("`{name}` is not compiled")));
        }
        if let Some(object) = object {
            return self.call_method(call, &object, position);
        }
        if let Some(function_place) = own_function {
            let arguments = self.arguments(&call.args)?;
            return self.call_own(function_place, arguments, position);
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
        if let Some(native) = self.native(name, call.args.len() + 1) {
            let later: Vec<&Expr> = call.args.iter().collect();
            let mut arguments = vec![self.argument(object.clone(), &later, position)?];
            arguments.extend(self.arguments(&call.args)?);
            return self.call_native(name, native, &arguments, position);
        }
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
        Err(self.foreign(position, &message))
    }

    fn call_library(&mut self, call: &FnCallExpr, position: Position) -> Lowered<Val> {
        let name = call.name.as_str();
        if let Some(native) = self.native(name, call.args.len()) {
            let arguments = self.arguments(&call.args)?;
            return self.call_native(name, native, &arguments, position);
        }
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
                    Err(self.foreign(position, &message))
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
            return Err(self.foreign(position, &message));
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

    fn call_own(&mut self, place: usize, arguments: Vec<Arg>, position: Position) -> Lowered<Val> {
        let mut taken = Vec::with_capacity(arguments.len());
        let mut regs = Vec::new();
        for argument in arguments {
            taken.push(match argument {
                Arg::Scalar(reg, kind) => {
                    regs.push(reg);
                    Taken::Scalar(kind)
                }
                Arg::Object(route, n_writes) => {
                    self.expect_unchanged(&route, n_writes, position)?;
                    Taken::Object(match route.whole() {
                        Some(object) => object,
                        None => self.held_copy(route, position)?,
                    })
                }
            });
        }
        let instance_idx = self.instance(place, &taken, position)?;
        if let Some(level) = self.active.iter().position(|&active| active == instance_idx) {
            for &active in &self.active[level..] {
                self.instances[active].is_recursive = true;
            }
        }
        let instance = &mut self.instances[instance_idx];
        instance.is_relied_on = true;
        let (function_idx, gives) = (instance.function_idx, instance.gives);
        let name = format!("what `{}` gives", instance.name);
        let operands = self.function.operands(&regs);
        Ok(match gives {
            Given::Scalar(kind) => {
                let result = self.function.result(kind, |to| Op::Call(Some(to), function_idx, operands));
                Val::Scalar(result, kind, true)
            }
            Given::Nothing => {
                self.function.push(Op::Call(None, function_idx, operands));
                Val::Unit
            }
            Given::Object(object) => {
                self.function.push(Op::Call(None, function_idx, operands));
                self.writes[object as usize] += 1;
                Val::Object(Route::given(object, &self.object_type(object), name))
            }
        })
    }

    /// The function for some arguments, lowered if it is not yet.
    fn instance(&mut self, place: usize, taken: &[Taken], position: Position) -> Lowered<usize> {
        let name = self.script_functions[place].name.clone();
        let is_it = |instance: &Instance| instance.name == name && instance.arguments == taken;
        if let Some(known) = self.instances.iter().position(is_it) {
            return Ok(known);
        }
        let is_same = |&active: &usize| self.instances[active].name == name;
        if self.active.iter().any(is_same) && taken.iter().any(|taken| matches!(taken, Taken::Object(_))) {
            let message = format!("`{name}` calls itself with another object than it was given");
            return Err(self.obstacle(position, &message, None));
        }
        if self.active.len() == MOST_FUNCTIONS_DEEP {
            return Err(self.obstacle(position, "functions call each other too deep to be compiled", None));
        }
        let (n_instances, n_functions) = (self.instances.len(), self.parts.functions.len());
        // What a function gives that calls itself is found by assuming it, and looking whether it does.
        let mut found_first = None;
        let scalars = [Kind::Int, Kind::Real, Kind::Bool].map(Given::Scalar);
        for gives in scalars.into_iter().chain([Given::Nothing]) {
            self.instances.truncate(n_instances);
            self.parts.functions.truncate(n_functions);
            self.parts.functions.push(None);
            self.instances.push(Instance {
                name: name.clone(),
                arguments: taken.to_vec(),
                function_idx: n_functions as u32,
                gives,
                is_relied_on: false,
                is_recursive: false,
                makes_object: None,
            });
            self.active.push(n_instances);
            let found = self.lower_function(place, taken, n_functions);
            self.active.pop();
            let instance = &mut self.instances[n_instances];
            match found {
                Ok(found) if !instance.is_relied_on || found == gives => {
                    instance.gives = found;
                    return Ok(n_instances);
                }
                Err(stop) if !instance.is_relied_on => return Err(stop),
                Err(stop) => found_first = found_first.or(Some(stop)),
                Ok(_) => {}
            }
        }
        let message = format!("what `{name}` gives depends on itself");
        Err(found_first.unwrap_or_else(|| self.obstacle(position, &message, None)))
    }

    fn lower_function(&mut self, place: usize, taken: &[Taken], function_idx: usize) -> Lowered<Given> {
        let params = self.script_functions[place].params.clone();
        let statements = std::mem::take(&mut self.script_functions[place].statements);
        let mut function = FunctionCode::default();
        let vars = params.iter().zip(taken).map(|(name, taken)| {
            let held = match *taken {
                Taken::Scalar(kind) => Held::Scalar(function.register(kind), kind),
                Taken::Object(object) => Held::Lent(object),
            };
            Var { name: name.clone(), held, origin: Origin::Inner, is_assignable: true }
        });
        let vars = vars.collect();
        function.n_params = function.kinds.len();
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
        let ended = self.block(&statements, true).and_then(|value| {
            if self.function.is_reachable { self.end_function(value, Position::NONE) } else { Ok(()) }
        });
        let function = std::mem::replace(&mut self.function, outer.0);
        self.vars = outer.1;
        self.loops = outer.2;
        self.is_outermost = outer.3;
        let gives = std::mem::replace(&mut self.gives, outer.4).unwrap_or(Given::Nothing);
        self.is_in_function = outer.5;
        ended?;
        let name = self.script_functions[place].name.clone();
        let kind = match gives {
            Given::Scalar(kind) => Some(kind),
            Given::Nothing | Given::Object(_) => None,
        };
        self.parts.functions[function_idx] = Some(function.finish(name, kind));
        Ok(gives)
    }

    /// Ends a function of the text with what it gives.
    pub(super) fn end_function(&mut self, value: Val, position: Position) -> Lowered<()> {
        let mut reg = None;
        let given = match value {
            Val::Unit => Given::Nothing,
            Val::Never => return Ok(()),
            Val::Object(route) if route.scalar_kind().is_none() => {
                let object = match self.gives {
                    Some(Given::Object(object)) => {
                        self.put_into(object, route, position)?;
                        object
                    }
                    _ => self.held_copy(route, position)?,
                };
                Given::Object(object)
            }
            other => {
                let (given, kind) = other.scalar(self, position)?;
                reg = Some(given);
                Given::Scalar(kind)
            }
        };
        if *self.gives.get_or_insert(given) != given {
            let help = "let all its ways give the same kind";
            return Err(self.obstacle(position, "this function gives values of different kinds", Some(help)));
        }
        self.function.end(reg);
        Ok(())
    }
}
