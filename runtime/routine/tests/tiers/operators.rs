//! All operators, with the kinds that they take and give.

use hasse_model::plan::routine::{BinaryOp, Comparison, Kind, UnaryOp};

pub(crate) const UNARY: [(UnaryOp, Kind, Kind); 38] = {
    use Kind::{Bool, Int, Real};
    use UnaryOp::*;
    [
        (NegateInt, Int, Int),
        (NegateReal, Real, Real),
        (Not, Bool, Bool),
        (RealOfInt, Int, Real),
        (IntOfReal, Real, Int),
        (IntOfBool, Bool, Int),
        (AbsInt, Int, Int),
        (AbsReal, Real, Real),
        (SignInt, Int, Int),
        (Sqrt, Real, Real),
        (Cbrt, Real, Real),
        (Exp, Real, Real),
        (Exp2, Real, Real),
        (Ln, Real, Real),
        (Log2, Real, Real),
        (Log10, Real, Real),
        (Sin, Real, Real),
        (Cos, Real, Real),
        (Tan, Real, Real),
        (Asin, Real, Real),
        (Acos, Real, Real),
        (Atan, Real, Real),
        (Sinh, Real, Real),
        (Cosh, Real, Real),
        (Tanh, Real, Real),
        (Asinh, Real, Real),
        (Acosh, Real, Real),
        (Atanh, Real, Real),
        (ToDegrees, Real, Real),
        (ToRadians, Real, Real),
        (Floor, Real, Real),
        (Ceiling, Real, Real),
        (Round, Real, Real),
        (Trunc, Real, Real),
        (Fraction, Real, Real),
        (IsNan, Real, Bool),
        (IsFinite, Real, Bool),
        (IsInfinite, Real, Bool),
    ]
};

pub(crate) const INTS: [BinaryOp; 15] = {
    use BinaryOp::*;
    [
        AddInts,
        SubtractInts,
        MultiplyInts,
        DivideInts,
        RemainderInts,
        PowerInts,
        ShiftLeft,
        ShiftRight,
        BitAnd,
        BitOr,
        BitXor,
        MinInts,
        MaxInts,
        ModFloorInts,
        DivFloorInts,
    ]
};

pub(crate) const REALS: [BinaryOp; 10] = {
    use BinaryOp::*;
    [
        AddReals,
        SubtractReals,
        MultiplyReals,
        DivideReals,
        RemainderReals,
        PowerReals,
        MinReals,
        MaxReals,
        Hypot,
        Atan2,
    ]
};

pub(crate) const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];
