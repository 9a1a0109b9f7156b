//! `hasse schema`: the JSON schema of program files, for editors.

use std::io::Write;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;

const SCHEMA: &str = include_str!("../docs/hasse.schema.json");

/// Print the JSON schema of program files, by which editors complete and check them
#[derive(clap::Args)]
pub(crate) struct SchemaArgs {}

/// Prints the schema.
pub(crate) fn schema(_: &SchemaArgs) -> Result<Ending, Fault> {
    let mut out = Out::new();
    out.write_all(SCHEMA.as_bytes()).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}
