//! What the tests of this crate share: a function table and a program that is right.

use hasse_model::function::FunctionTable;

/// A small table of functions.
pub(crate) fn functions() -> FunctionTable {
    let mut functions = FunctionTable::default();
    for (name, arity) in [("print", 1), ("result", 2), ("time", 0)] {
        functions.add(name, arity, true);
    }
    for (name, arity) in
        [("sqrt", 1), ("push", 2), ("len", 1), ("vector", 1), ("range", 2), ("range", 3), ("map", 2)]
    {
        functions.add(name, arity, false);
    }
    functions
}

/// A program without any finding; cases are made by replacing a part of it.
pub(crate) const GOOD: &str = r#"hasse = 1
main = "g"

[graph.g]
params = { n = "int = 4", label = 'string = "run"' }
arcs = [
  "Src.seg[j] -> Work[j].part",
  "Work[i].done -> Sink.done",
  "Src.go -> Sink.go",
]
share = ["total -- Work[i].sum", "total -- Sink.sum"]

[graph.g.shared.total]
type = "int"
init = "0"

[graph.g.uc.Src]
start = true
out = { "seg[j]" = "real[]", go = "int" }
do = '''
let parts = [1.0, 2.0]; print(label);
'''
route = ["seg[j] <- parts for j in 0..n", "go <- n if count == 1"]

[graph.g.uc.Work]
index = ["i"]
in = { part = "real[]" }
out = { done = "int" }
vars = { k = "int = 0" }
shared = { sum = "write" }
init = 'k = i;'
fire = ["part -> p if k < 3"]
do = '''
k += 1;
sum += p.len();
'''
route = ["done <- k"]

[graph.g.uc.Sink]
stop = true
in = { done = "int", go = "int" }
shared = { sum = "read" }
fire = ["go -> m, done -> d if count < n"]
do = 'result("sum", sum + d + m);'

[layout.g]
Src = [10, 20]
"#;

/// A program with a call and a recursion, without any finding.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) const GOOD_CALLS: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = ["Start.n -> half.list", "half.sum -> Sink.sum"]
share = ["seen -- half.seen", "seen -- Sink.seen"] # spare

[graph.g.shared.seen]
type = "int"
init = "0"

[graph.g.call.half]
graph = 'Half'
args = { depth = '0' }

[graph.g.uc.Start]
start = true
out = { n = 'int' }
route = ["n <- 9"]

[graph.g.uc.Sink]
in = { sum = 'int' }
shared = { seen = "read" }
fire = ["sum -> s"]
do = 'result("sum", s); result("seen", seen);'

[graph.Half]
params = { depth = "int", limit = "int = 2" }
in = { list = 'int' }
out = { sum = 'int' }
inout = { seen = 'int' }
arcs = [
  "in.list -> Split.list", "Split.small -> Add.sum", "Split.part[i] -> inner[i].list", "inner[i].sum -> Add.sum",
  "Add.sum -> out.sum"
]
share = ["inout.seen -- Split.seen", "inout.seen -- inner[i].seen"]

[graph.Half.call.inner]
graph = 'Half'
index = ["i"]
args = { depth = 'depth + 1 + i - i' }

[graph.Half.uc.Split]
in = { list = 'int' }
out = { small = 'int', "part[i]" = 'int' }
shared = { seen = "write" }
fire = ["list -> n"]
do = 'seen += 1;'
route = ["small <- n if n < limit", "part[i] <- n / 2 for i in 0..2 if n >= limit"]

[graph.Half.uc.Add]
in = { sum = 'int' }
out = { sum = 'int' }
vars = { total = "int" }
fire = ["sum -> s"]
do = 'total += s;'
route = ["sum <- total if count == 1"]
"#;

/// A text with each pair's first text replaced by its second.
pub(crate) fn with(base: &str, replacements: &[(&str, &str)]) -> String {
    let mut text = base.to_owned();
    for (old, new) in replacements {
        assert!(text.contains(old), "the program holds {old:?}");
        text = text.replacen(old, new, 1);
    }
    text
}

/// [`GOOD`] with each pair's first text replaced by its second.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn good_with(replacements: &[(&str, &str)]) -> String {
    with(GOOD, replacements)
}
