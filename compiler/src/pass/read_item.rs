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
            let help = suggest::help(key.get(), "keys", known.iter().copied());
            self.report_with_help("E0003", message, self.key_at(key), "unknown key", &help);
        }
    }

    /// The tables under `[.. .what.NAME]`, in the order of the file.
    pub(super) fn named_tables<'i>(
        &mut self,
        table: &'i dyn TableLike,
        what: &str,
    ) -> Vec<(&'i Key, &'i dyn TableLike)> {
        let Some((key, item)) = table.get_key_value(what) else { return Vec::new() };
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
        let (key, item) = table.get_key_value(what)?;
        let found = item.as_table_like();
        if found.is_none() {
            self.report_kind(key, item, "a table");
        }
        found
    }

    /// The string under a key.
    pub(super) fn text(&mut self, table: &dyn TableLike, what: &str) -> Option<Text> {
        let (key, item) = table.get_key_value(what)?;
        self.text_of(key, item)
    }

    /// A value that must be a string.
    pub(super) fn text_of(&mut self, key: &Key, item: &Item) -> Option<Text> {
        match item.as_value() {
            Some(Value::String(value)) => {
                Some(Text::new(value.value(), &self.source, value.span().unwrap_or(0..0)))
            }
            _ => {
                self.report_kind(key, item, "a string");
                None
            }
        }
    }

    /// Where a key is set to `true`.
    pub(super) fn flag(&mut self, table: &dyn TableLike, what: &str) -> Option<Location> {
        let (key, item) = table.get_key_value(what)?;
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
        let Some((key, item)) = table.get_key_value(what) else { return Vec::new() };
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
                    let message = format!("`{what}` holds {} where a string is expected", other.type_name());
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
        let Some((key, item)) = table.get_key_value(what) else { return Vec::new() };
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
        let at = item.span().map_or_else(|| self.key_at(key), |span| self.source.location(span));
        let message = format!("`{}` is {} where {expected} is expected", key.get(), item.type_name());
        self.report("E0004", message, at, &format!("expected {expected}"));
    }
}

/// Keys and items of a table, in the order of the file.
pub(super) fn items(table: &dyn TableLike) -> impl Iterator<Item = (&Key, &Item)> {
    table.iter().filter_map(|(name, _)| table.get_key_value(name))
}
