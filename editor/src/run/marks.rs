//! What a run shows on the picture of a graph.

use std::collections::{BTreeMap, BTreeSet};

use hasse_runtime::control::{ActionState, ActionSummary, CycleStep};

use crate::calls::CallScope;
use crate::edit::link::LinkList;
use crate::marks::{ActionMark, BreakpointMark, Dot, Highlight, Marks, NodeMarks};
use crate::target::{Part, Target};

use super::breakpoint::Breakpoint;
use super::facts::Facts;
use super::inspector::CUT_OFF;
use super::snapshot::{Counters, Snapshot, TemplateCount, mark_of, state_words};

/// What marks are made of.
pub(super) struct Scene<'a> {
    pub(super) facts: &'a Facts,
    /// At a rest or the end.
    pub(super) snapshot: Option<&'a Snapshot>,
    /// While the run goes on.
    pub(super) counters: Option<&'a Counters>,
    pub(super) breakpoints: &'a [Breakpoint],
    /// The action under debug.
    pub(super) selected: Option<&'a str>,
    /// The instance of a call that is looked at; without, all are.
    pub(super) scope: Option<&'a CallScope>,
    /// The display set; empty: everything.
    pub(super) display_set: &'a [String],
}

/// The marks of a graph. Cost: linear in its nodes, its arcs and the dots that are shown.
pub(super) fn marks(scene: &Scene<'_>, graph: &str) -> Marks {
    let mut marks = Marks::default();
    let facts = scene.facts;
    if let Some(snapshot) = scene.snapshot {
        let in_cycle: BTreeSet<&str> = snapshot.cycle.iter().map(|step| step.action.as_str()).collect();
        for count in &snapshot.templates {
            let Some(template) = facts.templates.get(count.template) else { continue };
            if template.graph == graph {
                let node = marks.nodes.entry(template.node.clone()).or_default();
                let seen = scene.scope.map(|scope| seen_in(count, scope, facts));
                let is_cut_off = |action: &ActionSummary| snapshot.is_cut_off(&action.path);
                let seen = seen.as_ref().unwrap_or(count);
                put_instances(node, seen, &in_cycle, scene.selected, &is_cut_off);
                // Which of those that are not listed are seen is not known.
                node.n_more = count.n_instances - count.first.len();
            }
        }
        put_calls(&mut marks, scene, snapshot, graph);
        put_queues(&mut marks, facts, snapshot, graph);
        put_objects(&mut marks, facts, snapshot, graph);
        put_cycle(&mut marks, scene, snapshot, graph);
        put_failures(&mut marks, facts, snapshot, graph);
    } else if let Some(counters) = scene.counters {
        for (template, &n_events) in facts.templates.iter().zip(&counters.n_events) {
            if template.graph == graph {
                marks.nodes.entry(template.node.clone()).or_default().n_events = Some(n_events);
            }
        }
    }
    put_breakpoints(&mut marks, scene, graph);
    put_dimmed(&mut marks, scene, graph);
    marks
}

/// The instances of a template that are seen where one instance of a call is looked at.
fn seen_in(count: &TemplateCount, scope: &CallScope, facts: &Facts) -> TemplateCount {
    let is_seen = |action: &&ActionSummary| scope.shows(&action.path, &facts.main, &facts.calls);
    TemplateCount::of(count.template, count.first.iter().filter(is_seen))
}

fn put_instances(
    node: &mut NodeMarks,
    count: &TemplateCount,
    in_cycle: &BTreeSet<&str>,
    selected: Option<&str>,
    is_cut_off: &impl Fn(&ActionSummary) -> bool,
) {
    let mark = |action: &ActionSummary| match mark_of(action) {
        ActionMark::Waiting | ActionMark::Idle | ActionMark::Done
            if in_cycle.contains(action.path.as_str()) =>
        {
            ActionMark::WaitingForCycle
        }
        mark => mark,
    };
    node.dots = count
        .first
        .iter()
        .map(|action| Dot {
            path: action.path.clone(),
            mark: mark(action),
            is_selected: selected == Some(action.path.as_str()),
        })
        .collect();
    node.n_events = Some(count.n_events);
    let most_urgent = count.states.first().map(|(mark, _)| *mark);
    node.state = node.dots.iter().map(|dot| dot.mark).chain(most_urgent).min();
    node.note = note(count, is_cut_off);
}

/// One line below a box.
fn note(count: &TemplateCount, is_cut_off: &impl Fn(&ActionSummary) -> bool) -> String {
    if let [action] = count.first.as_slice()
        && count.n_instances == 1
    {
        return match &action.state {
            ActionState::Stopped(_)
            | ActionState::WaitsFor(_)
            | ActionState::WaitsForRoom(_)
            | ActionState::WaitsForWorld
            | ActionState::Failed => state_words(action),
            _ if is_cut_off(action) => CUT_OFF.to_owned(),
            ActionState::Idle if action.n_queued > 0 => {
                format!("{} {}", values(action.n_queued), state_words(action))
            }
            ActionState::Idle | ActionState::Ready | ActionState::Running | ActionState::NotCreated => {
                String::new()
            }
        };
    }
    let states = count.states.iter().filter_map(|(mark, n_actions)| match mark {
        ActionMark::Failed | ActionMark::Stopped | ActionMark::Waiting => {
            Some(format!("{n_actions} {}", mark.word()))
        }
        ActionMark::WaitingForCycle => Some(format!("{n_actions} {}", ActionMark::Waiting.word())),
        ActionMark::Running | ActionMark::Enabled | ActionMark::Idle | ActionMark::Done => None,
    });
    let n_cut_off = count.first.iter().filter(|action| is_cut_off(action)).count();
    let cut_off = (n_cut_off > 0).then(|| format!("{n_cut_off} {CUT_OFF}"));
    states.chain(cut_off).collect::<Vec<_>>().join(", ")
}

fn values(n_values: u64) -> String {
    if n_values == 1 { "1 value".to_owned() } else { format!("{n_values} values") }
}

/// A call shows the most urgent state of what is in the graph that it calls, whichever of its calls created it.
fn put_calls(marks: &mut Marks, scene: &Scene<'_>, snapshot: &Snapshot, graph: &str) {
    let facts = scene.facts;
    let mut by_graph: BTreeMap<&str, (ActionMark, u64)> = BTreeMap::new();
    for count in &snapshot.templates {
        let Some(template) = facts.templates.get(count.template) else { continue };
        let Some(&(mark, _)) = count.states.first() else { continue };
        let entry = by_graph.entry(&template.graph).or_insert((mark, 0));
        *entry = (entry.0.min(mark), entry.1 + count.n_events);
    }
    for (owner, name, called) in &facts.calls {
        if owner != graph {
            continue;
        }
        let mut inside = BTreeSet::new();
        let mut todo = vec![called.as_str()];
        while let Some(next) = todo.pop() {
            if inside.insert(next) {
                todo.extend(facts.calls.iter().filter(|call| call.0 == next).map(|call| call.2.as_str()));
            }
        }
        let found: Vec<_> = inside.iter().filter_map(|name| by_graph.get(name)).collect();
        if let Some(state) = found.iter().map(|(mark, _)| *mark).min() {
            let node = marks.nodes.entry(name.clone()).or_default();
            node.state = Some(state);
            node.n_events = Some(found.iter().map(|(_, n_events)| n_events).sum());
        }
    }
}

fn put_queues(marks: &mut Marks, facts: &Facts, snapshot: &Snapshot, graph: &str) {
    for queue in &snapshot.queues {
        let Some(arc) = facts.arcs.get(queue.arc).filter(|arc| arc.graph == graph) else { continue };
        if let Some(row) = arc.row {
            let link = marks.links.entry((LinkList::Arcs, row)).or_default();
            (link.n_queued, link.fill) = (Some(queue.n_values), queue.fill);
        }
    }
}

/// An object that is held or awaited says so.
fn put_objects(marks: &mut Marks, facts: &Facts, snapshot: &Snapshot, graph: &str) {
    for object in &snapshot.objects {
        if object.holders.is_empty() && object.waiting.is_empty() {
            continue;
        }
        for target in facts.nodes_of(&object.path) {
            let Part::Node(name) = &target.part else { continue };
            let is_object = facts.shared.iter().any(|known| known.0 == graph && known.1 == *name);
            if target.graph != graph || !is_object {
                continue;
            }
            let node = marks.nodes.entry(name.clone()).or_default();
            node.state = Some(if object.waiting.is_empty() { ActionMark::Idle } else { ActionMark::Waiting });
            if node.note.is_empty() {
                let list = |what: &str, actions: &[String]| match actions {
                    [] => None,
                    [one] => Some(format!("{what} {one}")),
                    many => Some(format!("{what} {} actions", many.len())),
                };
                let told = [list("held by", &object.holders), list("awaited by", &object.waiting)];
                node.note = told.into_iter().flatten().collect::<Vec<_>>().join(", ");
            }
        }
    }
}

/// Nodes and arcs of the wait-for cycle. Of several instances of a node in it, the one under debug is named, or the first one.
fn put_cycle(marks: &mut Marks, scene: &Scene<'_>, snapshot: &Snapshot, graph: &str) {
    let facts = scene.facts;
    let next = snapshot.cycle.iter().cycle().skip(1);
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (step, next) in snapshot.cycle.iter().zip(next) {
        let is_selected = scene.selected == Some(step.action.as_str());
        for target in facts.nodes_of(&step.action) {
            let Part::Node(name) = &target.part else { continue };
            if target.graph == graph {
                let node = marks.nodes.entry(name.clone()).or_default();
                let urgent = node.state.unwrap_or(ActionMark::WaitingForCycle);
                node.state = Some(urgent.min(ActionMark::WaitingForCycle));
                highlight(&mut node.highlights, Highlight::Cycle);
                if named.insert(name.clone()) || is_selected {
                    node.note = wait_text(step, next);
                }
            }
        }
        for arc in facts.arcs.iter().filter(|arc| arc.graph == graph && arc.text == step.arc) {
            if let Some(row) = arc.row {
                let link = marks.links.entry((LinkList::Arcs, row)).or_default();
                highlight(&mut link.highlights, Highlight::Cycle);
            }
        }
    }
}

/// Caption of an action of a cycle, with what it waits for: `[0] waits on left for [4]` within a node, else `waits on c for B[0]`.
fn wait_text(step: &CycleStep, next: &CycleStep) -> String {
    let (name, index) = last_name(&step.action);
    let (next_name, next_index) = last_name(&next.action);
    let is_within = name == next_name && !next_index.is_empty();
    let waiter = if index.is_empty() { String::new() } else { format!("{index} ") };
    let wanted = if is_within { next_index.to_owned() } else { format!("{next_name}{next_index}") };
    if step.is_full {
        let port = step.port.rsplit('.').next().unwrap_or_default();
        return format!("{waiter}waits for room on {port} of {wanted}");
    }
    format!("{waiter}waits on {} for {wanted}", step.port)
}

/// The last name of a path, and its index with brackets.
fn last_name(path: &str) -> (&str, &str) {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.split_at(last.find('[').unwrap_or(last.len()))
}

/// The node of an event that failed says why; of several, the first.
fn put_failures(marks: &mut Marks, facts: &Facts, snapshot: &Snapshot, graph: &str) {
    // At an earlier moment an event may still be to fail.
    if snapshot.moment.as_ref().is_some_and(|moment| !moment.is_end()) {
        return;
    }
    let failures = snapshot.ended.iter().flat_map(|ended| &ended.failures);
    // A later one is overwritten by an earlier one.
    for failure in failures.rev() {
        for target in facts.nodes_of(failure.action()) {
            let Part::Node(name) = &target.part else { continue };
            if target.graph == graph {
                let node = marks.nodes.entry(name.clone()).or_default();
                node.state = Some(ActionMark::Failed);
                node.note = format!("failed: {}", failure.message);
            }
        }
    }
}

fn highlight(highlights: &mut Vec<Highlight>, more: Highlight) {
    if !highlights.contains(&more) {
        highlights.push(more);
        highlights.sort_unstable();
    }
}

fn put_breakpoints(marks: &mut Marks, scene: &Scene<'_>, graph: &str) {
    let hit = scene.snapshot.map_or(&[][..], |snapshot| &snapshot.hit);
    for breakpoint in scene.breakpoints {
        let mark = breakpoint.mark(hit.contains(&breakpoint.number));
        for target in breakpoint.targets.iter().filter(|target| target.graph == graph) {
            let place = match &target.part {
                Part::Node(name) => &mut marks.nodes.entry(name.clone()).or_default().breakpoint,
                Part::Link(list, row) => &mut marks.links.entry((*list, *row)).or_default().breakpoint,
                Part::Program | Part::Type(_) | Part::Graph => continue,
            };
            if place.is_none_or(|known| rank(mark) > rank(known)) {
                *place = Some(mark);
            }
        }
    }
}

/// Of several breakpoints on a node, which one is shown.
fn rank(mark: BreakpointMark) -> u8 {
    match mark {
        BreakpointMark::Off => 0,
        BreakpointMark::LogPoint => 1,
        BreakpointMark::Conditional => 2,
        BreakpointMark::Enabled => 3,
        BreakpointMark::Hit => 4,
    }
}

fn put_dimmed(marks: &mut Marks, scene: &Scene<'_>, graph: &str) {
    if scene.display_set.is_empty() {
        return;
    }
    let shown: Vec<Target> =
        scene.display_set.iter().flat_map(|selector| scene.facts.nodes_of(selector)).collect();
    for template in scene.facts.templates.iter().filter(|template| template.graph == graph) {
        if !shown.contains(&Target::of_node(graph, &template.node)) {
            marks.nodes.entry(template.node.clone()).or_default().is_dimmed = true;
        }
    }
}
