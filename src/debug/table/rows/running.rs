//! Running, stopping and going on.

use hasse_runtime::control::grammar::Keyword;

use super::super::super::command::Command;
use super::super::row::Completes::{Selector, Symbol, Words};
use super::plain::{ACTIONS, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "run",
        aliases: &["r"],
        subject: Subject::Running,
        usage: "[&]",
        meaning: "run, replay or look at the records, as the mode says; with &, in the background",
        help: "All options, checks and sets stay as they are from run to run.\n\
               Example: `run &`, then `verdicts` while it is under way, then `wait`.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| Ok(Command::Run { in_background: arguments.background()? }),
        ..PLAIN
    },
    Row {
        name: "rerun",
        subject: Subject::Running,
        usage: "[&]",
        meaning: "end the run that is under way, and start a new one",
        help: "Options, checks and breakpoints stay.\n\
               Example: `mode replay; rerun` begins again, and this time follows what was recorded.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| Ok(Command::Rerun { in_background: arguments.background()? }),
        ..PLAIN
    },
    Row {
        name: "wait",
        subject: Subject::Running,
        meaning: "wait until the run in the background has come to rest, or to its end",
        help: "Prints what happened: who stopped, or the results, errors and verdicts.",
        parse: |arguments| arguments.plain(Command::Wait),
        ..PLAIN
    },
    Row {
        name: "stop",
        aliases: &["st"],
        subject: Subject::Running,
        is_text: true,
        contexts: ACTIONS,
        usage: "[[in SELECTOR] [at befcomp|aftcomp|send|failed|line N] [on arc A.out -> B.in | on shared NAME [read|write] | \
                on create [SELECTOR] | on failed] [if EXPR] [after N]]",
        meaning: "stop all actions before their next computation, or the selected one; with more, set a breakpoint",
        help: "A breakpoint stops each action that comes there. Where no place is named, that is befcomp: values are taken and\n\
               locks granted, and the body has not begun. `on check N`, `on check` and `on race` stop all actions when a check is\n\
               violated or there is a race; events come to the checks a little later. `disable N` has it not count for a while.\n\
               Numbers are listed by `status` and deleted by `delete N`.\n\
               Example: `stop in Mult at aftcomp if count == i`, `stop on arc Mult.done -> Solve.b if value == ()`.",
        completes: &[&[Words(&["in", "at", "on", "if", "after"])], &[Selector]],
        parse: |arguments| arguments.stop(),
        ..PLAIN
    },
    Row {
        name: "once",
        subject: Subject::Running,
        is_text: true,
        contexts: ACTIONS,
        usage: "[in SELECTOR] [at PLACE] [on ...] [if EXPR] [after N]",
        meaning: "set a breakpoint that is deleted when it has stopped an action",
        help: "Otherwise as `stop`. Example: `once in Solve if count == 2`.",
        completes: &[&[Words(&["in", "at", "on", "if", "after"])], &[Selector]],
        parse: |arguments| Ok(arguments.breakpoint(Keyword::Once)),
        ..PLAIN
    },
    Row {
        name: "when",
        subject: Subject::Running,
        is_text: true,
        contexts: ACTIONS,
        usage: "[in SELECTOR] [at PLACE] [on ...] [if EXPR] [after N] {COMMAND; ...} | [next | last] EXPR",
        meaning: "set a breakpoint that carries out commands and goes on; or ask after which event a condition holds",
        help: "The commands are `print EXPR`, `dump`, `log \"text with {EXPR}\"`, `assign NAME = EXPR`, `where` and `stop`.\n\
               `on check N`, `on check` and `on race` carry out `log \"text\"`, `verdicts` and `stop` once in a run, when a check is\n\
               violated or there is a race; `stop` stops all actions.\n\
               With a condition alone, of the record: the first event after which it holds, and did not before; with `next` after\n\
               the moment of the session, with `last` up to it. Its names are vars of the selected action, `count`, shared objects\n\
               and parameters. It costs one replay.\n\
               Example: `when in Mult at aftcomp {log \"block {i} after {count}\"}`, `when on check 2 {verdicts; stop}`,\n\
               `when balance < 0`, `when last total > 100 && count == 2`.",
        completes: &[&[Words(&["in", "at", "on", "if", "after"])], &[Selector]],
        parse: |arguments| arguments.when(),
        ..PLAIN
    },
    Row {
        name: "watch",
        subject: Subject::Running,
        is_text: true,
        contexts: ACTIONS,
        usage: "EXPR, ... [in SELECTOR] [at PLACE] [if EXPR]",
        meaning: "set a breakpoint that tells of values that have changed since its last hit in the same action",
        help: "Example: `watch acc in Mult at aftcomp`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(arguments.breakpoint(Keyword::Watch)),
        ..PLAIN
    },
    Row {
        name: "cont",
        aliases: &["c"],
        subject: Subject::Running,
        contexts: ACTIONS,
        usage: "[N | &]",
        meaning: "let the stopped actions go on, or the selected one; N times; with &, without waiting",
        help: "If all were stopped by `stop`, a single action goes on alone: those that it sends to stop again.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| {
            let (n_times, in_background) = arguments.times_in_background()?;
            Ok(Command::Cont { in_background, n_times })
        },
        ..PLAIN
    },
    Row {
        name: "next",
        aliases: &["n"],
        subject: Subject::Running,
        contexts: ACTIONS,
        usage: "[N | &]",
        meaning: "go on to aftcomp, and from there to befcomp of the receivers; of all stopped actions or of the selected one",
        help: "An action that is not stopped has those that it sends to next time stop before their computation.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| {
            let (n_times, in_background) = arguments.times_in_background()?;
            Ok(Command::GoNext { in_background, n_times })
        },
        ..PLAIN
    },
    Row {
        name: "kill",
        aliases: &["k"],
        subject: Subject::Running,
        meaning: "end the run that is under way",
        help: "What was recorded up to there is kept.",
        parse: |arguments| arguments.plain(Command::Kill),
        ..PLAIN
    },
];
