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
/// Why a program was not changed.
pub(crate) mod error;
/// Index maps of lines at a node.
pub mod fit;
/// Graphs: adding, renaming, removing.
pub mod graph;
/// Joining arcs again, and bending them.
pub mod heal;
/// What can be a name.
pub(crate) mod identifier;
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

pub use error::EditError;
pub use obstacle::Obstacle;
