//! By which arcs a value came: found from the program, the rules that were taken and the indices of both instances.

use rustc_hash::FxHashMap;

use hasse_debugger::index_map::maps;
use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId, GraphInstanceId};
use hasse_model::plan::{FiringRule, Plan, Source, Target};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::super::program::{PortWay, ProgramMap};

/// Templates of sender and taker, number of the routing rules, firing rule, and port.
type RuleKey = (u32, u32, u32, i32, u32);

/// Finds ways and numbers them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// By sender's template: where its values can go.
    from: FxHashMap<u32, FxHashMap<u32, Vec<PortWay>>>,
    /// What is left by the rules: positions in the list above.
    candidates: FxHashMap<RuleKey, Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    /// Arcs of each way, in the order of travel.
    pub(super) list: Vec<Box<[u32]>>,
    params: Vec<(String, Value)>,
}

/// A flow edge.
pub(super) struct Taken<'t> {
    pub(super) sender: EventId,
    /// Number and list of the routing rules that the sender took.
    pub(super) routes: (u32, &'t [u32]),
    pub(super) taker: &'t EventRecord,
    pub(super) flow_idx: usize,
}

impl Ways {
    pub(super) fn new(params: Vec<(String, Value)>) -> Self {
        Self { params, ..Self::default() }
    }

    /// The number of the way by which a value came; `None` where the program does not tell.
    pub(super) fn find(&mut self, taken: &Taken<'_>, program: &ProgramMap, names: &Names) -> Option<u32> {
        let plan = program.plan()?;
        let from = names.template_of(taken.sender.action)?.0;
        let to = names.template_of(taken.taker.id.action)?.0;
        let known = self.from.entry(from).or_insert_with(|| program.ways_from(from)).get(&to)?;
        let n_flow = taken.taker.flow.len();
        let rule = usize::try_from(taken.taker.rule).ok();
        let rule = rule.and_then(|rule| plan.templates.get(to as usize)?.fire.get(rule));
        let port = rule.and_then(|rule| port_of(rule, taken.flow_idx, n_flow));
        let port_key = port.map_or(u32::MAX, |port| port as u32);
        let key = (from, to, taken.routes.0, taken.taker.rule, port_key);
        let candidates = self.candidates.entry(key).or_insert_with(|| {
            let sends = |way: &PortWay| {
                let rules = plan.templates.get(from as usize).map_or(&[][..], |template| &template.route);
                let mut taken = taken.routes.1.iter().filter_map(|&route| rules.get(route as usize));
                taken.any(|route| route.sends.iter().any(|send| send.port == way.source_port))
            };
            let takes = |way: &PortWay| match (port, rule) {
                (Some(port), _) => way.target_port == port,
                (None, Some(rule)) => rule.takes.iter().any(|take| take.port == way.target_port),
                (None, None) => true,
            };
            let fitting = (0..).zip(known).filter(|(_, way)| sends(way) && takes(way));
            fitting.map(|(idx, _)| idx).collect()
        });
        let way = match &candidates[..] {
            [] => return None,
            [only] => known.get(*only as usize)?,
            several => {
                let ways = several.iter().filter_map(|idx| known.get(*idx as usize));
                let ends = (taken.sender.action, taken.taker.id.action);
                let mut fitting = ways.clone().filter(|way| fits(way, plan, &self.params, names, ends));
                fitting.next().or_else(|| ways.clone().next())?
            }
        };
        if let Some(&number) = self.numbers.get(&*way.arcs) {
            return Some(number);
        }
        let number = u32::try_from(self.list.len()).ok()?;
        let arcs: Box<[u32]> = way.arcs.clone().into();
        self.numbers.insert(arcs.clone(), number);
        self.list.push(arcs);
        Some(number)
    }
}

/// The port that the n-th value removed by a rule was taken from; `None` where several are possible.
fn port_of(rule: &FiringRule, flow_idx: usize, n_flow: usize) -> Option<usize> {
    let takes = &rule.takes;
    let n_loops = takes.iter().filter(|take| !take.loops.is_empty()).count();
    let looped = takes.iter().position(|take| !take.loops.is_empty());
    let at = match (n_loops, looped) {
        (0, _) => (takes.len() == n_flow).then_some(flow_idx)?,
        (1, Some(looped)) => {
            let n_behind = takes.len() - looped - 1;
            if takes.len() > n_flow + 1 {
                return None;
            } else if flow_idx < looped {
                flow_idx
            } else if flow_idx + n_behind < n_flow {
                looped
            } else {
                takes.len() + flow_idx - n_flow
            }
        }
        _ => {
            let first = takes.first()?.port;
            return takes.iter().all(|take| take.port == first).then_some(first);
        }
    };
    takes.get(at).map(|take| take.port)
}

/// The graph instances around an action, its own first.
fn around(action: ActionId, names: &Names) -> impl Iterator<Item = GraphInstanceId> + '_ {
    std::iter::successors(names.graph_of(action), |graph| Some(names.graph(*graph)?.parent))
}

/// Whether a way can lead from one instance to the other: through calls that they are in, and by its index maps. What
/// cannot be known is taken to fit.
fn fits(
    way: &PortWay,
    plan: &Plan,
    params: &[(String, Value)],
    names: &Names,
    (sender, taker): (ActionId, ActionId),
) -> bool {
    let arcs = || way.arcs.iter().filter_map(|arc| plan.arcs.get(*arc as usize));
    let is_in = |end: ActionId, call| {
        around(end, names).filter_map(|graph| names.graph(graph)).any(|record| record.call == call)
    };
    let passes = arcs().all(|arc| {
        let leaves = match arc.source {
            Source::Call(call) => is_in(sender, call),
            Source::Unit(_) | Source::Interface => true,
        };
        leaves
            && match arc.target {
                Target::Call(call) => is_in(taker, call),
                Target::Unit(_) | Target::Interface => true,
            }
    });
    let ends = names.index_of(sender).zip(names.index_of(taker));
    match (&way.arcs[..], ends) {
        ([_], Some((sender_index, taker_index))) => {
            let is_main = names.graph_of(sender) == Some(GraphInstanceId::MAIN);
            let params = if is_main { params } else { &[] };
            let is_same = names.graph_of(sender) == names.graph_of(taker);
            passes
                && is_same
                && arcs().all(|arc| maps(arc, sender_index.as_slice(), taker_index.as_slice(), params))
        }
        _ => passes,
    }
}
