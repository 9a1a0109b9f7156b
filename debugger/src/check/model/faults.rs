//! What is wrong with an event, in words.

use std::sync::Arc;

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, TemplateId};
use hasse_model::trace::Names;

use super::super::dispatch::Context;
use super::super::relay::Seen;
use super::bind::BoundRule;
use super::judge::{ModelCheck, Origin, Pending};
use super::matching::Neighbor;

/// Which neighbors a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Predecessors,
    Successors,
    /// Successors of which some may not have come when the run ended.
    OpenSuccessors,
}

impl ModelCheck {
    /// What is wrong with the orderings and predecessors of an event, and the predecessors that are not expected.
    pub(super) fn predecessor_faults(
        &self,
        context: &Context<'_>,
        template: TemplateId,
        predecessors: &[(&Arc<Seen<Origin>>, Neighbor)],
    ) -> (Vec<String>, Vec<EventId>) {
        let (event, names) = (context.event, context.names);
        let (mut reasons, mut unexpected) = (Vec::new(), Vec::new());
        for (seen, neighbor) in predecessors.iter().filter(|(_, neighbor)| neighbor.is_immediate) {
            let source = (&seen.payload.record, seen.payload.template);
            if let Err(tried) = self.bound.expects(source, (event, template), names) {
                let path = names.event(neighbor.event);
                unexpected.push(neighbor.event);
                reasons.push(match tried.as_slice() {
                    [] => {
                        let label = |template: TemplateId| names.template_name(template).unwrap_or("?");
                        let (source, target) = (label(neighbor.template), label(template));
                        format!("{path} comes immediately before it; the model has no arc from {source} to {target}")
                    }
                    _ => format!("{path} comes immediately before it, but not by {}", tried.join(", nor by ")),
                });
            }
        }
        let neighbors: Vec<Neighbor> = predecessors.iter().map(|(_, neighbor)| neighbor.clone()).collect();
        if let Some(rules) = self.bound.fire.get(&template)
            && !rules.iter().any(BoundRule::asks_all)
        {
            reasons.extend(self.rule_fault(event, rules, &neighbors, Side::Predecessors, names));
        }
        (reasons, unexpected)
    }

    /// Why the neighbors of an event satisfy none of the rules.
    fn rule_fault(
        &self,
        event: &EventRecord,
        rules: &[BoundRule],
        neighbors: &[Neighbor],
        side: Side,
        names: &Names,
    ) -> Option<String> {
        let mut scope = self.bound.scope_of_event(event, names);
        let mut tried = Vec::new();
        let may_lack = side == Side::OpenSuccessors;
        for rule in rules {
            match self.bound.satisfies(rule, neighbors, may_lack, &mut scope, &self.actions, names) {
                Ok(()) => return None,
                Err(reason) => {
                    tried.push(format!("`{}` (line {}): {reason}", rule.text.inner, rule.text.line))
                }
            }
        }
        let immediate = neighbors.iter().filter(|neighbor| neighbor.is_immediate);
        let listed: Vec<String> = immediate.map(|neighbor| names.event(neighbor.event).to_string()).collect();
        let listed = if listed.is_empty() { "none".to_owned() } else { listed.join(", ") };
        let (what, rule) = match side {
            Side::Predecessors => ("predecessors", "firing"),
            Side::Successors | Side::OpenSuccessors => ("successors", "routing"),
        };
        Some(format!(
            "its immediate {what} ({listed}) satisfy no {rule} rule of the model: {}",
            tried.join("; ")
        ))
    }

    /// What is wrong with an event whose neighbors are all known; `is_open` where more successors might have come.
    pub(super) fn pending_faults(&self, pending: &Pending, is_open: bool, names: &Names) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(predecessors) = &pending.predecessors
            && let Some(rules) = self.bound.fire.get(&pending.template)
        {
            reasons.extend(self.rule_fault(&pending.record, rules, predecessors, Side::Predecessors, names));
        }
        if let Some(rules) = self.bound.route.get(&pending.template) {
            let side = if is_open { Side::OpenSuccessors } else { Side::Successors };
            if let Some(fault) = self.rule_fault(&pending.record, rules, &pending.successors, side, names) {
                reasons.push(fault);
                reasons.extend(self.routes_taken(&pending.record, pending.template));
            }
        }
        reasons
    }

    /// The routing rules that an event took, as the program has them.
    fn routes_taken(&self, record: &EventRecord, template: TemplateId) -> Vec<String> {
        let Some((name, rules)) = self.program_routes.get(&template) else { return Vec::new() };
        let taken = record.routes.iter().filter_map(|&route| Some((route, rules.get(route as usize)?)));
        let taken: Vec<String> = taken
            .map(|(route, (text, line))| {
                format!("it took routing rule {route} of {name} `{text}` (line {line} of the program)")
            })
            .collect();
        if taken.is_empty() { vec![format!("it took no routing rule of {name}")] } else { taken }
    }
}
