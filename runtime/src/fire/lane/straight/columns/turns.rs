//! Firing rules that take turns: which of them the next events are by, where all take the same values.

use hasse_code::layout::Layout;
use hasse_code::reason::Cause;
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;
use hasse_runtime_plan::lane::RuleTurns;

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::straight::columns::guards::Guards;
use crate::fire::lane::straight::columns::{COLUMN, Columns};

/// Firing rules of the next events of an instance, which are one worker's.
pub(crate) struct Turns {
    /// Names that guards look at, and the numbers of executions.
    columns: Columns<'static>,
    guards: Guards,
    /// Rules without a guard, as bits.
    always: u64,
    n_rules: usize,
    /// True if rules are in the order of preference, and take no turns.
    prefers: bool,
    /// By event, as far as they are decided.
    rules: [u8; ROWS_PER_BATCH],
}

impl Turns {
    /// The turns of a template; `None` where guards look at anything but scalars.
    pub(crate) fn of(turns: &RuleTurns, (template, layout): (&Template, &Layout)) -> Option<Self> {
        let mut columns = Columns::of_names(template, layout);
        let slot = |columns: &mut Columns<'static>, slot_idx: usize, kind: Kind| {
            if columns.kinds[slot_idx] != Some(kind) {
                return Err(Cause::AnyKind(slot_idx));
            }
            Ok(if slot_idx == columns.count_slot { columns.counts() } else { columns.track(slot_idx, kind) })
        };
        let guards = Guards::of(&turns.guards, &mut columns, slot).ok()?;
        let RuleTurns { always, n_rules, .. } = *turns;
        let prefers = template.prefers;
        Some(Self { columns, guards, always, n_rules, prefers, rules: [0; ROWS_PER_BATCH] })
    }

    /// Finds out the rules of the next events, `most` of them at most, if each has its values. Of the rules whose guards hold, an
    /// event is by the first one from the one that is next in turn. Returns the number of events whose rule is known: none where a guard fails.
    pub(crate) fn decide(
        &mut self,
        values: &[Value],
        (n_before, mut first_rule): (u64, usize),
        most: usize,
    ) -> usize {
        let (n_rules, prefers) = (self.n_rules, self.prefers);
        self.fill(values, n_before, most, |_, holding| {
            let in_turn = holding & (u64::MAX << first_rule);
            let rule_idx = if in_turn == 0 { holding } else { in_turn }.trailing_zeros() as usize;
            first_rule = if prefers || rule_idx + 1 == n_rules { 0 } else { rule_idx + 1 };
            (holding != 0).then_some(rule_idx)
        })
    }

    /// The same, where `recorded` says by which rule each event is: as far as its guard holds.
    pub(crate) fn follow(
        &mut self,
        values: &[Value],
        n_before: u64,
        most: usize,
        mut recorded: impl FnMut(usize) -> Option<usize>,
    ) -> usize {
        self.fill(values, n_before, most, |nth, holding| {
            recorded(nth).filter(|&rule_idx| holding & 1_u64.checked_shl(rule_idx as u32).unwrap_or(0) != 0)
        })
    }

    #[inline(always)]
    fn fill(
        &mut self,
        values: &[Value],
        n_before: u64,
        most: usize,
        mut rule_of: impl FnMut(usize, u64) -> Option<usize>,
    ) -> usize {
        if !self.columns.begin(values, n_before) {
            return 0;
        }
        let n_events = self.columns.run_steps(0..most.min(ROWS_PER_BATCH));
        if !self.guards.derive(&self.columns.cells, n_events) {
            return 0;
        }
        let mut holding = [self.always; COLUMN];
        self.guards.add_rules(&self.columns.cells, &mut holding[..n_events]);
        for (nth, (rule, &holding)) in self.rules[..n_events].iter_mut().zip(&holding).enumerate() {
            match rule_of(nth, holding) {
                Some(rule_idx) => *rule = rule_idx as u8,
                None => return nth,
            }
        }
        n_events
    }

    /// The rules of the first events, which are known.
    pub(crate) fn rules(&self, n_events: usize) -> &[u8] {
        &self.rules[..n_events]
    }
}
