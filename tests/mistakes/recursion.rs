//! Breaks of the programs that call graphs.

use super::Break;
use super::Where::{At, Here};

pub(super) const DANDC: &[Break] = &[
    ("typo in the port of a call", "-> Receiver.result[t]", "-> Receiver.reslut[t]", Here),
    (
        "typo in the graph of a call",
        "graph = \"Solve\"\nindex = [\"k\"]",
        "graph = \"Slove\"\nindex = [\"k\"]",
        Here,
    ),
    (
        "missing argument of a call",
        "args  = { degree = \"degree\", depth = \"depth - 1\" }",
        "args  = { degree = \"degree\" }",
        Here,
    ),
    ("undeclared parameter", "depth = \"depth - 1\" }", "depth = \"level - 1\" }", Here),
    ("unknown name in an interface", "\"in.task -> Split.task\"", "\"in.tasks -> Split.task\"", Here),
    (
        "missing arc",
        "  \"Split.n_parts -> Join.n_parts\",\n",
        "",
        At(&[
            "n_parts <- n_parts, part[k]",
            r#""part[k]" = "int[]", n_parts = "int" }"#,
            r#"in   = { n_parts = "int""#,
        ]),
    ),
    ("typo in a name of a body", "let n_columns = end - first;", "let n_columns = end - frist;", Here),
    (
        "too many arguments of an own function",
        "let result = ways(task[0], task.extract(3), task[1], task[2]);",
        "let result = ways(task[0], task.extract(3), task[1], task[2], 0);",
        Here,
    ),
    (
        "typo in a guard",
        "whole <- [n, first, end] + placed if !is_split",
        "whole <- [n, first, end] + placed if is_splt",
        Here,
    ),
    (
        "missing bracket behind the arcs",
        "  \"Solve[t].result -> Receiver.result[t]\",\n]\n",
        "  \"Solve[t].result -> Receiver.result[t]\",\n",
        At(&["-> Receiver.result[t]", "Generator.task[t] -> Solve[t].task"]),
    ),
];

pub(super) const QUICKSORT: &[Break] = &[
    ("typo in the port of a call", "\"Read.list -> Sort.list\"", "\"Read.list -> Sort.lst\"", Here),
    (
        "argument that the graph does not have",
        "graph = \"Sort\"\nargs  = { small = \"small\" }",
        "graph = \"Sort\"\nargs  = { smal = \"small\" }",
        Here,
    ),
    ("call without index", "\"Part[side].sorted -> Join", "\"Part.sorted -> Join", Here),
    ("`in` and `out` mixed up", "\"Join.sorted -> out.sorted\"", "\"Join.sorted -> in.sorted\"", Here),
    (
        "missing arc",
        "  \"Split.equal -> Join.equal\",\n",
        "",
        At(&[
            "part[0] <- below, equal <- equal",
            r#"out  = { sorted = "int[]", "part[side]" = "int[]", equal = "int[]" }"#,
            r#"in    = { "part[side]" = "int[]", equal = "int[]" }"#,
        ]),
    ),
    (
        "a key without value",
        "[graph.quicksort.call.Sort]\ngraph = \"Sort\"",
        "[graph.quicksort.call.Sort]\ngraph =",
        Here,
    ),
    ("one `for` too few", "for side in 0..2, equal -> equal", "equal -> equal", Here),
    ("missing semicolon", "let below = [];", "let below = []", Here),
    ("unknown name in a guard", "\"sorted <- list if is_small\"", "\"sorted <- list if small_enough\"", Here),
    ("a wrong type of a port", "out   = { list = \"int[]\" }", "out   = { list = \"string[]\" }", Here),
];

pub(super) const NBODY: &[Break] = &[
    ("typo in the port of an arc", "\"Read.names -> Report.names\"", "\"Read.nmaes -> Report.names\"", Here),
    ("index missing at an instance", "\"Force[w].pulls ->", "\"Force.pulls ->", Here),
    (
        "missing arc",
        "  \"Read.all -> Share.stars\",\n",
        "",
        At(&[
            "\"stars <- stars, all <- stars\"",
            "out   = { stars = \"matrix\", all",
            "in   = { tree = \"matrix\", stars = \"matrix\" }",
        ]),
    ),
    (
        "missing argument of a call",
        "args  = { depth = \"0\" }\n",
        "",
        At(&["[graph.nbody.call.Cell]", "[graph.nbody]"]),
    ),
    ("typo in a name of a body", "let octant = 0;", "let octnat = 0;", Here),
    ("unknown function", "(distance * distance * distance);", "power(distance, 3);", Here),
    (
        "typo in the key of the ports",
        "out   = { pulls = \"real[][]\" }",
        "outs  = { pulls = \"real[][]\" }",
        Here,
    ),
    (
        "a real in place of a matrix",
        "\"tree <- matrix(nodes) if rule == 1\"",
        "\"tree <- 1.0 if rule == 1\"",
        Here,
    ),
    (
        "missing brace",
        "if farthest > reach { reach = farthest; }",
        "if farthest > reach { reach = farthest;",
        Here,
    ),
    ("missing quote", "graph = \"Cell\"\nindex", "graph = \"Cell\nindex", Here),
];
