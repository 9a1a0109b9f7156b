//! What a person does in the views, told to the state.

use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::selection::Selection;
use hasse_editor::views::findings::Query;
use hasse_ui::{EditorWindow, Findings as UiFindings, Views as UiViews};
use slint::ComponentHandle;

use super::viewing::{HISTORY_ORDERS, TIMELINE_KINDS, UTILIZATION, Which};
use crate::hub::Shared;
use crate::studio::Studio;
use crate::studio::update::go;

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// A place in a picture. What stands below the time-line has its columns, and none of its lanes.
fn place(picture: i32, x: f32, y: f32) -> (f64, f64) {
    (f64::from(x), if picture == UTILIZATION { -1.0 } else { f64::from(y) })
}

/// Connects the callbacks of the views.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiViews>();
    let weak = Rc::downgrade(shared);
    ui.on_resized(move |picture, width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(size) = studio.viewing.sizes.get_mut(index(picture)) {
                *size = (width.max(0.0) as usize, height.max(0.0) as usize);
                studio.viewing.apply_sizes();
                studio.viewing.shown = None;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_menu(move |picture, x, y, window_x, window_y| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(which) = Which::of(picture) {
                let in_window = Point::new(f64::from(window_x), f64::from(window_y));
                studio.open_view_menu(which, place(picture, x, y), in_window);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_pointer(move |picture, kind, x, y, button, _, control| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.drag.pointer(&kind);
            if kind == "down" {
                studio.use_history(Which::of(picture) == Some(Which::History));
            }
            let is_pressed = matches!(&*kind, "down" | "up");
            // The right button opens menus and moves nothing.
            if let Some(which) = Which::of(picture).filter(|_| !is_pressed || button != 1) {
                let before = studio.viewing.views.selection();
                let at = place(picture, x, y);
                studio.viewing.pointer(which, &kind, at, control);
                if let Some(target) = studio.viewing.picked.take() {
                    studio.show_target(&target);
                    return;
                }
                if studio.viewing.views.selection() != before {
                    // What is selected in a view is told on the picture by marks, not as its selection.
                    studio.editor.select(Selection::default());
                }
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_wheel(move |picture, x, y, dx, dy, shift, control| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.drag.wheel();
            if let Some(which) = Which::of(picture) {
                let by = (f64::from(dx), f64::from(dy));
                studio.viewing.wheel(which, place(picture, x, y), by, shift, control);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_act(move |name| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            match &*name {
                "restrict" => studio.restrict_views(),
                "hit-forward" => studio.go_to_hit(false),
                "hit-backward" => studio.go_to_hit(true),
                "fork" => studio.fork(),
                name => studio.viewing.act(name),
            }
            studio.viewing.shown = None;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_seek(move |position| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            // The slider tells of each movement of the mouse; one frame shows the last of them.
            studio.drag.wheel();
            studio.viewing.views.play(|player| {
                player.pause();
                player.seek(position.max(0.0).round() as u32);
            });
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_set_order(move |order| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.viewing.order = index(order).min(HISTORY_ORDERS.len() - 1);
            studio.viewing.apply_options();
            studio.viewing.shown = None;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_set_kind(move |kind| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.viewing.kind = index(kind).min(TIMELINE_KINDS.len() - 1);
            studio.viewing.apply_options();
            studio.viewing.shown = None;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_fact_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let Some(fact) = studio.viewing.shown_facts.get(index(row)).cloned() else { return };
            if studio.open_fact(&fact) {
                return;
            }
            if let Some(event) = fact.event {
                studio.viewing.views.select(hasse_editor::views::select::Selection::Event(event));
                if let Some(page) = studio.viewing.views.page_mut() {
                    page.history.reveal(event);
                }
            }
        });
    });
    super::search::connect(window, shared);
    let findings = window.global::<UiFindings>();
    let weak = Rc::downgrade(shared);
    findings.on_check(move |command| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let text = command.trim();
            if !text.is_empty() {
                studio.look_for(Query::Check(text.to_owned()));
            }
        });
    });
    let weak = Rc::downgrade(shared);
    findings.on_races(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.look_for(Query::Races));
    });
    let weak = Rc::downgrade(shared);
    findings.on_model(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::draw_model);
    });
    let weak = Rc::downgrade(shared);
    findings.on_remove(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::remove_query);
    });
    let weak = Rc::downgrade(shared);
    findings.on_save(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::save_models);
    });
    let weak = Rc::downgrade(shared);
    findings.on_model_edited(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.model_edited(&text));
    });
    let weak = Rc::downgrade(shared);
    findings.on_model_accepted(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::model_accepted);
    });
    let weak = Rc::downgrade(shared);
    findings.on_model_reverted(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::model_reverted);
    });
    let weak = Rc::downgrade(shared);
    findings.on_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.finding_clicked(index(row)));
    });
}
