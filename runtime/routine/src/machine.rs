//! Routines made ready to run.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use hasse_model::plan::routine::Routine;
use hasse_model::value::Value;

use crate::background;
use crate::compile::Code;
use crate::compute::{Bench, Library, Task};
use crate::effects::{EffectSink, Sink, lent};
use crate::evaluator::{Evaluation, Outcome};
use crate::links::Links;
use crate::native::{Callee, NativeFunction};
use crate::run::{Ended, Scratch};
use crate::table::Table;
use crate::verify::verify;
use crate::view::View;

/// Runs, calls and turns of loops after which a routine is worth compiling in the background.
const WARM: u64 = 2_000;

/// Calls and turns of loops within one run after which it is worth to compile at once and to begin anew.
const HOT: u64 = 20_000;

/// Runs that have given up, less twice those that have come to their end, after which a routine is not run any more: the interpreter
/// would have to do most of it again.
const FUTILE: u64 = 500;

/// Which tiers a machine uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiers {
    /// Starts in the evaluator, goes to machine code when it is worth it.
    Auto,
    /// The evaluator alone.
    Evaluated,
    /// Machine code from the first call on, compiled when the machine is made. The evaluator where it cannot be had.
    Native,
}

/// Why a routine is never executed.
enum Refusal {
    /// It is not as it must be.
    Flaw(String),
    /// Functions that it calls are not there.
    NativesMissing,
}

/// A routine made ready to run, to be shared by threads.
pub struct Machine {
    routine: Arc<Routine>,
    links: Result<Links, Refusal>,
    /// Number of inputs and outputs.
    n_words: usize,
    has_effects: bool,
    tiers: Tiers,
    /// Runs, calls and turns of loops in the evaluator.
    ticks: AtomicU64,
    /// How much more often its runs have given up lately than they have come to their end twice.
    futility: AtomicU64,
    /// Whether somebody compiles it, or has.
    is_taken: AtomicBool,
    /// The machine code; `None` where it cannot be had.
    code: OnceLock<Option<Code>>,
    /// Itself, to be handed to the thread that compiles.
    machine: Weak<Machine>,
}

impl Machine {
    /// Makes a routine ready to run. `natives` are the functions of [`Routine::natives`] and `library` those of
    /// [`Routine::library`], in that order; where there are not as many, every run gives up.
    pub fn new(
        routine: Arc<Routine>,
        natives: &[Arc<NativeFunction>],
        library: &[Arc<Library>],
        tiers: Tiers,
    ) -> Arc<Self> {
        let links = verify(&routine).map_err(Refusal::Flaw).and_then(|routes| {
            let natives = Callee::all(&routine, natives).ok_or(Refusal::NativesMissing)?;
            if library.len() != routine.library.len() {
                return Err(Refusal::NativesMissing);
            }
            let tasks = routine.computations.iter().map(|computation| Task::new(computation, &routes));
            Ok(Links { tasks: tasks.collect(), routes, natives, library: library.to_vec() })
        });
        let machine = Arc::new_cyclic(|machine| Self {
            n_words: routine.inputs.len() + routine.outputs.len(),
            has_effects: routine.has_effects(),
            routine,
            links,
            tiers,
            ticks: AtomicU64::new(0),
            futility: AtomicU64::new(0),
            is_taken: AtomicBool::new(false),
            code: OnceLock::new(),
            machine: Weak::clone(machine),
        });
        if tiers == Tiers::Native {
            machine.compile();
        }
        machine
    }

    /// What it runs.
    pub fn routine(&self) -> &Routine {
        &self.routine
    }

    /// Returns true if its runs may print, set results or ask the world outside.
    pub fn has_effects(&self) -> bool {
        self.has_effects
    }

    /// Which tiers it uses.
    pub fn tiers(&self) -> Tiers {
        self.tiers
    }

    /// Whether runs are done in machine code from now on.
    pub fn is_native(&self) -> bool {
        matches!(self.code.get(), Some(Some(_)))
    }

    /// What is wrong with the routine, if it is one that is never executed: then every run gives up.
    pub fn flaw(&self) -> Option<&str> {
        match &self.links {
            Err(Refusal::Flaw(flaw)) => Some(flaw),
            Ok(_) | Err(Refusal::NativesMissing) => None,
        }
    }

    /// Whether it is one for these functions.
    pub fn calls(&self, natives: &[Arc<NativeFunction>], library: &[Arc<Library>]) -> bool {
        match &self.links {
            Ok(links) => {
                let mut callees = links.natives.iter().zip(natives);
                let mut functions = links.library.iter().zip(library);
                links.natives.len() == natives.len()
                    && links.library.len() == library.len()
                    && callees.all(|(callee, native)| callee.is(native))
                    && functions.all(|(one, other)| Arc::ptr_eq(one, other))
            }
            Err(Refusal::NativesMissing) => {
                self.routine.natives.len() != natives.len() || self.routine.library.len() != library.len()
            }
            Err(Refusal::Flaw(_)) => true,
        }
    }

    /// Runs the routine.
    ///
    /// `words` holds the inputs, in the order of [`Routine::inputs`], and takes the outputs, in the order of
    /// [`Routine::outputs`], behind them: ints as their bits, reals as theirs, truth values as 0 or 1. `objects` are those of
    /// [`Routine::objects`], in that order; one that is not of its type's variant makes it give up. Behind them is a place for each
    /// of its own, where it finds nothing and leaves what [`Routine::left`] says, and maybe more. Setting `stop`
    /// ends it at the next turn of a loop or call.
    ///
    /// # Panics
    /// If there are not as many words and objects as the routine has.
    #[inline]
    pub fn run(
        &self,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> Ended {
        self.run_in(words, objects, scratch, stop, (0, None))
    }

    /// Runs a routine that may print, set results or ask the world outside: the same as [`run`](Self::run), which gives up at the
    /// first of these.
    ///
    /// # Panics
    /// As for [`run`](Self::run).
    #[inline]
    pub fn run_with(
        &self,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        stop: &AtomicBool,
        effects: &mut dyn EffectSink,
    ) -> Ended {
        self.run_in(words, objects, scratch, stop, (0, Some(effects)))
    }

    #[inline]
    fn run_in(
        &self,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        stop: &AtomicBool,
        (row, mut effects): (usize, Sink<'_>),
    ) -> Ended {
        assert_eq!(words.len(), self.n_words, "there is one word for each input and each output");
        assert_eq!(objects.len(), self.routine.n_objects(), "there is one value for each object");
        let Ok(links) = &self.links else { return Ended::GaveUp };
        let futility = self.futility.load(Ordering::Relaxed);
        if futility >= FUTILE {
            return Ended::GaveUp;
        }
        if let Some(effects) = effects.as_mut().filter(|_| self.has_effects) {
            effects.begin(row);
        }
        let has_sink = effects.is_some();
        let ended = match self.code.get() {
            Some(Some(code)) => code.run(&self.routine, links, words, objects, scratch, (stop, row, effects)),
            _ => self.evaluate(links, words, objects, scratch, stop, (row, effects)),
        };
        // Threads may overwrite each other's counts: it matters about how many they are.
        match ended {
            Ended::GaveUp => self.note_futility(has_sink),
            Ended::Done if futility > 0 => self.futility.store(futility.saturating_sub(2), Ordering::Relaxed),
            Ended::Done | Ended::Interrupted => {}
        }
        ended
    }

    /// Runs a routine without objects for each row of a table, up to the first row that does not
    /// finish: the same as calls of [`Machine::run`], but faster. Returns the number of rows that finished, and how the last run
    /// ended; all other rows are unchanged. `with_scratch` lends a scratch if there is no machine code for rows. Without `effects` a
    /// row gives up at its first effect.
    ///
    /// # Panics
    /// If the routine has objects, the table has not as many tracks as it has inputs and outputs, or a track leaves the cells.
    #[inline]
    pub fn run_rows<'e>(
        &self,
        table: &Table<'_>,
        rows: Range<usize>,
        with_scratch: impl FnOnce(&mut dyn FnMut(&mut Scratch) -> (usize, Ended)) -> (usize, Ended),
        stop: &AtomicBool,
        mut effects: Option<&'e mut (dyn EffectSink + 'e)>,
    ) -> (usize, Ended) {
        let has_sink = effects.is_some();
        let is_futile = self.futility.load(Ordering::Relaxed) > 0;
        let ran = match (&self.links, self.code.get()) {
            (Ok(links), Some(Some(code))) if !is_futile => {
                code.run_rows(&self.routine, links, table, rows.clone(), (stop, lent(&mut effects)))
            }
            _ => None,
        };
        let Some((behind, ended)) = ran else {
            return with_scratch(&mut |scratch| {
                self.run_each_row(table, rows.clone(), scratch, stop, lent(&mut effects))
            });
        };
        if ended == Ended::GaveUp {
            self.note_futility(has_sink);
        }
        (behind - rows.start, ended)
    }

    #[inline(never)]
    fn run_each_row(
        &self,
        table: &Table<'_>,
        rows: Range<usize>,
        scratch: &mut Scratch,
        stop: &AtomicBool,
        mut effects: Sink<'_>,
    ) -> (usize, Ended) {
        let n_inputs = self.routine.inputs.len();
        // Most routines have few words.
        let (mut few, mut many) = ([0; 8], Vec::new());
        let words = match few.get_mut(..self.n_words) {
            Some(few) => few,
            None => {
                many.resize(self.n_words, 0);
                &mut many[..]
            }
        };
        for (n_done, row) in rows.clone().enumerate() {
            let (inputs, outputs) = words.split_at_mut(n_inputs);
            assert_eq!(inputs.len(), table.takes.len(), "there is one track for each input");
            assert_eq!(outputs.len(), table.gives.len(), "there is one track for each output");
            for (word, track) in inputs.iter_mut().zip(table.takes) {
                *word = table.cell(*track, row).get().cast_unsigned();
            }
            outputs.fill(0);
            let ended = self.run_in(words, &mut [], scratch, stop, (row, lent(&mut effects)));
            if ended != Ended::Done {
                return (n_done, ended);
            }
            for (word, track) in words[n_inputs..].iter().zip(table.gives) {
                table.cell(*track, row).set(word.cast_signed());
            }
        }
        (rows.len(), Ended::Done)
    }

    /// Counts a run that has given up, unless it may have come to an effect for which there was no sink.
    fn note_futility(&self, has_sink: bool) {
        if self.has_effects && !has_sink {
            return;
        }
        let futility = self.futility.load(Ordering::Relaxed);
        self.futility.store(futility + 1, Ordering::Relaxed);
    }

    /// Runs the routine in the evaluator, unless it takes too long there.
    #[inline(never)]
    fn evaluate(
        &self,
        links: &Links,
        words: &mut [u64],
        objects: &mut [Value],
        scratch: &mut Scratch,
        stop: &AtomicBool,
        (row, mut effects): (usize, Sink<'_>),
    ) -> Ended {
        if !objects.is_empty() {
            let mut declared = self.routine.objects.iter().zip(&*objects);
            if !declared.all(|(declared, object)| View::of(object, &declared.ty).is_some()) {
                return Ended::GaveUp;
            }
            scratch.journal.begin(self.routine.objects.len(), self.routine.own_objects.len());
        }
        let mut evaluation = Evaluation {
            words: &mut *words,
            bench: Bench {
                routine: &self.routine,
                routes: &links.routes,
                library: &links.library,
                objects: &mut *objects,
                journal: &mut scratch.journal,
                budget: &mut scratch.budget,
                effects: lent(&mut effects),
                row,
            },
            links,
            stop,
            ticks: 0,
            patience: if self.tiers == Tiers::Auto { HOT } else { u64::MAX },
        };
        let outcome = evaluation.run(&mut scratch.stack, &mut |ticks| {
            self.compile();
            match self.code.get() {
                Some(Some(_)) => Err(()),
                Some(None) => Ok(u64::MAX),
                None => Ok(ticks.saturating_mul(2)),
            }
        });
        let ticks = evaluation.ticks + 1;
        self.count(ticks);
        if outcome == Outcome::Done {
            scratch.end_run();
        } else {
            scratch.journal.take_back(objects);
        }
        match outcome {
            Outcome::Done => Ended::Done,
            Outcome::GaveUp => Ended::GaveUp,
            Outcome::Interrupted => Ended::Interrupted,
            Outcome::Outgrown => match self.code.get() {
                Some(Some(code)) => {
                    if let Some(effects) = effects.as_mut().filter(|_| self.has_effects) {
                        effects.begin(row);
                    }
                    code.run(&self.routine, links, words, objects, scratch, (stop, row, effects))
                }
                _ => Ended::GaveUp,
            },
        }
    }

    fn count(&self, ticks: u64) {
        // A count that is over is not written any more: all workers read the line.
        if self.tiers != Tiers::Auto || self.ticks.load(Ordering::Relaxed) >= WARM {
            return;
        }
        let before = self.ticks.fetch_add(ticks, Ordering::Relaxed);
        // Only one of the threads that count gets across.
        if before < WARM && before.saturating_add(ticks) >= WARM && self.code.get().is_none() {
            background::compile_later(Weak::clone(&self.machine));
        }
    }

    /// Compiles the routine, unless somebody else does or has.
    pub(crate) fn compile(&self) {
        let is_mine = !self.is_taken.load(Ordering::Relaxed) && !self.is_taken.swap(true, Ordering::Relaxed);
        if is_mine {
            let code = self.links.as_ref().ok().and_then(|links| Code::of(&self.routine, &links.routes));
            // Nobody else sets it.
            let _ = self.code.set(code);
        }
    }
}
