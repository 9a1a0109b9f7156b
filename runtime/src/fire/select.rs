//! Firing: which rule of an instance is enabled, which one is taken, and what it removes.

/// Causes of an execution that fails before it takes values.
pub(crate) mod cause;
/// Decisions from outside.
pub(crate) mod decisions;
/// Rules that are enabled some time after their values have come.
mod timed;
/// Values that a rule wants.
pub(crate) mod wanted;

use std::sync::Arc;

use hasse_store::execution::Execution;
use hasse_store::instance::{Core, Instance};
use hasse_store::token::Token;

use hasse_record::event::Taken;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::stamp::Directive;

use hasse_body::convert::dynamic_from_value;
use hasse_body::script::{self, CodeError};
use hasse_code::eval;
use hasse_code::eval::Env;
use hasse_model::diagnostic::Location;
use hasse_model::event::Effect;
use hasse_model::id::{EventId, Index};
use hasse_model::plan::{Code, FiringRule, Slot, Template};
use hasse_model::value::{Type, Value};
use hasse_request::report::Refusal;
use rhai::Dynamic;
use thin_vec::ThinVec;

use crate::fire::worker::Worker;

use crate::fire::wanted::{MANY_WANTED, MOST_SHORTAGES, Shortage, Wanted, earlier_of};

/// The firing rule that is looked at first after an event by a rule: the next one in turn, or always the first one where rules
/// are in the order of preference.
#[inline]
pub(crate) fn next_first_rule(prefers: bool, rule_idx: usize, n_rules: usize) -> u32 {
    if prefers { 0 } else { ((rule_idx + 1) % n_rules) as u32 }
}

impl<'p, M: Instrumentation> Worker<'_, 'p, M> {
    /// Takes the values of an enabled rule, if there is one that may be taken now.
    pub(crate) fn select(&mut self, instance: &Arc<Instance<M>>, core: &mut Core<M>) -> Option<Execution<M>> {
        if core.has_failed {
            return None;
        }
        let id = EventId { action: instance.action, count: core.count + 1 };
        let layout = &self.session.program.layouts[instance.template.idx()];
        self.frame.set(layout.count, Dynamic::from_int(id.count as i64));
        if !core.is_initialized
            && let Err(error) = self.initialize(instance, core)
        {
            if error.is_interruption() {
                return None;
            }
            return self.begin_failed_init(instance, core, id, error);
        }
        let template = self.session.program.plan.template(instance.template);
        let choice = if self.session.replays() && self.tells_choices() {
            self.chosen(instance, core, template, id)
        } else if self.session.replays() {
            self.forced_choice(instance, core, template, id)
        } else if core.must_start {
            Some((-1, None))
        } else if self.session.scheduler.by_choice().is_some() {
            self.decided_choice(instance, core, template, id)
        } else {
            self.free_choice(instance, core, template, id)
        };
        let (rule, error) = choice?;
        if error.as_ref().is_some_and(CodeError::is_interruption) {
            return None;
        }
        core.must_start = false;
        if rule < 0 {
            self.up_to.clear();
        }
        let is_free = M::NOTES_CHOICES
            && template.fire.len() > 1
            && usize::try_from(rule)
                .is_ok_and(|rule| self.predicted_rule(instance, core, template) != Some(rule));
        let mut execution = self.begin(core, id, rule, error);
        if execution.early_error.is_some() {
            let failed = usize::try_from(rule).ok().map(|rule_idx| &template.fire[rule_idx]);
            self.note_causes(instance, core, &mut execution, failed);
        }
        if is_free {
            self.session.instrumentation.free_rule(&mut execution.draft);
        }
        if M::RECORDS && self.captured(instance, id.count).around {
            let found = self.vars(template, &self.session.program.layouts[instance.template.idx()]);
            execution.local_state().found = found;
        }
        self.save_vars(instance, &mut execution);
        if M::RECORDS && execution.early_error.is_none() {
            execution.notes = self.up_to.iter().copied().map(Effect::taken).collect();
        }
        if let (Ok(rule_idx), None) = (usize::try_from(rule), &execution.early_error) {
            core.first_rule = next_first_rule(template.prefers, rule_idx, template.fire.len());
            if let Err(error) = self.bind(instance, core, template, &template.fire[rule_idx], &mut execution)
            {
                execution.early_error = Some(error);
            }
        }
        Some(execution)
    }

    /// The execution of an action whose `init` has failed; `None` where a replay has to wait for its cause, or has none.
    #[cold]
    fn begin_failed_init(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        id: EventId,
        error: CodeError,
    ) -> Option<Execution<M>> {
        if self.session.replays() && self.session.instrumentation.expected(id).is_none() {
            core.has_failed = true;
            return None;
        }
        if !self.find_causes(instance, core, id, None) {
            return None;
        }
        core.has_failed = true;
        let mut execution = self.begin(core, id, -1, Some(error));
        self.note_causes(instance, core, &mut execution, None);
        Some(execution)
    }

    pub(crate) fn begin(
        &mut self,
        core: &mut Core<M>,
        id: EventId,
        rule: i32,
        early_error: Option<CodeError>,
    ) -> Execution<M> {
        core.count = id.count;
        let draft = self.session.instrumentation.begin(&mut self.notes, &core.keep, id, rule);
        let known = core.known.clone();
        let controlled = self.board().map(|_| Box::default());
        Execution {
            id,
            rule,
            draft,
            known,
            n_locks: 0,
            bound: Vec::new(),
            early_error,
            savepoint: None,
            n_retries: 0,
            waiting: None,
            local: None,
            had_effects: false,
            notes: ThinVec::new(),
            controlled,
        }
    }

    /// Isolation: takes the values of a rule, if its guard holds, they are there, and none are left over.
    pub(crate) fn take_rule(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        rule: i32,
    ) -> Result<Execution<M>, Refusal> {
        let template = self.session.program.plan.template(instance.template);
        let id = EventId { action: instance.action, count: core.count + 1 };
        let layout = &self.session.program.layouts[instance.template.idx()];
        let found = self.vars(template, layout);
        let n_given: u64 =
            core.ports.iter().flat_map(|port| port.lengths()).map(|(_, n_values)| n_values).sum();
        let (rule_idx, error) = if rule < 0 {
            if !core.must_start {
                return Err(Refusal::NoRule { rule });
            }
            (None, None)
        } else {
            let rule_idx = rule as usize;
            let taken = template.fire.get(rule_idx).ok_or(Refusal::NoRule { rule })?;
            let error = match self.guard_holds(taken) {
                Ok(false) => {
                    let others = (0..template.fire.len()).filter(|other| {
                        self.is_enabled(core, template, &template.fire[*other]).unwrap_or(false)
                    });
                    return Err(Refusal::Guard { rule: rule_idx, others: others.collect() });
                }
                Ok(true) => self.want(core, template, taken, None).err(),
                Err(error) => Some(error),
            };
            if error.is_none() {
                self.position_first();
                let is_missing =
                    |wanted: &&Wanted| wanted.position >= core.ports[wanted.port].n_values(&wanted.elements);
                if let Some(wanted) = self.wanted.iter().find(is_missing) {
                    let port = format!("{}{}", template.inputs[wanted.port].name, wanted.elements);
                    return Err(Refusal::Missing { rule: rule_idx, port });
                }
                let n_left = n_given as usize - self.wanted.len();
                if n_left > 0 {
                    return Err(Refusal::Left { rule: rule_idx, n_left });
                }
            }
            (Some(rule_idx), error)
        };
        core.must_start = false;
        let mut execution = self.begin(core, id, rule, error);
        execution.local_state().found = found;
        self.save_vars(instance, &mut execution);
        if let (Some(rule_idx), None) = (rule_idx, &execution.early_error)
            && let Err(error) = self.bind(instance, core, template, &template.fire[rule_idx], &mut execution)
        {
            execution.early_error = Some(error);
        }
        Ok(execution)
    }

    /// The rule that may be taken, or the rule whose guard failed, with the error.
    fn free_choice(
        &mut self,
        instance: &Arc<Instance<M>>,
        core: &mut Core<M>,
        template: &'p Template,
        id: EventId,
    ) -> Option<(i32, Option<CodeError>)> {
        let n_rules = template.fire.len();
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        let mut failed = None;
        for turn in 0..n_rules {
            let rule_idx = (core.first_rule as usize + turn) % n_rules;
            let rule = &template.fire[rule_idx];
            let is_enabled = match self.is_still_short(instance, core, rule) {
                true => Ok(false),
                false => self.is_enabled(core, template, rule),
            };
            if matches!(is_enabled, Ok(false)) {
                self.note_shortage(instance, core, rule);
            }
            let is_enabled =
                is_enabled.and_then(|is_enabled| self.is_due(core, (rule_idx, rule), is_enabled));
            match is_enabled {
                Ok(true) => enabled.push(rule_idx),
                Ok(false) => {}
                Err(error) => {
                    failed = Some((rule_idx as i32, Some(error)));
                    break;
                }
            }
        }
        // The first one is the rule after the one taken last: with a scheduler that takes what it is
        // offered first, enabled rules take turns.
        let choice = failed.or_else(|| {
            (!enabled.is_empty()).then(|| {
                let choice = match template.prefers {
                    true => 0,
                    false => self.session.scheduler.choose(&mut self.local, enabled.len()),
                };
                (enabled[choice] as i32, None)
            })
        });
        // The values wanted are those of the rule that was looked at last; look again.
        match choice {
            Some((rule, None)) => {
                let _ = self.want(core, template, &template.fire[rule as usize], None);
                self.position_first();
            }
            Some((rule, Some(_))) => {
                let _ = self.find_causes(instance, core, id, Some(&template.fire[rule as usize]));
            }
            None => {}
        }
        self.enabled = enabled;
        self.settle_times(instance, core, choice.is_some());
        choice
    }

    /// The recorded rule, if the values that it took are there.
    fn forced_choice(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &'p Template,
        id: EventId,
    ) -> Option<(i32, Option<CodeError>)> {
        let expected = self.session.instrumentation.expected(id)?;
        let Ok(rule_idx) = usize::try_from(expected.rule) else {
            if !core.must_start {
                self.session.diverge(instance, id, template.at, "`init` does not fail");
            }
            return core.must_start.then_some((-1, None));
        };
        let Some(rule) = template.fire.get(rule_idx) else {
            self.session.diverge(instance, id, template.at, "the node has no such firing rule");
            return None;
        };
        let wanted = match self.guard_holds(rule) {
            Ok(false) => {
                self.session.diverge(instance, id, rule.at, "the guard of the rule does not hold");
                return None;
            }
            Ok(true) => self.want(core, template, rule, Some(expected.effects)),
            Err(error) => Err(error),
        };
        if let Err(error) = wanted {
            let is_due = error.is_interruption() || self.find_causes(instance, core, id, Some(rule));
            return is_due.then_some((expected.rule, Some(error)));
        }
        let n_by_hand = self.give_by_hand(expected.effects);
        if self.wanted.len() != expected.flow().len() + n_by_hand {
            let found = format!("the rule takes {} values", self.wanted.len());
            self.session.diverge(instance, id, rule.at, &found);
            return None;
        }
        let mut senders = expected.flow();
        for wanted_idx in 0..self.wanted.len() {
            let wanted = &mut self.wanted[wanted_idx];
            if wanted.by_hand.is_some() {
                continue;
            }
            let sender = senders.next()?;
            let port = &mut core.ports[wanted.port];
            if wanted.is_alone {
                if !port.bring(&wanted.elements, &(sender..=sender)) {
                    return None;
                }
                wanted.position = 0;
                continue;
            }
            // What an earlier value of the list was found as is passed over: values of one sender
            // are told apart by the order of sending.
            let is_taken = |position: usize| {
                earlier_of(&self.wanted, wanted_idx).any(|earlier| earlier.position == position)
            };
            let position = port.line(&self.wanted[wanted_idx].elements)?.iter().enumerate().position(
                |(position, token)| M::sender(&token.stamp) == Some(sender) && !is_taken(position),
            )?;
            self.wanted[wanted_idx].position = position;
        }
        Some((expected.rule, None))
    }

    pub(crate) fn is_enabled(
        &mut self,
        core: &Core<M>,
        template: &'p Template,
        rule: &'p FiringRule,
    ) -> Result<bool, CodeError> {
        self.missing = None;
        // Plain ports are looked at first: that is cheap, and mostly enough to say no.
        let has_plain_values = rule
            .takes
            .iter()
            .filter(|take| take.loops.is_empty())
            .all(|take| !take.elements.is_empty() || core.ports[take.port].n_values(&Index::none()) > 0);
        if !has_plain_values || !self.guard_holds(rule)? {
            return Ok(false);
        }
        self.want(core, template, rule, None)?;
        self.position_first();
        let is_missing =
            |wanted: &Wanted| wanted.position >= core.ports[wanted.port].n_values(&wanted.elements);
        let n_missing = self.wanted.iter().filter(|wanted| is_missing(wanted)).count();
        // The one in the middle: when it comes, about half of the others have, in order or in reverse order.
        let mut missing = self.wanted.iter().enumerate().filter(|(_, wanted)| is_missing(wanted));
        self.missing = missing.nth(n_missing / 2).map(|(position, _)| position);
        Ok(n_missing == 0)
    }

    /// Returns true if a rule that takes many values lacks one that it lacked when it was looked at last: the list of all is
    /// then not made anew for each value that comes, but as often as the logarithm of their number.
    fn is_still_short(&self, instance: &Instance<M>, core: &Core<M>, rule: &FiringRule) -> bool {
        !self.shortages.is_empty()
            && self.shortages.iter().any(|shortage| {
                let Shortage { action, count, at, port, elements, n_wanted } = shortage;
                (*action, *count, *at) == (instance.action, core.count, rule.at)
                    && core.ports[*port].n_values(elements) < *n_wanted
            })
    }

    /// Notes which value a rule lacks that takes many and is not enabled. A guard may depend on more than the values there, and a
    /// person may change what loops depend on.
    fn note_shortage(&mut self, instance: &Instance<M>, core: &Core<M>, rule: &FiringRule) {
        let Some(missing) = self.missing.take() else { return };
        let has_many = self.wanted.len() > MANY_WANTED && !rule.takes.iter().any(|take| take.is_up_to);
        if !has_many || rule.guard.is_some() || self.session.board.is_some() {
            return;
        }
        let wanted = &self.wanted[missing];
        let shortage = Shortage {
            action: instance.action,
            count: core.count,
            at: rule.at,
            port: wanted.port,
            elements: wanted.elements.clone(),
            n_wanted: wanted.position + 1,
        };
        self.shortages.retain(|known| (known.action, known.at) != (shortage.action, shortage.at));
        if self.shortages.len() == MOST_SHORTAGES {
            self.shortages.remove(0);
        }
        self.shortages.push(shortage);
    }

    /// Gives each value wanted its position in the queue: the first one that is not taken yet.
    fn position_first(&mut self) {
        for wanted_idx in 0..self.wanted.len() {
            let previous = self.wanted[wanted_idx].previous;
            self.wanted[wanted_idx].position =
                previous.map_or(0, |previous| self.wanted[previous].position + 1);
        }
    }

    pub(crate) fn guard_holds(&mut self, rule: &FiringRule) -> Result<bool, CodeError> {
        let program = self.session.program;
        match &rule.guard {
            None => Ok(true),
            Some(Code::Expr(expr)) => {
                let env = Env { frame: Some(&self.frame), locals: &[], params: &[] };
                eval::eval_bool(expr, &env).map_err(|message| CodeError {
                    code: "R0005",
                    message,
                    at: rule.at,
                })
            }
            Some(Code::Script(script)) => {
                let env = Env { frame: Some(&self.frame), locals: &[], params: &[] };
                if let Some(held) = program.evaluate(*script, &env) {
                    return CodeError::bool_of(held, rule.at);
                }
                let text = &program.plan.scripts[script.idx()];
                let scope = self.frame.enter_scope();
                let held = script::eval(&self.engine, &program.asts[script.idx()], text, scope);
                self.frame.leave_scope();
                CodeError::bool_of(held.map_err(CodeError::from)?, rule.at)
            }
        }
    }

    /// Removes the values wanted, in order, and binds them.
    fn bind(
        &mut self,
        instance: &Instance<M>,
        core: &mut Core<M>,
        template: &Template,
        rule: &FiringRule,
        execution: &mut Execution<M>,
    ) -> Result<(), CodeError> {
        for take in rule.takes.iter().filter(|take| !take.loops.is_empty()) {
            self.frame.set(take.target.idx(), Dynamic::from_array(Vec::new()));
        }
        let captured = self.captured(instance, execution.id.count);
        let mut fault = None;
        for wanted_idx in 0..self.wanted.len() {
            let wanted = &self.wanted[wanted_idx];
            // Where nobody says which value it is, it is first in its queue, now that those before it are removed.
            let is_chosen = self.session.replays() || self.session.scheduler.by_choice().is_some();
            let position = match is_chosen {
                true => {
                    let earlier = earlier_of(&self.wanted, wanted_idx);
                    let n_removed = earlier.filter(|earlier| earlier.position < wanted.position).count();
                    wanted.position.saturating_sub(n_removed)
                }
                false => 0,
            };
            let removed = match &wanted.by_hand {
                Some(value) => Some(Token::by_hand(value.clone())),
                None => core.ports[wanted.port].remove(&wanted.elements, position),
            };
            let Some(token) = removed else { continue };
            let is_by_hand = M::CONTROLLED && token.directive.is_by_hand();
            if is_by_hand {
                execution.note_added(wanted_idx, &token.value);
            } else {
                self.session.instrumentation.take(&mut execution.draft, &token.stamp);
            }
            if M::NOTES_CHOICES && !is_by_hand {
                let taken = Taken {
                    template: instance.template,
                    index: &instance.index,
                    params: &instance.graph.params,
                    port: wanted.port,
                    elements: &wanted.elements,
                };
                let draft = &mut execution.draft;
                self.session.instrumentation.taken(draft, &mut core.keep, &token.stamp, &taken);
            }
            if M::RECORDS && captured.took {
                let name = format!("{}{}", template.inputs[wanted.port].name, wanted.elements);
                execution.local_state().took.push((name, token.value.clone()));
            }
            if M::CONTROLLED
                && let Some(controlled) = &mut execution.controlled
            {
                controlled.senders.extend(M::sender(&token.stamp).filter(|_| !is_by_hand));
                controlled.is_nexted |= token.directive.is_next();
            }
            execution.known.merge(&token.known);
            let slot_idx = rule.takes[wanted.take_idx].target.idx();
            let slot = &template.slots[slot_idx];
            if wanted.target_elements.as_slice().is_empty() {
                match bind_value(slot, token.value, rule.at) {
                    Ok(held) => self.frame.set(slot_idx, held),
                    Err(error) => {
                        fault.get_or_insert(error);
                    }
                }
            } else {
                let place = &mut self.frame.slots_mut()[slot_idx];
                put_nested(
                    place,
                    wanted.target_elements.as_slice(),
                    token.value,
                    item_type(&slot.ty, wanted.target_elements.as_slice().len()),
                );
            }
        }
        fault.map_or(Ok(()), Err)
    }
}

/// What a name holds once a value is bound to it.
pub(crate) fn bind_value(slot: &Slot, value: Value, at: Location) -> Result<Dynamic, CodeError> {
    if slot.ty.admits_unchanged(&value) {
        return Ok(dynamic_from_value(value));
    }
    let kept = value.clone();
    slot.ty.admit(value).map(dynamic_from_value).ok_or_else(|| {
        let Slot { name, ty, .. } = slot;
        let message = format!("`{name}` of type {ty} cannot hold the {} {kept}", kept.type_name());
        CodeError { code: "R0003", message, at }
    })
}

/// The type of the items of nested arrays, `depth` levels down.
fn item_type(ty: &Type, depth: usize) -> &Type {
    match (ty, depth) {
        (Type::Array(items), 1..) => item_type(items, depth - 1),
        _ => ty,
    }
}

/// Puts a value into nested arrays; what is passed over holds `()`.
fn put_nested(place: &mut Dynamic, elements: &[i64], value: Value, ty: &Type) {
    let Some((&first, deeper)) = elements.split_first() else {
        *place = dynamic_from_value(ty.admit(value.clone()).unwrap_or(value));
        return;
    };
    if !place.is_array() {
        *place = Dynamic::from_array(Vec::new());
    }
    if let Ok(mut items) = place.as_array_mut() {
        let item_idx = first as usize;
        if items.len() <= item_idx {
            items.resize(item_idx + 1, Dynamic::UNIT);
        }
        put_nested(&mut items[item_idx], deeper, value, ty);
    }
}
