//! Linked predicates against a search of all chains.

use proptest::prelude::*;

use super::super::command::parse;
use super::super::oracle::{is_spec, path_of, verdict};
use crate::testing::{History, histories};

/// Alternatives of a step.
type Step = Vec<String>;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let spec = (
        0..3_u8,
        prop_oneof![Just(""), Just("[0]"), Just("[1]")],
        prop_oneof![5 => Just(""), 1 => Just(":2")],
    );
    let spec = spec.prop_map(|(template, index, count)| format!("T{template}{index}{count}"));
    prop::collection::vec(prop::collection::vec(spec, 1..3), 1..6)
}

fn text(steps: &[Step]) -> String {
    let texts: Vec<String> = steps.iter().map(|step| step.join(" | ")).collect();
    format!("check linked {}", texts.join(" ; "))
}

/// Whether some chain goes through the steps: all events that one can end with, step after step.
fn has_chain(history: &History, steps: &[Step]) -> bool {
    let mut ends: Option<Vec<usize>> = None;
    for step in steps {
        let fits = |at: &usize| step.iter().any(|spec| is_spec(&history.events[*at], spec));
        let follows =
            |at: &usize| ends.as_ref().is_none_or(|ends| ends.iter().any(|&end| history.is_before(end, *at)));
        ends = Some((0..history.events.len()).filter(fits).filter(follows).collect());
    }
    ends.is_none_or(|ends| !ends.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn agrees_with_a_search_of_all_chains(history in histories(60), steps in steps()) {
        let verdict = verdict(&history, &text(&steps));
        prop_assert_eq!(verdict.holds, has_chain(&history, &steps));
        if verdict.holds {
            prop_assert_eq!(verdict.witness.len(), steps.len());
            let place = |path: &String| {
                history.events.iter().position(|event| path_of(event) == path[1..]).expect("an event")
            };
            let places: Vec<usize> = verdict.witness.iter().map(place).collect();
            prop_assert!(places.windows(2).all(|pair| history.is_before(pair[0], pair[1])));
            let is_step = |(&at, step): (&usize, &Step)| step.iter().any(|spec| is_spec(&history.events[at], spec));
            prop_assert!(places.iter().zip(&steps).all(is_step));
        }
    }
}

#[test]
fn commands_have_one_spelling_and_errors_a_column() {
    let shown = |text: &str| match parse(text) {
        Ok(command) => command.text().to_owned(),
        Err(error) => error.to_string(),
    };
    let texts = [
        "linked A;B|C ; (D)3",
        "check linked A ; A ; (A | B) 2",
        "check linked",
        "check linked A ;",
        "check linked A B",
        "check linked (A",
        "check linked (A)0",
        "check linked (A)9999999",
        "check linked A:0",
    ];
    let report: Vec<String> = texts.iter().map(|text| format!("{text:?}\n    {}", shown(text))).collect();
    insta::assert_snapshot!(report.join("\n"));
}
