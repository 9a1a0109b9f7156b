//! Going forwards and backwards in a record.

use super::super::super::command::{Command, Move, OverTime};
use super::super::row::Completes::{Scope, Symbol, Words};
use super::plain::{NOTHING_MORE, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "goto",
        subject: Subject::Time,
        usage: "EVENT [before|befcomp|aftcomp|after] | N | N% | end",
        meaning: "go to a moment of the record: that of an event, or the one after N events, or after a share of them",
        help: "A replay executes what is before the moment, and can be asked there: `print`, `dump`, `queue`, `why`, `deadlock`,\n\
               `list`, `lsi`. At befcomp and aftcomp the event is within its computation, as at a breakpoint.\n\
               Example: `goto Mult[3]:2 befcomp`, `goto 50%`, `goto end; deadlock`.",
        completes: &[
            &[Scope, Words(&["end"])],
            &[Words(&["before", "befcomp", "aftcomp", "after"])],
            NOTHING_MORE,
        ],
        parse: |arguments| arguments.goto(),
        ..PLAIN
    },
    Row {
        name: "back",
        subject: Subject::Time,
        usage: "[N]",
        meaning: "go back by an event, or N; in an action, to before the last event that it has executed",
        help: "The effects of that event are undone. Example: `cd Mult[3]; last; back 2; dump`.",
        parse: |arguments| arguments.by_events(Move::Back),
        ..PLAIN
    },
    Row {
        name: "forth",
        subject: Subject::Time,
        usage: "[N]",
        meaning: "go forth by an event, or N; in an action, to after the next event that it executes",
        help: "The run goes as it was recorded. Example: `first; forth 10`.",
        parse: |arguments| arguments.by_events(Move::Forth),
        ..PLAIN
    },
    Row {
        name: "first",
        subject: Subject::Time,
        meaning: "go to where nothing has been executed; in an action, to before its first event",
        help: "`forth` goes on from there.",
        parse: |arguments| arguments.to_end(Move::First),
        ..PLAIN
    },
    Row {
        name: "last",
        subject: Subject::Time,
        meaning: "go to the end of the record; in an action, to after its last event",
        help: "`back` goes on from there.",
        parse: |arguments| arguments.to_end(Move::Last),
        ..PLAIN
    },
    Row {
        name: "rcont",
        aliases: &["rc"],
        subject: Subject::Time,
        usage: "[N]",
        meaning: "go back to the last hit of any breakpoint before the moment; N times",
        help: "At a moment, `cont` goes to the next hit in the record. Log points and watches count, too. The action is stopped\n\
               where it hits the breakpoint.\n\
               Example: `stop in Audit if balance < 0; goto end; rcont`.",
        parse: |arguments| {
            Ok(Command::ContBack { n_times: arguments.times(0)?, column: arguments.command.column })
        },
        ..PLAIN
    },
    Row {
        name: "fork",
        subject: Subject::Time,
        usage: "[N times] [with NAME = VALUE, ...]",
        meaning: "go on from the moment as a new run, with all choices free; or do so N times and list the outcomes",
        help: "The record of the new run begins with the events before the moment. `with` sets vars of the selected action, vars by\n\
               their paths, and shared objects at the moment first. After an edit it goes on with the edited program.\n\
               Example: `goto Teller[0]:1; fork`, `fork 100 times`, `fork with /balance = 5, /Sum.total = 3`.",
        completes: &[&[Words(&["with"])]],
        parse: |arguments| arguments.fork(),
        ..PLAIN
    },
    Row {
        name: "whowrote",
        subject: Subject::Time,
        is_redirectable: true,
        usage: "VAR | OBJECT",
        meaning: "the last event before the moment that gave a var of the selected action, or a shared object, another value",
        help: "Example: `whowrote /balance`; `cd Sum; whowrote total`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(Command::OverTime(OverTime::Whowrote(arguments.symbol()?))),
        ..PLAIN
    },
    Row {
        name: "changes",
        subject: Subject::Time,
        is_redirectable: true,
        usage: "VAR | OBJECT",
        meaning: "list all events up to the moment that gave a var of the selected action, or a shared object, another value",
        help: "Example: `goto end; changes /balance`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(Command::OverTime(OverTime::Changes(arguments.symbol()?))),
        ..PLAIN
    },
    Row {
        name: "moment",
        subject: Subject::Time,
        is_redirectable: true,
        meaning: "show the moment that the session is at",
        help: "Its number is that of the events before it, in the causal order of the record.",
        parse: |arguments| arguments.plain(Command::Moment),
        ..PLAIN
    },
];
