//! Whether an ordering is an expected dependence, and whether neighbors satisfy a rule.

use std::fmt;

use hasse_model::name::is_of_name;
use rhai::Scope;
use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::trace::Names;

use super::bind::{Bound, BoundArc, BoundIndex, BoundRule, BoundTerm, Element};
use super::syntax::{IndexText, Term};

/// Most numbers that the ranges of one term may stand for.
const MAX_RANGE: i64 = 1 << 20;

/// A selected event before or after another one.
#[derive(Clone, Debug)]
pub(super) struct Neighbor {
    pub(super) event: EventId,
    pub(super) template: TemplateId,
    /// Whether it is an immediate one, which a rule must not leave out.
    pub(super) is_immediate: bool,
}

/// Why an ordering is not expected, or a rule not satisfied.
pub(super) type Reason = String;

impl Bound {
    /// Whether an ordering is an expected dependence; else for each arc between the templates, why it is not that one.
    pub(super) fn expects(
        &self,
        (source, source_template): (&EventRecord, TemplateId),
        (target, target_template): (&EventRecord, TemplateId),
        names: &Names,
    ) -> Result<(), Vec<Reason>> {
        let is_between = |arc: &&BoundArc| (arc.source, arc.target) == (source_template, target_template);
        let mut reasons = Vec::new();
        for arc in self.arcs.iter().filter(is_between) {
            let mut scope = self.scope_of_ordering(source, target, arc.asks_ends, names);
            let n_names = scope.len();
            let result = self.arc_fits(arc, source.id, target.id, &mut scope, names);
            match result {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    let values = shown(arc, &scope, n_names);
                    reasons
                        .push(format!("`{}` (line {} of the model){values}", arc.text.inner, arc.text.line));
                }
                Err(error) => {
                    reasons
                        .push(format!("`{}` (line {} of the model): {error}", arc.text.inner, arc.text.line));
                }
            }
        }
        Err(reasons)
    }

    fn arc_fits(
        &self,
        arc: &BoundArc,
        source: EventId,
        target: EventId,
        scope: &mut Scope<'static>,
        names: &Names,
    ) -> Result<bool, String> {
        let mut fits = true;
        for (event, elements) in [(source, &arc.source_index), (target, &arc.target_index)] {
            let index = names.index_of(event.action);
            for (element, &number) in elements.iter().zip(index.iter().flat_map(|index| index.as_slice())) {
                match element {
                    Element::Bind(name) => {
                        scope.push_dynamic(name.as_str(), rhai::Dynamic::from_int(number));
                    }
                    Element::Equals(expected) => fits &= self.guards.number(expected, scope)? == number,
                }
            }
        }
        match &arc.guard {
            Some(guard) if fits => self.guards.holds(guard, scope),
            _ => Ok(fits),
        }
    }

    /// Whether a rule's neighbors are there, unless they `may_lack`, and no immediate one besides; else why not.
    /// `actions` are all actions of each template, for `all`.
    pub(super) fn satisfies(
        &self,
        rule: &BoundRule,
        neighbors: &[Neighbor],
        may_lack: bool,
        scope: &mut Scope<'static>,
        actions: &FxHashMap<TemplateId, Vec<ActionId>>,
        names: &Names,
    ) -> Result<(), Reason> {
        if let Some(guard) = &rule.guard
            && !self.guards.holds(guard, scope)?
        {
            return Err(format!("`{}` does not hold", guard.text));
        }
        let mut is_covered = vec![false; neighbors.len()];
        for term in &rule.terms {
            let ranges = self.ranges(term, scope)?;
            let fits = |action: ActionId| {
                let index = names.index_of(action);
                let numbers = index.iter().flat_map(|index| index.as_slice());
                ranges.iter().zip(numbers).all(|(range, number)| range.contains(number))
            };
            let mut found: Vec<ActionId> = Vec::new();
            for (neighbor, is_covered) in neighbors.iter().zip(&mut is_covered) {
                if neighbor.template == term.template && fits(neighbor.event.action) {
                    *is_covered = true;
                    found.push(neighbor.event.action);
                }
            }
            if may_lack {
                continue;
            }
            found.sort_unstable();
            found.dedup();
            if term.is_all {
                let known = actions.get(&term.template).into_iter().flatten().copied();
                if let Some(missing) =
                    known.filter(|&action| fits(action)).find(|action| !found.contains(action))
                {
                    return Err(format!("{} is missing", names.action(missing)));
                }
                continue;
            }
            let n_expected = ranges.iter().try_fold(1_i64, |product, range| {
                product.checked_mul((range.end - range.start).max(0)).filter(|&product| product <= MAX_RANGE)
            });
            let n_expected =
                n_expected.ok_or_else(|| format!("`{}` stands for too many instances", term.text))?;
            let is_ranged = term.index.iter().any(|index| matches!(index, BoundIndex::Range(..)));
            let n_expected = if is_ranged { n_expected } else { 1 };
            if (found.len() as i64) < n_expected {
                return Err(match is_ranged {
                    true => format!("`{}` are {n_expected}, of which {} are there", term.text, found.len()),
                    false => format!("`{}` is missing", term.text),
                });
            }
        }
        let mut others = neighbors.iter().zip(&is_covered);
        match others.find(|(neighbor, is_covered)| neighbor.is_immediate && !*is_covered) {
            Some((neighbor, _)) => Err(format!("{} is not of it", names.event(neighbor.event))),
            None => Ok(()),
        }
    }

    /// For each index number of a term, the numbers that fit; empty where any does.
    fn ranges(
        &self,
        term: &BoundTerm,
        scope: &mut Scope<'static>,
    ) -> Result<Vec<std::ops::Range<i64>>, String> {
        let range = |index: &BoundIndex| match index {
            BoundIndex::One(number) => {
                let number = self.guards.number(number, scope)?;
                Ok(number..number.saturating_add(1))
            }
            BoundIndex::Range(low, high) => {
                let (low, high) = (self.guards.number(low, scope)?, self.guards.number(high, scope)?);
                match high.checked_sub(low) {
                    Some(_) => Ok(low..high),
                    None => Err(format!("`{}` stands for too many instances", term.text)),
                }
            }
        };
        term.index.iter().map(range).collect()
    }
}

/// The values of names that an arc's text mentions: `, where i = 2, count = 1`.
fn shown(arc: &BoundArc, scope: &Scope<'_>, n_before: usize) -> String {
    let words: Vec<&str> = arc.text.inner.split(|next: char| !is_of_name(next)).collect();
    let mut values: Vec<String> = Vec::new();
    for (at, (name, _, value)) in scope.iter().enumerate() {
        let is_scalar = value.is_int() || value.is_string() || value.is_bool() || value.is_array();
        // Parameters stand first; they are shown, too, where the condition names them.
        let is_named = words.contains(&name) && (at >= n_before || !matches!(name, "source" | "target"));
        if is_named && is_scalar {
            values.push(format!("{name} = {value}"));
        }
    }
    if values.is_empty() { String::new() } else { format!(", where {}", values.join(", ")) }
}

/// Writes `all Mult[i..n]`.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_all { "all " } else { "" }, self.name.inner)?;
        self.index.iter().try_for_each(|index| match index {
            IndexText::One(number) => write!(f, "[{}]", number.inner),
            IndexText::Range(low, high) => write!(f, "[{}..{}]", low.inner, high.inner),
        })
    }
}
