//! Breakpoints with their selectors looked up, and which actions they concern.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use hasse_breakpoint::breakpoint::{Breakpoint, Place};
use hasse_code::graph::GraphInstance;
use hasse_model::id::{ArcId, CallId, Index, TemplateId};
use hasse_model::plan::{Plan, SlotKind, Source, Template};
use hasse_model::record_options::{RecordOption, RecordOptions, ResolvedOptions, Selector, SelectorError};
use hasse_model::value::Value;

use crate::control::command::ActionCommand;
use crate::control::state::StopPoint;

/// A breakpoint with its selectors looked up.
pub struct Armed {
    /// Its number.
    pub number: u64,
    /// The breakpoint.
    pub breakpoint: Breakpoint,
    /// Number of its hits in the run.
    pub n_hits: AtomicU64,
    within: Option<ResolvedOptions>,
    /// Templates whose actions can come to its place; `None`: all of them.
    templates: Option<BTreeSet<TemplateId>>,
    /// Of a breakpoint on creation.
    created: Option<ResolvedOptions>,
}

/// What an action has to look at; made anew when the board's version has changed.
pub struct Watched {
    /// The command to the action.
    pub command: Option<ActionCommand>,
    /// Breakpoints that concern the action.
    pub armed: Vec<Arc<Armed>>,
    /// Watched values at the last hit, by breakpoint.
    pub last: BTreeMap<u64, Vec<Option<Value>>>,
}

/// Templates whose actions can come to a place; `None`: all of them.
fn templates_at(plan: &Plan, place: &Place) -> Option<BTreeSet<TemplateId>> {
    let those = |can_come: &dyn Fn(&Template) -> bool| {
        let templates = plan.templates.iter().enumerate().filter(|(_, template)| can_come(template));
        templates.map(|(template_idx, _)| TemplateId::from_idx(template_idx)).collect()
    };
    match place {
        Place::Line(line) => Some(those(&|template| {
            template.body_script().is_some_and(|script| {
                let script = &plan.scripts[script.idx()];
                let n_lines = script.text.lines().count().max(1) as u32;
                (script.at.line..script.at.line + n_lines).contains(line)
            })
        })),
        Place::Shared { .. } => {
            Some(those(&|template| template.slots.iter().any(|slot| slot.kind == SlotKind::Shared)))
        }
        // Values that come out of a graph that is called pass its arcs, too.
        Place::Arc(arcs) => {
            let sender = |arc: &ArcId| match plan.arcs[arc.idx()].source {
                Source::Unit(template) => Some(template),
                _ => None,
            };
            arcs.iter().map(sender).collect()
        }
        Place::Befcomp | Place::Aftcomp | Place::Send | Place::Failed | Place::Creation(_) => None,
    }
}

/// Looks a selector up, as one that selects.
fn resolve(plan: &Plan, selector: &Selector) -> Result<ResolvedOptions, SelectorError> {
    let options = RecordOptions {
        root: RecordOption::Restrict,
        other_actions: RecordOption::Off,
        settings: vec![(selector.clone(), RecordOption::Full)],
    };
    options.resolve(plan)
}

/// Whether a selector names an action.
fn names(
    selected: &ResolvedOptions,
    graph: &Arc<GraphInstance>,
    template: TemplateId,
    index: &Index,
) -> bool {
    let outward: Vec<_> = graph.outward().collect();
    let mut option = selected.root();
    for inner in outward.iter().rev() {
        if let Some(place) = &inner.call {
            option = selected.graph(option, place.call, &place.index, around(&place.parent));
        }
    }
    selected.action(option, template, index, around(graph)) == RecordOption::Full
}

/// The calls around what a graph instance holds, innermost first.
fn around(graph: &Arc<GraphInstance>) -> impl Iterator<Item = (CallId, &Index)> + Clone {
    let outward =
        std::iter::successors(Some(&**graph), |inner| inner.call.as_ref().map(|place| &*place.parent));
    outward.filter_map(|graph| graph.call.as_ref().map(|place| (place.call, &place.index)))
}

impl Armed {
    /// Looks the selectors of a breakpoint up.
    pub(crate) fn new(plan: &Plan, number: u64, breakpoint: Breakpoint) -> Result<Self, SelectorError> {
        let within = breakpoint.within.as_ref().map(|selector| resolve(plan, selector)).transpose()?;
        let created = match &breakpoint.place {
            Place::Creation(Some(selector)) => Some(resolve(plan, selector)?),
            _ => None,
        };
        let templates = templates_at(plan, &breakpoint.place);
        Ok(Self { number, breakpoint, n_hits: AtomicU64::new(0), within, templates, created })
    }

    /// Returns true if an action is selected and can come to the place.
    pub(crate) fn concerns(&self, graph: &Arc<GraphInstance>, template: TemplateId, index: &Index) -> bool {
        let can_come = self.templates.as_ref().is_none_or(|templates| templates.contains(&template));
        can_come && self.within.as_ref().is_none_or(|selected| names(selected, graph, template, index))
    }

    /// The stop point at which it is looked at.
    pub fn point(&self) -> StopPoint {
        match self.breakpoint.place {
            Place::Befcomp | Place::Shared { .. } => StopPoint::Befcomp,
            Place::Line(_) => StopPoint::Line,
            Place::Aftcomp => StopPoint::Aftcomp,
            Place::Send | Place::Arc(_) | Place::Creation(_) => StopPoint::Send,
            Place::Failed => StopPoint::Failed,
        }
    }

    /// Whether it asks for the creation of an action.
    pub fn creates(&self, graph: &Arc<GraphInstance>, template: TemplateId, index: &Index) -> bool {
        self.created.as_ref().is_none_or(|selected| names(selected, graph, template, index))
    }
}
