//! Law 7: the expansion of a plan covers what runs do. Every instance, shared object, way of a value and access to an object
//! of a run is in the expansion for its parameters, unless that was cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hasse_debugger::ways::ways_from;
use hasse_model::event::EventBatch;
use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_runtime::expansion::{Expansion, ExpansionOptions, PossibleFlow, expand};
use hasse_runtime::run::{RunOptions, RuntimeError};
use proptest::prelude::*;

use crate::generator::Dice;
use crate::recording::{compile, names, options, record_with};
use crate::{WORKER_COUNTS, flows, generator, n_programs};

proptest! {
    #![proptest_config(ProptestConfig { cases: n_programs(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expansion_covers_generated_runs(seed: u64, size in 1_usize..12) {
        let text = if seed % 3 == 0 { flows::program(seed, 1 + size % 5) } else { generator::program(seed, size) };
        let plan = compile(&text);
        let mut dice = Dice::new(seed);
        let options = options(WORKER_COUNTS[dice.below(4)], Some(seed));
        let missed = missed(&plan, &options, &expanded(&plan, &[]));
        prop_assert_eq!(missed, Vec::<String>::new(), "{}", text);
    }

    #[test]
    fn expansion_covers_indices_that_depend_on_values(seed: u64) {
        let text = scattered(seed);
        let plan = compile(&text);
        let missed = missed(&plan, &options(2, Some(seed)), &expanded(&plan, &[]));
        prop_assert_eq!(missed, Vec::<String>::new(), "{}", text);
    }
}

#[test]
fn expansion_covers_examples() {
    let mut n_examples = 0;
    for (folder, text) in examples() {
        let plan = compile(&text);
        let expansion = expanded(&plan, &[]);
        let options = RunOptions { program_folder: folder.clone().into(), ..options(2, Some(1)) };
        assert_eq!(missed(&plan, &options, &expansion), Vec::<String>::new(), "{folder}");
        n_examples += 1;
    }
    assert!(n_examples > 15, "{n_examples}");
}

fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        let program = folder.join(folder.file_name().unwrap()).with_extension("hasse");
        if !folder.join("Cargo.toml").exists() && program.exists() {
            found.push((folder.display().to_string(), fs::read_to_string(program).unwrap()));
        }
    }
    found.sort();
    found
}

fn expanded(plan: &Plan, params: &[(&str, i64)]) -> Expansion {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect();
    expand(plan, &ExpansionOptions { params, ..ExpansionOptions::default() }).unwrap()
}

/// Runs a program, and lists what the expansion does not cover.
fn missed(plan: &Plan, options: &RunOptions, expansion: &Expansion) -> Vec<String> {
    if expansion.is_cut {
        return Vec::new();
    }
    let recorded = record_with(plan, options);
    let names = names(plan, &recorded.batches);
    let mut missed = Vec::new();
    let paths: Vec<&str> = expansion.instances.iter().map(|instance| instance.path.as_str()).collect();
    let objects: Vec<&str> = expansion.objects.iter().map(|object| object.path.as_str()).collect();
    let mut boxes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut boxes_of = |path: String| {
        let covering = |path: &str| (0..paths.len()).filter(|&at| covers(paths[at], path)).collect();
        boxes.entry(path).or_insert_with_key(|path| covering(path)).clone()
    };
    for action in recorded.batches.iter().flat_map(|batch| &batch.actions) {
        let path = names.action(action.action).to_string();
        if boxes_of(path.clone()).is_empty() {
            missed.push(path);
        }
    }
    for graph in recorded.batches.iter().flat_map(|batch| &batch.graphs) {
        let path = names.graph_path(graph.graph).to_string();
        if !expansion.graphs.iter().any(|graph| covers(&graph.path, &path)) {
            missed.push(format!("graph {path}"));
        }
    }
    for object in recorded.batches.iter().flat_map(|batch| &batch.objects) {
        let path = names.object(object.object).to_string();
        if !objects.iter().any(|object| covers(object, &path)) {
            missed.push(format!("object {path}"));
        }
    }
    for event in recorded.batches.iter().flat_map(EventBatch::events) {
        let target = names.action(event.id.action).to_string();
        for access in &event.shared {
            let object = names.object(access.object).to_string();
            let is_covered = expansion.accesses.iter().any(|known| {
                known.access == access.access
                    && covers(paths[known.instance], &target)
                    && covers(objects[known.object], &object)
            });
            if !is_covered {
                missed.push(format!("{target} -- {object}"));
            }
        }
        for sender in &event.flow {
            let source = names.action(sender.action).to_string();
            let (sources, targets) = (boxes_of(source.clone()), boxes_of(target.clone()));
            let flow =
                |flow: &&PossibleFlow| sources.contains(&flow.source) && targets.contains(&flow.target);
            let known: Vec<_> = expansion.flows.iter().filter(flow).collect();
            let covers_way = |arcs: &[u32]| {
                known.iter().any(|flow| arcs.iter().all(|arc| flow.arcs.iter().any(|known| known.0 == *arc)))
            };
            // Several arcs may lead from one instance to another: the record does not always say which one it was.
            let from = names.template_of(sender.action).unwrap();
            let to = names.template_of(event.id.action).unwrap();
            let all = ways_from(plan, from.0);
            if !all.get(&to.0).is_some_and(|ways| ways.iter().any(|way| covers_way(&way.arcs))) {
                missed.push(format!("{source} -> {target}"));
            }
        }
    }
    missed.dedup();
    missed
}

/// Returns whether a path of an expansion, in which index numbers may be `?`, is that of a run or stands for it.
fn covers(pattern: &str, path: &str) -> bool {
    let parts = |text: &str| -> Vec<String> { text.split(['/', '[']).map(str::to_owned).collect() };
    let (pattern, path) = (parts(pattern), parts(path));
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(known, part)| known == "?]" || known == part)
}

/// A program whose indices, bounds and guards depend on values here and there.
fn scattered(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let width = 1 + dice.below(4);
    let element = ["v % 5", "k", "v % 3 + k", "k + 1"][dice.below(4)];
    let high = ["n", "v % 4", "3"][dice.below(3)];
    let guard = ["", " if v % 2 == 0", " if n > 2", " if k > v % 3"][dice.below(4)];
    let hop = ["i", "i + 1", "2 * i", "i % 2"][dice.below(4)];
    let hidden = if dice.below(3) == 0 { "let i = v % 3;" } else { "" };
    let call = ["k", "2 * k"][dice.below(2)];
    format!(
        r#"hasse = 1
main = "main"

[graph.main]
params = {{ n = "int = {width}" }}
arcs = [
  "Start.v -> Split.v",
  "Split.part[k] -> Work[k].a",
  "Work[i].far[k] -> Far[i][k].a",
  "Work[2].o -> Two.a",
  "Work[i].o -> Next[{hop}].a",
  "Next[i].o -> sub[i].x",
  "sub[k].y -> End[{call}].a",
]
share = ["total -- Work[i].t", "slot[i] -- Next[i].s", "slot[i] -- sub[i].s"]

[graph.main.shared.total]
type = "int"

[graph.main.shared.slot]
type = "int"
index = ["i"]

[graph.main.uc.Start]
start = true
out = {{ v = "int" }}
route = ["v <- 7 * k for k in 0..4"]

[graph.main.uc.Split]
in = {{ v = "int" }}
out = {{ "part[k]" = "int" }}
fire = ["v -> v"]
route = ["part[{element}] <- v + k for k in 0..{high}{guard}"]

[graph.main.uc.Work]
index = ["i"]
in = {{ a = "int" }}
out = {{ o = "int", "far[k]" = "int" }}
shared = {{ t = "write" }}
fire = ["a -> v"]
do = 't += v; {hidden}'
route = ["o <- v if i < 5", "far[i] <- v if v > 9"]

[graph.main.uc.Far]
index = ["i", "j"]
in = {{ a = "int" }}
fire = ["a -> v"]
do = 'result(`${{i}} ${{j}}`, v)'

[graph.main.uc.Two]
in = {{ a = "int" }}
fire = ["a -> v"]
do = 'result("two", v)'

[graph.main.uc.Next]
index = ["i"]
in = {{ a = "int" }}
out = {{ o = "int" }}
shared = {{ s = "read" }}
fire = ["a -> v"]
route = ["o <- v + s if v % 3 != i"]

[graph.main.call.sub]
graph = "Sub"
index = ["i"]
args = {{ at = "i", deep = "2" }}

[graph.main.uc.End]
index = ["k"]
in = {{ a = "int" }}
fire = ["a -> v"]
do = 'result(`end ${{k}}`, v)'

[graph.Sub]
params = {{ at = "int", deep = "int" }}
in = {{ x = "int" }}
out = {{ y = "int" }}
inout = {{ s = "int" }}
arcs = ["in.x -> Step[at].x", "Step[i].y -> out.y", "Step[i].more -> sub.x", "sub.y -> out.y"]
share = ["inout.s -- Step[i].s", "inout.s -- sub.s"]

[graph.Sub.call.sub]
graph = "Sub"
args = {{ at = "at + 1", deep = "deep - 1" }}

[graph.Sub.uc.Step]
index = ["i"]
in = {{ x = "int" }}
out = {{ y = "int", more = "int" }}
shared = {{ s = "write" }}
fire = ["x -> v"]
do = 's += v;'
route = ["y <- v if deep == 0 || v % 2 == 0", "more <- v if deep > 0 && v % 2 != 0"]
"#
    )
}

/// A pipeline with a guard and bounds over parameters.
const STAGES: &str = r#"hasse = 1
main = "main"
[graph.main]
params = { n = "int = 3" }
arcs = ["Start.o[k] -> Work[k].a", "Work[i].o -> Work[i + 1].a", "Work[i].done -> End.a"]
[graph.main.uc.Start]
start = true
out = { "o[k]" = "int" }
route = ["o[k] <- k for k in 0..n if k == 0 || k == n"]
[graph.main.uc.Work]
index = ["i"]
in = { a = "int" }
out = { o = "int", done = "int" }
fire = ["a -> v"]
route = ["o <- v if i + 1 < n", "done <- v if i + 1 == n"]
[graph.main.uc.End]
in = { a = "int" }
fire = ["a -> v"]
do = 'result("end", v)'
"#;

fn paths(expansion: &Expansion) -> Vec<&str> {
    expansion.instances.iter().map(|instance| instance.path.as_str()).collect()
}

#[test]
fn guards_over_parameters_and_indices_are_decided() {
    let plan = compile(STAGES);
    let expansion = expanded(&plan, &[("n", 2)]);
    assert_eq!(paths(&expansion), ["/Start", "/Work[0]", "/Work[1]", "/End"]);
    assert_eq!(expansion.flows.len(), 3);
    assert!(expansion.flows.iter().all(|flow| !flow.is_conditional), "{:?}", expansion.flows);
    assert_eq!(expansion.notes, [""; 0]);
    assert_eq!(expanded(&plan, &[("n", 0)]).instances.len(), 1);
    assert_eq!(expanded(&plan, &[]).instances.len(), 5);
}

#[test]
fn instances_beyond_the_limit_are_cut_with_a_note() {
    // Without its guard the row never ends.
    let text = STAGES.replace("o <- v if i + 1 < n", "o <- v");
    let plan = compile(&text);
    let options = ExpansionOptions { max_instances: 10, ..ExpansionOptions::default() };
    let expansion = expand(&plan, &options).unwrap();
    assert_eq!((expansion.instances.len(), expansion.is_cut), (10, true));
    assert_eq!(expansion.notes, ["cut: there are more than 10 instances"]);
    let whole = expand(&plan, &ExpansionOptions::default()).unwrap();
    assert_eq!((whole.instances.len(), whole.is_cut), (2_000, true));
}

#[test]
fn instances_whose_number_depends_on_values_are_cut_first() {
    let text = STAGES.replace("o <- v if i + 1 < n", "o <- v if v > i");
    let expansion = expanded(&compile(&text), &[]);
    assert_eq!((expansion.instances.len(), expansion.is_cut), (26, true));
    let shown = "cut: 24 instances of `Work` are shown; how many there are depends on values";
    assert_eq!(expansion.notes, ["cut: there are more than 2000 instances", shown]);
}

#[test]
fn loop_of_a_plain_port_is_looked_at_once() {
    let text = STAGES.replace("done <- v if i + 1 == n", "done <- v for k in 0..1000000000000 if i + 1 == n");
    let expansion = expanded(&compile(&text), &[]);
    assert_eq!((expansion.instances.len(), expansion.is_cut), (5, false));
}

#[test]
fn loop_without_end_is_cut() {
    let text = STAGES.replace("for k in 0..n if", "for k in 0..1000000000000 if");
    let expansion = expanded(&compile(&text), &[]);
    assert!(expansion.is_cut);
    assert_eq!(expansion.notes, ["cut: it takes too many steps"]);
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let plan = compile(STAGES);
    let with = |name: &str, value: Value| {
        let options = ExpansionOptions { params: vec![(name.to_owned(), value)], ..Default::default() };
        expand(&plan, &options).map(|expansion| expansion.instances.len())
    };
    assert!(matches!(with("m", Value::Int(1)), Err(RuntimeError::UnknownParam { .. })));
    assert!(matches!(with("n", Value::Bool(true)), Err(RuntimeError::ParamType { .. })));
    let plan = compile(&STAGES.replace("int = 3", "int"));
    let missing = expand(&plan, &ExpansionOptions::default());
    assert!(matches!(missing, Err(RuntimeError::MissingParam { .. })));
}

#[test]
fn node_that_hides_its_index_may_send_to_any() {
    let text = STAGES
        .replace("fire = [\"a -> v\"]\nroute = [\"o", "fire = [\"a -> v\"]\ndo = 'let i = v;'\nroute = [\"o");
    let expansion = expanded(&compile(&text), &[("n", 2)]);
    assert!(expansion.flows.iter().filter(|flow| flow.source != 0).all(|flow| flow.is_conditional));
}
