//! The one selection of all views, and what belongs to it (Hyder 1994, section 6.4.1).
//!
//! Whoever selects an event also sees its instance and its node; who selects an instance its events and its node; who selects
//! a node all of its instances and events. Of an event, what is immediately before and after it is told apart from what
//! is so by others.

use std::collections::{BTreeMap, BTreeSet};

use super::record::Via;
use super::record::arrays::Record;

/// Most events before, and most after, an event that are highlighted.
pub const MOST_RELATED: usize = 20_000;

/// What is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selection {
    /// Nothing.
    #[default]
    Nothing,
    /// An event, by position.
    Event(u32),
    /// An instance, by position.
    Action(u32),
    /// A node of the program, by position.
    Template(u32),
    /// An arc of the program, by position.
    Arc(u32),
}

/// How an event is related to the one selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It is the one.
    Selected,
    /// Immediately before it.
    Cause,
    /// Immediately after it.
    Effect,
    /// Before it by others.
    EarlierCause,
    /// After it by others.
    LaterEffect,
    /// It took or sent a value along the arc selected.
    Arc,
}

/// What is highlighted in all views by a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Related {
    /// Events singled out, by position; those of `actions` are not among them.
    pub events: BTreeMap<u32, Relation>,
    /// Instances all of whose events are highlighted.
    pub actions: BTreeSet<u32>,
    /// Nodes of the program.
    pub templates: BTreeSet<u32>,
    /// Arcs of the program.
    pub arcs: BTreeSet<u32>,
    /// Whether there are more events than are highlighted.
    pub is_cut: bool,
    /// The same events by relation, ascending.
    by_relation: [Vec<u32>; 6],
}

impl Related {
    /// What belongs to a selection. Cost: linear in what is highlighted; for an arc, linear in the record until
    /// [`MOST_RELATED`] events are found.
    pub fn of(record: &Record, selection: Selection) -> Self {
        let mut related = Self::default();
        match selection {
            Selection::Nothing => {}
            Selection::Event(event) if event < record.n_events() => related.put_event(record, event),
            Selection::Event(_) => {}
            Selection::Action(action) => {
                if (action as usize) < record.instances().len() {
                    related.actions.insert(action);
                    related.templates.insert(record.template_of_instance(action));
                }
            }
            Selection::Template(template) => {
                related.templates.insert(template);
                let instances = (0..).zip(record.instances());
                let own = instances.filter(|(_, instance)| instance.template == template);
                related.actions.extend(own.map(|(at, _)| at));
            }
            Selection::Arc(arc) => related.put_arc(record, arc),
        }
        for (&event, &relation) in &related.events {
            related.by_relation[relation as usize].push(event);
        }
        related
    }

    /// The events that are so related, ascending.
    pub fn of_relation(&self, relation: Relation) -> &[u32] {
        &self.by_relation[relation as usize]
    }

    fn put_event(&mut self, record: &Record, event: u32) {
        self.templates.insert(record.template_of(event));
        for before in record.before(event) {
            if let Via::Value(Some(way)) = before.via {
                self.arcs.extend(record.way(way));
            }
        }
        let before =
            |event: u32, open: &mut Vec<u32>| open.extend(record.before(event).map(|before| before.event));
        let after = |event: u32, open: &mut Vec<u32>| open.extend_from_slice(record.after(event));
        self.put_cone(event, before, (Relation::Cause, Relation::EarlierCause));
        self.put_cone(event, after, (Relation::Effect, Relation::LaterEffect));
        self.events.insert(event, Relation::Selected);
    }

    /// Walks away from an event, nearest first.
    fn put_cone(&mut self, event: u32, next: impl Fn(u32, &mut Vec<u32>), (near, far): (Relation, Relation)) {
        let mut n_found = 0;
        let mut level = Vec::new();
        next(event, &mut level);
        let mut relation = near;
        while !level.is_empty() {
            level.sort_unstable();
            level.dedup();
            let mut onward = Vec::new();
            for &found in &level {
                if self.events.contains_key(&found) {
                    continue;
                }
                if n_found == MOST_RELATED {
                    self.is_cut = true;
                    return;
                }
                n_found += 1;
                self.events.insert(found, relation);
                next(found, &mut onward);
            }
            level = onward;
            relation = far;
        }
    }

    fn put_arc(&mut self, record: &Record, arc: u32) {
        self.arcs.insert(arc);
        let is_own: Vec<bool> =
            (0..record.n_ways() as u32).map(|way| record.way(way).contains(&arc)).collect();
        for event in 0..record.n_events() {
            for before in record.before(event) {
                let Via::Value(Some(way)) = before.via else { continue };
                if !is_own.get(way as usize).is_some_and(|&is_own| is_own) {
                    continue;
                }
                if self.events.len() >= MOST_RELATED {
                    self.is_cut = true;
                    return;
                }
                for end in [before.event, event] {
                    self.events.insert(end, Relation::Arc);
                    self.templates.insert(record.template_of(end));
                }
            }
        }
    }

    /// The instances that are highlighted: those selected, and those of the events that are not far away.
    pub fn instances(&self, record: &Record) -> BTreeMap<u32, Relation> {
        let mut found: BTreeMap<u32, Relation> =
            self.actions.iter().map(|&action| (action, Relation::Selected)).collect();
        for (&event, &relation) in &self.events {
            if !matches!(relation, Relation::EarlierCause | Relation::LaterEffect) {
                let own = found.entry(record.instance_of(event)).or_insert(relation);
                *own = (*own).min(relation);
            }
        }
        found
    }
}
