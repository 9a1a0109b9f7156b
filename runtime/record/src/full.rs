//! Full recording (Hyder 1994, sections 5.2 and 5.4): flow and shared predecessors of every event,
//! collected in buffers of the worker; the same while a record is replayed; and the same with times (section 8.3.8).

use std::sync::Arc;
use std::time::Instant;

use hasse_body::sandbox::WriteAhead;
use hasse_code::graph::GraphInstance;
use hasse_model::event::{DroppedValue, Effect, EventBatch, EventRecord, SharedAccess, Timing};
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;

use crate::buffer::{Buffer, Ids, fill};
use crate::collector::Handoff;
use crate::collector::shelf::{HeldBody, UnderWay};
use crate::event::{Done, Ending, EventRun, ObjectPlace, PortPlace};
use crate::instrumentation::Instrumentation;
use crate::needs::ColumnOrder;
use crate::replay::{ExpectedEvent, Script};
use crate::spare::SpareIds;
use crate::stamp::{ControlDirective, NO_SENDER, Version};

/// Records every event. With a script, makes the run follow it. Times cost one look at the clock for a batch of events.
pub struct Full {
    ids: Ids,
    handoff: Option<Handoff>,
    replays: bool,
    /// When the run began, where times are recorded.
    began: Option<Instant>,
}

impl Full {
    /// For a run with these new ids, which are of no action of the script: it tells what there is when the run begins.
    /// Without a handoff nothing is recorded, and the run can be controlled.
    pub fn recorder(script: Script, first_free: [u32; 3], handoff: Option<Handoff>) -> Self {
        Self { ids: Ids::from(script, first_free), handoff, replays: false, began: None }
    }

    /// Records times, too. Such a run cannot be controlled.
    pub fn timed(script: Script, first_free: [u32; 3], handoff: Handoff) -> Self {
        Self { began: Some(Instant::now()), ..Self::recorder(script, first_free, Some(handoff)) }
    }

    /// Replays a record. Without a handoff nothing is recorded.
    pub fn replayer(script: Script, handoff: Option<Handoff>) -> Self {
        Self { ids: Ids::new(script), handoff, replays: true, began: None }
    }
}

/// An event of which the worker's batch has what it took and shared.
pub struct Light {
    id: EventId,
}

impl Instrumentation for Full {
    type Stamp = EventId;
    type Mark = Version;
    type Keep = ();
    type Draft = Box<EventRecord>;
    type Light = Light;
    type Local = Buffer;
    type Directive = ControlDirective;

    const KEEPS_NOTHING: bool = true;
    const RECORDS: bool = true;
    const CONTROLLED: bool = true;

    #[inline(always)]
    fn replays(&self) -> bool {
        self.replays
    }

    #[inline(always)]
    fn follows(&self) -> bool {
        self.replays
    }

    #[inline(always)]
    fn column_order(&self) -> ColumnOrder {
        if self.replays { ColumnOrder::Sender } else { ColumnOrder::Arrival }
    }

    #[inline]
    fn local(&self, worker_idx: usize) -> Buffer {
        match self.began {
            Some(began) => Buffer::timed(worker_idx, self.handoff.as_ref(), began),
            None => Buffer::new(worker_idx, self.handoff.as_ref()),
        }
    }

    #[inline]
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        self.ids.action(template, graph, index)
    }

    #[inline(always)]
    fn indexed_action_id(&self, template: TemplateId, index: impl FnOnce() -> Index) -> ActionId {
        match self.replays {
            true => self.ids.action(template, GraphInstanceId::MAIN, &index()),
            false => self.ids.new_action(),
        }
    }

    #[inline(always)]
    fn next_action_id(
        &self,
        spare: &mut SpareIds,
        template: TemplateId,
        index: impl FnOnce() -> Index,
    ) -> ActionId {
        match self.replays {
            true => self.indexed_action_id(template, index),
            false => self.ids.next_action(spare),
        }
    }

    #[inline]
    fn give_back_ids(&self, spare: &mut SpareIds) {
        self.ids.take_back(spare);
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
    fn keep(&self, _: TemplateId, _: &Arc<GraphInstance>, _: &Index) {}

    #[inline]
    fn begin(&self, local: &mut Buffer, (): &(), id: EventId, rule: i32) -> Box<EventRecord> {
        let mut draft = local.record(id, rule);
        if self.began.is_some() {
            let start = local.read_clock();
            draft.timing = Some(Timing::new(local.worker, start, start));
        }
        draft
    }

    fn resume(&self, local: &mut Buffer, draft: &mut Box<EventRecord>) {
        if self.began.is_some() {
            let start = local.read_clock();
            let suspended =
                draft.timing.map_or(0, |before| before.suspended + start.saturating_sub(before.start));
            draft.timing = Some(Timing { suspended, ..Timing::new(local.worker, start, start) });
        }
    }

    #[inline]
    fn take(&self, draft: &mut Box<EventRecord>, stamp: &EventId) {
        draft.flow.push(*stamp);
    }

    #[inline]
    fn access(&self, draft: &mut Box<EventRecord>, object: ObjectId, access: Access, mark: &Version) {
        draft.shared.push(mark.found(object, access));
    }

    #[inline]
    fn release(&self, draft: &Box<EventRecord>, access: Access, mark: &mut Version) {
        mark.leave(draft.id, access);
    }

    #[inline]
    fn stamp(&self, draft: &Box<EventRecord>) -> EventId {
        draft.id
    }

    #[inline]
    fn by_hand() -> EventId {
        NO_SENDER
    }

    #[inline]
    fn stamp_of(sender: EventId) -> Option<EventId> {
        Some(sender)
    }

    #[inline]
    fn mark_of(version: Version) -> Option<Version> {
        Some(version)
    }

    #[inline]
    fn first_free(&self) -> [u32; 3] {
        self.ids.first_free()
    }

    #[inline]
    fn announce_object(&self, local: &mut Buffer, _: &Box<EventRecord>, object: &ObjectPlace) {
        local.announce_object(object);
    }

    #[inline]
    fn end(&self, local: &mut Buffer, mut draft: Box<EventRecord>, ending: Ending) {
        if let Some(handoff) = &self.handoff {
            let place = fill(&mut draft, ending);
            if self.began.is_some()
                && let Some(timing) = &mut draft.timing
            {
                // An execution that waited for a lock may have gone on elsewhere.
                timing.worker = local.worker;
                timing.end = local.read_clock();
            }
            local.push(&mut draft, place, handoff);
        }
        local.put_away(draft);
    }

    #[inline]
    fn begin_light(&self, local: &mut Buffer, (): &(), id: EventId, _: i32) -> Light {
        local.hold();
        Light { id }
    }

    #[inline(always)]
    fn take_light(&self, local: &mut Buffer, _: &mut Light, stamp: &EventId) {
        local.batch.add_flow(*stamp);
    }

    #[inline]
    fn access_light(
        &self,
        local: &mut Buffer,
        _: &mut Light,
        object: ObjectId,
        access: Access,
        mark: &Version,
    ) {
        local.batch.add_shared(mark.found(object, access));
    }

    #[inline]
    fn announce_light(&self, local: &mut Buffer, _: &Light, object: &ObjectPlace) {
        local.announce_object(object);
    }

    #[inline]
    fn release_light(&self, light: &Light, access: Access, mark: &mut Version) {
        mark.leave(light.id, access);
    }

    #[inline]
    fn stamp_light(&self, light: &Light) -> EventId {
        light.id
    }

    #[inline(always)]
    fn route_light(&self, local: &mut Buffer, _: &mut Light, rule_idx: u32) {
        local.batch.add_route(rule_idx);
    }

    #[inline(always)]
    fn is_step(first: &EventId, stamp: &EventId, n_steps: u64) -> bool {
        first.action == stamp.action && first.count.wrapping_add(n_steps) == stamp.count
    }

    #[inline(always)]
    fn stepped(first: &EventId, n_steps: u64) -> EventId {
        EventId { action: first.action, count: first.count.wrapping_add(n_steps) }
    }

    #[inline]
    fn begin_turn(&self, local: &mut Buffer) {
        if self.began.is_some() {
            local.begin_times();
        }
    }

    #[inline]
    fn end_turn(&self, local: &mut Buffer) {
        if self.began.is_some() {
            local.settle_times();
        }
    }

    #[inline]
    fn access_run(
        mark: &mut Version,
        (object, access): (ObjectId, Access),
        first: EventId,
        n_events: u64,
    ) -> Option<SharedAccess> {
        let found = mark.found(object, access);
        mark.leave_run(first, n_events, access);
        Some(found)
    }

    #[inline]
    fn end_run(
        &self,
        local: &mut Buffer,
        (): &mut (),
        run: EventRun<'_, Self>,
        found: Option<SharedAccess>,
        done: Done<'_>,
    ) {
        let EventRun { first: id, n_events, taken, rules, answers, .. } = run;
        local.close_run((id, n_events), taken, (found, answers), (rules, done), self.handoff.as_ref());
    }

    #[cold]
    fn draft_of(&self, local: &mut Buffer, light: Light, rule: i32) -> Box<EventRecord> {
        let mut draft = local.record(light.id, rule);
        local.hold();
        local.batch.reopen(&mut draft);
        if self.began.is_some() {
            let start = local.start_of_open();
            draft.timing = Some(Timing::new(local.worker, start, start));
        }
        draft
    }

    #[inline(always)]
    fn end_light(&self, local: &mut Buffer, light: Light, done: Done<'_>) {
        local.close(light.id, done, self.handoff.as_ref());
    }

    #[inline]
    fn end_light_with(&self, local: &mut Buffer, light: Light, done: Done<'_>, answers: Vec<Effect>) {
        local.close_with(light.id, done, answers, self.handoff.as_ref());
    }

    #[inline]
    fn flush(&self, local: &mut Buffer) {
        local.flush(self.handoff.as_ref());
    }

    #[inline]
    fn tick(&self, local: &mut Buffer) {
        if self.began.is_some() {
            local.settle_times();
        }
        local.tick(self.handoff.as_ref());
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
        self.handoff.is_some()
    }

    #[inline]
    fn hold_body(&self, worker_idx: usize) -> Option<HeldBody<'_>> {
        self.handoff.as_ref()?.hold_body(worker_idx)
    }

    #[inline]
    fn hand_over_bodies(&self, bodies: &mut [HeldBody<'_>]) {
        if let Some(handoff) = &self.handoff {
            bodies.iter_mut().for_each(|body| body.hand_over(|batch| handoff.exchange(batch)));
        }
    }

    fn no_room(&self, local: &mut Buffer, place: &PortPlace<'_>, dropped: Vec<DroppedValue>) {
        if let Some(handoff) = &self.handoff {
            local.push_dropped(place, dropped, handoff, |_, _| {});
        }
    }

    #[inline]
    fn hand_over_edits(&self, mut batch: EventBatch) {
        if let Some(handoff) = &self.handoff {
            handoff.exchange(&mut batch);
        }
    }

    #[inline]
    fn look(&self) {
        if let Some(handoff) = &self.handoff {
            handoff.look();
        }
    }

    fn write_ahead(&self) -> Option<WriteAhead> {
        self.handoff.as_ref().map(Handoff::write_ahead)
    }

    fn sync(&self) -> bool {
        self.handoff.as_ref().is_some_and(Handoff::sync)
    }

    #[inline]
    fn wants_looks(&self) -> bool {
        self.handoff.is_some()
    }

    #[inline]
    fn finish(&self, local: &mut Buffer) {
        local.finish(self.handoff.as_ref());
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
    fn sender(stamp: &EventId) -> Option<EventId> {
        Some(*stamp)
    }

    #[inline]
    fn version(mark: &Version) -> Version {
        *mark
    }

    #[inline]
    fn drafted(draft: &Box<EventRecord>) -> Option<&EventRecord> {
        Some(draft)
    }
}

impl Version {
    /// Returns the version that an access finds.
    #[inline]
    pub(crate) fn found(&self, object: ObjectId, access: Access) -> SharedAccess {
        let readers = match access {
            Access::Read => 0,
            Access::Write => self.readers,
        };
        SharedAccess { object, access, writer: self.writer, readers }
    }

    /// Notes accesses of events in a row.
    #[inline]
    pub fn leave_run(&mut self, first: EventId, n_events: u64, access: Access) {
        match access {
            Access::Read => self.readers += n_events,
            Access::Write => {
                let last = EventId { action: first.action, count: first.count.wrapping_add(n_events - 1) };
                self.leave(last, access);
            }
        }
    }

    /// What an access leaves.
    #[inline]
    pub(crate) fn leave(&mut self, event: EventId, access: Access) {
        match access {
            Access::Read => self.readers += 1,
            Access::Write => *self = Version { writer: Some(event), readers: 0 },
        }
    }
}
