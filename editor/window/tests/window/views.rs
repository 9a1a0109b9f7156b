use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::TemplateId;
use hasse_model::trace::{RecordingMode, TraceFooter, TraceHeader, TraceWriter};
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, Recording, RunOptions, param_values, run};
use hasse_ui::{Graph, Views};
use i_slint_backend_testing::AccessibleRole;
use slint::platform::Key;
use slint::{ComponentHandle, Model};

use crate::common::Driver;
use crate::common::programs::RUNNING;

struct Trace {
    writer: Option<TraceWriter<BufWriter<File>>>,
    events: Arc<Mutex<Vec<EventRecord>>>,
}

impl EventSink for Trace {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.events.lock().unwrap().extend(batch.rows().map(|row| row.to_record()));
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write_batch(batch))
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        match self.writer.take() {
            Some(writer) => writer.finish(&TraceFooter::default())?.flush(),
            None => Ok(()),
        }
    }
}

/// Runs the program with one worker and a seed, and writes its record. Returns its events with their values, which the
/// file does not hold.
pub(crate) fn record(path: &Path) -> Vec<EventRecord> {
    record_of(RUNNING, path)
}

/// The same of another program.
pub(crate) fn record_of(text: &str, path: &Path) -> Vec<EventRecord> {
    let plan = hasse_compiler::compile(text, &hasse_body::functions()).plan.unwrap();
    let mut capture = Capture::none();
    (0..plan.templates.len()).for_each(|idx| capture.add(TemplateId::from_idx(idx), Captured::ALL));
    let options = RunOptions {
        n_workers: 1,
        seed: Some(1),
        params: Vec::new(),
        program_folder: Path::new(".").to_owned(),
        sandbox: Default::default(),
        natives: Natives::new(),
        stop: Default::default(),
        reclaim_above: 0,
        tiers: Default::default(),
        capture,
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let header = TraceHeader {
        program_path: "a.hasse".to_owned(),
        program_text: text.to_owned(),
        mode: RecordingMode::Full,
        n_workers: 1,
        params: param_values(&plan, &options).unwrap(),
        templates: plan.template_labels(),
        shared: plan.shared_labels(),
        calls: plan.call_labels(),
        ..TraceHeader::default()
    };
    let writer = TraceWriter::new(BufWriter::new(File::create(path).unwrap()), &header).unwrap();
    let events = Arc::<Mutex<Vec<EventRecord>>>::default();
    let trace = Trace { writer: Some(writer), events: Arc::clone(&events) };
    run(&plan, &options, Recording::Full(Box::new(trace)), Box::new(|_| {})).unwrap();
    std::mem::take(&mut *events.lock().unwrap())
}

/// A window with the program and the record of a run of it.
pub(crate) fn opened() -> Driver {
    let hand = Driver::of(RUNNING);
    let path = hand.file("run.trace");
    record(&path);
    hand.ctrl('o');
    hand.click("record run.trace");
    hand.key(Key::Return);
    hand.wait("the record", |hand| hand.opened.window.global::<Views>().get_has_record());
    hand.wait("its pictures", |hand| {
        hand.opened.window.global::<Views>().get_history().image.size().width > 0
    });
    assert_eq!((hand.program(), hand.title()), (RUNNING.to_owned(), "a.hasse".to_owned()));
    hand
}

fn position(hand: &Driver) -> i32 {
    hand.opened.window.global::<Views>().get_position()
}

/// Lines of the list of what is known of the selected event.
fn facts(hand: &Driver) -> Vec<String> {
    let panel = hand.item("event history");
    let right = panel.absolute_position().x + panel.size().width;
    let rows = hand.all(AccessibleRole::ListItem).into_iter();
    let rows = rows.filter(|row| row.absolute_position().x >= right && row.absolute_position().y > 400.0);
    rows.filter_map(|row| row.accessible_label()).map(String::from).collect()
}

#[test]
fn an_event_that_is_clicked_is_told_about() {
    let hand = opened();
    assert!(hand.reads("5 of 5") || hand.reads("0 of 5"), "{:?}", hand.labels(AccessibleRole::Text));
    let panel = hand.item("event history");
    let (at, size) = (panel.absolute_position(), panel.size());
    let columns = (0..40).map(|column| at.x + 140.0 + 14.0 * column as f32);
    let mut places = columns.flat_map(|x| (0..8).map(move |row| [x, at.y + 26.0 + 12.0 * row as f32]));
    let found = places.find(|place| {
        let is_inside = place[0] < at.x + size.width && place[1] < at.y + size.height;
        if is_inside {
            hand.click_at(*place);
        }
        is_inside && hand.find(AccessibleRole::List, "selected event").is_some()
    });
    assert!(found.is_some(), "no event is found by clicks");
    assert!(!facts(&hand).is_empty());
    assert_eq!(hand.selected(), Vec::<String>::new(), "what is selected is shown by marks");
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn the_record_is_played_step_by_step() {
    let hand = opened();
    hand.click("To the first event (Alt+Home)");
    assert_eq!(position(&hand), 0);
    hand.click("One event on (Alt+Right)");
    hand.click("One event on (Alt+Right)");
    assert_eq!(position(&hand), 2);
    assert!(hand.reads("2 of 5"));
    hand.click("One event back (Alt+Left)");
    assert_eq!(position(&hand), 1);
    hand.click("To the last event (Alt+Shift+Home)");
    assert_eq!(position(&hand), 5);
    let speed = hand.opened.window.global::<Views>().get_speed();
    hand.click("Faster");
    assert_ne!(hand.opened.window.global::<Views>().get_speed(), speed);
    hand.click("To the first event (Alt+Home)");
    for _ in 0..6 {
        hand.press("Faster");
    }
    hand.click("Play the animation");
    hand.wait("the end", |hand| position(hand) == 5);
    hand.item("position").set_accessible_value("3");
    hand.settle();
    assert_eq!(position(&hand), 3);
}

#[test]
fn all_views_show_the_record_and_the_display_is_restricted() {
    let hand = opened();
    let images = |hand: &Driver| {
        let views = hand.opened.window.global::<Views>();
        [views.get_history(), views.get_elaborated(), views.get_timeline()]
            .map(|picture| picture.image.size().width)
    };
    hand.click("Elaborated");
    hand.wait("the elaborated graph", |hand| images(hand)[1] > 0 && hand.reads("instances"));
    hand.click("Time-line");
    hand.wait("the time-line", |hand| images(hand)[2] > 0);
    hand.click("By action");
    hand.click("History");
    hand.click("Templates by order");
    assert_eq!(hand.opened.window.global::<Views>().get_history_order(), 2);
    hand.click("Restrict to selection");
    assert!(hand.status().starts_with("Select the nodes"), "{}", hand.status());
    hand.click_at(hand.node_at("B[i]"));
    hand.click("Restrict to selection");
    hand.click("Show all");
    assert!(hand.has("Restrict to selection"));
    assert_eq!(hand.program(), RUNNING);
}

#[test]
fn checks_and_races_are_looked_for() {
    let hand = opened();
    hand.click("Findings");
    hand.write("check", "check pred End {A}");
    hand.key(Key::Return);
    let holds = |hand: &Driver, word: &str| {
        hand.labels(AccessibleRole::ListItem).iter().any(|label| label.starts_with(word))
    };
    hand.wait("the check", |hand| holds(hand, "holds"));
    hand.click("Races");
    hand.wait("the races", |hand| holds(hand, "race race for /total"));
    let evidence = "then, /B[2]:1 wrote /total";
    hand.click(evidence);
    assert!(hand.has(evidence));
    hand.write("check", "chek");
    hand.key(Key::Return);
    assert!(!hand.opened.window.global::<hasse_ui::Findings>().get_status().is_empty());
}

/// Finds a place where a click on a picture does something.
pub(crate) fn place(hand: &Driver, label: &str, does: impl Fn(&Driver, [f32; 2]) -> bool) -> [f32; 2] {
    let panel = hand.item(label);
    let (at, size) = (panel.absolute_position(), panel.size());
    let columns = (0..40).map(|column| at.x + 140.0 + 14.0 * column as f32);
    let mut places = columns.flat_map(|x| (0..8).map(move |row| [x, at.y + 26.0 + 12.0 * row as f32]));
    let is_inside = |place: &[f32; 2]| place[0] < at.x + size.width && place[1] < at.y + size.height;
    places.find(|place| is_inside(place) && does(hand, *place)).expect("a place")
}

#[test]
fn a_click_with_control_restricts_the_display() {
    let hand = opened();
    let is_restricted = |hand: &Driver| hand.opened.window.global::<Views>().get_is_restricted();
    let at = place(&hand, "event history", |hand, at| {
        hand.click_with(Key::Control, at);
        is_restricted(hand)
    });
    assert!(hand.has("Show all"));
    hand.click("Elaborated");
    hand.click("Show all");
    assert!(!is_restricted(&hand), "{at:?}");
}

#[test]
fn the_time_line_has_curves_and_the_critical_path() {
    let hand = opened();
    let views = || hand.opened.window.global::<Views>();
    hand.wait("the figures", |hand| hand.opened.window.global::<Views>().get_has_figures());
    hand.click("Time-line");
    hand.wait("the curves", |hand| {
        let views = hand.opened.window.global::<Views>();
        views.get_utilization().image.size().width > 0 && views.get_concurrency().image.size().width > 0
    });
    let width = views().get_timeline().image.size().width;
    assert_eq!(views().get_utilization().image.size().width, width, "one axis");
    let pixels = |image: slint::Image| image.to_rgba8().unwrap().as_bytes().to_vec();
    let before = pixels(views().get_utilization().image);
    let curve = crate::common::middle(&hand.item("utilization"));
    hand.wheel(curve, 400.0);
    hand.drag(curve, [curve[0] - 60.0, curve[1]]);
    assert_ne!(pixels(views().get_utilization().image), before, "it moves with the time-line");
    hand.click("Critical path");
    assert!(views().get_shows_path());
    assert!(!hand.told_of("End").is_empty());
    hand.click("Critical path");
    assert!(!views().get_shows_path());
}

#[test]
fn window_of_one_panel_leaves_the_pictures_of_the_main_window_alone() {
    let hand = opened();
    hand.click("Elaborated");
    hand.command("Panel in a window of its own");
    hand.settle();
    assert!(!hand.opened.apart().is_empty());
    for (tab, label) in [("History", "event history"), ("Time-line", "time-line")] {
        hand.click(tab);
        hand.opened.tick();
        hand.settle();
        let views = hand.opened.window.global::<Views>();
        let image = if tab == "History" { views.get_history().image } else { views.get_timeline().image };
        let size = hand.item(label).size();
        let image = image.size();
        assert_eq!((image.width, image.height), (size.width as u32, size.height as u32), "{tab}");
    }
}

#[test]
fn loading_is_told_and_given_up() {
    let hand = opened();
    hand.opened.window.global::<Views>().set_progress(0.4);
    assert!(hand.reads("Loading 40 %"));
    hand.click("Cancel");
    assert!(!hand.reads("Loading"));
}

#[test]
fn click_on_nothing_ends_the_selection_in_all_pictures() {
    let hand = opened();
    let n_marked = || {
        let nodes = hand.opened.window.global::<Graph>().get_nodes();
        nodes.iter().filter(|node| node.is_selected || node.highlight > 0).count()
    };
    hand.click_at(hand.node_at("A"));
    assert!(n_marked() > 0);
    hand.click_at(hand.nowhere());
    assert_eq!((hand.selected(), n_marked()), (Vec::new(), 0));
}
