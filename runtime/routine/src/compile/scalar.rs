//! Operations on scalars.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value, types};
use hasse_model::plan::routine::{BinaryOp, Comparison, UnaryOp};

use super::function::Translation;
use crate::helpers::{binary_helper, power_ints, unary_helper};
use crate::scalar::LEAST_INT;

impl Translation<'_, '_> {
    /// An operation on one operand.
    pub(super) fn unary(&mut self, op: UnaryOp, value: Value) -> Value {
        match op {
            UnaryOp::NegateInt => {
                self.give_up_if_least(value);
                self.builder.ins().ineg(value)
            }
            UnaryOp::AbsInt => {
                self.give_up_if_least(value);
                self.builder.ins().iabs(value)
            }
            UnaryOp::NegateReal => self.builder.ins().fneg(value),
            UnaryOp::AbsReal => self.builder.ins().fabs(value),
            UnaryOp::Not => self.builder.ins().bxor_imm_u(value, 1),
            UnaryOp::RealOfInt => self.builder.ins().fcvt_from_sint(types::F64, value),
            UnaryOp::IntOfReal => {
                let (least, most) = (self.real(LEAST_INT), self.real(-LEAST_INT));
                let is_above = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, value, least);
                self.give_up_unless(is_above);
                let is_below = self.builder.ins().fcmp(FloatCC::LessThan, value, most);
                self.give_up_unless(is_below);
                self.builder.ins().fcvt_to_sint_sat(types::I64, value)
            }
            UnaryOp::IntOfBool => self.builder.ins().uextend(types::I64, value),
            UnaryOp::SignInt => {
                let is_above = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThan, value, 0);
                let is_below = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, value, 0);
                let sign = self.builder.ins().isub(is_above, is_below);
                self.builder.ins().sextend(types::I64, sign)
            }
            UnaryOp::Sqrt => self.builder.ins().sqrt(value),
            UnaryOp::Floor => self.builder.ins().floor(value),
            UnaryOp::Ceiling => self.builder.ins().ceil(value),
            UnaryOp::Trunc => self.builder.ins().trunc(value),
            UnaryOp::Fraction => {
                let whole = self.builder.ins().trunc(value);
                self.builder.ins().fsub(value, whole)
            }
            UnaryOp::IsNan => self.builder.ins().fcmp(FloatCC::Unordered, value, value),
            UnaryOp::IsFinite => self.compare_magnitude(FloatCC::LessThan, value),
            UnaryOp::IsInfinite => self.compare_magnitude(FloatCC::Equal, value),
            op => self.real_helper(unary_helper(op), &[value]),
        }
    }

    /// An operation on two operands.
    pub(super) fn binary(&mut self, op: BinaryOp, one: Value, other: Value) -> Value {
        match op {
            BinaryOp::AddInts => {
                let (value, is_over) = self.builder.ins().sadd_overflow(one, other);
                self.give_up_if(is_over);
                value
            }
            BinaryOp::SubtractInts => {
                let (value, is_over) = self.builder.ins().ssub_overflow(one, other);
                self.give_up_if(is_over);
                value
            }
            BinaryOp::MultiplyInts => {
                let (value, is_over) = self.builder.ins().smul_overflow(one, other);
                self.give_up_if(is_over);
                value
            }
            BinaryOp::DivideInts => {
                self.give_up_unless_divisible(one, other);
                self.builder.ins().sdiv(one, other)
            }
            BinaryOp::RemainderInts => {
                self.give_up_unless_divisible(one, other);
                self.builder.ins().srem(one, other)
            }
            BinaryOp::ModFloorInts => {
                self.give_up_unless_divisible(one, other);
                let rest = self.builder.ins().srem(one, other);
                let is_off = self.is_off(rest, other);
                let moved = self.builder.ins().iadd(rest, other);
                self.builder.ins().select(is_off, moved, rest)
            }
            BinaryOp::DivFloorInts => {
                self.give_up_unless_divisible(one, other);
                let quotient = self.builder.ins().sdiv(one, other);
                let rest = self.builder.ins().srem(one, other);
                let is_off = self.is_off(rest, other);
                let moved = self.builder.ins().iadd_imm_s(quotient, -1);
                self.builder.ins().select(is_off, moved, quotient)
            }
            BinaryOp::PowerInts => {
                let params = [types::I64, types::I64, types::I64];
                let arguments = [self.context, one, other];
                let has_value = self.helper(power_ints as *const u8, &params, Some(types::I32), &arguments);
                self.take(has_value);
                self.result(types::I64)
            }
            BinaryOp::ShiftLeft => {
                self.give_up_unless_shift(other);
                self.builder.ins().ishl(one, other)
            }
            BinaryOp::ShiftRight => {
                self.give_up_unless_shift(other);
                self.builder.ins().sshr(one, other)
            }
            BinaryOp::BitAnd => self.builder.ins().band(one, other),
            BinaryOp::BitOr => self.builder.ins().bor(one, other),
            BinaryOp::BitXor => self.builder.ins().bxor(one, other),
            BinaryOp::MinInts => self.builder.ins().smin(one, other),
            BinaryOp::MaxInts => self.builder.ins().smax(one, other),
            BinaryOp::AddReals => self.builder.ins().fadd(one, other),
            BinaryOp::SubtractReals => self.builder.ins().fsub(one, other),
            BinaryOp::MultiplyReals => self.builder.ins().fmul(one, other),
            BinaryOp::DivideReals => self.builder.ins().fdiv(one, other),
            BinaryOp::MinReals => {
                let is_first = self.builder.ins().fcmp(FloatCC::LessThanOrEqual, one, other);
                self.builder.ins().select(is_first, one, other)
            }
            BinaryOp::MaxReals => {
                let is_first = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, one, other);
                self.builder.ins().select(is_first, one, other)
            }
            op => self.real_helper(binary_helper(op), &[one, other]),
        }
    }

    /// Whether a comparison of two integers, or of two truth values, holds.
    pub(super) fn compare_ints(&mut self, comparison: Comparison, one: Value, other: Value) -> Value {
        let condition = match comparison {
            Comparison::Equal => IntCC::Equal,
            Comparison::NotEqual => IntCC::NotEqual,
            Comparison::Less => IntCC::SignedLessThan,
            Comparison::LessOrEqual => IntCC::SignedLessThanOrEqual,
            Comparison::Greater => IntCC::SignedGreaterThan,
            Comparison::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
        };
        self.builder.ins().icmp(condition, one, other)
    }

    /// Whether a comparison of two reals holds, as [`Comparison::of_reals`] has it, but without the division: with
    /// `d` the difference, `g` the greater magnitude (1 where the product is zero) and `e` the epsilon, a power of two,
    /// `d / g > e` exactly where `d > g * e`.
    ///
    /// For `g * e` is exact: a magnitude so small that it is not makes the product zero. If `d > g * e` then `d` is at
    /// least the next number, and the quotient more than half a step above `e`, so that it is not rounded to `e`; if not, the
    /// quotient is at most `e`, and so is what it is rounded to. The same holds for `-e`, from below. Where `g` is
    /// infinite the quotient is zero or no number, and no comparison holds but the one that a finite difference cannot
    /// reach: there `g * e` is infinite, and is asked for where that matters. If an operand is no number, no comparison
    /// holds either, unless the other one is zero: then `g` is zero, and all that admit equality hold.
    pub(super) fn compare_reals(&mut self, comparison: Comparison, one: Value, other: Value) -> Value {
        if matches!(comparison, Comparison::NotEqual | Comparison::Less | Comparison::Greater) {
            let bound = self.tolerance(one, other);
            let difference = match comparison {
                Comparison::NotEqual => {
                    let difference = self.builder.ins().fsub(one, other);
                    self.builder.ins().fabs(difference)
                }
                Comparison::Less => self.builder.ins().fsub(other, one),
                _ => self.builder.ins().fsub(one, other),
            };
            return self.builder.ins().fcmp(FloatCC::GreaterThan, difference, bound);
        }
        let (odd, plain, end) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(odd);
        let holds = self.builder.append_block_param(end, types::I8);
        let is_odd = self.builder.ins().fcmp(FloatCC::Unordered, one, other);
        self.builder.ins().brif(is_odd, odd, &[], plain, &[]);

        self.builder.switch_to_block(odd);
        self.builder.seal_block(odd);
        let zero = self.real(0.0);
        let is_zero = self.builder.ins().fcmp(FloatCC::Equal, one, zero);
        let is_other_zero = self.builder.ins().fcmp(FloatCC::Equal, other, zero);
        let is_any_zero = self.builder.ins().bor(is_zero, is_other_zero);
        self.builder.ins().jump(end, &[BlockArg::Value(is_any_zero)]);

        self.builder.switch_to_block(plain);
        self.builder.seal_block(plain);
        let bound = self.tolerance(one, other);
        let infinity = self.real(f64::INFINITY);
        let is_bounded = self.builder.ins().fcmp(FloatCC::LessThan, bound, infinity);
        let is_within = if comparison == Comparison::Equal {
            let difference = self.builder.ins().fsub(one, other);
            let difference = self.builder.ins().fabs(difference);
            self.builder.ins().fcmp(FloatCC::LessThanOrEqual, difference, bound)
        } else {
            let difference = match comparison {
                Comparison::LessOrEqual => self.builder.ins().fsub(other, one),
                _ => self.builder.ins().fsub(one, other),
            };
            let bound = self.builder.ins().fneg(bound);
            self.builder.ins().fcmp(FloatCC::GreaterThan, difference, bound)
        };
        let is_within = self.builder.ins().band(is_within, is_bounded);
        self.builder.ins().jump(end, &[BlockArg::Value(is_within)]);

        self.builder.switch_to_block(end);
        self.builder.seal_block(end);
        holds
    }

    /// The largest difference of two reals that are equal.
    fn tolerance(&mut self, one: Value, other: Value) -> Value {
        let product = self.builder.ins().fmul(one, other);
        let magnitude = self.builder.ins().fabs(one);
        let other_magnitude = self.builder.ins().fabs(other);
        let is_first = self.builder.ins().fcmp(FloatCC::GreaterThan, magnitude, other_magnitude);
        let greatest = self.builder.ins().select(is_first, magnitude, other_magnitude);
        let (zero, unit, epsilon) = (self.real(0.0), self.real(1.0), self.real(f64::EPSILON));
        let is_zero = self.builder.ins().fcmp(FloatCC::Equal, product, zero);
        let greatest = self.builder.ins().select(is_zero, unit, greatest);
        self.builder.ins().fmul(greatest, epsilon)
    }

    fn real(&mut self, number: f64) -> Value {
        self.builder.ins().f64const(number)
    }

    fn real_helper(&mut self, address: Option<*const u8>, arguments: &[Value]) -> Value {
        let params = vec![types::F64; arguments.len()];
        let value = address.and_then(|address| self.helper(address, &params, Some(types::F64), arguments));
        // Caught where the routine is compiled: it stays with the evaluator.
        value.expect("every operation has instructions or a helper")
    }

    /// Gives up where a helper says that it has no value.
    pub(super) fn take(&mut self, has_value: Option<Value>) {
        // Caught where the routine is compiled: it stays with the evaluator.
        let has_value = has_value.expect("a helper says whether it has a value");
        self.give_up_unless(has_value);
    }

    fn compare_magnitude(&mut self, condition: FloatCC, value: Value) -> Value {
        let magnitude = self.builder.ins().fabs(value);
        let infinity = self.real(f64::INFINITY);
        self.builder.ins().fcmp(condition, magnitude, infinity)
    }

    /// Gives up on the integer that has no negative.
    fn give_up_if_least(&mut self, value: Value) {
        let least = self.builder.ins().iconst(types::I64, i64::MIN);
        let is_least = self.builder.ins().icmp(IntCC::Equal, value, least);
        self.give_up_if(is_least);
    }

    /// Gives up where a division fails.
    fn give_up_unless_divisible(&mut self, one: Value, other: Value) {
        let known = self.known(other);
        if known.is_none_or(|number| number == 0) {
            self.give_up_unless(other);
        }
        if known.is_none_or(|number| number == -1) {
            let least = self.builder.ins().iconst(types::I64, i64::MIN);
            let is_least = self.builder.ins().icmp(IntCC::Equal, one, least);
            let is_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, other, -1);
            let is_over = self.builder.ins().band(is_least, is_minus_one);
            self.give_up_if(is_over);
        }
    }

    fn give_up_unless_shift(&mut self, by: Value) {
        if self.known(by).is_none_or(|number| !(0..64).contains(&number)) {
            let is_shift = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, by, 64);
            self.give_up_unless(is_shift);
        }
    }

    /// Whether a remainder is not zero and has another sign than the divisor.
    fn is_off(&mut self, rest: Value, divisor: Value) -> Value {
        let signs = self.builder.ins().bxor(rest, divisor);
        let differ = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let is_some = self.builder.ins().icmp_imm_u(IntCC::NotEqual, rest, 0);
        self.builder.ins().band(differ, is_some)
    }
}
