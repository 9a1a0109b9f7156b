//! Operations on scalars as words, and the kinds that they take and give.

use hasse_model::plan::routine::{BinaryOp, Kind, UnaryOp};

/// What an operation on one operand takes and gives.
pub(crate) fn unary_kinds(op: UnaryOp) -> (Kind, Kind) {
    match op {
        UnaryOp::NegateInt | UnaryOp::AbsInt | UnaryOp::SignInt => (Kind::Int, Kind::Int),
        UnaryOp::Not => (Kind::Bool, Kind::Bool),
        UnaryOp::RealOfInt => (Kind::Int, Kind::Real),
        UnaryOp::IntOfReal => (Kind::Real, Kind::Int),
        UnaryOp::IntOfBool => (Kind::Bool, Kind::Int),
        UnaryOp::IsNan | UnaryOp::IsFinite | UnaryOp::IsInfinite => (Kind::Real, Kind::Bool),
        _ => (Kind::Real, Kind::Real),
    }
}

/// Whether an operation on two operands takes and gives reals; if not, it takes and gives ints.
pub(crate) fn is_of_reals(op: BinaryOp) -> bool {
    op.real_function().is_some()
}

/// Whether an operation on two ints may be one on truth values.
pub(crate) fn is_of_bits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor)
}

/// The least real that is an int.
pub(crate) const LEAST_INT: f64 = -9_223_372_036_854_775_808.0;

/// The value of an operation on one operand; `None` where it gives up.
#[inline]
pub(crate) fn unary(op: UnaryOp, word: u64) -> Option<u64> {
    let int = word.cast_signed();
    let real = f64::from_bits(word);
    Some(match op {
        UnaryOp::NegateInt => int.checked_neg()?.cast_unsigned(),
        UnaryOp::Not => word ^ 1,
        UnaryOp::RealOfInt => (int as f64).to_bits(),
        UnaryOp::IntOfReal if (LEAST_INT..-LEAST_INT).contains(&real) => (real as i64).cast_unsigned(),
        UnaryOp::IntOfReal => return None,
        UnaryOp::IntOfBool => word,
        UnaryOp::AbsInt => int.checked_abs()?.cast_unsigned(),
        UnaryOp::SignInt => int.signum().cast_unsigned(),
        UnaryOp::IsNan => u64::from(real.is_nan()),
        UnaryOp::IsFinite => u64::from(real.is_finite()),
        UnaryOp::IsInfinite => u64::from(real.is_infinite()),
        op => op.real_function()?(real).to_bits(),
    })
}

/// The value of an operation on two operands; `None` where it gives up.
#[inline]
pub(crate) fn binary(op: BinaryOp, one: u64, other: u64) -> Option<u64> {
    let reals = (f64::from_bits(one), f64::from_bits(other));
    Some(match op {
        BinaryOp::AddReals => (reals.0 + reals.1).to_bits(),
        BinaryOp::SubtractReals => (reals.0 - reals.1).to_bits(),
        BinaryOp::MultiplyReals => (reals.0 * reals.1).to_bits(),
        BinaryOp::DivideReals => (reals.0 / reals.1).to_bits(),
        BinaryOp::RemainderReals
        | BinaryOp::PowerReals
        | BinaryOp::MinReals
        | BinaryOp::MaxReals
        | BinaryOp::Hypot
        | BinaryOp::Atan2 => op.real_function()?(reals.0, reals.1).to_bits(),
        op => op.of_ints(one.cast_signed(), other.cast_signed())?.cast_unsigned(),
    })
}
