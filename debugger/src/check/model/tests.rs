//! Models against their definition, and what a person is shown.

use proptest::prelude::*;

use hasse_model::diagnostic::Location;
use hasse_model::id::GraphId;
use hasse_model::plan::{Arc, Plan, Source, Target};

use super::super::oracle::{edges, immediate, path_of};
use super::super::render::render;
use super::super::{Checker, Command, Verdict};
use super::parse;
use crate::testing::{self, History, histories, names};
use hasse_model::id::TemplateId;

/// A plan in which everything can come after everything.
fn plan() -> Plan {
    let mut plan = testing::plan();
    let pairs = (0..3).flat_map(|source| (0..3).map(move |target| (source, target)));
    plan.arcs = pairs
        .map(|(source, target)| Arc {
            graph: GraphId(0),
            source: Source::Unit(TemplateId(source)),
            source_port: 0,
            source_index: Vec::new(),
            source_elements: Vec::new(),
            n_locals: 0,
            target: Target::Unit(TemplateId(target)),
            target_port: 0,
            target_index: Vec::new(),
            target_elements: Vec::new(),
            text: String::new(),
            at: Location::default(),
        })
        .collect();
    plan
}

fn commands(text: &str) -> Vec<Command> {
    let models = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    models
        .into_iter()
        .map(|model| Command::Model { text: format!("model {}", model.name), model: Box::new(model) })
        .collect()
}

fn verdict(history: &History, text: &str) -> Verdict {
    let (plan, names) = (plan(), names());
    let mut checker =
        Checker::new(&commands(text), &plan, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    history.events.iter().for_each(|event| checker.event(event, &names).expect("a valid history"));
    checker.finish(&names).remove(0)
}

/// An action and count: what conditions look at.
#[derive(Clone, Copy)]
struct Seen {
    template: usize,
    index: i64,
    count: i64,
}

fn seen(history: &History, at: usize) -> Seen {
    let id = history.events[at].id;
    Seen { template: id.action.0 as usize % 3, index: i64::from(id.action.0 / 3), count: id.count as i64 }
}

/// Conditions on arcs, as text and as what they mean for the two ends.
const ARC_FORMS: [(&str, fn(Seen, Seen) -> bool); 7] = [
    ("S -> D", |_, _| true),
    ("S[i] -> D[i]", |source, target| source.index == target.index),
    ("S -> D if count > 1", |source, _| source.count > 1),
    ("S[i] -> D if i + 1 == count || count > 2", |source, _| {
        source.index + 1 == source.count || source.count > 2
    }),
    ("S -> D if source.count <= target.count", |source, target| source.count <= target.count),
    ("S[a] -> D[1 - a]", |source, target| target.index == 1 - source.index),
    ("S[0] -> D[b] if b == target.index && index == 0", |source, _| source.index == 0),
];

/// Neighbors that a term may be, as text and meaning for the own event and a neighbor.
const TERM_FORMS: [(&str, fn(Seen, Seen) -> bool); 5] = [
    ("N", |_, _| true),
    ("N[0]", |_, other| other.index == 0),
    ("N[index]", |own, other| other.index == own.index),
    ("N[0..2]", |_, _| true),
    ("all N", |_, _| true),
];

const GUARD_FORMS: [(&str, fn(Seen) -> bool); 4] = [
    ("", |_| true),
    (" if count == 1", |own| own.count == 1),
    (" if count % 2 == 0", |own| own.count % 2 == 0),
    (" if index == 0 && count < 3", |own| own.index == 0 && own.count < 3),
];

/// A rule: terms as (template, form), and a guard.
type RuleShape = (Vec<(usize, usize)>, usize);

#[derive(Clone, Debug)]
struct Shape {
    nodes: Vec<usize>,
    /// (source, target, form), one for each pair that is expected.
    arcs: Vec<(usize, usize, usize)>,
    fire: Vec<Option<Vec<RuleShape>>>,
    route: Vec<Option<Vec<RuleShape>>>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let arcs = prop::collection::vec(
        (0..3_usize, 0..3_usize, prop_oneof![3 => Just(0), 2 => 0..ARC_FORMS.len()]),
        0..14,
    );
    let rule = (prop::collection::vec((0..3_usize, 0..TERM_FORMS.len()), 0..3), 0..GUARD_FORMS.len());
    let rules = || prop::collection::vec(prop::option::of(prop::collection::vec(rule.clone(), 1..5)), 3);
    let nodes = prop::sample::subsequence(vec![0, 1, 2], 1..=3);
    (nodes, arcs, rules(), rules()).prop_map(|(nodes, mut arcs, mut fire, mut route)| {
        arcs.retain(|(source, target, _)| nodes.contains(source) && nodes.contains(target));
        let has_arc =
            |source: usize, target: usize| arcs.iter().any(|&(from, to, _)| (from, to) == (source, target));
        for own in 0..3 {
            let keep = |rules: &mut Option<Vec<RuleShape>>, is_fire: bool| {
                for (terms, _) in rules.iter_mut().flatten() {
                    terms.retain(
                        |&(other, _)| if is_fire { has_arc(other, own) } else { has_arc(own, other) },
                    );
                }
                if !nodes.contains(&own) {
                    *rules = None;
                }
            };
            keep(&mut fire[own], true);
            keep(&mut route[own], false);
        }
        Shape { nodes, arcs, fire, route }
    })
}

fn text(shape: &Shape) -> String {
    let quoted =
        |texts: Vec<String>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    let arc = |&(source, target, form): &(usize, usize, usize)| {
        ARC_FORMS[form].0.replace('S', &format!("T{source}")).replace('D', &format!("T{target}"))
    };
    let mut text = format!(
        "[model.m]\nnodes = [{}]\narcs = [{}]\n",
        quoted(shape.nodes.iter().map(|node| format!("T{node}")).collect()),
        quoted(shape.arcs.iter().map(arc).collect())
    );
    let rule = |(terms, guard): &RuleShape| {
        let terms: Vec<String> = terms
            .iter()
            .map(|&(template, form)| TERM_FORMS[form].0.replace('N', &format!("T{template}")))
            .collect();
        let terms = if terms.is_empty() { "none".to_owned() } else { terms.join(" & ") };
        format!("{terms}{}", GUARD_FORMS[*guard].0)
    };
    for own in 0..3 {
        text += &format!("[model.m.node.T{own}]\n");
        for (name, rules) in [("fire", &shape.fire[own]), ("route", &shape.route[own])] {
            if let Some(rules) = rules {
                text += &format!("{name} = [{}]\n", quoted(rules.iter().map(rule).collect()));
            }
        }
        if !shape.nodes.contains(&own) {
            text = text.replace(&format!("[model.m.node.T{own}]\n"), "");
        }
    }
    text
}

/// For each event, the selected events that were relayed to it: the most recent one of each action over all ways through
/// events that are not selected (Hyder 1994, table 3-1).
fn relayed(history: &History, is_selected: &[bool]) -> Vec<Vec<usize>> {
    let edges = edges(history);
    let mut lists: Vec<Vec<usize>> = Vec::new();
    for before in &edges {
        let mut list: Vec<usize> = before
            .iter()
            .flat_map(|&at| if is_selected[at] { vec![at] } else { lists[at].clone() })
            .collect();
        list.sort_unstable();
        list.dedup();
        let action = |at: usize| history.events[at].id.action;
        let all = list.clone();
        list.retain(|&at| !all.iter().any(|&later| later > at && action(later) == action(at)));
        lists.push(list);
    }
    lists
}

/// Whether neighbors, each with whether it is immediate, satisfy one of the rules.
fn satisfied(
    history: &History,
    rules: &[RuleShape],
    own: Seen,
    neighbors: &[(usize, bool)],
    may_lack: bool,
) -> bool {
    rules.iter().any(|(terms, guard)| {
        let is_of = |&(template, form): &(usize, usize), at: usize| {
            let other = seen(history, at);
            other.template == template && TERM_FORMS[form].1(own, other)
        };
        let is_there = |term: &(usize, usize)| {
            let found: Vec<i64> = neighbors
                .iter()
                .filter(|(at, _)| is_of(term, *at))
                .map(|&(at, _)| seen(history, at).index)
                .collect();
            match TERM_FORMS[term.1].0 {
                "N[0..2]" => found.contains(&0) && found.contains(&1),
                "all N" => (0..history.events.len())
                    .map(|at| seen(history, at))
                    .all(|known| known.template != term.0 || found.contains(&known.index)),
                _ => !found.is_empty(),
            }
        };
        GUARD_FORMS[*guard].1(own)
            && (may_lack || terms.iter().all(is_there))
            && neighbors
                .iter()
                .all(|&(at, is_immediate)| !is_immediate || terms.iter().any(|term| is_of(term, at)))
    })
}

/// The events in error by definition 3-9.
fn in_error(history: &History, shape: &Shape) -> Vec<usize> {
    let n_events = history.events.len();
    let is_selected: Vec<bool> =
        (0..n_events).map(|at| shape.nodes.contains(&seen(history, at).template)).collect();
    let selected: Vec<usize> = (0..n_events).filter(|&at| is_selected[at]).collect();
    let relayed = relayed(history, &is_selected);
    let same_action =
        |one: usize, other: usize| history.events[one].id.action == history.events[other].id.action;
    let before: Vec<Vec<(usize, bool)>> = (0..n_events)
        .map(|at| {
            let immediate = immediate(history, &selected, at);
            assert!(!is_selected[at] || immediate.iter().all(|known| relayed[at].contains(known)));
            let others = relayed[at].iter().filter(|&&other| !same_action(at, other));
            others.map(|&other| (other, immediate.contains(&other))).collect()
        })
        .collect();
    // Selected events that something is still under way of.
    let mut is_open = vec![false; n_events];
    for (sender, event) in history.events.iter().enumerate() {
        let takers = history.events.iter().flat_map(|taker| &taker.flow);
        if event.flow_successors > takers.filter(|&&known| known == event.id).count() as u64 {
            let carried = if is_selected[sender] { &vec![sender] } else { &relayed[sender] };
            carried.iter().for_each(|&own| is_open[own] = true);
        }
    }
    let is_wrong = |&at: &usize| {
        let own = seen(history, at);
        let is_expected = |&(source, is_immediate): &(usize, bool)| {
            let source = seen(history, source);
            !is_immediate
                || shape.arcs.iter().any(|&(from, to, form)| {
                    (from, to) == (source.template, own.template) && ARC_FORMS[form].1(source, own)
                })
        };
        let fires = shape.fire[own.template]
            .as_ref()
            .is_none_or(|rules| satisfied(history, rules, own, &before[at], false));
        let after: Vec<(usize, bool)> = selected
            .iter()
            .flat_map(|&later| {
                before[later]
                    .iter()
                    .filter(|(known, _)| *known == at)
                    .map(move |(_, is_immediate)| (later, *is_immediate))
            })
            .collect();
        let routes = shape.route[own.template]
            .as_ref()
            .is_none_or(|rules| satisfied(history, rules, own, &after, is_open[at]));
        !(before[at].iter().all(is_expected) && fires && routes)
    };
    selected.iter().copied().filter(is_wrong).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn agrees_with_the_definition(history in histories(60), shape in shapes()) {
        let text = text(&shape);
        let found = verdict(&history, &text);
        let expected: Vec<String> =
            in_error(&history, &shape).into_iter().map(|at| format!("/{}", path_of(&history.events[at]))).collect();
        let events: Vec<&String> = found.violations.iter().map(|violation| &violation.event).collect();
        prop_assert_eq!(&events, &expected.iter().take(10).collect::<Vec<_>>(), "{}\n{}", text, render(&found, "t"));
        prop_assert_eq!(found.n_violations, expected.len() as u64);
        prop_assert_eq!(found.holds, expected.is_empty());
    }
}

#[test]
fn mistakes_are_shown_with_line_and_column() {
    let mut no_way = plan();
    no_way.arcs.retain(|arc| arc.target != Target::Unit(TemplateId(0)));
    let texts = [
        "nodes = [",
        "[other]",
        "[model]\nm = 3",
        "[model.m]\narcs = []",
        "[model.m]\nnodes = []",
        "[model.m]\nnodes = \"T0\"",
        "[model.m]\nnodes = [3]",
        "[model.m]\nnodes = [\"T0\"]\nedges = []",
        "[model.m]\nnodes = [\"T0\", \"T7\"]",
        "[model.m]\nnodes = [\"T0:3\"]",
        "[model.m]\nnodes = [\"T0[\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 - T1\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> \"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T2\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1[ -> T1\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1[] -> T1\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1 x\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1[i][j] -> T1\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\n  \"T1 -> T1\",\n  \"T1[i] -> T1 if i == cuont\",\n]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1 if count ==\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1 if\"]",
        "[model.m]\nnodes = [\"T0\", \"T1\"]\narcs = [\"T1 -> T0\"]",
        "[model.m]\nnodes = [\"T1\", \"T2\"]\n[model.m.node.T1]\nfire = [\"T2\"]",
        "[model.m]\nnodes = [\"T1\"]\n[model.m.node.T2]\nfire = [\"T2\"]",
        "[model.m]\nnodes = [\"T1\"]\n[model.m.node.T1]\nfires = [\"T2\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1\"]\n[model.m.node.T1]\nfire = [\"T1[0..] if count == 1\"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1\"]\n[model.m.node.T1]\nfire = [\"T1 & \"]",
        "[model.m]\nnodes = [\"T1\"]\narcs = [\"T1 -> T1\"]\n[model.m.node.T1]\nroute = ['''\n  T1[limit]''']",
    ];
    let shown = |text: &&str| {
        let error = match parse(text) {
            Err(error) => error.to_string(),
            Ok(_) => match Checker::new(&commands(text), &no_way, &[]) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{text} is taken"),
            },
        };
        format!("{text}\n    => {error}\n")
    };
    insta::assert_snapshot!(texts.iter().map(shown).collect::<Vec<_>>().join("\n"));
}
