//! What playback shows on the picture of a graph.

use std::collections::{BTreeMap, BTreeSet};

use super::Player;
use crate::edit::link::LinkList;
use crate::marks::{ActionMark, Highlight, Marks};
use crate::views::record::Via;

impl Player {
    /// Counts, values under way, the last event, and values on their way to the next one, of a graph. Cost: a binary
    /// search for each node's instances by graph instance, and for each way of values.
    pub fn marks(&self, graph: &str) -> Marks {
        let mut marks = Marks::default();
        let record = &self.record;
        let program = record.program();
        let position = self.position();
        if let Some(prepared) = &self.prepared {
            for (group, &instance) in (0..).zip(&prepared.groups) {
                let Some(known) = record.instances().get(instance as usize) else { continue };
                let node = program.node_in(graph, known.template, known.id, record.names());
                let Some(node) = node else { continue };
                let n_events = prepared.events.get(group).partition_point(|&event| event < position) as u64;
                let own = marks.nodes.entry(node.to_owned()).or_default();
                own.n_events = Some(own.n_events.unwrap_or(0) + n_events);
                if n_events > 0 && own.state != Some(ActionMark::Failed) {
                    own.state = Some(ActionMark::Idle);
                }
                // A failed instance remains failed.
                if prepared.failures.get(group).first().is_some_and(|&event| event < position) {
                    own.state = Some(ActionMark::Failed);
                    own.note = "failed".to_owned();
                }
            }
            let mut totals: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
            for way in 0..prepared.flows.n_ways() {
                let queued = prepared.flows.n_under_way(way, position);
                let passed = prepared.flows.n_sent(way, position);
                let arcs = record.way(way);
                for (at, &arc) in arcs.iter().enumerate() {
                    let Some(place) = program.arcs().get(arc as usize) else { continue };
                    if place.graph == graph && place.row != usize::MAX {
                        let total = totals.entry(place.row).or_default();
                        // Values wait at the last one.
                        total.0 += if at + 1 == arcs.len() { queued } else { 0 };
                        total.1 += passed;
                    }
                }
            }
            for (row, (queued, passed)) in totals {
                let own = marks.links.entry((LinkList::Arcs, row)).or_default();
                own.n_queued = Some(queued);
                own.n_passed = Some(passed);
            }
        }
        if let Some(last) = self.last().filter(|_| !self.is_at_end() || self.is_playing) {
            self.mark_last(graph, last, &mut marks);
        }
        for pulse in self.pulses() {
            let place = program.arcs().get(pulse.arc as usize);
            if let Some(place) = place.filter(|place| place.graph == graph && place.row != usize::MAX) {
                let own = marks.links.entry((LinkList::Arcs, place.row)).or_default();
                own.pulse = Some(pulse.place);
            }
        }
        marks
    }

    fn mark_last(&self, graph: &str, last: u32, marks: &mut Marks) {
        let record = &self.record;
        let program = record.program();
        let instance = record.instance_of(last);
        if let Some(known) = record.instances().get(instance as usize)
            && let Some(node) = program.node_in(graph, known.template, known.id, record.names())
        {
            let own = marks.nodes.entry(node.to_owned()).or_default();
            own.highlights.push(Highlight::Animated);
            own.state = Some(ActionMark::Running);
            own.note = record.event_name(last);
        }
        let mut rows = BTreeSet::new();
        for before in record.before(last) {
            let Via::Value(Some(way)) = before.via else { continue };
            let places = record.way(way).iter().filter_map(|&arc| program.arcs().get(arc as usize));
            rows.extend(places.filter(|place| place.graph == graph).map(|place| place.row));
        }
        for row in rows.into_iter().filter(|row| *row != usize::MAX) {
            marks.links.entry((LinkList::Arcs, row)).or_default().highlights.push(Highlight::Animated);
        }
    }
}
