//! Questions to the world outside that compiled bodies ask without the interpreter: those of scalars that a scalar answers.

use hasse_model::event::EffectKind;
use hasse_model::function::{FunctionTable, Signature};
use hasse_model::plan::routine::{Kind, Native};

use super::{outside, random};
use crate::effects::SharedContext;
use crate::natives::Function;

/// A function by which a compiled body asks the world outside.
#[derive(Clone)]
pub struct Question {
    ask: Ask,
    gives: Kind,
}

#[derive(Clone)]
enum Ask {
    Random,
    RandomInt,
    RandomNormal,
    RandomNormalOf,
    Time,
    Elapsed,
    /// An effect that is registered in Rust, and what it takes.
    Native(Box<Function>, Vec<Kind>),
}

impl Question {
    /// The questions of the library, with their names and what they take.
    fn of_library() -> [(&'static str, &'static [Kind], Self); 6] {
        use Kind::{Int, Real};
        let question = |ask, gives| Self { ask, gives };
        [
            ("random", &[], question(Ask::Random, Real)),
            ("random_int", &[Int, Int], question(Ask::RandomInt, Int)),
            ("random_normal", &[], question(Ask::RandomNormal, Real)),
            ("random_normal", &[Real, Real], question(Ask::RandomNormalOf, Real)),
            ("time", &[], question(Ask::Time, Real)),
            ("elapsed", &[], question(Ask::Elapsed, Real)),
        ]
    }

    /// The question that a routine asks by a function of the library; `None` where there is none that takes and gives this.
    pub fn in_library(asked: &Native) -> Option<Self> {
        let is_it = |(name, takes, question): &(&str, &[Kind], Self)| {
            let Signature { takes: wanted, gives } = &asked.signature;
            *name == asked.name && takes == wanted && question.gives == *gives
        };
        Self::of_library().into_iter().find(is_it).map(|(_, _, question)| question)
    }

    /// The question that an effect in Rust asks, which takes and gives this.
    pub fn of_native(function: &Function, signature: &Signature) -> Self {
        let takes = signature.takes.clone();
        Self { ask: Ask::Native(Box::new(function.clone()), takes), gives: signature.gives }
    }

    /// Whether the answer may take long, or is to be given again and not asked for again if the body is begun again: code in Rust.
    pub fn is_native(&self) -> bool {
        matches!(self.ask, Ask::Native(..))
    }

    /// Asks with arguments as words. Returns the answer as a word; `None` where there is no answer of the kind, and where the
    /// interpreter is to ask. With `keeps_answer` the answer can be given again although it is not noted.
    pub(crate) fn ask(&self, context: &SharedContext, keeps_answer: bool, words: &[u64]) -> Option<u64> {
        let mut context = context.lock();
        if keeps_answer && !context.keep_answers() {
            return None;
        }
        let word = |idx: usize| words.get(idx).copied();
        let answer = match &self.ask {
            Ask::Random => context.effect(EffectKind::Random, random::uniform_real),
            Ask::RandomInt => {
                let (low, high) = (word(0)?.cast_signed(), word(1)?.cast_signed());
                if low > high {
                    return None;
                }
                context.effect(EffectKind::Random, |context| random::uniform_int(context, low, high))
            }
            Ask::RandomNormal => context.effect(EffectKind::Random, random::standard_normal),
            Ask::RandomNormalOf => {
                let (mean, deviation) = (f64::from_bits(word(0)?), f64::from_bits(word(1)?));
                if deviation.is_nan() || deviation < 0.0 {
                    return None;
                }
                context.effect(EffectKind::Random, |context| random::normal_of(context, mean, deviation))
            }
            Ask::Time => context.effect(EffectKind::Time, outside::time),
            Ask::Elapsed => context.effect(EffectKind::Time, outside::elapsed),
            Ask::Native(function, takes) => {
                let values = takes.iter().zip(words);
                let values = values.map(|(kind, word)| kind.value_of(word.cast_signed())).collect();
                context.effect(EffectKind::Native, |_| function.answer(values))
            }
        };
        self.gives.word_of(&answer.ok()?).map(i64::cast_unsigned)
    }
}

/// Adds the questions of the library to what the compiler knows.
pub(crate) fn tell(table: &mut FunctionTable) {
    for (name, takes, question) in Question::of_library() {
        table.add_asked(name, Signature { takes: takes.to_vec(), gives: question.gives });
    }
}
