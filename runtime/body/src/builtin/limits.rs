//! Limits of arguments, and errors that name sizes.

use rhai::{Dynamic, EvalAltResult, Position};

use crate::memory;
use crate::sandbox;

/// What a native function returns.
pub(super) type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Most entries of a vector or matrix: 2^28, that is 2 GiB.
pub(super) const MOST_ENTRIES: usize = 1 << 28;

/// An error of the body.
pub(super) fn failure(message: impl Into<String>) -> Box<EvalAltResult> {
    message.into().into()
}

/// Something that the sandbox does not grant.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Denied(String);

/// An error that the world outside gave as its answer.
pub(super) fn refusal(message: String) -> Box<EvalAltResult> {
    if sandbox::is_denial(&message) {
        EvalAltResult::ErrorSystem(String::new(), Box::new(Denied(message))).into()
    } else if memory::is_excess(&message) {
        EvalAltResult::ErrorTerminated(Dynamic::from(message), Position::NONE).into()
    } else {
        failure(message)
    }
}

/// A size from a body: 0 to [`MOST_ENTRIES`]. `what` names it in the error.
pub(super) fn size(what: &str, number: i64) -> Outcome<usize> {
    usize::try_from(number)
        .ok()
        .filter(|size| *size <= MOST_ENTRIES)
        .ok_or_else(|| failure(format!("{what} is {number}, which is not within 0..={MOST_ENTRIES}")))
}

/// An index from a body: 0 to `len - 1`. `what` names what is counted in the error.
pub(super) fn index(what: &str, number: i64, len: usize) -> Outcome<usize> {
    usize::try_from(number).ok().filter(|idx| *idx < len).ok_or_else(|| {
        failure(match len {
            0 => format!("{what} {number} asked for where there is none"),
            _ => format!("{what} {number} is not within 0..{len}"),
        })
    })
}

/// The half-open range `from..to` of something of `len` items.
pub(super) fn range(what: &str, from: i64, to: i64, len: usize) -> Outcome<std::ops::Range<usize>> {
    match (usize::try_from(from), usize::try_from(to)) {
        (Ok(low), Ok(high)) if low <= high && high <= len => Ok(low..high),
        _ => Err(failure(format!("{what} {from}..{to} are not within 0..{len}"))),
    }
}

/// `n_entries` zeros.
pub(super) fn zeros(n_entries: usize) -> Outcome<Vec<f64>> {
    let mut entries = empty(n_entries)?;
    entries.resize(n_entries, 0.0);
    Ok(entries)
}

/// An empty list with room for `n_entries`.
pub(super) fn empty(n_entries: usize) -> Outcome<Vec<f64>> {
    let mut entries = Vec::new();
    if n_entries <= MOST_ENTRIES {
        memory::reserve(n_entries * size_of::<f64>())?;
    }
    if n_entries > MOST_ENTRIES || entries.try_reserve_exact(n_entries).is_err() {
        return Err(failure(format!("{n_entries} entries do not fit; at most {MOST_ENTRIES} do")));
    }
    Ok(entries)
}

/// A number of either kind.
pub(super) fn number(held: &Dynamic) -> Option<f64> {
    held.as_float().ok().or_else(|| held.as_int().ok().map(|whole| whole as f64))
}

/// Room for `n_items` of a list of values, as the interpreter keeps them.
pub(super) fn room_for_items(n_items: usize) -> Outcome<()> {
    memory::reserve(n_items.saturating_mul(size_of::<Dynamic>()))
}

/// Room for `n_bytes` of text or bytes.
pub(super) fn room_for_bytes(n_bytes: usize) -> Outcome<()> {
    memory::reserve(n_bytes)
}
