//! From a needed value to those who could send it, along arcs and through the interfaces of graphs.

use hasse_code::partial::{Known, Numbers};
use hasse_model::id::{CallId, TemplateId};
use hasse_model::plan::{Source, Target};
use rustc_hash::FxHashMap;

use crate::graph::{ArcKey, Kind, Need, Sending, Vertex, WaitGraph};
use crate::origin::{decided, origin};
use crate::population::{ActionIdx, GraphIdx};
use crate::sending::{Sends, Texts, countable_elements, is_sent_on, sends};

/// Maximum number of imagined actions of a node, which those that exist could create.
const MAX_IMAGINED: usize = 1000;

impl WaitGraph<'_, '_> {
    pub(crate) fn expand_need(&mut self, vertex: Vertex, need_idx: usize) {
        let need = self.needs[need_idx].clone();
        let owner = self.population.graph(need.graph);
        let arcs = self.arcs_to.get(&(owner, need.target, need.port)).cloned().unwrap_or_default();
        let plan = self.population.plan;
        for arc_idx in arcs {
            let arc = &plan.arcs[arc_idx as usize];
            let params = self.population.params(need.graph);
            let Some(found) = origin(arc, &need.index, &need.elements, params) else { continue };
            match arc.source {
                Source::Unit(template) => {
                    let decided_by_target: Numbers =
                        need.index.iter().chain(&need.elements).copied().collect();
                    let key = (need.graph, arc_idx, decided_by_target, found.index, found.elements);
                    let carried = self.carried(key, template, found.round);
                    self.targets[vertex as usize].push(carried);
                }
                Source::Call(call) => {
                    let carried = self.add(Kind::Arc(arc_idx));
                    self.targets[vertex as usize].push(carried);
                    let mut children = self.population.called(need.graph, call, &found.index);
                    if found.index.contains(&None) {
                        children.extend(self.imagine_called(need.graph, call, &found.index));
                    }
                    if children.is_empty() || found.index.contains(&None) {
                        match self.population.imagine(need.graph, call, &found.index) {
                            Some(child) => {
                                children.push(child);
                                if self
                                    .population
                                    .place(child)
                                    .is_none_or(|(parent, ..)| parent != need.graph)
                                {
                                    self.note_return(child, need.graph, call);
                                }
                            }
                            None => self.can[carried as usize] = true,
                        }
                    }
                    for child in children {
                        let inner = Need {
                            graph: child,
                            target: Target::Interface,
                            port: arc.source_port,
                            index: Numbers::new(),
                            elements: found.elements.clone(),
                        };
                        let inner = self.need(inner);
                        self.targets[carried as usize].push(inner);
                    }
                }
                Source::Interface => {
                    let carried = self.add(Kind::Arc(arc_idx));
                    self.targets[vertex as usize].push(carried);
                    self.enter(carried, need.graph, arc.source_port, found.elements);
                }
            }
        }
    }

    /// Goes on with who sends into a graph instance.
    fn enter(&mut self, carried: Vertex, graph: GraphIdx, port: usize, elements: Numbers) {
        let Some((parent, call, index)) = self.population.place(graph) else { return };
        let outer =
            Need { graph: parent, target: Target::Call(call), port, index, elements: elements.clone() };
        let outer = self.need(outer);
        self.targets[carried as usize].push(outer);
        if !self.population.is_existing_graph(graph) {
            for inner in self.returns.get(&graph).cloned().unwrap_or_default() {
                let again = self.need(Need { port, elements: elements.clone(), ..inner });
                self.targets[carried as usize].push(again);
            }
            self.entries.entry(graph).or_default().push((carried, port, elements));
        }
    }

    /// A call within a graph instance that does not exist leads back to it: values come in from there, too.
    fn note_return(&mut self, child: GraphIdx, graph: GraphIdx, call: CallId) {
        let n_indices = self.population.plan.call(call).index_names.len();
        let inner = Need {
            graph,
            target: Target::Call(call),
            port: 0,
            index: Numbers::from_elem(None, n_indices),
            elements: Numbers::new(),
        };
        let known = self.returns.entry(child).or_default();
        if known.contains(&inner) {
            return;
        }
        known.push(inner.clone());
        for (carried, port, elements) in self.entries.get(&child).cloned().unwrap_or_default() {
            let again = self.need(Need { port, elements, ..inner.clone() });
            self.targets[carried as usize].push(again);
        }
    }

    /// What an arc from a node would carry to a target.
    fn carried(&mut self, key: ArcKey, template: TemplateId, round: Option<Numbers>) -> Vertex {
        let (graph, arc_idx, wanted, index, elements) = &key;
        let arc = &self.population.plan.arcs[*arc_idx as usize];
        // Numbers that only the element sent decides do not tell sources apart.
        let none = Numbers::from_elem(Some(0), arc.source_index.len());
        let shape = decided(arc, &none, self.population.params(*graph)).unwrap_or_default();
        let is_told = |position: usize| shape.get(position).is_none_or(Option::is_some);
        let wanted: Numbers = wanted
            .iter()
            .enumerate()
            .map(|(position, number)| number.filter(|_| is_told(position)))
            .collect();
        let key = (*graph, *arc_idx, wanted, index.clone(), elements.clone());
        if let Some(&vertex) = self.arcs.get(&key) {
            return vertex;
        }
        let (graph, arc_idx, wanted, index, elements) = key.clone();
        let vertex = self.add(Kind::Arc(arc_idx));
        self.arcs.insert(key, vertex);
        let source_port = self.population.plan.arcs[arc_idx as usize].source_port;
        if !is_sent_on(self.population.plan.template(template), source_port) {
            return vertex;
        }
        let mut senders = Vec::new();
        if index.contains(&None) {
            senders = self.led_to(graph, arc_idx, template, &wanted, &index);
            if let Some(round) = round {
                let sender = self.population.action(graph, template, &round);
                if !senders.contains(&sender) {
                    senders.push(sender);
                }
            }
            let unknown = Numbers::from_elem(None, index.len());
            senders.push(self.population.action(graph, template, &unknown));
        } else {
            senders.push(self.population.action(graph, template, &index));
        }
        for sender in senders {
            // An existing action that never sends there is kept, so that reports can list it.
            let may_send = self.may_send(sender, source_port, &elements);
            if may_send || self.population.is_existing(sender) {
                let sending = self.sending(sender, source_port, elements.clone(), may_send);
                self.targets[vertex as usize].push(sending);
            }
        }
        vertex
    }

    /// Whether an execution of an action, by whatever rule, could send on elements of a port.
    fn may_send(&self, action: ActionIdx, port: usize, elements: &[Option<i64>]) -> bool {
        let plan = self.population.plan;
        let (texts, known) = (Texts(&plan.scripts), self.population.known_of(action, 0));
        let rules = (0..known.template.fire.len() as i64).map(Some);
        // A start node has none.
        let none = known.template.fire.is_empty().then_some(None);
        rules.chain(none).any(|rule| {
            let known = Known { rule, ..known.clone() };
            sends(&known, &texts, port, elements, &|_| true) != Sends::Never
        })
    }

    fn sending(&mut self, action: ActionIdx, port: usize, elements: Numbers, may_send: bool) -> Vertex {
        let key = (action, port, elements);
        if let Some(&vertex) = self.sending_vertices.get(&key) {
            return vertex;
        }
        let sender = may_send.then(|| self.action(action));
        let vertex = self.add(Kind::Sending(self.sendings.len() as u32));
        let elements = key.2.clone();
        self.sendings.push(Sending { action, port, elements, vertex: sender, rules: Vec::new() });
        self.sending_vertices.insert(key, vertex);
        vertex
    }

    /// Actions of a node from which an arc leads to a target: those that exist, and those that they could create.
    fn led_to(
        &mut self,
        graph: GraphIdx,
        arc_idx: u32,
        template: TemplateId,
        wanted: &Numbers,
        index: &Numbers,
    ) -> Vec<ActionIdx> {
        if !self.led_by.contains_key(&(graph, arc_idx)) {
            let mut by_target: FxHashMap<Numbers, Vec<ActionIdx>> = FxHashMap::default();
            let arc = &self.population.plan.arcs[arc_idx as usize];
            let mut sources: Vec<ActionIdx> = self.population.members(graph, template).collect();
            sources.extend(self.imagine(graph, template));
            for source in sources {
                let params = self.population.params(graph);
                if let Some(numbers) = decided(arc, &self.population.index_of(source), params) {
                    by_target.entry(numbers).or_default().push(source);
                }
            }
            self.led_by.insert((graph, arc_idx), by_target);
        }
        let by_target = &self.led_by[&(graph, arc_idx)];
        let is_index = |source: &&ActionIdx| {
            let known = self.population.index_of(**source);
            index.iter().zip(&known).all(|(wanted, known)| wanted.is_none() || wanted == known)
        };
        if let Some(sources) = by_target.get(wanted) {
            return sources.iter().filter(is_index).copied().collect();
        }
        let fits = |numbers: &Numbers| {
            numbers
                .iter()
                .zip(wanted)
                .all(|(number, wanted)| wanted.is_none() || number.is_none() || number == wanted)
        };
        let mut found: Vec<ActionIdx> = Vec::new();
        #[allow(clippy::iter_over_hash_type, reason = "what is found is sorted")]
        for (_, sources) in by_target.iter().filter(|(numbers, _)| fits(numbers)) {
            found.extend(sources.iter().filter(is_index));
        }
        found.sort_unstable();
        found
    }

    /// Actions of a node that do not exist and that others of the graph instance could create, as far as they can be
    /// counted out.
    fn imagine(&mut self, graph: GraphIdx, template: TemplateId) -> Vec<ActionIdx> {
        if let Some(known) = self.imagined.get(&(graph, template)) {
            return known.clone();
        }
        if !self.is_imagining.insert((graph, template)) {
            return Vec::new();
        }
        let plan = self.population.plan;
        let owner = self.population.graph(graph);
        let mut found: Vec<ActionIdx> = Vec::new();
        let into = plan.arcs.iter().filter(|arc| arc.graph == owner && arc.target == Target::Unit(template));
        for arc in into {
            let Source::Unit(source) = arc.source else { continue };
            for sender in self.senders_in(graph, source) {
                if found.len() >= MAX_IMAGINED {
                    break;
                }
                for target in self.targets_by(graph, arc, sender) {
                    let action = self.population.action(graph, template, &target);
                    found.extend((!self.population.is_existing(action)).then_some(action));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        self.imagined.insert((graph, template), found.clone());
        found
    }

    /// Uncreated graph instances of a call with a matching index that nodes of this graph instance could create, as far as
    /// their indices can be enumerated.
    fn imagine_called(&mut self, graph: GraphIdx, call: CallId, index: &[Option<i64>]) -> Vec<GraphIdx> {
        if !self.imagined_calls.contains_key(&(graph, call)) {
            let plan = self.population.plan;
            let owner = self.population.graph(graph);
            let mut targets: Vec<Numbers> = Vec::new();
            let into = plan.arcs.iter().filter(|arc| arc.graph == owner && arc.target == Target::Call(call));
            for arc in into {
                let Source::Unit(source) = arc.source else { continue };
                for sender in self.senders_in(graph, source) {
                    targets.extend(self.targets_by(graph, arc, sender));
                    if targets.len() >= MAX_IMAGINED {
                        break;
                    }
                }
            }
            targets.sort_unstable();
            targets.dedup();
            targets.retain(|target| self.population.called(graph, call, target).is_empty());
            let children = targets.iter().filter_map(|target| self.population.imagine(graph, call, target));
            let children = children.collect();
            self.imagined_calls.insert((graph, call), children);
        }
        let fits = |child: &&GraphIdx| {
            let place = self.population.place(**child);
            place.is_some_and(|(parent, _, known)| {
                let mut numbers = index.iter().zip(&known);
                parent == graph && numbers.all(|(wanted, known)| wanted.is_none() || wanted == known)
            })
        };
        self.imagined_calls[&(graph, call)].iter().filter(fits).copied().collect()
    }

    /// The actions of a node in a graph instance: those that exist, and those that others could create.
    fn senders_in(&mut self, graph: GraphIdx, template: TemplateId) -> Vec<ActionIdx> {
        let mut senders: Vec<ActionIdx> = self.population.members(graph, template).collect();
        senders.extend(self.imagine(graph, template));
        if senders.is_empty() && self.population.plan.template(template).n_indices == 0 {
            senders.push(self.population.action(graph, template, &[]));
        }
        senders
    }

    /// Target indices of the values that an action sends along an arc, as far as they can be enumerated.
    fn targets_by(&self, graph: GraphIdx, arc: &hasse_model::plan::Arc, sender: ActionIdx) -> Vec<Numbers> {
        let known = Known { rule: None, ..self.population.known_of(sender, 0) };
        let elements = countable_elements(&known, arc.source_port);
        let source = self.population.index_of(sender);
        let mut targets: Vec<Numbers> = Vec::new();
        for elements in elements {
            // An arc decides its target by the index and the element of its source alike.
            let as_one = hasse_model::plan::Arc {
                source_index: arc.source_index.iter().chain(&arc.source_elements).copied().collect(),
                ..arc.clone()
            };
            let source: Numbers = source.iter().chain(&elements).copied().collect();
            if let Some(numbers) = decided(&as_one, &source, self.population.params(graph)) {
                targets.push(numbers.iter().take(arc.target_index.len()).copied().collect());
            }
        }
        targets.retain(|target| !target.contains(&None));
        targets
    }
}
