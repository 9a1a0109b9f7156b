//! Circles: actions each of which waits for the next, and why others wait.
//!
//! An action with a value that it cannot take alone waits for those who could send the rest. One without any waits as well
//! if it would send on whatever it is waited for: a loop that has come to its end, whose last execution sent
//! nothing, is waited for by nobody. So a circle goes through a sending that may be left out only between two actions
//! that hold values.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Kind, Standing, Vertex, WaitGraph};
use crate::population::ActionIdx;

/// An action that waits for the next one of a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action that waits.
    pub action: ActionIdx,
    /// Object of the wait.
    pub wait: Wait,
}

/// Object of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A value.
    Value {
        /// Position in the list of needs.
        need: u32,
        /// The arc, by position, by which the next action would send.
        arc: u32,
    },
    /// Room on a port of the next action: position in the list of rooms.
    Room(u32),
}

/// A vertex, and whether the action that waits for it holds values.
type Stage = (Vertex, bool);

/// A shortest circle of blocked actions that nothing else could help, among those that a search has found to be
/// needed; empty if there is none. One that failed actions could have helped is none: these are the cause.
pub fn circle(graph: &WaitGraph<'_, '_>) -> Vec<Step> {
    let mut waits: DiGraph<Stage, ()> = DiGraph::new();
    let mut node_of: FxHashMap<Stage, NodeIndex> = FxHashMap::default();
    let mut open: Vec<Stage> = Vec::new();
    for (vertex, kind) in (0..).zip(&graph.kinds) {
        if let Kind::Rule { .. } = kind
            && is_certain(graph, vertex)
        {
            let stage = (vertex, false);
            node_of.insert(stage, waits.add_node(stage));
            open.push(stage);
        }
    }
    let mut next = Vec::new();
    while let Some(stage) = open.pop() {
        next.clear();
        next_stages(graph, stage, &mut next);
        let from = node_of[&stage];
        for &stage in &next {
            let to = *node_of.entry(stage).or_insert_with(|| {
                open.push(stage);
                waits.add_node(stage)
            });
            waits.add_edge(from, to, ());
        }
    }
    // Those that wait for no other component come first.
    let components = kosaraju_scc(&waits);
    let mut component_of = vec![0; waits.node_count()];
    for (component_idx, nodes) in components.iter().enumerate() {
        nodes.iter().for_each(|node| component_of[node.index()] = component_idx);
    }
    let mut has_other_cause = vec![false; components.len()];
    let mut first: Option<NodeIndex> = None;
    for (component_idx, nodes) in components.iter().enumerate() {
        let others = |node: &NodeIndex| {
            waits.neighbors(*node).map(|next| component_of[next.index()]).any(|other| {
                other != component_idx && (has_other_cause[other] || components[other].len() > 1)
            })
        };
        has_other_cause[component_idx] =
            nodes.iter().any(|node| is_failed(graph, waits[*node]) || others(node));
        if nodes.len() > 1 && !has_other_cause[component_idx] {
            let start = nodes.iter().filter_map(|node| Some((rank(graph, waits[*node].0)?, *node))).min();
            let best = first.and_then(|node| rank(graph, waits[node].0));
            if let Some((rank, node)) = start
                && best.is_none_or(|best| rank < best)
            {
                first = Some(node);
            }
        }
    }
    let Some(start) = first else { return Vec::new() };
    let is_inside = |node: NodeIndex| component_of[node.index()] == component_of[start.index()];
    steps(graph, &shortest(&waits, start, is_inside))
}

/// Whether a rule is one of a single action that waits and is blocked.
fn is_certain(graph: &WaitGraph<'_, '_>, rule: Vertex) -> bool {
    let Kind::Rule { action: vertex, .. } = graph.kinds[rule as usize] else { return false };
    let Kind::Action { action, standing } = graph.kinds[vertex as usize] else { return false };
    standing == Standing::Waiting && !graph.can[vertex as usize] && !graph.population.is_vague(action)
}

/// The order in which a circle is begun: by an action that holds values, then by the order of actions.
fn rank(graph: &WaitGraph<'_, '_>, vertex: Vertex) -> Option<(bool, ActionIdx, Vertex)> {
    let Kind::Rule { action, has_values } = graph.kinds[vertex as usize] else { return None };
    let Kind::Action { action, .. } = graph.kinds[action as usize] else { return None };
    Some((!has_values, action, vertex))
}

fn next_stages(graph: &WaitGraph<'_, '_>, (vertex, holds): Stage, next: &mut Vec<Stage>) {
    let targets = &graph.targets[vertex as usize];
    match graph.kinds[vertex as usize] {
        Kind::Rule { has_values, .. } => {
            let blocked = targets.iter().filter(|need| !graph.can[**need as usize]);
            next.extend(blocked.map(|need| (*need, has_values)));
        }
        Kind::Room(_) => {
            next.extend(targets.iter().filter(|rule| is_certain(graph, **rule)).map(|rule| (*rule, false)));
        }
        Kind::Need(_) | Kind::Arc(_) => next.extend(targets.iter().map(|target| (*target, holds))),
        Kind::Sending(sending) => {
            let (_, _, rules) = graph.sending_of(sending);
            for &(rule, is_always) in rules {
                let Kind::Rule { has_values, .. } = graph.kinds[rule as usize] else { continue };
                if (is_always || holds && has_values) && is_certain(graph, rule) {
                    next.push((rule, false));
                }
            }
        }
        Kind::Action { .. } => {}
    }
}

fn is_failed(graph: &WaitGraph<'_, '_>, (vertex, _): Stage) -> bool {
    let action = match graph.kinds[vertex as usize] {
        Kind::Sending(sending) => graph.sending_of(sending).1,
        Kind::Room(room) => graph.vertex_of(graph.rooms[room as usize].receiver),
        _ => None,
    };
    action.is_some_and(|action| {
        matches!(graph.kinds[action as usize], Kind::Action { standing: Standing::Failed, .. })
    })
}

/// The shortest way from a node back to it, without its last step.
fn shortest(
    waits: &DiGraph<Stage, ()>,
    start: NodeIndex,
    is_inside: impl Fn(NodeIndex) -> bool,
) -> Vec<Stage> {
    let mut reached_from: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        let mut targets: Vec<NodeIndex> = waits.neighbors(node).filter(|next| is_inside(*next)).collect();
        targets.sort_unstable_by_key(|next| waits[*next]);
        for target in targets {
            if target == start {
                let way = std::iter::successors(Some(node), |node| reached_from.get(node).copied());
                let mut way: Vec<Stage> = way.map(|node| waits[node]).collect();
                way.reverse();
                return way;
            }
            if let Entry::Vacant(vacant) = reached_from.entry(target) {
                vacant.insert(node);
                open.push_back(target);
            }
        }
    }
    Vec::new()
}

/// The actions on a way through the graph.
fn steps(graph: &WaitGraph<'_, '_>, way: &[Stage]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut waiting = None;
    let mut first_need = None;
    for &(vertex, _) in way {
        match graph.kinds[vertex as usize] {
            Kind::Rule { action, .. } => {
                if let Kind::Action { action, .. } = graph.kinds[action as usize] {
                    (waiting, first_need) = (Some(action), None);
                }
            }
            Kind::Need(need) if first_need.is_none() => first_need = Some(need),
            Kind::Arc(arc) => {
                if let (Some(action), Some(need)) = (waiting.take(), first_need) {
                    steps.push(Step { action, wait: Wait::Value { need, arc } });
                }
            }
            Kind::Room(room) => {
                steps.extend(waiting.take().map(|action| Step { action, wait: Wait::Room(room) }));
            }
            Kind::Need(_) | Kind::Sending(_) | Kind::Action { .. } => {}
        }
    }
    steps
}

/// A failed action for which others wait, and one of them with the need that leads there.
pub struct Failure {
    /// The action whose event failed.
    pub failed: ActionIdx,
    /// An action that waits for it.
    pub waiting: ActionIdx,
    /// Object of the wait.
    pub missed: Missed,
}

/// Object of the wait for a failed action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// A value, by position in [`WaitGraph::needs`].
    Value(u32),
    /// Room, by position in [`WaitGraph::rooms`].
    Room(u32),
}

/// Failed actions that could have helped those of `roots` that are blocked, the nearest first. What can still be helped by
/// others waits for no failed one.
pub fn failures(graph: &WaitGraph<'_, '_>, roots: &[ActionIdx]) -> Vec<Failure> {
    let mut found = Vec::new();
    let mut known: FxHashSet<Vertex> = FxHashSet::default();
    // Each vertex with the action that waits and its need, once one was met, and the root from which it was reached.
    type Reached = (Vertex, Option<(ActionIdx, Missed)>, ActionIdx);
    let mut open: VecDeque<Reached> = VecDeque::new();
    for &root in roots {
        open.extend(graph.vertex_of(root).map(|vertex| (vertex, None, root)));
    }
    while let Some((vertex, need, root)) = open.pop_front() {
        if graph.can[vertex as usize] || !known.insert(vertex) {
            continue;
        }
        let need = match graph.kinds[vertex as usize] {
            Kind::Need(position) => need.or(Some((root, Missed::Value(position)))),
            Kind::Room(position) => need.or(Some((root, Missed::Room(position)))),
            Kind::Action { action, standing: Standing::Failed } => {
                if let Some((waiting, missed)) = need {
                    found.push(Failure { failed: action, waiting, missed });
                }
                continue;
            }
            Kind::Sending(sending) => {
                let (sender, action, _) = graph.sending_of(sending);
                // An action of unknown index need not be one that failed.
                if !graph.population.is_any(sender) {
                    open.extend(action.map(|action| (action, need, root)));
                }
                continue;
            }
            _ => need,
        };
        open.extend(graph.targets[vertex as usize].iter().map(|target| (*target, need, root)));
    }
    found
}

/// Values that `roots` need and that nothing that waits leads to: with the action that needs each.
pub fn dead_ends(graph: &WaitGraph<'_, '_>, roots: &[ActionIdx], n_most: usize) -> Vec<(ActionIdx, Vertex)> {
    let n_vertices = graph.kinds.len();
    let mut sources: Vec<Vec<Vertex>> = vec![Vec::new(); n_vertices];
    for (vertex, kind) in (0..).zip(&graph.kinds) {
        if let Kind::Sending(sending) = kind {
            // What no rule would send in the next execution is not waited for.
            let (_, action, rules) = graph.sending_of(*sending);
            if let Some(action) = action.filter(|_| !rules.is_empty()) {
                sources[action as usize].push(vertex);
            }
        }
        graph.targets[vertex as usize].iter().for_each(|target| sources[*target as usize].push(vertex));
    }
    let mut leads_to_root = vec![false; n_vertices];
    let mut open: Vec<Vertex> = roots.iter().filter_map(|root| graph.vertex_of(*root)).collect();
    open.iter().for_each(|vertex| leads_to_root[*vertex as usize] = true);
    while let Some(vertex) = open.pop() {
        for &source in &sources[vertex as usize] {
            if !std::mem::replace(&mut leads_to_root[source as usize], true) {
                open.push(source);
            }
        }
    }
    let mut found = Vec::new();
    for &root in roots {
        let Some(vertex) = graph.vertex_of(root) else { continue };
        let rules = &graph.targets[vertex as usize];
        let holds =
            |rule: &&Vertex| matches!(graph.kinds[**rule as usize], Kind::Rule { has_values: true, .. });
        // What an action holds may be kept by a guard: then nothing is missing.
        let other = rules.first().filter(|_| !graph.population.is_existing(root));
        let rule = rules.iter().find(holds).or(other);
        let needs = rule.into_iter().flat_map(|rule| &graph.targets[*rule as usize]);
        let dead = needs.copied().find(|need| !leads_to_root[*need as usize] && !graph.can[*need as usize]);
        found.extend(dead.map(|need| (root, need)));
        if found.len() == n_most {
            break;
        }
    }
    found
}
