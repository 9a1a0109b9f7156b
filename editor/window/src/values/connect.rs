//! Actions of a person on values and cards, passed to the state.

use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_ui::{EditorWindow, Graph, Values as UiValues};
use slint::ComponentHandle;

use crate::hub::Shared;
use crate::studio::Studio;
use crate::studio::update::go;

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of values and cards.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiValues>();
    let weak = Rc::downgrade(shared);
    ui.on_row_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.moment_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_lineage_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.lineage_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_resized(move |width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.values.viewer.resize(width, height);
            studio.values.version += 1;
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_edited(move |row, text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.input_edited(index(row), text.to_string()));
    });
    let weak = Rc::downgrade(shared);
    ui.on_execute(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::execute_alone);
    });
    let graph = window.global::<Graph>();
    let weak = Rc::downgrade(shared);
    graph.on_card_clicked(move |card, line| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.card_clicked(index(card), usize::try_from(line).ok()));
    });
    let weak = Rc::downgrade(shared);
    graph.on_card_dragged(move |card, x, y| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.card_dragged(index(card), Point::new(f64::from(x), f64::from(y))));
    });
    let weak = Rc::downgrade(shared);
    graph.on_card_pinned(move |card| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.card_unpinned(index(card)));
    });
}
