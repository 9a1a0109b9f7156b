//! Probes: cards with the values that an arc carried last, or with what a node or shared object holds, at the moment of
//! playback. The card of the thing under the pointer goes with the pointer; pinned ones stay.

use hasse_model::id::ObjectId;
use hasse_model::plan::{Port, Source, Target as ArcTarget};
use hasse_model::quantity::counted;
use hasse_model::value::Value;

use super::record::arrays::Record;
use super::value::brief;
use super::values::store::Values;
use crate::edit::link::LinkList;
use crate::target::{Part, Target};

/// Most values of an arc on its card.
const MOST_CARRIED: usize = 3;
/// Most shared objects on a card.
const MOST_OBJECTS: usize = 3;
/// Maximum number of lines about instances on a card; the latest instance is always listed.
const MOST_LINES: usize = 7;
/// Most values of one instance on a card.
const MOST_VALUES: usize = 4;

/// A line of a card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardLine {
    /// Its text.
    pub text: String,
    /// The value that a click opens.
    pub value: Option<Value>,
    /// The event that made it.
    pub event: Option<u32>,
}

impl CardLine {
    fn text(text: String) -> Self {
        Self { text, value: None, event: None }
    }
}

/// A card at a thing of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The arc, or the node of a unit or shared object.
    pub target: Target,
    /// Its name.
    pub title: String,
    /// Its lines.
    pub lines: Vec<CardLine>,
    /// Whether it stays.
    pub is_pinned: bool,
}

/// The record with its values at a moment.
#[derive(Clone, Copy)]
pub struct Moment<'r> {
    /// The record.
    pub record: &'r Record,
    /// Values of its events; `None` until they are known.
    pub values: Option<&'r Values>,
    /// Number of events that have ended.
    pub position: u32,
    /// True if events that have not ended may have taken values.
    pub is_under_way: bool,
    /// Reason why values are not known, where they are not.
    pub note: &'r str,
}

impl Moment<'_> {
    /// The card of a target; `None` for what holds and carries nothing: formal ports, share lines, and nodes that have not
    /// executed, unless their card is pinned.
    pub fn card(&self, target: &Target, is_pinned: bool) -> Option<Card> {
        let (title, mut lines) = match &target.part {
            Part::Link(LinkList::Arcs, row) => self.arc(&target.graph, *row)?,
            Part::Node(node) => self
                .unit(&target.graph, node)
                .or_else(|| self.shared(&target.graph, node))
                .or_else(|| self.call(&target.graph, node))?,
            Part::Link(..) | Part::Program | Part::Type(_) | Part::Graph => return None,
        };
        if lines.is_empty() {
            if !is_pinned {
                return None;
            }
            lines.push(CardLine::text("has not executed so far".to_owned()));
        }
        Some(Card { target: target.clone(), title, lines, is_pinned })
    }

    fn unknown(&self) -> Vec<CardLine> {
        vec![CardLine::text(self.note.to_owned())]
    }

    fn arc(&self, graph: &str, row: usize) -> Option<(String, Vec<CardLine>)> {
        let arcs = self.record.program().arcs();
        let arc = arcs.iter().position(|known| known.graph == graph && known.row == row)?;
        let title = arcs[arc].text.clone();
        let Some(values) = self.values else { return Some((title, self.unknown())) };
        let carried = || values.carried(arc as u32, self.position);
        let mut lines: Vec<CardLine> = carried()
            .take(MOST_CARRIED)
            .map(|passage| {
                let sender = self.record.event_name(passage.sender);
                let state = match passage.waits_at(self.position) {
                    true if self.is_under_way => ", waits or is in use",
                    true => ", waits",
                    false => "",
                };
                CardLine {
                    text: format!("{}  from {sender}{state}", brief(&passage.value)),
                    value: Some(passage.value.clone()),
                    event: Some(passage.sender),
                }
            })
            .collect();
        let n_carried = carried().count();
        let n_waiting = carried().filter(|passage| passage.waits_at(self.position)).count();
        if lines.is_empty() {
            lines.push(CardLine::text("carried nothing so far".to_owned()));
        } else {
            let of_all = if self.is_whole(values) { "" } else { " of the events around" };
            let in_use = if self.is_under_way { " or in use" } else { "" };
            let text = format!("{}{of_all}, {n_waiting} waiting{in_use}", counted(n_carried as u64, "value"));
            lines.push(CardLine::text(text));
        }
        Some((title, lines))
    }

    /// Whether the values of all events are known.
    fn is_whole(&self, values: &Values) -> bool {
        values.n_events() == self.record.n_events() as usize
    }

    fn unit(&self, graph: &str, node: &str) -> Option<(String, Vec<CardLine>)> {
        let record = self.record;
        let templates = record.program().templates();
        let template = templates.iter().position(|known| known.graph == graph && known.node == node)?;
        let own: Vec<u32> = record
            .ranked()
            .iter()
            .copied()
            .filter(|&instance| record.template_of_instance(instance) as usize == template)
            .filter(|&instance| {
                record.events_of(instance).first().is_some_and(|&first| first < self.position)
            })
            .collect();
        let title = node.to_owned();
        let Some(values) = self.values else { return Some((title, self.unknown())) };
        let mut lines = Vec::new();
        let mut lasts: Vec<u32> = own.iter().map(|&instance| self.last_of(instance)).collect();
        lasts.sort_unstable();
        let mut n_left = lasts.len();
        for last in lasts.into_iter().rev() {
            let mut held = vec![CardLine { text: record.event_name(last), value: None, event: Some(last) }];
            self.put_event(values, last, &mut held);
            if !lines.is_empty() && lines.len() + held.len() > MOST_LINES {
                break;
            }
            lines.append(&mut held);
            n_left -= 1;
        }
        if n_left > 0 {
            lines.push(CardLine::text(format!("and {}", counted(n_left as u64, "more instance"))));
        }
        Some((title, lines))
    }

    /// The last event of an instance that had one before this moment.
    fn last_of(&self, instance: u32) -> u32 {
        let events = self.record.events_of(instance);
        events[events.partition_point(|&event| event < self.position) - 1]
    }

    /// Adds the values that an event took, left in its vars, and sent.
    fn put_event(&self, values: &Values, event: u32, lines: &mut Vec<CardLine>) {
        let Some(local) = values.local(event) else {
            lines.push(CardLine::text("  its values are not known".to_owned()));
            return;
        };
        for (word, list) in [("took", &local.took), ("var", &local.after), ("sent", &local.sent)] {
            lines.extend(list.iter().take(MOST_VALUES).map(|(name, value)| CardLine {
                text: format!("  {word} {name} = {}", brief(value)),
                value: Some(value.clone()),
                event: Some(event),
            }));
            let n_more = list.len().saturating_sub(MOST_VALUES);
            if n_more > 0 {
                lines.push(CardLine::text(format!("  and {n_more} more {word}")));
            }
        }
    }

    /// The last value at each port of a call.
    fn call(&self, graph: &str, node: &str) -> Option<(String, Vec<CardLine>)> {
        let plan = self.record.program().plan()?;
        let owner = plan.graphs.iter().position(|known| known.name == graph)?;
        let call = plan.calls.iter().position(|call| call.owner.idx() == owner && call.name == node)?;
        let called = plan.graphs.get(plan.calls[call].graph.idx())?;
        let title = format!("{node}: {}", called.name);
        let Some(values) = self.values else { return Some((title, self.unknown())) };
        let name = |ports: &[Port], port: usize| ports.get(port).map(|port| port.name.clone());
        let ends = (0..).zip(&plan.arcs).filter_map(|(arc, known)| match (known.target, known.source) {
            (ArcTarget::Call(to), _) if to.idx() == call => {
                Some((arc, "took", name(&called.inputs, known.target_port)?))
            }
            (_, Source::Call(from)) if from.idx() == call => {
                Some((arc, "sent", name(&called.outputs, known.source_port)?))
            }
            _ => None,
        });
        let lines = ends.map(|(arc, word, port)| match values.carried(arc, self.position).next() {
            Some(passage) => CardLine {
                text: format!("{word} {port} = {}", brief(&passage.value)),
                value: Some(passage.value.clone()),
                event: Some(passage.sender),
            },
            None => CardLine::text(format!("{word} nothing on {port} so far")),
        });
        Some((title, lines.collect()))
    }

    fn shared(&self, graph: &str, node: &str) -> Option<(String, Vec<CardLine>)> {
        let record = self.record;
        let is_own = |object: &ObjectId| {
            record.program().shared(record.names(), *object).is_some_and(|known| known == (graph, node))
        };
        let mut accessed: Vec<ObjectId> = record.accesses().keys().map(|(object, ..)| *object).collect();
        accessed.dedup();
        accessed.retain(is_own);
        if accessed.is_empty() {
            return None;
        }
        let title = node.to_owned();
        let Some(values) = self.values else { return Some((title, self.unknown())) };
        let mut lines = Vec::new();
        for &object in accessed.iter().take(MOST_OBJECTS) {
            let path = record.names().object(object);
            let Some((value, event)) = values.object(object, self.position) else {
                lines.push(CardLine::text(format!("{path} is not known")));
                continue;
            };
            let writer = match event {
                Some(event) => format!("written by {}", record.event_name(event)),
                None => "as it was created".to_owned(),
            };
            let text = format!("{path} = {}", brief(value));
            lines.push(CardLine { text, value: Some(value.clone()), event });
            lines.push(CardLine { text: format!("  {writer}"), value: None, event });
        }
        if accessed.len() > MOST_OBJECTS {
            let text = format!("and {}", counted((accessed.len() - MOST_OBJECTS) as u64, "more object"));
            lines.push(CardLine::text(text));
        }
        Some((title, lines))
    }
}
