//! Guards of routing rules over columns: what is compared stands in cells, and no expression is walked.

use std::cell::Cell;

use hasse_code::calc::{Calc, Leaf, Term, orders_of};
use hasse_code::eval::{Scalar, apply};
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::plan::BinaryOp;
use hasse_model::plan::routine::Kind;
use hasse_routine::Track;
use hasse_runtime_plan::straight::StraightGuard;

use crate::fire::lane::straight::columns::{COLUMN, Columns};

/// Rules by their bits, each with what must hold for it.
pub(crate) struct Guards {
    rules: Vec<(u64, Vec<Comparison>)>,
    /// What is worked out for all events before anything is compared.
    derived: Vec<Derived>,
    /// Words that are the same for all events.
    constants: Vec<(i64, Track)>,
}

/// Two integers of each event, and for which order of them it holds.
struct Comparison {
    left: Track,
    right: Track,
    orders: u8,
}

/// An operation on two integers of each event.
struct Derived {
    op: BinaryOp,
    left: Track,
    right: Track,
    /// Where the column of its values begins.
    start: usize,
}

impl Guards {
    /// The guards of routing rules. `slot` finds the scalars of a slot, which are of a kind.
    ///
    /// # Errors
    /// A guard takes anything but scalars that are in columns.
    pub(crate) fn of<'b>(
        guards: &[StraightGuard],
        columns: &mut Columns<'b>,
        slot: impl Fn(&mut Columns<'b>, usize, Kind) -> Result<Track, Cause> + Copy,
    ) -> Result<Self, Reason> {
        let mut made = Self { rules: Vec::new(), derived: Vec::new(), constants: Vec::new() };
        for guard in guards {
            let of_rule = |cause| Site::Route(guard.bit.trailing_zeros() as usize).because(cause);
            made.add(guard, columns, slot).map_err(of_rule)?;
        }
        Ok(made)
    }

    fn add<'b>(
        &mut self,
        StraightGuard { bit, calc, machine }: &StraightGuard,
        columns: &mut Columns<'b>,
        slot: impl Fn(&mut Columns<'b>, usize, Kind) -> Result<Track, Cause> + Copy,
    ) -> Result<(), Cause> {
        if let Some(machine) = machine {
            let machine = machine.as_ref().map_err(|cause| *cause)?;
            let (left, right) = (columns.step(machine, slot)?, self.constant(columns, 0));
            let orders = orders_of(BinaryOp::NotEqual).ok_or(Cause::GuardCompares)?;
            self.rules.push((*bit, vec![Comparison { left, right, orders }]));
            return Ok(());
        }
        let parts = match calc {
            Calc::All(parts) => &parts[..],
            other => std::slice::from_ref(other),
        };
        let mut comparisons = Vec::new();
        for part in parts {
            let Calc::Compare(op, left, right) = part else { return Err(Cause::GuardCompares) };
            let orders = orders_of(*op).ok_or(Cause::GuardCompares)?;
            let left = self.track(*left, columns, slot)?;
            let right = self.track(*right, columns, slot)?;
            comparisons.push(Comparison { left, right, orders });
        }
        self.rules.push((*bit, comparisons));
        Ok(())
    }

    fn track<'b>(
        &mut self,
        term: Term,
        columns: &mut Columns<'b>,
        slot: impl Fn(&mut Columns<'b>, usize, Kind) -> Result<Track, Cause>,
    ) -> Result<Track, Cause> {
        let mut track_of = |leaf: Leaf| match leaf {
            Leaf::Int(number) => Ok(self.constant(columns, number)),
            // What is no int is compared by itself.
            Leaf::Slot(slot_idx) => slot(columns, slot_idx, Kind::Int).map_err(|cause| match cause {
                Cause::AnyKind(_) => Cause::GuardCompares,
                cause => cause,
            }),
            Leaf::Bool(_) | Leaf::Local(_) => Err(Cause::GuardCompares),
        };
        match term {
            Term::Leaf(leaf) => track_of(leaf),
            Term::Of(op, left, right) => {
                let (left, right) = (track_of(left)?, track_of(right)?);
                let is_it = |derived: &&Derived| {
                    derived.op == op && is_same(derived.left, left) && is_same(derived.right, right)
                };
                if let Some(known) = self.derived.iter().find(is_it) {
                    return Ok(Track { start: known.start, step: 1 });
                }
                let start = columns.column();
                self.derived.push(Derived { op, left, right, start });
                Ok(Track { start, step: 1 })
            }
        }
    }

    /// A word that is the same for all events.
    fn constant(&mut self, columns: &mut Columns<'_>, word: i64) -> Track {
        if let Some(&(_, track)) = self.constants.iter().find(|(known, _)| *known == word) {
            return track;
        }
        columns.cells.push(Cell::new(word));
        let track = Track { start: columns.cells.len() - 1, step: 0 };
        self.constants.push((word, track));
        track
    }

    /// Whether something is to be worked out when the body has run.
    pub(crate) fn has_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    /// Works out what is derived, for so many events; false where that fails for one of them.
    pub(crate) fn derive(&self, cells: &[Cell<i64>], n_events: usize) -> bool {
        let at = |track: Track, nth: usize| cells[track.start + nth * track.step].get();
        self.derived.iter().all(|&Derived { op, left, right, start }| {
            if let (BinaryOp::Remainder, Some(divisor @ 1..=MOST_SHORT)) = (op, constant_at(cells, right)) {
                return (0..n_events).all(|nth| {
                    let number = at(left, nth);
                    // A division of short numbers takes a fraction of the time.
                    let rest = match u32::try_from(number) {
                        Ok(number) => i64::from(number % divisor as u32),
                        Err(_) => number % divisor,
                    };
                    cells[start + nth].set(rest);
                    true
                });
            }
            (0..n_events).all(|nth| {
                let of = (Scalar::Int(at(left, nth)), Scalar::Int(at(right, nth)));
                let Some(Scalar::Int(number)) = apply(op, of.0, of.1) else { return false };
                cells[start + nth].set(number);
                true
            })
        })
    }

    /// The rules that hold for an event, as bits.
    #[inline(always)]
    pub(crate) fn rules(&self, cells: &[Cell<i64>], nth: usize) -> u64 {
        let mut rules = 0;
        for (bit, comparisons) in &self.rules {
            let holds = comparisons.iter().all(|comparison| {
                let at = |track: Track| cells[track.start + nth * track.step].get();
                comparison.holds(at(comparison.left), at(comparison.right))
            });
            rules |= if holds { *bit } else { 0 };
        }
        rules
    }

    /// The same, for the first events, as many as `rules` has places: added to what stands there.
    #[inline(always)]
    pub(crate) fn add_rules(&self, cells: &[Cell<i64>], rules: &mut [u64]) {
        for (bit, comparisons) in &self.rules {
            let mut hold = [true; COLUMN];
            let hold = &mut hold[..rules.len()];
            for comparison in comparisons {
                let Comparison { left, right, .. } = comparison;
                let (lefts, rights) = (&cells[left.start..], &cells[right.start..]);
                match (left.step, right.step) {
                    (1, 0) => {
                        let right = rights[0].get();
                        for (hold, left) in hold.iter_mut().zip(lefts) {
                            *hold &= comparison.holds(left.get(), right);
                        }
                    }
                    _ => {
                        for (nth, hold) in hold.iter_mut().enumerate() {
                            let (left, right) = (&lefts[nth * left.step], &rights[nth * right.step]);
                            *hold &= comparison.holds(left.get(), right.get());
                        }
                    }
                }
            }
            for (rules, holds) in rules.iter_mut().zip(hold) {
                *rules |= if *holds { *bit } else { 0 };
            }
        }
    }
}

/// The word of a track that is the same for all events.
fn constant_at(cells: &[Cell<i64>], track: Track) -> Option<i64> {
    (track.step == 0).then(|| cells[track.start].get())
}

/// The greatest number of 32 bits.
const MOST_SHORT: i64 = u32::MAX as i64;

/// Returns true if two tracks are the same.
fn is_same(one: Track, other: Track) -> bool {
    (one.start, one.step) == (other.start, other.step)
}

impl Comparison {
    #[inline(always)]
    fn holds(&self, left: i64, right: i64) -> bool {
        let order = u8::from(left < right) | u8::from(left == right) << 1 | u8::from(left > right) << 2;
        order & self.orders != 0
    }
}
