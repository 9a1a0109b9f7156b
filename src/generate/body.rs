//! One body in Rust as a function: its names as local variables of Rust types, its text as it stands in the program file, and what it sets.

use std::fmt::Write as _;

use hasse_model::name::is_of_name;
use hasse_model::plan::{Access, Plan, RustText, Slot, SlotKind, Template};
use hasse_model::value::Type;

use super::names::identifier;
use super::place;

/// A body as a function.
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// Its text, from its comment to its last brace.
    pub(crate) text: String,
    /// What it takes and gives, where it is a function of integers that looks nothing up.
    pub(crate) ints: Option<Ints>,
}

/// Names in the order of the numbers.
pub(crate) struct Ints {
    pub(crate) takes: Vec<String>,
    pub(crate) gives: Vec<String>,
}

/// A body and what it belongs to.
pub(crate) struct Source<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) template: &'p Template,
    pub(crate) text: &'p RustText,
    /// Name of the program file.
    pub(crate) file: &'p str,
}

/// The Rust type of values of a type. What the program has a struct type of the same name of is told by its path.
pub(crate) fn rust_type(ty: &Type, plan: &Plan) -> String {
    let named = |name, path| named(name, path, plan);
    let sequence = |items: &str| format!("{}<{items}>", named("Vec", "std::vec::Vec"));
    match ty {
        Type::Int => "i64".to_owned(),
        Type::Real => "f64".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Char => "char".to_owned(),
        Type::String => named("String", "std::string::String"),
        Type::Bytes => sequence("u8"),
        Type::Vector => sequence("f64"),
        Type::Matrix => named("Matrix", "hasse::Matrix"),
        Type::Array(items) => sequence(&rust_type(items, plan)),
        Type::Map(values) => {
            format!(
                "std::collections::BTreeMap<{}, {}>",
                rust_type(&Type::String, plan),
                rust_type(values, plan)
            )
        }
        Type::Struct(ty) => identifier(ty.name()).unwrap_or_else(|| format!("{}_", ty.name())),
        Type::Any => named("Value", "hasse::Value"),
    }
}

/// A name of Rust, or its path where the program has a struct type of the name.
fn named(name: &str, path: &str, plan: &Plan) -> String {
    if plan.structs.get(name).is_some() { path.to_owned() } else { name.to_owned() }
}

/// Writes the function of a body.
pub(crate) fn function(source: &Source<'_>, name: String) -> Function {
    let ints = ints(source);
    let text = match &ints {
        Some(ints) => of_ints(source, &name, ints),
        None => of_context(source, &name),
    };
    Function { name, text, ints }
}

impl<'p> Source<'p> {
    /// The names that occur in the text, as far as Rust can write them.
    fn names(&self) -> impl Iterator<Item = (usize, &'p Slot, String)> {
        self.text.names.iter().filter_map(|id| {
            let slot = &self.template.slots[id.idx()];
            // What a node calls `context` its bodies in Rust do not see.
            let word = identifier(&slot.name).filter(|word| word != "context");
            word.map(|word| (id.idx(), slot, word))
        })
    }

    fn lets(&self) -> impl Iterator<Item = (&'p Slot, String)> {
        let lets = self.template.slots.iter().filter(|slot| slot.kind == SlotKind::Let);
        lets.filter_map(|slot| identifier(&slot.name).map(|word| (slot, word)))
    }

    /// A name for what the function needs itself: none of the node's.
    fn own_name(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.template.slots.iter().any(|slot| slot.name == name) {
            name.push('_');
        }
        name
    }

    /// Whether all firing rules bind a name, so that it always holds a value.
    fn is_always_bound(&self, slot_idx: usize) -> bool {
        let binds = |rule: &hasse_model::plan::FiringRule| {
            rule.takes.iter().any(|take| take.target.idx() == slot_idx)
        };
        !self.template.is_start && self.template.fire.iter().all(binds)
    }

    fn is_routed(&self, name: &str) -> bool {
        let is_part = is_of_name;
        self.template
            .route
            .iter()
            .any(|rule| rule.text.split(|letter| !is_part(letter)).any(|word| word == name))
    }

    fn is_read_only(&self, slot_idx: usize, slot: &Slot) -> bool {
        match slot.kind {
            SlotKind::Param | SlotKind::Index | SlotKind::Rule | SlotKind::Count => true,
            SlotKind::Shared => {
                let nth = slot_idx - self.template.slots_of(SlotKind::Shared).start;
                self.template.shared[nth].access == Access::Read
            }
            SlotKind::Var | SlotKind::Bound | SlotKind::Let => false,
        }
    }

    /// Whether a name keeps what the body leaves in it.
    fn is_kept(&self, slot_idx: usize, slot: &Slot) -> bool {
        matches!(slot.kind, SlotKind::Var | SlotKind::Shared) && !self.is_read_only(slot_idx, slot)
    }

    /// The comment above the function.
    fn comment(&self) -> String {
        let graph = &self.plan.graphs[self.template.graph.idx()].name;
        format!("/// Body of `{}` in the graph `{graph}`.\n#[rustfmt::skip]\n", self.template.name)
    }

    /// The text between its two comments.
    fn text(&self) -> String {
        let text = self.text.text.trim_end();
        let at = self.text.lines.first().copied().unwrap_or_default();
        let mut block =
            format!("    {}\n{text}\n    {}\n", place::begin(self.file, at), place::end(self.file));
        if !text.ends_with([';', '}']) {
            block.push_str("    ;\n");
        }
        block
    }
}

/// What the body takes and gives, where it is a function of integers: it asks nothing, ends at its end, and all its names
/// are integers that always hold something.
fn ints(source: &Source<'_>) -> Option<Ints> {
    if source.text.has_context || source.text.may_leave {
        return None;
    }
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    for (slot_idx, slot, _) in source.names() {
        let is_unbound = slot.kind == SlotKind::Bound && !source.is_always_bound(slot_idx);
        if slot.ty != Type::Int || is_unbound || is_of_execution(slot) {
            return None;
        }
        takes.push(slot.name.clone());
        if source.is_kept(slot_idx, slot) {
            gives.push(slot.name.clone());
        }
    }
    for (slot, _) in source.lets() {
        if slot.ty != Type::Int {
            return None;
        }
        gives.push(slot.name.clone());
    }
    (!takes.is_empty() && !gives.is_empty()).then_some(Ints { takes, gives })
}

/// Whether a name is the position of the rule or the number of the execution, which functions are not given.
fn is_of_execution(slot: &Slot) -> bool {
    matches!(slot.kind, SlotKind::Rule | SlotKind::Count)
}

fn of_ints(source: &Source<'_>, name: &str, ints: &Ints) -> String {
    let words = |names: &[String], prefix: &str| -> String {
        let words = names.iter().filter_map(|name| identifier(name)).map(|word| format!("{prefix}{word}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let mut text = source.comment();
    let (n_takes, n_gives) = (ints.takes.len(), ints.gives.len());
    let _ = writeln!(
        text,
        "pub fn {name}([{}]: [i64; {n_takes}]) -> [i64; {n_gives}] {{",
        words(&ints.takes, "mut ")
    );
    text.push_str(&source.text());
    text.push_str(&typed(&source.lets().collect::<Vec<_>>(), source.plan));
    let _ = writeln!(text, "    [{}]\n}}", words(&ints.gives, ""));
    text
}

fn of_context(source: &Source<'_>, name: &str) -> String {
    let mut text = source.comment();
    let _ = writeln!(text, "pub fn {name}(context: &mut hasse::BodyContext<'_>) -> hasse::BodyResult {{");
    let mut kept = Vec::new();
    for (slot_idx, slot, word) in source.names() {
        bind(source, (slot_idx, slot, &word), &mut text);
        if source.is_kept(slot_idx, slot) {
            kept.push((slot.name.as_str(), word));
        }
    }
    let lets: Vec<_> = source.lets().collect();
    if kept.is_empty() {
        text.push_str(&source.text());
        text.push_str(&typed(&lets, source.plan));
        for (slot, word) in &lets {
            let _ = writeln!(text, "    context.set({:?}, {word})?;", slot.name);
        }
    } else {
        let types = lets.iter().map(|(slot, _)| match &slot.ty {
            Type::Any => "_".to_owned(),
            ty => rust_type(ty, source.plan),
        });
        let words = tuple(lets.iter().map(|(_, word)| word.clone()));
        let (body, ended) = (source.own_name("body"), source.own_name("ended"));
        let _ = writeln!(text, "    let {body} = || -> hasse::BodyOutcome<{}> {{", tuple(types));
        text.push_str(&source.text());
        text.push_str(&typed(&lets, source.plan));
        let _ = writeln!(
            text,
            "    Ok({words})\n    }};\n    // Whatever becomes of the body: what it keeps is put back.\n    let {ended} = std::panic::catch_unwind(std::panic::AssertUnwindSafe({body}));"
        );
        for (name, word) in &kept {
            let _ = writeln!(text, "    context.set({name:?}, {word})?;");
        }
        let _ = writeln!(
            text,
            "    let {words} = {ended}.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;"
        );
        for (slot, word) in &lets {
            let _ = writeln!(text, "    context.set({:?}, {word})?;", slot.name);
        }
    }
    text.push_str("    Ok(())\n}\n");
    text
}

/// What routing rules send, as the types that they send it as.
fn typed(lets: &[(&Slot, String)], plan: &Plan) -> String {
    let known = lets.iter().filter(|(slot, _)| slot.ty != Type::Any);
    known.map(|(slot, word)| format!("    let {word}: {} = {word};\n", rust_type(&slot.ty, plan))).collect()
}

fn tuple(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    match &parts[..] {
        [only] => format!("({only},)"),
        _ => format!("({})", parts.join(", ")),
    }
}

/// Binds a name: numbers by value; what only may be read by reference; else what is its own, which is taken where nobody
/// else looks at it, so that nothing is copied.
fn bind(source: &Source<'_>, (slot_idx, slot, word): (usize, &Slot, &str), text: &mut String) {
    let ty = rust_type(&slot.ty, source.plan);
    let name = &slot.name;
    let is_small = matches!(slot.ty, Type::Int | Type::Real | Type::Bool | Type::Char);
    if source.is_read_only(slot_idx, slot) {
        let lent = match &slot.ty {
            Type::String => Some(("str", "&str".to_owned())),
            Type::Vector => Some((&*ty, "&[f64]".to_owned())),
            Type::Bytes => Some((&*ty, "&[u8]".to_owned())),
            Type::Matrix => Some((&*ty, format!("&{ty}"))),
            _ => None,
        };
        let shared = lent.map(|(held, lent)| (format!("std::sync::Arc<{held}>"), lent));
        let _ = match (is_small, shared) {
            (true, _) => writeln!(text, "    let {word}: {ty} = context.get({name:?})?;"),
            (false, Some((held, lent))) => {
                writeln!(
                    text,
                    "    let {word}: {held} = context.get({name:?})?;\n    let {word}: {lent} = &{word};"
                )
            }
            (false, None) => {
                writeln!(
                    text,
                    "    let {word}: {ty} = context.get({name:?})?;\n    let {word}: &{ty} = &{word};"
                )
            }
        };
        return;
    }
    let is_optional =
        slot.kind == SlotKind::Bound && !source.is_always_bound(slot_idx) && slot.ty != Type::Any;
    let ty = if is_optional {
        format!("{}<{ty}>", named("Option", "std::option::Option", source.plan))
    } else {
        ty
    };
    let get =
        if is_small || (slot.kind == SlotKind::Bound && source.is_routed(name)) { "get" } else { "take" };
    let _ = writeln!(text, "    let mut {word}: {ty} = context.{get}({name:?})?;");
}
