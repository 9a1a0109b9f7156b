//! Why a program was not changed.

use super::obstacle::Obstacle;

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
    Connection(#[from] crate::drawing::connect::refusal::Refusal),
    /// A part of the file has another form than the language gives it.
    #[error("`{path}` has another form than expected; edit it as text")]
    Form {
        /// Keys on the way to it.
        path: String,
    },
}
