//! Keys as the toolkit tells them, for the editor's keymap.

use hasse_editor::state::input::{Key, Modifiers};
use slint::platform::Key as SlintKey;

/// The key that a key event's text stands for; `None` for modifiers alone and keys that nothing is bound to.
pub(crate) fn key(text: &str) -> Option<Key> {
    let mut letters = text.chars();
    let (letter, None) = (letters.next()?, letters.next()) else { return None };
    let named = [
        (SlintKey::Return, Key::Enter),
        (SlintKey::Escape, Key::Escape),
        (SlintKey::Tab, Key::Tab),
        (SlintKey::Backtab, Key::Tab),
        (SlintKey::Backspace, Key::Backspace),
        (SlintKey::Delete, Key::Delete),
        (SlintKey::Home, Key::Home),
        (SlintKey::LeftArrow, Key::Left),
        (SlintKey::RightArrow, Key::Right),
        (SlintKey::UpArrow, Key::Up),
        (SlintKey::DownArrow, Key::Down),
    ];
    if let Some((_, key)) = named.iter().find(|(slint, _)| char::from(*slint) == letter) {
        return Some(*key);
    }
    let first = u32::from(char::from(SlintKey::F1));
    if let Some(number) = u32::from(letter).checked_sub(first).filter(|number| *number < 24) {
        return u8::try_from(number + 1).ok().map(Key::F);
    }
    match letter {
        ' ' => Some(Key::Space),
        // Ctrl, Shift and Alt themselves, which the toolkit tells as control characters, too.
        '\u{10}'..='\u{18}' => None,
        // With Ctrl, some systems tell the control character.
        '\u{1}'..='\u{1a}' => char::from_u32(u32::from(letter) + u32::from('a') - 1).map(Key::Char),
        letter if letter.is_control() || ('\u{f700}'..='\u{f8ff}').contains(&letter) => None,
        letter => Some(Key::Char(letter)),
    }
}

/// Modifiers, with Shift where the key is Tab backwards.
pub(crate) fn modifiers(text: &str, shift: bool, ctrl: bool, alt: bool) -> Modifiers {
    let is_back = text.starts_with(char::from(SlintKey::Backtab));
    Modifiers { shift: shift || is_back, ctrl, alt }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: SlintKey) -> String {
        char::from(key).to_string()
    }

    #[test]
    fn keys_are_those_of_the_keymap() {
        assert_eq!(key("a"), Some(Key::Char('a')));
        assert_eq!(key("Z"), Some(Key::Char('Z')));
        assert_eq!(key(&text(SlintKey::Delete)), Some(Key::Delete));
        assert_eq!(key(&text(SlintKey::F5)), Some(Key::F(5)));
        assert_eq!(key(&text(SlintKey::F12)), Some(Key::F(12)));
        assert_eq!(key("\n"), Some(Key::Enter));
        assert_eq!(key("\u{1a}"), Some(Key::Char('z')));
        let modifiers_alone =
            [SlintKey::Control, SlintKey::ControlR, SlintKey::Shift, SlintKey::ShiftR, SlintKey::Alt];
        for alone in modifiers_alone.into_iter().chain([SlintKey::AltGr, SlintKey::CapsLock, SlintKey::Meta])
        {
            assert_eq!(key(&text(alone)), None, "{alone:?}");
        }
        assert_eq!(key(&text(SlintKey::PageUp)), None);
        assert_eq!(key("ab"), None);
        assert!(modifiers(&text(SlintKey::Backtab), false, false, false).shift);
    }
}
