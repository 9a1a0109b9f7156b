//! A small interpreter for the tests of all families.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rhai::packages::{Package, StandardPackage};
use rhai::{Dynamic, Engine};

use crate::effects::{EffectSource, EventContext, SharedContext};

/// An interpreter with all native functions, and its context, which records.
pub(super) fn engine_in(folder: &Path) -> (Engine, SharedContext) {
    let context = Arc::new(Mutex::new(EventContext::new(folder)));
    context.lock().begin(EffectSource::WorldRecorded, 7);
    let mut engine = Engine::new_raw();
    engine.register_global_module(StandardPackage::new().as_shared_module());
    super::register(&mut engine, &context);
    (engine, context)
}

/// Checks what a script gives, as text.
#[track_caller]
pub(super) fn check(script: &str, expected: &str) {
    let (engine, _) = engine_in(Path::new(""));
    let answer = engine.eval::<Dynamic>(&format!("let answer = {{ {script} }}; answer.to_string()"));
    assert_eq!(
        answer.map(|text| text.to_string()).map_err(|error| error.to_string()),
        Ok(expected.to_owned())
    );
}

/// Checks that a script fails with a message that contains `expected`.
#[track_caller]
pub(super) fn check_error(script: &str, expected: &str) {
    let (engine, _) = engine_in(Path::new(""));
    match engine.eval::<Dynamic>(script) {
        Ok(answer) => panic!("{script} gives {answer}"),
        Err(error) => assert!(error.to_string().contains(expected), "{error}"),
    }
}
