//! Restricted recording (Hyder 1994, section 5.3): events of selected actions, with the selected events before
//! them, whatever lies in between. Actions that are not recorded pass on the lists of those before them, with
//! the values that they send, with the objects that they access, and to their own later executions; the same
//! while a record is replayed.
//!
//! With the list of an action's own carried on, `flow` the union of the lists of the values taken, and `shared`
//! that of the lists found at objects (left by the last writer; for a writer, also by the readers since):
//! - `off`: no record; carried on and left everywhere: own, flow and shared.
//! - `full`: a record of flow and, object by object, shared; left everywhere: the event itself.
//! - `restrict`: a record of flow; left on values: the event itself; carried on and left at objects: own and shared.
//!
//! Cost: an event that takes no lists but one shares it; otherwise linear in the lists but for their sorting. A list
//! has at most one event for each recorded action.

use std::sync::Arc;

use hasse_code::graph::GraphInstance;
use hasse_model::event::{DroppedValue, EventBatch, EventRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::record_options::{RecordOption, ResolvedOptions};

use crate::buffer::{Buffer, Ids, fill};
use crate::collector::Handoff;
use crate::collector::shelf::{HeldBody, UnderWay};
use crate::event::{Done, Ending, EventRun, ObjectPlace, PortPlace};
use crate::instrumentation::{Instrumentation, light_is_draft};
use crate::needs::ColumnOrder;
use crate::replay::{ExpectedEvent, Script};
use crate::restricted::list::{EventList, Gather};
use crate::stamp::{ControlDirective, NO_SENDER, Version};

/// Lists of predecessors.
pub(crate) mod list;

/// Records the events of selected actions. With a script, makes the run follow it.
pub struct Restricted {
    ids: Ids,
    replays: bool,
    options: ResolvedOptions,
    handoff: Handoff,
}

impl Restricted {
    /// Records a run with these options.
    pub fn recorder(options: ResolvedOptions, handoff: Handoff) -> Self {
        Self { ids: Ids::new(Script::default()), replays: false, options, handoff }
    }

    /// Replays a record, and records the replay with these options.
    pub fn replayer(script: Script, options: ResolvedOptions, handoff: Handoff) -> Self {
        Self { ids: Ids::new(script), replays: true, options, handoff }
    }
}

/// State of an action between two executions.
pub struct Carried {
    /// Its effective option; options do not change while a program runs.
    option: RecordOption,
    list: EventList,
    /// List that the next event finds at the object that it accesses, where events may be noted together.
    at_object: EventList,
}

/// What is appended to a value.
#[derive(Clone)]
pub struct Stamp {
    list: EventList,
    sender: EventId,
    /// Of values in a column: whether the list is one event, which goes on with the sender from one value to the next;
    /// else all values of the run share the list.
    moves: bool,
}

impl Stamp {
    /// The list that came with the value `n_steps` behind this one.
    #[inline]
    fn list_at(&self, n_steps: u64) -> EventList {
        match self.list {
            EventList::One(event) if self.moves => EventList::One(stepped(event, n_steps)),
            _ => self.list.clone(),
        }
    }
}

/// The event of the same action that is so many steps further.
#[inline]
fn stepped(id: EventId, n_steps: u64) -> EventId {
    EventId { action: id.action, count: id.count.wrapping_add(n_steps) }
}

/// The lists on values that events send which relay what they have taken, the first of which is `id`: that of the first one
/// and whether it moves; `None` where each has to be found by itself.
#[inline]
fn relayed(keep: &Carried, id: EventId, taken: &[Stamp], step: u64) -> (EventList, Option<bool>) {
    let mut passed = Gather::of(keep.list.clone());
    passed.add(&keep.at_object);
    taken.iter().for_each(|stamp| passed.add(&stamp.list));
    let list = passed.finish();
    // What an action has sent to itself it has carried on as well: that moves with what it takes from others.
    let mut moving =
        taken.iter().filter(|stamp| stamp.moves && step == 1 && stamp.sender.action != id.action);
    if moving.clone().next().is_none() {
        return (list, Some(false));
    }
    // One event that goes on with each step, and all else is before it: then it is so at the next step.
    let is_alone = moving.all(|stamp| stamp.list.is_same(&list));
    (list, is_alone.then_some(true))
}

/// What is appended to a shared object.
#[derive(Default)]
pub struct Mark {
    writer: EventList,
    readers: Gather,
    version: Version,
}

/// An execution under way.
pub struct Draft {
    id: EventId,
    option: RecordOption,
    /// `None` where nothing is recorded and nothing compared.
    record: Option<Box<EventRecord>>,
    flow: Gather,
    shared: Gather,
    /// Of an action that is recorded in full: what it found, by object.
    found: Vec<(ObjectId, Access, EventList)>,
    on_values: EventList,
    on_objects: EventList,
}

impl Instrumentation for Restricted {
    type Stamp = Stamp;
    type Mark = Mark;
    type Keep = Carried;
    type Draft = Draft;
    type Light = Draft;
    type Local = Buffer;
    type Directive = ControlDirective;

    const RECORDS: bool = true;
    const CONTROLLED: bool = true;

    #[inline(always)]
    fn replays(&self) -> bool {
        self.replays
    }

    #[inline(always)]
    fn column_order(&self) -> ColumnOrder {
        if self.replays { ColumnOrder::None } else { ColumnOrder::Arrival }
    }

    #[inline]
    fn local(&self, worker_idx: usize) -> Buffer {
        Buffer::new(worker_idx, Some(&self.handoff))
    }

    #[inline]
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        self.ids.action(template, graph, index)
    }

    #[inline]
    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        self.ids.object(shared, graph, index)
    }

    #[inline]
    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        self.ids.graph(parent, call, index)
    }

    #[inline]
    fn keep(&self, template: TemplateId, graph: &Arc<GraphInstance>, index: &Index) -> Carried {
        let option = self.options.action(graph.option, template, index, around(graph));
        Carried { option, list: EventList::Empty, at_object: EventList::Empty }
    }

    #[inline]
    fn root_option(&self) -> RecordOption {
        self.options.root()
    }

    #[inline]
    fn graph_option(&self, parent: &Arc<GraphInstance>, call: CallId, index: &Index) -> RecordOption {
        self.options.graph(parent.option, call, index, around(parent))
    }

    #[inline]
    fn begin(&self, local: &mut Buffer, keep: &Carried, id: EventId, rule: i32) -> Draft {
        let is_needed = self.replays || keep.option != RecordOption::Off;
        Draft {
            id,
            option: keep.option,
            record: is_needed.then(|| local.record(id, rule)),
            flow: Gather::default(),
            shared: Gather::default(),
            found: Vec::new(),
            on_values: EventList::Empty,
            on_objects: EventList::Empty,
        }
    }

    #[inline]
    fn take(&self, draft: &mut Draft, stamp: &Stamp) {
        draft.flow.add(&stamp.list);
        if self.replays
            && let Some(record) = &mut draft.record
        {
            record.flow.push(stamp.sender);
        }
    }

    #[inline]
    fn access(&self, draft: &mut Draft, object: ObjectId, access: Access, mark: &Mark) {
        if self.replays
            && let Some(record) = &mut draft.record
        {
            record.shared.push(mark.version.found(object, access));
        }
        if draft.option == RecordOption::Full {
            let mut found = Gather::of(mark.writer.clone());
            if access == Access::Write {
                found.add_all(&mark.readers);
            }
            draft.found.push((object, access, found.finish()));
        } else {
            draft.shared.add(&mark.writer);
            if access == Access::Write {
                draft.shared.add_all(&mark.readers);
            }
        }
    }

    #[inline]
    fn settle(&self, draft: &mut Draft, keep: &mut Carried) {
        match draft.option {
            RecordOption::Full => {
                draft.on_values = EventList::One(draft.id);
                draft.on_objects = EventList::One(draft.id);
            }
            RecordOption::Restrict => {
                let mut passed = std::mem::take(&mut draft.shared);
                passed.add(&keep.list);
                keep.list = passed.finish();
                draft.on_values = EventList::One(draft.id);
                draft.on_objects = keep.list.clone();
            }
            RecordOption::Off => {
                let mut passed = Gather::of(std::mem::take(&mut keep.list));
                passed.add_all(&draft.flow);
                passed.add_all(&draft.shared);
                keep.list = passed.finish();
                draft.on_values = keep.list.clone();
                draft.on_objects = keep.list.clone();
            }
        }
    }

    #[inline]
    fn release(&self, draft: &Draft, access: Access, mark: &mut Mark) {
        mark.version.leave(draft.id, access);
        match access {
            Access::Read => mark.readers.add(&draft.on_objects),
            Access::Write => {
                mark.writer = draft.on_objects.clone();
                mark.readers.clear();
            }
        }
    }

    #[inline]
    fn stamp(&self, draft: &Draft) -> Stamp {
        let moves = draft.option != RecordOption::Off;
        Stamp { list: draft.on_values.clone(), sender: draft.id, moves }
    }

    #[inline]
    fn by_hand() -> Stamp {
        Stamp { list: EventList::Empty, sender: NO_SENDER, moves: false }
    }

    #[inline]
    fn announce_object(&self, local: &mut Buffer, draft: &Draft, object: &ObjectPlace) {
        if draft.option == RecordOption::Full {
            local.announce_object(object);
        }
    }

    light_is_draft!();

    #[inline]
    fn is_step(first: &Stamp, stamp: &Stamp, n_steps: u64) -> bool {
        stepped(first.sender, n_steps) == stamp.sender
            && first.moves == stamp.moves
            && match (&first.list, &stamp.list) {
                (EventList::One(event), EventList::One(other)) if first.moves => {
                    stepped(*event, n_steps) == *other
                }
                (list, other) => list.is_same(other),
            }
    }

    #[inline]
    fn stepped(first: &Stamp, n_steps: u64) -> Stamp {
        Stamp { list: first.list_at(n_steps), sender: stepped(first.sender, n_steps), moves: first.moves }
    }

    #[inline]
    fn max_together(keep: &Carried, id: EventId, taken: &[Stamp], step: u64) -> usize {
        if keep.option != RecordOption::Off || taken.iter().all(|stamp| stamp.list == EventList::Empty) {
            return usize::MAX;
        }
        if relayed(keep, id, taken, step).1.is_some() { usize::MAX } else { 1 }
    }

    /// An action that is recorded has a record of each access.
    #[inline]
    fn shares_together(keep: &Carried) -> bool {
        keep.option == RecordOption::Off
    }

    fn find_at_object(keep: &mut Carried, access: Access, mark: &Mark) {
        let mut found = Gather::of(mark.writer.clone());
        if access == Access::Write {
            found.add_all(&mark.readers);
        }
        keep.at_object = found.finish();
    }

    fn leave_at_object(keep: &Carried, access: Access, mark: &mut Mark) {
        match access {
            Access::Read => mark.readers.add(&keep.list),
            Access::Write => {
                mark.writer = keep.list.clone();
                mark.readers.clear();
            }
        }
    }

    fn access_run(
        mark: &mut Mark,
        (_, access): (ObjectId, Access),
        first: EventId,
        n_events: u64,
    ) -> Option<SharedAccess> {
        mark.version.leave_run(first, n_events, access);
        None
    }

    fn stamp_run(
        &self,
        local: &mut Buffer,
        keep: &mut Carried,
        id: EventId,
        taken: &[Stamp],
        step: u64,
    ) -> Stamp {
        local.hold();
        if keep.option != RecordOption::Off {
            return Stamp { list: EventList::One(id), sender: id, moves: true };
        }
        let (list, moves) = relayed(keep, id, taken, step);
        Stamp { list, sender: id, moves: moves == Some(true) }
    }

    #[inline]
    fn end_run(
        &self,
        local: &mut Buffer,
        keep: &mut Carried,
        run: EventRun<'_, Self>,
        _found: Option<SharedAccess>,
        done: Done<'_>,
    ) {
        if keep.option == RecordOption::Off {
            // The last one knows what all before it do.
            let last = run.n_events as u64 - 1;
            let mut passed = Gather::of(std::mem::take(&mut keep.list));
            passed.add(&std::mem::take(&mut keep.at_object));
            run.taken.iter().for_each(|stamp| passed.add(&stamp.list_at(last)));
            keep.list = passed.finish();
            return;
        }
        for step in 0..run.n_events as u64 {
            let mut flow = Gather::default();
            run.taken.iter().for_each(|stamp| flow.add(&stamp.list_at(step)));
            let (id, flow) = (stepped(run.first, step), flow.finish());
            let answers = run.answers.part(step as usize, 1);
            let done = Done { rule: run.rule_at(step as usize, done.rule), ..done };
            local.close_run((id, 1), flow.as_slice(), (None, answers), (&[], done), Some(&self.handoff));
        }
    }

    #[inline]
    fn end(&self, local: &mut Buffer, draft: Draft, ending: Ending) {
        let Some(mut record) = draft.record else { return };
        if draft.option != RecordOption::Off {
            record.flow.clear();
            record.shared.clear();
            record.flow.extend_from_slice(draft.flow.finish().as_slice());
            for (object, access, found) in &draft.found {
                let relayed = |&event| RelayedAccess { object: *object, access: *access, event };
                record.relayed.extend(found.as_slice().iter().map(relayed));
            }
            let place = fill(&mut record, ending);
            local.push(&mut record, place, &self.handoff);
        }
        local.put_away(record);
    }

    #[inline]
    fn flush(&self, local: &mut Buffer) {
        local.flush(Some(&self.handoff));
    }

    #[inline]
    fn tick(&self, local: &mut Buffer) {
        local.tick(Some(&self.handoff));
    }

    #[inline]
    fn hold(&self, local: &mut Buffer) {
        local.hold();
    }

    #[inline]
    fn lay_down(&self, local: &mut Buffer) {
        local.lay_down();
    }

    #[inline]
    fn enter_body(&self, local: &mut Buffer, body: UnderWay) {
        local.enter_body(body);
    }

    #[inline]
    fn leave_body(&self, local: &mut Buffer) {
        local.leave_body();
    }

    #[inline]
    fn hands_over(&self) -> bool {
        true
    }

    #[inline]
    fn hold_body(&self, worker_idx: usize) -> Option<HeldBody<'_>> {
        self.handoff.hold_body(worker_idx)
    }

    #[inline]
    fn hand_over_bodies(&self, bodies: &mut [HeldBody<'_>]) {
        bodies.iter_mut().for_each(|body| body.hand_over(|batch| self.handoff.exchange(batch)));
    }

    fn no_room(&self, local: &mut Buffer, place: &PortPlace<'_>, dropped: Vec<DroppedValue>) {
        let PortPlace { template, graph, index, .. } = *place;
        if self.options.action(graph.option, template, index, around(graph)) != RecordOption::Off {
            local.push_dropped(place, dropped, &self.handoff, |_, _| {});
        }
    }

    #[inline]
    fn hand_over_edits(&self, mut batch: EventBatch) {
        self.handoff.exchange(&mut batch);
    }

    #[inline]
    fn look(&self) {
        self.handoff.look();
    }

    #[inline]
    fn wants_looks(&self) -> bool {
        true
    }

    #[inline]
    fn finish(&self, local: &mut Buffer) {
        local.finish(Some(&self.handoff));
    }

    #[inline]
    fn expected(&self, id: EventId) -> Option<ExpectedEvent<'_>> {
        self.ids.script.expected(id)
    }

    #[inline]
    fn recorded(&self) -> Option<&Script> {
        Some(&self.ids.script)
    }

    #[inline]
    fn sender(stamp: &Stamp) -> Option<EventId> {
        Some(stamp.sender)
    }

    #[inline]
    fn version(mark: &Mark) -> Version {
        mark.version
    }

    #[inline]
    fn drafted(draft: &Draft) -> Option<&EventRecord> {
        draft.record.as_deref()
    }
}

/// The calls around what a graph instance holds, innermost first.
#[inline]
fn around(graph: &Arc<GraphInstance>) -> impl Iterator<Item = (CallId, &Index)> + Clone {
    let outward =
        std::iter::successors(Some(&**graph), |inner| inner.call.as_ref().map(|place| &*place.parent));
    outward.filter_map(|graph| graph.call.as_ref().map(|place| (place.call, &place.index)))
}
