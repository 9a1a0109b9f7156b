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
use crate::output::Note;
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
    /// Results set, in order.
    pub results: Vec<(String, Value)>,
    /// Notes of the debugger within the event, each with the number of lines before it.
    pub(crate) notes: Vec<(usize, Note)>,
    /// State of the event's random numbers (SplitMix64).
    random_state: u64,
    outside: Arc<Outside>,
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

    /// Makes ready for the next event. `random_seed` fixes the random numbers that it will draw.
    pub fn begin(&mut self, source: EffectSource, random_seed: u64) {
        self.source = source;
        self.random_state = random_seed;
        self.log.clear();
        self.lines.clear();
        self.results.clear();
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
