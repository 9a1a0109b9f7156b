//! Executables that `hasse build` generates, beside programs that were written by hand against the library: whole processes, in turn.
//!
//! `cargo bench -p hasse-bench --bench built`; the command is the one that `cargo build --release` has left, or that of the argument
//! `--command PATH`. Each program is built first, which takes some minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use clap::Parser;
use sample::{BenchError, spread};

#[allow(dead_code, reason = "no units are counted")]
mod sample;

/// The generated executable takes not more than so many times what the one written by hand takes.
const MOST_RATIO: f64 = 1.05;

/// A program, and what is written by hand.
struct Pair {
    name: &'static str,
    /// Programs whose executables are measured, of those in `programs/`.
    programs: &'static [&'static str],
    /// What `size` is.
    size: i64,
}

const PAIRS: [Pair; 2] = [
    Pair { name: "solve", programs: &["solve"], size: 150 },
    Pair { name: "wavefront", programs: &["wavefront", "wavefront-rhai"], size: 3000 },
];

/// Measure executables that `hasse build` generates, beside such that were written by hand
#[derive(Parser)]
struct Args {
    /// The command `hasse` [default: the one beside the folder of this benchmark]
    #[arg(long, value_name = "PATH")]
    command: Option<PathBuf>,
    /// Where Cargo builds [default: a folder of this benchmark]
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,
    /// Rounds: each executable runs once in each
    #[arg(long, value_name = "N", default_value_t = 11)]
    runs: usize,
    /// What cargo passes to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    match measure(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &Args) -> Result<(), BenchError> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("built");
    let target = args.target.clone().unwrap_or_else(|| folder.join("target"));
    let command = args.command.clone().unwrap_or_else(|| here.join("../../target/release/hasse"));
    println!(
        "seconds of whole processes, medians of {} rounds; ratios are medians of those of the rounds",
        args.runs
    );
    for pair in &PAIRS {
        let mut built = Vec::new();
        for name in pair.programs {
            let program = here.join("programs").join(format!("{name}.hasse"));
            built.push((*name, build(&command, &program, &folder.join(name), &target)?));
        }
        let by_hand = build_by_hand(pair, here, &folder, &target)?;
        for n_workers in [1, 2] {
            for (name, executable) in &built {
                race(name, executable, &by_hand, pair.size, n_workers, args.runs)?;
            }
        }
    }
    Ok(())
}

/// Generates a project and has it built.
fn build(command: &Path, program: &Path, folder: &Path, target: &Path) -> Result<PathBuf, BenchError> {
    let _ = fs::remove_dir_all(folder);
    let mut building = Command::new(command);
    building.arg("build").arg(program).arg("--release").arg("--out").arg(folder);
    building.env("CARGO_TARGET_DIR", target);
    let told = output(building, "hasse build")?;
    Ok(PathBuf::from(told.trim()))
}

/// A crate as `hasse build` generates it, with `main` as it was written by hand.
fn build_by_hand(pair: &Pair, here: &Path, folder: &Path, target: &Path) -> Result<PathBuf, BenchError> {
    let (generated, own) = (folder.join(pair.name), folder.join(format!("{}-by-hand", pair.name)));
    let name = format!("{}-by-hand", pair.name);
    fs::create_dir_all(own.join("src")).map_err(BenchError::io("a folder"))?;
    let manifest = fs::read_to_string(generated.join("Cargo.toml")).map_err(BenchError::io("a manifest"))?;
    let manifest = manifest
        .replace(&format!("name = \"{}\"", pair.name), &format!("name = \"{name}\""))
        .replace(&format!("package.{}]", pair.name), &format!("package.{name}]"));
    fs::write(own.join("Cargo.toml"), manifest).map_err(BenchError::io("a manifest"))?;
    for (from, to) in [
        (generated.join("Cargo.lock"), own.join("Cargo.lock")),
        (here.join("by_hand").join(format!("{}.rs", pair.name)), own.join("src/main.rs")),
    ] {
        fs::copy(&from, to).map_err(BenchError::io(from.display().to_string()))?;
    }
    let mut building = Command::new("cargo");
    building.args(["build", "--release", "--quiet"]).current_dir(&own).env("CARGO_TARGET_DIR", target);
    output(building, "cargo build")?;
    Ok(target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// What a command writes to standard output.
fn output(mut command: Command, who: &str) -> Result<String, BenchError> {
    let ended = command.output().map_err(BenchError::io(who))?;
    if !ended.status.success() {
        let message = String::from_utf8_lossy(&ended.stderr).into_owned();
        return Err(BenchError::Peer { peer: who.to_owned(), message });
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Runs both in turn, and judges that they say the same.
fn race(
    name: &str,
    built: &Path,
    by_hand: &Path,
    size: i64,
    n_workers: i64,
    n_rounds: usize,
) -> Result<(), BenchError> {
    let (mut ratios, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    // The first round fills caches of the system.
    for round in 0..=n_rounds {
        let generated = || {
            let mut command = Command::new(built);
            command.args(["--workers", &n_workers.to_string(), "--set", &format!("size={size}")]);
            timed(command, "the generated executable")
        };
        let written = || {
            let mut command = Command::new(by_hand);
            command.args([n_workers.to_string(), size.to_string()]);
            timed(command, "the one written by hand")
        };
        // Who comes first changes.
        let ((one, told), (other, expected)) = if round % 2 == 0 {
            let first = generated()?;
            (first, written()?)
        } else {
            let first = written()?;
            (generated()?, first)
        };
        if told != expected {
            return Err(BenchError::Wrong { who: name.to_owned(), found: told, expected });
        }
        if round > 0 {
            ratios.push(one / other);
            ours.push(one);
            theirs.push(other);
        }
    }
    let median = |row: &[f64]| spread(row.iter().copied()).map_or(f64::NAN, |spread| spread.median);
    let ratio = spread(ratios.iter().copied()).ok_or_else(|| BenchError::Record("no rounds".to_owned()))?;
    let verdict = if ratio.median <= MOST_RATIO { "met" } else { "MISSED" };
    println!(
        "{name:15} {n_workers} worker(s): generated {:.3}, by hand {:.3}, ratio {:.3} ({:.3} to {:.3}); at most {MOST_RATIO}: {verdict}",
        median(&ours),
        median(&theirs),
        ratio.median,
        ratio.low,
        ratio.high
    );
    Ok(())
}

fn timed(command: Command, who: &str) -> Result<(f64, String), BenchError> {
    let began = Instant::now();
    let told = output(command, who)?;
    Ok((began.elapsed().as_secs_f64(), told))
}
