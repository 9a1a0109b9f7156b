//! What fits at a place: lists of items, each item once.

use hasse_compiler::{NodeKind, PortKind};
use hasse_model::function::FunctionTable;
use hasse_model::name::begins_name;

use super::item::{Item, ItemKind};
use super::library::signature;
use crate::edit::link::LinkList;
use crate::forms::TYPES;
use crate::lex::Language;
use crate::names::{NameKind, Names, locals};
use crate::ports;

/// Bodies in Rust.
mod rust;

/// What a text in Rhai is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// `do`, the only text that may have effects.
    Body,
    /// `init` of a unit.
    Init,
    /// A single expression.
    Expression,
}

impl Script {
    pub(super) fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Body | Self::Init => OF_BODIES,
            Self::Expression => OF_EXPRESSIONS,
        }
    }
}

/// Keywords that are of use in bodies.
const OF_BODIES: &[&str] = &[
    "break", "catch", "const", "continue", "do", "else", "false", "fn", "for", "if", "in", "let", "loop",
    "return", "switch", "this", "throw", "true", "try", "until", "while",
];
/// Keywords that are of use in expressions.
const OF_EXPRESSIONS: &[&str] = &["else", "false", "if", "switch", "true"];

/// Which kinds of names a text sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight(&'static [NameKind], &'static [&'static str]);

impl Sight {
    /// A parameter's default.
    pub(super) const NOTHING: Self = Self(&[], &[]);
    /// Arcs.
    pub(super) const PARAMS: Self = Self(&[NameKind::Param], &[]);
    /// What a rule can bind a value to, besides new names.
    pub(super) const VARS: Self = Self(&[NameKind::Var, NameKind::Bound], &[]);
    /// Before any rule is taken.
    pub(super) const CREATION: Self = Self(&[NameKind::Var, NameKind::Index, NameKind::Param], &[]);
    /// While values wait: elements, bounds and guards of firing rules.
    pub(super) const WAITING: Self = Self(&[NameKind::Var, NameKind::Index, NameKind::Param], &["count"]);
    /// A body; what it binds itself is in the text at the cursor.
    pub(super) const BODY: Self = Self(
        &[
            NameKind::Bound,
            NameKind::Var,
            NameKind::Shared,
            NameKind::Index,
            NameKind::Param,
            NameKind::BuiltIn,
        ],
        &[],
    );
    /// Routing rules.
    pub(super) const ALL: Self = Self(
        &[
            NameKind::Local,
            NameKind::Bound,
            NameKind::Var,
            NameKind::Shared,
            NameKind::Index,
            NameKind::Param,
            NameKind::BuiltIn,
        ],
        &[],
    );
}

/// Collects items.
pub(super) struct Offer<'o> {
    names: &'o Names,
    table: &'o FunctionTable,
    pub(super) items: Vec<Item>,
}

impl<'o> Offer<'o> {
    pub(super) fn new(names: &'o Names, table: &'o FunctionTable) -> Self {
        Self { names, table, items: Vec::new() }
    }

    fn add(&mut self, text: &str, kind: ItemKind, detail: &str) {
        let is_new = self.items.iter().all(|item| item.text != text);
        if is_new && !text.is_empty() {
            self.items.push(Item { text: text.to_owned(), kind, detail: detail.to_owned() });
        }
    }

    pub(super) fn types(&mut self) {
        let names = self.names;
        for (name, fields) in &names.structs {
            let fields: Vec<&str> = fields.iter().map(|(field, _)| field.as_str()).collect();
            self.add(name, ItemKind::Type, &format!("struct of {}", fields.join(", ")));
        }
        for (name, what) in TYPES {
            self.add(name, ItemKind::Type, what);
        }
    }

    pub(super) fn access(&mut self) {
        self.add("read", ItemKind::Keyword, "locked together with other readers");
        self.add("write", ItemKind::Keyword, "locked alone");
    }

    pub(super) fn graphs(&mut self) {
        let names = self.names;
        for graph in &names.graphs {
            let ports: Vec<String> = ports::interface(graph).into_iter().map(|port| port.name).collect();
            self.add(&graph.name, ItemKind::Graph, &ports.join(", "));
        }
    }

    /// Whether the node's body is a text in Rust.
    pub(super) fn is_in_rust(&self) -> bool {
        self.names.language == Language::Rust
    }

    pub(super) fn natives(&mut self) {
        let table = self.table;
        for name in table.body_names() {
            self.add(name, ItemKind::Native, "a native body");
        }
    }

    /// The creation parameters of the graph that the node calls.
    pub(super) fn params_of_call(&mut self) {
        let names = self.names;
        let Some(NodeKind::Call(called)) = names.node.as_ref().map(|node| &node.kind) else { return };
        let params = names.params.iter().find(|(graph, _)| graph == called);
        for (param, declared) in params.into_iter().flat_map(|(_, params)| params) {
            self.add(param, ItemKind::Name(NameKind::Param), declared);
        }
    }

    /// The node's input or output ports.
    pub(super) fn ports(&mut self, is_output: bool) {
        let wanted = if is_output { PortKind::Output } else { PortKind::Input };
        let names = self.names;
        let ports = names.node.iter().flat_map(|node| &node.ports);
        for port in ports.filter(|port| port.kind == wanted) {
            self.add(&port.name, ItemKind::Port, &family_type(&port.ty, &port.elements));
        }
    }

    pub(super) fn names(&mut self, sight: Sight) {
        let names = self.names;
        for name in names.all() {
            if sight.0.contains(&name.kind) || sight.1.contains(&name.name.as_str()) {
                self.add(&name.name, ItemKind::Name(name.kind), &name.detail);
            }
        }
    }

    /// What the text at the cursor binds itself.
    pub(super) fn own(&mut self, text: &str) {
        for name in locals(text, false) {
            self.local(name, "bound here");
        }
    }

    pub(super) fn local(&mut self, name: &str, detail: &str) {
        self.add(name, ItemKind::Name(NameKind::Local), detail);
    }

    /// Fields of all struct types: what stands before the dot has no type that is known here.
    pub(super) fn fields(&mut self) {
        let names = self.names;
        for (ty, fields) in &names.structs {
            for (field, field_type) in fields {
                self.add(field, ItemKind::Field, &format!("{field_type} of {ty}"));
            }
        }
    }

    /// Whether the node is a shared object.
    pub(super) fn is_of_object(&self) -> bool {
        self.names.node.as_ref().is_some_and(|node| matches!(node.kind, NodeKind::Shared(_)))
    }

    /// Functions; outside of bodies only those without effects.
    pub(super) fn functions(&mut self, script: Script) {
        let (table, names) = (self.table, self.names);
        for (name, fields) in &names.structs {
            let fields: Vec<&str> = fields.iter().map(|(field, _)| field.as_str()).collect();
            self.add(name, ItemKind::Function, &format!("{name}({})", fields.join(", ")));
            let conversion = format!("as_{name}");
            self.add(&conversion, ItemKind::Function, &format!("{conversion}(a)"));
        }
        for name in table.names() {
            let Some(facts) = table.get(name) else { continue };
            // Operators are in the table, too.
            let is_word = name.starts_with(begins_name);
            if is_word && (script == Script::Body || !facts.in_body_only) {
                self.add(name, ItemKind::Function, &signature(name, facts));
            }
        }
    }

    pub(super) fn keywords(&mut self, words: &[&str]) {
        for word in words {
            self.add(word, ItemKind::Keyword, "");
        }
    }

    /// What an end of an arc or share line can begin with.
    pub(super) fn nodes(&mut self, list: LinkList, is_source: bool) {
        let names = self.names;
        for node in names.graph.iter().flat_map(|graph| &graph.nodes) {
            let (fits, detail) = match (&node.kind, list) {
                (NodeKind::Unit { .. }, LinkList::Arcs) => {
                    (self.has_port(&node.name, list, is_source), "unit")
                }
                (NodeKind::Unit { .. }, LinkList::Shares) => {
                    (!is_source && self.has_port(&node.name, list, false), "unit")
                }
                (NodeKind::Call(called), LinkList::Arcs) => {
                    (self.has_port(&node.name, list, is_source), called.as_str())
                }
                (NodeKind::Call(called), LinkList::Shares) => {
                    (!is_source && self.has_port(&node.name, list, false), called.as_str())
                }
                (NodeKind::Input(ty), LinkList::Arcs) => (is_source, ty.as_str()),
                (NodeKind::Output(ty), LinkList::Arcs) => (!is_source, ty.as_str()),
                (NodeKind::Shared(ty) | NodeKind::InOut(ty), LinkList::Shares) => (is_source, ty.as_str()),
                _ => (false, ""),
            };
            if fits {
                self.add(&node.name, ItemKind::Node, detail);
            }
        }
    }

    fn has_port(&self, node: &str, list: LinkList, is_source: bool) -> bool {
        ports::of_node(self.names, node).iter().any(|port| fits(port, list, is_source))
    }

    /// The ports behind the dot of an end.
    pub(super) fn ports_of(&mut self, node: &str, list: LinkList, is_source: bool) {
        for port in ports::of_node(self.names, node).iter().filter(|port| fits(port, list, is_source)) {
            self.add(&port.name, ItemKind::Port, &family_type(&port.ty, &port.elements));
        }
        // Behind `in.`, `out.` and `inout.` of the graph itself.
        let names = self.names;
        for formal in names.graph.iter().flat_map(|graph| &graph.nodes) {
            let (NodeKind::Input(ty) | NodeKind::Output(ty) | NodeKind::InOut(ty)) = &formal.kind else {
                continue;
            };
            if let Some((section, port)) = formal.name.split_once('.')
                && section == node
            {
                self.add(port, ItemKind::Port, &family_type(ty, &formal.index));
            }
        }
    }
}

fn fits(port: &ports::Port, list: LinkList, is_source: bool) -> bool {
    match list {
        LinkList::Arcs => !port.is_shared() && port.is_source == is_source,
        LinkList::Shares => port.is_shared(),
    }
}

fn family_type(ty: &str, elements: &[String]) -> String {
    if elements.is_empty() { ty.to_owned() } else { format!("{ty}, family [{}]", elements.join(", ")) }
}
