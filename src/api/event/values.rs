//! What an event took, had and sent.

mod text;

use hasse_debugger::check::evidence::Quote;
use hasse_debugger::why::RuleTaken;
use hasse_model::event::EffectKind;
use hasse_model::event::{Effect, EventRecord, LocalState};
use hasse_model::plan::{Access, Plan, Template};
use hasse_model::trace::Names;
use hasse_model::value::Value;

pub(super) use self::text::{write_answers, write_lines, write_named, write_sent};
use super::described::{Answer, EventValues, Sent, SharedValue, Taken, VarValue};
use super::error::EventError;
use super::ground::Ground;
use super::regenerate::{Regenerated, regenerate};

/// The values of an event, made again by a replay of what is before it. Of a minimal record the run is followed until
/// the event has ended.
///
/// # Errors
/// The record has no such event or cannot be replayed; the replay leaves it or is stopped.
pub fn values(ground: Ground<'_>, event: &str) -> Result<EventValues, EventError> {
    regenerate(ground, event).map(|made| described(ground.plan, made))
}

/// The values of an event that was made again.
pub(super) fn described(plan: &Plan, made: Regenerated) -> EventValues {
    let Regenerated { mut event, names, replayed, takers } = made;
    let local = event.local.take().map(|local| *local).unwrap_or_default();
    let label = names.template_of(event.id.action).and_then(|template| names.template_name(template));
    let label = label.unwrap_or("?").to_owned();
    let template = plan.templates.iter().find(|template| plan.template_label(template) == label);
    EventValues {
        event: names.event(event.id).to_string(),
        rule: rule_taken(template, event.rule),
        outcome: event.outcome.name(),
        error: event.error.clone(),
        took: took(&event, &local, &names),
        shared: shared(&event, &local, &names),
        vars: vars(&local),
        sent: sent(&local),
        params: local.params,
        bound: local.bound,
        lets: local.lets,
        taken_by: takers,
        lines: local.lines,
        results: local.results,
        answers: event.effects.iter().filter(|effect| !is_note(effect)).map(answer).collect(),
        replayed,
        node: label,
    }
}

/// Returns true for what the record notes about the firing and the sending of an event, which its body did not ask.
fn is_note(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::Taken | EffectKind::Refused | EffectKind::Earlier | EffectKind::Found)
}

pub(super) fn rule_taken(template: Option<&Template>, rule: i32) -> Option<RuleTaken> {
    let rule_idx = usize::try_from(rule).ok()?;
    let taken = template.and_then(|template| template.fire.get(rule_idx));
    let quote = taken.map(|rule| Quote { text: rule.text.clone(), line: rule.at.line });
    Some(RuleTaken { position: rule, quote })
}

fn took(event: &EventRecord, local: &LocalState, names: &Names) -> Vec<Taken> {
    let senders = event.senders().into_iter().chain(std::iter::repeat(None));
    let taken = local.took.iter().zip(senders).map(|((port, value), sender)| Taken {
        port: port.clone(),
        value: value.clone(),
        sender: sender.map(|sender| names.event(sender).to_string()),
    });
    taken.collect()
}

fn shared(event: &EventRecord, local: &LocalState, names: &Names) -> Vec<SharedValue> {
    let accesses = local.shared_before.iter().zip(&event.shared);
    let accesses = accesses.map(|((name, before), access)| SharedValue {
        name: name.clone(),
        object: names.object(access.object).to_string(),
        writes: access.access == Access::Write,
        writer: access.writer.map(|writer| names.event(writer).to_string()),
        before: before.clone(),
        after: local.shared_after.iter().find(|(after, _)| after == name).map(|(_, value)| value.clone()),
    });
    accesses.collect()
}

fn vars(local: &LocalState) -> Vec<VarValue> {
    let value_in = |list: &[(String, Value)], name: &str| {
        list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in local.found.iter().chain(&local.before).chain(&local.after) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let vars = names.into_iter().map(|name| VarValue {
        found: value_in(&local.found, name),
        before: value_in(&local.before, name),
        after: value_in(&local.after, name),
        name: name.clone(),
    });
    vars.collect()
}

pub(super) fn sent(local: &LocalState) -> Vec<Sent> {
    let mut sent: Vec<Sent> = local
        .sent
        .iter()
        .map(|(port, value)| Sent { port: port.clone(), value: value.clone(), to: Vec::new() })
        .collect();
    for (position, receiver) in &local.receivers {
        if let Some(sent) = sent.get_mut(*position) {
            sent.to.push(receiver.clone());
        }
    }
    sent
}

pub(super) fn answer(effect: &Effect) -> Answer {
    Answer {
        question: format!("{:?}", effect.kind),
        value: effect.answer.clone().ok(),
        error: effect.answer.clone().err(),
    }
}
