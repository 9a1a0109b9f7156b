//! Locks that are held for a few instructions only, and that nobody waits for in a body.

/// A lock for data that are touched for each value: half the price of one that can put its thread to sleep. Who
/// finds it taken gives the processor up after each look, as its holder may be one that was put aside.
pub(crate) type Brief<T> = spin::mutex::SpinMutex<T, spin::relax::Yield>;

/// What is locked so.
pub(crate) type BriefGuard<'l, T> = spin::mutex::SpinMutexGuard<'l, T, spin::relax::Yield>;
