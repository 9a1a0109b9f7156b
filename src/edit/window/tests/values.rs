//! Values of a record's events, and an event alone, on the real host.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hasse_editor::run::{BreakpointSpec, Button, Mode, Place, Told};
use hasse_editor::views::record::AskedRecord;
use hasse_model::event::EventRecord;
use hasse_model::id::EventId;
use hasse_model::value::Value;

use super::{PATIENCE, Window};

const SUM: &str = r#"hasse = 1
main = "g"

[graph.g]
arcs = ["A.x -> Sum.x"]
share = ["total -- Sum.total"]

[graph.g.shared.total]
type = "int"

[graph.g.uc.A]
start = true
out = { x = "int" }
route = ["x <- k for k in 0..5"]

[graph.g.uc.Sum]
in = { x = "int" }
vars = { seen = "int = 0" }
shared = { total = "write" }
fire = ["x -> x"]
do = '''
seen += 1;
total += x;
if x > 100 {
  throw "too much";
}
print(`seen ${seen}`);
'''
"#;

impl Window {
    /// Waits for something that the session tells the views.
    #[track_caller]
    fn until_told<T>(&mut self, what: &str, find: impl Fn(&Told) -> Option<T>) -> T {
        loop {
            if let Some(found) = self.told.iter().find_map(&find) {
                return found;
            }
            if !self.tick() {
                self.woken.recv_timeout(PATIENCE).expect(what);
            }
        }
    }

    fn values(
        &mut self,
        trace: &Path,
        events: Option<Vec<EventId>>,
    ) -> Result<Arc<Vec<EventRecord>>, String> {
        self.values_of(AskedRecord::File(trace.to_owned()), events)
    }

    fn values_of(
        &mut self,
        of: AskedRecord,
        events: Option<Vec<EventId>>,
    ) -> Result<Arc<Vec<EventRecord>>, String> {
        self.told.retain(|told| !matches!(told, Told::Values { .. }));
        self.panel.ask_values(of.clone(), events);
        self.until_told("values", |told| match told {
            Told::Values { of: asked, result } => (*asked == of).then(|| result.clone()),
            _ => None,
        })
    }

    fn alone(&mut self, trace: &Path, event: &str, inputs: &[(&str, &str)]) -> Result<Vec<String>, String> {
        self.alone_of(AskedRecord::File(trace.to_owned()), event, inputs)
    }

    fn alone_of(
        &mut self,
        of: AskedRecord,
        event: &str,
        inputs: &[(&str, &str)],
    ) -> Result<Vec<String>, String> {
        self.told.retain(|told| !matches!(told, Told::Alone { .. }));
        let owned = inputs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        self.panel.execute_alone(of, event.to_owned(), owned.collect());
        self.until_told("an event alone", |told| match told {
            Told::Alone { result, .. } => Some(result.clone()),
            _ => None,
        })
    }
}

fn recorded() -> (Window, PathBuf) {
    let mut window = Window::new();
    window.set_text("sum.hasse", SUM);
    window.run();
    let trace = window.record();
    (window, trace)
}

#[test]
fn values_of_all_events_or_some_are_made_again() {
    let (mut window, trace) = recorded();
    let events = window.values(&trace, None).unwrap();
    assert_eq!(events.len(), 6);
    let took =
        |event: &EventRecord| event.local.as_ref().unwrap().took.first().map(|(_, value)| value.clone());
    assert_eq!(
        events.iter().filter_map(took).collect::<Vec<_>>(),
        (0..5).map(Value::Int).collect::<Vec<_>>()
    );
    let third = events.iter().find(|event| event.id.count == 3).unwrap().clone();
    let some = window.values(&trace, Some(vec![third.id])).unwrap();
    assert_eq!(*some, [third]);
}

#[test]
fn values_of_a_file_that_is_gone_are_refused_with_a_reason() {
    let (mut window, _) = recorded();
    let problem = window.values(Path::new("gone.trace"), None).unwrap_err();
    assert!(problem.contains("gone.trace"), "{problem}");
}

#[test]
fn event_is_executed_alone_with_other_values() {
    let (mut window, trace) = recorded();
    let same = window.alone(&trace, "/Sum:3", &[]).unwrap().join("\n");
    assert!(same.contains("seen 3"), "{same}");
    let other = window.alone(&trace, "/Sum:3", &[("port x", "7"), ("var seen", "41")]).unwrap().join("\n");
    assert!(other.contains("seen 42"), "{other}");
    let failing = window.alone(&trace, "/Sum:3", &[("port x", "101")]).unwrap().join("\n");
    assert!(failing.contains("too much"), "{failing}");
    for (event, inputs, expected) in [
        ("/Sum:3", ("port x", "many"), "int"),
        ("/Sum:3", ("port y", "1"), "no such input"),
        ("/Sum:99", ("port x", "1"), "Sum"),
    ] {
        let problem = window.alone(&trace, event, &[inputs]).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

fn names(events: &[EventRecord]) -> Vec<(u64, usize)> {
    events.iter().map(|event| (event.id.count, event.local.as_ref().unwrap().took.len())).collect()
}

#[test]
fn values_of_a_run_at_rest_are_made_again_from_what_it_has_recorded() {
    let mut window = Window::new();
    window.set_text("sum.hasse", SUM);
    let mut spec = BreakpointSpec::at("Sum", Place::BeforeBody);
    spec.condition = "count > 1".to_owned();
    window.panel.set_breakpoint(&spec);
    window.run();
    assert!(window.panel.state().is_at_rest());
    // The second event of `Sum` has not ended.
    let events = window.values_of(AskedRecord::SoFar { rest: 1 }, None).unwrap();
    assert_eq!(names(&events), [(1, 0), (1, 1)]);
    let alone =
        window.alone_of(AskedRecord::SoFar { rest: 1 }, "/Sum:1", &[("var seen", "6")]).unwrap().join("\n");
    assert!(alone.contains("seen 7"), "{alone}");
    window.press(Button::Cont);
    let events = window.values_of(AskedRecord::SoFar { rest: 1 }, None).unwrap();
    assert_eq!(names(&events), [(1, 0), (1, 1), (2, 1)]);
    // A replay saves no events: those that it follows are the answer.
    window.press(Button::End);
    let mut options = window.panel.options().clone();
    options.mode = Mode::Replay;
    window.panel.set_options(options);
    window.run();
    assert!(window.panel.state().is_at_rest(), "{:?} {}", window.panel.state(), window.log_text());
    let events = window.values_of(AskedRecord::SoFar { rest: 1 }, None).unwrap();
    assert_eq!(names(&events), [(1, 0), (1, 1), (2, 1), (3, 1)]);
}

#[test]
fn values_of_a_run_that_keeps_no_events_are_refused_with_a_reason() {
    let mut window = Window::new();
    window.set_text("sum.hasse", SUM);
    let mut options = window.panel.options().clone();
    options.mode = Mode::Off;
    window.panel.set_options(options);
    window.run();
    let problem = window.values_of(AskedRecord::SoFar { rest: 1 }, None).unwrap_err();
    assert!(problem.contains("run 1"), "{problem}");
}
