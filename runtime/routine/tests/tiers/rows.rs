//! Runs for the rows of a table.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hasse_model::plan::routine::{Kind, Routine};
use hasse_routine::{Ended, Machine, Scratch, Table, Tiers, Track};
use proptest::prelude::*;

use crate::cases::{machines, nesting};
use crate::tape::{Tape, tapes};
use crate::{generate, n_routines, natives, runner, word};

/// A table for a routine of scalars.
struct Sheet {
    cells: Vec<i64>,
    /// Kinds of the cells.
    kinds: Vec<Kind>,
    takes: Vec<Track>,
    gives: Vec<Track>,
    rows: Range<usize>,
}

impl Sheet {
    fn new(routine: &Routine, tape: &mut Tape) -> Self {
        let n_rows = tape.below(12);
        let first = tape.below(4);
        let (mut takes, mut kinds) = (Vec::new(), Vec::new());
        let mut track = |kind: Kind, step: usize| {
            let start = kinds.len();
            kinds.resize(start + 1 + step * (first + n_rows), kind);
            Track { start, step }
        };
        for input in &routine.inputs {
            takes.push(track(input.kind, tape.below(3)));
        }
        let mut gives = Vec::new();
        for output in &routine.outputs {
            let taken_idx = tape.below(2 * takes.len() + 1);
            let taken = takes.get(taken_idx).filter(|_| routine.inputs[taken_idx].kind == output.kind);
            gives.push(match taken {
                // Where the next row takes it, as a var is.
                Some(taken) => Track { start: taken.start + taken.step, step: taken.step },
                None => track(output.kind, tape.below(3)),
            });
        }
        kinds.extend([Kind::Int; 2]);
        let cells = kinds.iter().map(|&kind| word(kind, tape).cast_signed()).collect();
        Self { cells, kinds, takes, gives, rows: first..first + n_rows }
    }

    /// What stands in the cells behind it, how many rows have come to their end, and how the last one has ended.
    fn run(&self, run: impl FnOnce(&Table<'_>, Range<usize>) -> (usize, Ended)) -> (Vec<i64>, usize, Ended) {
        let cells: Vec<Cell<i64>> = self.cells.iter().copied().map(Cell::new).collect();
        let table = Table { cells: &cells, takes: &self.takes, gives: &self.gives };
        let (n_done, ended) = run(&table, self.rows.clone());
        let cells = cells.into_iter().map(Cell::into_inner).zip(&self.kinds);
        // Tiers may come to other bits of what is no number.
        let usual = |(cell, kind): (i64, &Kind)| match f64::from_bits(cell.cast_unsigned()) {
            real if *kind == Kind::Real && real.is_nan() => f64::NAN.to_bits().cast_signed(),
            _ => cell,
        };
        (cells.map(usual).collect(), n_done, ended)
    }
}

/// Runs each row by itself.
fn run_by_hand(
    machine: &Machine,
    scratch: &mut Scratch,
    stop: &AtomicBool,
) -> impl FnOnce(&Table<'_>, Range<usize>) -> (usize, Ended) {
    move |table, rows| {
        let first = rows.start;
        for row in rows.clone() {
            let inputs = table.takes.iter().map(|track| table.cell(*track, row).get().cast_unsigned());
            let mut words: Vec<u64> = inputs.collect();
            words.resize(words.len() + table.gives.len(), 0);
            let ended = machine.run(&mut words, &mut [], scratch, stop);
            if ended != Ended::Done {
                return (row - first, ended);
            }
            for (track, word) in table.gives.iter().zip(&words[table.takes.len()..]) {
                table.cell(*track, row).set(word.cast_signed());
            }
        }
        (rows.len(), Ended::Done)
    }
}

/// Runs for the rows of a table do what as many runs do, and stop where one of these does.
#[test]
fn rows_are_runs() {
    let (n_whole, n_broken_off) = (AtomicU64::new(0), AtomicU64::new(0));
    let result = runner(n_routines()).run(&(tapes(), tapes()), |(mut tape, mut inputs)| {
        let routine = Arc::new(generate::routine_of_scalars(&mut tape));
        let natives = natives::functions(&routine);
        let machine = |tiers| Machine::new(Arc::clone(&routine), &natives, &[], tiers);
        let (evaluated, native) = (machine(Tiers::Evaluated), machine(Tiers::Native));
        prop_assert_eq!(evaluated.flaw(), None);
        prop_assert!(native.is_native());
        let mut scratch = Scratch::default();
        let mut stop = AtomicBool::new(false);
        for _ in 0..6 {
            let sheet = Sheet::new(&routine, &mut inputs);
            *stop.get_mut() = inputs.below(8) == 0;
            let found = sheet.run(run_by_hand(&evaluated, &mut scratch, &stop));
            for machine in [&evaluated, &native] {
                let ran = sheet
                    .run(|table, rows| machine.run_rows(table, rows, |run| run(&mut scratch), &stop, None));
                prop_assert_eq!(&ran, &found);
            }
            let (_, n_done, ended) = found;
            if n_done > 0 {
                let n_such = if ended == Ended::Done { &n_whole } else { &n_broken_off };
                n_such.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    });
    let (n_whole, n_broken_off) = (n_whole.into_inner(), n_broken_off.into_inner());
    println!("{n_whole} tables were done, {n_broken_off} were broken off behind the first row");
    result.expect("rows are runs");
    assert!(n_whole > u64::from(n_routines()) && n_broken_off > 0, "too little was seen");
}

/// Runs a routine that takes and gives an integer, in machine code, for the third row of a table.
fn run_third_row(n_cells: usize, takes: &[Track], gives: &[Track]) -> (Vec<i64>, (usize, Ended)) {
    let [_, native] = machines(nesting());
    let cells: Vec<Cell<i64>> = (0..n_cells as i64).map(Cell::new).collect();
    let table = Table { cells: &cells, takes, gives };
    let stop = AtomicBool::new(false);
    let ran = native.run_rows(&table, 2..3, |run| run(&mut Scratch::default()), &stop, None);
    (cells.into_iter().map(Cell::into_inner).collect(), ran)
}

const TAKEN: Track = Track { start: 1, step: 2 };
const GIVEN: Track = Track { start: 2, step: 2 };

#[test]
fn a_row_is_where_its_tracks_say() {
    let (cells, ran) = run_third_row(7, &[TAKEN], &[GIVEN]);
    assert_eq!(ran, (1, Ended::Done));
    // The routine counts as far as it is told.
    assert_eq!(cells, [0, 1, 2, 3, 4, 5, 5]);
}

#[test]
#[should_panic(expected = "a track does not leave the cells")]
fn a_track_that_leaves_the_cells_is_refused() {
    run_third_row(6, &[TAKEN], &[GIVEN]);
}

#[test]
#[should_panic(expected = "a track does not leave the cells")]
fn a_track_that_leaves_all_numbers_is_refused() {
    run_third_row(7, &[Track { start: 9, step: usize::MAX }], &[GIVEN]);
}

#[test]
#[should_panic(expected = "one track for each input")]
fn too_few_taken_tracks_are_refused() {
    run_third_row(7, &[], &[GIVEN]);
}

#[test]
#[should_panic(expected = "one track for each output")]
fn too_few_given_tracks_are_refused() {
    run_third_row(7, &[TAKEN], &[]);
}
