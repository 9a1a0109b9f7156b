//! Program text of any bytes: a plan or diagnostics, never a panic; formatting twice is formatting once.

#![no_main]

use std::panic;
use std::sync::LazyLock;

use hasse_model::diagnostic::Severity;
use hasse_model::function::FunctionTable;
use libfuzzer_sys::fuzz_target;

/// A few functions of each kind: those of the runtime would bring its libraries into the build.
static FUNCTIONS: LazyLock<FunctionTable> = LazyLock::new(|| {
    let mut functions = FunctionTable::default();
    for (name, arity, in_body_only) in [
        ("print", 1, true),
        ("result", 2, true),
        ("len", 1, false),
        ("vector", 1, false),
        ("slice", 3, false),
    ] {
        functions.add(name, arity, in_body_only);
    }
    functions
});

fuzz_target!(
    // The fuzzer aborts in a panic's hook. The compiler catches panics of Rhai's parser, and those
    // that nobody catches abort all the same.
    init: drop(panic::take_hook()),
    |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let compiled = hasse_compiler::compile(text, &FUNCTIONS);
        for found in &compiled.diagnostics {
            for label in &found.labels {
                let (start, end) = (label.at.start as usize, label.at.end as usize);
                assert!(text.get(start..end).is_some(), "{found} points outside of the text");
            }
        }
        let has_error = compiled.diagnostics.iter().any(|found| found.severity == Severity::Error);
        assert!(has_error || compiled.plan.is_some(), "without an error there is a plan");
        assert!(hasse_compiler::changes(text, text).is_empty(), "a text means what it means");
        if let Ok(formatted) = hasse_compiler::format(text) {
            assert_eq!(hasse_compiler::format(&formatted), Ok(formatted.clone()), "formatting is idempotent");
        }
        let _ = hasse_compiler::outline(text);
    }
);
