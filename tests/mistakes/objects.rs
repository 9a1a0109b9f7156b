//! Breaks of the programs with shared objects.

use super::Break;
use super::Where::{At, Here};

pub(super) const BANK: &[Break] = &[
    ("typo in the port of an arc", r#""Queue[t].next ->"#, r#""Queue[t].nxet ->"#, Here),
    ("typo in the node of an arc", "-> Teller[t].order", "-> Tellar[t].order", Here),
    (
        "missing arc",
        "  \"Teller[t].done -> Auditor.done\",   # merged in arrival order\n",
        "",
        At(&["done <- funds_suffice", r#"out    = { done = "bool" }"#, r#"in     = { done = "bool" }"#]),
    ),
    ("typo in a name of a body", "ledger.push(t);", "leger.push(t);", Here),
    (
        "missing share line",
        "  \"ledger -- Teller[t].ledger\",\n",
        "",
        At(&[r#"shared = { balances = "write", ledger = "write" }"#]),
    ),
    ("missing semicolon", "let amount = order[2];", "let amount = order[2]", Here),
    ("arc without the index of the node", r#""Teller[t].done ->"#, r#""Teller.done ->"#, Here),
    (
        "a writer declares to be a reader",
        r#"shared = { balances = "write", ledger = "write" }"#,
        r#"shared = { balances = "read", ledger = "write" }"#,
        Here,
    ),
    ("missing quote", "\"Auditor.closing -> Report.closing\"", "\"Auditor.closing -> Report.closing", Here),
    (
        "a type by another language's name",
        r#"vars   = { carried_out = "int = 0" }"#,
        r#"vars   = { carried_out = "integer = 0" }"#,
        Here,
    ),
];

pub(super) const BUFFER: &[Break] = &[
    (
        "typo in the port of an arc",
        r#""Take.spoiled -> Count.spoiled""#,
        r#""Take.spoiled -> Count.spolied""#,
        Here,
    ),
    (
        "arc in the wrong direction",
        r#""Count.counted -> Report.counted""#,
        r#""Report.counted -> Count.counted""#,
        Here,
    ),
    ("missing `start`", "start  = true\n", "", At(&["[graph.buffer.uc.Open]", "[graph.buffer]"])),
    ("`=` instead of `==`", "let is_spoiled = item % 7 == 0;", "let is_spoiled = item % 7 = 0;", Here),
    (
        "missing arc to a port that no other arc feeds",
        "  \"Store.used -> Take.used\",\n",
        "",
        At(&[
            r#""used <- place""#,
            r#"out    = { used = "int""#,
            r#"in     = { ask = "int", used = "int" }"#,
        ]),
    ),
    ("typo in a key", "fire   = [\"counted -> counted\"]", "fires  = [\"counted -> counted\"]", Here),
    ("wrong access", r#"shared = { highest = "read" }"#, r#"shared = { highest = "readonly" }"#, Here),
    ("guard over an unknown name", "if !is_spoiled\"", "if !is_bad\"", Here),
    ("binding missing in a firing rule", "\"item -> item, free -> place\"", "\"item -> item\"", Here),
    ("share line of an unknown object", r#""level -- Take.level""#, r#""levels -- Take.level""#, Here),
];

pub(super) const LOSTUPDATE: &[Break] = &[
    ("typo in the node of an arc", r#""Open.go[t] ->"#, r#""Opne.go[t] ->"#, Here),
    ("index missing at a port family", "-> Close.done[t]", "-> Close.done", Here),
    (
        "a word that is not known for access",
        r#"shared = { balance = "write" }"#,
        r#"shared = { balance = "rw" }"#,
        Here,
    ),
    ("a reader assigns", "let expected = 0;", "balance = 0; let expected = 0;", Here),
    (
        "missing firing rule",
        "fire   = [\"go -> turn\"]\n",
        "",
        At(&["[graph.lostupdate.uc.Teller]", r#"in     = { go = "bool" }"#]),
    ),
    ("undeclared parameter", "count == deposits\"", "count == n_deposits\"", Here),
    (
        "missing share line",
        "  \"balance -- Close.balance\",\n",
        "",
        At(&[r#"shared = { balance = "read" }"#]),
    ),
    (
        "a port with the wrong type",
        r#"out    = { again = "bool", done = "int" }"#,
        r#"out    = { again = "bool", done = "bool" }"#,
        Here,
    ),
    (
        "missing bracket behind the shares",
        "  \"balance -- Close.balance\",\n]\n",
        "  \"balance -- Close.balance\",\n",
        At(&["share = [", "balance -- Close.balance"]),
    ),
    ("unknown function", "print(`${expected}", "println(`${expected}", Here),
];
