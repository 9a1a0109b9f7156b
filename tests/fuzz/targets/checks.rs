//! Any bytes as a command of the checker, as a file of models and as the path of an event: an error or something to check, in little time.

#![no_main]

use hasse_debugger::check::{command, model};
use hasse_debugger::event_path::EventPath;

libfuzzer_sys::fuzz_target!(
    // The fuzzer aborts in a panic's hook. Panics of Rhai's parser are caught; those that nobody catches abort all the same.
    init: drop(std::panic::take_hook()),
    |bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(command) = command::parse(text) {
        // The spelling that is shown can be read again and is shown the same.
        let again = command::parse(command.text()).map(|again| again.text().to_owned());
        assert_eq!(again.as_deref(), Ok(command.text()), "{text:?}");
    }
    let _ = model::parse(text);
    if let Ok(path) = EventPath::parse(text) {
        assert_eq!(EventPath::parse(&path.to_string()).as_ref(), Ok(&path), "{text:?}");
    }
    }
);
