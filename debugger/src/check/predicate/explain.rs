//! What a person is told of a combination that violates a predicate.

use super::attribute;
use super::formula::{Predicate, Quantifier};
use super::relation::Relation;
use super::search::Env;
use super::search_plan::{Form, Lowered};
use crate::check::evidence::{World, template_name};
use crate::check::history::{self, Step};
use crate::check::log::Log;
use crate::check::verdict::{Bound, Violation};

/// Describes a combination: its events, their order and attributes as far as the predicate speaks of them, and the
/// part of the history that shows it.
pub(super) fn violation(
    predicate: &Predicate,
    lowered: &Lowered,
    env: &Env,
    log: Option<&Log>,
    world: World<'_>,
) -> Violation {
    let view = log.map(Log::view);
    let log = view.as_ref();
    let seen = |var: usize| env[var].as_ref().expect("a combination is complete");
    let events = lowered.top.iter().map(|&var| Bound {
        variable: predicate.variables[var].name.clone(),
        event: world.names.event(seen(var).id).to_string(),
        template: template_name(seen(var).id, world.names),
    });
    let last = lowered.top.iter().map(|&var| seen(var)).max_by_key(|seen| seen.number);
    let last = last.expect("a quantifier has variables").id;
    let mut reasons = Vec::new();
    let mut history: Vec<Step> = Vec::new();
    let parts = lowered.guard.iter().chain(&lowered.rest);
    for (left, relation, right) in parts.filter_map(|part| order(&part.form)) {
        let (one, other) = (seen(left), seen(right));
        // Of a negated order the true one is shown.
        let (one, relation, other) = match relation {
            Some(relation) => (one, relation, other),
            None if one.is_before(other) => (one, Relation::Before, other),
            None if other.is_before(one) => (other, Relation::Before, one),
            None => continue,
        };
        let (first, second) = (one.id, other.id);
        let names = world.names;
        let reason = format!("{} {} {}", names.event(first), relation.symbol(), names.event(second));
        if reasons.contains(&reason) {
            continue;
        }
        reasons.push(reason);
        if let Some(log) = log {
            let steps = match relation {
                Relation::Immediate | Relation::Before => history::way(first, second, log, world),
                Relation::Concurrent => history::fork(first, second, log, world),
                Relation::Same => Vec::new(),
            };
            for step in steps {
                merge(&mut history, step);
            }
        }
    }
    for input in predicate.conditions.iter().flat_map(|condition| &condition.inputs) {
        if let Some(seen) = &env[input.var]
            && let Ok(value) = attribute::value(seen, &input.attribute, world.names)
        {
            let reason = format!("{} = {}", input.text, shortened(&value.to_string()));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    if let (Quantifier::Forall, Some(body)) = (lowered.quantifier, &predicate.top.body) {
        reasons.push(format!("not so: {}", predicate.shown(body)));
    }
    let evidence = match log {
        Some(log) if history.is_empty() => history::evidence(last, log, world).unwrap_or_default(),
        _ => Vec::new(),
    };
    let event = world.names.event(last).to_string();
    let template = template_name(last, world.names);
    Violation { events: events.collect(), reasons, evidence, history, ..Violation::of(event, template) }
}

/// The order that a part states; no relation where it denies one.
fn order(form: &Form) -> Option<(usize, Option<Relation>, usize)> {
    match form {
        Form::Order(left, relation, right) if left != right => Some((*left, Some(*relation), *right)),
        Form::Not(inner) => match **inner {
            Form::Order(left, _, right) if left != right => Some((left, None, right)),
            _ => None,
        },
        _ => None,
    }
}

/// Adds a step, or what is before it where it is there already.
fn merge(history: &mut Vec<Step>, step: Step) {
    match history.iter_mut().find(|known| known.event == step.event) {
        Some(known) => {
            for before in step.before {
                if !known.before.contains(&before) {
                    known.before.push(before);
                }
            }
        }
        None => history.push(step),
    }
}

/// A value in at most so many characters.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}
