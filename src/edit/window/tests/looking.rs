//! Breakpoints at lines, queues and tables, on the real host.

use hasse_editor::marks::LineMark;
use hasse_editor::run::{Button, Order, RunState};
use hasse_editor::target::Target;

use super::{BTS, Window};

fn line_of(text: &str, part: &str) -> u32 {
    u32::try_from(text.lines().position(|line| line.contains(part)).unwrap() + 1).unwrap()
}

#[test]
fn a_breakpoint_at_a_line_stops_there_and_moves_with_the_text() {
    let text = std::fs::read_to_string(BTS).unwrap();
    let solve = line_of(&text, "let x = solve_lower");
    let mut window = Window::on(BTS);
    // Before there is a session.
    window.panel.toggle_line(solve);
    assert_eq!(window.panel.line_marks(), [(solve, LineMark::Off)].into());
    window.until("set", |panel| panel.line_marks().values().any(|mark| *mark == LineMark::Stops));
    // A line that is in no body.
    window.panel.toggle_line(solve - 1);
    window.until("refused", |panel| panel.problem() != "");
    window.run();
    assert_eq!((window.panel.state(), window.panel.selected()), (RunState::Waiting, Some("/Solve")));
    window.until("looked at", |panel| panel.current_line() == Some(solve));
    let place = window.panel.current_place().unwrap();
    assert_eq!((place.node(), place.attribute.as_ref().unwrap().line), (Some("Solve"), Some(1)));
    assert!(window.panel.marks("bts").nodes["Solve"].breakpoint.is_some());
    window.press(Button::End);

    // Lines are put in above it, and its own is edited.
    let edited = text.replace("hasse = 1", "# one\n# two\nhasse = 1");
    let edited = edited.replace("let x = solve_lower(d, seg);", "let x = solve_lower(d, seg); // x");
    window.set_text(BTS, &edited);
    assert_eq!(window.panel.line_marks(), [(solve + 2, LineMark::Stops)].into());
    window.run();
    window.until("looked at", |panel| panel.current_line() == Some(solve + 2));
    window.press(Button::End);

    // The line of another one is taken out: that is said.
    window.panel.toggle_line(line_of(&edited, "if parts < 1"));
    window.until("set", |panel| panel.breakpoints().len() == 2);
    let without: String =
        edited.split_inclusive('\n').filter(|line| !line.contains("if parts < 1")).collect();
    window.set_text(BTS, &without);
    assert_eq!(window.panel.line_marks(), [(solve + 1, LineMark::Stops)].into());
    window.run();
    assert_eq!(window.panel.breakpoints().len(), 1);
    assert!(window.log_text().contains("its line is no longer in the program"), "{}", window.log_text());
    window.until("looked at", |panel| panel.current_line() == Some(solve + 1));
}

#[test]
fn what_waits_at_an_arc_is_seen_value_by_value() {
    let mut window = Window::on(BTS);
    window.panel.open();
    window.until("open", |panel| panel.state() == RunState::Ready);
    window.panel.toggle_breakpoint(&Target::of_node("bts", "Solve"));
    window.run();
    let facts = window.panel.facts().unwrap();
    let row = facts.arcs.iter().find(|arc| arc.text == "Row[i].rest -> Mult[i].a").unwrap().row.unwrap();
    window.panel.look_at_arc(Some(("bts", row)));
    window.until("told", |panel| panel.queue().is_some());
    let (arc, queue) = window.panel.queue().unwrap();
    let queue = queue.unwrap();
    assert_eq!((arc, queue.n_values), ("Row[i].rest -> Mult[i].a", 3));
    assert_eq!((queue.values[0].action.as_str(), queue.values[0].port.as_str()), ("/Mult[1]", "a"));
    assert_eq!(queue.values[0].sender.as_deref(), Some("/Row[1]:1"));
    assert!(queue.values[0].text().contains("matrix"), "{}", queue.values[0].text());
    window.panel.look_at_arc(None);
    assert!(window.panel.queue().is_none());
}

#[test]
fn a_table_of_many_instances_is_paged_sorted_and_filtered() {
    let text = "hasse = 1\nmain = \"g\"\n[graph.g]\narcs = [\"A.x[i] -> B[i].x\"]\n\
                [graph.g.uc.A]\nstart = true\nout = { \"x[i]\" = \"int\" }\nroute = [\"x[i] <- i for i in 0..20000\"]\n\
                [graph.g.uc.B]\nindex = [\"i\"]\nin = { x = \"int\", y = \"int\" }\nfire = [\"x -> x, y -> y\"]\n";
    let mut window = Window::new();
    window.set_text("many.hasse", text);
    window.run();
    window.panel.open_table("g", "B");
    window.panel.show_rows(15_000, 40);
    window.until("rows", |panel| panel.table().row(15_000).is_some());
    assert_eq!(window.panel.table().n_rows(), 20_000);
    assert_eq!(window.panel.table().row(15_000).unwrap().path, "/B[15000]");
    window.panel.sort_table(Order::Path);
    window.panel.show_rows(0, 40);
    window.until("turned", |panel| panel.table().row(0).is_some_and(|row| row.path == "/B[19999]"));
    window.panel.filter_table("B[1999");
    window.until("filtered", |panel| panel.table().n_rows() == 11);
    assert_eq!(window.panel.table().row(10).unwrap().path, "/B[1999]");
}
