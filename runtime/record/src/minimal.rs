//! Minimal recording: only what a replay cannot find out by itself (Hyder 1994, section 8.3.6, with the vector
//! clocks of table 8-1; the criterion for shared objects is that of Netzer 1993).
//!
//! Every choice is compared with a prediction that is a function of the action's own past and of what is
//! before it in causal order, and is recorded only where it is another one. A replay makes the same prediction
//! at the same place, so that a choice that the record does not tell is the predicted one:
//!
//! - the firing rule: the only one whose guard holds; of rules that take the same values the next in turn;
//!   else the one taken last;
//! - the sender of a value: the only one that can send there ([`Freedom`](hasse_runtime_plan::freedom::Freedom)); else the one whose value was taken
//!   last from this element of the port; for the first value the arc that stands first in the file;
//! - the place of a line in the output: behind the last line that is known to be before it;
//! - the order at a shared object: an access need not be told where values, the sequence of the action's own
//!   executions and the accesses told so far put it behind all conflicting ones before it.
//!
//! Why this suffices is the subject of `docs/minimal.md`.

use std::sync::Arc;
use std::time::Duration;

use hasse_body::seed::Seeds;
use hasse_code::graph::GraphInstance;
use hasse_model::choices::{Choices, TakeChoice};
use hasse_model::digest::{ActionHistory, History, HistoryDigest};
use hasse_model::event::{
    ActionRecord, DroppedValue, EventBatch, EventRecord, GraphRecord, ObjectRecord, SharedAccess,
};
use hasse_model::id::{
    ActionId, ArcId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId,
};
use hasse_model::plan::{Access, Plan};
use hasse_runtime_plan::freedom::{Freedom, Senders, may_fail_first};
use parking_lot::Mutex;

use crate::buffer::{Buffer, Ids};
use crate::collector::Handoff;
use crate::collector::shelf::{HeldBody, UnderWay};
use crate::event::{Done, Ending, EventRun, ObjectPlace, PortPlace, Taken, WantedSender};
use crate::instrumentation::{Instrumentation, light_is_draft};
use crate::minimal::clock::Slots;
use crate::minimal::cuts::CutClock;
use crate::minimal::directory::{Announced, Directory};
use crate::minimal::kept::{AtObject, Draft, Keep, Local, Mark, Past, Stamp};
use crate::needs::ColumnOrder;
use crate::replay::{ExpectedEvent, Script};
use crate::stamp::{ControlDirective, NO_SENDER, Version};

/// Choices that a replay does not predict.
pub(crate) mod choice;
/// Which accesses are certain to come first.
pub(crate) mod clock;
/// When the record is made whole.
pub(crate) mod cuts;
/// Who is who.
pub(crate) mod directory;
/// What is appended to values, objects and actions.
pub(crate) mod kept;
/// Events that are noted together.
pub(crate) mod together;

/// What a sink is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Every event as in a full record.
    Full,
    /// Every event as in a full record, with what of it was free.
    Marked,
    /// What a replay cannot find out by itself.
    Minimal,
}

/// Records choices. With a script, which may be a minimal or a full one, makes the run follow it.
pub struct Minimal {
    ids: Ids,
    replays: bool,
    handoff: Option<Handoff>,
    gives: Gives,
    freedom: Freedom,
    slots: Slots,
    /// Whether events may name others.
    names_others: bool,
    directory: Option<Directory>,
    cuts: CutClock,
    /// The cut that was handed over last.
    last_cut: Mutex<Option<Vec<EventId>>>,
    /// By template.
    names: Vec<String>,
    /// Of the events of workers that have ended.
    digest: Mutex<HistoryDigest>,
}

impl Minimal {
    /// For a run; `cuts_often`: a cut whenever one can be made.
    pub fn recorder(plan: &Plan, gives: Gives, cuts_often: bool, handoff: Handoff) -> Self {
        Self::new(plan, gives, cuts_often, Script::default(), Some(handoff))
    }

    /// For a replay.
    pub fn replayer(plan: &Plan, gives: Gives, script: Script, handoff: Option<Handoff>) -> Self {
        Self { replays: true, ..Self::new(plan, gives, false, script, handoff) }
    }

    fn new(plan: &Plan, gives: Gives, cuts_often: bool, script: Script, handoff: Option<Handoff>) -> Self {
        let (ids, freedom) = (Ids::new(script), Freedom::of(plan));
        let drops = plan.templates.iter().flat_map(|template| &template.inputs).any(|port| port.full.drops());
        // Where there are no senders and no accesses to tell, events name no others.
        let names_others = drops
            || !plan.shared.is_empty()
            || !freedom.has_one_sender_everywhere()
            || plan.templates.iter().any(may_fail_first);
        let directory = (gives == Gives::Minimal && names_others).then(Directory::default);
        Self {
            names_others,
            ids,
            replays: false,
            handoff,
            gives,
            freedom,
            slots: Slots::default(),
            directory,
            cuts: CutClock::new(cuts_often),
            last_cut: Mutex::new(None),
            names: plan.templates.iter().map(|template| template.name.clone()).collect(),
            digest: Mutex::default(),
        }
    }
}

impl Instrumentation for Minimal {
    type Stamp = Stamp;
    type Mark = Mark;
    type Keep = Keep;
    type Draft = Draft;
    type Light = Draft;
    type Local = Local;
    type Directive = ControlDirective;

    const RECORDS: bool = true;
    const CONTROLLED: bool = true;
    const NOTES_CHOICES: bool = true;
    const NOTES_ANY_STEP: bool = true;

    #[inline(always)]
    fn replays(&self) -> bool {
        self.replays
    }

    #[inline(always)]
    fn column_order(&self) -> ColumnOrder {
        if self.replays { ColumnOrder::None } else { ColumnOrder::Arrival }
    }

    #[inline]
    fn local(&self, worker_idx: usize) -> Local {
        let buffer = Buffer::new(worker_idx, self.handoff.as_ref());
        Local { buffer, announced: Announced::default(), digest: HistoryDigest::default() }
    }

    #[inline]
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId {
        let action = self.ids.action(template, graph, index);
        if let Some(directory) = &self.directory {
            directory.add_action(ActionRecord { action, template, graph, index: index.clone() });
        }
        action
    }

    #[inline]
    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId {
        let object = self.ids.object(shared, graph, index);
        if let Some(directory) = &self.directory {
            directory.add_object(ObjectRecord { object, shared, graph, index: index.clone() });
        }
        object
    }

    #[inline]
    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId {
        let graph = self.ids.graph(parent, call, index);
        if let Some(directory) = &self.directory {
            directory.add_graph(GraphRecord { graph, parent, call, index: index.clone() });
        }
        graph
    }

    #[inline]
    fn keep(&self, template: TemplateId, graph: &Arc<GraphInstance>, index: &Index) -> Keep {
        let path = Seeds { random_seed: 0, path_hash: graph.path_hash };
        let key = path.of_action(&self.names[template.idx()], index.as_slice());
        Keep { history: ActionHistory::new(key), ..Keep::default() }
    }

    #[inline]
    fn begin(&self, local: &mut Local, keep: &Keep, id: EventId, rule: i32) -> Draft {
        Draft {
            record: local.buffer.record(id, rule),
            choices: Choices::default(),
            past: keep.past.clone(),
            history: keep.history.begin(rule),
            slot: keep.slot,
        }
    }

    #[inline]
    fn free_rule(&self, draft: &mut Draft) {
        draft.choices.rule = true;
    }

    #[inline]
    fn take(&self, draft: &mut Draft, stamp: &Stamp) {
        draft.record.flow.push(stamp.sender);
        draft.past.merge(&stamp.past);
        draft.history.take(stamp.history);
    }

    #[inline]
    fn taken(&self, draft: &mut Draft, keep: &mut Keep, stamp: &Stamp, taken: &Taken<'_>) {
        if !self.is_predicted(keep, stamp, taken) {
            let position = draft.record.flow.len() as u32 - 1;
            draft.choices.takes.push(TakeChoice { position, sender: stamp.sender.action });
        }
    }

    #[inline]
    fn came_first(&self, draft: &mut Draft, stamp: &Stamp, port: usize) {
        if self.names_others {
            let (position, sender) = (port as u32, stamp.sender.action);
            draft.choices.takes.push(TakeChoice { position, sender });
        }
    }

    #[inline]
    fn wanted_sender(
        &self,
        keep: &Keep,
        told: Option<ActionId>,
        before: Option<ActionId>,
        taken: &Taken<'_>,
    ) -> WantedSender {
        if let Some(told) = told {
            return WantedSender::Action(told);
        }
        let senders = self.senders(taken);
        if senders == Senders::One {
            return WantedSender::Any;
        }
        match (before.or_else(|| keep.last_sender(taken)), senders) {
            (Some(last), _) => WantedSender::Action(last),
            (None, Senders::ManyFirstBy(arc)) => WantedSender::Arc(arc),
            (None, Senders::Many | Senders::One) => WantedSender::Unknown,
        }
    }

    #[inline]
    fn takes_alike(&self, template: TemplateId) -> bool {
        self.freedom.takes_alike(template)
    }

    /// Table 8-1: the access is a race, and told, if an access that conflicts with it is not certain to come
    /// first.
    #[inline]
    fn access(&self, draft: &mut Draft, object: ObjectId, access: Access, mark: &Mark) {
        let found = mark.version.found(object, access);
        draft.history.access(mark.found(access));
        draft.record.shared.push(found);
        let writer = mark.version.writer;
        let mut is_settled = writer.is_none_or(|writer| Self::is_certain(draft, writer, mark.writer_slot));
        if access == Access::Write {
            is_settled &= mark.readers.iter().all(|&(reader, slot)| Self::is_certain(draft, reader, slot));
        }
        if !is_settled {
            draft.choices.accesses.push(draft.record.shared.len() as u32 - 1);
        }
        // What is settled is known already as far as accesses go, so that merging adds lines alone.
        mark.add_to(&mut draft.past, access);
        if draft.slot.is_none() {
            draft.slot = self.slots.next();
        }
    }

    #[inline]
    fn settle(&self, draft: &mut Draft, keep: &mut Keep) {
        keep.history.settle(&draft.history);
        if let Some(slot) = draft.slot.filter(|_| !draft.record.shared.is_empty()) {
            draft.past.clock.raise(slot, draft.record.id.count);
            keep.slot = draft.slot;
        }
    }

    #[inline]
    fn next_line(draft: &Draft) -> Option<u64> {
        Some(draft.past.next_line)
    }

    #[inline]
    fn told(&self, draft: &mut Draft, keep: &mut Keep, first_line: Option<u64>, n_lines: usize) {
        if let Some(first_line) = first_line {
            draft.choices.line = first_line != draft.past.next_line;
            draft.past.next_line = first_line + n_lines as u64;
        }
        keep.past = draft.past.clone();
    }

    #[inline]
    fn release(&self, draft: &Draft, access: Access, mark: &mut Mark) {
        mark.version.leave(draft.record.id, access);
        mark.leave((draft.record.id, draft.history.event()), draft.slot, &draft.past, access);
    }

    /// Its first access was noted by itself: it has a slot, and the past of the last writer is before it.
    #[inline(always)]
    fn shares_together(_: &Keep) -> bool {
        true
    }

    fn find_at_object(keep: &mut Keep, access: Access, mark: &Mark) {
        let is_settled = access == Access::Write
            || mark.version.writer.is_none_or(|w| Self::follows_from(&keep.past, w, mark.writer_slot));
        keep.at_object = Some(AtObject { found: mark.found(access), is_settled, last: None });
    }

    fn leave_at_object(keep: &Keep, access: Access, mark: &mut Mark) {
        if let Some(id) = keep.at_object.and_then(|object| object.last) {
            mark.leave((id, keep.history.last()), keep.slot, &keep.past, access);
        }
    }

    fn access_run(
        mark: &mut Mark,
        (object, access): (ObjectId, Access),
        first: EventId,
        n_events: u64,
    ) -> Option<SharedAccess> {
        let found = mark.version.found(object, access);
        mark.version.leave_run(first, n_events, access);
        Some(found)
    }

    #[inline]
    fn stamp(&self, draft: &Draft) -> Stamp {
        let (sender, past, history) = (draft.record.id, draft.past.clone(), draft.history.event());
        Stamp { sender, arc: ArcId(u32::MAX), past, history }
    }

    #[inline]
    fn by_hand() -> Stamp {
        let (past, history) = (Past::default(), History::default());
        Stamp { sender: NO_SENDER, arc: ArcId(u32::MAX), past, history }
    }

    #[inline]
    fn via(stamp: &Stamp, arc: ArcId) -> Stamp {
        Stamp { arc, ..stamp.clone() }
    }

    #[inline]
    fn announce_object(&self, local: &mut Local, _: &Draft, object: &ObjectPlace) {
        if self.handoff.is_some() && self.gives != Gives::Minimal {
            local.buffer.announce_object(object);
        }
    }

    light_is_draft!();

    #[inline]
    fn end(&self, local: &mut Local, draft: Draft, ending: Ending) {
        local.digest.add(draft.history, ending.routes, ending.flow_successors, ending.outcome);
        self.end_record(local, draft.record, draft.choices, ending);
    }

    #[inline]
    fn is_step(first: &Stamp, stamp: &Stamp, n_steps: u64) -> bool {
        first.sender.action == stamp.sender.action
            && first.sender.count.wrapping_add(n_steps) == stamp.sender.count
            && first.arc == stamp.arc
            && first.past.is_same(&stamp.past)
    }

    #[inline]
    fn stepped(first: &Stamp, n_steps: u64) -> Stamp {
        let EventId { action, count } = first.sender;
        let (sender, history) =
            (EventId { action, count: count.wrapping_add(n_steps) }, first.history.later(n_steps));
        Stamp { sender, history, arc: first.arc, past: first.past.clone() }
    }

    /// From here on a body that lasts is interrupted when a cut is due, also that of the first event, before anything of it
    /// is noted.
    #[inline]
    fn begin_turn(&self, local: &mut Local) {
        if !self.replays {
            local.buffer.hold();
        }
    }

    /// The past of the first one is that of all of them. That it has accessed an object is said by the object alone: the past stays
    /// the same from run to run, so that receivers take such values together.
    #[inline]
    fn stamp_run(
        &self,
        local: &mut Local,
        keep: &mut Keep,
        id: EventId,
        taken: &[Stamp],
        _step: u64,
    ) -> Stamp {
        local.buffer.hold();
        taken.iter().for_each(|stamp| keep.past.merge(&stamp.past));
        let (past, history) = (keep.past.clone(), keep.history.next());
        Stamp { sender: id, arc: ArcId(u32::MAX), past, history }
    }

    #[inline]
    fn end_run(
        &self,
        local: &mut Local,
        keep: &mut Keep,
        run: EventRun<'_, Self>,
        found: Option<SharedAccess>,
        done: Done<'_>,
    ) {
        self.end_together(local, keep, run, found, done);
    }

    #[inline]
    fn flush(&self, local: &mut Local) {
        local.buffer.flush(self.handoff.as_ref());
    }

    #[inline]
    fn tick(&self, local: &mut Local) {
        local.buffer.tick(self.handoff.as_ref());
    }

    #[inline]
    fn hold(&self, local: &mut Local) {
        local.buffer.hold();
    }

    #[inline]
    fn lay_down(&self, local: &mut Local) {
        local.buffer.lay_down();
    }

    #[inline]
    fn enter_body(&self, local: &mut Local, body: UnderWay) {
        local.buffer.enter_body(body);
    }

    #[inline]
    fn leave_body(&self, local: &mut Local) {
        local.buffer.leave_body();
    }

    #[inline]
    fn look(&self) {
        if let Some(handoff) = &self.handoff {
            handoff.look();
        }
    }

    #[inline]
    fn wants_looks(&self) -> bool {
        self.handoff.is_some()
    }

    #[inline]
    fn finish(&self, local: &mut Local) {
        self.flush(local);
        self.digest.lock().merge(std::mem::take(&mut local.digest));
    }

    #[inline]
    fn digest(&self) -> Option<HistoryDigest> {
        Some(*self.digest.lock())
    }

    #[inline]
    fn is_cut_due(&self) -> bool {
        self.cuts.is_due()
    }

    #[inline]
    fn is_time_for_cut(&self) -> bool {
        self.wants_cut() && self.cuts.is_time()
    }

    #[inline]
    fn cuts_often(&self) -> bool {
        self.cuts.is_eager
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
    fn cut_patience(&self) -> Duration {
        self.cuts.patience()
    }

    #[inline]
    fn cut_was_tried(&self, cost: Option<Duration>, wait: Duration) {
        self.cuts.was_tried(cost, wait);
    }

    #[inline]
    fn wants_cut(&self) -> bool {
        self.handoff.is_some() && self.gives != Gives::Full
    }

    #[inline]
    fn hand_over_cut(&self, bodies: &mut [HeldBody<'_>], mut batch: EventBatch) {
        let Some(handoff) = &self.handoff else { return };
        for body in bodies {
            body.hand_over(|batch| handoff.exchange(batch));
        }
        // Where all stand as they did, nothing has ended since.
        let mut last_cut = self.last_cut.lock();
        if batch.cut != *last_cut {
            last_cut.clone_from(&batch.cut);
            handoff.exchange(&mut batch);
        }
    }

    fn no_room(&self, local: &mut Local, place: &PortPlace<'_>, dropped: Vec<DroppedValue>) {
        let Some(handoff) = &self.handoff else { return };
        let (announced, directory) = (&mut local.announced, self.directory.as_ref());
        local.buffer.push_dropped(place, dropped, handoff, |batch, dropped| {
            let senders = dropped.iter().map(|dropped| dropped.sender.action);
            announced.announce_senders(senders, directory, batch);
        });
    }

    #[inline]
    fn hand_over_edits(&self, mut batch: EventBatch) {
        if let Some(handoff) = &self.handoff {
            handoff.exchange(&mut batch);
        }
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
    fn arc(stamp: &Stamp) -> Option<ArcId> {
        Some(stamp.arc)
    }

    #[inline]
    fn version(mark: &Mark) -> Version {
        mark.version
    }

    #[inline]
    fn drafted(draft: &Draft) -> Option<&EventRecord> {
        Some(&draft.record)
    }
}
