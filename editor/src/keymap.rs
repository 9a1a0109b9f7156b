//! Keys of commands, and the file in which a user says so.
//!
//! The file has a line for each command that is to have other keys than the usual ones: its name as in the menus, and a key, a list
//! of keys, or an empty list for none. A key that is given to one command is taken from the one that had it.

use std::ops::Range;

use hasse_compiler::nearest;
use toml_edit::{Document, Item};

use crate::state::action::{ACTIONS, Action};
use crate::state::input::{Key, Modifiers, Shortcut};

/// A command with its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    name: &'static str,
    keys: Vec<Shortcut>,
    /// True where its keys mean it also while a text field has the focus.
    is_everywhere: bool,
}

/// A command of the window beside the actions of the editor: its name, and its usual key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowCommand {
    /// Its name in menus.
    pub name: &'static str,
    /// Its key; `None` without one.
    pub key: Option<Shortcut>,
}

/// A line of the file that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFault {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub message: String,
}

/// Keys of all commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    bound: Vec<Bound>,
}

impl Keymap {
    /// The usual keys of all actions and of commands of the window.
    pub fn usual(commands: impl IntoIterator<Item = WindowCommand>) -> Self {
        let actions = ACTIONS.iter().map(|info| Bound {
            name: info.name,
            keys: info.shortcuts.to_vec(),
            is_everywhere: false,
        });
        let commands = commands.into_iter().map(|command| Bound {
            name: command.name,
            keys: command.key.into_iter().collect(),
            is_everywhere: true,
        });
        Self { bound: actions.chain(commands).collect() }
    }

    /// The keys of a command, by its name in menus.
    pub fn keys(&self, name: &str) -> &[Shortcut] {
        self.bound.iter().find(|bound| bound.name == name).map_or(&[], |bound| &bound.keys)
    }

    /// Returns true if there is a command with this name.
    pub fn has(&self, name: &str) -> bool {
        self.bound.iter().any(|bound| bound.name == name)
    }

    /// The first key of a command as it is written; empty without one.
    pub fn first(&self, name: &str) -> String {
        self.keys(name).first().map(ToString::to_string).unwrap_or_default()
    }

    /// All keys of a command as they are written.
    pub fn written(&self, name: &str) -> String {
        let keys: Vec<String> = self.keys(name).iter().map(ToString::to_string).collect();
        keys.join(", ")
    }

    /// The name of the command that a key means.
    pub fn name_of(&self, key: Key, modifiers: Modifiers) -> Option<&'static str> {
        let is_it = |bound: &&Bound| bound.keys.iter().any(|own| own.is_pressed(key, modifiers));
        self.bound.iter().find(is_it).map(|bound| bound.name)
    }

    /// The action that a key means.
    pub fn action(&self, key: Key, modifiers: Modifiers) -> Option<Action> {
        let name = self.name_of(key, modifiers)?;
        ACTIONS.iter().find(|info| info.name == name).map(|info| info.action)
    }

    /// Takes up what a user's file says; returns the lines that cannot be followed, which change nothing.
    pub fn read(&mut self, text: &str) -> Vec<KeyFault> {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let line = line_of(text, error.span());
                let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
                return vec![KeyFault { line, message }];
            }
        };
        let mut faults = Vec::new();
        let mut given: Vec<(Shortcut, &'static str)> = Vec::new();
        let table = document.as_table();
        for (name, item) in table.iter() {
            let line = line_of(text, table.key(name).and_then(|key| key.span()));
            if let Err(message) = self.give(name, item, &mut given) {
                faults.push(KeyFault { line, message });
            }
        }
        faults
    }

    fn give(
        &mut self,
        name: &str,
        item: &Item,
        given: &mut Vec<(Shortcut, &'static str)>,
    ) -> Result<(), String> {
        let plain = |name: &str| name.trim_end_matches("...").trim().to_lowercase();
        let at = self.bound.iter().position(|bound| plain(bound.name) == plain(name));
        let Some(at) = at else {
            let known = self.bound.iter().map(|bound| bound.name.trim_end_matches("..."));
            let help = match nearest(name, known) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => "; the list of keys (F1) names all commands".to_owned(),
            };
            return Err(format!("there is no command `{name}`{help}"));
        };
        let keys = keys_of(item)?;
        let (own, is_everywhere) = (self.bound[at].name, self.bound[at].is_everywhere);
        for key in &keys {
            let is_typed = !key.modifiers.ctrl && !key.modifiers.alt && !matches!(key.key, Key::F(_));
            if is_everywhere && is_typed {
                return Err(format!(
                    "`{key}` is typed into fields: `{own}` needs a key with Ctrl or Alt, or F1 to F24"
                ));
            }
            if let Some((_, other)) = given.iter().find(|(known, other)| known == key && *other != own) {
                return Err(format!("`{key}` is given to `{other}` already"));
            }
        }
        for bound in &mut self.bound {
            bound.keys.retain(|key| !keys.contains(key));
        }
        given.extend(keys.iter().map(|key| (*key, own)));
        self.bound[at].keys = keys;
        Ok(())
    }
}

/// The keys that an item of the file names.
fn keys_of(item: &Item) -> Result<Vec<Shortcut>, String> {
    let fault = || "a key is a text such as \"Ctrl+T\", several are a list of such".to_owned();
    if let Some(text) = item.as_str() {
        return Ok(vec![text.parse()?]);
    }
    let array = item.as_array().ok_or_else(fault)?;
    array.iter().map(|value| value.as_str().ok_or_else(fault)?.parse()).collect()
}

fn line_of(text: &str, span: Option<Range<usize>>) -> usize {
    let start = span.map_or(0, |span| span.start.min(text.len()));
    text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap() -> Keymap {
        let run = WindowCommand { name: "Run", key: Some(Shortcut::plain(Key::F(5))) };
        Keymap::usual([run, WindowCommand { name: "Keys...", key: None }])
    }

    #[test]
    fn keys_of_the_file_take_the_place_of_the_usual_ones() {
        let mut keymap = keymap();
        let text = "# mine\n\"Tidy all\" = \"Ctrl+T\"\nrun = [\"ctrl+enter\", \"F5\"]\nDelete = []\n\"keys\" = \"Ctrl+Z\"\n";
        assert_eq!(keymap.read(text), []);
        assert_eq!(keymap.written("Tidy all"), "Ctrl+T");
        assert_eq!(keymap.written("Run"), "Ctrl+Enter, F5");
        assert_eq!(keymap.action(Key::Char('t'), Modifiers::CTRL), Some(Action::TidyAll));
        assert_eq!(keymap.action(Key::Char('l'), Modifiers::NONE), None);
        assert_eq!(keymap.action(Key::Delete, Modifiers::NONE), None);
        // Undo has lost its key to the list of keys.
        assert_eq!(keymap.name_of(Key::Char('z'), Modifiers::CTRL), Some("Keys..."));
        assert_eq!(keymap.keys("Undo"), []);
    }

    #[test]
    fn lines_that_cannot_be_followed_are_told_and_change_nothing() {
        let mut read = keymap();
        let text = "\"Tidy al\" = \"Ctrl+T\"\n\nUndo = \"Ctrl+Foo\"\nRedo = 3\nRun = \"r\"\nCopy = \"F7\"\nCut = \"F7\"\n";
        let faults: Vec<String> =
            read.read(text).into_iter().map(|fault| format!("{}: {}", fault.line, fault.message)).collect();
        assert_eq!(
            faults,
            [
                "1: there is no command `Tidy al`; did you mean `Tidy all`?",
                "3: `Ctrl+Foo` is no key: `Foo` is none",
                "4: a key is a text such as \"Ctrl+T\", several are a list of such",
                "5: `R` is typed into fields: `Run` needs a key with Ctrl or Alt, or F1 to F24",
                "7: `F7` is given to `Copy` already",
            ]
        );
        let mut expected = keymap();
        expected.read("Copy = \"F7\"");
        assert_eq!(read, expected);
        let faults = keymap().read("Undo = \"Ctrl+Z\"\nRedo\n");
        assert_eq!((faults.len(), faults[0].line), (1, 2), "{faults:?}");
    }
}
