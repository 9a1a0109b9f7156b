//! The menu bar and menus at the pointer.

/// The menu that is open, and its items.
pub(crate) mod menu;

use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::action::Category;
use hasse_editor::state::input::Key;
use hasse_editor::target::Target;
use hasse_ui::{EditorWindow, Menus as UiMenus};
use slint::ComponentHandle;

use crate::command::{Command, Group};
use crate::hub::Shared;
use crate::keys;
use crate::studio::update::go;
use crate::studio::{Later, Studio};
use menu::{Does, MenuRow, OWN_MENUS};

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
