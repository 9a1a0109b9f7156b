//! Scopes, instances, events and names.

use super::super::super::command::{Command, Listed};
use super::super::row::Completes::{self, File, Scope, Selector, Symbol, Words};
use super::plain::{GRAPHS_AND_ACTIONS, PLAIN};
use crate::debug::table::row::{Row, Subject};

pub(super) static ROWS: &[Row] = &[
    Row {
        name: "select",
        aliases: &["cd"],
        subject: Subject::Looking,
        usage: "[/ | .. | PATH | NODE | :COUNT | -]",
        meaning: "select the scope that commands refer to",
        help: "A scope is the program, a call, an action or an event. Paths begin at the selected scope, or with a slash at\n\
               the program; an index that is left out stands for all. `cd` alone selects the program, `cd -` the scope before.\n\
               Example: `cd /dobts[2]/Mult[3]`, then `cd :2` for its second execution, then `cd ..`.",
        completes: &[&[Completes::Scope]],
        parse: |arguments| {
            let (target, column) = arguments.optional()?.unwrap_or_else(|| ("/".to_owned(), 1));
            Ok(Command::Select { target, column })
        },
        ..PLAIN
    },
    Row {
        name: "where",
        aliases: &["pwd"],
        subject: Subject::Looking,
        is_redirectable: true,
        meaning: "the selected scope",
        help: "The prompt shows it, too.",
        parse: |arguments| arguments.plain(Command::Where),
        ..PLAIN
    },
    Row {
        name: "list",
        aliases: &["l"],
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[i|e] [LOW..HIGH] [SELECTOR, ...]",
        meaning: "instances (i) or events (e) of the selected scope",
        help: "Without a letter, instances in a program or a call, events in an action; in one that is stopped within its body,\n\
               the text around the statement that is next. `lsi` and `lse` are short for the two.\n\
               Example: `list e 10..20 Mult`.",
        completes: &[&[Words(&["i", "e"]), Selector], &[Selector]],
        parse: |arguments| arguments.list(None),
        ..PLAIN
    },
    Row {
        name: "lsi",
        subject: Subject::Looking,
        is_redirectable: true,
        contexts: GRAPHS_AND_ACTIONS,
        usage: "[LOW..HIGH] [SELECTOR, ...]",
        meaning: "instances of the selected scope: graphs and actions, with executions and recording option",
        help: "From the session's records, or else from the trace; 1000 at most, unless a range is given or they go to a file.\n\
               Example: `lsi Mult`, `lsi 1..20`, `lsi > instances`.",
        completes: &[&[Selector]],
        parse: |arguments| arguments.list(Some(Listed::Instances)),
        ..PLAIN
    },
    Row {
        name: "lse",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[LOW..HIGH] [SELECTOR, ...]",
        meaning: "events of the selected scope in causal order",
        help: "From the session's records, or else from the trace; 1000 at most, unless a range is given or they go to a file.\n\
               Example: `cd Mult[3]; lse`, `lse 10..20`, `lse Mult, Solve > events`.",
        completes: &[&[Selector]],
        parse: |arguments| arguments.list(Some(Listed::Events)),
        ..PLAIN
    },
    Row {
        name: "graphs",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[elaborated|program] [SELECTOR, ...]",
        meaning: "elaborated and program graph, or one of them: actions or nodes, and which depended on which",
        help: "Of what was displayed last; without a display or with selectors, of the records or the trace, restricted to\n\
               the display set. With `output record bothgph` they are kept without a display, too.\n\
               Example: `graphs`, `graphs elaborated Mult, Solve`.",
        completes: &[&[Words(&["elaborated", "program"]), Selector], &[Selector]],
        parse: |arguments| arguments.graphs(),
        ..PLAIN
    },
    Row {
        name: "history",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[N | LOW..HIGH | EVENT] [SELECTOR, ...]",
        meaning: "a page of the event history, with lanes that show what is immediately before each event",
        help: "Without anything, the next page. `-20..` begins 20 events before the end. Events that are not in the scope, the\n\
               display set and the selectors are left out, and the orderings by way of them are kept. In a lane `*` is the\n\
               event, `o` who sent a value that it took, `x` who had accessed a shared object before it.\n\
               Example: `history`, `history 120`, `history 10..20 Mult, Solve`, `history -20..`, `history Mult[3]:2`.",
        completes: &[&[Selector, Scope], &[Selector]],
        parse: |arguments| arguments.history(),
        ..PLAIN
    },
    Row {
        name: "perf",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[by action|template|graph] [top N] [window A..B] [svg FILE]",
        meaning: "where the time went: utilization, concurrency, critical path, load, communication",
        help: "Of `mode record perf`; of other records, each event counts as one unit of time. `svg` draws it into a file.\n\
               Example: `mode record perf; run; perf top 5`, `perf by action svg report.svg`, `perf window 1ms..2ms`.",
        completes: &[
            &[Words(&["by", "top", "window", "svg"])],
            &[Words(&["action", "template", "graph"]), File],
            &[Words(&["by", "top", "window", "svg"])],
            &[Words(&["action", "template", "graph"]), File],
        ],
        parse: |arguments| arguments.perf(),
        ..PLAIN
    },
    Row {
        name: "export",
        subject: Subject::Looking,
        usage: "jsonl|dot|graphml|shiviz|perfetto|arrow|parquet FILE [events|elaborated|program] [by action|template|graph]",
        meaning: "write the events, restricted to the display set, in a form that other tools read",
        help: "Events, elaborated or program graph, for dot and graphml; `by` says what a time line stands for, for shiviz.\n\
               arrow and parquet write a folder of tables. A file appears when it is complete.\n\
               Example: `export dot run.dot elaborated`, `export perfetto run.pftrace`, `export shiviz log by template`.",
        completes: &[
            &[Words(&["jsonl", "dot", "graphml", "shiviz", "perfetto", "arrow", "parquet"])],
            &[File],
            &[Words(&["events", "elaborated", "program", "by"])],
            &[Words(&["by", "action", "template", "graph"])],
        ],
        parse: |arguments| arguments.export(),
        ..PLAIN
    },
    Row {
        name: "whatis",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "NAME",
        meaning: "what a name is, and of which type",
        help: "Seen from the selected scope: in an action its parameters, index, vars, ports and bound names, then what its\n\
               graph has. A name of another node is `Mult.acc`.\n\
               Example: `cd Mult; whatis acc`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(Command::Whatis(arguments.symbol()?)),
        ..PLAIN
    },
    Row {
        name: "which",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "NAME",
        meaning: "which declaration a name refers to in the selected scope, and which others there are",
        help: "Example: `cd Mult; which b`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(Command::Which(arguments.symbol()?)),
        ..PLAIN
    },
    Row {
        name: "psym",
        subject: Subject::Looking,
        is_redirectable: true,
        usage: "[NAME]",
        meaning: "all that is known of a name: kind, type, place, and the rules and bodies that use it",
        help: "Of nodes, calls, graphs and shared objects as well as of what is in them. Without a name, all names that the\n\
               selected scope sees.\n\
               Example: `psym Mult`, `psym Mult.acc`.",
        completes: &[&[Symbol]],
        parse: |arguments| Ok(Command::Psym(arguments.optional_symbol()?)),
        ..PLAIN
    },
];
