//! Fields and what they say.

use hasse_compiler::keys_of;

/// What a unit's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// A text in Rhai; also a body that is not written yet.
    Rhai,
    /// A text in Rust.
    Rust,
    /// The name of a native body.
    Native,
}

impl BodyKind {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Rhai, Self::Rust, Self::Native];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rhai => "Rhai",
            Self::Rust => "Rust",
            Self::Native => "native",
        }
    }

    /// The kind of what a body says.
    pub fn of(value: Option<&FieldValue>) -> Self {
        match value {
            Some(FieldValue::Rust(_)) => Self::Rust,
            Some(FieldValue::Native(_)) => Self::Native,
            _ => Self::Rhai,
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A text.
    Line,
    /// A type.
    Type,
    /// Yes or no.
    Flag,
    /// Names, one after the other.
    Names,
    /// Names with a type each.
    Entries,
    /// Names with `read` or `write` each.
    Accesses,
    /// Names with an expression each.
    Arguments,
    /// Rules, arcs or share lines, one a line.
    Rows,
    /// A text of many lines.
    Body,
    /// The name of a graph.
    Graph,
}

/// What a field says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Of [`FieldKind::Line`], [`Type`](FieldKind::Type), [`Body`](FieldKind::Body) and [`Graph`](FieldKind::Graph).
    Text(String),
    /// Of [`FieldKind::Flag`].
    Flag(bool),
    /// Of [`FieldKind::Names`] and [`Rows`](FieldKind::Rows).
    List(Vec<String>),
    /// Of [`FieldKind::Entries`], [`Accesses`](FieldKind::Accesses) and [`Arguments`](FieldKind::Arguments): as they are
    /// declared, `p[i]`.
    Entries(Vec<(String, String)>),
    /// Of [`FieldKind::Body`]: a text in Rust.
    Rust(String),
    /// Of [`FieldKind::Body`]: the name of a native body.
    Native(String),
}

impl FieldValue {
    /// Whether it says nothing, so that the key can be left out.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Flag(flag) => !flag,
            Self::List(list) => list.is_empty(),
            Self::Entries(entries) => entries.is_empty(),
            // While it is written anew it may be empty, and is in Rust all the same.
            Self::Rust(_) | Self::Native(_) => false,
        }
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key in the file.
    pub key: &'static str,
    /// What stands before it.
    pub label: &'static str,
    /// What it is for, in a sentence.
    pub help: &'static str,
    /// Something that it could hold.
    pub example: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// What it says; `None` where the file has no such key, or one of another form.
    pub value: Option<FieldValue>,
    /// Whether the file has the key in another form than this field can show: it has to be edited as text.
    pub is_foreign: bool,
}

/// What a form is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Graph,
    Unit,
    Call,
    Shared,
    Formal,
}

impl Section {
    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Graph => &["graph", ""],
            Self::Unit => &["graph", "", "uc", ""],
            Self::Call => &["graph", "", "call", ""],
            Self::Shared => &["graph", "", "shared", ""],
            Self::Formal => &[],
        }
    }

    /// Its keys in canonical order.
    pub(super) fn keys(self) -> &'static [&'static str] {
        if self == Self::Formal { &["type"] } else { keys_of(self.path()) }
    }
}
