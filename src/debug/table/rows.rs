//! The rows of the table of commands, by subject.

/// Scopes, instances, events and names.
mod looking;
/// What is recorded, shown, kept and checked.
mod recording;
/// Running, stopping and going on.
mod running;
/// The session itself.
mod session;
/// The state of actions, and of events.
mod state;

use super::super::command::Command;
use super::Completes::{self, Words};
use super::{Context, Row, Subject};

const ANYWHERE: &[Context] = &[];
const GRAPHS_AND_ACTIONS: &[Context] = &[Context::Program, Context::Call, Context::Action];
const ACTIONS: &[Context] = &[Context::Program, Context::Action];
const ONE_ACTION: &[Context] = &[Context::Action, Context::Event];
const LOCAL: &[Context] = &[Context::Program, Context::Call, Context::Action, Context::Event];
const NOTHING: &[&[Completes]] = &[];
const VIEWS: Completes =
    Words(&["record", "disp", "check", "off", "elabgph", "evgph", "bothgph", "perftr", "restrict"]);

/// A command of the simplest kind; rows change what is different.
const PLAIN: Row = Row {
    name: "",
    aliases: &[],
    subject: Subject::Session,
    is_redirectable: false,
    is_text: false,
    contexts: ANYWHERE,
    usage: "",
    meaning: "",
    help: "",
    completes: NOTHING,
    parse: |arguments| arguments.plain(Command::Status),
};

/// Nothing can be put there.
const NOTHING_MORE: &[Completes] = &[];

/// All commands, in the order in which `help` lists those of a subject.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    [running::ROWS, state::ROWS, recording::ROWS, looking::ROWS, session::ROWS].into_iter().flatten()
}
