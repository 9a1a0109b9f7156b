//! A program as calls of the builder: one function for each graph, in the order and the words of the program file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use toml_edit::{Document, Item, TableLike, Value};

use super::names::{snake, string, unique};

/// Writes `src/program.rs`. `natives` tells by `GRAPH.NODE` under which names bodies in Rust are registered. The text must be that of
/// a program without errors.
pub(crate) fn module(text: &str, file: &str, natives: &BTreeMap<&str, &str>) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let root = document.as_table();
    let mut writer = Writer { natives, text: String::new(), used: BTreeSet::from(["Program"]) };
    let main = root.get("main").and_then(Item::as_str)?;
    let mut functions = BTreeSet::from(["program".to_owned()]);
    let graphs: Vec<_> = tables(root.get("graph"))
        .map(|(name, table)| (name, unique(&snake(name), &mut functions), table))
        .collect();
    let mut whole = Calls::new(format!("Program::new({})", string(main)));
    for (name, fields) in tables(root.get("type")) {
        writer.used.insert("Struct");
        let mut calls = Calls::new(format!("Struct::new({})", string(name)));
        calls.pairs("field", Some(fields));
        whole.call("structure", calls.text());
    }
    for (_, function, _) in &graphs {
        whole.call("graph", format!("{function}()"));
    }
    record(root, &mut whole);
    writer.function("program", "Program", "The program.", &whole.text());
    for (name, function, table) in &graphs {
        let graph = writer.graph(name, *table);
        writer.function(function, "Graph", &format!("The graph `{name}`."), &graph);
    }
    let used: Vec<&str> = writer.used.into_iter().collect();
    let mut module =
        format!("//! The program of `{file}`: its graphs, their nodes, ports and rules, and the arcs.\n\n");
    if writer.text.contains("RecordOption::") {
        module.push_str("use hasse::RecordOption;\n");
    }
    let _ = write!(module, "use hasse::build::{{{}}};\n\n{}", used.join(", "), writer.text.trim_end());
    module.push('\n');
    Some(module)
}

struct Writer<'a> {
    natives: &'a BTreeMap<&'a str, &'a str>,
    text: String,
    /// What is imported from the builder.
    used: BTreeSet<&'static str>,
}

/// A constructor and calls of methods on it, one on a line.
struct Calls {
    text: String,
}

impl Calls {
    fn new(constructor: String) -> Self {
        Self { text: constructor }
    }

    fn call(&mut self, method: &str, arguments: String) {
        let _ = write!(self.text, "\n.{method}({arguments})");
    }

    fn string(&mut self, method: &str, item: Option<&Item>) {
        if let Some(text) = item.and_then(Item::as_str) {
            self.call(method, string(text));
        }
    }

    /// A call for each string of a list.
    fn list(&mut self, method: &str, item: Option<&Item>) {
        for text in item.and_then(Item::as_array).into_iter().flatten().filter_map(|value| value.as_str()) {
            self.call(method, string(text));
        }
    }

    /// A call for each `key = "text"`.
    fn pairs(&mut self, method: &str, table: Option<&dyn TableLike>) {
        for (name, item) in table.into_iter().flat_map(|table| table.iter()) {
            if let Some(text) = item.as_str() {
                self.call(method, format!("{}, {}", string(name), string(text)));
            } else if let Some(port) = item.as_table_like() {
                let ty = port.get("type").and_then(Item::as_str).unwrap_or_default();
                let method = if port.contains_key("left") { "leftover_input" } else { method };
                self.call(method, format!("{}, {}", string(name), string(ty)));
                if let Some(bound) = port.get("bound").and_then(number_or_text) {
                    self.call("bound", format!("{}, {}", string(name), string(&bound)));
                }
                if let Some(policy) = port.get("full").and_then(Item::as_str) {
                    self.call("full", format!("{}, {}", string(name), string(policy)));
                }
                for value in port.get("initial").and_then(Item::as_array).into_iter().flatten() {
                    let value = match value {
                        Value::String(text) => text.value().clone(),
                        other => other.to_string().trim().to_owned(),
                    };
                    self.call("initial", format!("{}, {}", string(name), string(&value)));
                }
            }
        }
    }

    fn text(self) -> String {
        self.text
    }
}

/// A number or an expression, as a text.
fn number_or_text(item: &Item) -> Option<String> {
    item.as_integer().map(|number| number.to_string()).or_else(|| item.as_str().map(str::to_owned))
}

/// Tables within a table, in the order of the file.
fn tables(item: Option<&Item>) -> impl Iterator<Item = (&str, &dyn TableLike)> {
    let outer = item.and_then(Item::as_table_like);
    let all = outer.into_iter().flat_map(|table| table.iter());
    all.filter_map(|(name, item)| Some((name, item.as_table_like()?)))
}

fn table<'t>(within: &'t dyn TableLike, key: &str) -> Option<&'t dyn TableLike> {
    within.get(key).and_then(Item::as_table_like)
}

fn is_true(item: Option<&Item>) -> bool {
    item.and_then(Item::as_bool) == Some(true)
}

fn record(root: &dyn TableLike, whole: &mut Calls) {
    let Some(record) = table(root, "record") else { return };
    if record.get("mode").and_then(Item::as_str) == Some("restrict") {
        whole.call("records_selected", String::new());
    }
    for (selector, option) in table(record, "options").into_iter().flat_map(|table| table.iter()) {
        let variant = match option.as_str() {
            Some("full") => "Full",
            Some("restrict") => "Restrict",
            _ => "Off",
        };
        whole.call("record_option", format!("{}, RecordOption::{variant}", string(selector)));
    }
}

impl Writer<'_> {
    fn function(&mut self, name: &str, ty: &str, comment: &str, expression: &str) {
        let visible = if name == "program" { "pub " } else { "" };
        let _ = write!(self.text, "/// {comment}\n{visible}fn {name}() -> {ty} {{\n{expression}\n}}\n\n");
    }

    fn graph(&mut self, name: &str, table_of: &dyn TableLike) -> String {
        self.used.insert("Graph");
        let mut calls = Calls::new(format!("Graph::new({})", string(name)));
        calls.string("label", table_of.get("label"));
        calls.string("doc", table_of.get("doc"));
        for (key, method) in [("params", "param"), ("in", "input"), ("out", "output"), ("inout", "inout")] {
            calls.pairs(method, table(table_of, key));
        }
        calls.string("on_error", table_of.get("on_error"));
        calls.list("arc", table_of.get("arcs"));
        calls.list("share", table_of.get("share"));
        for (shared, keys) in tables(table_of.get("shared")) {
            self.used.insert("Shared");
            let ty = keys.get("type").and_then(Item::as_str).unwrap_or_default();
            let mut inner = Calls::new(format!("Shared::new({}, {})", string(shared), string(ty)));
            inner.string("label", keys.get("label"));
            inner.string("doc", keys.get("doc"));
            inner.list("index", keys.get("index"));
            inner.string("init", keys.get("init"));
            calls.call("shared", inner.text());
        }
        for (call, keys) in tables(table_of.get("call")) {
            self.used.insert("Call");
            let callee = keys.get("graph").and_then(Item::as_str).unwrap_or_default();
            let mut inner = Calls::new(format!("Call::new({}, {})", string(call), string(callee)));
            inner.string("label", keys.get("label"));
            inner.string("doc", keys.get("doc"));
            inner.list("index", keys.get("index"));
            inner.pairs("arg", table(keys, "args"));
            calls.call("call", inner.text());
        }
        for (unit, keys) in tables(table_of.get("uc")) {
            let unit = self.unit(name, unit, keys);
            calls.call("unit", unit);
        }
        calls.text()
    }

    fn unit(&mut self, graph: &str, name: &str, keys: &dyn TableLike) -> String {
        self.used.insert("Unit");
        let mut calls = Calls::new(format!("Unit::new({})", string(name)));
        calls.string("label", keys.get("label"));
        calls.string("doc", keys.get("doc"));
        calls.list("index", keys.get("index"));
        for (key, method) in [("in", "input"), ("out", "output"), ("vars", "var"), ("shared", "shared")] {
            calls.pairs(method, table(keys, key));
        }
        calls.string("init", keys.get("init"));
        let flag = |calls: &mut Calls, key: &str| {
            if is_true(keys.get(key)) {
                calls.call(key, String::new());
            }
        };
        flag(&mut calls, "start");
        calls.string("after", keys.get("after"));
        calls.string("every", keys.get("every"));
        flag(&mut calls, "stop");
        flag(&mut calls, "prefer");
        if let Some(number) = keys.get("at_once").and_then(number_or_text) {
            calls.call("at_once", string(&number));
        }
        if let Some(priority) = keys.get("priority").and_then(Item::as_integer) {
            calls.call("priority", priority.to_string());
        }
        calls.list("fire", keys.get("fire"));
        match keys.get("do") {
            Some(body) if body.as_str().is_some() => calls.string("body", Some(body)),
            Some(body) => {
                let native = body.as_table_like().and_then(|body| body.get("native")).and_then(Item::as_str);
                let label = format!("{graph}.{name}");
                if let Some(native) = self.natives.get(label.as_str()).copied().or(native) {
                    calls.call("native", string(native));
                }
            }
            None => {}
        }
        calls.string("deadline", keys.get("deadline"));
        calls.string("cancel", keys.get("cancel"));
        if let Some(number) = keys.get("retry").and_then(number_or_text) {
            calls.call("retry", string(&number));
        }
        calls.string("backoff", keys.get("backoff"));
        calls.list("route", keys.get("route"));
        calls.string("on_error", keys.get("on_error"));
        calls.list("on_error", keys.get("on_error"));
        calls.text()
    }
}
