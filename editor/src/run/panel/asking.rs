//! What is asked about tables, queues, and breakpoints that are typed.

/// A breakpoint that was typed.
pub(super) mod typed;

use hasse_model::id::EventId;

use super::super::host::Request;
use super::super::queue::Queue;
use super::super::table::page::Order;
use crate::views::record::AskedRecord;

use super::RunPanel;

impl RunPanel {
    /// Has the values of events of a record made again; `None` stands for all of them. The answer is among what
    /// [`take_for_views`](Self::take_for_views) returns.
    pub fn ask_values(&mut self, of: AskedRecord, events: Option<Vec<EventId>>) {
        self.host.send(Request::Values { of, events });
    }

    /// Has an event of a record executed alone, with other values for some of its inputs. The answer is among what
    /// [`take_for_views`](Self::take_for_views) returns.
    pub fn execute_alone(&mut self, of: AskedRecord, event: String, inputs: Vec<(String, String)>) {
        self.host.send(Request::Alone { of, event, inputs });
    }

    /// Opens the table of the instances of a node.
    pub fn open_table(&mut self, graph: &str, node: &str) {
        let session = self.facts.as_ref();
        let template = session.and_then(|facts| facts.template_of(graph, node));
        match template {
            Some(template) => self.table.open(template),
            None => self.table.close(),
        }
        self.ask_page();
    }

    /// Sorts the table by a column, or by the same one the other way round.
    pub fn sort_table(&mut self, order: Order) {
        self.table.sort(order);
        self.ask_page();
    }

    /// Shows the rows of the table whose path has a text in it; all for an empty one.
    pub fn filter_table(&mut self, filter: &str) {
        self.table.filter(filter);
        self.ask_page();
    }

    /// Says which rows of the table are seen.
    pub fn show_rows(&mut self, start: usize, n_rows: usize) {
        self.table.show(start, n_rows);
        self.ask_page();
    }

    pub(super) fn ask_page(&mut self) {
        self.table.ask(&mut *self.host);
        self.version += 1;
    }

    /// Looks at what waits at the end of an arc, at this rest and later ones; `None`: no longer.
    pub fn look_at_arc(&mut self, arc: Option<(&str, usize)>) {
        let facts = self.facts.as_ref().filter(|_| self.is_of_program());
        let arc = arc.and_then(|(graph, row)| facts?.arc_of_row(graph, row));
        if self.arc != arc {
            self.arc = arc;
            self.queue = None;
            self.host.send(Request::Queue(arc));
            self.version += 1;
        }
    }

    /// The arc that is looked at, by its text, and what waits at its end, or why that is not known. `None` where no arc
    /// is looked at, or the answer has not come.
    pub fn queue(&self) -> Option<(&str, Result<&Queue, &str>)> {
        let arc = self.facts.as_ref()?.arcs.get(self.arc?)?;
        let found = self.queue.as_ref()?;
        Some((&arc.text, found.as_ref().map_err(String::as_str)))
    }

    /// Sets a breakpoint by a line that a person has typed; what begins with no word of a breakpoint is one that stops.
    pub fn type_breakpoint(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_whole = matches!(first, "stop" | "once" | "when" | "watch");
        let command = if is_whole { line.to_owned() } else { format!("stop {line}") };
        self.ensure_session();
        self.typed_breakpoint.problem.clear();
        self.typed_breakpoint.waiting = Some(command.clone());
        self.typed_breakpoint.replaced = None;
        self.host.send(Request::SetBreakpoint(command));
        self.version += 1;
    }

    /// What has been typed is being mended.
    pub fn edit_breakpoint(&mut self) {
        if !self.typed_breakpoint.problem.is_empty() {
            self.typed_breakpoint.problem.clear();
            self.version += 1;
        }
    }

    /// Why the breakpoint that was typed last is none; empty where it is one, or nobody knows yet.
    pub fn breakpoint_problem(&self) -> &str {
        &self.typed_breakpoint.problem
    }

    /// Number of breakpoints that were typed and are set.
    pub fn n_breakpoints_typed(&self) -> u64 {
        self.typed_breakpoint.n_placed
    }

    /// Takes whether a breakpoint was set; one that nobody has typed is told of with what else could not be done.
    pub(super) fn take_placed(&mut self, command: &str, result: Result<(), String>) {
        let is_typed = self.typed_breakpoint.waiting.as_deref() == Some(command);
        if is_typed {
            self.typed_breakpoint.waiting = None;
        }
        match result {
            Ok(()) if is_typed => {
                self.typed_breakpoint.n_placed += 1;
                if let Some(number) = self.typed_breakpoint.replaced.take() {
                    self.delete_breakpoint(number);
                }
            }
            Ok(()) => {}
            Err(problem) if is_typed => self.typed_breakpoint.problem = problem,
            Err(problem) => self.refuse(problem),
        }
    }
}
