//! Struct types, nested arrays and `any` from end to end: runs, their errors at the edges of bodies, and
//! replays.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code, reason = "tests")]

#[path = "laws/recording.rs"]
mod recording;

use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{Recording, run};
use recording::{compile, digest, options, record, replay_of};

/// Structs through arcs, families, replicated bindings, shared objects, vars, guards, and `any`.
const BLOCKS: &str = r#"hasse = 1
main = "blocks"

[type.Block]
row = "int"
rhs = "vector"

[type.Part]
name = "string"
blocks = "Block[]"
grid = "real[][]"

[type.Tree]
value = "int"
children = "Tree[]"

[graph.blocks]
params = { n = "int = 4", first = "Block = Block(7, vector(1, 0.5))" }
arcs = [
  "Deal.block[i] -> Scale[i].block",
  "Scale[i].done -> Gather.block[i]",
  "Gather.part -> Show.part",
  "Gather.tree -> Show.tree",
  "Gather.loose -> Loose.any",
  "Loose.block -> Show.block",
]
share = ["sum -- Scale[i].sum", "sum -- Show.sum"]

[graph.blocks.shared.sum]
type = "Block"
init = "Block(0, vector(1))"

[graph.blocks.uc.Deal]
start = true
out = { "block[i]" = "Block" }
route = ["block[i] <- Block(i, vector(1, i)) for i in 0..n"]

[graph.blocks.uc.Scale]
index = ["i"]
in = { block = "Block" }
out = { done = "Block" }
vars = { kept = "Block", seen = "Block[]" }
shared = { sum = "write" }
fire = ["block -> b if kept.row == 0"]
do = '''
b.rhs[0] *= 2.0;
kept = b;
seen.push(b);
sum.row += b.row;
sum.rhs += seen[0].rhs;
'''
route = ["done <- b if b.row >= 0"]

[graph.blocks.uc.Gather]
in = { "block[i]" = "Block" }
out = { part = "Part", tree = "Tree", loose = "any" }
fire = ["block[i] -> blocks[i] for i in 0..n"]
do = '''
let part = Part("all", blocks, [[1, 2], [], [3.5]]);
let tree = Tree(1, [Tree(2, []), Tree(3, [Tree(4, [])])]);
fn depth(t) { let most = 0; for c in t.children { let d = depth(c); if d > most { most = d; } } most + 1 }
tree.value = depth(tree);
'''
route = ["part <- part", "tree <- tree", "loose <- part.blocks[n - 1]"]

[graph.blocks.uc.Loose]
in = { any = "any" }
out = { block = "Block" }
fire = ["any -> x"]
route = ["block <- as_Block(x)"]

[graph.blocks.uc.Show]
in = { part = "Part", tree = "Tree", block = "Block" }
shared = { sum = "read" }
fire = ["part -> p, tree -> t, block -> b"]
do = '''
print(p.blocks[2]);
print(`${t} ${type_of(b)} ${type_name(p.grid)} ${b == p.blocks[n - 1]}`);
result("part", p);
result("sum", sum);
result("first", first);
result("tree", t);
'''
"#;

fn shown(report: &RunReport) -> String {
    report.results.iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
}

#[test]
fn structs_travel_and_are_shared_kept_and_guarded() {
    let recorded = record(&compile(BLOCKS), 2, None);
    assert_eq!(recorded.report.errors, []);
    assert_eq!(recorded.report.outcome, RunOutcome::Finished);
    insta::assert_snapshot!(format!("{}\n{}", recorded.lines.join("\n"), shown(&recorded.report)));
}

#[test]
fn a_run_with_structs_is_replayed() {
    let plan = compile(BLOCKS);
    for (n_workers, seed) in [(1, None), (2, None), (4, Some(3))] {
        let recorded = record(&plan, n_workers, seed);
        for n_workers in [1, 3] {
            let replayed = replay_of(&plan, &recorded.batches, n_workers, None);
            assert!(replayed.report.divergence.is_none(), "{:?}", replayed.report.divergence);
            assert_eq!(replayed.report.results, recorded.report.results);
            assert_eq!(replayed.lines, recorded.lines);
            assert_eq!(digest(&plan, &replayed.batches), digest(&plan, &recorded.batches));
        }
    }
}

/// One node that executes once; `parts` are its keys, and those of the graph in front of it.
fn one(graph: &str, node: &str) -> String {
    format!(
        "hasse = 1\nmain = \"g\"\n[type.Block]\nrow = \"int\"\nrhs = \"vector\"\n[type.Pair]\none = \"Block\"\n\
         more = \"Block[]\"\n[graph.g]\n{graph}\n[graph.g.uc.N]\nstart = true\n{node}\n"
    )
}

/// Runs a program that must fail, and checks code, message and the text of the line of the error.
#[track_caller]
fn assert_fails(text: &str, code: &str, message: &str, line: &str) {
    let report = run(&compile(text), &options(1, None), Recording::None, Box::new(|_| {})).unwrap();
    assert_eq!(report.outcome, RunOutcome::Failed);
    let error = &report.errors[0];
    assert_eq!(error.code, code, "{error:?}");
    assert!(error.message.contains(message), "{error:?}");
    assert_eq!(error.event, "/N:1");
    let at = text.lines().nth(error.at.line as usize - 1).unwrap();
    assert!(at.contains(line), "line {}: {at}", error.at.line);
}

#[test]
fn a_var_that_is_left_with_another_type_is_an_error_at_its_assignment() {
    let node = |body: &str| {
        one(
            "",
            &format!("vars = {{ b = 'Block', p = 'Pair', a = 'int[][]', k = 'int' }}\ndo = '''\n{body}\n'''"),
        )
    };
    let fails = |body: &str, message: &str, line: &str| assert_fails(&node(body), "R0003", message, line);
    fails(
        "let x = 1;\nb.row = \"x\";\nx += 1;",
        "var `b` of type Block: `b.row`: the string \"x\" is no int",
        "b.row =",
    );
    fails("k = 1;\nk = \"t\";", "var `k` of type int cannot hold the string \"t\"", "k = \"t\"");
    fails("p.one.rhs = [1.0];", "`p.one.rhs`: the array [1.0] is no vector", "p.one.rhs");
    fails("p.more.push(b);\np.more[0].row = 'c';", "`p.more[0].row`: the char 'c' is no int", "p.more[0]");
    fails("a = [[1], [2, 3.5]];", "`a[1][1]`: the real 3.5 is no int", "a = [[1]");
    fails(
        "a = [];\nfor i in 0..200 { a.push([i]); }\na.push(0);",
        "`a[200]`: the int 0 is no int[]",
        "a = []",
    );
    fails("b = b;\nb = p;", "var `b` of type Block cannot hold Pair { one: Block", "b = p");
    fails("k = 1;\nk = #{x: 1};", "var `k` of type int cannot hold the map #{\"x\": 1}", "k = #");
}

#[test]
fn init_is_checked_as_well() {
    let text =
        one("", "vars = { b = 'Block' }\ninit = '''\nlet x = 1;\nb.row = 1.5;\n'''\ndo = 'print(b.row);'");
    assert_fails(&text, "R0003", "`b.row`: the real 1.5 is no int", "b.row = 1.5");
}

#[test]
fn a_shared_object_that_is_left_with_another_type_is_an_error_at_its_assignment() {
    let graph = "share = ['s -- N.s']\n[graph.g.shared.s]\ntype = 'Block[]'\ninit = '[Block(1, vector(0))]'";
    let text =
        one(graph, "shared = { s = 'write' }\ndo = '''\ns.push(Block(2, vector(0)));\ns[1].row = true;\n'''");
    assert_fails(&text, "R0003", "`s[1].row`: the bool true is no int", "s[1].row = true");
}

#[test]
fn a_value_that_does_not_fit_its_port_is_an_error_of_the_routing_rule() {
    let graph = "arcs = ['N.o -> M.o']\n[graph.g.uc.M]\nin = { o = 'Block[]' }\nfire = ['o -> o']";
    let node = "out = { o = 'Block[]' }\ndo = '''\nlet blocks = [Block(1, vector(0)), Block(2, vector(0))];\n\
                blocks[1].row = \"two\";\n'''\nroute = [\n  'o <- blocks',\n]";
    let message = "`o[1].row`: the string \"two\" is no int";
    assert_fails(&one(graph, node), "R0003", message, "o <- blocks");
}

#[test]
fn an_array_in_a_var_is_checked_whole_where_it_is_sent() {
    let graph = "arcs = ['N.o -> M.o']\n[graph.g.uc.M]\nin = { o = 'int[]' }\nfire = ['o -> o']";
    let node = "out = { o = 'int[]' }\nvars = { a = 'int[]' }\ndo = '''\nfor i in 0..200 { a.push(i); }\na[100] = 0.5;\n'''\n\
                route = ['o <- a']";
    assert_fails(&one(graph, node), "R0003", "`o[100]`: the real 0.5 is no int", "o <- a");
}

#[test]
fn conversions_and_constructors_say_what_they_were_given() {
    let node = |body: &str| one("", &format!("do = '''\nlet x = 1;\n{body}\n'''"));
    let fails = |body: &str, message: &str| assert_fails(&node(body), "R0001", message, body);
    fails("as_int(\"a\");", "`as_int`: the string \"a\" is no int");
    fails("as_Block(vector(1));", "`as_Block`: the vector [0.0] is no Block");
    fails("Block(1.5, vector(1));", "`Block.row`: the real 1.5 is no int; the fields are `row`, `rhs`");
    fails("let b = Block(1, vector(0)); b.rwo", "`Block` has no field `rwo`; its fields are `row`, `rhs`");
    fails("let b = Block(1, vector(0)); b.rwo = 2;", "`Block` has no field `rwo`; its fields are");
}

#[test]
fn values_nested_without_end_are_an_error() {
    let text = one("", "vars = { a = 'any' }\ndo = '''\na = [];\nfor i in 0..300 { a = [a]; }\n'''");
    assert_fails(&text, "R0003", "nested in more than 256 levels", "a = [a]");
}
