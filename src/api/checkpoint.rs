//! Files beside a trace: the last checkpoint, the one before, and the index.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use hasse_model::event::ActionRecord;
use hasse_model::id::ActionId;
use hasse_model::snapshot::{Snapshot, SnapshotError};
use hasse_runtime::run::ReplayRecord;

use crate::whole_file;

/// The file of the last checkpoint.
pub(crate) fn last_of(trace: &Path) -> PathBuf {
    with_suffix(trace, ".checkpoint")
}

/// The file of the checkpoint before the last one.
fn before_last_of(trace: &Path) -> PathBuf {
    with_suffix(trace, ".checkpoint.old")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Keeps a state beside a trace.
///
/// # Errors
/// It cannot be written; the one before is still there.
pub(crate) fn write(trace: &Path, snapshot: &Snapshot) -> Result<(), SnapshotError> {
    let last = last_of(trace);
    if last.is_file() {
        fs::rename(&last, before_last_of(trace))?;
    }
    whole_file::write(&last, |mut out| snapshot.write(&mut out))
}

/// The file of the index.
pub(crate) fn index_of(trace: &Path) -> PathBuf {
    with_suffix(trace, ".index")
}

/// Removes the checkpoints and the index of an earlier run that was recorded into this file.
///
/// # Errors
/// They cannot be removed.
pub(crate) fn remove(trace: &Path) -> io::Result<()> {
    for path in [last_of(trace), before_last_of(trace), index_of(trace)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The last checkpoint that can be read and that the record has the past of. `refuse` is given the others, with the reason.
pub(crate) fn last_good(
    trace: &Path,
    record: &ReplayRecord,
    refuse: impl Fn(&Path, &str),
) -> Option<Snapshot> {
    let recorded = Recorded::of(record);
    [last_of(trace), before_last_of(trace)].into_iter().find_map(|path| {
        let opened = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            opened => opened.map_err(SnapshotError::from),
        };
        match opened.and_then(|file| Snapshot::read(&mut BufReader::new(file))) {
            Ok(snapshot) if recorded.has(&snapshot) => return Some(snapshot),
            Ok(_) => refuse(&path, "it is not of this record, or the record ends before it"),
            Err(error) => refuse(&path, &error.to_string()),
        }
        None
    })
}

/// The actions of a record, with the number of their events.
struct Recorded<'r>(HashMap<ActionId, (Option<&'r ActionRecord>, u64)>);

impl<'r> Recorded<'r> {
    fn of(record: &'r ReplayRecord) -> Self {
        let mut actions: HashMap<ActionId, (Option<&ActionRecord>, u64)> = HashMap::new();
        for batch in &record.batches {
            for action in &batch.actions {
                actions.entry(action.action).or_default().0 = Some(action);
            }
            for (event, n_repeats) in batch.folded_rows() {
                let count = &mut actions.entry(event.id.action).or_default().1;
                *count = (*count).max(event.id.count + n_repeats as u64);
            }
        }
        Self(actions)
    }

    /// Returns true if all events before a state are recorded, as those of the same actions.
    fn has(&self, snapshot: &Snapshot) -> bool {
        let has_events = |action: ActionId, count| {
            count == 0 || self.0.get(&action).is_some_and(|(_, n_events)| *n_events >= count)
        };
        let is_same = |action: &ActionRecord| {
            self.0.get(&action.action).and_then(|(known, _)| *known).is_none_or(|known| known == action)
        };
        snapshot
            .actions
            .iter()
            .all(|state| has_events(state.record.action, state.count) && is_same(&state.record))
            && snapshot.reclaimed.iter().all(|last| has_events(last.action, last.count))
    }
}
