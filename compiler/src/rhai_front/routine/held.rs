//! What names hold while a text is followed.

use hasse_model::plan::routine::{Kind, Reg};
use hasse_model::value::Type;

/// A name that can be seen.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) held: Held,
    pub(super) origin: Origin,
    /// Whether it may be assigned.
    pub(super) is_assignable: bool,
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The node, or the rule that an expression belongs to.
    Node,
    /// The outermost level of the body.
    Outer,
    /// A block, a loop or a function.
    Inner,
}

/// What a name holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    /// A scalar, in a register of its own.
    Scalar(Reg, Kind),
    /// A scalar, or nothing where the register of a truth value says so.
    Optional(Reg, Kind, Reg),
    /// An object of the routine, by position.
    Object(u32),
    /// An object that a function of the text has been given, to look into.
    Lent(u32),
    /// Nothing.
    Unit,
    /// What is outside of the subset: its type.
    Outside(String),
    /// One thing or another, by the way that was taken.
    Mixed(String),
}

impl Held {
    /// What it is, for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Held::Scalar(_, kind) => format!("{kind}"),
            Held::Optional(_, kind, _) => format!("{kind} or nothing"),
            Held::Object(_) | Held::Lent(_) => "object".to_owned(),
            Held::Unit => "nothing".to_owned(),
            Held::Outside(what) | Held::Mixed(what) => what.clone(),
        }
    }

    /// What a name holds behind a place where two ways meet.
    pub(super) fn merged(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let (one, other) = (self.shown(), other.shown());
        Held::Mixed(if one == other { one } else { format!("{one} or {other}") })
    }
}

/// A type of values that routines have as objects.
pub(super) fn is_of_objects(ty: &Type) -> bool {
    matches!(ty, Type::Vector | Type::Matrix | Type::Array(_) | Type::Struct(_) | Type::String)
}
