//! Why two ports cannot be connected.

/// Why two ports cannot be connected; each is a sentence for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A node is not there.
    #[error("There is no node `{0}` yet: add it first.")]
    NoNode(String),
    /// A call's graph is not there.
    #[error("`{0}` calls a graph that is not there, so that its ports are not known.")]
    NoGraph(String),
    /// A node does not declare a port.
    #[error("`{node}` does not declare `{port}`: add it to the node first.")]
    NoPort {
        /// The node.
        node: String,
        /// The port or shared name.
        port: String,
    },
    /// Two outputs.
    #[error("Values come out of both `{0}` and `{1}`: an arc runs from an output port to an input port.")]
    BothSend(String, String),
    /// Two inputs.
    #[error("Values go into both `{0}` and `{1}`: an arc runs from an output port to an input port.")]
    BothTake(String, String),
    /// A shared object or name, and a port.
    #[error(
        "`{shared}` is for a shared object and `{port}` for values on arcs: a shared object is used under a name that \
         the node lists as `shared`."
    )]
    SharedAndPort {
        /// The shared object or name.
        shared: String,
        /// The port.
        port: String,
    },
    /// Two shared objects.
    #[error(
        "`{0}` and `{1}` are both shared objects: a share line runs from an object to a node that uses it."
    )]
    BothObjects(String, String),
    /// Two shared names.
    #[error(
        "`{0}` and `{1}` are both names for shared objects: a share line runs from an object to such a name."
    )]
    BothNames(String, String),
    /// Types that do not fit.
    #[error("`{source_port}` sends `{sent}`, but `{target_port}` takes `{taken}`.{help}")]
    Types {
        /// The source.
        source_port: String,
        /// Its type.
        sent: String,
        /// The target.
        target_port: String,
        /// Its type.
        taken: String,
        /// What can be done; begins with a space, or is empty.
        help: &'static str,
    },
    /// An object of another type than the called graph wants.
    #[error(
        "The object `{object}` is of type `{own}`, but `{name}` stands for one of type `{wanted}`: both must be the \
         same, as the called graph may write it."
    )]
    SharedTypes {
        /// The object.
        object: String,
        /// Its type.
        own: String,
        /// The formal shared object.
        name: String,
        /// Its type.
        wanted: String,
    },
    /// The line is there.
    #[error("`{0}` is there already.")]
    Duplicate(String),
    /// A shared name stands for an object.
    #[error("`{name}` stands for `{object}` already: remove that share line first.")]
    Bound {
        /// The shared name.
        name: String,
        /// The object.
        object: String,
    },
}
