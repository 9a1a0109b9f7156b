//! The machine and the versions of what ran.

use std::fs;
use std::num::NonZero;
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

/// Crates of which the version is told.
const CRATES: [&str; 4] = ["rayon", "crossbeam-channel", "timely", "rhai"];
const LOCK: &str = include_str!("../../../Cargo.lock");

/// Names and facts, in the order of the report.
pub(crate) fn facts(tbb: &Result<String, String>) -> Vec<(&'static str, String)> {
    let n_cores = thread::available_parallelism().map_or(1, NonZero::get);
    let tbb = match tbb {
        Ok(version) => format!("oneTBB {version}, {}", first_line("g++", &["--version"])),
        Err(reason) => format!("oneTBB is absent: {reason}"),
    };
    let versions = CRATES.map(|name| format!("{name} {}", version_of(name)));
    vec![
        ("processor", format!("{}, {n_cores} cores", processor())),
        ("kernel", first_line("uname", &["-sr"])),
        ("compiler", first_line("rustc", &["--version"])),
        ("peers", format!("{tbb}; {}", versions.join(", "))),
        ("load, last 15 minutes", load()),
        ("date", date()),
    ]
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// Processes that were ready to run, on average: a run has at most two threads at work, so that with more, others
/// were there.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().nth(2).unwrap_or("unknown").to_owned()
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    said.lines().next().map_or_else(|| format!("unknown {program}"), str::to_owned)
}

fn version_of(name: &str) -> &'static str {
    let before = format!("name = \"{name}\"\nversion = \"");
    let mut rest = LOCK.split(&before).skip(1);
    rest.next().and_then(|rest| rest.split('"').next()).unwrap_or("unknown")
}

/// The day, by Greenwich.
fn date() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    // Days to a date (H. Hinnant, chrono-compatible low-level date algorithms, 2013): years begin in March, and 400
    // of them have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}
