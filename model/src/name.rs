//! Characters of names: those of Unicode identifiers (UAX #31), by the same tables as those of Rhai.

use unicode_xid::UnicodeXID;

/// Returns true if a name may contain the character.
#[inline]
pub fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || character == '_'
        || !character.is_ascii() && character.is_xid_continue()
}

/// Returns true if a name may begin with the character.
#[inline]
pub fn begins_name(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii() && character.is_xid_start()
}

/// Returns true if a text is made like a name: letters, digits and `_`, with a letter first, leading `_` aside.
pub fn is_name(text: &str) -> bool {
    let rest = text.trim_start_matches('_');
    rest.starts_with(|first| begins_name(first) && first != '_') && rest.chars().all(is_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_any_script() {
        for name in ["x", "_x1", "Größe", "計算", "हिन्दी", "x_ñ2", "Ωμέγα"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "_", "1x", "a b", "a-b", "½", "²x", "→", "x→", "🙂", "a.b"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
