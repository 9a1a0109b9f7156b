//! Lowers the text of a program to a [`Plan`], or says what is wrong with it.
//!
//! In goes the text of one `.hasse` file and the table of functions that bodies may call; out comes a
//! plan, or diagnostics, or both. This crate knows no files, no threads and no run time: it is a pure
//! function, and no text makes it fail in another way than by diagnostics. Start reading at
//! [`compile`], which is the list of passes; each pass is one file of `pass/`. The notations inside
//! strings are in `grammar/`; all that knows Rhai is in `rhai_front/`.

use hasse_model::diagnostic::{Diagnostic, Severity};
use hasse_model::function::FunctionTable;
use hasse_model::plan::Plan;

/// What is wrong with graphs as wholes.
mod analysis;
/// What differs in meaning between two program texts.
mod changes;
/// Every diagnostic code.
mod codes;
/// Resolved declarations.
mod decl;
/// Two versions of a program, part by part.
mod difference;
/// Canonical spelling.
mod format;
/// The notations inside strings.
mod grammar;
/// What graphs consist of.
mod outline;
/// The passes.
mod pass;
/// All that knows Rhai.
mod rhai_front;
/// All that knows Rust.
mod rust_front;
/// What names stand for.
mod scope;
/// What the passes share.
mod session;
/// "Did you mean".
mod suggest;
/// The program as it is written.
mod syntax;
/// Text with places.
mod text;
/// Values as people type them.
pub mod value_text;

pub use changes::{Change, changes};
pub use codes::CODES;
pub use difference::{
    FieldDifference, GraphDifference, LinkDifference, NodeDifference, Presence, ProgramDifference, Side,
    Unreadable, difference, side_by_side,
};
pub use format::{format, keys_of};
pub use outline::{
    EndOutline, GraphOutline, LinkKind, LinkOutline, NodeKind, NodeOutline, PortKind, PortOutline,
    delay_keywords, family, link_ends, outline, rule_ports,
};
pub use suggest::nearest;
pub use text::file_offsets;

/// Codes of what makes a part of the file invisible to all passes: what is then missing is not the mistake.
const CODES_OF_CAUSES: [&str; 3] = ["E0003", "E0004", "E0102"];

/// What compiling a text gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The plan; there is one exactly where no diagnostic is an error.
    pub plan: Option<Plan>,
    /// All that was found. First come keys that cannot be read, as the rest may follow from them, then the other
    /// errors, then warnings; each in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the text of a program.
///
/// All graphs are checked, in one pass over the file that reports all it finds, and lowered.
/// `functions` lists what bodies and expressions may call.
///
/// ```
/// use hasse_model::function::FunctionTable;
///
/// let mut functions = FunctionTable::default();
/// functions.add("print", 1, true);
/// let text = r#"
/// hasse = 1
/// main = "hello"
/// [graph.hello.uc.Greet]
/// start = true
/// do = 'print("hello");'
/// "#;
/// let compiled = hasse_compiler::compile(text, &functions);
/// assert_eq!(compiled.diagnostics, []);
/// assert_eq!(compiled.plan.unwrap().templates[0].name, "Greet");
/// ```
pub fn compile(text: &str, functions: &FunctionTable) -> Compiled {
    compile_in(session::Session::new(functions), text)
}

/// Compiles the text of a program that a record carries, for readers of records, which execute nothing.
///
/// Native bodies and functions that `functions` does not list are accepted: the run that was recorded had them.
pub fn compile_recorded(text: &str, functions: &FunctionTable) -> Compiled {
    let session = session::Session { is_recorded: true, ..session::Session::new(functions) };
    compile_in(session, text)
}

fn compile_in(mut session: session::Session<'_>, text: &str) -> Compiled {
    let program = pass::read::read(text, &mut session.diagnostics);
    pass::check_structs::check_structs(&program, &mut session);
    pass::resolve::resolve_program(&program, &mut session);
    let plan = pass::lower::lower_program(&program, &mut session);
    let mut diagnostics = session.diagnostics;
    diagnostics.sort_by_key(|diagnostic| {
        let is_cause = CODES_OF_CAUSES.contains(&diagnostic.code);
        (!is_cause, diagnostic.severity, diagnostic.at().start, diagnostic.code)
    });
    diagnostics.dedup();
    let is_right = diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    Compiled { plan: is_right.then_some(plan), diagnostics }
}
