//! Breaks of the programs on grids.

use super::Break;
use super::Where::{At, Here};

pub(super) const JACOBI: &[Break] = &[
    ("typo in the port of an arc", "-> Block[i, j + 1].halo[2]", "-> Block[i, j + 1].hallo[2]", Here),
    ("element missing at a port family", "-> Block[i - 1, j].halo[1]", "-> Block[i - 1, j].halo", Here),
    (
        "typo in the node of an arc",
        "\"Judge.rounds -> Gather.rounds\"",
        "\"Judge.rounds -> Gathr.rounds\"",
        Here,
    ),
    (
        "missing arc",
        "  \"Block[i, j].south -> Block[i + 1, j].halo[0]\",\n",
        "",
        At(&["south <- row(u, m - 1)", r#"out   = { north = "vector""#]),
    ),
    ("typo in a name of a body", "change = norm(new_u - u);", "change = norm(newu - u);", Here),
    ("a real for an integer", "\"rounds <- count - 1 if !goes_on\"", "\"rounds <- 0.5 if !goes_on\"", Here),
    (
        "unknown name in a guard",
        "\"north <- row(u, 0) if is_on && i > 0\"",
        "\"north <- row(u, 0) if is_on && row > 0\"",
        Here,
    ),
    (
        "missing comma behind an arc",
        "\"Block[i, j].u -> Gather.u[i, j]\",",
        "\"Block[i, j].u -> Gather.u[i, j]\"",
        Here,
    ),
    ("a default of another type", "size = \"int = 18\"", "size = \"int = 1.8\"", Here),
    ("no type of a parameter", "tolerance = \"real = 0.2\"", "tolerance = 0.2", Here),
];

pub(super) const REDBLACK: &[Break] = &[
    (
        "typo in the port of an arc",
        r#""Judge.sweeps -> Gather.sweeps""#,
        r#""Judge.sweep -> Gather.sweeps""#,
        Here,
    ),
    ("one index number too few", "\"Points[color, s].change -> Judge", "\"Points[s].change -> Judge", Here),
    (
        "index variable that the left side does not bind",
        "-> Gather.membrane[s]",
        "-> Gather.membrane[t]",
        Here,
    ),
    ("missing `start`", "start = true\n", "", At(&["[graph.redblack]", "[graph.redblack.uc.Judge]"])),
    (
        "typo in a name of `init`",
        "m = (s + 1) * size / strips - row0;",
        "m = (s + 1) * size / strip - row0;",
        Here,
    ),
    (
        "parameter of a type that does not exist",
        "tolerance = \"real = 0.00001\"",
        "tolerance = \"float = 0.00001\"",
        Here,
    ),
    ("missing `let`", "let largest = 0.0;", "largest = 0.0;", Here),
    (
        "missing parenthesis",
        "let step = omega * (sum / 4.0 - own.get(r, c));",
        "let step = omega * (sum / 4.0 - own.get(r, c);",
        Here,
    ),
    (
        "missing arc",
        "  \"Judge.on[s] -> Points[0, s].on\",  # red begins each sweep\n",
        "",
        At(&["on[s] <- goes_on", r#"out   = { "on[s]" = "bool""#, r#"on = "bool" }"#]),
    ),
    (
        "missing index of the bound name",
        "fire = [\"membrane[s] -> parts[s] for",
        "fire = [\"membrane[s] -> parts for",
        Here,
    ),
];

pub(super) const WAVEFRONT: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Read.left[i] -> Block[i, 0].left\"",
        "\"Read.left[i] -> Block[i, 0].leftt\"",
        Here,
    ),
    ("arc in the wrong direction", "\"Read.size -> Report.size\"", "\"Report.size -> Read.size\"", Here),
    ("one index number too many", "\"Block[i, j].distance ->", "\"Block[i, j, k].distance ->", Here),
    (
        "missing arc",
        "  \"Block[i, j].distance -> Report.distance\",\n",
        "",
        At(&[
            "distance <- line[cols.len]",
            r#"below = "int[]", distance = "int" }"#,
            r#"in   = { distance = "int", size"#,
        ]),
    ),
    ("name that the firing rule does not bind", "above -> above\"]", "above -> top\"]", Here),
    (
        "missing end of a text",
        "throw \"a block has one word at least\";",
        "throw \"a block has one word at least;",
        Here,
    ),
    (
        "assignment to an index",
        "let is_last_row = rows.len < size;",
        "i += 1; let is_last_row = rows.len < size;",
        Here,
    ),
    (
        "a parameter that is not declared",
        "{ parts.push(words.extract(from, size)); }",
        "{ parts.push(words.extract(from, bs)); }",
        Here,
    ),
    ("typo in the main graph", "main  = \"wavefront\"", "main  = \"wavefrnt\"", Here),
    (
        "the port of a routing rule is not one",
        "\"cols_on <- cols, below <- line if",
        "\"cols <- cols, below <- line if",
        Here,
    ),
];
