//! The plan: a program lowered to plain data with dense ids, ready to be run.
//!
//! Every part keeps the [`Location`](crate::diagnostic::Location) and, where a person will be shown it, the text that it came
//! from. A plan holds no interpreter objects: scripts stand here as text and are compiled once, by
//! the runtime, before the first event.

use crate::diagnostic::Location;
use crate::id::{ArcId, CallId, GraphId, ScriptId, SlotId, TemplateId};
use crate::record_options::settings::RecordAnnotations;
use crate::value::{StructTable, Type};

/// Arcs.
mod arc;
/// What is evaluated.
mod code;
/// What runs without the interpreter.
pub mod routine;
/// Rules.
mod rule;
/// Bodies in Rust.
mod rust_text;
/// Shared objects.
mod shared;

pub use arc::{Arc, Pattern, Source, Target};
use routine::Lowering;

pub use code::{BinaryOp, Code, Expr, Script, ScriptKind};
pub use rule::{Delay, FiringRule, Loop, RoutingRule, Send, Take, TimeSpan, UNITS_OF_TIME};
pub use rust_text::RustText;
pub use shared::{Access, ShareBinding, ShareSource, Shared, SharedUse};

/// A program, lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The main graph.
    pub main: GraphId,
    /// Graphs, in the order of the file; a [`GraphId`] is a position here.
    pub graphs: Vec<Graph>,
    /// Units of computation of all graphs; a [`TemplateId`] is a position here.
    pub templates: Vec<Template>,
    /// Call nodes of all graphs; a [`CallId`] is a position here.
    pub calls: Vec<Call>,
    /// Arcs; an [`ArcId`] is a position here.
    pub arcs: Vec<Arc>,
    /// Declared shared objects; a [`SharedId`](crate::id::SharedId) is a position here.
    pub shared: Vec<Shared>,
    /// Rhai texts; a [`ScriptId`] is a position here.
    pub scripts: Vec<Script>,
    /// What scripts were lowered to, by [`ScriptId`]; `None` for those that run outside of events.
    pub lowerings: Vec<Option<Lowering>>,
    /// Struct types.
    pub structs: std::sync::Arc<StructTable>,
    /// Whether more than one action may set one result name, so that the run must know which of
    /// two results is the later one in causal order.
    pub orders_results: bool,
    /// How the program asks to be recorded.
    pub record: RecordAnnotations,
}

/// A graph: what its callers see of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Name.
    pub name: String,
    /// Creation parameters, in the order of the file.
    pub params: Vec<Param>,
    /// Formal input ports (`in.p`): an instance's values come in here.
    pub inputs: Vec<Port>,
    /// Formal output ports (`out.p`).
    pub outputs: Vec<Port>,
    /// Formal shared objects (`inout.x`): objects of the caller; a family has index numbers.
    pub formals: Vec<Port>,
    /// Where its name stands.
    pub at: Location,
}

/// A call node: each index stands for a graph instance of its own, created by the first value that is
/// sent into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name within its graph.
    pub name: String,
    /// The graph that holds the node.
    pub owner: GraphId,
    /// The graph called.
    pub graph: GraphId,
    /// Names of the index numbers.
    pub index_names: Vec<String>,
    /// For each parameter of the graph called, its value: an expression over the owner's parameters
    /// ([`Expr::Param`]) and the index names ([`Expr::Local`]); `None` takes the default.
    pub args: Vec<Option<Arg>>,
    /// For each formal shared object of the graph called, the `share` lines that bind it; the first one
    /// whose pattern matches the call's index followed by the element's index binds.
    pub bindings: Vec<Vec<ShareBinding>>,
    /// Where its name stands.
    pub at: Location,
}

/// The value that a call gives to a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// What it is.
    pub code: Code,
    /// Where it stands.
    pub at: Location,
}

/// A creation parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Default: an expression over the parameters before it.
    pub default: Option<Code>,
    /// Where it is declared.
    pub at: Location,
}

/// A unit of computation.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Name within its graph.
    pub name: String,
    /// The graph that holds the node.
    pub graph: GraphId,
    /// Number of index names.
    pub n_indices: usize,
    /// Input ports, in the order of the file; `Take::port` is a position here.
    pub inputs: Vec<Port>,
    /// Output ports, in the order of the file; `Send::port` is a position here.
    pub outputs: Vec<Port>,
    /// All names that bodies and rules see, in the order parameters, indices, vars, shared names,
    /// bound names, names set by a native body, `rule`, `count`, names that a lowered body binds; a [`SlotId`] is a
    /// position here.
    pub slots: Vec<Slot>,
    /// Defaults of the vars, in the order of their slots.
    pub var_defaults: Vec<Option<Code>>,
    /// Shared names, in the order of their slots.
    pub shared: Vec<SharedUse>,
    /// Runs once per instance, before its first firing rule is looked at.
    pub init: Option<ScriptId>,
    /// Firing rules, in the order of the file.
    pub fire: Vec<FiringRule>,
    /// The body; `None` where it is empty.
    pub body: Option<Body>,
    /// True if the body, a script, calls functions whose answers may have to be waited for.
    pub may_wait: bool,
    /// Routing rules, in the order of the file; after them those of failed events.
    pub route: Vec<RoutingRule>,
    /// Whether it executes once without input when the program starts, if its graph is the main one.
    pub is_start: bool,
    /// True for the start node that sends the values that are on ports when the program starts (`initial = [0]`): it executes before
    /// all others.
    pub is_first: bool,
    /// Period of a timer (`every = "100ms"`).
    pub every: Option<TimeSpan>,
    /// Time after the beginning of the run at which a start node executes (`after = "5s"`); `None` where it does so at once.
    pub start_after: Option<TimeSpan>,
    /// Whether the end of its first event ends the program, if its graph is the main one.
    pub is_stop: bool,
    /// True if the first enabled firing rule is taken: which one is no free choice.
    pub prefers: bool,
    /// Maximum number of its instances that execute at a time, over all graph instances and the creation parameters of each
    /// (`at_once = 4`); no bound in replays.
    pub at_once: Option<Expr>,
    /// Priority of its instances for the scheduler (`priority = 1`): those of higher priority are served first. The default is 0.
    pub priority: i32,
    /// Input port whose values cancel an event that waits for the world outside, by position (`cancel = "stop"`).
    pub cancel: Option<usize>,
    /// Maximum time that a body waits in one attempt (`deadline = "2s"`).
    pub deadline: Option<TimeSpan>,
    /// The policy for its failed events.
    pub on_error: ErrorPolicy,
    /// Where its table begins.
    pub at: Location,
}

/// Policy for the failed events of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorPolicy {
    /// True if an instance continues with its next values after a failed event (`on_error`); else it stops.
    pub continues: bool,
    /// Maximum number of retries of a failing body in one event, over the creation parameters (`retry = 3`).
    pub retry: Option<Expr>,
    /// Time before the first retry, which doubles with each further one (`backoff = "100ms"`).
    pub backoff: Option<TimeSpan>,
    /// The slot of `error`, if there are routing rules for failed events.
    pub slot: Option<SlotId>,
}

impl ErrorPolicy {
    /// Returns true if failed events, or failed attempts of a body, are rolled back.
    pub fn needs_savepoint(&self) -> bool {
        self.continues || self.retry.is_some()
    }
}

/// Type of the name `error` in routing rules of failed events.
pub const ERROR_TYPE: &str = "error";

/// What a unit of computation does.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A Rhai text.
    Script(ScriptId),
    /// A body written in Rust, which whoever runs the plan has registered.
    Native {
        /// The name under which it is registered; of a text in the program file `GRAPH.NODE`.
        name: String,
        /// Where the name or the text stands.
        at: Location,
        /// The text, where it stands in the program file.
        text: Option<std::sync::Arc<RustText>>,
    },
}

impl Template {
    /// The body, where it is a script.
    pub fn body_script(&self) -> Option<ScriptId> {
        match self.body {
            Some(Body::Script(script)) => Some(script),
            Some(Body::Native { .. }) | None => None,
        }
    }

    /// The body, where it is a text in Rust, with the name under which it is registered.
    pub fn body_rust(&self) -> Option<(&str, &std::sync::Arc<RustText>)> {
        match &self.body {
            Some(Body::Native { name, text: Some(text), .. }) => Some((name, text)),
            _ => None,
        }
    }

    /// The slot of `rule`: position of the firing rule taken.
    pub fn rule_slot(&self) -> SlotId {
        SlotId::from_idx(self.slots_of(SlotKind::Rule).start)
    }

    /// The slot of `count`: which execution this is, from 1.
    pub fn count_slot(&self) -> SlotId {
        SlotId::from_idx(self.slots_of(SlotKind::Count).start)
    }

    /// The slots of one kind, as a range of positions.
    pub fn slots_of(&self, kind: SlotKind) -> std::ops::Range<usize> {
        let start = self.slots.iter().position(|slot| slot.kind == kind).unwrap_or(0);
        let n_slots = self.slots.iter().filter(|slot| slot.kind == kind).count();
        start..start + n_slots
    }
}

/// What a name in a template's scope stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotKind {
    /// A creation parameter of the graph.
    Param,
    /// One of the instance's index numbers.
    Index,
    /// A var: kept from one execution to the next.
    Var,
    /// The local name of a shared object.
    Shared,
    /// A name that some firing rule binds and that is not a var; `()` where the rule taken does not.
    Bound,
    /// A name that the node's body in Rust sets for its routing rules, or the outermost level of a body that was lowered
    /// to a routine binds; `()` where it does not.
    Let,
    /// `rule`
    Rule,
    /// `count`
    Count,
}

/// A named place in the scope of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Name.
    pub name: String,
    /// What it stands for.
    pub kind: SlotKind,
    /// Type; of a bound name the type of the port (an array of it for a replicated binding), `any`
    /// where rules bind different ones.
    pub ty: Type,
}

/// An input or output port.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Name.
    pub name: String,
    /// Number of index numbers of an element of the family; 0 for a plain port.
    pub n_indices: usize,
    /// Type of the values.
    pub ty: Type,
    /// Whether values may be left on it when a run ends (`left = "ok"`).
    pub may_be_left: bool,
    /// Maximum number of values that wait on it, or on each of its elements (`bound = 8`), over the creation parameters; no bound in
    /// replays.
    pub bound: Option<Expr>,
    /// The policy where its bound is reached (`full = "drop-oldest"`).
    pub full: FullPolicy,
    /// Where it is declared.
    pub at: Location,
}

/// Policies for values that come for a port that is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FullPolicy {
    /// They wait with their sender.
    #[default]
    Wait,
    /// They come in, and the values that have waited longest are dropped.
    DropOldest,
    /// They are dropped.
    DropNewest,
    /// The event that sends them fails.
    Fail,
}

impl FullPolicy {
    /// All of them, in the order in which messages name them.
    pub const ALL: [Self; 4] = [Self::Wait, Self::DropOldest, Self::DropNewest, Self::Fail];

    /// The word for it in a program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::DropOldest => "drop-oldest",
            Self::DropNewest => "drop-newest",
            Self::Fail => "fail",
        }
    }

    /// Returns true if values can be dropped.
    pub fn drops(self) -> bool {
        matches!(self, Self::DropOldest | Self::DropNewest)
    }
}

impl Plan {
    /// The template of an id.
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.idx()]
    }

    /// The main graph.
    pub fn main_graph(&self) -> &Graph {
        &self.graphs[self.main.idx()]
    }

    /// Creation parameters of the main graph: those of the program.
    pub fn params(&self) -> &[Param] {
        &self.main_graph().params
    }

    /// The call node of an id.
    pub fn call(&self, id: CallId) -> &Call {
        &self.calls[id.idx()]
    }

    /// The id of an arc of this plan.
    ///
    /// # Panics
    /// Where the arc is a copy, or of another plan.
    pub fn arc_id(&self, arc: &Arc) -> ArcId {
        ArcId::from_idx(self.arcs.element_offset(arc).expect("the arc is one of the plan's own"))
    }

    /// The arcs that leave a port of `graph`, in the order of the file.
    pub fn arcs_from(
        &self,
        graph: GraphId,
        source: Source,
        source_port: usize,
    ) -> impl Iterator<Item = (ArcId, &Arc)> {
        self.arcs.iter().enumerate().filter_map(move |(arc_idx, arc)| {
            (arc.graph == graph && arc.source == source && arc.source_port == source_port)
                .then_some((ArcId::from_idx(arc_idx), arc))
        })
    }

    /// The name by which a template is told from those of other graphs: `Mult` for one of the main
    /// graph, `DoBTS.Mult` for others.
    pub fn template_label(&self, template: &Template) -> String {
        self.label(template.graph, &template.name)
    }

    /// The labels of all templates, by id.
    pub fn template_labels(&self) -> Vec<String> {
        self.templates.iter().map(|template| self.template_label(template)).collect()
    }

    /// The labels of all declared shared objects, by id.
    pub fn shared_labels(&self) -> Vec<String> {
        self.shared.iter().map(|shared| self.label(shared.graph, &shared.name)).collect()
    }

    /// The labels of all call nodes, by id.
    pub fn call_labels(&self) -> Vec<String> {
        self.calls.iter().map(|call| self.label(call.owner, &call.name)).collect()
    }

    fn label(&self, graph: GraphId, name: &str) -> String {
        if graph == self.main { name.to_owned() } else { format!("{}.{name}", self.graphs[graph.idx()].name) }
    }
}
