//! Walks the tables of a program and notes what stands where.

use hasse_compiler::family;
use toml_edit::{Array, Item, Key, Table, TableLike, Value};

use super::place::Place;
use crate::edit::link::LinkList;
use crate::rust_text::rust_of;
use crate::target::{Attribute, Part, Target};

/// Collects the places of a document.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) places: Vec<Place>,
}

impl Collector {
    fn add(&mut self, target: Target, key: Option<&Key>, item: Option<&Item>) {
        // A table with a header, or with dotted keys, has no value of its own.
        let value = item.and_then(Item::as_value);
        self.places.push(Place {
            target,
            key: key.and_then(Key::span),
            value: value.and_then(Value::span),
            name: key.map(|key| key.get().to_owned()),
            text: value.and_then(Value::as_str).map(str::to_owned),
            header: item.and_then(Item::as_table).filter(|table| !table.is_dotted()).and_then(Table::span),
        });
    }

    /// All that a readable text holds.
    pub(super) fn program(&mut self, root: &dyn TableLike) {
        for (key, item) in items(root) {
            match (key.get(), item.as_table_like()) {
                ("type", Some(types)) => {
                    for (name, item) in items(types) {
                        let target = Target { part: Part::Type(name.get().to_owned()), ..Target::default() };
                        self.add(target.clone(), Some(name), Some(item));
                        for (field, item) in item.as_table_like().into_iter().flat_map(items) {
                            self.add(target.with(Attribute::of(field.get())), Some(field), Some(item));
                        }
                    }
                }
                ("graph", Some(graphs)) => {
                    for (name, item) in items(graphs) {
                        self.add(Target::of_graph(name.get()), Some(name), Some(item));
                        if let Some(graph) = item.as_table_like() {
                            self.graph(name.get(), graph);
                        }
                    }
                }
                ("layout", Some(graphs)) => {
                    let layout = Attribute::of("layout");
                    for (graph, item) in items(graphs) {
                        self.add(Target::of_graph(graph.get()).with(layout.clone()), Some(graph), Some(item));
                        for (node, item) in item.as_table_like().into_iter().flat_map(items) {
                            let node_target = Target::of_node(graph.get(), node.get());
                            self.add(node_target.with(layout.clone()), Some(node), Some(item));
                        }
                    }
                }
                (name, _) => self.attribute(&Target::default(), key, item, Attribute::of(name)),
            }
        }
    }

    fn graph(&mut self, name: &str, graph: &dyn TableLike) {
        let whole = Target::of_graph(name);
        for (key, item) in items(graph) {
            match (key.get(), item.as_table_like(), item.as_array()) {
                (section @ ("in" | "out" | "inout"), Some(ports), _) => {
                    self.add(whole.with(Attribute::of(section)), Some(key), Some(item));
                    for (port, item) in items(ports) {
                        let node = Target::of_node(name, &format!("{section}.{}", family(port.get()).0));
                        self.add(node.clone(), Some(port), None);
                        self.add(node.with(Attribute::of("type")), None, Some(item));
                    }
                }
                ("uc" | "call" | "shared", Some(nodes), _) => {
                    for (node, item) in items(nodes) {
                        let target = Target::of_node(name, node.get());
                        self.add(target.clone(), Some(node), Some(item));
                        for (key, item) in item.as_table_like().into_iter().flat_map(items) {
                            self.attribute(&target, key, item, Attribute::of(key.get()));
                        }
                    }
                }
                ("arcs", _, Some(rows)) => self.links(&whole, LinkList::Arcs, key, item, rows),
                ("share", _, Some(rows)) => self.links(&whole, LinkList::Shares, key, item, rows),
                (attribute, ..) => self.attribute(&whole, key, item, Attribute::of(attribute)),
            }
        }
    }

    fn links(&mut self, graph: &Target, list: LinkList, key: &Key, item: &Item, rows: &Array) {
        self.add(graph.with(Attribute::of(list.key())), Some(key), Some(item));
        for (row, value) in rows.iter().enumerate() {
            self.row(Target::of_link(&graph.graph, list, row), value);
        }
    }

    fn row(&mut self, target: Target, value: &Value) {
        self.places.push(Place {
            target,
            key: None,
            value: value.span(),
            name: None,
            text: value.as_str().map(str::to_owned),
            header: None,
        });
    }

    /// An attribute, and what is below it.
    fn attribute(&mut self, of: &Target, key: &Key, item: &Item, attribute: Attribute) {
        self.add(of.with(attribute.clone()), Some(key), Some(item));
        if let (Some(text), Some(place)) = (rust_of(item), self.places.last_mut())
            && key.get() == "do"
        {
            // A body in Rust is its text, as one in Rhai is.
            place.value = item.as_table_like().and_then(|table| table.get("rust")).and_then(Item::span);
            place.text = Some(text.to_owned());
            return;
        }
        for (row, value) in item.as_array().into_iter().flatten().enumerate() {
            self.row(of.with(Attribute { row: Some(row), ..attribute.clone() }), value);
        }
        for (entry, item) in item.as_table_like().into_iter().flat_map(items) {
            let name = family(entry.get()).0;
            self.add(of.with(Attribute { entry: Some(name), ..attribute.clone() }), Some(entry), Some(item));
        }
    }

    /// The headers of a text that is no TOML.
    pub(super) fn headers(&mut self, text: &str) {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.trim_end().len();
            start += line.len();
            let Some((path, _)) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                continue;
            };
            let Ok(path) = Key::parse(path) else { continue };
            let path: Vec<&str> = path.iter().map(Key::get).collect();
            let target = match path[..] {
                ["graph", graph] => Target::of_graph(graph),
                ["graph", graph, "uc" | "call" | "shared", node, ..] => Target::of_node(graph, node),
                ["type", name] => Target { part: Part::Type(name.to_owned()), ..Target::default() },
                ["layout" | "record", ..] => Target::default(),
                _ => continue,
            };
            let name = path.last().map(|name| (*name).to_owned());
            let (key, header) = (Some(range.clone()), Some(range));
            self.places.push(Place { target, key, value: None, name, text: None, header });
        }
    }
}

/// Keys and items of a table, in the order of the file.
fn items(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}
