//! Expected behavior, checked against the events of a run.
//!
//! The user says what must (or may) come before what; a [`Checker`](crate::check::Checker) is fed the events in causal
//! order and gives one [`Verdict`](crate::check::Verdict) a command. A verdict is never a bare no: it names the events
//! that offend, and for each how the values that it took came to it, down to the arc and the
//! routing rule in the program's file (Hyder 1994, section 6.5; evidence is ours).

/// The commands and their syntax.
pub mod command;
/// How the values that an event took came to it.
pub mod evidence;
mod parallel;
mod pred;
mod render;
mod resolve;

use std::io::Read;

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::trace::{Names, TraceReader};
use hasse_model::value::Value;

use crate::clock::{Clocks, TakenTooOften};
use crate::read::{ReadError, Summary, for_each_in_order};
use command::{Command, Spec};
use evidence::{Evidence, Senders};
use parallel::ParallelCheck;
use pred::PredCheck;

pub use render::{render, to_json};
pub use resolve::ResolveError;
use resolve::Target;

/// Why a trace could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A command names what the program does not have.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace contradicts itself.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
}

/// What became of one expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The command; for `pred` all alternatives on the same events.
    pub commands: Vec<String>,
    /// Whether the expectation was met: for `pred` by every event, for `parall` by some events.
    pub holds: bool,
    /// Number of events that the expectation is about.
    pub n_events: u64,
    /// Number of events that offend.
    pub n_violations: u64,
    /// The first of them, in causal order.
    pub violations: Vec<Violation>,
    /// For `parall`: events that were concurrent, in the order of the command; empty if none were.
    pub witness: Vec<String>,
    /// What else the user should know.
    pub notes: Vec<String>,
}

/// An event that is not as expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Path and count of the event.
    pub event: String,
    /// Name of its template.
    pub template: String,
    /// For each alternative, in the order of the commands: what is not before the event.
    pub missing: Vec<Vec<Missing>>,
    /// How its immediate predecessors reached it.
    pub evidence: Vec<Evidence>,
}

/// Something that is not before an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As the command names it.
    pub spec: String,
    /// Whether it occurred at all.
    pub occurred: bool,
}

/// Number of violations that a verdict spells out.
pub const MOST_VIOLATIONS: usize = 10;

/// One kind of check behind a verdict.
#[derive(Debug)]
enum Check {
    Pred(PredCheck),
    Parallel(ParallelCheck),
}

/// What an action has to do with the checks; found once, when its first event comes.
#[derive(Clone, Debug, Default)]
struct Binding {
    /// Slot of the action in the clocks, where some `parall` names it.
    own_slot: Option<usize>,
    /// Specs of `pred` that its events may match, by position; a spec's slot is its position.
    specs: Vec<usize>,
    /// Checks with whose subject its events may match, by position.
    checks: Vec<usize>,
}

/// Checks commands against events that come in causal order.
#[derive(Debug)]
pub struct Checker<'a> {
    plan: &'a Plan,
    params: &'a [(String, Value)],
    checks: Vec<Check>,
    /// What `pred` commands expect before something; the first slots of the clocks.
    specs: Vec<Target>,
    n_slots: usize,
    bindings: FxHashMap<ActionId, Binding>,
    clocks: Clocks,
    senders: Senders,
}

impl<'a> Checker<'a> {
    /// Prepares commands for a program and the parameters that it was run with.
    ///
    /// # Errors
    /// Where a command names what the program does not have.
    pub fn new(
        commands: &[Command],
        plan: &'a Plan,
        params: &'a [(String, Value)],
    ) -> Result<Self, ResolveError> {
        let mut checks = Vec::new();
        let mut specs: Vec<Target> = Vec::new();
        let mut pred_of: FxHashMap<&Spec, usize> = FxHashMap::default();
        for command in commands {
            match command {
                Command::Pred { event, before, text } => {
                    let targets = before.iter().map(|spec| resolve::resolve(spec, plan));
                    let targets = targets.collect::<Result<Vec<_>, _>>()?;
                    let subject = resolve::resolve(event, plan)?;
                    let slots = targets.into_iter().map(|target| position_of(&mut specs, target)).collect();
                    let check_idx = *pred_of.entry(event).or_insert(checks.len());
                    if check_idx == checks.len() {
                        checks.push(Check::Pred(PredCheck::new(subject)));
                    }
                    if let Check::Pred(check) = &mut checks[check_idx] {
                        check.add_alternative(text.clone(), slots);
                    }
                }
                Command::Parallel { specs, text } => {
                    let targets = specs.iter().map(|spec| resolve::resolve(spec, plan));
                    let targets = targets.collect::<Result<Vec<_>, _>>()?;
                    checks.push(Check::Parallel(ParallelCheck::new(text.clone(), targets)));
                }
            }
        }
        let subjects = checks.iter().filter_map(|check| match check {
            Check::Pred(check) => Some(check.subject().template),
            Check::Parallel(_) => None,
        });
        let senders = Senders::new(plan, subjects);
        let (n_slots, bindings, clocks) = (specs.len(), FxHashMap::default(), Clocks::new());
        Ok(Self { plan, params, checks, specs, n_slots, bindings, clocks, senders })
    }

    /// Takes in the next event in causal order.
    ///
    /// # Errors
    /// Where the trace contradicts itself.
    pub fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), TakenTooOften> {
        let before = self.clocks.arrive(event)?;
        if !self.bindings.contains_key(&event.id.action) {
            let binding = self.bind(event.id.action, names);
            self.bindings.insert(event.id.action, binding);
        }
        let binding = &self.bindings[&event.id.action];
        let mut clock = before.clone();
        for &spec_idx in &binding.specs {
            if self.specs[spec_idx].fits_count(event.id.count) {
                self.specs[spec_idx].n_occurred += 1;
                clock.raise(spec_idx, 1);
            }
        }
        if let Some(slot) = binding.own_slot {
            clock.raise(slot, event.id.count);
        }
        for &check_idx in &binding.checks {
            match &mut self.checks[check_idx] {
                Check::Pred(check) => {
                    let evidence = || self.senders.evidence(event, names, self.plan, self.params);
                    check.event(event, names, &before, evidence);
                }
                Check::Parallel(check) => {
                    check.event(event.id, &clock);
                }
            }
        }
        self.senders.pass(event, names);
        self.clocks.leave(event, clock);
        Ok(())
    }

    /// The verdicts, in the order of the commands; commands on the same events share one.
    pub fn finish(self, names: &Names) -> Vec<Verdict> {
        let Self { checks, specs, .. } = self;
        let verdict = |check| match check {
            Check::Pred(check) => PredCheck::finish(check, &specs),
            Check::Parallel(check) => ParallelCheck::finish(check, names),
        };
        checks.into_iter().map(verdict).collect()
    }

    fn bind(&mut self, action: ActionId, names: &Names) -> Binding {
        let mut binding = Binding::default();
        let fits = |target: &Target| target.fits_action(action, names);
        binding.specs = (0..self.specs.len()).filter(|&spec_idx| fits(&self.specs[spec_idx])).collect();
        for (check_idx, check) in self.checks.iter_mut().enumerate() {
            let is_bound = match check {
                Check::Pred(check) => fits(check.subject()),
                Check::Parallel(check) => {
                    let is_bound = check.targets().iter().any(fits);
                    if is_bound {
                        let slot = *binding.own_slot.get_or_insert(self.n_slots);
                        check.bind(action, slot, names);
                    }
                    is_bound
                }
            };
            if is_bound {
                binding.checks.push(check_idx);
            }
        }
        self.n_slots += usize::from(binding.own_slot.is_some());
        binding
    }
}

/// Checks commands against a trace. Time: linear in events and edges, times the number of slots
/// that differ between merged clocks.
///
/// # Errors
/// Where a command names what the program does not have, or the trace cannot be read.
pub fn verify<R: Read>(
    reader: TraceReader<R>,
    plan: &Plan,
    commands: &[Command],
) -> Result<(Vec<Verdict>, Summary), CheckError> {
    let params = reader.header().params.clone();
    let mut checker = Checker::new(commands, plan, &params)?;
    let mut failure = None;
    let summary = for_each_in_order(reader, |event, names| {
        if failure.is_none()
            && let Err(source) = checker.event(&event, names)
        {
            failure = Some(CheckError::Inconsistent { event: names.event(event.id).to_string(), source });
        }
    })?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok((checker.finish(&summary.names), summary)),
    }
}

fn position_of(specs: &mut Vec<Target>, target: Target) -> usize {
    specs.iter().position(|known| known.is_same(&target)).unwrap_or_else(|| {
        specs.push(target);
        specs.len() - 1
    })
}

#[cfg(test)]
mod tests;
