//! Which values a firing rule wants, in order of removal.

use hasse_body::script::CodeError;
use hasse_code::eval;
use hasse_code::eval::Env;
use hasse_model::diagnostic::Location;
use hasse_model::event::Effect;
use hasse_model::id::Index;
use hasse_model::plan::{FiringRule, Take, Template};
use hasse_record::instrumentation::Instrumentation;
use hasse_store::instance::Core;
use rustc_hash::FxHashMap;

use crate::fire::wanted::Wanted;
use crate::fire::worker::Worker;

/// A replicated binding may go this far into the array that it fills.
const MAX_ARRAY_LEN: i64 = 100_000_000;

/// Up to this many values wanted, comparing all pairs is quicker than hashing.
const MAX_COMPARED: usize = 8;

/// Finds for each value the one before it that is wanted from the same queue.
fn link(wanted: &mut [Wanted]) {
    if wanted.len() <= MAX_COMPARED {
        for wanted_idx in 1..wanted.len() {
            let (earlier, rest) = wanted.split_at_mut(wanted_idx);
            rest[0].previous = earlier
                .iter()
                .rposition(|other| other.port == rest[0].port && other.elements == rest[0].elements);
        }
    } else {
        let mut last_of: FxHashMap<(usize, Index), usize> = FxHashMap::default();
        for (wanted_idx, value) in wanted.iter_mut().enumerate() {
            value.previous = last_of.insert((value.port, value.elements.clone()), wanted_idx);
        }
    }
    for wanted_idx in 0..wanted.len() {
        if let Some(previous) = wanted[wanted_idx].previous {
            wanted[previous].is_alone = false;
            wanted[wanted_idx].is_alone = false;
        }
    }
}

impl<M: Instrumentation> Worker<'_, '_, M> {
    /// Replay: provides those of the values wanted that a person had added, as the recorded event notes them. Returns their
    /// number.
    pub(crate) fn give_by_hand(&mut self, effects: &[Effect]) -> usize {
        let mut n_by_hand = 0;
        for (position, value) in effects.iter().filter_map(Effect::as_added) {
            if let Some(wanted) = self.wanted.get_mut(position) {
                wanted.by_hand = Some(value.clone());
                // Nowhere in the queue.
                wanted.position = usize::MAX;
                n_by_hand += 1;
            }
        }
        n_by_hand
    }

    /// Lists the values that a rule takes, in order of removal, in `wanted`. Where it takes as many as there are, `recorded` has their
    /// numbers in a replay, and `up_to` gets them.
    pub(crate) fn want(
        &mut self,
        core: &Core<M>,
        template: &Template,
        rule: &FiringRule,
        recorded: Option<&[Effect]>,
    ) -> Result<(), CodeError> {
        self.wanted.clear();
        self.up_to.clear();
        let mut recorded = recorded.map(|effects| effects.iter().filter_map(Effect::as_taken));
        if rule.takes.iter().any(|take| !take.loops.is_empty()) {
            self.begin_steps();
        }
        for (take_idx, take) in rule.takes.iter().enumerate() {
            if take.loops.is_empty() && take.elements.is_empty() {
                self.wanted.push(Wanted {
                    take_idx,
                    port: take.port,
                    elements: Index::none(),
                    target_elements: Index::none(),
                    position: 0,
                    previous: None,
                    is_alone: true,
                    by_hand: None,
                });
            } else if take.is_up_to {
                let recorded = recorded.as_mut().map(|numbers| numbers.next().unwrap_or(1));
                self.want_up_to(core, template, (take_idx, take), rule.at, recorded)?;
            } else {
                let mut locals = Vec::new();
                self.want_loops(take_idx, take, rule.at, &mut locals).map_err(|error| match error.code {
                    "R0005" => {
                        let port = &template.inputs[take.port].name;
                        CodeError { message: format!("port `{port}`: {}", error.message), ..error }
                    }
                    _ => error,
                })?;
            }
        }
        if self.wanted.is_empty() && !rule.takes.is_empty() && rule.guard.is_none() {
            // It would fire without end.
            let message =
                "the firing rule takes no value: its loops are empty, and it has no guard".to_owned();
            return Err(CodeError { code: "R0005", message, at: rule.at });
        }
        link(&mut self.wanted);
        Ok(())
    }

    /// Lists as many values as there are, at least one.
    fn want_up_to(
        &mut self,
        core: &Core<M>,
        template: &Template,
        (take_idx, take): (usize, &Take),
        at: Location,
        recorded: Option<u32>,
    ) -> Result<(), CodeError> {
        let port = &template.inputs[take.port].name;
        let failed =
            |message: String| CodeError { code: "R0005", message: format!("port `{port}`: {message}"), at };
        let env = Env { frame: Some(&self.frame), locals: &[], params: &[] };
        let numbers = take.elements.iter().map(|expr| eval::eval_int(expr, &env));
        let elements = numbers.collect::<Result<Index, _>>().map_err(failed)?;
        let most = match take.loops.first() {
            Some(range) => eval::eval_int(&range.high, &env).map_err(failed)?,
            None => 1,
        };
        if !(1..=MAX_ARRAY_LEN).contains(&most) {
            return Err(failed(format!("up to {most} values cannot be taken")));
        }
        let n_there = core.ports.get(take.port).map_or(0, |queue| queue.n_values(&elements));
        let n_taken = recorded.map_or_else(|| n_there.clamp(1, most as usize), |number| number as usize);
        for number in 0..n_taken {
            self.step(at)?;
            self.wanted.push(Wanted {
                take_idx,
                port: take.port,
                elements: elements.clone(),
                target_elements: Index::from(&[number as i64][..]),
                position: 0,
                previous: None,
                is_alone: true,
                by_hand: None,
            });
        }
        self.up_to.push(n_taken as u32);
        Ok(())
    }

    fn want_loops(
        &mut self,
        take_idx: usize,
        take: &Take,
        at: Location,
        locals: &mut Vec<i64>,
    ) -> Result<(), CodeError> {
        let env = |frame, locals| Env { frame: Some(frame), locals, params: &[] };
        let failed = |message: String| CodeError { code: "R0005", message, at };
        if let Some(range) = take.loops.get(locals.len()) {
            let low = eval::eval_int(&range.low, &env(&self.frame, locals)).map_err(failed)?;
            let high = eval::eval_int(&range.high, &env(&self.frame, locals)).map_err(failed)?;
            for number in low..high {
                self.step(at)?;
                locals.push(number);
                self.want_loops(take_idx, take, at, locals)?;
                locals.pop();
            }
            return Ok(());
        }
        let numbers = |exprs: &[hasse_model::plan::Expr]| {
            exprs
                .iter()
                .map(|expr| eval::eval_int(expr, &env(&self.frame, locals)))
                .collect::<Result<Index, _>>()
        };
        let elements = numbers(&take.elements).map_err(failed)?;
        let target_elements = numbers(&take.target_elements).map_err(failed)?;
        if let Some(number) =
            target_elements.as_slice().iter().find(|number| !(0..MAX_ARRAY_LEN).contains(*number))
        {
            return Err(failed(format!("a value cannot be bound at position {number} of an array")));
        }
        self.wanted.push(Wanted {
            take_idx,
            port: take.port,
            elements,
            target_elements,
            position: 0,
            previous: None,
            is_alone: true,
            by_hand: None,
        });
        Ok(())
    }
}
