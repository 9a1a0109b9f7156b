//! Names that a body may change for its routing rules.
//!
//! The compiler refuses assignments to parameters and index numbers, but a `let` may hide their names, and methods change
//! arrays in place. The body's text decides, read word by word: a name that may be changed counts as unknown.

use hasse_model::name::is_of_name;
use hasse_model::plan::{Body, Plan, SlotKind, Template};
use hasse_model::value::Type;

/// Returns for each slot of a template whether its value is that of the parameter, index or rule in routing rules, too.
pub(crate) fn kept_slots(plan: &Plan, template: &Template) -> Vec<bool> {
    let body = match &template.body {
        Some(Body::Script(script)) => plan.scripts.get(script.idx()).map_or("", |script| &script.text),
        Some(Body::Native { .. }) | None => "",
    };
    let init = template.init.and_then(|init| plan.scripts.get(init.idx())).map_or("", |script| &script.text);
    let words: Vec<&str> = words(body).into_iter().chain(words(init)).collect();
    let is_kept = |name: &str, ty: &Type| {
        let is_scalar = matches!(ty, Type::Int | Type::Real | Type::Bool | Type::Char);
        !(0..words.len()).any(|at| words[at] == name && changes(&words, at, is_scalar))
    };
    template
        .slots
        .iter()
        .map(|slot| match slot.kind {
            SlotKind::Param | SlotKind::Index | SlotKind::Rule | SlotKind::Count => {
                is_kept(&slot.name, &slot.ty)
            }
            SlotKind::Var | SlotKind::Shared | SlotKind::Bound | SlotKind::Let => false,
        })
        .collect()
}

/// Returns whether a name at a position may be changed there.
fn changes(words: &[&str], at: usize, is_scalar: bool) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words[before]);
    let [next, second] = [1, 2].map(|by| words.get(at + by).copied().unwrap_or_default());
    match (before, next) {
        ("let" | "const", _) => true,
        // A method of the program may assign `this`.
        (_, ".") if is_scalar => words.contains(&"fn"),
        _ if is_scalar => false,
        (_, ".") => second != "len",
        _ => true,
    }
}

/// Words and signs of a text, without spaces.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = is_of_name;
        let length = match is_word(first) {
            true => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(word);
        }
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, is_scalar: bool, expected: bool) {
        let words = words(body);
        let found = (0..words.len()).any(|at| words[at] == "n" && changes(&words, at, is_scalar));
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn scalars_are_changed_by_let_and_methods_of_the_program() {
        check("let x = n + 1; for k in 0..n { x += k }", true, false);
        check("let n = 3;", true, true);
        check("let  n=3;", true, true);
        check("let an = n.abs();", true, false);
        check("fn more() { this += 1 } n.more();", true, true);
    }

    #[test]
    fn arrays_are_changed_wherever_they_are_handed_on() {
        check("let x = n.len() + n.len;", false, false);
        check("n.push(3)", false, true);
        check("push(n, 3)", false, true);
        check("let an = 3; an.push(3)", false, false);
    }
}
