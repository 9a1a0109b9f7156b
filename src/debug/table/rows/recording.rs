//! What is recorded, shown, kept and checked.

use super::super::super::command::Command;
use super::super::row::Completes::{File, Selector, Words};
use super::plain::{GRAPHS_AND_ACTIONS, PLAIN, VIEWS};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "mode",
        subject: Subject::Recording,
        is_redirectable: true,
        usage: "[record [full|restrict|minimal|perf|off] | replay | perftr | dbgoff | postmortem [record|ufile]]",
        meaning: "show or choose what `run` does",
        help: "record runs and records; replay follows the session's records, or else the trace; postmortem only looks at\n\
               them: `postmortem record` at the session's, `postmortem ufile` at the trace file. `perftr` is `record perf`,\n\
               and `dbgoff` leaves nothing of the debugger in the run.\n\
               Example: `run; mode replay; run` runs a second time as the first.",
        completes: &[
            &[Words(&["record", "replay", "perftr", "dbgoff", "postmortem"])],
            &[Words(&["full", "restrict", "minimal", "perf", "off", "record", "ufile"])],
        ],
        parse: |arguments| Ok(Command::Mode(arguments.mode()?)),
        ..PLAIN
    },
    Row {
        name: "rcopt",
        subject: Subject::Recording,
        contexts: GRAPHS_AND_ACTIONS,
        usage: "[[SELECTOR] full|restrict|off]",
        meaning: "show or set the recording option of nodes, actions or paths, or else of the selected scope",
        help: "Counts in `mode record restrict`. Of two options for one action the later one counts.\n\
               Example: `rcopt Mult full`, or `cd Mult[3]; rcopt full`.",
        completes: &[
            &[Selector, Words(&["full", "restrict", "off"])],
            &[Words(&["full", "restrict", "off"])],
        ],
        parse: |arguments| arguments.record_option(),
        ..PLAIN
    },
    Row {
        name: "disp",
        subject: Subject::Recording,
        usage: "[SELECTOR, ...]",
        meaning: "display these alone, beside those given before; without a word, everything",
        help: "Each such command has a number in `status`, by which `delete` takes it back.\n\
               Example: `disp Mult[1], Solve`.",
        completes: &[&[Selector]],
        parse: |arguments| Ok(Command::Display(arguments.texts()?)),
        ..PLAIN
    },
    Row {
        name: "output",
        subject: Subject::Recording,
        usage: "disp [record|restrict|check|off] | save [record|disp|check|off] | record [elabgph|evgph|bothgph|off] | \
                file NAME [record|disp|check] | file off | ufile [record|restrict|check|perftr|off]",
        meaning: "choose what is shown while a run goes on, kept in the session, and filed",
        help: "record is all that was recorded; disp (or restrict) that, restricted to the display set; check, to the check\n\
               set. `output record` keeps events (evgph), the elaborated and the program graph (elabgph) or both. `output\n\
               ufile` names the file after the program.\n\
               Example: `output disp restrict; output file part.trace disp`.",
        completes: &[&[Words(&["disp", "save", "record", "file", "ufile"])], &[VIEWS, File], &[VIEWS]],
        parse: |arguments| Ok(Command::Output(arguments.output()?)),
        ..PLAIN
    },
    Row {
        name: "check",
        subject: Subject::Checking,
        is_text: true,
        usage: "pred U {V, W} | parall {U, V} | linked L | chain P | path P | forall ... | model FILE",
        meaning: "add a check, also during a run",
        help: "A check speaks of the events from there on. `hasse verify --help` and the chapter on checking tell more.\n\
               linked, chain and path take the rest of their line: `;` is a sign of theirs.\n\
               Example: `check pred Gath {Solve}` expects an event of Solve before each of Gath.",
        completes: &[
            &[Words(&["pred", "parall", "linked", "chain", "path", "forall", "exists", "never", "model"])],
            &[Selector, File],
        ],
        parse: |arguments| arguments.check(),
        ..PLAIN
    },
    Row {
        name: "checkset",
        subject: Subject::Checking,
        usage: "[SELECTOR, ...]",
        meaning: "give these alone to the checks; without a word, everything",
        help: "As if only these actions had been recorded, with the orderings that go by way of others kept.\n\
               Example: `checkset Mult, Solve`.",
        completes: &[&[Selector]],
        parse: |arguments| Ok(Command::CheckSet(arguments.texts()?)),
        ..PLAIN
    },
    Row {
        name: "races",
        subject: Subject::Checking,
        usage: "[on|off]",
        meaning: "look for races from the next run on",
        help: "Example: `races; run` names the accesses to shared objects that nothing but their lock puts in order.",
        completes: &[&[Words(&["on", "off"])]],
        parse: |arguments| Ok(Command::Races(arguments.switch()?)),
        ..PLAIN
    },
    Row {
        name: "verdicts",
        subject: Subject::Checking,
        is_redirectable: true,
        meaning: "the verdicts so far",
        help: "Of the run that is under way, or else of the last one.",
        parse: |arguments| arguments.plain(Command::Verdicts),
        ..PLAIN
    },
];
