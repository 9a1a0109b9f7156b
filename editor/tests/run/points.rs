//! The form of one breakpoint, and breakpoints of one node or arc.

use std::time::Duration;

use hasse_editor::edit::link::LinkList;
use hasse_editor::run::{Breakpoint, Facts, PointField, PointForm, PointPlace, PointReaction, Request, Told};
use hasse_editor::target::Target;
use hasse_model::function::FunctionTable;

use super::fake::{TEXT, panel};

fn facts() -> Facts {
    let plan = hasse_compiler::compile(TEXT, &FunctionTable::default()).plan.unwrap();
    Facts::of(&plan, TEXT, false)
}

fn on(node: &str) -> Target {
    Target::of_node("g", node)
}

fn held(number: u64, command: &str, target: Target) -> Breakpoint {
    Breakpoint {
        number,
        command: command.to_owned(),
        targets: vec![target],
        line: None,
        condition: String::new(),
        n_ignored: 0,
        n_hits: 0,
        is_enabled: true,
        is_log_point: false,
    }
}

#[test]
fn form_gives_the_command_of_its_fields() {
    let facts = facts();
    let mut form = PointForm::new(&on("B"), Some(&facts)).unwrap();
    assert_eq!(form.command(&facts), "stop in B at befcomp");
    form.place = PointPlace::After;
    form.reaction = PointReaction::Log;
    assert!(!form.is_complete(), "a log point needs a text");
    form.set_field(PointField::Actions, "B[1]");
    form.set_field(PointField::Condition, "a > 1");
    form.set_field(PointField::Text, "got {a}");
    form.set_field(PointField::Ignored, "3");
    assert_eq!(form.command(&facts), "when in B[1] at aftcomp if a > 1 after 3 { log \"got {a}\" }");
    assert_eq!((form.is_complete(), form.problem(Some(&facts))), (true, None));
    form.set_field(PointField::Ignored, "x");
    assert_eq!(form.problem(Some(&facts)).as_deref(), Some("`x` is no number of hits"));
    let object = PointForm::new(&on("total"), Some(&facts)).unwrap();
    assert_eq!(object.places(), [PointPlace::Access, PointPlace::Read, PointPlace::Write]);
    let arc = PointForm::new(&Target::of_link("g", LinkList::Arcs, 1), Some(&facts)).unwrap();
    assert_eq!(arc.command(&facts), "stop on arc B[i].c -> A.c");
    let mut form = PointForm::new(&on("sub"), Some(&facts)).unwrap();
    assert!(form.is_call());
    assert_eq!(form.command(&facts), "stop in sub at befcomp", "all actions inside");
    assert_eq!(form.problem(Some(&facts)), None);
    form.place = PointPlace::Failed;
    let command = form.command(&facts);
    assert_eq!(command, "stop in sub on failed");
    let again = PointForm::of(&held(1, &command, on("sub")), &on("sub"), &facts).unwrap();
    assert_eq!((again.is_command(), again.place), (false, PointPlace::Failed));
}

#[test]
fn set_breakpoint_is_read_into_the_fields_or_shown_as_text() {
    let facts = facts();
    let of = |command: &str, target: Target| {
        PointForm::of(&held(7, command, target.clone()), &target, &facts).unwrap()
    };
    let commands = [
        ("stop in B if a > 1", on("B")),
        ("once in B[2] at aftcomp if a > 1 after 2", on("B")),
        ("when in B at send { log \"{a} at {count}\" }", on("B")),
        ("stop on shared total write if total > 2", on("total")),
        ("stop on arc B[i].c -> A.c if value > 1", Target::of_link("g", LinkList::Arcs, 1)),
        ("stop on create B[1]", on("B")),
    ];
    for (command, target) in commands {
        let form = of(command, target.clone());
        assert!(!form.is_command(), "{command}");
        assert_eq!((form.replaced(), form.problem(Some(&facts))), (Some(7), None), "{command}");
        let again = of(&form.command(&facts), target);
        assert_eq!(again, form, "{command}");
    }
    for command in ["watch total in B", "when in B { dump; stop }", "stop in B at line 3"] {
        let form = of(command, on("B"));
        assert!(form.is_command(), "{command}");
        assert_eq!(form.command(&facts), command);
    }
}

#[test]
fn names_of_the_actions_are_offered_where_an_expression_is_typed() {
    let facts = facts();
    let functions = FunctionTable::default();
    let mut form = PointForm::new(&on("B"), Some(&facts)).unwrap();
    let offers = |form: &mut PointForm, field: PointField, text: &str| {
        form.set_field(field, text);
        let (range, offers) = form.offers(field, text.len(), Some(&facts), &functions);
        (range, offers.into_iter().map(|offer| offer.text).collect::<Vec<_>>())
    };
    assert_eq!(offers(&mut form, PointField::Condition, "i > 0 && tot"), (9..12, vec!["total".to_owned()]));
    assert_eq!(offers(&mut form, PointField::Condition, "total").1, Vec::<String>::new(), "it is whole");
    assert_eq!(offers(&mut form, PointField::Condition, "\"to").1, Vec::<String>::new(), "a string");
    assert_eq!(offers(&mut form, PointField::Condition, "va").1, Vec::<String>::new(), "nothing passes here");
    assert_eq!(offers(&mut form, PointField::Text, "to").1, Vec::<String>::new(), "outside of braces");
    assert_eq!(offers(&mut form, PointField::Text, "at {tot").1, ["total"]);
    let arc = Target::of_link("g", LinkList::Arcs, 1);
    let mut form = PointForm::new(&arc, Some(&facts)).unwrap();
    assert_eq!(offers(&mut form, PointField::Condition, "val").1, ["value"]);
    assert_eq!(offers(&mut form, PointField::Condition, "vlaue > 1").1, Vec::<String>::new());
    assert!(form.problem(Some(&facts)).unwrap().contains("no name `vlaue`"));
}

#[test]
fn place_is_toggled_and_all_of_a_node_are_switched() {
    let (mut panel, fake) = panel();
    fake.tell(Told::Opened(std::sync::Arc::new(facts())));
    panel.tick(Duration::ZERO);
    fake.sent();
    panel.toggle_point(&on("B"), PointPlace::After);
    let placed = Request::SetBreakpoint("stop in B at aftcomp".to_owned());
    assert!(fake.sent().contains(&placed));
    fake.tell(Told::Breakpoints(vec![
        held(1, "stop in B at aftcomp", on("B")),
        held(2, "stop in B if a > 1", on("B")),
    ]));
    panel.tick(Duration::ZERO);
    assert_eq!(panel.point_at(&on("B"), PointPlace::After), Some(1));
    assert_eq!(panel.point_at(&on("B"), PointPlace::Before), None, "the one there has a condition");
    panel.switch_points(&on("B"));
    let sent = fake.sent();
    assert!(sent.contains(&Request::EnableBreakpoint(1, false)), "{sent:?}");
    assert!(sent.contains(&Request::EnableBreakpoint(2, false)), "{sent:?}");
    panel.toggle_point(&on("B"), PointPlace::After);
    assert!(fake.sent().contains(&Request::DeleteBreakpoint(1)));
}

#[test]
fn replaced_breakpoint_is_deleted_once_the_new_one_is_set() {
    let (mut panel, fake) = panel();
    fake.tell(Told::Opened(std::sync::Arc::new(facts())));
    fake.tell(Told::Breakpoints(vec![held(4, "stop in B if a > 1", on("B"))]));
    panel.tick(Duration::ZERO);
    fake.sent();
    let mut form = panel.point_form(&on("B"), Some(4)).unwrap();
    form.set_field(PointField::Condition, "a > 2");
    panel.set_point(&form);
    let command = "stop in B at befcomp if a > 2".to_owned();
    assert!(fake.sent().contains(&Request::SetBreakpoint(command.clone())));
    fake.tell(Told::Placed { command: command.clone(), result: Err("no".to_owned()) });
    panel.tick(Duration::ZERO);
    assert_eq!((panel.breakpoint_problem(), fake.sent()), ("no", Vec::new()));
    panel.set_point(&form);
    fake.tell(Told::Placed { command, result: Ok(()) });
    panel.tick(Duration::ZERO);
    assert!(fake.sent().contains(&Request::DeleteBreakpoint(4)));
}
