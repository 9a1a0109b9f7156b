//! Objects as wholes: what makes, copies and changes them.
//!
//! Each place in the text that makes an object has one of the routine's own for it, and so has each name that is bound to one. What
//! items an array holds is found by what is put into it: `[]` holds items of a type that is not known yet.

use hasse_model::plan::routine::{Answer, Argument, Computation, Kind, LibraryFunction, Op, Reg, What};
use hasse_model::value::Type;
use rhai::{Expr, Position, Token};

use super::expression::{Val, has_statements};
use super::path::Route;
use super::{Lowered, Lowerer, Stop};

/// What is handed to a function, an operator or an array that is made.
pub(super) enum Arg {
    Scalar(Reg, Kind),
    /// A part, and how often its object had been changed when it was named.
    Object(Route, usize),
}

/// That what stands at the end of one way is put where another one leads: their types must fit when all is known.
pub(super) struct Claim {
    target: Route,
    /// Whether it becomes an item of the array there.
    as_item: bool,
    source: Route,
    position: Position,
}

/// A type of values that routines have as objects.
pub(super) fn is_of_objects(ty: &Type) -> bool {
    matches!(ty, Type::Vector | Type::Matrix | Type::Array(_) | Type::Struct(_) | Type::String)
}

/// The type that both are, where `any` stands for what is not known yet.
fn unified(one: &Type, other: &Type) -> Option<Type> {
    match (one, other) {
        (Type::Any, ty) | (ty, Type::Any) => Some(ty.clone()),
        (Type::Array(ones), Type::Array(others)) => Some(Type::Array(Box::new(unified(ones, others)?))),
        _ => (one == other).then(|| one.clone()),
    }
}

impl Lowerer<'_> {
    /// The type of an object, as far as it is known.
    pub(super) fn object_type(&self, object: u32) -> Type {
        let object_idx = object as usize;
        match object_idx.checked_sub(self.parts.objects.len()) {
            None => self.parts.objects[object_idx].ty.clone(),
            Some(own_idx) => self.parts.own_objects[own_idx].clone(),
        }
    }

    fn own_type_mut(&mut self, object: u32) -> Option<&mut Type> {
        let own_idx = (object as usize).checked_sub(self.parts.objects.len())?;
        self.parts.own_objects.get_mut(own_idx)
    }

    /// An object of the routine's own.
    fn own_object(&mut self, ty: Type, position: Position) -> Lowered<u32> {
        if let Some(&active) = self.active.last() {
            self.instances[active].makes_object.get_or_insert(position);
        }
        if !is_of_objects(&ty) {
            let message = match ty {
                Type::Any => "what the items of this array are is not known here".to_owned(),
                ty => format!("values of type {ty} are not compiled"),
            };
            return Err(self.obstacle(position, &message, None));
        }
        self.parts.own_objects.push(ty);
        self.writes.push(0);
        Ok((self.parts.objects.len() + self.parts.own_objects.len() - 1) as u32)
    }

    /// What expressions hand over, in order.
    pub(super) fn arguments<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
    ) -> Lowered<Vec<Arg>> {
        let expressions: Vec<&Expr> = expressions.into_iter().collect();
        let mut arguments = Vec::with_capacity(expressions.len());
        for (place, expression) in expressions.iter().enumerate() {
            let value = self.value(expression, true)?;
            let later = &expressions[place + 1..];
            arguments.push(self.argument(value, later, expression.start_position())?);
        }
        Ok(arguments)
    }

    /// A value that is handed over before others are evaluated.
    pub(super) fn argument(&mut self, value: Val, later: &[&Expr], position: Position) -> Lowered<Arg> {
        Ok(match value {
            Val::Object(route) if route.scalar_kind().is_none() => {
                let n_writes = self.n_writes(&route);
                Arg::Object(route, n_writes)
            }
            value => {
                let value = match value {
                    Val::Scalar(reg, kind, false) if later.iter().any(|later| has_statements(later)) => {
                        Val::Scalar(self.function.result(kind, |to| Op::Copy(to, reg)), kind, true)
                    }
                    value => value,
                };
                let (reg, kind) = value.scalar(self, position)?;
                Arg::Scalar(reg, kind)
            }
        })
    }

    /// The scalars, if all of them are.
    pub(super) fn all_scalars(arguments: &[Arg]) -> Option<Vec<(Reg, Kind)>> {
        let scalar = |argument: &Arg| match argument {
            Arg::Scalar(reg, kind) => Some((*reg, *kind)),
            Arg::Object(..) => None,
        };
        arguments.iter().map(scalar).collect()
    }

    fn type_of(argument: &Arg) -> Type {
        match argument {
            Arg::Scalar(_, kind) => kind.ty(),
            Arg::Object(route, _) => route.ty().clone(),
        }
    }

    /// Adds a computation.
    fn compute(
        &mut self,
        what: What,
        arguments: &[Arg],
        result: Answer,
        to: Option<Reg>,
        position: Position,
    ) -> Lowered<()> {
        let mut regs = Vec::new();
        let mut handed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            handed.push(match argument {
                Arg::Scalar(reg, kind) => {
                    regs.push(*reg);
                    Argument::Scalar(*kind)
                }
                Arg::Object(route, n_writes) => {
                    self.expect_unchanged(route, *n_writes, position)?;
                    regs.extend_from_slice(route.operands());
                    Argument::Part(self.path(route))
                }
            });
        }
        let computation_idx = self.computation(Computation { what, arguments: handed, result });
        let operands = self.function.operands(&regs);
        self.function.push(Op::Compute(to, computation_idx, operands));
        Ok(())
    }

    /// Makes sure that a part is what it was when it was named.
    pub(super) fn expect_unchanged(&self, route: &Route, n_writes: usize, position: Position) -> Lowered<()> {
        if self.n_writes(route) == n_writes {
            return Ok(());
        }
        let message = format!("{} is changed while it is handed over", route.shown());
        Err(self.obstacle(position, &message, Some("do both in statements of their own")))
    }

    fn computation(&mut self, computation: Computation) -> u32 {
        let known = self.parts.computations.iter().position(|known| *known == computation);
        known.unwrap_or_else(|| {
            self.parts.computations.push(computation);
            self.parts.computations.len() - 1
        }) as u32
    }

    /// Makes an object of a type.
    fn made(&mut self, what: What, arguments: &[Arg], ty: Type, position: Position) -> Lowered<Val> {
        let object = self.own_object(ty.clone(), position)?;
        self.compute(what, arguments, Answer::Object(object), None, position)?;
        Ok(Val::Object(Route::made(object, ty)))
    }

    /// Computes a scalar.
    fn scalar_made(&mut self, what: What, arguments: &[Arg], kind: Kind, position: Position) -> Lowered<Val> {
        let reg = self.function.register(kind);
        self.compute(what, arguments, Answer::Scalar(kind), Some(reg), position)?;
        Ok(Val::Scalar(reg, kind, true))
    }

    /// Changes what stands at the end of a way.
    fn change(&mut self, what: What, target: &Route, others: Vec<Arg>, position: Position) -> Lowered<()> {
        let mut arguments = vec![Arg::Object(target.clone(), self.n_writes(target))];
        arguments.extend(others);
        self.compute(what, &arguments, Answer::Nothing, None, position)?;
        self.note_write(target, position)
    }

    /// `[x, y]`.
    pub(super) fn array(&mut self, items: &[Expr], position: Position) -> Lowered<Val> {
        let arguments = self.arguments(items)?;
        let mut item_type = Some(Type::Any);
        for argument in &arguments {
            self.expect_no_mix(argument, position)?;
            item_type = item_type.and_then(|known| unified(&known, &Self::type_of(argument)));
        }
        let is_mixed = item_type.is_none();
        let ty = Type::Array(Box::new(item_type.unwrap_or(Type::Any)));
        let made = self.made(What::Array, &arguments, ty, position)?;
        if let Val::Object(route) = &made {
            if is_mixed {
                self.mixed.insert(route.object());
            }
            for argument in arguments {
                self.claim(route, true, argument, position);
            }
        }
        Ok(made)
    }

    /// An array of items of different types can be handed to the library and left, and that is all.
    fn expect_no_mix(&self, argument: &Arg, position: Position) -> Lowered<()> {
        match argument {
            Arg::Object(route, _) if self.mixed.contains(&route.object()) => {
                let message = format!("{} has items of different types", route.shown());
                let help = "write all its numbers as reals, as `1.0`, or all as ints";
                Err(self.obstacle(position, &message, Some(help)))
            }
            _ => Ok(()),
        }
    }

    /// Notes that an object is put where a way leads.
    fn claim(&mut self, target: &Route, as_item: bool, argument: Arg, position: Position) {
        let is_mixed = self.mixed.contains(&target.object());
        if let Arg::Object(source, _) = argument
            && !is_mixed
        {
            self.claims.push(Claim { target: target.clone(), as_item, source, position });
        }
    }

    /// Looks whether all that was put somewhere fits there, now that all types are known.
    pub(super) fn settle_claims(&mut self) -> Lowered<()> {
        for claim in std::mem::take(&mut self.claims) {
            let end_of = |route: &Route| route.end(&self.object_type(route.object()));
            let target = match (end_of(&claim.target), claim.as_item) {
                (Some(Type::Array(items)), true) => Some(*items),
                (end, false) => end,
                _ => None,
            };
            let source = end_of(&claim.source);
            let fits = target.zip(source).is_some_and(|(target, source)| unified(&target, &source).is_some());
            if !fits {
                let message = format!("{} holds items of different types", claim.target.shown());
                return Err(self.obstacle(claim.position, &message, None));
            }
        }
        Ok(())
    }

    /// Takes note that what stands at the end of a way of the routine's own object is of a type.
    fn refine(&mut self, route: &Route, ty: &Type) {
        let mut end = route.clone();
        if let Some(own) = self.own_type_mut(route.object()) {
            end.refine(own, ty);
        }
    }

    /// Makes sure that an item fits the array that it is put into.
    fn expect_item(&mut self, array: &Route, item: &Arg, position: Position) -> Lowered<()> {
        self.expect_no_mix(item, position)?;
        self.expect_no_mix(&Arg::Object(array.clone(), 0), position)?;
        let Some(Type::Array(items)) = array.end(&self.object_type(array.object())) else { return Ok(()) };
        let found = Self::type_of(item);
        match unified(&items, &found) {
            Some(ty) => {
                self.refine(array, &Type::Array(Box::new(ty)));
                Ok(())
            }
            None => {
                let message = format!("{} holds items of type {items}, but is given {found}", array.shown());
                let help = "let all items be of one type, as by `to_real(x)`";
                Err(self.obstacle(position, &message, Some(help)))
            }
        }
    }

    /// A copy for a name to hold; what has just been made is taken as it is.
    pub(super) fn held_copy(&mut self, route: Route, position: Position) -> Lowered<u32> {
        if route.is_made() {
            return Ok(route.object());
        }
        let object = self.own_object(route.ty().clone(), position)?;
        self.put_into(object, route, position)?;
        Ok(object)
    }

    /// Lets an object be what stands at the end of a way.
    pub(super) fn put_into(&mut self, object: u32, route: Route, position: Position) -> Lowered<()> {
        let ty = self.object_type(object);
        let target = Route::of_object(object, &ty, "");
        let argument = Arg::Object(route.clone(), self.n_writes(&route));
        self.expect_no_mix(&argument, position)?;
        let Some(both) = unified(&ty, route.ty()) else {
            let message = format!("{} is {}, but was {ty}", route.shown(), route.ty());
            return Err(self.obstacle(position, &message, Some("use a name for values of one type")));
        };
        self.refine(&target, &both);
        if route.is_made()
            && let Some((last, operands)) = self.function.last_computation()
            && self.parts.computations[last as usize].result == Answer::Object(route.object())
        {
            // It is made where it goes.
            let computation = self.parts.computations[last as usize].clone();
            let moved = self.computation(Computation { result: Answer::Object(object), ..computation });
            self.function.replace_last(Op::Compute(None, moved, operands));
            // What its items are is known by what was put into it.
            self.refine(&route, &both);
        } else {
            self.compute(What::Copied, &[argument], Answer::Object(object), None, position)?;
        }
        self.claim(&target, false, Arg::Object(route, 0), position);
        self.note_write(&target, position)
    }

    /// Puts an object in the place of a part.
    pub(super) fn put_part(&mut self, target: &Route, value: Route, position: Position) -> Lowered<()> {
        let argument = Arg::Object(value.clone(), self.n_writes(&value));
        self.expect_no_mix(&argument, position)?;
        let Some(both) = unified(target.ty(), value.ty()) else {
            let message = format!("{} is {}, but is assigned {}", target.shown(), target.ty(), value.ty());
            return Err(self.obstacle(position, &message, None));
        };
        self.refine(target, &both);
        self.change(What::Put, target, vec![argument], position)?;
        self.claim(target, false, Arg::Object(value, 0), position);
        Ok(())
    }

    /// Takes note of what the part is that a scalar is written to, where that is not known yet.
    pub(super) fn expect_part(&mut self, target: Route, kind: Kind) -> Route {
        if *target.ty() != Type::Any {
            return target;
        }
        self.refine(&target, &kind.ty());
        target.of_type(kind.ty())
    }

    /// `x += y` and the like, where x is an object.
    pub(super) fn operate_in_place(
        &mut self,
        operator: &Token,
        target: &Route,
        value: Arg,
        position: Position,
    ) -> Lowered<()> {
        let sign = operator.literal_syntax();
        let value_type = Self::type_of(&value);
        if let Type::Array(_) = target.ty() {
            return match (sign, &value_type) {
                ("+", Type::Array(_)) => self.append(target, value, position),
                ("+", _) => self.push_item(target, value, position),
                _ => Err(self.no_operator(operator, &[target.ty().clone(), value_type], position)),
            };
        }
        let types = [target.ty().clone(), value_type];
        let name = format!("{sign}=");
        match self.library_function_of(&name, &types) {
            Some((function, None)) => self.change(What::Library(function), target, vec![value], position),
            _ => Err(self.no_operator(operator, &types, position)),
        }
    }

    /// An operator with an object among its operands.
    pub(super) fn operate_on_objects(
        &mut self,
        token: &Token,
        operands: Vec<Arg>,
        position: Position,
    ) -> Lowered<Val> {
        let types: Vec<Type> = operands.iter().map(Self::type_of).collect();
        match (token, &types[..]) {
            (Token::EqualsTo | Token::NotEqualsTo, [Type::String, Type::String]) => {
                let equal = self.scalar_made(What::EqualTexts, &operands, Kind::Bool, position)?;
                if *token == Token::EqualsTo {
                    return Ok(equal);
                }
                let equal = equal.scalar(self, position)?;
                let (reg, kind) = self.operate_on_one(&Token::Bang, equal, position)?;
                Ok(Val::Scalar(reg, kind, true))
            }
            (Token::Plus, [one @ Type::Array(_), other @ Type::Array(_)]) => {
                for operand in &operands {
                    self.expect_no_mix(operand, position)?;
                }
                let Some(ty) = unified(one, other) else {
                    return Err(self.no_operator(token, &types, position));
                };
                let joined = self.made(What::Joined, &operands, ty, position)?;
                if let Val::Object(route) = &joined {
                    for operand in operands {
                        self.claim(route, false, operand, position);
                    }
                }
                Ok(joined)
            }
            _ => match self.library_call(token.literal_syntax(), operands, position)? {
                Some(value) => Ok(value),
                None => Err(self.no_operator(token, &types, position)),
            },
        }
    }

    fn no_operator(&self, token: &Token, types: &[Type], position: Position) -> Box<Stop> {
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        let message = format!("`{}` of {} is not compiled", token.literal_syntax(), types.join(" and "));
        self.obstacle(position, &message, None)
    }

    fn library_function_of(&mut self, name: &str, types: &[Type]) -> Option<(u32, Option<Type>)> {
        let signature = self.names.functions.library(name, types)?;
        let library = &mut self.parts.library;
        let is_it = |known: &LibraryFunction| known.name == name && known.signature == *signature;
        let function_idx = library.iter().position(is_it).unwrap_or_else(|| {
            library.push(LibraryFunction { name: name.to_owned(), signature: signature.clone() });
            library.len() - 1
        });
        Some((function_idx as u32, signature.gives.clone()))
    }

    /// A function or operator of the library that gives something; `None` where there is none for these types.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        arguments: Vec<Arg>,
        position: Position,
    ) -> Lowered<Option<Val>> {
        let types: Vec<Type> = arguments.iter().map(Self::type_of).collect();
        let Some((function, Some(gives))) = self.library_function_of(name, &types) else { return Ok(None) };
        let what = What::Library(function);
        Ok(Some(match Kind::of(&gives) {
            Some(kind) => self.scalar_made(what, &arguments, kind, position)?,
            None => self.made(what, &arguments, gives, position)?,
        }))
    }

    /// A value of a struct type.
    pub(super) fn structure(
        &mut self,
        name: &str,
        fields: &[Expr],
        position: Position,
    ) -> Lowered<Option<Val>> {
        let Some(ty) = self.names.structs.get(name).filter(|ty| ty.shape().fields.len() == fields.len())
        else {
            return Ok(None);
        };
        let arguments = self.arguments(fields)?;
        self.made(What::Struct(ty.clone()), &arguments, Type::Struct(ty), position).map(Some)
    }

    fn push_item(&mut self, target: &Route, item: Arg, position: Position) -> Lowered<()> {
        self.expect_item(target, &item, position)?;
        let source = match &item {
            Arg::Object(route, _) => Some(route.clone()),
            Arg::Scalar(..) => None,
        };
        self.change(What::Push, target, vec![item], position)?;
        if let Some(source) = source {
            self.claim(target, true, Arg::Object(source, 0), position);
        }
        Ok(())
    }

    fn append(&mut self, target: &Route, more: Arg, position: Position) -> Lowered<()> {
        self.expect_no_mix(&more, position)?;
        self.expect_no_mix(&Arg::Object(target.clone(), 0), position)?;
        let Arg::Object(source, _) = &more else { return Ok(()) };
        let source = source.clone();
        let Some(both) = unified(target.ty(), source.ty()) else {
            let message =
                format!("{} is {}, but is given items of {}", target.shown(), target.ty(), source.ty());
            return Err(self.obstacle(position, &message, None));
        };
        self.refine(target, &both);
        self.change(What::Append, target, vec![more], position)?;
        self.claim(target, false, Arg::Object(source, 0), position);
        Ok(())
    }

    /// A function of arrays, or of the library, whose first argument is an object; `None` where compiled code has none such.
    pub(super) fn function_of_object(
        &mut self,
        route: &Route,
        name: &str,
        arguments: &[Expr],
        is_method: bool,
        position: Position,
    ) -> Lowered<Option<Val>> {
        if (self.names.has_own_function)(name) {
            return Ok(None);
        }
        let first = Arg::Object(route.clone(), self.n_writes(route));
        let others = self.arguments(arguments)?;
        let changes = matches!(
            (route.ty(), name),
            (Type::Array(_), "push" | "append" | "pad" | "pop" | "truncate" | "clear" | "reverse" | "sort")
        );
        if changes && is_method {
            return self.change_array(route, name, others, position);
        }
        if let (Type::Array(_), "extract") = (route.ty(), name)
            && let Some(places) = Self::all_scalars(&others)
            && matches!(places[..], [(_, Kind::Int)] | [(_, Kind::Int), (_, Kind::Int)])
        {
            self.expect_no_mix(&first, position)?;
            let ty = route.ty().clone();
            let arguments: Vec<Arg> = [first].into_iter().chain(others).collect();
            let extracted = self.made(What::Extracted, &arguments, ty, position)?;
            if let Val::Object(extracted) = &extracted {
                self.claim(extracted, false, Arg::Object(route.clone(), 0), position);
            }
            return Ok(Some(extracted));
        }
        let types: Vec<Type> =
            [route.ty().clone()].into_iter().chain(others.iter().map(Self::type_of)).collect();
        match self.library_function_of(name, &types) {
            Some((function, None)) if is_method => {
                self.change(What::Library(function), route, others, position)?;
                Ok(Some(Val::Unit))
            }
            Some((_, None)) | None => Ok(None),
            Some((_, Some(_))) => {
                let arguments = [first].into_iter().chain(others).collect();
                self.library_call(name, arguments, position)
            }
        }
    }

    fn change_array(
        &mut self,
        route: &Route,
        name: &str,
        mut others: Vec<Arg>,
        position: Position,
    ) -> Lowered<Option<Val>> {
        let is_int = |argument: &Arg| matches!(argument, Arg::Scalar(_, Kind::Int));
        match (name, &others[..]) {
            ("push", [_]) => {
                let item = others.remove(0);
                self.push_item(route, item, position)?;
            }
            ("append", [more]) if matches!(Self::type_of(more), Type::Array(_)) => {
                let more = others.remove(0);
                self.append(route, more, position)?;
            }
            ("pad", [len, item]) if is_int(len) => {
                self.expect_item(route, item, position)?;
                let source = match item {
                    Arg::Object(source, _) => Some(source.clone()),
                    Arg::Scalar(..) => None,
                };
                self.change(What::Pad, route, others, position)?;
                if let Some(source) = source {
                    self.claim(route, true, Arg::Object(source, 0), position);
                }
            }
            ("pop", []) => {
                let Some((_, kind)) = route.item() else { return Ok(None) };
                let reg = self.function.register(kind);
                let target = Arg::Object(route.clone(), self.n_writes(route));
                self.compute(What::Pop, &[target], Answer::Scalar(kind), Some(reg), position)?;
                self.note_write(route, position)?;
                return Ok(Some(Val::Scalar(reg, kind, true)));
            }
            ("truncate", [len]) if is_int(len) => self.change(What::Truncate, route, others, position)?,
            ("clear", []) => self.change(What::Clear, route, others, position)?,
            ("reverse", []) => self.change(What::Reverse, route, others, position)?,
            ("sort", []) if matches!(route.item(), Some((_, Kind::Int | Kind::Real))) => {
                self.change(What::Sort, route, others, position)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Val::Unit))
    }
}
