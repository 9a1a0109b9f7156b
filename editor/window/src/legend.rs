//! The legend: samples of what the picture draws.

/// The rows of the legend.
pub(crate) mod rows;

use std::rc::Rc;

use hasse_editor::state::picture::{LegendLine, LegendSample, SAMPLE, legend};
use hasse_ui::{DotItem, EditorWindow, Legend as UiLegend, LegendItem};
use slint::ComponentHandle;

use crate::canvas::sample;
use crate::hub::Shared;
use crate::studio::Studio;
use crate::studio::update::go;

/// Size of a dot, in pixels.
const DOT: f64 = 10.0;

fn item(line: &LegendLine, is_dark: bool) -> LegendItem {
    let item = LegendItem { text: line.text.into(), ..LegendItem::default() };
    match &line.sample {
        LegendSample::Title => LegendItem { kind: "title".into(), ..item },
        LegendSample::Node(node) => LegendItem { kind: "node".into(), node: sample::node(node), ..item },
        LegendSample::Wire(wire) => {
            LegendItem { kind: "wire".into(), wire: sample::wire(wire, is_dark), ..item }
        }
        LegendSample::Port(port) => {
            LegendItem { kind: "port".into(), port: sample::port(port, is_dark), ..item }
        }
        LegendSample::Dot(mark) => {
            let dot = DotItem {
                x: ((SAMPLE.x - DOT) / 2.0) as f32,
                y: ((SAMPLE.y - DOT) / 2.0) as f32,
                size: DOT as f32,
                state: sample::state(*mark),
                is_selected: false,
            };
            LegendItem { kind: "dot".into(), dot, ..item }
        }
        LegendSample::Badge(badge) => {
            LegendItem { kind: "badge".into(), badge: sample::badge(badge, is_dark), ..item }
        }
    }
}

impl Studio {
    /// Shows the legend, or hides it.
    pub(crate) fn toggle_legend(&mut self) {
        let window = self.window();
        let ui = window.global::<UiLegend>();
        ui.set_is_open(!ui.get_is_open());
    }

    /// Hides the legend; whether it was there.
    pub(crate) fn close_legend(&mut self) -> bool {
        let window = self.window();
        let ui = window.global::<UiLegend>();
        let was_open = ui.get_is_open();
        ui.set_is_open(false);
        was_open
    }

    pub(crate) fn show_legend(&mut self, window: &EditorWindow) {
        let is_open = window.global::<UiLegend>().get_is_open();
        if is_open && self.legend.shown != Some(self.is_dark) {
            self.legend.shown = Some(self.is_dark);
            self.legend.rows.set(legend().iter().map(|line| item(line, self.is_dark)));
        }
    }
}

/// Connects the callback of the legend.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let weak = Rc::downgrade(shared);
    window.global::<UiLegend>().on_toggle(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::toggle_legend);
    });
}
