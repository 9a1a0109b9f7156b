//! What the lane knows of a template whose events are as simple as can be.

use hasse_model::id::ArcId;
use hasse_model::plan::Template;
use hasse_model::value::{Type, Value};

use super::super::arcs::IndexedWay;
use super::super::calc::{Calc, Leaf};
use super::{LaneRule, PlainRoute, Receiver, Way};
use crate::program::Layout;

/// Events that take integers by one rule without a guard, run a native body or none, and send integers that stand in
/// names to ports that are the same for all of them.
pub(crate) struct Straight {
    /// Ports and slots.
    pub(crate) takes: Vec<(usize, usize)>,
    pub(crate) routes: Vec<StraightRoute>,
    /// Rules without a guard, as bits.
    pub(crate) always: u64,
    /// Guards, with the bits of their rules.
    pub(crate) guards: Vec<(u64, Calc)>,
    /// Slots of what is sent to plain ports of others, each once.
    pub(crate) sent_slots: Vec<usize>,
    /// For each of them, the rules that send it, as bits.
    pub(crate) sent_bits: Vec<u64>,
    /// Sendings to plain ports of others: bits of the rules, positions in `sent_slots` and in [`Lane::receivers`],
    /// arcs.
    pub(crate) sends: Vec<(u64, usize, usize, ArcId)>,
    /// Sendings to the sender: bits of the rules, slots, ports, arcs.
    pub(crate) own: Vec<(u64, usize, usize, ArcId)>,
    /// Whether what an action sends to itself goes to the ports that it takes from.
    pub(crate) sends_to_taken: bool,
    /// Whether it takes one value and sends one, and has nothing else to do.
    pub(crate) is_relay: bool,
    /// Rules without a guard.
    pub(crate) always_list: Vec<u32>,
    /// Whether an event can send two values to one port.
    pub(crate) sends_twice: bool,
    /// Whether values go to instances that index numbers tell: all of them do then.
    pub(crate) is_indexed: bool,
    /// Numbers that are sent as they are: they stand behind the slots of names.
    pub(crate) constants: Vec<i64>,
}

/// A routing rule.
pub(crate) struct StraightRoute {
    pub(crate) guard: Option<Calc>,
    /// Slots, and where their values go.
    pub(crate) sends: Vec<(usize, Way)>,
    /// Slots, and where their values go by index numbers.
    pub(crate) indexed: Vec<(usize, Vec<IndexedWay>)>,
}

/// Most routing rules, and names that are sent, where events are straight: they are noted as bits.
const MAX_STRAIGHT_ROUTES: usize = 64;

impl Straight {
    /// `None` where events are not so simple.
    pub(super) fn of(
        (template, layout): (&Template, &Layout),
        rules: &[LaneRule<'_>],
        routes: &[PlainRoute<'_>],
    ) -> Option<Self> {
        let [rule] = rules else { return None };
        let is_straight = rule.guard.is_none()
            && rule.takes.iter().all(|take| *take.ty == Type::Int)
            && !rule.takes.is_empty()
            && !template.is_stop
            && routes.iter().all(|route| !matches!(route.guard, Some(Calc::Routine(_))))
            && routes.len() <= MAX_STRAIGHT_ROUTES;
        let mut constants = Vec::new();
        let mut route = |route: &PlainRoute<'_>| {
            let (mut sends, mut indexed) = (Vec::new(), Vec::new());
            for send in &route.sends {
                let slot_idx = match send.value {
                    Calc::Leaf(Leaf::Slot(slot_idx)) => slot_idx,
                    Calc::Leaf(Leaf::Int(number)) => {
                        constants.push(number);
                        template.slots.len() + constants.len() - 1
                    }
                    _ => return None,
                };
                let is_plain = *send.ty == Type::Int && send.bounds.is_none() && !route.guards_elements;
                match (&send.ways, &send.indexed) {
                    _ if !is_plain => return None,
                    (Some(ways), _) => sends.extend(ways.iter().map(|&way| (slot_idx, way))),
                    (None, Some(ways)) if send.elements.is_empty() => indexed.push((slot_idx, ways.clone())),
                    _ => return None,
                }
            }
            Some(StraightRoute { guard: route.guard.clone(), sends, indexed })
        };
        let routes: Vec<StraightRoute> = routes.iter().map(&mut route).collect::<Option<_>>()?;
        let mut ways = routes.iter().flat_map(|route| &route.sends).map(|(_, way)| way);
        let is_taken =
            |way: &Way| way.to != Receiver::Itself || rule.takes.iter().any(|take| take.port == way.port);
        let sends_to_taken = ways.all(is_taken);
        let takes = rule.takes.iter().map(|take| (take.port, take.slot_idx)).collect();
        let is_indexed = routes.iter().any(|route| !route.indexed.is_empty());
        let sends_twice = routes.iter().enumerate().any(|(rule_idx, route)| {
            let earlier = routes[..rule_idx].iter().flat_map(|route| &route.sends);
            let sends = route.sends.iter().enumerate();
            sends.clone().any(|(send_idx, (_, way))| {
                let before = earlier.clone().chain(&route.sends[..send_idx]);
                before.into_iter().any(|(_, other)| (other.to, other.port) == (way.to, way.port))
            })
        });
        if !is_straight {
            return None;
        }
        let bits = |rule_idx: usize| 1_u64 << rule_idx;
        let with_bits = || routes.iter().enumerate().map(|(rule_idx, route)| (bits(rule_idx), route));
        let guards = with_bits().filter_map(|(bit, route)| Some((bit, route.guard.clone()?)));
        let always =
            with_bits().filter(|(_, route)| route.guard.is_none()).fold(0, |all, (bit, _)| all | bit);
        let (mut sent_slots, mut sends, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let mut sent_bits: Vec<u64> = Vec::new();
        for (bit, route) in with_bits() {
            for &(slot_idx, way) in &route.sends {
                let Receiver::Other(position) = way.to else {
                    own.push((bit, slot_idx, way.port, way.arc));
                    continue;
                };
                let known = sent_slots.iter().position(|&known| known == slot_idx);
                let sent_idx = known.unwrap_or(sent_slots.len());
                if known.is_none() {
                    sent_slots.push(slot_idx);
                    sent_bits.push(0);
                }
                sent_bits[sent_idx] |= bit;
                sends.push((bit, sent_idx, position, way.arc));
            }
        }
        if sent_slots.len() > MAX_STRAIGHT_ROUTES {
            return None;
        }
        let guards: Vec<_> = guards.collect();
        let is_relay = guards.is_empty()
            && own.is_empty()
            && !is_indexed
            && sends.len() == 1
            && rule.takes.len() == 1
            && layout.vars.is_empty()
            && layout.indices.is_empty()
            && layout.shared.is_empty();
        Some(Self {
            takes,
            always,
            guards,
            is_relay,
            always_list: bits_of(always).collect(),
            sent_slots,
            sent_bits,
            sends,
            own,
            routes,
            sends_to_taken,
            sends_twice,
            is_indexed,
            constants,
        })
    }

    /// The rules that hold, as bits; `None` where a guard gives no truth value.
    #[inline(always)]
    pub(crate) fn routes_for(&self, values: &[Value]) -> Option<u64> {
        let mut routes = self.always;
        for (bit, guard) in &self.guards {
            if guard.holds(values, &[])? {
                routes |= bit;
            }
        }
        Some(routes)
    }

    /// Number of values that an event sends without index numbers by rules, as bits.
    pub(crate) fn n_values(&self, routes: u64) -> u64 {
        let bits = self.sends.iter().map(|send| send.0).chain(self.own.iter().map(|send| send.0));
        bits.filter(|bit| routes & bit != 0).count() as u64
    }
}

/// The positions of bits that are set.
pub(crate) fn bits_of(set: u64) -> impl Iterator<Item = u32> {
    let rest = |set: &u64| Some(set & (set - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(set).filter(|&set| set != 0), rest).map(u64::trailing_zeros)
}
