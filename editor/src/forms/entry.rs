//! Texts of entries, which may be those of ports that say more.

use toml_edit::{Item, Value};

/// Key of an input port on which values may be left. A unit's form has one field for all its ports, the last one.
pub(super) const LEFT: &str = "left";

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
