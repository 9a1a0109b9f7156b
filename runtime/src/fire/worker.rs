//! Workers: threads that serve ready instances, one activation at a time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hasse_body::effects::SharedContext;
use hasse_body::script::{CodeError, ScriptEnd};
use hasse_body::statements::Statements;
use hasse_body::{interrupt, memory};
use hasse_code::frame::Frame;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ArcId, ScriptId};
use hasse_model::value::Value;
use hasse_record::collector::shelf::UnderWay;
use hasse_record::instrumentation::Instrumentation;
use hasse_schedule::scheduler::Local;
use hasse_store::bounded::HeldBack;
use hasse_store::execution::Progress;
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::outgoing::{Created, Hop, Outgoing};
use hasse_store::token::Delivery;
use rhai::Engine;
use rustc_hash::FxHashMap;
use thin_vec::ThinVec;

use crate::fire::lane::local::{LaneLocal, Moved, Next, Sent, Step};
use crate::fire::lane::matched::matches::Matches;
use crate::fire::session::Session;
use crate::fire::walk::Stepper;
use crate::fire::wanted::{Shortage, Wanted};
use crate::fire::worker::abandon::AbandonOnPanic;

pub(crate) use hasse_request::control::state::Why;

/// Workers that go down.
pub(crate) mod abandon;
/// Serving by decisions from outside.
pub(crate) mod choices;
/// Names of an instance.
pub(crate) mod scope;

/// How often an idle worker looks for work before it goes to sleep.
const MAX_LOOKS: u32 = 64;
/// A worker that goes on with an instance shares what it has ready when a body is to run, or when it
/// has served the instance for this long: below, waking another worker costs more than it gains.
pub(crate) const BUSY_AFTER: Duration = Duration::from_micros(20);
/// A worker leaves an instance with bodies after this long, if others are ready: long bodies must not
/// keep the rest of a pipeline waiting for a whole batch.
pub(crate) const TURN: Duration = Duration::from_micros(50);

/// Steps of work outside of scripts after which it is looked whether it may go on.
const STEPS_BETWEEN_LOOKS: u32 = 1_024;

/// Buffers for draining the inbox of the instance that a worker serves.
pub(crate) struct InboxBuffers<M: Instrumentation> {
    /// Values drained from the inbox, before they are moved to the ports.
    pub(crate) arrivals: ThinVec<Delivery<M>>,
    /// Senders that waited for room and are to be scheduled.
    pub(crate) woken: Vec<Ready<M>>,
    /// True if the room on the ports has been counted in this turn, and no value was taken since.
    pub(crate) has_counted: bool,
}

impl<M: Instrumentation> InboxBuffers<M> {
    const fn new() -> Self {
        Self { arrivals: ThinVec::new(), woken: Vec::new(), has_counted: false }
    }
}

/// One worker thread.
pub(crate) struct Worker<'s, 'p, M: Instrumentation> {
    pub(crate) session: &'s Session<'p, M>,
    pub(crate) local: Local<Ready<M>>,
    pub(crate) notes: M::Local,
    pub(crate) engine: Engine,
    pub(crate) context: &'s SharedContext,
    /// The scope of the template that is being served.
    pub(crate) frame: Box<Frame>,
    /// Scopes of the other templates, by template; `None` for the one in use and for those that
    /// this worker has not served yet.
    frames: Vec<Option<Box<Frame>>>,
    /// The frame that stands in `frame` while no template is served.
    no_frame: Option<Box<Frame>>,
    pub(crate) buffers: InboxBuffers<M>,
    /// True if events may be served by columns, in lanes.
    has_straights: bool,
    /// Whether values may be relayed.
    relays: bool,
    /// Who is served next, without the scheduler.
    pub(crate) next: Option<Next<'s, M>>,
    /// What the lane keeps, by template.
    pub(crate) lane_locals: Vec<Option<Box<LaneLocal<'s, M>>>>,
    /// By template, what relays have to know.
    pub(crate) steps: Vec<Option<Step<'s, M>>>,
    /// Entries of the matching store that are to be served.
    pub(crate) matches: Matches<'s, M>,
    /// In the lane: what the event under way sends.
    pub(crate) lane_sent: Vec<Sent>,
    /// Values of these that are moved, not copied, when the event ends.
    pub(crate) lane_moved: Vec<Moved<'p>>,
    pub(crate) wanted: Vec<Wanted>,
    /// Position there of a value that a rule lacks, as of the last look.
    pub(crate) missing: Option<usize>,
    /// Values that rules lack which take many, oldest first.
    pub(crate) shortages: Vec<Shortage>,
    /// Numbers of values that the rule of `wanted` takes where it takes as many as there are.
    pub(crate) up_to: Vec<u32>,
    pub(crate) enabled: Vec<usize>,
    pub(crate) outgoing: Vec<Outgoing>,
    /// Time until the values come that the routing rule under way sends, in nanoseconds.
    pub(crate) delay: u64,
    /// Number of events for whose values room is kept in the turn of a sender to bounded ports; else without end.
    pub(crate) room: usize,
    /// Values without room that the event under way has sent.
    pub(crate) held_back: Option<Box<HeldBack<M>>>,
    /// Values of the event under way for ports that drop what they have no room for.
    pub(crate) for_dropping: Option<Box<HeldBack<M>>>,
    pub(crate) routes_taken: Vec<u32>,
    pub(crate) hops: VecDeque<Hop<'p>>,
    pub(crate) arc_locals: Vec<Option<i64>>,
    pub(crate) arc_numbers: Vec<i64>,
    pub(crate) loop_numbers: Vec<i64>,
    /// Values sent, with the names of their ports, where they are kept.
    pub(crate) sent: Vec<(String, Value)>,
    /// In a controlled run: values with the arcs that they are about to pass, in order.
    pub(crate) passed: Vec<(ArcId, Value)>,
    /// In a controlled run: actions that these values are about to create.
    pub(crate) created: Vec<Created>,
    /// Evaluates what the user asks at breakpoints.
    pub(crate) queries: Option<Engine>,
    /// Ports that values were sent to, with the position in `sent`, where they are kept.
    pub(crate) receivers: Vec<(usize, String)>,
    /// Whether `sent` is kept of the execution under way.
    pub(crate) keeps_sent: bool,
    /// Whether `receivers` is.
    pub(crate) keeps_receivers: bool,
    /// Set when an event that has left its lane is stopped: true if by `stop` for all actions alone.
    stopped_in_lane: Option<bool>,
    /// Executes the bodies that are looked at.
    pub(crate) stepper: Option<Stepper>,
    /// The statements of scripts that were looked at.
    pub(crate) statements: FxHashMap<ScriptId, Arc<Statements>>,
    pub(crate) n_events: u64,
    pub(crate) worker_idx: usize,
    /// Steps of the work outside of scripts that is under way: loops of rules, calls on the way of a value.
    n_steps: u32,
    /// Bytes that the thread held when it began.
    held_at_start: i64,
}

/// What came of serving an instance.
pub(crate) enum Served {
    /// It is to be served again.
    Again,
    /// It was let go of, or waits for a lock.
    Left,
    /// It is stopped: by `stop` for all actions alone, or also otherwise.
    Stopped { by_all: bool },
}

impl<'s, 'p, M: Instrumentation> Worker<'s, 'p, M> {
    pub(crate) fn new(
        session: &'s Session<'p, M>,
        context: &'s SharedContext,
        local: Local<Ready<M>>,
        worker_idx: usize,
    ) -> Self {
        memory::limit_thread(session.memory);
        interrupt::obey(&session.stop);
        Self {
            session,
            local,
            notes: session.instrumentation.local(worker_idx),
            engine: session.engine(context),
            context,
            frame: Box::new(Frame::new(Vec::new())),
            frames: session.program.plan.templates.iter().map(|_| None).collect(),
            no_frame: None,
            buffers: InboxBuffers::new(),
            has_straights: session.has_lanes() && session.has_columns(),
            // A relay asks for no room.
            relays: M::KEEPS_NOTHING
                && !session.has_bounds
                && session.has_columns()
                && session.board.is_none()
                && (session.has_lanes() || session.follows()),
            stopped_in_lane: None,
            next: None,
            lane_locals: session.program.plan.templates.iter().map(|_| None).collect(),
            steps: session.program.plan.templates.iter().map(|_| None).collect(),
            matches: Matches::new(session.program.plan.templates.len()),
            delay: 0,
            lane_sent: Vec::new(),
            lane_moved: Vec::new(),
            wanted: Vec::new(),
            missing: None,
            shortages: Vec::new(),
            up_to: Vec::new(),
            enabled: Vec::new(),
            outgoing: Vec::new(),
            room: usize::MAX,
            held_back: None,
            for_dropping: None,
            routes_taken: Vec::new(),
            hops: VecDeque::new(),
            arc_locals: Vec::new(),
            arc_numbers: Vec::new(),
            loop_numbers: Vec::new(),
            sent: Vec::new(),
            passed: Vec::new(),
            created: Vec::new(),
            queries: None,
            receivers: Vec::new(),
            keeps_sent: false,
            keeps_receivers: false,
            stepper: None,
            statements: FxHashMap::default(),
            n_events: 0,
            worker_idx,
            n_steps: 0,
            held_at_start: 0,
        }
    }

    /// Work outside of scripts begins that a program can make as large as it likes.
    pub(crate) fn begin_steps(&mut self) {
        self.n_steps = 0;
        self.held_at_start = memory::held();
    }

    /// Counts one step of such work, and looks now and then whether it may go on.
    ///
    /// # Errors
    /// The run is to end, or the memory budget of the event is used up.
    #[inline]
    pub(crate) fn step(&mut self, at: Location) -> Result<(), CodeError> {
        self.step_since(self.held_at_start, at)
    }

    /// The same for work that began when the thread held `held_at_start` bytes.
    #[inline]
    pub(crate) fn step_since(&mut self, held_at_start: i64, at: Location) -> Result<(), CodeError> {
        self.n_steps += 1;
        if self.n_steps < STEPS_BETWEEN_LOOKS {
            return Ok(());
        }
        self.n_steps = 0;
        if self.session.stop.is_set() {
            return Err(ScriptEnd::Interrupted.into());
        }
        memory::check_since(held_at_start).map_err(|message| CodeError { code: "R0010", message, at })
    }

    /// Serves until the run is over; returns the number of events executed, and what the scheduler
    /// keeps for this worker.
    pub(crate) fn serve(mut self, worker_idx: usize) -> (u64, Local<Ready<M>>) {
        let guard = AbandonOnPanic(self.session);
        let reclaim = &self.session.registry.reclaim;
        loop {
            let mut gate = reclaim.enter(worker_idx);
            while self.activate() {
                self.session.instrumentation.tick(&mut self.notes);
                // A worker that waits in a body holds its gate.
                let is_blocked = M::CONTROLLED && self.session.pool.has_blocked();
                if reclaim.is_due() && !is_blocked {
                    self.give_up_next();
                    self.session.instrumentation.lay_down(&mut self.notes);
                    if M::NOTES_CHOICES {
                        self.session.instrumentation.flush(&mut self.notes);
                    }
                    drop(gate);
                    let script = self.session.instrumentation.recorded().filter(|_| self.session.replays());
                    reclaim.look(self.session.program, &self.session.registry, script);
                    gate = reclaim.enter(worker_idx);
                }
                if M::NOTES_CHOICES && self.session.instrumentation.is_cut_due() {
                    self.give_up_next();
                    self.session.instrumentation.flush(&mut self.notes);
                    drop(gate);
                    self.session.let_cut();
                    gate = reclaim.enter(worker_idx);
                }
            }
            // Whoever holds all gates finds everything handed over.
            self.session.instrumentation.flush(&mut self.notes);
            self.session.instrumentation.lay_down(&mut self.notes);
            drop(gate);
            if !self.session.sleep() {
                break;
            }
        }
        self.session.instrumentation.finish(&mut self.notes);
        guard.leave();
        (self.n_events, self.local)
    }

    fn find(&mut self) -> Option<Ready<M>> {
        let is_thief = self.session.scheduler.has_clock() && !self.session.scheduler.has_other(&self.local);
        // Nobody else makes work for the only worker, and virtual time passes while all are asleep.
        let is_alone = self.session.pool.n_workers() == 1 || self.session.outside.clock.is_virtual();
        let n_looks = if is_alone { 1 } else { MAX_LOOKS };
        for look in 0..n_looks {
            if let Some(instance) = self.session.pop(&mut self.local) {
                if is_thief {
                    // What was stolen beyond it is for whoever sleeps.
                    self.session.wake_for_surplus(&self.local);
                }
                return Some(instance);
            }
            (0..look).for_each(|_| std::hint::spin_loop());
        }
        None
    }

    /// Serves an instance: the one that was made ready to be next, or whom the scheduler gives; false if there is none.
    fn activate(&mut self) -> bool {
        if self.session.is_anything_due() {
            self.deliver_due();
        }
        if self.session.rest.is_asked() {
            return self.activate_in_pause();
        }
        if let Some(next) = self.next.take() {
            if self.session.may_go_on(&mut self.local, next.instance.template) {
                self.session.instrumentation.begin_turn(&mut self.notes);
                let relays = self.relays && !self.session.rest.keeps(next.instance.template);
                let Some(next) = (if relays { self.relay(next) } else { Some(next) }) else {
                    return true;
                };
                let mut core = next.instance.core.lock();
                self.take_over(&next, &mut core);
                let served = self.serve_once(next.instance, &mut core);
                drop(core);
                if !matches!(served, Served::Left) {
                    self.leave_served(served, Arc::clone(next.instance));
                }
                return true;
            }
            self.give_up(&next);
        }
        if self.serves_matched() {
            return true;
        }
        if let Some(choices) = self.session.scheduler.by_choice() {
            return self.activate_by_choice(choices);
        }
        let Some(instance) = self.find() else { return self.matches.is_any() };
        self.scheduler_pause();
        let served = self.serve_once(&instance, &mut instance.core.lock());
        self.leave_served(served, instance);
        true
    }

    #[inline]
    pub(crate) fn leave_served(&mut self, served: Served, instance: Ready<M>) {
        if self.session.awaits_first.load(Ordering::Relaxed) && !matches!(served, Served::Stopped { .. }) {
            self.session.start_others(&instance);
        }
        match served {
            Served::Again => {
                self.session.requeue(&mut self.local, instance);
            }
            Served::Left => {}
            Served::Stopped { by_all } => {
                if let Some(instance) = self.session.hold(instance, by_all) {
                    self.session.make_ready(&mut self.local, instance);
                }
            }
        }
    }

    /// Goes on with what waited for a lock, then fires as long as rules are enabled, up to a batch.
    pub(crate) fn serve_once(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Served {
        if !self.session.at_once.is_bounded(instance.template) {
            return self.serve_placed(instance, core);
        }
        let has_place = core.pending.is_some() || core.is_granted;
        let session = self.session;
        if !has_place && !session.at_once.take(session.program.plan, instance) {
            return Served::Left;
        }
        let served = self.serve_placed(instance, core);
        if core.pending.is_none() && !core.is_granted {
            let make_ready = |next| session.make_ready(&mut self.local, next);
            session.at_once.give_back(session.program.plan, instance.template, make_ready);
        }
        served
    }

    /// The same for an instance that may execute.
    fn serve_placed(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Served {
        if !self.session.has_bounds {
            return self.serve_unbounded(instance, core);
        }
        self.buffers.has_counted = false;
        // An execution under way goes on first.
        let has_begun = core.pending.is_some() || core.is_granted;
        let served = match has_begun || self.sends_held_back(instance, core) {
            true => self.serve_unbounded(instance, core),
            false => Served::Left,
        };
        let served = self.leave_with_held_back(instance, core, served);
        match self.buffers.has_counted {
            true => self.wake_for_room(),
            false => {
                let goes_on = matches!(served, Served::Again) && self.goes_on_shortly(instance);
                self.make_room_for_turn(instance, core, goes_on);
            }
        }
        served
    }

    /// Sees to it that an instance with values that have no room is served again when they have.
    fn leave_with_held_back(&mut self, instance: &Ready<M>, core: &mut Core<M>, served: Served) -> Served {
        let is_parked = core.pending.is_some() || core.is_granted || matches!(served, Served::Stopped { .. });
        let is_over = self.session.begins_no_more() || self.session.is_interrupted();
        if core.held_back.is_none() || is_parked || is_over {
            return served;
        }
        let was_scheduled = std::mem::replace(&mut instance.inbox.lock().is_scheduled, true);
        match served {
            // Somebody else has made it ready, or it waits for room already.
            Served::Left if was_scheduled => Served::Left,
            _ if self.sends_held_back(instance, core) => Served::Again,
            _ => Served::Left,
        }
    }

    /// The same for an instance of which no value waits for room.
    fn serve_unbounded(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Served {
        self.session.instrumentation.begin_turn(&mut self.notes);
        if core.pending.is_some() {
            self.load(instance, core);
            let served = self.fire_pending(instance, core);
            self.unload(instance, core);
            if let Some(served) = served {
                return served;
            }
            if !self.sends_held_back(instance, core) {
                return Served::Left;
            }
            if self.session.rest.is_asked() {
                return Served::Again;
            }
        }
        let is_kept = self.session.rest.keeps(instance.template) && !core.is_granted;
        if is_kept && self.keep_state(instance, core) {
            self.load(instance, core);
            let served = self.fire_event(instance, core);
            self.unload(instance, core);
            return served;
        }
        // A port that drops values is looked at before each event.
        let is_unwatched = self.is_unwatched(instance, core) && !self.session.drops(instance.template);
        if self.has_straights
            && is_unwatched
            && let Some(served) = self.serve_straight(instance, core)
        {
            return self.served_in_lane(served);
        }
        let lane = if is_unwatched { self.lane_of(instance, core) } else { None };
        if let Some(lane) = lane.filter(|lane| lane.plain.is_ok())
            && let Some(served) = self.fire_in_lane(instance, core, lane)
        {
            return self.served_in_lane(served);
        }
        self.load(instance, core);
        let lane = lane.filter(|lane| lane.plain.is_err());
        let served = match lane.and_then(|lane| self.fire_in_lane(instance, core, lane)) {
            Some(served) => self.served_in_lane(served),
            None => self.fire(instance, core),
        };
        self.unload(instance, core);
        served
    }

    /// Returns the result of serving an instance in a lane, whose last event may have stopped in the general way.
    #[inline]
    fn served_in_lane(&mut self, served: Served) -> Served {
        if !M::CONTROLLED {
            return served;
        }
        self.stopped_in_lane.take().map_or(served, |by_all| Served::Stopped { by_all })
    }

    /// Keeps an execution that has left a lane and waits or is stopped with its instance.
    #[cold]
    pub(crate) fn leave_lane(&mut self, instance: &Instance<M>, core: &mut Core<M>, progress: Progress<M>) {
        if let Some(Served::Stopped { by_all }) = self.set_aside(instance, core, progress) {
            self.stopped_in_lane = Some(by_all);
        }
    }

    /// Goes on with the execution that waited for a lock or an answer, or was stopped.
    fn fire_pending(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Option<Served> {
        let mut execution = core.pending.take()?;
        self.take_state_up(instance);
        self.session.instrumentation.lay_down(&mut self.notes);
        let stopped = execution.controlled.as_mut().and_then(|controlled| controlled.stopped.take());
        let progress = match stopped {
            Some(stopped) => self.resume(instance, core, *execution, *stopped),
            None => {
                for (slot_idx, value) in execution.bound.drain(..) {
                    self.frame.set(slot_idx, value);
                }
                if let Some(context) = execution.waiting.take() {
                    let progress = self.resume_waiting(instance, core, *execution, *context);
                    return self.set_aside(instance, core, progress);
                }
                // The lock that it waited for was granted by whoever gave it back.
                execution.n_locks += 1;
                self.execute(instance, core, *execution)
            }
        };
        self.set_aside(instance, core, progress)
    }

    /// Executes one event, of an instance that has received all that has come.
    fn fire_event(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Served {
        self.session.instrumentation.lay_down(&mut self.notes);
        if self.session.begins_no_more() || self.session.is_interrupted() {
            self.stays(instance, core, false);
            return Served::Left;
        }
        if !self.sends_held_back(instance, core) {
            return Served::Left;
        }
        let Some(execution) = self.select(instance, core) else {
            return if self.stays(instance, core, true) { Served::Again } else { Served::Left };
        };
        self.make_room(instance, core);
        let progress = self.execute(instance, core, execution);
        self.set_aside(instance, core, progress).unwrap_or(Served::Again)
    }

    fn fire(&mut self, instance: &Ready<M>, core: &mut Core<M>) -> Served {
        self.session.instrumentation.lay_down(&mut self.notes);
        let has_body = self.session.program.plan.template(instance.template).body.is_some();
        let mut began = None;
        for nth in 0..self.session.scheduler.batch_size(&mut self.local) {
            self.collect(instance, core);
            if self.session.begins_no_more() || self.session.is_interrupted() {
                self.stays(instance, core, false);
                return Served::Left;
            }
            if !self.sends_held_back(instance, core) {
                return Served::Left;
            }
            let Some(execution) = self.select(instance, core) else {
                if self.stays(instance, core, true) {
                    continue;
                }
                return Served::Left;
            };
            if nth > 0 && self.session.pool.has_sleeper() {
                let is_busy = has_body || began.get_or_insert_with(Instant::now).elapsed() >= BUSY_AFTER;
                if is_busy {
                    self.session.scheduler.share(&mut self.local);
                    self.session.wake_for_surplus(&self.local);
                }
            }
            // The values are taken: others may come while the body runs.
            self.make_room(instance, core);
            let turn_began = (self.session.scheduler.has_clock() && has_body)
                .then(|| *began.get_or_insert_with(Instant::now));
            let progress = self.execute(instance, core, execution);
            if let Some(served) = self.set_aside(instance, core, progress) {
                return served;
            }
            let has_had_turn = turn_began.is_some_and(|began| began.elapsed() >= TURN)
                && self.session.has_other(&self.local);
            let is_outranked = self.session.is_outranked(&self.local, instance.template);
            if has_had_turn || is_outranked || self.lets_cut() {
                return Served::Again;
            }
        }
        Served::Again
    }

    /// Keeps an execution that did not end with its instance, which stays scheduled.
    fn set_aside(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        progress: Progress<M>,
    ) -> Option<Served> {
        match progress {
            Progress::Ended => None,
            Progress::Waits(execution) => {
                self.park(instance, core, execution);
                Some(Served::Left)
            }
            Progress::Stopped(execution) => {
                let stopped = execution.controlled.as_ref().and_then(|held| held.stopped.as_ref());
                let by_all = stopped.is_some_and(|stopped| stopped.reasons == [Why::Everything]);
                core.pending = Some(execution);
                Some(Served::Stopped { by_all })
            }
        }
    }

    /// Moves what has arrived from the inbox to the ports.
    pub(crate) fn collect(&mut self, instance: &Instance<M>, core: &mut Core<M>) {
        core.open_ports(self.session.program.plan.template(instance.template));
        core.receive_tokens(instance, &mut self.buffers.arrivals);
        if self.session.drops(instance.template) {
            self.drop_beyond(instance, core);
        }
    }

    /// Lets go of an instance, unless more has arrived and `looks_again`.
    fn stays(&mut self, instance: &Instance<M>, core: &Core<M>, looks_again: bool) -> bool {
        let mut inbox = instance.inbox.lock();
        let is_due = std::mem::take(&mut inbox.looks_again);
        let stays = looks_again && (is_due || !inbox.is_empty());
        inbox.is_scheduled = stays;
        inbox.filled = core.filled();
        stays
    }

    /// Puts away an execution that waits for a lock or an answer. The instance stays scheduled.
    pub(crate) fn park(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        mut execution: Box<hasse_store::execution::Execution<M>>,
    ) {
        self.put_state_away(instance);
        let layout = &self.session.program.layouts[instance.template.idx()];
        execution.bound.extend(layout.bound.clone().map(|slot_idx| (slot_idx, self.frame.take(slot_idx))));
        core.pending = Some(execution);
    }

    /// Whether the worker leaves what it serves, as a pause is asked for or a cut is due. No cut where the run is to be a function of
    /// a seed.
    pub(crate) fn lets_cut(&self) -> bool {
        self.session.rest.is_asked()
            || M::NOTES_CHOICES
                && self.session.scheduler.has_clock()
                && self.session.instrumentation.is_cut_due()
    }

    /// An execution comes to its body: what has been noted can be taken from now on, and the execution is known to be within
    /// its body. `waiting` are the receivers for whom values wait with this worker.
    pub(crate) fn begin_body(&mut self, instance: &Instance<M>, count: u64, waiting: u64) {
        let (action, template, n_events) = (instance.action, instance.template, self.n_events);
        let body = UnderWay { action, template, n_ended: count.saturating_sub(1), waiting, n_events };
        self.session.instrumentation.enter_body(&mut self.notes, body);
    }

    /// Its body has ended. What has been noted stays laid down.
    pub(crate) fn end_body(&mut self) {
        self.session.instrumentation.leave_body(&mut self.notes);
    }

    pub(crate) fn scheduler_pause(&mut self) {
        self.session.scheduler.pause(&mut self.local);
    }
}
