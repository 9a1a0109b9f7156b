//! What an action has to do with the checks.
//!
//! Found when its first event comes, by template and index, so that the cost for an action does not grow with the
//! number of checks on others. An action that nothing asks for takes 8 bytes, and each of its events one memory
//! access.

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, Index, TemplateId};
use hasse_model::table::IdTable;
use hasse_model::trace::Names;

/// Where actions are that a check or spec may ask for: all instances of a template, or those with one index.
pub(super) type Place = (TemplateId, Option<Index>);

/// A spec or a check, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asker {
    Spec(usize),
    Check(usize),
}

/// Who may ask for an action.
#[derive(Debug, Default)]
struct Askers {
    whatever_index: Vec<Asker>,
    by_index: FxHashMap<Index, Vec<Asker>>,
}

/// Who asks for an action: found when its first event comes, and extended when one comes after further specs and checks
/// were added.
#[derive(Clone, Debug, Default)]
pub(super) struct Binding {
    /// Slot of the action in the clocks, where some check wants it.
    pub(super) own_slot: Option<usize>,
    /// Positions of the specs that its events may match.
    pub(super) specs: Vec<usize>,
    /// Positions of the checks that are interested in it.
    pub(super) checks: Vec<usize>,
    /// How many specs and checks have been looked at.
    pub(super) n_seen: (usize, usize),
}

/// What has been found of an action.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Number of askers when it was looked at.
    n_askers: u32,
    /// Position of its binding, from 1; 0 where nothing asks for it.
    binding: u32,
}

/// The bindings of all actions.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    of_action: IdTable<Found>,
    bindings: Vec<Binding>,
    by_template: FxHashMap<TemplateId, Askers>,
    anywhere: Vec<Asker>,
    n_askers: u32,
}

impl Bindings {
    /// Takes in a spec or check and where it may ask for actions; `None`: anywhere.
    pub(super) fn add(&mut self, asker: Asker, places: Option<Vec<Place>>) {
        self.n_askers += 1;
        let Some(places) = places else {
            self.anywhere.push(asker);
            return;
        };
        for (template, index) in places {
            let askers = self.by_template.entry(template).or_default();
            match index {
                Some(index) => askers.by_index.entry(index).or_default().push(asker),
                None => askers.whatever_index.push(asker),
            }
        }
    }

    /// Position of an action's binding; `None` where nothing asks for it. The outer `Err` where askers have been added
    /// since it was looked at.
    #[inline]
    pub(super) fn find(&mut self, action: ActionId) -> Result<Option<usize>, Stale> {
        let found = *self.of_action.slot(action.0);
        if found.n_askers != self.n_askers {
            return Err(Stale);
        }
        Ok(found.binding.checked_sub(1).map(|position| position as usize))
    }

    /// Who may ask for an action, ascending: specs before checks.
    pub(super) fn candidates(&self, action: ActionId, names: &Names) -> Vec<Asker> {
        let askers = names.template_of(action).and_then(|template| self.by_template.get(&template));
        let Some(askers) = askers else { return self.anywhere.clone() };
        let by_index = names.index_of(action).and_then(|index| askers.by_index.get(index));
        let mut found = self.anywhere.clone();
        found.extend(&askers.whatever_index);
        found.extend(by_index.into_iter().flatten());
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The binding that an action has so far; empty at first.
    pub(super) fn so_far(&self, action: ActionId) -> Binding {
        let found = self.of_action.get(action.0).copied().unwrap_or_default();
        found.binding.checked_sub(1).map_or_else(Binding::default, |at| self.bindings[at as usize].clone())
    }

    /// Notes the binding of an action. Gives its position; `None` where nothing asks for it.
    pub(super) fn set(&mut self, action: ActionId, binding: Binding) -> Option<usize> {
        let found = self.of_action.slot(action.0);
        found.n_askers = self.n_askers;
        let is_empty = binding.specs.is_empty() && binding.checks.is_empty();
        match found.binding.checked_sub(1) {
            Some(known) => self.bindings[known as usize] = binding,
            None if is_empty => return None,
            None => {
                self.bindings.push(binding);
                found.binding = u32::try_from(self.bindings.len()).expect("fewer bindings than actions");
            }
        }
        Some(found.binding as usize - 1)
    }

    /// A binding by position.
    pub(super) fn get(&self, position: usize) -> &Binding {
        &self.bindings[position]
    }
}

/// Askers have been added since the action was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stale;
