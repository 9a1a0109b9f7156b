//! Each event against the model: its predecessors when it comes, its successors when no more can come.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use rustc_hash::{FxHashMap, FxHashSet};

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;

use super::super::dispatch::{Check, Context, End, Interest};
use super::super::history;
use super::super::relay::{Restriction, Seen};
use super::super::resolve::Target;
use super::bind::{Bound, BoundRule};
use super::error::ModelError;
use super::matching::Neighbor;
use super::syntax::Model;
use crate::check::verdict::{MOST_VIOLATIONS, Verdict, Violation};

/// Fewest events waiting for successors at which it is worthwhile to look for decided ones.
const MIN_SWEEP: usize = 1024;

/// A model under check.
#[derive(Debug)]
pub(in super::super) struct ModelCheck {
    text: String,
    pub(super) bound: Bound,
    restriction: Restriction<Origin>,
    /// Whether orderings by shared objects count.
    has_shared: bool,
    /// For each action of a selected node: the node's template and the slot in the clocks.
    selected: FxHashMap<ActionId, (TemplateId, usize)>,
    /// All selected actions of each template, in the order of their first events.
    pub(super) actions: FxHashMap<TemplateId, Vec<ActionId>>,
    /// Events whose neighbors are not all known, by number.
    pending: BTreeMap<u64, Pending>,
    /// For each template, its name and its routing rules: texts and lines.
    pub(super) program_routes: FxHashMap<TemplateId, (String, Vec<(String, u32)>)>,
    /// Number of pending events at which to look for decided ones.
    sweep_at: usize,
    faults: Faults,
    n_events: u64,
}

/// What later events must know of a selected one.
#[derive(Debug)]
pub(super) struct Origin {
    /// Its record, without lists.
    pub(super) record: EventRecord,
    pub(super) template: TemplateId,
    /// Its number in the order of delivery.
    pub(super) number: u64,
}

/// An event that waits for its successors, or for all actions to be known.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) record: EventRecord,
    pub(super) template: TemplateId,
    /// Where a firing rule says `all`: its predecessors.
    pub(super) predecessors: Option<Vec<Neighbor>>,
    pub(super) successors: Vec<Neighbor>,
    /// Nobody can name it any more where this is gone.
    seen: Weak<Seen<Origin>>,
}

/// Events in error.
#[derive(Clone, Debug, Default)]
struct Faults {
    /// The first, by number.
    first: BTreeMap<u64, Violation>,
    numbers: FxHashSet<u64>,
}

impl Faults {
    fn add(&mut self, number: u64, violation: Violation) {
        self.numbers.insert(number);
        match self.first.get_mut(&number) {
            Some(known) => known.reasons.extend(violation.reasons),
            None => {
                self.first.insert(number, violation);
            }
        }
        if self.first.len() > MOST_VIOLATIONS {
            self.first.pop_last();
        }
    }
}

impl ModelCheck {
    /// A model on a program and its parameters.
    ///
    /// # Errors
    /// Where the model does not fit the program.
    pub(in super::super) fn new(
        text: String,
        model: &Model,
        plan: &Plan,
        params: &[(String, Value)],
    ) -> Result<Self, ModelError> {
        let bound = Bound::new(model, plan, params)?;
        let program_routes = bound.route.keys().map(|&template| {
            let unit = plan.template(template);
            let texts = unit.route.iter().map(|rule| (rule.text.clone(), rule.at.line)).collect();
            (template, (unit.name.clone(), texts))
        });
        Ok(Self {
            text,
            program_routes: program_routes.collect(),
            bound,
            restriction: if model.has_shared { Restriction::new() } else { Restriction::by_values() },
            has_shared: model.has_shared,
            selected: FxHashMap::default(),
            actions: FxHashMap::default(),
            pending: BTreeMap::new(),
            sweep_at: MIN_SWEEP,
            faults: Faults::default(),
            n_events: 0,
        })
    }

    fn fits(&self, action: ActionId, names: &Names) -> bool {
        self.bound.nodes.iter().any(|node| node.fits_action(action, names))
    }

    /// Decides the events that nobody can name any more.
    fn sweep(&mut self, context: &Context<'_>) {
        let waits_for_all =
            |rules: Option<&Vec<BoundRule>>| rules.into_iter().flatten().any(BoundRule::asks_all);
        let decided: Vec<u64> = self
            .pending
            .iter()
            .filter(|(_, pending)| {
                pending.seen.strong_count() == 0
                    && pending.predecessors.is_none()
                    && !waits_for_all(self.bound.route.get(&pending.template))
            })
            .map(|(&number, _)| number)
            .collect();
        for number in decided {
            let Some(pending) = self.pending.remove(&number) else { continue };
            let reasons = self.pending_faults(&pending, false, context.names);
            if !reasons.is_empty() {
                self.faults.add(number, violation(&pending.record, pending.template, reasons, context.names));
            }
        }
        self.sweep_at = MIN_SWEEP.max(2 * self.pending.len());
    }
}

fn violation(record: &EventRecord, template: TemplateId, reasons: Vec<String>, names: &Names) -> Violation {
    let template = names.template_name(template).unwrap_or("?").to_owned();
    Violation { reasons, ..Violation::of(names.event(record.id).to_string(), template) }
}

/// A record without its lists but the routes taken.
fn light(event: &EventRecord) -> EventRecord {
    let mut record = EventRecord::new(event.id);
    record.rule = event.rule;
    record.routes.clone_from(&event.routes);
    record.outcome = event.outcome;
    record
}

impl Check for ModelCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        if self.fits(action, names) { Interest::Clock } else { Interest::Events }
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        if let (Some(slot), Some(template)) = (slot, names.template_of(action))
            && self.fits(action, names)
        {
            self.selected.insert(action, (template, slot));
            self.actions.entry(template).or_default().push(action);
        }
    }

    fn wants_log(&self) -> bool {
        true
    }

    fn subjects(&self) -> Vec<TemplateId> {
        let mut templates: Vec<TemplateId> = self.bound.nodes.iter().map(|node| node.template).collect();
        templates.sort_unstable();
        templates.dedup();
        templates
    }

    fn expect_mode(&mut self, mode: RecordingMode) {
        self.restriction.expect_mode(mode);
    }

    fn event(&mut self, context: &Context<'_>) {
        let event = context.event;
        let relays = self.restriction.arrive(event);
        let Some(&(template, slot)) = self.selected.get(&event.id.action) else {
            self.restriction.pass(event, relays);
            return;
        };
        self.n_events += 1;
        let immediate: Vec<EventId> = relays.maximal().iter().map(|seen| seen.event).collect();
        let neighbor = |seen: &Arc<Seen<Origin>>| Neighbor {
            event: seen.event,
            template: seen.payload.template,
            is_immediate: immediate.contains(&seen.event),
        };
        let others = relays.iter().filter(|seen| seen.event.action != event.id.action);
        let predecessors: Vec<(&Arc<Seen<Origin>>, Neighbor)> =
            others.map(|seen| (seen, neighbor(seen))).collect();
        let (reasons, unexpected) = self.predecessor_faults(context, template, &predecessors);
        for (seen, neighbor) in &predecessors {
            if let Some(pending) = self.pending.get_mut(&seen.payload.number) {
                let is_immediate = neighbor.is_immediate;
                pending.successors.push(Neighbor { event: event.id, template, is_immediate });
            }
        }
        if !reasons.is_empty() {
            let mut violation = violation(event, template, reasons, context.names);
            let is_listed = self.faults.first.len() < MOST_VIOLATIONS
                || self.faults.first.last_key_value().is_some_and(|(&last, _)| context.number < last);
            if is_listed {
                // The way of what is not expected shows most; else how all that was taken came.
                let way = |&source: &EventId| {
                    context.log.map_or(Vec::new(), |log| {
                        history::way(source, event.id, &log.view(), context.world())
                    })
                };
                violation.history = unexpected.first().map_or(Vec::new(), way);
                if violation.history.is_empty() {
                    violation.evidence = context.evidence();
                }
            }
            self.faults.add(context.number, violation);
        }
        let fire = self.bound.fire.get(&template);
        let asks_all = fire.into_iter().flatten().any(BoundRule::asks_all);
        let predecessors = asks_all.then(|| predecessors.into_iter().map(|(_, neighbor)| neighbor).collect());
        let origin = Origin { record: light(event), template, number: context.number };
        let clock = match self.has_shared {
            true => context.clock.clone(),
            false => {
                let mut clock = relays.clock();
                clock.raise(slot, event.id.count);
                clock
            }
        };
        let seen = self.restriction.leave(event, slot, clock, origin);
        if asks_all || self.bound.route.contains_key(&template) {
            let pending = Pending {
                record: light(event),
                template,
                predecessors,
                successors: Vec::new(),
                seen: Arc::downgrade(&seen),
            };
            self.pending.insert(context.number, pending);
            drop(seen);
            if self.pending.len() >= self.sweep_at {
                self.sweep(context);
            }
        }
    }

    fn named(&self, names: &Names) -> Vec<(&Target, bool)> {
        let has_come = |node: &Target| self.selected.keys().any(|&action| node.fits_action(action, names));
        self.bound.nodes.iter().map(|node| (node, has_come(node))).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let mut faults = self.faults.clone();
        let under_way = self.restriction.under_way();
        let (mut n_open, mut n_undecided) = (0_u64, 0_u64);
        for (&number, pending) in &self.pending {
            if !end.is_over && pending.seen.strong_count() > 0 {
                n_undecided += 1;
                continue;
            }
            let is_open = under_way.binary_search(&pending.record.id).is_ok();
            let reasons = self.pending_faults(pending, is_open, end.names);
            if !reasons.is_empty() {
                faults.add(number, violation(&pending.record, pending.template, reasons, end.names));
            } else if is_open && !self.pending_faults(pending, false, end.names).is_empty() {
                n_open += 1;
            }
        }
        let mut notes = Vec::new();
        for node in &self.bound.nodes {
            if !self.selected.keys().any(|&action| node.fits_action(action, end.names)) {
                notes.push(node.absence());
            }
        }
        if n_open > 0 {
            notes.push(format!(
                "{} without successors, but values had not been taken when the run ended",
                counted(n_open, "event")
            ));
        }
        Verdict {
            holds: faults.numbers.is_empty(),
            n_events: self.n_events,
            n_violations: faults.numbers.len() as u64,
            n_undecided,
            violations: faults.first.into_values().collect(),
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
