//! Both tiers do the same, bit for bit.
//!
//! `HASSE_ROUTINES` sets the number of random routines.

// Miri cannot run machine code.
#![cfg(not(miri))]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hasse_model::plan::routine::{Kind, Routine};
use hasse_model::value::Value;
use hasse_routine::{Ended, Machine, Scratch, Tiers};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Single operations, and ways to end.
mod cases;
/// Objects as wholes.
mod computations;
/// Routines with something changed.
mod corrupt;
/// Routines.
mod generate;
/// Functions that are registered in Rust.
mod natives;
/// Operators.
mod operators;
/// Questions to the world outside.
mod questions;
/// Runs for the rows of a table.
mod rows;
/// Choices.
mod tape;
/// Objects.
mod values;

use tape::{Tape, tapes};
use values::{same, same_real, unshared, value};

/// Number of random routines.
fn n_routines() -> u32 {
    std::env::var("HASSE_ROUTINES").ok().and_then(|number| number.parse().ok()).unwrap_or(300)
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() })
}

/// What a run is given.
struct Given {
    words: Vec<u64>,
    objects: Vec<Value>,
    /// Whether others hold the objects, too.
    are_shared: Vec<bool>,
}

impl Given {
    fn new(routine: &Routine, tape: &mut Tape) -> Self {
        let mut words: Vec<u64> = routine.inputs.iter().map(|input| word(input.kind, tape)).collect();
        words.resize(words.len() + routine.outputs.len(), 0);
        let objects: Vec<Value> = routine.objects.iter().map(|object| value(tape, &object.ty, 0)).collect();
        let are_shared = objects.iter().map(|_| tape.below(2) == 1).collect();
        Self { words, objects, are_shared }
    }

    /// Runs the machine on copies, and sees to it that what is to be as before is.
    fn run(&self, machine: &Machine, scratch: &mut Scratch, stop: &AtomicBool) -> Ran {
        let mut words = self.words.clone();
        let mut objects: Vec<Value> = self.objects.iter().map(unshared).collect();
        let holders: Vec<Value> = objects
            .iter()
            .zip(&self.are_shared)
            .filter(|(_, shared)| **shared)
            .map(|(object, _)| object.clone())
            .collect();
        // An array that is added to itself again and again is to end soon.
        scratch.allow(1 << 18);
        let n_given = objects.len();
        objects.resize(machine.routine().n_objects(), Value::Unit);
        let ended = machine.run(&mut words, &mut objects, scratch, stop);
        let left = machine.routine().left.iter().map(|left| objects.get(left.object as usize).cloned());
        let left: Vec<Value> = left.flatten().collect();
        objects.truncate(n_given);
        if ended == Ended::Done {
            objects.extend(left);
        }
        let originals = self.objects.iter().zip(&self.are_shared).filter(|(_, shared)| **shared);
        for (holder, (original, _)) in holders.iter().zip(originals) {
            assert!(same(holder, original), "another holder sees a write");
        }
        if ended != Ended::Done {
            for (object, original) in objects.iter().zip(&self.objects) {
                assert!(same(object, original), "what was written stays: {object} instead of {original}");
            }
        }
        Ran { ended, words, objects }
    }
}

fn word(kind: Kind, tape: &mut Tape) -> u64 {
    match kind {
        Kind::Int => values::int(tape).cast_unsigned(),
        Kind::Real => values::real(tape).to_bits(),
        Kind::Bool => tape.below(2) as u64,
    }
}

/// What a run leaves.
struct Ran {
    ended: Ended,
    words: Vec<u64>,
    objects: Vec<Value>,
}

impl Ran {
    fn expect_same(&self, other: &Ran, routine: &Routine) {
        assert_eq!(self.ended, other.ended);
        if self.ended != Ended::Done {
            return;
        }
        let outputs = self.words.iter().zip(&other.words).skip(routine.inputs.len());
        for ((&one, &other), output) in outputs.zip(&routine.outputs) {
            let are_same = match output.kind {
                Kind::Real => same_real(f64::from_bits(one), f64::from_bits(other)),
                _ => one == other,
            };
            assert!(are_same, "an output is {other:x} instead of {one:x}");
        }
        for (one, other) in self.objects.iter().zip(&other.objects) {
            assert!(same(one, other), "an object is {other} instead of {one}");
        }
    }
}

#[test]
fn tiers_agree() {
    let n_done = AtomicU64::new(0);
    let n_runs = AtomicU64::new(0);
    let result = runner(n_routines()).run(&(tapes(), tapes()), |(mut tape, mut inputs)| {
        let routine = Arc::new(generate::routine(&mut tape));
        let evaluated = Machine::new(
            Arc::clone(&routine),
            &natives::functions(&routine),
            &computations::functions(&routine),
            Tiers::Evaluated,
        );
        let native = Machine::new(
            Arc::clone(&routine),
            &natives::functions(&routine),
            &computations::functions(&routine),
            Tiers::Native,
        );
        prop_assert_eq!(evaluated.flaw(), None);
        prop_assert!(native.is_native());
        let (mut scratch, mut other_scratch) = (Scratch::default(), Scratch::default());
        let stop = AtomicBool::new(false);
        for _ in 0..6 {
            let given = Given::new(&routine, &mut inputs);
            let ran = given.run(&evaluated, &mut scratch, &stop);
            ran.expect_same(&given.run(&native, &mut other_scratch, &stop), &routine);
            n_runs.fetch_add(1, Ordering::Relaxed);
            n_done.fetch_add(u64::from(ran.ended == Ended::Done), Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
            let stopped = given.run(&evaluated, &mut scratch, &stop);
            stopped.expect_same(&given.run(&native, &mut other_scratch, &stop), &routine);
            stop.store(false, Ordering::Relaxed);
        }
        Ok(())
    });
    let (n_done, n_runs) = (n_done.into_inner(), n_runs.into_inner());
    println!("{n_done} of {n_runs} runs came to their end");
    result.expect("the tiers agree");
    // Somewhat more than a quarter do, so that what comes behind most operations is seen, too.
    assert!(n_done * 6 > n_runs, "most runs give up: {n_done} of {n_runs} came to their end");
}

/// Ends runs that take long: a routine in which something was changed may go round forever.
struct Watchdog {
    stop: AtomicBool,
    /// Number of runs that have begun.
    n_begun: AtomicU64,
    is_over: AtomicBool,
}

impl Watchdog {
    fn watch(&self) {
        let mut seen = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
            let n_begun = self.n_begun.load(Ordering::Relaxed);
            if n_begun == seen {
                self.stop.store(true, Ordering::Relaxed);
            }
            seen = n_begun;
        }
    }

    fn run(&self, given: &Given, machine: &Machine, scratch: &mut Scratch) -> Ran {
        self.n_begun.fetch_add(1, Ordering::Relaxed);
        self.stop.store(false, Ordering::Relaxed);
        given.run(machine, scratch, &self.stop)
    }
}

/// Routines in which something was changed are refused, or run in both tiers and do the same.
#[test]
fn corrupted_routines_do_no_harm() {
    let watchdog = Watchdog {
        stop: AtomicBool::new(false),
        n_begun: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
    };
    let n_valid = AtomicU64::new(0);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| watchdog.watch());
        let result =
            runner(n_routines()).run(&(tapes(), tapes(), tapes()), |(mut tape, mut changes, mut inputs)| {
                let original = generate::routine(&mut tape);
                for _ in 0..12 {
                    let mut routine = original.clone();
                    for _ in 0..1 + changes.below(2) {
                        corrupt::corrupt(&mut routine, &mut changes);
                    }
                    let routine = Arc::new(routine);
                    let evaluated = Machine::new(
                        Arc::clone(&routine),
                        &natives::functions(&routine),
                        &computations::functions(&routine),
                        Tiers::Evaluated,
                    );
                    let given = Given::new(&routine, &mut inputs);
                    let mut scratch = Scratch::default();
                    let ran = watchdog.run(&given, &evaluated, &mut scratch);
                    if evaluated.flaw().is_some() {
                        prop_assert_eq!(ran.ended, Ended::GaveUp);
                        continue;
                    }
                    // Compiling is slow.
                    if changes.below(6) > 0 {
                        continue;
                    }
                    n_valid.fetch_add(1, Ordering::Relaxed);
                    let native = Machine::new(
                        Arc::clone(&routine),
                        &natives::functions(&routine),
                        &computations::functions(&routine),
                        Tiers::Native,
                    );
                    prop_assert!(native.is_native());
                    let native_ran = watchdog.run(&given, &native, &mut scratch);
                    if ran.ended != Ended::Interrupted && native_ran.ended != Ended::Interrupted {
                        ran.expect_same(&native_ran, &routine);
                    }
                }
                Ok(())
            });
        watchdog.is_over.store(true, Ordering::Relaxed);
        result
    });
    println!("{} changed routines were run in both tiers", n_valid.into_inner());
    result.expect("the tiers agree");
}
