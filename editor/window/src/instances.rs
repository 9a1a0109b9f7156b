//! The instance of a node or call that is looked at, chosen on the picture.

/// The button at a box that lists instances, and its menu items.
pub(crate) mod button;

use std::rc::Rc;

use hasse_editor::calls::CallScope;
use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::measure::text_width;
use hasse_editor::marks::Dot;
use hasse_editor::run::Button;
use hasse_editor::state::input::Button as MouseButton;
use hasse_ui::{EditorWindow, Graph};
use slint::ComponentHandle;

use crate::canvas::STATE_ROOM;
use crate::command::{Command, panel};
use crate::hub::Shared;
use crate::menus::menu::{Does, MenuRow};
use crate::studio::Studio;
use crate::studio::update::go;
use crate::views::menu::item::ViewItem;
use button::{InstanceItem, Offer};

/// Most instances that the menu lists.
const MOST_LISTED: usize = 20;
/// Size of the letters, and height, in pixels.
const LETTERS: f64 = 11.0;
const HEIGHT: f64 = 18.0;
/// Distance from the box, in pixels.
const GAP: f64 = 9.0;
/// Height of what is said below a box: two rows of dots and a line, in pixels.
const STATES: f64 = 48.0;

/// Width of the button, in pixels.
fn button_width(text: &str) -> f64 {
    text_width(text, LETTERS) + 30.0
}

/// The last step of a path.
fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn instance_row(path: &str, told: &str, is_checked: bool, item: InstanceItem) -> MenuRow {
    let label = if told.is_empty() { path.to_owned() } else { format!("{path}   {told}") };
    MenuRow { is_checked, ..MenuRow::new(label, Does::Instance(item)) }
}

impl Studio {
    /// The instance of a call that is looked at; `None` for all.
    fn scope(&self) -> Option<&CallScope> {
        let (opened, scope) = self.instances.scope.as_ref()?;
        (*opened == self.editor.n_opened()).then_some(scope)
    }

    /// Looks at all instances of calls again.
    pub(crate) fn forget_scope(&mut self) {
        if self.instances.scope.take().is_some() {
            self.viewing.views.restrict_to_call(None);
        }
    }

    /// Number of instances of a node of the shown graph, and the one that is looked at.
    fn instances_at(&mut self, node: &str) -> (usize, Option<String>) {
        if let Some(marks) = self.editor.node_marks(node)
            && !marks.dots.is_empty()
        {
            let looked_at = marks.dots.iter().find(|dot| dot.is_selected).map(|dot| dot.path.clone());
            return (marks.dots.len() + marks.n_more, looked_at);
        }
        let views = &self.viewing.views;
        // While a record grows, its instances would be counted again and again.
        let Some(page) = views.page().filter(|_| !views.is_live()) else { return (0, None) };
        let key = (page.record.instances().len(), self.editor.graph().to_owned(), node.to_owned());
        if self.instances.counted.as_ref() != Some(&key) {
            let n_units = views.instances_of(&key.1, node).len();
            let n_calls = if n_units == 0 { views.call_instances(&key.1, node).len() } else { 0 };
            self.instances.n_counted = n_units + n_calls;
            self.instances.counted = Some(key);
        }
        let own = views.selected_instance().and_then(|instance| views.instance_path(instance));
        let own = own.filter(|path| short(path).split('[').next() == Some(node));
        let scope = self.scope().filter(|scope| scope.call == node).map(|scope| scope.path.clone());
        (self.instances.n_counted, scope.or(own))
    }

    /// The button that is offered now.
    fn instance_offer(&mut self) -> Option<Offer> {
        let selection = self.editor.selection();
        let only = match (selection.nodes.len(), selection.links.len(), selection.nodes.first()) {
            (1, 0, Some(node)) => Some(node.clone()),
            _ => None,
        };
        if let Some(node) = only
            && let Some(area) = self.editor.node_area(&node)
        {
            let (n_instances, looked_at) = self.instances_at(&node);
            if n_instances > 1 {
                let text = match looked_at {
                    Some(path) => format!("{}, one of {n_instances}", short(&path)),
                    None => format!("{n_instances} instances"),
                };
                let at = self.place_of_button(area, &text);
                return Some(Offer { node: Some(node), text, at });
            }
        }
        let text = format!("{} alone", self.scope()?.path);
        Some(Offer { node: None, text, at: Point::new(8.0, 8.0) })
    }

    /// Returns the corner of the button above or below its box that covers the least area of labels and other boxes.
    fn place_of_button(&self, area: Rect, text: &str) -> Point {
        let width = button_width(text);
        let (left, right) = (area.min.x + GAP, area.max.x - width);
        let (above, below) = (area.min.y - HEIGHT - GAP, area.max.y + STATE_ROOM);
        // Below two rows of dots and a line.
        let lowest = area.max.y + STATES;
        let corners = [
            (left, above),
            (right, above),
            (left, above - HEIGHT),
            (left, below),
            (right, below),
            (left, lowest),
            (right, lowest),
        ];
        let mut others = self.editor.box_areas();
        others.push(Rect::new(area.min.x, area.max.y, area.width(), STATES));
        others.extend(self.canvas.label_areas());
        let covered = |&(x, y): &(f64, f64)| {
            let button = Rect::new(x, y, width, HEIGHT);
            others.iter().map(|other| other.overlap(button)).sum::<f64>()
        };
        let best = corners.iter().min_by(|one, other| covered(one).total_cmp(&covered(other)));
        best.map_or(area.min, |&(x, y)| Point::new(x, y))
    }

    /// Shows the button.
    pub(crate) fn show_instances(&mut self, window: &EditorWindow) {
        let offer = self.instance_offer();
        let graph = window.global::<Graph>();
        if let Some(offer) = &offer {
            graph.set_chooser_text((&offer.text).into());
            graph.set_chooser_x(offer.at.x as f32);
            graph.set_chooser_y(offer.at.y as f32);
            graph.set_chooser_width(button_width(&offer.text) as f32);
        }
        graph.set_has_chooser(offer.is_some());
        self.instances.offer = offer;
    }

    /// Opens the list of instances below the button.
    fn open_instances(&mut self) {
        let Some(offer) = self.instances.offer.clone() else { return };
        let rows = match &offer.node {
            Some(node) => self.instance_rows(node),
            None => match self.scope().cloned() {
                Some(scope) => self.call_rows(&scope.graph, &scope.call),
                None => Vec::new(),
            },
        };
        let at = Point::new(offer.at.x, offer.at.y + HEIGHT + 2.0).shifted(self.canvas_origin());
        self.open_rows(at, rows);
    }

    /// The instances of a node of the shown graph.
    fn instance_rows(&mut self, node: &str) -> Vec<MenuRow> {
        let graph = self.editor.graph().to_owned();
        let calls = self.call_rows(&graph, node);
        if !calls.is_empty() {
            return calls;
        }
        let looked_at = self.instances_at(node).1;
        let marks = self.editor.node_marks(node);
        let mut dots: Vec<Dot> = marks.map(|marks| marks.dots.clone()).unwrap_or_default();
        let mut n_more = marks.map_or(0, |marks| marks.n_more);
        let row = |path: &str, told: &str| {
            let item = InstanceItem::Action(path.to_owned());
            instance_row(path, told, looked_at.as_deref() == Some(path), item)
        };
        let mut rows: Vec<MenuRow> = Vec::new();
        if dots.is_empty() {
            let views = &self.viewing.views;
            let own = views.instances_of(&graph, node);
            n_more = own.len().saturating_sub(MOST_LISTED);
            let listed = own.into_iter().take(MOST_LISTED);
            rows.extend(listed.filter_map(|at| views.instance_path(at)).map(|path| row(&path, "")));
        } else {
            // The most urgent ones first, as many as there is room for.
            dots.sort_by_key(|dot| dot.mark);
            n_more += dots.len().saturating_sub(MOST_LISTED);
            rows.extend(dots.iter().take(MOST_LISTED).map(|dot| row(&dot.path, dot.mark.word())));
        }
        if n_more > 0 {
            let can_list = self.can(Command::Instances);
            let does = if can_list { Does::Command(Command::Instances) } else { Does::Nothing };
            rows.push(MenuRow { is_apart: true, ..MenuRow::new(format!("{n_more} more"), does) });
        }
        rows
    }

    /// The instances of a call; empty for what is none.
    fn call_rows(&self, graph: &str, call: &str) -> Vec<MenuRow> {
        let at_rest = self.running.as_ref().map(|running| running.panel.call_instances(graph, call));
        let mut found: Vec<(String, &str)> =
            at_rest.into_iter().flatten().map(|dot| (dot.path, dot.mark.word())).collect();
        if found.is_empty() {
            let recorded = self.viewing.views.call_instances(graph, call);
            found = recorded.into_iter().map(|path| (path, "")).collect();
        }
        let n_found = found.len();
        let looked_at = self.scope().map(|scope| scope.path.as_str());
        let row = |(path, told): (String, &str)| {
            let scope = CallScope { graph: graph.to_owned(), call: call.to_owned(), path: path.clone() };
            instance_row(&path, told, looked_at == Some(&*path), InstanceItem::Call(Some(scope)))
        };
        let mut rows: Vec<MenuRow> = found.into_iter().take(MOST_LISTED).map(row).collect();
        if n_found > MOST_LISTED {
            rows.push(MenuRow::new(format!("{} more are not listed", n_found - MOST_LISTED), Does::Nothing));
        }
        if looked_at.is_some() && !rows.is_empty() {
            let all = MenuRow::new("All instances", Does::Instance(InstanceItem::Call(None)));
            rows.push(MenuRow { is_apart: true, ..all });
        }
        rows
    }

    /// Does what an item says; panels and views follow.
    pub(crate) fn choose_instance(&mut self, item: InstanceItem) {
        self.viewing.forget_shown();
        match item {
            InstanceItem::Action(path) => {
                if let Some(running) = &mut self.running
                    && running.panel.snapshot().is_some()
                {
                    running.panel.select(Some(&path));
                }
                if self.viewing.views.page().is_some() {
                    self.viewing.views.select_instance(&path);
                }
            }
            InstanceItem::Call(scope) => {
                self.viewing.views.restrict_to_call(scope.as_ref());
                if let Some(running) = &mut self.running {
                    running.panel.set_scope(scope.clone());
                }
                if let Some(scope) = scope.as_ref().filter(|scope| scope.graph == self.editor.graph()) {
                    self.editor.enter(&scope.call);
                }
                self.instances.scope = scope.map(|scope| (self.editor.n_opened(), scope));
            }
            InstanceItem::Why(path) => {
                if let Some(running) = &mut self.running {
                    running.panel.select(Some(&path));
                    running.panel.press(Button::WhyAction);
                    self.show_panel(panel::ACTIONS);
                }
            }
        }
    }

    /// A dot below a box is clicked.
    pub(crate) fn dot_clicked(&mut self, node: &str, path: &str, button: MouseButton) {
        let graph = self.editor.graph().to_owned();
        let scope = CallScope { graph, call: node.to_owned(), path: path.to_owned() };
        let own = self.running.as_ref().map(|running| running.panel.call_instances(&scope.graph, node));
        let is_call = own.into_iter().flatten().any(|dot| dot.path == path);
        let item =
            if is_call { InstanceItem::Call(Some(scope)) } else { InstanceItem::Action(path.to_owned()) };
        if button != MouseButton::Right {
            return self.choose_instance(item);
        }
        let mut rows = vec![MenuRow::new(format!("Look at {path}"), Does::Instance(item))];
        if !is_call {
            let command = format!("stop in {path} at befcomp");
            rows.push(MenuRow::new("Break before its body", Does::View(ViewItem::Break(command))));
            let why = InstanceItem::Why(path.to_owned());
            rows.push(MenuRow::new("Why is it not firing?", Does::Instance(why)));
        }
        rows.push(MenuRow::new(format!("Copy {path}"), Does::View(ViewItem::Copy(path.to_owned()))));
        let at = self.editor.cursor().unwrap_or_default().shifted(self.canvas_origin());
        self.open_rows(at, rows);
    }
}

/// Connects the callback of the button.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let weak = Rc::downgrade(shared);
    window.global::<Graph>().on_choose_instance(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::open_instances);
    });
}
