//! The chapter on breakpoints: its commands set breakpoints of the examples, and its expressions have the values shown.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use hasse_debugger::show::{Limits, Shown};
use hasse_model::plan::Plan;
use hasse_model::value::{StructTable, Value};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::grammar::{Keyword, parse, shown};

use super::page::{self, Block, Part};
use super::{blesses, docs, support};

fn plan_of(example: &str) -> Plan {
    let path = support::repository().join(format!("examples/{example}/{example}.hasse"));
    let compiled = hasse_compiler::compile(&fs::read_to_string(path).unwrap(), &hasse_body::functions());
    compiled.plan.unwrap()
}

/// The block with what stands behind each of its lines that begin with `> `.
fn answered(block: &Block, mut answer: impl FnMut(&str) -> String) -> String {
    let lines = block.text.lines().filter_map(|line| line.strip_prefix("> "));
    lines.map(|line| format!("> {line}\n{}\n", answer(line))).collect()
}

/// What is said to a breakpoint command.
fn breakpoint(line: &str, plan: &Plan) -> String {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let keyword = Keyword::of_word(word).unwrap_or_else(|| panic!("{line}: no breakpoint"));
    match parse(keyword, rest, word.len() + 2, plan, None) {
        Ok(set) => shown(&set, plan),
        Err(error) => format!("{error}; {}", error.hint),
    }
}

fn value_in(text: &str, names: &BTreeMap<String, Value>) -> Result<Value, String> {
    let expression = Expression::parse(text).map_err(|error| format!("column {}: {error}", error.column))?;
    expression.value(&Arc::<StructTable>::default(), |name| names.get(name).cloned())
}

#[test]
fn breakpoints_and_expressions_mean_what_is_shown() {
    let path = docs().join("breakpoints.md");
    let mut parts = page::read(&path);
    let before = page::write(&parts);
    let mut names = BTreeMap::new();
    for part in &mut parts {
        let Part::Block(block) = part else { continue };
        if block.is("text breakpoints") {
            let plan = plan_of(&block.words[2]);
            block.text = answered(block, |line| breakpoint(line, &plan));
        } else if block.is("text names") {
            for line in block.text.lines() {
                let (name, value) = line.split_once(" = ").unwrap();
                // A port is named as expressions ask for it.
                let name = name.trim().replace("port(\"", "port ").replace("\")", "");
                names.insert(name, value_in(value, &BTreeMap::new()).unwrap());
            }
        } else if block.is("text expressions") {
            block.text = answered(block, |line| match value_in(line, &names) {
                Ok(value) => Shown::new(&value, &Limits::default()).to_string(),
                Err(message) => message,
            });
        }
    }
    let after = page::write(&parts);
    if blesses() {
        fs::write(path, after).unwrap();
    } else {
        assert_eq!(before, after, "HASSE_BLESS=1 puts in what is true");
    }
}
