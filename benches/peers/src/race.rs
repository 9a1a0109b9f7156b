//! Contestants run in turn, round by round, so that what disturbs the machine disturbs all of them.

use std::path::Path;

use crate::ours::{Bodies, Compiled, Mode};
use crate::rust::Library;
use crate::sample::{BenchError, Sample, Spread, spread};
use crate::tbb::Tbb;
use crate::workload::{Scale, Workload};

/// Numbers of threads for whoever can choose.
const THREADS: [usize; 2] = [1, 2];

/// Who computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// oneTBB's flow graph.
    Tbb,
    /// Hasse.
    Hasse(Bodies, Mode),
    /// A library in Rust.
    Library(Library),
}

/// A contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contestant {
    /// The system.
    pub(crate) system: System,
    /// On so many threads.
    pub(crate) n_threads: usize,
}

impl Contestant {
    /// In the report.
    pub(crate) fn name(&self) -> String {
        match self.system {
            System::Tbb => "oneTBB".to_owned(),
            System::Hasse(bodies, mode) => format!("Hasse, {}, {}", bodies.name(), mode.name()),
            System::Library(library) => library.name().to_owned(),
        }
    }
}

/// What a contestant did.
pub(crate) struct Line {
    /// Who.
    pub(crate) contestant: Contestant,
    /// How much is computed in a run.
    pub(crate) size: u64,
    /// A run of each round, in order; fewer if one failed.
    pub(crate) samples: Vec<Sample>,
    /// Why there are no more.
    pub(crate) absent: Option<String>,
    /// Whether that is a fault: a run that went wrong, not a peer that is not there.
    pub(crate) has_failed: bool,
}

/// A workload, computed by all.
pub(crate) struct Race {
    /// The workload.
    pub(crate) workload: Workload,
    /// Contestants in the order of a round.
    pub(crate) lines: Vec<Line>,
}

impl Line {
    fn new(contestant: Contestant, size: u64) -> Self {
        Self { contestant, size, samples: Vec::new(), absent: None, has_failed: false }
    }

    /// Time for each unit.
    pub(crate) fn nanos_a_unit(&self) -> Option<Spread> {
        spread(self.samples.iter().map(Sample::nanos_a_unit))
    }

    /// Size of the record.
    pub(crate) fn bytes_an_event(&self) -> Option<f64> {
        let record = self.samples.last()?.record?;
        Some(record.n_bytes as f64 / record.n_events as f64)
    }

    /// Millions of events in a second, the median.
    pub(crate) fn millions_a_second(&self) -> Option<f64> {
        let numbers = self.samples.iter().filter_map(|sample| {
            let record = sample.record?;
            Some(record.n_events as f64 / sample.nanos * 1e3)
        });
        Some(spread(numbers)?.median)
    }

    /// Time for each unit, divided by what the other took in the same round.
    pub(crate) fn ratio_to(&self, other: &Line) -> Option<Spread> {
        let pairs = self.samples.iter().zip(&other.samples);
        spread(pairs.map(|(own, other)| own.nanos_a_unit() / other.nanos_a_unit()))
    }
}

impl Race {
    /// The line of a contestant.
    pub(crate) fn line(&self, system: System, n_threads: usize) -> Option<&Line> {
        self.lines.iter().find(|line| line.contestant == Contestant { system, n_threads })
    }

    /// The line that all are compared with: oneTBB on one thread.
    pub(crate) fn base(&self) -> Option<&Line> {
        self.line(System::Tbb, 1)
    }

    /// The median of the ratios of two contestants.
    pub(crate) fn ratio(&self, one: (System, usize), other: (System, usize)) -> Option<f64> {
        let (one, other) = (self.line(one.0, one.1)?, self.line(other.0, other.1)?);
        Some(one.ratio_to(other)?.median)
    }
}

/// How runs are made.
pub(crate) struct Conditions<'a> {
    /// Rounds that count.
    pub(crate) n_rounds: usize,
    /// Whether sizes are small, and there is no round before those that count.
    pub(crate) is_quick: bool,
    /// Where records go.
    pub(crate) folder: &'a Path,
    /// The compiled peer, or why there is none.
    pub(crate) tbb: &'a Result<Tbb, String>,
}

/// Runs a workload on everything. `tell` is given each round as it ends.
pub(crate) fn race(
    workload: Workload,
    conditions: &Conditions<'_>,
    mut tell: impl FnMut(usize),
) -> Result<Race, BenchError> {
    let size = |scale| workload.size(scale, conditions.is_quick);
    let compile = |bodies: Bodies| Compiled::new(workload, bodies, size(bodies.scale()), conditions.folder);
    let ours: Vec<Compiled> = Bodies::ALL.iter().map(|&bodies| compile(bodies)).collect::<Result<_, _>>()?;
    let mut lines = lines(workload, size);
    let n_rounds = conditions.n_rounds + usize::from(!conditions.is_quick);
    for nth in 0..n_rounds {
        let counts = conditions.is_quick || nth > 0;
        for place in order(lines.len(), nth) {
            let line = &mut lines[place];
            if line.absent.is_some() {
                continue;
            }
            let Contestant { system, n_threads } = line.contestant;
            let sample = match system {
                System::Tbb => match conditions.tbb {
                    Ok(tbb) => tbb.run(workload, n_threads, line.size),
                    Err(reason) => {
                        line.absent = Some(reason.clone());
                        continue;
                    }
                },
                System::Hasse(bodies, mode) => {
                    let place = Bodies::ALL.iter().position(|known| *known == bodies);
                    ours[place.expect("the lines are those of the workload")].run(mode, n_threads)
                }
                System::Library(library) => library.run(workload, n_threads, line.size),
            };
            match sample {
                Ok(sample) if counts => line.samples.push(sample),
                Ok(_) => {}
                Err(error) => {
                    eprintln!("{}, {}: {error}", workload.name(), line.contestant.name());
                    (line.absent, line.has_failed) = (Some("failed".to_owned()), true);
                }
            }
        }
        tell(nth);
    }
    Ok(Race { workload, lines })
}

/// The order of a round. That of the first is as told, so that each replay finds a record; then it is drawn anew each
/// time, the same in every benchmark: whoever ran before has left the caches to the next.
fn order(n_lines: usize, nth_round: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..n_lines).collect();
    if nth_round == 0 {
        return places;
    }
    // D. Knuth's generator for 64 bits (MMIX), and his algorithm P.
    let mut seed = nth_round as u64;
    for last in (1..n_lines).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        places.swap(last, (seed >> 33) as usize % (last + 1));
    }
    places
}

fn lines(workload: Workload, size: impl Fn(Scale) -> u64) -> Vec<Line> {
    let peer = size(Scale::Peer);
    let contestant = |system, n_threads| Contestant { system, n_threads };
    let mut lines: Vec<Line> =
        THREADS.iter().map(|&n_threads| Line::new(contestant(System::Tbb, n_threads), peer)).collect();
    for bodies in Bodies::ALL {
        for n_threads in THREADS {
            let modes = Mode::ALL.iter().map(|&mode| contestant(System::Hasse(bodies, mode), n_threads));
            lines.extend(modes.map(|contestant| Line::new(contestant, size(bodies.scale()))));
        }
    }
    for library in Library::ALL {
        let threads = library.n_threads(workload).iter();
        lines.extend(threads.map(|&n_threads| {
            Line::new(contestant(System::Library(library), n_threads), library.n_times() * peer)
        }));
    }
    lines
}
