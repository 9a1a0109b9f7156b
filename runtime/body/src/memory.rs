//! How much memory a script may take: what its thread holds is metered, and large requests are
//! looked at before they are made.
//!
//! The interpreter's own size limits walk through a whole array on every `push`, so they are off.
//! Instead the calling thread's allocations are asked for at every operation, as a text can double
//! at each; they count everything, nested arrays and maps included. A function that is about to take much asks
//! `reserve` first, so that one call cannot overshoot. Without a meter only such requests are
//! limited. The budget is kept by thread, as the meter is: a script runs on one thread.

use std::cell::Cell;

use rhai::{Dynamic, EvalAltResult, Position};

/// Bytes that the calling thread has allocated less those that it has freed, since any fixed moment.
pub type Meter = fn() -> i64;

/// How much memory an event may take.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLimit {
    /// Most bytes that the scripts of an event may add to what its thread holds.
    pub most_bytes: u64,
    /// What the calling thread holds; `None` where the allocator does not tell.
    pub meter: Option<Meter>,
}

impl Default for MemoryLimit {
    fn default() -> Self {
        Self { most_bytes: 1 << 30, meter: None }
    }
}

/// How much memory a run may take as a whole: what waits on ports, vars, shared objects, bodies and records.
#[derive(Clone, Copy, Debug)]
pub struct RunLimit {
    /// Most bytes that the process may hold.
    pub most_bytes: u64,
    /// What the process holds; `None` where nobody counts.
    pub meter: fn() -> Option<u64>,
}

#[derive(Clone, Copy)]
struct Budget {
    limit: MemoryLimit,
    at_start: i64,
    /// What the thread may hold: `at_start` and the limit.
    most_held: i64,
}

thread_local! {
    static BUDGET: Cell<Budget> = const {
        Cell::new(Budget {
            limit: MemoryLimit { most_bytes: 1 << 30, meter: None },
            at_start: 0,
            most_held: i64::MAX,
        })
    };
}

/// Sets the limit of all scripts that this thread runs from now on.
pub fn limit_thread(limit: MemoryLimit) {
    BUDGET.set(Budget { limit, at_start: 0, most_held: i64::MAX });
}

/// Returns the limit of all scripts that this thread runs.
#[inline]
pub fn most_bytes() -> u64 {
    BUDGET.get().limit.most_bytes
}

/// Begins a script: what the thread holds already does not count.
#[inline]
pub fn begin_script() {
    let mut budget = BUDGET.get();
    budget.at_start = budget.limit.meter.map_or(0, |meter| meter());
    let most_bytes = i64::try_from(budget.limit.most_bytes).unwrap_or(i64::MAX);
    budget.most_held = budget.at_start.saturating_add(most_bytes);
    BUDGET.set(budget);
}

/// Does something that has a budget of its own, in the midst of a script or between two.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    struct Restored(Budget);
    impl Drop for Restored {
        fn drop(&mut self) {
            BUDGET.set(self.0);
        }
    }
    let _restored = Restored(BUDGET.get());
    begin_script();
    work()
}

/// Does something for the user in the middle of a script: what it allocates or frees does not count.
pub fn uncounted<R>(act: impl FnOnce() -> R) -> R {
    let Some(meter) = BUDGET.get().limit.meter else { return act() };
    let before = meter();
    let done = act();
    let n_bytes = meter() - before;
    let mut budget = BUDGET.get();
    budget.at_start += n_bytes;
    budget.most_held = budget.most_held.saturating_add(n_bytes);
    BUDGET.set(budget);
    done
}

/// Returns the bytes that the calling thread holds now; 0 where the allocator does not count.
#[inline]
pub fn held() -> i64 {
    BUDGET.get().limit.meter.map_or(0, |meter| meter())
}

/// Checks what an event takes outside of scripts, since the thread held `at_start` bytes, against its budget.
///
/// # Errors
/// The budget is used up, in words.
#[inline]
pub fn check_since(at_start: i64) -> Result<(), String> {
    let limit = BUDGET.get().limit;
    let taken = limit.meter.map_or(0, |meter| u64::try_from(meter() - at_start).unwrap_or(0));
    if taken <= limit.most_bytes { Ok(()) } else { Err(excess_message(limit, None)) }
}

/// Refuses to make a value of so many bytes where no budget has room for it, whatever is held.
///
/// # Errors
/// The budget is too small, in words.
#[inline]
pub(crate) fn check_size(n_bytes: u64) -> Result<(), String> {
    let limit = BUDGET.get().limit;
    if n_bytes <= limit.most_bytes {
        return Ok(());
    }
    Err(excess_message(limit, Some(usize::try_from(n_bytes).unwrap_or(usize::MAX))))
}

/// Bytes that the script has taken and not given back.
fn taken() -> u64 {
    let budget = BUDGET.get();
    budget.limit.meter.map_or(0, |meter| u64::try_from(meter() - budget.at_start).unwrap_or(0))
}

/// What ends a script that holds more than it may; asked at every operation.
#[inline]
pub(crate) fn excess() -> Option<Dynamic> {
    let budget = BUDGET.get();
    let is_exceeded = budget.limit.meter.is_some_and(|meter| meter() > budget.most_held);
    is_exceeded.then(|| Dynamic::from(excess_message(budget.limit, None)))
}

/// Refuses a request that the budget has no room for. A body cannot catch the error.
///
/// # Errors
/// The budget is too small.
#[inline]
pub(crate) fn reserve(n_bytes: usize) -> Result<(), Box<EvalAltResult>> {
    let limit = BUDGET.get().limit;
    if taken().saturating_add(n_bytes as u64) <= limit.most_bytes {
        return Ok(());
    }
    let message = excess_message(limit, Some(n_bytes));
    Err(EvalAltResult::ErrorTerminated(Dynamic::from(message), Position::NONE).into())
}

/// The same in words, for what is asked of the world outside.
pub(crate) fn reserve_for_answer(n_bytes: u64) -> Result<(), String> {
    let limit = BUDGET.get().limit;
    if taken().saturating_add(n_bytes) <= limit.most_bytes {
        return Ok(());
    }
    Err(excess_message(limit, Some(usize::try_from(n_bytes).unwrap_or(usize::MAX))))
}

/// Whether an answer is that of [`reserve_for_answer`].
pub(crate) fn is_excess(message: &str) -> bool {
    message.starts_with(BUDGET_USED_UP)
}

/// The limit that a recorded error names: bytes, for an event that went over its budget.
pub fn limit_of_excess(message: &str) -> Option<u64> {
    let (mib, _) = message.strip_prefix(BUDGET_USED_UP)?.strip_prefix(", ")?.split_once(" MiB")?;
    mib.parse::<u64>().ok()?.checked_mul(1 << 20)
}

const BUDGET_USED_UP: &str = "the memory budget of the event";

fn excess_message(limit: MemoryLimit, asked: Option<usize>) -> String {
    let most = limit.most_bytes >> 20;
    let why = match asked {
        Some(n_bytes) => format!("has no room for {} MiB more", n_bytes.div_ceil(1 << 20)),
        None => "is used up".to_owned(),
    };
    format!("{BUDGET_USED_UP}, {most} MiB, {why}; `--body-memory MIB` sets another")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_excess_names_its_limit() {
        let limit = MemoryLimit { most_bytes: 48 << 20, meter: None };
        for asked in [None, Some(1)] {
            let message = excess_message(limit, asked);
            assert!(is_excess(&message), "{message}");
            assert_eq!(limit_of_excess(&message), Some(48 << 20), "{message}");
        }
        assert_eq!(limit_of_excess("the memory budget of the event, x MiB, is used up"), None);
    }
}
