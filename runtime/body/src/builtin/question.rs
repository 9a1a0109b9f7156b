//! Questions to the world outside that compiled bodies ask without the interpreter: those of scalars that a scalar answers.

use hasse_model::event::EffectKind;
use hasse_model::function::{FunctionTable, Signature};
use hasse_model::plan::routine::{Kind, Native};

use super::{outside, random};
use crate::effects::{EventContext, SharedContext};
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

    /// Returns true if code in Rust answers: it may take long, and is not to be called again where the body is restarted.
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
        self.ask_in(&mut context, words)
    }

    /// The same, of the event that a context is ready for.
    #[inline]
    pub(crate) fn ask_in(&self, context: &mut EventContext, words: &[u64]) -> Option<u64> {
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
                context.native_effect(|| function.answer(values))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::effects::EffectSource;
    use crate::sandbox::{Outside, Sandbox};

    fn context(source: EffectSource) -> SharedContext {
        let outside = Outside::new(std::path::Path::new(""), &Sandbox::default());
        let context = SharedContext::new(EventContext::new(Arc::new(outside)));
        context.lock().begin(source, 7);
        context
    }

    fn question(name: &str, takes: &[Kind], gives: Kind) -> Option<Question> {
        let signature = Signature { takes: takes.to_vec(), gives };
        Question::in_library(&Native { name: name.to_owned(), signature })
    }

    /// A body that is begun again is given the same answers, whatever keeps them.
    #[test]
    fn questions_asked_again_have_the_same_answers() {
        let random_int = question("random_int", &[Kind::Int, Kind::Int], Kind::Int).unwrap();
        let normal = question("random_normal", &[], Kind::Real).unwrap();
        let words = [0_u64, 1_000_000];
        let recorded = || {
            let context = context(EffectSource::WorldRecorded);
            (0..3).for_each(|_| assert!(random_int.ask(&context, false, &words).is_some()));
            let answers = context.lock().take_log().into_iter();
            EffectSource::Record { answers, mismatch: None }
        };
        for (source, keeps) in [
            (EffectSource::World, false),
            (EffectSource::World, true),
            (EffectSource::WorldRecorded, false),
            (recorded(), false),
        ] {
            let context = context(source);
            let asked = |n: usize| -> Vec<u64> {
                (0..n).map(|_| random_int.ask(&context, keeps, &words).unwrap()).collect()
            };
            let first = asked(3);
            // It gives up, and again before it comes as far.
            context.lock().begin_again();
            assert_eq!(asked(2), first[..2]);
            context.lock().begin_again();
            assert_eq!(asked(3), first);
            assert_eq!(context.lock().mismatch(), None);
        }
        // After them the world goes on where it was.
        let context = context(EffectSource::WorldRecorded);
        let ask = || normal.ask(&context, false, &[]).unwrap();
        let (first, second) = (ask(), ask());
        context.lock().begin_again();
        assert_eq!((ask(), ask()), (first, second));
        let third = ask();
        assert!(third != first && third != second);
        assert_eq!(context.lock().take_log().len(), 3);
    }

    #[test]
    fn only_so_many_answers_are_kept() {
        let random = question("random", &[], Kind::Real).unwrap();
        let context = context(EffectSource::World);
        let n_answers = (0..10_000).take_while(|_| random.ask(&context, true, &[]).is_some()).count();
        assert_eq!(n_answers, 4_096);
        context.lock().begin_again();
        assert!(random.ask(&context, true, &[]).is_some());
    }

    #[test]
    fn questions_without_answers_are_the_interpreters() {
        let context = context(EffectSource::Record { answers: Vec::new().into_iter(), mismatch: None });
        let random_int = question("random_int", &[Kind::Int, Kind::Int], Kind::Int).unwrap();
        // That is an error before anything is asked.
        assert_eq!(random_int.ask(&context, false, &[3, 1]), None);
        assert_eq!(context.lock().mismatch(), None);
        assert_eq!(random_int.ask(&context, false, &[1, 3]), None);
        assert_eq!(context.lock().mismatch().unwrap(), "asked for Random where the record has none");
        assert!(question("random_int", &[Kind::Int], Kind::Int).is_none());
        assert!(question("time", &[], Kind::Int).is_none());
        assert!(question("read_line", &[], Kind::Int).is_none());
    }
}
