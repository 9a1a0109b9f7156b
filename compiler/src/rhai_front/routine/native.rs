//! Calls of functions that are registered in Rust.

use hasse_model::function::Signature;
use hasse_model::plan::routine::{Kind, Native, Op, Reg};
use rhai::Position;

use super::expression::Val;
use super::{Lowered, Lowerer, Stop};

impl<'a> Lowerer<'a> {
    /// Says what is in the way, if a call means a function in Rust that works on something else than scalars.
    pub(super) fn expect_scalar_native(
        &self,
        name: &str,
        n_arguments: usize,
        position: Position,
    ) -> Lowered<()> {
        if !matches!(self.native(name, n_arguments), Some(None)) {
            return Ok(());
        }
        let message = format!("`{name}` takes or gives something else than ints, reals and truth values");
        let help =
            "of functions in Rust, compiled code calls those that take and give `i64`, `f64` and `bool`";
        Err(Box::new(Stop { is_foreign: true, ..*self.obstacle(position, &message, Some(help)) }))
    }

    /// Calls a function in Rust; `None` where no such one is meant.
    pub(super) fn native_function(
        &mut self,
        name: &str,
        operands: &[(Reg, Kind)],
        position: Position,
    ) -> Lowered<Option<Val>> {
        let Some(Some(signature)) = self.native(name, operands.len()) else { return Ok(None) };
        let mut arguments = Vec::with_capacity(operands.len());
        for (place, (&operand, &takes)) in operands.iter().zip(&signature.takes).enumerate() {
            arguments.push(match (operand.1, takes) {
                (kind, takes) if kind == takes => operand.0,
                (Kind::Int, Kind::Real) => self.real_of(operand),
                (kind, takes) => {
                    let message = format!("argument {} of `{name}` is {kind}, not {takes}", place + 1);
                    let help = (kind == Kind::Real).then_some("convert it, as by `to_int(x)`");
                    return Err(self.obstacle(position, &message, help));
                }
            });
        }
        let native_idx = self.native_idx(name, signature);
        let arguments = self.function.operands(&arguments);
        let gives = signature.gives;
        let answer = self.function.result(gives, |to| Op::CallNative(to, native_idx, arguments));
        Ok(Some(Val::Scalar(answer, gives, true)))
    }

    /// The pure function in Rust that a call means, with its signature if it works on scalars.
    fn native(&self, name: &str, n_arguments: usize) -> Option<Option<&'a Signature>> {
        if (self.names.has_own_function)(name) {
            return None;
        }
        let facts = self.names.functions.get(name)?;
        facts.natives.get(&n_arguments).map(Option::as_ref)
    }

    fn native_idx(&mut self, name: &str, signature: &Signature) -> u32 {
        let natives = &mut self.parts.natives;
        let is_it = |known: &Native| known.name == name && known.signature == *signature;
        let known = natives.iter().position(is_it);
        known.unwrap_or_else(|| {
            natives.push(Native { name: name.to_owned(), signature: signature.clone() });
            natives.len() - 1
        }) as u32
    }
}
