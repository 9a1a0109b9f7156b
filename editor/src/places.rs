//! Where drawn things stand in the file, and what stands at a place of the file.
//!
//! The text is read once, with the places of keys and values that `toml_edit` keeps. A text that is no TOML still has
//! its headers: what is wrong in it belongs to the node whose header stands above.

use std::ops::Range;

use hasse_compiler::{family, file_offsets};
use hasse_model::diagnostic::Location;
use toml_edit::{Array, Document, Item, Key, TableLike, Value};

use crate::edit::link::LinkList;
use crate::target::{Attribute, Part, Target};

/// Keys that hold texts of many lines in which a line is worth pointing at.
const BODIES: [&str; 2] = ["init", "do"];

/// Something that stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) target: Target,
    /// Its key or name, as it is spelled; none of an array's item.
    pub(crate) key: Option<Range<usize>>,
    /// Its value as it is spelled, with quotes; none of a table with a header.
    pub(crate) value: Option<Range<usize>>,
    /// The name without quotes.
    pub(crate) name: Option<String>,
    /// The value, where it is a string.
    pub(crate) text: Option<String>,
    /// Whether it is a table with a header: what stands below belongs to it up to the next one.
    is_header: bool,
}

/// All places of a text.
#[derive(Clone, Debug)]
pub struct Places {
    text: String,
    /// Byte offsets of the first bytes of all lines, ascending; the first one is 0.
    line_starts: Vec<usize>,
    /// In the order of the file.
    places: Vec<Place>,
    is_readable: bool,
}

impl Places {
    /// Reads a text; whatever it is. Cost: reads all of it.
    pub fn of(text: &str) -> Self {
        let behind_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let line_starts = std::iter::once(0).chain(behind_newlines).collect();
        let mut places = Collector::default();
        let is_readable = match Document::parse(text) {
            Ok(document) => {
                places.program(document.as_table());
                true
            }
            Err(_) => {
                places.headers(text);
                false
            }
        };
        let mut places = places.places;
        places.sort_by_key(|place| (place.start(), std::cmp::Reverse(place.end())));
        Self { text: text.to_owned(), line_starts, places, is_readable }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is TOML; else only headers are known.
    pub fn is_readable(&self) -> bool {
        self.is_readable
    }

    pub(crate) fn all(&self) -> &[Place] {
        &self.places
    }

    /// What stands at a byte of the file; behind its end: at the end. Of comments and blank lines: what the header above
    /// them is of.
    pub fn target(&self, offset: usize) -> Target {
        let holds = |range: &Option<Range<usize>>| {
            range.as_ref().is_some_and(|range| range.start <= offset && offset < range.end.max(range.start + 1))
        };
        let innermost = self
            .places
            .iter()
            .filter(|place| holds(&place.key) || holds(&place.value))
            .min_by_key(|place| place.end() - place.start());
        if let Some(place) = innermost {
            let mut target = place.target.clone();
            if holds(&place.value)
                && let (Some(attribute), Some(text)) = (&mut target.attribute, &place.text)
                && attribute.entry.is_none()
                && BODIES.contains(&attribute.key.as_str())
            {
                let offsets = self.offsets(place);
                let byte = offsets.partition_point(|&at| at <= offset).saturating_sub(1).min(text.len());
                attribute.line = Some(text.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1);
            }
            return target;
        }
        let above = self.places.iter().rfind(|place| place.is_header && place.start() <= offset);
        above.map(|place| place.target.clone()).unwrap_or_default()
    }

    /// Where a target stands, as bytes of the file: its name, the value of an attribute without the quotes, a line of
    /// a body. Where it is not in the file: what it is a part of; `None` where that is not there either.
    pub fn range(&self, target: &Target) -> Option<Range<usize>> {
        if target.part == Part::Program && target.attribute.is_none() {
            return Some(0..0);
        }
        let line = target.attribute.as_ref().and_then(|attribute| attribute.line);
        let mut wanted = target.clone();
        if let Some(attribute) = &mut wanted.attribute {
            attribute.line = None;
        }
        loop {
            if let Some(place) = self.places.iter().find(|place| place.target == wanted) {
                return Some(self.shown(place, line));
            }
            wanted = less(&wanted)?;
        }
    }

    /// The bytes of a place that are worth selecting.
    fn shown(&self, place: &Place, line: Option<usize>) -> Range<usize> {
        let Some(text) = &place.text else {
            return place.key.clone().or(place.value.clone()).unwrap_or(0..0);
        };
        let offsets = self.offsets(place);
        let part = match line {
            None => 0..text.len(),
            Some(line) => {
                let mut start = 0;
                let mut lines = text.split_inclusive('\n').map(|line| {
                    let range = start..start + line.trim_end_matches('\n').len();
                    start += line.len();
                    range
                });
                lines.nth(line.saturating_sub(1)).unwrap_or(text.len()..text.len())
            }
        };
        let at = |byte: usize| offsets.get(byte).copied().unwrap_or(place.end());
        at(part.start)..at(part.end)
    }

    /// The file offset of every byte of a place's text, and of the byte behind it.
    pub(crate) fn offsets(&self, place: &Place) -> Vec<usize> {
        let (Some(text), Some(value)) = (&place.text, &place.value) else { return Vec::new() };
        file_offsets(text, &self.text[value.clone()], value.start)
    }

    /// The line and column of a range of bytes; a range that leaves the text is cut to it.
    pub fn location(&self, range: Range<usize>) -> Location {
        let floor = |offset: usize| {
            let offset = offset.min(self.text.len());
            (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
        };
        let (start, end) = (floor(range.start), floor(range.end.max(range.start)));
        let line = self.line_starts.partition_point(|&line_start| line_start <= start);
        let line_start = self.line_starts[line - 1];
        let column = self.text[line_start..start].chars().count() + 1;
        let narrow = |wide: usize| u32::try_from(wide).unwrap_or(u32::MAX);
        Location { start: narrow(start), end: narrow(end), line: narrow(line), column: narrow(column) }
    }
}

impl Place {
    fn start(&self) -> usize {
        self.key.as_ref().or(self.value.as_ref()).map_or(0, |range| range.start)
    }

    fn end(&self) -> usize {
        self.value.as_ref().or(self.key.as_ref()).map_or(0, |range| range.end)
    }
}

/// What a target is a part of.
fn less(target: &Target) -> Option<Target> {
    let mut less = target.clone();
    match &mut less.attribute {
        Some(attribute) if attribute.entry.is_some() || attribute.row.is_some() => {
            attribute.entry = None;
            attribute.row = None;
        }
        Some(_) => less.attribute = None,
        None => match &less.part {
            Part::Node(_) | Part::Link(..) => less.part = Part::Graph,
            Part::Program | Part::Type(_) | Part::Graph => return None,
        },
    }
    Some(less)
}

/// Collects the places of a document.
#[derive(Default)]
struct Collector {
    places: Vec<Place>,
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
            is_header: item.is_some_and(|item| item.as_table().is_some_and(|table| !table.is_dotted())),
        });
    }

    fn program(&mut self, root: &dyn TableLike) {
        for (key, item) in items(root) {
            match (key.get(), item.as_table_like()) {
                ("type", Some(types)) => {
                    for (name, item) in items(types) {
                        let target =
                            Target { part: Part::Type(name.get().to_owned()), ..Target::default() };
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
            is_header: false,
        });
    }

    /// An attribute, and what is below it.
    fn attribute(&mut self, of: &Target, key: &Key, item: &Item, attribute: Attribute) {
        self.add(of.with(attribute.clone()), Some(key), Some(item));
        for (row, value) in item.as_array().into_iter().flatten().enumerate() {
            self.row(of.with(Attribute { row: Some(row), ..attribute.clone() }), value);
        }
        for (entry, item) in item.as_table_like().into_iter().flat_map(items) {
            let name = family(entry.get()).0;
            self.add(of.with(Attribute { entry: Some(name), ..attribute.clone() }), Some(entry), Some(item));
        }
    }

    /// The headers of a text that is no TOML.
    fn headers(&mut self, text: &str) {
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
            self.places.push(Place { target, key: Some(range), value: None, name, text: None, is_header: true });
        }
    }
}

/// Keys and items of a table, in the order of the file.
fn items(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}
