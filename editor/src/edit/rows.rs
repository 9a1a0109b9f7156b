//! Arrays with one arc or rule a line.
//!
//! In TOML the comment behind an item belongs to what comes next. Here it goes with the item that it stands behind.

use toml_edit::{Array, Item, RawString, TableLike, Value};

use super::error::EditError;
use super::tables::set;

const INDENT: &str = "\n  ";

fn raw(text: Option<&RawString>) -> String {
    text.and_then(RawString::as_str).unwrap_or_default().to_owned()
}

fn prefix(value: &Value) -> String {
    raw(value.decor().prefix())
}

/// Cuts what stands before an item at the end of the line: the comment of the item before, and its own.
fn cut(before: &str) -> (&str, &str) {
    before.find('\n').map_or(("", before), |end| before.split_at(end))
}

/// The texts of the array, each with its position.
pub(crate) fn rows(table: &dyn TableLike, key: &str) -> Vec<(usize, String)> {
    let array = table.get(key).and_then(Item::as_array);
    let values = array.into_iter().flatten().enumerate();
    values.filter_map(|(row, value)| Some((row, value.as_str()?.to_owned()))).collect()
}

/// Whether comments on lines of their own stand between items.
pub(crate) fn is_divided(table: &dyn TableLike, key: &str) -> bool {
    let array = table.get(key).and_then(Item::as_array);
    array.into_iter().flatten().skip(1).any(|value| cut(&prefix(value)).1.contains('#'))
}

fn array_mut<'t>(table: &'t mut dyn TableLike, path: &[&str], key: &str) -> Result<&'t mut Array, EditError> {
    if table.get(key).is_none() {
        set(table, path, key, Item::Value(Value::Array(Array::new())));
    }
    let array = table.get_mut(key).and_then(Item::as_array_mut);
    array.ok_or_else(|| EditError::Form { path: [path, &[key]].concat().join(".") })
}

/// Puts a line in at a position; at the end where there are not so many. The array then has a line for each item.
pub(crate) fn insert(
    table: &mut dyn TableLike,
    path: &[&str],
    key: &str,
    row: usize,
    text: &str,
) -> Result<usize, EditError> {
    let array = array_mut(table, path, key)?;
    spread(array);
    let row = row.min(array.len());
    let mut value = Value::from(text);
    if row == array.len() {
        let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
        let kept = trailing.trim_end_matches([' ', '\t', '\n']);
        value.decor_mut().set_prefix(format!("{kept}{INDENT}"));
        array.set_trailing("\n");
    } else {
        let before = array.get(row).map(prefix).unwrap_or_default();
        let (of_last, own) = cut(&before);
        value.decor_mut().set_prefix(format!("{of_last}{INDENT}"));
        let own = own.to_owned();
        if let Some(next) = array.get_mut(row) {
            next.decor_mut().set_prefix(own);
        }
    }
    array.insert_formatted(row, value);
    array.set_trailing_comma(true);
    Ok(row)
}

/// Makes one line for each item of an array that is written on one line.
fn spread(array: &mut Array) {
    let breaks = |text: &str| text.contains('\n');
    let is_spread = array.iter().any(|value| breaks(&prefix(value)))
        || breaks(array.trailing().as_str().unwrap_or_default());
    if is_spread {
        return;
    }
    for value in array.iter_mut() {
        value.decor_mut().set_prefix(INDENT);
        value.decor_mut().set_suffix("");
    }
    array.set_trailing("\n");
}

/// Changes the text of a line; comments around it stay.
pub(crate) fn replace(
    table: &mut dyn TableLike,
    path: &[&str],
    key: &str,
    row: usize,
    text: &str,
) -> Result<(), EditError> {
    let array = array_mut(table, path, key)?;
    let held = array.get_mut(row).ok_or_else(|| EditError::NoRow { key: key.to_owned(), row })?;
    let decor = held.decor().clone();
    *held = Value::from(text);
    *held.decor_mut() = decor;
    Ok(())
}

/// Removes a line with the comments above and behind it. The key goes where no line is left.
pub(crate) fn remove(
    table: &mut dyn TableLike,
    path: &[&str],
    key: &str,
    row: usize,
) -> Result<(), EditError> {
    let array = array_mut(table, path, key)?;
    let gone = array.get(row).ok_or_else(|| EditError::NoRow { key: key.to_owned(), row })?;
    let before = prefix(gone);
    let of_last = cut(&before).0.to_owned();
    array.remove(row);
    match array.get_mut(row) {
        Some(next) => {
            let before = prefix(next);
            let own = cut(&before).1;
            next.decor_mut().set_prefix(format!("{of_last}{own}"));
        }
        None => {
            let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
            array.set_trailing(format!("{of_last}{}", cut(&trailing).1));
        }
    }
    if array.is_empty() && array.trailing().as_str().unwrap_or_default().trim().is_empty() {
        table.remove(key);
    }
    Ok(())
}

/// What is written about a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Comments {
    /// The lines above it, each with the line feed before it.
    above: String,
    /// What stands behind it.
    behind: String,
}

/// The comments above and behind a line.
pub(super) fn comments(table: &dyn TableLike, key: &str, row: usize) -> Comments {
    let Some(array) = table.get(key).and_then(Item::as_array) else { return Comments::default() };
    let above = array.get(row).map(prefix).unwrap_or_default();
    let next = match array.get(row + 1) {
        Some(next) => prefix(next),
        None => array.trailing().as_str().unwrap_or_default().to_owned(),
    };
    let next = if next.contains('\n') { cut(&next).0.trim_end().to_owned() } else { String::new() };
    Comments { above: cut(&above).1.trim_end().to_owned(), behind: next }
}

/// Puts a line with its comments at the end.
pub(super) fn append(
    table: &mut dyn TableLike,
    path: &[&str],
    key: &str,
    text: &str,
    comments: &Comments,
) -> Result<(), EditError> {
    let row = insert(table, path, key, usize::MAX, text)?;
    let array = array_mut(table, path, key)?;
    if let Some(value) = array.get_mut(row) {
        let before = prefix(value);
        let kept = before.strip_suffix(INDENT).unwrap_or(&before).to_owned();
        value.decor_mut().set_prefix(format!("{kept}{}{INDENT}", comments.above));
    }
    array.set_trailing(format!("{}\n", comments.behind));
    Ok(())
}
