//! Restricting the display, looking for faults, and measuring.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_compiler::GraphOutline;

use super::Views;
use crate::views::findings;
use crate::views::findings::Query;
use crate::views::findings::finding::Finding;
use crate::views::models::draft;
use crate::views::restrict::restrict;
use crate::views::select::Selection;
use crate::views::task::Task;
use crate::views::timeline::{Performance, measured};

impl Views {
    /// Restricts the display to the instances of nodes of a graph, by name; without names, shows everything. The orderings
    /// come from a thread; until then the others are faint already.
    pub fn restrict_to_nodes(&mut self, graph: &str, nodes: &BTreeSet<String>) {
        let Some(page) = &self.page else { return };
        let record = &page.record;
        let instances = (0..).zip(record.instances()).filter(|(_, instance)| {
            let node = record.program().node_in(graph, instance.template, instance.id, record.names());
            node.is_some_and(|node| nodes.contains(node))
        });
        let chosen = instances.map(|(at, _)| at).collect();
        self.restrict_to(chosen);
    }

    /// Restricts the display to instances, by position; to none of them: shows everything.
    pub fn restrict_to(&mut self, chosen: BTreeSet<u32>) {
        let Some(page) = &mut self.page else { return };
        let n_instances = page.record.instances().len() as u32;
        self.chosen = chosen;
        self.overlay.restricted = None;
        self.restricting = None;
        self.overlay.kept = (!self.chosen.is_empty())
            .then(|| Arc::new((0..n_instances).map(|at| self.chosen.contains(&at)).collect()));
        if let (false, Some(source)) = (self.chosen.is_empty(), &self.source) {
            let (source, record) = (source.clone(), Arc::clone(&page.record));
            self.restricting = Some(restrict(source, record, self.chosen.clone(), Arc::clone(&self.wake)));
        }
        page.history.set_restriction(&self.overlay);
        page.timeline.set_restriction(&self.overlay);
        self.version += 1;
    }

    /// Adds an instance to those that the display is restricted to, or takes it away.
    pub fn toggle_instance(&mut self, instance: u32) {
        let mut chosen = self.chosen.clone();
        if !chosen.remove(&instance) {
            chosen.insert(instance);
        }
        self.restrict_to(chosen);
    }

    /// The instances that the display is restricted to; none where it shows everything.
    pub fn chosen(&self) -> &BTreeSet<u32> {
        &self.chosen
    }

    /// Looks for these in the record, in the background; findings so far stay until there are new ones.
    pub fn look_for(&mut self, queries: Vec<Query>) {
        self.queries = queries;
        self.look_again();
    }

    /// Looks for one more, whose finding is selected once it is there.
    pub fn look_for_one(&mut self, query: Query) {
        let known = self.queries.iter().position(|known| *known == query);
        self.wanted_query = Some(known.unwrap_or(self.queries.len()));
        if known.is_none() {
            self.queries.push(query);
        }
        self.look_again();
    }

    /// Looks for the same again, and for the models drawn. Where there is no record to look in, that is what is found.
    pub fn look_again(&mut self) {
        let queries: Vec<Query> = self.queries.iter().cloned().chain(self.models.queries()).collect();
        self.version += 1;
        self.looking = None;
        let reason = match (&self.page, &self.source) {
            _ if queries.is_empty() => "",
            (Some(page), Some(source)) => {
                let record = Arc::clone(&page.record);
                self.looking = Some(findings::find(source.clone(), record, queries, Arc::clone(&self.wake)));
                return;
            }
            (Some(_), None) if self.is_live() => "the run goes on: this is checked when it is over",
            (Some(_), None) => "the record of this run was not kept",
            (None, _) => "there is no record to be checked: run the program, or open a record",
        };
        let unknown = |(at, query): (usize, &Query)| Finding::unknown(at, query.title(), reason.to_owned());
        self.take_findings(queries.iter().enumerate().map(unknown).collect());
    }

    /// Takes findings up; the one of the query that was selected stays selected.
    fn take_findings(&mut self, findings: Vec<Finding>) {
        let known = self.selected_finding.and_then(|at| self.findings.get(at)).map(|found| found.query);
        let wanted = self.wanted_query.take();
        let query = wanted.or(known);
        self.findings = findings;
        let selected = self.findings.iter().position(|found| Some(found.query) == query);
        if let Some(selected) = selected.filter(|_| wanted.is_some()) {
            return self.select_finding(selected, None);
        }
        self.selected_finding = selected;
        let events = selected.and_then(|at| self.findings.get(at)).map(Finding::events);
        self.overlay.found = Arc::new(events.unwrap_or_default());
    }

    /// Position of the query whose finding is selected, models behind all others.
    pub fn selected_query(&self) -> Option<usize> {
        let selected = self.selected_finding.and_then(|at| self.findings.get(at));
        self.wanted_query.or(selected.map(|found| found.query))
    }

    /// Position of the model whose finding is selected.
    pub fn selected_model(&self) -> Option<usize> {
        let model = self.selected_query()?.checked_sub(self.queries.len())?;
        (model < self.models.texts().len()).then_some(model)
    }

    /// Looks no longer for what is selected; whether something was.
    pub fn remove_query(&mut self) -> bool {
        let Some(query) = self.selected_query() else { return false };
        self.selected_finding = None;
        self.wanted_query = None;
        match query.checked_sub(self.queries.len()) {
            None => drop(self.queries.remove(query)),
            Some(model) => self.models.remove(model),
        }
        // What is left has other numbers.
        self.findings.retain(|found| found.query != query);
        for found in &mut self.findings {
            found.query -= usize::from(found.query > query);
        }
        self.look_again();
        true
    }

    /// Adds the model of nodes and arcs that are selected in a graph, and looks for it; gives what of the selection is not
    /// part of it, in words.
    pub fn draw_model(
        &mut self,
        graph: &GraphOutline,
        nodes: &BTreeSet<String>,
        rows: &BTreeSet<usize>,
    ) -> Vec<String> {
        let draft = draft(&self.models.unused_name(), graph, nodes, rows);
        self.wanted_query = Some(self.queries.len() + self.models.add(draft.text));
        self.look_again();
        draft.notes
    }

    /// Takes another text for a model, and looks for it.
    ///
    /// # Errors
    /// The text, or that of all models together, cannot be read; what was there stays.
    pub fn set_model(&mut self, at: usize, text: &str) -> Result<(), String> {
        if let Some(fault) = self.models.fault_with(at, text) {
            return Err(fault);
        }
        self.models.set(at, text.to_owned());
        self.wanted_query = Some(self.queries.len() + at);
        self.look_again();
        Ok(())
    }

    /// What is looked for, without models.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// Whether findings are being looked for.
    pub fn is_looking(&self) -> bool {
        self.looking.is_some()
    }

    /// What was found, in the order of the queries, models last.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The finding whose evidence is shown.
    pub fn selected_finding(&self) -> Option<usize> {
        self.selected_finding
    }

    /// Shows the evidence of a finding in all views: all of it, or one line.
    pub fn select_finding(&mut self, finding: usize, line: Option<usize>) {
        let Some(found) = self.findings.get(finding) else { return };
        let events = match line.and_then(|line| found.evidence.get(line)) {
            Some(evidence) => evidence.events.iter().copied().collect(),
            None => found.events(),
        };
        self.selection = Selection::Nothing;
        self.relate();
        let first = events.first().copied();
        self.overlay.found = Arc::new(events);
        self.selected_finding = Some(finding);
        if let Some(event) = first {
            self.reveal(Selection::Event(event));
        }
        self.version += 1;
    }

    /// Measures where the time went, in the background.
    pub fn measure(&mut self) {
        let Some((page, source)) = self.page.as_ref().zip(self.source.clone()) else { return };
        self.measuring = Some(measured(source, Arc::clone(&page.record), Arc::clone(&self.wake)));
        self.version += 1;
    }

    /// Where the time went, once it has been measured.
    pub fn performance(&self) -> Option<&Performance> {
        self.performance.as_ref()
    }

    /// Whether the critical path is highlighted.
    pub fn shows_path(&self) -> bool {
        self.shows_path
    }

    /// Sets whether the critical path is highlighted, once it has been measured.
    pub fn set_shows_path(&mut self, shows_path: bool) {
        self.shows_path = shows_path;
        let path = self.performance.as_ref().filter(|_| shows_path).map(|known| Arc::clone(&known.path));
        self.overlay.path = path.unwrap_or_default();
        self.version += 1;
    }

    /// Takes up what threads have found.
    pub(super) fn poll_looking(&mut self) {
        if let Some(result) = taken(&mut self.restricting) {
            match result {
                Some(Ok(restriction)) => self.overlay.restricted = Some(Arc::new(restriction)),
                Some(Err(error)) => self.message = Some(format!("cannot restrict: {error}")),
                None => self.message = Some("restricting has failed".to_owned()),
            }
            self.version += 1;
        }
        if let Some(result) = taken(&mut self.looking) {
            match result {
                Some(Ok(findings)) => self.take_findings(findings),
                Some(Err(error)) => self.message = Some(format!("cannot check: {error}")),
                None => self.message = Some("checking has failed".to_owned()),
            }
            self.version += 1;
        }
        if let Some(result) = taken(&mut self.measuring) {
            match result {
                Some(Ok(performance)) => self.performance = Some(performance),
                Some(Err(error)) => self.message = Some(format!("cannot measure: {error}")),
                None => self.message = Some("measuring has failed".to_owned()),
            }
            self.set_shows_path(self.shows_path);
        }
    }
}

/// The result of a task that has ended; its inner `None` is for one that was lost.
fn taken<T: Send + 'static>(task: &mut Option<Task<T>>) -> Option<Option<T>> {
    let running = task.as_ref()?;
    let result = running.poll();
    if result.is_none() && !running.is_lost() {
        return None;
    }
    *task = None;
    Some(result)
}
