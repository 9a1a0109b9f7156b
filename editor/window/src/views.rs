//! The record of the last run in three linked views, its playback, and findings.

/// What a person does.
mod connect;
/// Checks, races and models.
mod findings;
/// Menus at the pointer.
mod menu;
/// What the session tells, and records of files.
mod records;
/// Searching the history.
mod search;
/// What is shown.
mod show;

pub(crate) use connect::connect;
pub(crate) use menu::ViewItem;
pub(crate) use show::{picture, text_item};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hasse_editor::marks::Marks;
use hasse_editor::state::Status as Said;
use hasse_editor::target::Target;
use hasse_editor::views::chart::ChartOptions;
use hasse_editor::views::elaborated::ElaboratedView;
use hasse_editor::views::lanes::{Axis, LanesBy};
use hasse_editor::views::preview::PreviewSource;
use hasse_editor::views::record::Fact;
use hasse_editor::views::state::{Page, Views};
use hasse_ui::{EditorWindow, Findings as UiFindings, LineOfList, TextItem, Views as UiViews};
use slint::{ComponentHandle, SharedString};

use crate::command::panel;
use crate::models::{Rows, model};
use crate::studio::Studio;
use findings::Asking;
use records::Source;

/// What has lanes, and what places say, of the buttons above the event history.
const HISTORY_ORDERS: [(&str, LanesBy, Axis); 4] = [
    ("Actions by order", LanesBy::Action, Axis::Order),
    ("Actions by level", LanesBy::Action, Axis::Level),
    ("Templates by order", LanesBy::Template, Axis::Order),
    ("Workers by order", LanesBy::Worker, Axis::Order),
];
/// The same of the time-line.
const TIMELINE_KINDS: [(&str, LanesBy); 3] =
    [("By worker", LanesBy::Worker), ("By action", LanesBy::Action), ("By template", LanesBy::Template)];
/// How far a turn of the wheel moves, in pixels for a pixel of the wheel.
const ZOOM_STEP: f64 = 1.0015;
/// Events a second that the playback goes through in its slowest and fastest speed.
const SPEEDS: (f64, f64) = (0.5, 1_000_000.0);

/// A place in a picture, in logical pixels.
type At = (f64, f64);

/// A picture of the lower panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    History,
    Elaborated,
    Timeline,
}

/// The number of the picture below the time-line, which moves with it.
const UTILIZATION: i32 = 3;

impl Which {
    fn of(number: i32) -> Option<Self> {
        [Self::History, Self::Elaborated, Self::Timeline, Self::Timeline]
            .get(usize::try_from(number).ok()?)
            .copied()
    }

    fn of_panel(panel: i32) -> Option<Self> {
        Self::of(panel - panel::HISTORY).filter(|_| panel <= panel::TIMELINE)
    }
}

/// The views and what the window keeps for them.
pub(crate) struct Viewing {
    pub(crate) views: Views,
    history_texts: Rows<TextItem>,
    elaborated_texts: Rows<TextItem>,
    timeline_texts: Rows<TextItem>,
    utilization_texts: Rows<TextItem>,
    concurrency_texts: Rows<TextItem>,
    facts: Rows<LineOfList>,
    figures: Rows<LineOfList>,
    asking: Asking,
    source: Source,
    /// The node whose instance was clicked in the preview.
    picked: Option<Target>,
    /// Program and parameters that the preview knows: how many were opened before it, its revision, and texts by name.
    previewed: Option<(u64, u64, BTreeMap<String, String>)>,
    /// The lines about the selected event.
    shown_facts: Vec<Fact>,
    /// Of the pictures, and of what stands below the time-line.
    sizes: [(usize, usize); 4],
    /// Where the mouse went down, and where it was last, in which picture.
    pressed: Option<(Which, At, At)>,
    /// The picture whose menu was opened last.
    menu_of: Which,
    order: usize,
    kind: usize,
    is_looping: bool,
    /// True while the history was clicked last, or its tab.
    is_history_used: bool,
    has_search: bool,
    /// Number of times that the field of the search was asked for.
    search_asked: i32,
    shown: Option<(u64, Vec<i32>, bool)>,
}

impl Viewing {
    pub(crate) fn new(window: &EditorWindow, views: Views) -> Self {
        let viewing = Self {
            views,
            history_texts: Rows::new(),
            elaborated_texts: Rows::new(),
            timeline_texts: Rows::new(),
            utilization_texts: Rows::new(),
            concurrency_texts: Rows::new(),
            facts: Rows::new(),
            figures: Rows::new(),
            asking: Asking::new(),
            source: Source::default(),
            picked: None,
            previewed: None,
            shown_facts: Vec::new(),
            sizes: [(0, 0); 4],
            pressed: None,
            menu_of: Which::History,
            order: 0,
            kind: 0,
            is_looping: false,
            is_history_used: false,
            has_search: false,
            search_asked: 0,
            shown: None,
        };
        let ui = window.global::<UiViews>();
        ui.set_facts(viewing.facts.model());
        ui.set_figures(viewing.figures.model());
        ui.set_history_orders(model(HISTORY_ORDERS.iter().map(|(name, ..)| SharedString::from(*name))));
        ui.set_timeline_kinds(model(TIMELINE_KINDS.iter().map(|(name, _)| SharedString::from(*name))));
        window.global::<UiFindings>().set_lines(viewing.asking.lines());
        viewing
    }

    /// Forgets the record, as another program is open.
    pub(crate) fn leave_program(&mut self) {
        self.views.leave_program();
        self.source = Source::default();
        self.asking.leave_program();
        self.picked = None;
        self.previewed = None;
        self.shown = None;
    }

    /// Shows all of it anew.
    pub(crate) fn forget_shown(&mut self) {
        self.shown = None;
    }

    fn page(&mut self) -> Option<&mut Page> {
        self.views.page_mut()
    }

    /// The elaborated graph that is shown: of the record, or before a run.
    fn elaborated(&mut self) -> Option<&mut ElaboratedView> {
        if self.views.is_previewing() {
            return Some(&mut self.views.preview_mut().view);
        }
        self.views.page_mut().map(|page| &mut page.elaborated)
    }

    fn apply_options(&mut self) {
        let (_, by, axis) = HISTORY_ORDERS[self.order];
        let (_, lanes) = TIMELINE_KINDS[self.kind];
        let overlay = self.views.overlay().clone();
        if let Some(page) = self.views.page_mut() {
            page.history.set_options(ChartOptions { by, axis, hides_others: true }, &overlay);
            // Without times, places are levels, as they are for the curve below.
            let axis = if page.record.is_timed() { Axis::Time } else { Axis::Level };
            page.timeline.set_options(ChartOptions { by: lanes, axis, hides_others: false }, &overlay);
        }
    }

    fn apply_sizes(&mut self) {
        let sizes = self.sizes;
        self.views.preview_mut().view.set_size(sizes[1].0, sizes[1].1);
        if let Some(page) = self.views.page_mut() {
            page.history.set_size(sizes[0].0, sizes[0].1);
            page.elaborated.set_size(sizes[1].0, sizes[1].1);
            page.timeline.set_size(sizes[2].0, sizes[2].1);
        }
    }

    fn pan(&mut self, which: Which, dx: f64, dy: f64) {
        match (which, self.views.page_mut()) {
            (Which::Elaborated, _) => self.elaborated().into_iter().for_each(|view| view.pan(dx, dy)),
            (Which::History, Some(page)) => page.history.pan(dx, dy),
            (Which::Timeline, Some(page)) => page.timeline.pan(dx, dy),
            (Which::History | Which::Timeline, None) => {}
        }
    }

    fn hover(&mut self, which: Which, at: Option<(f64, f64)>) {
        match (which, self.views.page_mut()) {
            (Which::Elaborated, _) => drop(self.elaborated().map(|view| view.hover(at))),
            (Which::History, Some(page)) => drop(page.history.hover(at)),
            (Which::Timeline, Some(page)) => drop(page.timeline.hover(at)),
            (Which::History | Which::Timeline, None) => {}
        }
    }

    fn fit(&mut self, which: Which) {
        match (which, self.views.page_mut()) {
            (Which::Elaborated, _) => self.elaborated().into_iter().for_each(ElaboratedView::fit),
            (Which::History, Some(page)) => page.history.fit(),
            (Which::Timeline, Some(page)) => page.timeline.fit(),
            (Which::History | Which::Timeline, None) => {}
        }
    }

    fn click(&mut self, which: Which, at: (f64, f64), is_control: bool) {
        if which == Which::Elaborated && self.views.is_previewing() {
            self.picked = self.views.preview().target_at(at.0, at.1);
            return;
        }
        if is_control {
            match which {
                Which::History => self.views.restrict_at_history(at.0, at.1),
                Which::Elaborated => self.views.restrict_at_elaborated(at.0, at.1),
                Which::Timeline => self.views.restrict_at_timeline(at.0, at.1),
            };
            return;
        }
        match which {
            Which::History => self.views.click_history(at.0, at.1),
            Which::Elaborated => self.views.click_elaborated(at.0, at.1),
            Which::Timeline => self.views.click_timeline(at.0, at.1),
        };
    }

    fn pointer(&mut self, which: Which, kind: &str, at: (f64, f64), is_control: bool) {
        match (kind, self.pressed) {
            ("down", _) => self.pressed = Some((which, at, at)),
            ("move", Some((held, from, last))) if held == which => {
                self.pan(which, at.0 - last.0, at.1 - last.1);
                self.pressed = Some((held, from, at));
            }
            ("move", _) => self.hover(which, Some(at)),
            ("up", Some((held, from, _))) if held == which => {
                self.pressed = None;
                // A way of a few pixels is a click, not a drag.
                if (at.0 - from.0).abs() + (at.1 - from.1).abs() < 5.0 {
                    self.click(which, at, is_control);
                }
            }
            ("double", _) => self.fit(which),
            _ => {
                self.pressed = None;
                self.hover(which, None);
            }
        }
    }

    fn wheel(&mut self, which: Which, at: (f64, f64), by: (f64, f64), is_shift: bool, is_control: bool) {
        if is_shift || by.0 != 0.0 {
            self.pan(which, by.0 + if is_shift { by.1 } else { 0.0 }, 0.0);
            return;
        }
        let factor = ZOOM_STEP.powf(by.1);
        if which == Which::Elaborated {
            return self.elaborated().into_iter().for_each(|view| view.zoom(at.0, at.1, factor));
        }
        let Some(page) = self.page() else { return };
        let chart = match which {
            Which::Elaborated | Which::History => &mut page.history,
            Which::Timeline => &mut page.timeline,
        };
        if is_control {
            chart.zoom_y(at.1, factor);
        } else {
            chart.zoom_x(at.0, factor);
        }
    }

    /// Whether the playback begins again at the end.
    pub(crate) fn is_looping(&self) -> bool {
        self.is_looping
    }

    /// Moves the playback, or shows all of a picture.
    pub(crate) fn act(&mut self, name: &str) {
        match name {
            "play" => self.views.play(|player| {
                if player.is_at_end() && !player.is_playing() {
                    player.seek(0);
                }
                player.toggle();
            }),
            "follow" => self.views.play(|player| player.set_follows(!player.follows())),
            "cancel" => self.views.cancel(),
            "path" => self.views.set_shows_path(!self.views.shows_path()),
            "first" => self.views.play(|player| player.seek(0)),
            "last" => self.views.play(|player| player.seek(player.n_events())),
            "forward" => self.views.play(|player| player.step(1)),
            "backward" => self.views.play(|player| player.step(-1)),
            "level-forward" => self.views.play(|player| player.step_level(true)),
            "level-backward" => self.views.play(|player| player.step_level(false)),
            "slower" => self.views.play(|player| player.set_speed((player.speed() / 2.0).max(SPEEDS.0))),
            "faster" => self.views.play(|player| player.set_speed((player.speed() * 2.0).min(SPEEDS.1))),
            "loop" => {
                self.is_looping = !self.is_looping;
                let loops = self.is_looping;
                self.views.play(|player| player.set_loops(loops));
            }
            "fit-history" => self.fit(Which::History),
            "fit-elaborated" => self.fit(Which::Elaborated),
            "fit-timeline" => self.fit(Which::Timeline),
            "preview" => {
                let is_on = self.views.is_previewing();
                self.views.set_prefers_preview(!is_on);
                self.shown = None;
            }
            _ => {}
        }
    }
}

impl Studio {
    /// What runs and records show on a graph, together.
    pub(crate) fn marks_of(&self, graph: &str) -> Marks {
        let views = &self.viewing.views;
        let mut marks = self.running.as_ref().map(|running| running.panel.marks(graph)).unwrap_or_default();
        let is_under_way = self.running.as_ref().is_some_and(|running| running.panel.state().is_under_way());
        let is_back = views.page().is_some_and(|page| !page.player.is_at_end() || page.player.is_playing());
        // Of a run that is over, and of one under way where somebody looks back, what the playback shows.
        let shows_playback = !is_under_way || views.is_live() && is_back;
        // The run's state is that of its end: it would be wrong at any earlier moment.
        if shows_playback && is_back {
            marks.clear_run();
        }
        let own = views.marks(graph);
        for (name, seen) in own.nodes {
            let held = marks.nodes.entry(name).or_default();
            held.check = seen.check;
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            if shows_playback {
                held.state = seen.state.or(held.state);
                held.n_events = seen.n_events.or(held.n_events);
                if held.note.is_empty() || is_under_way {
                    held.note = seen.note;
                }
            } else {
                held.n_events = held.n_events.or(seen.n_events);
            }
            if shows_playback && !seen.dots.is_empty() {
                held.dots = seen.dots;
                held.n_more = seen.n_more;
            }
        }
        let is_of_run = self.running.as_ref().is_some_and(|running| running.record().is_none());
        // Rows of arcs of another text are others.
        let is_of_program = views.is_of_program(self.editor.document().text());
        for (key, seen) in own.links.into_iter().filter(|_| is_of_program) {
            let held = marks.links.entry(key).or_default();
            held.check = seen.check;
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            // A record has the values that were taken. What else waits is known from the run.
            let n_waiting = held.n_queued.filter(|_| is_of_run).unwrap_or(0);
            let n_untaken = n_waiting.saturating_sub(seen.n_queued.unwrap_or(0));
            if shows_playback {
                held.n_queued = seen.n_queued.map(|n_queued| n_queued + n_untaken).or(held.n_queued);
                held.n_passed = seen.n_passed.map(|n_passed| n_passed + n_untaken).or(held.n_passed);
                held.pulse = seen.pulse.or(held.pulse);
            } else {
                held.n_queued = held.n_queued.or(seen.n_queued);
                held.n_passed = held.n_passed.or(seen.n_passed.map(|n_passed| n_passed + n_untaken));
            }
        }
        marks
    }

    /// Selects in the views what is selected on the picture.
    pub(crate) fn select_in_views(&mut self) {
        let selection = self.editor.selection().clone();
        let graph = self.editor.graph().to_owned();
        let views = &mut self.viewing.views;
        match (selection.nodes.len(), selection.links.len()) {
            (1, 0) => selection.nodes.first().is_some_and(|node| views.click_node(&graph, node)),
            (0, 1) => selection.links.first().is_some_and(|(_, row)| views.click_arc(&graph, *row)),
            _ => false,
        };
    }

    /// Restricts the views to what is selected on the picture, or shows all again.
    fn restrict_views(&mut self) {
        let views = &mut self.viewing.views;
        if !views.chosen().is_empty() {
            views.restrict_to(BTreeSet::new());
            return;
        }
        let nodes = self.editor.selection().nodes.clone();
        if nodes.is_empty() {
            let text = "Select the nodes that the display is to be restricted to.".to_owned();
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        }
        views.restrict_to_nodes(self.editor.graph(), &nodes);
    }

    /// Shows the elaborated graph as it may come to be in a run, or again that of the record.
    pub(crate) fn toggle_preview(&mut self) {
        let is_shown = self.is_panel_shown(panel::ELABORATED);
        let is_on = is_shown && self.viewing.views.is_previewing() && self.viewing.views.page().is_some();
        self.viewing.views.set_prefers_preview(!is_on);
        if !is_shown {
            self.show_panel(panel::ELABORATED);
        }
    }

    /// Tells the preview of the program and the parameters of the run form, and what is selected on the picture.
    fn tell_preview(&mut self, is_seen: bool) {
        let is_seen = is_seen && self.viewing.views.is_previewing();
        if is_seen {
            let options = self.running.as_ref().map(|running| running.panel.options());
            let params = options.map(|options| options.params.clone()).unwrap_or_default();
            let known = (self.editor.n_opened(), self.editor.document().revision(), params);
            if self.viewing.previewed.as_ref() != Some(&known) {
                let text = Arc::from(self.editor.document().text());
                let source = PreviewSource { text, params: known.2.clone() };
                self.viewing.previewed = Some(known);
                self.viewing.views.preview_mut().set_source(source);
            }
            let nodes: Vec<&str> = self.editor.selection().nodes.iter().map(String::as_str).collect();
            self.viewing.views.preview_mut().mark(self.editor.graph(), &nodes);
        }
        self.viewing.views.preview_mut().set_shown(is_seen);
    }
}
