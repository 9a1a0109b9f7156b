//! The plan: a program lowered to plain data with dense ids, ready to be run.
//!
//! Every part keeps the [`Location`](crate::diagnostic::Location) and, where a person will be shown it, the text that it came
//! from. A plan holds no interpreter objects: scripts stand here as text and are compiled once, by
//! the runtime, before the first event.

use crate::diagnostic::Location;
use crate::id::{ArcId, ScriptId, SharedId, SlotId, TemplateId};
use crate::value::{StructTable, Type};

/// A program, lowered.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the main graph.
    pub main: String,
    /// Creation parameters of the main graph, in the order of the file.
    pub params: Vec<Param>,
    /// Units of computation; a [`TemplateId`] is a position here.
    pub templates: Vec<Template>,
    /// Arcs; an [`ArcId`] is a position here.
    pub arcs: Vec<Arc>,
    /// Declared shared objects; a [`SharedId`] is a position here.
    pub shared: Vec<Shared>,
    /// Rhai texts; a [`ScriptId`] is a position here.
    pub scripts: Vec<Script>,
    /// Struct types.
    pub structs: std::sync::Arc<StructTable>,
    /// Whether more than one action may set one result name, so that the run must know which of
    /// two results is the later one in causal order.
    pub orders_results: bool,
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
    /// Number of index names.
    pub n_indices: usize,
    /// Input ports, in the order of the file; `Take::port` is a position here.
    pub inputs: Vec<Port>,
    /// Output ports, in the order of the file; `Send::port` is a position here.
    pub outputs: Vec<Port>,
    /// All names that bodies and rules see, in the order parameters, indices, vars, shared names,
    /// bound names, `rule`, `count`; a [`SlotId`] is a position here.
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
    pub body: Option<ScriptId>,
    /// Routing rules, in the order of the file.
    pub route: Vec<RoutingRule>,
    /// Whether it executes once without input when the program starts.
    pub is_start: bool,
    /// Whether the end of its first event ends the program.
    pub is_stop: bool,
    /// Where its table begins.
    pub at: Location,
}

impl Template {
    /// The slot of `rule`: position of the firing rule taken.
    pub fn rule_slot(&self) -> SlotId {
        SlotId::from_idx(self.slots.len() - 2)
    }

    /// The slot of `count`: which execution this is, from 1.
    pub fn count_slot(&self) -> SlotId {
        SlotId::from_idx(self.slots.len() - 1)
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
    /// Where it is declared.
    pub at: Location,
}

/// How an execution reaches a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// Matched against the instance's index.
    pub pattern: Vec<Pattern>,
    /// The declared shared object.
    pub shared: SharedId,
    /// Index of the object, over the pattern's variables ([`Expr::Local`]) and parameters.
    pub elements: Vec<Expr>,
    /// Where it stands.
    pub at: Location,
}

/// A declared shared object.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared {
    /// Name within its graph.
    pub name: String,
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

/// A firing rule.
#[derive(Clone, Debug, PartialEq)]
pub struct FiringRule {
    /// What it removes, in this order.
    pub takes: Vec<Take>,
    /// Boolean over vars, parameters, index and count.
    pub guard: Option<Code>,
    /// Text of the rule.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// One binding of a firing rule: `port[elements] -> target[target_elements] for ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// Position of the input port.
    pub port: usize,
    /// Index of the element of a family.
    pub elements: Vec<Expr>,
    /// Replication; loop variable k is `Expr::Local(k)` in `elements` and `target_elements`, and in
    /// the bounds of the loops behind it.
    pub loops: Vec<Loop<Expr>>,
    /// The name bound.
    pub target: SlotId,
    /// Where in the bound array a replicated value goes; empty for a plain binding.
    pub target_elements: Vec<Expr>,
}

/// `for name in low..high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop<C> {
    /// Name of the loop variable.
    pub name: String,
    /// First number.
    pub low: C,
    /// Number behind the last one.
    pub high: C,
}

/// A routing rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingRule {
    /// What it sends, in this order.
    pub sends: Vec<Send>,
    /// The rule sends where this holds.
    pub guard: Option<Code>,
    /// Whether the guard names a loop variable, and so is asked for every element by itself.
    pub guards_elements: bool,
    /// Text of the rule.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// One sending of a routing rule: `port[elements] <- value for ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// Position of the output port.
    pub port: usize,
    /// Index of the element of a family.
    pub elements: Vec<Code>,
    /// Replication; loop variable k is `Expr::Local(k)`, and a script sees it by name.
    pub loops: Vec<Loop<Code>>,
    /// What is sent.
    pub value: Code,
}

/// An arc.
#[derive(Clone, Debug, PartialEq)]
pub struct Arc {
    /// Where values come from.
    pub source: TemplateId,
    /// Position of the output port.
    pub source_port: usize,
    /// Matched against the index of the sending instance.
    pub source_index: Vec<Pattern>,
    /// Matched against the index of the element of the output family.
    pub source_elements: Vec<Pattern>,
    /// Number of variables that the patterns bind.
    pub n_locals: usize,
    /// Where values go.
    pub target: TemplateId,
    /// Position of the input port.
    pub target_port: usize,
    /// Index of the receiving instance.
    pub target_index: Vec<Expr>,
    /// Index of the element of the input family.
    pub target_elements: Vec<Expr>,
    /// Text of the arc.
    pub text: String,
    /// Where it stands.
    pub at: Location,
}

/// One index number on the matching side of an arc or share line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Binds the variable at its first occurrence and must equal it at later ones.
    Local(u32),
    /// Must equal the number.
    Int(i64),
    /// Must equal the parameter, by position.
    Param(u32),
}

/// Something to be evaluated while the program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// Lowered: evaluated without the interpreter.
    Expr(Expr),
    /// Compiled by the interpreter before the run.
    Script(ScriptId),
}

/// An expression over integers and truth values, with Rhai's meaning: arithmetic is checked, and an
/// overflow or a division by zero is an error of the event.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Int(i64),
    /// A constant.
    Bool(bool),
    /// A name of the template's scope. As the whole expression it may be of any type; within an
    /// operation it is an `int` or a `bool`.
    Slot(SlotId),
    /// A loop, pattern or index variable, by position.
    Local(u32),
    /// A creation parameter, by position, where there is no template scope (arcs, share lines).
    Param(u32),
    /// `-x`
    Negate(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// `x op y`
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// An operator of [`Expr::Binary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Does not look at its right side where the left one decides.
    And,
    /// Does not look at its right side where the left one decides.
    Or,
}

/// What a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptKind {
    /// `do`
    Body,
    /// `init`
    Init,
    /// A guard, bound, value or default.
    Expression,
}

/// A Rhai text.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The text as it stands in the file.
    pub text: String,
    /// What it is.
    pub kind: ScriptKind,
    /// Where its first character stands: the text's own line l is file line `at.line + l - 1`.
    pub at: Location,
}

impl Plan {
    /// The template of an id.
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.idx()]
    }

    /// The arcs that leave an output port, in the order of the file.
    pub fn arcs_from(&self, source: TemplateId, source_port: usize) -> impl Iterator<Item = (ArcId, &Arc)> {
        self.arcs.iter().enumerate().filter_map(move |(arc_idx, arc)| {
            (arc.source == source && arc.source_port == source_port)
                .then_some((ArcId::from_idx(arc_idx), arc))
        })
    }
}
