//! Objects as wholes: what makes, copies and changes them.
//!
//! Each place in the text that makes an object has one of the routine's own for it, and so has each name that is bound to one. What
//! items an array holds is found by what is put into it: `[]` holds items of a type that is not known yet.

use hasse_model::plan::routine::{
    Answer, Argument, Computation, Kind, LibraryFunction, LibrarySignature, Op, Reg, What,
};
use hasse_model::value::Type;
use rhai::{Expr, Position};

use super::claim::Claim;
use super::expression::has_statements;
use super::held::is_of_objects;
use super::lowerer::{Lowered, Lowerer};
use super::route::Route;
use super::val::Val;

/// What is handed to a function, an operator or an array that is made.
pub(super) enum Arg {
    Scalar(Reg, Kind),
    /// A part, and how often its object had been changed when it was named.
    Object(Route, usize),
}

/// The type that both are, where `any` stands for what is not known yet.
pub(super) fn unified(one: &Type, other: &Type) -> Option<Type> {
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
                let route = if route.is_given() && !later.is_empty() {
                    let ty = route.ty().clone();
                    Route::made(self.held_copy(route, position)?, ty)
                } else {
                    route
                };
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

    pub(super) fn type_of(argument: &Arg) -> Type {
        match argument {
            Arg::Scalar(_, kind) => kind.ty(),
            Arg::Object(route, _) => route.ty().clone(),
        }
    }

    /// Adds a computation.
    pub(super) fn compute(
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
    pub(super) fn made(
        &mut self,
        what: What,
        arguments: &[Arg],
        ty: Type,
        position: Position,
    ) -> Lowered<Val> {
        let object = self.own_object(ty.clone(), position)?;
        self.compute(what, arguments, Answer::Object(object), None, position)?;
        Ok(Val::Object(Route::made(object, ty)))
    }

    /// Computes a scalar.
    pub(super) fn scalar_made(
        &mut self,
        what: What,
        arguments: &[Arg],
        kind: Kind,
        position: Position,
    ) -> Lowered<Val> {
        let reg = self.function.register(kind);
        self.compute(what, arguments, Answer::Scalar(kind), Some(reg), position)?;
        Ok(Val::Scalar(reg, kind, true))
    }

    /// Changes what stands at the end of a way.
    pub(super) fn change(
        &mut self,
        what: What,
        target: &Route,
        others: Vec<Arg>,
        position: Position,
    ) -> Lowered<()> {
        let mut arguments = vec![Arg::Object(target.clone(), self.n_writes(target))];
        arguments.extend(others);
        self.compute(what, &arguments, Answer::Nothing, None, position)?;
        self.note_write(target, position)
    }

    /// An array of items of different types can be handed to the library and left, and that is all.
    pub(super) fn expect_no_mix(&self, argument: &Arg, position: Position) -> Lowered<()> {
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
    pub(super) fn claim(&mut self, target: &Route, as_item: bool, argument: Arg, position: Position) {
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
    pub(super) fn refine(&mut self, route: &Route, ty: &Type) {
        let mut end = route.clone();
        if let Some(own) = self.own_type_mut(route.object()) {
            end.refine(own, ty);
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
            let message = format!("{} is {}, but goes where {ty} was", route.shown(), route.ty());
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

    pub(super) fn library_function_of(&mut self, name: &str, types: &[Type]) -> Option<(u32, Option<Type>)> {
        let signature = self.names.functions.library(name, types)?;
        let name = name.to_owned();
        let function = LibraryFunction { name, signature: signature.clone(), is_native: false };
        Some((self.library_idx(function), signature.gives.clone()))
    }

    fn library_idx(&mut self, function: LibraryFunction) -> u32 {
        let library = &mut self.parts.library;
        let known = library.iter().position(|known| *known == function);
        known.unwrap_or_else(|| {
            library.push(function);
            library.len() - 1
        }) as u32
    }

    /// Calls a function that is registered in Rust with objects, or for one.
    pub(super) fn native_object(
        &mut self,
        name: &str,
        arguments: &[Arg],
        gives: &Type,
        position: Position,
    ) -> Lowered<Val> {
        // It looks at what it is given by itself.
        let takes = arguments.iter().map(|_| Type::Any).collect();
        let signature = LibrarySignature { takes, gives: Some(gives.clone()) };
        let function = LibraryFunction { name: name.to_owned(), signature, is_native: true };
        let what = What::Library(self.library_idx(function));
        match Kind::of(gives) {
            Some(kind) => self.scalar_made(what, arguments, kind, position),
            None => self.made(what, arguments, gives.clone(), position),
        }
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
}
