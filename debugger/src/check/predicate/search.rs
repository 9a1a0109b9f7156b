//! Three-valued evaluation, and the search for combinations of events.

use std::sync::Arc;

use hasse_model::trace::Names;

use super::attribute;
use super::relation::VarId;
use super::search_plan::{Block, Form, Level, Lowered, Part};
use super::store::{Seen, Store};

/// What is known of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    False,
    /// Later events decide it.
    Open,
    True,
}

impl Truth {
    fn of(flag: bool) -> Self {
        if flag { Truth::True } else { Truth::False }
    }

    fn negated(self) -> Self {
        match self {
            Truth::False => Truth::True,
            Truth::Open => Truth::Open,
            Truth::True => Truth::False,
        }
    }
}

/// The events that variables stand for, by variable.
pub(super) type Env = Vec<Option<Arc<Seen>>>;

/// What formulas are evaluated on.
pub(super) struct Search<'s> {
    pub(super) lowered: &'s Lowered,
    pub(super) stores: &'s [Store],
    pub(super) names: &'s Names,
    /// Whether no further event will come.
    pub(super) is_over: bool,
}

/// A complete combination, and whether later events decide if it counts; gives whether the search ends.
type Hit<'h> = dyn FnMut(&Search<'_>, &mut Env, bool) -> Result<bool, String> + 'h;

impl Search<'_> {
    /// Evaluates all parts; what is false decides, whatever is open.
    pub(super) fn all(&self, parts: &[Part], env: &mut Env) -> Result<Truth, String> {
        let mut truth = Truth::True;
        for part in parts {
            match self.truth(&part.form, env)? {
                Truth::False => return Ok(Truth::False),
                Truth::Open => truth = Truth::Open,
                Truth::True => {}
            }
        }
        Ok(truth)
    }

    /// Evaluates a formula whose variables stand for events.
    pub(super) fn truth(&self, form: &Form, env: &mut Env) -> Result<Truth, String> {
        let event = |env: &Env, var: VarId| env[var].clone().expect("a variable is bound before it is used");
        match form {
            Form::Constant(flag) => Ok(Truth::of(*flag)),
            Form::Order(left, relation, right) => {
                let (Some(left), Some(right)) = (&env[*left], &env[*right]) else {
                    unreachable!("a variable is bound before it is used")
                };
                Ok(Truth::of(left.is_related(*relation, right)))
            }
            Form::Condition(condition) => {
                let value = |var: VarId, attribute: &attribute::Attribute| {
                    attribute::value(&event(env, var), attribute, self.names)
                };
                self.lowered.conditions[*condition].holds(value).map(Truth::of)
            }
            Form::Not(inner) => self.truth(inner, env).map(Truth::negated),
            Form::And(forms) => {
                let mut truth = Truth::True;
                for form in forms {
                    match self.truth(form, env)? {
                        Truth::False => return Ok(Truth::False),
                        Truth::Open => truth = Truth::Open,
                        Truth::True => {}
                    }
                }
                Ok(truth)
            }
            Form::Or(forms) => {
                let mut truth = Truth::False;
                for form in forms {
                    match self.truth(form, env)? {
                        Truth::True => return Ok(Truth::True),
                        Truth::Open => truth = Truth::Open,
                        Truth::False => {}
                    }
                }
                Ok(truth)
            }
            Form::Exists(block) => self.exists(block, env),
        }
    }

    fn exists(&self, block: &Block, env: &mut Env) -> Result<Truth, String> {
        let mut is_open = false;
        for &part_idx in &block.outer {
            match self.truth(&block.parts[part_idx].form, env)? {
                Truth::False => return Ok(Truth::False),
                Truth::Open => is_open = true,
                Truth::True => {}
            }
        }
        let mut found_open = false;
        let is_found =
            self.levels(&block.parts, &block.levels, None, is_open, env, &mut |_, _, is_open| {
                found_open |= is_open;
                Ok(!is_open)
            })?;
        Ok(match () {
            () if is_found => Truth::True,
            () if found_open => Truth::Open,
            () if self.is_over || block.is_bounded => Truth::False,
            () => Truth::Open,
        })
    }

    /// Tries events for the variables of the levels. `last` is the number of the event that has come, which
    /// earlier variables do not stand for.
    pub(super) fn levels(
        &self,
        parts: &[Part],
        levels: &[Level],
        last: Option<u64>,
        is_open: bool,
        env: &mut Env,
        hit: &mut Hit<'_>,
    ) -> Result<bool, String> {
        let Some((level, rest)) = levels.split_first() else { return hit(self, env, is_open) };
        let bound: Vec<_> = level
            .orders
            .iter()
            .filter_map(|&(is_left, relation, other)| Some((is_left, relation, env[other].clone()?)))
            .collect();
        let orders: Vec<_> =
            bound.iter().map(|(is_left, relation, other)| (*is_left, *relation, other)).collect();
        let ended = self.stores[level.var].candidates(&orders, &mut |seen| {
            if level.is_earlier && Some(seen.number) == last {
                return Ok(false);
            }
            env[level.var] = Some(seen.clone());
            self.level(parts, level, rest, last, is_open, env, hit)
        })?;
        env[level.var] = None;
        Ok(ended)
    }

    /// Goes on where the variable of a level stands for an event.
    #[allow(clippy::too_many_arguments, reason = "the state of a recursion")]
    pub(super) fn level(
        &self,
        parts: &[Part],
        level: &Level,
        rest: &[Level],
        last: Option<u64>,
        mut is_open: bool,
        env: &mut Env,
        hit: &mut Hit<'_>,
    ) -> Result<bool, String> {
        for &part_idx in &level.checks {
            match self.truth(&parts[part_idx].form, env)? {
                Truth::False => return Ok(false),
                Truth::Open => is_open = true,
                Truth::True => {}
            }
        }
        self.levels(parts, rest, last, is_open, env, hit)
    }
}
