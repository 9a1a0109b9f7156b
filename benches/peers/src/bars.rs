//! What the project holds itself to: a figure that must be reached, and one that is aimed at.

use crate::ours::{Bodies, Mode};
use crate::race::{Race, System};
use crate::rust::Library;
use crate::workload::Workload;

/// A figure beside its bar.
pub(crate) struct Judged {
    /// What is measured.
    pub(crate) what: String,
    /// The figure; `None` where a contestant was absent.
    pub(crate) found: Option<f64>,
    /// Not more than this.
    pub(crate) must: f64,
    /// Better, not more than this.
    pub(crate) aim: f64,
}

impl Judged {
    /// In a word.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.found {
            None => "absent",
            Some(found) if found <= self.aim => "aim",
            Some(found) if found <= self.must => "must",
            Some(_) => "**missed**",
        }
    }
}

const OFF: System = System::Hasse(Bodies::Native, Mode::Off);
const FULL: System = System::Hasse(Bodies::Native, Mode::Full);

/// Ratios of native bodies to oneTBB on one thread: debugging off, and recorded in full.
pub(crate) fn ratios(races: &[Race]) -> Vec<[Judged; 2]> {
    races.iter().flat_map(ratios_of).collect()
}

fn ratios_of(race: &Race) -> Vec<[Judged; 2]> {
    let both = |what: &str, to: (System, usize), n_workers, [off, full]: [(f64, f64); 2]| {
        [(OFF, off), (FULL, full)].map(|(system, (must, aim))| Judged {
            what: what.to_owned(),
            found: race.ratio((system, n_workers), to),
            must,
            aim,
        })
    };
    let bars = match race.workload {
        Workload::Chain => [(0.25, 0.13), (0.40, 0.24)],
        Workload::Ring => [(0.70, 0.40), (0.90, 0.53)],
        Workload::Fan => [(0.15, 0.06), (0.25, 0.12)],
        Workload::Merge => [(0.25, 0.13), (0.40, 0.23)],
        Workload::Wavefront => [(0.25, 0.17), (0.40, 0.27)],
        Workload::Counter => [(0.30, 0.16), (0.40, 0.22)],
        Workload::Solve => {
            let peers = [System::Tbb, System::Library(Library::Rayon)];
            let pairs = [1, 2].map(|n_threads| peers.map(|peer| (peer, n_threads)));
            let solve = |(peer, n_threads): (System, usize)| {
                let name = if peer == System::Tbb { "oneTBB" } else { "rayon" };
                let what = match n_threads {
                    1 => format!("Solve, to {name}"),
                    _ => format!("Solve, {n_threads} workers, to {name} on {n_threads} threads"),
                };
                both(&what, (peer, n_threads), n_threads, [(1.05, 1.0), (1.08, 1.02)])
            };
            return pairs.into_iter().flatten().map(solve).collect();
        }
    };
    vec![both(race.workload.title(), (System::Tbb, 1), 1, bars)]
}

/// All other bars: of two workers, of recording, of replay, of the size of records.
pub(crate) fn others(races: &[Race]) -> Vec<Judged> {
    races.iter().flat_map(others_of).collect()
}

fn others_of(race: &Race) -> Vec<Judged> {
    let name = race.workload.name();
    let mut judged = Vec::new();
    let mut judge = |what: String, found: Option<f64>, must: f64, aim: f64| {
        judged.push(Judged { what, found, must, aim });
    };
    let is_trivial = race.workload != Workload::Solve;
    for (system, mode) in [(OFF, "off"), (FULL, "full")] {
        if is_trivial {
            let found = race.ratio((system, 2), (system, 1));
            judge(format!("{name}: 2 workers to 1, {mode}"), found, 1.25, 1.15);
        }
    }
    if !is_trivial {
        judge(format!("{name}: full to off"), race.ratio((FULL, 1), (OFF, 1)), 1.05, 1.05);
    }
    let rhai = |mode| (System::Hasse(Bodies::Rhai, mode), 1);
    judge(format!("{name}, Rhai: full to off"), race.ratio(rhai(Mode::Full), rhai(Mode::Off)), 1.1, 1.1);
    if race.workload == Workload::Chain {
        for (mode, must) in [(Mode::Off, 100.0), (Mode::Full, 150.0)] {
            let line = race.line(System::Hasse(Bodies::Compiled, mode), 1);
            let found = line.and_then(|line| line.nanos_a_unit()).map(|spread| spread.median);
            judge(format!("{name}, compiled Rhai, {}: ns an event", mode.name()), found, must, must);
        }
    }
    let replay = (System::Hasse(Bodies::Native, Mode::Replay), 1);
    judge(format!("{name}: replay to full"), race.ratio(replay, (FULL, 1)), 2.0, 1.5);
    let bytes = |system| race.line(system, 1).and_then(|line| line.bytes_an_event());
    let most_bytes = match race.workload {
        Workload::Chain | Workload::Fan | Workload::Counter => Some(0.1),
        Workload::Wavefront => Some(1.5),
        Workload::Merge => Some(2.0),
        Workload::Ring | Workload::Solve => None,
    };
    if let Some(most) = most_bytes {
        judge(format!("{name}: bytes an event, full"), bytes(FULL), most, most);
    }
    if matches!(race.workload, Workload::Chain | Workload::Fan | Workload::Wavefront) {
        let minimal = bytes(System::Hasse(Bodies::Native, Mode::Minimal));
        judge(format!("{name}: bytes an event, minimal"), minimal, 0.02, 0.02);
    }
    judged
}
