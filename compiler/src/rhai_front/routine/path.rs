//! Ways into objects: `v[i]`, `m.get(r, c)`, `a[i][j].field`.

use hasse_model::plan::routine::{Kind, Measure, Op, Path, Reg, Step};
use hasse_model::value::Type;
use rhai::{ASTFlags, Expr, Position};

use super::lowerer::{Lowered, Lowerer};
use super::route::Route;
use super::val::Val;

impl Lowerer<'_> {
    /// A chain of fields, items and methods: what it gives.
    pub(super) fn part(&mut self, expression: &Expr) -> Lowered<Val> {
        let value = self.follow(expression)?;
        Ok(match value {
            Val::Object(route) => match route.scalar_kind() {
                Some(kind) => Val::Scalar(self.get(&route, kind), kind, true),
                None if *route.ty() == Type::Any => {
                    let message = format!("what the items of {} are is not known here", route.shown());
                    let help = "give it a first item where it is made";
                    return Err(self.obstacle(expression.start_position(), &message, Some(help)));
                }
                None => Val::Object(route),
            },
            other => other,
        })
    }

    /// The way that a target of an assignment is.
    pub(super) fn route(&mut self, target: &Expr) -> Lowered<Route> {
        match self.follow(target)? {
            Val::Object(route) => Ok(route),
            _ => Err(self.obstacle(target.start_position(), "this is not assigned by compiled code", None)),
        }
    }

    fn follow(&mut self, expression: &Expr) -> Lowered<Val> {
        let (Expr::Dot(parts, ..) | Expr::Index(parts, ..)) = expression else {
            return self.value(expression, true);
        };
        // The interpreter evaluates all arguments and indices of a chain before what the chain begins with.
        if self.speaks(&parts.lhs) && self.speaks(&parts.rhs) {
            let message = "both sides of this chain ask the world outside, print or set a result";
            let help = "bind the left side by `let` first";
            return Err(self.obstacle(expression.start_position(), message, Some(help)));
        }
        let mut value = self.value(&parts.lhs, true)?;
        let mut link = expression;
        loop {
            let (parts, flags, is_dot, position) = match link {
                Expr::Dot(parts, flags, position) => (parts, flags, true, *position),
                Expr::Index(parts, flags, position) => (parts, flags, false, *position),
                _ => return Ok(value),
            };
            if flags.contains(ASTFlags::NEGATED) {
                return Err(self.obstacle(position, "`?.` and `?[` are not compiled", None));
            }
            // The right side of a link that is not the last one is the next link, and begins with what this one reaches.
            let next = match &parts.rhs {
                Expr::Dot(next, ..) | Expr::Index(next, ..) if !flags.contains(ASTFlags::BREAK) => Some(next),
                _ => None,
            };
            let reached = next.map_or(&parts.rhs, |next| &next.lhs);
            value = if is_dot {
                self.dot(value, reached, position)?
            } else {
                self.item(value, reached, position)?
            };
            if next.is_none() {
                return Ok(value);
            }
            link = &parts.rhs;
        }
    }

    fn dot(&mut self, value: Val, reached: &Expr, position: Position) -> Lowered<Val> {
        match reached {
            Expr::Property(property, at) => {
                let name = property.2.as_str();
                if let Val::Object(route) = &value
                    && let Type::Struct(of) = &route.ty
                {
                    let Some(field_idx) = of.shape().field_idx(name) else {
                        return Err(self.obstacle(*at, &format!("there is no field `{name}`"), None));
                    };
                    return Ok(Val::Object(route.then(Step::Field(field_idx as u32), Vec::new())));
                }
                self.property(&value, name, *at)
            }
            Expr::MethodCall(call, at) | Expr::FnCall(call, at) => self.call(call, Some(value), *at),
            _ => Err(self.obstacle(position, "this is not compiled", None)),
        }
    }

    fn item(&mut self, value: Val, index: &Expr, position: Position) -> Lowered<Val> {
        let Val::Object(route) = value else {
            return Err(self.obstacle(position, "bits of numbers are not compiled", None));
        };
        let step = match &route.ty {
            Type::Vector => Step::Entry,
            Type::Array(_) => Step::Item,
            other => {
                let message =
                    format!("{} is a {other}, which is not indexed by compiled code", route.shown());
                return Err(self.obstacle(position, &message, None));
            }
        };
        let (place, kind) = self.copied(index)?;
        if kind != Kind::Int {
            let message = format!("the index is {kind}, not an int");
            return Err(self.obstacle(index.start_position(), &message, None));
        }
        Ok(Val::Object(route.then(step, vec![place])))
    }

    /// An entry of a matrix.
    pub(super) fn cell(
        &mut self,
        route: &Route,
        row: &Expr,
        col: &Expr,
        position: Position,
    ) -> Lowered<Route> {
        let places = self.scalars([row, col])?;
        if places.iter().any(|place| place.1 != Kind::Int) {
            return Err(self.obstacle(position, "the row and column of a matrix are ints", None));
        }
        Ok(route.then(Step::Cell, places.iter().map(|place| place.0).collect()))
    }

    pub(super) fn path(&mut self, route: &Route) -> u32 {
        let path = Path { object: route.object, steps: route.steps.clone() };
        let known = self.parts.paths.iter().position(|known| *known == path);
        known.unwrap_or_else(|| {
            self.parts.paths.push(path);
            self.parts.paths.len() - 1
        }) as u32
    }

    /// Reads the scalar at the end of a way.
    pub(super) fn get(&mut self, route: &Route, kind: Kind) -> Reg {
        let path = self.path(route);
        let operands = self.function.operands(&route.operands);
        self.function.result(kind, |to| Op::Get(to, path, operands))
    }

    /// Writes it.
    pub(super) fn set(&mut self, route: &Route, value: Reg, position: Position) -> Lowered<()> {
        self.note_write(route, position)?;
        let path = self.path(route);
        let operands = self.function.operands(&route.operands);
        self.function.push(Op::Set(path, operands, value));
        Ok(())
    }

    /// Takes note that the object of a way is written.
    pub(super) fn note_write(&mut self, route: &Route, position: Position) -> Lowered<()> {
        if route.is_lent {
            let message =
                format!("{} is a constant or was given to a function, and is changed", route.shown());
            return Err(self.obstacle(
                position,
                &message,
                Some("bind a copy of it by `let`, and change that"),
            ));
        }
        if let Some(object) = self.parts.objects.get_mut(route.object as usize) {
            object.is_written = true;
            let slot = &self.names.slots[object.slot.idx()];
            use hasse_model::plan::SlotKind::{Bound, Shared, Var};
            if !matches!(slot.kind, Bound | Shared | Var) {
                let message = format!("`{}` is not written by compiled code", slot.name);
                return Err(self.obstacle(position, &message, None));
            }
        }
        self.writes[route.object as usize] += 1;
        Ok(())
    }

    /// How often the object of a way has been written so far.
    pub(super) fn n_writes(&self, route: &Route) -> usize {
        self.writes[route.object as usize]
    }

    /// The size of what stands at the end of a way.
    pub(super) fn measure(&mut self, route: &Route, measure: Measure) -> Reg {
        let path = self.path(route);
        let operands = self.function.operands(&route.operands);
        self.function.result(Kind::Int, |to| Op::Measure(measure, to, path, operands))
    }
}
