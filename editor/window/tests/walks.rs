//! Walks: people who come from different systems use the window on real sessions, by mouse and keyboard alone.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

/// A window, a mouse and a keyboard.
#[allow(dead_code, reason = "shared with the tests of single parts of the window")]
mod common;

use std::fs;
use std::path::Path;

use hasse_ui::Views;
use hasse_window::MakeHost;
use i_slint_backend_testing::AccessibleRole;
use slint::ComponentHandle;
use slint::platform::Key;

use common::Driver;

fn session() -> Option<MakeHost> {
    Some(Box::new(|wake| hasse::command::window_session(wake).unwrap()))
}

/// A window with a copy of an example and of the files next to it.
fn example(name: &str) -> Driver {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = fs::read_to_string(&path).unwrap();
    Driver::prepared(Some(&text), session(), |folder| {
        for entry in fs::read_dir(path.parent().unwrap()).unwrap().map(Result::unwrap) {
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    })
}

impl Driver {
    fn hint(&self) -> String {
        self.check();
        self.app().get_hint().to_string()
    }

    fn rows(&self) -> Vec<String> {
        self.labels(AccessibleRole::ListItem)
    }

    /// The first list item that contains a text.
    #[track_caller]
    fn row_with(&self, part: &str) -> String {
        let row = self.rows().into_iter().find(|row| row.contains(part));
        row.unwrap_or_else(|| panic!("{part} in {:?}", self.rows()))
    }

    /// Starts a run.
    #[track_caller]
    fn begin(&self) {
        self.wait("the host", |hand| hand.item("Run (F5)").accessible_enabled() == Some(true));
        self.key(Key::F5);
    }

    /// Runs the program to its end.
    #[track_caller]
    fn run(&self) {
        self.begin();
        self.wait("the end of the run", |hand| hand.has("Close the outcome"));
    }

    /// Runs the program to its end, and waits for its record.
    #[track_caller]
    fn run_recorded(&self) {
        self.run();
        self.wait("the record", |hand| {
            let views = hand.opened.window.global::<Views>();
            views.get_has_record() && !views.get_is_live()
        });
    }

    /// Adds a row to a section of the form and types its cells.
    #[track_caller]
    fn add(&self, section: &str, cells: &[&str]) {
        self.click(&format!("Add to {section}"));
        for (number, cell) in cells.iter().enumerate() {
            if number > 0 {
                self.key(Key::Tab);
            }
            self.type_text(cell);
        }
        self.key(Key::Return);
        self.check();
    }
}

/// The first program of the book, from the start page to its result, led by the hints.
#[test]
fn newcomer_draws_squares_and_reads_the_result() {
    let hand = Driver::start_with(session());
    hand.click("Empty");
    assert!(hand.hint().contains("press A and choose a start unit"), "{}", hand.hint());
    hand.type_text("a");
    hand.key(Key::DownArrow);
    hand.key(Key::Return);
    hand.write("Name", "Count");
    hand.key(Key::Return);
    assert!(hand.hint().contains("add an output port to Count"), "{}", hand.hint());
    hand.add("Output ports", &["number[i]", "int"]);
    assert!(hand.hint().contains("routing rule for Count"), "{}", hand.hint());
    hand.add("Routing rules", &["number[i] <- i for i in 0..4"]);
    assert!(hand.hint().contains("drag from number[i] of Count"), "{}", hand.hint());

    let port = hand.output("Count", "number");
    hand.drag(port, [port[0] + 140.0, port[1]]);
    hand.key(Key::Return);
    hand.write("Name", "Square");
    hand.key(Key::Return);
    hand.write("Index", "i");
    hand.key(Key::Return);
    assert!(hand.program().contains("\"Count.number[i] -> Square[i]."), "{}", hand.program());
    assert!(hand.hint().contains("firing rule for Square"), "{}", hand.hint());
    hand.add("Firing rules", &["a -> x"]);
    hand.add("Output ports", &["square", "int"]);
    hand.add("Routing rules", &["square <- x * x"]);

    let port = hand.output("Square", "square");
    hand.drag(port, [port[0] - 60.0, port[1] + 90.0]);
    hand.key(Key::Return);
    hand.write("Name", "Sum");
    hand.key(Key::Return);
    hand.add("Firing rules", &["a -> s"]);
    hand.add("Variables", &["total", "int"]);
    assert!(hand.hint().contains("write the body of Sum"), "{}", hand.hint());
    hand.click("body of Sum");
    hand.type_text("total += s; result(\"total\", total);");
    hand.check();
    assert_eq!(hand.app().get_problems_tone(), 0, "{} {}", hand.app().get_problems(), hand.program());
    assert!(hand.hint().contains("press F5"), "{}", hand.hint());
    hand.run();
    for part in ["Finished", "total = 14", "9 events"] {
        assert!(hand.reads(part), "{part}");
    }
    assert_eq!(hand.hint(), "");
}

/// Deadlock: the banner leads to the cycle and to the arcs in it.
#[test]
fn deadlock_hunter_finds_the_cycle_of_philosophers() {
    let hand = example("philosophers/philosophers-bug.hasse");
    hand.run();
    assert!(hand.reads("Deadlock") && hand.reads("run: deadlock"));
    // Those that wait are seen among the instances, though they have never executed.
    hand.press("Elaborated");
    hand.wait("the philosophers", |hand| hand.reads("6 instances, 0 arcs"));
    hand.click("Show the cycle");
    assert_eq!(hand.selected(), ["Philosopher[p]"]);
    hand.wait("the cycle", |hand| hand.reads("Wait-for cycle"));
    assert!(hand.reads("waits on port left for /Philosopher[4]"));
    let told = hand.told_of("Philosopher[p]");
    assert!(told.contains("[0] waits on left for [4]"), "{told}");
    // The next run stops before anything waits: nothing of the deadlock is left.
    hand.click_at(hand.node_at("Waiter"));
    hand.key(Key::F9);
    hand.begin();
    hand.wait("a stop", |hand| hand.status().starts_with("Stopped at /Waiter: breakpoint 1"));
    assert!(!hand.reads("Wait-for cycle"));
    let told = hand.told_of("Philosopher[p]");
    assert!(!told.contains("waits on") && !told.contains("waiting"), "{told}");
    assert!(hand.told_of("Waiter").contains("stopped before its body"), "{}", hand.told_of("Waiter"));
    // It is cut off by its end, and has not failed.
    hand.key_with(Key::Shift, Key::F5);
    hand.wait("the end", |hand| hand.reads("run: ended"));
    let told = hand.told_of("Waiter");
    assert!(told.contains("cut off by the end of the run") && !told.contains("failed"), "{told}");
}

/// A run whose sum may come out right is shown to have lost updates: by its causes.
#[test]
fn race_hunter_finds_the_lost_update() {
    let hand = example("lostupdate/lostupdate-bug.hasse");
    hand.run_recorded();
    hand.click("Findings");
    hand.click("Races");
    hand.wait("races", |hand| hand.rows().iter().any(|row| row.contains("balance")));
    let race = hand.row_with("balance");
    hand.click(&race);
    hand.wait("its evidence", |hand| hand.rows().iter().any(|row| row.contains("/Look[")));
}

/// Missing guard: a check of the expected order shows the event that came too early.
#[test]
fn solver_author_finds_the_missing_guard() {
    let hand = example("bts/bts-bug.hasse");
    hand.run_recorded();
    assert!(hand.has("3 values left"), "the first trace of it");
    hand.wait("the count of values that nobody took", |hand| hand.reads("3 queued"));
    hand.click("Findings");
    hand.write("check", "check pred Solve:3 {Mult[2]:2}");
    hand.key(Key::Return);
    hand.wait("a verdict", |hand| hand.rows().iter().any(|row| row.contains("check pred Solve:3")));
    let verdict = hand.row_with("check pred Solve:3");
    assert!(verdict.starts_with("violated"), "{verdict}");
    hand.click(&verdict);
    hand.wait("its evidence", |hand| hand.rows().iter().any(|row| row.contains("/Solve:3")));
    assert!(hand.has("Solve"));
}

/// Ready nodes, as in Node-RED: a call of one is added, and its graph opened.
#[test]
fn wirer_of_ready_nodes_connects_two_and_runs() {
    let hand = Driver::start_with(session());
    hand.click("Pipeline");
    hand.run();
    assert!(hand.reads("Finished"), "{:?}", hand.labels(AccessibleRole::Text));
    hand.type_text("a");
    hand.type_text("fold");
    hand.key(Key::Return);
    assert!(hand.program().contains("graph = \"Fold\""), "{}", hand.program());
    hand.key(Key::Return);
    assert_eq!(hand.path().last().map(String::as_str), Some("Fold"), "its graph opens and can be changed");
}

/// Probes, as in LabVIEW: a pinned arc shows the values that it carried.
#[test]
fn prober_pins_an_arc_and_sees_its_last_values() {
    let hand = example("merge/merge.hasse");
    hand.run_recorded();
    // The third arc: `Producer[p].item -> Merge.item`.
    hand.click_at(hand.opened.arc_at(2).unwrap());
    hand.alt('p');
    hand.wait("a card with values", |hand| {
        hand.has("values of Producer[p].item -> Merge.item") && hand.reads(" values, 0 waiting")
    });
}

/// Stepping: a breakpoint stops a node, its names have values, F10 leads to the next stop.
#[test]
fn stepper_stops_a_node_looks_at_names_and_goes_on() {
    let hand = example("bts/bts.hasse");
    hand.click_at(hand.node_at("Solve"));
    hand.key(Key::F9);
    hand.begin();
    hand.wait("a stop", |hand| hand.reads("run: stopped"));
    assert_eq!(hand.app().get_panel(), 0, "the body is shown");
    hand.wait("values of its names", |hand| hand.reads("vector of 16 entries"));
    let stopped = hand.row_with("stopped before its body");
    assert!(stopped.contains("/Solve, count 1"), "{stopped}");
    hand.key(Key::F10);
    hand.wait("its next stop", |hand| !hand.has(&stopped) && hand.reads("run: stopped"));
    hand.key_with(Key::Shift, Key::F5);
    hand.wait("the end", |hand| hand.reads("run: ended"));
}

/// A teacher plays a record back, step by step, and shows the same event in all pictures.
#[test]
fn teacher_plays_a_run_back() {
    let hand = example("merge/merge.hasse");
    hand.run_recorded();
    hand.click("History");
    hand.click("To the first event (Alt+Home)");
    hand.click("One event on (Alt+Right)");
    hand.click("One event on (Alt+Right)");
    hand.wait("the second event", |hand| {
        hand.labels(AccessibleRole::Text).iter().any(|text| text.starts_with("2 of "))
    });
    hand.command("Values at this moment");
    hand.wait("values of this moment", |hand| hand.rows().iter().any(|row| row.contains("/Producer[")));
    for (tab, picture) in [("Elaborated", "elaborated graph"), ("Time-line", "time-line")] {
        hand.click(tab);
        hand.wait(picture, |hand| hand.has(picture));
    }
}

/// Another program in place of one that was run, and back: each shows its own runs and breakpoints alone.
#[test]
fn visitor_of_two_programs_sees_the_runs_of_each_alone() {
    let hand = example("bts/bts.hasse");
    hand.click_at(hand.node_at("Solve"));
    hand.key(Key::F9);
    hand.begin();
    hand.wait("a stop", |hand| hand.reads("run: waiting") || hand.reads("run: stopped"));
    // A run that waits is ended.
    hand.command("Start page");
    hand.click("Pipeline");
    assert!(!hand.reads("run: waiting"));
    hand.run_recorded();
    assert!(hand.reads("Finished"), "the breakpoint of the other program does not stop it");
    hand.ctrl('r');
    hand.key(Key::Return);
    assert_eq!(hand.title(), "a.hasse");
    assert!(!hand.has("Close the outcome"));
    assert!(!hand.opened.window.global::<Views>().get_has_record());
    hand.wait("its breakpoint", |hand| hand.told_of("Solve").contains("breakpoint"));
    hand.begin();
    hand.wait("the stop again", |hand| hand.reads("run: waiting") || hand.reads("run: stopped"));
    hand.key_with(Key::Shift, Key::F5);
    hand.wait("the end", |hand| hand.reads("run: ended"));
}
