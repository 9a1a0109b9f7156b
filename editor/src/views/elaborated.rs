//! The elaborated graph: instances, the objects that they use, and what passed between them (Hyder 1994, section 3.3.1).
//!
//! Up to [`MOST_LAYERED`] boxes are in layers along the values, and lines between a few hundred go around boxes; beyond that each group, the instances of a node
//! in one graph instance, is a block of its own, with rows and columns by index. A group shows a page of its
//! instances, and says which.
//!
//! [`MOST_LAYERED`]: crate::views::elaborated::MOST_LAYERED

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use hasse_model::id::ObjectId;

use super::record::{Record, Via};
use crate::drawing::geometry::{Point, Rect};
use place::Label;

/// Drawing and hitting.
mod draw;
/// Where boxes are.
mod place;
/// The graph that may come to be, before a run.
mod possible;
/// The view.
mod view;
/// Ways of lines around boxes.
mod ways;

pub use view::ElaboratedView;

/// Most boxes that are laid out in layers.
pub const MOST_LAYERED: usize = 2_000;
/// Most lines between boxes that are laid out in layers.
const MOST_LAYERED_LINES: usize = 6_000;
/// Most instances of a group on a page.
pub const PAGE: usize = 4_096;
/// Most boxes in all.
pub const MOST_BOXES: usize = 60_000;
/// Most objects that have a box.
const MOST_OBJECTS: usize = 2_000;

/// Subject of a box. In a preview, positions are those in the expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thing {
    /// An instance, by position in the record.
    Action(u32),
    /// A shared object.
    Object(ObjectId),
}

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceBox {
    /// What it stands for.
    pub thing: Thing,
    /// Position of its group.
    pub group: usize,
    /// Position of the node; `u32::MAX` for objects.
    pub template: u32,
    /// Where it stands.
    pub area: Rect,
    /// Its name: the last part of its path.
    pub name: String,
    /// How often it executed, or was accessed.
    pub n_events: u64,
}

/// What passed between two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Position of the box where it begins.
    pub source: usize,
    /// Position of the box where it ends.
    pub target: usize,
    /// Number of values; of a line to or from an object, of accesses. None in a preview.
    pub n_values: u64,
    /// True in a preview if a condition that depends on values decides about it.
    pub is_conditional: bool,
    /// Arcs by which values came, by position in the program.
    pub arcs: Vec<u32>,
}

/// Instances of one node in one graph instance, or the objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The node's label and the path of the graph instance.
    pub title: String,
    /// Position of the node; `u32::MAX` for objects.
    pub template: u32,
    /// Number of instances.
    pub n_all: usize,
    /// The first one that is shown, from 0.
    pub first: usize,
    /// Number of those shown.
    pub n_shown: usize,
    /// Around its boxes, with room for the title; nothing where they are laid out in layers.
    pub area: Option<Rect>,
}

/// The graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Elaborated {
    /// Boxes, group by group.
    pub boxes: Vec<InstanceBox>,
    /// What passed between boxes that are shown, by source and target.
    pub lines: Vec<Dependence>,
    /// Ways of lines, as points of straight pieces; none where lines go straight from box to box.
    ways: Vec<Vec<Point>>,
    /// Groups, by node and graph instance; the objects last.
    pub groups: Vec<Group>,
    /// What is not shown, in words; empty where everything is.
    pub notes: Vec<String>,
    /// Position of each box.
    box_of: BTreeMap<Thing, usize>,
    /// For each box the lines at it.
    lines_at: Vec<Vec<u32>>,
}

impl Elaborated {
    /// The graph of a record. `pages` says of groups, by title, which instance is the first one shown. Cost: linear in the
    /// record; with few boxes, that of a layout in layers.
    pub fn of(record: &Record, pages: &BTreeMap<String, usize>) -> Self {
        let mut graph = Self::default();
        graph.put_groups(record, pages);
        graph.put_objects(record);
        graph.note_boxes();
        graph.put_lines(record);
        let label = |node: &InstanceBox| match node.thing {
            Thing::Action(instance) => {
                let known = record.instance(instance);
                let index = known.and_then(|known| record.names().index_of(known.id));
                let index = index.map(|index| index.as_slice().to_vec()).unwrap_or_default();
                Label { path: record.instance_name(instance), index }
            }
            Thing::Object(object) => {
                Label { path: format!("object {}", record.names().object(object)), index: Vec::new() }
            }
        };
        let labels: Vec<Label> = graph.boxes.iter().map(label).collect();
        graph.finish(&labels);
        graph
    }

    fn note_boxes(&mut self) {
        self.box_of = self.boxes.iter().enumerate().map(|(at, node)| (node.thing, at)).collect();
    }

    /// Notes which lines are at which boxes, and gives all of them their positions.
    fn finish(&mut self, labels: &[Label]) {
        self.lines_at = vec![Vec::new(); self.boxes.len()];
        for (at, line) in (0..).zip(&self.lines) {
            self.lines_at[line.source].push(at);
            if line.target != line.source {
                self.lines_at[line.target].push(at);
            }
        }
        place::place(self, labels);
    }

    fn put_groups(&mut self, record: &Record, pages: &BTreeMap<String, usize>) {
        let key = |instance: u32| {
            let known = record.instance(instance);
            known.map(|known| (known.template, record.names().graph_of(known.id)))
        };
        let mut n_hidden = 0;
        // Those that never executed last, within their groups.
        let mut all = record.ranked().to_vec();
        all.extend(record.idle());
        all.sort_by_key(|&instance| key(instance));
        for members in all.chunk_by(|one, other| key(*one) == key(*other)) {
            let Some((template, graph)) = members.first().and_then(|&first| key(first)) else { continue };
            let path = graph.map_or_else(String::new, |graph| record.names().graph_path(graph).to_string());
            let label = record.template_label(template);
            let title = if path.is_empty() { label.to_owned() } else { format!("{label} in {path}") };
            let first = pages.get(&title).copied().unwrap_or(0);
            let first = if first >= members.len() { 0 } else { first };
            let room = MOST_BOXES.saturating_sub(self.boxes.len()).min(PAGE);
            let shown = members.get(first..).unwrap_or(&[]);
            let shown = &shown[..shown.len().min(room)];
            n_hidden += members.len() - shown.len();
            let group = self.groups.len();
            self.boxes.extend(shown.iter().map(|&instance| InstanceBox {
                thing: Thing::Action(instance),
                group,
                template,
                area: Rect::default(),
                name: record.short_name(instance),
                n_events: record.events_of(instance).len() as u64,
            }));
            let (n_all, n_shown) = (members.len(), shown.len());
            self.groups.push(Group { title, template, n_all, first, n_shown, area: None });
        }
        if n_hidden > 0 {
            let n_all = all.len();
            self.notes.push(format!(
                "{} of {n_all} instances are shown; turn the pages of groups for others",
                n_all - n_hidden
            ));
        }
    }

    fn put_objects(&mut self, record: &Record) {
        let mut n_of: BTreeMap<ObjectId, u64> = BTreeMap::new();
        for (&(object, ..), n) in record.accesses() {
            *n_of.entry(object).or_default() += n;
        }
        if n_of.is_empty() {
            return;
        }
        let (group, n_all) = (self.groups.len(), n_of.len());
        let shown = n_of.into_iter().take(MOST_OBJECTS);
        self.boxes.extend(shown.map(|(object, n_events)| InstanceBox {
            thing: Thing::Object(object),
            group,
            template: u32::MAX,
            area: Rect::default(),
            name: record.names().object(object).to_string().trim_start_matches('/').to_owned(),
            n_events,
        }));
        let n_shown = n_all.min(MOST_OBJECTS);
        if n_shown < n_all {
            self.notes.push(format!("{n_shown} of {n_all} shared objects are shown"));
        }
        let title = "shared objects".to_owned();
        self.groups.push(Group { title, template: u32::MAX, n_all, first: 0, n_shown, area: None });
    }

    fn put_lines(&mut self, record: &Record) {
        // Position of an instance's box.
        let mut place = vec![u32::MAX; record.instances().len() + record.idle().count()];
        for (at, node) in (0..).zip(&self.boxes) {
            if let Thing::Action(instance) = node.thing {
                place[instance as usize] = at;
            }
        }
        let mut found: FxHashMap<(u32, u32), (u64, Vec<u32>)> = FxHashMap::default();
        let box_at = |event: u32| place.get(record.instance_of(event) as usize).copied().unwrap_or(u32::MAX);
        for event in 0..record.n_events() {
            let target = box_at(event);
            if target == u32::MAX {
                continue;
            }
            for before in record.before(event) {
                let Via::Value(way) = before.via else { continue };
                let source = box_at(before.event);
                if source == u32::MAX {
                    continue;
                }
                let (n_values, ways) = found.entry((source, target)).or_default();
                *n_values += 1;
                if let Some(way) = way.filter(|way| !ways.contains(way)) {
                    ways.push(way);
                }
            }
        }
        let line = |((source, target), (n_values, ways)): ((u32, u32), (u64, Vec<u32>))| {
            let mut arcs: Vec<u32> = ways.iter().flat_map(|&way| record.way(way)).copied().collect();
            arcs.sort_unstable();
            arcs.dedup();
            let (source, target) = (source as usize, target as usize);
            Dependence { source, target, n_values, is_conditional: false, arcs }
        };
        self.lines = found.into_iter().map(line).collect();
        for (&(object, instance, is_write), &n_values) in record.accesses() {
            let own = place.get(instance as usize).copied().filter(|&at| at != u32::MAX);
            let Some((own, object)) = own.zip(self.box_of.get(&Thing::Object(object)).copied()) else {
                continue;
            };
            // Writers of an object point to it.
            let (source, target) = if is_write { (own as usize, object) } else { (object, own as usize) };
            self.lines.push(Dependence { source, target, n_values, is_conditional: false, arcs: Vec::new() });
        }
        self.lines.sort_by_key(|line| (line.source, line.target));
    }

    /// The box of an instance or object, where it is shown.
    pub fn box_of(&self, thing: Thing) -> Option<usize> {
        self.box_of.get(&thing).copied()
    }

    /// The lines at a box, by position.
    pub fn lines_of(&self, box_idx: usize) -> &[u32] {
        self.lines_at.get(box_idx).map_or(&[], |lines| lines)
    }

    /// The way of a line, by position, as the points of straight pieces; empty where it goes straight from box to box.
    pub fn way(&self, line_idx: usize) -> &[Point] {
        self.ways.get(line_idx).map_or(&[], |way| way)
    }

    /// Around everything.
    pub fn bounds(&self) -> Option<Rect> {
        let groups = self.groups.iter().filter_map(|group| group.area);
        let ways = self.ways.iter().filter_map(|way| Rect::around(way.iter().copied()));
        self.boxes.iter().map(|node| node.area).chain(groups).chain(ways).reduce(Rect::union)
    }
}
