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
use hasse_model::id::{EventId, ObjectId, TemplateId};
use hasse_model::plan::{Access, Arc, Plan, Source, Target};
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;

use super::routes::Routes;
use super::ways::{Travels, ports_of};
pub(crate) use crate::index_map::evaluate;

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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Quote {
    /// Its text.
    pub text: String,
    /// Its line in the program's file, from 1.
    pub line: u32,
}

/// What names and lines are looked up in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World<'w> {
    pub(crate) names: &'w Names,
    pub(crate) plan: &'w Plan,
    /// Parameters of the main graph; those of other graph instances are not recorded.
    pub(crate) params: &'w [(String, Value)],
    /// Whether records are restricted: `flow` is a set, and what it names may have come through others.
    pub(crate) is_restricted: bool,
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

    /// All ways by which the n-th flow predecessor can have reached an event of a full record; `routes` are the
    /// routing rules that it took.
    pub(crate) fn ways_of(&self, event: &EventRecord, flow_idx: usize, routes: &[u32]) -> Vec<Way> {
        match self.value(event, flow_idx, Some(routes)) {
            Evidence::Value { ways, .. } => ways,
            _ => Vec::new(),
        }
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
            false => ports_of(rule, event.position_taken(flow_idx), event.n_taken()),
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

/// The arcs along which a value can have come, each way in the order of travel: from an event with the routing rules
/// that it took, to an event with the firing rule that it took and the value's position among all that it removed.
pub(crate) fn arcs_between(
    (names, plan, params): (&Names, &Plan, &[(String, Value)]),
    (sender, routes): (EventId, &[u32]),
    (taker, (rule, flow_idx, n_flow)): (EventId, (i32, usize, usize)),
) -> Vec<Vec<String>> {
    let world = World { names, plan, params, is_restricted: false };
    let template = names.template_of(taker.action).and_then(|template| plan.templates.get(template.idx()));
    let rule = template.zip(usize::try_from(rule).ok()).and_then(|(template, rule)| template.fire.get(rule));
    let ports = rule.map_or(Vec::new(), |rule| ports_of(rule, flow_idx, n_flow));
    let ways = world.ways(&Places { taker, sender, ports }, routes).unwrap_or_default();
    ways.into_iter().map(|way| way.arc_quotes.into_iter().map(|quote| quote.text).collect()).collect()
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
