//! Graph instances, actions and shared objects, each announced before the first event that names it.

use crate::id::{ActionId, CallId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};

/// An instance of a graph other than the main one, seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRecord {
    /// Its id within the run.
    pub graph: GraphInstanceId,
    /// The graph instance that holds the call node.
    pub parent: GraphInstanceId,
    /// The call node.
    pub call: CallId,
    /// The call's index.
    pub index: Index,
}

/// An action seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRecord {
    /// Its id within the run.
    pub action: ActionId,
    /// What it is an instance of.
    pub template: TemplateId,
    /// The graph instance that it belongs to.
    pub graph: GraphInstanceId,
    /// Its index.
    pub index: Index,
}

/// A shared object seen for the first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRecord {
    /// Its id within the run.
    pub object: ObjectId,
    /// What it was declared as.
    pub shared: SharedId,
    /// The graph instance that it belongs to.
    pub graph: GraphInstanceId,
    /// Its index.
    pub index: Index,
}
