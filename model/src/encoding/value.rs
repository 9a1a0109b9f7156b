//! Values as bytes: a tag, then the content; numbers of a vector as they lie in memory, little end
//! first, so that reals keep every bit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::varint::{Cursor, Malformed, put_bytes, put_signed, put_varint};
use crate::value::{MAX_DEPTH, Matrix, StructShape, StructValue, Value};

/// Tag of a struct whose shape follows.
const NEW_SHAPE: u8 = 11;
/// Tag of a struct whose shape stood before in the same value; its number follows.
const KNOWN_SHAPE: u8 = 12;
/// Tag of a map, followed by the number of entries, and by each key and its value, sorted by key.
const MAP: u8 = 13;
/// The error of both sides.
const TOO_DEEP: Malformed = Malformed("arrays, maps and structs nest too deep");

/// Appends a value; `Err` where its arrays, maps and structs nest deeper than [`MAX_DEPTH`].
pub(crate) fn put_value(out: &mut Vec<u8>, value: &Value) -> Result<(), Malformed> {
    put_nested(out, value, &mut Vec::new(), MAX_DEPTH)
}

/// `shapes` are those that the value has named so far, in that order.
fn put_nested<'v>(
    out: &mut Vec<u8>,
    value: &'v Value,
    shapes: &mut Vec<&'v Arc<StructShape>>,
    depth_left: usize,
) -> Result<(), Malformed> {
    if let Value::Struct(held) = value {
        let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
        put_shape(out, held.shape(), shapes);
        return held.fields().iter().try_for_each(|field| put_nested(out, field, shapes, depth_left));
    }
    out.push(tag(value));
    match value {
        Value::Unit | Value::Bool(_) => {}
        Value::Int(number) => put_signed(out, *number),
        Value::Real(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Char(letter) => put_varint(out, u64::from(u32::from(*letter))),
        Value::String(text) => put_bytes(out, text.as_bytes()),
        Value::Bytes(bytes) => put_bytes(out, bytes),
        Value::Vector(entries) => {
            put_varint(out, entries.len() as u64);
            put_reals(out, entries);
        }
        Value::Matrix(matrix) => {
            put_varint(out, matrix.n_rows() as u64);
            put_varint(out, matrix.n_cols() as u64);
            put_reals(out, matrix.entries());
        }
        Value::Array(items) => {
            let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
            put_varint(out, items.len() as u64);
            items.iter().try_for_each(|item| put_nested(out, item, shapes, depth_left))?;
        }
        Value::Map(entries) => {
            let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
            put_varint(out, entries.len() as u64);
            entries.iter().try_for_each(|(key, value)| {
                put_bytes(out, key.as_bytes());
                put_nested(out, value, shapes, depth_left)
            })?;
        }
        Value::Struct(_) => unreachable!("structs are written above"),
    }
    Ok(())
}

/// Appends the tag of a struct and what says which shape it has.
fn put_shape<'v>(out: &mut Vec<u8>, shape: &'v Arc<StructShape>, shapes: &mut Vec<&'v Arc<StructShape>>) {
    let is_same = |known: &&Arc<StructShape>| Arc::ptr_eq(known, shape) || *known == shape;
    if let Some(shape_idx) = shapes.iter().position(is_same) {
        out.push(KNOWN_SHAPE);
        put_varint(out, shape_idx as u64);
        return;
    }
    shapes.push(shape);
    out.push(NEW_SHAPE);
    put_bytes(out, shape.name.as_bytes());
    put_varint(out, shape.fields.len() as u64);
    shape.fields.iter().for_each(|name| put_bytes(out, name.as_bytes()));
}

fn tag(value: &Value) -> u8 {
    match value {
        Value::Unit => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Int(_) => 3,
        Value::Real(_) => 4,
        Value::Char(_) => 5,
        Value::String(_) => 6,
        Value::Bytes(_) => 7,
        Value::Vector(_) => 8,
        Value::Matrix(_) => 9,
        Value::Array(_) => 10,
        Value::Struct(_) => NEW_SHAPE,
        Value::Map(_) => MAP,
    }
}

fn put_reals(out: &mut Vec<u8>, entries: &[f64]) {
    out.reserve(size_of_val(entries));
    entries.iter().for_each(|entry| out.extend_from_slice(&entry.to_le_bytes()));
}

/// Takes one value.
pub(crate) fn take_value(cursor: &mut Cursor<'_>) -> Result<Value, Malformed> {
    take_nested(cursor, &mut Vec::new(), MAX_DEPTH)
}

fn take_nested(
    cursor: &mut Cursor<'_>,
    shapes: &mut Vec<Arc<StructShape>>,
    depth_left: usize,
) -> Result<Value, Malformed> {
    Ok(match cursor.byte()? {
        0 => Value::Unit,
        1 => Value::Bool(false),
        2 => Value::Bool(true),
        3 => Value::Int(cursor.signed()?),
        4 => Value::Real(take_reals(cursor, 1)?[0]),
        5 => Value::Char(char::from_u32(cursor.id()?).ok_or(Malformed("a character is none"))?),
        6 => Value::String(Arc::from(cursor.text()?)),
        7 => Value::Bytes(Arc::new(cursor.bytes()?.to_vec())),
        8 => {
            let n_entries = cursor.varint()?;
            Value::Vector(Arc::new(take_reals(cursor, n_entries)?))
        }
        9 => {
            let (n_rows, n_cols) = (cursor.varint()?, cursor.varint()?);
            let n_entries = n_rows.checked_mul(n_cols).ok_or(Malformed("a matrix is too large"))?;
            let entries = take_reals(cursor, n_entries)?;
            let matrix = Matrix::from_columns(n_rows as usize, n_cols as usize, entries);
            Value::Matrix(Arc::new(matrix.ok_or(Malformed("a matrix is too large"))?))
        }
        10 => {
            let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
            let n_items = cursor.n_items()?;
            let items: Result<Vec<_>, _> =
                (0..n_items).map(|_| take_nested(cursor, shapes, depth_left)).collect();
            Value::Array(Arc::new(items?))
        }
        tag @ (NEW_SHAPE | KNOWN_SHAPE) => {
            let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
            let shape = if tag == NEW_SHAPE {
                let shape = take_shape(cursor)?;
                shapes.push(Arc::clone(&shape));
                shape
            } else {
                let shape_idx = usize::try_from(cursor.varint()?).unwrap_or(usize::MAX);
                Arc::clone(shapes.get(shape_idx).ok_or(Malformed("a struct has an unknown shape"))?)
            };
            let fields: Result<Vec<_>, _> =
                shape.fields.iter().map(|_| take_nested(cursor, shapes, depth_left)).collect();
            let held = StructValue::new(Arc::clone(&shape), fields?);
            Value::Struct(Arc::new(held.expect("a value was taken for each field")))
        }
        MAP => {
            let depth_left = depth_left.checked_sub(1).ok_or(TOO_DEEP)?;
            let n_entries = cursor.n_items()?;
            let mut entries = BTreeMap::new();
            for _ in 0..n_entries {
                let key: Arc<str> = Arc::from(cursor.text()?);
                if entries.last_key_value().is_some_and(|(last, _)| *last >= key) {
                    return Err(Malformed("the keys of a map are not in order"));
                }
                entries.insert(key, take_nested(cursor, shapes, depth_left)?);
            }
            Value::Map(Arc::new(entries))
        }
        _ => return Err(Malformed("a value has an unknown type")),
    })
}

fn take_shape(cursor: &mut Cursor<'_>) -> Result<Arc<StructShape>, Malformed> {
    let name = Arc::from(cursor.text()?);
    let n_fields = cursor.n_items()?;
    let fields: Result<Vec<_>, _> = (0..n_fields).map(|_| cursor.text().map(Arc::from)).collect();
    Ok(Arc::new(StructShape { name, fields: fields? }))
}

fn take_reals(cursor: &mut Cursor<'_>, n_entries: u64) -> Result<Vec<f64>, Malformed> {
    let n_bytes = n_entries.checked_mul(8).filter(|&n_bytes| n_bytes <= cursor.0.len() as u64);
    let bytes = cursor.slice(n_bytes.ok_or(Malformed("a vector is longer than the data"))? as usize)?;
    let (chunks, _) = bytes.as_chunks::<8>();
    Ok(chunks.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Int(1), |inner, _| Value::Array(Arc::new(vec![inner])))
    }

    #[test]
    fn depth_is_bounded_on_both_sides() {
        let mut out = Vec::new();
        put_value(&mut out, &nested(MAX_DEPTH)).expect("deep enough");
        assert_eq!(take_value(&mut Cursor(&out)), Ok(nested(MAX_DEPTH)));
        assert!(put_value(&mut Vec::new(), &nested(MAX_DEPTH + 1)).is_err());
        assert!(take_value(&mut Cursor(&[10, 1].repeat(100_000))).is_err());
    }

    #[test]
    fn a_shape_is_written_once_for_a_value() {
        let shape = Arc::new(StructShape { name: "Block".into(), fields: vec!["row".into()] });
        let block = |row| {
            let held = StructValue::new(Arc::clone(&shape), vec![Value::Int(row)]).expect("one field");
            Value::Struct(Arc::new(held))
        };
        let blocks = Value::Array(Arc::new(vec![block(1), block(2), block(3)]));
        let mut out = Vec::new();
        put_value(&mut out, &blocks).expect("flat");
        assert_eq!(take_value(&mut Cursor(&out)), Ok(blocks));
        assert_eq!(out.windows(5).filter(|bytes| *bytes == b"Block").count(), 1);
    }

    #[test]
    fn structs_that_are_none_are_refused() {
        // A shape that was never named; one with a field and no value for it; nesting without end.
        assert!(take_value(&mut Cursor(&[KNOWN_SHAPE, 0])).is_err());
        assert!(take_value(&mut Cursor(&[NEW_SHAPE, 1, b'S', 1, 1, b'f'])).is_err());
        let endless = [NEW_SHAPE, 1, b'S', 1, 1, b'f'].into_iter().chain([KNOWN_SHAPE, 0].repeat(100_000));
        assert!(take_value(&mut Cursor(&endless.collect::<Vec<_>>())).is_err());
    }

    #[test]
    fn hostile_sizes_allocate_nothing() {
        for head in [&[8u8][..], &[9, 1], &[9], &[10], &[6], &[7], &[11], &[11, 0], &[12], &[13]] {
            let mut bytes = head.to_vec();
            put_varint(&mut bytes, u64::MAX);
            bytes.extend([1, 2, 3]);
            assert!(take_value(&mut Cursor(&bytes)).is_err());
        }
    }

    #[test]
    fn keys_are_written_in_order_and_read_in_order_only() {
        let inner = Value::Map(Arc::new(BTreeMap::from([("x".into(), Value::Int(1))])));
        let map = Value::Map(Arc::new(BTreeMap::from([("b".into(), inner), ("".into(), Value::Unit)])));
        let mut out = Vec::new();
        put_value(&mut out, &map).expect("flat");
        assert_eq!(take_value(&mut Cursor(&out)), Ok(map));
        for keys in [[b'b', b'a'], [b'a', b'a']] {
            let bytes = [MAP, 2, 1, keys[0], 0, 1, keys[1], 0];
            assert!(take_value(&mut Cursor(&bytes)).is_err());
        }
        assert!(take_value(&mut Cursor(&[MAP, 1, 1, b'k'].repeat(100_000))).is_err());
    }

    #[test]
    fn a_matrix_without_columns_keeps_its_rows() {
        let matrix = Matrix::from_columns(5, 0, Vec::new()).map(|matrix| Value::Matrix(Arc::new(matrix)));
        let matrix = matrix.expect("no entries");
        let mut out = Vec::new();
        put_value(&mut out, &matrix).expect("flat");
        assert_eq!(take_value(&mut Cursor(&out)), Ok(matrix));
    }
}
