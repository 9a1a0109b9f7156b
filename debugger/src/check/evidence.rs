//! How the values that an event took came to it: from a routing rule of the sender, along an arc,
//! to a port.
//!
//! A record names senders, not ports and arcs. They follow from the plan: the firing rule taken
//! says in which order ports were emptied; the sender's routing rules taken say which of its ports
//! were sent on; and an arc must lead from the one to the other, with patterns that fit both
//! indices. Where that leaves several ways, all are shown.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use hasse_model::event::{EventRecord, RelayedAccess, SharedAccess};
use hasse_model::id::{ActionId, EventId, GraphId, GraphInstanceId, Index, ObjectId, TemplateId};
use hasse_model::plan::{Access, Arc, BinaryOp, Expr, FiringRule, Pattern, Plan, Source, Target};
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;

use super::routes::Routes;

/// An immediate predecessor of an event, and how it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The event took a value that another one sent.
    Value {
        /// Path and count of the sender.
        sender: String,
        /// Name of its template.
        template: String,
        /// How the value can have come; one, as a rule.
        ways: Vec<Way>,
    },
    /// Restricted record: something came from a recorded event, at once or through events that were not recorded.
    Relayed {
        /// Path and count of the recorded event.
        event: String,
        /// Name of its template.
        template: String,
        /// The object through which it came and how the taker accesses it; `None` for values.
        object: Option<(String, Access)>,
        /// The ways that a value can have come if it came at once.
        ways: Vec<Way>,
    },
    /// The event overwrote an object that another one had read.
    Overwrote {
        /// Path of the object.
        object: String,
        /// Path and count of the event that read it.
        reader: String,
    },
    /// The event is the next one of an action, which keeps its state.
    Sequence {
        /// Path and count of the action's event before it.
        event: String,
    },
    /// The event reached an object as another one had left it.
    Shared {
        /// Path of the object.
        object: String,
        /// Reader or writer.
        access: Access,
        /// Path and count of the event that wrote it; `None` where none had.
        writer: Option<String>,
    },
}

/// From a routing rule along an arc to a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Name of the port that the value was taken from.
    pub port: String,
    /// Position of the routing rule in the sender's template.
    pub rule: u32,
    /// The routing rule.
    pub rule_quote: Quote,
    /// The arcs in the order of travel: one within a graph, more through the interfaces of graphs.
    pub arc_quotes: Vec<Quote>,
}

/// A piece of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its text.
    pub text: String,
    /// Its line in the program's file, from 1.
    pub line: u32,
}

/// What names and lines are looked up in.
#[derive(Clone, Copy, Debug)]
pub(super) struct World<'w> {
    pub(super) names: &'w Names,
    pub(super) plan: &'w Plan,
    /// Parameters of the main graph; those of other graph instances are not recorded.
    pub(super) params: &'w [(String, Value)],
    /// Whether records are restricted: `flow` is a set, and what it names may have come through others.
    pub(super) is_restricted: bool,
}

/// The routing rules taken by events whose values are under way to the checked templates, and who wrote objects last.
#[derive(Debug, Default)]
pub(super) struct Senders {
    /// Restricted records do not say when the last value has been taken: then nothing is let go of.
    keeps_all: bool,
    writers: FxHashMap<ObjectId, EventId>,
    /// Templates with an arc to a checked one, or out of their graph.
    watched: FxHashSet<TemplateId>,
    routes: Routes,
}

impl Senders {
    /// Notes routes of what sends to further templates, and of further `sources`, from now on.
    pub(super) fn watch(&mut self, plan: &Plan, checked: Vec<TemplateId>, sources: Vec<TemplateId>) {
        self.watched.extend(sources);
        if checked.is_empty() {
            return;
        }
        let leads_there = |arc: &&Arc| match arc.target {
            Target::Unit(template) => checked.contains(&template),
            // What lies behind an interface is not worth finding out.
            Target::Call(_) | Target::Interface => true,
        };
        let watched = plan.arcs.iter().filter(leads_there).filter_map(|arc| match arc.source {
            Source::Unit(template) => Some(template),
            Source::Call(_) | Source::Interface => None,
        });
        self.watched.extend(watched);
    }

    /// Expects records of a mode: restricted ones do not say when the last value has been taken.
    pub(super) fn expect_mode(&mut self, mode: RecordingMode) {
        self.keeps_all = mode == RecordingMode::Restricted;
        self.routes = Routes::new(self.keeps_all);
    }

    /// Takes in an event for those that will take its values.
    pub(super) fn pass(&mut self, event: &EventRecord, names: &Names) {
        if self.watched.is_empty() {
            return;
        }
        for access in event.shared.iter().filter(|access| access.access == Access::Write) {
            self.writers.insert(access.object, event.id);
        }
        event.flow.iter().for_each(|&sender| self.routes.take(sender));
        let template = names.template_of(event.id.action);
        if event.flow_successors > 0 && template.is_some_and(|template| self.watched.contains(&template)) {
            self.routes.leave(event);
        }
    }

    /// Whether an event that was passed, and wrote these objects, may yet be an immediate predecessor of an event
    /// of a checked template.
    pub(super) fn may_have_successors(&self, event: EventId, written: &[ObjectId]) -> bool {
        self.keeps_all
            || self.routes.get(event).is_some()
            || written.iter().any(|object| self.writers.get(object) == Some(&event))
    }

    /// The immediate predecessors of an event that has not been passed yet.
    pub(super) fn evidence(&self, event: &EventRecord, world: World<'_>) -> Vec<Evidence> {
        let routes = |sender| self.routes.get(sender);
        let flow =
            (0..event.flow.len()).map(|flow_idx| world.value(event, flow_idx, routes(event.flow[flow_idx])));
        let shared = event.shared.iter().map(|access| world.shared(access));
        let relayed =
            event.relayed.iter().map(|access| world.relayed(access.event, Some(access), Vec::new()));
        flow.chain(shared).chain(relayed).collect()
    }
}

impl World<'_> {
    /// How one event is immediately before another: not by sequence where there is anything else. `read` are the
    /// objects that `first` read and `second` overwrote.
    pub(super) fn between(
        &self,
        first: &EventRecord,
        second: &EventRecord,
        read: &[ObjectId],
    ) -> Vec<Evidence> {
        let is_sender = |flow_idx: &usize| second.flow[*flow_idx] == first.id;
        let values = (0..second.flow.len()).filter(is_sender);
        let values = values.map(|flow_idx| self.value(second, flow_idx, Some(&first.routes)));
        let shared = second.shared.iter().filter(|access| access.writer == Some(first.id));
        let shared = shared.map(|access| self.shared(access));
        let relayed = second.relayed.iter().filter(|access| access.event == first.id);
        let relayed = relayed.map(|access| self.relayed(access.event, Some(access), Vec::new()));
        let overwrote = read.iter().map(|&object| Evidence::Overwrote {
            object: self.names.object(object).to_string(),
            reader: self.names.event(first.id).to_string(),
        });
        let mut evidence: Vec<_> = values.chain(shared).chain(relayed).chain(overwrote).collect();
        evidence.dedup();
        if evidence.is_empty() && first.id.action == second.id.action {
            evidence.push(Evidence::Sequence { event: self.names.event(first.id).to_string() });
        }
        evidence
    }

    /// How the n-th flow predecessor reached an event; `routes` are the routing rules that it took, if known.
    fn value(&self, event: &EventRecord, flow_idx: usize, routes: Option<&[u32]>) -> Evidence {
        let sender = event.flow[flow_idx];
        let taker = self.names.template_of(event.id.action);
        let rule = taker.and_then(|taker| {
            self.plan.templates.get(taker.idx())?.fire.get(usize::try_from(event.rule).ok()?)
        });
        let ports = rule.map_or(Vec::new(), |rule| match self.is_restricted {
            true => rule.takes.iter().map(|take| take.port).collect(),
            false => ports_of(rule, flow_idx, event.flow.len()),
        });
        let places = Places { taker: event.id, sender, ports };
        let ways = routes.and_then(|routes| self.ways(&places, routes)).unwrap_or_default();
        if self.is_restricted {
            return self.relayed(sender, None, ways);
        }
        let sender = self.names.event(sender).to_string();
        Evidence::Value { sender, template: template_name(places.sender, self.names), ways }
    }

    fn shared(&self, access: &SharedAccess) -> Evidence {
        Evidence::Shared {
            object: self.names.object(access.object).to_string(),
            access: access.access,
            writer: access.writer.map(|writer| self.names.event(writer).to_string()),
        }
    }

    fn relayed(&self, event: EventId, access: Option<&RelayedAccess>, ways: Vec<Way>) -> Evidence {
        Evidence::Relayed {
            event: self.names.event(event).to_string(),
            template: template_name(event, self.names),
            object: access.map(|access| (self.names.object(access.object).to_string(), access.access)),
            ways,
        }
    }

    /// All ways from the sender to one of the ports; `None` where the program lacks what is named.
    fn ways(&self, places: &Places, routes: &[u32]) -> Option<Vec<Way>> {
        let Self { names, plan, params, .. } = *self;
        let (taker, sender) = (places.taker.action, places.sender.action);
        let (taker_template, sender_template) = (names.template_of(taker)?, names.template_of(sender)?);
        let source = plan.templates.get(sender_template.idx())?;
        let target = plan.templates.get(taker_template.idx())?;
        let travels = Travels { names, plan, params, taker, taker_template, ports: &places.ports };
        let mut ways = Vec::new();
        for &route in routes {
            let Some(rule) = source.route.get(route as usize) else { continue };
            let ports: BTreeSet<usize> = rule.sends.iter().map(|send| send.port).collect();
            for port in ports {
                for arcs in travels.from(sender, sender_template, port) {
                    let Some(last) = arcs.last() else { continue };
                    let quote = |arc: &&Arc| Quote { text: arc.text.clone(), line: arc.at.line };
                    ways.push(Way {
                        port: target.inputs.get(last.target_port)?.name.clone(),
                        rule: route,
                        rule_quote: Quote { text: rule.text.clone(), line: rule.at.line },
                        arc_quotes: arcs.iter().map(quote).collect(),
                    });
                }
            }
        }
        Some(ways)
    }
}

/// The two ends of a value's way.
struct Places {
    taker: EventId,
    sender: EventId,
    /// Ports that it may have been taken from.
    ports: Vec<usize>,
}

pub(super) fn template_name(event: EventId, names: &Names) -> String {
    let template = names.template_of(event.action);
    template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
}

/// The ports that the n-th value removed by a rule may have been taken from: one where at most one
/// of the rule's takes is replicated, for then all other takes are one value each.
fn ports_of(rule: &FiringRule, flow_idx: usize, n_flow: usize) -> Vec<usize> {
    let takes = &rule.takes;
    let mut replicated = takes.iter().enumerate().filter(|(_, take)| !take.loops.is_empty());
    let take_idx = match (replicated.next(), replicated.next()) {
        (None, _) => (takes.len() == n_flow).then_some(flow_idx),
        (Some((loop_idx, _)), None) => {
            let n_behind = takes.len() - loop_idx - 1;
            (takes.len() <= n_flow + 1).then(|| {
                if flow_idx < loop_idx {
                    flow_idx
                } else if flow_idx + n_behind < n_flow {
                    loop_idx
                } else {
                    takes.len() + flow_idx - n_flow
                }
            })
        }
        (Some(_), Some(_)) => None,
    };
    match take_idx.and_then(|take_idx| takes.get(take_idx)) {
        Some(take) => vec![take.port],
        None => takes.iter().map(|take| take.port).collect(),
    }
}

/// Most arcs in a row that are followed.
const MAX_ARCS: usize = 64;

/// The search for ways to a taker through the interfaces of graphs.
struct Travels<'a> {
    names: &'a Names,
    plan: &'a Plan,
    /// Parameters of the main graph; those of other graph instances are not recorded.
    params: &'a [(String, Value)],
    taker: ActionId,
    taker_template: TemplateId,
    /// Ports of the taker that count.
    ports: &'a [usize],
}

/// A value's place on its way: what it leaves next, and the arcs so far.
struct Place<'a> {
    graph: GraphInstanceId,
    owner: GraphId,
    source: Source,
    port: usize,
    index: Index,
    arcs: Vec<&'a Arc>,
}

impl<'a> Travels<'a> {
    /// All ways from a port of the sender to one of the taker's ports.
    fn from(&self, sender: ActionId, template: TemplateId, port: usize) -> Vec<Vec<&'a Arc>> {
        let mut ways = Vec::new();
        let start = self.names.graph_of(sender).zip(self.names.index_of(sender));
        let owner = self.plan.templates[template.idx()].graph;
        let mut places: Vec<Place<'a>> = start
            .map(|(graph, index)| Place {
                graph,
                owner,
                source: Source::Unit(template),
                port,
                index: index.clone(),
                arcs: Vec::new(),
            })
            .into_iter()
            .collect();
        while let Some(place) = places.pop() {
            if place.arcs.len() == MAX_ARCS {
                continue;
            }
            let mut onward = Vec::new();
            for (_, arc) in self.plan.arcs_from(place.owner, place.source, place.port) {
                self.follow(&place, arc, &mut onward, &mut ways);
            }
            places.extend(onward.into_iter().rev());
        }
        ways
    }

    fn follow(
        &self,
        place: &Place<'a>,
        arc: &'a Arc,
        onward: &mut Vec<Place<'a>>,
        ways: &mut Vec<Vec<&'a Arc>>,
    ) {
        let mut arcs = place.arcs.clone();
        arcs.push(arc);
        let params = if place.graph == GraphInstanceId::MAIN { self.params } else { &[] };
        let fits_index = |index: &Index| fits(arc, &place.index, index, params);
        match arc.target {
            Target::Unit(template) => {
                let is_taker = template == self.taker_template
                    && self.names.graph_of(self.taker) == Some(place.graph)
                    && self.ports.contains(&arc.target_port);
                if is_taker && self.names.index_of(self.taker).is_some_and(fits_index) {
                    ways.push(arcs);
                }
            }
            Target::Call(call) => {
                let outward = std::iter::successors(self.names.graph_of(self.taker), |graph| {
                    self.names.graph(*graph).map(|record| record.parent)
                });
                let inner = outward.filter_map(|graph| self.names.graph(graph)).find(|record| {
                    record.parent == place.graph && record.call == call && fits_index(&record.index)
                });
                if let Some(record) = inner {
                    let (owner, source) = (self.plan.call(call).graph, Source::Interface);
                    let (graph, port) = (record.graph, arc.target_port);
                    onward.push(Place { graph, owner, source, port, index: Index::none(), arcs });
                }
            }
            Target::Interface => {
                if let Some(record) = self.names.graph(place.graph)
                    && let Some(call) = self.plan.calls.get(record.call.idx())
                {
                    let (graph, owner, port) = (record.parent, call.owner, arc.target_port);
                    let (source, index) = (Source::Call(record.call), record.index.clone());
                    onward.push(Place { graph, owner, source, port, index, arcs });
                }
            }
        }
    }
}

/// Whether an arc can lead from one instance to the other. What cannot be known, such as the
/// element of a port family, is taken to fit.
fn fits(arc: &Arc, sender: &Index, taker: &Index, params: &[(String, Value)]) -> bool {
    let param = |position: u32| match params.get(position as usize) {
        Some((_, Value::Int(number))) => Some(*number),
        _ => None,
    };
    let mut locals: Vec<Option<i64>> = vec![None; arc.n_locals];
    for (pattern, &number) in arc.source_index.iter().zip(sender.as_slice()) {
        let expected = match *pattern {
            Pattern::Local(local) => locals.get_mut(local as usize).map(|bound| *bound.get_or_insert(number)),
            Pattern::Int(expected) => Some(expected),
            Pattern::Param(position) => param(position),
        };
        if expected.is_some_and(|expected| expected != number) {
            return false;
        }
    }
    let known = |expr: &Expr| evaluate(expr, &locals, &param);
    arc.target_index
        .iter()
        .zip(taker.as_slice())
        .all(|(expr, &number)| known(expr).is_none_or(|expected| expected == number))
}

/// The value of an integer expression; `None` where it is not known or not a number.
pub(crate) fn evaluate(
    expr: &Expr,
    locals: &[Option<i64>],
    param: &impl Fn(u32) -> Option<i64>,
) -> Option<i64> {
    match expr {
        Expr::Int(number) => Some(*number),
        Expr::Local(local) => locals.get(*local as usize).copied().flatten(),
        Expr::Param(position) => param(*position),
        Expr::Negate(inner) => evaluate(inner, locals, param)?.checked_neg(),
        Expr::Binary(op, left, right) => {
            let (left, right) = (evaluate(left, locals, param)?, evaluate(right, locals, param)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Divide => left.checked_div(right),
                BinaryOp::Remainder => left.checked_rem(right),
                BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessOrEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterOrEqual
                | BinaryOp::And
                | BinaryOp::Or => None,
            }
        }
        Expr::Bool(_) | Expr::Slot(_) | Expr::Not(_) => None,
    }
}
