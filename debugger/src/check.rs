//! Expected behavior, checked against the events of a run.
//!
//! The user says what must (or may) come before what; a [`Checker`](crate::check::Checker) is fed the events in causal
//! order and gives one [`Verdict`](crate::check::Verdict) a command. A verdict is never a bare no: it names the events
//! that offend, and for each how the values that it took came to it, down to the arc and the
//! routing rule in the program's file (Hyder 1994, section 6.5; evidence is ours).

/// The commands and their syntax.
pub mod command;
/// Conditions that hold at the same time.
pub mod conjunctive;
/// How the values that an event took came to it.
pub mod evidence;
/// Parts of a history that show something.
pub mod history;
/// Models of expected behavior.
pub mod model;
/// Path expressions.
pub mod path;
/// Which values checks ask for.
pub mod values;
/// What became of expectations.
pub mod verdict;

mod bindings;
/// Quantified predicates.
pub mod predicate;

mod dispatch;
mod guard;
mod hidden;
mod interpreter;
mod linked;
mod log;
mod moment;
mod parallel;
mod pred;
mod relay;
mod render;
mod resolve;
mod routes;
mod spec;
mod summary;
mod ways;

#[cfg(test)]
mod oracle;

use hasse_model::event::EventRecord;
use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::trace::{BatchSource, Names, RecordingMode};
use hasse_model::value::Value;

use crate::clock::{Clocks, TakenTooOften};
use crate::read::{ReadError, Summary, try_lend_in_order};
use bindings::{Asker, Bindings, Stale};
use command::Command;
use conjunctive::ConjunctiveCheck;
use dispatch::{Check, Context, End, Interest, SpecSlot};
use evidence::Senders;
use hidden::Hidden;
use linked::LinkedCheck;
use log::Log;
use model::ModelCheck;
use parallel::ParallelCheck;
use path::{ChainCheck, PathCheck};
use pred::PredCheck;
use predicate::PredicateCheck;
use spec::Spec;

pub use render::{render, to_json};
use resolve::Target;
pub use resolve::{ResolveError, names_template};
pub use verdict::{Bound, MOST_VIOLATIONS, Missing, Verdict, Violation};

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

/// A command, or alternatives of `check pred` on the same events, that a checker watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckId(usize);

/// A check and since when it watches.
#[derive(Debug)]
struct Watch {
    check: Box<dyn Check>,
    /// Number of events delivered when it was added: of these it says nothing.
    since: u64,
    /// The subject of `check pred`, to which alternatives can be added.
    subject: Option<Spec>,
    /// Positions in `specs` of what it asks for.
    specs: Vec<usize>,
    /// For each spec that the check names: the number of its events that the check set hides.
    n_hidden: Vec<u64>,
}

/// Checks commands against events that come in causal order. Commands can be added and deleted between events;
/// clocks grow by slots (Hyder 1994, section 8.1.1).
///
/// Cost: for each event a clock, of at most as many numbers as there are specs of `pred` and actions that other
/// checks compare; a slot is not given to another action or spec when its command is deleted.
#[derive(Debug)]
pub struct Checker<'a> {
    plan: &'a Plan,
    params: &'a [(String, Value)],
    /// By `CheckId`; `None` where deleted.
    watches: Vec<Option<Watch>>,
    /// What `pred` commands expect before something.
    specs: Vec<SpecSlot>,
    n_slots: usize,
    n_events: u64,
    mode: Option<RecordingMode>,
    bindings: Bindings,
    clocks: Clocks,
    senders: Senders,
    /// The last events, once some check has wanted them.
    log: Option<Log>,
    is_restricted: bool,
    hidden: Hidden,
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
        let mut checker = Self {
            plan,
            params,
            watches: Vec::new(),
            specs: Vec::new(),
            n_slots: 0,
            n_events: 0,
            mode: None,
            bindings: Bindings::default(),
            clocks: Clocks::new(),
            senders: Senders::default(),
            log: None,
            is_restricted: false,
            hidden: Hidden::default(),
        };
        for command in commands {
            checker.add(command)?;
        }
        Ok(checker)
    }

    /// Expects records of a mode; without it, full ones. To be said before the first event.
    pub fn recorded(mut self, mode: RecordingMode) -> Self {
        self.is_restricted = mode == RecordingMode::Restricted;
        self.mode = Some(mode);
        self.senders.expect_mode(mode);
        self.clocks = Clocks::of_mode(mode);
        self.watches.iter_mut().flatten().for_each(|watch| watch.check.expect_mode(mode));
        self
    }

    /// Adds a command, which speaks of the events from now on. A `check pred` on the same events as another one,
    /// with no event in between, is an alternative to it and shares its id.
    ///
    /// # Errors
    /// Where the command names what the program does not have; then nothing is added.
    pub fn add(&mut self, command: &Command) -> Result<CheckId, ResolveError> {
        let plan = self.plan;
        let resolve_all = |specs: &[Spec]| {
            specs.iter().map(|spec| resolve::resolve(spec, plan)).collect::<Result<Vec<_>, _>>()
        };
        let check: Box<dyn Check> = match command {
            Command::Pred { event, before, text } => {
                let (subject, targets) = (resolve::resolve(event, plan)?, resolve_all(before)?);
                return Ok(self.add_pred(event, subject, targets, text));
            }
            Command::Parallel { specs, text } => {
                Box::new(ParallelCheck::new(text.clone(), resolve_all(specs)?))
            }
            Command::Predicate { predicate, text } => {
                Box::new(PredicateCheck::new(predicate, text.clone(), plan)?)
            }
            Command::Linked { steps, text } => {
                let steps = steps.iter().map(|step| resolve_all(step)).collect::<Result<_, _>>()?;
                Box::new(LinkedCheck::new(text.clone(), steps))
            }
            Command::Path { path, text } => {
                let targets = path.specs().into_iter().map(|spec| resolve::resolve(spec, plan));
                Box::new(PathCheck::new(text.clone(), path, targets.collect::<Result<_, _>>()?))
            }
            Command::Chain { path, text } => {
                let targets = path.specs().into_iter().map(|spec| resolve::resolve(spec, plan));
                Box::new(ChainCheck::new(text.clone(), path, targets.collect::<Result<_, _>>()?))
            }
            Command::Conjunctive { modality, conjuncts, text } => {
                Box::new(ConjunctiveCheck::new(text.clone(), *modality, conjuncts, plan, self.params)?)
            }
            Command::Model { model, text } => {
                let refused = |reason| ResolveError::Model { command: text.clone(), reason };
                Box::new(ModelCheck::new(text.clone(), model, plan, self.params).map_err(refused)?)
            }
        };
        Ok(self.watch(check, None))
    }

    /// Stops watching; gives the verdict so far, or `None` where it was deleted before. The alternatives of a
    /// `check pred` go together.
    pub fn delete(&mut self, id: CheckId, names: &Names) -> Option<Verdict> {
        let watch = self.watches.get_mut(id.0)?.take()?;
        for &spec_idx in &watch.specs {
            self.specs[spec_idx].n_users -= 1;
        }
        let mut verdict = self.verdict_of(&watch, names, false);
        // It speaks of the events until now, and of no further ones.
        if verdict.n_undecided > 0 {
            verdict.open();
        }
        Some(verdict)
    }

    /// The ids of the commands that are watched, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = CheckId> + '_ {
        (0..self.watches.len()).filter(|&idx| self.watches[idx].is_some()).map(CheckId)
    }

    fn add_pred(&mut self, event: &Spec, subject: Target, targets: Vec<Target>, text: &str) -> CheckId {
        let is_alternative = |watch: &Option<Watch>| {
            let same = |watch: &Watch| watch.since == self.n_events && watch.subject.as_ref() == Some(event);
            watch.as_ref().is_some_and(same)
        };
        let id = match self.watches.iter().position(is_alternative) {
            Some(known) => CheckId(known),
            None => self.watch(Box::new(PredCheck::new(subject)), Some(event.clone())),
        };
        let specs: Vec<usize> = targets.into_iter().map(|target| self.spec(target)).collect();
        let slots = specs.iter().map(|&spec_idx| self.specs[spec_idx].slot).collect();
        if let Some(watch) = &mut self.watches[id.0] {
            watch.specs.extend(specs);
            if let Some(pred) = watch.check.as_pred() {
                pred.add_alternative(text.to_owned(), slots);
            }
        }
        id
    }

    fn watch(&mut self, mut check: Box<dyn Check>, subject: Option<Spec>) -> CheckId {
        self.mode.iter().for_each(|&mode| check.expect_mode(mode));
        self.senders.watch(self.plan, check.subjects(), check.sources());
        self.bindings.add(Asker::Check(self.watches.len()), check.places());
        if check.wants_log() {
            self.log.get_or_insert_default();
        }
        self.watches.push(Some(Watch {
            check,
            since: self.n_events,
            subject,
            specs: Vec::new(),
            n_hidden: Vec::new(),
        }));
        CheckId(self.watches.len() - 1)
    }

    /// The position of a spec that knows of the events from now on.
    fn spec(&mut self, target: Target) -> usize {
        let since = self.n_events;
        let is_same = |known: &SpecSlot| known.since == since && known.target.is_same(&target);
        let spec_idx = self.specs.iter().position(is_same).unwrap_or_else(|| {
            let slot = self.n_slots;
            self.n_slots += 1;
            self.bindings.add(Asker::Spec(self.specs.len()), Some(vec![target.place()]));
            self.specs.push(SpecSlot { target, slot, since, n_users: 0, n_hidden: 0 });
            self.specs.len() - 1
        });
        self.specs[spec_idx].n_users += 1;
        spec_idx
    }

    /// Takes in the next event in causal order.
    ///
    /// # Errors
    /// Where the trace contradicts itself.
    pub fn event(&mut self, event: &EventRecord, names: &Names) -> Result<(), TakenTooOften> {
        let before = self.clocks.arrive(event)?;
        self.n_events += 1;
        if let Some(log) = &mut self.log {
            log.push(event, self.n_events);
        }
        let Some(binding) = self.bind(event.id.action, names) else {
            self.senders.pass(event, names);
            self.clocks.leave(event, before);
            return Ok(());
        };
        let binding = self.bindings.get(binding);
        let mut clock = before.clone();
        for &spec_idx in &binding.specs {
            let spec = &mut self.specs[spec_idx];
            if spec.n_users > 0 && spec.target.fits_count(event.id.count) {
                spec.target.n_occurred += 1;
                clock.raise(spec.slot, 1);
            }
        }
        if let Some(slot) = binding.own_slot {
            clock.raise(slot, event.id.count);
        }
        let context = Context {
            event,
            number: self.n_events,
            names,
            plan: self.plan,
            params: self.params,
            before: &before,
            clock: &clock,
            senders: &self.senders,
            log: self.log.as_ref(),
            is_restricted: self.is_restricted,
        };
        for &check_idx in &binding.checks {
            if let Some(watch) = &mut self.watches[check_idx] {
                watch.check.event(&context);
            }
        }
        self.senders.pass(event, names);
        self.clocks.leave(event, clock);
        Ok(())
    }

    /// The verdicts on what has come so far, in the order of the commands; commands on the same events share one.
    pub fn verdicts(&self, names: &Names) -> Vec<Verdict> {
        self.verdicts_at(names, false)
    }

    /// The verdicts when no more events will come, in the order of the commands.
    pub fn finish(self, names: &Names) -> Vec<Verdict> {
        self.verdicts_at(names, true)
    }

    fn verdicts_at(&self, names: &Names, is_over: bool) -> Vec<Verdict> {
        let of = |watch: &Watch| {
            let mut verdict = self.verdict_of(watch, names, is_over);
            if !is_over {
                verdict.open();
            }
            verdict
        };
        self.watches.iter().flatten().map(of).collect()
    }

    fn verdict_of(&self, watch: &Watch, names: &Names, is_over: bool) -> Verdict {
        let mut verdict = watch.check.verdict(&End {
            names,
            plan: self.plan,
            params: self.params,
            log: self.log.as_ref(),
            is_restricted: self.is_restricted,
            specs: &self.specs,
            is_over,
        });
        self.admit_hidden(watch, &mut verdict, names);
        if watch.since > 0 {
            let note = format!("it speaks of the events from number {} on", watch.since + 1);
            verdict.notes.insert(0, note);
        }
        verdict
    }

    /// The position of an action's binding; `None` where nothing asks for its events.
    #[inline]
    fn bind(&mut self, action: ActionId, names: &Names) -> Option<usize> {
        self.bindings.find(action).unwrap_or_else(|Stale| self.bind_anew(action, names))
    }

    /// Finds what an action has to do with checks that were added since its last event.
    fn bind_anew(&mut self, action: ActionId, names: &Names) -> Option<usize> {
        let mut binding = self.bindings.so_far(action);
        let n_known = (self.specs.len(), self.watches.len());
        let (first_spec, first_check) = std::mem::replace(&mut binding.n_seen, n_known);
        let candidates = self.bindings.candidates(action, names);
        let new_specs = candidates.iter().filter_map(|asker| match asker {
            Asker::Spec(spec_idx) => (*spec_idx >= first_spec).then_some(*spec_idx),
            Asker::Check(_) => None,
        });
        let fits = |spec_idx: &usize| self.specs[*spec_idx].target.fits_action(action, names);
        binding.specs.extend(new_specs.filter(fits));
        binding.checks.retain(|&check_idx| self.watches[check_idx].is_some());
        for asker in candidates {
            let Asker::Check(check_idx) = asker else { continue };
            if check_idx < first_check {
                continue;
            }
            let Some(Watch { check, .. }) = &mut self.watches[check_idx] else { continue };
            let slot = match check.interest(action, names) {
                Interest::None => continue,
                Interest::Events => None,
                Interest::Clock => {
                    let slot = *binding.own_slot.get_or_insert(self.n_slots);
                    self.n_slots = self.n_slots.max(slot + 1);
                    Some(slot)
                }
            };
            check.bind(action, slot, names);
            binding.checks.push(check_idx);
        }
        self.bindings.set(action, binding)
    }
}

/// Checks commands against a trace. Time: linear in events and edges, times the number of slots
/// that differ between merged clocks.
///
/// # Errors
/// Where a command names what the program does not have, or the trace cannot be read.
pub fn verify(
    source: impl BatchSource,
    plan: &Plan,
    commands: &[Command],
) -> Result<(Vec<Verdict>, Summary), CheckError> {
    let params = source.header().params.clone();
    let mut checker = Checker::new(commands, plan, &params)?.recorded(source.header().mode);
    let summary = try_lend_in_order(source, |event, names| {
        checker
            .event(event, names)
            .map_err(|source| CheckError::Inconsistent { event: names.event(event.id).to_string(), source })
    })?;
    Ok((checker.finish(&summary.names), summary))
}

#[cfg(test)]
mod tests;
