//! Paths of actions and objects: the names by which runs can be compared and people spoken to.

use std::fmt;

use rustc_hash::FxHashMap;

use super::TraceHeader;
use crate::event::{ActionRecord, EventBatch, ObjectRecord};
use crate::id::{ActionId, EventId, Index, ObjectId, SharedId, TemplateId};

/// What the batches read so far say of actions and objects.
///
/// An event may name an action that only a later batch announces, so paths are complete only for
/// what comes in causal order or after everything has been read.
#[derive(Clone, Debug, Default)]
pub struct Names {
    templates: Vec<String>,
    shared: Vec<String>,
    actions: FxHashMap<ActionId, (TemplateId, Index)>,
    objects: FxHashMap<ObjectId, (SharedId, Index)>,
}

impl Names {
    /// Knows the templates and declared objects of a trace, and no action yet.
    pub fn new(header: &TraceHeader) -> Self {
        Self::from_parts(header.templates.clone(), header.shared.clone())
    }

    /// Knows templates by `TemplateId` and declared objects by `SharedId`, and no action yet.
    pub fn from_parts(templates: Vec<String>, shared: Vec<String>) -> Self {
        Self { templates, shared, ..Self::default() }
    }

    /// Takes in what a batch announces. The first announcement of an id counts.
    pub fn read(&mut self, batch: &EventBatch) {
        batch.actions.iter().for_each(|action| self.add_action(action));
        batch.objects.iter().for_each(|object| self.add_object(object));
    }

    /// Takes in an action.
    pub fn add_action(&mut self, action: &ActionRecord) {
        self.actions.entry(action.action).or_insert_with(|| (action.template, action.index.clone()));
    }

    /// Takes in an object.
    pub fn add_object(&mut self, object: &ObjectRecord) {
        self.objects.entry(object.object).or_insert_with(|| (object.shared, object.index.clone()));
    }

    /// What an action is an instance of; `None` where it has not been announced.
    pub fn template_of(&self, action: ActionId) -> Option<TemplateId> {
        self.actions.get(&action).map(|&(template, _)| template)
    }

    /// The index of an action; `None` where it has not been announced.
    pub fn index_of(&self, action: ActionId) -> Option<&Index> {
        self.actions.get(&action).map(|(_, index)| index)
    }

    /// What an object was declared as; `None` where it has not been announced.
    pub fn shared_of(&self, object: ObjectId) -> Option<SharedId> {
        self.objects.get(&object).map(|&(shared, _)| shared)
    }

    /// Number of actions announced.
    pub fn n_actions(&self) -> usize {
        self.actions.len()
    }

    /// Number of objects announced.
    pub fn n_objects(&self) -> usize {
        self.objects.len()
    }

    /// Names of the templates, by id.
    pub fn templates(&self) -> &[String] {
        &self.templates
    }

    /// Names of the declared objects, by id.
    pub fn shared(&self) -> &[String] {
        &self.shared
    }

    /// Name of a template; `None` for an id that the program does not have.
    pub fn template_name(&self, template: TemplateId) -> Option<&str> {
        self.templates.get(template.idx()).map(String::as_str)
    }

    /// The path of an action, such as `/Mult[3]`; `/?7` where it has not been announced.
    pub fn action(&self, action: ActionId) -> impl fmt::Display + '_ {
        let known = self.actions.get(&action);
        let known = known.and_then(|(template, index)| Some((self.template_name(*template)?, index)));
        Path { known, id: action.0 }
    }

    /// The path of an event, such as `/Mult[3]:2`.
    pub fn event(&self, event: EventId) -> impl fmt::Display + '_ {
        fmt::from_fn(move |f| write!(f, "{}:{}", self.action(event.action), event.count))
    }

    /// The path of an object, such as `/total` or `/fork[2]`; `/?7` where it has not been announced.
    pub fn object(&self, object: ObjectId) -> impl fmt::Display + '_ {
        let known = self.objects.get(&object);
        let known = known.and_then(|(shared, index)| Some((self.shared.get(shared.idx())?.as_str(), index)));
        Path { known, id: object.0 }
    }
}

struct Path<'a> {
    known: Option<(&'a str, &'a Index)>,
    id: u32,
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known {
            Some((name, index)) => write!(f, "/{name}{index}"),
            None => write!(f, "/?{}", self.id),
        }
    }
}
