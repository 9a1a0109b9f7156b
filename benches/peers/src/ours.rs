//! The workloads on Hasse: compiled once, run in every mode of recording.

use std::fs;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hasse::{Natives, Options, Program, RecordingMode, RunReport, ScriptTiers, Value};
use hasse_model::trace::TraceReader;
use hasse_runtime::capture::Capture;
use hasse_runtime::run::{self as runtime, DEFAULT_RECLAIM_ABOVE, RunOptions};

use crate::sample::{BenchError, Recorded, Sample};
use crate::solver;
use crate::workload::{N_ADDERS, N_BRANCHES, N_LINKS, N_PRODUCERS, Scale, Workload, wave};

/// Bodies and functions in Rust.
mod natives;
/// Texts of programs.
mod text;

/// How bodies of nodes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// In Rust.
    Native,
    /// In Rhai, compiled.
    Compiled,
    /// In Rhai, interpreted.
    Rhai,
}

impl Bodies {
    /// All of them.
    pub(crate) const ALL: [Bodies; 3] = [Bodies::Native, Bodies::Compiled, Bodies::Rhai];

    /// In the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Bodies::Native => "native",
            Bodies::Compiled => "compiled Rhai",
            Bodies::Rhai => "Rhai",
        }
    }

    /// How they are executed.
    fn tiers(self) -> ScriptTiers {
        match self {
            Bodies::Rhai => ScriptTiers::Interpreted,
            Bodies::Native | Bodies::Compiled => ScriptTiers::Auto,
        }
    }

    /// How much such bodies compute in a run.
    pub(crate) fn scale(self) -> Scale {
        match self {
            Bodies::Native | Bodies::Compiled => Scale::Native,
            Bodies::Rhai => Scale::Rhai,
        }
    }
}

/// What is done with the events of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    Off,
    /// All go to a file.
    Full,
    /// Free choices go to a file.
    Minimal,
    /// Those of the node that ends the program go to a file: every action passes on what it knows.
    Restricted,
    /// They are those of the full record of the same round. Reading it counts.
    Replay,
}

impl Mode {
    /// In the order of a round: a replay needs the full record.
    pub(crate) const ALL: [Mode; 5] = [Mode::Off, Mode::Full, Mode::Minimal, Mode::Restricted, Mode::Replay];

    /// In the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Full => "full",
            Mode::Minimal => "minimal",
            Mode::Restricted => "restricted",
            Mode::Replay => "replay",
        }
    }
}

/// A workload with its bodies, compiled.
pub(crate) struct Compiled {
    workload: Workload,
    bodies: Bodies,
    size: u64,
    natives: Natives,
    program: Program,
    /// Where records go.
    folder: PathBuf,
}

impl Compiled {
    /// Compiles a workload. Records go to `folder`.
    pub(crate) fn new(
        workload: Workload,
        bodies: Bodies,
        size: u64,
        folder: &Path,
    ) -> Result<Self, BenchError> {
        assert!(
            !matches!(workload, Workload::Chain | Workload::Fan) || size.is_multiple_of(wave(size)),
            "the last wave is whole, or values would be left over"
        );
        if workload == Workload::Solve {
            // The system is made here, before a clock runs.
            solver::solution();
        }
        let natives = natives::natives();
        let program = Program::from_text(&text::text(workload, bodies), &natives)?;
        let warnings = program.warnings();
        assert!(warnings.is_empty(), "a program of the benchmark has no faults: {warnings:?}");
        Ok(Self { workload, bodies, size, natives, program, folder: folder.to_owned() })
    }

    /// One run: timed, and its answer judged.
    pub(crate) fn run(&self, mode: Mode, n_workers: usize) -> Result<Sample, BenchError> {
        let file_name =
            format!("{}-{}-{}-{n_workers}.trace", self.workload.name(), self.bodies.name(), mode.name());
        let path = self.folder.join(file_name);
        let options = self.options(n_workers);
        let began = Instant::now();
        let report = match mode {
            Mode::Off => self.program.run(&options)?.report().clone(),
            Mode::Full | Mode::Minimal | Mode::Restricted => {
                self.program.record_to_file(&recording(options, mode), &path)?.report().clone()
            }
            Mode::Replay => {
                let full = path.to_string_lossy().replace("-replay-", "-full-");
                self.replay(Path::new(&full), n_workers)?
            }
        };
        let time = began.elapsed();
        self.check(&report)?;
        let mut sample = Sample::new(time, self.workload.n_units(self.size));
        if matches!(mode, Mode::Full | Mode::Minimal | Mode::Restricted) {
            sample.record = Some(Recorded { n_events: report.n_events, n_bytes: n_bytes(&path)? });
        }
        Ok(sample)
    }

    fn options(&self, n_workers: usize) -> Options {
        let options = Options::new().workers(n_workers).scripts(self.bodies.tiers()).output(|_| {});
        let options = options.set("size", self.last());
        match self.workload {
            Workload::Chain | Workload::Fan => options.set("wave", wave(self.size) as i64),
            Workload::Solve => options.set("n", solver::N_BLOCKS as i64),
            Workload::Ring | Workload::Merge | Workload::Wavefront | Workload::Counter => options,
        }
    }

    /// What the program calls `size`: the ring counts hops, all others what everyone counts.
    fn last(&self) -> i64 {
        match self.workload {
            Workload::Ring => (N_LINKS * self.size) as i64,
            _ => self.size as i64,
        }
    }

    /// Reads a record and runs it again, as `hasse replay` does. The runtime itself is asked, so that the record is
    /// read from its file piece by piece, and not a second time in memory.
    fn replay(&self, path: &Path, n_workers: usize) -> Result<RunReport, BenchError> {
        let file = File::open(path).map_err(BenchError::io(path.display().to_string()))?;
        let reader = TraceReader::open(BufReader::new(file));
        let reader = reader.map_err(|error| BenchError::Record(error.to_string()))?;
        let recorded =
            hasse::Recorded::read(reader).map_err(|error| BenchError::Record(error.to_string()))?;
        let options = RunOptions {
            n_workers,
            seed: None,
            params: recorded.header.params,
            program_folder: PathBuf::new(),
            sandbox: Default::default(),
            natives: self.natives.clone(),
            stop: Default::default(),
            reclaim_above: DEFAULT_RECLAIM_ABOVE,
            tiers: self.bodies.tiers(),
            capture: Capture::none(),
            control: None,
            chooser: None,
            virtual_time: false,
            checkpoints: None,
            writes_ahead: false,
        };
        Ok(runtime::replay(self.program.plan(), &options, recorded.record, None, Box::new(|_| {}))?)
    }

    /// Judges how a run ended, how many events it had, and its answer.
    fn check(&self, report: &RunReport) -> Result<(), BenchError> {
        let who = format!("Hasse, {} bodies", self.bodies.name());
        let wrong = |found: String, expected: &str| {
            let (who, expected) = (format!("{who}, {}", self.workload.name()), expected.to_owned());
            Err(BenchError::Wrong { who, found, expected })
        };
        if report.outcome != hasse::RunOutcome::Finished || report.divergence.is_some() {
            return wrong(format!("{report:?}"), "a run that finishes");
        }
        let expected = self.n_events();
        if report.n_events != expected {
            return wrong(format!("{} events", report.n_events), &expected.to_string());
        }
        let answer = match report.results.as_slice() {
            [(_, Value::Int(answer))] => *answer as f64,
            [(_, Value::Vector(x))] if solver::is_solution(x) => solver::weighted_sum(x),
            other => return wrong(format!("{} other results", other.len()), "one, and within 1e-9"),
        };
        self.workload.check(&who, self.size, answer)
    }

    /// Number of events of a run, with those that feed and end it.
    fn n_events(&self) -> u64 {
        let size = self.size;
        let ends = 2;
        match self.workload {
            Workload::Chain => N_LINKS * size + size / wave(size) + ends,
            // The first node sees the last value, too.
            Workload::Ring => N_LINKS * size + 1 + ends,
            Workload::Fan => (N_BRANCHES + 2) * size + size / wave(size) + ends,
            Workload::Merge => 2 * N_PRODUCERS * size + ends,
            Workload::Wavefront => size * size + ends,
            Workload::Counter => N_ADDERS * size + ends,
            Workload::Solve => {
                let n_blocks = solver::N_BLOCKS as u64;
                // Start, Solve, Mult, Gather; Stop.
                (1 + n_blocks + n_blocks * (n_blocks - 1) / 2 + n_blocks) * size + 1
            }
        }
    }
}

/// Options of a mode that records.
fn recording(options: Options, mode: Mode) -> Options {
    match mode {
        Mode::Minimal => options.mode(RecordingMode::Minimal),
        Mode::Restricted => options.mode(RecordingMode::Restricted).select("Stop"),
        Mode::Off | Mode::Full | Mode::Replay => options.mode(RecordingMode::Full),
    }
}

fn n_bytes(path: &Path) -> Result<u64, BenchError> {
    let metadata = fs::metadata(path).map_err(BenchError::io(path.display().to_string()))?;
    Ok(metadata.len())
}
