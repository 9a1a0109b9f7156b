//! What is told of an event in words, beside the pictures.

use hasse_debugger::show::{Limits, Shown};
use hasse_model::event::Outcome;
use hasse_model::quantity::counted;
use hasse_model::value::Value;

use super::super::values::store::Values;
use super::arrays::Record;
use super::edges::Via;

/// Most predecessors and successors that are listed.
const MOST_LISTED: usize = 100;

/// A line about an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it is about: `firing rule`, `took`, `after`.
    pub name: String,
    /// What is said.
    pub text: String,
    /// The event that a click leads to.
    pub event: Option<u32>,
    /// The value that a click opens.
    pub value: Option<Value>,
}

impl Record {
    /// All that is known of an event, in the order in which a person reads it; with its values where they are known.
    pub fn facts(&self, event: u32, values: Option<&Values>) -> Vec<Fact> {
        if event >= self.n_events() {
            return Vec::new();
        }
        let mut facts = vec![fact("event", self.event_name(event))];
        facts.push(fact("node", self.template_label(self.template_of(event)).to_owned()));
        let position = format!("{} of {}, level {}", event + 1, self.n_events(), self.level(event) + 1);
        facts.push(fact("position", position));
        match self.outcome(event) {
            Outcome::Done => {}
            outcome => facts.push(fact("outcome", outcome.name().to_owned())),
        }
        facts.extend(self.error(event).map(|error| fact("error", error.to_owned())));
        self.put_rules(event, &mut facts);
        if let Some((start, end)) = self.times(event) {
            let text = format!("{} to {} on worker {}", nanos(start), nanos(end), self.worker(event));
            facts.push(fact("time", text));
            facts.push(fact("duration", nanos(end.saturating_sub(start))));
        }
        self.put_values(event, values, &mut facts);
        let before = self.before(event);
        let n_before = before.len();
        for before in before.take(MOST_LISTED) {
            let text = format!("{}{}", self.event_name(before.event), self.via_text(before.via));
            facts.push(Fact { event: Some(before.event), ..fact("after", text) });
        }
        more(n_before, &mut facts);
        let mut after = self.after(event).to_vec();
        after.dedup();
        for &after in after.iter().take(MOST_LISTED) {
            let text = self.event_name(after);
            facts.push(Fact { event: Some(after), ..fact("before", text) });
        }
        more(after.len(), &mut facts);
        if self.n_sent(event) > 0 {
            facts.push(fact("sent", format!("{} along arcs", counted(self.n_sent(event), "value"))));
        }
        facts
    }

    fn put_rules(&self, event: u32, facts: &mut Vec<Fact>) {
        let plan = self.program().plan();
        let template = plan.and_then(|plan| plan.templates.get(self.template_of(event) as usize));
        match usize::try_from(self.rule(event)) {
            Err(_) => facts.push(fact("firing rule", "none: a start node's first execution".to_owned())),
            Ok(rule) => {
                let known = template.and_then(|template| template.fire.get(rule));
                let text = known.map_or_else(|| rule.to_string(), |known| format!("{rule}: {}", known.text));
                facts.push(fact("firing rule", text));
            }
        }
        for &route in self.routes(event) {
            let known = template.and_then(|template| template.route.get(route as usize));
            let text = known.map_or_else(|| route.to_string(), |known| format!("{route}: {}", known.text));
            facts.push(fact("routing rule", text));
        }
    }

    fn put_values(&self, event: u32, values: Option<&Values>, facts: &mut Vec<Fact>) {
        let Some(local) = self.values(event).or_else(|| values?.local(event)) else { return };
        let one = |name: &str, what: &str, value: &Value| Fact {
            value: Some(value.clone()),
            ..fact(name, format!("{what} = {}", Shown::new(value, &Limits::one_line())))
        };
        let senders = self.before(event).filter(|before| matches!(before.via, Via::Value(_)));
        let senders = senders.map(|before| Some(before.event)).chain(std::iter::repeat(None));
        let took = local.took.iter().zip(senders).take(MOST_LISTED);
        facts.extend(took.map(|((port, value), event)| Fact { event, ..one("took", port, value) }));
        let mut put = |name: &str, list: &[(String, Value)]| {
            facts.extend(list.iter().take(MOST_LISTED).map(|(what, value)| one(name, what, value)));
        };
        put("var before", &local.before);
        put("var after", &local.after);
        put("object before", &local.shared_before);
        put("object after", &local.shared_after);
        let passages = values.map_or(&[][..], |values| values.sent_by(event));
        if passages.is_empty() {
            put("sent value", &local.sent);
        } else {
            facts.extend(passages.iter().take(MOST_LISTED).map(|passage| {
                let taker = match passage.taker {
                    Some(taker) => format!(", taken by {}", self.event_name(taker)),
                    None => ", not taken".to_owned(),
                };
                let value = &passage.value;
                let text = format!("{} to {}{taker}", Shown::new(value, &Limits::one_line()), passage.port);
                Fact { event: passage.taker, value: Some(value.clone()), ..fact("sent value", text) }
            }));
        }
        let mut put = |name: &str, list: &[(String, Value)]| {
            facts.extend(list.iter().take(MOST_LISTED).map(|(what, value)| one(name, what, value)));
        };
        put("result", &local.results);
        facts.extend(local.lines.iter().take(MOST_LISTED).map(|line| fact("printed", line.clone())));
    }

    /// How an event is before another one, in words that follow its name.
    pub fn via_text(&self, via: Via) -> String {
        let object = |object| self.names().object(object).to_string();
        match via {
            Via::Sequence => ", the execution before".to_owned(),
            Via::Value(way) => {
                let arcs = way.map_or(&[][..], |way| self.way(way)).iter();
                let texts = arcs.filter_map(|&arc| Some(&*self.program().arcs().get(arc as usize)?.text));
                let texts: Vec<&str> = texts.collect();
                if texts.is_empty() {
                    ", by a value".to_owned()
                } else {
                    format!(", along {}", texts.join(", "))
                }
            }
            Via::Read(known) => format!(", which wrote {}", object(known)),
            Via::Write(known) => format!(", which wrote {} before it", object(known)),
            Via::Overwrite(known) => format!(", which had read {}", object(known)),
            Via::Relayed(known) => format!(", by way of {}", object(known)),
        }
    }
}

fn fact(name: &str, text: String) -> Fact {
    Fact { name: name.to_owned(), text, event: None, value: None }
}

fn more(n_all: usize, facts: &mut Vec<Fact>) {
    if n_all > MOST_LISTED {
        facts.push(fact("", format!("and {} more", n_all - MOST_LISTED)));
    }
}

/// A duration in the unit that suits it.
pub(in crate::views) fn nanos(nanos: u64) -> String {
    let scaled = |unit: f64, name: &str| format!("{:.3} {name}", nanos as f64 / unit);
    match nanos {
        0..1_000 => format!("{nanos} ns"),
        1_000..1_000_000 => scaled(1e3, "us"),
        1_000_000..1_000_000_000 => scaled(1e6, "ms"),
        _ => scaled(1e9, "s"),
    }
}
