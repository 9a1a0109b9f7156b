//! Reads the TOML document into a [`Program`]: known keys, kinds of values, format number. No name is
//! looked up here, and `[layout.*]` is not looked at.

use std::rc::Rc;

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::plan::FullPolicy;

use toml_edit::{Document, TableLike, Value};

use super::initial::add_initial_values;
use super::read_item::{PORT_KEYS, Reader, find, items};
use super::toml_fault;
use crate::grammar::rules::parse_firing;
use crate::rust_front;
use crate::suggest;
use crate::syntax::{
    Body, CallNode, Entry, Graph, OnError, PortOptions, Program, Record, RustBody, SharedObject, StructText,
    TIMER_PORT, Unit,
};
use crate::text::{Source, Text};

const FILE_KEYS: [&str; 6] = ["hasse", "main", "type", "graph", "record", "layout"];
const RECORD_KEYS: [&str; 2] = ["mode", "options"];
const GRAPH_KEYS: [&str; 12] =
    ["params", "in", "out", "inout", "on_error", "arcs", "share", "doc", "label", "uc", "shared", "call"];
const CALL_KEYS: [&str; 5] = ["graph", "args", "index", "doc", "label"];
const UNIT_KEYS: [&str; 23] = [
    "index", "in", "out", "vars", "shared", "init", "fire", "do", "route", "on_error", "retry", "backoff",
    "deadline", "cancel", "start", "after", "every", "stop", "prefer", "at_once", "priority", "doc", "label",
];
/// Priorities that a node can have.
const PRIORITIES: std::ops::RangeInclusive<i32> = -100..=100;
const NATIVE_KEYS: [&str; 2] = ["native", "rust"];
const SHARED_KEYS: [&str; 5] = ["type", "init", "index", "doc", "label"];

/// Reads a file; what cannot be read is left out.
pub(crate) fn read(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let source = Rc::new(Source::new(text));
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            diagnostics.push(unreadable(text, &source, &error));
            return Program::default();
        }
    };
    let mut reader = Reader { source, diagnostics };
    let root = document.as_table();
    read_format(&mut reader, root);
    reader.refuse_unknown_keys(root, &FILE_KEYS, "the file");
    let main = reader.text(root, "main").map(|text| text.into_name());
    if main.is_none() && !root.contains_key("main") {
        reader.report_at_start(
            "E0005",
            "the file does not say which graph is the main one",
            "add a line such as `main = \"name\"`",
        );
    }
    let mut types = Vec::new();
    for (key, fields) in reader.named_tables(root, "type") {
        types.push(StructText { name: reader.name(key), fields: reader.entries_of(fields) });
    }
    let mut graphs = Vec::new();
    for (key, table) in reader.named_tables(root, "graph") {
        graphs.push(read_graph(&mut reader, key, table));
    }
    let record = read_record(&mut reader, root);
    Program { main, types, graphs, record }
}

/// What is wrong with a text that is not TOML, at the mistake rather than where the parser stops.
fn unreadable(text: &str, source: &Source, error: &toml_edit::TomlError) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    if error.message().contains("duplicate key")
        && let Some(first) = toml_fault::first_of_duplicates(text, span.start)
    {
        let first = source.location(first);
        let name = text.get(span.clone()).unwrap_or_default().trim_matches(['[', ']', '"', '\'']);
        let name = name.rsplit('.').next().unwrap_or_default().trim();
        let message = format!("`{name}` is declared already at line {}", first.line);
        return Diagnostic::error("E0001", message, source.location(span), "again here")
            .with_label(first, "declared here")
            .with_help("give one of them another name, or make one of the two");
    }
    let Some(fault) = toml_fault::find(text, span.start) else {
        let message = format!("the file is not readable TOML: {}", one_line(error.message()));
        return Diagnostic::error("E0001", message, source.location(span), "");
    };
    let message = format!("the file is not readable TOML: {}", fault.message);
    let at = source.location(fault.at);
    let diagnostic = Diagnostic::error("E0001", message, at, "").with_help(fault.help);
    match fault.opened {
        Some(opened) => diagnostic.with_label(source.location(opened), "opened here"),
        None => diagnostic,
    }
}

fn one_line(message: &str) -> String {
    message.split('\n').filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

/// `hasse = 1`, in front of all other keys.
fn read_format(reader: &mut Reader<'_>, root: &dyn TableLike) {
    let help = "the first line of a program is `hasse = 1`";
    let Some((key, item)) = root.get_key_value("hasse") else {
        reader.report_at_start("E0002", "the format number is missing", help);
        return;
    };
    let at = reader.key_at(key);
    match item.as_integer() {
        Some(1) => {}
        Some(number) => {
            let message = format!("format {number} is not supported");
            reader.report_with_help("E0002", message, at, "", help);
        }
        None => {
            reader.report_with_help("E0002", "the format number is not an integer".to_owned(), at, "", help)
        }
    }
    let is_first = root.iter().all(|(name, _)| {
        root.key(name).and_then(|other| other.span()).is_none_or(|span| span.start >= at.start as usize)
    });
    if !is_first {
        reader.report_with_help("E0002", "the format number is not the first key".to_owned(), at, "", help);
    }
}

/// `[record]`: how the program asks to be recorded.
fn read_record(reader: &mut Reader<'_>, root: &dyn TableLike) -> Record {
    let Some(table) = reader.table(root, "record") else { return Record::default() };
    reader.refuse_unknown_keys(table, &RECORD_KEYS, "`record`");
    let mode = reader.text(table, "mode").map(|text| text.into_name());
    Record { mode, options: reader.entries(table, "options") }
}

fn read_graph(reader: &mut Reader<'_>, key: &toml_edit::Key, table: &dyn TableLike) -> Graph {
    let name = reader.name(key);
    reader.refuse_unknown_keys(table, &GRAPH_KEYS, "a graph");
    read_descriptions(reader, table);
    let mut graph = Graph {
        params: reader.entries(table, "params"),
        inputs: reader.entries(table, "in"),
        outputs: reader.entries(table, "out"),
        formals: reader.entries(table, "inout"),
        on_error: reader.text(table, "on_error").map(Text::into_name),
        arcs: reader.texts(table, "arcs"),
        shares: reader.texts(table, "share"),
        units: Vec::new(),
        shared: Vec::new(),
        calls: Vec::new(),
        name,
    };
    for (key, call) in reader.named_tables(table, "call") {
        graph.calls.push(read_call(reader, key, call));
    }
    for (key, unit) in reader.named_tables(table, "uc") {
        graph.units.push(read_unit(reader, key, unit));
    }
    for (key, shared) in reader.named_tables(table, "shared") {
        graph.shared.push(read_shared(reader, key, shared));
    }
    add_initial_values(reader, &mut graph);
    graph
}

fn read_unit(reader: &mut Reader<'_>, key: &toml_edit::Key, table: &dyn TableLike) -> Unit {
    reader.refuse_unknown_keys(table, &UNIT_KEYS, "a unit of computation");
    read_descriptions(reader, table);
    let (inputs, port_options) = read_inputs(reader, table);
    let every = reader.time(table, "every");
    let mut fire = reader.texts(table, "fire");
    if every.is_some()
        && let Some((key, item)) = find(table, "every")
        && !fire.iter().any(|rule| takes_from(rule, TIMER_PORT))
    {
        let span = item.span().or_else(|| key.span()).unwrap_or(0..0);
        fire.push(Text::new(&format!("{TIMER_PORT} -> _{TIMER_PORT}"), &reader.source, span));
    }
    let time = find(table, "every").or_else(|| find(table, "after"));
    if let (Some((start, item)), Some((key, _))) = (find(table, "start"), time)
        && item.as_bool() == Some(false)
    {
        let message = format!("a node with `{key}` is a start node, and `start` is false");
        let help = format!("leave one of the two out; with `{key}` there is no need of `start`");
        let at = reader.key_at(start);
        reader.report_with_help("E0109", message, at, "", &help);
    }
    let start = reader.flag(table, "start").or_else(|| Some(reader.key_at(time?.0)));
    Unit {
        name: reader.name(key),
        index: reader.names(table, "index"),
        inputs,
        port_options,
        outputs: reader.entries(table, "out"),
        vars: reader.entries(table, "vars"),
        shared: reader.entries(table, "shared"),
        init: reader.text(table, "init"),
        fire,
        body: read_body(reader, table),
        route: reader.texts(table, "route"),
        start,
        stop: reader.flag(table, "stop"),
        prefer: reader.flag(table, "prefer"),
        at_once: reader.number_or_text(table, "at_once"),
        on_error: read_on_error(reader, table),
        retry: reader.number_or_text(table, "retry"),
        backoff: reader.time(table, "backoff"),
        deadline: reader.time(table, "deadline"),
        cancel: reader.text(table, "cancel").map(Text::into_name),
        every,
        after: reader.time(table, "after"),
        priority: read_priority(reader, table),
        is_initial: false,
    }
}

/// `doc` and `label`, which do not change how a program executes.
fn read_descriptions(reader: &mut Reader<'_>, table: &dyn TableLike) {
    reader.text(table, "doc");
    reader.text(table, "label");
}

/// Returns true if a firing rule takes values from a port.
fn takes_from(rule: &Text, port: &str) -> bool {
    let whole = rule.all();
    parse_firing(&whole).is_ok_and(|parts| parts.bindings.iter().any(|binding| binding.port.as_str() == port))
}

/// `priority`: a small integer.
fn read_priority(reader: &mut Reader<'_>, unit: &dyn TableLike) -> i32 {
    let Some((key, item)) = find(unit, "priority") else { return 0 };
    let number = item.as_integer().and_then(|number| i32::try_from(number).ok());
    number.filter(|number| PRIORITIES.contains(number)).unwrap_or_else(|| {
        let at = item.span().map_or_else(|| reader.key_at(key), |span| reader.source.location(span));
        let message = "`priority` is not an integer from -100 to 100".to_owned();
        let help = "instances of nodes with a higher priority are served first; that of the others is 0";
        reader.report_with_help("E0004", message, at, "", help);
        0
    })
}

/// `on_error`: a word, or routing rules. One of them may also be alone, without an array.
fn read_on_error(reader: &mut Reader<'_>, unit: &dyn TableLike) -> Option<OnError> {
    let (_, item) = find(unit, "on_error")?;
    let rules = match item.as_array() {
        Some(_) => reader.texts(unit, "on_error"),
        None => reader.text(unit, "on_error").into_iter().collect(),
    };
    let [text] = &rules[..] else { return Some(OnError::Rules(rules)) };
    let (word, at) = (text.all().as_str().to_owned(), text.at());
    Some(match word.as_str() {
        "stop" => OnError::Stop,
        "continue" => OnError::Continue,
        rule if rule.contains("<-") => OnError::Rules(rules),
        other => {
            let message = format!("`on_error` is \"{other}\", which is neither a policy nor a routing rule");
            let help = match other.to_ascii_lowercase().as_str() {
                "skip" | "ignore" | "resume" | "restart" | "next" | "drop" | "log" | "pass" => {
                    "did you mean `continue`?".to_owned()
                }
                "abort" | "halt" | "fail" | "exit" | "end" | "raise" | "throw" => {
                    "did you mean `stop`?".to_owned()
                }
                "retry" => "retries are a key of their own, such as `retry = 3`".to_owned(),
                _ => suggest::help(other, "policies", ["stop", "continue"]),
            };
            reader.report_with_help("E0004", message, at, "", &help);
            OnError::Continue
        }
    })
}

/// Input ports, and the options of those that have any: `p = "type"` or `p = { type = "type", left = "ok", bound = 8, full = "wait" }`.
fn read_inputs(reader: &mut Reader<'_>, unit: &dyn TableLike) -> (Vec<Entry>, Vec<PortOptions>) {
    let Some(ports) = reader.table(unit, "in") else { return (Vec::new(), Vec::new()) };
    let (mut inputs, mut all_options) = (Vec::new(), Vec::new());
    for (key, item) in items(ports) {
        let Some(port) = item.as_table_like() else {
            inputs.extend(reader.text_of(key, item).map(|text| Entry { name: reader.name(key), text }));
            continue;
        };
        reader.refuse_unknown_keys(port, &PORT_KEYS, "an input port");
        let name = reader.name(key);
        let mut options = PortOptions {
            port: name.clone(),
            may_be_left: false,
            bound: None,
            full: None,
            initial: Vec::new(),
            initial_at: None,
        };
        let left = match find(port, "left") {
            Some((key, item)) if item.as_bool().is_some() => {
                let help =
                    "write `left = \"ok\"` where values may be left when the program ends, or leave it out";
                reader.report_with_help(
                    "E0004",
                    "`left` can only be \"ok\"".to_owned(),
                    reader.key_at(key),
                    "",
                    help,
                );
                None
            }
            _ => reader.text(port, "left"),
        };
        match left {
            Some(text) if text.all().as_str() == "ok" => options.may_be_left = true,
            Some(text) => {
                let message = format!("`left` is \"{}\", and can only be \"ok\"", text.all().as_str());
                let help =
                    "write `left = \"ok\"` where values may be left when the program ends, or leave it out";
                reader.report_with_help("E0004", message, text.at(), "expected \"ok\"", help);
            }
            None => {}
        }
        options.bound = reader.number_or_text(port, "bound");
        options.full = read_full(reader, port);
        (options.initial, options.initial_at) = read_initial(reader, port);
        all_options.push(options);
        let text = if port.contains_key("type") {
            reader.text(port, "type")
        } else {
            let message = format!("the port `{}` has no type", name.text);
            reader.report_with_help("E0005", message, name.at, "", "add a type, such as `type = \"int\"`");
            // The other attributes of the port are still checked.
            Some(Text::new("any", &reader.source, key.span().unwrap_or(0..0)))
        };
        inputs.extend(text.map(|text| Entry { name, text }));
    }
    (inputs, all_options)
}

/// Values of a port at the start: numbers and truth values, or expressions in quotes.
fn read_initial(reader: &mut Reader<'_>, port: &dyn TableLike) -> (Vec<Text>, Option<Location>) {
    let Some((key, item)) = find(port, "initial") else { return (Vec::new(), None) };
    let at = reader.key_at(key);
    let Some(array) = item.as_array() else {
        let message = "`initial` is not an array of values".to_owned();
        let help = "write the values that are on the port at the start, such as `initial = [0]`";
        reader.report_with_help("E0004", message, at, "", help);
        return (Vec::new(), None);
    };
    let mut values = Vec::new();
    for value in array {
        let span = value.span().unwrap_or(0..0);
        let text = match value {
            Value::Integer(number) => number.value().to_string(),
            Value::Float(number) => format!("{:?}", number.value()),
            Value::Boolean(flag) => flag.value().to_string(),
            Value::String(text) => text.value().clone(),
            _ => {
                let message =
                    "a value of `initial` is neither a number, a truth value nor an expression in quotes";
                let at = reader.source.location(span);
                reader.report("E0004", message.to_owned(), at, "expected a value");
                continue;
            }
        };
        values.push(Text::new(&text, &reader.source, span));
    }
    // No values are as good as no `initial`.
    let at = (!array.is_empty()).then_some(at);
    (values, at)
}

/// The policy of a full port.
fn read_full(reader: &mut Reader<'_>, port: &dyn TableLike) -> Option<(FullPolicy, Location)> {
    let text = reader.text(port, "full")?;
    let word = text.all();
    let found = FullPolicy::ALL.into_iter().find(|policy| policy.name() == word.as_str());
    if found.is_none() {
        let names = FullPolicy::ALL.map(FullPolicy::name);
        let message = format!("`full` is \"{}\", which is no policy of a full port", word.as_str());
        let meant = match word.as_str().to_ascii_lowercase().as_str() {
            "block" | "backpressure" | "back-pressure" | "suspend" | "pause" => Some(FullPolicy::Wait),
            "drop" | "drop-first" | "drop-head" | "latest" | "overwrite" | "sliding" | "ring" | "newest" => {
                Some(FullPolicy::DropOldest)
            }
            "drop-last" | "drop-new" | "drop-tail" | "discard" | "ignore" | "oldest" => {
                Some(FullPolicy::DropNewest)
            }
            "reject" | "error" | "raise" | "throw" | "stop" => Some(FullPolicy::Fail),
            _ => None,
        };
        let help = match meant {
            Some(meant) => format!("did you mean `{}`?", meant.name()),
            None => suggest::help(word.as_str(), "policies", names),
        };
        reader.report_with_help("E0004", message, text.at(), "", &help);
    }
    found.map(|policy| (policy, text.at()))
}

/// A Rhai text, `{ native = "name" }`, or `{ rust = "text" }`.
fn read_body(reader: &mut Reader<'_>, table: &dyn TableLike) -> Option<Body> {
    let (key, item) = find(table, "do")?;
    let Some(body) = item.as_table_like() else {
        return reader.text(table, "do").map(Body::Script);
    };
    reader.refuse_unknown_keys(body, &NATIVE_KEYS, "a body in Rust");
    let at = reader.key_at(key);
    match (body.contains_key("native"), body.contains_key("rust")) {
        (true, false) => reader.text(body, "native").map(|text| Body::Native(text.into_name())),
        (false, true) => reader.text(body, "rust").map(|text| {
            let facts = rust_front::facts(text.all().as_str());
            Body::Rust(RustBody { text, facts })
        }),
        (false, false) => {
            let message = "`do` does not say which body it means".to_owned();
            let help = "write `do = { native = \"name\" }`, or `do = { rust = '''text''' }`";
            reader.report_with_help("E0005", message, at, "", help);
            None
        }
        (true, true) => {
            let message = "`do` is a native body and a text in Rust".to_owned();
            reader.report_with_help("E0005", message, at, "", "leave one of `native` and `rust` out");
            None
        }
    }
}

fn read_call(reader: &mut Reader<'_>, key: &toml_edit::Key, table: &dyn TableLike) -> CallNode {
    let name = reader.name(key);
    reader.refuse_unknown_keys(table, &CALL_KEYS, "a call");
    read_descriptions(reader, table);
    let graph = reader.text(table, "graph").map(|text| text.into_name());
    if !table.contains_key("graph") {
        let message = format!("the call `{}` does not say which graph it calls", name.text);
        reader.report_with_help("E0005", message, name.at, "", "add a line such as `graph = \"name\"`");
    }
    CallNode { index: reader.names(table, "index"), graph, args: reader.entries(table, "args"), name }
}

fn read_shared(reader: &mut Reader<'_>, key: &toml_edit::Key, table: &dyn TableLike) -> SharedObject {
    let name = reader.name(key);
    reader.refuse_unknown_keys(table, &SHARED_KEYS, "a shared object");
    read_descriptions(reader, table);
    let ty = reader.text(table, "type");
    if !table.contains_key("type") {
        let message = format!("the shared object `{}` has no type", name.text);
        reader.report_with_help("E0005", message, name.at, "", "add a line such as `type = \"int\"`");
    }
    SharedObject { index: reader.names(table, "index"), ty, init: reader.text(table, "init"), name }
}
