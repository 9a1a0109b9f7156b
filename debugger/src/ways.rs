//! By which arcs a value came: found from the program, the rules that were taken and the indices of both instances.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, CallId, EventId, GraphInstanceId, TemplateId};
use hasse_model::plan::{FiringRule, Plan, Source, Target};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use crate::index_map::maps;

/// Most arcs in a row that are followed.
const MOST_ARCS: usize = 16;
/// Most ways between two ports that are told apart.
const MOST_WAYS: usize = 16;

/// One way by which a value can go from an output port to an input port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PortWay {
    /// Position of the output port in its template.
    pub source_port: usize,
    /// Position of the input port in its template.
    pub target_port: usize,
    /// Positions of arcs in the plan, in the order of travel.
    pub arcs: Vec<u32>,
}

/// The ways from any output port of a template to others, by the position of the template that takes. Cost: a search along
/// arcs.
pub fn ways_from(plan: &Plan, template: u32) -> BTreeMap<u32, Vec<PortWay>> {
    let mut found: BTreeMap<u32, Vec<PortWay>> = BTreeMap::new();
    let Some(own) = plan.templates.get(template as usize) else { return found };
    let source = Source::Unit(TemplateId(template));
    for source_port in 0..own.outputs.len() {
        let mut open = vec![(own.graph, source, source_port, Vec::<u32>::new())];
        while let Some((graph, source, port, arcs)) = open.pop() {
            if arcs.len() >= MOST_ARCS {
                continue;
            }
            for (id, arc) in plan.arcs_from(graph, source, port) {
                let mut arcs = arcs.clone();
                arcs.push(id.0);
                match arc.target {
                    Target::Unit(taker) => {
                        let ways = found.entry(taker.0).or_default();
                        if ways.len() < MOST_WAYS {
                            ways.push(PortWay { source_port, target_port: arc.target_port, arcs });
                        }
                    }
                    Target::Call(call) => {
                        let inner = plan.call(call).graph;
                        open.push((inner, Source::Interface, arc.target_port, arcs));
                    }
                    Target::Interface => {
                        let callers = (0..).zip(&plan.calls).filter(|(_, call)| call.graph == graph);
                        for (idx, call) in callers {
                            let source = Source::Call(CallId(idx));
                            open.push((call.owner, source, arc.target_port, arcs.clone()));
                        }
                    }
                }
            }
        }
    }
    found
}

/// Templates of sender and taker, number of the routing rules, firing rule, and port.
type RuleKey = (u32, u32, u32, i32, u32);

/// Finds the ways by which values came, and numbers them.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// By sender's template: where its values can go.
    from: FxHashMap<u32, BTreeMap<u32, Vec<PortWay>>>,
    /// What is left by the rules: positions in the list above.
    candidates: FxHashMap<RuleKey, Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
    /// Arcs of each way, in the order of travel.
    list: Vec<Box<[u32]>>,
    params: Vec<(String, Value)>,
}

/// A value that an event took.
pub struct Taken<'t> {
    /// The event that sent it.
    pub sender: EventId,
    /// Number and list of the routing rules that the sender took.
    pub routes: (u32, &'t [u32]),
    /// The event that took it.
    pub taker: &'t EventRecord,
    /// Position among the values that it took.
    pub flow_idx: usize,
}

impl Ways {
    /// No ways yet. `params` are those of the main graph, in the order of the program.
    pub fn new(params: Vec<(String, Value)>) -> Self {
        Self { params, ..Self::default() }
    }

    /// Arcs of each way by number, in the order of travel.
    pub fn list(&self) -> &[Box<[u32]>] {
        &self.list
    }

    /// Takes the list of ways out.
    pub fn take_list(&mut self) -> Vec<Box<[u32]>> {
        std::mem::take(&mut self.list)
    }

    /// The ways from any output port of a template to others, by the position of the template that takes.
    pub fn from(&mut self, plan: &Plan, template: u32) -> &BTreeMap<u32, Vec<PortWay>> {
        self.from.entry(template).or_insert_with(|| ways_from(plan, template))
    }

    /// The number of the way by which a value came; `None` where the program does not tell.
    pub fn find(&mut self, taken: &Taken<'_>, plan: &Plan, names: &Names) -> Option<u32> {
        let from = names.template_of(taken.sender.action)?.0;
        let to = names.template_of(taken.taker.id.action)?.0;
        let known = self.from.entry(from).or_insert_with(|| ways_from(plan, from)).get(&to)?;
        let (position, n_taken) = (taken.taker.position_taken(taken.flow_idx), taken.taker.n_taken());
        let rule = usize::try_from(taken.taker.rule).ok();
        let rule = rule.and_then(|rule| plan.templates.get(to as usize)?.fire.get(rule));
        let port = rule.and_then(|rule| port_of(rule, position, n_taken));
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
