//! Which actions are kept.

use std::collections::BTreeSet;

use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, RecordOption, RecordOptions};
use hasse_model::snapshot::Snapshot;
use hasse_model::trace::{Kept, Names};
use std::collections::HashSet;

use super::error::CutError;

/// The kept part of a run.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) actions: HashSet<ActionId>,
    /// Nodes with kept actions, ascending.
    pub(super) templates: BTreeSet<TemplateId>,
    selectors: Vec<String>,
}

impl Part {
    /// Finds the actions that selectors name among those of a run's last state. The name of a graph names all of its instances.
    ///
    /// # Errors
    /// A selector cannot be used.
    pub(super) fn new(
        plan: &Plan,
        names: &Names,
        end: &Snapshot,
        selectors: &[String],
    ) -> Result<Self, CutError> {
        let mut options = RecordOptions::restricted();
        for selector in selectors {
            options = options.select(&selector_of(plan, selector))?;
        }
        let mut named = NamedOptions::new(options.resolve(plan)?);
        let mut part =
            Self { actions: HashSet::default(), templates: BTreeSet::new(), selectors: selectors.to_vec() };
        for action in &end.actions {
            if named.action(action.record.action, names) == RecordOption::Full {
                part.actions.insert(action.record.action);
                part.templates.insert(action.record.template);
            }
        }
        Ok(part)
    }

    pub(super) fn keeps(&self, action: ActionId) -> bool {
        self.actions.contains(&action)
    }

    /// The part as the header of a record names it.
    pub(super) fn to_kept(&self, plan: &Plan) -> Kept {
        let label = |template: &TemplateId| plan.template_label(plan.template(*template));
        Kept { selectors: self.selectors.clone(), nodes: self.templates.iter().map(label).collect() }
    }
}

/// A selector of everything in a graph, where a text is the name of a graph and of nothing else.
fn selector_of(plan: &Plan, text: &str) -> String {
    let is_node = plan.templates.iter().any(|template| template.name == text)
        || plan.calls.iter().any(|call| call.name == text);
    let is_graph = plan.graphs.iter().any(|graph| graph.name == text);
    if is_graph && !is_node { format!("{text}.*") } else { text.to_owned() }
}

/// Takes the code out of the nodes of a plan that a record with holes does not keep: nobody executes them, and code in Rust need not be
/// there.
pub fn without_holes(plan: &mut Plan, kept: &Kept) {
    let labels = plan.template_labels();
    for (template, label) in plan.templates.iter_mut().zip(labels) {
        if !kept.nodes.contains(&label) {
            template.body = None;
            template.init = None;
        }
    }
}
