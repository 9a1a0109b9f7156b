//! Instructions of a firing, for the workloads with trivial bodies on one worker: a figure that other processes do not
//! disturb. With `--every`, for bodies in Rust, compiled and interpreted, in all modes. Run by `cargo bench -p hasse-bench --bench instructions`, with names of workloads if not all are wanted.
//!
//! The process starts itself under callgrind, for two sizes of a workload; the difference of their instructions by that of
//! their units is what a unit takes, without start-up. All threads count: of a recorded run also the one that writes. A replay
//! needs the full record of its run, which is made in the same process, and subtracted.
//!
//! With `--workers N` there are more workers, and instructions with a `lock` prefix are counted, too: each may wait for a cache line
//! that another processor has. Callgrind runs one thread at a time, so that what it counts of several workers depends on how it
//! takes turns: figures are for comparison with those of one worker, not with each other.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;
use ours::{Bodies, Compiled, Mode};
use sample::BenchError;
use workload::Workload;

#[allow(dead_code, reason = "nothing is timed")]
mod ours;
#[allow(dead_code, reason = "nothing is timed")]
mod sample;
#[allow(dead_code, reason = "the solver is no trivial body")]
mod solver;
#[allow(dead_code, reason = "peers are elsewhere")]
mod workload;

/// The allocator of the command.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Count instructions of firings
#[derive(Parser)]
struct Args {
    /// These workloads alone
    #[arg(value_enum)]
    only: Vec<Workload>,
    /// Count by the processor's counter, with `perf stat`, where the machine lets it be read
    #[arg(long)]
    perf: bool,
    /// Under callgrind, leave the clock as it is
    #[arg(long, conflicts_with = "perf")]
    plain_clock: bool,
    /// All modes and all kinds of bodies, not only bodies in Rust without a record and with a full one
    #[arg(long)]
    every: bool,
    /// Count each so many times, and tell the range
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    times: u16,
    /// Number of workers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    workers: u16,
    /// The run that is counted: workload, bodies, mode, size
    #[arg(long, hide = true, num_args = 4)]
    counted: Vec<String>,
    /// What cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.counted.as_slice() {
        [workload, bodies, mode, size] => run(workload, bodies, mode, size, usize::from(args.workers)),
        _ => count_all(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The process that is counted.
fn run(workload: &str, bodies: &str, mode: &str, size: &str, n_workers: usize) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::io("a folder for records"))?;
    let workload = Workload::ALL.into_iter().find(|known| known.name() == workload);
    let bodies = Bodies::ALL.into_iter().find(|known| known.name() == bodies);
    let mode = Mode::ALL.into_iter().find(|known| known.name() == mode);
    let (Some(workload), Some(bodies), Some(mode), Ok(size)) = (workload, bodies, mode, size.parse()) else {
        return Err(failed("--counted", "a workload, bodies, a mode and a size are wanted"));
    };
    let compiled = Compiled::new(workload, bodies, size, folder.path())?;
    if mode == Mode::Replay {
        compiled.run(Mode::Full, n_workers)?;
    }
    compiled.run(mode, n_workers).map(|_| ())
}

fn count_all(args: &Args) -> Result<(), BenchError> {
    let folder = tempfile::tempdir().map_err(BenchError::io("a folder for counts"))?;
    let counter = match Counter::new(args, folder.path()) {
        Ok(counter) => counter,
        Err(reason) => {
            println!("instructions are not counted: {reason}");
            return Ok(());
        }
    };
    let workers = if args.workers == 1 { "worker" } else { "workers" };
    let (n_workers, counted_by) = (args.workers, counter.description());
    println!("instructions a unit, {n_workers} {workers}, all threads of the process; {counted_by}");
    println!("| workload | unit | bodies | mode | instructions | with `lock` |");
    println!("|---|---|---|---|---:|---:|");
    let every = Bodies::ALL.into_iter().flat_map(|bodies| Mode::ALL.map(|mode| (bodies, mode)));
    let least = [(Bodies::Native, Mode::Off), (Bodies::Native, Mode::Full)];
    let shapes: Vec<_> = if args.every { every.collect() } else { least.to_vec() };
    let is_wanted = |workload: &Workload| args.only.is_empty() || args.only.contains(workload);
    for workload in Workload::ALL.into_iter().filter(is_wanted) {
        let mut full = 0.0;
        for &(bodies, mode) in &shapes {
            let Some((small, large)) = sizes(workload, bodies) else { continue };
            let n_units = (workload.n_units(large) - workload.n_units(small)) as f64;
            let (mut counts, mut locked) = (Vec::new(), Vec::new());
            for _ in 0..args.times {
                let most = counter.count(args, (workload, bodies, mode), large, folder.path())?;
                let least = counter.count(args, (workload, bodies, mode), small, folder.path())?;
                counts.push((most.n_instructions as f64 - least.n_instructions as f64) / n_units);
                locked.push((most.n_locked as f64 - least.n_locked as f64) / n_units);
            }
            locked.sort_by(f64::total_cmp);
            counts.sort_by(f64::total_cmp);
            match mode {
                Mode::Full => full = counts[counts.len() / 2],
                Mode::Replay => counts.iter_mut().for_each(|count| *count -= full),
                Mode::Off | Mode::Minimal | Mode::Restricted => {}
            }
            let range = match counts.as_slice() {
                [_] => String::new(),
                counts => format!(" ({:.1} to {:.1})", counts[0], counts[counts.len() - 1]),
            };
            let median = counts[counts.len() / 2];
            let (name, unit) = (workload.name(), workload.unit());
            let locked = if args.perf { String::new() } else { format!("{:.3}", locked[locked.len() / 2]) };
            println!(
                "| {name} | {unit} | {} | {} | {median:.1}{range} | {locked} |",
                bodies.name(),
                mode.name()
            );
        }
    }
    Ok(())
}

/// Two sizes of a workload: the smaller one is past what grows once. Of chain and fan, both are whole waves.
fn sizes(workload: Workload, bodies: Bodies) -> Option<(u64, u64)> {
    let (small, large) = native_sizes(workload)?;
    match (bodies, workload) {
        (Bodies::Native | Bodies::Compiled, _) | (_, Workload::Chain | Workload::Fan) => Some((small, large)),
        // Its units grow with the square.
        (Bodies::Rhai, Workload::Wavefront) => Some((small / 2, large / 2)),
        (Bodies::Rhai, _) => Some((small / 4, large / 4)),
    }
}

fn native_sizes(workload: Workload) -> Option<(u64, u64)> {
    match workload {
        Workload::Chain | Workload::Fan => Some((8_192, 24_576)),
        Workload::Ring => Some((2_000, 6_000)),
        Workload::Merge => Some((20_000, 60_000)),
        Workload::Wavefront => Some((192, 320)),
        Workload::Counter => Some((40_000, 120_000)),
        Workload::Solve => None,
    }
}

/// Counts of a run.
struct Counted {
    n_instructions: u64,
    /// Instructions with a `lock` prefix; 0 where they are not counted.
    n_locked: u64,
}

/// What counts.
enum Counter {
    /// Valgrind's, with a clock that goes on when it is looked at, or why there is none.
    Callgrind(Result<PathBuf, String>),
    /// The processor's.
    Perf,
}

impl Counter {
    /// The counter that is asked for.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn new(args: &Args, folder: &Path) -> Result<Self, String> {
        if args.perf {
            let counter = Counter::Perf;
            let file = folder.join("probe");
            let probed = counter.command(&file).arg("true").output();
            probed.map_err(|_| "`perf` is not installed".to_owned())?;
            let counted = counter.counted(&file);
            return counted
                .map(|_| counter)
                .map_err(|_| "`perf` cannot read the processor's counter on this machine".to_owned());
        }
        let probed = Command::new("valgrind").arg("--version").output();
        if !probed.is_ok_and(|output| output.status.success()) {
            return Err(
                "valgrind is not installed; where `perf` can count, `-- --perf` does without".to_owned()
            );
        }
        let clock = if args.plain_clock { Err("it was asked for".to_owned()) } else { step_clock(folder) };
        Ok(Counter::Callgrind(clock))
    }

    fn description(&self) -> String {
        match self {
            Counter::Callgrind(Ok(_)) => {
                format!("by callgrind, with a clock that goes on by {STEP_NANOS} ns a look")
            }
            Counter::Callgrind(Err(reason)) => format!(
                "by callgrind, with the clock as it is ({reason}): the runtime takes bodies for long ones, and looks at the clock for each"
            ),
            Counter::Perf => "by the processor".to_owned(),
        }
    }

    /// Instructions of a run.
    fn count(
        &self,
        args: &Args,
        (workload, bodies, mode): (Workload, Bodies, Mode),
        size: u64,
        folder: &Path,
    ) -> Result<Counted, BenchError> {
        let file = folder.join("count");
        let this = env::current_exe().map_err(BenchError::io("path of this process"))?;
        let mut command = self.command(&file);
        command.arg(this).args(["--counted", workload.name(), bodies.name(), mode.name(), &size.to_string()]);
        command.args(["--workers", &args.workers.to_string()]);
        let ended = command.stdin(Stdio::null()).output().map_err(BenchError::io(self.name()))?;
        if !ended.status.success() {
            return Err(failed(self.name(), &String::from_utf8_lossy(&ended.stderr)));
        }
        self.counted(&file)
    }

    fn name(&self) -> &'static str {
        match self {
            Counter::Callgrind(_) => "valgrind",
            Counter::Perf => "perf",
        }
    }

    /// A command that counts into a file; what is to be counted is put behind it.
    fn command(&self, file: &Path) -> Command {
        let mut command = Command::new(self.name());
        match self {
            Counter::Callgrind(clock) => {
                let mut out = OsString::from("--callgrind-out-file=");
                out.push(file);
                command.args(["--tool=callgrind", "--collect-bus=yes", "--fair-sched=yes"]).arg(out);
                if let Ok(library) = clock {
                    command.env("LD_PRELOAD", library);
                }
            }
            Counter::Perf => {
                command.args(["stat", "-x", ",", "-e", "instructions:u", "-o"]).arg(file).arg("--");
            }
        }
        command
    }

    /// What has been counted into a file.
    fn counted(&self, file: &Path) -> Result<Counted, BenchError> {
        let text = fs::read_to_string(file).map_err(BenchError::io(file.display().to_string()))?;
        let line = match self {
            Counter::Callgrind(_) => text.lines().find_map(|line| line.strip_prefix("totals: ")),
            Counter::Perf => text.lines().find(|line| line.contains("instructions")),
        };
        let mut numbers = line.unwrap_or_default().split([',', ' ']).map_while(|word| word.parse().ok());
        let n_instructions = numbers.next();
        let n_instructions =
            n_instructions.ok_or_else(|| failed(self.name(), "no number of instructions was printed"))?;
        Ok(Counted { n_instructions, n_locked: numbers.next().unwrap_or_default() })
    }
}

fn failed(who: &str, message: &str) -> BenchError {
    BenchError::Peer { peer: who.to_owned(), message: message.to_owned() }
}

/// What a look at the clock takes, as the counted process sees it: a short event, or some of them.
const STEP_NANOS: u32 = 100;

/// Compiles a clock that is loaded before the system's. The runtime looks at the clock to tell long bodies from short ones, and
/// gives an instance a turn of some microseconds: under callgrind, which is some fifty times slower, all bodies would be
/// long, and turns short.
fn step_clock(folder: &Path) -> Result<PathBuf, String> {
    if !cfg!(target_os = "linux") {
        return Err("the other one is for Linux".to_owned());
    }
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("clock/step.c");
    let library = folder.join("step.so");
    let mut command = Command::new(&compiler);
    command.args(["-O2", "-shared", "-fPIC", &format!("-DSTEP_NANOS={STEP_NANOS}")]).arg(source);
    let built = command.arg("-o").arg(&library).output().map_err(|_| format!("no {compiler}"))?;
    match built.status.success() {
        true => Ok(library),
        false => Err(format!("{compiler} does not compile the other one")),
    }
}
