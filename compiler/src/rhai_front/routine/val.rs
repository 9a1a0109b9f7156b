//! Values of expressions.

use hasse_model::plan::routine::{Kind, Reg};
use rhai::Position;

use super::lowerer::{Lowered, Lowerer};
use super::route::Route;

/// Value of an expression.
#[derive(Clone)]
pub(super) enum Val {
    /// A scalar in a register, and whether the register is of no name.
    Scalar(Reg, Kind, bool),
    /// Something within an object, or all of it.
    Object(Route),
    /// Nothing.
    Unit,
    /// A value that is never reached.
    Never,
}

impl Val {
    /// The scalar that it must be.
    pub(super) fn scalar(&self, lowerer: &mut Lowerer<'_>, position: Position) -> Lowered<(Reg, Kind)> {
        match self {
            Val::Scalar(reg, kind, _) => Ok((*reg, *kind)),
            Val::Object(route) => match route.scalar_kind() {
                Some(kind) => Ok((lowerer.get(route, kind), kind)),
                None => {
                    let message = format!("{} is used as a whole, which is no scalar", route.shown());
                    let help = "take a number out of it, by index or field";
                    Err(lowerer.obstacle(position, &message, Some(help)))
                }
            },
            Val::Unit => Err(lowerer.obstacle(position, "this gives nothing", None)),
            Val::Never => Err(lowerer.obstacle(position, "this is never reached", None)),
        }
    }
}
