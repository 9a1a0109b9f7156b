//! The world outside: everything that a body learns or says beyond its values goes through here.
//!
//! One [`EventContext`](crate::effects::EventContext) belongs to one worker and serves one event at a time. While it records, each
//! answer is noted; while it replays, the answers come from the record and the world is not asked.

use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};

use hasse_model::event::{Effect, EffectKind};
use hasse_model::value::Value;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxBuildHasher;

use crate::body::aside;
use crate::interrupt;
use crate::output::lasting::Seen;
use crate::output::{Block, Note, OutputOrder, printed_early};
use crate::sandbox::{Outside, Use};
use crate::scheduler::seeded::mix;

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

/// Where the answers to an announced event come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announcement {
    /// From the world; not noted.
    World = 1,
    /// From the world; noted.
    WorldRecorded = 2,
    /// From a record that has none.
    NoAnswers = 3,
}

/// The context is that of the event under way.
const IS_READY: u8 = 0;

impl SharedContext {
    /// Shares a context.
    pub fn new(context: EventContext) -> Self {
        Self(Arc::new(Announced { context: Mutex::new(context), ..Announced::default() }))
    }

    /// The context, ready for the event under way.
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

    /// Writes lines of an event that lasts, if they have been there at the last look. Leaves a context alone that is in use.
    pub(crate) fn flush_lasting(&self, seen: &mut Seen, output: &OutputOrder) {
        let Some(mut context) = self.0.context.try_lock() else { return };
        if context.serial == seen.serial && seen.n_lines > context.n_written {
            context.flush(output);
        }
        *seen = Seen { serial: context.serial, n_lines: context.lines.len() };
    }

    /// The actions whose events are announced next.
    pub(crate) fn announce_action(&self, seed_of_action: u64) {
        self.0.seed_of_action.store(seed_of_action, Relaxed);
    }

    /// Announces an event of the announced action. Only the worker that has the context calls this.
    #[inline]
    pub(crate) fn announce(&self, announcement: Announcement, count: u64) {
        self.0.count.store(count, Relaxed);
        self.0.awaited.store(announcement as u8, Relaxed);
    }

    /// Whether the event announced last has asked or said something.
    #[inline]
    pub(crate) fn is_used(&self) -> bool {
        self.0.awaited.load(Relaxed) == IS_READY
    }
}

/// What the random numbers of an action depend on, beside its name and index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    /// Of the run.
    pub(crate) random_seed: u64,
    /// Of the graph instance.
    pub(crate) path_hash: u64,
}

impl Seeds {
    /// What the random numbers of an action's events depend on.
    pub(crate) fn of_action(self, name: &str, index: &[i64]) -> u64 {
        self.random_seed ^ mix(FxBuildHasher.hash_one((name, index, self.path_hash)))
    }
}

/// The seed of an event's random numbers, from what they depend on for its action.
pub(crate) fn event_seed(seed_of_action: u64, count: u64) -> u64 {
    mix(seed_of_action ^ mix(count.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// What one event has asked and said so far.
#[derive(Debug, Default)]
pub struct EventContext {
    source: EffectSource,
    log: Vec<Effect>,
    /// Lines printed, in order.
    pub lines: Vec<String>,
    /// Number of lines that have been written to the output.
    n_written: usize,
    /// Where they are.
    blocks: Vec<Block>,
    /// Whether the event has not ended, so that its lines may be written.
    is_open: bool,
    /// Number of events that the context was made ready for.
    serial: u64,
    /// Results set, in order.
    pub results: Vec<(String, Value)>,
    /// Notes of the debugger within the event, each with the number of lines before it.
    pub(crate) notes: Vec<(usize, Note)>,
    /// State of the event's random numbers (SplitMix64).
    random_state: u64,
    outside: Arc<Outside>,
    /// Where lines are written before a question that may wait long; `None` where they wait for the end of the event.
    output: Option<Arc<OutputOrder>>,
}

/// Where answers come from.
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

    /// The same, of a run whose lines may be written before their events end.
    pub(crate) fn with_output(self, output: &Arc<OutputOrder>) -> Self {
        Self { output: Some(Arc::clone(output)), ..self }
    }

    /// Makes ready for the next event. `random_seed` fixes the random numbers that it will draw.
    pub fn begin(&mut self, source: EffectSource, random_seed: u64) {
        self.source = source;
        self.random_state = random_seed;
        self.log.clear();
        self.lines.clear();
        self.n_written = 0;
        self.blocks.clear();
        self.is_open = true;
        self.serial += 1;
        self.results.clear();
    }

    /// Prints a text as whole lines.
    pub fn print(&mut self, text: &str) {
        self.lines.extend(text.split('\n').map(str::to_owned));
    }

    /// Discards what was printed and the results, as the body is executed again from its beginning. Lines that have been written are not
    /// written again: they will be printed again as they were.
    pub(crate) fn begin_again(&mut self) {
        self.lines.clear();
        self.results.clear();
    }

    /// Writes the lines printed so far by an event that has not ended.
    pub(crate) fn flush(&mut self, output: &OutputOrder) {
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

    /// The same in a run whose lines may be written before their events end.
    pub(crate) fn flush_early(&mut self) {
        if let Some(output) = self.output.clone() {
            self.flush(&output);
        }
    }

    /// The event has ended: nothing more is written. Takes where its lines are.
    pub(crate) fn close(&mut self) -> Vec<Block> {
        self.is_open = false;
        std::mem::take(&mut self.blocks)
    }

    /// Notes of blocks of lines, of which the first one begins with the first line of the event.
    pub(crate) fn notes_of(&self, blocks: &[Block]) -> Vec<Effect> {
        let mut lines = &self.lines[..];
        let note = |block: &Block| {
            let (of_block, others) = lines.split_at_checked(block.n_lines)?;
            lines = others;
            Some(printed_early(block.first_line, of_block))
        };
        blocks.iter().map_while(note).collect()
    }

    /// The answers noted since [`begin`](Self::begin); takes them out.
    pub fn take_log(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.log)
    }

    /// For a replayed event that has ended: how its questions differ from the recorded ones.
    pub fn mismatch(&mut self) -> Option<String> {
        match &mut self.source {
            EffectSource::World | EffectSource::WorldRecorded | EffectSource::RecordThenWorld { .. } => None,
            EffectSource::Record { answers, mismatch } => mismatch.take().or_else(|| {
                let n_left = answers.len();
                (n_left > 0).then(|| format!("{n_left} recorded answers were not asked for"))
            }),
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
        if aside::is_on() {
            return Err("an expression of the debugger asks nothing of the world".to_owned());
        }
        // Who is asked for a line of input, or by code in Rust, has seen what was printed before.
        if matches!(kind, EffectKind::StandardInput | EffectKind::Native) {
            self.flush_early();
        }
        let answer = match &mut self.source {
            EffectSource::World => return ask(self),
            EffectSource::WorldRecorded => ask(self),
            EffectSource::RecordThenWorld { answers } => match answers.next() {
                Some(effect) if effect.kind == kind => effect.answer,
                _ => {
                    self.source = EffectSource::WorldRecorded;
                    ask(self)
                }
            },
            EffectSource::Record { answers, mismatch } => match answers.next() {
                Some(effect) if effect.kind == kind => effect.answer,
                other => {
                    let recorded = other.map_or("none".to_owned(), |effect| format!("{:?}", effect.kind));
                    let message = format!("asked for {kind:?} where the record has {recorded}");
                    mismatch.get_or_insert(message.clone());
                    return Err(message);
                }
            },
        };
        // What the end of the run has interrupted is no answer.
        if answer.is_ok() || !interrupt::is_stopped() {
            self.log.push(Effect { kind, answer: answer.clone() });
        }
        answer
    }

    /// The next 64 random bits of the event (Steele, Lea and Flood 2014: SplitMix64). To be called
    /// from within [`effect`](Self::effect).
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

    /// What of the world may be reached. To be asked from within [`effect`](Self::effect).
    pub(crate) fn outside(&self) -> &Outside {
        &self.outside
    }
}

/// The next 64 bits of a stream (Steele, Lea and Flood 2014: SplitMix64).
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
