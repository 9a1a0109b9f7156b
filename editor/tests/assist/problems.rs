//! Problems, places and the checker.

use super::*;

/// All problems of a text, a line each.
fn shown(problems: &Problems) -> String {
    let mut text = String::new();
    for problem in problems.list() {
        let (at, target) = (problem.at, &problem.target);
        writeln!(text, "{}:{} {} [{target}] {}", at.line, at.column, problem.code, problem.message).unwrap();
        for related in &problem.related {
            writeln!(
                text,
                "    {}:{} [{}] {}",
                related.at.line, related.at.column, related.target, related.text
            )
            .unwrap();
        }
        if let Some(help) = &problem.help {
            writeln!(text, "    help: {help}").unwrap();
        }
    }
    text
}

#[test]
fn problems_are_attached_to_what_is_drawn() {
    let problems = Problems::of(PROGRAM, &functions());
    insta::assert_snapshot!(shown(&problems));
    let body = Attribute { line: Some(6), ..Attribute::of("do") };
    let of_line = Target::of_node("top", "Work").with(body);
    assert_eq!(problems.of_target(&of_line).count(), 1);
    assert!(problems.of_target(&Target::of_node("top", "Work")).count() > 2);
    let other_line = Target::of_node("top", "Work").with(Attribute { line: Some(5), ..Attribute::of("do") });
    assert_eq!(problems.of_target(&other_line).count(), 0);
}

#[test]
fn badges_count_what_is_inside_calls() {
    let problems = Problems::of(PROGRAM, &functions());
    let of_node = |graph, node| problems.counts(&Target::of_node(graph, node));
    let half = of_node("sub", "Half");
    assert_eq!(half, Counts { n_errors: 1, ..Counts::default() });
    assert_eq!(of_node("top", "Sub"), Counts { n_errors_inside: 1, ..Counts::default() });
    assert_eq!(problems.counts(&Target::of_graph("sub")).n_errors, 1);
    assert_eq!(problems.counts(&Target::of_link("top", LinkList::Arcs, 3)).n_errors, 1);
    assert!(problems.counts(&Target::of_link("top", LinkList::Arcs, 1)).is_empty());
    assert!(of_node("top", "Begin").is_empty());
    // Recursion counts each graph once.
    let recursive = PROGRAM.replace("graph = \"sub\"", "graph = \"top\"");
    let problems = Problems::of(&recursive, &functions());
    let call = problems.counts(&Target::of_node("top", "Sub"));
    assert_eq!(call.n_errors_inside, problems.counts(&Target::of_graph("top")).n_errors);
}

#[test]
fn a_text_that_is_no_toml_has_its_problem_at_the_node_above() {
    let text = PROGRAM.replace("index  = [\"i\"]", "index  = [\"i\"");
    let problems = Problems::of(&text, &functions());
    assert_eq!(problems.list().len(), 1);
    assert_eq!(problems.list()[0].code, "E0001");
    assert_eq!(problems.list()[0].target, Target::of_node("top", "Work"));
    assert_eq!(problems.counts(&Target::of_node("top", "Work")).n_errors, 1);
    assert!(!problems.places().is_readable());
    let nothing = Problems::of("= =", &functions());
    assert_eq!(nothing.list()[0].target, Target::default());
}

/// The text that stands where a target does.
fn text_of(target: &Target) -> Option<String> {
    let places = Places::of(PROGRAM);
    places.range(target).map(|range| PROGRAM[range].to_owned())
}

#[test]
fn what_is_drawn_has_its_place_in_the_file() {
    let work = Target::of_node("top", "Work");
    let of = |attribute: Attribute| text_of(&work.with(attribute)).unwrap();
    assert_eq!(text_of(&work).unwrap(), "Work");
    assert_eq!(of(Attribute::of("doc")), "Adds up its part.");
    assert_eq!(of(Attribute { row: Some(1), ..Attribute::of("fire") }), "part -> v if kk > 0");
    assert_eq!(of(Attribute { line: Some(4), ..Attribute::of("do") }), "    s += x;");
    assert_eq!(of(Attribute { line: Some(99), ..Attribute::of("do") }), "");
    assert_eq!(of(Attribute { entry: Some("last".to_owned()), ..Attribute::of("vars") }), "intt");
    assert_eq!(text_of(&Target::of_link("top", LinkList::Arcs, 2)).unwrap(), "Sub.x -> End.sum");
    assert_eq!(text_of(&Target::of_node("sub", "in.a")).unwrap(), "a");
    assert_eq!(text_of(&Target::of_node("sub", "in.a").with(Attribute::of("type"))).unwrap(), "real");
    // What is not there has the place of what it is a part of.
    assert_eq!(of(Attribute::of("init")), "Work");
    assert_eq!(of(Attribute { row: Some(9), ..Attribute::of("fire") }), "fire");
    assert_eq!(text_of(&Target::of_node("top", "None")).unwrap(), "top");
    assert_eq!(text_of(&Target::of_node("none", "Work")), None);
    let ty = Target { part: Part::Type("Block".to_owned()), ..Target::default() };
    assert_eq!(text_of(&ty.with(Attribute::of("rhs"))).unwrap(), "vectr");
}

#[test]
fn places_know_all_spellings_of_tables_and_strings() {
    let text = r#"
[graph]
h.uc.B = { do = "one\ntwo \u00e9 x", in = { "q[i]" = "int" } }
g.arcs = ["A.x -> B.y"]
[graph.g.uc.A.vars]
k = "int"
# of the vars
[graph.g.uc.A]
in.p = "real"
do = """
one \
   more
two\nthree
"""
"#;
    let places = Places::of(text);
    for (at, expected, from) in [
        ("two \\u", "h.B do line 2", "two \\u00e9 x"),
        ("x\", in", "h.B do line 2", "two \\u00e9 x"),
        ("q[i]", "h.B in q", "int"),
        ("A.x", "g arcs row 1", "A.x -> B.y"),
        ("k = ", "g.A vars k", "int"),
        ("# of", "g.A vars", "vars"),
        ("p = ", "g.A in p", "real"),
        ("more", "g.A do line 1", "one \\\n   more"),
        ("three", "g.A do line 3", "three"),
    ] {
        let target = places.target(text.find(at).unwrap());
        assert_eq!(target.to_string(), expected, "{at}");
        assert_eq!(&text[places.range(&target).unwrap()], from, "{at}");
    }
}

#[test]
fn a_comment_belongs_to_the_header_above() {
    let places = Places::of(PROGRAM);
    let target = |text: &str| places.target(PROGRAM.find(text).unwrap()).to_string();
    assert_eq!(target("# inside"), "top arcs");
    assert_eq!(target("# A program"), "program");
    assert_eq!(target("[graph.sub.uc.Half]"), "sub.Half");
    assert_eq!(target("# A comment"), "top.End");
    assert_eq!(target("Half]"), "sub.Half");
    assert_eq!(target("s += x"), "top.Work do line 4");
    assert_eq!(target("wrong"), "sub.Half do line 1");
    assert_eq!(target("[10, 20]"), "top.Work layout");
    assert_eq!(places.target(PROGRAM.len() + 10).to_string(), "top layout");
    assert_eq!(Places::of("").target(3), Target::default());
}

proptest! {
    /// What stands at a place leads back to it: a key to its value, a body to its first line.
    #[test]
    fn places_and_targets_lead_to_each_other(offset in 0..PROGRAM.len()) {
        let places = Places::of(PROGRAM);
        let target = places.target(offset);
        let range = places.range(&target).unwrap();
        let mut back = places.target(range.start);
        if target.attribute.as_ref().is_some_and(|attribute| attribute.line.is_none()) {
            back.attribute.iter_mut().for_each(|attribute| attribute.line = None);
        }
        prop_assert_eq!(back, target);
    }

    #[test]
    fn no_text_makes_places_or_problems_fail(start in 0..PROGRAM.len(), n_bytes in 0..80_usize, put in "[\\[\\]{}\"'=\\n.a-z é`]{0,6}") {
        let text = format!("{}{put}{}", &PROGRAM[..start], PROGRAM.get(start + n_bytes..).unwrap_or_default());
        let problems = Problems::of(&text, &functions());
        for problem in problems.list() {
            prop_assert!(problems.places().range(&problem.target).is_some(), "{}", problem.target);
        }
        for found in find(problems.places(), "a", false) {
            let range = found.at.start as usize..found.at.end as usize;
            prop_assert_eq!(found.excerpt[found.range].to_lowercase(), "a");
            prop_assert!(text.get(range).is_some());
        }
        let _ = palette::entries(&text, "top", None);
        let _ = form(&text, "top", Some("Work"));
    }
}

#[test]
fn the_newest_text_is_checked_next() {
    let (begun, begins) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let mut checker = Checker::with(move |text: &str| {
        begun.send(text.to_owned()).unwrap();
        gone.recv().unwrap();
        text.to_uppercase()
    });
    assert_eq!(checker.wait(), None, "nothing was handed in");
    checker.submit(1, "one");
    assert_eq!(begins.recv().unwrap(), "one");
    checker.submit(2, "two");
    checker.submit(3, "three");
    checker.submit(2, "two again");
    assert_eq!(checker.poll(), None);
    go.send(()).unwrap();
    assert_eq!(begins.recv().unwrap(), "three", "no text is checked that is older than one that waits");
    assert_eq!(checker.poll(), Some((1, "ONE".to_owned())));
    go.send(()).unwrap();
    assert_eq!(checker.wait(), Some((3, "THREE".to_owned())));
    assert_eq!(checker.wait(), None);
    drop(checker);
    assert!(begins.recv().is_err(), "the worker has ended");
}

#[test]
fn a_checker_that_is_dropped_ends_with_the_text_under_way() {
    let (begun, begins) = mpsc::channel();
    let (go, gone) = mpsc::channel::<()>();
    let mut checker = Checker::with(move |text: &str| {
        begun.send(text.to_owned()).unwrap();
        gone.recv().unwrap_or_default();
    });
    checker.submit(1, "one");
    assert_eq!(begins.recv().unwrap(), "one");
    checker.submit(2, "two");
    let ending = std::thread::spawn(move || drop(checker));
    // The worker goes on once the drop has begun, or before: then it may begin the second text as well.
    drop(go);
    ending.join().unwrap();
    // Ends only if the worker has.
    let rest: Vec<String> = begins.iter().collect();
    assert!(rest.is_empty() || rest == ["two"], "{rest:?}");
}

#[test]
fn a_check_that_panics_has_no_result_and_the_next_one_has() {
    let mut checker = Checker::with(|text: &str| {
        assert_ne!(text, "bad");
        text.len()
    });
    checker.submit(1, "bad");
    assert_eq!(checker.wait(), None);
    checker.submit(2, "good");
    assert_eq!(checker.wait(), Some((2, 4)));
}

#[test]
fn the_checker_compiles() {
    let mut checker = Checker::new(functions());
    checker.submit(7, PROGRAM);
    let (revision, problems) = checker.wait().unwrap();
    assert_eq!(revision, 7);
    assert_eq!(problems.list(), Problems::of(PROGRAM, &functions()).list());
}
