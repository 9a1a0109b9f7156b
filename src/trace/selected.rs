//! What is shown of a trace: everything, or what is selected.

use std::path::Path;

use hasse_debugger::facility::{OptionOf, Restriction};
use hasse_debugger::restrict::Restrictor;
use hasse_model::record_options::NamedOptions;
use hasse_model::trace::TraceHeader;

use crate::fault::Fault;
use crate::linked::Linked;
use crate::program::{self, Program};
use crate::record::Selection;

/// The restriction to what is selected; `None` where nothing is, so that everything is shown.
pub(super) fn restriction(
    trace: &Path,
    header: &TraceHeader,
    selection: &Selection,
    linked: &Linked,
) -> Result<Option<Restriction<'static>>, Fault> {
    if selection.is_empty() {
        return Ok(None);
    }
    let program = Program::recorded(header, linked);
    let compiled = program.compile_recorded();
    let Some(plan) = program::sound_plan(&compiled) else {
        return Err(Fault::RecordedProgram { path: trace.to_owned() });
    };
    let mut named = NamedOptions::new(selection.resolve(plan)?);
    let option_of: OptionOf<'static> = Box::new(move |action, names| named.action(action, names));
    Ok(Some(Restrictor::new(header.mode, option_of)))
}
