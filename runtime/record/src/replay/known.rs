//! What a record announces: the ids that it gives to instances of nodes and graphs and to shared objects.

use std::sync::{Arc, OnceLock};

use hasse_model::event::{ActionRecord, EventBatch, GraphRecord, ObjectRecord, QueueEdit};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::Cut;
use hasse_model::trace::Names;
use hasse_request::options::ReplayRecord;
use rustc_hash::FxHashMap;

use crate::replay::actions::Actions;
use crate::replay::edits::{Edits, PlacedEdit, SentEdit};

/// Ids by what they stand for, in terms of the plan. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Known {
    ids: Arc<Ids>,
    /// Changes of queues.
    edits: Edits,
}

#[derive(Debug, Default)]
struct Ids {
    graphs: FxHashMap<(GraphInstanceId, CallId, Index), GraphInstanceId>,
    /// In the order of the record.
    graph_records: Vec<GraphRecord>,
    actions: Actions,
    objects: FxHashMap<(SharedId, GraphInstanceId, Index), ObjectId>,
    /// Of templates, shared objects and calls.
    labels: [Vec<String>; 3],
    /// Paths of graph instances and actions. Made when somebody asks: only where a replay cannot follow its record.
    names: OnceLock<Names>,
}

/// What one batch announces.
pub(crate) struct Announced {
    graphs: Vec<GraphRecord>,
    actions: Vec<ActionRecord>,
    objects: Vec<ObjectRecord>,
    edits: Vec<QueueEdit>,
}

impl Announced {
    /// Takes out what a batch announces.
    pub(crate) fn of(batch: &mut EventBatch) -> Self {
        Self {
            graphs: std::mem::take(&mut batch.graphs),
            actions: std::mem::take(&mut batch.actions),
            objects: std::mem::take(&mut batch.objects),
            edits: std::mem::take(&mut batch.edits),
        }
    }
}

/// Positions in the plan of what the labels of a record name.
pub fn positions(labels: &[String], own: &[String]) -> Vec<Option<usize>> {
    let by_label: FxHashMap<&String, usize> =
        own.iter().enumerate().rev().map(|(at, own)| (own, at)).collect();
    labels.iter().map(|label| by_label.get(label).copied()).collect()
}

impl Known {
    /// Takes in what the batches of a record announce; finds templates, calls and shared objects of the plan by name.
    ///
    /// # Errors
    /// What is wrong with the record, in words.
    pub(crate) fn load(
        announced: Vec<Announced>,
        record: &ReplayRecord,
        plan: &Plan,
    ) -> Result<Self, String> {
        let labels = [plan.template_labels(), plan.shared_labels(), plan.call_labels()];
        let [templates, shared, calls] = [
            positions(&record.templates, &labels[0]),
            positions(&record.shared, &labels[1]),
            positions(&record.calls, &labels[2]),
        ];
        let (mut ids, mut edits_of_record) = (Ids { labels, ..Ids::default() }, Edits::default());
        let mut all_actions = Vec::with_capacity(announced.len());
        for Announced { graphs, mut actions, objects, edits } in announced {
            for graph in graphs {
                let call = position(&calls, graph.call.idx()).ok_or_else(|| {
                    format!("the program has no call `{}`", shown(record.calls.get(graph.call.idx())))
                })?;
                let call = CallId::from_idx(call);
                ids.graphs.insert((graph.parent, call, graph.index.clone()), graph.graph);
                ids.graph_records.push(GraphRecord { call, ..graph });
            }
            for action in &mut actions {
                let template = position(&templates, action.template.idx()).ok_or_else(|| {
                    format!(
                        "the program has no node `{}`",
                        shown(record.templates.get(action.template.idx()))
                    )
                })?;
                action.template = TemplateId::from_idx(template);
            }
            all_actions.push(actions);
            for edit in edits {
                let template = position(&templates, edit.template.idx()).ok_or_else(|| {
                    format!("the program has no node `{}`", shown(record.templates.get(edit.template.idx())))
                })?;
                let inputs = &plan.templates[template].inputs;
                let port = inputs.iter().position(|port| port.name == edit.port).ok_or_else(|| {
                    format!(
                        "node `{}` of the program has no input port `{}`",
                        ids.labels[0][template], edit.port
                    )
                })?;
                edits_of_record.add(port, QueueEdit { template: TemplateId::from_idx(template), ..edit });
            }
            for object in objects {
                let shared = position(&shared, object.shared.idx()).ok_or_else(|| {
                    let name = shown(record.shared.get(object.shared.idx()));
                    format!("the program has no shared object `{name}`")
                })?;
                ids.objects.insert((SharedId::from_idx(shared), object.graph, object.index), object.object);
            }
        }
        edits_of_record.finish();
        ids.actions = Actions::load(all_actions)
            .map_err(|template| format!("an instance of `{}` has two ids", ids.labels[0][template.idx()]))?;
        Ok(Self { ids: Arc::new(ids), edits: edits_of_record })
    }

    /// Paths, with the plan's ids of templates and calls.
    pub fn names(&self) -> &Names {
        self.ids.names.get_or_init(|| {
            let [templates, shared, calls] = self.ids.labels.clone();
            let mut names = Names::from_parts(templates, shared, calls);
            self.ids.graph_records.iter().for_each(|graph| names.add_graph(graph));
            self.ids.actions.records().for_each(|action| names.add_action(action));
            names
        })
    }

    #[inline]
    pub(crate) fn action_id(
        &self,
        template: TemplateId,
        graph: GraphInstanceId,
        index: &Index,
    ) -> Option<ActionId> {
        self.ids.actions.id(template, graph, index)
    }

    #[inline]
    pub(crate) fn object_id(
        &self,
        shared: SharedId,
        graph: GraphInstanceId,
        index: &Index,
    ) -> Option<ObjectId> {
        if self.ids.objects.is_empty() {
            return None;
        }
        self.ids.objects.get(&(shared, graph, index.clone())).copied()
    }

    #[inline]
    pub(crate) fn graph_id(
        &self,
        parent: GraphInstanceId,
        call: CallId,
        index: &Index,
    ) -> Option<GraphInstanceId> {
        if self.ids.graphs.is_empty() {
            return None;
        }
        self.ids.graphs.get(&(parent, call, index.clone())).copied()
    }

    /// Returns true if values that waited were changed by hand, or dropped.
    #[inline]
    pub fn has_edits(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Returns true if a person has changed queues.
    pub fn has_edits_by_hand(&self) -> bool {
        self.edits.has_any_by_hand()
    }

    /// Changes of values that an event sent.
    pub fn edits_of(&self, sender: EventId) -> Vec<SentEdit<'_>> {
        self.edits.of(sender)
    }

    /// Forgets what full ports have dropped after a cut.
    pub(crate) fn limit(&mut self, cut: &Cut, has_taken: impl Fn(ActionId, EventId) -> bool) {
        let actions = &self.ids.actions;
        self.edits.limit(cut, |place, sender| {
            let receiver = actions.id(place.template, place.graph, &place.index);
            receiver.is_some_and(|receiver| has_taken(receiver, sender))
        });
    }

    /// Values that were added by hand.
    pub fn added_by_hand(&self) -> impl Iterator<Item = &QueueEdit> {
        self.edits.added()
    }

    /// A graph instance with its call and that around it.
    pub fn graph_record(&self, graph: GraphInstanceId) -> Option<&GraphRecord> {
        self.ids.graph_records.iter().find(|record| record.graph == graph)
    }

    /// Values that were added by hand and that nobody took.
    pub fn left_by_hand(&self) -> &[PlacedEdit] {
        self.edits.left()
    }

    /// All changes of queues, with the graph instances and the senders that they name; `None` where there are none.
    pub fn edits_batch(&self) -> Option<EventBatch> {
        self.has_edits().then(|| self.edits.to_batch(&self.ids.graph_records, &self.ids.actions))
    }

    /// The first ids that no recorded action, object and graph instance has.
    pub fn first_free(&self) -> [u32; 3] {
        [self.first_free_action(), self.first_free_object(), self.first_free_graph()]
    }

    /// The first id that no recorded graph instance has.
    pub(crate) fn first_free_graph(&self) -> u32 {
        self.ids.graphs.values().map(|graph| graph.0.saturating_add(1)).max().unwrap_or(1)
    }

    /// The first id that no recorded action has.
    pub(crate) fn first_free_action(&self) -> u32 {
        self.ids.actions.first_free()
    }

    /// The first id that no recorded object has.
    pub(crate) fn first_free_object(&self) -> u32 {
        self.ids.objects.values().map(|object| object.0.saturating_add(1)).max().unwrap_or(0)
    }

    /// All recorded actions that executed, by template, graph instance and index.
    pub fn actions(&self) -> Vec<(TemplateId, ActionId)> {
        let mut actions: Vec<&ActionRecord> = self.ids.actions.records().collect();
        let place = |record: &&ActionRecord| (record.template, record.graph);
        actions.sort_unstable_by(|left, right| {
            place(left).cmp(&place(right)).then_with(|| left.index.cmp(&right.index))
        });
        let known = actions.into_iter().filter(|record| record.template.idx() < self.ids.labels[0].len());
        known.map(|record| (record.template, record.action)).collect()
    }
}

fn position(positions: &[Option<usize>], at: usize) -> Option<usize> {
    positions.get(at).copied().flatten()
}

fn shown(name: Option<&String>) -> &str {
    name.map_or("?", String::as_str)
}
