//! Writing bodies and rules.

use hasse_editor::complete::ItemKind;
use hasse_editor::highlight::TokenKind;
use hasse_editor::marks::LineMark;
use hasse_editor::names::NameKind;
use hasse_editor::panels::code::{CodeEditor, CodeKind, Command, TextEdit};

use super::*;

fn body_target(key: &str) -> Target {
    Target::of_node("top", "Work").with(Attribute::of(key))
}

fn editor(target: Target, text: &str) -> CodeEditor {
    let kind = CodeKind::of(&target);
    let mut editor = CodeEditor::new(target, kind, text, Arc::new(functions()));
    editor.set_program(PROGRAM);
    editor
}

/// An editor with the selection between `<` and `>`, or the cursor at `|`.
fn marked(text: &str) -> CodeEditor {
    let (anchor, cursor) = match text.find('|') {
        Some(at) => (at, at),
        None => (text.find('<').unwrap(), text.find('>').unwrap() - 1),
    };
    let mut editor = editor(body_target("do"), "");
    editor.set_text(&text.replace(['|', '<', '>'], ""), anchor, cursor);
    editor
}

fn show(editor: &CodeEditor) -> String {
    let mut text = editor.text().to_owned();
    let selection = editor.selection();
    if selection.is_empty() {
        text.insert(selection.start, '|');
    } else {
        text.insert(selection.end, '>');
        text.insert(selection.start, '<');
    }
    text
}

fn after(text: &str, command: Command) -> String {
    let mut editor = marked(text);
    let edit = editor.command(command).unwrap();
    editor.apply(&edit);
    show(&editor)
}

#[test]
fn keys_change_lines() {
    use Command::*;
    for (command, before, expected) in [
        (NewLine, "a|b", "a\n|b"),
        (NewLine, "  a {|", "  a {\n    |"),
        (NewLine, "if a {|}", "if a {\n    |\n}"),
        (NewLine, "\tif a {| }", "\tif a {\n\t\t|\n\t}"),
        (NewLine, "    <abc>  d", "    \n    |d"),
        (NewLine, "\u{e9} = [|", "\u{e9} = [\n    |"),
        (Indent, "|", "    |"),
        (Indent, "ab|", "ab  |"),
        (Indent, "\ta|", "\ta\t|"),
        (Indent, "<a\n\n  b>\nc", "<  a\n\n    b>\nc"),
        (Indent, "x<a\nb\n>c", "    x<a\n    b\n>c"),
        (Outdent, "    a<b\n  c>d", "a<b\nc>d".replace("a<b", "  a<b").as_str()),
        (Outdent, "\ta|b", "a|b"),
        (Outdent, "b\n  c\n  |  a", "b\n  c\n|  a"),
        (ToggleComment, "a|b", "// a|b"),
        (ToggleComment, "  // a|b", "  a|b"),
        (ToggleComment, "    //a|b", "    a|b"),
        (ToggleComment, "<  a\n    b\n\n  // c>", "<  // a\n  //   b\n\n  // // c>"),
        (Duplicate, "a\nb|c\nd", "a\nbc\nb|c\nd"),
        (Duplicate, "<a\nb>", "a\nb\n<a\nb>"),
        (MoveUp, "aa\nb|\nc", "b|\naa\nc"),
        (MoveUp, "a\n<b\nc\n>d", "<b\nc\n>a\nd"),
        (MoveDown, "a|a\nb", "b\na|a"),
        (DeleteLines, "a\nb|b\nc", "a\n|c"),
        (DeleteLines, "a\nb|b", "|a"),
        (DeleteLines, "a|", "|"),
    ] {
        let found = after(before, command);
        assert_eq!(found, expected, "{command:?} {before:?}");
    }
    assert_eq!(marked("a|").command(MoveUp), None);
    assert_eq!(marked("a|").command(MoveDown), None);
    assert_eq!(marked("a|").command(Outdent), None);
    assert_eq!(marked("|").command(ToggleComment), None);
    let rule = editor(body_target("fire"), "part -> x");
    assert_eq!(rule.command(NewLine), None, "a rule has one line: Enter commits it");
}

#[test]
fn a_closing_bracket_goes_below_its_opening_line() {
    for (before, expected) in [
        ("  if a {\n    b\n    }|", Some("  if a {\n    b\n  }|")),
        ("f(\n\t)|;", Some("f(\n)|;")),
        ("if a {\n}|", None),
        ("if a {\n  b }|", None),
        ("  }|", None),
        ("a|", None),
        ("f(]\n  )|", None),
    ] {
        let mut editor = marked(before);
        let edit = editor.align_closing();
        assert_eq!(edit.is_some(), expected.is_some(), "{before:?}");
        if let (Some(edit), Some(expected)) = (edit, expected) {
            editor.apply(&edit);
            assert_eq!(show(&editor), expected);
        }
    }
}

#[test]
fn lines_are_colored_with_columns() {
    let text = "// k counts.\n\ts += p\u{e9} + `\u{e9}${k}`; none\n";
    let mut editor = editor(body_target("do"), text);
    let lines = editor.lines(0..10);
    assert_eq!((lines.len(), editor.n_lines()), (3, 3));
    assert_eq!(lines[0].spans[0].kind, TokenKind::Comment);
    let span = |text: &str| lines[1].spans.iter().find(|span| span.text == text).unwrap();
    assert_eq!((span("s").column, span("s").kind), (4, TokenKind::Name(NameKind::Var)));
    assert_eq!((span("p\u{e9}").column, span("p\u{e9}").n_columns), (9, 2));
    assert_eq!((span("none").column, span("none").kind), (23, TokenKind::Unknown));
    assert_eq!(span("k").kind, TokenKind::Name(NameKind::Var));
    let whole: String = lines[1].spans.iter().map(|span| &*span.text).collect();
    assert_eq!(whole, "    s += p\u{e9} + `\u{e9}${k}`; none");
    for line in 1..=3 {
        for column in 1..40 {
            let offset = editor.offset_at(line, column);
            editor.set_text(text, offset, offset);
            let found = editor.position();
            assert!(found.0 == line && found.1 <= column + 3, "{line} {column} {found:?}");
        }
    }
    assert_eq!(editor.offset_at(2, 5), 14);
    // A rule.
    let mut rule = self::editor(body_target("fire"), "part -> y if k > 0");
    assert_eq!(rule.lines(0..1)[0].spans[0].kind, TokenKind::Port);
    assert!(rule.lines(1..9).is_empty());
}

#[test]
fn a_long_body_is_read_once_for_each_text() {
    let text = "let a = k;\n".repeat(5000);
    let mut editor = editor(body_target("do"), &text);
    let version = editor.version();
    for first in [0, 2000, 4990] {
        assert_eq!(editor.lines(first..first + 40).len(), (5001 - first).min(40));
    }
    editor.set_text(&text, 20_000, 20_000);
    editor.brackets();
    editor.lines(0..40);
    assert_eq!(editor.n_readings(), 1);
    assert!(editor.version() > version);
    let typed = format!("x{text}");
    editor.set_text(&typed, 1, 1);
    // The program changes with the body; its names do not.
    editor.set_program(&PROGRAM.replace("k += 1;", "k += 2;"));
    assert_eq!(editor.lines(0..1)[0].spans[0].text, "xlet");
    editor.lines(4000..4040);
    assert_eq!(editor.n_readings(), 2);
    editor.set_program(&PROGRAM.replace("k = \"int = 0\"", "j = \"int = 0\""));
    let spans = editor.lines(1..2).remove(0).spans;
    assert_eq!(spans.iter().find(|span| span.text == "k").unwrap().kind, TokenKind::Unknown);
    assert_eq!(editor.n_readings(), 3);
}

#[test]
fn diagnoses_and_marks_stand_in_their_lines() {
    let compiled = problems(PROGRAM);
    let held = "// k counts.\nlet parts = [k, n];\nfor p in parts {\n\ts += p * 1.0;\n}\nacc += whole(s);\nk += 1;\n";
    let mut body = editor(body_target("do"), held);
    assert!(body.set_problems(&compiled));
    assert!(!body.set_problems(&compiled));
    body.set_marks([(2, LineMark::Stops), (6, LineMark::Off)].into(), Some(4));
    let lines = body.lines(0..7);
    let found: Vec<_> = lines.iter().flat_map(|line| &line.diagnoses).collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].line, found[0].column, found[0].code), (6, 7, "E0503"));
    assert!(found[0].message.contains("whole"));
    let marks: Vec<_> = lines.iter().map(|line| (line.breakpoint, line.is_current)).collect();
    assert_eq!(marks.iter().filter(|mark| mark.0.is_some()).count(), 2);
    assert_eq!((marks[1].0, marks[5].0), (Some(LineMark::Stops), Some(LineMark::Off)));
    assert!(marks[3].1 && !marks[4].1);
    assert_eq!(body.next_diagnosis(true), Some(6));
    // The text is newer than what was compiled.
    body.set_text("a", 1, 1);
    body.set_problems(&compiled);
    assert_eq!((body.diagnoses()[0].line, body.diagnoses()[0].n_columns), (1, 1));
    // On one line, within a sub-graph, behind an escape.
    let half = Target::of_node("sub", "Half").with(Attribute::of("do"));
    let text = PROGRAM.replace("let x = a / m + wrong;", "let x = \\\"\\u00e9\\\"; wrong");
    let mut half = CodeEditor::new(half, CodeKind::Body, "let x = \"\u{e9}\"; wrong", Arc::new(functions()));
    half.set_problems(&problems(&text));
    let found = &half.diagnoses()[0];
    assert_eq!((found.line, found.column, found.n_columns), (1, 13, 5), "{found:?}");
    // A rule, an arc, the type of a port.
    let text = PROGRAM
        .replace("part -> y if k > 0", "part -> y if j > 0")
        .replace("Sub.x -> End.sum", "Sub.x -> End.none");
    let compiled = problems(&text);
    let row = Attribute { row: Some(1), ..Attribute::of("fire") };
    let mut rule = editor(Target::of_node("top", "Work").with(row), "part -> y if j > 0");
    assert!(rule.set_problems(&compiled));
    assert_eq!((rule.diagnoses()[0].line, rule.diagnoses()[0].column), (1, 13));
    let other = Attribute { row: Some(0), ..Attribute::of("fire") };
    assert!(!editor(Target::of_node("top", "Work").with(other), "x").set_problems(&compiled));
    let mut arc = editor(Target::of_link("top", LinkList::Arcs, 2), "Sub.x -> End.none");
    assert!(arc.set_problems(&compiled));
    assert_eq!(arc.kind(), CodeKind::Arc);
    assert!(!editor(Target::of_link("top", LinkList::Shares, 0), "").set_problems(&compiled));
}

#[test]
fn brackets_find_each_other() {
    for (text, expected) in [
        ("f(a[1]|)", Some([5, 3])),
        ("f(a[1] )|", Some([7, 1])),
        ("f|(a)", Some([1, 3])),
        ("f(|a)", Some([1, 3])),
        ("{ \"}\" /* } */ }|", Some([14, 0])),
        ("`${|a}`", Some([1, 4])),
        ("\"(|\"", None),
        ("f(a]|", None),
        ("f(|", None),
        ("a|b", None),
        ("|", None),
    ] {
        assert_eq!(marked(text).brackets(), expected, "{text}");
    }
}

/// Types letters one after the other at the end of the text.
fn type_on(editor: &mut CodeEditor, letters: &str) {
    for letter in letters.chars() {
        let mut text = editor.text().to_owned();
        let cursor = editor.cursor();
        text.insert(cursor, letter);
        editor.set_text(&text, cursor + letter.len_utf8(), cursor + letter.len_utf8());
        editor.typed();
    }
}

fn offered(editor: &CodeEditor) -> Vec<&str> {
    editor
        .popup()
        .map(|popup| popup.items.iter().map(|offered| &*offered.item.text).collect())
        .unwrap_or_default()
}

#[test]
fn what_fits_is_offered_while_typing() {
    let mut editor = marked("let part_sum = 0;\n|");
    type_on(&mut editor, "pa");
    assert_eq!(offered(&editor)[0], "part_sum", "{:?}", offered(&editor));
    type_on(&mut editor, "s");
    assert_eq!(offered(&editor), ["part_sum"], "letters in between may be missing");
    assert_eq!(editor.popup().unwrap().items[0].letters, [0, 1, 5]);
    type_on(&mut editor, " ");
    assert_eq!(offered(&editor), [""; 0]);
    assert!(editor.open_popup());
    let all = offered(&editor).len();
    editor.select_offered(-1);
    assert_eq!(editor.popup().unwrap().selected, all - 1);
    editor.select_offered(2);
    assert_eq!(editor.popup().unwrap().selected, 1);
    assert!(editor.close_popup() && !editor.close_popup());

    // A function with parentheses, none where they are there.
    let mut editor = marked("|");
    type_on(&mut editor, "sq");
    let popup = editor.popup().unwrap();
    assert_eq!(popup.item().unwrap().kind, ItemKind::Function);
    let edit = editor.accept(None).unwrap();
    assert_eq!(edit, TextEdit { range: 0..2, replacement: "sqrt()".to_owned(), anchor: 5, cursor: 5 });
    editor.apply(&edit);
    assert_eq!((show(&editor).as_str(), editor.popup()), ("sqrt(|)", None));
    let mut editor = marked("sq|(k)");
    assert!(editor.open_popup());
    let edit = editor.accept(None).unwrap();
    editor.apply(&edit);
    assert_eq!(show(&editor), "sqrt(|k)");

    // A word typed out closes the list; strings, comments and numbers have none.
    let mut editor = marked("|");
    type_on(&mut editor, "sqrt");
    assert_eq!(offered(&editor), [""; 0]);
    for text in ["// |", "\"|", "`${k}|", "1|", "0..|"] {
        let mut editor = marked(text);
        type_on(&mut editor, if text.starts_with('0') { "." } else { "k" });
        assert_eq!(offered(&editor), [""; 0], "{text}");
    }
    // Moving the cursor closes the list.
    let mut editor = marked("|");
    type_on(&mut editor, "s");
    assert!(editor.popup().is_some());
    editor.set_text("s", 0, 0);
    assert_eq!(editor.popup(), None);
    assert_eq!(editor.accept(None), None);
}

#[test]
fn rules_and_arcs_are_completed() {
    let mut fire = editor(body_target("fire"), "");
    type_on(&mut fire, "p");
    assert_eq!(fire.popup().unwrap().item().unwrap().kind, ItemKind::Port);
    let edit = fire.accept(Some(0)).unwrap();
    fire.apply(&edit);
    type_on(&mut fire, " -> x if k");
    assert_eq!(fire.text(), "part -> x if k");
    let mut arc = editor(Target::of_link("top", LinkList::Arcs, 0), "");
    type_on(&mut arc, "Work[i].");
    assert_eq!(offered(&arc), ["sum"]);
    let edit = arc.accept(None).unwrap();
    arc.apply(&edit);
    type_on(&mut arc, " -> E");
    assert!(offered(&arc).contains(&"End"), "{:?}", offered(&arc));
    let vars = Attribute { entry: Some("k".to_owned()), ..Attribute::of("vars") };
    let mut var = editor(Target::of_node("top", "Work").with(vars), "");
    assert_eq!(var.kind(), CodeKind::Declaration);
    type_on(&mut var, "vec");
    assert_eq!(offered(&var), ["vector"]);
    let nowhere = Target { part: Part::Program, ..Target::default() };
    assert!(!editor(nowhere, "").open_popup());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_text_can_be_edited(text in "[a-c\\{\\}() \t\n/é\"`$.=;]{0,40}", places in prop::collection::vec((0..50_usize, 0..50_usize, 0..10_u8), 1..8)) {
        use Command::*;
        let mut editor = editor(body_target("do"), &text);
        for (anchor, cursor, what) in places {
            let held = editor.text().to_owned();
            editor.set_text(&held, anchor, cursor);
            let commands = [NewLine, Indent, Outdent, ToggleComment, Duplicate, MoveUp, MoveDown, DeleteLines];
            match commands.get(usize::from(what)) {
                Some(command) => {
                    if let Some(edit) = editor.command(*command) {
                        // Offsets are of the new text as they are, not cut to it.
                        let mut expected = held.clone();
                        expected.replace_range(edit.range.clone(), &edit.replacement);
                        prop_assert!(expected.is_char_boundary(edit.anchor) && expected.is_char_boundary(edit.cursor));
                        editor.apply(&edit);
                        prop_assert_eq!(editor.text(), expected);
                        if matches!(command, MoveUp) {
                            let back = editor.command(MoveDown).unwrap();
                            let mut again = editor.clone();
                            again.apply(&back);
                            prop_assert_eq!(again.text(), held);
                        }
                    }
                }
                None => {
                    editor.typed();
                    editor.open_popup();
                    if let Some(edit) = editor.accept(None) {
                        editor.apply(&edit);
                    }
                }
            }
            let n_lines = editor.n_lines();
            for line in editor.lines(0..n_lines) {
                let drawn: String = line.spans.iter().map(|span| &*span.text).collect();
                prop_assert_eq!(drawn, editor.text()[line.bytes].replace('\t', "    "));
            }
            editor.brackets();
            if let Some(edit) = editor.align_closing() {
                editor.apply(&edit);
            }
        }
    }
}
