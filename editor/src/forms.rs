//! The fields of a node's form: what can be said about it, in the order of the file, and saying it.

use hasse_compiler::{family, keys_of};
use toml_edit::{Document, Item, Value};

use crate::rust_text::rust_of;

/// Setting a field.
mod set;
/// What each field is for.
mod texts;

pub use set::set;

/// Key of an input port on which values may be left. A unit's form has one field for all its ports, the last one.
const LEFT: &str = "left";

/// The built-in types, with what they hold.
pub const TYPES: [(&str, &str); 9] = [
    ("int", "64 bit integer"),
    ("real", "64 bit float"),
    ("bool", "true or false"),
    ("char", "one character"),
    ("string", "text"),
    ("bytes", "bytes"),
    ("vector", "dense vector of reals"),
    ("matrix", "dense matrix of reals"),
    ("any", "any value"),
];

/// What a unit's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// A text in Rhai; also a body that is not written yet.
    Rhai,
    /// A text in Rust.
    Rust,
    /// The name of a native body.
    Native,
}

impl BodyKind {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Rhai, Self::Rust, Self::Native];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rhai => "Rhai",
            Self::Rust => "Rust",
            Self::Native => "native",
        }
    }

    /// The kind of what a body says.
    pub fn of(value: Option<&FieldValue>) -> Self {
        match value {
            Some(FieldValue::Rust(_)) => Self::Rust,
            Some(FieldValue::Native(_)) => Self::Native,
            _ => Self::Rhai,
        }
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A text.
    Line,
    /// A type.
    Type,
    /// Yes or no.
    Flag,
    /// Names, one after the other.
    Names,
    /// Names with a type each.
    Entries,
    /// Names with `read` or `write` each.
    Accesses,
    /// Names with an expression each.
    Arguments,
    /// Rules, arcs or share lines, one a line.
    Rows,
    /// A text of many lines.
    Body,
    /// The name of a graph.
    Graph,
}

/// What a field says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Of [`FieldKind::Line`], [`Type`](FieldKind::Type), [`Body`](FieldKind::Body) and [`Graph`](FieldKind::Graph).
    Text(String),
    /// Of [`FieldKind::Flag`].
    Flag(bool),
    /// Of [`FieldKind::Names`] and [`Rows`](FieldKind::Rows).
    List(Vec<String>),
    /// Of [`FieldKind::Entries`], [`Accesses`](FieldKind::Accesses) and [`Arguments`](FieldKind::Arguments): as they are
    /// declared, `p[i]`.
    Entries(Vec<(String, String)>),
    /// Of [`FieldKind::Body`]: a text in Rust.
    Rust(String),
    /// Of [`FieldKind::Body`]: the name of a native body.
    Native(String),
}

impl FieldValue {
    /// Whether it says nothing, so that the key can be left out.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Flag(flag) => !flag,
            Self::List(list) => list.is_empty(),
            Self::Entries(entries) => entries.is_empty(),
            // While it is written anew it may be empty, and is in Rust all the same.
            Self::Rust(_) | Self::Native(_) => false,
        }
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key in the file.
    pub key: &'static str,
    /// What stands before it.
    pub label: &'static str,
    /// What it is for, in a sentence.
    pub help: &'static str,
    /// Something that it could hold.
    pub example: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// What it says; `None` where the file has no such key, or one of another form.
    pub value: Option<FieldValue>,
    /// Whether the file has the key in another form than this field can show: it has to be edited as text.
    pub is_foreign: bool,
}

/// What a form is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Graph,
    Unit,
    Call,
    Shared,
    Formal,
}

impl Section {
    fn path(self) -> &'static [&'static str] {
        match self {
            Self::Graph => &["graph", ""],
            Self::Unit => &["graph", "", "uc", ""],
            Self::Call => &["graph", "", "call", ""],
            Self::Shared => &["graph", "", "shared", ""],
            Self::Formal => &[],
        }
    }

    /// Its keys in canonical order.
    fn keys(self) -> &'static [&'static str] {
        if self == Self::Formal { &["type"] } else { keys_of(self.path()) }
    }
}

/// The fields of a node, or with `None` of a graph, in the canonical order of keys; `None` where it is not there or the
/// text is no TOML. A formal port, `in.a`, has the one field `type`. Cost: reads the whole text.
pub fn form(program: &str, graph: &str, node: Option<&str>) -> Option<Vec<Field>> {
    let document = Document::parse(program).ok()?;
    let graph = document.as_table().get("graph")?.get(graph)?.as_table_like()?;
    let Some(node) = node else { return Some(fields(Section::Graph, |key| graph.get(key))) };
    if let Some((section, port)) = node.split_once('.') {
        let held =
            graph.get(section).filter(|_| matches!(section, "in" | "out" | "inout"))?.as_table_like()?;
        let item = held.iter().find(|(key, _)| family(key).0 == port).map(|(_, item)| item)?;
        return Some(fields(Section::Formal, |_| Some(item)));
    }
    let sections = [("uc", Section::Unit), ("call", Section::Call), ("shared", Section::Shared)];
    sections.into_iter().find_map(|(key, section)| {
        let table = graph.get(key)?.get(node)?.as_table_like()?;
        Some(fields(section, |key| table.get(key)))
    })
}

fn fields<'t>(section: Section, item: impl Fn(&str) -> Option<&'t Item>) -> Vec<Field> {
    let field = |key: &&'static str| {
        let text = texts::of(section, key)?;
        let item = item(key);
        let value = item.and_then(|item| value(text.kind, item));
        let is_foreign = item.is_some() && value.is_none();
        let (label, help, example) = (text.label, text.help, text.example);
        Some(Field { key, label, help, example, kind: text.kind, value, is_foreign })
    };
    let mut fields: Vec<Field> = section.keys().iter().filter_map(field).collect();
    if let (Some(text), Some(inputs)) = (texts::of(section, LEFT), item("in")) {
        let value = left_ports(inputs).filter(|ports| !ports.is_empty()).map(FieldValue::List);
        let (label, help, example) = (text.label, text.help, text.example);
        fields.push(Field { key: LEFT, label, help, example, kind: text.kind, value, is_foreign: false });
    }
    fields
}

/// Names of the input ports on which values may be left.
fn left_ports(inputs: &Item) -> Option<Vec<String>> {
    let may_be_left = |item: &Item| item.as_table_like().is_some_and(|port| port.contains_key(LEFT));
    let ports = inputs.as_table_like()?.iter().filter(|(_, item)| may_be_left(item));
    Some(ports.map(|(name, _)| family(name).0).collect())
}

/// Text of an entry: the whole of it, or the type of a port that says more, as `{ type = "int", left = "ok" }`.
pub(crate) fn entry_text(item: &Item) -> Option<&str> {
    item.as_str().or_else(|| item.as_table_like()?.get("type")?.as_str())
}

/// Changes the text of an entry, and leaves what else it says.
pub(crate) fn set_entry_text(item: &mut Item, text: &str) {
    if item.as_str().is_some() {
        put_text(item, text);
    } else if let Some(ty) = item.as_table_like_mut().and_then(|port| port.get_mut("type")) {
        put_text(ty, text);
    }
}

fn put_text(item: &mut Item, text: &str) {
    let decor = item.as_value().map(|value| value.decor().clone());
    *item = Item::Value(Value::from(text));
    if let (Some(value), Some(decor)) = (item.as_value_mut(), decor) {
        *value.decor_mut() = decor;
    }
}

/// What an item says in a field of a kind; `None` where it is of another form.
fn value(kind: FieldKind, item: &Item) -> Option<FieldValue> {
    match kind {
        FieldKind::Line | FieldKind::Type | FieldKind::Graph => {
            Some(FieldValue::Text(item.as_str()?.to_owned()))
        }
        FieldKind::Flag => Some(FieldValue::Flag(item.as_bool()?)),
        FieldKind::Names | FieldKind::Rows => {
            let rows = item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned));
            Some(FieldValue::List(rows.collect::<Option<_>>()?))
        }
        FieldKind::Entries | FieldKind::Accesses | FieldKind::Arguments => {
            let entries = item.as_table_like()?.iter();
            let texts = entries.map(|(name, item)| Some((name.to_owned(), entry_text(item)?.to_owned())));
            Some(FieldValue::Entries(texts.collect::<Option<_>>()?))
        }
        FieldKind::Body => match item.as_table_like() {
            Some(table) if table.contains_key("rust") => Some(FieldValue::Rust(rust_of(item)?.to_owned())),
            Some(native) => Some(FieldValue::Native(native.get("native")?.as_str()?.to_owned())),
            None => Some(FieldValue::Text(item.as_str()?.to_owned())),
        },
    }
}
