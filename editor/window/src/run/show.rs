//! What has changed of a run, shown once before the next frame.

use hasse_editor::run::{Button, Mode, Order, Row, RowKind, RunPanel, RunState, state_words};
use hasse_model::quantity::counted;
use hasse_runtime::control::{ActionState, ActionSummary};
use hasse_ui::{EditorWindow, LineOfList, Run as UiRun, ValueItem};
use slint::ComponentHandle;

use super::number;
use super::running::{Changed, Running};
use crate::results::outcome_tone;
use crate::studio::Studio;

/// Lines of a value that the inspector shows.
const MAX_VALUE_LINES: usize = 12;

fn state_tone(panel: &RunPanel) -> i32 {
    match panel.state() {
        RunState::Running | RunState::Stopping | RunState::Nexting => 5,
        RunState::Waiting | RunState::Stopped => 2,
        RunState::Opening | RunState::Ending => 4,
        RunState::Closed | RunState::Ready => 7,
        RunState::Over { .. } => panel.ended().map_or(7, |ended| outcome_tone(ended.outcome)),
    }
}

/// Tone of an action's state.
pub(super) fn state_tone_of(state: &ActionState) -> i32 {
    match state {
        ActionState::Idle | ActionState::NotCreated => 0,
        ActionState::Ready | ActionState::Running => 3,
        ActionState::Stopped(_) => 1,
        ActionState::WaitsFor(_) | ActionState::WaitsForRoom(_) | ActionState::WaitsForWorld => 4,
        ActionState::Failed => 2,
    }
}

/// Text of a list without actions.
fn no_actions(panel: &RunPanel) -> &'static str {
    match panel.state() {
        state if state.can_be_asked() => "Nothing is stopped. Type the name of a node to list its instances.",
        RunState::Over { .. } => "The run is over: its actions cannot be listed.",
        state if state.is_busy() => "Actions are listed while the run is stopped: F6 stops it.",
        _ => "Actions are listed while a run is stopped.",
    }
}

fn action_line(action: &ActionSummary, panel: &RunPanel) -> LineOfList {
    let (word, tone) = match panel.is_cut_off(&action.path) {
        true => ("cut off".to_owned(), 0),
        false => (state_words(action), state_tone_of(&action.state)),
    };
    let queued = if action.n_queued > 0 { format!(", {} queued", action.n_queued) } else { String::new() };
    LineOfList {
        text: (&action.path).into(),
        badge: word.into(),
        tone,
        detail: format!("count {}{queued}", action.count).into(),
        is_current: panel.selected() == Some(&*action.path),
        ..LineOfList::default()
    }
}

impl Studio {
    /// Shows what has changed of the run.
    pub(crate) fn show_run(&mut self, window: &EditorWindow) {
        let Some(running) = &mut self.running else { return };
        let panel = &running.panel;
        let shown = (panel.version(), panel.console().n_lines() + panel.log().n_lines(None));
        if running.shown == Some(shown) {
            return;
        }
        running.shown = Some(shown);
        let ui = window.global::<UiRun>();
        ui.set_state(panel.state_name().into());
        ui.set_tone(state_tone(panel));
        let n_events = panel.n_events();
        let told = match (panel.problem(), n_events) {
            ("", 0) => String::new(),
            ("", 1) => "1 event".to_owned(),
            ("", n_events) => format!("{n_events} events"),
            (problem, _) => problem.lines().next().unwrap_or_default().to_owned(),
        };
        ui.set_told(told.into());
        ui.set_can_run(panel.is_enabled(Button::Run));
        ui.set_can_stop(panel.is_enabled(Button::Stop));
        ui.set_can_cont(panel.is_enabled(Button::Cont));
        ui.set_can_next(panel.is_enabled(Button::Next));
        ui.set_can_end(panel.is_enabled(Button::End));
        ui.set_can_step(panel.is_enabled(Button::StepAction));
        ui.set_can_act(panel.is_enabled(Button::NextAction) || panel.is_enabled(Button::StopAction));

        let mode = Mode::ALL.iter().position(|mode| *mode == panel.options().mode).unwrap_or(0);
        ui.set_mode(number(mode));

        running.breakpoints.set(panel.breakpoints().iter().map(|breakpoint| LineOfList {
            badge: format!("#{}", breakpoint.number).into(),
            text: (&breakpoint.command).into(),
            detail: match (breakpoint.is_enabled, breakpoint.n_hits) {
                (false, _) => "disabled".into(),
                (true, 1) => "1 hit".into(),
                (true, n_hits) => format!("{n_hits} hits").into(),
            },
            tone: i32::from(breakpoint.is_enabled),
            is_current: running.current_breakpoint == Some(breakpoint.number),
            ..LineOfList::default()
        }));

        ui.set_breakpoint_error(panel.breakpoint_problem().into());
        if running.n_typed != panel.n_breakpoints_typed() {
            running.n_typed = panel.n_breakpoints_typed();
            ui.set_condition("".into());
        }
        running.show_actions(&ui);
        running.show_values();
        running.show_console();
        running.show_log();
    }
}

impl Running {
    fn show_actions(&self, ui: &UiRun<'_>) {
        let panel = &self.panel;
        let selected = panel.selected();
        let query = panel.table().query().filter(|_| self.table.is_some());
        let line = |action: &ActionSummary| action_line(action, panel);
        match (query, &self.table) {
            (Some(query), Some((_, node))) => {
                let n_rows = panel.table().n_rows();
                let (start, rows) = panel.table().page();
                self.actions.set(n_rows, start, rows.iter().map(line).collect());
                let title = match query.filter.as_str() {
                    "" => format!("{} of {node}", counted(n_rows as u64, "instance")),
                    filter => format!("{} with {filter}", counted(n_rows as u64, "instance")),
                };
                ui.set_actions_title(title.into());
                ui.set_order(match query.order {
                    Order::Path => 0,
                    Order::Count => 1,
                    Order::State => 2,
                    Order::Queued => 3,
                });
                ui.set_is_descending(query.is_descending);
            }
            _ => {
                let (stopped, n_stopped) = panel.stopped();
                self.actions.set(stopped.len(), 0, stopped.iter().map(line).collect());
                ui.set_actions_title(format!("{n_stopped} stopped").into());
            }
        }
        ui.set_is_table(query.is_some());
        ui.set_no_actions(no_actions(panel).into());
        ui.set_action(selected.unwrap_or_default().into());
        let mut why = panel.why().join("\n");
        let cycle = panel.cycle_lines();
        if !cycle.is_empty() {
            let lines = cycle.join("\n");
            why = if why.is_empty() {
                format!("Wait-for cycle:\n{lines}")
            } else {
                format!("{why}\n\nWait-for cycle:\n{lines}")
            };
        }
        ui.set_why(why.into());
    }

    /// What waits at the arc that is looked at.
    fn queue_rows(&self) -> Vec<ValueItem> {
        let Some((arc, found)) = self.panel.queue() else { return Vec::new() };
        let queue = match found {
            Ok(queue) if queue.n_values == 0 => return Vec::new(),
            Ok(queue) => queue,
            Err(problem) => {
                return vec![ValueItem { depth: 1, value: problem.into(), ..ValueItem::default() }];
            }
        };
        let title = ValueItem {
            name: "Queue".into(),
            value: format!("{} at {arc}", queue.n_values).into(),
            is_title: true,
            ..ValueItem::default()
        };
        let rows = queue.values.iter().map(|held| {
            let sender = held.sender.as_deref().map(|sender| format!("{sender}   ")).unwrap_or_default();
            ValueItem {
                depth: 1,
                name: format!("{} {}", held.action, held.port).into(),
                value: format!("{sender}{}", held.text()).into(),
                ..ValueItem::default()
            }
        });
        let n_more = queue.n_values - queue.values.len();
        let more = (n_more > 0).then(|| ValueItem {
            depth: 1,
            value: format!("{n_more} more").into(),
            ..ValueItem::default()
        });
        std::iter::once(title).chain(rows).chain(more).collect()
    }

    fn show_values(&mut self) {
        let mut values = self.queue_rows();
        let mut assigned = vec![None; values.len()];
        let inspector = self.panel.inspector();
        let mut kind = None;
        let mut problem = inspector.problem();
        // Values first: how the action got there is told by the list and the picture, too.
        let is_state = |(_, shown): &(usize, &Row)| shown.kind == RowKind::State;
        let rows = || inspector.rows().iter().enumerate();
        for (row, shown) in rows().filter(|row| !is_state(row)).chain(rows().filter(is_state)) {
            let is_queued = matches!(shown.kind, RowKind::Queued | RowKind::Added);
            if kind != Some(shown.kind) && !is_queued {
                kind = Some(shown.kind);
                values.push(ValueItem {
                    name: kind_title(shown.kind).into(),
                    is_title: true,
                    ..ValueItem::default()
                });
                assigned.push(None);
            }
            let (field, drop) = match inspector.queued(row) {
                Some((port, Some(position))) => (
                    format!("value {position} at port {port}"),
                    format!("Drop value {position} at port {port}"),
                ),
                Some((port, None)) => (format!("value to add at port {port}"), String::new()),
                None => (format!("value of {}", shown.name), String::new()),
            };
            let detail = if shown.detail.is_empty() { String::new() } else { format!("   {}", shown.detail) };
            values.push(ValueItem {
                depth: if is_queued { 2 } else { 1 },
                name: (&shown.name).into(),
                value: if shown.is_editable {
                    (&shown.text).into()
                } else {
                    format!("{}{detail}", shown.text).into()
                },
                is_title: false,
                can_assign: shown.is_editable,
                field: field.into(),
                drop: drop.into(),
            });
            assigned.push(shown.is_editable.then(|| match is_queued {
                true => Changed::Queued(row),
                false => Changed::Name(shown.name.clone()),
            }));
            if !problem.is_empty() && self.edited.is_some() && assigned.last() == Some(&self.edited) {
                values.push(ValueItem { depth: 2, value: problem.into(), ..ValueItem::default() });
                assigned.push(None);
                problem = "";
            }
            let lines = inspector.value_lines(row, MAX_VALUE_LINES);
            if lines.len() > 1 {
                for line in lines {
                    values.push(ValueItem { depth: 3, value: line.into(), ..ValueItem::default() });
                    assigned.push(None);
                }
            }
        }
        if !problem.is_empty() {
            values.push(ValueItem { depth: 1, value: problem.into(), ..ValueItem::default() });
            assigned.push(None);
        }
        self.values.set(values);
        self.assigned = assigned;
    }
}

fn kind_title(kind: RowKind) -> &'static str {
    match kind {
        RowKind::State => "State",
        RowKind::Name => "Names",
        RowKind::Port | RowKind::Queued | RowKind::Added => "Ports",
        RowKind::Object => "Objects",
        RowKind::Send => "To be sent",
    }
}
