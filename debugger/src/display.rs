//! The display facility: the event history, the elaborated graph and the program graph of the same events
//! (Hyder 1994, section 6.4).
//!
//! [`line`](crate::display::line) tells one event of the history. [`Graphs`](crate::display::Graphs) folds the
//! history: executions of an action onto the action, actions onto their templates, and every ordering onto the
//! dependence that it maps to. As events come in causal order, both grow as the run goes on, which is the
//! animation of section 6.4.2: a line for each event, a dependence when it is seen for the first time.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use hasse_model::event::{EventRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::plan::{Access, Plan};
use hasse_model::quantity::counted;
use hasse_model::trace::Names;

/// Pages of the event history.
pub mod history;

/// One event of the history, without a line end. With a plan, rules are quoted.
pub fn line(event: &EventRecord, names: &Names, plan: Option<&Plan>) -> String {
    let mut line = names.event(event.id).to_string();
    put_line(&mut line, event, names, plan).expect("a string takes every write");
    line
}

fn put_line(line: &mut String, event: &EventRecord, names: &Names, plan: Option<&Plan>) -> std::fmt::Result {
    match usize::try_from(event.rule) {
        Err(_) if event.is_failed_init() => line.push_str("  `init`"),
        Err(_) => line.push_str("  starts"),
        Ok(rule_idx) => {
            let template = names.template_of(event.id.action);
            let rules =
                template.and_then(|template| plan?.templates.get(template.idx())).map(|known| &known.fire);
            match rules.and_then(|rules| rules.get(rule_idx)) {
                Some(rule) => write!(line, "  rule {rule_idx} `{}`", rule.text)?,
                None => write!(line, "  rule {rule_idx}")?,
            }
        }
    }
    if !event.flow.is_empty() {
        let senders: Vec<String> = event.flow.iter().map(|&sender| names.event(sender).to_string()).collect();
        write!(line, "  from {}", senders.join(", "))?;
    }
    event.shared.iter().try_for_each(|access| put_access(line, access, names))?;
    put_relayed(line, &event.relayed, names)?;
    if !event.routes.is_empty() {
        let routes: Vec<String> = event.routes.iter().map(ToString::to_string).collect();
        write!(line, "  routes {}: {}", routes.join(", "), counted(event.flow_successors, "value"))?;
    }
    write!(line, "  {}", event.outcome.name())?;
    if let Some(timing) = event.timing {
        let taken = timing.end.saturating_sub(timing.start);
        write!(line, "  worker {} at {} for {}", timing.worker, micros(timing.start), micros(taken))?;
    }
    if let Some(error) = &event.error {
        write!(line, ": {}", error.replace('\n', " "))?;
    }
    Ok(())
}

fn put_access(line: &mut String, access: &SharedAccess, names: &Names) -> std::fmt::Result {
    write!(line, "  {} {}", verb(access.access), names.object(access.object))?;
    if let Some(writer) = access.writer {
        write!(line, " after {}", names.event(writer))?;
    }
    if access.readers > 0 {
        write!(line, " and {}", counted(access.readers, "reader"))?;
    }
    Ok(())
}

/// Shared predecessors of a restricted record, object by object.
fn put_relayed(line: &mut String, relayed: &[RelayedAccess], names: &Names) -> std::fmt::Result {
    for group in relayed.chunk_by(|left, right| left.object == right.object) {
        let before: Vec<String> =
            group.iter().map(|relayed| names.event(relayed.event).to_string()).collect();
        let object = names.object(group[0].object);
        write!(line, "  {} {object} after {}", verb(group[0].access), before.join(", "))?;
    }
    Ok(())
}

/// Nanoseconds as microseconds.
fn micros(nanos: u64) -> String {
    format!("{}.{:03} us", nanos / 1000, nanos % 1000)
}

pub(crate) fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
    }
}

/// Writes rows of two columns, the second one aligned, below a heading.
fn put_rows(text: &mut String, rows: Vec<(String, String)>) -> std::fmt::Result {
    let most = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter().try_for_each(|(name, what)| writeln!(text, "  {name:most$}  {what}"))
}

/// The elaborated graph and the program graph, as far as events have been seen.
#[derive(Clone, Debug, Default)]
pub struct Graphs {
    /// Number of events of each action.
    n_events: BTreeMap<ActionId, u64>,
    /// Number of orderings between the events of two actions.
    dependences: BTreeMap<(ActionId, ActionId), u64>,
}

impl Graphs {
    /// Takes in an event; returns the actions from which it depends for the first time.
    pub fn event(&mut self, event: &EventRecord) -> Vec<ActionId> {
        let own = event.id.action;
        *self.n_events.entry(own).or_default() += 1;
        let mut fresh = Vec::new();
        for before in immediate(event) {
            let n_orderings = self.dependences.entry((before.action, own)).or_default();
            *n_orderings += 1;
            if *n_orderings == 1 {
                fresh.push(before.action);
            }
        }
        fresh
    }

    /// Whether no event has been seen.
    pub fn is_empty(&self) -> bool {
        self.n_events.is_empty()
    }

    /// The graphs in words: the elaborated graph, then the program graph.
    pub fn to_text(&self, names: &Names) -> String {
        [self.elaborated_text(names), self.program_text(names)].concat()
    }

    /// The elaborated graph in words: actions and their dependences, in the order of the program.
    pub fn elaborated_text(&self, names: &Names) -> String {
        let mut text = String::new();
        self.put_elaborated(&mut text, names).expect("a string takes every write");
        text
    }

    /// The program graph in words: nodes that executed and their dependences, in the order of the program.
    pub fn program_text(&self, names: &Names) -> String {
        let mut text = String::new();
        self.put_program(&mut text, names).expect("a string takes every write");
        text
    }

    fn put_elaborated(&self, text: &mut String, names: &Names) -> std::fmt::Result {
        writeln!(text, "elaborated graph: {}", counted(self.n_events.len() as u64, "action"))?;
        let rows = self.actions(names);
        let rows = rows.into_iter().map(|(action, n_events)| (action, counted(n_events, "event")));
        put_rows(text, rows.collect())?;
        let edges = self.action_dependences(names).into_iter();
        let rows = edges.map(|(from, to, n)| (format!("{from} -> {to}"), counted(n, "ordering")));
        put_rows(text, rows.collect())
    }

    fn put_program(&self, text: &mut String, names: &Names) -> std::fmt::Result {
        let templates = self.templates(names);
        writeln!(text, "program graph: {}", counted(templates.len() as u64, "node"))?;
        let name = |template| names.template_name(template).unwrap_or("?").to_owned();
        let rows = templates.iter().map(|(template, (n_actions, n_events))| {
            let counts = format!("{}, {}", counted(*n_actions, "action"), counted(*n_events, "event"));
            (name(*template), counts)
        });
        put_rows(text, rows.collect())?;
        let edges = self.template_dependences(names).into_iter();
        let rows =
            edges.map(|((from, to), n)| (format!("{} -> {}", name(from), name(to)), counted(n, "ordering")));
        put_rows(text, rows.collect())
    }

    /// The graphs for a program.
    pub fn to_json(&self, names: &Names) -> Json {
        let name = |template| names.template_name(template).unwrap_or("?").to_owned();
        let actions = self.actions(names).into_iter();
        let edges = self.action_dependences(names).into_iter();
        let edge = |(from, to, n_orderings)| json!({"from": from, "to": to, "orderings": n_orderings});
        json!({
            "actions": actions.map(|(action, n_events)| json!({"action": action, "events": n_events})).collect::<Vec<_>>(),
            "dependences": edges.map(edge).collect::<Vec<_>>(),
            "nodes": self.templates(names).into_iter().map(|(template, (n_actions, n_events))| {
                json!({"node": name(template), "actions": n_actions, "events": n_events})
            }).collect::<Vec<_>>(),
            "node_dependences": self.template_dependences(names).into_iter().map(|((from, to), n_orderings)| {
                json!({"from": name(from), "to": name(to), "orderings": n_orderings})
            }).collect::<Vec<_>>(),
        })
    }

    /// Paths and events of the actions, by template, graph instance and index.
    fn actions(&self, names: &Names) -> Vec<(String, u64)> {
        let mut actions: Vec<_> = self.n_events.iter().collect();
        actions.sort_by_key(|(action, _)| rank(**action, names));
        actions.into_iter().map(|(action, &n_events)| (names.action(*action).to_string(), n_events)).collect()
    }

    fn action_dependences(&self, names: &Names) -> Vec<(String, String, u64)> {
        let mut edges: Vec<_> = self.dependences.iter().collect();
        edges.sort_by_key(|((from, to), _)| (rank(*from, names), rank(*to, names)));
        let path = |action| names.action(action).to_string();
        edges.into_iter().map(|(&(from, to), &n_orderings)| (path(from), path(to), n_orderings)).collect()
    }

    fn templates(&self, names: &Names) -> BTreeMap<TemplateId, (u64, u64)> {
        let mut templates: BTreeMap<TemplateId, (u64, u64)> = BTreeMap::new();
        for (&action, n_events) in &self.n_events {
            if let Some(template) = names.template_of(action) {
                let known = templates.entry(template).or_default();
                known.0 += 1;
                known.1 += n_events;
            }
        }
        templates
    }

    fn template_dependences(&self, names: &Names) -> BTreeMap<(TemplateId, TemplateId), u64> {
        let mut edges: BTreeMap<_, u64> = BTreeMap::new();
        for (&(from, to), n_orderings) in &self.dependences {
            if let (Some(from), Some(to)) = (names.template_of(from), names.template_of(to)) {
                *edges.entry((from, to)).or_default() += n_orderings;
            }
        }
        edges
    }
}

/// Where an action stands in what is shown.
pub(crate) fn rank(action: ActionId, names: &Names) -> impl Ord + use<> {
    let graph = names.graph_of(action).map(|graph| names.graph_path(graph).to_string());
    (names.template_of(action), graph, names.index_of(action).cloned(), action)
}

/// The events that are immediately before one by flow or by a shared object, by id and without repetition.
pub fn immediate(event: &EventRecord) -> Vec<EventId> {
    let shared = event.shared.iter().filter_map(|access| access.writer);
    let relayed = event.relayed.iter().map(|relayed| relayed.event);
    let mut before: Vec<EventId> = event.flow.iter().copied().chain(shared).chain(relayed).collect();
    before.sort_unstable();
    before.dedup();
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn event(action: u32, count: u64, flow: &[(u32, u64)]) -> EventRecord {
        let id = |&(action, count): &(u32, u64)| EventId { action: ActionId(action), count };
        let mut event = EventRecord::new(id(&(action, count)));
        event.flow = flow.iter().map(id).collect();
        event
    }

    #[test]
    fn the_graphs_are_foldings_of_the_history() {
        let mut graphs = Graphs::default();
        let fresh: Vec<usize> = [
            event(0, 1, &[]),
            event(1, 1, &[(0, 1), (0, 1)]),
            event(0, 2, &[(1, 1)]),
            event(1, 2, &[(0, 2)]),
        ]
        .iter()
        .map(|event| graphs.event(event).len())
        .collect();
        assert_eq!(fresh, [0, 1, 1, 0], "a dependence is new once");
        insta::assert_snapshot!(graphs.to_text(&testing::names()), @r"
        elaborated graph: 2 actions
          /T0[0]  2 events
          /T1[0]  2 events
          /T0[0] -> /T1[0]  2 orderings
          /T1[0] -> /T0[0]  1 ordering
        program graph: 2 nodes
          T0  1 action, 2 events
          T1  1 action, 2 events
          T0 -> T1  2 orderings
          T1 -> T0  1 ordering
        ");
    }
}
