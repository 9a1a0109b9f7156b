//! The first minutes: drafts, fresh nodes, ready nodes, the tour.

use std::fs;

use hasse_editor::drawing::connect::PortName;
use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::port::Side;
use hasse_editor::gallery::{EXAMPLES, READY_NODES, TEMPLATES};
use hasse_editor::palette::{Action as Choice, Wire, WireEnd, entries};
use hasse_editor::panels::start_page::{StartPage, Step};
use hasse_editor::problems::Problems;
use hasse_editor::state::draft::Draft;
use hasse_editor::state::selection::Selection;
use hasse_editor::state::{Config, Editor, Request};
use hasse_editor::tour::{N_STEPS, Tour};
use hasse_editor::views::pixels::Theme;
use hasse_editor::views::thumbnail::thumbnail;
use hasse_runtime::capture::Capture;
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunOutcome;
use hasse_runtime::run::{DEFAULT_RECLAIM_ABOVE, Recording, RunOptions, ScriptTiers, StopSignal};
use hasse_runtime::sandbox::Sandbox;

fn config() -> Config {
    Config { functions: hasse_body::functions(), ..Config::default() }
}

fn empty() -> Editor {
    let mut editor = Editor::new(config());
    editor.resize(Point::new(1200.0, 800.0));
    editor
}

fn unit(is_start: bool) -> Choice {
    Choice::Unit { is_start, is_stop: false }
}

#[test]
fn templates_and_examples_compile_and_have_pictures() {
    let functions = hasse_body::functions();
    let cards = StartPage::cards();
    assert_eq!(cards.len(), TEMPLATES.len() + EXAMPLES.len());
    for (number, card) in cards.iter().enumerate() {
        let draft = StartPage::draft(number).unwrap();
        let problems = Problems::of(&draft.text, &functions);
        let is_empty = number == 0;
        assert!(is_empty || problems.list().is_empty(), "{}: {:?}", card.title, problems.list());
        assert!(!card.line.is_empty() && !card.line.contains('#'), "{card:?}");
        let picture = thumbnail(&draft.text, 160, 80, Theme::Dark);
        let paper = picture.at(0, 0);
        let n_drawn = (0..160 * 80).filter(|at| picture.at(at % 160, at / 160) != paper).count();
        assert_eq!(n_drawn > 200, !is_empty, "{}: {n_drawn}", card.title);
    }
}

#[test]
fn cards_are_walked_by_rows() {
    let mut page = StartPage::new();
    page.open(Vec::new());
    let mut walk = |steps: &[Step]| {
        steps.iter().for_each(|step| page.select(*step, 4));
        page.selected()
    };
    assert_eq!(walk(&[Step::Left, Step::Up]), 0);
    assert_eq!(walk(&[Step::Right, Step::Down]), 5);
    // The examples begin a row of their own.
    assert_eq!(walk(&[Step::Down]), TEMPLATES.len() + 1);
    assert_eq!(walk(&[Step::Up]), 5);
    assert!(StartPage::draft(1000).is_none());
}

#[test]
fn an_example_is_a_copy_with_its_files_until_it_is_saved() {
    let wordcount = EXAMPLES.iter().find(|example| example.name == "wordcount").unwrap();
    let mut editor = empty();
    editor.open_draft(Draft::from(wordcount));
    assert_eq!((editor.title(), editor.path()), ("wordcount.hasse (not saved)".to_owned(), None));
    assert_eq!(editor.document().text(), wordcount.text);
    let beside = editor.run_path().unwrap();
    assert!(beside.parent().unwrap().join("gettysburg.txt").exists(), "{beside:?}");
    editor.save();
    assert_eq!(editor.take_requests(), [Request::SaveDialog]);
    assert_eq!(editor.suggested_name(), "wordcount.hasse");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gettysburg.txt"), "mine").unwrap();
    let path = folder.path().join("mine.hasse");
    assert!(editor.save_as(&path));
    assert_eq!((editor.title(), editor.run_path()), ("mine.hasse".to_owned(), Some(path)));
    assert_eq!(fs::read_to_string(folder.path().join("gettysburg.txt")).unwrap(), "mine");
    assert!(folder.path().join("inaugural.txt").exists());
    assert!(!beside.parent().unwrap().exists(), "the folder of the draft is removed");
}

#[test]
fn draft_asks_first_where_the_program_is_not_saved() {
    let mut editor = empty();
    editor.insert(&unit(true), [0, 0], None);
    editor.open_draft(Draft::from(&TEMPLATES[1]));
    assert!(editor.offer().is_some());
    assert!(editor.document().text().contains("start = true"));
}

#[test]
fn nothing_is_wrong_before_the_first_edit() {
    let mut editor = empty();
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0]);
    assert!(editor.hint().unwrap().contains("start unit"));
    let start = editor.insert(&unit(true), [0, 0], None).unwrap();
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0], "{:?}", editor.problems().unwrap().list());
    assert!(editor.hint().unwrap().contains("output port"));
    let second = editor.insert(&unit(false), [300, 0], None).unwrap();
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0], "{:?}", editor.problems().unwrap().list());
    assert!(editor.hint().unwrap().contains("input port"));
    // Moved and renamed, it is still as it was added.
    let graph = editor.graph().to_owned();
    editor
        .edit("rename", |tables| hasse_editor::edit::node::rename(tables, &graph, &second, "Second"))
        .unwrap();
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0], "{:?}", editor.problems().unwrap().list());
    assert!(editor.hint().unwrap().contains("Second"));
    // Edited, it is a unit as any other.
    editor
        .edit("fire", |tables| {
            let rules: toml_edit::Array = ["a -> x"].into_iter().collect();
            hasse_editor::edit::node::set_attribute(tables, &graph, "Second", "fire", Some(rules.into()))
        })
        .unwrap();
    editor.check_now();
    let [n_errors, _] = editor.problem_counts();
    assert!(n_errors > 0);
    let is_of_start = |problem: &hasse_editor::problems::Problem| problem.target.node() == Some(&*start);
    assert!(
        !editor.problems().unwrap().list().iter().any(is_of_start),
        "{:?}",
        editor.problems().unwrap().list()
    );
}

#[test]
fn hints_lead_to_a_first_run() {
    let mut editor = empty();
    let steps = [
        ("[graph.main.uc.A]\nstart = true", "add an output port to A"),
        (
            "out = { \"x[i]\" = \"int\" }",
            "routing rule for A in its form: what it sends, such as x[i] <- k for k in 1..=10",
        ),
        ("route = [\"x[i] <- i for i in 0..3\"]", "drag from x[i] of A"),
        ("[graph.main.uc.B]", "add an input port to B"),
        (
            "in = { y = \"int\" }",
            "firing rule for B in its form: what it takes before it executes, such as y -> x",
        ),
        ("fire = [\"y -> v\"]", "the body of B"),
        ("do = \"print(v);\"", "drag from an output port to y of B"),
        ("", "press F5"),
    ];
    let mut text = String::new();
    for (line, hint) in steps {
        text = format!("{text}{line}\n");
        let arcs = if line.is_empty() { "arcs = [\"A.x[i] -> B.y\"]" } else { "" };
        let program = format!("hasse = 1\nmain = \"main\"\n[graph.main]\n{arcs}\n{text}");
        editor
            .edit("write", |tables| {
                *tables = program.parse().unwrap();
                Ok(())
            })
            .unwrap();
        let latest = if text.contains("uc.B") { "B" } else { "A" };
        editor.select(Selection { nodes: [latest.to_owned()].into(), ..Selection::default() });
        editor.check_now();
        assert!(editor.hint().unwrap().contains(hint), "{hint}: {:?}", editor.hint());
    }
    editor.note_run();
    assert_eq!(editor.hint(), None);
    // A program that had nodes when it was opened is not one's first.
    let text = editor.document().text().replace("fire", "# fire");
    assert_eq!(Editor::of_text(config(), &text).hint(), None);
}

#[test]
fn ready_node_is_copied_into_the_program_and_called() {
    let mut editor = empty();
    for number in 0..2 {
        editor.insert(&Choice::Ready("Map".to_owned(), None), [0, 200 * number], None).unwrap();
    }
    let text = editor.document().text();
    for line in
        ["[graph.Map]", "[graph.Map2]", "[graph.main.call.Map2]", "graph = \"Map2\"", "[graph.Map2.uc.Apply]"]
    {
        assert!(text.contains(line), "{line} in {text}");
    }
    editor.check_now();
    assert_eq!(editor.problem_counts()[0], 0, "{:?}", editor.problems().unwrap().list());
    assert!(editor.hint().unwrap().contains("opens its graph"));
    editor.act(hasse_editor::state::action::Action::Undo);
    assert!(!editor.document().text().contains("Map2"), "one step undoes all of it");
}

#[test]
fn ready_node_takes_the_type_of_the_wire() {
    let text = "hasse = 1\nmain = \"g\"\n\n[graph.g.uc.A]\nstart = true\nout = { x = \"real\" }\n";
    let mut editor = Editor::of_text(config(), text);
    editor.resize(Point::new(1200.0, 800.0));
    let from = hasse_editor::drawing::connect::PortName {
        node: "A".to_owned(),
        side: hasse_editor::edit::port::Side::Output,
        port: "x".to_owned(),
    };
    editor.insert(&Choice::Ready("Fold".to_owned(), Some("item".to_owned())), [300, 0], Some(&from)).unwrap();
    let text = editor.document().text();
    assert!(text.contains("\"A.x -> Fold.item\""), "{text}");
    assert!(text.contains("out  = { result = \"real\" }") && text.contains("so_far = \"real\""), "{text}");
    assert!(!text.contains("\"any\""), "{text}");
}

#[test]
fn every_ready_node_is_offered_with_a_line_and_where_it_takes_a_wire() {
    let program = hasse_editor::edit::graph::new_program("main");
    let all = entries(&program, "main", None);
    for node in &READY_NODES {
        let entry = all.iter().find(|entry| entry.label == node.title).unwrap();
        assert_eq!(entry.detail, node.line());
        assert!(entry.detail.ends_with('.'), "{entry:?}");
    }
    let offered = |from, ty: &str| {
        let wire = Wire { from, ty: ty.to_owned() };
        let found = entries(&program, "main", Some(&wire));
        found
            .into_iter()
            .filter(|entry| matches!(entry.action, Choice::Ready(..)))
            .map(|entry| entry.label)
            .collect::<Vec<_>>()
    };
    assert!(offered(WireEnd::Source, "int[]").contains(&"Split.list".to_owned()));
    assert!(!offered(WireEnd::Source, "int").contains(&"Split.list".to_owned()));
    assert!(offered(WireEnd::Source, "string").contains(&"Read lines.path".to_owned()));
    assert!(offered(WireEnd::Target, "matrix").contains(&"Map.result".to_owned()));
    assert!(offered(WireEnd::Object, "int").is_empty());
}

#[test]
fn the_tour_notices_each_step_and_can_be_left() {
    let mut tour = Tour::default();
    tour.open();
    let mut text = hasse_editor::edit::graph::new_program("main");
    let mut at = |text: &str, has_finished: bool| {
        tour.refresh(text, has_finished);
        assert!(!tour.title().is_empty() && !tour.text().is_empty());
        tour.n_done()
    };
    assert_eq!(at(&text, false), 0);
    text += "[graph.main.uc.Count]\nstart = true\n";
    assert_eq!(at(&text, false), 1);
    text += "out = { number = \"int\" }\n";
    assert_eq!(at(&text, false), 2);
    assert_eq!(at("[", false), 2, "a text that cannot be read changes nothing");
    let routed = "[graph.main.uc.Count]\nroute = [\"number <- i for i in 0..4\"]\n";
    text = text.replace("[graph.main]\n", "[graph.main]\narcs = [\"Count.number -> Square.a\"]\n");
    text += "[graph.main.uc.Square]\nin = { a = \"int\" }\n";
    assert_eq!(at(&text, false), 3);
    text = text.replace("[graph.main.uc.Count]\n", routed);
    assert_eq!(at(&text, false), 4);
    text += "out = { square = \"int\" }\nfire = [\"a -> x\"]\n";
    assert_eq!(at(&text, false), 5);
    text += "route = [\"square <- x * x\"]\n";
    text = text.replace("Square.a\"", "Square.a\", \"Square.square -> Sum.a\"");
    text += "[graph.main.uc.Sum]\nin = { a = \"int\" }\nfire = [\"a -> s\"]\n";
    assert_eq!(at(&text, false), 6);
    text += "vars = { total = \"int\" }\ndo = 'total += s; if count == 4 { result(\"total\", total); }'\n";
    assert_eq!(at(&text, false), 7);
    assert_eq!(at(&text, true), N_STEPS);
    let problems = Problems::of(&text, &hasse_body::functions());
    assert!(problems.list().is_empty(), "{:?}", problems.list());
    tour.close();
    assert!(!tour.is_open());
    tour.open();
    assert_eq!(tour.n_done(), N_STEPS, "it goes on where the program stands");
}

/// Runs the program that shows a ready node's use, and gives its results and what it prints.
fn run(text: &str, folder: &std::path::Path) -> (Vec<(String, String)>, String) {
    let functions = hasse_body::functions();
    let compiled = hasse_compiler::compile(text, &functions);
    assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
    let options = RunOptions {
        n_workers: 2,
        seed: None,
        params: Vec::new(),
        program_folder: folder.to_owned(),
        sandbox: Sandbox { write_roots: vec![folder.to_owned()], ..Sandbox::default() },
        natives: Natives::default(),
        stop: StopSignal::default(),
        reclaim_above: DEFAULT_RECLAIM_ABOVE,
        tiers: ScriptTiers::default(),
        capture: Capture::default(),
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let (sender, printed) = std::sync::mpsc::channel();
    let output = Box::new(move |text: &str| sender.send(text.to_owned()).unwrap());
    let report = hasse_runtime::run::run(&compiled.plan.unwrap(), &options, Recording::None, output).unwrap();
    assert_eq!(report.outcome, RunOutcome::Finished, "{:?}", report.errors);
    let results = report.results.iter().map(|(name, value)| (name.clone(), value.to_string()));
    (results.collect(), printed.try_iter().collect())
}

#[test]
fn every_ready_node_gives_what_its_program_expects() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lines.txt"), "one\ntwo\n\nfour\n").unwrap();
    fs::write(folder.path().join("table.csv"), "name,age\nann,3\nbob,4\n").unwrap();
    let expected = [
        ("ReadLines", "lines", "[\"one\", \"two\", \"\", \"four\"]"),
        ("ReadCsv", "rows", "[[\"ann\", 3], [\"bob\", 4]]"),
        ("Map", "items", "[1, 4, 9, 16]"),
        ("Filter", "items", "[1, 2, 3]"),
        ("Fold", "sum", "10"),
        ("Split", "items", "[2, 3, 5]"),
        ("Gather", "list", "[0, 10, 20]"),
        ("MergeInOrder", "items", "[0, 1, 2, 3]"),
        ("Batch", "lists", "[[0, 1, 2], [3, 4, 5], [6]]"),
        ("Plot", "squares", "[0, 1, 4, 9]"),
        ("Print", "", ""),
        ("WriteLines", "bytes", "6"),
    ];
    assert_eq!(expected.len(), READY_NODES.len());
    for (node, (graph, name, value)) in READY_NODES.iter().zip(expected) {
        assert_eq!(node.graph, graph);
        let (results, printed) = run(node.text, folder.path());
        let expected: Vec<_> =
            Some((name.to_owned(), value.to_owned())).into_iter().filter(|_| !name.is_empty()).collect();
        assert_eq!(results, expected, "{graph}");
        assert_eq!(printed, if graph == "Print" { "012" } else { "" }, "{graph}");
        assert_eq!(hasse_compiler::format(node.text).as_deref(), Ok(node.text), "{graph} is not in form");
    }
    assert_eq!(fs::read_to_string(folder.path().join("written.txt")).unwrap(), "1\n2\n3\n");
}

#[test]
fn every_template_runs_to_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let expected = [
        ("items", "[0, 2, 4, 8, 12, 18, 24, 32]"),
        ("total", "79800"),
        ("total", "385"),
        ("root", "1.414213562373095"),
        ("total", "36"),
    ];
    for (template, (name, value)) in TEMPLATES.iter().skip(1).zip(expected) {
        let (results, _) = run(template.text, folder.path());
        assert_eq!(results, [(name.to_owned(), value.to_owned())], "{}", template.title);
        assert_eq!(hasse_compiler::format(template.text).as_deref(), Ok(template.text), "{}", template.title);
    }
}

#[test]
fn tour_goes_on_only_where_the_program_could_be_its_own() {
    let mut tour = Tour::default();
    let mut fits = |text: &str| {
        tour.refresh(text, false);
        tour.fits()
    };
    assert!(fits(&hasse_editor::edit::graph::new_program("main")));
    assert!(fits("hasse = 1\nmain = \"g\"\n\n[graph.g.uc.A]\nstart = true\n"));
    let large = EXAMPLES.iter().filter(|example| ["bank", "bts", "dandc"].contains(&example.name));
    large.for_each(|example| assert!(!fits(example.text), "{}", example.name));
}

#[test]
fn call_is_checked_once_it_is_connected() {
    let mut editor = empty();
    editor.insert(&unit(true), [0, 0], None).unwrap();
    let graph = editor.graph().to_owned();
    let call = editor.insert(&Choice::Ready("Filter".to_owned(), None), [300, 0], None).unwrap();
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0], "{:?}", editor.problems().unwrap().list());
    let arc = format!("node.x -> {call}.item");
    let text = editor
        .document()
        .text()
        .replace("start = true", "start = true\nout = { x = \"any\" }\nroute = [\"x <- 1\"]");
    let text = text.replace(&format!("[graph.{graph}]"), &format!("[graph.{graph}]\narcs = [\"{arc}\"]"));
    editor.replace_text("connect", &text);
    editor.check_now();
    let codes: Vec<_> = editor.problems().unwrap().list().iter().map(|problem| problem.code).collect();
    assert!(codes.contains(&"W0308"), "{codes:?} {text}");
}

#[test]
fn warnings_are_hidden_while_they_are_not_wanted() {
    let text = "hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\nstart = true\nvars = { unused = \"int\" }\n";
    let mut editor = Editor::of_text(config(), text);
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 1], "{:?}", editor.problems().unwrap().list());
    editor.set_warns(false);
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 0]);
    editor.set_warns(true);
    editor.check_now();
    assert_eq!(editor.problem_counts(), [0, 1]);
}

#[test]
fn formal_ports_of_the_main_graph_are_offered_last_with_what_they_are_for() {
    let text =
        "hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\nout = { x = \"int\" }\nstart = true\n[graph.h.uc.B]\n";
    let wire = Wire { from: WireEnd::Source, ty: "int".to_owned() };
    let listed = entries(text, "g", Some(&wire));
    let last = listed.last().unwrap();
    assert_eq!((last.label.as_str(), last.detail.contains("result(")), ("output int", true));
    assert_ne!(entries(text, "h", Some(&wire)).last().unwrap().label, "output int");
    let listed = entries(text, "g", None);
    let input = listed.iter().find(|entry| entry.label == "input int").unwrap();
    assert!(input.detail.contains("parameter"), "{}", input.detail);
}

#[test]
fn formal_port_takes_the_name_of_the_port_it_is_joined_with() {
    let text = "hasse = 1\nmain = \"g\"\n[graph.g.uc.A]\nstart = true\n[graph.h.uc.B]\nin = { y = \"int\" }\nout = { total = \"int\" }\n";
    let mut editor = Editor::of_text(config(), text);
    editor.resize(Point::new(1200.0, 800.0));
    editor.show_graph("h");
    let from = PortName { node: "B".to_owned(), side: Side::Output, port: "total".to_owned() };
    assert_eq!(
        editor.insert(&Choice::Output("int".to_owned()), [300, 0], Some(&from)),
        Some("out.total".to_owned())
    );
    let from = PortName { node: "B".to_owned(), side: Side::Input, port: "y".to_owned() };
    assert_eq!(editor.insert(&Choice::Input("int".to_owned()), [0, 0], Some(&from)), Some("in.y".to_owned()));
}
