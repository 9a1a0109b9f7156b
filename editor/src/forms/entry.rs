//! Texts of entries, which may be those of ports that say more.

use toml_edit::{Item, Value};

/// Keys that few nodes have: their fields come after those of the other keys.
pub(super) const RARE: [&str; 10] =
    ["label", "after", "every", "at_once", "priority", "deadline", "cancel", "retry", "backoff", "on_error"];

/// Keys whose values are numbers, or expressions of numbers.
pub(super) const NUMBERS: [&str; 3] = ["at_once", "retry", "priority"];

/// Key of an input port on which values may be left. A unit's form has one field for all its ports, after all others.
pub(super) const LEFT: &str = "left";

/// Key of an input port on which a number of values may wait; its field comes behind that one.
pub(super) const BOUND: &str = "bound";

/// Key of what an input port does when it is full; its field is the last.
pub(super) const FULL: &str = "full";

/// Option of a port, as it is written.
pub(super) fn option_text(item: &Item, key: &str) -> Option<String> {
    let option = item.as_table_like()?.get(key)?;
    match option.as_integer() {
        Some(number) => Some(number.to_string()),
        None => option.as_str().map(str::to_owned),
    }
}

/// An option, to be written: a number, or a text.
pub(super) fn option_value(text: &str) -> Value {
    let text = text.trim();
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

/// Text of an entry: the whole of it, or the type of a port that says more, as `{ type = "int", left = "ok" }`.
pub(crate) fn entry_text(item: &Item) -> Option<&str> {
    item.as_str().or_else(|| item.as_table_like()?.get("type")?.as_str())
}

/// Changes the text of an entry, and leaves what else it says.
pub(crate) fn set_entry_text(item: &mut Item, text: &str) {
    if item.as_str().is_some() {
        put_text(item, text);
    } else if let Some(ty) = item.as_table_like_mut().and_then(|port| port.get_mut("type")) {
        put_text(ty, text);
    }
}

fn put_text(item: &mut Item, text: &str) {
    let decor = item.as_value().map(|value| value.decor().clone());
    *item = Item::Value(Value::from(text));
    if let (Some(value), Some(decor)) = (item.as_value_mut(), decor) {
        *value.decor_mut() = decor;
    }
}
