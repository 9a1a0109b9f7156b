//! Why an event happened: its causes from the record, and their values from a replay.

use std::io::{self, Write};

use hasse_debugger::past::History;
use hasse_debugger::why::{Cause, Explained, Source, Told, why as explain, write_text};
use hasse_model::event::LocalState;
use hasse_model::id::EventId;
use hasse_runtime::capture::{Capture, Captured};
use serde::Serialize;

use super::described::Replayed;
use super::error::EventError;
use super::ground::{Ground, find};
use super::regenerate::{check_replayable, full_record, past_of};

/// Why an event happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Why {
    /// The event with its causes.
    #[serde(flatten)]
    pub explained: Explained,
    /// How much was replayed; `None` where the record told it all.
    pub replayed: Option<Replayed>,
}

impl Why {
    /// Writes the causes as a tree; `program_path` stands before the line numbers.
    ///
    /// # Errors
    /// `out` does not take it.
    pub fn write_text(&self, program_path: &str, out: &mut dyn Write) -> io::Result<()> {
        write_text(&self.explained, program_path, out)?;
        self.replayed.map_or(Ok(()), |replayed| replayed.write_text(out))
    }
}

/// The causes of an event, back through arcs and shared objects. With a `depth` of 1 its immediate causes are named,
/// with 2 their causes, too. `has_values` adds the values, which takes a replay of what is before the event. A minimal
/// record is followed until the event has ended; a restricted one tells which of its events are before others.
///
/// # Errors
/// The record has no such event; with values or of a minimal record, as for [`values`](super::values()).
pub fn why(ground: Ground<'_>, event: &str, depth: usize, has_values: bool) -> Result<Why, EventError> {
    let full;
    let ground = if ground.is_minimal() {
        full = full_record(ground, event)?;
        Ground { recorded: &full, ..ground }
    } else {
        ground
    };
    let header = &ground.recorded.header;
    if has_values {
        check_replayable(header)?;
    }
    let names = ground.names();
    let history = History::new(&ground.recorded.record.batches);
    let id = find(event, &history, &names)?;
    let (plan, params) = (ground.plan, header.params.as_slice());
    let source = Source { history: &history, names: &names, plan, params, mode: header.mode };
    let mut explained = explain(source, id, depth).ok_or_else(|| match header.n_before {
        0 => EventError::Stopped { event: event.to_owned() },
        _ => EventError::NotKept { event: event.to_owned() },
    })?;
    let replayed = if has_values {
        let n_replayed = put_values(ground, &history, &mut explained)?;
        Some(Replayed { n_replayed, n_recorded: Some(history.n_events() as u64) })
    } else {
        None
    };
    Ok(Why { explained, replayed })
}

/// Adds values to the causes that are told; returns how many events were replayed.
fn put_values(
    ground: Ground<'_>,
    history: &History<'_>,
    explained: &mut Explained,
) -> Result<u64, EventError> {
    let names = ground.names();
    let labels = ground.plan.template_labels();
    let mut told: Vec<EventId> = vec![explained.id];
    let mut capture = Capture::none();
    let wanted = Captured { took: true, around: true, ..Captured::NONE };
    explained.for_each_told(&mut |event| {
        if event.told == Told::Causes && event.id != told[0] {
            told.push(event.id);
        }
        if let Some(template) = labels.iter().position(|label| *label == event.node) {
            capture.add(hasse_model::id::TemplateId::from_idx(template), wanted);
        }
    });
    let (kept, n_replayed) = past_of(ground, history, &told, capture, &names)?;
    explained.for_each_told(&mut |event| {
        if let Ok(found) = kept.binary_search_by_key(&event.id, |kept| kept.id)
            && let Some(local) = &kept[found].local
        {
            put_local(event, local);
        }
    });
    Ok(n_replayed)
}

fn put_local(event: &mut Explained, local: &LocalState) {
    let mut shared = local.shared_before.iter();
    for cause in &mut event.causes {
        match cause {
            Cause::Value { position, port, value, .. } => {
                if let Some((name, taken)) = local.took.get(*position) {
                    (*port, *value) = (Some(name.clone()), Some(taken.clone()));
                }
            }
            Cause::Object { value, .. } => *value = shared.next().map(|(_, held)| held.clone()),
            Cause::Previous { vars, .. } => vars.clone_from(&local.found),
            Cause::Earlier { .. } | Cause::Relayed { .. } => {}
        }
    }
}
