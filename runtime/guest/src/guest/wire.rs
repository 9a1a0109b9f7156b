//! Values as bytes: the form in which arrays, maps and structs cross.
//!
//! A value is a tag and what it needs: eight bytes for a number or a length, each in the order of the machine. The names
//! of a struct type stand where it comes first; later values of it tell the position of the type among those seen.

use std::error::Error;
use std::fmt;

/// Deepest nesting of arrays, maps and structs that crosses.
pub const MAX_DEPTH: usize = 256;

/// What a value is.
pub mod tag {
    /// Nothing.
    pub const UNIT: u8 = 0;
    /// A truth value.
    pub const BOOL: u8 = 1;
    /// An integer.
    pub const INT: u8 = 2;
    /// A floating-point number.
    pub const REAL: u8 = 3;
    /// A character.
    pub const CHAR: u8 = 4;
    /// Text.
    pub const STRING: u8 = 5;
    /// Bytes.
    pub const BYTES: u8 = 6;
    /// A vector.
    pub const VECTOR: u8 = 7;
    /// A matrix.
    pub const MATRIX: u8 = 8;
    /// An array, within bytes.
    pub const ARRAY: u8 = 9;
    /// A struct with its names, within bytes.
    pub const NEW_STRUCT: u8 = 10;
    /// A struct of a type that has been seen, within bytes.
    pub const KNOWN_STRUCT: u8 = 11;
    /// A map, within bytes: the number of entries, then each key and its value, sorted by key.
    pub const MAP: u8 = 13;
    /// An array, a map or a struct as bytes; not within them.
    pub const ENCODED: u8 = 12;
}

/// Why a value does not cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The bytes end within it.
    Ended,
    /// Bytes follow it.
    Rest,
    /// A tag or a truth value that is none.
    Tag(u64),
    /// Text that is not UTF-8.
    NotText,
    /// A number that is no character.
    NotChar(u64),
    /// A struct type, a number of fields, keys of a map or a size of a matrix that cannot be.
    Shape,
    /// Arrays, maps and structs nest too deeply.
    TooDeep,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Ended => write!(f, "a value ends too early"),
            WireError::Rest => write!(f, "more bytes than a value has"),
            WireError::Tag(tag) => write!(f, "no kind of value is {tag}"),
            WireError::NotText => write!(f, "text that is not UTF-8"),
            WireError::NotChar(number) => write!(f, "no character is {number}"),
            WireError::Shape => write!(f, "a struct or a matrix of another size than it says"),
            WireError::TooDeep => {
                write!(f, "value of arrays, maps and structs nested in more than {MAX_DEPTH} levels")
            }
        }
    }
}

impl Error for WireError {}

/// Bytes as they are written.
#[derive(Debug, Default)]
pub struct Writer {
    /// Those written.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// A tag or a truth value.
    pub fn put_byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Eight bytes.
    pub fn put_word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_ne_bytes());
    }

    /// Bytes with their number before them.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        self.put_word(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Numbers, without how many they are.
    pub fn put_reals(&mut self, numbers: &[f64]) {
        self.bytes.reserve(size_of_val(numbers));
        numbers.iter().for_each(|number| self.bytes.extend_from_slice(&number.to_ne_bytes()));
    }
}

/// Bytes as they are read: any bytes may be.
#[derive(Debug)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// At the beginning of bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether all has been read.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, n_bytes: usize) -> Result<&'b [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(n_bytes).ok_or(WireError::Ended)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A tag or a truth value.
    pub fn byte(&mut self) -> Result<u8, WireError> {
        let (byte, rest) = self.rest.split_first().ok_or(WireError::Ended)?;
        self.rest = rest;
        Ok(*byte)
    }

    /// Eight bytes.
    pub fn word(&mut self) -> Result<u64, WireError> {
        let (word, rest) = self.rest.split_first_chunk().ok_or(WireError::Ended)?;
        self.rest = rest;
        Ok(u64::from_ne_bytes(*word))
    }

    /// A number of items, of which each takes a byte at least: never more than there are bytes, so that room may be made
    /// for them.
    pub fn len(&mut self) -> Result<usize, WireError> {
        let len = usize::try_from(self.word()?).map_err(|_| WireError::Ended)?;
        if len > self.rest.len() { Err(WireError::Ended) } else { Ok(len) }
    }

    /// Bytes with their number before them.
    pub fn bytes(&mut self) -> Result<&'b [u8], WireError> {
        let len = self.len()?;
        self.take(len)
    }

    /// Text with its number of bytes before it.
    pub fn text(&mut self) -> Result<&'b str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError::NotText)
    }

    /// Numbers.
    pub fn reals(&mut self, n_numbers: usize) -> Result<Vec<f64>, WireError> {
        let n_bytes = n_numbers.checked_mul(size_of::<f64>()).ok_or(WireError::Ended)?;
        let (numbers, _) = self.take(n_bytes)?.as_chunks();
        Ok(numbers.iter().map(|number| f64::from_ne_bytes(*number)).collect())
    }
}
