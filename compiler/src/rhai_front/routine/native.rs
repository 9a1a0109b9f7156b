//! Calls of functions that are registered in Rust.

use hasse_model::function::{NativeFacts, Signature};
use hasse_model::plan::routine::{Answer, Kind, Native, Op, Reg, What};
use rhai::{Expr, Position};

use super::held::is_of_objects;
use super::lowerer::{Lowered, Lowerer, Stop};
use super::val::Val;
use super::whole::Arg;

impl<'a> Lowerer<'a> {
    /// What is known of the function in Rust that a call means.
    pub(super) fn native(&self, name: &str, n_arguments: usize) -> Option<&'a NativeFacts> {
        if (self.names.has_own_function)(name) {
            return None;
        }
        self.names.functions.get(name)?.natives.get(&n_arguments)
    }

    /// Calls a function in Rust: by words where it takes and gives scalars, else by values.
    pub(super) fn call_native(
        &mut self,
        name: &str,
        native: &NativeFacts,
        arguments: &[Arg],
        position: Position,
    ) -> Lowered<Val> {
        if let (Some(signature), Some(operands)) = (&native.scalars, Self::all_scalars(arguments)) {
            return self.native_on_scalars(name, signature, &operands, position);
        }
        match &native.gives {
            Some(gives) if Kind::of(gives).is_some() || is_of_objects(gives) => {
                self.native_object(name, arguments, gives, position)
            }
            _ => {
                let message = format!("what `{name}` gives is not known to compiled code");
                let help = "compiled code calls functions in Rust that give numbers, truth values, text, vectors, \
                            matrices and arrays of them";
                Err(Box::new(Stop { is_foreign: true, ..*self.obstacle(position, &message, Some(help)) }))
            }
        }
    }

    /// Asks the world outside by an effect that takes and gives scalars.
    pub(super) fn ask(
        &mut self,
        name: &str,
        signature: &Signature,
        arguments: &[Expr],
        position: Position,
    ) -> Lowered<Val> {
        let arguments = self.arguments(arguments)?;
        let is_taken = |(argument, takes): (&Arg, &Kind)| match argument {
            Arg::Scalar(_, kind) => kind == takes,
            Arg::Object(..) => false,
        };
        if !arguments.iter().zip(&signature.takes).all(is_taken) {
            let takes: Vec<String> = signature.takes.iter().map(Kind::to_string).collect();
            let message = format!("`{name}` is compiled for arguments of type {}", takes.join(", "));
            return Err(self.foreign(position, &message));
        }
        let asked = &mut self.parts.asked;
        let is_it = |known: &Native| known.name == name && known.signature == *signature;
        let asked_idx = asked.iter().position(is_it).unwrap_or_else(|| {
            asked.push(Native { name: name.to_owned(), signature: signature.clone() });
            asked.len() - 1
        });
        let gives = signature.gives;
        let answer = self.function.register(gives);
        let what = What::Ask(asked_idx as u32);
        self.compute(what, &arguments, Answer::Scalar(gives), Some(answer), position)?;
        Ok(Val::Scalar(answer, gives, true))
    }

    fn native_on_scalars(
        &mut self,
        name: &str,
        signature: &Signature,
        operands: &[(Reg, Kind)],
        position: Position,
    ) -> Lowered<Val> {
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
        Ok(Val::Scalar(answer, gives, true))
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
