//! Keys of commands: the usual ones, and those of the user's file.

use std::path::Path;

use hasse_editor::keymap::{KeyFault, Keymap, WindowCommand};
use hasse_editor::state::Status as Said;
use hasse_editor::state::action::{ACTIONS, Action};
use hasse_editor::state::input::{Key, Modifiers, Shortcut};
use hasse_ui::Keys as UiKeys;
use slint::ComponentHandle;

use super::Command;
use crate::studio::Studio;

/// The usual keys.
pub(super) fn usual() -> Keymap {
    Keymap::usual(Command::ALL.iter().map(|command| WindowCommand {
        name: command.name(),
        key: command.shortcut().map(|(key, modifiers)| Shortcut { key, modifiers }),
    }))
}

impl Studio {
    /// Takes up the keys of the user's file, if there is one, and says what of it cannot be followed.
    pub(crate) fn read_keys(&mut self, file: Option<&Path>) {
        let mut keymap = usual();
        let faults = match file.map(std::fs::read_to_string) {
            Some(Ok(text)) => keymap.read(&text),
            Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => {
                vec![KeyFault { line: 0, message: error.to_string() }]
            }
            Some(Err(_)) | None => Vec::new(),
        };
        if let Some(window) = self.window.upgrade() {
            let (keys, shown) = (window.global::<UiKeys>(), keymap.clone());
            keys.on_first(move |command, _| {
                debug_assert!(shown.has(&command), "a button has the command `{command}`");
                shown.first(&command).into()
            });
            keys.set_revision(keys.get_revision() + 1);
        }
        self.editor.set_keymap(keymap);
        let name = file.map(|file| file.display().to_string()).unwrap_or_default();
        let place = |fault: &KeyFault| match fault.line {
            0 => name.clone(),
            line => format!("{name}, line {line}"),
        };
        let said: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", place(fault), fault.message)).collect();
        if let Some(first) = said.first() {
            let more = match said.len() - 1 {
                0 => String::new(),
                n_more => format!(" (and {n_more} more: F1 lists them)"),
            };
            self.editor.set_status(Said { text: format!("{first}{more}"), is_refusal: true });
        }
        self.key_faults = said;
    }

    /// The keys of a command as they are written.
    pub(crate) fn keys_of(&self, command: Command) -> String {
        self.editor.keymap().written(command.name())
    }

    /// A key of the window's own commands; tells whether it was one.
    pub(crate) fn own_key(&mut self, key: Key, modifiers: Modifiers) -> bool {
        let Some(name) = self.editor.keymap().name_of(key, modifiers) else { return false };
        let Some(command) = Command::ALL.iter().find(|command| command.name() == name) else { return false };
        let command = match command {
            // As in other debuggers.
            Command::Run if self.can(Command::Continue) => Command::Continue,
            command => *command,
        };
        // A step that cannot be made says why.
        let can_be_done = self.can(command) || command == Command::Step && self.has_step_problem();
        if can_be_done {
            self.command(command);
        }
        can_be_done
    }

    /// Returns whether a key means the window as a whole also while a text field has the focus, which did not take it.
    pub(crate) fn is_global(&self, key: Key, modifiers: Modifiers) -> bool {
        let is_function = matches!(key, Key::F(_));
        let action = self.editor.keymap().action(key, modifiers);
        let is_global = action.is_some_and(|action| {
            matches!(
                action,
                Action::New
                    | Action::Open
                    | Action::Save
                    | Action::SaveAs
                    | Action::Close
                    | Action::Find
                    | Action::Commands
            )
        });
        is_function || is_global && (modifiers.ctrl || modifiers.alt)
    }

    /// All commands with their keys, group by group: headings have no keys.
    pub(crate) fn all_keys(&self) -> Vec<(String, Option<String>)> {
        let keymap = self.editor.keymap();
        let mut lines: Vec<(String, Option<String>)> = Vec::new();
        if !self.key_faults.is_empty() {
            lines.push(("What keys.toml says and cannot be followed".to_owned(), None));
            lines.extend(self.key_faults.iter().map(|fault| (fault.clone(), Some(String::new()))));
        }
        let mut category = None;
        for info in ACTIONS {
            if category != Some(info.category) {
                category = Some(info.category);
                lines.push((info.category.name().to_owned(), None));
            }
            lines.push((info.name.to_owned(), Some(keymap.written(info.name))));
        }
        lines.push(("Window".to_owned(), None));
        for command in Command::ALL.iter().filter(|command| !keymap.keys(command.name()).is_empty()) {
            lines.push((command.name().to_owned(), Some(keymap.written(command.name()))));
        }
        lines
    }
}
