//! Logs for ShiViz: a line of text, and a line with host and vector clock for each event.
//!
//! ShiViz draws a time line for each host and an arrow for each ordering that its clocks tell (Beschastnikh et al.,
//! *Visualizing distributed system executions*, ACM TOSEM 2020). Hosts are actions, or all actions of a template or of
//! a graph instance. ShiViz takes the events of a host to be in the order of their own numbers; where a host stands for
//! several actions, they are put in the order of the export, and the clocks take that as causal order, too: then a
//! diagram orders events of one host that are concurrent. Between hosts, and where hosts are actions, clocks are those of
//! the one causal order. Memory and time: a number for each host in an event's past, for each event whose values are
//! under way. Hosts in the thousands are too many for this form and for ShiViz; restrict, or take templates.

use std::io::Write;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::trace::{Names, TraceHeader};

use super::exporter::{ExportError, Exporter};
use super::wording::{Rules, graph_path, template_name};
use crate::clock::{Clock, Clocks};
use crate::read::Summary;

/// The regular expression that ShiViz is to parse the log with; the one that it offers by itself.
pub const PARSER: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})";

/// What a time line stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Host {
    /// An action.
    #[default]
    Action,
    /// All actions of a template.
    Template,
    /// All actions of a graph instance.
    Graph,
}

/// What has come of a host.
#[derive(Debug)]
struct Known {
    slot: usize,
    n_events: u64,
    clock: Clock,
}

/// Writes the log.
pub struct Shiviz<W> {
    out: W,
    host: Host,
    rules: Rules,
    clocks: Clocks,
    hosts: FxHashMap<String, Known>,
    /// Names of the hosts as JSON, by slot.
    quoted: Vec<String>,
}

impl<W: Write> Shiviz<W> {
    /// Nothing is written yet.
    pub fn new(header: &TraceHeader, host: Host, rules: Rules, out: W) -> Self {
        let clocks = Clocks::of_mode(header.mode);
        Self { out, host, rules, clocks, hosts: FxHashMap::default(), quoted: Vec::new() }
    }
}

impl<W: Write> Exporter for Shiviz<W> {
    fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), ExportError> {
        let name = match self.host {
            Host::Action => names.action(event.id.action).to_string(),
            Host::Template => template_name(event, names),
            Host::Graph => graph_path(event, names),
        };
        let quoted = &mut self.quoted;
        let known = self.hosts.entry(name.clone()).or_insert_with(|| {
            quoted.push(serde_json::Value::from(name.as_str()).to_string());
            Known { slot: quoted.len() - 1, n_events: 0, clock: Clock::default() }
        });
        let mut clock = self.clocks.arrive(event).map_err(ExportError::inconsistent(names))?;
        if self.host != Host::Action {
            clock.merge(&known.clock);
        }
        known.n_events += 1;
        clock.raise(known.slot, known.n_events);
        let out = &mut self.out;
        write!(out, "{}", names.event(event.id))?;
        write!(out, "  {}", one_line(&self.rules.words(event, names)))?;
        for access in &event.shared {
            let verb = match access.access {
                hasse_model::plan::Access::Read => "reads",
                hasse_model::plan::Access::Write => "writes",
            };
            write!(out, "  {verb} {}", names.object(access.object))?;
        }
        write!(out, "  {}", event.outcome.name())?;
        if let Some(error) = &event.error {
            write!(out, ": {}", one_line(error))?;
        }
        write!(out, "\n{name} {{")?;
        let mut separator = "";
        for (slot, host) in self.quoted.iter().enumerate() {
            let number = clock.get(slot);
            if number > 0 {
                write!(out, "{separator}{host}:{number}")?;
                separator = ",";
            }
        }
        writeln!(out, "}}")?;
        if self.host != Host::Action {
            known.clock = clock.clone();
        }
        self.clocks.leave(event, clock);
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

/// Text without line ends, which would end the event's line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
