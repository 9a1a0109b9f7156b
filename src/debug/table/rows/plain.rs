//! A command of the simplest kind, and the contexts in which commands are legal.

use crate::debug::command::Command;
use crate::debug::table::row::Completes::{self, Words};
use crate::debug::table::row::{Context, Row, Subject};

pub(super) const ANYWHERE: &[Context] = &[];

pub(super) const GRAPHS_AND_ACTIONS: &[Context] = &[Context::Program, Context::Call, Context::Action];

pub(super) const ACTIONS: &[Context] = &[Context::Program, Context::Action];

pub(super) const ONE_BODY: &[Context] = &[Context::Action];

pub(super) const ONE_ACTION: &[Context] = &[Context::Action, Context::Event];

pub(super) const LOCAL: &[Context] = &[Context::Program, Context::Call, Context::Action, Context::Event];

pub(super) const NOTHING: &[&[Completes]] = &[];

pub(super) const VIEWS: Completes =
    Words(&["record", "disp", "check", "off", "elabgph", "evgph", "bothgph", "perftr", "restrict"]);

/// A command of the simplest kind; rows change what is different.
pub(super) const PLAIN: Row = Row {
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
pub(super) const NOTHING_MORE: &[Completes] = &[];
