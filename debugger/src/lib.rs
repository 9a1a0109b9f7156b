//! Sorts, checks and exports the events of a trace.
//!
//! In go batches of events, from a trace or from a run that is under way; out come the events in
//! causal order, verdicts on what the user expected, and exports. The crate knows no threads, no
//! files and nothing of how a program is executed; it depends on `hasse-model` only. Start reading
//! at [`read`] (events in causal order) and [`check`] (verdicts).

mod carry;
/// Expected behavior, checked against the events of a run.
pub mod check;
/// Vector clocks over what is checked.
pub mod clock;
/// Rules and arcs that a run used.
pub mod coverage;
/// Event history, elaborated graph and program graph.
pub mod display;
/// The path of one event.
pub mod event_path;
/// Events for other tools.
pub mod export;
/// Display, checker, filing and saving on one stream of events.
pub mod facility;
/// Index maps of arcs.
pub mod index_map;
/// What a trace holds, in short.
pub mod info;
/// Values as JSON.
pub mod json;
/// The moments of a record.
pub mod moments;
/// The first event in which two records differ.
pub mod parting;
/// What is before an event.
pub mod past;
/// Where the time of a run went.
pub mod perf;
/// Accesses that nothing orders but a lock.
pub mod race;
/// The events of batches in causal order, with their names.
pub mod read;
/// Post-restriction: the records of selected actions from those of all.
pub mod restrict;
/// Joins the retained segments of a rotated record into one trace.
pub mod rotated;
/// How values are shown.
pub mod show;
/// Causal sorting.
pub mod sort;
/// Batches in memory as a source.
pub mod stored;
/// By which arcs values came.
pub mod ways;
/// Why an event happened.
pub mod why;

#[cfg(test)]
mod testing;
