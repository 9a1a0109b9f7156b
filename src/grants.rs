//! What a user grants to bodies: folders, variables of the environment, memory.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use hasse_runtime::memory::{MemoryLimit, RunLimit};
use hasse_runtime::sandbox::{LiveParams, Sandbox};

use crate::allocator;
use crate::fault::Fault;

/// An event's memory in a run where nothing else is said.
const DEFAULT_MIB: u64 = 1024;
/// More than any machine has.
const MOST_MIB: u64 = 1 << 40;

/// What bodies may reach beyond the program's own folder.
#[derive(Default, clap::Args)]
#[command(next_help_heading = "What bodies may reach")]
pub(crate) struct Grants {
    /// Let bodies read files in this folder and below; may be given several times. The program's own
    /// folder may always be read
    #[arg(long = "allow-read", value_name = "DIR")]
    read: Vec<PathBuf>,
    /// Let bodies write files in this folder and below; may be given several times
    #[arg(long = "allow-write", value_name = "DIR")]
    write: Vec<PathBuf>,
    /// Let bodies ask for this variable of the environment; may be given several times
    #[arg(long = "allow-env", value_name = "NAME")]
    env: Vec<String>,
    /// Let bodies connect to this address and listen on it, HOST:PORT, or HOST for all its ports; may be given several
    /// times
    #[arg(long = "allow-net", value_name = "ADDRESS", value_parser = address)]
    net: Vec<String>,
    /// Let bodies run this program; may be given several times
    #[arg(long = "allow-run", value_name = "PROGRAM", value_parser = NonEmptyStringValueParser::new())]
    run: Vec<String>,
    /// Most memory that one event's body may take, in MiB [default: 1024; for a replay, what the run had]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=MOST_MIB))]
    body_memory: Option<u64>,
    /// Run bodies in Rust that you have not run before; without it, a terminal asks
    #[arg(long)]
    trust: bool,
    /// Most memory that the run may take as a whole, with all values that wait, in MiB [default: three quarters of the
    /// machine's memory]
    #[arg(long, visible_alias = "queue-memory", value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=MOST_MIB))]
    memory: Option<u64>,
}

/// Reads an address: a host, perhaps with a port.
fn address(text: &str) -> Result<String, String> {
    if let Some((scheme, rest)) = text.split_once("://") {
        return Err(format!("expected HOST:PORT, without `{scheme}://`, such as `{rest}`"));
    }
    let (host, port) = match text.rsplit_once(':') {
        // The colons of an address of IPv6 separate no port, unless it is in brackets.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    if host.is_empty() || host.contains('/') || !port.is_none_or(is_port) {
        return Err("expected HOST:PORT, such as `localhost:8080`, or HOST for all its ports".to_owned());
    }
    Ok(text.to_owned())
}

impl Grants {
    /// Whether bodies in Rust may run that this user has not run before.
    pub(crate) fn trusts(&self) -> bool {
        self.trust
    }

    /// The sandbox of a run.
    pub(crate) fn sandbox(&self) -> Result<Sandbox, Fault> {
        self.with_memory(DEFAULT_MIB)
    }

    /// The sandbox of a replay. What an event did that ended well needs no limit, if the program is
    /// the recorded one; an event that went over its limit has it from the record.
    pub(crate) fn sandbox_of_replay(&self, is_changed: bool) -> Result<Sandbox, Fault> {
        self.with_memory(if is_changed { DEFAULT_MIB } else { MOST_MIB })
    }

    fn with_memory(&self, default_mib: u64) -> Result<Sandbox, Fault> {
        let most_bytes = self.body_memory.unwrap_or(default_mib) << 20;
        check_roots("--allow-read", &self.read)?;
        check_roots("--allow-write", &self.write)?;
        Ok(Sandbox {
            read_roots: self.read.clone(),
            write_roots: self.write.clone(),
            env_names: self.env.clone(),
            net_addresses: self.net.clone(),
            programs: self.run.clone(),
            params: LiveParams::default(),
            memory: MemoryLimit { most_bytes, meter: allocator::METER },
            run_memory: self.memory.map(|mib| mib << 20).or_else(default_run_bytes).map(run_limit),
        })
    }
}

fn run_limit(most_bytes: u64) -> RunLimit {
    RunLimit { most_bytes, meter: || allocator::process_bytes().map(|(allocated, _)| allocated as u64) }
}

/// Three quarters of the memory that this process may have; `None` where the system does not tell.
fn default_run_bytes() -> Option<u64> {
    let of_machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
    });
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = files.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok());
    of_machine.into_iter().chain(limits).min().map(|n_bytes| n_bytes / 4 * 3)
}

/// A root that is not there would grant nothing, silently.
pub(crate) fn check_roots(option: &'static str, roots: &[PathBuf]) -> Result<(), Fault> {
    let find = |root: &Path| fs::canonicalize(root);
    for root in roots {
        find(root).map_err(|source| Fault::Grant { option, path: root.clone(), source })?;
    }
    Ok(())
}
