//! The graph of waiting: what must happen before an action fires, as far back as that goes.
//!
//! An action needs one of its firing rules, a rule all of the values that it misses, a value one of those that could send
//! it. Where nothing that could still happen leads to an action, it is blocked. Cost: linear in the actions that
//! are reached and in the arcs between them; actions that could send the same values share a vertex.

use std::collections::VecDeque;

use hasse_code::partial::{Known, Numbers, Scalar};
use hasse_model::id::{CallId, GraphId, GraphInstanceId, Index, TemplateId};
use hasse_model::plan::{Code, Target};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::population::{ActionIdx, GraphIdx, Population};
use crate::sending::{Sends, Texts, sends};

/// Who could send a value.
pub(crate) mod sources;

/// Maximum number of actions that are looked at. Others count as if they could still fire.
const MAX_ACTIONS: usize = 400_000;
/// Maximum number of values of one take that are counted out for an action that does not exist.
const MAX_TAKES: usize = 1000;
/// Number of steps between two looks at whether the search is to end.
const STEPS_PER_LOOK: usize = 1024;

/// Position of a vertex.
pub type Vertex = u32;

/// State of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It fires, is stopped by the user, or can fire.
    Active,
    /// An execution failed: it fires no more.
    Failed,
    /// No firing rule is enabled.
    Waiting,
}

/// State of an action and of its firing rules whose guards may hold.
pub struct Seen {
    /// Whether it can go on.
    pub standing: Standing,
    /// Firing rules whose guards may hold.
    pub rules: Vec<SeenRule>,
    /// Full ports for which it holds values back: it takes no rule before all of them have room.
    pub full: Vec<FullPort>,
}

impl Seen {
    /// An action of which nothing else is known.
    pub fn only(standing: Standing) -> Self {
        Self { standing, rules: Vec::new(), full: Vec::new() }
    }
}

/// A full port of an action.
pub struct FullPort {
    /// Graph instance of the action.
    pub graph: GraphInstanceId,
    /// Its template.
    pub template: TemplateId,
    /// Its index.
    pub index: Index,
    /// The port.
    pub port: usize,
    /// Element of a family of ports.
    pub elements: Index,
}

/// A firing rule that misses values.
pub struct SeenRule {
    /// Position of the rule.
    pub rule: usize,
    /// Ports and elements.
    pub missing: Vec<(usize, Numbers)>,
    /// Whether a value waits that it takes and that must not be left.
    pub has_values: bool,
}

/// An element of a port on which a value is needed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Need {
    /// The graph instance of the receiver.
    pub graph: GraphIdx,
    /// The receiver.
    pub target: Target,
    /// The port.
    pub port: usize,
    /// The index of the receiver.
    pub index: Numbers,
    /// The element of the port.
    pub elements: Numbers,
}

/// What a vertex stands for.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// An action.
    Action {
        /// Its position in the population.
        action: ActionIdx,
        /// Whether it can go on.
        standing: Standing,
    },
    /// A firing rule of an action.
    Rule {
        /// The vertex of the action.
        action: Vertex,
        /// Whether it has all its values.
        has_values: bool,
    },
    /// Position in the list of needs.
    Need(u32),
    /// Room on a full port; position in the list of rooms.
    Room(u32),
    /// What an arc, by position, would carry.
    Arc(u32),
    /// What an action would send on an output port; position in the list of sendings.
    Sending(u32),
}

/// Room for a value that an action holds back.
#[derive(Clone, Debug)]
pub struct Room {
    /// The action whose port is full.
    pub receiver: ActionIdx,
    /// Its port.
    pub port: usize,
    /// Element of a family of ports.
    pub elements: Index,
}

/// What an action would send.
struct Sending {
    action: ActionIdx,
    port: usize,
    elements: Numbers,
    /// The vertex of the action; `None` where none of its executions would send it.
    vertex: Option<Vertex>,
    /// Rules by which it may be sent, and whether it is in any case.
    rules: Vec<(Vertex, bool)>,
}

/// Graph instance and arc; then what the target decides: numbers by which it is looked up, index and elements.
type ArcKey = (GraphIdx, u32, Numbers, Numbers, Numbers);

/// The graph.
pub struct WaitGraph<'a, 'p> {
    /// The actions.
    pub population: Population<'p>,
    arcs_to: FxHashMap<(GraphId, Target, usize), Vec<u32>>,
    /// Kinds of the vertices.
    pub kinds: Vec<Kind>,
    pub(crate) targets: Vec<Vec<Vertex>>,
    /// Whether what the vertex stands for can happen.
    pub(crate) can: Vec<bool>,
    actions: FxHashMap<ActionIdx, Vertex>,
    /// Values that are missed.
    pub needs: Vec<Need>,
    need_vertices: FxHashMap<Need, Vertex>,
    /// Room that is missed.
    pub rooms: Vec<Room>,
    room_vertices: FxHashMap<(ActionIdx, usize, Index), Vertex>,
    /// Rules that stand for the sending of what an action holds back.
    held_rules: FxHashSet<Vertex>,
    arcs: FxHashMap<ArcKey, Vertex>,
    sendings: Vec<Sending>,
    sending_vertices: FxHashMap<(ActionIdx, usize, Numbers), Vertex>,
    rule_idx_of: FxHashMap<Vertex, (usize, Vec<usize>)>,
    /// Existing and imagined actions by what an arc decides of its target.
    led_by: FxHashMap<(GraphIdx, u32), FxHashMap<Numbers, Vec<ActionIdx>>>,
    imagined: FxHashMap<(GraphIdx, TemplateId), Vec<ActionIdx>>,
    imagined_calls: FxHashMap<(GraphIdx, CallId), Vec<GraphIdx>>,
    is_imagining: FxHashSet<(GraphIdx, TemplateId)>,
    /// Needs at the formal input ports of graph instances that do not exist.
    entries: FxHashMap<GraphIdx, Vec<(Vertex, usize, Numbers)>>,
    /// Calls that lead back to such a graph instance.
    returns: FxHashMap<GraphIdx, Vec<Need>>,
    todo: VecDeque<Vertex>,
    look: &'a mut dyn FnMut(ActionIdx) -> Seen,
    n_looks: usize,
}

impl<'a, 'p> WaitGraph<'a, 'p> {
    /// An empty graph; `look` shows existing actions.
    pub fn new(population: Population<'p>, look: &'a mut dyn FnMut(ActionIdx) -> Seen) -> Self {
        let mut arcs_to: FxHashMap<_, Vec<u32>> = FxHashMap::default();
        for (arc_idx, arc) in (0..).zip(&population.plan.arcs) {
            arcs_to.entry((arc.graph, arc.target, arc.target_port)).or_default().push(arc_idx);
        }
        Self {
            population,
            arcs_to,
            kinds: Vec::new(),
            targets: Vec::new(),
            can: Vec::new(),
            actions: FxHashMap::default(),
            needs: Vec::new(),
            need_vertices: FxHashMap::default(),
            rooms: Vec::new(),
            room_vertices: FxHashMap::default(),
            held_rules: FxHashSet::default(),
            arcs: FxHashMap::default(),
            sendings: Vec::new(),
            sending_vertices: FxHashMap::default(),
            rule_idx_of: FxHashMap::default(),
            led_by: FxHashMap::default(),
            imagined: FxHashMap::default(),
            imagined_calls: FxHashMap::default(),
            is_imagining: FxHashSet::default(),
            entries: FxHashMap::default(),
            returns: FxHashMap::default(),
            todo: VecDeque::new(),
            look,
            n_looks: 0,
        }
    }

    /// Adds actions and all that they need; `None` if the search was interrupted.
    pub fn explore(&mut self, roots: &[ActionIdx], is_interrupted: &dyn Fn() -> bool) -> Option<()> {
        roots.iter().for_each(|&root| {
            self.action(root);
        });
        let mut n_steps = 0_usize;
        while let Some(vertex) = self.todo.pop_front() {
            n_steps += 1;
            if n_steps.is_multiple_of(STEPS_PER_LOOK) && is_interrupted() {
                return None;
            }
            match self.kinds[vertex as usize] {
                Kind::Action { action, .. } => self.expand_action(vertex, action),
                Kind::Need(need) => self.expand_need(vertex, need as usize),
                Kind::Rule { .. } | Kind::Room(_) | Kind::Arc(_) | Kind::Sending(_) => {}
            }
        }
        self.link_sendings();
        self.link_rooms();
        self.find_what_can_happen();
        Some(())
    }

    /// Adds a need and those who could send it, and not what these wait for.
    pub fn explore_need(&mut self, need: Need) -> Vertex {
        let vertex = self.need(need);
        while let Some(vertex) = self.todo.pop_front() {
            if let Kind::Need(need) = self.kinds[vertex as usize] {
                self.expand_need(vertex, need as usize);
            }
        }
        vertex
    }

    fn add(&mut self, kind: Kind) -> Vertex {
        self.kinds.push(kind);
        self.targets.push(Vec::new());
        self.can.push(false);
        (self.kinds.len() - 1) as Vertex
    }

    fn action(&mut self, action: ActionIdx) -> Vertex {
        if let Some(&vertex) = self.actions.get(&action) {
            return vertex;
        }
        let vertex = self.add(Kind::Action { action, standing: Standing::Waiting });
        self.actions.insert(action, vertex);
        self.todo.push_back(vertex);
        vertex
    }

    /// The vertex of an action that has been added.
    pub(crate) fn vertex_of(&self, action: ActionIdx) -> Option<Vertex> {
        self.actions.get(&action).copied()
    }

    fn expand_action(&mut self, vertex: Vertex, action: ActionIdx) {
        if self.n_looks >= MAX_ACTIONS {
            self.can[vertex as usize] = true;
            return;
        }
        self.n_looks += 1;
        let seen = if self.population.is_existing(action) {
            (self.look)(action)
        } else {
            self.imagined_state(action)
        };
        self.kinds[vertex as usize] = Kind::Action { action, standing: seen.standing };
        match seen.standing {
            Standing::Active => self.can[vertex as usize] = true,
            Standing::Failed => {}
            Standing::Waiting if !seen.full.is_empty() => {
                let rule_vertex = self.add(Kind::Rule { action: vertex, has_values: true });
                self.held_rules.insert(rule_vertex);
                self.targets[vertex as usize].push(rule_vertex);
                for full in seen.full {
                    let room = self.room(full);
                    self.targets[rule_vertex as usize].push(room);
                }
            }
            Standing::Waiting => {
                let (graph, index) = (self.population.graph_of(action), self.population.index_of(action));
                let target = Target::Unit(self.population.template_of(action));
                for rule in seen.rules {
                    let rule_vertex = self.add(Kind::Rule { action: vertex, has_values: rule.has_values });
                    self.targets[vertex as usize].push(rule_vertex);
                    // Without a value that it misses it is enabled.
                    self.can[rule_vertex as usize] = rule.missing.is_empty();
                    let mut ports: Vec<usize> = rule.missing.iter().map(|(port, _)| *port).collect();
                    ports.dedup();
                    self.rule_idx_of.insert(rule_vertex, (rule.rule, ports));
                    for (port, elements) in rule.missing {
                        let need = Need { graph, target, port, index: index.clone(), elements };
                        let need = self.need(need);
                        self.targets[rule_vertex as usize].push(need);
                    }
                }
            }
        }
    }

    /// State of an action that does not exist: nothing waits on its ports.
    fn imagined_state(&self, action: ActionIdx) -> Seen {
        let rules = imagined_rules(&self.population, action).into_iter().filter(|(_, may_hold)| *may_hold);
        Seen { rules: rules.map(|(rule, _)| rule).collect(), ..Seen::only(Standing::Waiting) }
    }

    /// The room on a full port; its receiver is looked at.
    fn room(&mut self, full: FullPort) -> Vertex {
        let receiver = self.population.existing(full.graph, full.template, &full.index);
        let key = (receiver, full.port, full.elements);
        if let Some(&vertex) = self.room_vertices.get(&key) {
            return vertex;
        }
        self.action(receiver);
        let vertex = self.add(Kind::Room(self.rooms.len() as u32));
        self.rooms.push(Room { receiver, port: full.port, elements: key.2.clone() });
        self.room_vertices.insert(key, vertex);
        vertex
    }

    /// Finds the rules that would make room: those of the receiver that take from the port.
    fn link_rooms(&mut self) {
        for vertex in 0..self.kinds.len() as Vertex {
            let Kind::Room(room) = self.kinds[vertex as usize] else { continue };
            let Room { receiver, port, .. } = self.rooms[room as usize];
            let Some(action) = self.vertex_of(receiver) else { continue };
            let template = self.population.plan.template(self.population.template_of(receiver));
            let takes = |rule: &Vertex| match self.rule_idx_of.get(rule) {
                Some((rule, _)) => template.fire[*rule].takes.iter().any(|take| take.port == port),
                // Its own held values have to be sent first.
                None => true,
            };
            let mut makers: Vec<Vertex> =
                self.targets[action as usize].iter().copied().filter(takes).collect();
            if !matches!(self.kinds[action as usize], Kind::Action { standing: Standing::Waiting, .. }) {
                makers.push(action);
            }
            self.targets[vertex as usize] = makers;
        }
    }

    fn need(&mut self, need: Need) -> Vertex {
        if let Some(&vertex) = self.need_vertices.get(&need) {
            return vertex;
        }
        let vertex = self.add(Kind::Need(self.needs.len() as u32));
        self.needs.push(need.clone());
        self.need_vertices.insert(need, vertex);
        self.todo.push_back(vertex);
        vertex
    }

    /// Finds the rules by which actions would send.
    fn link_sendings(&mut self) {
        let texts = Texts(&self.population.plan.scripts);
        for sending in &mut self.sendings {
            let rules = sending.vertex.map_or(&[][..], |vertex| &self.targets[vertex as usize]);
            for &rule in rules {
                if self.held_rules.contains(&rule) {
                    sending.rules.push((rule, false));
                }
                let Some((rule_idx, missing)) = self.rule_idx_of.get(&rule) else { continue };
                let known = self.population.known_of(sending.action, *rule_idx);
                let is_missing = |port: usize| missing.contains(&port);
                match sends(&known, &texts, sending.port, &sending.elements, &is_missing) {
                    Sends::Never => {}
                    Sends::Maybe => sending.rules.push((rule, false)),
                    Sends::Always => sending.rules.push((rule, true)),
                }
            }
        }
    }

    /// The least set of vertices that can happen: all that leads to what is active.
    fn find_what_can_happen(&mut self) {
        let n_vertices = self.kinds.len();
        let mut sources: Vec<Vec<Vertex>> = vec![Vec::new(); n_vertices];
        let mut n_missing: Vec<usize> = vec![1; n_vertices];
        for (vertex, kind) in self.kinds.iter().enumerate() {
            if let Kind::Sending(sending) = kind {
                let action = self.sendings[*sending as usize].vertex;
                action.into_iter().for_each(|action| sources[action as usize].push(vertex as Vertex));
            }
            let targets = &self.targets[vertex];
            targets.iter().for_each(|target| sources[*target as usize].push(vertex as Vertex));
            if let Kind::Rule { .. } = kind {
                n_missing[vertex] = targets.len();
            }
        }
        let mut open: Vec<Vertex> =
            (0..n_vertices as Vertex).filter(|vertex| self.can[*vertex as usize]).collect();
        while let Some(vertex) = open.pop() {
            for &source in &sources[vertex as usize] {
                let n_missing = &mut n_missing[source as usize];
                *n_missing = n_missing.saturating_sub(1);
                if *n_missing == 0 && !self.can[source as usize] {
                    self.can[source as usize] = true;
                    open.push(source);
                }
            }
        }
    }

    /// The action of a sending, its vertex where it may send, and the rules by which it may, with whether it does in any
    /// case.
    pub(crate) fn sending_of(&self, sending: u32) -> (ActionIdx, Option<Vertex>, &[(Vertex, bool)]) {
        let sending = &self.sendings[sending as usize];
        (sending.action, sending.vertex, &sending.rules)
    }

    /// The actions that could send a needed value, each with the last arc by which it would come.
    pub fn senders_of(&self, need: Vertex, n_most: usize) -> Vec<(ActionIdx, u32)> {
        let mut found = Vec::new();
        let mut known = FxHashSet::default();
        let mut open: VecDeque<(Vertex, Option<u32>)> = VecDeque::from([(need, None)]);
        while let Some((vertex, last_arc)) = open.pop_front() {
            if found.len() >= n_most {
                break;
            }
            if !known.insert(vertex) {
                continue;
            }
            let last_arc = match self.kinds[vertex as usize] {
                Kind::Arc(arc) => last_arc.or(Some(arc)),
                Kind::Sending(sending) => {
                    let (action, ..) = self.sending_of(sending);
                    found.extend(last_arc.map(|arc| (action, arc)));
                    continue;
                }
                Kind::Action { .. } | Kind::Rule { .. } | Kind::Need(_) | Kind::Room(_) => last_arc,
            };
            open.extend(self.targets[vertex as usize].iter().map(|target| (*target, last_arc)));
        }
        found
    }
}

/// Firing rules of an action that does not exist, and whether their guards may hold before its first execution.
pub fn imagined_rules(population: &Population<'_>, action: ActionIdx) -> Vec<(SeenRule, bool)> {
    let template = population.plan.template(population.template_of(action));
    let rules = template.fire.iter().enumerate().map(|(rule_idx, rule)| {
        let known = Known { has_begun: false, ..population.known_of(action, rule_idx) };
        let may_hold = match &rule.guard {
            Some(Code::Expr(guard)) => known.eval(guard, &[]) != Some(Scalar::Bool(false)),
            Some(Code::Script(_)) | None => true,
        };
        let mut missing = Vec::new();
        for take in &rule.takes {
            let found = taken(&known, take);
            let unknown = || vec![Numbers::from_elem(None, template.inputs[take.port].n_indices)];
            missing.extend(found.unwrap_or_else(unknown).into_iter().map(|elements| (take.port, elements)));
        }
        (SeenRule { rule: rule_idx, missing, has_values: false }, may_hold)
    });
    rules.collect()
}

/// Elements that a take wants, as far as they can be counted out; `None` where they cannot.
fn taken(known: &Known<'_>, take: &hasse_model::plan::Take) -> Option<Vec<Numbers>> {
    fn count_out(
        known: &Known<'_>,
        take: &hasse_model::plan::Take,
        locals: &mut Vec<Option<i64>>,
        found: &mut Vec<Numbers>,
    ) -> Option<()> {
        if let Some(range) = take.loops.get(locals.len()) {
            let low = known.eval(&range.low, locals)?.int()?;
            let high = known.eval(&range.high, locals)?.int()?;
            // Of as many values as there are, the first one is waited for.
            let high = if take.is_up_to { high.min(low.saturating_add(1)) } else { high };
            for number in low..high {
                locals.push(Some(number));
                count_out(known, take, locals, found)?;
                locals.pop();
            }
            return Some(());
        }
        if found.len() >= MAX_TAKES {
            return None;
        }
        found.push(take.elements.iter().map(|expr| known.eval(expr, locals).and_then(Scalar::int)).collect());
        Some(())
    }
    let mut found = Vec::new();
    count_out(known, take, &mut Vec::new(), &mut found)?;
    Some(found)
}
