//! Effects: everything that a body learns or says beyond its values goes through here.
//!
//! One [`EventContext`] belongs to one worker and serves one event at a time. While it records, each
//! answer is noted; while it replays, the answers come from the record and the world is not asked.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::time::{Duration, Instant};

use hasse_model::event::{Effect, EffectKind};
use hasse_model::value::Value;
use parking_lot::{Mutex, MutexGuard};

use crate::interrupt;
use crate::out_of_band;
use crate::output::lasting::Seen;
use crate::output::{Block, Note, OutputOrder, printed_early};
use crate::sandbox::{Outside, Use};
use crate::seed::{event_seed, split_mix};
use crate::waiting::{self, Pending};

/// The context as the interpreter's functions of one worker share it with that worker.
///
/// Most events ask and say nothing. For them a worker only [announces](Self::announce) the event, and the
/// context is made ready for it by the first function that needs it.
#[derive(Clone, Debug, Default)]
pub struct SharedContext(Arc<Announced>);

#[derive(Debug, Default)]
struct Announced {
    context: Mutex<EventContext>,
    /// What is to be made ready for; a number of [`Announcement`].
    awaited: AtomicU8,
    /// Of the announced event: what its random numbers depend on.
    seed_of_action: AtomicU64,
    count: AtomicU64,
}

/// Source of the answers to an announced event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement {
    /// From the world; not noted.
    World = 1,
    /// From the world; noted.
    WorldRecorded = 2,
    /// From a record that has none.
    NoAnswers = 3,
}

/// Maximum number of answers that are kept only to be given again: a compiled body that asks more is left to the interpreter.
const MOST_KEPT_ANSWERS: usize = 4_096;

/// The context is that of the event under way.
const IS_READY: u8 = 0;

/// Longest computation that is repeated in one event because it waits. Not short: a worker that is kept may be the one that others need
/// to answer, and on a busy machine a body that computes little takes long.
const LONGEST_REPEATED: Duration = Duration::from_secs(10);

/// An event that may be put aside while it waits.
#[derive(Debug)]
struct MayWait {
    /// Start of the current execution of the body.
    began: Instant,
    /// Total time of earlier executions.
    repeated: Duration,
}

impl SharedContext {
    /// Shares a context.
    pub fn new(context: EventContext) -> Self {
        Self(Arc::new(Announced { context: Mutex::new(context), ..Announced::default() }))
    }

    /// Locks the context, ready for the current event.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, EventContext> {
        let mut context = self.0.context.lock();
        let source = match self.0.awaited.swap(IS_READY, Relaxed) {
            IS_READY => return context,
            awaited if awaited == Announcement::World as u8 => EffectSource::World,
            awaited if awaited == Announcement::WorldRecorded as u8 => EffectSource::WorldRecorded,
            _ => EffectSource::Record { answers: Vec::new().into_iter(), mismatch: None },
        };
        context.begin(source, event_seed(self.0.seed_of_action.load(Relaxed), self.0.count.load(Relaxed)));
        context
    }

    /// Writes the lines of a long event that were there at the last look already. Skips a context that is in use.
    pub(crate) fn flush_lasting(&self, seen: &mut Seen, output: &OutputOrder) {
        let Some(mut context) = self.0.context.try_lock() else { return };
        if context.serial == seen.serial && seen.n_lines > context.n_written {
            context.flush(output);
        }
        *seen = Seen { serial: context.serial, n_lines: context.lines.len() };
    }

    /// Sets the action whose events are announced next.
    #[inline]
    pub fn announce_action(&self, seed_of_action: u64) {
        self.0.seed_of_action.store(seed_of_action, Relaxed);
    }

    /// Announces an event of the announced action. Only the worker that has the context calls this.
    #[inline]
    pub fn announce(&self, announcement: Announcement, count: u64) {
        self.0.count.store(count, Relaxed);
        self.0.awaited.store(announcement as u8, Relaxed);
    }

    /// Returns `true` if the event announced last has asked or printed something.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.0.awaited.load(Relaxed) == IS_READY
    }
}

/// Effects, lines and results of one event so far.
#[derive(Debug, Default)]
pub struct EventContext {
    source: EffectSource,
    log: Vec<Effect>,
    /// Lines printed, in order.
    pub lines: Vec<String>,
    /// Number of lines that have been written to the output.
    n_written: usize,
    /// Those of them that a body which was begun again had printed before.
    written_before: Vec<String>,
    /// Where they are.
    blocks: Vec<Block>,
    /// Whether the event has not ended, so that its lines may be written.
    is_open: bool,
    /// Number of events that the context was made ready for.
    serial: u64,
    /// Results set, in order.
    pub results: Vec<(String, Value)>,
    /// Notes of the debugger within the event, each with the number of lines before it.
    pub notes: Vec<(usize, Note)>,
    /// State of the event's random numbers (SplitMix64).
    random_state: u64,
    /// The state with which the event, or the attempt, began.
    random_seed: u64,
    /// Numbers of answers and lines of attempts before, which have failed.
    failed: (usize, usize),
    /// Answers that the body was given before it was begun again: it is given them once more.
    again: std::vec::IntoIter<Effect>,
    /// True if answers are kept although they are not recorded: a restarted body gets them again.
    keeps_answers: bool,
    /// State of an event that may be suspended while it waits; `None` where a question blocks its worker.
    may_wait: Option<MayWait>,
    /// The answer that the event waits for, or that it was put aside for.
    pending: Option<Pending>,
    /// The event was put aside for a pause before its next attempt, not for an answer.
    is_pausing: bool,
    /// The event takes nothing that others have sent: a run that drains does not wait for its times.
    is_source: bool,
    /// The event is cancelled: the question for which it waits is not answered.
    is_cancelled: bool,
    /// Maximum time that an attempt may wait, in nanoseconds, and the moment at which it is over.
    deadline: Option<(u64, u64)>,
    /// The body has ended as it waits for that answer.
    is_waiting: bool,
    /// The end of the run has interrupted a question.
    is_cut_off: bool,
    outside: Arc<Outside>,
    /// Where lines are written before a question that may wait long; `None` where they wait for the end of the event.
    output: Option<Arc<OutputOrder>>,
}

/// Source of answers.
#[derive(Debug, Default)]
pub enum EffectSource {
    /// From the world; answers are not noted.
    #[default]
    World,
    /// From the world; answers are noted.
    WorldRecorded,
    /// From the record, in order; they are noted again.
    Record {
        /// The answers that the recorded event was given.
        answers: std::vec::IntoIter<Effect>,
        /// The first question that does not fit the record.
        mismatch: Option<String>,
    },
    /// From the record as long as its answers fit the questions, from then on from the world; noted.
    RecordThenWorld {
        /// The answers that the recorded event was given.
        answers: std::vec::IntoIter<Effect>,
    },
}

impl EventContext {
    /// The context of a worker, and what it may reach of the world.
    pub fn new(outside: Arc<Outside>) -> Self {
        Self { outside, ..Self::default() }
    }

    /// Sets the output for lines that are written before their event ends.
    #[must_use]
    pub fn with_output(self, output: &Arc<OutputOrder>) -> Self {
        Self { output: Some(Arc::clone(output)), ..self }
    }

    /// Prepares for the next event. `random_seed` fixes the random numbers that it will draw.
    #[inline]
    pub fn begin(&mut self, source: EffectSource, random_seed: u64) {
        self.source = source;
        self.random_state = random_seed;
        self.random_seed = random_seed;
        if !self.again.as_slice().is_empty() {
            self.again = Vec::new().into_iter();
        }
        self.keeps_answers = false;
        self.may_wait = None;
        self.pending = None;
        self.is_pausing = false;
        self.is_source = false;
        self.is_cancelled = false;
        self.deadline = None;
        self.is_waiting = false;
        self.is_cut_off = false;
        self.failed = (0, 0);
        self.log.clear();
        self.lines.clear();
        self.n_written = 0;
        self.written_before.clear();
        self.blocks.clear();
        self.is_open = true;
        self.serial += 1;
        self.results.clear();
    }

    /// Prints a text as whole lines.
    #[inline]
    pub fn print(&mut self, text: &str) {
        self.lines.extend(text.split('\n').map(str::to_owned));
    }

    /// Discards the lines printed and the results, as the body is executed again from its beginning. Lines that have been written are not
    /// written again: the body will print them again as they were. Questions asked before get the same answers again.
    pub fn begin_again(&mut self) {
        let (n_answers, n_lines) = self.failed;
        if n_lines < self.n_written && self.n_written <= self.lines.len() {
            self.written_before = self.lines[n_lines..self.n_written].to_vec();
        }
        self.lines.truncate(n_lines);
        self.results.clear();
        self.keeps_answers = self.may_wait.is_some();
        self.is_waiting = false;
        let mut given = self.log.split_off(n_answers.min(self.log.len()));
        given.extend(self.again.by_ref());
        if given.is_empty() && matches!(self.source, EffectSource::World) {
            // The numbers drawn were not kept: they are drawn again.
            self.random_state = self.random_seed;
        }
        self.again = given.into_iter();
    }

    /// Lets the event be put aside while it waits.
    pub fn let_wait(&mut self) {
        self.keeps_answers = true;
        self.may_wait = Some(MayWait { began: Instant::now(), repeated: Duration::ZERO });
    }

    /// Marks the event as one of a source: it takes nothing that others have sent.
    pub fn set_source(&mut self) {
        self.is_source = true;
    }

    /// Cancels the event: the question for which it waits fails, if its answer has not come.
    pub fn cancel(&mut self) {
        self.is_cancelled = true;
    }

    /// Limits the time that each attempt of the event may wait, in nanoseconds.
    pub fn set_deadline(&mut self, nanos: u64) {
        self.deadline = Some((nanos, self.outside.clock.nanos().saturating_add(nanos)));
    }

    /// The moment at which the event waits no more, in nanoseconds.
    pub fn deadline(&self) -> Option<u64> {
        self.deadline.filter(|_| !self.is_pausing).map(|(_, moment)| moment)
    }

    /// Puts the event aside until its next attempt, which begins after `nanos`.
    pub fn pause(&mut self, nanos: u64) {
        self.flush_early();
        self.pending = Some(Pending::At(self.outside.clock.nanos().saturating_add(nanos)));
        self.is_pausing = true;
        self.is_waiting = true;
    }

    /// Waits on this thread, before the next attempt.
    pub fn block(&mut self, nanos: u64) {
        self.flush_early();
        let pause = Pending::At(self.outside.clock.nanos().saturating_add(nanos));
        let ends_with_drain = self.ends_with_drain(&pause);
        // The end of the run interrupts the pause, and the attempt too.
        let _ = pause.block(&self.outside.clock, None, ends_with_drain);
        self.renew_deadline();
    }

    /// Returns true if the body has ended as it waits for an answer.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Returns true if the end of the run has interrupted a question.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Returns true if the answer has come that the event waits for.
    pub fn has_answer(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.has_come(&self.outside.clock))
    }

    /// Returns true if a run that drains does not wait for an answer: input, or a time in an event of a source.
    fn ends_with_drain(&self, pending: &Pending) -> bool {
        pending.is_input() || self.is_source && matches!(pending, Pending::At(_))
    }

    /// Returns true if a run that drains stops the event, which waits.
    pub fn is_stopped_by_drain(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| self.ends_with_drain(pending))
    }

    /// The answer that the event waits for.
    pub fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// The event is stopped, perhaps before its body, which was begun again, has done all that it had done before: takes the answers and
    /// written lines that are missing from then.
    pub fn take_from_before(&mut self) {
        self.log.extend(self.again.by_ref());
        let n_missing = self.n_written.saturating_sub(self.lines.len());
        let first = self.written_before.len().saturating_sub(n_missing);
        self.lines.extend(self.written_before.drain(first..));
    }

    /// The event goes on, whose body is executed again from its beginning.
    pub fn go_on(&mut self) {
        self.begin_again();
        if std::mem::take(&mut self.is_pausing) {
            self.pending = None;
            self.renew_deadline();
        }
        if let Some(may_wait) = &mut self.may_wait {
            may_wait.began = Instant::now();
        }
    }

    /// The body has failed, and is executed once more as if it were another: it gets other answers. What it has printed stays.
    pub fn begin_attempt(&mut self) {
        self.results.clear();
        self.random_seed = self.random_state;
        self.failed = (self.log.len(), self.lines.len());
        self.renew_deadline();
    }

    fn renew_deadline(&mut self) {
        if let Some((nanos, _)) = self.deadline {
            self.set_deadline(nanos);
        }
    }

    /// Prepares for the events of one action that are executed together, of which [`begin_row`](Self::begin_row) announces each.
    /// `log` holds the answers noted of those before them, and gets theirs, by [`end_rows`](Self::end_rows).
    pub(crate) fn begin_rows(&mut self, source: EffectSource, log: &mut Vec<Effect>) {
        self.begin(source, 0);
        std::mem::swap(&mut self.log, log);
    }

    /// Prepares for the next one of these events. `random_seed` fixes the random numbers that it will draw.
    #[inline(always)]
    pub(crate) fn begin_row(&mut self, random_seed: u64) {
        self.random_state = random_seed;
        self.random_seed = random_seed;
        if !self.again.as_slice().is_empty() {
            self.again = Vec::new().into_iter();
        }
    }

    /// The same, of an event whose answers a record has.
    pub(crate) fn begin_recorded_row(&mut self, answers: &[Effect]) {
        self.begin_row(0);
        let answers = answers.to_vec();
        self.source = EffectSource::Record { answers: answers.into_iter(), mismatch: None };
    }

    /// The event under way is executed again from its beginning: it gets the same answers, of which the first is at a position of
    /// the log.
    pub(crate) fn begin_row_again(&mut self, first_answer: usize) {
        let mut given = self.log.split_off(first_answer);
        given.extend(self.again.by_ref());
        if given.is_empty() {
            // The numbers drawn were not kept: they are drawn again.
            self.random_state = self.random_seed;
        }
        self.again = given.into_iter();
    }

    /// Number of answers noted.
    #[inline(always)]
    pub(crate) fn n_noted(&self) -> usize {
        self.log.len()
    }

    /// Discards the answers noted but for the first ones.
    #[inline]
    pub(crate) fn truncate_noted(&mut self, n_noted: usize) {
        self.log.truncate(n_noted);
    }

    /// Ends the events that are executed together.
    pub(crate) fn end_rows(&mut self, log: &mut Vec<Effect>) {
        std::mem::swap(&mut self.log, log);
    }

    /// Keeps the answers of the world from here on, although they are not noted, until the body is begun again. Returns `false` where
    /// too many have been kept.
    pub(crate) fn keep_answers(&mut self) -> bool {
        self.keeps_answers = true;
        !matches!(self.source, EffectSource::World) || self.log.len() < MOST_KEPT_ANSWERS
    }

    /// Writes the lines printed so far by an event that has not ended.
    pub fn flush(&mut self, output: &OutputOrder) {
        if !self.is_open {
            return;
        }
        let Some(lines) = self.lines.get(self.n_written..) else { return };
        let written = if self.notes.is_empty() {
            output.write_lines(lines)
        } else {
            let n_written = self.n_written;
            let after = |(n_before, note): (usize, Note)| (n_before.saturating_sub(n_written), note);
            output.write_noted(lines, std::mem::take(&mut self.notes).into_iter().map(after).collect())
        };
        let Some(first_line) = written else { return };
        let n_lines = lines.len();
        self.n_written += n_lines;
        match self.blocks.last_mut() {
            Some(last) if last.first_line + last.n_lines as u64 == first_line => last.n_lines += n_lines,
            _ => self.blocks.push(Block { first_line, n_lines }),
        }
    }

    /// Writes the lines printed so far to the output that [`with_output`](Self::with_output) has set, if any.
    pub fn flush_early(&mut self) {
        if let Some(output) = self.output.clone() {
            self.flush(&output);
        }
    }

    /// Ends the event, of which nothing more is written. Returns the blocks of its lines.
    #[inline]
    pub fn close(&mut self) -> Vec<Block> {
        self.is_open = false;
        std::mem::take(&mut self.blocks)
    }

    /// Returns the effects that record blocks of lines, of which the first one begins with the first line of the event.
    pub fn notes_of(&self, blocks: &[Block]) -> Vec<Effect> {
        let mut lines = &self.lines[..];
        let note = |block: &Block| {
            let (of_block, others) = lines.split_at_checked(block.n_lines)?;
            lines = others;
            Some(printed_early(block.first_line, of_block))
        };
        blocks.iter().map_while(note).collect()
    }

    /// The answers noted since [`begin`](Self::begin); takes them out.
    #[inline]
    pub fn take_log(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.log)
    }

    /// For a replayed event that has ended: how its questions differ from the recorded ones.
    #[inline]
    pub fn mismatch(&mut self) -> Option<String> {
        match &mut self.source {
            EffectSource::World | EffectSource::WorldRecorded | EffectSource::RecordThenWorld { .. } => None,
            EffectSource::Record { answers, mismatch } => mismatch.take().or_else(|| {
                let n_left = answers.len();
                (n_left > 0).then(|| format!("{n_left} recorded answers were not asked for"))
            }),
        }
    }

    /// Returns true unless the questions of a replayed event, which has ended, differ from the recorded ones.
    #[inline]
    pub fn is_as_recorded(&self) -> bool {
        match &self.source {
            EffectSource::World | EffectSource::WorldRecorded | EffectSource::RecordThenWorld { .. } => true,
            EffectSource::Record { answers, mismatch } => mismatch.is_none() && answers.len() == 0,
        }
    }

    /// Asks a question: of the record when replaying, else of the world by `ask`.
    ///
    /// # Errors
    /// The recorded error or that of `ask`; also, when replaying, that the question does not fit the
    /// record.
    pub fn effect(
        &mut self,
        kind: EffectKind,
        ask: impl FnOnce(&mut Self) -> Result<Value, String>,
    ) -> Result<Value, String> {
        if out_of_band::is_on() {
            return Err("an expression of the debugger asks nothing of the world".to_owned());
        }
        // Who is asked for a line of input, or by code in Rust, has seen what was printed before.
        if matches!(kind, EffectKind::StandardInput | EffectKind::Native) {
            self.flush_early();
        }
        if let Some(effect) = self.again.next() {
            if effect.kind == kind {
                let answer = effect.answer.clone();
                self.log.push(effect);
                return answer;
            }
            self.again = Vec::new().into_iter();
        }
        if matches!(self.source, EffectSource::World) && self.log.len() >= MOST_KEPT_ANSWERS {
            self.keep_worker();
        }
        let answer = match &mut self.source {
            EffectSource::World if !self.keeps_answers => return ask(self),
            EffectSource::World => ask(self),
            EffectSource::WorldRecorded => ask(self),
            EffectSource::RecordThenWorld { answers } => match answers.next() {
                Some(effect) if effect.kind == kind => effect.answer,
                _ => {
                    self.source = EffectSource::WorldRecorded;
                    ask(self)
                }
            },
            EffectSource::Record { answers, mismatch } => match answers.as_slice().first() {
                Some(effect) if effect.kind == kind => {
                    let answer = effect.answer.clone();
                    answers.next();
                    answer
                }
                // It stays: a compiled body gives up here, and the interpreter comes here again.
                other => {
                    let recorded = other.map_or("none".to_owned(), |effect| format!("{:?}", effect.kind));
                    let message = format!("asked for {kind:?} where the record has {recorded}");
                    mismatch.get_or_insert(message.clone());
                    return Err(message);
                }
            },
        };
        // What the end of the run has interrupted is no answer.
        if answer.is_ok() || !(interrupt::is_stopped() || self.is_waiting || self.is_cut_off) {
            self.log.push(Effect { kind, answer: answer.clone() });
        }
        answer
    }

    /// Asks a question of code in Rust, which may change the world outside.
    ///
    /// # Errors
    /// As [`effect`](Self::effect).
    pub fn native_effect(&mut self, ask: impl FnOnce() -> Result<Value, String>) -> Result<Value, String> {
        self.effect(EffectKind::Native, |context| {
            context.outside.write_ahead()?;
            ask()
        })
    }

    /// Asks a question whose answer may have to be waited for. Where the event is put aside meanwhile, [`is_waiting`](Self::is_waiting)
    /// holds, and the error says nothing.
    ///
    /// # Errors
    /// As [`effect`](Self::effect).
    pub(crate) fn effect_waiting(
        &mut self,
        kind: EffectKind,
        begin: impl FnOnce(&Self) -> Result<Pending, String>,
    ) -> Result<Value, String> {
        self.effect(kind, |context| {
            context.flush_early();
            let deadline = context.deadline();
            let is_too_late =
                |context: &Self| deadline.is_some_and(|moment| context.outside.clock.nanos() >= moment);
            let pending = match context.pending.take() {
                Some(pending) => pending,
                None if is_too_late(context) => return Err(waiting::TOO_LATE.to_owned()),
                None if interrupt::waits_no_more() => {
                    context.is_cut_off = true;
                    return Err(waiting::CUT_OFF.to_owned());
                }
                None => begin(context).inspect_err(|error| context.is_cut_off = error == waiting::CUT_OFF)?,
            };
            if let Some(answer) = pending.come(&context.outside.clock) {
                return answer;
            }
            if std::mem::take(&mut context.is_cancelled) {
                return Err(waiting::CANCELLED.to_owned());
            }
            if is_too_late(context) {
                return Err(waiting::TOO_LATE.to_owned());
            }
            if !context.is_put_aside() {
                let ends_with_drain = context.ends_with_drain(&pending);
                let answer = pending.block(&context.outside.clock, deadline, ends_with_drain);
                context.is_cut_off = answer.as_ref().is_err_and(|error| error == waiting::CUT_OFF);
                return answer;
            }
            context.pending = Some(pending);
            context.is_waiting = true;
            Err(String::new())
        })
    }

    /// Returns true if the event is put aside while it waits, and not its worker kept: all can be repeated, at a small cost.
    fn is_put_aside(&mut self) -> bool {
        let Some(may_wait) = &mut self.may_wait else { return false };
        may_wait.repeated += may_wait.began.elapsed();
        let is_put_aside =
            may_wait.repeated <= LONGEST_REPEATED && self.log.len() < self.failed.0 + MOST_KEPT_ANSWERS;
        if !is_put_aside {
            self.keep_worker();
        }
        is_put_aside
    }

    /// From here on, the event keeps its worker while it waits.
    #[cold]
    pub fn keep_worker(&mut self) {
        if self.may_wait.take().is_some() {
            self.keeps_answers = false;
        }
    }

    /// The next 64 random bits of the event (Steele, Lea and Flood 2014: SplitMix64). To be called
    /// from within [`effect`](Self::effect).
    #[inline]
    pub fn random_bits(&mut self) -> u64 {
        split_mix(&mut self.random_state)
    }

    /// The file that a body means to read by a path. To be called from within
    /// [`effect`](Self::effect).
    ///
    /// # Errors
    /// It may not be read.
    pub fn readable(&self, path: &str) -> Result<PathBuf, String> {
        self.outside.locate(path, Use::Read)
    }

    /// The file that a body means to write by a path. To be called from within
    /// [`effect`](Self::effect).
    ///
    /// # Errors
    /// It may not be written.
    pub fn writable(&self, path: &str) -> Result<PathBuf, String> {
        self.outside.locate(path, Use::Write)
    }

    /// Returns what the event may reach of the world. To be called from within [`effect`](Self::effect).
    pub(crate) fn outside(&self) -> &Outside {
        &self.outside
    }
}
