//! Native bodies: one of the name is registered, and the node has what it needs.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Body, SlotKind};

use crate::decl::NodeDecl;
use crate::session::Session;
use crate::suggest;
use crate::syntax::Name;

/// Most registered names that a hint lists.
const MOST_LISTED: usize = 12;

/// Checks `do = { native = "name" }`; adds the results that the body may set.
pub(super) fn check_native(
    name: &Name,
    node: &NodeDecl<'_>,
    results: &mut Vec<Option<String>>,
    session: &mut Session<'_>,
) -> Option<Body> {
    let Some(facts) = session.functions.body(&name.text) else {
        if session.is_recorded {
            // The body may set any result.
            results.push(None);
            return Some(Body::Native { name: name.text.clone(), at: name.at, text: None });
        }
        let message = format!("there is no native body `{}`", name.text);
        let help = registered(&name.text, session);
        session.report(Diagnostic::error("E0509", message, name.at, "").with_help(help));
        return None;
    };
    for (needed, ty) in &facts.needs {
        let slot = node.slots.iter().find(|slot| slot.name == *needed && slot.kind != SlotKind::Let);
        let message = match slot {
            Some(slot) if ty.accepts(&slot.ty) || slot.ty.accepts(ty) => continue,
            Some(slot) => format!(
                "the native body `{}` needs `{needed}` to be of type `{ty}`, and here it is of type `{}`",
                name.text, slot.ty
            ),
            None => format!("the native body `{}` needs a name `{needed}` of type `{ty}`", name.text),
        };
        let help = format!("bind, declare or share `{needed}` in `{}`", node.name());
        session.report(Diagnostic::error("E0510", message, name.at, "").with_help(help));
    }
    for (set, _) in &facts.lets {
        let Some(slot) = node.slots.iter().find(|slot| slot.name == *set && slot.kind != SlotKind::Let)
        else {
            continue;
        };
        let message = format!(
            "the native body `{}` sets a name `{set}` for routing rules, which is {} of `{}`",
            name.text,
            kind_name(slot.kind),
            node.name()
        );
        let help = "give the one of the node another name";
        session.report(Diagnostic::error("E0510", message, name.at, "").with_help(help));
    }
    results.extend(facts.results.iter().cloned().map(Some));
    Some(Body::Native { name: name.text.clone(), at: name.at, text: None })
}

fn kind_name(kind: SlotKind) -> &'static str {
    match kind {
        SlotKind::Param => "a creation parameter",
        SlotKind::Index => "an index name",
        SlotKind::Var => "a var",
        SlotKind::Shared => "a shared name",
        SlotKind::Bound => "a bound name",
        SlotKind::Let => "another such name",
        SlotKind::Rule | SlotKind::Count => "a name of every execution",
    }
}

/// What could have been meant.
fn registered(name: &str, session: &Session<'_>) -> String {
    let names: Vec<&str> = session.functions.body_names().collect();
    if names.is_empty() {
        return "none is registered: native bodies belong to the Rust program that runs this one with \
                the library `hasse`"
            .to_owned();
    }
    let nearest = suggest::nearest(name, names.iter().copied());
    let question = nearest.map_or(String::new(), |nearest| format!("did you mean `{nearest}`? "));
    let listed: Vec<String> = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST_LISTED { ", ..." } else { "" };
    format!("{question}registered are {}{more}", listed.join(", "))
}
