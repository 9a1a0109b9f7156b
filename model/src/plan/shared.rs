//! Shared objects, and the lines that lead to them.

use super::arc::Pattern;
use super::code::{Code, Expr};
use crate::diagnostic::Location;
use crate::id::{GraphId, SharedId};
use crate::value::Type;

/// How an execution reaches a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Shared with other readers.
    Read,
    /// Exclusive.
    Write,
}

/// A local name of a shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedUse {
    /// Reader or writer.
    pub access: Access,
    /// `share` lines of this name; the first one whose pattern matches the instance binds it.
    pub bindings: Vec<ShareBinding>,
    /// Where it is declared.
    pub at: Location,
}

/// One `share` line: which object an instance reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareBinding {
    /// Matched against the instance's index; for a formal shared object of a call against the call's
    /// index and then the element's.
    pub pattern: Vec<Pattern>,
    /// What it leads to.
    pub object: ShareSource,
    /// Index of the object, over the pattern's variables ([`Expr::Local`]) and parameters.
    pub elements: Vec<Expr>,
    /// Where it stands.
    pub at: Location,
}

/// What a `share` line leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShareSource {
    /// An object of the graph instance itself.
    Own(SharedId),
    /// A formal shared object of the graph, by position: an object of the caller.
    Formal(usize),
}

/// A declared shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Name within its graph.
    pub name: String,
    /// The graph that declares it: each of its instances has objects of its own.
    pub graph: GraphId,
    /// Names of the index numbers.
    pub index_names: Vec<String>,
    /// Type of the content.
    pub ty: Type,
    /// Content at the start: an expression over parameters ([`Expr::Param`]) and index names
    /// ([`Expr::Local`]); a script sees both by name. Without it, the type's default value.
    pub init: Option<Code>,
    /// Where it is declared.
    pub at: Location,
}
