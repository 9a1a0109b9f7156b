//! `hasse trace digest`: what two records of one run share.

use std::io::Write;
use std::path::Path;

use hasse_debugger::read::lend_in_order;
use serde_json::json;

use crate::ahead::Ahead;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;
use crate::{out, recording};

/// Prints the digest of a trace's causally complete events.
pub(crate) fn digest(path: &Path, is_json: bool) -> Result<Ending, Fault> {
    let reader = recording::open_events(path)?;
    let header = reader.header().clone();
    let mut digester = hasse::digester(reader.header().mode);
    let summary = lend_in_order(Ahead::new(reader), |event, names| digester.add(event, names))
        .map_err(|error| Fault::of_trace(path, error))?;
    recording::print_notes(path, &summary);
    if is_json {
        let digest = digester.finish().to_string();
        let mode = header.mode.name();
        out::print_json(&json!({ "program": header.program_path, "mode": mode, "digest": digest }))?;
        return Ok(Ending::Fine);
    }
    let mut out = Out::new();
    writeln!(out, "{}", digester.finish()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}
