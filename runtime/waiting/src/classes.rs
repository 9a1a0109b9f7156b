//! Classes of actions that wait alike: a report names some of each, and counts the others.

use std::collections::BTreeMap;

use hasse_model::id::TemplateId;
use hasse_request::report::{HeldValues, WaitingAction, WaitingClass, WaitingRule};

/// Maximum number of classes that are told apart by the elements of their ports.
const MAX_FINE: usize = 12;
/// Maximum number of classes in a report.
const MAX_CLASSES: usize = 30;
/// Number of actions of a class that are named.
const N_EXAMPLES: usize = 3;

/// Classes of one kind, in the order of their first actions.
#[derive(Default)]
struct Gathered {
    by_key: BTreeMap<Key, usize>,
    classes: Vec<WaitingClass>,
    /// Number of actions in classes beyond the maximum.
    n_left_out: u64,
}

/// Node, whether it failed, ports with values, full ports, and of each rule its guard and what it misses.
type Key = (TemplateId, bool, Vec<String>, Vec<String>, Vec<(u8, Vec<String>)>);

/// All actions that wait, by class.
#[derive(Default)]
pub struct Classes {
    /// By ports and their elements; `None` where there are too many.
    fine: Option<Gathered>,
    /// By ports.
    coarse: Gathered,
    has_begun: bool,
}

impl Classes {
    /// Counts actions that wait as `action` does; `path` is that of the first one.
    pub fn add(
        &mut self,
        (template, label): (TemplateId, &str),
        action: &WaitingAction,
        n_actions: u64,
        path: &dyn Fn() -> String,
    ) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.fine = Some(Gathered::default());
        }
        if let Some(fine) = &mut self.fine {
            fine.add((template, label), action, n_actions, path, MAX_FINE);
            if fine.n_left_out > 0 {
                self.fine = None;
            }
        }
        self.coarse.add((template, label), &coarse(action), n_actions, path, MAX_CLASSES);
    }

    /// The classes, and the number of actions in others.
    pub fn finish(self) -> (Vec<WaitingClass>, u64) {
        let gathered = self.fine.unwrap_or(self.coarse);
        (gathered.classes, gathered.n_left_out)
    }
}

impl Gathered {
    fn add(
        &mut self,
        (template, label): (TemplateId, &str),
        action: &WaitingAction,
        n_actions: u64,
        path: &dyn Fn() -> String,
        n_most: usize,
    ) {
        let guard = |rule: &WaitingRule| match rule.guard {
            None => 0,
            Some(Ok(true)) => 1,
            Some(Ok(false)) => 2,
            Some(Err(_)) => 3,
        };
        let key = (
            template,
            action.has_failed,
            action.queued.iter().map(|(port, _)| port.clone()).collect(),
            action.held_back.iter().map(|held| held.port.clone()).collect(),
            action.rules.iter().map(|rule| (guard(rule), rule.missing.clone())).collect(),
        );
        let Some(&class_idx) = self.by_key.get(&key) else {
            if self.classes.len() >= n_most {
                self.n_left_out += n_actions;
                return;
            }
            self.by_key.insert(key, self.classes.len());
            let n_values = action.queued.iter().map(|(_, n_values)| (*n_values, *n_values)).collect();
            self.classes.push(WaitingClass {
                node: label.to_owned(),
                n_actions,
                examples: vec![path()],
                n_executed: (action.n_executed, action.n_executed),
                n_values,
                first: action.clone(),
            });
            return;
        };
        let class = &mut self.classes[class_idx];
        class.n_actions += n_actions;
        if class.examples.len() < N_EXAMPLES {
            class.examples.push(path());
        }
        widen(&mut class.n_executed, action.n_executed);
        let ranges = class.n_values.iter_mut().zip(&action.queued);
        ranges.for_each(|(range, (_, n_values))| widen(range, *n_values));
    }
}

fn widen((low, high): &mut (u64, u64), number: u64) {
    (*low, *high) = ((*low).min(number), (*high).max(number));
}

/// The same without the elements of families.
fn coarse(action: &WaitingAction) -> WaitingAction {
    let port = |name: &str| match name.split_once('[') {
        Some((port, _)) => format!("{port}[..]"),
        None => name.to_owned(),
    };
    let mut queued: Vec<(String, u64)> = Vec::new();
    for (name, n_values) in &action.queued {
        let name = port(name);
        match queued.last_mut().filter(|(last, _)| *last == name) {
            Some((_, n_known)) => *n_known += n_values,
            None => queued.push((name, *n_values)),
        }
    }
    if let Some((_, n_known)) = queued.last_mut() {
        *n_known += action.n_more_queued;
    }
    let rules = action.rules.iter().map(|rule| {
        let mut missing: Vec<String> = rule.missing.iter().map(|name| port(name)).collect();
        missing.dedup();
        WaitingRule { missing, n_more_missing: 0, ..rule.clone() }
    });
    let mut held_back: Vec<HeldValues> = Vec::new();
    for held in &action.held_back {
        let port = without_numbers(&held.port);
        match held_back.last_mut().filter(|last| last.port == port) {
            Some(last) => last.n_values += held.n_values,
            None => held_back.push(HeldValues { port, ..held.clone() }),
        }
    }
    WaitingAction { queued, n_more_queued: 0, held_back, rules: rules.collect(), ..action.clone() }
}

/// A path and port without index numbers: `/Mux[..].video`.
fn without_numbers(port: &str) -> String {
    let mut parts = port.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.split_once(']').map_or("", |(_, rest)| rest);
        // Several index numbers stand side by side.
        if !text.ends_with("[..]") {
            text.push_str("[..]");
        }
        text.push_str(rest);
    }
    text
}
