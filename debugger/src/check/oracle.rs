//! Brute force for tests: restricted orders from histories that know what is before what.

use hasse_model::event::EventRecord;
use hasse_model::plan::{Access, Plan};

use super::command::parse;
use super::verdict::{MOST_VIOLATIONS, Verdict};
use super::{Checker, Command};
use crate::testing::{History, names, plan};

pub(super) fn verdict(history: &History, text: &str) -> Verdict {
    verdict_of(history, &parse(text).expect("a command"))
}

/// The verdict on a history. What was decided on its first half must still be so.
pub(super) fn verdict_of(history: &History, command: &Command) -> Verdict {
    verdict_on(&plan(), history, command)
}

/// The verdict on a history of a plan. What was said of its first half must still be so.
pub(super) fn verdict_on(plan: &Plan, history: &History, command: &Command) -> Verdict {
    let names = names();
    let mut checker = Checker::new(std::slice::from_ref(command), plan, &[]).expect("fits the plan");
    let (first, second) = history.events.split_at(history.events.len() / 2);
    first.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    let early = checker.verdicts(&names).remove(0);
    second.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    let verdict = checker.finish(&names).remove(0);
    for violation in &early.violations {
        let is_kept = verdict.violations.iter().any(|known| known.event == violation.event);
        assert!(is_kept || verdict.n_violations > MOST_VIOLATIONS as u64, "{}", violation.event);
    }
    assert!(early.witness.is_empty() || verdict.holds, "{}", command.text());
    assert!(!early.holds || verdict.holds, "`{}` held while events came: {early:?}", command.text());
    assert!(!early.is_violated() || verdict.is_violated(), "`{}` was violated: {early:?}", command.text());
    assert!(!verdict.is_open, "no events come any more");
    verdict
}

/// The path of an event without its first slash: `T1[0]:2`.
pub(super) fn path_of(event: &EventRecord) -> String {
    let action = event.id.action.0;
    format!("T{}[{}]:{}", action % 3, action / 3, event.id.count)
}

/// Whether an event is a spec such as `T1`, `T1[0]` or `T1[0]:2`.
pub(super) fn is_spec(event: &EventRecord, spec: &str) -> bool {
    let (action, count) = spec.split_once(':').map_or((spec, None), |(action, count)| (action, Some(count)));
    let (template, index) =
        action.split_once('[').map_or((action, None), |(name, index)| (name, Some(index)));
    let number = |text: &str| text.trim_end_matches(']').parse::<u64>().expect("a number");
    number(&template[1..]) == u64::from(event.id.action.0 % 3)
        && index.is_none_or(|index| number(index) == u64::from(event.id.action.0 / 3))
        && count.is_none_or(|count| number(count) == event.id.count)
}

/// Positions of the events that are one of the specs.
pub(super) fn selected(history: &History, specs: &[String]) -> Vec<usize> {
    let is_selected = |&at: &usize| specs.iter().any(|spec| is_spec(&history.events[at], spec));
    (0..history.events.len()).filter(is_selected).collect()
}

/// The selected events immediately before one, in the order restricted to the selected ones.
pub(super) fn immediate(history: &History, selected: &[usize], event: usize) -> Vec<usize> {
    let before: Vec<usize> = selected.iter().copied().filter(|&at| history.is_before(at, event)).collect();
    let is_last = |&at: &usize| !before.iter().any(|&other| history.is_before(at, other));
    before.iter().copied().filter(is_last).collect()
}

/// For each event, the events at the other ends of its own edges.
pub(super) fn edges(history: &History) -> Vec<Vec<usize>> {
    let edges = |at: usize| {
        let event = &history.events[at];
        let mut before: Vec<usize> = event.flow.iter().map(|&sender| history.position(sender)).collect();
        before.extend((0..at).rev().find(|&known| history.events[known].id.action == event.id.action));
        for access in &event.shared {
            before.extend(access.writer.map(|writer| history.position(writer)));
            let reads_same = |known: &usize| {
                history.events[*known].shared.iter().any(|other| {
                    (other.object, other.access, other.writer) == (access.object, Access::Read, access.writer)
                })
            };
            if access.access == Access::Write {
                before.extend((0..at).filter(reads_same));
            }
        }
        before
    };
    (0..history.events.len()).map(edges).collect()
}
