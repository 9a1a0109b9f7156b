//! Events of mouse and keyboard as a window tells them, and the keys of actions.

use std::fmt;

use crate::drawing::geometry::Point;

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    /// Selects and drags.
    Left,
    /// Pans.
    Middle,
    /// Opens menus; with Ctrl, cuts wires.
    Right,
}

/// Keys that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Shift.
    pub shift: bool,
    /// Ctrl; Command on a Mac.
    pub ctrl: bool,
    /// Alt.
    pub alt: bool,
}

impl Modifiers {
    /// None.
    pub const NONE: Self = Self { shift: false, ctrl: false, alt: false };
    /// Shift alone.
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    /// Ctrl alone.
    pub const CTRL: Self = Self { ctrl: true, ..Self::NONE };
    /// Alt alone.
    pub const ALT: Self = Self { alt: true, ..Self::NONE };
}

/// What the mouse does. Places count logical pixels from the canvas's upper left corner; while a button is held they may
/// lie outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerEvent {
    /// A button goes down.
    Down {
        /// Where.
        at: Point,
        /// Which.
        button: Button,
        /// Keys held.
        modifiers: Modifiers,
        /// 1 for a click, 2 for a double click; more are clicks.
        clicks: u8,
    },
    /// The mouse moves.
    Move {
        /// Where it is now.
        at: Point,
        /// Keys held.
        modifiers: Modifiers,
    },
    /// A button goes up.
    Up {
        /// Where.
        at: Point,
        /// Which.
        button: Button,
        /// Keys held.
        modifiers: Modifiers,
    },
    /// The wheel turns.
    Wheel {
        /// Where the mouse is.
        at: Point,
        /// By how many pixels a page would move; above 0 what lies to the left or above comes in.
        delta: Point,
        /// Keys held.
        modifiers: Modifiers,
    },
    /// The mouse leaves the canvas.
    Leave,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// One that writes a character, as it is written with the modifiers held.
    Char(char),
    /// The space bar.
    Space,
    /// Enter or Return.
    Enter,
    /// Escape.
    Escape,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Home.
    Home,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// A function key.
    F(u8),
}

/// A key with modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortcut {
    /// The key; letters in lower case.
    pub key: Key,
    /// What is held with it.
    pub modifiers: Modifiers,
}

impl Shortcut {
    /// A key alone.
    pub const fn plain(key: Key) -> Self {
        Self { key, modifiers: Modifiers::NONE }
    }

    /// A key with Shift.
    pub const fn shift(key: Key) -> Self {
        Self { key, modifiers: Modifiers::SHIFT }
    }

    /// A key with Ctrl.
    pub const fn ctrl(key: Key) -> Self {
        Self { key, modifiers: Modifiers::CTRL }
    }

    /// A key with Ctrl and Shift.
    pub const fn ctrl_shift(key: Key) -> Self {
        Self { key, modifiers: Modifiers { shift: true, ctrl: true, alt: false } }
    }

    /// A key with Alt.
    pub const fn alt(key: Key) -> Self {
        Self { key, modifiers: Modifiers::ALT }
    }

    /// A key with Alt and Shift.
    pub const fn alt_shift(key: Key) -> Self {
        Self { key, modifiers: Modifiers { shift: true, ctrl: false, alt: true } }
    }

    /// Whether it is pressed. Of signs, Shift does not count: keyboards need it for different ones.
    pub fn is_pressed(self, key: Key, modifiers: Modifiers) -> bool {
        let (key, is_sign) = match key {
            Key::Char(letter) => {
                let lower = letter.to_lowercase().next().unwrap_or(letter);
                (Key::Char(lower), !letter.is_alphabetic())
            }
            key => (key, false),
        };
        let (own, held) = (self.modifiers, modifiers);
        key == self.key
            && own.ctrl == held.ctrl
            && own.alt == held.alt
            && (is_sign || own.shift == held.shift)
    }
}

/// Writes `Ctrl+Shift+Z`.
impl fmt::Display for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { shift, ctrl, alt } = self.modifiers;
        for (is_held, name) in [(ctrl, "Ctrl+"), (alt, "Alt+"), (shift, "Shift+")] {
            if is_held {
                f.write_str(name)?;
            }
        }
        match self.key {
            Key::Char(letter) => write!(f, "{}", letter.to_uppercase()),
            Key::Space => f.write_str("Space"),
            Key::Enter => f.write_str("Enter"),
            Key::Escape => f.write_str("Esc"),
            Key::Tab => f.write_str("Tab"),
            Key::Backspace => f.write_str("Backspace"),
            Key::Delete => f.write_str("Del"),
            Key::Home => f.write_str("Home"),
            Key::Left => f.write_str("Left"),
            Key::Right => f.write_str("Right"),
            Key::Up => f.write_str("Up"),
            Key::Down => f.write_str("Down"),
            Key::F(number) => write!(f, "F{number}"),
        }
    }
}

/// Reads `Ctrl+Shift+Z`; capitals do not count.
impl std::str::FromStr for Shortcut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut modifiers = Modifiers::NONE;
        let mut rest = text.trim();
        // The key may be a plus itself.
        while let Some((word, after)) =
            rest.split_once('+').filter(|(word, after)| !word.is_empty() && !after.is_empty())
        {
            match word.trim().to_lowercase().as_str() {
                "ctrl" => modifiers.ctrl = true,
                "alt" => modifiers.alt = true,
                "shift" => modifiers.shift = true,
                word => return Err(format!("`{text}` is no key: `{word}` is not Ctrl, Alt or Shift")),
            }
            rest = after.trim();
        }
        let key = key_named(rest).ok_or_else(|| format!("`{text}` is no key: `{rest}` is none"))?;
        Ok(Self { key, modifiers })
    }
}

/// The key of a name; `None` of Escape and the space bar, too, which have their meaning.
fn key_named(name: &str) -> Option<Key> {
    let lower = name.to_lowercase();
    let named = [
        ("enter", Key::Enter),
        ("tab", Key::Tab),
        ("backspace", Key::Backspace),
        ("del", Key::Delete),
        ("delete", Key::Delete),
        ("home", Key::Home),
        ("left", Key::Left),
        ("right", Key::Right),
        ("up", Key::Up),
        ("down", Key::Down),
    ];
    if let Some((_, key)) = named.into_iter().find(|(known, _)| *known == lower) {
        return Some(key);
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|number| number.parse::<u8>().ok()) {
        return (1..=24).contains(&number).then_some(Key::F(number));
    }
    let mut letters = lower.chars();
    let letter = letters.next().filter(|letter| !letter.is_whitespace() && !letter.is_control())?;
    letters.next().is_none().then_some(Key::Char(letter))
}

#[cfg(test)]
mod tests {
    use super::super::action::ACTIONS;
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for shortcut in ACTIONS.iter().flat_map(|info| info.shortcuts) {
            assert_eq!(shortcut.to_string().parse(), Ok(*shortcut), "{shortcut}");
        }
        assert_eq!("alt + shift+f12".parse(), Ok(Shortcut::alt_shift(Key::F(12))));
        for wrong in ["", "Ctrl+", "Hyper+A", "Ctrl+Esc", "F25", "Space", "ab"] {
            assert!(wrong.parse::<Shortcut>().is_err(), "{wrong}");
        }
    }
}
