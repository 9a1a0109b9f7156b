//! The pane of values, and the cards on the picture.

use std::collections::BTreeMap;
use std::time::Duration;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::target::Target;
use hasse_editor::views::probes::Card;
use hasse_editor::views::value::summary;
use hasse_editor::views::values::{Held, HeldKind, LineageStep};
use hasse_model::event::LocalState;
use hasse_model::value::Value;
use hasse_ui::{CardItem, EditorWindow, EventInput, Graph, LineOfList, Values as UiValues};
use slint::{ComponentHandle, SharedString};

use crate::models::Rows;
use crate::viewer::Viewer;

/// The value that is looked at.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) name: String,
    pub(super) value: Value,
    /// The event that made it.
    pub(super) event: Option<u32>,
    /// Tells it from others of its name.
    pub(super) key: String,
    /// Of an object or a var of the moment: its name, by which it is found at other moments.
    pub(super) lasting: Option<String>,
}

/// An input of the event that can be executed alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Input {
    /// With its kind: `port b`, `var acc`, `shared total`.
    pub(super) name: String,
    /// As a field shows it; `None` where the value does not fit a field.
    pub(super) recorded: Option<String>,
    pub(super) hint: String,
    /// As it was typed over.
    pub(super) typed: Option<String>,
}

/// The pane of values, and the cards on the picture.
pub(crate) struct ValuesPane {
    pub(super) rows: Rows<LineOfList>,
    pub(super) lineage: Rows<LineOfList>,
    pub(super) inputs: Rows<EventInput>,
    pub(super) outcome: Rows<SharedString>,
    pub(super) cards: Rows<CardItem>,
    pub(super) viewer: Viewer,
    pub(super) held: Vec<Held>,
    pub(super) steps: Vec<LineageStep>,
    pub(super) shown_cards: Vec<Card>,
    /// Corners of the shown cards on the canvas.
    pub(super) card_places: Vec<Point>,
    /// Corners of cards that were dragged, as seen from the middle of their things.
    pub(super) dragged: BTreeMap<Target, Point>,
    pub(super) chosen: Option<Chosen>,
    /// The event whose inputs are in the form.
    pub(super) event: Option<String>,
    pub(super) form: Vec<Input>,
    pub(super) is_executing: bool,
    /// Thing under the pointer, and since when, until its card is shown.
    pub(super) hovering: Option<(Target, Duration)>,
    /// Versions of views and of this, whether it is dark.
    pub(super) shown: Option<(u64, u64, bool)>,
    /// Versions of views and editor, the graph.
    pub(super) carded: Option<(u64, u64, String)>,
    pub(super) version: u64,
}

impl ValuesPane {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let pane = Self {
            rows: Rows::new(),
            lineage: Rows::new(),
            inputs: Rows::new(),
            outcome: Rows::new(),
            cards: Rows::new(),
            viewer: Viewer::new(),
            held: Vec::new(),
            steps: Vec::new(),
            shown_cards: Vec::new(),
            card_places: Vec::new(),
            dragged: BTreeMap::new(),
            chosen: None,
            event: None,
            form: Vec::new(),
            is_executing: false,
            hovering: None,
            shown: None,
            carded: None,
            version: 0,
        };
        let ui = window.global::<UiValues>();
        ui.set_rows(pane.rows.model());
        ui.set_lineage(pane.lineage.model());
        ui.set_inputs(pane.inputs.model());
        ui.set_outcome(pane.outcome.model());
        window.global::<Graph>().set_cards(pane.cards.model());
        pane
    }

    /// Whether the card of what is under the pointer is still to be shown.
    pub(crate) fn is_busy(&self) -> bool {
        self.hovering.is_some()
    }

    /// Forgets the value and the event that were looked at, as another program is open.
    pub(crate) fn leave_program(&mut self) {
        self.chosen = None;
        self.set_event(None);
        self.hovering = None;
        self.version += 1;
    }

    /// Lists the inputs of an event, unless they are.
    pub(super) fn set_event(&mut self, event: Option<(String, &LocalState)>) {
        let name = event.as_ref().map(|(name, _)| name.clone());
        if name == self.event {
            return;
        }
        self.event = name;
        self.form = event.map(|(_, local)| inputs_of(local)).unwrap_or_default();
        self.is_executing = false;
        // Fields that a person has typed in are made anew.
        self.inputs.set([]);
        self.outcome.set([]);
    }
}

/// The inputs of an event in the order of a person's questions: what it took, had, and found in objects.
fn inputs_of(local: &LocalState) -> Vec<Input> {
    let kinds = [("port", &local.took), ("var", &local.found), ("shared", &local.shared_before)];
    let all = kinds.into_iter().flat_map(|(kind, list)| list.iter().map(move |held| (kind, held)));
    let input = |(kind, (name, value)): (&str, &(String, Value))| Input {
        name: format!("{kind} {name}"),
        recorded: match value {
            Value::Int(_) | Value::Real(_) | Value::Bool(_) => Some(value.to_string()),
            Value::String(text) => Some(text.to_string()).filter(|text| text.lines().count() <= 1),
            Value::Char(character) => Some(character.to_string()),
            Value::Unit
            | Value::Bytes(_)
            | Value::Vector(_)
            | Value::Matrix(_)
            | Value::Array(_)
            | Value::Struct(_)
            | Value::Map(_) => None,
        },
        hint: summary(value),
        typed: None,
    };
    all.map(input).collect()
}

impl ValuesPane {
    /// Looks at the object or var that was chosen as it is at the moment that is shown; at none where it does not exist there.
    pub(super) fn follow_moment(&mut self) {
        let Some(lasting) = self.chosen.as_ref().and_then(|chosen| chosen.lasting.clone()) else { return };
        let mut rows = 0..self.held.len();
        let found = rows.find(|&row| lasting_name(&self.held, row).as_ref() == Some(&lasting));
        self.chosen = found.and_then(|row| {
            let held = self.held[row].clone();
            let key = held_key(&self.held, row);
            Some(Chosen {
                name: held.name,
                value: held.value?,
                event: held.event,
                key,
                lasting: Some(lasting),
            })
        });
    }
}

/// The name of an object or a var that it has at all moments: of a var with its instance, which is in the row above.
pub(super) fn lasting_name(rows: &[Held], row: usize) -> Option<String> {
    let held = rows.get(row)?;
    match held.kind {
        HeldKind::Object => Some(held.name.clone()),
        HeldKind::Var => {
            let owner = rows[..row].iter().rfind(|held| held.kind == HeldKind::Head)?;
            Some(format!("{} of {}", held.name, owner.name))
        }
        HeldKind::Head | HeldKind::Waiting | HeldKind::More => None,
    }
}

/// Tells a row from others. One event may have sent several values to a port.
pub(super) fn held_key(rows: &[Held], row: usize) -> String {
    let key = alike_key(&rows[row]);
    let n_before = rows[..row].iter().filter(|held| alike_key(held) == key).count();
    format!("{key} {n_before}")
}

pub(super) fn alike_key(held: &Held) -> String {
    format!("{:?} {} {:?} {}", held.kind, held.name, held.event, held.note)
}
