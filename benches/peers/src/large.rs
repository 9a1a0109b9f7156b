//! Time for each byte of a large value, by the size of the value: of a vector that circulates and is written, of one that
//! circulates untouched, and of a new one in each event. Run by `cargo bench -p hasse-bench --bench large`; the command is
//! the one that `cargo build --release` has left, or that of the argument `--command PATH`, as the allocator is the command's.
//!
//! Beyond the caches of the processor a byte costs more, whoever writes it: the last row is a loop in Rust that fills two buffers
//! in turn, and the bar is for what is left of a ratio when it is divided by that of the loop.
//!
//! Each figure is the difference of two runs with different numbers of events, by the bytes of the events between them: neither
//! start nor end of a run counts. Figures are medians of rounds.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::Parser;
use sample::BenchError;

#[allow(dead_code, reason = "processes are timed")]
mod sample;

/// Sizes of values, in bytes.
const SIZES: [u64; 4] = [64 << 10, 1 << 20, 8 << 20, 64 << 20];
/// A byte of a large buffer costs at most this many times what one of a buffer of 1 MiB costs, beyond what the loop in Rust says.
const MOST_RATIO: f64 = 1.5;

/// A use of the values.
struct Kind {
    name: &'static str,
    /// Rule and body of the node `Work`, which has `n`, the number of entries.
    work: &'static str,
    /// Bytes of all events that are timed.
    n_bytes: u64,
    is_judged: bool,
}

const KINDS: [Kind; 5] = [
    Kind { name: "passed on", work: "route = ['y <- x']", n_bytes: 1 << 40, is_judged: false },
    Kind {
        name: "an entry of each page written",
        work: "do = 'let k = 0; while k < n { x[k] += 1.0; k += 512; }'\nroute = ['y <- x']",
        n_bytes: 32 << 30,
        is_judged: false,
    },
    Kind {
        name: "each entry written",
        work: "do = 'for k in 0..n { x[k] = 1.0; }'\nroute = ['y <- x']",
        n_bytes: 2 << 30,
        is_judged: true,
    },
    Kind {
        name: "made anew",
        work: "do = 'let v = vector(n, 1.0);'\nroute = ['y <- v']",
        n_bytes: 4 << 30,
        is_judged: true,
    },
    Kind {
        name: "made anew, the one before kept",
        work: "vars = { last = 'vector' }\ndo = 'let v = vector(n, 1.0); last = v;'\nroute = ['y <- v']",
        n_bytes: 4 << 30,
        is_judged: true,
    },
];

/// Measure the time for each byte of a large value
#[derive(Parser)]
struct Args {
    /// The command `hasse` [default: the one in the parent folder of this benchmark]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Flag that cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match measure(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table; false where a bar is missed.
fn measure(args: &Args) -> Result<bool, BenchError> {
    let command = args.command.clone().map_or_else(built_command, Ok)?;
    let folder = tempfile::tempdir().map_err(BenchError::io("a folder for programs"))?;
    let program = folder.path().join("large.hasse");
    println!("ns for each KiB of a value, one worker, no record; medians of {} rounds", args.rounds);
    println!("| | 64 KiB | 1 MiB | 8 MiB | 64 MiB | most to 1 MiB | beyond the loop |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let by_loop = SIZES.map(fill);
    let loop_ratio = most_ratio(&by_loop);
    let mut is_met = true;
    for kind in &KINDS {
        std::fs::write(&program, text(kind)).map_err(BenchError::io(program.display().to_string()))?;
        let mut row = Vec::new();
        for size in SIZES {
            let n_events = (kind.n_bytes / size).clamp(64, 200_000);
            let mut figures = Vec::new();
            for _ in 0..args.rounds {
                let (few, many) =
                    (run(&command, &program, size, 16)?, run(&command, &program, size, n_events)?);
                figures.push((many - few) / ((n_events - 16) as f64 * size as f64 / 1024.0));
            }
            figures.sort_by(f64::total_cmp);
            row.push(figures[figures.len() / 2]);
        }
        let ratio = most_ratio(&row);
        let beyond = ratio / loop_ratio;
        let verdict = match (kind.is_judged, beyond <= MOST_RATIO) {
            (false, _) => "",
            (true, true) => ", met",
            (true, false) => ", **missed**",
        };
        is_met &= !kind.is_judged || beyond <= MOST_RATIO;
        println!("| {} | {} | {ratio:.2} | {beyond:.2}{verdict} |", kind.name, cells(&row));
    }
    println!("| a loop in Rust | {} | {loop_ratio:.2} | |", cells(&by_loop));
    Ok(is_met)
}

fn cells(row: &[f64]) -> String {
    row.iter().map(|figure| format!("{figure:.3}")).collect::<Vec<_>>().join(" | ")
}

/// Cost of a byte of the large sizes, by that of 1 MiB.
fn most_ratio(row: &[f64]) -> f64 {
    row[2].max(row[3]) / row[1]
}

/// Nanoseconds for each KiB of two buffers that are filled in turn.
fn fill(size: u64) -> f64 {
    let n_entries = (size / 8) as usize;
    let mut buffers = [vec![0.0_f64; n_entries], vec![0.0_f64; n_entries]];
    let n_rounds = ((2 << 30) / size).max(4);
    let began = Instant::now();
    for round in 0..n_rounds {
        std::hint::black_box(&mut buffers[round as usize % 2]).fill(round as f64);
    }
    began.elapsed().as_nanos() as f64 / (n_rounds * size) as f64 * 1024.0
}

/// A program in which one value goes round.
fn text(kind: &Kind) -> String {
    format!(
        "hasse = 1\nmain = 'm'\n[graph.m]\nparams = {{ n = 'int = 8', size = 'int = 16' }}\n\
         arcs = ['Make.x -> Work.x', 'Work.y -> Back.x', 'Back.y -> Work.x', 'Back.s -> Stop.s']\n\
         [graph.m.uc.Make]\nout = {{ x = 'vector' }}\nstart = true\nroute = ['x <- vector(n, 0.0)']\n\
         [graph.m.uc.Work]\nin = {{ x = 'vector' }}\nout = {{ y = 'vector' }}\nfire = ['x -> x']\n{}\n\
         [graph.m.uc.Back]\nin = {{ x = 'vector' }}\nout = {{ y = 'vector', s = 'int' }}\nfire = ['x -> x']\n\
         route = ['y <- x if count < size', 's <- count if count == size']\n\
         [graph.m.uc.Stop]\nin = {{ s = 'int' }}\nstop = true\nfire = ['s -> s']\ndo = 'result(\"out\", s);'\n",
        kind.work
    )
}

/// Returns the nanoseconds that a process takes for a number of values of a size.
fn run(command: &Path, program: &Path, size: u64, n_events: u64) -> Result<f64, BenchError> {
    let mut process = Command::new(command);
    process.arg("run").arg(program).args(["--workers", "1", "--scripts", "native"]);
    process.args(["--set", &format!("n={}", size / 8), "--set", &format!("size={n_events}")]);
    let began = Instant::now();
    let output = process.stdin(Stdio::null()).output();
    let nanos = began.elapsed().as_nanos() as f64;
    let output = output.map_err(BenchError::io(command.display().to_string()))?;
    let (found, expected) = (String::from_utf8_lossy(&output.stdout), format!("out = {n_events}\n"));
    if found != expected {
        let found = format!("{found}{}", String::from_utf8_lossy(&output.stderr));
        return Err(BenchError::Wrong { who: "hasse run".to_owned(), found, expected });
    }
    Ok(nanos)
}

/// The command that `cargo build --release` has left.
fn built_command() -> Result<PathBuf, BenchError> {
    let here = std::env::current_exe().map_err(BenchError::io("path of this process"))?;
    let folder = here.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let command = folder.join(format!("hasse{}", std::env::consts::EXE_SUFFIX));
    command.metadata().map_err(BenchError::io(command.display().to_string()))?;
    Ok(command)
}
