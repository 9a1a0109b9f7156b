//! Numbers of handled errors, with the first of them.

use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_request::report::{HandledErrors, RunError};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Handled errors, by template.
pub(crate) struct Handled(Mutex<Vec<OfTemplate>>);

#[derive(Default)]
struct OfTemplate {
    n_events: u64,
    n_retries: u64,
    /// The first one by instance and number of the execution, so that every run with the same events reports the same one.
    first: Option<(String, u64, RunError)>,
    /// By action: number of its failed events, and the count of the first one. Of the first actions alone: a service may have any number.
    by_action: FxHashMap<ActionId, (u64, u64)>,
}

/// Maximum number of actions of a template of which such events are known.
const MOST_ACTIONS: usize = 10_000;

impl OfTemplate {
    fn is_first(&self, path: &str, count: u64) -> bool {
        self.first.as_ref().is_none_or(|(first, n, _)| (path, count) < (first.as_str(), *n))
    }
}

impl Handled {
    pub(crate) fn of(plan: &Plan) -> Self {
        let last = plan.templates.iter().rposition(|template| template.on_error.needs_savepoint());
        let mut of_templates = Vec::new();
        of_templates.resize_with(last.map_or(0, |last| last + 1), OfTemplate::default);
        Self(Mutex::new(of_templates))
    }

    pub(crate) fn note_retry(&self, template: TemplateId) {
        self.0.lock()[template.idx()].n_retries += 1;
    }

    /// Returns true if a failed event is the first one so far.
    pub(crate) fn is_first(&self, template: TemplateId, path: &str, count: u64) -> bool {
        self.0.lock()[template.idx()].is_first(path, count)
    }

    /// Notes a failed event, with its error if it may be the first one.
    pub(crate) fn note(
        &self,
        (template, action): (TemplateId, ActionId),
        path: String,
        count: u64,
        error: Option<RunError>,
    ) {
        let mut of_templates = self.0.lock();
        let known = &mut of_templates[template.idx()];
        known.n_events += 1;
        let is_noted = known.by_action.len() < MOST_ACTIONS || known.by_action.contains_key(&action);
        if is_noted {
            known.by_action.entry(action).or_insert((0, count)).0 += 1;
        }
        if let Some(error) = error
            && known.is_first(&path, count)
        {
            known.first = Some((path, count, error));
        }
    }

    /// Failed events of an action: their number, and the count of the first one. `None` where there are none, or they are not known.
    pub(crate) fn of_action(&self, template: TemplateId, action: ActionId) -> Option<(u64, u64)> {
        self.0.lock().get(template.idx())?.by_action.get(&action).copied()
    }

    /// The nodes with such events, for a report.
    pub(crate) fn report(&self, plan: &Plan) -> Vec<HandledErrors> {
        let of_templates = self.0.lock();
        let all = of_templates.iter().zip(&plan.templates).map(|(known, template)| HandledErrors {
            node: plan.template_label(template),
            n_events: known.n_events,
            n_retries: known.n_retries,
            first: known.first.as_ref().map(|(.., error)| error.clone()),
        });
        all.filter(|handled| handled.n_events > 0 || handled.n_retries > 0).collect()
    }
}
