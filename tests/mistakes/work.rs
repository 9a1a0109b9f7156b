//! Breaks of the programs that hand out work.

use super::Break;
use super::Where::{At, Here};

pub(super) const FARM: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Link[p].own -> Compute[p].task\"",
        "\"Link[p].onw -> Compute[p].task\"",
        Here,
    ),
    (
        "typo in the node of an arc",
        "\"Up[p].received -> Receiver.result\"",
        "\"Up[p].received -> Reciever.result\"",
        Here,
    ),
    (
        "variable for an index that nothing binds",
        "\"Generator.task -> Link[0].task\"",
        "\"Generator.task -> Link[p].task\"",
        Here,
    ),
    (
        "missing arc",
        "  \"Compute[p].ready -> Link[p].want\",\n",
        "",
        At(&["\"ready <- p\"", "out   = { ready = \"int\""]),
    ),
    ("typo in a name of a body", "shares[result[1]] += 1;", "share[result[1]] += 1;", Here),
    ("missing parenthesis", "let next_x = x * x - y * y + x0;", "let next_x = (x * x - y * y + x0;", Here),
    ("undeclared parameter", "for t in 0..total_tasks\"", "for t in 0..n_tasks\"", Here),
    ("unknown type", "vars = { results = \"int[][]\" }", "vars = { results = \"list\" }", Here),
    (
        "loop variable that the rule does not bind",
        "\"open[p] <- p for p in 1..=processors\"",
        "\"open[p] <- p for q in 1..=processors\"",
        Here,
    ),
    ("missing value", "columns = \"int = 64\" }", "columns = }", Here),
];

pub(super) const TRAPEZOID: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Foreman.area -> Report.farm\"",
        "\"Foreman.area -> Report.fram\"",
        Here,
    ),
    (
        "one index number too few",
        "\"Open.whole -> Half[0, 0].interval\"",
        "\"Open.whole -> Half[0].interval\"",
        Here,
    ),
    ("typo in an index", "-> Half[d + 1, 2 * k + 1].interval", "-> Half[d + 1, 2 * K + 1].interval", Here),
    (
        "missing arc",
        "  \"Half[d, k].total -> Report.adaptive\",\n",
        "",
        At(&["\"total <- found if is_done", "total = \"real[]\" }", "adaptive = \"real[]\" }"]),
    ),
    (
        "missing index",
        "index = [\"d\", \"k\"]  # the k-th of 2^d intervals of this depth\n",
        "",
        At(&["[graph.trapezoid.uc.Half]", "\"Open.whole -> Half[0, 0].interval\""]),
    ),
    ("typo in a name of a body", "middle = (from + to) / 2.0;", "midle = (from + to) / 2.0;", Here),
    (
        "a truth value where a real is declared",
        "\"area <- found if is_done && d > 0\"",
        "\"area <- true if is_done && d > 0\"",
        Here,
    ),
    ("typo in `route`", "route = [\"area <- area\"]", "rout = [\"area <- area\"]", Here),
    ("too many arguments", "found = [two, 2.0];", "found = [two, f(2.0, 1.0)];", Here),
    (
        "guard over a queued value",
        "  \"interval -> interval\",",
        "  \"interval -> interval if interval[0] >= 0.0\",",
        Here,
    ),
];

pub(super) const WORDCOUNT: &[Break] = &[
    (
        "typo in the port of an arc",
        "\"Reduce[r].words -> Rank.words[r]\"",
        "\"Reduce[r].words -> Rank.word[r]\"",
        Here,
    ),
    ("element missing at a port family", "\"Map[f].words[r] -> Reduce", "\"Map[f].words -> Reduce", Here),
    ("indices mixed up", "\"List.path[f] -> Map[f].path\"", "\"List.path[f] -> Map[r].path\"", Here),
    (
        "missing arc",
        "  \"Reduce[r].counts -> Rank.counts[r]\",\n",
        "",
        At(&[
            "counts <- total.values() if",
            "out   = { words = \"string[]\", counts",
            "in   = { \"words[r]\" = \"string[]\", \"counts[r]\" = \"int[]\" }",
        ]),
    ),
    (
        "typo in a name of a body",
        "for rank in ranks.extract(0, top)",
        "for rank in rank.extract(0, top)",
        Here,
    ),
    ("a word in place of a guard", "\"n_files -> n if n == 0\"", "\"n_files -> n when n == 0\"", Here),
    ("guard that is no truth value", "\"n_files -> n if n == 0\"", "\"n_files -> n if n\"", Here),
    ("missing quote behind a type", "vars  = { n = \"int\" }", "vars  = { n = \"int }", Here),
    ("a var of another type than the port", "vars  = { n = \"int\" }", "vars  = { n = \"string\" }", Here),
    ("unknown method", "let paths = files.split();", "let paths = files.tokens();", Here),
];
