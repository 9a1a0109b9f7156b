//! Paths of actions and objects: the names by which runs can be compared and people spoken to.

use std::fmt;

use super::header::TraceHeader;
use crate::event::{ActionRecord, EventBatch, GraphRecord, ObjectRecord};
use crate::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use crate::table::IdTable;

/// What the batches read so far say of graph instances, actions and objects.
///
/// An event may name an action that only a later batch announces, so paths are complete only for
/// what comes in causal order or after everything has been read. Looking up an id takes two memory
/// accesses; an action takes 40 bytes.
#[derive(Clone, Debug, Default)]
pub struct Names {
    templates: Vec<String>,
    shared: Vec<String>,
    calls: Vec<String>,
    graphs: IdTable<Option<GraphRecord>>,
    actions: IdTable<Option<Action>>,
    objects: IdTable<Option<ObjectRecord>>,
    n_actions: usize,
    n_objects: usize,
}

/// What is known of an action.
#[derive(Clone, Debug)]
struct Action {
    template: TemplateId,
    graph: GraphInstanceId,
    index: Index,
}

impl Names {
    /// Knows the templates, declared objects and calls of a trace, and no action yet.
    pub fn new(header: &TraceHeader) -> Self {
        Self::from_parts(header.templates.clone(), header.shared.clone(), header.calls.clone())
    }

    /// Knows the labels of templates by `TemplateId`, of declared objects by `SharedId` and of calls by
    /// `CallId`, and no action yet.
    pub fn from_parts(templates: Vec<String>, shared: Vec<String>, calls: Vec<String>) -> Self {
        Self { templates, shared, calls, ..Self::default() }
    }

    /// Takes in what a batch announces. The first announcement of an id counts.
    pub fn read(&mut self, batch: &EventBatch) {
        batch.graphs.iter().for_each(|graph| self.add_graph(graph));
        batch.actions.iter().for_each(|action| self.add_action(action));
        batch.objects.iter().for_each(|object| self.add_object(object));
    }

    /// Takes in a graph instance; one that is not younger than its parent is passed over.
    pub fn add_graph(&mut self, graph: &GraphRecord) {
        if graph.parent < graph.graph {
            self.graphs.slot(graph.graph.0).get_or_insert_with(|| graph.clone());
        }
    }

    /// Takes in an action.
    pub fn add_action(&mut self, action: &ActionRecord) {
        let known = self.actions.slot(action.action.0);
        if known.is_none() {
            let (template, graph, index) = (action.template, action.graph, action.index.clone());
            *known = Some(Action { template, graph, index });
            self.n_actions += 1;
        }
    }

    /// Takes in an object.
    pub fn add_object(&mut self, object: &ObjectRecord) {
        let known = self.objects.slot(object.object.0);
        if known.is_none() {
            *known = Some(object.clone());
            self.n_objects += 1;
        }
    }

    /// What an action is an instance of; `None` where it has not been announced.
    pub fn template_of(&self, action: ActionId) -> Option<TemplateId> {
        self.known_action(action).map(|known| known.template)
    }

    /// The index of an action; `None` where it has not been announced.
    pub fn index_of(&self, action: ActionId) -> Option<&Index> {
        self.known_action(action).map(|known| &known.index)
    }

    /// The graph instance of an action; `None` where it has not been announced.
    pub fn graph_of(&self, action: ActionId) -> Option<GraphInstanceId> {
        self.known_action(action).map(|known| known.graph)
    }

    /// The call, with its parent and index, that a graph instance stands for; `None` for that of the main
    /// graph and where it has not been announced.
    pub fn graph(&self, graph: GraphInstanceId) -> Option<&GraphRecord> {
        self.graphs.get(graph.0)?.as_ref()
    }

    /// What an object was declared as; `None` where it has not been announced.
    pub fn shared_of(&self, object: ObjectId) -> Option<SharedId> {
        self.known_object(object).map(|known| known.shared)
    }

    /// All that has been announced, as a batch does it: each in the order of ids.
    pub fn announced(&self) -> EventBatch {
        let actions = self.actions.iter().filter_map(|(id, _)| self.action_record(ActionId(id)));
        let mut batch = EventBatch::default();
        batch.graphs.extend(self.graphs.iter().filter_map(|(_, graph)| graph.clone()));
        batch.objects.extend(self.objects.iter().filter_map(|(_, object)| object.clone()));
        batch.actions.extend(actions);
        batch
    }

    /// Number of actions announced.
    pub fn n_actions(&self) -> usize {
        self.n_actions
    }

    /// Number of objects announced.
    pub fn n_objects(&self) -> usize {
        self.n_objects
    }

    /// Labels of the templates, by id.
    pub fn templates(&self) -> &[String] {
        &self.templates
    }

    /// Labels of the declared objects, by id.
    pub fn shared(&self) -> &[String] {
        &self.shared
    }

    /// All that is announced of an action; `None` where it has not been. Cost: a copy of its index.
    pub fn action_record(&self, action: ActionId) -> Option<ActionRecord> {
        let Action { template, graph, index } = self.known_action(action)?.clone();
        Some(ActionRecord { action, template, graph, index })
    }

    /// All that is announced of an object; `None` where it has not been.
    pub fn object_record(&self, object: ObjectId) -> Option<&ObjectRecord> {
        self.known_object(object)
    }

    /// Label of a template; `None` for an id that the program does not have.
    pub fn template_name(&self, template: TemplateId) -> Option<&str> {
        self.templates.get(template.idx()).map(String::as_str)
    }

    /// The label of a call node, with its graph; `None` for an id that the program does not have.
    pub fn call_label(&self, call: CallId) -> Option<&str> {
        self.calls.get(call.idx()).map(String::as_str)
    }

    /// The name of a call node; `None` for an id that the program does not have.
    pub fn call_name(&self, call: CallId) -> Option<&str> {
        self.calls.get(call.idx()).map(|label| last_part(label))
    }

    /// The path of an action, such as `/Mult[3]` or `/dobts[2]/Mult[3]`; `/?7` where it has not been
    /// announced. Cost: linear in the depth of its graph instance.
    pub fn action(&self, action: ActionId) -> impl fmt::Display + '_ {
        Path { names: self, known: self.place_of_action(action), id: action.0 }
    }

    /// The path of an event, such as `/Mult[3]:2`.
    pub fn event(&self, event: EventId) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| write!(f, "{}:{}", self.action(event.action), event.count))
    }

    /// The path of an object, such as `/total` or `/fork[2]`; `/?7` where it has not been announced.
    pub fn object(&self, object: ObjectId) -> impl fmt::Display + '_ {
        Path { names: self, known: self.place_of_object(object), id: object.0 }
    }

    /// Graph instance, name within the graph, and index of an action; `None` where it has not been
    /// announced.
    pub fn place_of_action(&self, action: ActionId) -> Option<(GraphInstanceId, &str, &Index)> {
        let known = self.known_action(action)?;
        Some((known.graph, last_part(self.template_name(known.template)?), &known.index))
    }

    /// Graph instance, name within the graph, and index of an object; `None` where it has not been
    /// announced.
    pub fn place_of_object(&self, object: ObjectId) -> Option<(GraphInstanceId, &str, &Index)> {
        let known = self.known_object(object)?;
        Some((known.graph, last_part(self.shared.get(known.shared.idx())?), &known.index))
    }

    fn known_action(&self, action: ActionId) -> Option<&Action> {
        self.actions.get(action.0)?.as_ref()
    }

    fn known_object(&self, object: ObjectId) -> Option<&ObjectRecord> {
        self.objects.get(object.0)?.as_ref()
    }

    /// The path of a graph instance: nothing for that of the main graph, else such as `/dobts[2]`.
    pub fn graph_path(&self, graph: GraphInstanceId) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| {
            // From the innermost call outward; ids fall on the way, so that it ends.
            let steps = std::iter::successors(Some(graph), |inner| Some(self.graph(*inner)?.parent));
            let mut steps: Vec<_> = steps.take_while(|step| *step != GraphInstanceId::MAIN).collect();
            steps.reverse();
            steps.into_iter().try_for_each(|step| match self.graph(step) {
                Some(known) => write!(f, "/{}{}", self.call_name(known.call).unwrap_or("?"), known.index),
                None => write!(f, "/?{}", step.0),
            })
        })
    }
}

/// A label without its graph.
fn last_part(label: &str) -> &str {
    label.rsplit('.').next().unwrap_or(label)
}

struct Path<'a> {
    names: &'a Names,
    known: Option<(GraphInstanceId, &'a str, &'a Index)>,
    id: u32,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known {
            Some((graph, name, index)) => write!(f, "{}/{name}{index}", self.names.graph_path(graph)),
            None => write!(f, "/?{}", self.id),
        }
    }
}
