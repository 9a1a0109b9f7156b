//! Keys: texts as index numbers, such as that of `/Group["berlin"]`.
//!
//! The number of a key is a hash of its text, so that it is the same in all runs and all programs. A table of the process remembers the
//! texts: whoever prints an index finds the text of a number there. Traces hold the texts of the keys in them.

use std::fmt::{self, Write};
use std::sync::{Arc, LazyLock};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

/// Numbers of keys are those from here to `i64::MAX`.
const FIRST: i64 = 1 << 62;

/// Tables, by the last bits of the number, so that threads seldom wait for each other.
const N_TABLES: usize = 64;

type Table = RwLock<FxHashMap<i64, Arc<str>>>;

static TABLES: LazyLock<[Table; N_TABLES]> = LazyLock::new(|| std::array::from_fn(|_| Table::default()));

/// Two different texts have the same number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the keys {first:?} and {second:?} have the same number; write one of them in another way")]
pub struct SameNumber {
    /// The text that was used first.
    pub first: String,
    /// The other one.
    pub second: String,
}

/// Returns true if a number is that of a key, or might be.
#[inline]
pub fn is_key(number: i64) -> bool {
    number >= FIRST
}

/// Returns the number of a key, and remembers its text until the process ends.
///
/// # Errors
/// Another text has the same number: the probability among a million keys is about 1 : 10,000,000.
pub fn key(text: &str) -> Result<i64, SameNumber> {
    let number = FIRST | (hash(text.as_bytes()) >> 2) as i64;
    let table = table_of(number);
    let known = table.read().get(&number).cloned();
    let known =
        known.unwrap_or_else(|| Arc::clone(table.write().entry(number).or_insert_with(|| Arc::from(text))));
    match &*known == text {
        true => Ok(number),
        false => Err(SameNumber { first: known.to_string(), second: text.to_owned() }),
    }
}

/// Returns the text of a key; `None` of a number that is no key known here.
pub fn text_of(number: i64) -> Option<Arc<str>> {
    if !is_key(number) {
        return None;
    }
    table_of(number).read().get(&number).cloned()
}

fn table_of(number: i64) -> &'static Table {
    &TABLES[number as usize % N_TABLES]
}

/// FNV-1a (Fowler, Noll and Vo 1991) with the finalizer of MurmurHash3 (Appleby 2011), as FNV alone leaves the first bits of short texts alike.
fn hash(bytes: &[u8]) -> u64 {
    let mut state = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |state, &byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    state = (state ^ (state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state = (state ^ (state >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    state ^ (state >> 33)
}

/// An index number as it is written: the text of a key in quotes, else the number.
///
/// Characters that have a meaning in paths are written as `\u{2f}`, so that a path can be cut at them.
pub fn shown(number: i64) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let Some(text) = text_of(number) else { return write!(f, "{number}") };
        f.write_char('"')?;
        for character in text.chars() {
            let is_plain = !character.is_control() && !r#"/\[]:,"{}"#.contains(character);
            match is_plain {
                true => f.write_char(character)?,
                false => write!(f, "\\u{{{:x}}}", u32::from(character))?,
            }
        }
        f.write_char('"')
    })
}

/// Reads an index number as it is written: a number, or a text in quotes.
pub fn parse(written: &str) -> Option<i64> {
    let Some(inner) = written.strip_prefix('"') else { return written.parse().ok() };
    let mut rest = inner.strip_suffix('"')?;
    let mut text = String::new();
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        if let Some(code) = escape.strip_prefix("u{") {
            let (code, behind) = code.split_once('}')?;
            text.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?);
            rest = behind;
        } else {
            let character = escape.chars().next()?;
            text.push(character);
            rest = &escape[character.len_utf8()..];
        }
    }
    text.push_str(rest);
    key(&text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_key, key, parse, shown, text_of};

    #[test]
    fn number_of_a_key_is_the_same_for_ever() {
        assert_eq!(key("berlin"), Ok(8_337_021_002_473_956_473));
        assert_eq!(key(""), Ok(8_931_772_586_059_516_489));
    }

    #[test]
    fn plain_numbers_are_no_keys() {
        for number in [0, -1, 7, i64::from(u32::MAX), i64::MIN] {
            assert!(!is_key(number));
            assert_eq!((text_of(number), shown(number).to_string()), (None, number.to_string()));
            assert_eq!(parse(&number.to_string()), Some(number));
        }
    }

    proptest! {
        #[test]
        fn key_is_read_as_it_is_shown(text in ".{0,12}") {
            let number = key(&text).expect("no two of so few have one number");
            prop_assert!(is_key(number));
            let known = text_of(number);
            prop_assert_eq!(known.as_deref(), Some(&*text));
            let written = shown(number).to_string();
            prop_assert_eq!(parse(&written), Some(number));
            prop_assert!(!written.contains(['/', '[', ']', ':', ',']));
        }
    }
}
