//! Names that Rust takes.

use std::collections::BTreeSet;

/// Keywords of Rust that may be written as `r#word`.
const KEYWORDS: [&str; 46] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
];
/// Those that may not.
const PATH_KEYWORDS: [&str; 4] = ["crate", "self", "super", "Self"];
/// Other words that a local name should not be, or cannot.
const MORE_KEYWORDS: [&str; 2] = ["while", "yield"];
/// Names that Cargo gives to something else.
const NO_PACKAGES: [&str; 7] = ["hasse", "test", "core", "std", "alloc", "build", "deps"];

fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word) || MORE_KEYWORDS.contains(&word)
}

/// A name of the program as one of Rust; `None` where Rust has no way to write it.
pub(crate) fn identifier(name: &str) -> Option<String> {
    match name {
        _ if PATH_KEYWORDS.contains(&name) => None,
        _ if is_keyword(name) => Some(format!("r#{name}")),
        _ => Some(name.to_owned()),
    }
}

/// A name in lower case with underscores: `DoBTS` becomes `do_bts`.
pub(crate) fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| letters[before]);
        let next = letters.get(place + 1);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
            });
        if begins && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// A name that none of `taken` is, made of `wanted`; it is put there.
pub(crate) fn unique(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = match PATH_KEYWORDS.contains(&wanted) || is_keyword(wanted) {
        true => format!("{wanted}_"),
        false => wanted.to_owned(),
    };
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

/// The name of a Cargo package for a program file whose name without extension is `stem`.
pub(crate) fn package(stem: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let name: String = stem.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
    let is_taken = is_keyword(&name) || PATH_KEYWORDS.contains(&&*name) || NO_PACKAGES.contains(&&*name);
    if is_taken || !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        format!("program-{name}")
    } else {
        name
    }
}

/// A text as a string of Rust: raw where it has several lines or quotes.
pub(crate) fn string(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_control() || letter == '\n' || letter == '\t';
    let is_simple = !text.contains(['\n', '"', '\\']);
    if is_simple || !text.chars().all(is_plain) {
        return format!("{text:?}");
    }
    let n_signs = (0..).find(|n| !text.contains(&format!("\"{}", "#".repeat(*n)))).unwrap_or(0);
    let signs = "#".repeat(n_signs);
    format!("r{signs}\"{text}\"{signs}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_with_underscores() {
        let names = ["DoBTS", "Mult", "BTSolver", "row0", "a_B"];
        assert_eq!(names.map(snake), ["do_bts", "mult", "bt_solver", "row0", "a_b"]);
    }

    #[test]
    fn keywords_are_raw_or_left_out() {
        assert_eq!(identifier("type").as_deref(), Some("r#type"));
        assert_eq!(identifier("self"), None);
        let mut taken = BTreeSet::new();
        assert_eq!(
            ["loop", "loop", "a", "a"].map(|name| unique(name, &mut taken)),
            ["loop_", "loop_2", "a", "a_2"]
        );
    }

    #[test]
    fn packages_have_names_that_cargo_takes() {
        assert_eq!(
            ["bts-bug", "test", "2nd", "ä b"].map(package),
            ["bts-bug", "program-test", "program-2nd", "program---b"]
        );
    }

    #[test]
    fn strings_are_raw_where_that_is_easier_to_read() {
        assert_eq!(string("a <- b"), "\"a <- b\"");
        assert_eq!(string("a\n\"b\"#"), "r##\"a\n\"b\"#\"##");
        assert_eq!(string("a\r\n"), "\"a\\r\\n\"");
    }
}
