//! What a run shows on the picture.

use std::sync::Arc;
use std::time::Duration;

use hasse_editor::edit::link::LinkList;
use hasse_editor::marks::{ActionMark, BreakpointMark, Highlight, Marks};
use hasse_editor::run::{
    Breakpoint, Counters, LinkQueue, MOST_DOTS, RunPanel, RunState, Snapshot, TemplateCount, Told,
};
use hasse_editor::target::Target;
use hasse_model::value::Value;
use hasse_runtime::control::{ActionState, ActionSummary, CycleStep, ObjectView};

use super::fake::{Fake, action, panel, stopped};

fn marks_of(snapshot: Snapshot, more: impl FnOnce(&mut RunPanel, &Fake)) -> Marks {
    let (mut panel, fake) = panel();
    fake.tell(Told::Rest(Arc::new(Snapshot { state: RunState::Waiting, ..snapshot })));
    more(&mut panel, &fake);
    panel.tick(Duration::ZERO);
    panel.marks("g")
}

fn counts(actions: &[ActionSummary]) -> Vec<TemplateCount> {
    let of = |template: usize| actions.iter().filter(move |action| action.template.idx() == template);
    (0..3)
        .map(|template| TemplateCount::of(template, of(template)))
        .filter(|count| count.n_instances > 0)
        .collect()
}

#[test]
fn a_box_shows_the_most_urgent_of_its_instances_and_a_dot_for_each() {
    let waiting = ActionSummary { n_queued: 2, ..action(1, "B", &[1], ActionState::Idle) };
    let actions = [action(1, "B", &[0], ActionState::Idle), waiting, action(1, "B", &[2], stopped())];
    let snapshot = Snapshot { templates: counts(&actions), ..Snapshot::default() };
    let marks = marks_of(snapshot, |panel, _| panel.select(Some("/B[1]")));
    let node = &marks.nodes["B"];
    assert_eq!(node.state, Some(ActionMark::Stopped));
    let dots: Vec<(&str, ActionMark, bool)> =
        node.dots.iter().map(|dot| (dot.path.as_str(), dot.mark, dot.is_selected)).collect();
    assert_eq!(
        dots,
        [
            ("/B[0]", ActionMark::Done, false),
            ("/B[1]", ActionMark::Waiting, true),
            ("/B[2]", ActionMark::Stopped, false)
        ]
    );
    assert_eq!((node.n_more, node.n_events, node.note.as_str()), (0, Some(3), "1 stopped, 1 waiting"));
    assert!(!marks.nodes.contains_key("A"), "it has no instance");
}

#[test]
fn of_many_instances_there_are_so_many_dots_and_the_rest_is_a_number() {
    let mut actions: Vec<_> = (0..1000).map(|i| action(1, "B", &[i], ActionState::Idle)).collect();
    actions[999].state = ActionState::Failed;
    let marks = marks_of(Snapshot { templates: counts(&actions), ..Snapshot::default() }, |_, _| {});
    let node = &marks.nodes["B"];
    assert_eq!((node.dots.len(), node.n_more), (MOST_DOTS, 1000 - MOST_DOTS));
    assert_eq!(node.state, Some(ActionMark::Failed), "though it has no dot");
}

#[test]
fn a_call_shows_what_is_inside() {
    let inside = action(2, "C", &[], ActionState::WaitsFor("/total".to_owned()));
    let marks = marks_of(Snapshot { templates: counts(&[inside]), ..Snapshot::default() }, |_, _| {});
    assert_eq!(marks.nodes["sub"].state, Some(ActionMark::Waiting));
    assert!(!marks.nodes.contains_key("C"), "it stands in another graph");
}

#[test]
fn queues_stand_on_rows_and_objects_say_who_holds_them() {
    let queues = vec![LinkQueue { arc: 1, n_values: 7, fill: Some(90) }];
    let object = ObjectView {
        path: "/total".to_owned(),
        value: Value::Int(1),
        holders: vec!["/B[0]".to_owned()],
        waiting: vec!["/B[1]".to_owned(), "/B[2]".to_owned()],
    };
    let marks = marks_of(Snapshot { queues, objects: vec![object], ..Snapshot::default() }, |panel, _| {
        assert_eq!(panel.facts().unwrap().arcs[1].row, Some(1));
    });
    let link = &marks.links[&(LinkList::Arcs, 1)];
    assert_eq!((link.n_queued, link.fill), (Some(7), Some(90)));
    let node = &marks.nodes["total"];
    assert_eq!(
        (node.state, node.note.as_str()),
        (Some(ActionMark::Waiting), "held by /B[0], awaited by 2 actions")
    );
}

#[test]
fn a_cycle_is_highlighted_along_its_arcs() {
    let step = |action: &str, port: &str, arc: &str| CycleStep {
        action: action.to_owned(),
        port: port.to_owned(),
        arc: arc.to_owned(),
        is_full: false,
    };
    let cycle = vec![step("/A", "c", "B[i].c -> A.c"), step("/B[0]", "a", "A.b -> B[0].a")];
    let actions = [action(0, "A", &[], ActionState::Idle), action(1, "B", &[0], ActionState::Idle)];
    let marks = marks_of(Snapshot { cycle, templates: counts(&actions), ..Snapshot::default() }, |_, _| {});
    for name in ["A", "B"] {
        assert_eq!(marks.nodes[name].state, Some(ActionMark::WaitingForCycle));
        assert_eq!(marks.nodes[name].highlights, [Highlight::Cycle]);
        assert_eq!(marks.nodes[name].dots[0].mark, ActionMark::WaitingForCycle);
    }
    assert_eq!(marks.nodes["A"].note, "waits on c for B[0]");
    assert_eq!(marks.nodes["B"].note, "[0] waits on a for A");
    let highlighted: Vec<usize> = marks.links.keys().map(|(_, row)| *row).collect();
    assert_eq!(highlighted, [0, 1]);
}

#[test]
fn caption_in_a_cycle_names_the_instance_under_debug() {
    let step = |number: i64| CycleStep {
        action: format!("/B[{number}]"),
        port: "a".to_owned(),
        arc: "B[i].c -> B[i].a".to_owned(),
        is_full: false,
    };
    let note_of = |selected: Option<&str>| {
        let cycle = vec![step(0), step(2), step(1)];
        let actions: Vec<_> = (0..3).map(|number| action(1, "B", &[number], ActionState::Idle)).collect();
        let snapshot = Snapshot { cycle, templates: counts(&actions), ..Snapshot::default() };
        marks_of(snapshot, |panel, _| panel.select(selected)).nodes["B"].note.clone()
    };
    assert_eq!(note_of(None), "[0] waits on a for [2]");
    assert_eq!(note_of(Some("/B[1]")), "[1] waits on a for [0]");
}

#[test]
fn action_that_the_end_has_interrupted_is_not_failed() {
    let actions = [action(0, "A", &[], ActionState::Idle), action(1, "B", &[0], ActionState::Idle)];
    let snapshot = |cut_off: Vec<String>| Snapshot {
        state: RunState::Over { is_open: true },
        templates: counts(&actions),
        cut_off,
        ..Snapshot::default()
    };
    let (mut panel, fake) = panel();
    fake.tell(Told::Rest(Arc::new(snapshot(vec!["/A".to_owned()]))));
    panel.tick(Duration::ZERO);
    let node = &panel.marks("g").nodes["A"];
    assert_eq!((node.state, node.note.as_str()), (Some(ActionMark::Done), "cut off by the end of the run"));
    assert!(panel.is_cut_off("/A") && !panel.is_cut_off("/B[0]"));
    assert_eq!(panel.marks("g").nodes["B"].note, "");
}

#[test]
fn of_several_breakpoints_the_one_that_holds_the_run_is_shown() {
    let breakpoint = |number: u64, target: Target, condition: &str, is_enabled: bool| Breakpoint {
        number,
        command: String::new(),
        targets: vec![target],
        line: None,
        condition: condition.to_owned(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled,
        is_log_point: false,
    };
    let on = |name: &str| Target::of_node("g", name);
    let marks = marks_of(Snapshot { hit: vec![2], ..Snapshot::default() }, |_, fake| {
        fake.tell(Told::Breakpoints(vec![
            breakpoint(1, on("A"), "", true),
            breakpoint(2, on("A"), "c > 1", true),
            breakpoint(3, on("B"), "a > 1", true),
            breakpoint(4, on("sub"), "", false),
            breakpoint(5, Target::of_link("g", LinkList::Arcs, 2), "", true),
        ]));
    });
    assert_eq!(marks.nodes["A"].breakpoint, Some(BreakpointMark::Hit));
    assert_eq!(marks.nodes["B"].breakpoint, Some(BreakpointMark::Conditional));
    assert_eq!(marks.nodes["sub"].breakpoint, Some(BreakpointMark::Off));
    assert_eq!(marks.links[&(LinkList::Arcs, 2)].breakpoint, Some(BreakpointMark::Enabled));
}

#[test]
fn while_a_run_goes_on_events_are_counted_and_what_is_not_displayed_is_dimmed() {
    let (mut panel, fake) = panel();
    let mut options = panel.options().clone();
    options.display_set = vec!["B[1..3]".to_owned()];
    panel.set_options(options);
    fake.tell(Told::State(RunState::Running));
    fake.tell(Told::Counters(Counters { n_events: vec![1, 5, 2], ..Counters::default() }));
    panel.tick(Duration::ZERO);
    let marks = panel.marks("g");
    let seen =
        |name: &str| (marks.nodes[name].n_events, marks.nodes[name].is_dimmed, marks.nodes[name].state);
    assert_eq!(seen("A"), (Some(1), true, None));
    assert_eq!(seen("B"), (Some(5), false, None));
}
