//! All bodies in Rust of a program: struct types, functions, and how they are registered.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use hasse_model::plan::{Plan, RustText, Slot, SlotKind, Template};
use hasse_model::value::Type;

use super::body::{Function, Ints, Source, function, rust_type};
use super::names::{identifier, snake, string, unique};

/// The bodies in Rust of a program.
pub(crate) struct Bodies<'p> {
    plan: &'p Plan,
    /// Name of the program file.
    file: String,
    bodies: Vec<Body<'p>>,
}

/// One of them.
pub(crate) struct Body<'p> {
    /// `GRAPH.NODE`
    pub(crate) label: &'p str,
    pub(crate) template: &'p Template,
    pub(crate) text: &'p RustText,
    pub(crate) function: Function,
}

impl<'p> Bodies<'p> {
    /// Those of a plan, in the order of the file; `program` is the path of the file.
    pub(crate) fn of(plan: &'p Plan, program: &Path) -> Self {
        let file = file_name(program);
        let mut names: BTreeSet<String> = ["natives".to_owned()].into();
        let mut bodies = Vec::new();
        for template in &plan.templates {
            let Some((label, text)) = template.body_rust() else { continue };
            let graph = &plan.graphs[template.graph.idx()].name;
            let name = unique(&format!("{}_{}", snake(graph), snake(&template.name)), &mut names);
            let source = Source { plan, template, text, file: &file };
            bodies.push(Body { label, template, text, function: function(&source, name) });
        }
        Self { plan, file, bodies }
    }

    /// One by one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Body<'p>> {
        self.bodies.iter()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Name of the program file, as comments around texts have it.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Struct types and functions.
    pub(crate) fn functions(&self) -> String {
        let mut text = String::new();
        for ty in self.plan.structs.types() {
            let name = rust_type(&Type::Struct(ty.clone()), self.plan);
            let _ = write!(
                text,
                "hasse::structs! {{\n    /// The struct type `{}`.\n    pub struct {name} {{\n",
                ty.name()
            );
            for (field, ty) in ty.shape().fields.iter().zip(ty.field_types()) {
                if let Some(word) = identifier(field) {
                    let _ = writeln!(text, "        pub {word}: {},", rust_type(&ty, self.plan));
                }
            }
            text.push_str("    }\n}\n\n");
        }
        for body in &self.bodies {
            text.push_str(&body.function.text);
            text.push('\n');
        }
        text
    }

    /// `src/bodies.rs` of a project.
    pub(crate) fn module(&self) -> String {
        let file = &self.file;
        let mut text = format!(
            "//! The bodies in Rust of `{file}`. Comments in front of a text and behind it say where it stands there: lines between\n\
             //! them are told as lines of that file.\n\n\
             #![allow(dead_code, unused_imports, unused_mut, unused_variables, unused_assignments, redundant_semicolons)]\n\
             #![allow(non_snake_case, non_camel_case_types, clippy::all)]\n\n\
             {}{}",
            imports("hasse"),
            self.functions()
        );
        text.push_str("/// Registers them by the names that `program.rs` gives to the nodes.\npub fn natives() -> hasse::Natives {\n    let mut natives = hasse::Natives::new();\n");
        for body in &self.bodies {
            text.push_str(&body.registration());
        }
        text.push_str("    natives\n}\n");
        text
    }
}

/// The name of a program's file, as it can stand in a comment.
pub(crate) fn file_name(program: &Path) -> String {
    let name = program.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy());
    name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

impl Body<'_> {
    /// What the body sets for the routing rules.
    pub(crate) fn lets(&self) -> impl Iterator<Item = &Slot> {
        self.template.slots.iter().filter(|slot| slot.kind == SlotKind::Let)
    }

    /// Around a function of integers: one of the same name that looks up its names. `None` where the function does so itself.
    pub(crate) fn looking_up(&self) -> Option<String> {
        let Ints { takes, gives } = self.function.ints.as_ref()?;
        let name = &self.function.name;
        let gets: Vec<String> = takes.iter().map(|name| format!("context.get({name:?})?")).collect();
        let given: Vec<String> = (0..gives.len()).map(|nth| format!("given_{nth}")).collect();
        let mut text = format!(
            "fn {name}(context: &mut hasse::BodyContext<'_>) -> hasse::BodyResult {{\n    let [{}] = bodies::{name}([{}]);\n",
            given.join(", "),
            gets.join(", ")
        );
        for (given, name) in given.iter().zip(gives) {
            let _ = writeln!(text, "    context.set({name:?}, {given})?;");
        }
        text.push_str("    Ok(())\n}\n");
        Some(text)
    }

    fn registration(&self) -> String {
        let name = &self.function.name;
        if let Some(ints) = &self.function.ints {
            let list = |names: &[String]| {
                names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
            };
            let (takes, gives) = (list(&ints.takes), list(&ints.gives));
            return format!("    natives.function_body({name:?}, [{takes}], [{gives}], {name});\n");
        }
        let mut declared = format!("hasse::NativeBody::new({name:?})");
        let lets: Vec<String> =
            self.lets().map(|slot| format!("({:?}, {})", slot.name, type_expression(&slot.ty))).collect();
        if !lets.is_empty() {
            let _ = write!(declared, ".lets([{}])", lets.join(", "));
        }
        if !self.text.results.is_empty() {
            let results: Vec<String> = self.text.results.iter().map(|name| string(name)).collect();
            let _ = write!(declared, ".results([{}])", results.join(", "));
        }
        format!("    natives.body({declared}, {name});\n")
    }
}

/// A type as an expression of Rust.
fn type_expression(ty: &Type) -> String {
    match ty {
        Type::Array(items) => format!("hasse::Type::Array({}.into())", type_expression(items)),
        Type::Map(values) => format!("hasse::Type::Map({}.into())", type_expression(values)),
        // A struct type that is declared in Rust is any type to the compiler.
        Type::Struct(_) => "hasse::Type::Any".to_owned(),
        other => format!("hasse::Type::{other:?}"),
    }
}

/// What bodies may name of the library, which is at a path.
pub(crate) fn imports(library: &str) -> String {
    format!(
        "/// What bodies may name; a struct type of the same name goes before.\nmod names {{\n    \
         pub use {library}::{{BodyContext, BodyOutcome, BodyResult, Matrix, Value}};\n}}\nuse names::*;\n\n"
    )
}
