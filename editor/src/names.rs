//! The names that the texts of a node or graph can use, with what each of them is.

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, PortKind, outline};
use hasse_model::function::FunctionTable;
use toml_edit::{Document, Item, TableLike};

use crate::lex::{Kind, Language, pieces};
use crate::rust_text::{self, rust_of};

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameKind {
    /// A loop variable, or what a text binds itself with `let`, `for`, `|..|`, `fn` or `catch`.
    Local,
    /// A name that a firing rule binds.
    Bound,
    /// Local state.
    Var,
    /// A name for a shared object.
    Shared,
    /// An index name of the node.
    Index,
    /// A creation parameter of the graph.
    Param,
    /// `rule` and `count`.
    BuiltIn,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: NameKind,
    /// Its type, default, access or origin, as it is written.
    pub detail: String,
}

/// The names of a node or of a graph as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Each name once, by kind in the order of the file.
    names: Vec<Name>,
    /// Whether the body is a native one and nothing is known of it, so that any name may be one that it sets.
    pub(crate) may_be_any: bool,
    /// What the body is written in.
    pub(crate) language: Language,
    /// The graph's outline, if it is there.
    pub(crate) graph: Option<GraphOutline>,
    /// The node's outline, if it is there.
    pub(crate) node: Option<NodeOutline>,
    /// The outlines of all graphs.
    pub(crate) graphs: Vec<GraphOutline>,
    /// Fields of struct types with their types, by struct, in the order of the file.
    pub(crate) structs: Vec<(String, Vec<(String, String)>)>,
    /// The creation parameters of every graph with their declarations, in the order of the file.
    pub(crate) params: Vec<(String, Vec<(String, String)>)>,
}

impl Names {
    /// The names of the texts of a node, or of a graph's arcs and share lines. Of a program that is no TOML, and of what
    /// is not there: none but `rule` and `count`. `functions` knows what native bodies set. Cost: reads the whole text.
    pub fn of(program: &str, graph: &str, node: Option<&str>, functions: &FunctionTable) -> Self {
        let mut names = Self::default();
        let Ok(document) = Document::parse(program) else {
            names.add_built_in(node);
            return names;
        };
        let root = document.as_table();
        names.graphs = outline(program).unwrap_or_default();
        names.structs = named(root, "type", |table| strings(table));
        names.params = named(root, "graph", |table| below(table, "params").map(strings).unwrap_or_default());
        names.graph = names.graphs.iter().find(|outline| outline.name == graph).cloned();
        let outline = names.graph.iter().flat_map(|graph| &graph.nodes);
        names.node = node.and_then(|node| outline.into_iter().find(|outline| outline.name == node).cloned());
        let graph = below(root, "graph").and_then(|graphs| below(graphs, graph));
        let section = |section| below(graph?, section).and_then(|nodes| below(nodes, node?));
        if let Some(unit) = ["uc", "call", "shared"].into_iter().find_map(section) {
            names.add_unit(unit, functions);
        }
        let params = graph.and_then(|graph| below(graph, "params")).map(strings).unwrap_or_default();
        names.add_all(NameKind::Param, params);
        names.add_built_in(node);
        names
    }

    fn add_unit(&mut self, unit: &dyn TableLike, functions: &FunctionTable) {
        self.add_all(NameKind::Var, below(unit, "vars").map(strings).unwrap_or_default());
        self.add_all(NameKind::Shared, below(unit, "shared").map(strings).unwrap_or_default());
        let index = self.node.iter().flat_map(|node| &node.index).cloned().collect::<Vec<_>>();
        self.add_all(NameKind::Index, index.into_iter().map(|name| (name, "int".to_owned())));
        let ports = self.node.as_ref().map(|node| node.ports.clone()).unwrap_or_default();
        for rule in rows(unit, "fire") {
            for (port, name, is_many) in bindings(rule) {
                let ty = ports.iter().find(|known| known.kind == PortKind::Input && known.name == port);
                let ty = ty.map(|port| port.ty.as_str()).unwrap_or_default();
                let detail = format!("{ty}{} from {port}", if is_many { "[]" } else { "" });
                self.add(NameKind::Bound, name, detail.trim_start());
            }
        }
        let has_error_rules = unit
            .get("on_error")
            .is_some_and(|rules| rules.is_array() || rules.as_str().is_some_and(|rule| rule.contains("<-")));
        if has_error_rules {
            self.add(NameKind::Bound, "error", "error of a failed event");
        }
        if let Some(text) = unit.get("do").and_then(rust_of) {
            self.language = Language::Rust;
            for name in rust_text::locals(text, true) {
                self.add(NameKind::Local, name, "let");
            }
        }
        let body = unit.get("do").and_then(Item::as_str).unwrap_or_default();
        for name in locals(body, true) {
            self.add(NameKind::Local, name, "let");
        }
        if let Some(native) = below(unit, "do").and_then(|body| body.get("native")).and_then(Item::as_str) {
            let facts = functions.body(native);
            self.may_be_any = facts.is_none();
            for (name, ty) in facts.into_iter().flat_map(|facts| &facts.lets) {
                self.add(NameKind::Local, name, &ty.to_string());
            }
        }
    }

    fn add_built_in(&mut self, node: Option<&str>) {
        if node.is_some() {
            self.add(NameKind::BuiltIn, "count", "1 for the first execution");
            self.add(NameKind::BuiltIn, "rule", "position of the firing rule taken, from 0");
        }
    }

    fn add_all(&mut self, kind: NameKind, all: impl IntoIterator<Item = (String, String)>) {
        for (name, detail) in all {
            self.add(kind, &name, &detail);
        }
    }

    /// A name that is there keeps its kind: binding to a var's name assigns the var.
    fn add(&mut self, kind: NameKind, name: &str, detail: &str) {
        if self.get(name).is_none() {
            self.names.push(Name { name: name.to_owned(), kind, detail: detail.to_owned() });
        }
    }

    /// What a name is; `None` of an unknown one.
    pub fn get(&self, name: &str) -> Option<&Name> {
        self.names.iter().find(|known| known.name == name)
    }

    /// All names, each kind in the order of the file.
    pub fn all(&self) -> &[Name] {
        &self.names
    }

    /// Whether a function comes with a struct type: `Block(..)` makes a value, `as_Block(..)` checks one.
    pub(crate) fn is_of_struct(&self, function: &str) -> bool {
        let stem = function.strip_prefix("as_").unwrap_or(function);
        self.structs.iter().any(|(name, _)| name == function || name == stem)
    }

    /// Whether the graph has a node, or a formal port such as `in.a`, of this name.
    pub fn has_node(&self, name: &str) -> bool {
        let mut nodes = self.graph.iter().flat_map(|graph| &graph.nodes);
        nodes.any(|node| node.name == name && node.kind != NodeKind::Missing)
    }
}

/// `port -> name` of a firing rule, and whether the name holds an array.
fn bindings(rule: &str) -> Vec<(&str, &str, bool)> {
    let all: Vec<_> = pieces(rule).into_iter().filter(|piece| piece.kind != Kind::Space).collect();
    let text = |idx: usize| all.get(idx).map_or("", |piece| &rule[piece.range.clone()]);
    let mut found = Vec::new();
    let mut port = "";
    let mut is_first = true;
    for (idx, piece) in all.iter().enumerate().filter(|(_, piece)| piece.depth == 0) {
        match (piece.kind, text(idx)) {
            (_, ",") => is_first = true,
            (Kind::Word, "if") => break,
            (Kind::Word, word) if is_first => {
                port = word;
                is_first = false;
            }
            (_, "->") if all.get(idx + 1).is_some_and(|piece| piece.kind == Kind::Word) => {
                found.push((port, text(idx + 1), text(idx + 2) == "["));
            }
            _ => {}
        }
    }
    found
}

/// Names that a text binds itself, in order, each once: only those of the outermost level that `let` or `const` binds,
/// or all.
pub(crate) fn locals(text: &str, is_outer_only: bool) -> Vec<&str> {
    let all: Vec<_> =
        pieces(text).into_iter().filter(|piece| !matches!(piece.kind, Kind::Space | Kind::Comment)).collect();
    let text_of = |idx: usize| all.get(idx).map_or("", |piece| &text[piece.range.clone()]);
    let is_name = |idx: usize| all.get(idx).is_some_and(|piece| piece.kind == Kind::Word);
    let mut found: Vec<&str> = Vec::new();
    for (idx, piece) in all.iter().enumerate() {
        // Names in brackets: `fn f(a, b)`, `for (x, i) in`, `catch (e)`; in bars: `|a, b| ..`.
        let mut list = |open: usize, close: &str| {
            for at in (open + 1..all.len()).take_while(|at| text_of(*at) != close) {
                if is_name(at) {
                    found.push(text_of(at));
                } else if text_of(at) != "," {
                    break;
                }
            }
        };
        match text_of(idx) {
            "let" | "const" if is_name(idx + 1) && (!is_outer_only || piece.depth == 0) => {
                found.push(text_of(idx + 1));
            }
            _ if is_outer_only => {}
            "for" | "catch" if text_of(idx + 1) == "(" => list(idx + 1, ")"),
            "for" if is_name(idx + 1) => found.push(text_of(idx + 1)),
            "fn" if text_of(idx + 2) == "(" => list(idx + 2, ")"),
            "|" if idx == 0 || matches!(text_of(idx - 1), "(" | "," | "=" | "{" | ";") => list(idx, "|"),
            _ => {}
        }
    }
    let mut once: Vec<&str> = Vec::new();
    for name in found {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

fn below<'t>(table: &'t dyn TableLike, key: &str) -> Option<&'t dyn TableLike> {
    table.get(key)?.as_table_like()
}

/// The strings of a table with their keys.
fn strings(table: &dyn TableLike) -> Vec<(String, String)> {
    let entries = table.iter().filter_map(|(key, item)| Some((key.to_owned(), item.as_str()?.to_owned())));
    entries.collect()
}

/// Something of each table below a key, by name.
fn named<R>(root: &dyn TableLike, key: &str, of: impl Fn(&dyn TableLike) -> R) -> Vec<(String, R)> {
    let tables = below(root, key).into_iter().flat_map(TableLike::iter);
    tables.filter_map(|(name, item)| Some((name.to_owned(), of(item.as_table_like()?)))).collect()
}

fn rows<'t>(table: &'t dyn TableLike, key: &str) -> impl Iterator<Item = &'t str> {
    table.get(key).and_then(Item::as_array).into_iter().flatten().filter_map(|value| value.as_str())
}
