//! The palette: what can be put into a graph, found by typing a few letters of it.
//!
//! Opened from a wire that was dropped on nothing, it lists only what can take the wire: ports that are there, new nodes
//! with such a port, and calls of graphs whose interface fits.

use hasse_compiler::{GraphOutline, NodeKind, outline};
use hasse_model::function::FunctionTable;

use crate::edit::node::NewNode;
use crate::forms::TYPES;
use crate::gallery::{READY_NODES, ReadyNode};
use crate::names::Names;
use crate::ports::{Port, accepts, interface, ports};

/// Scores of names by a few letters.
mod fuzzy;

pub use fuzzy::{Match, fuzzy};

/// What an entry does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Action {
    /// A new unit of computation.
    Unit {
        /// Whether it is a start node.
        is_start: bool,
        /// Whether it is the stop node.
        is_stop: bool,
    },
    /// A new unit with a port that takes the wire.
    UnitWithPort,
    /// A new shared object of a type.
    Shared(String),
    /// A new call of a graph; with the port of it that takes the wire.
    Call(String, Option<String>),
    /// A copy of a ready graph, and a call of it; with the port of it that takes the wire.
    Ready(String, Option<String>),
    /// A new formal input port of the graph, of a type.
    Input(String),
    /// A new formal output port of the graph, of a type.
    Output(String),
    /// A new formal shared object of the graph, of a type.
    InOut(String),
    /// No new node: the wire goes to a node that is there, and its port; empty where the node is one itself.
    Connect(String, String),
}

impl Action {
    /// The node to be added, and a name for it if it is free; `None` where none is.
    pub fn new_node(&self) -> Option<(NewNode<'_>, &str)> {
        Some(match self {
            Self::Unit { .. } | Self::UnitWithPort => (NewNode::Unit, "node"),
            Self::Shared(ty) => (NewNode::Shared(ty), "object"),
            Self::Call(graph, _) | Self::Ready(graph, _) => (NewNode::Call(graph), graph),
            Self::Input(ty) => (NewNode::Input(ty), "a"),
            Self::Output(ty) => (NewNode::Output(ty), "x"),
            Self::InOut(ty) => (NewNode::InOut(ty), "s"),
            Self::Connect(..) => return None,
        })
    }
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is shown and searched.
    pub label: String,
    /// More about it, which is not searched.
    pub detail: String,
    /// What it does.
    pub action: Action,
}

/// An entry that fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// The entry.
    pub entry: Entry,
    /// Which characters of the label were typed, ascending, from 0.
    pub letters: Vec<usize>,
    /// Whether it was chosen before.
    pub is_recent: bool,
}

/// What a dropped wire needs at its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// What the wire comes from.
    pub from: WireEnd,
    /// The type of the port or shared object that it comes from, as it is written.
    pub ty: String,
}

/// What a wire comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireEnd {
    /// A port that sends, a formal input port of the graph included: an input is needed.
    Source,
    /// A port that takes, a formal output port of the graph included: an output is needed.
    Target,
    /// A shared object: a name for one is needed.
    Object,
    /// A name for a shared object: an object is needed.
    User,
}

impl Wire {
    /// Whether a value can go from one type to another: an `int` to a `real`, anything to `any`, as the compiler has it.
    /// A type that is not said fits.
    fn fits(&self, other: &str) -> bool {
        match self.from {
            WireEnd::Source => accepts(other, &self.ty),
            WireEnd::Target => accepts(&self.ty, other),
            WireEnd::Object | WireEnd::User => {
                let (own, other) = (self.ty.trim(), other.trim());
                own == other || own.is_empty() || other.is_empty()
            }
        }
    }

    fn takes(&self, port: &Port) -> bool {
        let is_side = match self.from {
            WireEnd::Source => !port.is_shared() && !port.is_source,
            WireEnd::Target => !port.is_shared() && port.is_source,
            WireEnd::Object => port.is_shared(),
            WireEnd::User => false,
        };
        is_side && self.fits(&port.ty)
    }
}

/// All that can be put into a graph of a program, or all that can take the wire: a new unit, ports that are there, then
/// calls, formal ports (in the main graph last) and ready nodes, each in the order of the file. Of a program that is no TOML: what needs no names. Cost: reads the whole text.
pub fn entries(program: &str, graph: &str, wire: Option<&Wire>) -> Vec<Entry> {
    let graphs = outline(program).unwrap_or_default();
    match wire {
        None => all(program, &graphs, graph),
        Some(wire) => for_wire(&graphs, graph, wire),
    }
}

/// What a formal port of the main graph is for, in place of what it usually is; `None` in other graphs.
fn main_formal(graphs: &[GraphOutline], graph: &str, is_output: bool) -> Option<&'static str> {
    let is_main = graphs.iter().any(|held| held.name == graph && held.is_main);
    let is_called = graphs.iter().flat_map(|held| &held.nodes).any(|node| match &node.kind {
        NodeKind::Call(called) => called == graph,
        _ => false,
    });
    (is_main && !is_called).then_some(if is_output {
        "leads nowhere: a result is set in a body, by result(..)"
    } else {
        "nothing comes here: what a run is given is a parameter"
    })
}

/// A word for what has a type, and how to add it.
type Typed = (&'static str, fn(String) -> Action);

fn entry(label: String, detail: &str, action: Action) -> Entry {
    Entry { label, detail: detail.to_owned(), action }
}

fn all(program: &str, graphs: &[GraphOutline], graph: &str) -> Vec<Entry> {
    let unit = |is_start, is_stop| Action::Unit { is_start, is_stop };
    let mut entries = vec![
        entry("unit".to_owned(), "computes when its inputs are there", unit(false, false)),
        entry("start unit".to_owned(), "executes once when the program starts", unit(true, false)),
        entry("stop unit".to_owned(), "the program ends when it has executed", unit(false, true)),
    ];
    entries.extend(READY_NODES.iter().map(|node| ready(node, None)));
    // A call of the graph itself, which few want, stands last.
    let (own, others): (Vec<_>, Vec<_>) = graphs.iter().partition(|called| called.name == graph);
    entries.extend(others.into_iter().map(|called| call(called, None)));
    let types = declared_types(program, graph);
    let words: [Typed; 4] = [
        ("shared", Action::Shared),
        ("input", Action::Input),
        ("output", Action::Output),
        ("inout", Action::InOut),
    ];
    for (word, action) in words {
        for (ty, detail) in &types {
            let special = match word {
                "input" => main_formal(graphs, graph, false),
                "output" => main_formal(graphs, graph, true),
                _ => None,
            };
            entries.push(entry(format!("{word} {ty}"), special.unwrap_or(detail), action(ty.clone())));
        }
    }
    entries.extend(own.into_iter().map(|called| call(called, None)));
    entries
}

fn ready(node: &ReadyNode, port: Option<&str>) -> Entry {
    let label = port.map_or_else(|| node.title.to_owned(), |port| format!("{}.{port}", node.title));
    entry(label, node.line(), Action::Ready(node.graph.to_owned(), port.map(str::to_owned)))
}

/// The type of items for which a port of a ready graph has the type of a wire; `None` where the port takes the wire as
/// it is, or not at all.
pub(crate) fn item_type<'t>(port: &str, wire: &'t str) -> Option<&'t str> {
    let item = match port.trim() {
        "any" => wire.trim(),
        "any[]" => wire.trim().strip_suffix("[]")?,
        _ => return None,
    };
    (!matches!(item, "" | "any")).then_some(item)
}

fn call(called: &GraphOutline, port: Option<&Port>) -> Entry {
    let ports: Vec<String> = interface(called).into_iter().map(|port| port.name).collect();
    let detail = format!("call; {}", if ports.is_empty() { "no ports".to_owned() } else { ports.join(", ") });
    let label = match port {
        Some(port) => format!("{}.{}", called.name, port.name),
        None => called.name.clone(),
    };
    entry(label, &detail, Action::Call(called.name.clone(), port.map(|port| port.name.clone())))
}

/// Struct types of the program, then built-in ones.
fn declared_types(program: &str, graph: &str) -> Vec<(String, String)> {
    let structs = Names::of(program, graph, None, &FunctionTable::default()).structs;
    let own = structs.into_iter().map(|(name, fields)| {
        let fields: Vec<String> = fields.into_iter().map(|(field, _)| field).collect();
        (name, format!("struct of {}", fields.join(", ")))
    });
    own.chain(TYPES.map(|(name, detail)| (name.to_owned(), detail.to_owned()))).collect()
}

fn for_wire(graphs: &[GraphOutline], graph: &str, wire: &Wire) -> Vec<Entry> {
    let mut entries = Vec::new();
    let detail = match wire.from {
        WireEnd::Source => "with an input port",
        WireEnd::Target => "with an output port",
        WireEnd::Object | WireEnd::User => "that uses it",
    };
    // A wire to a port that is there is dropped on that port; one dropped on nothing mostly wants a new node.
    if wire.from != WireEnd::User {
        entries.push(entry("unit".to_owned(), detail, Action::UnitWithPort));
    }
    let nodes = graphs.iter().find(|known| known.name == graph).map(|graph| &graph.nodes);
    for node in nodes.into_iter().flatten() {
        for port in ports(graphs, node).iter().filter(|port| wire.takes(port)) {
            let action = Action::Connect(node.name.clone(), port.name.clone());
            entries.push(entry(format!("{}.{}", node.name, port.name), &port.ty, action));
        }
        let (fits, ty) = match (&node.kind, wire.from) {
            (NodeKind::Output(ty), WireEnd::Source) | (NodeKind::Input(ty), WireEnd::Target) => (true, ty),
            (NodeKind::Shared(ty) | NodeKind::InOut(ty), WireEnd::User) => (true, ty),
            _ => continue,
        };
        if fits && wire.fits(ty) {
            entries.push(entry(node.name.clone(), ty, Action::Connect(node.name.clone(), String::new())));
        }
    }
    let ty = if wire.ty.trim().is_empty() { "any" } else { wire.ty.trim() };
    for called in graphs {
        for port in interface(called).iter().filter(|port| wire.takes(port)) {
            entries.push(call(called, Some(port)));
        }
    }
    let formals: &[Typed] = match wire.from {
        WireEnd::Source => &[("output", Action::Output)],
        WireEnd::Target => &[("input", Action::Input)],
        WireEnd::Object => &[],
        WireEnd::User => &[("shared", Action::Shared), ("inout", Action::InOut)],
    };
    let special = match wire.from {
        WireEnd::Source => main_formal(graphs, graph, true),
        WireEnd::Target => main_formal(graphs, graph, false),
        WireEnd::Object | WireEnd::User => None,
    };
    let of_graph = formals.iter().map(|(word, action)| {
        entry(format!("{word} {ty}"), special.unwrap_or("of the graph"), action(ty.to_owned()))
    });
    // In the main graph they come last.
    let mut last: Vec<Entry> = of_graph.collect();
    if special.is_none() {
        entries.append(&mut last);
    }
    for node in &READY_NODES {
        let graphs = outline(node.text).unwrap_or_default();
        let graph = graphs.iter().find(|graph| graph.name == node.graph);
        for port in graph.map(interface).unwrap_or_default() {
            let ty = item_type(&port.ty, &wire.ty).map_or_else(|| port.ty.clone(), |_| wire.ty.clone());
            let name = port.name.clone();
            if wire.takes(&Port { ty, ..port }) {
                entries.push(ready(node, Some(&name)));
            }
        }
    }
    entries.append(&mut last);
    entries
}

/// The entries that what was typed fits, best first. With nothing typed: what was chosen before, the latest first, then
/// all others as they are. Otherwise by score; of equal ones, what was chosen before comes first.
///
/// `recent` holds actions that were chosen, the latest first. Cost: the letters of all labels times those typed.
pub fn rank(entries: &[Entry], query: &str, recent: &[Action]) -> Vec<Ranked> {
    let mut found: Vec<(i64, usize, Ranked)> = Vec::new();
    for entry in entries {
        let Some(Match { score, letters }) = fuzzy(&entry.label, query) else { continue };
        let age = recent.iter().position(|action| *action == entry.action);
        let ranked = Ranked { entry: entry.clone(), letters, is_recent: age.is_some() };
        found.push((-score, age.unwrap_or(recent.len()), ranked));
    }
    // Stable: what is equal stays in its order.
    found.sort_by_key(|(score, age, _)| (*score, *age));
    found.into_iter().map(|(.., ranked)| ranked).collect()
}
