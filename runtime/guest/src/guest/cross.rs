//! Values across the boundary, written once for those of the host and those of the guest.
//!
//! Scalars cross in a [`RawValue`] itself; text, bytes, vectors and matrices by a pointer to what they hold; arrays,
//! maps and structs as bytes (`wire`). Each is copied once, by its receiver.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::abi::{RawValue, slice};
use super::wire::{MAX_DEPTH, Reader, WireError, Writer, tag};

/// A value as it is looked at.
pub enum View<'v, V: Crossing> {
    Unit,
    Bool(bool),
    Int(i64),
    Real(f64),
    Char(char),
    String(&'v str),
    Bytes(&'v [u8]),
    Vector(&'v [f64]),
    /// Rows, columns, and entries column after column.
    Matrix(usize, usize, &'v [f64]),
    Array(&'v [V]),
    /// Its type, and one value for each field.
    Struct(&'v V::Shape, &'v [V]),
    Map(&'v BTreeMap<Arc<str>, V>),
}

/// What a value is made of.
pub enum Parts<'b, V: Crossing> {
    Unit,
    Bool(bool),
    Int(i64),
    Real(f64),
    Char(char),
    String(&'b str),
    Bytes(&'b [u8]),
    Vector(Vec<f64>),
    /// Rows, columns, and entries column after column.
    Matrix(usize, usize, Vec<f64>),
    Array(Vec<V>),
    Struct(V::Shape, Vec<V>),
    Map(BTreeMap<Arc<str>, V>),
}

/// A value of either side.
pub trait Crossing: Sized {
    /// Names of a struct type and of its fields.
    type Shape: Clone + PartialEq;

    /// Looks at it.
    fn view(&self) -> View<'_, Self>;

    /// Makes one; `None` where sizes do not fit each other.
    fn make(parts: Parts<'_, Self>) -> Option<Self>;

    /// A struct type.
    fn shape(name: Arc<str>, fields: Vec<Arc<str>>) -> Self::Shape;

    /// The names of a struct type.
    fn names(shape: &Self::Shape) -> (&str, &[Arc<str>]);
}

/// Lends a value out as it crosses.
///
/// # Errors
/// It nests too deeply.
pub fn with_raw<V: Crossing, R>(value: &V, lend: impl FnOnce(&RawValue) -> R) -> Result<R, WireError> {
    let scalar = |tag, bits| raw(tag, bits, 0, &[] as &[u8]);
    let raw = match value.view() {
        View::Unit => scalar(tag::UNIT, 0),
        View::Bool(flag) => scalar(tag::BOOL, u64::from(flag)),
        View::Int(number) => scalar(tag::INT, number as u64),
        View::Real(number) => scalar(tag::REAL, number.to_bits()),
        View::Char(letter) => scalar(tag::CHAR, u64::from(u32::from(letter))),
        View::String(text) => raw(tag::STRING, 0, 0, text.as_bytes()),
        View::Bytes(bytes) => raw(tag::BYTES, 0, 0, bytes),
        View::Vector(entries) => raw(tag::VECTOR, 0, 0, entries),
        View::Matrix(n_rows, n_cols, entries) => raw(tag::MATRIX, n_rows as u64, n_cols as u64, entries),
        View::Array(_) | View::Struct(..) | View::Map(_) => {
            let bytes = encode(value)?;
            return Ok(lend(&raw(tag::ENCODED, 0, 0, &bytes)));
        }
    };
    Ok(lend(&raw))
}

fn raw<T>(tag: u8, first: u64, second: u64, items: &[T]) -> RawValue {
    let data = items.as_ptr().cast::<c_void>();
    RawValue { tag: u32::from(tag), first, second, data, len: items.len() }
}

/// Takes a value over.
///
/// # Safety
/// `data` and `len` are those of items as the tag says, which nobody writes during the call.
///
/// # Errors
/// It is none.
pub unsafe fn from_raw<V: Crossing>(raw: &RawValue) -> Result<V, WireError> {
    let is_tag = |tag: &u8| u32::from(*tag) == raw.tag;
    let known = (tag::UNIT..=tag::ENCODED).find(is_tag).ok_or(WireError::Tag(raw.tag.into()))?;
    // SAFETY: the caller's promise, where the tag is one of items that are bytes.
    let bytes = || unsafe { slice(raw.data.cast::<u8>(), raw.len) };
    // SAFETY: the caller's promise, where the tag is one of items that are numbers.
    let entries = || unsafe { slice(raw.data.cast::<f64>(), raw.len) }.to_vec();
    let size = |word| usize::try_from(word).map_err(|_| WireError::Shape);
    let parts = match known {
        tag::UNIT => Parts::Unit,
        tag::BOOL => Parts::Bool(flag(raw.first)?),
        tag::INT => Parts::Int(raw.first as i64),
        tag::REAL => Parts::Real(f64::from_bits(raw.first)),
        tag::CHAR => Parts::Char(letter(raw.first)?),
        tag::STRING => Parts::String(std::str::from_utf8(bytes()).map_err(|_| WireError::NotText)?),
        tag::BYTES => Parts::Bytes(bytes()),
        tag::VECTOR => Parts::Vector(entries()),
        tag::MATRIX => Parts::Matrix(size(raw.first)?, size(raw.second)?, entries()),
        tag::ENCODED => return decode(bytes()),
        other => return Err(WireError::Tag(other.into())),
    };
    V::make(parts).ok_or(WireError::Shape)
}

fn flag(word: u64) -> Result<bool, WireError> {
    match word {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(WireError::Tag(other)),
    }
}

fn letter(word: u64) -> Result<char, WireError> {
    let letter = u32::try_from(word).ok().and_then(char::from_u32);
    letter.ok_or(WireError::NotChar(word))
}

/// A value as bytes.
///
/// # Errors
/// It nests too deeply.
pub fn encode<V: Crossing>(value: &V) -> Result<Vec<u8>, WireError> {
    let mut encoder = Encoder::<V> { out: Writer::default(), shapes: Vec::new() };
    encoder.put(value, MAX_DEPTH)?;
    Ok(encoder.out.bytes)
}

/// A value from bytes.
///
/// # Errors
/// They are none.
pub fn decode<V: Crossing>(bytes: &[u8]) -> Result<V, WireError> {
    let mut decoder = Decoder::<V> { from: Reader::new(bytes), shapes: Vec::new() };
    let value = decoder.take(MAX_DEPTH)?;
    if decoder.from.is_at_end() { Ok(value) } else { Err(WireError::Rest) }
}

struct Encoder<V: Crossing> {
    out: Writer,
    /// Struct types seen.
    shapes: Vec<V::Shape>,
}

impl<V: Crossing> Encoder<V> {
    fn put(&mut self, value: &V, depth_left: usize) -> Result<(), WireError> {
        let below = depth_left.checked_sub(1).ok_or(WireError::TooDeep);
        let out = &mut self.out;
        match value.view() {
            View::Unit => out.put_byte(tag::UNIT),
            View::Bool(flag) => {
                out.put_byte(tag::BOOL);
                out.put_byte(u8::from(flag));
            }
            View::Int(number) => {
                out.put_byte(tag::INT);
                out.put_word(number as u64);
            }
            View::Real(number) => {
                out.put_byte(tag::REAL);
                out.put_word(number.to_bits());
            }
            View::Char(letter) => {
                out.put_byte(tag::CHAR);
                out.put_word(u64::from(u32::from(letter)));
            }
            View::String(text) => {
                out.put_byte(tag::STRING);
                out.put_bytes(text.as_bytes());
            }
            View::Bytes(bytes) => {
                out.put_byte(tag::BYTES);
                out.put_bytes(bytes);
            }
            View::Vector(entries) => {
                out.put_byte(tag::VECTOR);
                out.put_word(entries.len() as u64);
                out.put_reals(entries);
            }
            View::Matrix(n_rows, n_cols, entries) => {
                out.put_byte(tag::MATRIX);
                out.put_word(n_rows as u64);
                out.put_word(n_cols as u64);
                out.put_reals(entries);
            }
            View::Array(items) => {
                let below = below?;
                out.put_byte(tag::ARRAY);
                out.put_word(items.len() as u64);
                items.iter().try_for_each(|item| self.put(item, below))?;
            }
            View::Map(entries) => {
                let below = below?;
                out.put_byte(tag::MAP);
                out.put_word(entries.len() as u64);
                entries.iter().try_for_each(|(key, value)| {
                    self.out.put_bytes(key.as_bytes());
                    self.put(value, below)
                })?;
            }
            View::Struct(shape, fields) => {
                let below = below?;
                self.put_shape(shape);
                fields.iter().try_for_each(|field| self.put(field, below))?;
            }
        }
        Ok(())
    }

    fn put_shape(&mut self, shape: &V::Shape) {
        if let Some(shape_idx) = self.shapes.iter().position(|seen| seen == shape) {
            self.out.put_byte(tag::KNOWN_STRUCT);
            self.out.put_word(shape_idx as u64);
            return;
        }
        let (name, fields) = V::names(shape);
        self.out.put_byte(tag::NEW_STRUCT);
        self.out.put_bytes(name.as_bytes());
        self.out.put_word(fields.len() as u64);
        fields.iter().for_each(|field| self.out.put_bytes(field.as_bytes()));
        self.shapes.push(shape.clone());
    }
}

struct Decoder<'b, V: Crossing> {
    from: Reader<'b>,
    /// Struct types seen.
    shapes: Vec<V::Shape>,
}

impl<V: Crossing> Decoder<'_, V> {
    fn take(&mut self, depth_left: usize) -> Result<V, WireError> {
        let below = depth_left.checked_sub(1).ok_or(WireError::TooDeep);
        let from = &mut self.from;
        let parts = match from.byte()? {
            tag::UNIT => Parts::Unit,
            tag::BOOL => Parts::Bool(flag(from.byte()?.into())?),
            tag::INT => Parts::Int(from.word()? as i64),
            tag::REAL => Parts::Real(f64::from_bits(from.word()?)),
            tag::CHAR => Parts::Char(letter(from.word()?)?),
            tag::STRING => Parts::String(from.text()?),
            tag::BYTES => Parts::Bytes(from.bytes()?),
            tag::VECTOR => {
                let n_entries = from.len()?;
                Parts::Vector(from.reals(n_entries)?)
            }
            tag::MATRIX => {
                let mut size = || usize::try_from(from.word()?).map_err(|_| WireError::Shape);
                let (n_rows, n_cols) = (size()?, size()?);
                let n_entries = n_rows.checked_mul(n_cols).ok_or(WireError::Shape)?;
                Parts::Matrix(n_rows, n_cols, from.reals(n_entries)?)
            }
            tag::ARRAY => {
                let n_items = from.len()?;
                Parts::Array(self.values(n_items, below?)?)
            }
            tag::MAP => {
                let below = below?;
                let n_entries = from.len()?;
                let mut entries = BTreeMap::new();
                for _ in 0..n_entries {
                    let key: Arc<str> = self.from.text()?.into();
                    if entries.last_key_value().is_some_and(|(last, _)| *last >= key) {
                        return Err(WireError::Shape);
                    }
                    entries.insert(key, self.take(below)?);
                }
                Parts::Map(entries)
            }
            tag::NEW_STRUCT => {
                let name = Arc::from(from.text()?);
                let n_fields = from.len()?;
                let mut fields = Vec::with_capacity(n_fields);
                for _ in 0..n_fields {
                    fields.push(Arc::from(from.text()?));
                }
                let shape = V::shape(name, fields);
                self.shapes.push(shape.clone());
                self.of_shape(shape, below?)?
            }
            tag::KNOWN_STRUCT => {
                let shape_idx = usize::try_from(from.word()?).map_err(|_| WireError::Shape)?;
                let shape = self.shapes.get(shape_idx).ok_or(WireError::Shape)?.clone();
                self.of_shape(shape, below?)?
            }
            other => return Err(WireError::Tag(other.into())),
        };
        V::make(parts).ok_or(WireError::Shape)
    }

    fn of_shape<'p>(&mut self, shape: V::Shape, depth_left: usize) -> Result<Parts<'p, V>, WireError> {
        let n_fields = V::names(&shape).1.len();
        let fields = self.values(n_fields, depth_left)?;
        Ok(Parts::Struct(shape, fields))
    }

    fn values(&mut self, n_values: usize, depth_left: usize) -> Result<Vec<V>, WireError> {
        // Bytes that are those of no value would decide how much room is made.
        const MOST_ROOM: usize = 4096;
        let mut values = Vec::with_capacity(n_values.min(MOST_ROOM));
        for _ in 0..n_values {
            values.push(self.take(depth_left)?);
        }
        Ok(values)
    }
}

/// Drops what something panicked with, which may panic when it is dropped, and so may what that panics with.
pub fn discard(panic: Box<dyn Any + Send>) {
    const MOST: usize = 8;
    let mut left = panic;
    for _ in 0..MOST {
        match catch_unwind(AssertUnwindSafe(|| drop(left))) {
            Ok(()) => return,
            Err(again) => left = again,
        }
    }
    mem::forget(left);
}
