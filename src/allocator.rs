//! The allocator: jemalloc, which counts what each thread allocates and frees, so that an event's
//! memory can be limited. Where it does not exist the system's allocator stays, and only single
//! large requests are limited.

use hasse_runtime::memory::Meter;

/// The type of [`ALLOCATOR`].
#[cfg(not(target_env = "msvc"))]
pub type Allocator = tikv_jemallocator::Jemalloc;
/// The type of [`ALLOCATOR`].
#[cfg(target_env = "msvc")]
pub type Allocator = std::alloc::System;

/// The allocator that counts what a thread holds. An executable sets it as its `#[global_allocator]`: a library that did
/// so would take the choice from whoever uses it.
#[cfg(not(target_env = "msvc"))]
pub const ALLOCATOR: Allocator = tikv_jemallocator::Jemalloc;
/// The allocator of the system.
#[cfg(target_env = "msvc")]
pub const ALLOCATOR: Allocator = std::alloc::System;

/// That of the tests in this crate.
#[cfg(test)]
#[global_allocator]
static OF_TESTS: Allocator = ALLOCATOR;

/// Bytes that the calling thread holds.
#[cfg(not(target_env = "msvc"))]
pub(crate) const METER: Option<Meter> = Some(counting::held_bytes);
/// Nothing is counted.
#[cfg(target_env = "msvc")]
pub(crate) const METER: Option<Meter> = None;

/// Lets the allocator keep large blocks for a while. By default it gives blocks of 8 MiB and more back to the system at once, so
/// that each new one costs the system the zeroing of its pages: 4.5 times as much a byte as for smaller ones. To be called
/// first of all.
#[cfg(not(target_env = "msvc"))]
pub(crate) fn keep_large_blocks() {
    use tikv_jemalloc_ctl::{Access, AsName, background_thread, opt};

    /// After which what is free goes back to the system.
    const KEPT_MILLIS: isize = 10_000;
    /// From this size on.
    const LARGE: usize = 8 << 20;

    // Makes the arena of such blocks; the pages are not touched.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
    let Ok(arena) = opt::narenas::read() else { return };
    let at_once = format!("arena.{arena}.oversize_threshold\0");
    let by_and_by = format!("arena.{arena}.dirty_decay_ms\0");
    // Where the allocator was built or set up otherwise, it stays as it is. A thread of its own gives blocks back that nobody
    // asks for any more.
    if at_once.as_bytes().name().write(usize::MAX / 2).is_ok()
        && by_and_by.as_bytes().name().write(KEPT_MILLIS).is_ok()
    {
        let _ = background_thread::write(true);
    }
}

/// There is nothing to set.
#[cfg(target_env = "msvc")]
pub(crate) fn keep_large_blocks() {}

/// Bytes that the process has allocated, and that it keeps in memory; `None` where nobody counts.
#[cfg(not(target_env = "msvc"))]
pub(crate) fn process_bytes() -> Option<(usize, usize)> {
    use tikv_jemalloc_ctl::{epoch, stats};

    epoch::advance().ok()?;
    stats::allocated::read().ok().zip(stats::resident::read().ok())
}

/// Bytes that the process has allocated: nobody counts.
#[cfg(target_env = "msvc")]
pub(crate) fn process_bytes() -> Option<(usize, usize)> {
    None
}

#[cfg(not(target_env = "msvc"))]
mod counting {
    use tikv_jemalloc_ctl::thread::{allocatedp, deallocatedp};

    type Counter = tikv_jemalloc_ctl::thread::ThreadLocal<u64>;

    thread_local! {
        /// Where the allocator counts for this thread; `None` where it was built without counters.
        static COUNTERS: Option<(Counter, Counter)> =
            allocatedp::read().ok().zip(deallocatedp::read().ok());
    }

    /// Allocated less freed, by the calling thread. What another thread allocated and this one frees
    /// counts as freed here.
    pub(super) fn held_bytes() -> i64 {
        COUNTERS.with(|counters| {
            counters.map_or(0, |(allocated, freed)| allocated.get().wrapping_sub(freed.get()) as i64)
        })
    }
}
