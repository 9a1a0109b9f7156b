//! The fast path's view of a template, made when a program is loaded.

use hasse_code::calc::Calc;
use hasse_code::layout::Layout;
use hasse_code::reason::{Cause, Reason, Site};
use hasse_model::id::SlotId;
use hasse_model::plan::Template;
use hasse_model::plan::routine::Kind;
use hasse_routine::Tiers;

use crate::matching::Matching;
use crate::ports::PortSet;
use crate::rules::{LaneRoute, LaneRule, PlainRoute, ReceivingPort};
use crate::straight::{Straight, StraightGuard};

/// A template whose events the lane serves.
pub struct Lane<'p> {
    /// Firing rules, by position.
    pub rules: Vec<LaneRule<'p>>,
    /// The port, where there is one rule that takes a value from it without a guard.
    pub only_port: Option<usize>,
    /// For each rule the ports that it takes values from, as bits; as if it took none where a new instance is to be
    /// looked at as soon as something comes.
    pub needs: Vec<PortSet>,
    /// Not where the interpreter evaluates some of it, or where loops go round within loops.
    pub routes: Result<Vec<LaneRoute<'p>>, Reason>,
    /// Whether the fast path puts values onto the sender's own ports. The slow path puts them into the inbox, and so do others:
    /// the inbox is emptied before the fast path goes on, or what is there would be passed, and might wait for ever.
    pub sends_to_itself: bool,
    /// Ports to which values go, each once.
    pub receivers: Vec<ReceivingPort>,
    /// The most values that an event sends to each of them; `None` where that is not known before.
    pub most_sent: Option<Vec<usize>>,
    /// Where no interpreter is needed: how events are served without.
    pub plain: Result<Plain<'p>, Reason>,
    /// Whether a new instance needs nothing but the default values of its vars.
    pub begins_plainly: bool,
    /// Slots that hold nothing between two events.
    pub passing: Vec<usize>,
}

/// What serves events without the interpreter.
pub struct Plain<'p> {
    /// Guards of the firing rules.
    pub guards: Vec<Option<Calc>>,
    /// Routing rules, by position.
    pub routes: Vec<PlainRoute<'p>>,
    /// Slots of bound names that are to be emptied after each event: others are written by each, and hold numbers or truth
    /// values.
    pub clears: Vec<usize>,
    /// By firing rule, where all events are as simple as can be; else none.
    pub straights: Vec<Straight>,
    /// Why there are none.
    pub bend: Option<Reason>,
    /// Shared objects that events lock.
    pub objects: Objects,
    /// By firing rule, on what its guard depends.
    pub dependences: Vec<Dependence>,
    /// Firing rules whose events are served together: they take the same values, and their guards depend on nothing that events
    /// change but their number.
    pub turns: Option<RuleTurns>,
    /// Where its instances may be entries of the matching store.
    pub matching: Option<Matching>,
    /// Whether an event can send more than one value: they are to be taken back if it fails.
    pub is_many: bool,
}

/// Firing rules that take the same values, as bits.
pub struct RuleTurns {
    /// Number of rules.
    pub n_rules: usize,
    /// Rules without a guard.
    pub always: u64,
    /// Guards of the others.
    pub guards: Vec<StraightGuard>,
}

/// Most firing rules whose events are served together: they are noted as bits.
const MOST_TURNS: usize = 64;

impl RuleTurns {
    /// The turns of firing rules with these guards, by position; `None` where only events by the same rule are served together.
    pub(crate) fn of(
        template: &Template,
        straights: &[Straight],
        (guards, dependences): (&[Option<Calc>], &[Dependence]),
        tiers: Tiers,
    ) -> Option<Self> {
        let (first, others) = straights.split_first()?;
        let are_alike = others.iter().all(|straight| straight.takes == first.takes);
        let depends = dependences.iter().any(|dependence| matches!(dependence, Dependence::Other(_)));
        if others.is_empty() || straights.len() > MOST_TURNS || !are_alike || depends || !first.own.is_empty()
        {
            return None;
        }
        let kind_of = |slot: SlotId| template.slots.get(slot.idx()).and_then(|slot| Kind::of(&slot.ty));
        let bits = || guards.iter().enumerate().map(|(rule_idx, guard)| (1_u64 << rule_idx, guard));
        let guard = |(bit, guard): (u64, &Option<Calc>)| {
            Some(StraightGuard::of(bit, guard.clone()?, tiers, &kind_of))
        };
        Some(Self {
            n_rules: straights.len(),
            always: bits().filter(|(_, guard)| guard.is_none()).fold(0, |all, (bit, _)| all | bit),
            guards: bits().filter_map(guard).collect(),
        })
    }
}

/// On what the guard of a firing rule depends that may change while an instance is served.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dependence {
    /// On nothing, or there is no guard.
    None,
    /// On the number of the execution.
    Count,
    /// On a var, or anything else: a slot.
    Other(usize),
}

/// Shared objects that each event of a template locks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Objects {
    /// No shared object.
    None,
    /// One, which is read.
    Read,
    /// One, which is written and holds a scalar.
    Scalar,
    /// One that is written and holds something else.
    Whole(Reason),
    /// The slow path sees to several.
    General(Reason),
}

impl Objects {
    /// Returns true if events that access an object are served together.
    #[inline]
    pub fn are_shared_by_runs(self) -> bool {
        matches!(self, Objects::Read | Objects::Scalar)
    }
}

impl<'p> Lane<'p> {
    /// Where instances may be entries of the matching store.
    pub fn matching(&self) -> Option<&Matching> {
        self.plain.as_ref().ok()?.matching.as_ref()
    }
}

impl Lane<'_> {
    /// Whether no interpreter is needed, and no firing rule has a guard.
    #[inline]
    pub fn is_plain_and_unguarded(&self) -> bool {
        self.plain.is_ok() && self.rules.iter().all(|rule| rule.guard.is_none())
    }
}

impl<'p> Plain<'p> {
    /// Why events by a firing rule are served one at a time however many values wait, if they are.
    #[inline]
    pub fn turn_obstacle(&self, rule_idx: usize) -> Option<Reason> {
        match self.dependences[rule_idx] {
            Dependence::Other(slot_idx) => Some(Site::Fire(rule_idx).because(Cause::GuardLooksAt(slot_idx))),
            _ if self.straights.len() > 1 && !self.straights[rule_idx].own.is_empty() => {
                Some(Site::Node.because(Cause::RulesAndOwn))
            }
            Dependence::None | Dependence::Count => None,
        }
    }

    /// Straight events by the only firing rule, which has no guard.
    #[inline(always)]
    pub fn straight(&self) -> Option<&Straight> {
        lone_straight(&self.straights, &self.guards)
    }
}

#[inline(always)]
pub(crate) fn lone_straight<'l>(straights: &'l [Straight], guards: &[Option<Calc>]) -> Option<&'l Straight> {
    match (straights, guards) {
        ([straight], [None]) => Some(straight),
        _ => None,
    }
}

pub(crate) fn begins_plainly(template: &Template, layout: &Layout) -> bool {
    let has_defaults = template.var_defaults.iter().any(Option::is_some);
    template.init.is_none() && !has_defaults && layout.shared.is_empty()
}
