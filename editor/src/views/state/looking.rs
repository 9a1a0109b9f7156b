//! Restricting the display, looking for faults, and measuring.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Finding, Performance, Query, Task, Views, findings, measured, restrict};
use crate::views::select::Selection;

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

    /// Looks for the same again, and for the models drawn.
    pub fn look_again(&mut self) {
        let Some((page, source)) = self.page.as_ref().zip(self.source.clone()) else { return };
        let queries = self.queries.iter().cloned().chain(self.models.queries()).collect();
        let record = Arc::clone(&page.record);
        self.looking = Some(findings::find(source, record, queries, Arc::clone(&self.wake)));
        self.version += 1;
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
                Some(Ok(findings)) => self.findings = findings,
                Some(Err(error)) => self.message = Some(format!("cannot check: {error}")),
                None => self.message = Some("checking has failed".to_owned()),
            }
            self.selected_finding = None;
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
