//! Work beside the window: a thread that tells how far it is, can be given up, and wakes the window when it is through.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, bounded};

/// Called from a thread when there is something new to be polled.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A [`Wake`] that does nothing, for who polls anyway.
pub fn no_wake() -> Wake {
    Arc::new(|| {})
}

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct Shared {
    is_cancelled: AtomicBool,
    /// In thousandths.
    progress: AtomicU32,
    /// Set behind the result, where there is one.
    has_ended: AtomicBool,
}

/// What work is given to tell how far it is, and to ask whether it is still wanted.
#[derive(Clone, Debug)]
pub struct Control(Arc<Shared>);

impl Control {
    /// Whether nobody waits for the result any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed)
    }

    /// Notes how much is done, from 0 to 1.
    pub fn set_progress(&self, done: f64) {
        self.0.progress.store((done.clamp(0.0, 1.0) * 1000.0) as u32, Ordering::Relaxed);
    }
}

/// Work under way. Dropping it gives the work up.
#[derive(Debug)]
pub struct Task<T> {
    shared: Arc<Shared>,
    /// Holds one result at most.
    result: Receiver<T>,
}

impl<T: Send + 'static> Task<T> {
    /// Begins work in a thread of its own. Where `work` panics or no thread can be had, there is never a result, and
    /// [`is_lost`](Self::is_lost) says so.
    pub fn start(wake: Wake, work: impl FnOnce(&Control) -> T + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let (sender, result) = bounded(1);
        let control = Control(Arc::clone(&shared));
        let run = move || {
            if let Ok(done) = catch_unwind(AssertUnwindSafe(|| work(&control))) {
                // Nobody waits where the owner is gone.
                let _ = sender.send(done);
            }
            drop(sender);
            control.0.has_ended.store(true, Ordering::Release);
            wake();
        };
        if thread::Builder::new().name("views".to_owned()).spawn(run).is_err() {
            shared.has_ended.store(true, Ordering::Release);
        }
        Self { shared, result }
    }

    /// The result, once.
    pub fn poll(&self) -> Option<T> {
        self.result.try_recv().ok()
    }

    /// Waits for the result; `None` where there is none, or it was taken before.
    pub fn wait(&self) -> Option<T> {
        self.result.recv().ok()
    }

    /// Whether there will be no result any more: it was taken, or the work has failed.
    pub fn is_lost(&self) -> bool {
        self.shared.has_ended.load(Ordering::Acquire) && self.result.is_empty()
    }

    /// How much is done, from 0 to 1.
    pub fn progress(&self) -> f64 {
        f64::from(self.shared.progress.load(Ordering::Relaxed)) / 1000.0
    }

    /// Gives the work up: it ends at its next look.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.shared.is_cancelled.store(true, Ordering::Relaxed);
    }
}
