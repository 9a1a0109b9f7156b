//! Accesses to shared objects without the holes.
//!
//! A replay grants an object by its version: the last writer, and the number of readers since. Writers and readers outside do not
//! execute, so that versions are counted among the kept events. An event that found what an outside writer had left has the content
//! with it, and the last kept writer, which is before that one, as its shared predecessor.

use hasse_model::event::SharedAccess;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Access;
use std::collections::HashMap;

/// Versions of the objects among the kept events.
#[derive(Debug, Default)]
pub(super) struct Versions(HashMap<ObjectId, (Option<EventId>, u64)>);

impl Versions {
    /// Rewrites the accesses of the next kept event; events come in causal order.
    pub(super) fn rewrite(&mut self, event: EventId, accesses: &mut [SharedAccess]) {
        for access in accesses {
            let version = self.0.entry(access.object).or_default();
            access.writer = version.0;
            match access.access {
                Access::Read => version.1 += 1,
                Access::Write => {
                    access.readers = version.1;
                    *version = (Some(event), 0);
                }
            }
        }
    }
}
