//! Replacing values: most are scalars, which need not be dropped.

use hasse_model::plan::routine::Kind;
use hasse_model::value::Value;

/// Replaces a value. Most values are scalars, which need not be dropped.
#[inline(always)]
pub fn put(place: &mut Value, value: Value) {
    // It is looked at before it is replaced, not after: to move it out would be a wide load of what has just been written
    // in parts, for which the processor waits.
    if matches!(place, Value::Unit | Value::Int(_) | Value::Real(_) | Value::Bool(_)) {
        std::mem::forget(std::mem::replace(place, value));
    } else {
        *place = value;
    }
}

/// Replaces a value, mostly an integer, by an integer.
#[inline(always)]
pub fn put_int(place: &mut Value, number: i64) {
    if let Value::Int(old) = place {
        *old = number;
    } else {
        put(place, Value::Int(number));
    }
}

/// Replaces a value, mostly a scalar of the kind, by the scalar that a word is.
#[inline(always)]
pub fn put_word(place: &mut Value, word: i64, kind: Kind) {
    match kind {
        Kind::Int => put_int(place, word),
        Kind::Real | Kind::Bool => put(place, kind.value_of(word)),
    }
}
