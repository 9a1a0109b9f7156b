//! What firing rules bind: reads all firing rules of a node and completes its names with those that
//! they bind, those that a body in Rust sets, `rule` and `count`.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::SlotId;
use hasse_model::plan::{ERROR_TYPE, Slot, SlotKind};
use hasse_model::value::Type;

use super::check_rust::rust_lets;
use super::resolve::check_name;
use crate::decl::NodeDecl;
use crate::grammar::rules::{Binding, FiringText, parse_firing};
use crate::grammar::token::tokens;
use crate::session::Session;
use crate::syntax::Body;
use crate::text::{Excerpt, Text};

/// A firing rule that has been read.
pub(crate) struct ReadRule<'t> {
    pub(crate) whole: Excerpt<'t>,
    /// `None` where it is unreadable, which has been reported.
    pub(crate) parts: Option<FiringText<'t>>,
}

/// Reads the firing rules of a node and adds what they bind to its slots.
pub(crate) fn bind<'t>(
    fire: &'t [Text],
    node: &mut NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Vec<ReadRule<'t>> {
    let mut rules = Vec::new();
    for text in fire {
        let whole = text.all();
        let parts = match parse_firing(&whole) {
            Ok(parts) => {
                parts.bindings.iter().for_each(|binding| bind_name(binding, node, session));
                Some(parts)
            }
            Err(fault) => {
                session.fault("E0401", "firing rule", &whole, &fault);
                bind_what_is_readable(&whole, node);
                None
            }
        };
        rules.push(ReadRule { whole, parts });
    }
    bind_error(node, session);
    bind_lets(node, session);
    for (name, kind) in [("rule", SlotKind::Rule), ("count", SlotKind::Count)] {
        node.slots.push(Slot { name: name.to_owned(), kind, ty: Type::Int });
    }
    rules
}

/// Adds the name of the error to a node with routing rules for failed events.
fn bind_error(node: &mut NodeDecl<'_>, session: &mut Session<'_>) {
    let rule = node.unit.error_rules().first().map(Text::at);
    let Some(at) = rule.or(node.forwarded.as_ref().map(|forwarded| forwarded.at)) else { return };
    if node.slots.iter().any(|slot| slot.name == ERROR_TYPE) {
        let message = format!(
            "`{ERROR_TYPE}` is the error of a failed event of `{}`, and cannot be another name",
            node.name()
        );
        let help = "give the other one of this name another name";
        session.report(Diagnostic::error("E0103", message, at, "").with_help(help));
        return;
    }
    let ty = session.error_type.clone().map_or(Type::Any, Type::Struct);
    node.error = Some(SlotId::from_idx(node.slots.len()));
    node.slots.push(Slot { name: ERROR_TYPE.to_owned(), kind: SlotKind::Bound, ty });
}

/// Adds the names that a body in Rust sets for the routing rules.
fn bind_lets(node: &mut NodeDecl<'_>, session: &Session<'_>) {
    let lets = match &node.unit.body {
        Some(Body::Native(name)) => match session.functions.body(&name.text) {
            Some(facts) => facts.lets.clone(),
            None => return,
        },
        Some(Body::Rust(body)) => rust_lets(body, node, session),
        Some(Body::Script(_)) | None => return,
    };
    for (name, ty) in lets {
        // A name that the node has already is reported by the pass that checks the body.
        if !node.slots.iter().any(|slot| slot.name == name) {
            node.slots.push(Slot { name, kind: SlotKind::Let, ty });
        }
    }
}

fn bind_name(binding: &Binding<'_>, node: &mut NodeDecl<'_>, session: &mut Session<'_>) {
    let name = binding.target.as_str();
    let port = node.inputs.iter().find(|port| port.port.name == binding.port.as_str());
    let sound_port = port.filter(|port| port.is_sound);
    let port_type = sound_port.map_or(Type::Any, |port| port.port.ty.clone());
    let ty = (0..binding.target_elements.len()).fold(port_type, |ty, _| Type::Array(Box::new(ty)));
    let Some(slot) = node.slots.iter_mut().find(|slot| slot.name == name) else {
        if check_name(name, binding.target.at(), session) {
            node.slots.push(Slot { name: name.to_owned(), kind: SlotKind::Bound, ty });
        }
        return;
    };
    match slot.kind {
        SlotKind::Bound => {
            if slot.ty != ty {
                slot.ty = Type::Any;
            }
        }
        SlotKind::Var => {
            if let Some(port) = sound_port.filter(|_| !slot.ty.accepts(&ty)) {
                let message = format!("the var `{name}` of type `{}` cannot take `{ty}`", slot.ty);
                let diagnostic = Diagnostic::error("E0205", message, binding.target.at(), "")
                    .with_label(port.port.at, "declared here");
                session.report(diagnostic);
            }
        }
        kind => {
            let what = match kind {
                SlotKind::Param => "a creation parameter",
                SlotKind::Index => "an index name",
                _ => "a shared name",
            };
            let message = format!("`{name}` is {what} and cannot be bound");
            let help = "bind the value to another name";
            session.report(Diagnostic::error("E0407", message, binding.target.at(), "").with_help(help));
        }
    }
}

/// Binds every `-> name` of a rule that cannot be read, so that bodies that use the name are not
/// reported as well.
fn bind_what_is_readable(whole: &Excerpt<'_>, node: &mut NodeDecl<'_>) {
    let text = whole.as_str();
    for pair in tokens(text).windows(2) {
        let name = &text[pair[1].range.clone()];
        let is_binding = &text[pair[0].range.clone()] == "->";
        if is_binding && !node.slots.iter().any(|slot| slot.name == name) {
            node.slots.push(Slot { name: name.to_owned(), kind: SlotKind::Bound, ty: Type::Any });
        }
    }
}
