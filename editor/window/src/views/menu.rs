//! The menu of what is under the pointer in the history, the elaborated graph and the time-line.

/// Items of the menu.
pub(crate) mod item;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::run::{Button, Mode, PointPlace};
use hasse_editor::state::Status as Said;
use hasse_editor::state::selection::Selection as OnPicture;
use hasse_editor::target::Target;
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::Described;

use super::viewing::Which;
use crate::command::panel;
use crate::debugging::item::DebugItem;
use crate::menus::menu::{Does, MenuRow};
use crate::studio::{Later, Studio};
use item::ViewItem;

/// Most predecessors that the menu names.
const MOST_NAMED: usize = 6;

fn row(label: impl Into<String>, item: ViewItem) -> MenuRow {
    MenuRow::new(label, Does::View(item))
}

impl Which {
    fn panel(self) -> i32 {
        match self {
            Self::History => panel::HISTORY,
            Self::Elaborated => panel::ELABORATED,
            Self::Timeline => panel::TIMELINE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::History => "event history",
            Self::Elaborated => "elaborated graph",
            Self::Timeline => "time-line",
        }
    }
}

impl Studio {
    /// Selects what is at a place of a picture, and opens its menu there; `corner` is where the picture begins in the window.
    pub(super) fn open_view_menu(&mut self, which: Which, at: (f64, f64), in_window: Point) {
        self.viewing.pressed = None;
        self.viewing.click(which, at, false);
        self.editor.select(OnPicture::default());
        let mut rows = Vec::new();
        if which == Which::Elaborated && self.viewing.views.is_previewing() {
            let target = self.viewing.picked.take();
            rows.extend(target.map(|target| row("Show on the picture", ViewItem::Picture(target))));
        } else if let Some(described) = self.viewing.views.described() {
            rows = self.view_rows(which, &described);
        }
        let mut fit = row("Show all of it", ViewItem::Fit);
        fit.is_apart = !rows.is_empty();
        rows.push(fit);
        self.viewing.menu_of = which;
        self.open_rows(in_window, rows);
    }

    fn view_rows(&self, which: Which, described: &Described) -> Vec<MenuRow> {
        let mut rows = Vec::new();
        let others = [Which::History, Which::Elaborated, Which::Timeline].into_iter();
        for other in others.filter(|other| *other != which && described.event.is_some()) {
            rows.push(row(format!("Show in the {}", other.name()), ViewItem::Show(other.panel())));
        }
        let is_of_program = self.viewing.views.is_of_program(self.editor.document().text());
        let target = described.target.clone().filter(|target| is_of_program || target.node().is_some());
        rows.extend(target.clone().map(|target| row("Show on the picture", ViewItem::Picture(target))));
        if let Some(event) = described.event {
            let last = if described.count.is_some() { "" } else { " of its last event" };
            rows.push(row(format!("Values{last}"), ViewItem::Values(event)));
            let to = if described.count.is_some() { "this event" } else { "its last event" };
            rows.push(row(format!("Go to {to}"), ViewItem::PlayTo(event)));
        }
        let n_first = rows.len();
        if self.running.is_some() {
            rows.extend(self.stop_rows(described, target));
        }
        if let (Some(event), Some(_)) = (described.event, described.count) {
            let n_known = rows.len();
            if !described.predecessors.is_empty() {
                rows.push(row("Select its predecessors", ViewItem::Predecessors(event)));
            }
            let named = described.predecessors.iter().take(MOST_NAMED);
            rows.extend(
                named.map(|(at, name)| row(format!("Go to {name}, before it"), ViewItem::Select(*at))),
            );
            rows.iter_mut().skip(n_known).take(1).for_each(|first| first.is_apart = true);
        }
        rows.iter_mut().skip(n_first).take(1).for_each(|first| first.is_apart = true);
        let n_known = rows.len();
        if described.action.is_some() {
            let is_all = self.viewing.views.chosen().is_empty();
            rows.push(row(
                if is_all { "Show this action alone" } else { "Show all actions" },
                ViewItem::Restrict,
            ));
        }
        rows.push(row(format!("Copy {}", described.name), ViewItem::Copy(described.name.clone())));
        rows.iter_mut().skip(n_known).take(1).for_each(|first| first.is_apart = true);
        rows
    }

    /// Items that stop a run where the selected event was.
    fn stop_rows(&self, described: &Described, target: Option<Target>) -> Vec<MenuRow> {
        let mut rows = Vec::new();
        match (&described.action, described.count) {
            (Some(action), Some(count)) => {
                let place = format!("in {action} if count == {count}");
                rows.push(row("Break here in the next run", ViewItem::Break(format!("stop {place}"))));
                let replay =
                    ViewItem::Replay { command: format!("once {place}"), name: described.name.clone() };
                rows.push(row("Replay to here", replay));
            }
            (Some(action), None) => {
                rows.push(row("Break in this action", ViewItem::Break(format!("stop in {action}"))));
                let replay =
                    ViewItem::Replay { command: format!("once in {action}"), name: format!("{action}:1") };
                rows.push(row("Replay to its first event", replay));
            }
            (None, _) => rows.extend(target.filter(|target| target.node().is_none()).map(|target| {
                let item = DebugItem::Toggle(target, PointPlace::Arc);
                MenuRow::new("Break when a value is sent", Does::Debug(item))
            })),
        }
        rows
    }

    /// Does what an item says.
    pub(crate) fn do_in_views(&mut self, item: ViewItem) {
        self.viewing.shown = None;
        match item {
            ViewItem::Show(panel) => {
                self.show_panel(panel);
                let selection = self.viewing.views.selection();
                self.viewing.views.select(selection);
            }
            ViewItem::Picture(target) => self.show_target(&target),
            ViewItem::Values(event) => {
                self.viewing.views.select(Selection::Event(event));
                self.play_to(event);
                self.show_panel(panel::VALUES);
            }
            ViewItem::PlayTo(event) => self.play_to(event),
            ViewItem::Break(command) => {
                self.tell_program(false);
                if let Some(running) = &mut self.running {
                    running.panel.type_breakpoint(&command);
                }
                self.editor.set_status(Said { text: format!("breakpoint: {command}"), is_refusal: false });
            }
            ViewItem::Replay { command, name } => self.replay_to(&command, &name),
            ViewItem::Select(event) => {
                self.viewing.views.select(Selection::Event(event));
                self.editor.select(OnPicture::default());
            }
            ViewItem::Predecessors(event) => {
                let graph = self.editor.graph().to_owned();
                let nodes = self.viewing.views.mark_predecessors(event, &graph);
                self.select_on_picture(OnPicture { nodes, ..OnPicture::default() });
            }
            ViewItem::Restrict => {
                if self.viewing.views.chosen().is_empty() {
                    let own = self.viewing.views.selected_instance();
                    self.viewing.views.restrict_to(own.into_iter().collect());
                } else {
                    self.viewing.views.restrict_to(Default::default());
                }
            }
            ViewItem::Copy(name) => {
                self.editor.set_status(Said { text: format!("copied {name}"), is_refusal: false });
                self.later.push(Later::Copy(name));
            }
            ViewItem::Fit => self.viewing.act(match self.viewing.menu_of {
                Which::History => "fit-history",
                Which::Elaborated => "fit-elaborated",
                Which::Timeline => "fit-timeline",
            }),
        }
    }

    fn play_to(&mut self, event: u32) {
        self.viewing.views.play(|player| {
            player.pause();
            player.seek(event + 1);
        });
    }

    /// Executes the record that is shown again, up to a breakpoint that is there once.
    fn replay_to(&mut self, command: &str, name: &str) {
        let shown = match self.viewing.views.source() {
            Some(RecordSource::File(path)) => Some(path.clone()),
            _ => None,
        };
        self.set_mode(Mode::Replay);
        let Some(running) = &mut self.running else { return };
        let is_of_file = shown.as_deref().is_some_and(|shown| running.is_other_record(shown));
        if is_of_file {
            running.set_record(shown);
        }
        self.tell_program(false);
        let Some(running) = &mut self.running else { return };
        running.panel.type_breakpoint(command);
        self.press(Button::Run);
        let text = format!(
            "the record is executed again up to {name}; runs are replays until another mode is chosen"
        );
        self.editor.set_status(Said { text, is_refusal: false });
    }
}
