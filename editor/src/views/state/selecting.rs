//! Selecting in one view, and seeing it in all of them.

use std::sync::Arc;

use super::Views;
use crate::views::chart::Chart;
use crate::views::elaborated::graph::Thing;
use crate::views::lanes::LanesBy;
use crate::views::record::Fact;
use crate::views::select::{Related, Selection};

impl Views {
    /// What is selected.
    pub fn selection(&self) -> Selection {
        self.selection
    }

    /// Selects something in all views, and moves them so that it is seen.
    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
        self.selected_finding = None;
        self.overlay.found = Arc::default();
        self.relate();
        self.reveal(selection);
    }

    /// Selects nothing where a node or an arc of the program was selected: on the picture it no longer is.
    pub fn unselect_program(&mut self) {
        if matches!(self.selection, Selection::Template(_) | Selection::Arc(_)) {
            self.select(Selection::Nothing);
        }
    }

    pub(super) fn relate(&mut self) {
        let record = self.page.as_ref().map(|page| Arc::clone(&page.record));
        let related = record.map_or_else(Related::default, |record| Related::of(&record, self.selection));
        self.overlay.related = Arc::new(related);
        self.version += 1;
    }

    pub(super) fn reveal(&mut self, selection: Selection) {
        let Some(page) = &mut self.page else { return };
        let instance = match selection {
            Selection::Event(event) if event < page.record.n_events() => {
                page.history.reveal(event);
                page.timeline.reveal(event);
                Some(page.record.instance_of(event))
            }
            Selection::Action(instance) => {
                if let Some(&first) = page.record.events_of(instance).first() {
                    page.history.reveal(first);
                }
                Some(instance)
            }
            Selection::Nothing | Selection::Event(_) | Selection::Template(_) | Selection::Arc(_) => None,
        };
        if let Some(instance) = instance
            && !page.elaborated.turn_to(instance)
        {
            page.elaborated.reveal(instance);
        }
    }

    /// Selects the event at a point of the event history; whether there is one.
    pub fn click_history(&mut self, x: f64, y: f64) -> bool {
        let hit = self.page.as_ref().and_then(|page| page.history.hit(x, y));
        self.pick(hit.map(Selection::Event))
    }

    /// Selects the event at a point of the time-line; whether there is one.
    pub fn click_timeline(&mut self, x: f64, y: f64) -> bool {
        let hit = self.page.as_ref().and_then(|page| page.timeline.hit(x, y));
        self.pick(hit.map(Selection::Event))
    }

    /// Selects the instance at a point of the elaborated graph, or the arc of a line there; whether there is one.
    pub fn click_elaborated(&mut self, x: f64, y: f64) -> bool {
        let selection = self.page.as_ref().and_then(|page| {
            let view = &page.elaborated;
            if let Some(hit) = view.hit(x, y) {
                return match view.graph().boxes[hit].thing {
                    Thing::Action(instance) => Some(Selection::Action(instance)),
                    Thing::Object(_) => None,
                };
            }
            let line = view.hit_line(x, y)?;
            view.graph().lines[line].arcs.last().map(|&arc| Selection::Arc(arc))
        });
        self.pick(selection)
    }

    /// Selects a node of the program by graph and name; whether it has executed. A call is none.
    pub fn click_node(&mut self, graph: &str, node: &str) -> bool {
        let template = self.page.as_ref().and_then(|page| {
            let templates = page.record.program().templates();
            templates.iter().position(|known| known.graph == graph && known.node == node)
        });
        self.pick(template.map(|template| Selection::Template(template as u32)))
    }

    /// Selects an arc of the program by graph and row; whether the program has it.
    pub fn click_arc(&mut self, graph: &str, row: usize) -> bool {
        let arc = self.page.as_ref().and_then(|page| {
            let arcs = page.record.program().arcs();
            arcs.iter().position(|known| known.graph == graph && known.row == row)
        });
        self.pick(arc.map(|arc| Selection::Arc(arc as u32)))
    }

    /// Adds the instance at a point of the event history to those that the display is restricted to, or takes it away;
    /// whether there is one.
    pub fn restrict_at_history(&mut self, x: f64, y: f64) -> bool {
        let instance = self.page.as_ref().and_then(|page| instance_at(&page.history, x, y));
        self.toggle(instance)
    }

    /// The same of the time-line.
    pub fn restrict_at_timeline(&mut self, x: f64, y: f64) -> bool {
        let instance = self.page.as_ref().and_then(|page| instance_at(&page.timeline, x, y));
        self.toggle(instance)
    }

    /// The same of the elaborated graph.
    pub fn restrict_at_elaborated(&mut self, x: f64, y: f64) -> bool {
        let instance = self.page.as_ref().and_then(|page| {
            let hit = page.elaborated.hit(x, y)?;
            match page.elaborated.graph().boxes[hit].thing {
                Thing::Action(instance) => Some(instance),
                Thing::Object(_) => None,
            }
        });
        self.toggle(instance)
    }

    fn toggle(&mut self, instance: Option<u32>) -> bool {
        instance.into_iter().for_each(|instance| self.toggle_instance(instance));
        instance.is_some()
    }

    fn pick(&mut self, selection: Option<Selection>) -> bool {
        self.select(selection.unwrap_or_default());
        selection.is_some()
    }

    /// What is known of the event selected; of an instance, of its last event; nothing for others.
    pub fn facts(&self) -> Vec<Fact> {
        let (Some(page), Some(event)) = (&self.page, self.selected_event()) else { return Vec::new() };
        page.record.facts(event, self.values())
    }

    /// The instance that is selected, or that of the selected event.
    pub fn selected_instance(&self) -> Option<u32> {
        match self.selection {
            Selection::Action(instance) => Some(instance),
            Selection::Event(event) => Some(self.page.as_ref()?.record.instance_of(event)),
            Selection::Nothing | Selection::Template(_) | Selection::Arc(_) => None,
        }
    }

    /// The event that is selected, or the last one of an instance that is.
    pub fn selected_event(&self) -> Option<u32> {
        match self.selection {
            Selection::Event(event) => Some(event),
            Selection::Action(instance) => self.page.as_ref()?.record.events_of(instance).last().copied(),
            Selection::Nothing | Selection::Template(_) | Selection::Arc(_) => None,
        }
    }
}

/// The instance of the event at a point, or of the lane, where lanes are of instances.
fn instance_at(chart: &Chart, x: f64, y: f64) -> Option<u32> {
    let event = chart.hit(x, y).map(|event| chart.record().instance_of(event));
    event.or_else(|| {
        let lane = chart.lane_at(y).filter(|_| chart.lanes().by() == LanesBy::Action)?;
        chart.lanes().key(lane)
    })
}
