//! The menu that is open, and its items.

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::action::{Action, Category};
use hasse_editor::state::menu::{ItemKind, MenuItem};
use hasse_ui::{EditorWindow, MenuItemData, Menus as UiMenus};
use slint::{ComponentHandle, SharedString};

use crate::command::{Command, Group};
use crate::debugging::item::DebugItem;
use crate::instances::button::InstanceItem;
use crate::models::{Rows, model};
use crate::views::menu::item::ViewItem;

/// What an item does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Does {
    Act(Action),
    Command(Command),
    Debug(DebugItem),
    Instance(InstanceItem),
    View(ViewItem),
    Nothing,
}

/// An item of a menu at the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MenuRow {
    pub(crate) does: Does,
    pub(crate) label: String,
    pub(crate) is_checked: bool,
    /// Set for an item with a separator above it.
    pub(crate) is_apart: bool,
}

impl MenuRow {
    pub(crate) fn new(label: impl Into<String>, does: Does) -> Self {
        Self { does, label: label.into(), is_checked: false, is_apart: false }
    }
}

/// Menus of the bar behind those of the editor.
pub(super) const OWN_MENUS: [(&str, Group); 4] =
    [("Run", Group::Run), ("Record", Group::Record), ("Window", Group::Window), ("Help", Group::Help)];

/// Which menu is open, and what is in it.
pub(crate) struct Menus {
    pub(super) rows: Rows<MenuItemData>,
    pub(super) items: Vec<Does>,
    pub(super) enabled: Vec<bool>,
    /// The menu of the bar; -1 at the pointer, -2 none.
    pub(super) open: i32,
    pub(super) current: i32,
    pub(super) at: Point,
    pub(super) data: Vec<MenuItemData>,
    /// Number of menus that were opened.
    n_opened: u64,
}

impl Menus {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let rows = Rows::new();
        let menus = window.global::<UiMenus>();
        menus.set_items(rows.model());
        let editor = Category::ALL.iter().map(|category| category.name());
        let titles = editor.chain(OWN_MENUS.iter().map(|(name, _)| *name)).map(SharedString::from);
        menus.set_titles(model(titles));
        Self {
            rows,
            items: Vec::new(),
            enabled: Vec::new(),
            open: -2,
            current: -1,
            at: Point::default(),
            data: Vec::new(),
            n_opened: 0,
        }
    }

    fn clear(&mut self) {
        self.items.clear();
        self.enabled.clear();
        self.data.clear();
        self.current = -1;
    }

    pub(super) fn add(
        &mut self,
        does: Does,
        title: &str,
        shortcut: &str,
        is_enabled: bool,
        is_checked: bool,
        is_apart: bool,
    ) {
        self.items.push(does);
        self.enabled.push(is_enabled);
        self.data.push(MenuItemData {
            title: title.into(),
            shortcut: shortcut.into(),
            is_enabled,
            is_checked,
            is_apart,
        });
    }

    pub(super) fn add_all(&mut self, items: &[MenuItem]) {
        let mut is_apart = false;
        for item in items {
            match item.kind {
                ItemKind::Separator => is_apart = !self.items.is_empty(),
                ItemKind::Action(action) => {
                    self.add(
                        Does::Act(action),
                        &item.label,
                        &item.shortcut,
                        item.is_enabled,
                        false,
                        is_apart,
                    );
                    is_apart = false;
                }
                // Only this window adds others, and it does so by commands.
                ItemKind::Other(_) => {}
            }
        }
    }

    pub(super) fn add_rows(&mut self, rows: Vec<MenuRow>) {
        for row in rows {
            let is_enabled = row.does != Does::Nothing;
            self.add(row.does, &row.label, "", is_enabled, row.is_checked, row.is_apart);
        }
    }

    /// Puts items behind that of a command, with a line below them.
    pub(super) fn insert_after(&mut self, command: Command, rows: Vec<MenuRow>) {
        let Some(at) = self.items.iter().position(|does| *does == Does::Command(command)) else { return };
        let (items, enabled, data) =
            (self.items.split_off(at + 1), self.enabled.split_off(at + 1), self.data.split_off(at + 1));
        self.add_rows(rows);
        let n_before = self.data.len();
        self.items.extend(items);
        self.enabled.extend(enabled);
        self.data.extend(data);
        if let Some(first) = self.data.get_mut(n_before) {
            first.is_apart = true;
        }
    }

    /// Gives the item of a command other words.
    pub(super) fn rename(&mut self, command: Command, label: &str, is_checked: bool) {
        let at = self.items.iter().position(|does| *does == Does::Command(command));
        if let Some(data) = at.and_then(|at| self.data.get_mut(at)) {
            data.title = label.into();
            data.is_checked = is_checked;
        }
    }

    pub(super) fn step(&mut self, by: i32) {
        let n_items = i32::try_from(self.items.len()).unwrap_or(0);
        let mut next = self.current;
        for _ in 0..n_items {
            next = if next < 0 && by < 0 { n_items - 1 } else { (next + by).rem_euclid(n_items) };
            if self.enabled.get(next as usize) == Some(&true) {
                self.current = next;
                return;
            }
        }
    }

    /// Opens a menu without items, by its number.
    pub(super) fn begin(&mut self, open: i32) {
        self.clear();
        self.open = open;
        self.n_opened += 1;
    }

    /// Number of menus that were opened so far.
    pub(crate) fn n_opened(&self) -> u64 {
        self.n_opened
    }

    pub(super) fn close(&mut self) {
        self.open = -2;
        self.clear();
    }
}
