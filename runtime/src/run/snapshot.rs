//! State of a run at a cut: taken out of a session that is at rest, and put into one that begins.

use hasse_model::id::{CallId, EventId, SharedId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::Snapshot;
use hasse_record::replay::known::positions;
use hasse_record::result_order::ResultOrder;
use hasse_request::options::RuntimeError;
use rustc_hash::FxHashMap;

/// From a snapshot to a session.
pub(crate) mod restore;
/// From a session to a snapshot.
pub(crate) mod take;

/// The error of a recording that a snapshot does not suffice for.
pub(crate) fn needs_past() -> RuntimeError {
    unfit("minimal and restricted recording need the past of each value, which a snapshot does not have")
}

/// The error of a snapshot that does not fit.
pub(crate) fn unfit(message: impl Into<String>) -> RuntimeError {
    RuntimeError::Snapshot { message: message.into() }
}

/// Gives a snapshot the ids that a plan has for nodes, shared objects and calls of the same labels.
///
/// # Errors
/// The plan has none for one that is in use.
pub fn relabel(mut snapshot: Snapshot, plan: &Plan) -> Result<Snapshot, RuntimeError> {
    let own = labels(plan);
    let given = [&snapshot.templates, &snapshot.shared, &snapshot.calls];
    let places = [0, 1, 2].map(|nth| positions(given[nth], &own[nth]));
    let find = |nth: usize, noun: &str, id: usize| {
        places[nth].get(id).copied().flatten().ok_or_else(|| {
            let label = given[nth].get(id).map_or("?", String::as_str);
            unfit(format!("the program has no {noun} `{label}`"))
        })
    };
    for action in &mut snapshot.actions {
        action.record.template = TemplateId::from_idx(find(0, "node", action.record.template.idx())?);
    }
    for object in &mut snapshot.objects {
        object.record.shared = SharedId::from_idx(find(1, "shared object", object.record.shared.idx())?);
    }
    for graph in &mut snapshot.graphs {
        graph.call = CallId::from_idx(find(2, "call", graph.call.idx())?);
    }
    [snapshot.templates, snapshot.shared, snapshot.calls] = own;
    Ok(snapshot)
}

/// Lists of result-setting events, of which equal ones are shared: a value mostly has that of its sender.
#[derive(Default)]
struct Orders(FxHashMap<Vec<EventId>, ResultOrder>);

impl Orders {
    fn of(&mut self, events: &[EventId]) -> ResultOrder {
        if events.is_empty() {
            return ResultOrder::default();
        }
        match self.0.get(events) {
            Some(known) => known.clone(),
            None => {
                let known = ResultOrder::of(events);
                self.0.insert(events.to_vec(), known.clone());
                known
            }
        }
    }
}

/// Labels of a plan, in the order of a snapshot.
fn labels(plan: &Plan) -> [Vec<String>; 3] {
    [plan.template_labels(), plan.shared_labels(), plan.call_labels()]
}
