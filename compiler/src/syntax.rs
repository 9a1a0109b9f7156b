//! The program as it is written: what the file holds, with places, before any name is looked up.

use hasse_model::diagnostic::Location;
use hasse_model::plan::FullPolicy;

use crate::rust_front::{Facts, Unreadable};
use crate::text::Text;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) at: Location,
}

/// `name = "text"`
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: Name,
    pub(crate) text: Text,
}

/// All graphs of a file.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) main: Option<Name>,
    pub(crate) types: Vec<StructText>,
    pub(crate) graphs: Vec<Graph>,
    pub(crate) record: Record,
}

/// `[record]`
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) mode: Option<Name>,
    /// Selectors and options, in the order of the file.
    pub(crate) options: Vec<Entry>,
}

/// `[type.S]`
#[derive(Debug)]
pub(crate) struct StructText {
    pub(crate) name: Name,
    pub(crate) fields: Vec<Entry>,
}

/// `[graph.G]`
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) name: Name,
    pub(crate) params: Vec<Entry>,
    /// Formal input ports.
    pub(crate) inputs: Vec<Entry>,
    /// Formal output ports.
    pub(crate) outputs: Vec<Entry>,
    /// Formal shared objects: `inout`.
    pub(crate) formals: Vec<Entry>,
    pub(crate) arcs: Vec<Text>,
    pub(crate) shares: Vec<Text>,
    /// Output port to which nodes without a policy for failed events send their errors.
    pub(crate) on_error: Option<Name>,
    pub(crate) units: Vec<Unit>,
    pub(crate) shared: Vec<SharedObject>,
    pub(crate) calls: Vec<CallNode>,
}

/// `[graph.G.call.N]`
#[derive(Debug)]
pub(crate) struct CallNode {
    pub(crate) name: Name,
    pub(crate) index: Vec<Name>,
    pub(crate) graph: Option<Name>,
    pub(crate) args: Vec<Entry>,
}

/// `[graph.G.uc.N]`
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) name: Name,
    pub(crate) index: Vec<Name>,
    pub(crate) inputs: Vec<Entry>,
    /// Options of input ports that have any.
    pub(crate) port_options: Vec<PortOptions>,
    pub(crate) outputs: Vec<Entry>,
    pub(crate) vars: Vec<Entry>,
    pub(crate) shared: Vec<Entry>,
    pub(crate) init: Option<Text>,
    pub(crate) fire: Vec<Text>,
    pub(crate) body: Option<Body>,
    pub(crate) route: Vec<Text>,
    /// Where it is said to be a start node.
    pub(crate) start: Option<Location>,
    /// Where it is said to be the stop node.
    pub(crate) stop: Option<Location>,
    /// Location of the mark that its firing rules are in the order of preference.
    pub(crate) prefer: Option<Location>,
    /// Maximum number of its instances that execute at a time.
    pub(crate) at_once: Option<Text>,
    /// The policy for its failed events.
    pub(crate) on_error: Option<OnError>,
    /// Maximum number of retries of a failing body.
    pub(crate) retry: Option<Text>,
    /// Time before the first retry.
    pub(crate) backoff: Option<Text>,
    /// Maximum time that a body waits.
    pub(crate) deadline: Option<Text>,
    /// Input port whose values cancel an event that waits.
    pub(crate) cancel: Option<Name>,
    /// Period of a timer.
    pub(crate) every: Option<Text>,
    /// Time at which a start node executes.
    pub(crate) after: Option<Text>,
    /// Priority for the scheduler.
    pub(crate) priority: i32,
    /// True of the start node that the compiler adds to a graph whose ports have values at the start.
    pub(crate) is_initial: bool,
}

/// Name of the ports of a timer, by which it sends to itself.
pub(crate) const TIMER_PORT: &str = "every";

/// `on_error`
#[derive(Debug)]
pub(crate) enum OnError {
    /// `"stop"`: the instance stops.
    Stop,
    /// `"continue"`: it continues with its next values.
    Continue,
    /// Routing rules of failed events, after which it continues.
    Rules(Vec<Text>),
}

impl Unit {
    /// Routing rules of failed events.
    pub(crate) fn error_rules(&self) -> &[Text] {
        match &self.on_error {
            Some(OnError::Rules(rules)) => rules,
            Some(OnError::Stop | OnError::Continue) | None => &[],
        }
    }

    /// Times over the creation parameters.
    pub(crate) fn times(&self) -> impl Iterator<Item = &Text> {
        self.every.iter().chain(&self.after).chain(&self.deadline).chain(&self.backoff)
    }

    /// Routing rules, and after them those of failed events, as a plan has them.
    pub(crate) fn all_routes(&self) -> impl Iterator<Item = &Text> {
        self.route.iter().chain(self.error_rules())
    }
}

/// Options of an input port.
#[derive(Debug)]
pub(crate) struct PortOptions {
    /// The port, or the family of ports.
    pub(crate) port: Name,
    /// True if values may be left on it.
    pub(crate) may_be_left: bool,
    /// Maximum number of values that wait on it.
    pub(crate) bound: Option<Text>,
    /// The policy where that number is reached, and where it is written.
    pub(crate) full: Option<(FullPolicy, Location)>,
    /// Values that are on it when the program starts, as expressions.
    pub(crate) initial: Vec<Text>,
    /// Location of the list of these values.
    pub(crate) initial_at: Option<Location>,
}

/// `do`
#[derive(Debug)]
pub(crate) enum Body {
    /// A Rhai text.
    Script(Text),
    /// `{ native = "name" }`
    Native(Name),
    /// `{ rust = '''text''' }`
    Rust(RustBody),
}

/// A body in Rust.
#[derive(Debug)]
pub(crate) struct RustBody {
    pub(crate) text: Text,
    /// What is known of the text.
    pub(crate) facts: Result<Facts, Unreadable>,
}

impl Unit {
    /// The body, where it is a Rhai text.
    pub(crate) fn script_body(&self) -> Option<&Text> {
        match &self.body {
            Some(Body::Script(text)) => Some(text),
            Some(Body::Native(_) | Body::Rust(_)) | None => None,
        }
    }

    /// Whether the body is in Rust, so that analyses learn nothing from it.
    pub(crate) fn has_native_body(&self) -> bool {
        matches!(self.body, Some(Body::Native(_) | Body::Rust(_)))
    }
}

/// `[graph.G.shared.N]`
#[derive(Debug)]
pub(crate) struct SharedObject {
    pub(crate) name: Name,
    pub(crate) index: Vec<Name>,
    pub(crate) ty: Option<Text>,
    pub(crate) init: Option<Text>,
}
