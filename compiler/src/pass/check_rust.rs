//! Bodies in Rust whose text stands in the program file: what they bind for the routing rules, and what is known of them
//! without compiling them. What `rustc` says of them is not known here.

use std::sync::Arc;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::SlotId;
use hasse_model::plan::{Body, RustText, SlotKind};
use hasse_model::value::{StructTable, Type};

use super::check_bodies::routed_names;
use crate::decl::NodeDecl;
use crate::grammar::rules::parse_routing;
use crate::session::Session;
use crate::syntax::RustBody;
use crate::text::Excerpt;

/// What the outermost level of a body binds and a routing rule of its node names, each with its type: that which is
/// written behind `let`, else that of the port on which a rule sends it as it is, else `any`.
pub(super) fn rust_lets(body: &RustBody, node: &NodeDecl<'_>, session: &Session<'_>) -> Vec<(String, Type)> {
    let Ok(facts) = &body.facts else { return Vec::new() };
    let routed = routed_names(node);
    let mut lets: Vec<(String, Type)> = Vec::new();
    // Of two with one name the last one holds.
    for found in facts.lets.iter().rev().filter(|found| routed.contains(&found.name)) {
        if lets.iter().any(|(name, _)| *name == found.name) {
            continue;
        }
        let written = found.ty.as_deref().and_then(|text| type_of(text, &session.structs));
        let ty = written.or_else(|| type_sent(&found.name, node)).unwrap_or(Type::Any);
        lets.push((found.name.clone(), ty));
    }
    lets.reverse();
    lets
}

/// The type of a Rust type, as far as programs have it.
fn type_of(text: &str, structs: &Arc<StructTable>) -> Option<Type> {
    let within = |name: &str| text.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>');
    Some(match text {
        "i64" => Type::Int,
        "f64" => Type::Real,
        "bool" => Type::Bool,
        "char" => Type::Char,
        "String" => Type::String,
        "Vec<u8>" => Type::Bytes,
        "Vec<f64>" => Type::Vector,
        "Matrix" => Type::Matrix,
        _ => match within("Vec") {
            Some(items) => Type::Array(Box::new(type_of(items, structs)?)),
            None => match map_values(text) {
                Some(values) => Type::Map(Box::new(type_of(values, structs)?)),
                None => Type::Struct(structs.get(text)?),
            },
        },
    })
}

/// The type of the values of a map by strings.
fn map_values(text: &str) -> Option<&str> {
    let (path, inner) = text.strip_suffix('>')?.split_once('<')?;
    let (key, values) = inner.split_once(',')?;
    (path.rsplit("::").next() == Some("BTreeMap") && key.trim() == "String").then(|| values.trim())
}

/// The type of the port on which a routing rule sends a name as it is.
fn type_sent(name: &str, node: &NodeDecl<'_>) -> Option<Type> {
    node.unit.route.iter().find_map(|rule| {
        let whole = rule.all();
        let parts = parse_routing(&whole).ok()?;
        let send = parts.sends.iter().find(|send| send.value.as_str() == name)?;
        let port = node.outputs.iter().find(|port| port.port.name == send.port.as_str())?;
        port.is_sound.then(|| port.port.ty.clone())
    })
}

/// Checks a body; adds the results that it may set. `None` where its text is unreadable.
pub(super) fn check_rust(
    graph: &str,
    body: &RustBody,
    node: &NodeDecl<'_>,
    results: &mut Vec<Option<String>>,
    session: &mut Session<'_>,
) -> Option<Body> {
    let text = body.text.all();
    let facts = match &body.facts {
        Ok(facts) => facts,
        Err(fault) => {
            let message = format!("unreadable body in Rust: {}", fault.message);
            session.error("E0511", message, text.at_range(fault.range.clone()));
            return None;
        }
    };
    for found in &facts.lets {
        if node.slots.iter().any(|slot| slot.name == found.name && slot.kind != SlotKind::Let) {
            let message =
                format!("this `let` hides the name `{}` of the node, also from routing rules", found.name);
            let help = "leave out `let` to assign it, or take another name";
            let at = text.at_range(found.range.clone());
            session.report(Diagnostic::error("W0501", message, at, "").as_warning().with_help(help));
        }
    }
    results.extend(facts.results.iter().cloned());
    let is_named = |slot: usize| {
        let slot = &node.slots[slot];
        slot.kind != SlotKind::Let && facts.words.contains(&slot.name)
    };
    let names = (0..node.slots.len()).filter(|slot| is_named(*slot)).map(SlotId::from_idx);
    let text = RustText {
        text: text.as_str().to_owned(),
        lines: lines(&text),
        names: names.collect(),
        results: facts.results.iter().flatten().cloned().collect(),
        has_context: facts.words.contains("context"),
        may_leave: facts.may_leave,
    };
    let name = format!("{graph}.{}", node.name());
    Some(Body::Native { name, at: body.text.at(), text: Some(Arc::new(text)) })
}

/// Where the lines of a text begin in the file.
fn lines(text: &Excerpt<'_>) -> Vec<hasse_model::diagnostic::Location> {
    let whole = text.as_str();
    let starts = std::iter::once(0).chain(whole.match_indices('\n').map(|(newline, _)| newline + 1));
    starts.map(|start| text.at_range(start..start)).collect()
}
