//! Modes of recording where scalars go in columns: what a run notes of many events together is what it notes of each by
//! itself. The scheduler has no seed here, as a run with a seed serves events one by one.

#[path = "columns/forms.rs"]
mod forms;

use std::collections::BTreeMap;
use std::fmt::Write;

use forms::{
    BOOL_FORMS, FAMILY_FORMS, FREE_RULES, INT_FORMS, MAP_FORMS, REAL_FORMS, STRING_FORMS, STRUCT_FORMS,
    VECTOR_FORMS, first_of, test_of,
};

use hasse_runtime::run::{Recording, RunOptions, ScriptTiers};
use proptest::prelude::*;

use crate::generator::{self, Dice};
use crate::minimal::{assert_same_run, minimize_full, replay_minimal, rows};
use crate::recording::{
    compile, digest, names, options, record_as, record_restricted, record_with, replay_with, sorted,
};
use crate::restricted::{self, choose, events_in, restricted_by_reference};
use crate::{WORKER_COUNTS, flows, n_programs};

/// A program whose events do not depend on the schedule: each port has one sender, but for those on which an action also finds
/// what it has sent to itself. What values are decides in the end who sends.
fn determinate(seed: u64, size: usize) -> String {
    pipeline(seed, size, false)
}

/// The same; if it may write a shared object, what events compute does not depend on the schedule, but who has written before
/// them does.
fn pipeline(seed: u64, size: usize, writes: bool) -> String {
    let mut dice = Dice::new(seed);
    let n_values = 20 + dice.below(400);
    let (mut nodes, mut graphs, mut arcs) = (String::new(), String::new(), Vec::new());
    let mut outputs: Vec<(String, usize, &str)> = Vec::new();
    let mut sharers: Vec<usize> = Vec::new();
    for source in 0..1 + dice.below(2) {
        // One event sends all, or each event sends one.
        let _ = match dice.below(2) {
            0 => write!(
                nodes,
                "\n[graph.g.uc.Src{source}]\nout = {{ y = \"int\" }}\nstart = true\nroute = [\"y <- k for k in 0..{n_values}\"]\n"
            ),
            _ => {
                arcs.push(format!("Begin{source}.go -> Src{source}.go"));
                arcs.push(format!("Src{source}.again -> Src{source}.go"));
                let rest = match dice.below(2) {
                    0 => format!(
                        "do = 'let m = n + 1;'\nroute = [\"y <- n\", \"again <- m if m < {n_values}\"]"
                    ),
                    _ => format!("route = [\"y <- n\", \"again <- n + 1 if n + 1 < {n_values}\"]"),
                };
                write!(
                    nodes,
                    "\n[graph.g.uc.Begin{source}]\nout = {{ go = \"int\" }}\nstart = true\nroute = [\"go <- 0\"]\n\
                     \n[graph.g.uc.Src{source}]\nin = {{ go = \"int\" }}\nout = {{ y = \"int\", again = \"int\" }}\n\
                     fire = [\"go -> n\"]\n{rest}\n"
                )
            }
        };
        outputs.push((format!("Src{source}.y"), 0, "int"));
    }
    for node in 0..1 + dice.below(size) {
        let mut taken = add_input(&mut outputs, &mut dice, &format!("N{node}.x"), &mut arcs);
        if taken == "int" && dice.below(4) == 0 {
            // Reals and integers come to one port.
            taken = "real";
            let arc = arcs.pop().unwrap();
            let (source, _) = arc.split_once(" -> ").unwrap();
            arcs.push(format!("{source} -> Mix{node}.x"));
            arcs.push(format!("Mix{node}.y -> N{node}.x"));
            arcs.push(format!("Mix{node}.z -> N{node}.x"));
            let _ = write!(
                nodes,
                "\n[graph.g.uc.Mix{node}]\nin = {{ x = \"int\" }}\nout = {{ y = \"real\", z = \"int\" }}\n\
                 fire = [\"x -> x\"]\nroute = [\"y <- x * 0.5 if x % 7 != 6\", \"z <- x if x % 7 == 6\"]\n"
            );
        }
        let forms = match taken {
            "int" => &INT_FORMS[..],
            "real" => &REAL_FORMS[..],
            "P" => &STRUCT_FORMS[..],
            "vector" => &VECTOR_FORMS[..],
            "string" => &STRING_FORMS[..],
            "map[string]int" => &MAP_FORMS[..],
            _ => &BOOL_FORMS[..],
        };
        let (sent, more_in, more_out, rest) = match dice.below(forms.len() + 1).checked_sub(1) {
            Some(form) => {
                let (sent, more_in, more_out, rest) = forms[form];
                (sent, more_in.to_owned(), more_out, rest)
            }
            None if dice.below(2) == 0 && !arcs.last().is_some_and(|arc| arc.starts_with("Mix")) => {
                // A family of ports, whose elements come from one output or from several.
                let source_of = |arc: &String| arc.split(" -> ").next().unwrap().to_owned();
                let source = source_of(&arcs.pop().unwrap());
                arcs.push(format!("{source} -> N{node}.x[0]"));
                let n_elements = 2 + dice.below(3);
                for element in 1..n_elements {
                    if add_input(&mut outputs, &mut dice, &format!("N{node}.x[{element}]"), &mut arcs)
                        != taken
                    {
                        let unused = source_of(&arcs.pop().unwrap());
                        let output = outputs.iter_mut().find(|(output, ..)| *output == unused);
                        output.unwrap().1 -= 1;
                        arcs.push(format!("{source} -> N{node}.x[{element}]"));
                    }
                }
                let is_called = dice.below(3) == 0;
                put_family(&mut dice, (&mut nodes, &mut graphs), (node, taken), n_elements, is_called);
                outputs.extend((0..n_elements).map(|element| (format!("N{node}.y[{element}]"), 0, taken)));
                continue;
            }
            None => {
                let other = add_input(&mut outputs, &mut dice, &format!("N{node}.w"), &mut arcs);
                (other, format!(", w = \"{other}\""), "", "fire = [\"x -> x, w -> w\"]\nroute = [\"y <- w\"]")
            }
        };
        if !more_out.is_empty() {
            arcs.push(format!("Own{node}.s -> N{node}.s"));
            arcs.push(format!("N{node}.t -> N{node}.s"));
            let _ = write!(
                nodes,
                "\n[graph.g.uc.Own{node}]\nout = {{ s = \"{taken}\" }}\nstart = true\nroute = [\"s <- {}\"]\n",
                first_of(taken)
            );
        }
        let rest = rest.to_owned();
        if rest.contains("shared = ") {
            sharers.push(node);
        }
        let is_alone = more_in.is_empty() && more_out.is_empty() && !rest.contains("shared = ");
        let output = match dice.below(4) {
            0 if is_alone && sent == taken => {
                for arc in arcs.iter_mut().filter(|arc| arc.ends_with(&format!(" -> N{node}.x"))) {
                    *arc = arc.replace(&format!("N{node}.x"), &format!("N{node}[0].x"));
                }
                arcs.push(format!("N{node}[i].y -> N{node}[i + 1].x"));
                put_chain(&mut nodes, node, sent, &rest);
                format!("N{node}[i].out")
            }
            1 if is_alone && sent == taken => {
                put_call(&mut nodes, &mut graphs, node, sent, &rest);
                format!("N{node}.y")
            }
            _ => {
                let _ = write!(
                    nodes,
                    "\n[graph.g.uc.N{node}]\nin = {{ x = \"{taken}\"{more_in} }}\nout = {{ y = \"{sent}\"{more_out} }}\n{rest}\n"
                );
                format!("N{node}.y")
            }
        };
        outputs.push((output, 0, sent));
    }
    for (nth, (output, _, ty)) in outputs.iter().filter(|(_, n_receivers, _)| *n_receivers == 0).enumerate() {
        arcs.push(format!("{output} -> Sink{nth}.x"));
        arcs.push(format!("Sink{nth}.p -> Seen{nth}.p"));
        let _ = write!(
            nodes,
            "\n[graph.g.uc.Sink{nth}]\nin = {{ x = \"{ty}\" }}\nout = {{ p = \"{ty}\" }}\nfire = [\"x -> x\"]\n\
             route = [\"p <- x if {}\"]\n\
             \n[graph.g.uc.Seen{nth}]\nin = {{ p = \"{ty}\" }}\nfire = [\"p -> _p\"]\n",
            test_of(ty)
        );
    }
    let arcs: Vec<String> = arcs.iter().map(|arc| format!("  \"{arc}\",\n")).collect();
    if !writes {
        for (free, fixed) in FREE_RULES {
            nodes = nodes.replace(free, fixed);
            graphs = graphs.replace(free, fixed);
        }
    }
    if !writes && sharers.len() > 1 {
        // Nobody but one who has it alone may write it: the order of others depends on the schedule.
        nodes = nodes.replace("\"write\"", "\"read\"").replace("box += 0; ", "");
    }
    let (mut shared, mut types) = (String::new(), "");
    if !sharers.is_empty() {
        let shares: Vec<String> = sharers.iter().map(|node| format!("  \"box -- N{node}.box\",\n")).collect();
        shared = format!("share = [\n{}]\n\n[graph.g.shared.box]\ntype = \"int\"\n", shares.concat());
    }
    if nodes.contains("\"P\"") {
        types = "[type.P]\na = \"int\"\nb = \"real\"\n\n";
    }
    format!(
        "hasse = 1\nmain = \"g\"\n\n{types}[graph.g]\nparams = {{ few = \"int = 1\" }}\narcs = [\n{}]\n{shared}{nodes}{graphs}",
        arcs.concat()
    )
}

/// Leads one of the outputs to a port; gives its type.
fn add_input<'t>(
    outputs: &mut [(String, usize, &'t str)],
    dice: &mut Dice,
    port: &str,
    arcs: &mut Vec<String>,
) -> &'t str {
    let chosen = dice.below(outputs.len());
    outputs[chosen].1 += 1;
    arcs.push(format!("{} -> {port}", outputs[chosen].0));
    outputs[chosen].2
}

/// Adds a node whose instances pass values on from one to the next, by index; the last one sends them to `out`.
fn put_chain(nodes: &mut String, node: usize, ty: &str, rest: &str) {
    let (before, routes) = rest.split_once("route = [").unwrap();
    let mut chained = Vec::new();
    for rule in routes.trim_end_matches(']').split("\", \"").map(|rule| rule.trim_matches('"')) {
        let (send, guard) = rule.split_once(" if ").map_or((rule, ""), |(send, guard)| (send, guard));
        let value = send.trim_start_matches("y <- ");
        let guard = if guard.is_empty() { String::new() } else { format!("({guard}) && ") };
        chained.push(format!("\"y <- {value} if {guard}i < 2\", \"out <- {value} if {guard}i == 2\""));
    }
    let _ = write!(
        nodes,
        "\n[graph.g.uc.N{node}]\nindex = [\"i\"]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\", out = \"{ty}\" }}\n{before}route = [{}]\n",
        chained.join(", ")
    );
}

/// Adds a node that takes and sends values together, by families of ports; two in a row, in a graph that is called, if `is_called`.
fn put_family(
    dice: &mut Dice,
    (nodes, graphs): (&mut String, &mut String),
    (node, ty): (usize, &str),
    n_elements: usize,
    is_called: bool,
) {
    let forms: Vec<&str> =
        FAMILY_FORMS.iter().filter(|(of, _)| of.is_empty() || *of == ty).map(|(_, form)| *form).collect();
    let form = forms[dice.below(forms.len())];
    let rest = form.replace('N', &n_elements.to_string()).replace('T', ty);
    let ports = format!("in = {{ \"x[k]\" = \"{ty}\" }}\nout = {{ \"y[k]\" = \"{ty}\" }}");
    if !is_called {
        let _ = write!(nodes, "\n[graph.g.uc.N{node}]\n{ports}\n{rest}\n");
        return;
    }
    let _ = write!(nodes, "\n[graph.g.call.N{node}]\ngraph = \"H{node}\"\n");
    let _ = write!(
        graphs,
        "\n[graph.H{node}]\nparams = {{ few = \"int = 1\" }}\n{ports}\n\
         arcs = [\"in.x[k] -> A.x[k]\", \"A.y[k] -> B.x[k]\", \"B.y[k] -> out.y[k]\"]\n\
         \n[graph.H{node}.uc.A]\n{ports}\n{rest}\n\n[graph.H{node}.uc.B]\n{ports}\n{rest}\n"
    );
}

/// Adds a call of a graph with two nodes in a row.
fn put_call(nodes: &mut String, graphs: &mut String, node: usize, ty: &str, rest: &str) {
    let _ = write!(nodes, "\n[graph.g.call.N{node}]\ngraph = \"H{node}\"\n");
    let _ = write!(
        graphs,
        "\n[graph.H{node}]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\n\
         arcs = [\"in.x -> A.x\", \"A.y -> B.x\", \"B.y -> out.y\"]\n"
    );
    for inner in ["A", "B"] {
        let _ = write!(
            graphs,
            "\n[graph.H{node}.uc.{inner}]\nin = {{ x = \"{ty}\" }}\nout = {{ y = \"{ty}\" }}\n{rest}\n"
        );
    }
}

/// A program of one of several generators.
fn any_program(dice: &mut Dice, seed: u64, size: usize) -> String {
    match dice.below(4) {
        0 => determinate(seed, size),
        3 => pipeline(seed, size, true),
        1 => flows::program(seed, size),
        _ => generator::program(seed, size),
    }
}

/// A merge of two ports by two rules, and of two senders on one port.
const MERGE: &str = r#"
hasse = 1
main = "g"

[graph.g]
arcs = [
  "A.y -> Merge.a", "B.y -> Merge.b", "A.y -> Mixed.x", "B.y -> Mixed.x", "Merge.y -> Sink.x", "Mixed.y -> Sink.x",
]

[graph.g.uc.A]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.B]
out = { y = "int" }
start = true
route = ["y <- k for k in 0..300"]

[graph.g.uc.Merge]
in = { a = "int", b = "int" }
out = { y = "int" }
fire = ["a -> v", "b -> v"]
route = ["y <- v"]

[graph.g.uc.Mixed]
in = { x = "int" }
out = { y = "int" }
fire = ["x -> x"]
do = 'let z = x + 1;'
route = ["y <- z"]

[graph.g.uc.Sink]
in = { x = "int" }
fire = ["x -> _x"]
"#;

/// A minimal record has the rows and the digest of what `minimize` makes of the full record of the same run.
fn assert_minimal(text: &str, n_workers: usize) -> Result<(), TestCaseError> {
    let plan = compile(text);
    let recorded = record_as(&plan, &options(n_workers, None), Recording::Minimal);
    let replayed = replay_minimal(&plan, &options(2, None), &recorded, &recorded.batches);
    assert_same_run(&replayed, &recorded, text);
    let minimized = minimize_full(&plan, &options(1, None), &replayed.batches);
    prop_assert_eq!(&minimized.report.divergence, &None, "{}", text);
    prop_assert_eq!(rows(&plan, &minimized.batches), rows(&plan, &recorded.batches), "{}", text);
    prop_assert_eq!(minimized.report.digest, recorded.report.digest, "{}", text);
    Ok(())
}

#[test]
fn minimal_record_of_merge_is_as_small_as_can_be() {
    for n_workers in WORKER_COUNTS {
        assert_minimal(MERGE, n_workers).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Events that are served together compute the same as each by itself, in every tier.
    #[test]
    fn columns_compute_what_single_events_do(seed: u64, size in 1_usize..10) {
        let text = determinate(seed, size);
        let plan = compile(&text);
        let single = record_with(&plan, &options(1, Some(seed)));
        let expected = digest(&plan, &single.batches);
        for tiers in [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native] {
            let found = record_with(&plan, &RunOptions { tiers, ..options(WORKER_COUNTS[seed as usize % 4], None) });
            prop_assert_eq!(&found.report.errors.is_empty(), &single.report.errors.is_empty());
            prop_assert_eq!(digest(&plan, &found.batches), expected, "{:?}\n{}", tiers, &text);
        }
    }

    #[test]
    fn minimal_record_is_the_minimized_one(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        assert_minimal(&text, WORKER_COUNTS[dice.below(4)])?;
    }

    #[test]
    fn minimal_record_of_columns_tells_nothing_where_nothing_is_free(seed: u64, size in 1_usize..10) {
        // Who prints first is free.
        let text = ["if x % 50 == 7 { print(x); } ", "if v[0] % 50 == 7 { print(v[0]); }"]
            .iter()
            .fold(determinate(seed, size), |text, printing| text.replace(printing, ""));
        let plan = compile(&text);
        let one = record_as(&plan, &options(1, None), Recording::Minimal);
        let many = record_as(&plan, &options(4, None), Recording::Minimal);
        prop_assert_eq!(one.report.digest, many.report.digest, "{}", text);
        prop_assert_eq!(rows(&plan, &one.batches), rows(&plan, &many.batches), "{}", text);
    }

    #[test]
    fn restricted_record_of_columns_is_the_full_one_restricted(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = determinate(seed, size);
        let plan = compile(&text);
        let selected = choose(&mut dice, &plan, true).resolve(&plan).unwrap();
        let full = record_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None));
        let found = record_restricted(&plan, &options(WORKER_COUNTS[dice.below(4)], None), &selected);
        let (expected, full_names) = restricted_by_reference(&plan, &full.batches, &selected);
        let found_names = names(&plan, &found.batches);
        prop_assert_eq!(
            restricted::digest(events_in(&found.batches), &found_names),
            restricted::digest(expected, &full_names),
            "{}", text
        );
    }

    #[test]
    fn replay_of_columns_records_the_same(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        let plan = compile(&text);
        let recorded = record_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None));
        let replayed =
            replay_with(&plan, &options(WORKER_COUNTS[dice.below(4)], None), &recorded.batches);
        prop_assert_eq!(&replayed.report.divergence, &None, "{}", text);
        prop_assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches), "{}", text);
        prop_assert_eq!(replayed.lines, recorded.lines, "{}", text);
    }

    #[test]
    fn perf_record_of_columns_is_the_full_one(seed: u64, size in 1_usize..10) {
        let plan = compile(&determinate(seed, size));
        let full = record_with(&plan, &options(1, None));
        let timed = record_as(&plan, &options(4, None), Recording::Perf);
        prop_assert_eq!(digest(&plan, &timed.batches), digest(&plan, &full.batches));
    }

    #[test]
    fn times_of_worker_do_not_overlap_and_senders_end_first(seed: u64, size in 1_usize..10) {
        let mut dice = Dice::new(!seed);
        let text = any_program(&mut dice, seed, size);
        let n_workers = WORKER_COUNTS[dice.below(4)];
        let timed = record_as(&compile(&text), &options(n_workers, None), Recording::Perf);
        let (events, n_left) = sorted(&timed.batches);
        prop_assert_eq!(n_left, 0);
        let mut ends = BTreeMap::new();
        let mut by_worker: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for event in &events {
            let timing = event.timing.unwrap();
            prop_assert!(timing.start <= timing.end && (timing.worker as usize) < n_workers);
            for sender in &event.flow {
                prop_assert!(ends[sender] <= timing.start, "{}", text);
            }
            ends.insert(event.id, timing.end);
            // What waits for a lock goes on among others. An event that has waited for the world outside is timed from there on.
            if event.shared.is_empty() {
                by_worker.entry(timing.worker).or_default().push((timing.start, timing.end));
            }
        }
        for times in by_worker.values_mut() {
            times.sort_unstable();
            prop_assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{}", text);
        }
    }
}
