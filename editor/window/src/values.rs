//! Values of events: the state of the moment of playback, probes on the picture, where a value came from, and one event
//! alone.

/// Cards on the picture.
mod cards;
/// Callbacks.
mod connect;
/// The pane of values, and the cards on the picture.
pub(crate) mod pane;

pub(crate) use connect::connect;

use hasse_editor::run::Button;
use hasse_editor::target::Target;
use hasse_editor::views::record::Fact;
use hasse_editor::views::select::Selection;
use hasse_editor::views::state::Views;
use hasse_editor::views::value::summary;
use hasse_editor::views::values::{Held, HeldKind, LineageStep, Origin};
use hasse_ui::{EditorWindow, EventInput, LineOfList, Values as UiValues};
use slint::{ComponentHandle, SharedString};

use crate::command::panel;
use crate::studio::Studio;
use pane::{Chosen, alike_key, held_key, lasting_name};

fn held_line(held: &Held, is_current: bool) -> LineOfList {
    let value = held.value.as_ref().map(summary);
    let text = match (held.kind, value) {
        (HeldKind::Head | HeldKind::More, _) => held.name.clone(),
        (HeldKind::Waiting, Some(value)) => value,
        (_, Some(value)) => format!("{} = {value}", held.name),
        (_, None) => format!("{} is not known", held.name),
    };
    LineOfList {
        text: text.into(),
        detail: (&held.note).into(),
        depth: i32::from(matches!(held.kind, HeldKind::Var | HeldKind::Waiting)),
        is_title: held.kind == HeldKind::Head,
        is_current,
        ..LineOfList::default()
    }
}

fn step_line(views: &Views, step: &LineageStep) -> LineOfList {
    let name = views.page().map(|page| page.record.event_name(step.event)).unwrap_or_default();
    let text = match &step.origin {
        Origin::Own => name,
        Origin::Value(Some(value)) => format!("{value}  from {name}"),
        Origin::Value(None) => format!("a value from {name}"),
        Origin::Object(object) => format!("{object} written by {name}"),
        Origin::Vars => format!("vars left by {name}"),
    };
    LineOfList {
        text: if step.is_repeated { format!("{text}, see above").into() } else { text.into() },
        depth: i32::try_from(step.depth).unwrap_or(0),
        ..LineOfList::default()
    }
}

impl Studio {
    /// Asks for the values that somebody looks at.
    pub(crate) fn look_at_values(&mut self) {
        let (has_history, has_values) =
            (self.is_panel_shown(panel::HISTORY), self.is_panel_shown(panel::VALUES));
        let is_at_rest = self.running.as_ref().is_some_and(|running| running.panel.state().is_at_rest());
        let views = &mut self.viewing.views;
        views.set_at_rest(is_at_rest);
        let shows_facts = has_history && views.selected_event().is_some();
        views.watch_values(has_values || shows_facts);
        self.hover();
        if let Some(running) = &mut self.running
            && let Some(request) = self.viewing.views.take_value_request()
        {
            running.panel.ask_values(request.of, request.events);
        }
    }

    /// Shows the state of the moment, the value that is looked at, and the event that can be executed alone.
    pub(crate) fn show_values(&mut self, window: &EditorWindow) {
        self.show_cards();
        let shown = (self.viewing.views.version(), self.values.version, self.is_dark);
        if !self.is_panel_shown(panel::VALUES) || self.values.shown == Some(shown) {
            return;
        }
        self.values.shown = Some(shown);
        let (pane, views) = (&mut self.values, &self.viewing.views);
        let ui = window.global::<UiValues>();
        pane.held = views.moment();
        pane.follow_moment();
        let chosen = pane.chosen.as_ref().map(|chosen| chosen.key.clone());
        let current = |row: usize| {
            let held = &pane.held[row];
            let is_alike = chosen.as_ref().is_some_and(|chosen| chosen.starts_with(&alike_key(held)));
            is_alike && held.value.is_some() && chosen.as_deref() == Some(&*held_key(&pane.held, row))
        };
        pane.rows.set((0..pane.held.len()).map(|row| held_line(&pane.held[row], current(row))));
        ui.set_note(views.values_note().into());
        match &pane.chosen {
            Some(chosen) => pane.viewer.look_at(&chosen.key, &chosen.name, &chosen.value),
            None => pane.viewer.clear(),
        }
        ui.set_value(pane.viewer.shown(self.is_dark));
        let origin = pane.chosen.as_ref().and_then(|chosen| chosen.event);
        pane.steps = origin.map(|event| views.lineage(event)).unwrap_or_default();
        pane.lineage.set(pane.steps.iter().map(|step| step_line(views, step)));
        let event = views.selected_event().and_then(|event| {
            let record = &views.page()?.record;
            Some((record.event_name(event), views.values()?.local(event)?))
        });
        pane.set_event(event);
        ui.set_event(pane.event.clone().unwrap_or_default().into());
        ui.set_is_executing(pane.is_executing);
        pane.inputs.set(pane.form.iter().map(|input| EventInput {
            name: (&input.name).into(),
            text: input.recorded.clone().unwrap_or_default().into(),
            hint: (&input.hint).into(),
            is_wrong: false,
        }));
    }

    /// Looks at a value, with the event that made it.
    fn choose_value(&mut self, chosen: Chosen) {
        let event = chosen.event;
        self.values.chosen = Some(chosen);
        self.values.version += 1;
        if let Some(event) = event {
            self.viewing.views.select(Selection::Event(event));
        }
    }

    fn moment_clicked(&mut self, row: usize) {
        let Some(held) = self.values.held.get(row).cloned() else { return };
        let rows = &self.values.held;
        let (key, lasting) = (held_key(rows, row), lasting_name(rows, row));
        if let Some(value) = held.value {
            self.choose_value(Chosen { name: held.name, value, event: held.event, key, lasting });
        }
    }

    fn lineage_clicked(&mut self, row: usize) {
        let Some(step) = self.values.steps.get(row) else { return };
        self.viewing.views.select(Selection::Event(step.event));
    }

    /// Opens the value of a line about an event; whether it has one.
    pub(crate) fn open_fact(&mut self, fact: &Fact) -> bool {
        let Some(value) = fact.value.clone() else { return false };
        let own = self.viewing.views.selected_event();
        // What an event took was made by who sent it.
        let event = if fact.name == "took" { fact.event.or(own) } else { own };
        let key = format!("{} {} of event {own:?}", fact.name, fact.text);
        let name = fact.text.split(" = ").next().unwrap_or_default().to_owned();
        let name = if fact.name == "sent value" { "sent value".to_owned() } else { name };
        self.choose_value(Chosen { name, value, event, key, lasting: None });
        self.show_panel(panel::VALUES);
        true
    }

    fn input_edited(&mut self, row: usize, text: String) {
        if let Some(input) = self.values.form.get_mut(row) {
            input.typed = Some(text);
        }
    }

    /// Executes the event of the form alone.
    fn execute_alone(&mut self) {
        let Some(event) = self.values.event.clone() else { return };
        let Some(of) = self.viewing.views.asked_record() else { return };
        let Some(running) = &mut self.running else { return };
        let changed = self.values.form.iter().filter_map(|input| {
            let typed = input.typed.clone()?;
            let is_same = input.recorded.as_ref().map_or(typed.trim().is_empty(), |text| *text == typed);
            (!is_same).then(|| (input.name.clone(), typed))
        });
        running.panel.execute_alone(of, event, changed.collect());
        self.values.is_executing = true;
        self.values.outcome.set([]);
        self.values.version += 1;
    }

    /// Takes in what came of an event that was executed alone.
    pub(crate) fn take_alone(&mut self, event: &str, result: Result<Vec<String>, String>) {
        let pane = &mut self.values;
        if pane.event.as_deref() != Some(event) {
            return;
        }
        let lines = result.unwrap_or_else(|problem| problem.lines().map(str::to_owned).collect());
        pane.outcome.set(lines.iter().map(SharedString::from));
        pane.is_executing = false;
        pane.version += 1;
    }

    /// Things of the picture that are selected and can have a card.
    pub(crate) fn pinnable(&self) -> Vec<Target> {
        let graph = self.editor.graph();
        let selection = self.editor.selection();
        let nodes = selection.nodes.iter().map(|node| Target::of_node(graph, node));
        let links = selection.links.iter().map(|(list, row)| Target::of_link(graph, *list, *row));
        nodes.chain(links).collect()
    }

    /// Pins the cards of what is selected, or takes them away where all are pinned.
    pub(crate) fn toggle_pins(&mut self) {
        let targets = self.pinnable();
        let views = &mut self.viewing.views;
        let are_pinned = targets.iter().all(|target| views.is_pinned(target));
        let toggled = targets.iter().filter(|target| self.viewing.views.is_pinned(target) == are_pinned);
        let toggled: Vec<Target> = toggled.cloned().collect();
        toggled.iter().for_each(|target| self.viewing.views.toggle_pin(target));
        if self.viewing.views.page().is_none() && !are_pinned {
            let hint = if self.can_press(Button::Run) { ": press F5" } else { "" };
            let text = format!("the values are shown here when the program has run{hint}");
            self.editor.set_status(hasse_editor::state::Status { text, is_refusal: false });
        }
    }
}
