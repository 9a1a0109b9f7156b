//! The palette: what can be added to the graph, and commands by name.

/// The palette while it is open.
pub(crate) mod palette;

use std::rc::Rc;

use hasse_editor::drawing::connect::PortName;
use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::place::Position;
use hasse_editor::palette::Wire;
use hasse_editor::panels::search_popup::{Chosen, Command as Found, SearchPopup};
use hasse_editor::state::action::ACTIONS;
use hasse_editor::state::input::Key;
use hasse_ui::{EditorWindow, PaletteItem, Search as UiSearch};
use slint::ComponentHandle;

use crate::command::Command;
use crate::hub::Shared;
use crate::keys;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

impl Studio {
    /// Opens the palette of what can be added at a place.
    pub(crate) fn open_nodes(&mut self, at: Point, place: Position, wire: Option<(Wire, PortName)>) {
        let (wire, from) = wire.map_or((None, None), |(wire, from)| (Some(wire), Some(from)));
        let program = self.editor.document().text();
        let popup = SearchPopup::nodes(program, self.editor.graph(), wire.as_ref(), &self.settings.recent);
        self.search.title = match &wire {
            Some(wire) if !wire.ty.is_empty() => format!("Connect a wire of type {}", wire.ty),
            Some(_) => "Connect a wire".to_owned(),
            None => "Add to the graph".to_owned(),
        };
        self.search.popup = Some(popup);
        self.search.at = at.shifted(self.canvas_origin());
        self.search.place = place;
        self.search.from = from;
        self.window().global::<UiSearch>().set_query("".into());
    }

    /// Opens the palette of commands.
    pub(crate) fn open_commands(&mut self) {
        let actions = ACTIONS.iter().enumerate().filter(|(_, info)| self.editor.is_enabled(info.action));
        let mut commands: Vec<Found> = actions
            .map(|(number, info)| Found {
                id: format!("action {number}"),
                label: format!("{}: {}", info.category.name(), self.editor.label(info.action)),
                shortcut: self.editor.keymap().first(info.name),
            })
            .collect();
        for (number, command) in Command::ALL.iter().enumerate().filter(|(_, command)| self.can(**command)) {
            commands.push(Found {
                id: format!("command {number}"),
                label: command.name().to_owned(),
                shortcut: self.keys_of(*command),
            });
        }
        self.search.popup = Some(SearchPopup::commands(commands, &self.settings.recent));
        self.search.title = "Commands".to_owned();
        self.search.at = Point::new(420.0, 60.0);
        self.window().global::<UiSearch>().set_query("".into());
    }

    fn choose_found(&mut self, clicked: Option<usize>) {
        let Some(popup) = self.search.popup.take() else { return };
        self.later.push(Later::FocusCanvas);
        match popup.accept(clicked, &mut self.settings.recent) {
            Some(Chosen::Node(action)) => {
                let from = self.search.from.take();
                self.editor.insert(&action, self.search.place, from.as_ref());
            }
            Some(Chosen::Command(id)) => match id.split_once(' ') {
                Some(("action", number)) => {
                    if let Some(info) = number.parse().ok().and_then(|number: usize| ACTIONS.get(number)) {
                        self.editor.act(info.action);
                    }
                }
                Some((_, number)) => {
                    let found = number.parse().ok().and_then(|number: usize| Command::ALL.get(number));
                    if let Some(command) = found {
                        self.command(*command);
                    }
                }
                None => {}
            },
            None => {}
        }
    }

    /// A key while the palette is open; tells whether it is taken from the field.
    pub(crate) fn search_key(&mut self, text: &str) -> bool {
        let Some(popup) = &mut self.search.popup else { return false };
        match keys::key(text) {
            Some(Key::Escape) => {
                self.search.popup = None;
                self.later.push(Later::FocusCanvas);
            }
            Some(Key::Down | Key::Tab) => popup.select(1),
            Some(Key::Up) => popup.select(-1),
            Some(Key::Enter) => self.choose_found(None),
            _ => return false,
        }
        true
    }

    pub(crate) fn show_search(&self, window: &EditorWindow) {
        let search = window.global::<UiSearch>();
        let Some(popup) = &self.search.popup else {
            search.set_is_open(false);
            return;
        };
        self.search.rows.set(popup.rows().iter().map(|row| PaletteItem {
            label: (&row.label).into(),
            detail: (&row.detail).into(),
            shortcut: if row.is_recent { "recent".into() } else { "".into() },
        }));
        search.set_title((&self.search.title).into());
        search.set_current(i32::try_from(popup.selected()).unwrap_or(0));
        search.set_x(self.search.at.x as f32);
        search.set_y(self.search.at.y as f32);
        search.set_is_open(true);
    }
}

/// Connects the palette's callbacks.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let search = window.global::<UiSearch>();
    let weak = Rc::downgrade(shared);
    search.on_edited(move |query| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(popup) = &mut studio.search.popup {
                popup.set_query(&query);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    search.on_chosen(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.choose_found(usize::try_from(index).ok()));
    });
    let weak = Rc::downgrade(shared);
    search.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.search.popup = None;
            studio.later.push(Later::FocusCanvas);
        });
    });
}
