//! What the debugger shows of a body does not depend on how the body is executed: interpreted, evaluated, in machine code.

use std::str::FromStr;

use hasse_model::event::EventBatch;
use hasse_model::plan::routine::Lowering;
use hasse_model::plan::{Plan, SlotKind};
use hasse_model::record_options::Selector;
use hasse_runtime::control::breakpoint::{Breakpoint, LogPart, Place, PointCommand, Reaction};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{ActionState, Control, GlobalState, Inspector, Said, StopPoint, Why};
use hasse_runtime::run::{Recording, RunOptions, ScriptTiers};

use super::recording::{compile, options, record_with, replay_with};
use super::{driven, driven_as};

/// Bodies that are compiled, each with a line on which a condition is looked at, the condition, and how often it holds.
const BODIES: [(&str, &str, &str, usize); 6] = [
    ("let k = 7;\nlet m = k + x;\nk += m;\nv = k;", "k += m;", "k = 7 AND m = 8", 1),
    ("let k = 1;\nlet k = k + x;\nlet k = k * 10;\nv = k;", "v = k;", "k = 20", 1),
    (
        "let sum = 0;\nfor j in 0..3 {\n    let inner = j * 10;\n    sum += inner;\n}\nv = sum;",
        "    sum += inner;",
        "inner = 20 AND sum = 10",
        1,
    ),
    (
        "fn twice(n) {\n    let result = n * 2;\n    result\n}\nlet k = twice(x);\nlet m = twice(k);\nv = m;",
        "    result\n",
        "n = 2 AND result = 4",
        1,
    ),
    (
        "let rows = [1, 2];\nrows.push(x);\nlet w = vector([1.0, 2.0]);\nw[0] = 3.0;\nlet deep = w[0] > 2.0;\nv = rows[2];",
        "let deep = w[0] > 2.0;",
        "rows[2] = 1 AND w[0] = 3.0",
        1,
    ),
    (
        "const C = 3;\nlet late = C;\nif x > 0 {\n    let hidden = late;\n    late += hidden;\n}\nv = late;",
        "v = late;",
        "late = 6",
        1,
    ),
];

const TIERS: [ScriptTiers; 4] =
    [ScriptTiers::Interpreted, ScriptTiers::Evaluated, ScriptTiers::Native, ScriptTiers::Auto];

fn program(body: &str) -> String {
    format!(
        "hasse = 1\nmain = \"step\"\n[graph.step]\narcs = [\"Go.x -> Take.x\"]\n[graph.step.uc.Go]\nout = {{ x = \"int\" }}\n\
         start = true\nroute = [\"x <- 1\"]\n[graph.step.uc.Take]\nin = {{ x = \"int\" }}\nvars = {{ v = \"int\" }}\n\
         fire = [\"x -> x\"]\ndo = '''\n{body}\n'''\n"
    )
}

/// The plan as it would be of a body that cannot be compiled.
fn not_compiled(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.lowerings.iter_mut().for_each(|lowering| *lowering = None);
    plan.templates.iter_mut().for_each(|template| template.slots.retain(|slot| slot.kind != SlotKind::Let));
    plan
}

/// Names and values of an action, and what expressions on the names give, a line each.
fn shown(inspector: &mut dyn Inspector, path: &str) -> String {
    let view = inspector.action(path).unwrap();
    let state = match (view.summary.state, view.at) {
        (ActionState::Stopped(StopPoint::Line), Some(at)) => format!("line {}", at.line),
        (state, _) => format!("{state:?}"),
    };
    let mut lines = vec![state];
    for name in &view.names {
        lines.push(format!("  {} {} = {:?}", name.kind, name.name, name.value));
    }
    for name in
        ["k", "m", "sum", "inner", "n", "result", "rows", "w", "deep", "late", "hidden", "C", "x", "v"]
    {
        let value = inspector.evaluate(path, &Expression::parse(name).unwrap());
        lines.push(format!(
            "  {name}: {}",
            value.map_or_else(|error| error.to_string(), |value| value.to_string())
        ));
    }
    lines.join("\n")
}

fn breakpoint(place: Place, condition: &str, reaction: Reaction) -> Breakpoint {
    Breakpoint {
        within: Some(Selector::from_str("Take").unwrap()),
        place,
        condition: (!condition.is_empty()).then(|| Expression::parse(condition).unwrap()),
        n_ignored: 0,
        reaction,
    }
}

/// Everything that the debugger shows of `Take` while a user steps through its body and on to its end.
fn stepped(plan: &Plan, tiers: ScriptTiers) -> Vec<String> {
    let control = Control::new();
    control.set_breakpoint(plan, 1, breakpoint(Place::Befcomp, "", Reaction::Stop)).unwrap();
    control.set_breakpoint(plan, 2, breakpoint(Place::Send, "", Reaction::Stop)).unwrap();
    let options = RunOptions { tiers, ..options(2, None) };
    let (seen, recorded) = driven(plan, &options, &control, Recording::Full, step_through);
    assert!(recorded.report.errors.is_empty(), "{:?}", recorded.report.errors);
    seen
}

/// The same of a replay.
fn stepped_in_replay(plan: &Plan, tiers: ScriptTiers, batches: &[EventBatch]) -> Vec<String> {
    let control = Control::new();
    control.set_breakpoint(plan, 1, breakpoint(Place::Befcomp, "", Reaction::Stop)).unwrap();
    control.set_breakpoint(plan, 2, breakpoint(Place::Send, "", Reaction::Stop)).unwrap();
    let options = RunOptions { tiers, ..options(2, None) };
    let replay = |options: &RunOptions| replay_with(plan, options, batches);
    let (seen, replayed) = driven_as(&options, &control, replay, step_through);
    assert_eq!(replayed.report.divergence, None);
    seen
}

fn step_through(control: &Control) -> Vec<String> {
    let mut seen = Vec::new();
    while control.wait_for_rest() == GlobalState::Waiting {
        seen.push(control.ask(|inspector| shown(inspector, "/Take")).unwrap());
        let is_in_body = control
            .ask(|inspector| {
                let state = inspector.action("/Take").unwrap().summary.state;
                matches!(state, ActionState::Stopped(StopPoint::Befcomp | StopPoint::Line))
            })
            .unwrap();
        if is_in_body {
            control.ask(|inspector| inspector.step("/Take")).unwrap().unwrap();
        } else {
            control.ask(|inspector| inspector.resume_all(false)).unwrap();
        }
    }
    seen
}

/// Everything that breakpoints print of `Take`, and how often the condition at a line holds.
fn printed(plan: &Plan, tiers: ScriptTiers, line: u32, condition: &str) -> (Vec<String>, usize) {
    let control = Control::new();
    let commands = || {
        vec![
            PointCommand::Dump,
            PointCommand::Print(Expression::parse("v").unwrap()),
            PointCommand::Log(vec![
                LogPart::Text("at ".to_owned()),
                LogPart::Value(Expression::parse("count").unwrap()),
            ]),
        ]
    };
    let places = [Place::Befcomp, Place::Line(line), Place::Aftcomp, Place::Send];
    for (number, place) in (1..).zip(places) {
        control.set_breakpoint(plan, number, breakpoint(place, "", Reaction::When(commands()))).unwrap();
    }
    control.set_breakpoint(plan, 5, breakpoint(Place::Line(line), condition, Reaction::Stop)).unwrap();
    let options = RunOptions { tiers, ..options(2, None) };
    let (told, _) = driven(plan, &options, &control, Recording::Full, |control| {
        let mut told = (Vec::new(), 0);
        loop {
            let state = control.wait_for_rest();
            for news in control.take_news() {
                match news.said {
                    Said::Stopped(reasons) => {
                        assert!(matches!(reasons[..], [Why::Breakpoint { number: 5, .. }]), "{reasons:?}");
                        told.1 += 1;
                    }
                    Said::Printed { printed, .. } => told.0.push(format!("{:?} {printed:?}", news.point)),
                }
            }
            if state != GlobalState::Waiting {
                return told;
            }
            control.ask(|inspector| inspector.resume_all(false)).unwrap();
        }
    });
    told
}

#[test]
fn stepping_shows_the_same_in_all_tiers() {
    for (body, ..) in BODIES {
        let plan = compile(&program(body));
        let is_compiled =
            plan.lowerings.iter().flatten().any(|lowering| matches!(lowering, Lowering::Routine { .. }));
        assert!(is_compiled, "{body}");
        let expected = stepped(&not_compiled(&plan), ScriptTiers::Interpreted);
        assert!(expected.len() > 3, "{expected:?}");
        for tiers in TIERS {
            assert_eq!(stepped(&plan, tiers).join("\n"), expected.join("\n"), "{tiers:?}: {body}");
        }
    }
}

#[test]
fn breakpoints_print_the_same_in_all_tiers() {
    for (body, at, condition, n_expected) in BODIES {
        let text = program(body);
        let plan = compile(&text);
        let line = text[..text.find(at).unwrap()].lines().count() as u32 + 1;
        let expected = printed(&not_compiled(&plan), ScriptTiers::Interpreted, line, condition);
        assert_eq!(expected.1, n_expected, "{body}");
        for tiers in TIERS {
            assert_eq!(printed(&plan, tiers, line, condition), expected, "{tiers:?}: {body}");
        }
    }
}

#[test]
fn names_bound_by_let_are_known_from_the_end_of_the_body_to_the_sending() {
    for (body, at) in
        [(BODIES[0].0, "k += m;"), ("let k = 7;\nlet m = k + x;\nprint(m);\nk += m;\nv = k;", "print(m);")]
    {
        let plan = compile(&program(body));
        for plan in [&plan, &not_compiled(&plan)] {
            let seen = stepped(plan, ScriptTiers::Auto);
            let [.., aftcomp, send] = &seen[..] else { panic!("{seen:?}") };
            for told in [aftcomp, send] {
                assert!(told.contains("let k = Ok(Int(15))") && told.contains("  m: 8"), "{at}: {told}");
            }
            assert!(seen[1].contains("`k` is not known here"), "{}", seen[1]);
        }
    }
}

/// A replay shows the names that the body bound as the run did, at each line and to the sending.
#[test]
fn names_bound_by_let_are_shown_in_replays_as_in_the_run() {
    for (body, ..) in BODIES {
        let plan = compile(&program(body));
        let recorded = record_with(&plan, &options(2, None));
        for plan in [&plan, &not_compiled(&plan)] {
            let expected = stepped(plan, ScriptTiers::Interpreted);
            assert!(expected.len() > 3, "{expected:?}");
            for tiers in TIERS {
                let seen = stepped_in_replay(plan, tiers, &recorded.batches);
                assert_eq!(seen.join("\n"), expected.join("\n"), "{tiers:?}: {body}");
            }
        }
    }
}

/// Without a stop in the body, which is then compiled, and where a line of the body is looked at.
#[test]
fn breakpoints_print_names_bound_by_let_in_replays() {
    for (body, ..) in BODIES {
        let plan = compile(&program(body));
        let recorded = record_with(&plan, &options(2, None));
        let dumped = |tiers, is_replay: bool| {
            let control = Control::new();
            let dump = Reaction::When(vec![PointCommand::Dump]);
            control.set_breakpoint(&plan, 1, breakpoint(Place::Aftcomp, "", dump)).unwrap();
            let options = RunOptions { tiers, ..options(2, None) };
            let run = |options: &RunOptions| match is_replay {
                true => replay_with(&plan, options, &recorded.batches),
                false => record_with(&plan, options),
            };
            let drive = |control: &Control| {
                control.wait_for_rest();
                let news = control.take_news().into_iter();
                news.map(|news| match news.said {
                    Said::Printed { printed, .. } => format!("{printed:?}"),
                    Said::Stopped(reasons) => panic!("{reasons:?}"),
                })
                .collect::<Vec<_>>()
            };
            driven_as(&options, &control, run, drive).0
        };
        let expected = dumped(ScriptTiers::Interpreted, false);
        assert!(expected.len() == 1 && expected[0].contains("\"let\""), "{expected:?}");
        for tiers in TIERS {
            assert_eq!(dumped(tiers, true), expected, "{tiers:?}: {body}");
        }
    }
}
