//! What can be done with what is under the cursor, and the menus of the menu bar, as plain data that a window extends.

use super::action::{ACTIONS, Action, Category};
use super::editor::Editor;
use crate::drawing::geometry::Point;
use crate::drawing::hit::Hit;
use crate::drawing::scene::BoxKind;
use crate::target::{Attribute, Part, Target};

/// What an item of a menu does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An action, for [`Editor::act`].
    Action(Action),
    /// A line between items.
    Separator,
    /// Something of another part of the window, by its own number.
    Other(u32),
}

/// An item of a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MenuItem {
    /// What it does.
    pub kind: ItemKind,
    /// What is written; empty for a line.
    pub label: String,
    /// Its key; may be empty.
    pub shortcut: String,
    /// Whether it can be chosen now.
    pub is_enabled: bool,
}

impl MenuItem {
    /// A line between items.
    pub fn separator() -> Self {
        Self { kind: ItemKind::Separator, label: String::new(), shortcut: String::new(), is_enabled: false }
    }
}

/// A menu for what is under the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// What is there; the graph where there is nothing. A port is an attribute of its node.
    pub target: Target,
    /// What can be done.
    pub items: Vec<MenuItem>,
}

impl Editor {
    fn item(&self, action: Action) -> MenuItem {
        MenuItem {
            kind: ItemKind::Action(action),
            label: self.label(action),
            shortcut: action.info().map_or_else(String::new, |info| self.keymap.first(info.name)),
            is_enabled: self.is_enabled(action),
        }
    }

    /// The items of a menu of the menu bar.
    pub fn menu(&self, category: Category) -> Vec<MenuItem> {
        let own = ACTIONS.iter().filter(|info| info.category == category);
        // Steps by arrows are for keys.
        let own = own.filter(|info| !matches!(info.action, Action::Nudge(_) | Action::NudgeFar(_)));
        own.map(|info| self.item(info.action)).collect()
    }

    /// What can be done at a place of the canvas; what is there is selected, unless it belongs to the selection.
    pub fn context(&mut self, at: Point) -> Context {
        let hit = self.hit_at(at);
        let own = self.own_selection(hit);
        if !own.is_empty() && !self.selection.contains(&own) {
            self.select(own);
        }
        let groups: &[&[Action]] = match hit {
            Some(Hit::Title(_) | Hit::Box(_) | Hit::Port(_)) => &[
                &[
                    Action::Enter,
                    Action::OpenTab,
                    Action::Rename,
                    Action::ToggleStart,
                    Action::ToggleStop,
                    Action::Connect,
                ],
                &[Action::Cut, Action::Copy, Action::Duplicate, Action::Delete, Action::DeleteAndHeal],
                &[Action::Collapse, Action::Unpack, Action::AddFrame],
                &[Action::SelectConnected, Action::TidySelection, Action::FitSelection],
            ],
            Some(Hit::Link(_) | Hit::Bend { .. }) => &[&[Action::RemoveBends, Action::Delete]],
            Some(Hit::Comment(_) | Hit::FrameEdge { .. } | Hit::FrameTitle(_)) => {
                &[&[Action::Rename, Action::Delete]]
            }
            None => &[
                &[Action::AddNode, Action::AddComment, Action::Paste],
                &[Action::SelectAll, Action::TidyAll, Action::FitAll, Action::ActualSize],
                &[Action::Rename, Action::GoUp, Action::SideBySide],
            ],
        };
        let is_shown = |action: &Action| match action {
            Action::Unpack | Action::OpenTab => self.selected_call().is_some(),
            Action::ToggleStart | Action::ToggleStop => !self.selected_units().is_empty(),
            Action::GoUp => self.crumbs.len() > 1,
            _ => true,
        };
        let mut items = Vec::new();
        for group in groups {
            let own: Vec<MenuItem> =
                group.iter().filter(|action| is_shown(action)).map(|action| self.item(*action)).collect();
            if !items.is_empty() && !own.is_empty() {
                items.push(MenuItem::separator());
            }
            items.extend(own);
        }
        Context { target: self.target_of(hit), items }
    }

    /// Where the mouse is on the canvas; `None` while it is elsewhere.
    pub fn cursor(&self) -> Option<Point> {
        self.cursor
    }

    /// The node or link under the pointer.
    pub fn hovered(&self) -> Option<Target> {
        let target = self.target_of(Some(self.hover?));
        let is_thing = matches!(target.part, Part::Node(_) | Part::Link(..));
        is_thing.then_some(Target { attribute: None, ..target })
    }

    /// What a place of the canvas is in the program.
    pub fn target_at(&self, at: Point) -> Target {
        self.target_of(self.hit_at(at))
    }

    fn target_of(&self, hit: Option<Hit>) -> Target {
        let graph = Target::of_graph(&self.graph);
        let Some(scene) = self.drawn.shown().map(|shown| &shown.scene) else { return graph };
        let node = |idx: usize| Target::of_node(&self.graph, &scene.boxes[idx].name);
        match hit {
            Some(Hit::Title(idx) | Hit::Box(idx)) => node(idx),
            Some(Hit::Port(place)) => {
                let is_unit = matches!(scene.boxes[place.box_idx].kind, BoxKind::Unit { .. });
                match scene.port_name(place) {
                    Some(name) if is_unit => node(place.box_idx)
                        .with(Attribute { entry: Some(name.port), ..Attribute::of(name.side.key()) }),
                    _ => node(place.box_idx),
                }
            }
            Some(Hit::Link(link_idx) | Hit::Bend { link_idx, .. }) => {
                let link = &scene.links[link_idx];
                Target::of_link(&self.graph, link.list, link.row)
            }
            Some(Hit::Comment(_) | Hit::FrameEdge { .. } | Hit::FrameTitle(_)) | None => graph,
        }
    }
}
