//! What a person does about runs, told to the state.

use std::rc::Rc;

use hasse_editor::run::{Button, Mode, Order};
use hasse_ui::{EditorWindow, Run as UiRun};
use slint::ComponentHandle;

use super::running::Changed;
use crate::hub::Shared;
use crate::studio::update::go;

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
                studio.set_mode(*mode);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_option_typed(move |row, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.option_typed(index(row), &text));
    });
    let weak = Rc::downgrade(shared);
    ui.on_option_chosen(move |row, choice| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.option_chosen(index(row), index(choice)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_option_removed(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.option_removed(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_option_added(move |row, is_selected| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.option_added(index(row), is_selected));
    });
    let weak = Rc::downgrade(shared);
    ui.on_option_browsed(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.option_browsed(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_action_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.action_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_sort(move |column| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let order = [Order::Path, Order::Count, Order::State, Order::Queued].get(index(column)).copied();
            if let (Some(order), Some(running)) = (order, &mut studio.running) {
                running.panel.sort_table(order);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_actions_scrolled(move |first, n_rows| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && running.table.is_some()
            {
                running.panel.show_rows(index(first.max(0)), index(n_rows.max(1)));
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_edited_filter(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.filter_actions(&text));
    });
    let weak = Rc::downgrade(shared);
    ui.on_assign(move |row, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && let Some(Some(changed)) = running.assigned.get(index(row)).cloned()
            {
                running.edited = Some(changed.clone());
                match changed {
                    Changed::Name(name) => running.panel.assign(&name, &text),
                    Changed::Queued(row) => running.panel.edit_queue(row, Some(&text)),
                }
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_drop_value(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running
                && let Some(Some(Changed::Queued(row))) = running.assigned.get(index(row)).cloned()
            {
                running.edited = Some(Changed::Queued(row));
                running.panel.edit_queue(row, None);
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
            studio.tell_program(false);
            if let Some(running) = &mut studio.running {
                running.panel.type_breakpoint(&text);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_condition_typed(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(running) = &mut studio.running {
                running.panel.edit_breakpoint();
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
    let weak = Rc::downgrade(shared);
    ui.on_log_chosen(move |source| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.choose_log(index(source)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_log_searched(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.search_log(&text));
    });
}
