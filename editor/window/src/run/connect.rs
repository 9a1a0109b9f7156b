//! What a person does about runs, told to the state.

use std::rc::Rc;

use hasse_editor::run::{Button, Mode, Order};
use hasse_ui::{EditorWindow, Run as UiRun};
use slint::ComponentHandle;

use super::MAX_TABLE_ROWS;
use crate::studio::{Shared, go};

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of running.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiRun>();
    let weak = Rc::downgrade(shared);
    ui.on_act(move |command| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let button = match command.as_str() {
                "run" => Button::Run,
                "stop" => Button::Stop,
                "cont" => Button::Cont,
                "next" => Button::Next,
                "end" => Button::End,
                "stop-action" => Button::StopAction,
                "cont-action" => Button::ContAction,
                "next-action" => Button::NextAction,
                "step-action" => Button::StepAction,
                "why" => Button::WhyAction,
                _ => return,
            };
            studio.press(button);
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_set_mode(move |mode| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(mode) = Mode::ALL.get(index(mode)) {
                studio.set_options(|options| options.mode = *mode);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_option(move |name, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.set_options(|options| match name.as_str() {
                "workers" => options.n_workers = text.trim().parse().ok().filter(|n_workers| *n_workers > 0),
                _ => options.seed = text.trim().parse().ok(),
            });
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_param(move |param, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let facts = studio.running.as_ref().and_then(|running| running.panel.facts().cloned());
            let Some(name) =
                facts.and_then(|facts| facts.params.get(index(param)).map(|param| param.name.clone()))
            else {
                return;
            };
            studio.set_options(|options| {
                if text.trim().is_empty() {
                    options.params.remove(&name);
                } else {
                    options.params.insert(name, text.to_string());
                }
            });
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_action_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.action_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_sort_actions(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running {
                running.order = match running.order {
                    Order::Path => Order::Count,
                    Order::Count => Order::State,
                    Order::State => Order::Queued,
                    Order::Queued => Order::Path,
                };
                running.panel.sort_table(running.order);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_edited_filter(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some(running) = &mut studio.running else { return };
            let nodes = running.panel.facts().map(|facts| facts.nodes_of(text.trim())).unwrap_or_default();
            let node =
                nodes.iter().find_map(|target| Some((target.graph.clone(), target.node()?.to_owned())));
            running.shown = None;
            running.table = node.clone().filter(|_| !text.trim().is_empty());
            if let Some((graph, node)) = &running.table {
                running.panel.open_table(graph, node);
                running.panel.show_rows(0, MAX_TABLE_ROWS);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_assign(move |row, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && let Some(Some(name)) = running.assigned.get(index(row)).cloned()
            {
                running.panel.assign(&name, &text);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_breakpoint_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.breakpoint_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_breakpoint_toggled(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && let Some(held) = running.panel.breakpoints().get(index(row)).cloned()
            {
                running.panel.enable_breakpoint(held.number, !held.is_enabled);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_breakpoint_removed(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && let Some(held) = running.panel.breakpoints().get(index(row)).cloned()
            {
                running.panel.delete_breakpoint(held.number);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_condition_edited(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let text = text.trim();
            if !text.is_empty() {
                // What begins with no word of a breakpoint is one that stops.
                let first = text.split_whitespace().next().unwrap_or_default();
                let is_whole = matches!(first, "stop" | "once" | "when" | "watch");
                let line = if is_whole { text.to_owned() } else { format!("stop {text}") };
                studio.console_entered(&line);
                studio.window().global::<UiRun>().set_condition("".into());
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_console_entered(move |line| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.console_entered(&line));
    });
    let weak = Rc::downgrade(shared);
    ui.on_console_key(move |text| {
        let Some(shared) = weak.upgrade() else { return false };
        go(&shared, |studio| studio.console_key(&text))
    });
}
