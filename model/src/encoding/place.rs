//! Graph instances, actions and indices as bytes.

use super::varint::{Cursor, Malformed, put_bytes, put_delta, put_signed, put_varint};
use crate::event::{ActionRecord, GraphRecord};
use crate::id::{ActionId, CallId, GraphInstanceId, Index, TemplateId};
use crate::key;

/// Appends a graph instance.
pub(crate) fn put_graph(out: &mut Vec<u8>, graph: &GraphRecord) {
    put_varint(out, u64::from(graph.graph.0));
    put_delta(out, u64::from(graph.graph.0), u64::from(graph.parent.0));
    put_varint(out, u64::from(graph.call.0));
    put_index(out, &graph.index);
}

/// Takes a graph instance. A parent is created before its children, so that paths end.
pub(crate) fn take_graph(cursor: &mut Cursor<'_>) -> Result<GraphRecord, Malformed> {
    let graph = cursor.id()?;
    let parent = cursor.id_delta(graph)?;
    if parent >= graph {
        return Err(Malformed("a graph instance is older than its parent"));
    }
    let (graph, parent) = (GraphInstanceId(graph), GraphInstanceId(parent));
    Ok(GraphRecord { graph, parent, call: CallId(cursor.id()?), index: take_index(cursor)? })
}

/// Appends what an action is an instance of.
pub(crate) fn put_action(out: &mut Vec<u8>, action: &ActionRecord) {
    put_varint(out, u64::from(action.template.0));
    put_varint(out, u64::from(action.graph.0));
    put_index(out, &action.index);
}

/// Takes the rest of an action's definition.
pub(crate) fn take_action(cursor: &mut Cursor<'_>, action: ActionId) -> Result<ActionRecord, Malformed> {
    let (template, graph) = (TemplateId(cursor.id()?), GraphInstanceId(cursor.id()?));
    Ok(ActionRecord { action, template, graph, index: take_index(cursor)? })
}

/// Appends an index.
pub(crate) fn put_index(out: &mut Vec<u8>, index: &Index) {
    put_varint(out, index.as_slice().len() as u64);
    for &number in index.as_slice() {
        put_signed(out, number);
        put_key(out, number);
    }
}

/// Appends the text of a number that is a key, as far as it is known; nothing after other numbers.
#[inline]
pub(crate) fn put_key(out: &mut Vec<u8>, number: i64) {
    if key::is_key(number) {
        let text = key::text_of(number);
        put_varint(out, u64::from(text.is_some()));
        if let Some(text) = text {
            put_bytes(out, text.as_bytes());
        }
    }
}

/// Takes the text of a number that is a key, and remembers it.
#[inline]
pub(crate) fn take_key(cursor: &mut Cursor<'_>, number: i64) -> Result<(), Malformed> {
    if key::is_key(number) && cursor.varint()? != 0 {
        match key::key(cursor.text()?) {
            Ok(same) if same == number => {}
            _ => return Err(Malformed("a key has another text than its number says")),
        }
    }
    Ok(())
}

/// Takes an index.
pub(crate) fn take_index(cursor: &mut Cursor<'_>) -> Result<Index, Malformed> {
    let n_numbers = cursor.n_items()?;
    let number = |_| {
        let number = cursor.signed()?;
        take_key(cursor, number)?;
        Ok(number)
    };
    (0..n_numbers).map(number).collect()
}
