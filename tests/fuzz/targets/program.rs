//! Program text of any bytes: a plan or diagnostics, never a panic.

#![no_main]

use std::sync::LazyLock;

use hasse_model::diagnostic::Severity;
use hasse_model::function::FunctionTable;
use libfuzzer_sys::fuzz_target;

static FUNCTIONS: LazyLock<FunctionTable> = LazyLock::new(hasse_runtime::body::functions);

fuzz_target!(|bytes: &[u8]| {
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
});
