//! Why a question or a command of the debugger was refused.

/// Why an action could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InspectError {
    /// There is no such action, or not yet.
    #[error("there is no action `{path}`")]
    NoAction {
        /// As it was asked for.
        path: String,
    },
    /// A worker is serving it.
    #[error("`{path}` is executing: stop it first")]
    Busy {
        /// The action.
        path: String,
    },
    /// It is not stopped, which is needed for this.
    #[error("`{path}` is not stopped")]
    NotStopped {
        /// The action.
        path: String,
    },
    /// It cannot be stepped through.
    #[error("{message}")]
    Step {
        /// Why.
        message: String,
    },
    /// All workers wait within bodies, so that nobody could serve it.
    #[error("no worker is free for `{path}`: let {} go on first", stopped.join(" or "))]
    NoWorker {
        /// The action.
        path: String,
        /// The actions that are stopped in their bodies.
        stopped: Vec<String>,
    },
    /// The values on a port cannot be changed in this way.
    #[error("{message}")]
    Queue {
        /// Why.
        message: String,
    },
    /// An expression has no value, or a value cannot be assigned.
    #[error("{message}")]
    Value {
        /// Why.
        message: String,
    },
}
