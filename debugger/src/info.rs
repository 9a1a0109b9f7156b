//! What a trace holds, in short.

use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};

use hasse_model::event::{QueueChange, QueueEdit};
use hasse_model::id::{ActionId, ObjectId};
use hasse_model::quantity::counted;
use hasse_model::trace::{BatchSource, Names, TraceError, TraceFooter, TraceHeader, Truncation};
use hasse_model::value::Value;

use crate::json::value_json;

/// Most places where values were dropped that are listed.
const MOST_PLACES: usize = 10;

/// Facts about a trace. Counts are of what can be read, causally complete or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// What the trace says before its first event.
    pub header: TraceHeader,
    /// Number of events.
    pub n_events: u64,
    /// Actions and events of each template, in the order of the program.
    pub templates: Vec<TemplateInfo>,
    /// Number of objects of each declared shared object, in the order of the program.
    pub objects: Vec<(String, u64)>,
    /// Changes of queues that were made by hand, in their order.
    pub edits: Vec<EditInfo>,
    /// Places where full ports dropped values, such as `/Show.sample`, with the number of values; in the order of their names.
    pub dropped: Vec<(String, u64)>,
    /// What the trace says after its last event.
    pub footer: Option<TraceFooter>,
    /// Where and why the trace ends before its footer.
    pub truncated: Option<Truncation>,
    /// Size of the file in bytes, where it is known.
    pub n_file_bytes: Option<u64>,
}

/// Facts about the instances of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateInfo {
    /// Name.
    pub name: String,
    /// Number of actions that were created.
    pub n_actions: u64,
    /// Number of those that never executed.
    pub n_idle_actions: u64,
    /// Number of events.
    pub n_events: u64,
    /// Nanoseconds that they took together, in a record with times.
    pub busy_nanos: Option<u64>,
}

/// A change of a queue that was made by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct EditInfo {
    /// The action and its port, such as `/Mult[3].left`.
    pub place: String,
    /// The change.
    pub kind: EditKind,
    /// The event that had sent the value; `None` where it was added by hand.
    pub sender: Option<String>,
    /// The added value, or the replacement.
    pub value: Option<Value>,
}

/// The action and its port, with the element of a family, such as `/Mult[3].left`.
fn place_of(edit: &QueueEdit, names: &Names) -> String {
    let label = names.template_name(edit.template).unwrap_or("?");
    let node = label.rsplit('.').next().unwrap_or(label);
    let QueueEdit { graph, index, port, elements, .. } = edit;
    format!("{}/{node}{index}.{port}{elements}", names.graph_path(*graph))
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// A value was dropped.
    Dropped,
    /// A value was replaced.
    Replaced,
    /// A value was added.
    Added,
}

impl EditKind {
    /// The word in messages and exports.
    pub fn name(self) -> &'static str {
        match self {
            EditKind::Dropped => "dropped",
            EditKind::Replaced => "replaced",
            EditKind::Added => "added",
        }
    }
}

impl EditInfo {
    /// A change with the names of what it is about; `None` for the note of a value that nobody took.
    pub fn new(edit: &QueueEdit, names: &Names) -> Option<Self> {
        let place = place_of(edit, names);
        let (kind, sent, value) = match &edit.change {
            QueueChange::Dropped(sent) => (EditKind::Dropped, Some(sent), None),
            QueueChange::Replaced(sent, value) => (EditKind::Replaced, Some(sent), Some(value.clone())),
            QueueChange::Added(value) => (EditKind::Added, None, Some(value.clone())),
            QueueChange::Left(_) | QueueChange::NoRoom(_) => return None,
        };
        let sender = sent.and_then(|sent| sent.sender).map(|sender| names.event(sender).to_string());
        Some(Self { place, kind, sender, value })
    }

    /// The change on one line.
    pub fn text(&self) -> String {
        let of = self
            .sender
            .as_ref()
            .map_or("a value added by hand".to_owned(), |sender| format!("a value of {sender}"));
        match (self.kind, &self.value) {
            (EditKind::Added, Some(value)) => format!("{}: added {value}", self.place),
            (EditKind::Replaced, Some(value)) => format!("{}: {of} replaced by {value}", self.place),
            (kind, _) => format!("{}: {of} {}", self.place, kind.name()),
        }
    }

    fn to_json(&self) -> Json {
        json!({
            "place": self.place,
            "change": self.kind.name(),
            "sender": self.sender,
            "value": self.value.as_ref().map(value_json),
        })
    }
}

/// Reads a trace to its end. Time: linear; memory: the names and a count for each action.
///
/// # Errors
/// Where the source fails.
pub fn summarize(mut reader: impl BatchSource, n_file_bytes: Option<u64>) -> Result<Info, TraceError> {
    let header = reader.header().clone();
    let mut names = Names::new(&header);
    let template = |name: &String| TemplateInfo {
        name: name.clone(),
        n_actions: 0,
        n_idle_actions: 0,
        n_events: 0,
        busy_nanos: None,
    };
    let mut templates: Vec<TemplateInfo> = header.templates.iter().map(template).collect();
    let mut objects: Vec<(String, u64)> = header.shared.iter().map(|name| (name.clone(), 0)).collect();
    let mut n_events_of: FxHashMap<ActionId, (u64, Option<u64>)> = FxHashMap::default();
    // Every worker announces what it names, so that the same object or action may be announced several times.
    let mut actions: FxHashSet<ActionId> = FxHashSet::default();
    let mut known_objects: FxHashSet<ObjectId> = FxHashSet::default();
    let mut n_events = 0;
    let mut edits = Vec::new();
    while let Some(mut batch) = reader.next_batch()? {
        names.read(&batch);
        for action in &batch.actions {
            if let Some(template) = templates.get_mut(action.template.idx()) {
                template.n_actions += u64::from(actions.insert(action.action));
            }
        }
        for object in &batch.objects {
            if let Some((_, n_objects)) = objects.get_mut(object.shared.idx()) {
                *n_objects += u64::from(known_objects.insert(object.object));
            }
        }
        for row in batch.rows() {
            let (n_events, busy_nanos) = n_events_of.entry(row.id.action).or_default();
            *n_events += 1;
            *busy_nanos =
                added(*busy_nanos, row.timing.map(|timing| timing.end.saturating_sub(timing.start)));
        }
        n_events += batch.n_events() as u64;
        edits.append(&mut batch.edits);
    }
    let mut dropped: BTreeMap<String, u64> = BTreeMap::new();
    for edit in &edits {
        if let QueueChange::NoRoom(values) = &edit.change {
            *dropped.entry(place_of(edit, &names)).or_default() += values.len() as u64;
        }
    }
    let dropped = dropped.into_iter().collect();
    let edits = edits.iter().filter_map(|edit| EditInfo::new(edit, &names)).collect();
    let mut n_events_of: Vec<(ActionId, (u64, Option<u64>))> = n_events_of.into_iter().collect();
    n_events_of.sort_unstable();
    for (action, (n_events, busy_nanos)) in n_events_of {
        let template = names.template_of(action).and_then(|template| templates.get_mut(template.idx()));
        if let Some(template) = template {
            template.n_events += n_events;
            template.busy_nanos = added(template.busy_nanos, busy_nanos);
        }
    }
    for action in reader.footer().iter().flat_map(|footer| &footer.idle_actions) {
        if let Some(template) = templates.get_mut(action.template.idx()) {
            template.n_actions += 1;
            template.n_idle_actions += 1;
        }
    }
    let (footer, truncated) = (reader.footer().cloned(), reader.truncated());
    Ok(Info { header, n_events, templates, objects, edits, dropped, footer, truncated, n_file_bytes })
}

/// A noun for a number of things.
fn noun(number: u64, one: &str) -> String {
    format!("{one}{}", if number == 1 { "" } else { "s" })
}

/// A sum of times, as far as they are known.
fn added(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (sum, more) => sum.or(more),
    }
}

impl Info {
    /// Bytes of the file for each event of the run, recorded or not; `None` where either is not known.
    pub fn bytes_per_event(&self) -> Option<f64> {
        let n_executed = self.footer.as_ref().map_or(self.n_events, |footer| footer.n_executed);
        let n_bytes = self.n_file_bytes.filter(|_| n_executed > 0)?;
        Some(n_bytes as f64 / n_executed as f64)
    }

    /// Number of events outside of the part that a record with holes keeps: those that sent values into it, and the earlier ones of
    /// their actions.
    pub fn n_outside(&self) -> u64 {
        let base = self.header.base.as_ref().filter(|_| self.header.kept.is_some());
        base.map_or(0, |base| base.n_events)
    }

    /// The facts for a person.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        self.put_text(&mut text).expect("a string takes every write");
        text
    }

    fn put_text(&self, text: &mut String) -> std::fmt::Result {
        let header = &self.header;
        writeln!(text, "program    {}", header.program_path)?;
        if !header.params.is_empty() {
            let param = |(name, value): &(String, Value)| format!("{name} = {value}");
            let params: Vec<String> = header.params.iter().map(param).collect();
            writeln!(text, "params     {}", params.join(", "))?;
        }
        write!(text, "recorded   {}, {}", header.mode.name(), counted(header.n_workers, "worker"))?;
        header.seed.iter().try_for_each(|seed| write!(text, ", seed {seed}"))?;
        writeln!(text, ", by Hasse {}", header.hasse_version)?;
        match (&self.footer, self.truncated) {
            (Some(footer), _) => writeln!(text, "outcome    {}", footer.outcome)?,
            (None, Some(end)) => {
                writeln!(
                    text,
                    "outcome    none: {}; {} bytes can be read",
                    end.reason, end.n_readable_bytes
                )?;
            }
            (None, None) => writeln!(text, "outcome    none")?,
        }
        let n_executed = self.footer.as_ref().map(|footer| footer.n_executed);
        match n_executed.filter(|n_executed| *n_executed != self.n_events) {
            Some(n_executed) => writeln!(text, "events     {n_executed}, {} recorded", self.n_events)?,
            None => writeln!(text, "events     {}", self.n_events)?,
        }
        if let Some(kept) = &header.kept {
            writeln!(text, "kept       {}", kept.selectors.join(", "))?;
            writeln!(text, "outside    {} as senders", counted(self.n_outside(), "event"))?;
        }
        if header.n_before > 0 {
            writeln!(text, "before     {} are not kept", counted(header.n_before, "event"))?;
        }
        if let Some(n_bytes) = self.n_file_bytes {
            write!(text, "size       {n_bytes} bytes")?;
            self.bytes_per_event().iter().try_for_each(|size| write!(text, ", {size:.2} an event"))?;
            writeln!(text)?;
        }
        let names = self.templates.iter().map(|template| &template.name);
        let names = names.chain(self.objects.iter().map(|(name, _)| name));
        let most = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let widest = |numbers: &mut dyn Iterator<Item = u64>| numbers.max().unwrap_or(0).to_string().len();
        let actions_width = widest(&mut self.templates.iter().map(|template| template.n_actions));
        let events_width = widest(&mut self.templates.iter().map(|template| template.n_events));
        for template in &self.templates {
            let TemplateInfo { name, n_actions, n_events, n_idle_actions, busy_nanos } = template;
            let (actions, events) = (noun(*n_actions, "action"), noun(*n_events, "event"));
            let is_last = *n_idle_actions == 0 && busy_nanos.is_none();
            let events = if is_last { events } else { format!("{events},") };
            let actions = format!("{actions},");
            write!(
                text,
                "  {name:most$}  {n_actions:>actions_width$} {actions:8}  {n_events:>events_width$} {events}"
            )?;
            if *n_idle_actions > 0 {
                write!(text, " {n_idle_actions} never executed")?;
                busy_nanos.iter().try_for_each(|_| write!(text, ","))?;
            }
            if let Some(nanos) = busy_nanos {
                write!(text, " {}.{:03} ms busy", nanos / 1_000_000, nanos / 1000 % 1000)?;
            }
            writeln!(text)?;
        }
        self.objects.iter().try_for_each(|(name, n_objects)| {
            writeln!(text, "  {name:most$}  {}", counted(*n_objects, "shared object"))
        })?;
        for (position, (place, n_values)) in self.dropped.iter().take(MOST_PLACES).enumerate() {
            let heading = if position == 0 { "dropped" } else { "" };
            writeln!(text, "{heading:10} {} at {place}, which was full", counted(*n_values, "value"))?;
        }
        if self.dropped.len() > MOST_PLACES {
            writeln!(text, "{:10} and at {}", "", counted(self.dropped.len() - MOST_PLACES, "more place"))?;
        }
        if !self.edits.is_empty() {
            writeln!(text, "by hand    {}", counted(self.edits.len(), "change"))?;
        }
        self.edits.iter().try_for_each(|edit| writeln!(text, "  {}", edit.text()))
    }

    /// The facts for a program.
    pub fn to_json(&self) -> Json {
        let header = &self.header;
        let params: serde_json::Map<String, Json> =
            header.params.iter().map(|(name, value)| (name.clone(), value_json(value))).collect();
        let template = |template: &TemplateInfo| {
            let mut object = json!({
                "node": template.name,
                "actions": template.n_actions,
                "idle_actions": template.n_idle_actions,
                "events": template.n_events,
            });
            if let Some(nanos) = template.busy_nanos {
                object["busy_nanos"] = nanos.into();
            }
            object
        };
        let object = |(name, n_objects): &(String, u64)| json!({ "name": name, "objects": n_objects });
        let hash = header.program_hash();
        let mut json = json!({
            "program": header.program_path,
            "program_hash": hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "hasse_version": header.hasse_version,
            "mode": header.mode.name(),
            "events_before": header.n_before,
            "workers": header.n_workers,
            "seed": header.seed,
            "params": params,
            "outcome": self.footer.as_ref().map(|footer| &footer.outcome),
            "cut_off": self.truncated.map(|end| json!({
                "reason": end.reason.to_string(),
                "readable_bytes": end.n_readable_bytes,
            })),
            "events": self.n_events,
            "executed": self.footer.as_ref().map(|footer| footer.n_executed),
            "actions": self.templates.iter().map(|template| template.n_actions).sum::<u64>(),
            "nodes": self.templates.iter().map(template).collect::<Vec<_>>(),
            "shared": self.objects.iter().map(object).collect::<Vec<_>>(),
            "dropped": self.dropped.iter().map(|(place, n_values)| json!({ "place": place, "values": n_values })).collect::<Vec<_>>(),
            "edits": self.edits.iter().map(EditInfo::to_json).collect::<Vec<_>>(),
            "bytes": self.n_file_bytes,
            "bytes_per_event": self.bytes_per_event(),
        });
        if let Some(kept) = &header.kept {
            json["kept"] = kept.selectors.clone().into();
            json["events_outside"] = self.n_outside().into();
        }
        json
    }
}
