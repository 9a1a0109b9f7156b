//! What each field is for, with an example.

use super::field::{FieldKind, Section};

/// The texts of a field.
pub(super) struct FieldText {
    pub(super) kind: FieldKind,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    pub(super) example: &'static str,
}

fn text(
    kind: FieldKind,
    label: &'static str,
    help: &'static str,
    example: &'static str,
) -> Option<FieldText> {
    Some(FieldText { kind, label, help, example })
}

/// The texts of a key; `None` of one that has no field.
pub(super) fn of(section: Section, key: &str) -> Option<FieldText> {
    match (section, key) {
        (_, "label") => text(
            FieldKind::Line,
            "Label",
            "Text shown in the box instead of the name; rules, arcs and paths use the name.",
            "Read the orders",
        ),
        (_, "doc") => text(FieldKind::Line, "Description", "What it is for.", "Adds up what it is sent."),
        (Section::Graph, "params") => text(
            FieldKind::Entries,
            "Parameters",
            "Constants that are fixed when an instance of the graph is created, with a type and perhaps a default.",
            "n = int = 4",
        ),
        (Section::Graph, "in") => text(
            FieldKind::Entries,
            "Inputs",
            "Formal ports that values come in by, with a type each.",
            "a = matrix",
        ),
        (Section::Graph, "out") => text(
            FieldKind::Entries,
            "Outputs",
            "Formal ports that values leave by, with a type each.",
            "x = vector",
        ),
        (Section::Graph, "inout") => text(
            FieldKind::Entries,
            "Shared by the caller",
            "Shared objects that the caller hands in, with a type each.",
            "total = real",
        ),
        (Section::Graph, "on_error") => text(
            FieldKind::Line,
            "Errors go to",
            "Output port for the errors of all nodes of the graph that have no policy of their own.",
            "bad",
        ),
        (Section::Graph, "arcs") => text(
            FieldKind::Rows,
            "Arcs",
            "Where values go: from an output port to an input port.",
            "Split.part[i] -> Work[i].part",
        ),
        (Section::Graph, "share") => text(
            FieldKind::Rows,
            "Share lines",
            "Which shared object a node means by its name.",
            "balance -- Teller[i].account",
        ),
        (_, "index") => text(
            FieldKind::Names,
            "Index",
            "Names of the index numbers; one instance for each combination, created when it is first used.",
            "i, j",
        ),
        (Section::Unit, "in") => text(
            FieldKind::Entries,
            "Input ports",
            "Ports that values wait at, with a type each; p[j] is a family of ports.",
            "part[j] = vector",
        ),
        (Section::Unit, "left") => text(
            FieldKind::Names,
            "Values may be left",
            "Input ports on which values may be left when the program ends; elsewhere they are reported.",
            "token, credit",
        ),
        (Section::Unit, "bound") => text(
            FieldKind::Arguments,
            "Bounds",
            "Input ports on which only as many values may wait, and how many; whoever sends more waits for room.",
            "block = 8",
        ),
        (Section::Unit, "full") => text(
            FieldKind::Arguments,
            "Full ports",
            "Input ports with a bound that drop values when they are full: drop-oldest or drop-newest; elsewhere senders wait.",
            "sample = drop-oldest",
        ),
        (Section::Unit, "out") => text(
            FieldKind::Entries,
            "Output ports",
            "Ports that values are sent on, with a type each; p[j] is a family of ports.",
            "sum = real",
        ),
        (Section::Unit, "vars") => text(
            FieldKind::Entries,
            "Variables",
            "State that is kept from one execution to the next, with a type and perhaps a first value.",
            "k = int = 0",
        ),
        (Section::Unit, "shared") => text(
            FieldKind::Accesses,
            "Shared names",
            "Names for shared objects, each to read or to write; all are locked while the node executes.",
            "account = write",
        ),
        (Section::Unit, "init") => text(
            FieldKind::Body,
            "At creation",
            "Runs once when an instance is created, before any rule is taken.",
            "acc = vector(n, 0.0);",
        ),
        (Section::Unit, "start") => text(
            FieldKind::Flag,
            "Start node",
            "Executes once without input when the program starts.",
            "true",
        ),
        (Section::Unit, "after") => text(
            FieldKind::Line,
            "Start at",
            "Time after the beginning of the run at which it executes once without input: a start node that waits.",
            "5s",
        ),
        (Section::Unit, "every") => text(
            FieldKind::Line,
            "Timer",
            "Executes when the program starts, and then again each time this period is over.",
            "100ms",
        ),
        (Section::Unit, "stop") => {
            text(FieldKind::Flag, "Stop node", "The program ends when this node's execution ends.", "true")
        }
        (Section::Unit, "prefer") => text(
            FieldKind::Flag,
            "Rules by preference",
            "Of several enabled firing rules the first one is taken; else which one is left to chance.",
            "true",
        ),
        (Section::Unit, "at_once") => text(
            FieldKind::Line,
            "Executing at once",
            "Maximum number of its instances that execute at a time, over all graph instances; the others wait.",
            "4",
        ),
        (Section::Unit, "priority") => text(
            FieldKind::Line,
            "Priority",
            "Its instances are served before those of lower priority; that of other nodes is 0.",
            "1",
        ),
        (Section::Unit, "deadline") => text(
            FieldKind::Line,
            "Deadline",
            "Maximum time that an execution waits for the world outside; after that its event fails.",
            "2s",
        ),
        (Section::Unit, "cancel") => text(
            FieldKind::Line,
            "Cancelled by",
            "Input port whose values end the wait of an execution, which then fails.",
            "cancel",
        ),
        (Section::Unit, "backoff") => text(
            FieldKind::Line,
            "Pause before a retry",
            "Time before the first retry; it doubles with each further one.",
            "100ms",
        ),
        (Section::Unit, "retry") => text(
            FieldKind::Line,
            "Retries",
            "Maximum number of retries of a failing body, before its event fails.",
            "3",
        ),
        (Section::Unit, "on_error") => text(
            FieldKind::Rows,
            "When it fails",
            "Routing rules of failed events, after which the node continues; `continue` sends nothing. Empty: the instance stops.",
            "bad <- error",
        ),
        (Section::Unit, "fire") => text(
            FieldKind::Rows,
            "Firing rules",
            "What has to wait at which ports, and the names that bind it; one rule is taken for each execution.",
            "b -> v, part[j] -> parts[j] for j in 0..n if k == 0",
        ),
        (Section::Unit, "do") => text(
            FieldKind::Body,
            "Body",
            "What an execution computes: a text in Rhai or Rust, or the name of a native body.",
            "let sum = 0.0; for part in parts { sum += part; }",
        ),
        (Section::Unit, "route") => text(
            FieldKind::Rows,
            "Routing rules",
            "What is sent on which port after the body; every rule whose guard holds. 1..10 ends at 9, 1..=10 at 10.",
            "n <- k for k in 1..=10",
        ),
        (Section::Shared, "type") => text(FieldKind::Type, "Type", "What the object holds.", "real"),
        (Section::Shared, "init") => {
            text(FieldKind::Body, "First value", "An expression that the object begins with.", "0")
        }
        (Section::Call, "graph") => text(FieldKind::Graph, "Graph", "The graph that is called.", "Solve"),
        (Section::Call, "args") => text(
            FieldKind::Arguments,
            "Arguments",
            "An expression for each creation parameter of the graph.",
            "n = n / 2",
        ),
        (Section::Formal, "type") => {
            text(FieldKind::Type, "Type", "What travels through the port.", "vector")
        }
        _ => None,
    }
}
