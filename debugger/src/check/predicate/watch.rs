//! A predicate as a check: what comes is stored, searched and counted.

use std::sync::Arc;

use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use rustc_hash::FxHashMap;

use super::explain;
use super::formula::{Predicate, Quantifier};
use super::lower::{self};
use super::search::{Env, Search, Truth};
use super::search_plan::Lowered;
use super::store::{Seen, Store};
use crate::check::bindings::Place;
use crate::check::dispatch::{Check, Context, End, Interest};
use crate::check::evidence::World;
use crate::check::log::Log;
use crate::check::resolve::{ResolveError, Target};
use crate::check::verdict::{MOST_VIOLATIONS, Verdict, Violation};

/// One predicate.
///
/// Cost: for each event of its nodes, the combinations that its order to stored events leaves; memory: the events that
/// variables may yet stand for, and the combinations that later events decide.
#[derive(Debug)]
pub(in crate::check) struct PredicateCheck {
    text: String,
    predicate: Predicate,
    lowered: Lowered,
    stores: Vec<Store>,
    actions: FxHashMap<ActionId, Bound>,
    /// Combinations that later events decide, in the order of their last events.
    open: Vec<Env>,
    /// Number of them at which they are looked at again.
    threshold: usize,
    n_events: u64,
    tally: Tally,
}

/// What an action has to do with a predicate.
#[derive(Clone, Debug, Default)]
struct Bound {
    slot: Option<usize>,
    /// Variables that its events may be.
    vars: Vec<usize>,
}

/// What has been found.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Combinations that count.
    n_combinations: u64,
    n_violations: u64,
    /// The first ones with the number of their last event, ascending.
    violations: Vec<(u64, Violation)>,
    /// What `exists` has found.
    witness: Vec<EventId>,
    /// Why it cannot be evaluated.
    error: Option<String>,
}

impl PredicateCheck {
    /// Prepares a predicate for a program.
    ///
    /// # Errors
    /// Where it names what the program does not have.
    pub(in crate::check) fn new(
        predicate: &Predicate,
        text: String,
        plan: &Plan,
    ) -> Result<Self, ResolveError> {
        let lowered = lower::lower(predicate, plan)?;
        Ok(Self {
            text,
            predicate: predicate.clone(),
            stores: lowered.vars.iter().map(|_| Store::default()).collect(),
            lowered,
            actions: FxHashMap::default(),
            open: Vec::new(),
            threshold: 0,
            n_events: 0,
            tally: Tally::default(),
        })
    }

    fn is_decided(&self) -> bool {
        self.tally.error.is_some() || !self.tally.witness.is_empty()
    }

    fn take_in(&mut self, context: &Context<'_>) -> Result<(), String> {
        let Some(bound) = self.actions.get(&context.event.id.action) else { return Ok(()) };
        let count = context.event.id.count;
        if !bound.vars.iter().any(|&var| self.lowered.vars[var].target.fits_count(count)) {
            return Ok(());
        }
        let (event, slot) = (context.event, bound.slot);
        let seen = Arc::new(Seen::new(event, context.number, slot, context.clock.clone()));
        let mut env: Env = vec![None; self.lowered.vars.len()];
        let mut fitting = Vec::with_capacity(bound.vars.len());
        for &var in &bound.vars {
            let info = &self.lowered.vars[var];
            if !info.target.fits_count(context.event.id.count) {
                continue;
            }
            self.lowered.vars[var].target.n_occurred += 1;
            let info = &self.lowered.vars[var];
            env[var] = Some(seen.clone());
            let search =
                Search { lowered: &self.lowered, stores: &self.stores, names: context.names, is_over: false };
            let mut is_fitting = true;
            for form in &info.own {
                is_fitting = is_fitting && search.truth(form, &mut env)? == Truth::True;
            }
            env[var] = None;
            if is_fitting {
                fitting.push(var);
                self.stores[var].push(&seen, info.keep, info.needs_successors);
                if info.is_spent_without_successors {
                    let is_last = |other: &Seen| other.number == seen.number;
                    let matters = |other: &Seen| {
                        is_last(other) || context.senders.may_have_successors(other.id, &other.written)
                    };
                    self.stores[var].prune(matters);
                }
            }
        }
        let is_top = |var: &usize| self.lowered.top.contains(var);
        self.n_events += u64::from(
            bound
                .vars
                .iter()
                .any(|var| is_top(var) && self.lowered.vars[*var].target.fits_count(context.event.id.count)),
        );
        let mut found: Vec<(Env, bool)> = Vec::new();
        let search =
            Search { lowered: &self.lowered, stores: &self.stores, names: context.names, is_over: false };
        for (start, &var) in self.lowered.top.iter().enumerate() {
            let Some((level, rest)) = self.lowered.starts[start].split_first() else { continue };
            if !fitting.contains(&var) {
                continue;
            }
            env.iter_mut().for_each(|event| *event = None);
            env[var] = Some(seen.clone());
            let last = Some(seen.number);
            search.level(
                &self.lowered.guard,
                level,
                rest,
                last,
                false,
                &mut env,
                &mut |search, env, is_open| {
                    let verdict = self.tally.judge(search, env, is_open)?;
                    match verdict {
                        Judgment::Fine => {}
                        Judgment::Open => found.push((env.clone(), true)),
                        Judgment::Found => found.push((env.clone(), false)),
                    }
                    Ok(verdict == Judgment::Found && search.lowered.quantifier == Quantifier::Exists)
                },
            )?;
        }
        for (env, is_open) in found {
            if is_open {
                self.open.push(env);
            } else {
                self.tally.note(&self.predicate, &self.lowered, &env, context.log, context.world());
            }
        }
        if self.open.len() >= self.threshold.max(64) {
            self.look_again(context)?;
        }
        if !self.tally.witness.is_empty() {
            self.stores.iter_mut().for_each(|store| *store = Store::default());
            self.open = Vec::new();
        }
        Ok(())
    }

    /// Looks again at what was open; now and then, so that it costs each combination a constant number of looks.
    fn look_again(&mut self, context: &Context<'_>) -> Result<(), String> {
        let open = std::mem::take(&mut self.open);
        let search =
            Search { lowered: &self.lowered, stores: &self.stores, names: context.names, is_over: false };
        self.open = self.tally.decide(&self.predicate, &search, open, context.log, context.world())?;
        self.threshold = 2 * self.open.len();
        Ok(())
    }
}

/// What a combination means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgment {
    Fine,
    Open,
    /// A violation, or what `exists` looks for.
    Found,
}

impl Tally {
    /// Judges a combination that counts, or that may count where `is_open`.
    fn judge(&mut self, search: &Search<'_>, env: &mut Env, is_open: bool) -> Result<Judgment, String> {
        if is_open {
            return Ok(Judgment::Open);
        }
        let truth = search.all(&search.lowered.rest, env)?;
        if truth == Truth::Open {
            return Ok(Judgment::Open);
        }
        self.n_combinations += 1;
        Ok(if truth == Truth::True { Judgment::Found } else { Judgment::Fine })
    }

    /// Judges combinations again; gives those that are still open.
    fn decide(
        &mut self,
        predicate: &Predicate,
        search: &Search<'_>,
        open: Vec<Env>,
        log: Option<&Log>,
        world: World<'_>,
    ) -> Result<Vec<Env>, String> {
        let mut left = Vec::new();
        for mut env in open {
            let truth = search.all(&search.lowered.guard, &mut env)?;
            if truth == Truth::False {
                continue;
            }
            match self.judge(search, &mut env, truth == Truth::Open)? {
                Judgment::Fine => {}
                Judgment::Open => left.push(env),
                Judgment::Found => self.note(predicate, search.lowered, &env, log, world),
            }
        }
        Ok(left)
    }

    /// Notes a violation or witness.
    fn note(
        &mut self,
        predicate: &Predicate,
        lowered: &Lowered,
        env: &Env,
        log: Option<&Log>,
        world: World<'_>,
    ) {
        if lowered.quantifier == Quantifier::Exists {
            if self.witness.is_empty() {
                self.witness = lowered.top.iter().filter_map(|&var| Some(env[var].as_ref()?.id)).collect();
            }
            return;
        }
        self.n_violations += 1;
        let number = env.iter().flatten().map(|seen| seen.number).max().unwrap_or(0);
        let position = self.violations.partition_point(|(known, _)| *known <= number);
        if position < MOST_VIOLATIONS {
            let violation = explain::violation(predicate, lowered, env, log, world);
            self.violations.insert(position, (number, violation));
            self.violations.truncate(MOST_VIOLATIONS);
        }
    }
}

impl Check for PredicateCheck {
    fn interest(&self, action: ActionId, names: &Names) -> Interest {
        let mut interest = Interest::None;
        for var in self.lowered.vars.iter().filter(|var| var.target.fits_action(action, names)) {
            interest = interest.max(if var.needs_slot { Interest::Clock } else { Interest::Events });
        }
        interest
    }

    fn places(&self) -> Option<Vec<Place>> {
        Some(self.lowered.vars.iter().map(|var| var.target.place()).collect())
    }

    fn bind(&mut self, action: ActionId, slot: Option<usize>, names: &Names) {
        let fits = |var: &usize| self.lowered.vars[*var].target.fits_action(action, names);
        let vars = (0..self.lowered.vars.len()).filter(fits).collect();
        self.actions.insert(action, Bound { slot, vars });
    }

    fn subjects(&self) -> Vec<TemplateId> {
        self.lowered.vars.iter().map(|var| var.target.template).collect()
    }

    fn sources(&self) -> Vec<TemplateId> {
        let sources = self.lowered.vars.iter().filter(|var| var.is_spent_without_successors);
        sources.map(|var| var.target.template).collect()
    }

    fn wants_log(&self) -> bool {
        true
    }

    fn event(&mut self, context: &Context<'_>) {
        if self.is_decided() {
            return;
        }
        if let Err(error) = self.take_in(context) {
            self.tally.error = Some(error);
            self.stores.iter_mut().for_each(|store| *store = Store::default());
            self.open = Vec::new();
        }
    }

    fn named(&self, _: &Names) -> Vec<(&Target, bool)> {
        self.lowered.vars.iter().map(|var| (&var.target, var.target.n_occurred > 0)).collect()
    }

    fn verdict(&self, end: &End<'_>) -> Verdict {
        let mut tally = self.tally.clone();
        let mut n_undecided = self.open.len() as u64;
        if end.is_over && !self.open.is_empty() {
            let search =
                Search { lowered: &self.lowered, stores: &self.stores, names: end.names, is_over: true };
            n_undecided = 0;
            if let Err(error) =
                tally.decide(&self.predicate, &search, self.open.clone(), end.log, end.world())
            {
                tally.error = Some(error);
            }
        }
        let mut notes = Vec::new();
        for var in &self.lowered.vars {
            let note = var.target.absence();
            if var.target.n_occurred == 0 && tally.error.is_none() && !notes.contains(&note) {
                notes.push(note);
            }
        }
        let is_forall = self.lowered.quantifier == Quantifier::Forall;
        if is_forall && tally.n_combinations == 0 && n_undecided == 0 && tally.error.is_none() {
            notes.push("no events are as `where` says, so there was nothing to check".to_owned());
            if self.lowered.vars.iter().any(|var| var.target.n_occurred == 0) {
                notes.pop();
            }
        }
        let witness: Vec<String> =
            tally.witness.iter().map(|&event| end.names.event(event).to_string()).collect();
        let holds = match self.lowered.quantifier {
            Quantifier::Exists => !witness.is_empty(),
            Quantifier::Forall | Quantifier::Never => tally.n_violations == 0,
        };
        Verdict {
            holds: holds && tally.error.is_none(),
            error: tally.error,
            n_events: self.n_events,
            n_combinations: (is_forall && self.lowered.top.len() > 1).then_some(tally.n_combinations),
            n_violations: tally.n_violations,
            n_undecided,
            violations: tally.violations.into_iter().map(|(_, violation)| violation).collect(),
            witness,
            notes,
            ..Verdict::of(vec![self.text.clone()])
        }
    }
}
