//! What is chosen in the form reaches the run.

use hasse_editor::run::{FieldId, List, Mode, Options, RecordChoice, RunState, View};

use super::{BTS, Window, n_recorded};

fn chosen(window: &mut Window, mode: Mode) {
    let options = Options { mode, ..window.panel.options().clone() };
    window.panel.set_options(options);
}

fn findings(window: &Window) -> String {
    use hasse_editor::run::Source::Findings;
    let log = window.panel.log();
    let lines = (0..log.n_lines(Some(Findings))).filter_map(|idx| log.line(Some(Findings), idx));
    lines.map(|line| format!("{}\n", line.text)).collect()
}

#[test]
fn a_restricted_run_records_what_is_selected() {
    let mut window = Window::on(BTS);
    chosen(&mut window, Mode::Restrict);
    window.panel.add_options(List::Record, &["Solve".to_owned(), "Mult".to_owned()]);
    window.panel.choose_option(&FieldId::Line(List::Record, 1), 2);
    window.run();
    let path = window.record();
    assert_eq!(n_recorded(&path), 4, "Solve alone");
    // The last line that names a node counts.
    window.panel.add_options(List::Record, &["Mult[1..3]".to_owned()]);
    window.run();
    let path = window.record();
    assert_eq!(n_recorded(&path), 4 + 1 + 2);
    assert_eq!(window.panel.options().record[1], ("Mult".to_owned(), RecordChoice::Off));
}

#[test]
fn races_are_looked_for_and_checks_are_given_their_set() {
    let path = "examples/lostupdate/lostupdate-bug.hasse";
    let mut window = Window::on(path);
    window.panel.choose_option(&FieldId::Races, 1);
    window.run();
    let found = findings(&window);
    assert!(found.contains("race"), "{found}");

    let mut window = Window::on(BTS);
    window.panel.add_options(List::Checks, &["pred Gath {Solve}".to_owned()]);
    window.run();
    assert!(findings(&window).contains("check pred Gath {Solve}"), "{}", findings(&window));
    let before = window.panel.log().n_lines(None);
    window.panel.add_options(List::CheckSet, &["Gath".to_owned(), "Mult".to_owned()]);
    window.run();
    assert!(window.panel.log().n_lines(None) > before);
    window.type_line("status", "check set: Gath Mult");
    assert_eq!(window.panel.options().check_set, ["Gath", "Mult"]);
    // In a mode that checks nothing they stay in the form, and the run is not refused.
    chosen(&mut window, Mode::Off);
    window.run();
    assert_eq!(window.panel.state(), RunState::Over { is_open: true });
    assert_eq!(window.panel.options().checks.len(), 1);
    assert_eq!(window.panel.problem(), "");
}

#[test]
fn a_model_stays_the_line_that_names_its_file() {
    let mut window = Window::on(BTS);
    window.panel.add_options(List::Checks, &["model solve.model".to_owned()]);
    assert_eq!(window.panel.options_problem(), None);
    window.run();
    window.run();
    assert_eq!(window.panel.options().checks, ["model solve.model"]);
    let log = window.log_text();
    assert!(!log.contains("given up") && !log.contains("cannot read"), "{log}");
}

#[test]
fn events_are_filed_and_kept_as_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("filed.trace");
    let mut window = Window::on(BTS);
    window.panel.add_options(List::DisplaySet, &["Solve".to_owned()]);
    window.panel.type_option(&FieldId::File, &file.display().to_string());
    window.panel.choose_option(&FieldId::FileView, 2);
    window.panel.choose_option(&FieldId::Save, 0);
    window.run();
    assert_eq!(window.record(), file, "what is not kept is read from where it is filed");
    assert_eq!(n_recorded(&file), 4, "the display set alone");
    window.panel.choose_option(&FieldId::Save, 1);
    window.panel.choose_option(&FieldId::FileView, 0);
    window.run();
    let path = window.record();
    assert!(path != file && n_recorded(&path) > 20);
    window.panel.choose_option(&FieldId::Display, 2);
    window.run();
    assert_eq!(window.panel.options().display, Some(View::Display));
    assert!(window.log_text().contains("/Solve:4"), "{}", window.log_text());
}
