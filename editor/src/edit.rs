//! Changes of a program by what a person does to its picture.
//!
//! Each function changes the tables of a program file (`toml_edit`'s, which keep comments, order and spelling) and is
//! meant for [`Document::edit`](crate::document::Document::edit). Where one fails, the tables may be half changed: the
//! document drops them. Names that are no identifiers or taken are refused here; whatever else is wrong with a program
//! is the compiler's to tell, as a drawing is wrong most of the time while it is being made.

/// Copies of nodes as text, and duplicates.
pub mod clip;
/// A selection that becomes a graph of its own.
pub mod collapse;
/// Index maps of lines at a node.
pub mod fit;
/// Graphs: adding, renaming, removing.
pub mod graph;
/// Joining arcs again, and bending them.
pub mod heal;
/// Arcs and share lines.
pub mod link;
/// Names of creation parameters, variables and shared objects in texts.
pub mod name;
/// Nodes, shared objects, calls and formal ports.
pub mod node;
/// Comments and frames in the picture.
pub mod note;
/// What keeps an edit of several things from being made.
mod obstacle;
/// Reading and moving parts of graphs.
mod parts;
/// Positions of what is drawn.
pub mod place;
/// Ports, and names for shared objects.
pub mod port;
/// Bends of arcs and share lines.
pub mod route;
/// Arrays with one arc or rule a line.
pub(crate) mod rows;
/// Finding and making tables.
pub(crate) mod tables;
/// Expressions and bodies of a node.
mod texts;
/// A graph in place of a call of it.
pub mod unpack;
/// Arcs and share lines as ways between ends, and joining two of them.
mod way;
/// Words of expressions and bodies.
mod words;

pub use obstacle::Obstacle;

/// Why a program was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is no TOML.
    #[error("the text cannot be read; mend it first")]
    NotReadable,
    /// Something is not there.
    #[error("there is no {what} `{name}`")]
    Missing {
        /// What is not there.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A name that cannot be one.
    #[error(
        "`{name}` is no name: it has to begin with a letter or `_` and go on with letters, digits and `_`"
    )]
    BadName {
        /// The text given.
        name: String,
    },
    /// A name that something has already.
    #[error("`{name}` is taken already")]
    Taken {
        /// The name.
        name: String,
    },
    /// A line of arcs, share lines or rules that is not there.
    #[error("`{key}` has no line {row}")]
    NoRow {
        /// The array.
        key: String,
        /// Position, from 0.
        row: usize,
    },
    /// A text that was to be pasted holds no copied nodes.
    #[error("what was copied are no nodes: copy some first")]
    NotAFragment,
    /// The edit cannot be made, or would change what the program does.
    #[error(transparent)]
    Obstacle(#[from] Obstacle),
    /// Two ports cannot be connected.
    #[error(transparent)]
    Connection(#[from] crate::drawing::connect::Refusal),
    /// A part of the file has another form than the language gives it.
    #[error("`{path}` has another form than expected; edit it as text")]
    Form {
        /// Keys on the way to it.
        path: String,
    },
}

/// Refuses what is no identifier.
pub(crate) fn check_name(name: &str) -> Result<(), EditError> {
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if begins && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Ok(());
    }
    Err(EditError::BadName { name: name.to_owned() })
}
