//! Breaks of the programs that move blocks of matrices.

use super::Break;
use super::Where::{At, Here};

pub(super) const BTS: &[Break] = &[
    ("typo in the port of an arc", r#""Row[i].rest -> Mult[i].a""#, r#""Row[i].rset -> Mult[i].a""#, Here),
    ("index missing at a port family", "-> Check.residual[i]", "-> Check.residual", Here),
    ("guard over an unknown name", "if count == i\"]", "if counts == i\"]", Here),
    (
        "missing arc",
        "  \"Row[i].diag -> Solve.diag[i]\",\n",
        "",
        At(&["diag <- block(strip", r#"out   = { diag = "matrix""#, r#""diag[j]" = "matrix" }"#]),
    ),
    ("typo in a name of a body", "acc -= block(strip, 0, col0,", "acc -= block(stirp, 0, col0,", Here),
    ("too few arguments", "solve_lower(d, seg)", "solve_lower(d)", Here),
    ("undeclared parameter", "for k in 0..parts if count == 1", "for k in 0..n_parts if count == 1", Here),
    (
        "missing `start`",
        "start = true  # executes once, without input, when the program starts\n",
        "",
        At(&["[graph.bts]", "[graph.bts.uc.Dist]"]),
    ),
    (
        "a type by another language's name",
        r#"in    = { a = "matrix", b = "vector", x = "vector" }"#,
        r#"in    = { a = "Matrix", b = "vector", x = "vector" }"#,
        Here,
    ),
    (
        "missing end of a body",
        "x.append(seg);\n'''\n",
        "x.append(seg);\n",
        At(&["x.append(seg);", "route = [\"x[i] <- x for i in 0..n if count == n\"]"]),
    ),
];

pub(super) const IMAGE: &[Break] = &[
    ("typo in the node of an arc", "-> Edges[i, j].tile\"", "-> Edgs[i, j].tile\"", Here),
    (
        "one index number too few",
        r#""Cut.tile[i, j] -> Blur[i, j].tile""#,
        r#""Cut.tile[i, j] -> Blur[i].tile""#,
        Here,
    ),
    ("index variable that the left side does not bind", "-> Join.tile[i, j]", "-> Join.tile[i, k]", Here),
    (
        "missing arc",
        "  \"Join.picture -> Show.picture\",\n",
        "",
        At(&[
            "picture <- picture",
            r#"out  = { picture = "real[][]" }"#,
            r#"in   = { picture = "real[][]" }"#,
        ]),
    ),
    (
        "unknown function",
        "let in_x = block(down, 0, 2, m, k)",
        "let in_x = submatrix(down, 0, 2, m, k)",
        Here,
    ),
    (
        "missing brace",
        "if line != \"\" && !line.starts_with(\"#\") { fields += line.split(); }",
        "if line != \"\" && !line.starts_with(\"#\") { fields += line.split();",
        Here,
    ),
    (
        "name of the firing rule is not the one of the body",
        "fire = [\"picture -> picture\"]",
        "fire = [\"picture -> pic\"]",
        Here,
    ),
    ("typo in the key of the route", "route = [\"tile <- blurred\"]", "routes = [\"tile <- blurred\"]", Here),
    (
        "arrow in the wrong direction",
        "route = [\"tile <- steepness\"]",
        "route = [\"tile -> steepness\"]",
        Here,
    ),
    (
        "index names without brackets",
        "doc   = \"A pixel becomes a mean of 3 x 3 pixels, the nearer the weightier. Whole tiles are shifted and added.\"\nindex = [\"i\", \"j\"]",
        "doc   = \"A pixel becomes a mean of 3 x 3 pixels, the nearer the weightier. Whole tiles are shifted and added.\"\nindex = \"i, j\"",
        Here,
    ),
];

pub(super) const MATMUL: &[Break] = &[
    ("typo in the port of an arc", r#""Mult[i, j].down ->"#, r#""Mult[i, j].dwon ->"#, Here),
    ("wrong number of index numbers", "-> Mult[i, 0].a", "-> Mult[i].a", Here),
    ("index that is no expression", "-> Mult[i, j + 1].a", "-> Mult[i, j +].a", Here),
    (
        "missing quote in front of an arc",
        "  \"Mult[i, j].c -> Gather.c[i, j]\",",
        "  Mult[i, j].c -> Gather.c[i, j]\",",
        Here,
    ),
    (
        "missing arc",
        "  \"Feed.b[j] -> Mult[0, j].b\",             # column j of blocks of B\n",
        "",
        At(&[
            "b[j] <- b_blocks[k][j]",
            r#"out   = { "a[i]" = "matrix", "b[j]" = "matrix" }"#,
            r#"in    = { a = "matrix", b = "matrix" }"#,
        ]),
    ),
    ("`=` instead of `==`", "if count == 1 { c = product; }", "if count = 1 { c = product; }", Here),
    ("typo in a value that is sent", "\"down <- b_block if", "\"down <- b_blok if", Here),
    (
        "missing guard, so that values are sent beyond the last column",
        "right <- a_block if j + 1 < n",
        "right <- a_block",
        Here,
    ),
    ("the same name twice", "vars  = { c = \"matrix\" }", "vars  = { c = \"matrix\", i = \"int\" }", Here),
    (
        "missing loop for an index",
        "c[i, j] -> blocks[i, j] for i in 0..n for j in 0..n",
        "c[i, j] -> blocks[i, j] for i in 0..n",
        Here,
    ),
];
