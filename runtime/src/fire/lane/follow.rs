//! Replay in the lane: what the record says of the next event, as far as that is nothing out of the ordinary. Everything else
//! is left to the general way, which also finds the words where a replay cannot follow its record.

use hasse_body::natives::put_int;
use hasse_lock::shared::{Held, Turn};
use hasse_model::id::{EventId, Index};
use hasse_record::instrumentation::Instrumentation;
use hasse_record::replay::ExpectedEvent;
use hasse_record::stamp::Version;
use hasse_runtime_plan::lane::Dependence;
use hasse_runtime_plan::rules::LaneRule;
use hasse_runtime_plan::straight::{Straight, StraightTake, bits_of};
use hasse_store::instance::{Core, Instance, Ready};
use hasse_store::queue::Queue;

use crate::fire::lane::clock::ROWS_PER_BATCH;
use crate::fire::lane::local::LaneLocal;
use crate::fire::lane::prepared::Batch;
use crate::fire::lane::straight::RecordedSending;
use crate::fire::worker::Worker;

/// Which events are next.
#[derive(Clone, Copy)]
pub(crate) enum Recorded {
    /// No record is followed.
    Free,
    /// Straight events: as far as what they take follows what their ports have first.
    Straight {
        /// Firing rule of the first one, and of the others unless several rules take turns.
        rule_idx: usize,
        /// Maximum number of events.
        n_events: usize,
        /// Routing rules and number of values of each.
        sending: RecordedSending,
        /// True if they are by rules that take turns.
        takes_turns: bool,
    },
    /// One event by this rule. What it takes is what its ports have first.
    Rule(usize),
    /// None: the record has no other one, or what it takes has not come.
    Nothing,
    /// One that is for the general way.
    Odd,
}

impl<'s, M: Instrumentation> Worker<'s, '_, M> {
    /// The next event of an instance in the record, if one is followed.
    pub(crate) fn next_expected(&self, instance: &Ready<M>, core: &Core<M>) -> Option<ExpectedEvent<'s>> {
        let notes = self.session.instrumentation;
        notes.follows().then(|| notes.expected(next_id(instance, core))).flatten()
    }

    /// Which events are next, where a record is followed; puts first what they take. Gives the object back where others are to
    /// have it before.
    pub(crate) fn next_told(
        &mut self,
        instance: &Ready<M>,
        core: &mut Core<M>,
        batch: &Batch<'s>,
        local: &mut LaneLocal<'s, M>,
        expected: Option<&ExpectedEvent<'s>>,
    ) -> Recorded {
        let id = next_id(instance, core);
        let Some(expected) = expected else { return Recorded::Nothing };
        let rule_idx = usize::try_from(expected.rule).unwrap_or(usize::MAX);
        let Some(rule) = batch.lane.rules.get(rule_idx) else { return Recorded::Odd };
        let asks = batch.body.as_ref().is_some_and(|body| body.native.asks);
        let is_plain = if asks { expected.is_plain_but_for_answers() } else { expected.is_plain() };
        let is_usual = is_plain
            && expected.flow().len() == rule.n_taken()
            && expected.shared().len() == core.locks.len();
        if !is_usual {
            return Recorded::Odd;
        }
        put_int(&mut local.names.values[batch.layout.count], id.count as i64);
        let guard = batch.plain.guards[rule_idx].as_ref();
        if guard.is_some_and(|guard| guard.holds(&local.names.values, &[]) != Some(true)) {
            return Recorded::Odd;
        }
        // Where a guard looks at vars, or rules take turns, events are looked at one by one.
        let is_steady = !matches!(batch.plain.dependences[rule_idx], Dependence::Other(_))
            && (batch.lane.rules.len() == 1 || expected.n_alike > 1 || local.turns.is_some());
        let straight = batch.straights(M::RECORDS).get(rule_idx);
        let straight = straight.filter(|_| self.session.has_columns() && is_steady);
        let sending = straight.and_then(|straight| sending(straight, expected));
        let told = match (straight, sending) {
            (Some(_), None) => return Recorded::Odd,
            (Some(straight), Some(sending)) if are_in_columns(core, straight) => {
                if !bring(core, rule, expected, |queue, sender| queue.column.bring(sender)) {
                    return Recorded::Nothing;
                }
                let n_alike = if goes_on(core, rule, expected) { expected.n_alike } else { 1 };
                let n_alike = usize::try_from(n_alike).unwrap_or(usize::MAX);
                let (n_events, takes_turns) = if asks || local.turns.is_some() && n_alike < ROWS_PER_BATCH {
                    self.n_ahead(core, local, (expected, rule, rule_idx), n_alike)
                } else {
                    (n_alike, false)
                };
                Recorded::Straight { rule_idx, n_events, sending, takes_turns }
            }
            _ if bring(core, rule, expected, |queue, sender| queue.bring(&(sender..=sender))) => {
                Recorded::Rule(rule_idx)
            }
            _ => return Recorded::Nothing,
        };
        let is_as_found = |held: &Held<M>| {
            let mut accesses = core.locks.iter().zip(expected.shared());
            accesses.all(|(lock, access)| held.is_as_found(&lock.object, &access))
        };
        if local.held.as_ref().is_some_and(|held| !is_as_found(held)) {
            self.give_back(core, local);
        }
        told
    }

    /// The number of events from the next one on that can be served together although the record tells each by itself: they are
    /// by rules that take turns, which is returned as well, or have answers of their own. `n_alike` of them are told together.
    fn n_ahead(
        &self,
        core: &Core<M>,
        local: &mut LaneLocal<'s, M>,
        (first, rule, rule_idx): (&ExpectedEvent<'s>, &LaneRule<'_>, usize),
        n_alike: usize,
    ) -> (usize, bool) {
        let notes = self.session.instrumentation;
        let Some(step) = common_step(core, rule) else { return (1, false) };
        let LaneLocal { turns, columns, names, .. } = local;
        let n_waiting = rule.takes.first().map_or(0, |take| core.ports[take.port].n_values(&Index::none()));
        let most = n_waiting.min(ROWS_PER_BATCH);
        let turns = turns.as_mut().filter(|_| n_alike < ROWS_PER_BATCH);
        let columns = columns.get_mut(if turns.is_some() { 0 } else { rule_idx });
        let columns = columns.and_then(Option::as_mut).filter(|columns| columns.asks());
        let mut answers = columns.map(|columns| columns.recorded(core.count));
        let mut rule_of = |nth: usize| {
            let id = EventId { count: first.id().count + nth as u64, ..first.id() };
            let expected = if nth == 0 { Some(*first) } else { notes.expected(id) };
            let expected = expected.filter(|expected| expected.goes_on_from(first, nth as u64 * step))?;
            if let Some(answers) = &mut answers {
                answers.push(expected.effects);
            } else if !expected.effects.is_empty() {
                return None;
            }
            usize::try_from(expected.rule).ok()
        };
        match turns {
            Some(turns) => {
                let n_events = turns.follow(&names.values, core.count, most, rule_of);
                if n_events > 0 { (n_events, true) } else { (1, false) }
            }
            None => {
                let n_events = (0..most).take_while(|&nth| rule_of(nth) == Some(rule_idx)).count();
                (n_events.max(1), false)
            }
        }
    }

    /// When the record lets the next event have its object.
    pub(crate) fn told_turn(&self, instance: &Instance<M>, core: &Core<M>) -> Turn {
        let expected = self.session.instrumentation.expected(next_id(instance, core));
        let access = expected.and_then(|event| event.shared().next());
        access.map_or(Turn::Never, |access| Turn::At(Version::in_record(&access)))
    }

    /// Whether an event sends what the record says.
    pub(crate) fn sends_as_told(&self, expected: &ExpectedEvent<'_>, n_sent: u64) -> bool {
        expected.routes == self.routes_taken
            && expected.flow_successors == n_sent + self.outgoing.len() as u64
    }
}

/// Whether the record, if one is followed, says of an event that it takes one value, of this sender, and sends one by these rules.
#[inline(always)]
pub(crate) fn is_relayed<M: Instrumentation>(
    notes: &M,
    id: EventId,
    taken: &M::Stamp,
    routes: &[u32],
) -> bool {
    !notes.follows()
        || notes.expected(id).is_some_and(|expected| {
            expected.is_plain()
                && (expected.rule, expected.flow_successors) == (0, 1)
                && expected.routes == routes
                && expected.shared().len() == 0
                && expected.flow().eq(M::sender(taken))
        })
}

/// Whether the record, if one is followed, says of an event that it takes these values, and sends so many by these rules.
#[inline(always)]
pub(crate) fn is_as_told<M: Instrumentation>(
    notes: &M,
    id: EventId,
    taken: &[M::Stamp],
    routes: &[u32],
    n_sent: u64,
) -> bool {
    !notes.follows()
        || notes.expected(id).is_some_and(|expected| {
            expected.is_plain()
                && (expected.rule, expected.flow_successors) == (0, n_sent)
                && expected.routes == routes
                && expected.shared().len() == 0
                && expected.flow().eq(taken.iter().filter_map(M::sender))
        })
}

fn next_id<M: Instrumentation>(instance: &Instance<M>, core: &Core<M>) -> EventId {
    EventId { action: instance.action, count: core.count + 1 }
}

/// What the record says of what a straight event sends; `None` where no such event can send that.
fn sending(straight: &Straight, expected: &ExpectedEvent<'_>) -> Option<RecordedSending> {
    let mut routes = 0_u64;
    for &route in expected.routes {
        routes |= 1_u64.checked_shl(route).filter(|_| (route as usize) < straight.routes.len())?;
    }
    let can_be = if straight.guards.is_empty() { routes == straight.always } else { true };
    let n_values = match straight.is_indexed() {
        // It depends on the index numbers, and is looked at when the event sends.
        true => expected.flow_successors,
        false => straight.n_values(&straight.sends, routes),
    };
    let is_same =
        can_be && n_values == expected.flow_successors && bits_of(routes).eq(expected.routes.iter().copied());
    is_same.then_some(RecordedSending { routes, n_values })
}

/// Returns true if all that waits on the ports of straight events is in columns.
fn are_in_columns<M: Instrumentation>(core: &Core<M>, straight: &Straight) -> bool {
    let is_column = |take: &StraightTake| {
        core.ports[take.port].queue(&take.element).is_none_or(|queue| queue.is_column_of(take.form))
    };
    straight.takes.iter().all(is_column)
}

/// Whether what waits on the ports of a rule behind the first values was sent as the record says of the events behind the
/// next one.
fn goes_on<M: Instrumentation>(core: &Core<M>, rule: &LaneRule<'_>, expected: &ExpectedEvent<'_>) -> bool {
    rule.takes.iter().all(|take| {
        let has_step = |queue: &Queue<M>| queue.column.step() == expected.flow_step;
        take.elements.iter().all(|element| core.ports[take.port].queue(element).is_some_and(has_step))
    })
}

/// Distance of the senders of what waits on each port of a rule from one another: 0 or 1, if that is the same for all ports.
fn common_step<M: Instrumentation>(core: &Core<M>, rule: &LaneRule<'_>) -> Option<u64> {
    let elements =
        rule.takes.iter().flat_map(|take| take.elements.iter().map(|element| (take.port, element)));
    let mut steps = elements.map(|(port, element)| Some(core.ports[port].queue(element)?.column.step()));
    let first = steps.next()??;
    steps.all(|step| step == Some(first)).then_some(first)
}

/// Puts first on each port what the next event takes, by a function of queues; false where it has not come.
fn bring<M: Instrumentation>(
    core: &mut Core<M>,
    rule: &LaneRule<'_>,
    expected: &ExpectedEvent<'_>,
    bring: impl Fn(&mut Queue<M>, EventId) -> bool,
) -> bool {
    let mut senders = expected.flow();
    rule.takes.iter().all(|take| {
        take.elements.iter().all(|element| {
            let queue = core.ports[take.port].queue_mut(element);
            queue.zip(senders.next()).is_some_and(|(queue, sender)| bring(queue, sender))
        })
    })
}
