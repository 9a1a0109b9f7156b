//! What routines compute on scalars: the operators and pure functions of the interpreter, in its meaning.

/// An operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the operators and functions")]
pub enum UnaryOp {
    /// `-x`; gives up on overflow.
    NegateInt,
    NegateReal,
    Not,
    /// An int as a real.
    RealOfInt,
    /// `to_int(x)`; gives up where the real does not fit, or is not a number.
    IntOfReal,
    /// `to_int(flag)`
    IntOfBool,
    /// `abs(x)`; gives up on overflow.
    AbsInt,
    AbsReal,
    /// `sign(x)`
    SignInt,
    Sqrt,
    Cbrt,
    Exp,
    Exp2,
    Ln,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    ToDegrees,
    ToRadians,
    Floor,
    Ceiling,
    /// Away from zero where it is halfway.
    Round,
    Trunc,
    Fraction,
    IsNan,
    IsFinite,
    IsInfinite,
}

/// An operation on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the operators and functions")]
pub enum BinaryOp {
    /// Gives up on overflow.
    AddInts,
    /// Gives up on overflow.
    SubtractInts,
    /// Gives up on overflow.
    MultiplyInts,
    /// Gives up where the divisor is zero, and on overflow.
    DivideInts,
    /// Gives up where the divisor is zero, and on overflow.
    RemainderInts,
    /// `x ** y`, `pow(x, y)`; gives up where y is negative, and on overflow.
    PowerInts,
    /// `x << y`; gives up where y is not within 0..64.
    ShiftLeft,
    /// `x >> y`, which keeps the sign; gives up where y is not within 0..64.
    ShiftRight,
    /// Of ints, or of truth values.
    BitAnd,
    /// Of ints, or of truth values.
    BitOr,
    /// Of ints, or of truth values.
    BitXor,
    MinInts,
    MaxInts,
    /// `mod_floor(x, y)`; gives up where the divisor is zero.
    ModFloorInts,
    /// `div_floor(x, y)`; gives up where the divisor is zero, and on overflow.
    DivFloorInts,
    AddReals,
    SubtractReals,
    MultiplyReals,
    DivideReals,
    RemainderReals,
    PowerReals,
    /// As the interpreter has it: the first one if it is at most the second one, else the second one.
    MinReals,
    /// As the interpreter has it: the first one if it is at least the second one, else the second one.
    MaxReals,
    Hypot,
    Atan2,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl UnaryOp {
    /// The function of a real that gives a real, for the operations that are one.
    pub fn real_function(self) -> Option<fn(f64) -> f64> {
        Some(match self {
            UnaryOp::NegateReal => |number| -number,
            UnaryOp::AbsReal => f64::abs,
            UnaryOp::Sqrt => f64::sqrt,
            UnaryOp::Cbrt => f64::cbrt,
            UnaryOp::Exp => f64::exp,
            UnaryOp::Exp2 => f64::exp2,
            UnaryOp::Ln => f64::ln,
            UnaryOp::Log2 => f64::log2,
            UnaryOp::Log10 => f64::log10,
            UnaryOp::Sin => f64::sin,
            UnaryOp::Cos => f64::cos,
            UnaryOp::Tan => f64::tan,
            UnaryOp::Asin => f64::asin,
            UnaryOp::Acos => f64::acos,
            UnaryOp::Atan => f64::atan,
            UnaryOp::Sinh => f64::sinh,
            UnaryOp::Cosh => f64::cosh,
            UnaryOp::Tanh => f64::tanh,
            UnaryOp::Asinh => f64::asinh,
            UnaryOp::Acosh => f64::acosh,
            UnaryOp::Atanh => f64::atanh,
            UnaryOp::ToDegrees => f64::to_degrees,
            UnaryOp::ToRadians => f64::to_radians,
            UnaryOp::Floor => f64::floor,
            UnaryOp::Ceiling => f64::ceil,
            UnaryOp::Round => f64::round,
            UnaryOp::Trunc => f64::trunc,
            UnaryOp::Fraction => f64::fract,
            _ => return None,
        })
    }
}

impl BinaryOp {
    /// The function of two reals that gives a real, for the operations that are one.
    pub fn real_function(self) -> Option<fn(f64, f64) -> f64> {
        Some(match self {
            BinaryOp::AddReals => |one, other| one + other,
            BinaryOp::SubtractReals => |one, other| one - other,
            BinaryOp::MultiplyReals => |one, other| one * other,
            BinaryOp::DivideReals => |one, other| one / other,
            BinaryOp::RemainderReals => |one, other| one % other,
            BinaryOp::PowerReals => f64::powf,
            BinaryOp::MinReals => |one, other| if one <= other { one } else { other },
            BinaryOp::MaxReals => |one, other| if one >= other { one } else { other },
            BinaryOp::Hypot => f64::hypot,
            BinaryOp::Atan2 => f64::atan2,
            _ => return None,
        })
    }

    /// The value of an operation on integers, or on truth values as 0 and 1; `None` where it gives up.
    #[inline]
    pub fn of_ints(self, one: i64, other: i64) -> Option<i64> {
        match self {
            BinaryOp::AddInts => one.checked_add(other),
            BinaryOp::SubtractInts => one.checked_sub(other),
            BinaryOp::MultiplyInts => one.checked_mul(other),
            BinaryOp::DivideInts => one.checked_div(other),
            BinaryOp::RemainderInts => one.checked_rem(other),
            BinaryOp::PowerInts => one.checked_pow(u32::try_from(other).ok()?),
            BinaryOp::ShiftLeft => one.checked_shl(u32::try_from(other).ok()?),
            BinaryOp::ShiftRight => one.checked_shr(u32::try_from(other).ok()?),
            BinaryOp::BitAnd => Some(one & other),
            BinaryOp::BitOr => Some(one | other),
            BinaryOp::BitXor => Some(one ^ other),
            BinaryOp::MinInts => Some(one.min(other)),
            BinaryOp::MaxInts => Some(one.max(other)),
            BinaryOp::ModFloorInts => {
                let rest = one.checked_rem(other)?;
                Some(if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest })
            }
            BinaryOp::DivFloorInts => {
                let quotient = one.checked_div(other)?;
                Some(if one % other != 0 && (one < 0) != (other < 0) { quotient - 1 } else { quotient })
            }
            _ => None,
        }
    }
}

impl Comparison {
    /// Whether it holds for two integers.
    #[inline]
    pub fn of_ints(self, one: i64, other: i64) -> bool {
        match self {
            Comparison::Equal => one == other,
            Comparison::NotEqual => one != other,
            Comparison::Less => one < other,
            Comparison::LessOrEqual => one <= other,
            Comparison::Greater => one > other,
            Comparison::GreaterOrEqual => one >= other,
        }
    }

    /// Whether it holds for two reals as the interpreter compares them: numbers whose difference, divided by the greater
    /// magnitude, is at most the machine's epsilon are equal.
    #[inline]
    pub fn of_reals(self, one: f64, other: f64) -> bool {
        let greatest = if one * other == 0.0 { 1.0 } else { one.abs().max(other.abs()) };
        if greatest == 0.0 {
            return matches!(self, Comparison::Equal | Comparison::LessOrEqual | Comparison::GreaterOrEqual);
        }
        match self {
            Comparison::Equal => (one - other).abs() / greatest <= f64::EPSILON,
            Comparison::NotEqual => (one - other).abs() / greatest > f64::EPSILON,
            Comparison::Greater => (one - other) / greatest > f64::EPSILON,
            Comparison::GreaterOrEqual => (one - other) / greatest > -f64::EPSILON,
            Comparison::Less => (other - one) / greatest > f64::EPSILON,
            Comparison::LessOrEqual => (other - one) / greatest > -f64::EPSILON,
        }
    }
}
