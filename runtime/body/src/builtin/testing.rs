//! A small interpreter for the tests of all families.

use std::path::Path;
use std::sync::Arc;

use rhai::{Dynamic, Engine};

use crate::effects::{EffectSource, EventContext, SharedContext};
use crate::interrupt::StopSignal;
use crate::sandbox::{Outside, Sandbox};
use crate::script;

/// An interpreter as workers have it, and its context, which records. The folder may be read and
/// written.
pub(crate) fn engine_in(folder: &Path) -> (Engine, SharedContext) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let sandbox = Sandbox {
        write_roots: vec![folder.to_owned()],
        env_names: vec!["HASSE_NOT_SET".to_owned()],
        net_addresses: vec!["127.0.0.1".to_owned()],
        programs: ["cat", "tr", "true"].map(str::to_owned).to_vec(),
        ..Sandbox::default()
    };
    sandbox.params.set("{}");
    let context = SharedContext::new(EventContext::new(Arc::new(Outside::new(folder, &sandbox))));
    context.lock().begin(EffectSource::WorldRecorded, 7);
    let engine = script::engine(&context, &StopSignal::default(), &Default::default());
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
