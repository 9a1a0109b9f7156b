//! The fields of what is selected.

use std::fmt::Write;

use hasse_editor::panels::code::{CodeEditor, Command};
use hasse_editor::panels::inspector::CellKind;

use super::*;

fn shown(inspector: &Inspector) -> String {
    let mut text = format!("# {} {}\n", inspector.kind(), inspector.title());
    for problem in inspector.problems() {
        writeln!(text, "! {} {}", problem.code, problem.message).unwrap();
    }
    for section in inspector.sections() {
        let add = if section.can_add { " +" } else { "" };
        writeln!(text, "{} ({}){add}", section.label, section.key).unwrap();
        for row in &section.rows {
            let flags = [
                (row.can_remove, '-'),
                (row.can_move_up, '^'),
                (row.can_move_down, 'v'),
                (row.is_draft, '?'),
            ];
            let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, sign)| *sign).collect();
            let cells = row.cells.iter().map(|cell| {
                let wait = if cell.is_committed { " on Enter" } else { "" };
                format!("{}{:?} {:?}{wait} @ {}", cell.label, cell.text, cell.kind, cell.target)
            });
            writeln!(text, "  {flags} {}", cells.collect::<Vec<_>>().join(" | ")).unwrap();
            for problem in &row.problems {
                let line = problem.line.map(|line| format!(" line {line}")).unwrap_or_default();
                writeln!(text, "  ! {}{line} {}", problem.code, problem.message).unwrap();
            }
        }
        for problem in &section.problems {
            writeln!(text, " ! {} {}", problem.code, problem.message).unwrap();
        }
    }
    text
}

#[test]
fn each_kind_of_thing_has_its_fields() {
    let link = |list, row| Subject::Link { graph: "top".to_owned(), list, row };
    let several = Subject::Several {
        graph: "top".to_owned(),
        nodes: vec!["A".into(), "B".into()],
        n_links: 1,
        n_notes: 0,
    };
    let subjects = [
        Subject::Nothing,
        Subject::Graph("top".to_owned()),
        node("top", "Work"),
        node("top", "Sub"),
        node("top", "total"),
        node("sub", "in.a"),
        link(LinkList::Arcs, 0),
        link(LinkList::Shares, 0),
        Subject::Comment { graph: "top".to_owned(), number: 1 },
        Subject::Frame { graph: "top".to_owned(), number: 1 },
        several,
    ];
    let mut desk = Desk::new(Subject::Nothing);
    let mut text = String::new();
    for subject in subjects {
        desk.select(subject);
        writeln!(text, "{}", shown(&desk.inspector)).unwrap();
    }
    insta::assert_snapshot!(text);
    for missing in [node("top", "none"), node("none", "Work"), link(LinkList::Arcs, 9)] {
        desk.select(missing);
        assert!(desk.inspector.sections().is_empty());
        assert!(desk.inspector.notice().is_some());
    }
}

#[test]
fn a_selection_is_one_thing_or_several() {
    let of = |nodes: &[&str], links: &[(LinkList, usize)], comments: &[u64], frames: &[u64]| {
        let nodes: Vec<String> = nodes.iter().map(|node| (*node).to_owned()).collect();
        Subject::of_selection("top", &nodes, links, comments, frames)
    };
    let graph = || "top".to_owned();
    assert_eq!(of(&[], &[], &[], &[]), Subject::Graph(graph()));
    assert_eq!(of(&["Work"], &[], &[], &[]), node("top", "Work"));
    let arc = (LinkList::Arcs, 2);
    assert_eq!(of(&[], &[arc], &[], &[]), Subject::Link { graph: graph(), list: LinkList::Arcs, row: 2 });
    assert_eq!(of(&[], &[], &[1], &[]), Subject::Comment { graph: graph(), number: 1 });
    assert_eq!(of(&[], &[], &[], &[1]), Subject::Frame { graph: graph(), number: 1 });
    let several = of(&["Work"], &[arc], &[1], &[1]);
    assert_eq!(
        several,
        Subject::Several { graph: graph(), nodes: vec!["Work".to_owned()], n_links: 1, n_notes: 2 }
    );
}

#[test]
fn what_is_typed_in_one_field_is_one_step() {
    let mut desk = Desk::new(node("top", "Begin"));
    let doc = CellId::new("doc", 0, 0);
    desk.type_over(&doc, "Cuts it.");
    assert_eq!(
        difference(PROGRAM, desk.document.text()),
        "-doc   = \"Cuts.\"  # kept\n+doc   = \"Cuts it.\"  # kept\n"
    );
    desk.type_over(&CellId::new("do", 0, 0), "let a = 1;");
    assert_eq!(desk.commit(&CellId::new("do", 0, 0)), None);
    desk.type_over(&CellId::new("do", 0, 0), "let b = 1;");
    assert!(desk.inspector.undo(&mut desk.document, Some(&doc)));
    assert_eq!(desk.text("do", 0, 0), "let a = 1;", "what was typed before the focus left is another step");
    assert!(desk.inspector.undo(&mut desk.document, None));
    assert_eq!(desk.text("do", 0, 0), "let parts = n * 1.0;");
    assert_eq!(desk.text("doc", 0, 0), "Cuts it.");
    assert!(desk.inspector.undo(&mut desk.document, Some(&doc)));
    assert_eq!(desk.document.text(), PROGRAM);
    assert!(!desk.inspector.undo(&mut desk.document, Some(&doc)));
    // Typing goes on after undoing.
    desk.type_over(&doc, "x");
    assert_eq!(desk.text("doc", 0, 0), "x");
    desk.document.undo();
    assert!(desk.refresh(), "undone beside the inspector");
    assert_eq!(desk.text("doc", 0, 0), "Cuts.");
}

#[test]
fn rules_are_typed_line_by_line_and_half_ones_are_kept() {
    let mut desk = Desk::new(node("top", "Work"));
    let rule = CellId::new("fire", 1, 0);
    desk.type_over(&rule, "part -> y \"");
    assert_eq!(desk.error(&rule), None, "the program takes half a rule");
    assert!(
        desk.document.text().contains(r#"'part -> y "'"#),
        "{}",
        difference(PROGRAM, desk.document.text())
    );
    assert!(desk.refresh());
    assert!(!desk.inspector.section("fire").unwrap().rows[1].problems.is_empty());
    assert!(desk.inspector.section("fire").unwrap().rows[0].problems.is_empty());
    // Nothing at all is no line.
    assert!(!desk.inspector.type_text(&mut desk.document, &rule, ""));
    assert_eq!((desk.text("fire", 1, 0), desk.error(&rule).is_some()), ("", true));
    assert!(desk.document.text().contains(r#"'part -> y "'"#));
    desk.refresh();
    assert_eq!(desk.text("fire", 1, 0), "");
    // The row with what is kept moves.
    assert!(desk.inspector.move_row(&mut desk.document, "fire", 1, true));
    assert_eq!((desk.text("fire", 0, 0), desk.text("fire", 1, 0)), ("", "part -> x if k == 0"));
    assert!(desk.inspector.undo(&mut desk.document, Some(&CellId::new("fire", 0, 0))));
    assert_eq!(desk.text("fire", 0, 0), r#"part -> y ""#, "what is kept goes first");
    for _ in 0..2 {
        assert!(desk.inspector.undo(&mut desk.document, None));
    }
    assert_eq!(desk.document.text(), PROGRAM);
}

#[test]
fn rows_are_added_moved_and_removed() {
    let mut desk = Desk::new(node("top", "Work"));
    let new = desk.inspector.add_row(&desk.document, "route").unwrap();
    assert_eq!((new.row, desk.document.text()), (1, PROGRAM));
    desk.type_over(&new, "sum <- k");
    assert_eq!(desk.document.text().matches("\"sum <- k\"").count(), 1);
    assert!(desk.document.undo().is_some());
    assert_eq!(desk.document.text(), PROGRAM, "adding and typing are one step");
    desk.refresh();

    let new = desk.inspector.add_row(&desk.document, "in").unwrap();
    desk.type_over(&new, "part");
    assert_eq!(desk.commit(&new), None);
    assert!(desk.error(&new).unwrap().contains("taken"), "{:?}", desk.error(&new));
    desk.type_over(&CellId::new("in", 1, 1), "Block[]");
    assert_eq!(desk.document.text(), PROGRAM);
    desk.type_over(&new, "more[j]");
    desk.commit(&new);
    assert_eq!(desk.text("in", 1, 1), "Block[]");
    let changed = difference(PROGRAM, desk.document.text());
    assert!(changed.contains(r#"+in     = { part = "real", "more[j]" = "Block[]" }"#), "{changed}");
    assert!(desk.inspector.move_row(&mut desk.document, "in", 1, true));
    assert_eq!(desk.text("in", 0, 0), "more[j]");
    assert!(!desk.inspector.move_row(&mut desk.document, "in", 0, true));
    assert!(desk.inspector.remove_row(&mut desk.document, "in", 1));
    assert!(!desk.document.text().contains("-> Work[i].part"), "the arc goes with the port");
    assert!(desk.document.text().contains("part -> x if k == 0"), "the rules stay for the compiler");

    let draft = desk.inspector.add_row(&desk.document, "vars").unwrap();
    assert!(desk.inspector.cancel(&desk.document, &draft));
    assert_eq!(desk.inspector.cell(&draft), None);
    assert!(!desk.inspector.remove_row(&mut desk.document, "vars", 7));
    assert_eq!(desk.inspector.add_row(&desk.document, "doc"), None);
    // Back to the beginning.
    while desk.inspector.undo(&mut desk.document, None) {}
    assert_eq!(desk.document.text(), PROGRAM);
}

#[test]
fn renaming_waits_for_enter_and_is_followed() {
    let mut desk = Desk::new(node("top", "Work"));
    let name = CellId::new("name", 0, 0);
    desk.type_over(&name, "Worker");
    assert_eq!(desk.document.text(), PROGRAM);
    assert!(desk.inspector.cell(&name).unwrap().is_kept);
    assert_eq!(desk.commit(&name), Some(node("top", "Worker")));
    assert_eq!(desk.inspector.subject(), &node("top", "Worker"));
    assert_eq!(desk.inspector.title(), "Worker");
    desk.type_over(&CellId::new("out", 0, 0), "total");
    assert_eq!(desk.commit(&CellId::new("out", 0, 0)), None);
    desk.type_over(&CellId::new("vars", 1, 0), "acc_s");
    desk.commit(&CellId::new("vars", 1, 0));
    desk.type_over(&CellId::new("shared", 0, 0), "all");
    desk.commit(&CellId::new("shared", 0, 0));
    let changed = difference(PROGRAM, desk.document.text());
    for line in [
        "+share = [\"total -- Worker[i].all\"]\n",
        "+  \"Worker[i].total -> Sub.a\",  # inside\n",
        "+[graph.top.uc.Worker]\n",
        "+route = [\"total <- acc_s\"]\n",
        "+\tacc_s += p * 1.0;\n",
        "+all += whole(acc_s);\n",
        "+Worker = [10, 20]\n",
    ] {
        assert!(changed.contains(line), "{line}{changed}");
    }
    for expected in ["rename"; 4] {
        assert_eq!(desk.document.undo().as_deref(), Some(expected));
    }
    assert_eq!(desk.document.text(), PROGRAM);

    // Refused names stay where they were typed.
    desk.select(node("top", "End"));
    for (wrong, reason) in [("Work", "taken"), ("3", "no name"), ("", "needed"), ("  ", "needed")] {
        desk.inspector.type_text(&mut desk.document, &name, wrong);
        assert_eq!(desk.commit(&name), None);
        assert!(desk.error(&name).unwrap().contains(reason), "{:?}", desk.error(&name));
        desk.refresh();
        assert_eq!(desk.text("name", 0, 0), wrong);
    }
    assert_eq!(desk.document.text(), PROGRAM);
    assert!(desk.inspector.cancel(&desk.document, &name));
    assert_eq!((desk.text("name", 0, 0), desk.error(&name)), ("End", None));
}

#[test]
fn graphs_parameters_and_formal_ports_are_renamed_with_their_uses() {
    let mut desk = Desk::new(Subject::Graph("sub".to_owned()));
    for (key, text) in [("params", "parts"), ("in", "b[j]"), ("name", "solve")] {
        let id = CellId::new(key, 0, 0);
        desk.type_over(&id, text);
        desk.commit(&id);
        assert_eq!(desk.error(&id), None);
    }
    assert_eq!(desk.inspector.subject(), &Subject::Graph("solve".to_owned()));
    desk.select(Subject::Graph("top".to_owned()));
    let id = CellId::new("params", 0, 0);
    desk.type_over(&id, "n_parts");
    desk.commit(&id);
    insta::assert_snapshot!(difference(PROGRAM, desk.document.text()));
    // A parameter in the brackets of arcs; a name that a node has itself is another one.
    let mut document = Document::new(
        "[graph.g]\nparams = { n = \"int\" }\narcs = [\"A[n].x -> B[n - 1, a[n]].y\"]\n[graph.g.uc.A]\nindex = ['n']\ndo = 'n'\n\
         [graph.g.uc.B]\nfire = ['n -> n if n']\ndo = 'x.n + n'\n[graph.g.uc.C]\ndo = 'let n = 1; n'\n",
    );
    document.edit("rename", |tables| hasse_editor::edit::name::rename_param(tables, "g", "n", "m")).unwrap();
    let text = document.text();
    assert!(text.contains(r#""A[m].x -> B[m - 1, a[m]].y""#), "{text}");
    assert!(text.contains("index = ['n']\ndo = 'n'"), "{text}");
    assert!(text.contains("'x.n + m'") && text.contains("'let n = 1; n'"), "{text}");
}

#[test]
fn links_are_changed_at_their_ends() {
    let mut desk = Desk::new(Subject::Link { graph: "top".to_owned(), list: LinkList::Arcs, row: 0 });
    for (key, cell, text) in
        [("target", 0, "End.sum"), ("target", 1, ""), ("source", 2, "k"), ("source", 1, "3")]
    {
        let id = CellId::new(key, 0, cell);
        desk.inspector.type_text(&mut desk.document, &id, text);
        desk.commit(&id);
    }
    assert_eq!(desk.text("line", 0, 0), "Begin[3].part[k] -> End.sum");
    let id = CellId::new("target", 0, 0);
    desk.type_over(&id, "End.");
    desk.commit(&id);
    assert_eq!(desk.text("line", 0, 0), "Begin[3].part[k] -> End.", "a node without its port is half an end");
    let wrong = CellId::new("source", 0, 0);
    desk.inspector.type_text(&mut desk.document, &wrong, "");
    desk.commit(&wrong);
    assert!(desk.error(&wrong).unwrap().contains("->"));
    // The line as text, even where it has no ends.
    let line = CellId::new("line", 0, 0);
    desk.type_over(&line, "A -");
    assert_eq!(desk.inspector.sections().len(), 1);
    desk.type_over(&line, "A.x -> B.y");
    assert_eq!((desk.text("source", 0, 0), desk.text("target", 0, 0)), ("A.x", "B.y"));
    desk.refresh();
    assert!(!desk.inspector.section("line").unwrap().rows[0].problems.is_empty());
    while desk.inspector.undo(&mut desk.document, None) {}
    assert_eq!(desk.document.text(), PROGRAM);
}

#[test]
fn notes_flags_and_names_are_typed() {
    let mut desk = Desk::new(Subject::Comment { graph: "top".to_owned(), number: 1 });
    desk.type_over(&CellId::new("text", 0, 0), "one\ntwo");
    desk.select(Subject::Frame { graph: "top".to_owned(), number: 1 });
    desk.type_over(&CellId::new("title", 0, 0), "All");
    assert_eq!(desk.inspector.cell(&CellId::new("color", 0, 0)).unwrap().kind, CellKind::Choice);
    desk.inspector.type_text(&mut desk.document, &CellId::new("color", 0, 0), "red");
    desk.select(node("top", "Work"));
    let index = CellId::new("index", 0, 0);
    desk.type_over(&index, "i, ");
    assert_eq!(desk.text("index", 0, 0), "i, ", "as it was typed");
    desk.type_over(&index, "i, 3");
    assert!(desk.error(&index).is_some());
    desk.refresh();
    assert_eq!(desk.text("index", 0, 0), "i, 3");
    desk.type_over(&index, "i, jay");
    assert_eq!(desk.error(&index), None);
    let stop = CellId::new("stop", 0, 0);
    assert!(desk.inspector.type_text(&mut desk.document, &stop, "true"));
    desk.select(Subject::Graph("sub".to_owned()));
    desk.inspector.type_text(&mut desk.document, &CellId::new("main", 0, 0), "true");
    insta::assert_snapshot!(difference(PROGRAM, desk.document.text()));
}

#[test]
fn half_texts_stay_while_the_selection_does() {
    let mut desk = Desk::new(node("top", "Work"));
    let (index, name) = (CellId::new("index", 0, 0), CellId::new("name", 0, 0));
    desk.type_over(&index, "i i");
    desk.type_over(&name, "Wor");
    // The program becomes no TOML, and is mended.
    desk.document.replace("text", "[");
    assert!(desk.refresh());
    assert!(desk.inspector.notice().is_some());
    assert_eq!((desk.text("index", 0, 0), desk.text("name", 0, 0)), ("i i", "Wor"));
    assert!(!desk.inspector.type_text(&mut desk.document, &CellId::new("doc", 0, 0), "typed"));
    assert!(desk.error(&CellId::new("doc", 0, 0)).is_some());
    desk.document.undo();
    desk.refresh();
    assert_eq!((desk.text("index", 0, 0), desk.text("doc", 0, 0)), ("i i", "typed"));
    desk.select(node("top", "Work"));
    assert_eq!(desk.text("name", 0, 0), "Wor");
    desk.select(node("top", "End"));
    desk.select(node("top", "Work"));
    assert_eq!((desk.text("index", 0, 0), desk.text("name", 0, 0)), ("i", "Work"));
    // The row of a half rule is taken out by someone else.
    desk.inspector.type_text(&mut desk.document, &CellId::new("fire", 1, 0), "");
    desk.document
        .edit("beside", |tables| {
            tables["graph"]["top"]["uc"]["Work"]["fire"].as_array_mut().unwrap().remove(0);
            Ok(())
        })
        .unwrap();
    desk.refresh();
    assert_eq!(desk.text("fire", 0, 0), "");
    assert!(desk.error(&CellId::new("fire", 0, 0)).is_some());
}

#[test]
fn problems_stand_at_rows_and_lines_also_of_what_is_called() {
    let mut desk = Desk::new(node("top", "Work"));
    let body = &desk.inspector.section("do").unwrap().rows[0].problems;
    assert_eq!(body.len(), 1);
    assert_eq!((body[0].line, body[0].message.contains("whole")), (Some(6), true));
    assert_eq!(desk.inspector.counts().n_errors, 1);
    desk.select(node("top", "Sub"));
    assert_eq!((desk.inspector.counts().n_errors, desk.inspector.counts().n_errors_inside), (0, 1));
    desk.select(Subject::Graph("sub".to_owned()));
    assert_eq!(desk.inspector.counts().n_errors, 1);
    // An unknown type of a port, in the port's row.
    desk.type_over(&CellId::new("in", 0, 1), "vectr");
    desk.refresh();
    assert_eq!(desk.inspector.section("in").unwrap().rows[0].problems.len(), 1, "{}", shown(&desk.inspector));
}

#[test]
fn a_body_is_written_in_its_editor() {
    let mut desk = Desk::new(node("sub", "Half"));
    let id = CellId::new("do", 0, 0);
    let cell = desk.inspector.cell(&id).unwrap().clone();
    let CellKind::Code(kind) = cell.kind else { panic!("{:?}", cell.kind) };
    let mut editor = CodeEditor::new(cell.target, kind, "", Arc::new(functions()));
    editor.set_program(desk.document.text());
    for letter in "let x = 0;\nfor i in [m] {\nx += aq;\n}\n".chars() {
        match letter {
            '\n' => {
                let edit = editor.command(Command::NewLine).unwrap();
                editor.apply(&edit);
            }
            _ => {
                let (mut text, at) = (editor.text().to_owned(), editor.cursor());
                text.insert(at, letter);
                editor.set_text(&text, at + 1, at + 1);
                editor.typed();
            }
        }
        desk.inspector.type_text(&mut desk.document, &id, editor.text());
        assert_eq!(desk.text("do", 0, 0), editor.text(), "no line end comes in while typing");
        editor.set_program(desk.document.text());
    }
    let changed = difference(PROGRAM, desk.document.text());
    assert!(changed.contains("+do    = '''\n+let x = 0;\n+for i in [m] {\n+    x += aq;\n"), "{changed}");
    // What is wrong is told where it is.
    let found = problems(desk.document.text());
    desk.refresh();
    editor.set_problems(&found);
    assert_eq!(editor.diagnoses().iter().map(|diagnosis| diagnosis.line).collect::<Vec<_>>(), [3]);
    assert_eq!(desk.inspector.section("do").unwrap().rows[0].problems[0].line, Some(3));
    assert!(desk.inspector.undo(&mut desk.document, Some(&id)));
    assert_eq!(desk.document.text(), PROGRAM, "all of it is one step");
    assert_eq!(desk.text("do", 0, 0), "let x = a / m + wrong;");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_typed_can_be_undone(
        steps in prop::collection::vec((0..7_usize, any::<prop::sample::Index>(), "[a-c0 \"'\\[\\]>.,\n=é-]{0,6}", 0..7_u8), 1..14)
    ) {
        let link = Subject::Link { graph: "top".to_owned(), list: LinkList::Arcs, row: 1 };
        let subjects = [
            node("top", "Work"), node("top", "Sub"), Subject::Graph("top".to_owned()), node("sub", "in.a"), link,
            Subject::Comment { graph: "top".to_owned(), number: 1 }, node("top", "total"),
        ];
        let nothing = problems("");
        let mut document = Document::new(PROGRAM);
        let mut inspector = Inspector::new();
        inspector.show(subjects[0].clone(), &document, &nothing);
        for (choice, place, text, what) in steps {
            let sections = inspector.sections();
            if sections.is_empty() || what == 6 {
                inspector.show(subjects[choice % subjects.len()].clone(), &document, &nothing);
                continue;
            }
            let section = &sections[choice % sections.len()];
            let key = section.key.clone();
            let cells: Vec<CellId> =
                sections.iter().flat_map(|section| &section.rows).flat_map(|row| &row.cells).map(|cell| cell.id.clone()).collect();
            let id = cells[place.index(cells.len())].clone();
            match what {
                0 | 1 => {
                    for (at, letter) in text.char_indices() {
                        let typed = &text[..at + letter.len_utf8()];
                        inspector.type_text(&mut document, &id, typed);
                        // What was typed is shown, in the program or not.
                        if let Some(cell) = inspector.cell(&id) {
                            prop_assert_eq!(&cell.text, typed);
                        }
                    }
                }
                2 => {
                    inspector.type_text(&mut document, &id, &text);
                    inspector.commit(&mut document, &id);
                }
                3 => drop(inspector.add_row(&document, &key)),
                4 => drop(inspector.remove_row(&mut document, &id.key, id.row)),
                _ => drop(inspector.move_row(&mut document, &id.key, id.row, choice % 2 == 0)),
            }
        }
        let end = document.text().to_owned();
        let mut n_steps = 0;
        while document.undo().is_some() {
            n_steps += 1;
        }
        prop_assert_eq!(document.text(), PROGRAM);
        for _ in 0..n_steps {
            document.redo();
        }
        prop_assert_eq!(document.text(), end);
    }
}
