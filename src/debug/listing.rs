//! `lsi` and `lse`: the instances and events of a scope, from records or from a trace.
//!
//! Events come in causal order. Instances are in the order of their paths, by name and then by index number, so that one
//! program is listed alike whoever created its actions first.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use hasse_debugger::display;
use hasse_debugger::read::{Feed, lend_in_order};
use hasse_model::event::{EventRecord, Outcome};
use hasse_model::id::{ActionId, GraphInstanceId};
use hasse_model::key;
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;
use hasse_model::record_options::{NamedOptions, RecordOption, RecordOptions};
use hasse_model::table::IdTable;
use hasse_model::trace::{BatchSource, Names, RecordingMode};

use super::command::Range;
use super::job::Records;
use super::scope::Scope;
use crate::fault::Fault;
use crate::{facilities, recording};

/// Most lines of a list that nobody has asked for more of.
pub(super) const MOST_LINES: u64 = 1000;

/// Where events come from.
pub(super) enum Source<'s> {
    Records(Box<Records>),
    Trace(&'s Path),
}

/// What is known once all events have been seen.
struct Seen {
    names: Names,
    /// Actions, with or without events.
    actions: Vec<ActionId>,
}

impl Source<'_> {
    /// The records, unless it is a trace.
    pub(super) fn into_records(self) -> Option<Records> {
        match self {
            Source::Records(records) => Some(*records),
            Source::Trace(_) => None,
        }
    }

    /// Gives all events in causal order.
    fn each(&self, mut take: impl FnMut(&EventRecord, &Names)) -> Result<Seen, Fault> {
        match self {
            Source::Records(records) if records.header.mode == RecordingMode::Minimal => {
                Err(Fault::ChoicesOfRun)
            }
            Source::Records(records) => {
                let mut feed = Feed::new(Names::new(&records.header));
                let mut actions = Vec::new();
                for batch in records.batches() {
                    actions.extend(batch.actions.iter().map(|action| action.action));
                    let taken = feed.lend(batch, &mut |event, names| take(event, names));
                    taken.map_err(|error| Fault::of_trace(Path::new("of this session"), error))?;
                }
                Ok(Seen { names: feed.finish().names, actions })
            }
            Source::Trace(path) => {
                let mut reader = Announced { inner: recording::open_silently(path)?, actions: Vec::new() };
                let summary = lend_in_order(&mut reader, |event, names| take(event, names))
                    .map_err(|error| Fault::of_trace(path, error))?;
                let mut actions = reader.actions;
                if let Some(footer) = &summary.footer {
                    actions.extend(footer.idle_actions.iter().map(|action| action.action));
                }
                Ok(Seen { names: summary.names, actions })
            }
        }
    }
}

/// A trace that remembers which actions it has announced.
struct Announced {
    inner: recording::TraceFile,
    actions: Vec<ActionId>,
}

impl BatchSource for &mut Announced {
    fn header(&self) -> &hasse_model::trace::TraceHeader {
        self.inner.header()
    }

    fn next_batch(
        &mut self,
    ) -> Result<Option<hasse_model::event::EventBatch>, hasse_model::trace::TraceError> {
        let batch = self.inner.next_batch()?;
        self.actions.extend(batch.iter().flat_map(|batch| &batch.actions).map(|action| action.action));
        Ok(batch)
    }

    fn footer(&self) -> Option<&hasse_model::trace::TraceFooter> {
        self.inner.footer()
    }

    fn truncated(&self) -> Option<hasse_model::trace::Truncation> {
        self.inner.truncated()
    }
}

/// Which actions and events are listed.
pub(super) struct Filter {
    scope: Option<NamedOptions>,
    only: Option<NamedOptions>,
    count: Option<u64>,
    /// What was found out already.
    known: IdTable<Option<bool>>,
}

impl Filter {
    /// Those of a scope that selectors name; without selectors, all of the scope.
    pub(super) fn new(scope: &Scope, selectors: &[String], plan: &Plan) -> Result<Self, Fault> {
        let named = |options: Option<RecordOptions>| {
            let resolved = options.map(|options| options.resolve(plan)).transpose();
            resolved.map(|resolved| resolved.map(NamedOptions::new)).map_err(Fault::Selector)
        };
        let path: Vec<String> = scope.selector().into_iter().collect();
        Ok(Self {
            scope: named(facilities::set_of(&path)?)?,
            only: named(facilities::set_of(selectors)?)?,
            count: scope.count(),
            known: IdTable::new(),
        })
    }

    fn takes(&mut self, action: ActionId, names: &Names) -> bool {
        if let Some(&Some(known)) = self.known.get(action.0) {
            return known;
        }
        let is_in = |options: &mut Option<NamedOptions>| {
            options.as_mut().is_none_or(|options| options.action(action, names) != RecordOption::Off)
        };
        let takes = is_in(&mut self.scope) && is_in(&mut self.only);
        *self.known.slot(action.0) = Some(takes);
        takes
    }

    fn takes_event(&mut self, event: &EventRecord, names: &Names) -> bool {
        self.count.is_none_or(|count| event.id.count == count) && self.takes(event.id.action, names)
    }
}

/// Lists events with their positions; `range` `None` for the first [`MOST_LINES`].
pub(super) fn events(
    source: &Source<'_>,
    mut filter: Filter,
    range: Option<Range>,
    plan: &Plan,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let wanted = range.unwrap_or(Range { low: 1, high: MOST_LINES + 1 });
    let mut position = 0;
    let mut written: io::Result<()> = Ok(());
    source.each(|event, names| {
        if !filter.takes_event(event, names) {
            return;
        }
        position += 1;
        if wanted.has(position) && written.is_ok() {
            written = writeln!(out, "{position:>6}  {}", display::line(event, names, Some(plan)));
        }
    })?;
    written.and_then(|()| put_rest(out, position, range, "event", "lse")).map_err(Fault::Stdout)
}

/// Says what is not listed, and why.
fn put_rest(
    out: &mut dyn Write,
    n_found: u64,
    range: Option<Range>,
    what: &str,
    command: &str,
) -> io::Result<()> {
    match range {
        _ if n_found == 0 => writeln!(out, "no {what}s"),
        Some(range) if range.low > n_found => match n_found {
            1 => writeln!(out, "there is 1 {what} only"),
            _ => writeln!(out, "there are {} only", counted(n_found, what)),
        },
        None if n_found > MOST_LINES => {
            let next = MOST_LINES + 1;
            writeln!(
                out,
                "{}; for more of them say `{command} {next}..{}`",
                counted(n_found, what),
                next + MOST_LINES
            )
        }
        _ => Ok(()),
    }
}

/// How many executions of the scope's action there are, and whether the one that it names is among them.
pub(super) fn executions(source: &Source<'_>, scope: &Scope, plan: &Plan) -> Result<(u64, bool), Fault> {
    let mut filter = Filter { count: None, ..Filter::new(scope, &[], plan)? };
    let (mut n_found, mut is_there) = (0, false);
    source.each(|event, names| {
        if filter.takes_event(event, names) {
            n_found += 1;
            is_there |= Some(event.id.count) == scope.count();
        }
    })?;
    Ok((n_found, is_there))
}

/// The paths of the first `most` events of a scope in causal order, and the number of all of them.
pub(super) fn event_paths(
    source: &Source<'_>,
    scope: &Scope,
    plan: &Plan,
    most: usize,
) -> Result<(Vec<String>, u64), Fault> {
    let mut filter = Filter::new(scope, &[], plan)?;
    let (mut paths, mut n_found) = (Vec::new(), 0);
    source.each(|event, names| {
        if filter.takes_event(event, names) {
            n_found += 1;
            if paths.len() < most {
                paths.push(names.event(event.id).to_string());
            }
        }
    })?;
    Ok((paths, n_found))
}

/// A place in the tree of instances: names and index numbers from the main graph inward.
type Key = Vec<(String, Vec<i64>)>;

/// What is told of an instance.
struct Instance {
    path: String,
    /// The template, or the graph.
    kind: String,
    is_graph: bool,
    n_actions: u64,
    n_events: u64,
    n_failed: u64,
    n_stopped: u64,
    option: Option<&'static str>,
    /// What it is doing, of a run that is under way or open.
    state: String,
}

/// Kind and present state of actions, by path.
pub(super) type States = BTreeMap<String, (String, String)>;

/// Lists instances; `option_of` gives the recording option of an action. `states` are those of actions that the filter
/// takes, whether or not they are recorded.
pub(super) fn instances(
    source: Option<&Source<'_>>,
    mut filter: Filter,
    range: Option<Range>,
    plan: &Plan,
    option_of: &mut dyn FnMut(ActionId, &Names) -> &'static str,
    mut states: States,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let mut found: BTreeMap<Key, Instance> = BTreeMap::new();
    if let Some(source) = source {
        recorded_instances(source, &mut filter, plan, option_of, &mut states, &mut found)?;
    }
    for (path, (kind, state)) in states {
        let instance = Instance {
            kind,
            is_graph: false,
            n_actions: 0,
            n_events: 0,
            n_failed: 0,
            n_stopped: 0,
            option: None,
            state,
            path: path.clone(),
        };
        found.insert(key_of(&path), instance);
    }
    write_instances(&found, range, out).map_err(Fault::Stdout)
}

/// The place of the action of a path in the tree of instances.
fn key_of(path: &str) -> Key {
    let step = |step: &str| {
        let (name, index) = step.split_at(step.find('[').unwrap_or(step.len()));
        let numbers = index.split(['[', ']', ',']).filter_map(|number| key::parse(number.trim()));
        (name.to_owned(), numbers.collect())
    };
    path.split('/').filter(|text| !text.is_empty()).map(step).collect()
}

/// Finds the instances of a source. Takes out of `states` those of the actions that are among them.
fn recorded_instances(
    source: &Source<'_>,
    filter: &mut Filter,
    plan: &Plan,
    option_of: &mut dyn FnMut(ActionId, &Names) -> &'static str,
    states: &mut States,
    found: &mut BTreeMap<Key, Instance>,
) -> Result<(), Fault> {
    let mut outcomes: IdTable<[u64; 3]> = IdTable::new();
    let seen = source.each(|event, _| {
        let slot = match event.outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Stopped => 2,
        };
        outcomes.slot(event.id.action.0)[slot] += 1;
    })?;
    let names = &seen.names;
    let mut actions = seen.actions;
    actions.sort_unstable();
    actions.dedup();
    for action in actions {
        let Some((graph, name, index)) = names.place_of_action(action) else { continue };
        if !filter.takes(action, names) {
            continue;
        }
        let counts = outcomes.get(action.0).copied().unwrap_or_default();
        let around = graphs_around(graph, names);
        let mut key = Key::new();
        for (graph, step) in around {
            key.push(step);
            let instance = found.entry(key.clone()).or_insert_with(|| graph_instance(graph, names, plan));
            instance.n_actions += 1;
            instance.add(counts);
        }
        key.push((name.to_owned(), index.as_slice().to_vec()));
        let template = names.template_of(action).and_then(|template| names.template_name(template));
        let path = names.action(action).to_string();
        let mut instance = Instance {
            state: states.remove(&path).map(|(_, state)| state).unwrap_or_default(),
            path,
            kind: template.unwrap_or("?").to_owned(),
            is_graph: false,
            n_actions: 0,
            n_events: 0,
            n_failed: 0,
            n_stopped: 0,
            option: Some(option_of(action, names)),
        };
        instance.add(counts);
        found.insert(key, instance);
    }
    Ok(())
}

impl Instance {
    fn add(&mut self, [n_done, n_failed, n_stopped]: [u64; 3]) {
        self.n_events += n_done + n_failed + n_stopped;
        self.n_failed += n_failed;
        self.n_stopped += n_stopped;
    }

    fn counts(&self) -> String {
        let mut text =
            if self.is_graph { format!("{}, ", counted(self.n_actions, "action")) } else { String::new() };
        text += &counted(self.n_events, "event");
        for (n_ended, how) in [(self.n_failed, Outcome::Failed), (self.n_stopped, Outcome::Stopped)] {
            if n_ended > 0 {
                text += &format!(", {n_ended} {}", how.name());
            }
        }
        text
    }
}

/// The graph instances around an action, outermost first, without that of the main graph.
fn graphs_around(graph: GraphInstanceId, names: &Names) -> Vec<(GraphInstanceId, (String, Vec<i64>))> {
    let outward = std::iter::successors(names.graph(graph), |inner| names.graph(inner.parent));
    let mut around: Vec<_> = outward
        .map(|record| {
            let name = names.call_name(record.call).unwrap_or("?").to_owned();
            (record.graph, (name, record.index.as_slice().to_vec()))
        })
        .collect();
    around.reverse();
    around
}

fn graph_instance(graph: GraphInstanceId, names: &Names, plan: &Plan) -> Instance {
    let call = names.graph(graph).and_then(|record| plan.calls.get(record.call.idx()));
    let called = call.map_or("?", |call| &plan.graphs[call.graph.idx()].name);
    Instance {
        path: names.graph_path(graph).to_string(),
        kind: format!("graph {called}"),
        is_graph: true,
        n_actions: 0,
        n_events: 0,
        n_failed: 0,
        n_stopped: 0,
        option: None,
        state: String::new(),
    }
}

fn write_instances(
    found: &BTreeMap<Key, Instance>,
    range: Option<Range>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let wanted = range.unwrap_or(Range { low: 1, high: MOST_LINES + 1 });
    let numbered = (1..).zip(found.values()).filter(|(position, _)| wanted.has(*position));
    let listed: Vec<(&Instance, String)> =
        numbered.map(|(_, instance)| (instance, instance.counts())).collect();
    let width = |width_of: fn(&Instance, &str) -> usize| {
        listed.iter().map(|(instance, counts)| width_of(instance, counts)).max().unwrap_or(0)
    };
    let path = width(|instance, _| instance.path.chars().count());
    let kind = width(|instance, _| instance.kind.chars().count());
    let counts = width(|_, counts| counts.chars().count());
    let option = width(|instance, _| instance.option.map_or(0, str::len));
    for (instance, told) in &listed {
        let line = format!(
            "{:path$}  {:kind$}  {told:counts$}  {:option$}  {}",
            instance.path,
            instance.kind,
            instance.option.unwrap_or(""),
            instance.state
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    put_rest(out, found.len() as u64, range, "instance", "lsi")
}
