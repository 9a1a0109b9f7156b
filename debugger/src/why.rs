//! Why an event happened: its causes, back through arcs and shared objects (Hyder 1994, sections 1.2 and 7.4).
//!
//! An event has one cause for each value that it took, one for each object that it found, and the execution of its
//! action before it, whose state it went on with. Each cause is an event again, so that the causes of an event
//! form a tree down to start nodes; as they form a graph in truth, an event is explained where it is met first and
//! referred to from then on. What a record does not say, the routing rule and the arc by which a value came, follows
//! from the plan.

mod text;

use rustc_hash::FxHashSet;
use serde::Serialize;

use hasse_model::event::{EffectKind, EventRecord, EventRow, Outcome};
use hasse_model::id::EventId;
use hasse_model::plan::{Access, Plan};
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;

use crate::check::evidence::{Quote, Way, World};
use crate::past::History;

pub use text::write_text;

/// What the causes of an event are looked up in.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The events.
    pub history: &'s History<'s>,
    /// Their names.
    pub names: &'s Names,
    /// The program.
    pub plan: &'s Plan,
    /// Parameters of the main graph, in the order of the file.
    pub params: &'s [(String, Value)],
    /// How the events were recorded.
    pub mode: RecordingMode,
}

/// An event with its causes. Serializes for other programs; `kind` tells the variants apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// Path and count, such as `/Mult[3]:2`.
    pub event: String,
    /// Label of its node.
    pub node: String,
    /// The firing rule that was taken; `None` for the first execution of a start node.
    pub rule: Option<RuleTaken>,
    /// `done`, `failed` or `stopped`.
    pub outcome: &'static str,
    /// What went wrong, for a failed event.
    pub error: Option<String>,
    /// How much of it is told here.
    pub told: Told,
    /// Why it happened, in the order of the firing rule, then of locking, then the execution before. Empty where
    /// it is a start, and where it is not told here.
    pub causes: Vec<Cause>,
    /// Its id within the record.
    #[serde(skip)]
    pub id: EventId,
}

/// How much of an event is told at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// All of its causes.
    Causes,
    /// It has none: it is the first execution of a start node.
    Start,
    /// Its causes are told where it occurs first.
    Above,
    /// The depth that was asked for ends here.
    Deeper,
    /// The record does not hold it.
    Missing,
}

/// A firing rule as it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleTaken {
    /// Its position in the node.
    pub position: i32,
    /// Its text, guard included, and its line; `None` where the program has no such rule.
    pub quote: Option<Quote>,
}

/// A cause of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// It took a value.
    Value {
        /// Which of the values it took, from 0.
        position: usize,
        /// How the value can have come; one, as a rule. Empty where the program does not tell.
        ways: Vec<Way>,
        /// The port or element of a port family, where values are known.
        port: Option<String>,
        /// The value, where values are known.
        #[serde(serialize_with = "crate::json::serialize_optional")]
        value: Option<Value>,
        /// Who sent it.
        sender: Explained,
    },
    /// It took values that had been sent before the first event that the record keeps.
    Earlier {
        /// Number of values.
        values: usize,
    },
    /// It accessed a shared object.
    Object {
        /// Path of the object.
        object: String,
        /// Whether it might write the object.
        writes: bool,
        /// The content that it found, where values are known.
        #[serde(serialize_with = "crate::json::serialize_optional")]
        value: Option<Value>,
        /// Who wrote the object last; `None` where it held its first content.
        writer: Option<Explained>,
        /// Who had read that content before it was overwritten; empty for a reader.
        readers: Vec<Explained>,
    },
    /// It went on with the state that the execution before it had left.
    Previous {
        /// The vars that it found, where values are known.
        #[serde(serialize_with = "crate::json::serialize_named")]
        vars: Vec<(String, Value)>,
        /// The execution before.
        event: Explained,
    },
    /// Restricted record: something came from an event, at once or through events that were not recorded.
    Relayed {
        /// The shared object by way of which; `None` for values.
        object: Option<String>,
        /// The recorded event.
        event: Explained,
    },
}

impl Cause {
    /// The events that it consists of.
    pub fn events(&self) -> Vec<&Explained> {
        match self {
            Cause::Value { sender, .. } => vec![sender],
            Cause::Earlier { .. } => Vec::new(),
            Cause::Object { writer, readers, .. } => writer.iter().chain(readers).collect(),
            Cause::Previous { event, .. } | Cause::Relayed { event, .. } => vec![event],
        }
    }

    fn events_mut(&mut self) -> Vec<&mut Explained> {
        match self {
            Cause::Value { sender, .. } => vec![sender],
            Cause::Earlier { .. } => Vec::new(),
            Cause::Object { writer, readers, .. } => writer.iter_mut().chain(readers).collect(),
            Cause::Previous { event, .. } | Cause::Relayed { event, .. } => vec![event],
        }
    }
}

impl Explained {
    /// Calls `look` for every event whose causes are told, from the event itself downward.
    pub fn for_each_told(&mut self, look: &mut impl FnMut(&mut Explained)) {
        look(self);
        for cause in &mut self.causes {
            for event in cause.events_mut() {
                if matches!(event.told, Told::Causes | Told::Start) {
                    event.for_each_told(look);
                }
            }
        }
    }
}

/// Deepest tree that is made: what looks at it recurses.
pub const MOST_DEPTH: usize = 200;

/// The ways by which the `flow_idx`-th flow predecessor of an event of a full record can have sent its value: one, as a rule. `routes`
/// are the routing rules that the predecessor took.
pub fn ways(
    plan: &Plan,
    names: &Names,
    params: &[(String, Value)],
    event: &EventRecord,
    flow_idx: usize,
    routes: &[u32],
) -> Vec<Way> {
    World { names, plan, params, is_restricted: false }.ways_of(event, flow_idx, routes)
}

/// Explains an event; `None` where the record does not hold it. `depth` is how many events stand in a row from it to
/// a cause whose own causes are not told: with 1, its immediate causes are named. More than [`MOST_DEPTH`] counts as
/// that. Cost: linear in the events and edges told.
pub fn why(source: Source<'_>, event: EventId, depth: usize) -> Option<Explained> {
    source.history.get(event)?;
    let mut teller = Teller { source, told: FxHashSet::default() };
    Some(teller.explain(event, depth.min(MOST_DEPTH)))
}

struct Teller<'s> {
    source: Source<'s>,
    told: FxHashSet<EventId>,
}

impl Teller<'_> {
    fn explain(&mut self, event: EventId, depth: usize) -> Explained {
        let Source { history, names, plan, .. } = self.source;
        let template = names.template_of(event.action);
        let mut explained = Explained {
            event: names.event(event).to_string(),
            node: template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned(),
            rule: None,
            outcome: Outcome::Done.name(),
            error: None,
            told: Told::Missing,
            causes: Vec::new(),
            id: event,
        };
        let Some(row) = history.get(event) else { return explained };
        explained.outcome = row.outcome.name();
        explained.error = row.error.map(str::to_owned);
        explained.rule = usize::try_from(row.rule).ok().map(|rule_idx| {
            let rules = template.and_then(|template| plan.templates.get(template.idx()));
            let rule = rules.and_then(|template| template.fire.get(rule_idx));
            let quote = rule.map(|rule| Quote { text: rule.text.clone(), line: rule.at.line });
            RuleTaken { position: row.rule, quote }
        });
        explained.told = if row.rule < 0 && row.flow.is_empty() && row.shared.is_empty() && event.count == 1 {
            Told::Start
        } else if self.told.contains(&event) {
            Told::Above
        } else if depth == 0 {
            Told::Deeper
        } else {
            Told::Causes
        };
        if explained.told == Told::Causes {
            self.told.insert(event);
            explained.causes = self.causes(row, depth - 1);
        }
        explained
    }

    fn causes(&mut self, row: &EventRow<'_>, depth: usize) -> Vec<Cause> {
        let Source { history, names, plan, params, mode } = self.source;
        let is_restricted = mode == RecordingMode::Restricted;
        let world = World { names, plan, params, is_restricted };
        let record = row.to_record();
        let mut causes = Vec::new();
        for (position, &sender) in row.flow.iter().enumerate() {
            if is_restricted {
                causes.push(Cause::Relayed { object: None, event: self.explain(sender, depth) });
                continue;
            }
            let routes = history.get(sender).map(|row| row.routes);
            let ways = routes.map_or(Vec::new(), |routes| world.ways_of(&record, position, routes));
            let sender = self.explain(sender, depth);
            causes.push(Cause::Value { position, ways, port: None, value: None, sender });
        }
        let values = record.effects.iter().filter(|effect| effect.kind == EffectKind::Earlier).count();
        if values > 0 {
            causes.push(Cause::Earlier { values });
        }
        for access in row.shared {
            let readers = match access.access {
                Access::Read => &[][..],
                Access::Write => history.readers(access.object, access.writer),
            };
            causes.push(Cause::Object {
                object: names.object(access.object).to_string(),
                writes: access.access == Access::Write,
                value: None,
                writer: access.writer.map(|writer| self.explain(writer, depth)),
                readers: readers.iter().map(|reader| self.explain(*reader, depth)).collect(),
            });
        }
        for relayed in row.relayed {
            let object = Some(names.object(relayed.object).to_string());
            causes.push(Cause::Relayed { object, event: self.explain(relayed.event, depth) });
        }
        if row.id.count > 1 {
            let previous = EventId { action: row.id.action, count: row.id.count - 1 };
            causes.push(Cause::Previous { vars: Vec::new(), event: self.explain(previous, depth) });
        }
        causes
    }
}
