//! Instrumentation: what is noted of each execution, as a policy that is compiled in per mode.
//!
//! The worker is generic over [`Instrumentation`](crate::instrumentation::Instrumentation). With [`Off`](off::Off) every hook is empty and
//! every appended stamp has no size, so a run without debugging carries no recording code.

use std::sync::Arc;
use std::time::Duration;

use hasse_body::effects::EffectSource;
use hasse_body::sandbox::WriteAhead;
use hasse_code::graph::GraphInstance;
use hasse_model::digest::HistoryDigest;
use hasse_model::event::{DroppedValue, Effect, EventBatch, EventRecord, SharedAccess};
use hasse_model::id::{
    ActionId, ArcId, CallId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId,
};
use hasse_model::plan::Access;
use hasse_model::record_options::RecordOption;

use crate::collector::shelf::{HeldBody, UnderWay};
use crate::event::ObjectPlace;
use crate::needs::ColumnOrder;
use crate::replay::{ExpectedEvent, Script};
use crate::stamp::{Directive, Version};

/// For a mode in which an event of the lane has a draft like any other one.
macro_rules! light_is_draft {
    () => {
        #[inline]
        fn begin_light(
            &self,
            local: &mut Self::Local,
            keep: &Self::Keep,
            id: EventId,
            rule: i32,
        ) -> Self::Light {
            self.hold(local);
            self.begin(local, keep, id, rule)
        }

        #[inline]
        fn take_light(&self, _: &mut Self::Local, light: &mut Self::Light, stamp: &Self::Stamp) {
            self.take(light, stamp);
        }

        #[inline]
        fn access_light(
            &self,
            _: &mut Self::Local,
            light: &mut Self::Light,
            object: ObjectId,
            access: Access,
            mark: &Self::Mark,
        ) {
            self.access(light, object, access, mark);
        }

        #[inline]
        fn announce_light(
            &self,
            local: &mut Self::Local,
            light: &Self::Light,
            object: &crate::event::ObjectPlace,
        ) {
            self.announce_object(local, light, object);
        }

        #[inline]
        fn release_light(&self, light: &Self::Light, access: Access, mark: &mut Self::Mark) {
            self.release(light, access, mark);
        }

        #[inline]
        fn stamp_light(&self, light: &Self::Light) -> Self::Stamp {
            self.stamp(light)
        }

        #[inline]
        fn drafted_light(light: &mut Self::Light) -> Option<&mut Self::Draft> {
            Some(light)
        }

        #[inline]
        fn draft_of(&self, _: &mut Self::Local, light: Self::Light, _: i32) -> Self::Draft {
            light
        }

        #[inline]
        fn end_light(&self, local: &mut Self::Local, light: Self::Light, done: crate::event::Done<'_>) {
            self.end(local, light, done.into());
        }

        #[inline]
        fn end_light_with(
            &self,
            local: &mut Self::Local,
            light: Self::Light,
            done: crate::event::Done<'_>,
            answers: Vec<hasse_model::event::Effect>,
        ) {
            self.end(local, light, Ending { effects: answers, ..done.into() });
        }
    };
}
pub(crate) use light_is_draft;

use crate::event::{Done, Ending, EventRun, PortPlace, Taken, WantedSender};
use crate::spare::SpareIds;

/// A recording mode. All methods are called on the worker that serves the execution.
pub trait Instrumentation: Sync + Send + Sized {
    /// Appended to each value that is sent.
    type Stamp: Clone + Send + Sync;
    /// Appended to each shared object.
    type Mark: Default + Send;
    /// What an action keeps from one execution to the next. It goes with its instance: an instance that is let
    /// go of can never receive again, so that nothing is before a later event by way of it.
    type Keep: Send;
    /// The record under construction; kept with the instance while it waits for a lock.
    type Draft: Send;
    /// The record of an event that the lane serves, under construction: a draft, or what the draft can be made from where
    /// the worker's buffer has the rest.
    type Light: Send;
    /// What each worker has for itself: buffers.
    type Local: Send;
    /// What is appended to each value for its receiver: nothing where runs are not controlled.
    type Directive: Directive;

    /// Whether answers of the world are to be noted.
    const RECORDS: bool;
    /// Whether a debugger may control the run.
    const CONTROLLED: bool;
    /// Whether actions keep nothing from one execution to the next: what is noted of an event is then known without its
    /// instance, and an object that it writes is noted together with others.
    const KEEPS_NOTHING: bool = false;
    /// Whether choices are compared with predictions.
    const NOTES_CHOICES: bool = false;
    /// True if events that take what one event has sent are noted together, too.
    const NOTES_ANY_STEP: bool = false;

    /// Returns true if [`expected`](Self::expected) decides which rule fires.
    #[inline(always)]
    fn replays(&self) -> bool {
        false
    }
    /// Returns true if the replayed record has every event, so that the fast path can follow it.
    #[inline(always)]
    fn follows(&self) -> bool {
        false
    }
    /// Returns true if assignments of the user are made again.
    #[inline(always)]
    fn assigns_again(&self) -> bool {
        self.replays()
    }
    /// Order of scalars in columns, if there are columns; then [`end_run`](Self::end_run) records events that are alike.
    #[inline(always)]
    fn column_order(&self) -> ColumnOrder {
        ColumnOrder::None
    }
    /// State of a worker.
    fn local(&self, worker_idx: usize) -> Self::Local;
    /// The id of a new action.
    fn action_id(&self, template: TemplateId, graph: GraphInstanceId, index: &Index) -> ActionId;
    /// The id of a new action of the main graph; `index` tells its index, if that matters.
    fn indexed_action_id(&self, template: TemplateId, index: impl FnOnce() -> Index) -> ActionId {
        self.action_id(template, GraphInstanceId::MAIN, &index())
    }
    /// The same, of which a worker may take many at a time.
    fn next_action_id(
        &self,
        _spare: &mut SpareIds,
        template: TemplateId,
        index: impl FnOnce() -> Index,
    ) -> ActionId {
        self.indexed_action_id(template, index)
    }
    /// A worker will not need ids for a while.
    fn give_back_ids(&self, _spare: &mut SpareIds) {}
    /// The id of a new shared object.
    fn object_id(&self, shared: SharedId, graph: GraphInstanceId, index: &Index) -> ObjectId;
    /// The id of a new graph instance.
    fn graph_id(&self, parent: GraphInstanceId, call: CallId, index: &Index) -> GraphInstanceId;
    /// What a new action begins with.
    fn keep(&self, template: TemplateId, graph: &Arc<GraphInstance>, index: &Index) -> Self::Keep;
    /// The recording option of the main graph.
    fn root_option(&self) -> RecordOption {
        RecordOption::Full
    }
    /// The effective recording option of a new graph instance.
    fn graph_option(&self, _parent: &Arc<GraphInstance>, _call: CallId, _index: &Index) -> RecordOption {
        RecordOption::Full
    }
    /// An execution begins: a firing rule was taken.
    fn begin(&self, local: &mut Self::Local, keep: &Self::Keep, id: EventId, rule: i32) -> Self::Draft;
    /// An execution that has waited for the world outside goes on, perhaps with another worker: it is timed from here.
    fn resume(&self, _local: &mut Self::Local, _draft: &mut Self::Draft) {}
    /// A value was removed from a port.
    fn take(&self, draft: &mut Self::Draft, stamp: &Self::Stamp);
    /// Choices: a value was removed from a port, and has been noted by [`take`](Self::take).
    fn taken(
        &self,
        _draft: &mut Self::Draft,
        _keep: &mut Self::Keep,
        _stamp: &Self::Stamp,
        _taken: &Taken<'_>,
    ) {
    }
    /// Choices: a value on this port is the cause of an execution that fails before a rule is looked at, and has been
    /// noted by [`take`](Self::take).
    fn came_first(&self, _draft: &mut Self::Draft, _stamp: &Self::Stamp, _port: usize) {}
    /// Choices: the firing rule is not the predicted one.
    fn free_rule(&self, _draft: &mut Self::Draft) {}
    /// Choices: whether all firing rules of a template take the same values.
    fn takes_alike(&self, _template: TemplateId) -> bool {
        false
    }
    /// A lock was granted.
    fn access(&self, draft: &mut Self::Draft, object: ObjectId, access: Access, mark: &Self::Mark);
    /// All values were taken and all locks granted: what is before the execution is known.
    fn settle(&self, _draft: &mut Self::Draft, _keep: &mut Self::Keep) {}
    /// Lines were printed, or none, and nothing else will be.
    fn told(
        &self,
        _draft: &mut Self::Draft,
        _keep: &mut Self::Keep,
        _first_line: Option<u64>,
        _n_lines: usize,
    ) {
    }
    /// A lock is given back.
    fn release(&self, draft: &Self::Draft, access: Access, mark: &mut Self::Mark);
    /// What to append to the values sent.
    fn stamp(&self, draft: &Self::Draft) -> Self::Stamp;
    /// Stamp of a value that no event has sent: a person has added it.
    fn by_hand() -> Self::Stamp;
    /// Stamp of a value that this event has sent, in a run that goes on from a snapshot; `None` where a stamp holds more than
    /// the event.
    fn stamp_of(_sender: EventId) -> Option<Self::Stamp> {
        None
    }
    /// Mark of an object at this version, in a run that goes on from a snapshot; `None` where a mark holds more.
    fn mark_of(_version: Version) -> Option<Self::Mark> {
        None
    }
    /// The first ids that no action, object and graph instance has.
    fn first_free(&self) -> [u32; 3] {
        [0; 3]
    }
    /// What to append to a value that takes an arc to its receiver.
    fn via(stamp: &Self::Stamp, _arc: ArcId) -> Self::Stamp {
        stamp.clone()
    }
    /// A shared object was reached.
    fn announce_object(&self, local: &mut Self::Local, draft: &Self::Draft, object: &ObjectPlace);
    /// An execution ended.
    fn end(&self, local: &mut Self::Local, draft: Self::Draft, ending: Ending);
    /// As [`begin`](Self::begin), in the lane. Nothing else is noted by this worker until the event has ended or has been
    /// made a draft.
    fn begin_light(&self, local: &mut Self::Local, keep: &Self::Keep, id: EventId, rule: i32) -> Self::Light;
    /// As [`take`](Self::take).
    fn take_light(&self, local: &mut Self::Local, light: &mut Self::Light, stamp: &Self::Stamp);
    /// As [`access`](Self::access).
    fn access_light(
        &self,
        local: &mut Self::Local,
        light: &mut Self::Light,
        object: ObjectId,
        access: Access,
        mark: &Self::Mark,
    );
    /// As [`announce_object`](Self::announce_object).
    fn announce_light(&self, local: &mut Self::Local, light: &Self::Light, object: &ObjectPlace);
    /// As [`release`](Self::release).
    fn release_light(&self, light: &Self::Light, access: Access, mark: &mut Self::Mark);
    /// As [`stamp`](Self::stamp).
    fn stamp_light(&self, light: &Self::Light) -> Self::Stamp;
    /// A routing rule holds.
    fn route_light(&self, _local: &mut Self::Local, _light: &mut Self::Light, _rule_idx: u32) {}
    /// The draft, if it is one.
    fn drafted_light(_light: &mut Self::Light) -> Option<&mut Self::Draft> {
        None
    }
    /// The worker holds what the next events take, which others may have sent just now: they begin from here on.
    fn begin_turn(&self, _local: &mut Self::Local) {}
    /// The worker hands over what the events that it has noted have sent.
    fn end_turn(&self, _local: &mut Self::Local) {}
    /// Upper bound of the number of straight events that can be noted together: the first one takes values with the stamps
    /// `taken`, and each other one takes values of senders that are a `step` further.
    fn max_together(_keep: &Self::Keep, _id: EventId, _taken: &[Self::Stamp], _step: u64) -> usize {
        usize::MAX
    }
    /// Stamp of what the first one of straight events that are noted together sends, which is `id`; `taken` and `step` as in
    /// [`max_together`](Self::max_together).
    fn stamp_run(
        &self,
        local: &mut Self::Local,
        keep: &mut Self::Keep,
        id: EventId,
        _taken: &[Self::Stamp],
        _step: u64,
    ) -> Self::Stamp {
        let light = self.begin_light(local, keep, id, 0);
        self.stamp_light(&light)
    }
    /// Whether a stamp is that of the `n_steps`-th event behind the one of `first`.
    fn is_step(_first: &Self::Stamp, _stamp: &Self::Stamp, _n_steps: u64) -> bool {
        false
    }
    /// The stamp of the `n_steps`-th event behind the one of `first`.
    fn stepped(first: &Self::Stamp, _n_steps: u64) -> Self::Stamp {
        first.clone()
    }
    /// Returns true if events of an action that access one object may be noted together.
    #[inline(always)]
    fn shares_together(_keep: &Self::Keep) -> bool {
        Self::KEEPS_NOTHING
    }
    /// Before such events are noted: what they find at the object.
    #[inline(always)]
    fn find_at_object(_keep: &mut Self::Keep, _access: Access, _mark: &Self::Mark) {}
    /// After such events have been noted, or none has been: what an action leaves at the object.
    #[inline(always)]
    fn leave_at_object(_keep: &Self::Keep, _access: Access, _mark: &mut Self::Mark) {}
    /// Events of the lane that are alike have accessed an object: what the first one has found there, if that is to be
    /// noted. Called where they may be [noted together](Self::shares_together).
    fn access_run(
        _mark: &mut Self::Mark,
        _object: (ObjectId, Access),
        _first: EventId,
        _n_events: u64,
    ) -> Option<SharedAccess> {
        None
    }
    /// Events of the lane ended well that are alike: as [`begin_light`](Self::begin_light) to
    /// [`end_light`](Self::end_light) for each. `found` is what the first one has found in the object that each accesses.
    fn end_run(
        &self,
        _local: &mut Self::Local,
        _keep: &mut Self::Keep,
        _run: EventRun<'_, Self>,
        _found: Option<SharedAccess>,
        _done: Done<'_>,
    ) {
    }
    /// Goes on in the general way.
    fn draft_of(&self, local: &mut Self::Local, light: Self::Light, rule: i32) -> Self::Draft;
    /// An event of the lane ended well, and there is nothing to tell of it but what it took, where it went, and what it
    /// shared.
    fn end_light(&self, local: &mut Self::Local, light: Self::Light, done: Done<'_>);
    /// As [`end_light`](Self::end_light), of an event that was given answers of the world outside.
    fn end_light_with(
        &self,
        local: &mut Self::Local,
        light: Self::Light,
        done: Done<'_>,
        answers: Vec<Effect>,
    );
    /// Nothing to do for the moment, or some time has passed: hand over what waits.
    fn flush(&self, local: &mut Self::Local);
    /// Called between two events; hands over what waits if that is asked for.
    fn tick(&self, local: &mut Self::Local);
    /// An event of the fast path goes on: the worker holds what it has noted.
    fn hold(&self, _local: &mut Self::Local) {}
    /// What comes may last, and cannot be begun anew: what the worker has noted can be taken meanwhile. An event of the fast
    /// path may be under construction: it is to be [held](Self::hold) again before it goes on.
    fn lay_down(&self, _local: &mut Self::Local) {}
    /// As [`lay_down`](Self::lay_down), before a body.
    fn enter_body(&self, _local: &mut Self::Local, _body: UnderWay) {}
    /// The body has ended; what the worker has noted is laid down.
    fn leave_body(&self, _local: &mut Self::Local) {}
    /// Hands over what workers have laid down, and asks for what they hold. Called by another thread, every
    /// [`PERIOD`](crate::collector::shelf::PERIOD).
    fn look(&self) {}
    /// Has the record synced, as far as it has been handed over, and waits for that. Returns false where there is none, or
    /// where that fails.
    fn sync(&self) -> bool {
        false
    }
    /// Brings all events that have ended onto the disk, from whatever thread; `None` where there is no record.
    fn write_ahead(&self) -> Option<WriteAhead> {
        None
    }
    /// Whether looks are to be taken.
    fn wants_looks(&self) -> bool {
        false
    }
    /// The run is over.
    fn finish(&self, local: &mut Self::Local) {
        self.flush(local);
    }

    /// The digest of all events, where it is computed. The run is over.
    fn digest(&self) -> Option<HistoryDigest> {
        None
    }

    /// Whether the record is to tell where actions stopped that could have gone on.
    fn wants_cut(&self) -> bool {
        false
    }
    /// Whether workers are to let a cut be made: they hand over what they have noted, and give up their gates.
    fn is_cut_due(&self) -> bool {
        false
    }
    /// Whether it is time for a cut; workers are asked for it then.
    fn is_time_for_cut(&self) -> bool {
        false
    }
    /// Whether each worker makes a cut whenever one can be made: for tests.
    fn cuts_often(&self) -> bool {
        false
    }
    /// Whether workers hand over what they note, and say so when they are within bodies.
    fn hands_over(&self) -> bool {
        false
    }
    /// Keeps a worker from ending its body, if it is executing one.
    fn hold_body(&self, _worker_idx: usize) -> Option<HeldBody<'_>> {
        None
    }
    /// Hands over what workers that execute bodies have noted.
    fn hand_over_bodies(&self, _bodies: &mut [HeldBody<'_>]) {}
    /// How long a cut waits for workers.
    fn cut_patience(&self) -> Duration {
        Duration::ZERO
    }
    /// A cut was made, at this cost, or could not be made now; workers waited for each other for so long.
    fn cut_was_tried(&self, _cost: Option<Duration>, _wait: Duration) {}
    /// All that was recorded has been handed over but for what those executing bodies have noted; this is where actions stopped
    /// that could have gone on.
    fn hand_over_cut(&self, _bodies: &mut [HeldBody<'_>], _batch: EventBatch) {}

    /// Values were dropped as a port was full. Called between events.
    fn no_room(&self, _local: &mut Self::Local, _place: &PortPlace<'_>, _dropped: Vec<DroppedValue>) {}

    /// Hands over changes of queues made by hand, with what they name.
    fn hand_over_edits(&self, _batch: EventBatch) {}

    /// Replay: what the record says about an event; `None` where it was not recorded.
    fn expected(&self, _id: EventId) -> Option<ExpectedEvent<'_>> {
        None
    }
    /// Isolation: where the answers of the world come from, whatever the mode.
    fn answers(&self) -> Option<EffectSource> {
        None
    }
    /// The effects of an event in the record; none where it was not recorded.
    fn recorded_effects(&self, id: EventId) -> &[Effect] {
        self.expected(id).map(|event| event.effects).unwrap_or_default()
    }
    /// Replay: the names of what was recorded.
    fn recorded(&self) -> Option<&Script> {
        None
    }
    /// Replay of a minimal record: whose value comes next from an element of a port. `told` is whom the record
    /// names, `before` whose value the same execution takes from there just before.
    fn wanted_sender(
        &self,
        _keep: &Self::Keep,
        _told: Option<ActionId>,
        _before: Option<ActionId>,
        _taken: &Taken<'_>,
    ) -> WantedSender {
        WantedSender::Unknown
    }
    /// Replay of a minimal record: where the lines of an event stand if the record does not tell.
    fn next_line(_draft: &Self::Draft) -> Option<u64> {
        None
    }
    /// Replay of a minimal record: by which arc a value came.
    fn arc(_stamp: &Self::Stamp) -> Option<ArcId> {
        None
    }
    /// Replay: who sent a value.
    fn sender(_stamp: &Self::Stamp) -> Option<EventId> {
        None
    }
    /// Replay: the version of an object.
    fn version(_mark: &Self::Mark) -> Version {
        Version::default()
    }
    /// Replay: the record of an execution that is under way.
    fn drafted(_draft: &Self::Draft) -> Option<&EventRecord> {
        None
    }
}
