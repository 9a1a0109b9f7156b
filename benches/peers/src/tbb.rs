//! oneTBB's flow graph: a C++ program that is compiled here and runs one workload in a process of its own.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::sample::{BenchError, Sample};
use crate::workload::Workload;

/// The compiled program.
pub(crate) struct Tbb {
    program: PathBuf,
    /// Of the library that it is compiled with.
    pub(crate) version: String,
}

impl Tbb {
    /// Compiles the program into a folder.
    ///
    /// # Errors
    /// Why there are no figures, in a few words for the report: no compiler, no library.
    pub(crate) fn build(folder: &Path) -> Result<Self, String> {
        let compiler = env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tbb/peers.cpp");
        let program = folder.join("tbb-peers");
        let mut command = Command::new(&compiler);
        command.args(["-O3", "-march=native", "-std=c++17"]);
        if cfg!(target_arch = "x86_64") {
            // As wide as the kernels in Rust are: those of the solver are to be the same for everyone, and one that
            // uses all of AVX-512 takes a tenth less, whatever stands around it.
            command.arg("-mprefer-vector-width=256");
        }
        command.arg(source).arg("-o").arg(&program).arg("-ltbb");
        let built = command.output().map_err(|_| format!("no {compiler}"))?;
        if !built.status.success() {
            let said = String::from_utf8_lossy(&built.stderr);
            if said.contains("oneapi/tbb") || said.contains("-ltbb") {
                return Err("no libtbb-dev".to_owned());
            }
            return Err(format!("{compiler} refuses it: {}", said.lines().next().unwrap_or_default()));
        }
        let told = Command::new(&program).arg("version").output();
        let told = told.map_err(|error| format!("it does not start: {error}"))?;
        let version = String::from_utf8_lossy(&told.stdout).trim().to_owned();
        Ok(Self { program, version })
    }

    /// One run.
    pub(crate) fn run(&self, workload: Workload, n_threads: usize, size: u64) -> Result<Sample, BenchError> {
        let (threads, size_text) = (n_threads.to_string(), size.to_string());
        let ended = Command::new(&self.program).args([workload.name(), &threads, &size_text]).output();
        let ended = ended.map_err(BenchError::io(self.program.display().to_string()))?;
        let failed =
            |message: &str| BenchError::Peer { peer: "oneTBB".to_owned(), message: message.to_owned() };
        if !ended.status.success() {
            return Err(failed(&String::from_utf8_lossy(&ended.stderr)));
        }
        let said = String::from_utf8_lossy(&ended.stdout);
        let mut numbers = said.split_whitespace().map(str::parse::<f64>);
        let (Some(Ok(nanos)), Some(Ok(answer))) = (numbers.next(), numbers.next()) else {
            return Err(failed(&said));
        };
        workload.check("oneTBB", size, answer)?;
        Ok(Sample::new(Duration::from_nanos(nanos as u64), workload.n_units(size)))
    }
}
