//! Expressions, rules and bodies of a node: looked through and rewritten, with the spelling of their strings kept.

use std::ops::Range;

use hasse_compiler::{delay_keywords, rule_ports};
use toml_edit::{Item, TableLike, Value};

use crate::rust_text::rust_of;

/// Rewrites the expressions of a node. `rewrite` is given each text and the ranges in it that are no expression: names of
/// ports, types. A body in Rust is left as it is: see [`rewrite_rust`].
pub(super) fn rewrite(table: &mut dyn TableLike, mut rewrite: impl FnMut(&str, &[Range<usize>]) -> String) {
    let mut one = |value: &mut Value, kept: Kept| {
        let Some(text) = value.as_str().map(str::to_owned) else { return };
        let new = rewrite(&text, &kept(&text));
        if new != text {
            set_text(value, &new);
        }
    };
    for key in ["init", "do", "at_once", "retry"] {
        if let Some(value) = table.get_mut(key).and_then(Item::as_value_mut) {
            one(value, |_| Vec::new());
        }
    }
    for key in TIMES {
        if let Some(value) = table.get_mut(key).and_then(Item::as_value_mut) {
            one(value, unit_of_time);
        }
    }
    for key in ["fire", "route", "on_error"] {
        if let Some(rules) = table.get_mut(key).and_then(Item::as_array_mut) {
            rules.iter_mut().for_each(|rule| one(rule, rule_words));
        }
    }
    // One rule may be alone, without an array.
    if let Some(rule) = table.get_mut("on_error").and_then(Item::as_value_mut) {
        one(rule, rule_words);
    }
    for (key, kept) in ENTRIES {
        let Some(entries) = table.get_mut(key).and_then(Item::as_table_like_mut) else { continue };
        for (_, item) in entries.iter_mut() {
            if let Some(value) = item.as_value_mut() {
                one(value, kept);
            }
        }
    }
    let inputs = table.get_mut("in").and_then(Item::as_table_like_mut);
    for (_, port) in inputs.into_iter().flat_map(|inputs| inputs.iter_mut()) {
        let bound = port.as_table_like_mut().and_then(|port| port.get_mut("bound"));
        if let Some(value) = bound.and_then(Item::as_value_mut) {
            one(value, |_| Vec::new());
        }
    }
}

/// Rewrites the body of a node that is a text in Rust.
pub(super) fn rewrite_rust(table: &mut dyn TableLike, rewrite: impl FnOnce(&str) -> String) {
    let Some(new) = rust_body(table).map(|text| (rewrite(text), text)).filter(|(new, text)| new != text)
    else {
        return;
    };
    let new = new.0;
    let body = table.get_mut("do").and_then(Item::as_table_like_mut);
    if let Some(value) = body.and_then(|body| body.get_mut("rust")).and_then(Item::as_value_mut) {
        set_text(value, &new);
    }
}

/// The body of a node, where it is a text in Rust.
pub(super) fn rust_body(table: &dyn TableLike) -> Option<&str> {
    table.get("do").and_then(rust_of)
}

/// Whether the body of a node is one of which no text is known, so that it may use any name.
pub(super) fn has_unknown_body(table: &dyn TableLike) -> bool {
    table.get("do").is_some_and(|body| body.as_str().is_none() && rust_of(body).is_none())
}

/// All expressions of a node, bodies in Rust aside; names of ports and types are blanked out in them.
pub(super) fn texts(table: &dyn TableLike) -> Vec<String> {
    let mut all = Vec::new();
    let mut add = |text: Option<&str>, kept: Kept| {
        let Some(text) = text else { return };
        let mut blanked = text.to_owned();
        for range in kept(text) {
            blanked.replace_range(range.clone(), &" ".repeat(range.len()));
        }
        all.push(blanked);
    };
    for key in ["init", "do", "at_once", "retry"] {
        add(table.get(key).and_then(Item::as_str), |_| Vec::new());
    }
    for key in TIMES {
        add(table.get(key).and_then(Item::as_str), unit_of_time);
    }
    for key in ["fire", "route", "on_error"] {
        let rules = table.get(key).and_then(Item::as_array).into_iter().flatten();
        rules.for_each(|rule| add(rule.as_str(), rule_words));
    }
    add(table.get("on_error").and_then(Item::as_str), rule_words);
    for (key, kept) in ENTRIES {
        let entries = table.get(key).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        entries.for_each(|(_, item)| add(item.as_str(), kept));
    }
    let inputs = table.get("in").and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
    let bounds = inputs.filter_map(|(_, port)| port.as_table_like()?.get("bound"));
    bounds.for_each(|bound| add(bound.as_str(), |_| Vec::new()));
    all
}

/// Finds what is no expression in a text.
type Kept = fn(&str) -> Vec<Range<usize>>;

/// Tables whose entries hold expressions.
const ENTRIES: [(&str, Kept); 2] = [("vars", words_of_type), ("args", |_| Vec::new())];

/// Keys that hold times.
const TIMES: [&str; 4] = ["after", "every", "deadline", "backoff"];

/// The unit of a time such as `10 * n ms`.
fn unit_of_time(time: &str) -> Vec<Range<usize>> {
    let end = time.trim_end().len();
    let start = time[..end].trim_end_matches(|character: char| character.is_ascii_alphabetic()).len();
    std::iter::once(start..end).collect()
}

/// The words of the type in `TYPE = EXPR`.
fn words_of_type(declaration: &str) -> Vec<Range<usize>> {
    let end = declaration.find('=').unwrap_or(declaration.len());
    super::words::values(declaration).into_iter().filter(|range| range.start < end).collect()
}

/// Ports and keywords of a rule, which are no expressions.
fn rule_words(rule: &str) -> Vec<Range<usize>> {
    [rule_ports(rule), delay_keywords(rule)].concat()
}

/// Gives a string another text: several lines stay a literal of several lines.
pub(super) fn set_text(value: &mut Value, text: &str) {
    let Value::String(held) = &*value else { return };
    let written = held.as_repr().and_then(|repr| repr.as_raw().as_str()).unwrap_or_default();
    let literal = if written.starts_with("'''") {
        Some(format!("'''\n{text}'''"))
    } else if written.starts_with('\'') {
        Some(format!("'{text}'"))
    } else {
        None
    };
    let kept = literal.and_then(|literal| literal.parse::<Value>().ok());
    let decor = value.decor().clone();
    *value = kept.filter(|kept| kept.as_str() == Some(text)).unwrap_or_else(|| Value::from(text));
    *value.decor_mut() = decor;
}
