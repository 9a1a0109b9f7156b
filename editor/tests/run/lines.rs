//! Breakpoints at lines of a program that is being edited.

use std::sync::Arc;
use std::time::Duration;

use hasse_editor::marks::LineMark;
use hasse_editor::places::Places;
use hasse_editor::run::{Breakpoint, LineMap, LineSpot, Request, RunPanel, RunState, Subject, Told};
use hasse_editor::target::{Attribute, Target};

use super::fake::{Fake, TEXT, panel};

#[test]
fn lines_are_found_again() {
    let old = "a\nb\nlet x = 1;\nc\nd\n";
    let map = LineMap::new(old, "new\na\nb\nlet xy = 1;\nd\n");
    let lines: Vec<Option<u32>> = (1..=5).map(|line| map.forward(line)).collect();
    assert_eq!(lines, [Some(2), Some(3), Some(4), None, Some(5)]);
    assert_eq!((map.back(4), map.back(1), map.forward(99), map.forward(0)), (Some(3), None, None, None));
    let map = LineMap::new("a\nb\n", "a\nsomething else\n");
    assert_eq!(map.forward(2), Some(2), "a line in place of a line is the same one, edited");
}

#[test]
fn lines_of_a_body_are_lines_of_the_file() {
    let text = "hasse = 1\n[graph.g.uc.A]\ndo = '''\nlet a = 1;\n\nlet b = 2;\n'''\n";
    let places = Places::of(text);
    let body = Target::of_node("g", "A").with(Attribute::of("do"));
    assert_eq!(places.lines_of(&body)[..3], [4, 5, 6]);
    let third = Attribute { line: Some(3), ..Attribute::of("do") };
    assert_eq!(places.target_of_line(6), Target::of_node("g", "A").with(third));
    assert!(places.lines_of(&Target::of_node("g", "B")).is_empty());
}

fn program(text: &str) -> Subject {
    Subject::Program { path: None, text: Arc::from(text) }
}

fn at_line(number: u64, asked: u32, statement: u32) -> Breakpoint {
    Breakpoint {
        number,
        command: format!("stop at line {asked}"),
        targets: Vec::new(),
        line: Some(LineSpot { asked, statement }),
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled: true,
        is_log_point: false,
    }
}

fn tell(panel: &mut RunPanel, fake: &Fake, told: Told) {
    fake.tell(told);
    panel.tick(Duration::ZERO);
}

#[test]
fn a_line_is_toggled_and_its_mark_moves_with_the_text() {
    let (mut panel, fake) = panel();
    tell(&mut panel, &fake, Told::State(RunState::Ready));
    fake.sent();
    panel.toggle_line(7);
    assert_eq!(fake.sent(), [Request::SetBreakpoint("stop at line 7".to_owned())]);
    tell(&mut panel, &fake, Told::Breakpoints(vec![at_line(1, 7, 8)]));
    assert_eq!(panel.line_marks(), [(8, LineMark::Stops)].into(), "where a statement begins");
    panel.set_subject(program(&format!("# two\n# lines\n{TEXT}")), false);
    assert_eq!(panel.line_marks(), [(10, LineMark::Stops)].into());
    fake.sent();
    panel.toggle_line(10);
    assert_eq!(fake.sent(), [Request::DeleteBreakpoint(1)]);
    let off = Breakpoint { is_enabled: false, ..at_line(2, 8, 8) };
    tell(&mut panel, &fake, Told::Breakpoints(vec![off]));
    assert_eq!(panel.line_marks(), [(10, LineMark::Off)].into());
}

#[test]
fn a_line_waits_for_a_session_that_has_it() {
    let (mut panel, fake) = panel();
    // There is no session yet: one is opened, and the breakpoint is set when it is there.
    panel.toggle_line(7);
    assert!(matches!(fake.sent()[..], [Request::Open(..)]));
    assert_eq!(panel.line_marks(), [(7, LineMark::Off)].into());
    tell(&mut panel, &fake, Told::NotOpened("no".to_owned()));
    panel.set_subject(program(&format!("#\n{TEXT}")), false);
    assert_eq!(panel.line_marks(), [(8, LineMark::Off)].into(), "it waits, and moves");
    panel.toggle_line(8);
    assert!(panel.line_marks().is_empty());
    // A run of an earlier text is under way.
    tell(&mut panel, &fake, Told::State(RunState::Running));
    fake.sent();
    panel.toggle_line(9);
    assert_eq!(fake.sent(), [Request::SetBreakpoint("stop at line 8".to_owned())], "as the run knows it");
    panel.toggle_line(1);
    assert_eq!(fake.sent(), [], "the run has no such line");
    assert_eq!(panel.line_marks(), [(1, LineMark::Off)].into());
}

#[test]
fn a_breakpoint_that_is_typed_is_taken_or_refused() {
    let (mut panel, fake) = panel();
    tell(&mut panel, &fake, Told::State(RunState::Ready));
    fake.sent();
    panel.type_breakpoint("in Nobody");
    let command = "stop in Nobody".to_owned();
    assert_eq!(fake.sent(), [Request::SetBreakpoint(command.clone())]);
    let placed = |result| Told::Placed { command: command.clone(), result };
    tell(&mut panel, &fake, placed(Err("there is no Nobody".to_owned())));
    assert_eq!((panel.breakpoint_problem(), panel.n_breakpoints_typed()), ("there is no Nobody", 0));
    assert_eq!(panel.problem(), "", "it is told where it was typed");
    panel.edit_breakpoint();
    assert_eq!(panel.breakpoint_problem(), "");
    panel.type_breakpoint("when in A { log \"a\" }");
    let command = "when in A { log \"a\" }".to_owned();
    assert_eq!(fake.sent(), [Request::SetBreakpoint(command.clone())]);
    tell(&mut panel, &fake, Told::Placed { command, result: Ok(()) });
    assert_eq!((panel.breakpoint_problem(), panel.n_breakpoints_typed()), ("", 1));
}
