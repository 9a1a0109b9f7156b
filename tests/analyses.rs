//! What the compiler's analyses find in generated programs: nothing in sound ones, and something
//! wherever an arc is missing that a port cannot do without.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/generator.rs"]
mod generator;
#[path = "laws/recording.rs"]
mod recording;

use generator::Dice;
use hasse_model::diagnostic::Diagnostic;
use proptest::prelude::*;
use recording::record;

/// Names that are never used, and objects that no node happens to reach: the generator does not care.
const IGNORED: [&str; 6] = ["W0101", "W0102", "W0103", "W0104", "W0601", "W0604"];

fn found(text: &str) -> Vec<Diagnostic> {
    let compiled = hasse_compiler::compile(text, &hasse_body::functions());
    compiled.diagnostics.into_iter().filter(|found| !IGNORED.contains(&found.code)).collect()
}

fn rendered(found: &[Diagnostic]) -> String {
    found.iter().map(|found| format!("{found}\n")).collect()
}

/// The lines of a generated program that hold an arc.
fn arc_lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("  \"") && line.contains(" -> ")).collect()
}

/// The two ends of an arc's line, without index numbers.
fn ends(line: &str) -> (String, String) {
    let (source, target) = line.trim().trim_matches(['"', ',']).split_once(" -> ").unwrap();
    let plain =
        |end: &str| end.split('[').map(|part| part.split(']').next_back().unwrap()).collect::<String>();
    (plain(source), plain(target))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_programs_have_no_findings(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        prop_assert_eq!(rendered(&found(&text)), "", "{}", text);
    }

    /// Not every arc is missed: a port may have another arc that feeds it. An arc is missed where its
    /// source or its target has no other one. What a cycle of the generator sends back (`N0.back`, or over `B0`) feeds
    /// nobody that is not fed already.
    #[test]
    fn a_missing_arc_is_found(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let lines = arc_lines(&text);
        let line = lines[Dice::new(!seed).below(lines.len())];
        let (source, target) = ends(line);
        let others = || lines.iter().filter(|other| **other != line).map(|other| ends(other));
        let feeds = |source: &str| !source.ends_with(".back") && !source.starts_with('B');
        let is_missed = !others().any(|(other, _)| other == source)
            || !others().any(|(other_source, other)| other == target && feeds(&other_source));
        let broken = text.replacen(&format!("{line}\n"), "", 1);
        prop_assert_eq!(!found(&broken).is_empty(), is_missed, "{}\n{}", line, broken);
    }

    /// What leaves a node dead is told once, at the node or the cycle that is the cause.
    #[test]
    fn without_a_first_value_all_that_waits_is_named(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        // Timers and start nodes that wait have rules of their own.
        prop_assume!(!text.contains("every = ") && !text.contains("after = "));
        let silent = text.replace("[graph.main.uc.Start0]\nstart = true", "[graph.main.uc.Start0]\nin = { never = \"int\" }\nfire = [\"never -> _v\"]");
        let silent = silent.replace("[graph.main.uc.Start1]\nstart = true", "[graph.main.uc.Idle]\nstart = true\n[graph.main.uc.Start1]\nin = { never = \"int\" }\nfire = [\"never -> _v\"]");
        let silent = if silent.contains("uc.Idle") { silent } else { format!("{silent}\n[graph.main.uc.Idle]\nstart = true\n") };
        let found = found(&silent);
        let told: String = found.iter().filter(|found| found.code == "W0001").map(|found| format!("{found} {:?}", found.help)).collect();
        for node in silent.lines().filter_map(|line| line.strip_prefix("[graph.main.uc.")?.strip_suffix(']')) {
            prop_assert_eq!(told.contains(&format!("`{node}`")), node != "Idle", "{}: {}\n{}", node, told, silent);
        }
    }

    /// What is said never to execute never does, in programs broken at random.
    #[test]
    fn what_is_called_dead_stays_dead(seed: u64, size in 1_usize..12) {
        let mut dice = Dice::new(!seed);
        let text = broken(&generator::program(seed, size), &mut dice);
        let compiled = hasse_compiler::compile(&text, &hasse_body::functions());
        let Some(plan) = compiled.plan else { return Ok(()) };
        let dead: String = compiled
            .diagnostics
            .iter()
            .filter(|found| matches!(found.code, "W0001" | "W0002" | "W0003"))
            .map(|found| format!("{found} {:?}", found.help))
            .collect();
        let recorded = record(&plan, 2, Some(seed));
        for action in recorded.batches.iter().flat_map(|batch| &batch.actions) {
            let has_executed = recorded.batches.iter().flat_map(|batch| batch.events()).any(|event| event.id.action == action.action);
            let name = &plan.template(action.template).name;
            prop_assert!(!(has_executed && dead.contains(&format!("`{name}`"))), "{}: {}\n{}", name, dead, text);
        }
    }
}

/// A program with some arcs bent to other targets, and some rules with guards that may not hold.
fn broken(text: &str, dice: &mut Dice) -> String {
    let targets: Vec<String> =
        arc_lines(text).iter().filter_map(|line| Some(line.split(" -> ").nth(1)?.to_owned())).collect();
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_arc = line.starts_with("  \"") && line.contains(" -> ") && !line.contains('[');
        let is_rule = line.starts_with("fire = [\"a -> v\"");
        lines.push(match dice.below(4) {
            0 if is_arc => {
                let (source, old_target) = line.split_once(" -> ").unwrap();
                let target = &targets[dice.below(targets.len())];
                // Only forward, so that every program still ends.
                let is_forward = place(source) < place(target) && !target.contains('[');
                format!("{source} -> {}", if is_forward { target } else { old_target })
            }
            1 if is_rule => line.replacen("a -> v", "a -> v if count > 1", 1),
            2 if is_rule => line.replacen("a -> v", "a -> v if count % 2 == 1 && count < 4", 1),
            _ => line.to_owned(),
        });
    }
    lines.join("\n")
}

/// Where the node at an end of an arc stands in the row.
fn place(end: &str) -> usize {
    let name = end.trim().trim_start_matches('"').split(['.', '[']).next().unwrap();
    match name.trim_start_matches(char::is_alphabetic).parse::<usize>() {
        _ if name.starts_with("Start") => 0,
        Ok(node_idx) => node_idx + 1,
        Err(_) if name == "End" => usize::MAX - 1,
        Err(_) => usize::MAX,
    }
}
