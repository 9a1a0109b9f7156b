//! Checkpoints: the state of a run now and then, from which it can go on after it was killed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hasse_model::snapshot::Snapshot;

/// A state of a run that goes on.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The state. What it has recorded up to there is with its sink, which has been [synced](crate::options::EventSink::sync).
    pub snapshot: Snapshot,
    /// Time during which no event could begin.
    pub pause: Duration,
}

/// Who keeps checkpoints. Called on a thread of its own, while the run goes on.
pub type Keeper = dyn Fn(Checkpoint) + Send + Sync;

/// How often checkpoints are taken, and who keeps them.
#[derive(Clone)]
pub struct Checkpoints {
    /// Time between two checkpoints, at least. Where events last, the next one is taken when it can be. With 0, states are taken whenever
    /// they can be, and given to the keeper at once, whether the record has their past or not: for tests.
    pub period: Duration,
    /// Who keeps them.
    pub keeper: Arc<Keeper>,
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").field("period", &self.period).finish_non_exhaustive()
    }
}
