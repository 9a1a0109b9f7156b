//! Single TOML items as texts, names, flags and lists; wrong kinds are reported and left out.

use std::rc::Rc;

use hasse_model::diagnostic::{Diagnostic, Location};
use toml_edit::{Item, Key, TableLike, Value};

use crate::suggest;
use crate::syntax::{Entry, Name};
use crate::text::{Source, Text};

/// Reads items and collects what is wrong with them.
pub(super) struct Reader<'d> {
    pub(super) source: Rc<Source>,
    pub(super) diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn report(&mut self, code: &'static str, message: String, at: Location, label: &str) {
        self.diagnostics.push(Diagnostic::error(code, message, at, label));
    }

    pub(super) fn report_with_help(
        &mut self,
        code: &'static str,
        message: String,
        at: Location,
        label: &str,
        help: &str,
    ) {
        self.diagnostics.push(Diagnostic::error(code, message, at, label).with_help(help));
    }

    pub(super) fn report_at_start(&mut self, code: &'static str, message: &str, help: &str) {
        let at = self.source.location(0..0);
        self.report_with_help(code, message.to_owned(), at, "", help);
    }

    pub(super) fn key_at(&self, key: &Key) -> Location {
        self.source.location(key.span().unwrap_or(0..0))
    }

    pub(super) fn name(&self, key: &Key) -> Name {
        Name { text: key.get().to_owned(), at: self.key_at(key) }
    }

    pub(super) fn refuse_unknown_keys(&mut self, table: &dyn TableLike, known: &[&str], place: &str) {
        for (key, _) in items(table) {
            if known.contains(&key.get()) {
                continue;
            }
            let message = format!("{place} has no `{}`", key.get());
            let help = match meant(key.get()).iter().find(|meant| known.contains(meant)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => suggest::help(key.get(), "keys", known.iter().copied()),
            };
            self.report_with_help("E0003", message, self.key_at(key), "unknown key", &help);
        }
    }

    /// The tables under `[.. .what.NAME]`, in the order of the file.
    pub(super) fn named_tables<'i>(
        &mut self,
        table: &'i dyn TableLike,
        what: &str,
    ) -> Vec<(&'i Key, &'i dyn TableLike)> {
        let Some((key, item)) = find(table, what) else { return Vec::new() };
        let Some(named) = item.as_table_like() else {
            self.report_kind(key, item, "a table of tables");
            return Vec::new();
        };
        let mut tables = Vec::new();
        for (key, item) in items(named) {
            match item.as_table_like() {
                Some(table) => tables.push((key, table)),
                None => self.report_kind(key, item, "a table"),
            }
        }
        tables
    }

    /// The table under a key.
    pub(super) fn table<'i>(&mut self, table: &'i dyn TableLike, what: &str) -> Option<&'i dyn TableLike> {
        let (key, item) = find(table, what)?;
        let found = item.as_table_like();
        if found.is_none() {
            self.report_kind(key, item, "a table");
        }
        found
    }

    /// The string under a key.
    pub(super) fn text(&mut self, table: &dyn TableLike, what: &str) -> Option<Text> {
        self.string(table, what, "a string")
    }

    /// The time under a key.
    pub(super) fn time(&mut self, table: &dyn TableLike, what: &str) -> Option<Text> {
        self.string(table, what, "a time such as `\"100ms\"`")
    }

    fn string(&mut self, table: &dyn TableLike, what: &str, expected: &str) -> Option<Text> {
        let (key, item) = find(table, what)?;
        if item.is_str() {
            return self.text_of(key, item);
        }
        self.report_kind(key, item, expected);
        None
    }

    /// The declaration under a key, which must be a string.
    pub(super) fn text_of(&mut self, key: &Key, item: &Item) -> Option<Text> {
        match item.as_value() {
            Some(Value::String(value)) => {
                Some(Text::new(value.value(), &self.source, value.span().unwrap_or(0..0)))
            }
            _ => {
                self.report_declaration(key, item);
                None
            }
        }
    }

    /// An integer, or a string with an expression, as a text.
    pub(super) fn number_or_text(&mut self, table: &dyn TableLike, what: &str) -> Option<Text> {
        let (key, item) = find(table, what)?;
        match item.as_value() {
            Some(Value::Integer(number)) => {
                Some(Text::new(&number.value().to_string(), &self.source, number.span().unwrap_or(0..0)))
            }
            Some(Value::String(_)) => self.text_of(key, item),
            _ => {
                self.report_kind(key, item, "an integer or an expression in quotes");
                None
            }
        }
    }

    /// Where a key is set to `true`.
    pub(super) fn flag(&mut self, table: &dyn TableLike, what: &str) -> Option<Location> {
        let (key, item) = find(table, what)?;
        match item.as_bool() {
            Some(flag) => flag.then(|| self.key_at(key)),
            None => {
                self.report_kind(key, item, "`true` or `false`");
                None
            }
        }
    }

    /// The strings of the array under a key.
    pub(super) fn texts(&mut self, table: &dyn TableLike, what: &str) -> Vec<Text> {
        let Some((key, item)) = find(table, what) else { return Vec::new() };
        let Some(array) = item.as_array() else {
            self.report_kind(key, item, "an array of strings");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for value in array {
            match value {
                Value::String(text) => {
                    texts.push(Text::new(text.value(), &self.source, text.span().unwrap_or(0..0)));
                }
                other => {
                    let at = self.source.location(other.span().unwrap_or(0..0));
                    let found = kind_name(other.type_name());
                    let message = format!("`{what}` holds {found} where a string is expected");
                    self.report("E0004", message, at, "expected a string");
                }
            }
        }
        texts
    }

    /// The names of the array under a key.
    pub(super) fn names(&mut self, table: &dyn TableLike, what: &str) -> Vec<Name> {
        self.texts(table, what).into_iter().map(Text::into_name).collect()
    }

    /// The `name = "text"` pairs of the table under a key, in the order of the file.
    pub(super) fn entries(&mut self, table: &dyn TableLike, what: &str) -> Vec<Entry> {
        let Some((key, item)) = find(table, what) else { return Vec::new() };
        let Some(pairs) = item.as_table_like() else {
            self.report_kind(key, item, "a table");
            return Vec::new();
        };
        self.entries_of(pairs)
    }

    /// The `name = "text"` pairs of a table, in the order of the file.
    pub(super) fn entries_of(&mut self, pairs: &dyn TableLike) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (key, item) in items(pairs) {
            if let Some(text) = self.text_of(key, item) {
                entries.push(Entry { name: self.name(key), text });
            }
        }
        entries
    }

    fn report_kind(&mut self, key: &Key, item: &Item, expected: &str) {
        let (message, at) = self.kind_fault(key, item, expected);
        self.report("E0004", message, at, &format!("expected {expected}"));
    }

    /// Reports a declaration that is no string: a number or truth value is often meant as its default.
    fn report_declaration(&mut self, key: &Key, item: &Item) {
        let (ty, value) = match item.as_value() {
            Some(Value::Integer(number)) => ("int", number.display_repr()),
            Some(Value::Float(number)) => ("real", number.display_repr()),
            Some(Value::Boolean(flag)) => ("bool", flag.display_repr()),
            _ if item.as_table_like().is_some_and(is_port_table) => {
                let (message, at) = self.kind_fault(key, item, "a string");
                let help = "a bound and the like belong to the input port of the node that takes the values";
                return self.report_with_help("E0004", message, at, "expected a string", help);
            }
            _ => return self.report_kind(key, item, "a string"),
        };
        let (message, at) = self.kind_fault(key, item, "a string");
        let help = format!("a type and a value are a string: `{} = \"{ty} = {value}\"`", key.get());
        self.report_with_help("E0004", message, at, "expected a string", &help);
    }

    /// The message about a value of another kind than expected, and its place.
    fn kind_fault(&self, key: &Key, item: &Item, expected: &str) -> (String, Location) {
        let at = item.span().map_or_else(|| self.key_at(key), |span| self.source.location(span));
        let found = kind_name(item.type_name());
        (format!("`{}` is {found} where {expected} is expected", key.get()), at)
    }
}

/// The item under a key, or under a word that is meant for it: that is reported as unknown, and what it holds is read all
/// the same, so that nothing else is reported that only follows from it.
pub(super) fn find<'i>(table: &'i dyn TableLike, what: &str) -> Option<(&'i Key, &'i Item)> {
    table.get_key_value(what).or_else(|| items(table).find(|(key, _)| meant(key.get()).contains(&what)))
}

/// Keys of an input port that is a table.
pub(super) const PORT_KEYS: [&str; 5] = ["type", "left", "bound", "full", "initial"];

/// Returns true if a table is one of an input port.
fn is_port_table(table: &dyn TableLike) -> bool {
    PORT_KEYS.iter().any(|key| table.contains_key(key))
}

/// The keys that a word of other languages may stand for here: the first one that there is in a place is meant.
fn meant(word: &str) -> &'static [&'static str] {
    match word {
        "struct" | "structs" | "types" | "record_type" | "class" | "enum" => &["type"],
        "graphs" | "program" | "module" => &["graph"],
        "inputs" | "input" | "ins" => &["in"],
        "outputs" | "output" | "outs" => &["out"],
        "body" | "code" | "script" | "run" | "exec" | "action" | "rhai" => &["do"],
        "node" | "nodes" | "unit" | "units" | "task" | "actor" | "template" => &["uc"],
        "edges" | "edge" | "links" | "link" | "connections" | "wires" | "arc" => &["arcs"],
        "shares" | "sharing" => &["share"],
        "objects" | "object" | "state" => &["shared"],
        "calls" | "subgraph" | "subgraphs" => &["call"],
        "parameters" | "parameter" | "param" | "consts" => &["params"],
        "arguments" | "arg" => &["args"],
        "variables" | "locals" | "var" | "local" => &["vars"],
        "firing" | "fires" | "rules" | "when" | "firing_rules" => &["fire"],
        "routes" | "routing" | "send" | "emit" | "routing_rules" => &["route"],
        "indices" | "indexes" => &["index"],
        "description" | "comment" | "docs" => &["doc"],
        "title" | "caption" => &["label", "doc"],
        "value" | "values" | "default" | "tokens" | "setup" => &["init", "initial"],
        "initial" => &["init"],
        "capacity" | "buffer" | "size" | "queue" | "depth" | "length" | "highwater" => &["bound"],
        "max" | "limit" | "most" | "maximum" => &["bound", "at_once"],
        "concurrency" | "parallel" | "parallelism" | "max_concurrent" | "max_parallel" | "max_instances" => {
            &["at_once"]
        }
        "policy" | "overflow" | "strategy" | "when_full" | "on_full" | "full_mode" => &["full"],
        "retries" | "max_retries" | "retry_count" | "attempts" | "max_attempts" | "tries" => &["retry"],
        "retry_delay" | "retry_after" | "retry_interval" => &["backoff"],
        "timeout" | "ttl" | "time_limit" | "expires" => &["deadline"],
        "interval" | "period" | "cron" | "timer" | "tick" | "schedule" => &["every"],
        "delay" | "start_after" => &["after"],
        "prio" | "rank" | "importance" => &["priority"],
        "ordered" | "priorities" => &["prefer"],
        "catch" | "error" | "errors" | "on_fail" | "on_failure" | "onerror" | "rescue" => &["on_error"],
        "abort" | "abort_on" | "interrupt" => &["cancel"],
        _ => &[],
    }
}

/// `an integer` for the library's `integer`.
fn kind_name(kind: &str) -> String {
    match kind {
        "integer" | "array" | "inline table" | "array of tables" => format!("an {kind}"),
        "none" => "nothing".to_owned(),
        _ => format!("a {kind}"),
    }
}

/// Keys and items of a table, in the order of the file.
pub(super) fn items(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}
