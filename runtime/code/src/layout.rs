//! Frame layouts: positions of the names of a template.

use hasse_body::natives::NameTable;
use hasse_model::plan::{Code, SlotKind, Template};
use rhai::Identifier;

/// Which values of a node's executions are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The values taken, with the names of their ports.
    pub took: bool,
    /// The vars when everything was taken and locked, before the body: at `befcomp`.
    pub before: bool,
    /// The vars after the body: at `aftcomp`.
    pub after: bool,
    /// The values sent, with the names of their ports.
    pub sent: bool,
    /// The rest of what surrounds the body: vars when the rule was selected, shared objects before and after,
    /// names bound by `let`, receivers of what was sent, lines and results.
    pub around: bool,
}

impl Captured {
    /// Nothing.
    pub const NONE: Self = Self { took: false, before: false, after: false, sent: false, around: false };
    /// Everything.
    pub const ALL: Self = Self { took: true, before: true, after: true, sent: true, around: true };

    /// Whether any value is kept.
    pub fn is_any(self) -> bool {
        self != Self::NONE
    }
}

/// Where the kinds of names stand in a template's scope, as ranges of slot positions.
pub struct Layout {
    /// Names by slot.
    pub names: Vec<Identifier>,
    /// For native bodies: slots by name.
    pub by_name: NameTable,
    /// Creation parameters.
    pub params: std::ops::Range<usize>,
    /// Index names.
    pub indices: std::ops::Range<usize>,
    /// Vars.
    pub vars: std::ops::Range<usize>,
    /// Shared names.
    pub shared: std::ops::Range<usize>,
    /// Names that firing rules bind.
    pub bound: std::ops::Range<usize>,
    /// Names that a native body sets, or a lowered one.
    pub lets: std::ops::Range<usize>,
    /// The slot of `rule`.
    pub rule: usize,
    /// The slot of `count`.
    pub count: usize,
    /// Whether a routing rule may name what the body bound by `let`: it stays with the interpreter until all are evaluated.
    pub routes_by_script: bool,
    /// Which values are kept with event records.
    pub captured: Captured,
}

impl Layout {
    /// The layout of a template, of which no values are captured.
    pub fn of(template: &Template) -> Self {
        let is_script = |code: &Code| matches!(code, Code::Script(_));
        let mut usual = template.route.iter().filter(|rule| !rule.on_error);
        let routes_by_script = usual.any(|rule| rule.codes().any(is_script));
        let has_lets = template.body_script().is_some() && !template.slots_of(SlotKind::Let).is_empty();
        Self {
            names: template.slots.iter().map(|slot| Identifier::from(slot.name.as_str())).collect(),
            by_name: NameTable::of(template),
            params: template.slots_of(SlotKind::Param),
            indices: template.slots_of(SlotKind::Index),
            vars: template.slots_of(SlotKind::Var),
            shared: template.slots_of(SlotKind::Shared),
            bound: template.slots_of(SlotKind::Bound),
            lets: template.slots_of(SlotKind::Let),
            rule: template.rule_slot().idx(),
            count: template.count_slot().idx(),
            routes_by_script: routes_by_script || has_lets,
            captured: Captured::NONE,
        }
    }
}
