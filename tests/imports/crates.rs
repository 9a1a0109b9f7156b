//! Crates depend on each other one way, as ARCHITECTURE.md says: nouns first, then verbs, which do not know each other.

use std::fmt::Write as _;

use crate::workspace;

/// For each crate, the crates of the workspace that it may depend on. Tests and benchmarks may use any.
const ALLOWED: &[(&str, &[&str])] = &[
    ("hasse-model", &[]),
    ("hasse-compiler", &["hasse-model"]),
    ("hasse-debugger", &["hasse-model"]),
    ("hasse-routine", &["hasse-model"]),
    ("hasse-body", &["hasse-model", "hasse-routine"]),
    ("hasse-brief", &[]),
    ("hasse-code", &["hasse-body", "hasse-model", "hasse-routine"]),
    ("hasse-breakpoint", &["hasse-body", "hasse-model"]),
    ("hasse-request", &["hasse-body", "hasse-breakpoint", "hasse-code", "hasse-model"]),
    ("hasse-waiting", &["hasse-code", "hasse-model", "hasse-request"]),
    ("hasse-expansion", &["hasse-body", "hasse-code", "hasse-model", "hasse-request"]),
    ("hasse-runtime-plan", &["hasse-body", "hasse-code", "hasse-model", "hasse-request", "hasse-routine"]),
    (
        "hasse-record",
        &["hasse-body", "hasse-brief", "hasse-code", "hasse-model", "hasse-request", "hasse-runtime-plan"],
    ),
    ("hasse-lock", &["hasse-brief", "hasse-model", "hasse-record"]),
    ("hasse-schedule", &["hasse-body", "hasse-model", "hasse-request"]),
    (
        "hasse-store",
        &[
            "hasse-body",
            "hasse-brief",
            "hasse-code",
            "hasse-lock",
            "hasse-model",
            "hasse-record",
            "hasse-request",
            "hasse-runtime-plan",
        ],
    ),
    (
        "hasse-runtime",
        &[
            "hasse-body",
            "hasse-breakpoint",
            "hasse-brief",
            "hasse-code",
            "hasse-expansion",
            "hasse-lock",
            "hasse-model",
            "hasse-record",
            "hasse-request",
            "hasse-routine",
            "hasse-runtime-plan",
            "hasse-schedule",
            "hasse-store",
            "hasse-waiting",
        ],
    ),
    ("hasse-guest", &["hasse-model", "hasse-runtime"]),
    ("hasse-editor", &["hasse-body", "hasse-compiler", "hasse-debugger", "hasse-model", "hasse-runtime"]),
    ("hasse-ui", &[]),
    ("hasse-window", &["hasse-compiler", "hasse-editor", "hasse-model", "hasse-runtime", "hasse-ui"]),
    (
        "hasse",
        &[
            "hasse-body",
            "hasse-compiler",
            "hasse-debugger",
            "hasse-editor",
            "hasse-guest",
            "hasse-model",
            "hasse-runtime",
            "hasse-window",
        ],
    ),
    ("hasse-example-native", &["hasse"]),
    ("hasse-bench", &[]),
];

#[test]
fn crates_depend_one_way() {
    let mut wrong = String::new();
    for (name, dependencies) in workspace::dependencies() {
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            writeln!(wrong, "{name} is no crate that the table in tests/imports/crates.rs knows").unwrap();
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| !allowed.contains(&dependency.as_str())) {
            writeln!(wrong, "{name} depends on {dependency}: see ARCHITECTURE.md").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
