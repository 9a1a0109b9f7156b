//! The options form: what a mode uses, what is wrong at a line, what is sent.

use std::sync::Arc;
use std::time::Duration;

use hasse_editor::run::{
    Button, Field, FieldId, FieldKind, List, Mode, Options, RecordChoice, Request, RunPanel, Subject, Told,
    View,
};

use super::fake::{Fake, TEXT, panel};

fn chosen(panel: &mut RunPanel, mode: Mode) {
    let options = Options { mode, ..panel.options().clone() };
    panel.set_options(options);
}

fn field(panel: &RunPanel, id: &FieldId) -> Option<Field> {
    panel.fields().into_iter().find(|field| field.id.as_ref() == Some(id))
}

/// A panel whose one needed parameter has a value.
fn ready() -> (RunPanel, Fake) {
    let (mut panel, fake) = panel();
    panel.type_option(&FieldId::Param("size".to_owned()), "3");
    fake.sent();
    (panel, fake)
}

fn sent(panel: &mut RunPanel, fake: &Fake) -> Options {
    fake.sent();
    panel.press(Button::Run);
    match fake.sent().as_slice() {
        [Request::Open(_, options), Request::Run] => (**options).clone(),
        other => panic!("{other:?}: {}", panel.problem()),
    }
}

#[test]
fn what_a_mode_does_not_use_is_a_note_that_says_why() {
    let (mut panel, _) = ready();
    let notes = |panel: &RunPanel| {
        let notes = panel.fields().into_iter().filter(|field| field.kind == FieldKind::Note);
        notes.map(|field| field.text).collect::<Vec<_>>().join("\n")
    };
    assert!(notes(&panel).contains("only the mode restrict"), "{}", notes(&panel));
    chosen(&mut panel, Mode::Restrict);
    assert!(notes(&panel).contains("Nothing is selected"), "{}", notes(&panel));
    assert!(notes(&panel).contains("No races"));
    assert!(field(&panel, &FieldId::List(List::Record)).is_some());
    chosen(&mut panel, Mode::Off);
    for id in [FieldId::Display, FieldId::Races, FieldId::Save, FieldId::File, FieldId::List(List::Checks)] {
        assert!(field(&panel, &id).is_none(), "{id:?}");
    }
    assert!(notes(&panel).contains("nothing is checked in this mode"));
    chosen(&mut panel, Mode::PostMortem);
    assert!(field(&panel, &FieldId::Workers).is_none());
    assert!(notes(&panel).contains("nothing is executed"));
}

#[test]
fn faults_are_told_at_their_lines_and_nothing_is_run() {
    let (mut panel, fake) = ready();
    chosen(&mut panel, Mode::Restrict);
    panel.add_options(List::Record, &["A".to_owned(), "B[1]".to_owned(), String::new()]);
    panel.type_option(&FieldId::Line(List::Record, 1), "Bee[1]");
    let problem = |panel: &RunPanel, id: FieldId| field(panel, &id).unwrap().problem;
    assert_eq!(problem(&panel, FieldId::Line(List::Record, 0)), "");
    assert_eq!(problem(&panel, FieldId::Line(List::Record, 2)), "", "it is to be filled in");
    let told = problem(&panel, FieldId::Line(List::Record, 1));
    assert!(told.contains("`Bee`") && told.contains("it has"), "{told}");
    fake.sent();
    panel.press(Button::Run);
    assert_eq!(fake.sent(), []);
    assert!(panel.problem().contains("Bee[1]"), "{}", panel.problem());
    panel.type_option(&FieldId::Line(List::Record, 1), "B[1, 2]");
    assert!(problem(&panel, FieldId::Line(List::Record, 1)).contains("1 number"));
    panel.type_option(&FieldId::Line(List::Record, 1), "B[0..2]");
    panel.choose_option(&FieldId::Line(List::Record, 1), 1);
    let options = sent(&mut panel, &fake);
    assert_eq!(
        options.record,
        [("A".to_owned(), RecordChoice::Full), ("B[0..2]".to_owned(), RecordChoice::Restrict)],
        "without the line that is empty"
    );

    panel.add_options(List::Checks, &["pred B {Nobody}".to_owned()]);
    assert!(problem(&panel, FieldId::Line(List::Checks, 0)).contains("Nobody"));
    panel.type_option(&FieldId::Line(List::Checks, 0), "pred B A");
    assert!(!problem(&panel, FieldId::Line(List::Checks, 0)).is_empty());
    panel.type_option(&FieldId::Line(List::Checks, 0), "model none.model");
    assert!(problem(&panel, FieldId::Line(List::Checks, 0)).contains("none.model"));
    panel.remove_option(&FieldId::Line(List::Checks, 0));
    panel.type_option(&FieldId::Workers, "many");
    assert_eq!(field(&panel, &FieldId::Workers).unwrap().text, "many");
    assert!(panel.options_problem().unwrap().starts_with("workers: "));
    panel.type_option(&FieldId::Workers, "2");
    panel.type_option(&FieldId::Param("size".to_owned()), "x");
    assert!(panel.options_problem().unwrap().starts_with("size: int: this is no int"));
}

#[test]
fn what_the_mode_does_not_use_stays_in_the_form_and_is_not_sent() {
    let (mut panel, fake) = ready();
    panel.add_options(List::Checks, &["pred B {A}".to_owned()]);
    panel.choose_option(&FieldId::Races, 1);
    panel.type_option(&FieldId::File, "x.trace");
    panel.choose_option(&FieldId::FileView, 2);
    panel.choose_option(&FieldId::Display, 3);
    let options = sent(&mut panel, &fake);
    assert_eq!((options.races, options.display), (true, Some(View::Check)));
    assert_eq!(options.file, Some(("x.trace".to_owned(), View::Display)));
    chosen(&mut panel, Mode::Off);
    let options = sent(&mut panel, &fake);
    assert!(
        options.checks.is_empty() && !options.races && options.file.is_none() && options.display.is_none()
    );
    // The session tells what it has, and a person types on the console meanwhile.
    let told = Options { seed: Some(7), ..options };
    fake.tell(Told::Options(Box::new(told)));
    panel.tick(Duration::ZERO);
    assert_eq!(panel.options().seed, Some(7));
    chosen(&mut panel, Mode::Full);
    assert_eq!(sent(&mut panel, &fake).checks, ["pred B {A}"]);
    panel.choose_option(&FieldId::FileView, 0);
    assert_eq!(field(&panel, &FieldId::File).unwrap().text, "x.trace", "the name is there for later");
    assert_eq!(sent(&mut panel, &fake).file, None);
}

#[test]
fn each_program_has_options_of_its_own() {
    let (mut panel, _) = ready();
    let program =
        |path: &str, text: &str| Subject::Program { path: Some(path.into()), text: Arc::from(text) };
    panel.set_subject(program("a.hasse", TEXT), false);
    assert_eq!(panel.options().params["size"], "3", "saved under a name");
    panel.add_options(List::Checks, &["pred B {A}".to_owned()]);
    panel.type_option(&FieldId::Seed, "9");
    panel.set_subject(program("b.hasse", "hasse = 1"), false);
    assert!(panel.options().checks.is_empty() && panel.options().params.is_empty());
    assert_eq!(panel.options().seed, Some(9), "what names nothing of a program goes on");
    panel.set_subject(program("a.hasse", "hasse = 1\n"), false);
    assert_eq!(panel.options().checks, ["pred B {A}"]);
}
