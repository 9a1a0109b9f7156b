//! Coverage of a program by a run: how often each rule was taken, and which arcs were used.
//!
//! Records name the rules of an event and the senders of what it took; arcs follow from them (`ways`). An arc counts as used, too, where
//! a value that nobody has taken may have gone along it: what is reported as unused is certain to be.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use hasse_model::diagnostic::Location;
use hasse_model::event::EventRecord;
use hasse_model::id::EventId;
use hasse_model::plan::Plan;
use hasse_model::quantity::counted;
use hasse_model::trace::Names;
use hasse_model::value::Value;

use crate::ways::{Taken, Ways};

/// Coverage as text and as JSON.
mod written;

/// Use of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCoverage {
    /// The rule as it is written.
    pub text: String,
    /// Its line in the program, from 1.
    pub line: u32,
    /// Number of events that took it.
    pub n_taken: u64,
}

/// Use of the rules of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCoverage {
    /// Label of the node.
    pub node: String,
    /// Number of events of all of its instances.
    pub n_events: u64,
    /// Its firing rules, in the order of the program.
    pub fire: Vec<RuleCoverage>,
    /// Its routing rules, in the order of the program.
    pub route: Vec<RuleCoverage>,
}

impl NodeCoverage {
    /// Number of its rules that were never taken.
    pub fn n_missed(&self) -> usize {
        self.fire.iter().chain(&self.route).filter(|rule| rule.n_taken == 0).count()
    }
}

/// Use of an arc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcCoverage {
    /// Name of its graph.
    pub graph: String,
    /// The arc as it is written.
    pub text: String,
    /// Its line in the program, from 1.
    pub line: u32,
    /// Number of values that came along it and were taken.
    pub n_taken: u64,
    /// True where a value went along it, or may have: one that was not taken.
    pub is_used: bool,
}

/// Use of all rules and arcs of a program by a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Number of events.
    pub n_events: u64,
    /// By template.
    pub nodes: Vec<NodeCoverage>,
    /// By the ids of arcs.
    pub arcs: Vec<ArcCoverage>,
}

impl Coverage {
    /// Number of rules of the program.
    pub fn n_rules(&self) -> usize {
        self.nodes.iter().map(|node| node.fire.len() + node.route.len()).sum()
    }

    /// Number of rules that were never taken.
    pub fn n_missed_rules(&self) -> usize {
        self.nodes.iter().map(NodeCoverage::n_missed).sum()
    }

    /// Number of arcs that were never used.
    pub fn n_missed_arcs(&self) -> usize {
        self.arcs.iter().filter(|arc| !arc.is_used).count()
    }

    /// Both numbers in a sentence.
    pub fn headline(&self) -> String {
        let part = |n_missed: usize, n_all: usize, what: &str, verb: &str| match (n_missed, n_all) {
            (0, 0) => format!("there are no {what}s"),
            (0, 1) => format!("the only {what} was {verb}"),
            (0, n_all) => format!("all {n_all} {what}s were {verb}"),
            (1, n_all) => format!("1 of {} was never {verb}", counted(n_all, what)),
            (n_missed, n_all) => format!("{n_missed} of {n_all} {what}s were never {verb}"),
        };
        let rules = part(self.n_missed_rules(), self.n_rules(), "rule", "taken");
        let arcs = part(self.n_missed_arcs(), self.arcs.len(), "arc", "used");
        format!("{rules}; {arcs}")
    }
}

/// Counts rules and arcs, whatever events come from.
pub struct Tally<'p> {
    plan: &'p Plan,
    ways: Ways,
    n_events: u64,
    n_events_of: Vec<u64>,
    fire: Vec<Vec<u64>>,
    route: Vec<Vec<u64>>,
    arcs: Vec<u64>,
    /// Arcs along which a value may have gone that nobody has taken.
    is_open: Vec<bool>,
}

impl<'p> Tally<'p> {
    /// Nothing counted. `params` are those of the main graph.
    pub fn new(plan: &'p Plan, params: &[(String, Value)]) -> Self {
        let templates = plan.templates.iter();
        Self {
            plan,
            ways: Ways::new(params.to_vec()),
            n_events: 0,
            n_events_of: vec![0; plan.templates.len()],
            fire: templates.clone().map(|template| vec![0; template.fire.len()]).collect(),
            route: templates.map(|template| vec![0; template.route.len()]).collect(),
            arcs: vec![0; plan.arcs.len()],
            is_open: vec![false; plan.arcs.len()],
        }
    }

    /// Counts an event of a template by the positions of its rules; `rule` is negative without one.
    pub fn event(&mut self, template: usize, rule: i32, routes: &[u32]) {
        self.n_events += 1;
        let fire = self.fire.get_mut(template);
        let rule = usize::try_from(rule).ok();
        if let Some(n_taken) = fire.zip(rule).and_then(|(rules, rule)| rules.get_mut(rule)) {
            *n_taken += 1;
        }
        if let Some(n_events) = self.n_events_of.get_mut(template) {
            *n_events += 1;
        }
        let Some(rules) = self.route.get_mut(template) else { return };
        for &route in routes {
            if let Some(n_taken) = rules.get_mut(route as usize) {
                *n_taken += 1;
            }
        }
    }

    /// Counts a value that was taken after it had gone along arcs.
    pub fn value(&mut self, arcs: &[u32]) {
        for &arc in arcs {
            if let Some(n_taken) = self.arcs.get_mut(arc as usize) {
                *n_taken += 1;
            }
        }
    }

    /// Counts a value that was taken, by the number of its way.
    fn value_by(&mut self, way: u32) {
        let arcs = self.ways.list().get(way as usize).map_or(&[][..], |arcs| arcs);
        for &arc in arcs {
            if let Some(n_taken) = self.arcs.get_mut(arc as usize) {
                *n_taken += 1;
            }
        }
    }

    /// Notes that a template sent a value by one of these routing rules, of which nobody knows where it went.
    pub fn open_value(&mut self, template: usize, routes: &[u32]) {
        let Some(rules) = self.plan.templates.get(template).map(|template| &template.route) else { return };
        let sends = routes.iter().filter_map(|&route| rules.get(route as usize)).flat_map(|rule| &rule.sends);
        let ports: BTreeSet<usize> = sends.map(|send| send.port).collect();
        let ways = self.ways.from(self.plan, template as u32).values().flatten();
        for arc in ways.filter(|way| ports.contains(&way.source_port)).flat_map(|way| &way.arcs) {
            if let Some(is_open) = self.is_open.get_mut(*arc as usize) {
                *is_open = true;
            }
        }
    }

    /// The coverage.
    pub fn finish(self) -> Coverage {
        let plan = self.plan;
        let rule = |text: &str, at: Location, n_taken: u64| RuleCoverage {
            text: text.to_owned(),
            line: at.line,
            n_taken,
        };
        let counts = self.fire.iter().zip(&self.route).zip(&self.n_events_of);
        let nodes = plan.templates.iter().zip(counts).map(|(template, ((fire, route), n_events))| {
            let fire = template.fire.iter().zip(fire);
            let route = template.route.iter().zip(route);
            NodeCoverage {
                node: plan.template_label(template),
                n_events: *n_events,
                fire: fire.map(|(known, n_taken)| rule(&known.text, known.at, *n_taken)).collect(),
                route: route.map(|(known, n_taken)| rule(&known.text, known.at, *n_taken)).collect(),
            }
        });
        let arcs = plan.arcs.iter().zip(self.arcs.iter().zip(&self.is_open));
        let arcs = arcs.map(|(arc, (n_taken, is_open))| ArcCoverage {
            graph: plan.graphs.get(arc.graph.idx()).map(|graph| graph.name.clone()).unwrap_or_default(),
            text: arc.text.clone(),
            line: arc.at.line,
            n_taken: *n_taken,
            is_used: *n_taken > 0 || *is_open,
        });
        Coverage { n_events: self.n_events, nodes: nodes.collect(), arcs: arcs.collect() }
    }
}

/// A sender some of whose values have not been taken.
struct Sender {
    template: usize,
    /// Number of the list of its routing rules.
    routes: u32,
    n_left: u64,
}

/// Counts rules and arcs from events in causal order. Memory: the events whose values are under way.
pub struct Meter<'p> {
    plan: &'p Plan,
    tally: Tally<'p>,
    senders: FxHashMap<EventId, Sender>,
    /// Lists of routing rules, each once.
    lists: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, u32>,
}

impl<'p> Meter<'p> {
    /// Nothing seen. `params` are those of the main graph.
    pub fn new(plan: &'p Plan, params: &[(String, Value)]) -> Self {
        Self {
            plan,
            tally: Tally::new(plan, params),
            senders: FxHashMap::default(),
            lists: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Takes in the next event of a record that lists all of them.
    pub fn event(&mut self, event: &EventRecord, names: &Names) {
        let template = names.template_of(event.id.action).map_or(usize::MAX, |template| template.idx());
        self.tally.event(template, event.rule, &event.routes);
        for (flow_idx, sender) in event.flow.iter().enumerate() {
            let Some(known) = self.senders.get_mut(sender) else { continue };
            known.n_left = known.n_left.saturating_sub(1);
            let (number, template) = (known.routes, known.template);
            let routes = self.lists.get(number as usize).map_or(&[][..], |routes| routes);
            let taken = Taken { sender: *sender, routes: (number, routes), taker: event, flow_idx };
            match self.tally.ways.find(&taken, self.plan, names) {
                Some(way) => self.tally.value_by(way),
                None => self.tally.open_value(template, routes),
            }
            if known.n_left == 0 {
                self.senders.remove(sender);
            }
        }
        if event.flow_successors > 0 {
            let routes = self.number(&event.routes);
            self.senders.insert(event.id, Sender { template, routes, n_left: event.flow_successors });
        }
    }

    fn number(&mut self, routes: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(routes) {
            return number;
        }
        let number = u32::try_from(self.lists.len()).unwrap_or(u32::MAX);
        self.lists.push(routes.into());
        self.numbers.insert(routes.into(), number);
        number
    }

    /// The coverage.
    pub fn finish(mut self) -> Coverage {
        // Many senders have taken the same rules.
        let open: BTreeSet<(usize, u32)> =
            self.senders.into_values().map(|sender| (sender.template, sender.routes)).collect();
        for (template, routes) in open {
            let routes = self.lists.get(routes as usize).map_or(&[][..], |routes| routes);
            self.tally.open_value(template, routes);
        }
        self.tally.finish()
    }
}
