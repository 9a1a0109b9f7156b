//! The graph of a record.

use std::collections::BTreeMap;

use hasse_model::id::ObjectId;
use rustc_hash::FxHashMap;

use super::graph::{Dependence, Elaborated, Group, InstanceBox, MOST_BOXES, PAGE, Thing};
use super::place::Label;
use crate::drawing::geometry::Rect;
use crate::views::record::Via;
use crate::views::record::arrays::Record;

/// Most objects that have a box.
const MOST_OBJECTS: usize = 2_000;

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

    pub(super) fn note_boxes(&mut self) {
        self.box_of = self.boxes.iter().enumerate().map(|(at, node)| (node.thing, at)).collect();
    }

    /// Notes which lines are at which boxes, and gives all of them their positions.
    pub(super) fn finish(&mut self, labels: &[Label]) {
        self.lines_at = vec![Vec::new(); self.boxes.len()];
        for (at, line) in (0..).zip(&self.lines) {
            self.lines_at[line.source].push(at);
            if line.target != line.source {
                self.lines_at[line.target].push(at);
            }
        }
        super::place::place(self, labels);
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
}
