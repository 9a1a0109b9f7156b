//! What may stand in a text.

use crate::names::NameKind;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A name of the node or graph.
    Name(NameKind),
    /// A port.
    Port,
    /// A node, shared object or formal port.
    Node,
    /// A field of a struct type.
    Field,
    /// A type.
    Type,
    /// A graph.
    Graph,
    /// A function.
    Function,
    /// A native body.
    Native,
    /// A word of the language.
    Keyword,
}

/// Something that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is shown and typed.
    pub text: String,
    /// What it is.
    pub kind: ItemKind,
    /// Its type or what it does, in a few words; may be empty.
    pub detail: String,
}
