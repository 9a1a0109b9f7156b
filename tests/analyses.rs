//! What the compiler's analyses find in generated programs: nothing in sound ones, and something
//! wherever an arc is missing that a port cannot do without.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/generator.rs"]
mod generator;

use generator::Dice;
use hasse_model::diagnostic::Diagnostic;
use proptest::prelude::*;

/// Names that are never used, and objects that no node happens to reach: the generator does not care.
const IGNORED: [&str; 6] = ["W0101", "W0102", "W0103", "W0104", "W0601", "W0604"];

fn found(text: &str) -> Vec<Diagnostic> {
    let compiled = hasse_compiler::compile(text, &hasse_runtime::body::functions());
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
    let plain = |end: &str| end.split('[').map(|part| part.split(']').next_back().unwrap()).collect::<String>();
    (plain(source), plain(target))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_programs_have_no_findings(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        prop_assert_eq!(rendered(&found(&text)), "", "{}", text);
    }

    /// Not every arc is missed: a port may have another arc that feeds it. An arc is missed where its
    /// source or its target has no other one.
    #[test]
    fn a_missing_arc_is_found(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let lines = arc_lines(&text);
        let line = lines[Dice::new(!seed).below(lines.len())];
        let (source, target) = ends(line);
        let others = || lines.iter().filter(|other| **other != line).map(|other| ends(other));
        let is_missed = !others().any(|(other, _)| other == source) || !others().any(|(_, other)| other == target);
        let broken = text.replacen(&format!("{line}\n"), "", 1);
        prop_assert_eq!(!found(&broken).is_empty(), is_missed, "{}\n{}", line, broken);
    }

    /// What leaves a node dead is told once, at the node or the cycle that is the cause.
    #[test]
    fn without_a_first_value_all_that_waits_is_named(seed: u64, size in 1_usize..12) {
        let text = generator::program(seed, size);
        let silent = text.replace("[graph.main.uc.Start0]\nstart = true", "[graph.main.uc.Start0]\nin = { never = \"int\" }\nfire = [\"never -> _v\"]");
        let silent = silent.replace("[graph.main.uc.Start1]\nstart = true", "[graph.main.uc.Idle]\nstart = true\n[graph.main.uc.Start1]\nin = { never = \"int\" }\nfire = [\"never -> _v\"]");
        let silent = if silent.contains("uc.Idle") { silent } else { format!("{silent}\n[graph.main.uc.Idle]\nstart = true\n") };
        let found = found(&silent);
        let told: String = found.iter().filter(|found| found.code == "W0001").map(|found| format!("{found} {:?}", found.help)).collect();
        for node in silent.lines().filter_map(|line| line.strip_prefix("[graph.main.uc.")?.strip_suffix(']')) {
            prop_assert_eq!(told.contains(&format!("`{node}`")), node != "Idle", "{}: {}\n{}", node, told, silent);
        }
    }
}
