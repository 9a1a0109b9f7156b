//! Arguments in place of parameters: what is to be written, and whether it would mean the same.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{DocumentMut, Item, TableLike};

use super::super::error::EditError;
use super::super::obstacle::Obstacle;
use crate::edit::node::SECTIONS;
use crate::edit::parts::{entries, graph_of, index_of, node_of};
use crate::edit::texts::{has_unknown_body, rust_body, texts};
use crate::edit::words::{bound, fresh, is_name, names, substitute, values};
use crate::rust_text;

/// What stands in place of the names that a graph has from its call.
pub(super) struct Arguments {
    /// What is to be written in place of a parameter; not of one that is given under its own name.
    pub(super) values: BTreeMap<String, String>,
    /// Names for the call's index numbers that nothing else in the graph or the caller has.
    pub(super) index: Vec<String>,
    /// The parameters of the graph.
    pub(super) params: BTreeSet<String>,
}

impl Arguments {
    /// Looks up the arguments of a call.
    ///
    /// # Errors
    /// [`Obstacle::StartOrStop`], [`Obstacle::NoArgument`], [`Obstacle::Argument`], [`Obstacle::Captured`].
    pub(super) fn new(
        document: &DocumentMut,
        graph: &str,
        call: &str,
        callee: &dyn TableLike,
    ) -> Result<Self, EditError> {
        let caller = graph_of(document, graph);
        let caller_params = caller.map(|table| entries(table, "params")).unwrap_or_default();
        let args = caller.and_then(|table| node_of(table, call)).map(|node| entries(node, "args"));
        let args: BTreeMap<String, String> = args.into_iter().flatten().collect();
        let call_index = caller.map(|table| index_of(table, call)).unwrap_or_default();
        let declared = entries(callee, "params");
        let params: BTreeSet<String> = declared.iter().map(|(name, _)| name.clone()).collect();
        let types: BTreeMap<String, String> =
            caller_params.iter().map(|(name, said)| (name.clone(), type_of(said).to_owned())).collect();

        let is_same = |name: &str| args.get(name).is_some_and(|arg| arg.trim() == name);
        let mut taken = words_of(callee);
        taken.retain(|word| !(params.contains(word) && is_same(word)));
        taken.extend(types.keys().cloned());
        let mut index = Vec::new();
        let mut renamed = BTreeMap::new();
        for name in call_index {
            let new = fresh(&name, |name| taken.contains(name));
            taken.insert(new.clone());
            index.push(new.clone());
            renamed.insert(name, new);
        }

        let mut values = BTreeMap::new();
        for (name, said) in &declared {
            let arg = match (args.get(name), said.split_once('=')) {
                (Some(arg), _) => substitute(arg.trim(), &[], &renamed),
                (None, Some((_, default))) => substitute(default.trim(), &[], &values),
                (None, None) => String::new(),
            };
            let refused = || Obstacle::Argument { param: name.clone(), arg: arg.clone() };
            if arg.is_empty() {
                return Err(Obstacle::NoArgument { call: call.to_owned(), param: name.clone() }.into());
            }
            let arg = if type_of(said) == "real" {
                as_real(&arg, &types).ok_or_else(refused)?
            } else {
                arg.clone()
            };
            values.insert(name.clone(), arg);
        }
        values.retain(|name, arg| name != arg);
        let arguments = Self { values, index, params };
        for section in SECTIONS {
            let held =
                callee.get(section).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
            for (name, item) in held {
                if let Some(node) = item.as_table_like() {
                    arguments.check_node(name, node, &types)?;
                }
            }
        }
        Ok(arguments)
    }

    /// Refuses a node in which a name would mean something else.
    fn check_node(
        &self,
        name: &str,
        node: &dyn TableLike,
        caller_params: &BTreeMap<String, String>,
    ) -> Result<(), EditError> {
        let is_set = |key| node.get(key).and_then(Item::as_bool) == Some(true);
        if is_set("start") || is_set("stop") {
            return Err(Obstacle::StartOrStop { node: name.to_owned() }.into());
        }
        let captured = |word: &str| Obstacle::Captured { name: word.to_owned(), node: name.to_owned() };
        let declared = declared_names(node);
        if let Some(word) = declared.iter().find(|word| caller_params.contains_key(*word)) {
            return Err(captured(word).into());
        }
        let texts = texts(node);
        let mut locals = declared;
        texts.iter().for_each(|text| locals.extend(bound(text)));
        let is_native = has_unknown_body(node);
        for (param, arg) in &self.values {
            // An expression is not written into a text in Rust, where it may mean something else.
            if rust_body(node).is_some_and(|text| rust_text::mentions(text, param)) {
                return Err(captured(param).into());
            }
            if !is_native && !texts.iter().any(|text| names(text, param)) {
                continue;
            }
            let mut words =
                std::iter::once(param.as_str()).chain(values(arg).into_iter().map(|range| &arg[range]));
            if let Some(word) = words.find(|word| is_native || locals.contains(*word)) {
                return Err(captured(word).into());
            }
        }
        Ok(())
    }
}

fn type_of(declaration: &str) -> &str {
    declaration.split('=').next().unwrap_or_default().trim()
}

/// An argument as a real number, which it becomes when it is given to a parameter; `None` where that cannot be written.
fn as_real(arg: &str, types: &BTreeMap<String, String>) -> Option<String> {
    if arg.parse::<i64>().is_ok() {
        return Some(format!("{arg}.0"));
    }
    let is_arithmetic = |letter: char| letter.is_alphanumeric() || "_+-*/(). ".contains(letter);
    let names: Vec<&str> = values(arg).into_iter().map(|range| &arg[range]).collect();
    let is_known = |name: &&&str| types.get(**name).is_some_and(|ty| ty == "real");
    let n_real = names.iter().filter(is_known).count();
    let calls = arg.contains(|letter: char| letter.is_alphabetic()) && names.is_empty();
    let is_real = arg.parse::<f64>().is_ok() || n_real > 0 && n_real == names.len();
    (is_real && !calls && arg.chars().all(is_arithmetic)).then(|| arg.to_owned())
}

/// Names that a node declares, and those that its rules bind.
fn declared_names(node: &dyn TableLike) -> BTreeSet<String> {
    let mut declared = BTreeSet::new();
    for key in ["vars", "shared"] {
        declared.extend(entries(node, key).into_iter().map(|(name, _)| name));
    }
    let list = |key| node.get(key).and_then(Item::as_array).into_iter().flatten();
    declared.extend(list("index").filter_map(|name| name.as_str().map(str::to_owned)));
    for rule in list("fire").filter_map(|rule| rule.as_str()) {
        let targets = rule
            .split("->")
            .skip(1)
            .filter_map(|behind| values(behind).into_iter().next().map(|range| &behind[range]));
        declared.extend(targets.map(str::to_owned));
    }
    for rule in list("fire").chain(list("route")).chain(list("on_error")).filter_map(|rule| rule.as_str()) {
        declared.extend(bound(rule));
    }
    declared
}

/// All words of a graph beside its lines, where variables can be renamed: whatever is not among them means nothing there.
fn words_of(graph: &dyn TableLike) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut add = |text: &str| {
        words.extend(values(text).into_iter().map(|range| text[range].to_owned()));
    };
    for section in SECTIONS {
        let held = graph.get(section).and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        for node in held.filter_map(|(_, item)| item.as_table_like()) {
            texts(node).iter().for_each(|text| add(text));
            rust_body(node).into_iter().flat_map(rust_text::words).for_each(&mut add);
            declared_names(node).iter().for_each(|name| add(name));
        }
    }
    for (name, said) in entries(graph, "params") {
        add(&name);
        add(&said);
    }
    words
}

/// Whether a text can stand on the matching side of a line.
pub(super) fn is_pattern(text: &str) -> bool {
    is_name(text) || text.parse::<i64>().is_ok()
}
