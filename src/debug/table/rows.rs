//! The rows of the table of commands, by subject.

/// Scopes, instances, events and names.
mod looking;
/// Going forwards and backwards in a record.
mod moments;
/// Questions over time.
mod over_time;
/// The simplest kind.
mod plain;
/// What is recorded, shown, kept and checked.
mod recording;
/// Running, stopping and going on.
mod running;
/// The session itself.
mod session;
/// The state of actions, and of events.
mod state;
/// Through bodies.
mod walking;

use super::row::Row;

/// All commands, in the order in which `help` lists those of a subject.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    let of_time = [moments::ROWS, over_time::ROWS];
    let others = [state::ROWS, recording::ROWS, looking::ROWS, session::ROWS];
    [running::ROWS, walking::ROWS].into_iter().chain(of_time).chain(others).flatten()
}
