//! `hasse completions`: a script that teaches a shell the command line.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::command::Cli;
use crate::ending::Ending;
use crate::fault::Fault;
use crate::out::Out;

/// Print the completions of a shell, to be put where that shell looks for them
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the completions.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hasse", &mut script);
    let mut out = Out::new();
    out.write_all(&script).and_then(|()| out.close()).map_err(Fault::Stdout)?;
    Ok(Ending::Fine)
}
