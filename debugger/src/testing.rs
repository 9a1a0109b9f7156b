//! Random valid histories, with what is before what known from how they were made.

use proptest::collection::vec;
use proptest::prelude::*;

use hasse_model::diagnostic::Location;
use hasse_model::event::{ActionRecord, EventBatch, EventRecord, ObjectRecord, SharedAccess};
use hasse_model::id::{ActionId, EventId, GraphId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::{Access, Graph, Plan, Template};
use hasse_model::trace::Names;

/// Number of templates; action i is instance i / 3 of template i % 3.
const N_TEMPLATES: u32 = 3;
const N_ACTIONS: u8 = 6;
const N_OBJECTS: u8 = 3;

/// Events in an order in which they could have been executed.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) events: Vec<EventRecord>,
    /// For each event, a bit for each event before it in `<C`.
    pub(crate) past: Vec<u64>,
}

impl History {
    pub(crate) fn position(&self, event: EventId) -> usize {
        self.events.iter().position(|known| known.id == event).expect("an event of the history")
    }

    pub(crate) fn is_before(&self, first: usize, second: usize) -> bool {
        self.past[second] >> first & 1 == 1
    }

    pub(crate) fn are_concurrent(&self, one: usize, other: usize) -> bool {
        one != other && !self.is_before(one, other) && !self.is_before(other, one)
    }

    /// Number of edges that the records list.
    pub(crate) fn n_edges(&self) -> usize {
        self.events.iter().map(|event| 1 + event.flow.len() + 2 * event.shared.len()).sum()
    }

    /// Batches of these events in this order; what they announce is in the batch of the event that
    /// was executed first.
    pub(crate) fn batches(&self, order: &[usize], n_events: usize) -> Vec<EventBatch> {
        let batch = |events: &[usize]| {
            let mut batch = EventBatch::default();
            for &at in events {
                let mut event = self.events[at].clone();
                if event.id.count == 1 {
                    batch.actions.push(action_record(event.id.action));
                }
                for access in &event.shared {
                    let reaches = |earlier: &EventRecord| {
                        earlier.shared.iter().any(|known| known.object == access.object)
                    };
                    if !self.events[..at].iter().any(reaches) {
                        let (object, shared) = (access.object, SharedId(access.object.0));
                        batch.objects.push(ObjectRecord {
                            object,
                            shared,
                            graph: GraphInstanceId::MAIN,
                            index: Index::none(),
                        });
                    }
                }
                batch.push(&mut event);
            }
            batch
        };
        order.chunks(n_events.max(1)).map(batch).collect()
    }
}

/// What one execution does: its action, how many values it takes, whom it sends to, what it shares.
type Step = (u8, u8, Vec<u8>, Vec<(u8, bool)>);

/// Histories of up to so many events, at most 64.
pub(crate) fn histories(most_events: usize) -> impl Strategy<Value = History> {
    let sends = vec(0..N_ACTIONS, 0..3);
    let accesses = prop_oneof![2 => Just(Vec::new()), 1 => vec((0..N_OBJECTS, any::<bool>()), 1..3)];
    vec((0..N_ACTIONS, 0..3_u8, sends, accesses), 0..most_events).prop_map(|steps| executed(&steps))
}

/// A history and an order of its events.
pub(crate) fn shuffled(most_events: usize) -> impl Strategy<Value = (History, Vec<usize>)> {
    histories(most_events).prop_flat_map(|history| {
        let order: Vec<usize> = (0..history.events.len()).collect();
        (Just(history), Just(order).prop_shuffle())
    })
}

fn executed(steps: &[Step]) -> History {
    let mut events: Vec<EventRecord> = Vec::new();
    let mut past: Vec<u64> = Vec::new();
    let mut under_way: Vec<(usize, u8)> = Vec::new();
    let mut versions: Vec<(Option<usize>, Vec<usize>)> = vec![(None, Vec::new()); usize::from(N_OBJECTS)];
    for (at, (action, n_takes, sends, accesses)) in steps.iter().enumerate() {
        let own = ActionId(u32::from(*action));
        let mut before: Vec<usize> = (0..at).filter(|&known| events[known].id.action == own).collect();
        let mut event = EventRecord::new(EventId { action: own, count: before.len() as u64 + 1 });
        event.rule = 0;
        for _ in 0..*n_takes {
            if let Some(queued) = under_way.iter().position(|&(_, target)| target == *action) {
                let (sender, _) = under_way.remove(queued);
                event.flow.push(events[sender].id);
                before.push(sender);
            }
        }
        let mut accesses = accesses.clone();
        accesses.sort_unstable();
        accesses.dedup_by_key(|(object, _)| *object);
        for (object, writes) in accesses {
            let (writer, readers) = &mut versions[usize::from(object)];
            event.shared.push(SharedAccess {
                object: ObjectId(u32::from(object)),
                access: if writes { Access::Write } else { Access::Read },
                writer: writer.map(|writer| events[writer].id),
                readers: if writes { readers.len() as u64 } else { 0 },
            });
            before.extend(*writer);
            if writes {
                before.append(readers);
                *writer = Some(at);
            } else {
                readers.push(at);
            }
        }
        under_way.extend(sends.iter().map(|&target| (at, target)));
        event.flow_successors = sends.len() as u64;
        past.push(before.iter().fold(0, |bits, &known| bits | 1 << known | past[known]));
        events.push(event);
    }
    History { events, past }
}

pub(crate) fn action_record(action: ActionId) -> ActionRecord {
    let index = Index::from_iter([i64::from(action.0 / N_TEMPLATES)]);
    ActionRecord { action, template: TemplateId(action.0 % N_TEMPLATES), graph: GraphInstanceId::MAIN, index }
}

/// The names of all actions and objects that histories have.
pub(crate) fn names() -> Names {
    let mut names = unread_names();
    (0..u32::from(N_ACTIONS)).for_each(|action| names.add_action(&action_record(ActionId(action))));
    for object in 0..u32::from(N_OBJECTS) {
        let (object, shared) = (ObjectId(object), SharedId(object));
        names.add_object(&ObjectRecord {
            object,
            shared,
            graph: GraphInstanceId::MAIN,
            index: Index::none(),
        });
    }
    names
}

/// The names before any batch has been read.
pub(crate) fn unread_names() -> Names {
    let names = |prefix: &str, n: u32| (0..n).map(|position| format!("{prefix}{position}")).collect();
    Names::from_parts(names("T", N_TEMPLATES), names("o", u32::from(N_OBJECTS)), Vec::new())
}

/// A plan with the templates of the histories and without rules or arcs.
pub(crate) fn plan() -> Plan {
    let names = unread_names();
    Plan {
        main: GraphId(0),
        graphs: vec![Graph {
            name: "test".into(),
            params: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            formals: Vec::new(),
            at: Location::default(),
        }],
        calls: Vec::new(),
        templates: names.templates().iter().map(|name| template(name, 1)).collect(),
        arcs: Vec::new(),
        shared: Vec::new(),
        scripts: Vec::new(),
        lowerings: Vec::new(),
        structs: Default::default(),
        orders_results: false,
        record: Default::default(),
    }
}

/// A template without ports and rules.
pub(crate) fn template(name: &str, n_indices: usize) -> Template {
    Template {
        name: name.into(),
        graph: GraphId(0),
        n_indices,
        inputs: Vec::new(),
        outputs: Vec::new(),
        slots: Vec::new(),
        var_defaults: Vec::new(),
        shared: Vec::new(),
        init: None,
        fire: Vec::new(),
        body: None,
        may_wait: false,
        route: Vec::new(),
        is_start: false,
        is_stop: false,
        prefers: false,
        at_once: None,
        every: None,
        is_first: false,
        start_after: None,
        priority: 0,
        deadline: None,
        cancel: None,
        on_error: Default::default(),
        at: Location::default(),
    }
}
