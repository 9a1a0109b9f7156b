//! What the language has, and that some program that the book runs shows it.

use std::collections::BTreeSet;

use toml_edit::{Document, Item, TableLike, Value};

use super::page::programs;

/// All programs of the book as keys and strings with the place where they stand.
#[derive(Default)]
struct Uses {
    /// Keys as `uc.fire`: the kind of table and the key in it.
    keys: BTreeSet<String>,
    /// Strings by the key that holds them, such as `uc.fire`; those below names, such as vars, by the key of the table.
    texts: Vec<(String, String)>,
    /// Graphs, each with the graphs that it calls.
    calls: Vec<(String, String)>,
}

impl Uses {
    fn of_the_book() -> Self {
        let mut uses = Self::default();
        for program in programs() {
            let document = Document::parse(program).unwrap();
            uses.visit(document.as_table(), &[]);
        }
        uses
    }

    fn visit(&mut self, table: &dyn TableLike, path: &[&str]) {
        for (key, item) in table.iter() {
            let path = [path, &[key]].concat();
            let place = match path[..] {
                [key] => format!("file.{key}"),
                ["graph", _, kind @ ("uc" | "call" | "shared"), _, key, ..] => format!("{kind}.{key}"),
                ["graph", _, "uc" | "call" | "shared", ..] => String::new(),
                ["graph", _, key, ..] => format!("graph.{key}"),
                _ => String::new(),
            };
            if let (["graph", graph, "call", _, "graph"], Some(callee)) = (&path[..], item.as_str()) {
                self.calls.push(((*graph).to_owned(), callee.to_owned()));
            }
            match item {
                Item::Value(Value::InlineTable(inline)) => {
                    self.texts.extend(inline.iter().map(|(name, _)| (place.clone(), name.to_owned())));
                    self.visit(inline, &path);
                }
                Item::Value(Value::Array(array)) => {
                    let texts = array.iter().filter_map(Value::as_str);
                    self.texts.extend(texts.map(|text| (place.clone(), text.to_owned())));
                }
                Item::Value(value) => {
                    self.texts.extend(value.as_str().map(|text| (place.clone(), text.to_owned())));
                }
                Item::Table(inner) => self.visit(inner, &path),
                Item::ArrayOfTables(_) | Item::None => {}
            }
            self.keys.insert(place);
        }
    }

    /// Whether a string under a key passes.
    fn has(&self, place: &str, test: impl Fn(&str) -> bool) -> bool {
        self.texts.iter().any(|(found, text)| found == place && test(text))
    }

    /// Whether a line of words under a key holds all of these, in this order.
    fn has_parts(&self, place: &str, parts: &[&str]) -> bool {
        self.has(place, |text| {
            parts.iter().try_fold(text, |rest, part| Some(&rest[rest.find(part)? + part.len()..])).is_some()
        })
    }
}

/// The table of keys of this name in the compiler's reading pass.
fn keys_of_the_format(name: &str) -> Vec<String> {
    let source = include_str!("../../compiler/src/pass/read.rs");
    let table = source.split(&format!("const {name}: ")).nth(1).expect("the table");
    let table = table.split_once('=').expect("its value").1.split(']').next().expect("its end");
    table.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_of_the_file_format_is_shown() {
    let uses = Uses::of_the_book();
    let tables = [
        ("FILE_KEYS", "file"),
        ("GRAPH_KEYS", "graph"),
        ("UNIT_KEYS", "uc"),
        ("SHARED_KEYS", "shared"),
        ("CALL_KEYS", "call"),
    ];
    let mut missing = Vec::new();
    for (table, kind) in tables {
        let keys = keys_of_the_format(table);
        assert!(keys.len() >= 4, "{table}");
        for key in keys {
            let place = format!("{kind}.{key}");
            let stands_for_tables = uses.keys.iter().any(|found| found.starts_with(&format!("{key}.")));
            if !uses.keys.contains(&place) && !stands_for_tables {
                missing.push(place);
            }
        }
    }
    assert!(missing.is_empty(), "no program of the book shows {missing:?}");
}

#[test]
fn every_type_is_shown() {
    let uses = Uses::of_the_book();
    let places = ["graph.params", "graph.in", "uc.in", "uc.out", "uc.vars", "shared.type"];
    let scalars = ["int", "real", "bool", "char", "string", "bytes", "vector", "matrix", "any"];
    for ty in scalars.into_iter().chain(["int[]", "int[][]", "map[string]int", "(map[string]int)[]"]) {
        let is_shown = places.iter().any(|place| {
            uses.has(place, |text| text.split('=').next().is_some_and(|found| found.trim() == ty))
        });
        assert!(is_shown, "{ty}");
    }
}

#[test]
fn every_construct_is_shown() {
    let uses = Uses::of_the_book();
    let left = |text: &str| text.split("->").next().unwrap_or("").to_owned();
    let right = |text: &str| text.split("->").nth(1).unwrap_or("").to_owned();
    let bracketed = |text: &str| -> Vec<String> {
        let inside = text.split('[').skip(1).filter_map(|part| part.split(']').next());
        inside.flat_map(|list| list.split(',')).map(|word| word.trim().to_owned()).collect()
    };
    let is_number = |word: &String| word.parse::<i64>().is_ok();
    let params: BTreeSet<&str> = uses
        .texts
        .iter()
        .filter(|(place, _)| place == "graph.params")
        .map(|(_, name)| name.as_str())
        .collect();
    let arc = |test: &dyn Fn(&str) -> bool| uses.has("graph.arcs", test);
    let parts = |place: &str, parts: &[&str]| uses.has_parts(place, parts);
    let repeats = |text: &str| {
        let words = bracketed(&left(text));
        words.iter().enumerate().any(|(idx, word)| words[..idx].contains(word) && !is_number(word))
    };
    let constructs: Vec<(&str, bool)> = vec![
        ("arc: a variable as pattern", arc(&|text| left(text).contains("[i]"))),
        ("arc: an integer as pattern", arc(&|text| bracketed(&left(text)).iter().any(is_number))),
        (
            "arc: a parameter as pattern",
            arc(&|text| bracketed(&left(text)).iter().any(|word| params.contains(word.as_str()))),
        ),
        ("arc: a variable twice", arc(&repeats)),
        (
            "arc: an expression as element",
            arc(&|text| bracketed(&right(text)).iter().any(|word| word.contains(" + "))),
        ),
        ("arc: indices one by one", arc(&|text| text.contains("]["))),
        ("arc: indices in one list", arc(&|text| left(text).contains(", "))),
        ("arc: from the interface", arc(&|text| text.starts_with("in."))),
        ("arc: to the interface", arc(&|text| right(text).trim().starts_with("out."))),
        (
            "arc: an element of the interface",
            arc(&|text| text.starts_with("in.") && left(text).contains('[')),
        ),
        ("family of ports with one index", uses.has("uc.out", |name| name.matches('[').count() == 1)),
        (
            "family of ports with two indices",
            uses.has("uc.out", |name| bracketed(name).len() == 2 || name.matches('[').count() == 2),
        ),
        ("family of input ports", uses.has("uc.in", |name| name.contains('['))),
        ("node with two indices", uses.has("uc.index", |name| name == "j")),
        ("share line with an index", parts("graph.share", &["[", "--", "["])),
        ("share line to a call", parts("graph.share", &["--", ".acct"])),
        ("share line from a formal object", parts("graph.share", &["inout.", "--"])),
        ("formal object with an index", uses.has("graph.inout", |name| name.contains('['))),
        ("access read", uses.has("uc.shared", |text| text == "read")),
        ("access write", uses.has("uc.shared", |text| text == "write")),
        ("object with an index", uses.keys.contains("shared.index")),
        ("parameter with default", parts("graph.params", &["=", ""])),
        ("parameter without default", uses.has("graph.params", |text| text == "int")),
        (
            "default that uses a parameter",
            uses.has("graph.params", |text| {
                text.split('=').nth(1).is_some_and(|value| params.iter().any(|name| value.contains(name)))
            }),
        ),
        ("argument that is an expression", parts("call.args", &[" - "])),
        ("call with an index", uses.keys.contains("call.index")),
        ("recursion", uses.calls.iter().any(|(graph, callee)| graph == callee)),
        ("var with default", parts("uc.vars", &["=", ""])),
        ("firing rule with two ports", parts("uc.fire", &["->", ",", "->"])),
        ("firing rule with guard", parts("uc.fire", &["->", " if "])),
        ("firing rule with loop", parts("uc.fire", &["->", " for ", ".."])),
        ("firing rule with loop to the last number", parts("uc.fire", &["->", " for ", "..="])),
        ("firing rule with two loops", parts("uc.fire", &["->", " for ", " for "])),
        (
            "firing rule that takes an element",
            uses.has("uc.fire", |text| left(text).contains('[') && !text.contains(" for ")),
        ),
        ("routing rule with guard", parts("uc.route", &["<-", " if "])),
        ("routing rule with loop", parts("uc.route", &["<-", " for ", ".."])),
        ("routing rule with two loops", parts("uc.route", &["<-", " for ", " for "])),
        ("routing rule with two sends", parts("uc.route", &["<-", ", ", "<-"])),
        ("routing rule: guard over a loop variable", parts("uc.route", &["<-", " for j ", " if j "])),
        ("routing rule: value with an if in parentheses", parts("uc.route", &["<- (if"])),
        ("`rule`", ["uc.do", "uc.route"].iter().any(|place| uses.has(place, |text| text.contains("rule ")))),
        ("`count`", uses.has("uc.do", |text| text.contains("count "))),
        ("a function of one's own", uses.has("uc.do", |text| text.contains("fn "))),
        ("an error of one's own", uses.has("uc.do", |text| text.contains("throw "))),
    ];
    let missing: Vec<_> = constructs.iter().filter(|(_, is_shown)| !is_shown).map(|(name, _)| name).collect();
    assert!(missing.is_empty(), "no program of the book shows: {missing:#?}");
}
