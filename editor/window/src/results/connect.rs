//! Actions of a person on outcomes and results, passed to the state.

use std::rc::Rc;

use hasse_ui::{EditorWindow, Outcome as UiOutcome, Results as UiResults};
use slint::ComponentHandle;

use crate::command::panel;
use crate::hub::Shared;
use crate::studio::Studio;
use crate::studio::update::go;

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of outcomes and results.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiOutcome>();
    let weak = Rc::downgrade(shared);
    ui.on_follow(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::follow_outcome);
    });
    let weak = Rc::downgrade(shared);
    ui.on_show_results(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.results.change(|results| {
                results.chosen = None;
                results.other = None;
            });
            studio.show_panel(panel::RESULTS);
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::close_outcome);
    });
    let weak = Rc::downgrade(shared);
    ui.on_show_left(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::show_values_left);
    });
    let ui = window.global::<UiResults>();
    let weak = Rc::downgrade(shared);
    ui.on_run_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.run_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_run_activated(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.run_clicked(index(row));
            if let Some(record) = studio.record_of_shown_run().filter(|path| path.is_file()) {
                studio.open_record(&record);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_result_clicked(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.result_clicked(index(row)));
    });
    let weak = Rc::downgrade(shared);
    ui.on_show_parting(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::show_parting);
    });
    let weak = Rc::downgrade(shared);
    ui.on_rerun(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::rerun_shown);
    });
    let weak = Rc::downgrade(shared);
    ui.on_open_record(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(record) = studio.record_of_shown_run() {
                studio.open_record(&record);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_compare(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.results.change(|results| {
                results.is_asking = !results.is_asking && results.other.is_none();
                results.other = None;
            });
        });
    });
    let weak = Rc::downgrade(shared);
    ui.on_show_coverage(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::toggle_coverage);
    });
    let weak = Rc::downgrade(shared);
    ui.on_resized(move |width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.results.change(|results| results.viewer.resize(width, height));
        });
    });
}
