//! What can still happen from a state of a net: the reference that reports of waiting are held against.

use std::collections::{BTreeMap, BTreeSet};

use super::{Net, Sends, State};

impl Net {
    /// All nodes that execute in some continuation: brute force.
    pub fn may_still_fire(&self, from: State) -> BTreeSet<usize> {
        let mut fired = BTreeSet::new();
        let mut known: BTreeSet<State> = BTreeSet::from([from.clone()]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            for node in 0..self.nodes.len() {
                for rule in 0..self.nodes[node].rules.len() {
                    if !self.is_enabled(&state, node, rule) {
                        continue;
                    }
                    fired.insert(node);
                    let mut next = state.clone();
                    self.begin(&mut next, node, rule);
                    self.end(&mut next, node, rule);
                    if known.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        fired
    }

    /// Rules, by node and position, whose guards still hold.
    fn open_rules(&self, state: &State) -> Vec<(usize, usize)> {
        let rules = (0..self.nodes.len())
            .flat_map(|node| (0..self.nodes[node].rules.len()).map(move |rule| (node, rule)));
        let is_open = |&(node, rule): &(usize, usize)| {
            !state.failed[node] && state.counts[node] < self.nodes[node].rules[rule].1
        };
        rules.filter(is_open).collect()
    }

    /// Ports on which a rule misses values.
    fn missing(&self, state: &State, (node, rule): (usize, usize)) -> Vec<usize> {
        let ports = self.nodes[node].rules[rule].0.iter();
        ports.copied().filter(|port| state.queued[node][*port] == 0).collect()
    }

    /// Nodes that hold values, those that could send what these miss, and so on.
    fn needed(&self, state: &State) -> BTreeSet<usize> {
        let rules = self.open_rules(state);
        let mut needed: BTreeSet<usize> = (0..self.nodes.len())
            .filter(|node| !state.failed[*node] && state.queued[*node].iter().any(|n_values| *n_values > 0))
            .collect();
        loop {
            let ports: BTreeSet<(usize, usize)> = rules
                .iter()
                .filter(|(node, _)| needed.contains(node))
                .flat_map(|at| self.missing(state, *at).into_iter().map(move |port| (at.0, port)))
                .collect();
            let senders = (0..self.nodes.len()).filter(|node| {
                self.nodes[*node].arcs.iter().any(|(target, port, _)| ports.contains(&(*target, *port)))
            });
            let before = needed.len();
            let senders: Vec<usize> = senders.collect();
            needed.extend(senders);
            if needed.len() == before {
                break;
            }
        }
        needed
    }

    /// Whether a node that holds values could have been helped by one that failed, where nothing can fire.
    pub fn waits_for_failed(&self, state: &State) -> bool {
        self.needed(state).into_iter().any(|node| state.failed[node])
    }

    /// Whether there is a circle where nothing can fire, by the definition, looked for naively.
    pub fn has_circle(&self, state: &State) -> bool {
        let rules = self.open_rules(state);
        let missing = |at: (usize, usize)| self.missing(state, at);
        let holds = |at: (usize, usize)| missing(at).len() < self.nodes[at.0].rules[at.1].0.len();
        let needed = self.needed(state);
        let mut waits: BTreeMap<(usize, usize), BTreeSet<(usize, usize)>> = BTreeMap::new();
        let mut leads_to_failed: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &at in rules.iter().filter(|(node, _)| needed.contains(node)) {
            for port in missing(at) {
                for (sender, node) in self.nodes.iter().enumerate() {
                    for &(target, to, sends) in &node.arcs {
                        if (target, to) != (at.0, port) {
                            continue;
                        }
                        if state.failed[sender] {
                            leads_to_failed.insert(at);
                        }
                        for &next in rules.iter().filter(|(node, _)| *node == sender) {
                            let is_waited_for = match sends {
                                Sends::Always => true,
                                Sends::ByRule(rule) => rule == next.1,
                                Sends::UpTo(_) => holds(at) && holds(next),
                            };
                            if is_waited_for {
                                waits.entry(at).or_default().insert(next);
                            }
                        }
                    }
                }
            }
        }
        let reached = |from: (usize, usize)| {
            let mut reached = BTreeSet::new();
            let mut open = vec![from];
            while let Some(at) = open.pop() {
                for &next in waits.get(&at).into_iter().flatten() {
                    if reached.insert(next) {
                        open.push(next);
                    }
                }
            }
            reached
        };
        waits.keys().any(|&at| {
            let mut all = reached(at);
            let is_in_circle = all.contains(&at);
            all.insert(at);
            is_in_circle && all.is_disjoint(&leads_to_failed)
        })
    }
}
