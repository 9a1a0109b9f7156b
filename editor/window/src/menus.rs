//! The menu bar and menus at the pointer.

use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::action::{Action, Category};
use hasse_editor::state::input::Key;
use hasse_editor::state::menu::{ItemKind, MenuItem};
use hasse_editor::target::Target;
use hasse_ui::{EditorWindow, MenuItemData, Menus as UiMenus};
use slint::{ComponentHandle, SharedString};

use crate::command::{Command, Group};
use crate::debugging::DebugItem;
use crate::hub::Shared;
use crate::instances::InstanceItem;
use crate::keys;
use crate::models::{Rows, model};
use crate::studio::{Later, Studio, go};
use crate::views::ViewItem;

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
const OWN_MENUS: [(&str, Group); 4] =
    [("Run", Group::Run), ("Record", Group::Record), ("Window", Group::Window), ("Help", Group::Help)];

/// Which menu is open, and what is in it.
pub(crate) struct Menus {
    rows: Rows<MenuItemData>,
    items: Vec<Does>,
    enabled: Vec<bool>,
    /// The menu of the bar; -1 at the pointer, -2 none.
    open: i32,
    current: i32,
    at: Point,
    data: Vec<MenuItemData>,
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

    fn add(
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

    fn add_all(&mut self, items: &[MenuItem]) {
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

    fn add_rows(&mut self, rows: Vec<MenuRow>) {
        for row in rows {
            let is_enabled = row.does != Does::Nothing;
            self.add(row.does, &row.label, "", is_enabled, row.is_checked, row.is_apart);
        }
    }

    /// Puts items behind that of a command, with a line below them.
    fn insert_after(&mut self, command: Command, rows: Vec<MenuRow>) {
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
    fn rename(&mut self, command: Command, label: &str, is_checked: bool) {
        let at = self.items.iter().position(|does| *does == Does::Command(command));
        if let Some(data) = at.and_then(|at| self.data.get_mut(at)) {
            data.title = label.into();
            data.is_checked = is_checked;
        }
    }

    fn step(&mut self, by: i32) {
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
    fn begin(&mut self, open: i32) {
        self.clear();
        self.open = open;
        self.n_opened += 1;
    }

    /// Number of menus that were opened so far.
    pub(crate) fn n_opened(&self) -> u64 {
        self.n_opened
    }

    fn close(&mut self) {
        self.open = -2;
        self.clear();
    }
}

impl Studio {
    fn add_commands(&mut self, group: Group) {
        for (number, command) in Command::ALL.iter().filter(|command| command.group() == group).enumerate() {
            let is_apart = number > 0 && command.is_apart();
            let (is_enabled, is_checked) = (self.can(*command), self.is_on(*command));
            let keys = self.editor.keymap().first(command.name());
            self.menus.add(Does::Command(*command), command.name(), &keys, is_enabled, is_checked, is_apart);
        }
    }

    fn open_menu(&mut self, index: i32, at: Point) {
        if self.menus.open == index {
            self.menus.close();
            return;
        }
        self.menus.begin(index);
        self.menus.at = at;
        let own = usize::try_from(index).unwrap_or(0);
        if let Some(category) = Category::ALL.get(own) {
            let items = self.editor.menu(*category);
            self.menus.add_all(&items);
            match category {
                Category::File => self.add_commands(Group::File),
                Category::View => self.add_commands(Group::View),
                _ => {}
            }
        } else if let Some((_, group)) = OWN_MENUS.get(own - Category::ALL.len()) {
            self.add_commands(*group);
        }
    }

    /// Opens the menu of what is at a place of the canvas.
    pub(crate) fn open_context(&mut self, at: Point) {
        let context = self.editor.context(at);
        // Items ask what the form of the thing has.
        let (window, subject) = (self.window(), self.subject());
        self.refresh_form(&window, subject, false);
        self.menus.begin(-1);
        let origin = self.canvas_origin();
        self.menus.at = at.shifted(origin);
        self.menus.add_all(&context.items);
        self.add_commands(Group::Context);
        if let Some((label, is_set)) = self.breakpoint_label(&context.target) {
            self.menus.rename(Command::Breakpoint, label, is_set);
        }
        let target = Target { attribute: None, ..context.target };
        let breakpoints = self.breakpoint_items(&target);
        self.menus.insert_after(Command::Breakpoint, breakpoints);
        let checks = self.check_items(&target);
        self.menus.add_rows(checks);
    }

    /// Opens a menu at a place of the window; none without items.
    pub(crate) fn open_rows(&mut self, at: Point, rows: Vec<MenuRow>) {
        self.menus.close();
        if !rows.is_empty() {
            self.menus.begin(-1);
            self.menus.at = at;
            self.menus.add_rows(rows);
        }
    }

    /// Where the canvas begins in the window.
    pub(crate) fn canvas_origin(&self) -> Point {
        let window = self.window();
        Point::new(f64::from(window.get_canvas_x()), f64::from(window.get_canvas_y()))
    }

    fn choose(&mut self, index: i32) {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let does = self.menus.items.get(index).cloned().unwrap_or(Does::Nothing);
        let is_enabled = self.menus.enabled.get(index) == Some(&true);
        if !is_enabled {
            return;
        }
        self.menus.close();
        self.later.push(Later::FocusCanvas);
        match does {
            Does::Act(action) => {
                self.editor.act(action);
            }
            Does::Command(command) => self.command(command),
            Does::Debug(item) => self.debug(item),
            Does::Instance(item) => self.choose_instance(item),
            Does::View(item) => self.do_in_views(item),
            Does::Nothing => {}
        }
    }

    /// A key while a menu is open; each is taken.
    pub(crate) fn menu_key(&mut self, text: &str) -> bool {
        match keys::key(text) {
            Some(Key::Escape) => {
                self.menus.close();
                self.later.push(Later::FocusCanvas);
            }
            Some(Key::Down | Key::Tab) => self.menus.step(1),
            Some(Key::Up) => self.menus.step(-1),
            Some(key @ (Key::Left | Key::Right)) if self.menus.open >= 0 => {
                let n_menus = (Category::ALL.len() + OWN_MENUS.len()) as i32;
                let by = if key == Key::Left { -1 } else { 1 };
                let next = (self.menus.open + by).rem_euclid(n_menus);
                let at = Point::new(4.0 + 52.0 * f64::from(next), self.menus.at.y);
                self.open_menu(next, at);
            }
            Some(Key::Enter | Key::Space) => self.choose(self.menus.current),
            _ => {}
        }
        true
    }

    pub(crate) fn has_menu(&self) -> bool {
        self.menus.open > -2
    }

    pub(crate) fn show_menus(&self, window: &EditorWindow) {
        let menus = window.global::<UiMenus>();
        self.menus.rows.set(self.menus.data.iter().cloned());
        menus.set_current(self.menus.current);
        menus.set_x(self.menus.at.x as f32);
        menus.set_y(self.menus.at.y as f32);
        menus.set_open(self.menus.open);
    }
}

/// Connects the callbacks of menus.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let menus = window.global::<UiMenus>();
    let weak = Rc::downgrade(shared);
    menus.on_show(move |index, x, y| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.open_menu(index, Point::new(f64::from(x), f64::from(y))));
    });
    let weak = Rc::downgrade(shared);
    menus.on_chosen(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.choose(index));
    });
    let weak = Rc::downgrade(shared);
    menus.on_hovered(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.menus.current = index);
    });
    let weak = Rc::downgrade(shared);
    menus.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.menus.close();
            studio.later.push(Later::FocusCanvas);
        });
    });
}
