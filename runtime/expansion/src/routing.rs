//! Arcs from a sender to its receivers, through the interfaces of graphs.

use std::collections::{BTreeMap, VecDeque};

use hasse_model::id::ArcId;
use hasse_model::plan::{Pattern, Source, Target};

use crate::builder::{Builder, Sender};
use crate::evaluator::{Known, index_number};
use crate::possible::PartialIndex;

/// A value that is at the beginning of arcs.
struct Hop {
    graph: usize,
    source: Source,
    port: usize,
    index: PartialIndex,
    elements: PartialIndex,
    /// Arcs that it came along.
    arcs: Vec<ArcId>,
    is_conditional: bool,
}

impl Builder<'_> {
    /// Finds the instances that a value travels to.
    pub(crate) fn send(
        &mut self,
        sender: &Sender,
        port: usize,
        elements: PartialIndex,
        is_conditional: bool,
    ) {
        let node = &self.instances[sender.instance];
        let first = Hop {
            graph: node.graph,
            source: Source::Unit(sender.template),
            port,
            index: node.index.clone(),
            elements,
            arcs: Vec::new(),
            is_conditional,
        };
        let mut open = VecDeque::from([first]);
        while let Some(hop) = open.pop_front() {
            if !self.step() {
                return;
            }
            self.follow(sender, &hop, &mut open);
        }
    }

    fn follow(&mut self, sender: &Sender, hop: &Hop, open: &mut VecDeque<Hop>) {
        let plan = self.plan;
        let graph = &self.graphs[hop.graph];
        let Some(arcs) = self.arcs_from.get(&(graph.graph, hop.source, hop.port)).cloned() else { return };
        let params = std::sync::Arc::clone(&graph.params);
        for arc_id in arcs {
            let arc = &plan.arcs[arc_id.idx()];
            let mut bound = Bound::default();
            let found = bound.matches(&arc.source_index, &hop.index.0, &params);
            let found = found.and(|| bound.matches(&arc.source_elements, &hop.elements.0, &params));
            if found == Match::No {
                continue;
            }
            let locals = bound.numbers(arc.n_locals);
            let number = |expr: &_| index_number(expr, &locals, &params);
            let index = PartialIndex(arc.target_index.iter().map(number).collect());
            let elements = PartialIndex(arc.target_elements.iter().map(number).collect());
            let is_known = sender.is_known && hop.index.is_known() && hop.elements.is_known();
            if is_known && !(index.is_known() && elements.is_known()) {
                let (text, line) = (arc.text.trim(), arc.at.line);
                let why = "an index cannot be computed before a run, and is written `?`";
                self.note(format!("`{text}` (line {line}): {why}"));
            }
            let is_conditional = hop.is_conditional || found == Match::Maybe || !index.is_known();
            let arcs = || hop.arcs.iter().copied().chain([arc_id]).collect::<Vec<_>>();
            match arc.target {
                Target::Unit(template) => {
                    let Some(target) = self.instance(hop.graph, template, index, is_conditional) else {
                        continue;
                    };
                    self.flow(sender.instance, target, &arcs(), is_conditional);
                    self.receive(target, arc.target_port);
                }
                Target::Call(call) => {
                    let Some(called) = self.called(hop.graph, call, index, is_conditional) else { continue };
                    open.push_back(Hop {
                        graph: called,
                        source: Source::Interface,
                        port: arc.target_port,
                        index: PartialIndex::default(),
                        elements,
                        arcs: arcs(),
                        is_conditional,
                    });
                }
                Target::Interface => {
                    let Some((outer, call, index)) = self.graphs[hop.graph].call.clone() else { continue };
                    open.push_back(Hop {
                        graph: outer,
                        source: Source::Call(call),
                        port: arc.target_port,
                        index,
                        elements,
                        arcs: arcs(),
                        is_conditional,
                    });
                }
            }
        }
    }
}

/// Result of matching numbers of which some are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    No,
    /// It depends on numbers that are unknown.
    Maybe,
    Yes,
}

impl Match {
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes => other(),
            Self::Maybe => match other() {
                Self::No => Self::No,
                Self::Maybe | Self::Yes => Self::Maybe,
            },
        }
    }
}

/// Variables that patterns have bound, and to which number, if it is known.
#[derive(Default)]
pub(crate) struct Bound(BTreeMap<u32, Option<i64>>);

impl Bound {
    /// Matches numbers against patterns, and binds their variables.
    pub(crate) fn matches(
        &mut self,
        patterns: &[Pattern],
        numbers: &[Option<i64>],
        params: &[Known],
    ) -> Match {
        if patterns.len() != numbers.len() {
            return Match::No;
        }
        let mut found = Match::Yes;
        for (pattern, &number) in patterns.iter().zip(numbers) {
            let expected = match *pattern {
                Pattern::Int(expected) => Some(expected),
                Pattern::Param(param) => {
                    let held = params.get(param as usize).and_then(Option::as_ref);
                    held.and_then(|held| held.as_int().ok())
                }
                Pattern::Local(local) => match self.0.get(&local).copied() {
                    None => {
                        self.0.insert(local, number);
                        continue;
                    }
                    Some(expected) => {
                        self.0.insert(local, expected.or(number));
                        expected
                    }
                },
            };
            found = match expected.zip(number) {
                Some((expected, number)) if expected == number => found,
                Some(_) => return Match::No,
                None => Match::Maybe,
            };
        }
        found
    }

    /// Numbers of the variables, by position.
    pub(crate) fn numbers(&self, n_locals: usize) -> Vec<Option<i64>> {
        (0..).take(n_locals).map(|local| self.0.get(&local).copied().flatten()).collect()
    }
}
