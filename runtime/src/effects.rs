//! The world outside: everything that a body learns or says beyond its values goes through here.
//!
//! One [`EventContext`](crate::effects::EventContext) belongs to one worker and serves one event at a time. While it records, each
//! answer is noted; while it replays, the answers come from the record and the world is not asked.

use std::path::PathBuf;
use std::sync::Arc;

use hasse_model::event::{Effect, EffectKind};
use hasse_model::value::Value;
use parking_lot::Mutex;

use crate::body::aside;
use crate::sandbox::{Outside, Use};

/// The context as the interpreter's functions of one worker share it with that worker.
pub type SharedContext = Arc<Mutex<EventContext>>;

/// What one event has asked and said so far.
#[derive(Debug, Default)]
pub struct EventContext {
    source: EffectSource,
    log: Vec<Effect>,
    /// Lines printed, in order.
    pub lines: Vec<String>,
    /// Results set, in order.
    pub results: Vec<(String, Value)>,
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
            EffectSource::World | EffectSource::WorldRecorded => None,
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
        self.log.push(Effect { kind, answer: answer.clone() });
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
