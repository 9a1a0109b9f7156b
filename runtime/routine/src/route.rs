//! Ways into objects: paths whose steps have been checked against the types of the objects.
//!
//! Both tiers read and write through the functions here, but for entries of vectors and matrices, which machine
//! code finds by itself.

use std::sync::Arc;

use hasse_model::plan::routine::{Kind, Measure};
use hasse_model::value::{StructType, Value};

use crate::journal::Journal;

/// A path that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// Position of the object.
    pub(crate) object_idx: usize,
    /// From the object inwards.
    pub(crate) ways: Vec<Way>,
    /// How many operands the steps take together.
    pub(crate) n_operands: usize,
    /// Which of the common cases it is.
    pub(crate) shape: Shape,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// An item of an array.
    Item,
    /// An entry of a vector.
    Entry,
    /// An entry of a matrix.
    Cell,
    /// A field of a struct of that type.
    Field(usize, StructType),
}

/// The cases that machine code has instructions for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An entry of an object that is a vector.
    Entry,
    /// An entry of an object that is a matrix.
    Cell,
    /// An object that is a vector, as a whole.
    Vector,
    /// An object that is a matrix, as a whole.
    Matrix,
    /// An object that is an array, as a whole.
    Array,
    /// Any other way.
    Other,
}

/// Where a way ends.
enum End<'a> {
    /// At a value.
    Value(&'a Value),
    /// At an entry of a vector or matrix.
    Entry(f64),
}

impl Route {
    /// The scalar at the end as a word; `None` where there is none of that kind.
    pub(crate) fn get(&self, objects: &[Value], operands: &[u64], kind: Kind) -> Option<u64> {
        match self.end(objects.get(self.object_idx)?, operands)? {
            End::Entry(entry) => (kind == Kind::Real).then_some(entry.to_bits()),
            End::Value(value) => word_of(value, kind),
        }
    }

    /// The size of what is at the end; `None` where it has none.
    pub(crate) fn measure(&self, objects: &[Value], operands: &[u64], measure: Measure) -> Option<u64> {
        if self.shape != Shape::Other && matches!(objects.get(self.object_idx)?, Value::Unit) {
            // One of the routine's own that holds nothing yet.
            return self.has(measure).then_some(0);
        }
        let End::Value(value) = self.end(objects.get(self.object_idx)?, operands)? else { return None };
        let size = match (measure, value) {
            (Measure::Len, Value::Array(items)) => items.len(),
            (Measure::Len, Value::Vector(entries)) => entries.len(),
            (Measure::Rows, Value::Matrix(matrix)) => matrix.n_rows(),
            (Measure::Cols, Value::Matrix(matrix)) => matrix.n_cols(),
            _ => return None,
        };
        Some(size as u64)
    }

    /// Writes the scalar at the end, having told the journal; `None`, with nothing written, where there is none of that
    /// kind.
    pub(crate) fn set(
        &self,
        objects: &mut [Value],
        journal: &mut Journal,
        operands: &[u64],
        kind: Kind,
        word: u64,
    ) -> Option<()> {
        self.get(objects, operands, kind)?;
        let object = objects.get_mut(self.object_idx)?;
        journal.before_write(self.object_idx, object, self.outer_place(object, operands));
        write(object, &self.ways, operands, kind, word)
    }

    /// The position of what the object itself holds on this way; `None` where that is the object.
    pub(crate) fn outer_place(&self, object: &Value, operands: &[u64]) -> Option<usize> {
        place(self.ways.first()?, object, operands)
    }

    /// What stands at the end; `None` where nothing does, or an entry of a vector or matrix.
    pub(crate) fn part<'a>(&self, objects: &'a [Value], operands: &[u64]) -> Option<&'a Value> {
        match self.end(objects.get(self.object_idx)?, operands)? {
            End::Value(value) => Some(value),
            End::Entry(_) => None,
        }
    }

    /// A copy of what stands at the end.
    pub(crate) fn copied(&self, objects: &[Value], operands: &[u64]) -> Option<Value> {
        Some(match self.end(objects.get(self.object_idx)?, operands)? {
            End::Value(value) => value.clone(),
            End::Entry(entry) => Value::Real(entry),
        })
    }

    /// What stands at the end, to be changed; `None` where nothing does, or an entry of a vector or matrix.
    pub(crate) fn part_mut<'a>(&self, objects: &'a mut [Value], operands: &[u64]) -> Option<&'a mut Value> {
        let mut value = objects.get_mut(self.object_idx)?;
        let mut operands = operands;
        for way in &self.ways {
            let place = place(way, value, operands)?;
            value = match (way, value) {
                (Way::Item, Value::Array(items)) => &mut Arc::make_mut(items)[place],
                (Way::Field(..), Value::Struct(held)) => &mut Arc::make_mut(held).fields_mut()[place],
                _ => return None,
            };
            operands = &operands[way.n_operands()..];
        }
        Some(value)
    }

    /// Whether what stands at the end is of a type that has such a size.
    fn has(&self, measure: Measure) -> bool {
        matches!(
            (measure, self.shape),
            (Measure::Len, Shape::Vector | Shape::Array) | (Measure::Rows | Measure::Cols, Shape::Matrix)
        )
    }

    fn end<'a>(&self, object: &'a Value, operands: &[u64]) -> Option<End<'a>> {
        if matches!(object, Value::Unit) {
            return None;
        }
        let mut value = object;
        let mut operands = operands;
        for way in &self.ways {
            let place = place(way, value, operands)?;
            value = match (way, value) {
                (Way::Item, Value::Array(items)) => &items[place],
                (Way::Field(..), Value::Struct(held)) => &held.fields()[place],
                (Way::Entry, Value::Vector(entries)) => return Some(End::Entry(entries[place])),
                (Way::Cell, Value::Matrix(matrix)) => return Some(End::Entry(matrix.entries()[place])),
                _ => return None,
            };
            operands = &operands[way.n_operands()..];
        }
        Some(End::Value(value))
    }
}

impl Way {
    fn n_operands(&self) -> usize {
        match self {
            Way::Item | Way::Entry => 1,
            Way::Cell => 2,
            Way::Field(..) => 0,
        }
    }
}

/// The position that a step leads to within a value; `None` where it leads nowhere.
fn place(way: &Way, value: &Value, operands: &[u64]) -> Option<usize> {
    match (way, value) {
        (Way::Item, Value::Array(items)) => item_place(items.len(), operands[0].cast_signed()),
        (Way::Entry, Value::Vector(entries)) => at_most(operands[0], entries.len()),
        (Way::Cell, Value::Matrix(matrix)) => {
            let row = at_most(operands[0], matrix.n_rows())?;
            let col = at_most(operands[1], matrix.n_cols())?;
            Some(col * matrix.n_rows() + row)
        }
        (Way::Field(field_idx, ty), Value::Struct(held)) => {
            (ty.is_type_of(held.shape()) && *field_idx < held.fields().len()).then_some(*field_idx)
        }
        _ => None,
    }
}

/// A word as a position below `len`; negative numbers are none.
fn at_most(word: u64, len: usize) -> Option<usize> {
    usize::try_from(word).ok().filter(|&place| place < len)
}

/// The position of an item by number, which counts from the end where it is negative.
fn item_place(len: usize, number: i64) -> Option<usize> {
    if number >= 0 {
        at_most(number.cast_unsigned(), len)
    } else {
        len.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)
    }
}

/// Writes at the end of a way that is known to lead to a scalar of that kind.
fn write(value: &mut Value, ways: &[Way], operands: &[u64], kind: Kind, word: u64) -> Option<()> {
    let Some((way, further)) = ways.split_first() else {
        *value = value_of(kind, word);
        return Some(());
    };
    let place = place(way, value, operands)?;
    let inner = match (way, value) {
        (Way::Item, Value::Array(items)) => &mut Arc::make_mut(items)[place],
        (Way::Field(..), Value::Struct(held)) => &mut Arc::make_mut(held).fields_mut()[place],
        (Way::Entry, Value::Vector(entries)) => {
            Arc::make_mut(entries)[place] = f64::from_bits(word);
            return Some(());
        }
        (Way::Cell, Value::Matrix(matrix)) => {
            Arc::make_mut(matrix).entries_mut()[place] = f64::from_bits(word);
            return Some(());
        }
        _ => return None,
    };
    write(inner, further, &operands[way.n_operands()..], kind, word)
}

/// A scalar value as a word, if it is of that kind.
pub(crate) fn word_of(value: &Value, kind: Kind) -> Option<u64> {
    match (kind, value) {
        (Kind::Int, Value::Int(number)) => Some(number.cast_unsigned()),
        (Kind::Real, Value::Real(number)) => Some(number.to_bits()),
        (Kind::Bool, Value::Bool(flag)) => Some(u64::from(*flag)),
        _ => None,
    }
}

/// A word as a value.
pub(crate) fn value_of(kind: Kind, word: u64) -> Value {
    match kind {
        Kind::Int => Value::Int(word.cast_signed()),
        Kind::Real => Value::Real(f64::from_bits(word)),
        Kind::Bool => Value::Bool(word != 0),
    }
}
