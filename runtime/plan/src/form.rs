//! Forms of the values in columns.

use hasse_model::plan::routine::Kind;
use hasse_model::value::Type;

/// Form of the values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Scalars of a kind, as words.
    Word(Kind),
    /// Values of other types, as they are.
    Value,
}

impl Form {
    /// The form of values of a type; `None` where they may have either.
    pub(crate) fn of(ty: &Type) -> Option<Self> {
        match (Kind::of(ty), ty) {
            (Some(kind), _) => Some(Form::Word(kind)),
            (None, Type::Any) => None,
            (None, _) => Some(Form::Value),
        }
    }

    /// The kind of the scalars.
    #[inline]
    pub fn kind(self) -> Option<Kind> {
        match self {
            Form::Word(kind) => Some(kind),
            Form::Value => None,
        }
    }
}
