//! Text: words, lines, joining, padding, numbers from and to text. What Rhai's own strings can do
//! stays as it is.
//!
//! Positions and widths count characters. All costs are linear in the text unless said otherwise.

use hasse_model::key;
use rhai::{Array, Blob, Dynamic, ImmutableString};

use super::limits::{Outcome, failure, room_for_bytes, room_for_items};
use super::registry::Common;

/// Most digits behind the point that `format_real` writes.
const MOST_DIGITS: i64 = 340;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("print", crate::print_text::printed_array)
        .register_fn("print", crate::print_text::printed_map)
        .register_fn("words", words)
        .register_fn("lines", lines)
        .register_fn("join", |items: Array, separator: &str| join(&items, separator))
        .register_fn("join", |items: Array| join(&items, ""))
        .register_fn("trimmed", |text: &str| text.trim().to_owned())
        .register_fn("replaced", replaced)
        .register_fn("find", find)
        .register_fn("key", |text: &str| key::key(text).map_err(|same| failure(same.to_string())))
        .register_fn("key_text", key_text)
        .register_fn("pad_left", |text: &str, width: i64| pad_left(text, width, ' '))
        .register_fn("pad_left", pad_left)
        .register_fn("pad_right", |text: &str, width: i64| pad_right(text, width, ' '))
        .register_fn("pad_right", pad_right)
        .register_fn("repeat", repeat)
        .register_fn("reversed", |text: &str| text.chars().rev().collect::<String>())
        .register_fn("compare", |one: &str, other: &str| one.cmp(other) as i64)
        .register_fn("count", count)
        .register_fn("ord", |letter: char| i64::from(u32::from(letter)))
        .register_fn("chr", chr)
        .register_fn("parse_real", parse_real)
        .register_fn("format_real", format_real)
        .register_fn("format_real", |number: i64, digits: i64| format_real(number as f64, digits))
        .register_fn("to_text", to_text);
    limit_the_interpreters_own(common);
}

fn key_text(number: i64) -> Outcome<ImmutableString> {
    let text = key::text_of(number);
    text.map(|text| ImmutableString::from(&*text)).ok_or_else(|| failure(format!("{number} is no key")))
}

/// Functions of the interpreter by which one call could take any amount of memory, with a look at
/// the budget first.
fn limit_the_interpreters_own(common: &mut Common) {
    common
        .register_fn("replace", |text: &mut ImmutableString, find: &str, with: &str| {
            replaced(text, find, with).map(|changed| *text = changed.into())
        })
        .register_fn("replace", |text: &mut ImmutableString, find: char, with: &str| {
            replaced(text, find.encode_utf8(&mut [0; 4]), with).map(|changed| *text = changed.into())
        })
        .register_fn("pad", |text: &mut ImmutableString, width: i64, with: char| {
            pad_right(text, width, with).map(|padded| *text = padded.into())
        })
        .register_fn("pad", pad_with_text)
        .register_fn("pad", |items: &mut Array, len: i64, item: Dynamic| {
            let len = usize::try_from(len).unwrap_or(0);
            room_for_items(len.saturating_sub(items.len()))?;
            if len > items.len() {
                items.resize(len, item);
            }
            Outcome::Ok(())
        })
        .register_fn("pad", |bytes: &mut Blob, len: i64, byte: i64| {
            let len = usize::try_from(len).unwrap_or(0);
            room_for_bytes(len.saturating_sub(bytes.len()))?;
            if len > bytes.len() {
                bytes.resize(len, byte as u8);
            }
            Outcome::Ok(())
        })
        .register_fn("append", |items: &mut Array, others: Array| {
            room_for_items(others.len())?;
            items.extend(others);
            Outcome::Ok(())
        })
        .register_fn("append", |bytes: &mut Blob, others: Blob| {
            room_for_bytes(others.len())?;
            bytes.extend(others);
            Outcome::Ok(())
        })
        .register_fn("+", |mut items: Array, others: Array| {
            room_for_items(others.len())?;
            items.extend(others);
            Outcome::Ok(items)
        })
        .register_fn("+", |mut bytes: Blob, others: Blob| {
            room_for_bytes(others.len())?;
            bytes.extend(others);
            Outcome::Ok(bytes)
        })
        .register_fn("split", words)
        .register_fn("split", |text: &str, at: &str| parts(text.split(at)))
        .register_fn("split", |text: &str, at: char| parts(text.split(at)))
        .register_fn("blob", |len: i64| zero_bytes(len, 0))
        .register_fn("blob", zero_bytes)
        .register_fn("to_chars", |text: &str| {
            room_for_items(text.len())?;
            Outcome::Ok(text.chars().map(Dynamic::from_char).collect::<Array>())
        });
}

fn parts<'a>(parts: impl Iterator<Item = &'a str> + Clone) -> Outcome<Array> {
    room_for_items(parts.clone().count())?;
    Ok(parts.map(shared_text).collect())
}

fn zero_bytes(len: i64, byte: i64) -> Outcome<Blob> {
    let len = usize::try_from(len).unwrap_or(0);
    room_for_bytes(len)?;
    Ok(vec![byte as u8; len])
}

fn pad_with_text(text: &mut ImmutableString, width: i64, with: &str) -> Outcome<()> {
    let n_missing = missing(text, width);
    if n_missing > 0 && !with.is_empty() {
        let n_times = n_missing.div_ceil(with.chars().count());
        room_for_bytes(text.len().saturating_add(n_times.saturating_mul(with.len())))?;
        let padded = text.chars().chain(with.chars().cycle().take(n_missing)).collect::<String>();
        *text = padded.into();
    }
    Ok(())
}

/// `words(text)`: what stands between blanks and line ends.
fn words(text: &str) -> Outcome<Array> {
    let n_words = text.split_whitespace().count();
    room_for_items(n_words)?;
    Ok(text.split_whitespace().map(shared_text).collect())
}

/// `lines(text)`: the lines without their ends; what follows the last end counts if it is not empty.
pub(super) fn lines(text: &str) -> Outcome<Array> {
    room_for_items(text.lines().count())?;
    Ok(text.lines().map(shared_text).collect())
}

/// A text as the interpreter holds it.
pub(super) fn shared_text(text: &str) -> Dynamic {
    Dynamic::from(ImmutableString::from(text))
}

/// `join(array, separator)`: the items as text, one behind the other.
fn join(items: &Array, separator: &str) -> Outcome<String> {
    let n_separators = items.len().saturating_sub(1);
    room_for_bytes(separator.len().saturating_mul(n_separators))?;
    let mut text = String::new();
    for (item_idx, item) in items.iter().enumerate() {
        if item_idx > 0 {
            text.push_str(separator);
        }
        match item.read_lock::<ImmutableString>() {
            Some(part) => {
                if text.capacity() - text.len() < part.len() {
                    room_for_bytes(text.len() + part.len())?;
                }
                text.push_str(&part);
            }
            None => text.push_str(&item.to_string()),
        }
    }
    Ok(text)
}

/// `replaced(text, find, with)`: a copy with every occurrence replaced. Errors: `find` is empty.
fn replaced(text: &str, find: &str, with: &str) -> Outcome<String> {
    if find.is_empty() {
        return Err(failure("an empty text cannot be replaced"));
    }
    let n_found = text.matches(find).count();
    room_for_bytes(text.len().saturating_add(n_found.saturating_mul(with.len())))?;
    Ok(text.replace(find, with))
}

/// `find(text, part)`: where `part` begins first, or -1.
fn find(text: &str, part: &str) -> i64 {
    text.find(part).map_or(-1, |offset| text[..offset].chars().count() as i64)
}

fn missing(text: &str, width: i64) -> usize {
    usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count())
}

/// `pad_left(text, width, char)`: filled up at the left.
fn pad_left(text: &str, width: i64, with: char) -> Outcome<String> {
    let fill = fill(text, width, with)?;
    Ok(format!("{fill}{text}"))
}

/// `pad_right(text, width, char)`: filled up at the right.
fn pad_right(text: &str, width: i64, with: char) -> Outcome<String> {
    let fill = fill(text, width, with)?;
    Ok(format!("{text}{fill}"))
}

fn fill(text: &str, width: i64, with: char) -> Outcome<String> {
    let n_missing = missing(text, width);
    room_for_bytes(n_missing.saturating_mul(2 * with.len_utf8()))?;
    Ok(std::iter::repeat_n(with, n_missing).collect())
}

/// `repeat(text, n)`. Errors: n is negative.
fn repeat(text: &str, n_times: i64) -> Outcome<String> {
    let n_times = usize::try_from(n_times)
        .map_err(|_| failure(format!("`repeat` {n_times} times: the number must not be negative")))?;
    room_for_bytes(text.len().saturating_mul(n_times))?;
    Ok(text.repeat(n_times))
}

/// `count(text, part)`: how often `part` occurs without overlap. Errors: `part` is empty.
fn count(text: &str, part: &str) -> Outcome<i64> {
    if part.is_empty() {
        return Err(failure("`count` of an empty text"));
    }
    Ok(text.matches(part).count() as i64)
}

/// `chr(code)`: the character of a Unicode scalar value. Errors: there is none.
fn chr(code: i64) -> Outcome<char> {
    u32::try_from(code)
        .ok()
        .and_then(char::from_u32)
        .ok_or_else(|| failure(format!("there is no character {code}")))
}

/// `parse_real(text)`: the number that a text is; blanks around it do not count. Errors: none.
fn parse_real(text: &str) -> Outcome<f64> {
    text.trim().parse().map_err(|_| failure(format!("`{}` is not a number", excerpt(text))))
}

/// The beginning of a text, for messages.
pub(super) fn excerpt(text: &str) -> String {
    const MOST_CHARS: usize = 40;
    match text.char_indices().nth(MOST_CHARS) {
        Some((offset, _)) => format!("{}...", &text[..offset]),
        None => text.to_owned(),
    }
}

/// `format_real(x, digits)`: with so many digits behind the point, rounded to even at ties of the
/// binary value. Errors: digits are not within 0..=340.
fn format_real(number: f64, digits: i64) -> Outcome<String> {
    if !(0..=MOST_DIGITS).contains(&digits) {
        return Err(failure(format!("{digits} digits, which are not within 0..={MOST_DIGITS}")));
    }
    Ok(format!("{number:.*}", digits as usize))
}

/// `to_text(bytes)`: the text that bytes are in UTF-8. Errors: they are not.
fn to_text(bytes: Blob) -> Outcome<String> {
    String::from_utf8(bytes)
        .map_err(|error| failure(format!("the bytes are not UTF-8 at {}", error.utf8_error().valid_up_to())))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn takes_apart_and_joins() {
        check("words(\" a  b\\tc\\n\")", "[\"a\", \"b\", \"c\"]");
        check("lines(\"a\\r\\n\\nb\")", "[\"a\", \"\", \"b\"]");
        check("join([1, \"x\", 2.5], \", \") + join([\"a\", 'b'])", "1, x, 2.5ab");
        check("trimmed(\" ä \") + replaced(\"banana\", \"an\", \"<>\")", "äb<><>a");
        check("[find(\"äöü\", \"ü\"), find(\"a\", \"b\"), count(\"aaaa\", \"aa\")]", "[2, -1, 2]");
        check_error("replaced(\"a\", \"\", \"b\")", "an empty text cannot be replaced");
        check_error("count(\"a\", \"\")", "`count` of an empty text");
    }

    #[test]
    fn splits_as_the_interpreter_does() {
        check(
            "[\"a b\".split(), \"a,b,\".split(\",\"), \"a,b\".split(','), \"ab\".split(1)]",
            "[[\"a\", \"b\"], [\"a\", \"b\", \"\"], [\"a\", \"b\"], [\"a\", \"b\"]]",
        );
    }

    #[test]
    fn changes_width_and_order() {
        check("pad_left(\"7\", 3, '0') + pad_right(\"ä\", 2) + pad_left(\"long\", 2) + '|'", "007ä long|");
        check("repeat(\"ab\", 3) + reversed(\"äbc\")", "abababcbä");
        check("let t = \"a\"; t.pad(4, \"xy\"); t.replace(\"x\", \"--\"); t", "a--y--");
        check("let a = [1]; a.pad(3, 0); let b = blob(1, 7); b.pad(2, 1); [a, b]", "[[1, 0, 0], [0701]]");
        check("[compare(\"a\", \"b\"), compare(\"b\", \"a\"), compare(\"a\", \"a\")]", "[-1, 1, 0]");
        check_error("repeat(\"a\", -1)", "the number must not be negative");
    }

    #[test]
    fn converts_and_names_what_it_cannot() {
        check(
            "[ord('A'), chr(8364), parse_real(\" 1e3 \"), format_real(2.0 / 3.0, 3)]",
            "[65, €, 1000.0, \"0.667\"]",
        );
        check("to_text(\"ä\".to_blob())", "ä");
        check_error("parse_real(\"1,5\")", "`1,5` is not a number");
        check_error("chr(55296)", "there is no character 55296");
        check_error("format_real(1.0, -1)", "-1 digits, which are not within 0..=340");
        check_error("let b = blob(1, 255); to_text(b)", "the bytes are not UTF-8 at 0");
    }

    #[test]
    fn one_call_cannot_take_everything() {
        for script in [
            "repeat(\"abc\", 1000000000000)",
            "repeat(\"a\", 100000000).split(\"\")",
            "pad_left(\"a\", 1000000000000)",
            "let t = \"a\"; t.pad(1000000000000, \"ab\");",
            "let a = []; a.pad(1000000000000, 0);",
            "blob(1000000000000)",
            "let b = blob(); b.pad(1000000000000, 0);",
            "let a = []; a.pad(2000, repeat(\"a\", 1000)); join(a, repeat(\"b\", 1000000));",
        ] {
            check_error(script, "terminated");
        }
    }
}
