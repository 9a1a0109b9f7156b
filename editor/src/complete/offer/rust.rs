//! What fits into a body in Rust: names of the node, and what its context can do. Of libraries nothing is known here.

use super::super::item::ItemKind;
use super::Offer;
use crate::names::NameKind;
use crate::rust_text::locals;

/// What `context` can do, with what it takes and gives.
const OF_CONTEXT: [(&str, &str); 9] = [
    ("print", "print(text)"),
    ("result", "result(\"name\", value)?"),
    ("random", "random()? from 0.0 to 1.0"),
    ("check_stop", "check_stop()? ends where the run does"),
    ("get", "get(\"name\")?"),
    ("set", "set(\"name\", value)?"),
    ("index", "index() of the instance"),
    ("rule", "rule() that was taken, from 0"),
    ("count", "count() of executions, from 1"),
];

/// Keywords that are of use in bodies.
const KEYWORDS: [&str; 20] = [
    "as", "break", "const", "continue", "else", "false", "fn", "for", "if", "in", "let", "loop", "match",
    "mut", "ref", "return", "struct", "true", "use", "while",
];

impl Offer<'_> {
    /// What `context` can do.
    pub(in crate::complete) fn of_context(&mut self) {
        for (name, detail) in OF_CONTEXT {
            self.add(name, ItemKind::Function, detail);
        }
    }

    /// What the text at the cursor binds itself.
    pub(in crate::complete) fn own_in_rust(&mut self, text: &str) {
        for name in locals(text, false) {
            self.local(name, "bound here");
        }
    }

    /// What is there beside names of the node.
    pub(in crate::complete) fn in_rust(&mut self) {
        self.add("context", ItemKind::Name(NameKind::BuiltIn), "the execution");
        let names = self.names;
        for (name, fields) in &names.structs {
            let fields: Vec<&str> = fields.iter().map(|(field, _)| field.as_str()).collect();
            self.add(name, ItemKind::Type, &format!("struct of {}", fields.join(", ")));
        }
        self.keywords(&KEYWORDS);
    }
}
