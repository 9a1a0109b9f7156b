//! Path expressions against their definition: all ways to take a history apart, and all chains through it.

use proptest::prelude::*;

use super::super::command::parse;
use super::super::oracle::{immediate, is_spec, selected, verdict};
use super::super::render::render;
use super::Path;
use crate::testing::{History, histories};

/// Whether the events in a set, by bits of positions, are one of the expression (definition).
fn is_one_of(history: &History, events: &[usize], set: u32, path: &Path) -> bool {
    let splits = || {
        // All subsets of the set, itself and the empty one included.
        std::iter::successors(Some(set), move |&sub| (sub != 0).then(|| (sub - 1) & set))
    };
    let ordered = |first: u32, second: u32, is_wanted: &dyn Fn(usize, usize) -> bool| {
        let bits = |set: u32| (0..events.len()).filter(move |&at| set >> at & 1 == 1);
        bits(first).all(|one| bits(second).all(|other| is_wanted(events[one], events[other])))
    };
    let is_series =
        |first: u32, second: u32| ordered(first, second, &|one, other| history.is_before(one, other));
    let is_parallel =
        |first: u32, second: u32| ordered(first, second, &|one, other| history.are_concurrent(one, other));
    match path {
        Path::Event(spec) => {
            set.count_ones() == 1
                && is_spec(&history.events[events[set.trailing_zeros() as usize]], &spec.to_string())
        }
        Path::Choice(parts) => parts.iter().any(|part| is_one_of(history, events, set, part)),
        Path::Optional(inner) => set == 0 || is_one_of(history, events, set, inner),
        Path::Sequence(parts) | Path::Parallel(parts) => {
            let Some((first, rest)) = parts.split_first() else { return set == 0 };
            let rest = match path {
                Path::Sequence(_) => Path::Sequence(rest.to_vec()),
                _ => Path::Parallel(rest.to_vec()),
            };
            let is_sequence = matches!(path, Path::Sequence(_));
            splits().any(|front| {
                let fits = if is_sequence {
                    is_series(front, set & !front)
                } else {
                    is_parallel(front, set & !front)
                };
                fits && is_one_of(history, events, front, first)
                    && is_one_of(history, events, set & !front, &rest)
            })
        }
        Path::Repeat(inner) | Path::Burst(inner) => {
            set == 0
                || splits().filter(|&front| front != 0).any(|front| {
                    let fits = match path {
                        Path::Repeat(_) => is_series(front, set & !front),
                        _ => is_parallel(front, set & !front),
                    };
                    fits && is_one_of(history, events, front, inner)
                        && is_one_of(history, events, set & !front, path)
                })
        }
    }
}

/// The positions at which a word of the expression that begins at `start` can end.
fn word_ends(start: usize, path: &Path, history: &History, chain: &[usize]) -> Vec<usize> {
    let mut ends = match path {
        Path::Event(spec) => {
            let is_it = |&at: &usize| is_spec(&history.events[at], &spec.to_string());
            chain.get(start).filter(|at| is_it(at)).map(|_| start + 1).into_iter().collect()
        }
        Path::Sequence(parts) => parts.iter().fold(vec![start], |froms, part| {
            froms.iter().flat_map(|&from| word_ends(from, part, history, chain)).collect()
        }),
        Path::Choice(parts) => parts.iter().flat_map(|part| word_ends(start, part, history, chain)).collect(),
        Path::Optional(inner) => {
            let mut ends = word_ends(start, inner, history, chain);
            ends.push(start);
            ends
        }
        Path::Repeat(inner) => {
            let (mut ends, mut open) = (vec![start], vec![start]);
            while let Some(from) = open.pop() {
                for end in word_ends(from, inner, history, chain) {
                    if !ends.contains(&end) {
                        ends.push(end);
                        open.push(end);
                    }
                }
            }
            ends
        }
        Path::Parallel(_) | Path::Burst(_) => unreachable!("chains have no concurrency"),
    };
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// All chains of immediate orderings that nothing can be added to.
fn chains(history: &History, events: &[usize]) -> Vec<Vec<usize>> {
    let before: Vec<Vec<usize>> = events.iter().map(|&at| immediate(history, events, at)).collect();
    let place = |at: usize| events.iter().position(|&known| known == at).expect("selected");
    let mut to: Vec<Vec<Vec<usize>>> = Vec::new();
    for (own, before) in before.iter().enumerate() {
        let longer = before.iter().flat_map(|&at| to[place(at)].clone());
        let mut here: Vec<Vec<usize>> =
            longer.map(|chain| chain.into_iter().chain([events[own]]).collect()).collect();
        if before.is_empty() {
            here = vec![vec![events[own]]];
        }
        to.push(here);
    }
    let is_last = |own: &usize| !before.iter().any(|before| before.contains(&events[*own]));
    (0..events.len()).filter(is_last).flat_map(|own| to[own].clone()).collect()
}

/// A random expression; without `||` and `{}` where `is_chain`.
fn expressions(is_chain: bool) -> impl Strategy<Value = String> {
    let spec = prop_oneof![
        4 => (0..3_u8).prop_map(|template| format!("T{template}")),
        1 => (0..3_u8, 0..2_u8).prop_map(|(template, index)| format!("T{template}[{index}]")),
    ];
    spec.prop_recursive(3, 12, 3, move |inner| {
        let two = (inner.clone(), inner.clone(), 0..if is_chain { 2 } else { 3_usize });
        prop_oneof![
            3 => two.prop_map(|(left, right, kind)| format!("({left} {} {right})", [";", "|", "||"][kind])),
            2 => (inner, 0..if is_chain { 3 } else { 4_usize }).prop_map(|(inner, kind)| match kind {
                0 => format!("({inner})*"),
                1 => format!("({inner})+"),
                2 => format!("({inner})?"),
                _ => format!("{{{inner}}}"),
            }),
        ]
    })
}

/// An expression that the events of a set are one of, where they are in series or in parallel; else of some of them. Each
/// part is made more general now and then, by `bits`.
fn describe(history: &History, events: &[usize], bits: &mut u64) -> String {
    *bits = bits.rotate_right(5).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let text = match events {
        [] => "T0?".to_owned(),
        [one] => format!("T{}", history.events[*one].id.action.0 % 3),
        _ => {
            let is_split = |front: &[usize], rest: &[usize], is_series: bool| {
                front.iter().all(|&one| {
                    rest.iter().all(|&other| match is_series {
                        true => history.is_before(one, other),
                        false => history.are_concurrent(one, other),
                    })
                })
            };
            let component = {
                let mut component = vec![events[0]];
                let mut at = 0;
                while at < component.len() {
                    let one = component[at];
                    let linked =
                        events.iter().filter(|&&other| one != other && !history.are_concurrent(one, other));
                    let new: Vec<usize> =
                        linked.copied().filter(|other| !component.contains(other)).collect();
                    component.extend(new);
                    at += 1;
                }
                component.sort_unstable();
                component
            };
            let cut = (1..events.len()).find(|&cut| is_split(&events[..cut], &events[cut..], true));
            let rest: Vec<usize> = events.iter().copied().filter(|at| !component.contains(at)).collect();
            match cut {
                Some(cut) => {
                    let (front, back) = events.split_at(cut);
                    format!("({} ; {})", describe(history, front, bits), describe(history, back, bits))
                }
                None if !rest.is_empty() => {
                    format!("({} || {})", describe(history, &component, bits), describe(history, &rest, bits))
                }
                None => format!("({})+", describe(history, &events[1..], bits)),
            }
        }
    };
    match *bits % 11 {
        0 => format!("({text})?"),
        1 => format!("({text})*"),
        2 => format!("{{{text}}}"),
        3 => format!("({text} | T1)"),
        4 => format!("(T2? ; {text})"),
        _ => text,
    }
}

fn parsed(text: &str) -> Path {
    match parse(text).unwrap_or_else(|error| panic!("{text}: {error}")) {
        super::super::Command::Path { path, .. } | super::super::Command::Chain { path, .. } => path,
        other => panic!("{} is no path", other.text()),
    }
}

/// Compares the verdict with the definition; whether it holds.
fn agrees_on_path(history: &History, expression: &str) -> bool {
    let text = format!("check path {expression}");
    let path = parsed(&text);
    let specs: Vec<String> = path.specs().iter().map(|spec| spec.to_string()).collect();
    let events = selected(history, &specs);
    let expected = is_one_of(history, &events, (1_u32 << events.len()) - 1, &path);
    let found = verdict(history, &text);
    if found.error.is_some() {
        // Repetitions and choices side by side and within each other can be read in more ways than are followed; the verdict
        // says so.
        let n_choices = text.matches(['{', '*', '+', '?', '|']).count();
        assert!(!found.holds && n_choices > 3, "{text}");
        return expected;
    }
    assert_eq!(found.holds, expected, "{text}\n{}", render(&found, "test"));
    assert_eq!(found.violations.is_empty(), expected);
    expected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn paths_agree_with_their_definition(history in histories(9), expression in expressions(false)) {
        agrees_on_path(&history, &expression);
    }

    #[test]
    fn paths_that_describe_a_history_agree_with_their_definition(history in histories(9), mut bits in any::<u64>()) {
        let all: Vec<usize> = (0..history.events.len()).collect();
        let expression = describe(&history, &all, &mut bits);
        agrees_on_path(&history, &expression);
    }

    #[test]
    fn chains_agree_with_all_chains(history in histories(14), expression in expressions(true)) {
        let text = format!("check chain {expression}");
        let path = parsed(&text);
        let specs: Vec<String> = path.specs().iter().map(|spec| spec.to_string()).collect();
        let events = selected(&history, &specs);
        let mut chains = chains(&history, &events);
        if events.is_empty() {
            chains.push(Vec::new());
        }
        let is_word = |chain: &Vec<usize>| word_ends(0, &path, &history, chain).contains(&chain.len());
        let found = verdict(&history, &text);
        prop_assert_eq!(found.holds, chains.iter().all(is_word), "{}", text);
        prop_assert_eq!(found.n_violations == 0, found.violations.is_empty());
    }

    #[test]
    fn a_path_is_read_as_it_is_written(expression in expressions(false)) {
        let path = parsed(&format!("check path {expression}"));
        prop_assert_eq!(parsed(&format!("check path {path}")), path);
    }
}

#[test]
fn errors_carry_column_and_hint() {
    let texts = [
        "check path",
        "check path A ;",
        "check path (A",
        "check path {A",
        "check path A )",
        "check path A{0}",
        "check path A{x}",
        "check path A{99999}",
        "check path A | | B",
        "check chain A || B",
        "check chain A ; {B}",
    ];
    let shown = |text: &&str| format!("{text:?}\n    {}\n", parse(text).expect_err("no command"));
    let deep = format!("check path {}A", "(".repeat(100));
    let report: String = texts.iter().map(shown).collect();
    insta::assert_snapshot!(report + &shown(&deep.as_str())[deep.len() + 3..]);
}

#[test]
fn expressions_have_one_spelling() {
    let shown = |text| parse(text).expect("a command").text().to_owned();
    assert_eq!(shown("path A;B|C ; D||E*"), "check path (A ; B) | (C ; (D || E*))");
    assert_eq!(shown("chain (A;B)+ ; C{3} ; D[2]:4?"), "check chain (A ; B)+ ; (C ; C ; C) ; D[2]:4?");
}
