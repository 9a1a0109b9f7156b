//! Arrays: what makes and changes them, and functions and operators of objects.

use hasse_model::plan::routine::{Answer, Kind, What};
use hasse_model::value::Type;
use rhai::{Expr, Position, Token};

use super::lowerer::{Lowered, Lowerer, Stop};
use super::route::Route;
use super::val::Val;
use super::whole::{Arg, unified};

impl Lowerer<'_> {
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
        let later: Vec<&Expr> = arguments.iter().collect();
        let first = self.argument(Val::Object(route.clone()), &later, position)?;
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
