//! Bodies in Rust in the inspector and the text editor.

use hasse_editor::panels::code::{CodeEditor, CodeKind, Command};
use hasse_editor::panels::inspector::CellKind;

use super::*;

const ID: (&str, usize, usize) = ("do", 0, 0);
const KIND: (&str, usize, usize) = ("do", 0, 1);

fn id((key, row, cell): (&str, usize, usize)) -> CellId {
    CellId::new(key, row, cell)
}

impl Desk {
    fn choose(&mut self, kind: &str) {
        self.inspector.type_text(&mut self.document, &id(KIND), kind);
        self.commit(&id(KIND));
    }

    fn code_editor(&self) -> CodeEditor {
        let cell = self.inspector.cell(&id(ID)).unwrap().clone();
        let CellKind::Code(kind) = cell.kind else { panic!("{:?}", cell.kind) };
        let mut editor = CodeEditor::new(cell.target, kind, &cell.text, Arc::new(functions()));
        editor.set_program(self.document.text());
        editor
    }
}

#[test]
fn a_body_becomes_one_of_another_kind_and_goes_back() {
    let mut desk = Desk::new(node("top", "Work"));
    let held = desk.text("do", 0, 0).to_owned();
    assert_eq!(desk.text("do", 0, 1), "Rhai");
    desk.choose("Rust");
    assert_eq!(
        difference(PROGRAM, desk.document.text()),
        "-do = '''\n+do = { rust = '''\n-'''\n+''' }\n",
        "the text stays, to be translated"
    );
    assert_eq!((desk.text("do", 0, 0), desk.text("do", 0, 1)), (held.as_str(), "Rust"));
    assert_eq!(desk.code_editor().kind(), CodeKind::Rust);
    desk.choose("native");
    assert!(difference(PROGRAM, desk.document.text()).ends_with("+do = { native = \"Work\" }\n"));
    assert_eq!(desk.text("do", 0, 0), "Work");
    desk.choose("rhaii");
    assert_eq!(desk.error(&id(KIND)), Some("a body is one of Rhai, Rust and native"));
    assert!(desk.inspector.cancel(&desk.document, &id(KIND)));
    desk.choose("rust");
    assert_eq!((desk.text("do", 0, 0), desk.text("do", 0, 1)), ("", "Rust"));
    desk.choose("Rhai");
    assert!(!desk.document.text().contains("native") && !desk.document.text().contains("rust"));
    let mut n_steps = 0;
    while desk.document.undo().is_some() {
        n_steps += 1;
    }
    assert_eq!((n_steps, desk.document.text()), (4, PROGRAM));
}

#[test]
fn a_body_in_rust_is_written_in_its_editor() {
    let mut desk = Desk::new(node("top", "Work"));
    desk.choose("Rust");
    let before = desk.document.text().to_owned();
    let mut editor = desk.code_editor();
    editor.set_text("", 0, 0);
    for letter in
        "let sum = k as f64; // '\nfor c in \"{é\".chars() {\ns += f64::from(c as u32);\n}\n".chars()
    {
        match letter {
            '\n' => drop(editor.command(Command::NewLine).map(|edit| editor.apply(&edit))),
            _ => {
                let (mut text, at) = (editor.text().to_owned(), editor.cursor());
                text.insert(at, letter);
                editor.set_text(&text, at + letter.len_utf8(), at + letter.len_utf8());
                editor.typed();
                if let Some(edit) = editor.align_closing() {
                    editor.apply(&edit);
                }
            }
        }
        desk.inspector.type_text(&mut desk.document, &id(ID), editor.text());
        assert_eq!(desk.text("do", 0, 0), editor.text());
        editor.set_program(desk.document.text());
    }
    let text = desk.document.text();
    let body = "do = { rust = '''\nlet sum = k as f64; // '\nfor c in \"{é\".chars() {\n    s += f64::from(c as u32);\n}\n''' }\n";
    assert!(text.contains(body), "{text}");
    // The brace in the string has no partner.
    let open = editor.text().find(") {").unwrap() + 2;
    let text = editor.text().to_owned();
    editor.set_text(&text, open, open);
    assert_eq!(editor.brackets(), Some([open, editor.text().rfind('}').unwrap()]));
    let at = editor.text().len();
    let more = format!("{}context.pr", editor.text());
    editor.set_text(&more, at + 10, at + 10);
    assert!(editor.typed());
    let edit = editor.accept(None).unwrap();
    editor.apply(&edit);
    assert!(editor.text().ends_with("context.print()"), "{}", editor.text());
    assert!(desk.inspector.undo(&mut desk.document, Some(&id(ID))));
    assert_eq!(desk.document.text(), before, "all of it is one step");
}
