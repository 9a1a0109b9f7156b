//! Questions to the world outside: both tiers ask the same ones, and take the same answers.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hasse_model::function::Signature;
use hasse_model::plan::routine::{
    Answer, Argument, BinaryOp, Comparison, Computation, Kind, Native, Op, Operands, Routine, What,
};
use hasse_model::value::Value;
use hasse_routine::{EffectSink, Ended, Machine, Piece, Scratch, Table, Tiers, Track};

use crate::cases::{function, routine};

/// Notes the questions, and answers each by its number.
#[derive(Debug, Default)]
struct Asked {
    questions: Vec<(usize, Vec<u64>)>,
    /// Outcome of the first question, if it is not an answer.
    first: u64,
}

impl EffectSink for Asked {
    fn begin(&mut self, _: usize) {
        self.questions.clear();
    }

    fn print(&mut self, _: &[Piece<'_>]) -> usize {
        0
    }

    fn set_result(&mut self, _: &str, _: Value) {}

    fn ask(&mut self, _: usize, asked_idx: usize, arguments: &[u64]) -> Option<u64> {
        self.questions.push((asked_idx, arguments.to_vec()));
        match self.first {
            13 => None,
            // As a panic, but for its message.
            14 => resume_unwind(Box::new(())),
            _ => Some(10 * self.questions.len() as u64),
        }
    }
}

/// Sums up `n` answers to questions with the numbers `0..n`, and asks whether that is enough.
fn sum() -> Routine {
    const N: u32 = 0;
    const K: u32 = 1;
    const SUM: u32 = 2;
    const ANSWER: u32 = 3;
    const HAS_MORE: u32 = 4;
    const ONE: u32 = 5;
    const ENOUGH: u32 = 6;
    let ops = [
        Op::Int(ONE, 1),
        Op::CompareInts(Comparison::Less, HAS_MORE, K, N),
        Op::JumpIf(HAS_MORE, false, 7),
        Op::Compute(Some(ANSWER), 0, Operands { start: 0, len: 1 }),
        Op::Binary(BinaryOp::AddInts, SUM, SUM, ANSWER),
        Op::Binary(BinaryOp::AddInts, K, K, ONE),
        Op::Back(1),
        Op::Compute(Some(ENOUGH), 1, Operands { start: 1, len: 2 }),
        Op::Give(0, SUM),
        Op::Give(1, ENOUGH),
        Op::Return(None),
    ];
    use Kind::{Bool, Int};
    let first = function(&[Int, Int, Int, Int, Bool, Int, Bool], 1, &ops, &[K, SUM, HAS_MORE]);
    let asked = |name: &str, takes: &[Kind], gives| Native {
        name: name.to_owned(),
        signature: Signature { takes: takes.to_vec(), gives },
    };
    let ask = |asked_idx: u32, takes: &[Kind], gives| Computation {
        what: What::Ask(asked_idx),
        arguments: takes.iter().map(|kind| Argument::Scalar(*kind)).collect(),
        result: Answer::Scalar(gives),
    };
    Routine {
        asked: vec![asked("draw", &[Int], Int), asked("is_enough", &[Int, Bool], Bool)],
        computations: vec![ask(0, &[Int], Int), ask(1, &[Int, Bool], Bool)],
        ..routine(vec![first], &[Int, Bool], &[], &[])
    }
}

fn run(machine: &Machine, n: u64, asked: &mut Asked) -> (Ended, Vec<u64>) {
    let mut words = vec![n, 0, 0];
    let stop = AtomicBool::new(false);
    let ended = machine.run_with(&mut words, &mut [], &mut Scratch::default(), &stop, asked);
    (ended, words)
}

#[test]
fn both_tiers_ask_the_same() {
    let routine = Arc::new(sum());
    assert!(routine.has_effects() && !routine.speaks());
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::clone(&routine), &[], &[], tiers);
        assert_eq!((machine.flaw(), machine.is_native()), (None, tiers == Tiers::Native));
        let mut asked = Asked::default();
        assert_eq!(run(&machine, 3, &mut asked), (Ended::Done, vec![3, 60, 1]));
        let expected = [(0, vec![0]), (0, vec![1]), (0, vec![2]), (1, vec![60, 0])];
        assert_eq!(asked.questions, expected);
        // A question without an answer, and one that panics.
        for first in [13, 14] {
            let mut asked = Asked { first, ..Asked::default() };
            assert_eq!(run(&machine, 3, &mut asked).0, Ended::GaveUp);
            assert_eq!(asked.questions.len(), 1);
        }
        // Nobody answers.
        let stop = AtomicBool::new(false);
        let ended = machine.run(&mut [1, 0, 0], &mut [], &mut Scratch::default(), &stop);
        assert_eq!(ended, Ended::GaveUp);
    }
}

/// A run that takes long is begun again in machine code, and so are its questions.
#[test]
fn questions_begin_again_in_machine_code() {
    let machine = Machine::new(Arc::new(sum()), &[], &[], Tiers::Auto);
    let stop = AtomicBool::new(false);
    /// Answers all questions alike.
    #[derive(Debug, Default)]
    struct Counted {
        n_begun: usize,
        n_asked: u64,
    }
    impl EffectSink for Counted {
        fn begin(&mut self, _: usize) {
            (self.n_begun, self.n_asked) = (self.n_begun + 1, 0);
        }
        fn print(&mut self, _: &[Piece<'_>]) -> usize {
            0
        }
        fn set_result(&mut self, _: &str, _: Value) {}
        fn ask(&mut self, _: usize, _: usize, _: &[u64]) -> Option<u64> {
            self.n_asked += 1;
            Some(1)
        }
    }
    let (mut words, mut counted) = (vec![50_000, 0, 0], Counted::default());
    let ended = machine.run_with(&mut words, &mut [], &mut Scratch::default(), &stop, &mut counted);
    assert_eq!((ended, &words[1..]), (Ended::Done, &[50_000, 1][..]));
    assert_eq!((counted.n_begun, counted.n_asked), (2, 50_001));
}

/// Answers questions of rows, and keeps which row asks; the third question of a row has no answer.
#[derive(Debug, Default)]
struct OfRows(Vec<(usize, usize)>);

impl EffectSink for OfRows {
    fn begin(&mut self, row: usize) {
        self.0.retain(|(asking, _)| *asking != row);
    }
    fn print(&mut self, _: &[Piece<'_>]) -> usize {
        0
    }
    fn set_result(&mut self, _: &str, _: Value) {}
    fn ask(&mut self, row: usize, asked_idx: usize, _: &[u64]) -> Option<u64> {
        self.0.push((row, asked_idx));
        let n_asked = self.0.iter().filter(|(asking, _)| *asking == row).count();
        (n_asked < 4).then_some(100 * row as u64 + n_asked as u64)
    }
}

#[test]
fn rows_ask_by_their_number() {
    let stop = AtomicBool::new(false);
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(sum()), &[], &[], tiers);
        // How often each asks, and what it gives.
        let cells: Vec<Cell<i64>> = [0, 2, 1, 3, 1].into_iter().chain([-1; 10]).map(Cell::new).collect();
        let at = |start| Track { start, step: 1 };
        let (takes, gives) = ([at(0)], [at(5), at(10)]);
        let table = Table { cells: &cells, takes: &takes, gives: &gives };
        let mut asked = OfRows::default();
        let ran = machine.run_rows(&table, 1..5, |run| run(&mut Scratch::default()), &stop, Some(&mut asked));
        // The row that has no answer gives up, and those after it are not begun.
        assert_eq!(ran, (2, Ended::GaveUp));
        let rows: Vec<usize> = asked.0.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [1, 1, 1, 2, 2, 3, 3, 3, 3]);
        let given: Vec<i64> = cells[5..10].iter().map(Cell::get).collect();
        assert_eq!(given, [-1, 203, 201, -1, -1]);
    }
}

/// Counts the questions of each row, whatever it is asked.
#[derive(Debug, Default)]
struct CountedRows(BTreeMap<usize, u64>);

impl EffectSink for CountedRows {
    fn begin(&mut self, row: usize) {
        self.0.insert(row, 0);
    }
    fn print(&mut self, _: &[Piece<'_>]) -> usize {
        0
    }
    fn set_result(&mut self, _: &str, _: Value) {}
    fn ask(&mut self, row: usize, _: usize, _: &[u64]) -> Option<u64> {
        *self.0.entry(row).or_default() += 1;
        Some(1)
    }
}

#[test]
fn rows_ask_by_their_number_when_one_of_them_is_compiled() {
    let machine = Machine::new(Arc::new(sum()), &[], &[], Tiers::Auto);
    let stop = AtomicBool::new(false);
    // The second row is begun in the evaluator, and takes too long there.
    let cells: Vec<Cell<i64>> = [0, 2, 50_000, 3].into_iter().chain([-1; 8]).map(Cell::new).collect();
    let at = |start| Track { start, step: 1 };
    let (takes, gives) = ([at(0)], [at(4), at(8)]);
    let table = Table { cells: &cells, takes: &takes, gives: &gives };
    let mut counted = CountedRows::default();
    let ran = machine.run_rows(&table, 1..4, |run| run(&mut Scratch::default()), &stop, Some(&mut counted));
    assert_eq!(ran, (3, Ended::Done));
    assert_eq!(counted.0, BTreeMap::from([(1, 3), (2, 50_001), (3, 4)]));
}

/// Without a sink, runs for the rows of a table give up at questions, however often, and runs by themselves do not.
#[test]
fn rows_give_up_at_questions() {
    let stop = AtomicBool::new(false);
    for tiers in [Tiers::Evaluated, Tiers::Native] {
        let machine = Machine::new(Arc::new(sum()), &[], &[], tiers);
        let cells = [3, -1, -2].map(Cell::new);
        let at = |start| Track { start, step: 0 };
        let (takes, gives) = ([at(0)], [at(1), at(2)]);
        let table = Table { cells: &cells, takes: &takes, gives: &gives };
        for _ in 0..1_000 {
            let ran = machine.run_rows(&table, 0..4, |run| run(&mut Scratch::default()), &stop, None);
            assert_eq!(ran, (0, Ended::GaveUp));
        }
        assert_eq!(cells.map(Cell::into_inner), [3, -1, -2]);
        assert_eq!(run(&machine, 3, &mut Asked::default()).0, Ended::Done);
    }
}

#[test]
fn questions_that_do_not_fit_are_never_asked() {
    let flaw = |change: &dyn Fn(&mut Routine)| {
        let mut routine = sum();
        change(&mut routine);
        let machine = Machine::new(Arc::new(routine), &[], &[], Tiers::Native);
        machine.flaw().unwrap_or_default().to_owned()
    };
    assert_eq!(flaw(&|_| {}), "");
    let other_arguments = "a computation has other arguments than it takes";
    assert_eq!(flaw(&|routine| routine.computations[0].what = What::Ask(2)), other_arguments);
    assert_eq!(flaw(&|routine| routine.asked[1].signature.takes.reverse()), other_arguments);
    assert_eq!(
        flaw(&|routine| routine.asked[0].signature.gives = Kind::Real),
        "a computation leaves what it gives where it cannot be"
    );
}
