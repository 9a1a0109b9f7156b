//! The fields of a node's form: what can be said about it, in the order of the file, and saying it.

use hasse_compiler::family;
use toml_edit::{Document, Item};

use crate::rust_text::rust_of;

/// Texts of entries, which may be those of ports that say more.
pub(crate) mod entry;
/// Fields and what they say.
mod field;
/// Setting a field.
mod set;
/// What each field is for.
mod texts;

use entry::{BOUND, FULL, LEFT, RARE, entry_text, option_text};
use field::Section;
pub use field::{BodyKind, Field, FieldKind, FieldValue};
pub use set::set;

/// The built-in types, with what they hold.
pub const TYPES: [(&str, &str); 10] = [
    ("int", "64 bit integer"),
    ("real", "64 bit float"),
    ("bool", "true or false"),
    ("char", "one character"),
    ("string", "text"),
    ("bytes", "bytes"),
    ("vector", "dense vector of reals"),
    ("matrix", "dense matrix of reals"),
    ("map[string]int", "values by key"),
    ("any", "any value"),
];

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
    let (rare, usual): (Vec<_>, Vec<_>) = section.keys().iter().partition(|key| RARE.contains(*key));
    let mut fields: Vec<Field> = usual.into_iter().chain(rare).filter_map(field).collect();
    if let (Some(text), Some(inputs)) = (texts::of(section, LEFT), item("in")) {
        let value = left_ports(inputs).filter(|ports| !ports.is_empty()).map(FieldValue::List);
        let (label, help, example) = (text.label, text.help, text.example);
        fields.push(Field { key: LEFT, label, help, example, kind: text.kind, value, is_foreign: false });
    }
    for key in [BOUND, FULL] {
        if let (Some(text), Some(inputs)) = (texts::of(section, key), item("in")) {
            let value = options(inputs, key).filter(|options| !options.is_empty()).map(FieldValue::Entries);
            let (label, help, example) = (text.label, text.help, text.example);
            fields.push(Field { key, label, help, example, kind: text.kind, value, is_foreign: false });
        }
    }
    fields
}

/// Names of the input ports on which values may be left.
fn left_ports(inputs: &Item) -> Option<Vec<String>> {
    let may_be_left = |item: &Item| item.as_table_like().is_some_and(|port| port.contains_key(LEFT));
    let ports = inputs.as_table_like()?.iter().filter(|(_, item)| may_be_left(item));
    Some(ports.map(|(name, _)| family(name).0).collect())
}

/// Names of the input ports that have an option, with what it says.
fn options(inputs: &Item, key: &str) -> Option<Vec<(String, String)>> {
    let ports = inputs.as_table_like()?.iter();
    Some(ports.filter_map(|(name, item)| Some((family(name).0, option_text(item, key)?))).collect())
}

/// What an item says in a field of a kind; `None` where it is of another form.
fn value(kind: FieldKind, item: &Item) -> Option<FieldValue> {
    match kind {
        FieldKind::Line | FieldKind::Type | FieldKind::Graph => {
            let number = item.as_integer().map(|number| number.to_string());
            Some(FieldValue::Text(number.or_else(|| item.as_str().map(str::to_owned))?))
        }
        FieldKind::Flag => Some(FieldValue::Flag(item.as_bool()?)),
        FieldKind::Names | FieldKind::Rows => {
            if let Some(row) = item.as_str().filter(|_| kind == FieldKind::Rows) {
                return Some(FieldValue::List(vec![row.to_owned()]));
            }
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
