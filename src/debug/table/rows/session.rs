//! The session itself.

use super::super::super::alias;
use super::super::super::command::Command;
use super::super::row::Completes::{self, File, Words};
use super::plain::{NOTHING_MORE, PLAIN};
use crate::debug::table::row::Row;

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "status",
        is_redirectable: true,
        meaning: "mode, options, breakpoints, checks, sets and records",
        help: "What has a number is taken back with `delete`.",
        parse: |arguments| arguments.plain(Command::Status),
        ..PLAIN
    },
    Row {
        name: "delete",
        aliases: &["d"],
        usage: "[check|disp] N",
        meaning: "delete what has this number in `status`",
        help: "A breakpoint, a check or a part of the display set. A check's verdict so far is printed, if a run is under way.\n\
               Example: `delete 2`.",
        completes: &[&[Words(&["check", "disp"])], NOTHING_MORE],
        parse: |arguments| arguments.delete(),
        ..PLAIN
    },
    Row {
        name: "disable",
        usage: "[breakpoint|check] [N ...]",
        meaning: "have what has this number in `status` not count until it is enabled again",
        help: "A breakpoint, a `stop on`, a `when on` or a check. Without numbers, all breakpoints; with `check` alone, all checks.\n\
               A check's verdict so far is printed, if a run is under way. `save session` keeps it disabled.\n\
               Example: `disable 2`, `disable check`.",
        completes: &[&[Words(&["breakpoint", "check"])], NOTHING_MORE],
        parse: |arguments| arguments.enable(false),
        ..PLAIN
    },
    Row {
        name: "enable",
        usage: "[breakpoint|check] [N ...]",
        meaning: "have what was disabled count again",
        help: "In a run under way a check speaks of the events from now on. Example: `enable 2`.",
        completes: &[&[Words(&["breakpoint", "check"])], NOTHING_MORE],
        parse: |arguments| arguments.enable(true),
        ..PLAIN
    },
    Row {
        name: "alias",
        is_text: true,
        usage: "[NAME [NAME | \"text\" | (A, B) \"text with A and B\"]]",
        meaning: "show aliases or define one",
        help: "What follows an alias without parameters is put behind its text. A text may hold several commands.\n\
               Example: `alias again \"mode replay; run\"`, `alias only(a) \"disp; disp a\"`, then `only(Mult)`.",
        completes: &[&[Completes::Alias], &[Completes::Command]],
        parse: |arguments| alias::parse(arguments.rest),
        ..PLAIN
    },
    Row {
        name: "unalias",
        usage: "NAME",
        meaning: "remove an alias",
        help: "Example: `unalias again`.",
        completes: &[&[Completes::Alias]],
        parse: |arguments| {
            let name = arguments.one("the name of an alias")?.to_owned();
            Ok(Command::Unalias { name, column: arguments.words[0].column })
        },
        ..PLAIN
    },
    Row {
        name: "source",
        usage: "FILE",
        meaning: "read commands from a file",
        help: "Up to the first that cannot be carried out. A file beside the program is found from any folder, and a file\n\
               may read others.\n\
               Example: `source walkthrough.commands`.",
        completes: &[&[File]],
        parse: |arguments| Ok(Command::Source(arguments.one("the name of a file")?.to_owned())),
        ..PLAIN
    },
    Row {
        name: "save",
        usage: "session FILE",
        meaning: "write the session to a file, and its records to FILE.trace",
        help: "Options, checks, sets, aliases and scope are kept, and what the runs were given. `hasse debug --session FILE`\n\
               and `restore FILE` go on from there.\n\
               Example: `save session evening.session`.",
        completes: &[&[Words(&["session"])], &[File]],
        parse: |arguments| {
            arguments.ends_at(2)?;
            match (arguments.word(0), arguments.word(1)) {
                (Some("session"), Some(path)) => Ok(Command::Save(path.to_owned())),
                (Some("session") | None, _) => Err(arguments.wrong(1, "the name of a file is missing")),
                _ => Err(arguments.unexpected(0)),
            }
        },
        ..PLAIN
    },
    Row {
        name: "restore",
        usage: "FILE",
        meaning: "go on with a session that was saved",
        help: "What is set now is given up. The file must be of a session on the same program.\n\
               Example: `restore evening.session`.",
        completes: &[&[File]],
        parse: |arguments| Ok(Command::Restore(arguments.one("the name of a file")?.to_owned())),
        ..PLAIN
    },
    Row {
        name: "debug",
        usage: "[[-]LEVEL]",
        meaning: "for the maintenance of Hasse: statistics of the session's inside",
        help: "Level 1: events and records; 2: names and tables, too; 3: memory, too. Printed now and behind each run; a level\n\
               with a minus ends it.\n\
               Example: `debug 1; run; debug -1`.",
        parse: |arguments| Ok(Command::Debug(arguments.level()?)),
        ..PLAIN
    },
    Row {
        name: "help",
        aliases: &["h"],
        is_redirectable: true,
        usage: "[COMMAND]",
        meaning: "this list, or more of one command",
        help: "Example: `help output`.",
        completes: &[&[Completes::Command]],
        parse: |arguments| Ok(Command::Help(arguments.optional()?)),
        ..PLAIN
    },
    Row {
        name: "quit",
        aliases: &["q"],
        meaning: "leave",
        help: "A run that is under way is stopped. Ctrl-D does the same.",
        parse: |arguments| arguments.plain(Command::Quit),
        ..PLAIN
    },
];
