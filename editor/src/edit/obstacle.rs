//! What keeps an edit of several things from being made: the reasons, in words that say what to do.

/// Why nodes cannot be collapsed, a call cannot be unpacked, or an arc cannot be bent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Nothing is selected.
    #[error("nothing is selected: select the nodes that are to become a graph")]
    Nothing,
    /// A formal port is selected.
    #[error("`{node}` is a port of the graph itself: leave it out of the selection")]
    FormalPort {
        /// The port, `in.a`.
        node: String,
    },
    /// A node whose ports have values at the start, which they can have in the main graph only.
    #[error(
        "ports of `{node}` have initial values, which they can have in the main graph only: leave it out"
    )]
    InitialValues {
        /// The node.
        node: String,
    },
    /// A start or stop node, which acts in the main graph only.
    #[error("`{node}` is a start or stop node, and these act in the main graph only: leave it out")]
    StartOrStop {
        /// The node.
        node: String,
    },
    /// A selected shared object is used by a node that is not.
    #[error("the shared object `{object}` is also used by `{user}`: leave `{object}` out of the selection")]
    SharedOutside {
        /// The shared object.
        object: String,
        /// The node that is not selected.
        user: String,
    },
    /// A port or shared object whose type is said nowhere.
    #[error("the type of `{name}` is not known: declare it first")]
    NoType {
        /// `Node.port`, or the shared object.
        name: String,
    },
    /// What was to be unpacked is no call.
    #[error("`{node}` is no call")]
    NoCall {
        /// The node.
        node: String,
    },
    /// A call of the graph that it stands in.
    #[error("`{node}` calls the graph that it stands in: unpacking it would never end")]
    Recursive {
        /// The call.
        node: String,
    },
    /// A graph with a port for the errors of its nodes: who is moved out or in would send its errors elsewhere.
    #[error(
        "the graph `{graph}` has a port for the errors of its nodes: give the nodes policies of their own (`on_error`) first"
    )]
    SendsErrors {
        /// The graph.
        graph: String,
    },
    /// An index is computed on one side of an interface and compared on the other.
    #[error("`{first}` and `{second}` cannot be joined to one line: their index numbers do not meet")]
    IndexMap {
        /// The line that comes to the interface.
        first: String,
        /// The line that leaves it.
        second: String,
    },
    /// Too many lines would come out, or arcs lead in a circle without a unit of computation.
    #[error("the arcs through `{node}` lead in a circle, or make too many: give it fewer arcs first")]
    TooManyWays {
        /// The call.
        node: String,
    },
    /// A name would mean something else.
    #[error(
        "`{name}` has two meanings in `{node}` when it stands in the other graph: rename one of them first"
    )]
    Captured {
        /// The name.
        name: String,
        /// The node whose texts use it.
        node: String,
    },
    /// A parameter without argument and default.
    #[error("`{call}` gives no value to `{param}`: add one to its `args`")]
    NoArgument {
        /// The call.
        call: String,
        /// The parameter.
        param: String,
    },
    /// An argument that cannot be written in place of the parameter.
    #[error(
        "the argument `{arg}` cannot be written where `{param}` stands: give `{param}` a number or a name"
    )]
    Argument {
        /// The parameter.
        param: String,
        /// The argument.
        arg: String,
    },
    /// A node that has not one input and one output port.
    #[error("`{node}` has not exactly one input and one output port")]
    NotOneWay {
        /// The node.
        node: String,
    },
    /// A node at an end of the arc that it is to be put on.
    #[error("`{node}` is an end of this arc already")]
    IsAnEnd {
        /// The node.
        node: String,
    },
    /// Index numbers that a node on the arc would not hand on.
    #[error("`{node}` would not hand on the index numbers of `{line}`: give it as many")]
    IndexNumbers {
        /// The node.
        node: String,
        /// The arc.
        line: String,
    },
    /// A line that cannot be read.
    #[error("`{line}` cannot be read: mend it first")]
    Unreadable {
        /// The line.
        line: String,
    },
}
