//! The rows of the table of commands, by subject.

use super::super::alias;
use super::super::command::{Command, Listed};
use super::Completes::{self, File, Scope, Selector, Symbol, Words};
use super::{Context, Row, Subject};
use hasse_runtime::control::grammar::Keyword;

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

/// All commands, in the order in which `help` lists those of a subject.
pub(crate) static ROWS: &[Row] = &[
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
               locks granted, and the body has not begun. Numbers are listed by `status` and deleted by `delete N`.\n\
               Example: `stop in Mult at aftcomp if count == i`, `stop on arc Mult.done -> Solve.b if value == ()`.",
        completes: &[&[Words(&["in", "at", "on", "if", "after"])], &[Selector]],
        parse: |arguments| Ok(arguments.stop()),
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
        usage: "[in SELECTOR] [at PLACE] [on ...] [if EXPR] [after N] {COMMAND; ...}",
        meaning: "set a breakpoint that carries out commands and goes on",
        help: "The commands are `print EXPR`, `dump`, `log \"text with {EXPR}\"`, `assign NAME = EXPR`, `where` and `stop`.\n\
               Example: `when in Mult at aftcomp {log \"block {i} after {count}\"}`.",
        completes: &[&[Words(&["in", "at", "on", "if", "after"])], &[Selector]],
        parse: |arguments| Ok(arguments.breakpoint(Keyword::When)),
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
        usage: "[&]",
        meaning: "let the stopped actions go on, or the selected one; with &, without waiting",
        help: "If all were stopped by `stop`, a single action goes on alone: those that it sends to stop again.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| Ok(Command::Cont { in_background: arguments.background()? }),
        ..PLAIN
    },
    Row {
        name: "next",
        aliases: &["n"],
        subject: Subject::Running,
        contexts: ACTIONS,
        usage: "[&]",
        meaning: "go on to aftcomp, and from there to befcomp of the receivers; of all stopped actions or of the selected one",
        help: "An action that is not stopped has those that it sends to next time stop before their computation.",
        completes: &[&[Words(&["&"])]],
        parse: |arguments| Ok(Command::GoNext { in_background: arguments.background()? }),
        ..PLAIN
    },
    Row {
        name: "step",
        aliases: &["s"],
        subject: Subject::Running,
        contexts: &[Context::Action],
        meaning: "go on to the next statement of the body of the selected action, which is stopped before it or in it",
        help: "Goes into script functions; behind the last statement the action stops at aftcomp. While an action is stopped\n\
               in its body it keeps its worker. `next` goes to the end of the body, `cont` beyond. `stop at line N` begins\n\
               in the midst.\n\
               Example: `stop in Mult; run; cd Mult[2]; step; print acc`.",
        parse: |arguments| arguments.plain(Command::Step),
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
        meaning: "show a shortest cycle of actions each of which waits for a value that the next could send",
        help: "Among the actions that nobody is serving, when the run is at rest or over.",
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
        usage: "pred U {V, W} | parall {U, V} | forall ... | model FILE",
        meaning: "add a check, also during a run",
        help: "A check speaks of the events from there on. `hasse verify --help` and the chapter on checking tell more.\n\
               Example: `check pred Gath {Solve}` expects an event of Solve before each of Gath.",
        completes: &[&[Words(&["pred", "parall", "forall", "exists", "never", "model"])], &[Selector, File]],
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
        help: "Without a letter, instances in a program or a call, events in an action. `lsi` and `lse` are short for the two.\n\
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

/// Nothing can be put there.
const NOTHING_MORE: &[Completes] = &[];
