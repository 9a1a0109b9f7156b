//! Names and types of the parameters of functions, as the page of the library writes them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hasse_model::function::FunctionFacts;

use crate::panels::book;

/// Page whose tables list the functions of the library.
const PAGE: &str = "library.md";

/// Calls of each function with the names and types of their parameters, such as `sub_string(s: string, from: int) -> string`.
fn calls() -> &'static BTreeMap<&'static str, Vec<&'static str>> {
    static CALLS: OnceLock<BTreeMap<&str, Vec<&str>>> = OnceLock::new();
    CALLS.get_or_init(|| {
        let mut calls: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let cells = book::text_of(PAGE).unwrap_or_default().lines().filter_map(|line| {
            let rest = line.strip_prefix("| `")?;
            Some(&line[2..line.len() - rest.len() + rest.find(" | ")?])
        });
        for call in cells.flat_map(|cell| cell.split("<br>")) {
            let Some(call) = call.strip_prefix('`').and_then(|rest| Some(&rest[..rest.find('`')?])) else {
                continue;
            };
            if let Some((name, _)) = call.split_once('(') {
                calls.entry(name).or_default().push(call);
            }
        }
        calls
    })
}

/// Number of parameters of a call.
fn arity(call: &str) -> usize {
    let Some((_, rest)) = call.split_once('(') else { return 0 };
    let mut depth = 0_usize;
    let mut n_commas = 0;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' if depth == 0 => return if rest[..at].trim().is_empty() { 0 } else { n_commas + 1 },
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => n_commas += 1,
            _ => {}
        }
    }
    n_commas + 1
}

/// Calls of a function, joined by `or`. A function that is no part of the library has a letter for each parameter.
pub(super) fn signature(name: &str, facts: &FunctionFacts) -> String {
    let known = calls().get(name).into_iter().flatten();
    let known: Vec<&str> = known.copied().filter(|call| facts.arities.contains(&arity(call))).collect();
    if !known.is_empty() {
        return known.join(" or ");
    }
    let call = |arity: &usize| {
        let letters: Vec<String> = ('a'..='z').map(String::from).take(*arity).collect();
        format!("{name}({})", letters.join(", "))
    };
    facts.arities.iter().map(call).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn library_functions_have_named_parameters() {
        let table = hasse_model::function::FunctionFacts { arities: vec![2, 3], ..FunctionFacts::default() };
        assert!(calls().len() > 100, "{}", calls().len());
        let found = signature("sub_string", &table);
        assert_eq!(
            found,
            "sub_string(s: string, from: int) -> string or sub_string(s: string, from: int, len: int) -> string"
        );
        assert_eq!(signature("mine", &table), "mine(a, b) or mine(a, b, c)");
        assert_eq!((arity("f()"), arity("f(a: T[], b: map)"), arity("f(g: fn(a, b))")), (0, 2, 1));
    }
}
