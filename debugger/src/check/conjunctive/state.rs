//! What conditions see of an action at a moment.

use rhai::{Dynamic, Map, Scope};

use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::super::dispatch::Context;
use super::super::guard::{Guards, attributes, dynamic_from_value};

use crate::check::guard::Guard;
use crate::check::resolve::Target;
use hasse_model::event::EventRecord;

/// The values that an action has shown last, and whether its condition holds.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneState {
    before: Option<Map>,
    after: Option<Map>,
    pub(super) is_true: bool,
}

impl LaneState {
    /// An action before its first event: attributes with count 0, no values.
    pub(super) fn initial(&self, action: ActionId, names: &Names) -> Map {
        let event = EventRecord::new(EventId { action, count: 0 });
        self.view(&event, names, None)
    }

    /// The state at `befcomp` or, `is_after`, at `aftcomp` of an event. Vars that no condition mentions are left out.
    pub(super) fn enter(&mut self, context: &Context<'_>, mentioned: &[String], is_after: bool) -> Map {
        let local = context.event.local.as_deref();
        let vars = local.map(|local| if is_after { &local.after } else { &local.before });
        let map = vars.map(|vars| {
            let wanted = vars.iter().filter(|(name, _)| mentioned.contains(name));
            wanted.map(|(name, value)| (name.as_str().into(), dynamic_from_value(value))).collect::<Map>()
        });
        let current = map.clone();
        *(if is_after { &mut self.after } else { &mut self.before }) = map;
        self.view(context.event, context.names, current)
    }

    fn view(&self, event: &EventRecord, names: &Names, current: Option<Map>) -> Map {
        let mut view: Map =
            attributes(event, names).into_iter().map(|(name, value)| (name.into(), value)).collect();
        for (name, held) in [("before", &self.before), ("after", &self.after)] {
            if let Some(held) = held {
                view.insert(name.into(), Dynamic::from_map(held.clone()));
            }
        }
        view.extend(current.into_iter().flatten());
        view
    }
}

impl Subject {
    /// Whether all conditions hold in a state.
    pub(super) fn holds(
        &self,
        guards: &Guards,
        view: Map,
        params: &[(String, Value)],
    ) -> Result<bool, String> {
        let view = Dynamic::from_map(view);
        for (guard, variable) in &self.conditions {
            let mut scope = Scope::new();
            for (name, value) in params {
                scope.push_dynamic(name.as_str(), dynamic_from_value(value));
            }
            scope.push_dynamic(variable.as_str(), view.clone());
            if !guards.holds(guard, &mut scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The conditions on one action.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) target: Target,
    pub(super) conditions: Vec<(Guard, String)>,
    /// Names that occur in the conditions: vars of other names are not looked at.
    pub(super) mentioned: Vec<String>,
}
