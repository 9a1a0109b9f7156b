//! The views, their playback, and what the window keeps for them.

use std::collections::BTreeMap;

use hasse_editor::target::Target;
use hasse_editor::views::chart::ChartOptions;
use hasse_editor::views::elaborated::ElaboratedView;
use hasse_editor::views::lanes::{Axis, LanesBy};
use hasse_editor::views::record::Fact;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::{Page, Views};
use hasse_ui::{EditorWindow, Findings as UiFindings, LineOfList, TextItem, Views as UiViews};
use slint::{ComponentHandle, SharedString};

use super::findings::list::Asking;
use super::records::source::Source;
use crate::command::panel;
use crate::models::{Rows, model};

/// What has lanes, and what places say, of the buttons above the event history.
pub(super) const HISTORY_ORDERS: [(&str, LanesBy, Axis); 4] = [
    ("Actions by order", LanesBy::Action, Axis::Order),
    ("Actions by level", LanesBy::Action, Axis::Level),
    ("Templates by order", LanesBy::Template, Axis::Order),
    ("Workers by order", LanesBy::Worker, Axis::Order),
];

/// The same of the time-line.
pub(super) const TIMELINE_KINDS: [(&str, LanesBy); 3] =
    [("By worker", LanesBy::Worker), ("By action", LanesBy::Action), ("By template", LanesBy::Template)];

/// How far a turn of the wheel moves, in pixels for a pixel of the wheel.
const ZOOM_STEP: f64 = 1.0015;

/// Events a second that the playback goes through in its slowest and fastest speed.
const SPEEDS: (f64, f64) = (0.5, 1_000_000.0);

/// A place in a picture, in logical pixels.
type At = (f64, f64);

/// A picture of the lower panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    History,
    Elaborated,
    Timeline,
}

/// The number of the picture below the time-line, which moves with it.
pub(super) const UTILIZATION: i32 = 3;

impl Which {
    pub(super) fn of(number: i32) -> Option<Self> {
        [Self::History, Self::Elaborated, Self::Timeline, Self::Timeline]
            .get(usize::try_from(number).ok()?)
            .copied()
    }

    pub(super) fn of_panel(panel: i32) -> Option<Self> {
        Self::of(panel - panel::HISTORY).filter(|_| panel <= panel::TIMELINE)
    }
}

/// The views and what the window keeps for them.
pub(crate) struct Viewing {
    pub(crate) views: Views,
    pub(super) history_texts: Rows<TextItem>,
    pub(super) elaborated_texts: Rows<TextItem>,
    pub(super) timeline_texts: Rows<TextItem>,
    pub(super) utilization_texts: Rows<TextItem>,
    pub(super) concurrency_texts: Rows<TextItem>,
    pub(super) facts: Rows<LineOfList>,
    pub(super) figures: Rows<LineOfList>,
    pub(super) asking: Asking,
    pub(super) source: Source,
    /// The node whose instance was clicked in the preview.
    pub(super) picked: Option<Target>,
    /// Program and parameters that the preview knows: how many were opened before it, its revision, and texts by name.
    pub(super) previewed: Option<(u64, u64, BTreeMap<String, String>)>,
    /// The lines about the selected event.
    pub(super) shown_facts: Vec<Fact>,
    /// Of the pictures, and of what stands below the time-line.
    pub(super) sizes: [(usize, usize); 4],
    /// Where the mouse went down, and where it was last, in which picture.
    pub(super) pressed: Option<(Which, At, At)>,
    /// The picture whose menu was opened last.
    pub(super) menu_of: Which,
    pub(super) order: usize,
    pub(super) kind: usize,
    pub(super) is_looping: bool,
    /// True while the history was clicked last, or its tab.
    pub(super) is_history_used: bool,
    pub(super) has_search: bool,
    /// Number of times that the field of the search was asked for.
    pub(super) search_asked: i32,
    pub(super) shown: Option<(u64, Vec<i32>, bool)>,
    /// Position of the player that the session was told last; `None` where the player has not been moved in this record.
    pub(super) told_position: Option<u32>,
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
            told_position: None,
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

    pub(super) fn page(&mut self) -> Option<&mut Page> {
        self.views.page_mut()
    }

    /// The elaborated graph that is shown: of the record, or before a run.
    pub(super) fn elaborated(&mut self) -> Option<&mut ElaboratedView> {
        if self.views.is_previewing() {
            return Some(&mut self.views.preview_mut().view);
        }
        self.views.page_mut().map(|page| &mut page.elaborated)
    }

    pub(super) fn apply_options(&mut self) {
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

    pub(super) fn apply_sizes(&mut self) {
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

    pub(super) fn click(&mut self, which: Which, at: (f64, f64), is_control: bool) {
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

    /// Goes to the moment after the event that was clicked. While a run is under way, the picture stays at its present state.
    fn go_to_clicked(&mut self, which: Which) {
        if let Selection::Event(event) = self.views.selection()
            && which != Which::Elaborated
            && !self.views.is_live()
        {
            self.views.play(|player| {
                player.pause();
                player.seek(event + 1);
            });
        }
    }

    pub(super) fn pointer(&mut self, which: Which, kind: &str, at: (f64, f64), is_control: bool) {
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
                    if !is_control {
                        self.go_to_clicked(which);
                    }
                }
            }
            ("double", _) => self.fit(which),
            _ => {
                self.pressed = None;
                self.hover(which, None);
            }
        }
    }

    pub(super) fn wheel(
        &mut self,
        which: Which,
        at: (f64, f64),
        by: (f64, f64),
        is_shift: bool,
        is_control: bool,
    ) {
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
