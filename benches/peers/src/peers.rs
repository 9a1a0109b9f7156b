//! The workloads of Hasse and of its peers, side by side, in turn.
//!
//! `cargo bench -p hasse-bench --bench peers` prints the tables; with `-- --write-docs` it writes them, and the plot, into the book.
//! Every run computes something that is known: one that computes something else is no run.

/// What is held against what.
mod bars;
/// The machine.
mod facts;
/// Hasse.
mod ours;
/// The plot.
mod plot;
/// Rounds of runs.
mod race;
/// The tables.
mod report;
/// Peers in Rust.
mod rust;
/// Runs and their spread.
mod sample;
/// The system of the solver, and its kernels.
mod solver;
/// oneTBB.
mod tbb;
/// What is computed.
mod workload;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use race::{Conditions, Race, race};
use sample::BenchError;
use tbb::Tbb;
use workload::Workload;

/// The allocator of the command `hasse`.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Run workloads on Hasse and on its peers, in turn
#[derive(Parser)]
struct Args {
    /// Fewer and smaller runs, to see that everything works
    #[arg(long)]
    quick: bool,
    /// These workloads alone
    #[arg(long, value_name = "WORKLOAD", value_enum, value_delimiter = ',')]
    only: Vec<Workload>,
    /// Rounds: each contestant runs once in each [default: 5, or 2 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Write the tables into `performance.md` and the plot as `performance.svg` below this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write them into `docs/performance.md` and `docs/images/performance.svg`
    #[arg(long, conflicts_with = "out")]
    write_docs: bool,
    /// What cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: some runs failed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all runs were as they must be.
fn run(args: &Args) -> Result<bool, BenchError> {
    let tbb = Tbb::build(Path::new(env!("CARGO_TARGET_TMPDIR")));
    if let Err(reason) = &tbb {
        eprintln!("oneTBB is left out: {reason}");
    }
    let records = tempfile::tempdir().map_err(BenchError::io("a folder for records"))?;
    let n_rounds = args.runs.map_or(if args.quick { 2 } else { 5 }, usize::from);
    let conditions = Conditions { n_rounds, is_quick: args.quick, folder: records.path(), tbb: &tbb };
    let is_wanted = |workload: &Workload| args.only.is_empty() || args.only.contains(workload);
    let mut races: Vec<Race> = Vec::new();
    for workload in Workload::ALL.into_iter().filter(is_wanted) {
        races.push(race(workload, &conditions, |nth| eprintln!("{}: round {nth}", workload.name()))?);
    }
    let facts = facts::facts(&tbb.as_ref().map(|tbb| tbb.version.clone()).map_err(Clone::clone));
    let report = report::markdown(&races, &facts, n_rounds);
    println!("{report}");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    if args.write_docs {
        write(&docs.join("performance.md"), &docs.join("images/performance.svg"), &report, &races)?;
    } else if let Some(folder) = &args.out {
        write(&folder.join("performance.md"), &folder.join("performance.svg"), &report, &races)?;
    }
    let has_failed = |race: &Race| race.lines.iter().any(|line| line.has_failed);
    Ok(!races.iter().any(has_failed))
}

fn write(table: &Path, plot: &Path, report: &str, races: &[Race]) -> Result<(), BenchError> {
    for folder in [table.parent(), plot.parent()].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(BenchError::io(folder.display().to_string()))?;
    }
    report::write_into(table, report)?;
    if let Some(svg) = plot::svg(races) {
        fs::write(plot, svg).map_err(BenchError::io(plot.display().to_string()))?;
    }
    Ok(())
}
