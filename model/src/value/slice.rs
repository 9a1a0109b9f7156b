//! Parts of values: an item or a range of each dimension, as in `a[10..20]`, `m[0..3, 2]` and `m[.., 5]`.
//!
//! A dimension that is given a number is left out of what comes out, one that is given a range stays: the part
//! `[.., 5]` of a matrix is a vector, `[0..3, 5..6]` a matrix with one column.

use std::fmt;
use std::sync::Arc;

use super::kind::Value;
use super::matrix::Matrix;

/// What is wanted of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The item at a position from 0; the dimension is gone afterwards.
    One(i64),
    /// The items from `low` on below `high`; without a bound, from the first, or to the last.
    Range {
        /// First position.
        low: Option<i64>,
        /// Position behind the last.
        high: Option<i64>,
    },
}

impl Side {
    /// The whole dimension: `..`.
    pub const ALL: Self = Side::Range { low: None, high: None };
}

/// Writes the side as a user does.
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::One(position) => write!(f, "{position}"),
            Side::Range { low, high } => {
                low.iter().try_for_each(|low| write!(f, "{low}"))?;
                f.write_str("..")?;
                high.iter().try_for_each(|high| write!(f, "{high}"))
            }
        }
    }
}

/// Why a value has no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// It has nothing to take parts of.
    #[error("{shape} has no items")]
    NoItems {
        /// The value's type and shape.
        shape: String,
    },
    /// It has fewer dimensions.
    #[error("{shape} has {expected}, and {n_given} are given")]
    Dimensions {
        /// The value's type and shape.
        shape: String,
        /// The dimensions that it has, in words.
        expected: &'static str,
        /// How many are given.
        n_given: usize,
    },
    /// A position is outside.
    #[error("`{side}` is outside of {shape}")]
    Outside {
        /// The side that does not fit.
        side: Side,
        /// The value's type and shape.
        shape: String,
    },
}

impl Value {
    /// Type and extent in words: `a matrix of 3 x 4`, `an array of 7 items`, `an int`.
    pub fn shape_text(&self) -> String {
        let counted = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        match self {
            Value::Unit => "()".to_owned(),
            Value::Int(_) => "an int".to_owned(),
            Value::Bool(_) | Value::Real(_) | Value::Char(_) => format!("a {}", self.type_name()),
            Value::String(text) => {
                format!("a string of {}", counted(text.chars().count(), "character", "characters"))
            }
            Value::Bytes(bytes) => counted(bytes.len(), "byte", "bytes"),
            Value::Vector(entries) => {
                format!("a vector of {}", counted(entries.len(), "entry", "entries"))
            }
            Value::Matrix(matrix) => format!("a matrix of {} x {}", matrix.n_rows(), matrix.n_cols()),
            Value::Array(items) => format!("an array of {}", counted(items.len(), "item", "items")),
            Value::Struct(held) => format!("a struct {}", held.shape().name),
            Value::Map(entries) => format!("a map of {}", counted(entries.len(), "key", "keys")),
        }
    }

    /// The part of the value that the sides name, one side for each dimension: one of vectors, strings (in
    /// characters) and bytes, two of matrices (rows, columns), and of arrays one, and then those of their items.
    /// Without a side it is the value itself. Cost: linear in the part.
    ///
    /// # Errors
    /// The value has no items, other dimensions, or nothing at a position.
    pub fn part(&self, sides: &[Side]) -> Result<Value, SliceError> {
        let Some((&side, rest)) = sides.split_first() else { return Ok(self.clone()) };
        let one_only = || {
            let expected = "one dimension";
            if rest.is_empty() { Ok(()) } else { Err(self.other_dimensions(expected, sides.len())) }
        };
        match self {
            Value::Array(items) => match self.span(side, items.len())? {
                Span::One(position) => items[position].part(rest),
                Span::Range(low, high) => {
                    let parts: Result<Vec<_>, _> =
                        items[low..high].iter().map(|item| item.part(rest)).collect();
                    parts.map(|parts| Value::Array(Arc::new(parts)))
                }
            },
            Value::Vector(entries) => {
                one_only()?;
                Ok(match self.span(side, entries.len())? {
                    Span::One(position) => Value::Real(entries[position]),
                    Span::Range(low, high) => Value::Vector(Arc::new(entries[low..high].to_vec())),
                })
            }
            Value::Bytes(bytes) => {
                one_only()?;
                Ok(match self.span(side, bytes.len())? {
                    Span::One(position) => Value::Int(i64::from(bytes[position])),
                    Span::Range(low, high) => Value::Bytes(Arc::new(bytes[low..high].to_vec())),
                })
            }
            Value::String(text) => {
                one_only()?;
                let letters = || text.chars();
                Ok(match self.span(side, letters().count())? {
                    Span::One(position) => Value::Char(letters().nth(position).unwrap_or_default()),
                    Span::Range(low, high) => {
                        let part: String = letters().skip(low).take(high - low).collect();
                        Value::String(Arc::from(part))
                    }
                })
            }
            Value::Matrix(matrix) => match rest {
                [] => self.part_of_matrix(matrix, side, Side::ALL),
                [cols] => self.part_of_matrix(matrix, side, *cols),
                _ => Err(self.other_dimensions("two dimensions", sides.len())),
            },
            Value::Unit
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Real(_)
            | Value::Char(_)
            | Value::Struct(_)
            | Value::Map(_) => Err(SliceError::NoItems { shape: self.shape_text() }),
        }
    }

    fn part_of_matrix(&self, matrix: &Matrix, rows: Side, cols: Side) -> Result<Value, SliceError> {
        let (rows, cols) = (self.span(rows, matrix.n_rows())?, self.span(cols, matrix.n_cols())?);
        let n_rows = matrix.n_rows();
        let (row_range, col_range) = (rows.range(), cols.range());
        let mut entries = Vec::with_capacity(row_range.len() * col_range.len());
        for col in col_range.clone() {
            let column = &matrix.entries()[col * n_rows..(col + 1) * n_rows];
            entries.extend_from_slice(&column[row_range.clone()]);
        }
        Ok(match (rows, cols) {
            (Span::One(_), Span::One(_)) => Value::Real(entries[0]),
            (Span::One(_), Span::Range(..)) | (Span::Range(..), Span::One(_)) => {
                Value::Vector(Arc::new(entries))
            }
            (Span::Range(..), Span::Range(..)) => {
                let part = Matrix::from_columns(row_range.len(), col_range.len(), entries);
                Value::Matrix(Arc::new(part.expect("an entry for each row and column")))
            }
        })
    }

    fn span(&self, side: Side, n_items: usize) -> Result<Span, SliceError> {
        let position = |number: i64| usize::try_from(number).ok();
        let found = match side {
            Side::One(number) => position(number).filter(|&at| at < n_items).map(Span::One),
            Side::Range { low, high } => {
                let low = low.map_or(Some(0), position);
                let high = high.map_or(Some(n_items), position).filter(|&high| high <= n_items);
                low.zip(high).filter(|(low, high)| low <= high).map(|(low, high)| Span::Range(low, high))
            }
        };
        found.ok_or_else(|| SliceError::Outside { side, shape: self.shape_text() })
    }

    fn other_dimensions(&self, expected: &'static str, n_given: usize) -> SliceError {
        SliceError::Dimensions { shape: self.shape_text(), expected, n_given }
    }
}

/// A side that is within its dimension.
#[derive(Clone, Copy)]
enum Span {
    One(usize),
    /// From the first on below the second.
    Range(usize, usize),
}

impl Span {
    fn range(self) -> std::ops::Range<usize> {
        match self {
            Span::One(position) => position..position + 1,
            Span::Range(low, high) => low..high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Value {
        let entries = (0..12).map(f64::from).collect();
        Value::Matrix(Arc::new(Matrix::from_columns(3, 4, entries).expect("twelve entries")))
    }

    fn range(low: i64, high: i64) -> Side {
        Side::Range { low: Some(low), high: Some(high) }
    }

    #[test]
    fn a_number_takes_a_dimension_away_and_a_range_keeps_it() {
        let vector = |entries: &[f64]| Value::Vector(Arc::new(entries.to_vec()));
        assert_eq!(matrix().part(&[Side::ALL, Side::One(1)]), Ok(vector(&[3.0, 4.0, 5.0])));
        assert_eq!(matrix().part(&[Side::One(2), range(1, 3)]), Ok(vector(&[5.0, 8.0])));
        assert_eq!(matrix().part(&[Side::One(2), Side::One(3)]), Ok(Value::Real(11.0)));
        assert_eq!(matrix().part(&[Side::One(0)]), Ok(vector(&[0.0, 3.0, 6.0, 9.0])));
        let Ok(Value::Matrix(part)) = matrix().part(&[range(0, 2), range(1, 2)]) else { panic!("a matrix") };
        assert_eq!((part.n_rows(), part.n_cols(), part.entries()), (2, 1, &[3.0, 4.0][..]));
    }

    #[test]
    fn arrays_hand_further_sides_to_their_items() {
        let rows =
            (0..3).map(|row| Value::Array(Arc::new((0..4).map(|c| Value::Int(10 * row + c)).collect())));
        let rows = Value::Array(Arc::new(rows.collect()));
        assert_eq!(rows.part(&[Side::One(1), Side::One(2)]), Ok(Value::Int(12)));
        let column = rows.part(&[range(1, 3), Side::One(0)]).map(|part| part.to_string());
        assert_eq!(column.as_deref(), Ok("[10, 20]"));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let text = Value::String(Arc::from("äöü€"));
        assert_eq!(text.part(&[range(1, 3)]).map(|part| part.to_string()).as_deref(), Ok("\"öü\""));
        assert_eq!(text.part(&[Side::One(3)]), Ok(Value::Char('€')));
    }

    #[test]
    fn what_is_not_there_is_told_with_the_shape() {
        let told = |value: Value, sides: &[Side]| value.part(sides).expect_err("nothing there").to_string();
        let long = Value::Vector(Arc::new(vec![0.0; 10]));
        assert_eq!(told(long.clone(), &[range(8, 11)]), "`8..11` is outside of a vector of 10 entries");
        assert_eq!(told(long.clone(), &[range(4, 2)]), "`4..2` is outside of a vector of 10 entries");
        assert_eq!(told(long.clone(), &[Side::One(-1)]), "`-1` is outside of a vector of 10 entries");
        assert_eq!(told(matrix(), &[Side::ALL, Side::One(4)]), "`4` is outside of a matrix of 3 x 4");
        assert_eq!(
            told(long, &[Side::ALL, Side::ALL]),
            "a vector of 10 entries has one dimension, and 2 are given"
        );
        assert_eq!(told(Value::Int(3), &[Side::ALL]), "an int has no items");
    }
}
