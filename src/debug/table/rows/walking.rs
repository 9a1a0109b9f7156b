//! Through bodies, statement by statement.

use hasse_runtime::control::Step;

use super::super::super::command::{Command, Walk};
use super::plain::{ONE_BODY, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "step",
        aliases: &["s"],
        subject: Subject::Running,
        contexts: ONE_BODY,
        usage: "[N]",
        meaning: "go on to the next statement of the body of the selected action, which is stopped before it or in it",
        help: "Goes into script functions; behind the last statement the action stops at aftcomp. While an action is stopped\n\
               in its body it keeps its worker. `over` does not go into functions, `out` leaves one, `next` goes to the end\n\
               of the body, `cont` beyond. `stop at line N` begins in the midst. `step N` does so N times, or to the end of\n\
               the body. At a moment of the record, `rstep` goes back.\n\
               Example: `stop in Mult; run; cd Mult[2]; step; print acc`.",
        parse: |arguments| {
            Ok(Command::Walk(Walk::Forth { step: Step::Into(1), n_times: arguments.times(0)? }))
        },
        ..PLAIN
    },
    Row {
        name: "over",
        subject: Subject::Running,
        contexts: ONE_BODY,
        usage: "[N]",
        meaning: "as `step`, but functions that are called on the way are executed as a whole",
        help: "A breakpoint in such a function stops the action nevertheless. Example: `goto Mult[3]:2 befcomp; over 3`.",
        parse: |arguments| Ok(Command::Walk(Walk::Forth { step: Step::Over, n_times: arguments.times(0)? })),
        ..PLAIN
    },
    Row {
        name: "out",
        subject: Subject::Running,
        contexts: ONE_BODY,
        meaning: "go on to where the function has returned in which the selected action is stopped",
        help: "In no function, it goes to the end of the body. `stack` shows the functions.",
        parse: |arguments| arguments.plain(Command::Walk(Walk::Forth { step: Step::Out, n_times: 1 })),
        ..PLAIN
    },
    Row {
        name: "rstep",
        subject: Subject::Time,
        contexts: ONE_BODY,
        usage: "[N]",
        meaning: "go back by a statement of the body of the selected action, or N, at a moment of the record",
        help: "The event is executed again from its beginning to one statement fewer. Before the first statement it goes to\n\
               befcomp, then to the moment before the event, then to the end of the body of the event before.\n\
               Example: `goto Mult[3]:2; cd Mult[3]; rstep; print acc`.",
        parse: |arguments| arguments.back_in_body(false),
        ..PLAIN
    },
    Row {
        name: "rover",
        subject: Subject::Time,
        contexts: ONE_BODY,
        usage: "[N]",
        meaning: "as `rstep`, but not into functions that the present one has called",
        help: "In a function, the first statement is followed by the one that called it. Example: `rover 2`.",
        parse: |arguments| arguments.back_in_body(true),
        ..PLAIN
    },
    Row {
        name: "stack",
        subject: Subject::Inspecting,
        is_redirectable: true,
        contexts: ONE_BODY,
        meaning: "show the function calls under way in the body of the selected action, the innermost first",
        help: "With the arguments that each was called with, and the lines. `locals` shows the names of the innermost one.",
        parse: |arguments| arguments.plain(Command::Walk(Walk::Stack)),
        ..PLAIN
    },
    Row {
        name: "locals",
        subject: Subject::Inspecting,
        is_redirectable: true,
        contexts: ONE_BODY,
        meaning: "print the names that the next statement of the selected action sees, with their values",
        help: "Of a function, its parameters and what it has bound. `dump` shows ports and objects, too.",
        parse: |arguments| arguments.plain(Command::Walk(Walk::Locals)),
        ..PLAIN
    },
];
