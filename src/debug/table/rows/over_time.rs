//! Questions over time: where a value comes from, and the life of an action.

use super::super::super::command::{Command, OverTime};
use super::super::row::Completes::{Scope, Symbol};
use super::plain::{NOTHING_MORE, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "wherefrom",
        subject: Subject::Time,
        is_redirectable: true,
        usage: "[VAR | OBJECT | PORT [N]]",
        meaning: "follow a value back, arc by arc and event by event, to the body or rule that made it",
        help: "The value is that of the moment: of a var of the selected action, of a shared object, or the N-th value that\n\
               waits on an input port of the action. A value is followed as long as rules pass it on as it is; where it is\n\
               made, the inputs are listed. Without a word it goes on where the last page ended.\n\
               Example: `goto end; wherefrom balance`; `cd Mult[3]; wherefrom left 2`.",
        completes: &[&[Symbol], NOTHING_MORE],
        parse: |arguments| arguments.wherefrom(),
        ..PLAIN
    },
    Row {
        name: "lifetime",
        subject: Subject::Time,
        is_redirectable: true,
        usage: "[ACTION]",
        meaning: "show the event that created an action, its first and last execution, and what waits on it at the end",
        help: "Of the selected action, if none is named. `why` at the end of the record says what it waits for.\n\
               Example: `lifetime Mult[3]`.",
        completes: &[&[Scope], NOTHING_MORE],
        parse: |arguments| Ok(Command::OverTime(OverTime::Lifetime(arguments.event()?))),
        ..PLAIN
    },
];
