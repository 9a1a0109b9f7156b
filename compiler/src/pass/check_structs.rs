//! Struct types: names that can be types and functions, fields of types that exist, and a finite size.

use std::sync::Arc;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::name::is_of_name;
use hasse_model::plan::ERROR_TYPE;
use hasse_model::value::{FieldType, StructDef, StructShape, StructTable, Type};

use super::resolve::{NameUse, check_word, obstacle};
use crate::grammar::types::{MAP, TYPE_NAMES, declaration, parse_type_text, plain_type, unknown_type};
use crate::rhai_front::structs::is_conversion;
use crate::session::{BUILTIN_FUNCTIONS, Session};
use crate::syntax::{Entry, Name, Program, StructText};
use crate::text::Excerpt;

/// Most fields of a struct type: its constructor takes one argument for each, and the interpreter
/// looks functions up by the types of at most 16 arguments.
const MOST_FIELDS: usize = 16;

/// Fields of the type of errors, all but the last one of text.
const ERROR_FIELDS: [&str; 5] = ["code", "message", "event", "line", "values"];

/// Checks the struct types of a program and puts them into the session, with the type of errors where that is used.
pub(crate) fn check_structs(program: &Program, session: &mut Session<'_>) {
    let texts = &program.types[..];
    for text in texts {
        check_type_name(&text.name, session);
        if text.fields.len() > MOST_FIELDS {
            let message = format!(
                "the struct type `{}` has {} fields, and at most {MOST_FIELDS} are possible",
                text.name.text,
                text.fields.len()
            );
            let help = "put fields that belong together into a struct type of their own";
            session.report(Diagnostic::error("E0209", message, text.name.at, "").with_help(help));
        }
    }
    let mut defs = texts.iter().map(|text| definition(text, texts, session)).collect::<Vec<_>>();
    report_cycles(texts, &defs, session);
    // A type of this name that the program declares is its own.
    let has_errors = uses_errors(program) && !texts.iter().any(|text| text.name.text == ERROR_TYPE);
    if has_errors {
        defs.push(error_definition());
    }
    session.structs = Arc::new(StructTable::new(defs));
    session.error_type = if has_errors { session.structs.get(ERROR_TYPE) } else { None };
}

/// Returns true if a program names the type of errors, or a node has routing rules for failed events.
fn uses_errors(program: &Program) -> bool {
    let names_error = |text: &Excerpt<'_>| {
        let ty = declaration(text).ty;
        ty.as_str().split(|character: char| !is_of_name(character)).any(|word| word == ERROR_TYPE)
    };
    let is_error = |entry: &Entry| names_error(&entry.text.all());
    program.types.iter().any(|text| text.fields.iter().any(is_error))
        || program.graphs.iter().any(|graph| {
            let ports = [&graph.params, &graph.inputs, &graph.outputs, &graph.formals];
            let objects = graph.shared.iter().filter_map(|object| object.ty.as_ref());
            graph.on_error.is_some()
                || ports.into_iter().flatten().any(is_error)
                || objects.into_iter().any(|ty| names_error(&ty.all()))
                || graph.units.iter().any(|unit| {
                    let names = [&unit.inputs, &unit.outputs, &unit.vars];
                    !unit.error_rules().is_empty() || names.into_iter().flatten().any(is_error)
                })
        })
}

fn error_definition() -> StructDef {
    let fields = ERROR_FIELDS.into_iter().map(Arc::from).collect();
    let shape = Arc::new(StructShape { name: Arc::from(ERROR_TYPE), fields });
    let ty = |field| match field {
        "line" => FieldType::Plain(Type::Int),
        "values" => FieldType::Map(Box::new(FieldType::Plain(Type::Any))),
        _ => FieldType::Plain(Type::String),
    };
    StructDef { shape, types: ERROR_FIELDS.map(ty).to_vec() }
}

fn check_type_name(name: &Name, session: &mut Session<'_>) {
    let word = name.text.as_str();
    if TYPE_NAMES.contains(&word) || [MAP, "array"].contains(&word) {
        session.error("E0103", format!("`{word}` is a built-in type and cannot be a struct type"), name.at);
    } else if check_word(word, NameUse::Script, name.at, session) && is_function(word, session) {
        let message = format!("`{word}` is a function, and a struct type's name is its constructor's");
        let help = "by custom the names of struct types begin with a capital letter";
        session.report(Diagnostic::error("E0208", message, name.at, "").with_help(help));
    }
}

fn is_function(word: &str, session: &Session<'_>) -> bool {
    session.functions.get(word).is_some()
        || BUILTIN_FUNCTIONS.contains(&word)
        || is_conversion(word)
        || !session.front.is_variable(word)
}

fn definition(text: &StructText, texts: &[StructText], session: &mut Session<'_>) -> StructDef {
    let types = text.fields.iter().map(|field| field_type(field, texts, session)).collect();
    let fields = text.fields.iter().map(|field| Arc::from(field.name.text.as_str())).collect();
    StructDef { shape: Arc::new(StructShape { name: Arc::from(text.name.text.as_str()), fields }), types }
}

fn field_type(field: &Entry, texts: &[StructText], session: &mut Session<'_>) -> FieldType {
    let name = field.name.text.as_str();
    if let Some(help) = obstacle(name) {
        let message = format!("`{name}` is not a name of a field");
        session.report(Diagnostic::error("E0102", message, field.name.at, "").with_help(help));
    } else if !session.front.is_variable(name) {
        let message = format!("`{name}` is reserved by Rhai and cannot be a field");
        session.error("E0103", message, field.name.at);
    }
    let whole = field.text.all();
    let named = |name: &str| {
        let def_idx = texts.iter().position(|text| text.name.text == name);
        let known = plain_type(name).map(FieldType::Plain).or(def_idx.map(FieldType::Struct));
        let known = known.or((name == ERROR_TYPE).then_some(FieldType::Struct(texts.len())));
        known.ok_or_else(|| unknown_type(&whole, name, texts.iter().map(|text| text.name.text.as_str())))
    };
    let parsed =
        parse_type_text(&whole).and_then(|parsed| parsed.build(&named, FieldType::Array, FieldType::Map));
    parsed.unwrap_or_else(|fault| {
        let at = whole.at_range(fault.range);
        session.error("E0201", format!("unreadable type: {}", fault.message), at);
        FieldType::Plain(Type::Any)
    })
}

/// Reports every struct type that contains itself, other than inside an array or a map, once for each cycle.
fn report_cycles(texts: &[StructText], defs: &[StructDef], session: &mut Session<'_>) {
    let mut search =
        Search { defs, state: vec![State::New; defs.len()], path: Vec::new(), cycles: Vec::new() };
    (0..defs.len()).for_each(|def_idx| search.visit(def_idx));
    for cycle in search.cycles {
        let way: Vec<_> = cycle
            .iter()
            .map(|&(def_idx, field_idx)| {
                let shape = &defs[def_idx].shape;
                format!("`{}.{}`", shape.name, shape.fields[field_idx])
            })
            .collect();
        let Some(&(first, _)) = cycle.first() else { continue };
        let name = &defs[first].shape.name;
        let message =
            format!("a value of `{name}` would never end: it contains itself by {}", way.join(", "));
        let help = format!("break the cycle with an array such as `{name}[]` or a map, which may be empty");
        let at = |&(def_idx, field_idx): &(usize, usize)| texts[def_idx].fields[field_idx].name.at;
        let mut diagnostic = Diagnostic::error("E0206", message, at(&cycle[0]), "").with_help(help);
        for step in &cycle[1..] {
            diagnostic = diagnostic.with_label(at(step), "and here");
        }
        session.report(diagnostic);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    OnPath,
    Done,
}

/// Depth-first search over fields that hold a struct directly.
struct Search<'d> {
    defs: &'d [StructDef],
    state: Vec<State>,
    /// Positions of type and field from the root of the search.
    path: Vec<(usize, usize)>,
    cycles: Vec<Vec<(usize, usize)>>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        if self.state[root] != State::New {
            return;
        }
        self.state[root] = State::OnPath;
        self.path.push((root, 0));
        while let Some(&(def_idx, field_idx)) = self.path.last() {
            match self.defs[def_idx].types.get(field_idx) {
                None => {
                    self.state[def_idx] = State::Done;
                    self.path.pop();
                    self.advance();
                }
                Some(FieldType::Struct(next)) if self.state[*next] == State::New => {
                    self.state[*next] = State::OnPath;
                    self.path.push((*next, 0));
                }
                Some(FieldType::Struct(next)) if self.state[*next] == State::OnPath => {
                    let start = self.path.iter().position(|(on_path, _)| on_path == next).unwrap_or(0);
                    self.cycles.push(self.path[start..].to_vec());
                    self.advance();
                }
                Some(_) => self.advance(),
            }
        }
    }

    fn advance(&mut self) {
        if let Some((_, field_idx)) = self.path.last_mut() {
            *field_idx += 1;
        }
    }
}
