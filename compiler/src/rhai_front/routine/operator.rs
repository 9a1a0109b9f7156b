//! Operators and functions of scalars.

use hasse_model::plan::routine::{BinaryOp, Comparison, Kind, Op, Reg, UnaryOp};
use rhai::{Position, Token};

use super::lowerer::{Lowered, Lowerer};

type Operand = (Reg, Kind);

impl Lowerer<'_> {
    /// An int as a real.
    pub(super) fn real_of(&mut self, (reg, kind): Operand) -> Reg {
        match kind {
            Kind::Real => reg,
            _ => self.unary(UnaryOp::RealOfInt, reg, Kind::Real).0,
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: Reg, kind: Kind) -> Operand {
        (self.function.result(kind, |to| Op::Unary(op, to, operand)), kind)
    }

    fn binary(&mut self, op: BinaryOp, one: Reg, other: Reg, kind: Kind) -> Operand {
        (self.function.result(kind, |to| Op::Binary(op, to, one, other)), kind)
    }

    /// An operator with one operand.
    pub(super) fn operate_on_one(
        &mut self,
        token: &Token,
        (reg, kind): Operand,
        position: Position,
    ) -> Lowered<Operand> {
        Ok(match (token, kind) {
            (Token::UnaryMinus | Token::Minus, Kind::Int) => self.unary(UnaryOp::NegateInt, reg, kind),
            (Token::UnaryMinus | Token::Minus, Kind::Real) => self.unary(UnaryOp::NegateReal, reg, kind),
            (Token::UnaryPlus | Token::Plus, Kind::Int | Kind::Real) => (reg, kind),
            (Token::Bang, Kind::Bool) => self.unary(UnaryOp::Not, reg, kind),
            _ => {
                let message = format!("`{}` of {kind} is not compiled", token.literal_syntax());
                return Err(self.obstacle(position, &message, None));
            }
        })
    }

    /// An operator with two operands.
    pub(super) fn operate(
        &mut self,
        token: &Token,
        one: Operand,
        other: Operand,
        position: Position,
    ) -> Lowered<Operand> {
        let found = match (one.1, other.1) {
            (Kind::Int, Kind::Int) => self.operate_on_ints(token, one.0, other.0),
            (Kind::Bool, Kind::Bool) => self.operate_on_bools(token, one.0, other.0),
            (Kind::Int | Kind::Real, Kind::Int | Kind::Real) => {
                let (one, other) = (self.real_of(one), self.real_of(other));
                self.operate_on_reals(token, one, other)
            }
            _ => None,
        };
        found.ok_or_else(|| {
            let message =
                format!("`{}` of {} and {} is not compiled", token.literal_syntax(), one.1, other.1);
            self.obstacle(position, &message, None)
        })
    }

    fn operate_on_ints(&mut self, token: &Token, one: Reg, other: Reg) -> Option<Operand> {
        let op = match token {
            Token::Plus => BinaryOp::AddInts,
            Token::Minus => BinaryOp::SubtractInts,
            Token::Multiply => BinaryOp::MultiplyInts,
            Token::Divide => BinaryOp::DivideInts,
            Token::Modulo => BinaryOp::RemainderInts,
            Token::PowerOf => BinaryOp::PowerInts,
            Token::LeftShift => BinaryOp::ShiftLeft,
            Token::RightShift => BinaryOp::ShiftRight,
            Token::Ampersand => BinaryOp::BitAnd,
            Token::Pipe => BinaryOp::BitOr,
            Token::XOr => BinaryOp::BitXor,
            _ => return self.compare(token, one, other, Op::CompareInts),
        };
        Some(self.binary(op, one, other, Kind::Int))
    }

    fn operate_on_bools(&mut self, token: &Token, one: Reg, other: Reg) -> Option<Operand> {
        let op = match token {
            Token::Ampersand => BinaryOp::BitAnd,
            Token::Pipe => BinaryOp::BitOr,
            Token::XOr => BinaryOp::BitXor,
            _ => return self.compare(token, one, other, Op::CompareInts),
        };
        Some(self.binary(op, one, other, Kind::Bool))
    }

    fn operate_on_reals(&mut self, token: &Token, one: Reg, other: Reg) -> Option<Operand> {
        let op = match token {
            Token::Plus => BinaryOp::AddReals,
            Token::Minus => BinaryOp::SubtractReals,
            Token::Multiply => BinaryOp::MultiplyReals,
            Token::Divide => BinaryOp::DivideReals,
            Token::Modulo => BinaryOp::RemainderReals,
            Token::PowerOf => BinaryOp::PowerReals,
            _ => return self.compare(token, one, other, Op::CompareReals),
        };
        Some(self.binary(op, one, other, Kind::Real))
    }

    fn compare(
        &mut self,
        token: &Token,
        one: Reg,
        other: Reg,
        op: fn(Comparison, Reg, Reg, Reg) -> Op,
    ) -> Option<Operand> {
        let comparison = match token {
            Token::EqualsTo => Comparison::Equal,
            Token::NotEqualsTo => Comparison::NotEqual,
            Token::LessThan => Comparison::Less,
            Token::LessThanEqualsTo => Comparison::LessOrEqual,
            Token::GreaterThan => Comparison::Greater,
            Token::GreaterThanEqualsTo => Comparison::GreaterOrEqual,
            _ => return None,
        };
        Some((self.function.result(Kind::Bool, |to| op(comparison, to, one, other)), Kind::Bool))
    }

    /// A function of the library that takes and gives scalars; `None` where there is no such one.
    pub(super) fn library_function(&mut self, name: &str, operands: &[Operand]) -> Option<Operand> {
        match *operands {
            [] => {
                let number = match name {
                    "PI" => std::f64::consts::PI,
                    "E" => std::f64::consts::E,
                    _ => return None,
                };
                Some((self.function.result(Kind::Real, |to| Op::Real(to, number)), Kind::Real))
            }
            [operand] => self.function_of_one(name, operand),
            [one, other] => self.function_of_two(name, one, other),
            _ => None,
        }
    }

    fn function_of_one(&mut self, name: &str, (reg, kind): Operand) -> Option<Operand> {
        let found = match (name, kind) {
            ("abs", Kind::Int) => (UnaryOp::AbsInt, Kind::Int),
            ("abs", Kind::Real) => (UnaryOp::AbsReal, Kind::Real),
            ("sign", Kind::Int) => (UnaryOp::SignInt, Kind::Int),
            ("to_int", Kind::Real) => (UnaryOp::IntOfReal, Kind::Int),
            ("to_int", Kind::Bool) => (UnaryOp::IntOfBool, Kind::Int),
            ("to_int", Kind::Int) | ("to_real" | "to_float", Kind::Real) => return Some((reg, kind)),
            ("to_real" | "to_float", Kind::Int) => (UnaryOp::RealOfInt, Kind::Real),
            ("floor" | "ceiling" | "ceil" | "round" | "trunc", Kind::Int) => return Some((reg, kind)),
            ("floor", Kind::Real) => (UnaryOp::Floor, kind),
            ("ceiling" | "ceil", Kind::Real) => (UnaryOp::Ceiling, kind),
            ("round", Kind::Real) => (UnaryOp::Round, kind),
            ("trunc" | "int", Kind::Real) => (UnaryOp::Trunc, kind),
            ("fraction", Kind::Real) => (UnaryOp::Fraction, kind),
            ("is_nan", Kind::Real) => (UnaryOp::IsNan, Kind::Bool),
            ("is_finite", Kind::Real) => (UnaryOp::IsFinite, Kind::Bool),
            ("is_infinite", Kind::Real) => (UnaryOp::IsInfinite, Kind::Bool),
            (_, Kind::Int | Kind::Real) => {
                let op = match name {
                    "sqrt" => UnaryOp::Sqrt,
                    "cbrt" => UnaryOp::Cbrt,
                    "exp" => UnaryOp::Exp,
                    "exp2" => UnaryOp::Exp2,
                    "ln" => UnaryOp::Ln,
                    "log2" => UnaryOp::Log2,
                    "log" | "log10" => UnaryOp::Log10,
                    "sin" => UnaryOp::Sin,
                    "cos" => UnaryOp::Cos,
                    "tan" => UnaryOp::Tan,
                    "asin" => UnaryOp::Asin,
                    "acos" => UnaryOp::Acos,
                    "atan" => UnaryOp::Atan,
                    "sinh" => UnaryOp::Sinh,
                    "cosh" => UnaryOp::Cosh,
                    "tanh" => UnaryOp::Tanh,
                    "asinh" => UnaryOp::Asinh,
                    "acosh" => UnaryOp::Acosh,
                    "atanh" => UnaryOp::Atanh,
                    "to_degrees" => UnaryOp::ToDegrees,
                    "to_radians" => UnaryOp::ToRadians,
                    _ => return None,
                };
                let number = self.real_of((reg, kind));
                return Some(self.unary(op, number, Kind::Real));
            }
            _ => return None,
        };
        Some(self.unary(found.0, reg, found.1))
    }

    fn function_of_two(&mut self, name: &str, one: Operand, other: Operand) -> Option<Operand> {
        let of_ints = match (name, one.1, other.1) {
            ("min", Kind::Int, Kind::Int) => Some(BinaryOp::MinInts),
            ("max", Kind::Int, Kind::Int) => Some(BinaryOp::MaxInts),
            ("pow", Kind::Int, Kind::Int) => Some(BinaryOp::PowerInts),
            ("mod_floor", Kind::Int, Kind::Int) => Some(BinaryOp::ModFloorInts),
            ("div_floor", Kind::Int, Kind::Int) => Some(BinaryOp::DivFloorInts),
            (_, Kind::Bool, _) | (_, _, Kind::Bool) => return None,
            _ => None,
        };
        if let Some(op) = of_ints {
            return Some(self.binary(op, one.0, other.0, Kind::Int));
        }
        let op = match name {
            "min" => BinaryOp::MinReals,
            "max" => BinaryOp::MaxReals,
            "pow" => BinaryOp::PowerReals,
            "hypot" => BinaryOp::Hypot,
            "atan2" => BinaryOp::Atan2,
            _ => return None,
        };
        let (one, other) = (self.real_of(one), self.real_of(other));
        Some(self.binary(op, one, other, Kind::Real))
    }
}
