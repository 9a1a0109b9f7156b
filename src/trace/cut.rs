//! `hasse trace cut`: the record of a part of a run, which is replayed without the rest.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use hasse::holes::{Cut, CutError};
use hasse_model::quantity::counted;

use crate::ending::Ending;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::ground::{self, Subject};
use crate::linked::Linked;
use crate::whole_file::WholeFile;
use crate::{message, overwrite};

/// Write the record of a part of a run, with all that came into it from outside
///
/// The run is replayed for the values that came into the part. A replay of the new record executes the part alone: it needs
/// neither the rest of the run, nor its input files, nor code in Rust outside of the part.
#[derive(clap::Args)]
pub(super) struct CutArgs {
    /// The trace: a full, minimal or perf record
    trace: PathBuf,
    /// Keep these graph instances or actions; may be given several times. A path such as '/Part[2]', a node or a call such as
    /// 'Mult' or 'Graph.Mult', or the name of a graph for all of its instances
    #[arg(long, value_name = "SELECTOR", required = true)]
    keep: Vec<String>,
    /// The file to write; it appears when it is complete
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    grants: Grants,
}

/// Cuts a trace.
pub(super) fn cut(args: &CutArgs, linked: &Linked) -> Result<Ending, Fault> {
    overwrite::refuse_same_file(&args.output, &args.trace, "the trace that is cut")?;
    let linked = &linked.trusting(args.grants.trusts());
    let subject = Subject::read(&args.trace, linked)?;
    let stop = ground::interruptible();
    let cut = subject.ask(&args.threads, &stop, |ground| {
        Cut::new(ground, &args.keep).map_err(|error| match error {
            CutError::Selector(error) => Fault::Selector(error),
            CutError::Event(error) => error.into(),
            source => Fault::Cut { path: args.trace.clone(), source: Box::new(source) },
        })
    })?;
    let cannot_write = |source| Fault::Write { path: args.output.clone(), source };
    let file = WholeFile::create(&args.output).map_err(cannot_write)?;
    let mut out = BufWriter::new(file.file().try_clone().map_err(cannot_write)?);
    cut.write(&mut out).and_then(|()| out.flush()).map_err(cannot_write)?;
    drop(out);
    file.keep().map_err(cannot_write)?;
    let n_senders = cut.n_senders();
    message::print(&format!(
        "{} kept; {} outside as senders\n",
        counted(cut.n_kept(), "event"),
        counted(n_senders, "event")
    ));
    Ok(Ending::Fine)
}
