//! The state of actions, and of events.

use super::super::super::command::Command;
use super::super::row::Completes::{File, Scope, Symbol, Words};
use super::plain::{ANYWHERE, LOCAL, NOTHING_MORE, ONE_ACTION, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "print",
        aliases: &["p"],
        subject: Subject::Inspecting,
        is_redirectable: true,
        contexts: ONE_ACTION,
        usage: "EXPR",
        meaning: "print the value of an expression in the selected action",
        help: "Names are those of the action; `NodeIndex`, `ExecCnt`, `Pred`, and its ports as arrays of what waits on them.\n\
               Parts of large values: `a[10..20]`, `m[0..3, 2]`, `m[.., 5]`. In an event, of which the values are regenerated\n\
               by a replay, the names are those after its body.\n\
               Example: `cd Mult[3]; print acc[0..4]`, `print left.len()`.",
        completes: &[&[Symbol]],
        parse: |arguments| arguments.print(),
        ..PLAIN
    },
    Row {
        name: "dump",
        subject: Subject::Inspecting,
        is_redirectable: true,
        contexts: LOCAL,
        meaning: "print the local state of the selected action, or the parameters and objects of the selected graph",
        help: "Names with their values, what waits on the ports, predecessors, objects and what is about to be sent.",
        parse: |arguments| arguments.plain(Command::Dump),
        ..PLAIN
    },
    Row {
        name: "assign",
        subject: Subject::Inspecting,
        is_text: true,
        contexts: ONE_ACTION,
        usage: "NAME = EXPR",
        meaning: "give a name of the selected action, which is stopped at befcomp or aftcomp, another value",
        help: "It is recorded with the event, so that a replay assigns it again. Example: `assign acc = acc * 2`.",
        completes: &[&[Symbol]],
        parse: |arguments| arguments.assign(),
        ..PLAIN
    },
    Row {
        name: "queue",
        subject: Subject::Inspecting,
        is_text: true,
        contexts: ANYWHERE,
        usage: "[ACTION | drop PORT N | set PORT N = EXPR | add PORT = EXPR]",
        meaning: "list the values that wait on input ports; while the run is at rest, drop, replace or add one",
        help: "A port is such as `left` in the selected action, or `/Mult[3].left`, `/Mult[3].left[2]`; the first value is number 1.\n\
               The type of the port has to admit the value. What is changed is recorded, so that a replay of the record\n\
               does it again; the action is looked at again when the run goes on.\n\
               Example: `queue drop /Mult[3].left 2`, `queue set left 1 = 7`, `queue add left = acc + 1`.",
        completes: &[&[Words(&["drop", "set", "add"]), Scope], &[Scope, Symbol], &[Symbol]],
        parse: |arguments| arguments.queue(),
        ..PLAIN
    },
    Row {
        name: "why",
        subject: Subject::Inspecting,
        is_redirectable: true,
        contexts: ANYWHERE,
        usage: "[ACTION | EVENT]",
        meaning: "why an action is not firing, guard by guard and port by port; or what caused an event",
        help: "Without a word, of the selected action or event. Where no run is open, of the events of the action. Causes are\n\
               told of the session's records or the trace: who sent the values by which rule and arc, who wrote the shared\n\
               objects, the execution before, and the causes of these.\n\
               Example: `why Audit`, `why /Mult[3]:2`.",
        completes: &[&[Scope], NOTHING_MORE],
        parse: |arguments| Ok(Command::Why(arguments.event()?)),
        ..PLAIN
    },
    Row {
        name: "values",
        subject: Subject::Inspecting,
        is_redirectable: true,
        usage: "[EVENT]",
        meaning: "what an event took, had and sent, made again by a replay of what is before it",
        help: "Of the selected event, if none is named. `dump` shows the same, and `print` evaluates over these values.\n\
               Example: `values Mult[3]:2`, or `cd Mult[3]:2; print acc`.",
        completes: &[&[Scope], NOTHING_MORE],
        parse: |arguments| Ok(Command::Values(arguments.event()?)),
        ..PLAIN
    },
    Row {
        name: "isolate",
        subject: Subject::Inspecting,
        is_redirectable: true,
        usage: "[EVENT] [[port|var|shared] NAME=VALUE ...] [save FILE]",
        meaning: "execute an event alone on the values that it had, or on others, and compare",
        help: "A value that it took is named by its port, as in `b=3` or `diag[2]=3`. What is saved, `hasse isolate FILE`\n\
               executes again.\n\
               Example: `isolate Mult[3]:2`, `isolate Mult[3]:2 acc=0 save mult.json`.",
        completes: &[&[Scope], &[Words(&["save"]), Symbol], &[File, Symbol]],
        parse: |arguments| arguments.isolate(),
        ..PLAIN
    },
    Row {
        name: "deadlock",
        subject: Subject::Inspecting,
        is_redirectable: true,
        meaning: "show failed events for which actions wait, and a shortest cycle of actions that wait for each other",
        help: "In the cycle each action waits for a value that the next could send. Actions that a worker serves are not\n\
               looked at. Ctrl-C interrupts the search, and not the run.",
        parse: |arguments| arguments.plain(Command::Deadlock),
        ..PLAIN
    },
    Row {
        name: "stopped",
        subject: Subject::Inspecting,
        is_redirectable: true,
        meaning: "list the actions that are stopped or wait for a lock, and the state of the run",
        help: "`lsi` lists all actions.",
        parse: |arguments| arguments.plain(Command::Stopped),
        ..PLAIN
    },
];
