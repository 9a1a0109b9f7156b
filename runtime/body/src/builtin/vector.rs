//! Dense vectors of `f64`: `vector(n)`, `vector([1, 2.5])`, `v[i]`, arithmetic, norms, parts.
//!
//! A vector is copied on the first write to a shared one; operators that assign (`+=`, `-=`, `*=`,
//! `/=`) work in place. All costs are linear in the length unless said otherwise.

use std::sync::Arc;

use hasse_model::show::in_text;
use hasse_model::value::Value;
use rhai::{Array, Dynamic};

use super::limits::{self, MOST_ENTRIES, Outcome, failure};
use super::registry::Common;
use crate::convert::VectorValue;
use crate::print_text::printed;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common.register_type_with_name::<VectorValue>("vector").register_iterator::<VectorValue>();
    common
        .register_fn("vector", zeros)
        .register_fn("vector", filled)
        .register_fn("vector", |n_entries: i64, number: i64| filled(n_entries, number as f64))
        .register_fn("vector", from_array)
        .register_fn("len", |vector: &mut VectorValue| vector.0.len() as i64)
        .register_get("len", |vector: &mut VectorValue| vector.0.len() as i64)
        .register_indexer_get(get)
        .register_indexer_set(set)
        .register_indexer_set(|vector: &mut VectorValue, idx: i64, number: i64| {
            set(vector, idx, number as f64)
        });
    common
        .register_fn("dot", dot)
        .register_fn("norm", norm)
        .register_fn("sum", |vector: &mut VectorValue| sum_of(&vector.0))
        .register_fn("max_abs", max_abs)
        .register_fn("slice", slice)
        .register_fn("append", append)
        .register_fn("concat", concat)
        .register_fn("to_array", to_array)
        .register_fn("to_string", text)
        .register_fn("print", |vector: &mut VectorValue| printed(&Value::Vector(Arc::clone(&vector.0))))
        .register_fn("to_debug", text);
    common
        .register_fn("==", |one: &mut VectorValue, other: VectorValue| *one == other)
        .register_fn("!=", |one: &mut VectorValue, other: VectorValue| *one != other)
        .register_fn("+", |one: VectorValue, other: VectorValue| combined(one, &other, "+", |x, y| x + y))
        .register_fn("-", |one: VectorValue, other: VectorValue| combined(one, &other, "-", |x, y| x - y))
        .register_fn("-", |vector: VectorValue| mapped(vector, |entry| -entry))
        .register_fn("+=", |one: &mut VectorValue, other: VectorValue| {
            combine(one, &other, "+=", |x, y| x + y)
        })
        .register_fn("-=", |one: &mut VectorValue, other: VectorValue| {
            combine(one, &other, "-=", |x, y| x - y)
        });
    common
        .register_fn("+", |vector: VectorValue, number: f64| mapped(vector, |entry| entry + number))
        .register_fn("+", |vector: VectorValue, number: i64| mapped(vector, |entry| entry + number as f64))
        .register_fn("+", |number: f64, vector: VectorValue| mapped(vector, |entry| number + entry))
        .register_fn("+", |number: i64, vector: VectorValue| mapped(vector, |entry| number as f64 + entry))
        .register_fn("-", |vector: VectorValue, number: f64| mapped(vector, |entry| entry - number))
        .register_fn("-", |vector: VectorValue, number: i64| mapped(vector, |entry| entry - number as f64))
        .register_fn("-", |number: f64, vector: VectorValue| mapped(vector, |entry| number - entry))
        .register_fn("-", |number: i64, vector: VectorValue| mapped(vector, |entry| number as f64 - entry))
        .register_fn("/", |number: f64, vector: VectorValue| mapped(vector, |entry| number / entry))
        .register_fn("/", |number: i64, vector: VectorValue| mapped(vector, |entry| number as f64 / entry));
    common
        .register_fn("*", |vector: VectorValue, factor: f64| mapped(vector, |entry| entry * factor))
        .register_fn("*", |vector: VectorValue, factor: i64| mapped(vector, |entry| entry * factor as f64))
        .register_fn("*", |factor: f64, vector: VectorValue| mapped(vector, |entry| factor * entry))
        .register_fn("*", |factor: i64, vector: VectorValue| mapped(vector, |entry| factor as f64 * entry))
        .register_fn("/", |vector: VectorValue, divisor: f64| mapped(vector, |entry| entry / divisor))
        .register_fn("/", |vector: VectorValue, divisor: i64| mapped(vector, |entry| entry / divisor as f64))
        .register_fn("*=", |vector: &mut VectorValue, factor: f64| map(vector, |entry| entry * factor))
        .register_fn("*=", |vector: &mut VectorValue, factor: i64| map(vector, |entry| entry * factor as f64))
        .register_fn("/=", |vector: &mut VectorValue, divisor: f64| map(vector, |entry| entry / divisor))
        .register_fn("/=", |vector: &mut VectorValue, divisor: i64| {
            map(vector, |entry| entry / divisor as f64)
        });
}

/// A vector value of entries.
pub(super) fn vector_of(entries: Vec<f64>) -> VectorValue {
    VectorValue(Arc::new(entries))
}

/// `vector(n)`: n zeros. Errors: n is negative or too large.
fn zeros(n_entries: i64) -> Outcome<VectorValue> {
    limits::zeros(limits::size("the length of a vector", n_entries)?).map(vector_of)
}

/// `vector(n, x)`: n times x. Errors: as for [`zeros`].
fn filled(n_entries: i64, number: f64) -> Outcome<VectorValue> {
    let mut vector = zeros(n_entries)?;
    map(&mut vector, |_| number);
    Ok(vector)
}

/// `vector(array)`: a vector of the numbers, real or int, of an array. Errors: another type.
fn from_array(items: Array) -> Outcome<VectorValue> {
    let mut entries = limits::empty(items.len())?;
    for (item_idx, item) in items.iter().enumerate() {
        entries.push(limits::number(item).ok_or_else(|| {
            failure(format!("item {item_idx} is of type {}, not a number", item.type_name()))
        })?);
    }
    Ok(vector_of(entries))
}

/// `v[i]`. Errors: i is not within the vector; negative numbers do not count from the end.
fn get(vector: &mut VectorValue, idx: i64) -> Outcome<f64> {
    limits::index("vector entry", idx, vector.0.len()).map(|idx| vector.0[idx])
}

/// `v[i] = x`. Errors: as for [`get`].
fn set(vector: &mut VectorValue, idx: i64, number: f64) -> Outcome<()> {
    let idx = limits::index("vector entry", idx, vector.0.len())?;
    Arc::make_mut(&mut vector.0)[idx] = number;
    Ok(())
}

/// `dot(v, w)`: the inner product. Errors: lengths differ.
fn dot(one: &mut VectorValue, other: VectorValue) -> Outcome<f64> {
    check_lengths(one, &other, "dot")?;
    let mut lanes = [0.0; N_LANES];
    let (ones, others) = (one.0.chunks_exact(N_LANES), other.0.chunks_exact(N_LANES));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(x, y)| x * y).sum();
    for (ones, others) in ones.zip(others) {
        for lane in 0..N_LANES {
            lanes[lane] += ones[lane] * others[lane];
        }
    }
    Ok(lanes.iter().sum::<f64>() + rest)
}

/// `norm(v)`: the Euclidean norm.
fn norm(vector: &mut VectorValue) -> f64 {
    euclidean_norm(&vector.0)
}

/// The square root of the sum of squares, scaled so that it neither overflows nor vanishes.
pub(super) fn euclidean_norm(entries: &[f64]) -> f64 {
    let plain = folded(entries, 0.0, |sum, entry| sum + entry * entry).sqrt();
    let largest = largest_abs(entries);
    if (1e-140..1e140).contains(&largest) || largest == 0.0 || !largest.is_finite() {
        return plain;
    }
    let scaled = |sum: f64, entry: f64| sum + (entry / largest) * (entry / largest);
    largest * entries.iter().fold(0.0, |sum, entry| scaled(sum, *entry)).sqrt()
}

/// `max_abs(v)`: the largest absolute value; 0 for an empty vector, NaN where an entry is NaN.
fn max_abs(vector: &mut VectorValue) -> f64 {
    largest_abs(&vector.0)
}

/// The largest absolute value; NaN where an entry is NaN.
pub(super) fn largest_abs(entries: &[f64]) -> f64 {
    entries.iter().fold(
        0.0,
        |largest: f64, entry| {
            if largest.is_nan() || entry.abs() <= largest { largest } else { entry.abs() }
        },
    )
}

/// `slice(v, from, to)`: the entries from..to as a vector. Errors: the range is not within v.
fn slice(vector: &mut VectorValue, from: i64, to: i64) -> Outcome<VectorValue> {
    let range = limits::range("vector entries", from, to, vector.0.len())?;
    Ok(vector_of(vector.0[range].to_vec()))
}

/// `v.append(w)`: adds the entries of w behind those of v. Cost: linear in w, now and then in v.
/// Errors: the result is too large.
fn append(vector: &mut VectorValue, other: VectorValue) -> Outcome<()> {
    let n_entries = vector.0.len() + other.0.len();
    let entries = Arc::make_mut(&mut vector.0);
    if n_entries > MOST_ENTRIES || entries.try_reserve(other.0.len()).is_err() {
        return Err(failure(format!("{n_entries} entries do not fit; at most {MOST_ENTRIES} do")));
    }
    entries.extend_from_slice(&other.0);
    Ok(())
}

/// `concat(array of vectors)`: one vector of the entries of all. Errors: an item is not a vector.
fn concat(items: Array) -> Outcome<VectorValue> {
    let mut parts = Vec::with_capacity(items.len());
    for (item_idx, item) in items.into_iter().enumerate() {
        let type_name = item.type_name();
        let part = item.try_cast::<VectorValue>();
        parts.push(
            part.ok_or_else(|| failure(format!("item {item_idx} is of type {type_name}, not a vector")))?,
        );
    }
    let mut entries = limits::empty(parts.iter().map(|part| part.0.len()).sum())?;
    for part in parts {
        entries.extend_from_slice(&part.0);
    }
    Ok(vector_of(entries))
}

/// `to_array(v)`: the entries as an array of reals.
fn to_array(vector: &mut VectorValue) -> Array {
    vector.0.iter().copied().map(Dynamic::from_float).collect()
}

/// The text on one line: all entries of a small vector, else those at its ends.
fn text(vector: &mut VectorValue) -> String {
    in_text(&Value::Vector(Arc::clone(&vector.0)))
}

/// Partial sums kept side by side, so that sums are vectorized; the order is fixed.
const N_LANES: usize = 8;

/// The sum of entries.
pub(super) fn sum_of(entries: &[f64]) -> f64 {
    folded(entries, 0.0, |sum, entry| sum + entry)
}

/// Folds entry `i` into lane `i % N_LANES` and adds up the lanes.
fn folded(entries: &[f64], start: f64, fold: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [start; N_LANES];
    let chunks = entries.chunks_exact(N_LANES);
    let rest = chunks.remainder().iter().fold(start, |sum, entry| fold(sum, *entry));
    for chunk in chunks {
        for lane in 0..N_LANES {
            lanes[lane] = fold(lanes[lane], chunk[lane]);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

fn map(vector: &mut VectorValue, change: impl Fn(f64) -> f64) {
    for entry in Arc::make_mut(&mut vector.0) {
        *entry = change(*entry);
    }
}

fn mapped(mut vector: VectorValue, change: impl Fn(f64) -> f64) -> VectorValue {
    map(&mut vector, change);
    vector
}

fn combine(
    one: &mut VectorValue,
    other: &VectorValue,
    sign: &str,
    change: impl Fn(f64, f64) -> f64,
) -> Outcome<()> {
    check_lengths(one, other, sign)?;
    for (entry, other) in Arc::make_mut(&mut one.0).iter_mut().zip(other.0.iter()) {
        *entry = change(*entry, *other);
    }
    Ok(())
}

pub(super) fn combined(
    mut one: VectorValue,
    other: &VectorValue,
    sign: &str,
    change: impl Fn(f64, f64) -> f64,
) -> Outcome<VectorValue> {
    combine(&mut one, other, sign, change).map(|()| one)
}

pub(super) fn check_lengths(one: &VectorValue, other: &VectorValue, what: &str) -> Outcome<()> {
    let (n_ones, n_others) = (one.0.len(), other.0.len());
    if n_ones == n_others {
        return Ok(());
    }
    Err(failure(format!("`{what}` of vectors of lengths {n_ones} and {n_others}: they must be equal")))
}

impl IntoIterator for VectorValue {
    type Item = f64;
    type IntoIter = Entries;

    fn into_iter(self) -> Entries {
        Entries { vector: self, next_idx: 0 }
    }
}

/// The entries of a vector, one after another.
#[derive(Debug)]
pub struct Entries {
    vector: VectorValue,
    next_idx: usize,
}

impl Iterator for Entries {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let entry = self.vector.0.get(self.next_idx).copied();
        self.next_idx += 1;
        entry
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn makes_reads_and_writes() {
        check("let v = vector(3); v[1] = 2; v[2] += 0.5; v.to_array()", "[0.0, 2.0, 0.5]");
        check("let v = vector([1, 2.5]); v.len + v.len()", "4");
        check("[vector(2, 1), vector(1, 0.5)]", "[vector [1.0, 1.0], vector [0.5]]");
        check("let v = vector(2); let w = v; w[0] = 1.0; v", "vector [0.0, 0.0]");
        check_error("vector(3)[3]", "vector entry 3 is not within 0..3");
        check_error("vector(3)[-1]", "vector entry -1 is not within 0..3");
        check_error("vector(0)[0]", "vector entry 0 asked for where there is none");
        check_error("let v = vector(1); v[9223372036854775807] = 1.0", "is not within 0..1");
        check_error("vector(1000000000000000)", "is not within 0..=268435456");
        check_error("vector(-1)", "the length of a vector is -1");
        check_error("vector([1, true])", "item 1 is of type bool, not a number");
    }

    #[test]
    fn computes() {
        check("let v = vector([1, 2]); (2 * v - v / 2 + -v * 0.5)", "vector [1.0, 2.0]");
        check(
            "let v = vector([1, 2]); v += v; v -= vector([1, 1]); v *= 2; v /= 4.0; v",
            "vector [0.5, 1.5]",
        );
        check("vector([1, 2]) == vector([1, 2]) && vector([1]) != vector([2])", "true");
        check("dot(vector([1,2,3,4,5,6,7,8,9,10]), vector([1,1,1,1,1,1,1,1,1,2]))", "65.0");
        check("norm(vector([3, 4])) + sum(vector([1, 2])) + max_abs(vector([-7, 2]))", "15.0");
        check("norm(vector([3e200, 4e200])) / 1e200", "5.0");
        check("max_abs(vector([1.0, 0.0 / 0.0, 2.0])).is_nan", "true");
        check_error("vector(2) + vector(3)", "`+` of vectors of lengths 2 and 3: they must be equal");
        check_error("dot(vector(2), vector(3))", "`dot` of vectors of lengths 2 and 3");
    }

    #[test]
    fn takes_apart_and_joins() {
        check("slice(vector([1, 2, 3]), 1, 3)", "vector [2.0, 3.0]");
        check("let v = vector([1]); v.append(vector([2])); v.append(v); v", "vector [1.0, 2.0, 1.0, 2.0]");
        check("concat([vector([1]), vector(0), vector([2, 3])])", "vector [1.0, 2.0, 3.0]");
        check("let s = 0.0; for x in vector([1, 2, 3]) { s += x; } s", "6.0");
        check(
            "vector(9).to_string() + `${vector(1)}`",
            "vector [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]vector [0.0]",
        );
        check("`${vector(13)}`", "vector of 13 entries [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, .., 0.0, 0.0, 0.0]");
        check("vector([1, 2]) + 1 - 0.5", "vector [1.5, 2.5]");
        check("2 - (0.5 + vector([1, 2]))", "vector [0.5, -0.5]");
        check("6 / vector([1, 2]) + matrix([[1], [2]]).column(0)", "vector [7.0, 5.0]");
        check("1 + matrix([[1, 2], [3, 4]]) * 2 - 0.5", "matrix [[2.5, 4.5], [6.5, 8.5]]");
        check_error("slice(vector(3), 2, 1)", "vector entries 2..1 are not within 0..3");
        check_error("slice(vector(3), -1, 2)", "vector entries -1..2 are not within 0..3");
        check_error("concat([vector(1), 2])", "item 1 is of type i64, not a vector");
    }
}
