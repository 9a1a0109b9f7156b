//! `init` and `do`: what they name exists, what they assign can be assigned, and what their outermost
//! level binds is known to the routing rules.

use std::collections::BTreeSet;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::ScriptId;
use hasse_model::plan::{self, Access, ERROR_TYPE, ScriptKind, SlotKind};
use hasse_model::value::Type;

use super::check_native::check_native;
use super::check_rust::check_rust;
use crate::decl::NodeDecl;
use crate::grammar::token::tokens;
use crate::rhai_front::infer;
use crate::rhai_front::walk::{Facts, walk};
use crate::scope::{Meaning, Scope};
use crate::session::{NameCodes, Session};
use crate::syntax::Body;
use crate::text::{Excerpt, Text};

/// Reason why usual texts cannot name the error.
pub(super) const ERROR_HIDDEN: &str = "only the `on_error` rules of a failed event have its error";

/// The bodies of a node.
#[derive(Default)]
pub(crate) struct Bodies {
    pub(crate) init: Option<ScriptId>,
    pub(crate) body: Option<plan::Body>,
    /// Names that the outermost level of `do` binds.
    pub(crate) outer_lets: BTreeSet<String>,
    /// Names that its other levels bind.
    pub(crate) inner_lets: BTreeSet<String>,
    /// Names of the node that `do` assigns.
    pub(crate) assigned: BTreeSet<String>,
    /// Names of results that `do` sets; `None` where one is not a literal.
    pub(crate) results: Vec<Option<String>>,
    /// True if `do` calls functions whose answers may have to be waited for.
    pub(crate) may_wait: bool,
}

/// Checks the bodies of a node.
pub(crate) fn check_bodies(graph: &str, node: &NodeDecl<'_>, session: &mut Session<'_>) -> Bodies {
    let mut bodies = Bodies::default();
    if let Some(text) = non_empty(node.unit.init.as_ref()) {
        let mut scope = Scope::default();
        scope.add_slots(&node.slots, |kind| match kind {
            SlotKind::Param | SlotKind::Index | SlotKind::Var => None,
            SlotKind::Shared => Some("`init` runs before shared objects are locked"),
            _ => Some("`init` runs before any rule is taken"),
        });
        check_body(&text, &scope, node, false, session);
        bodies.init = Some(session.add_script(text.as_str(), ScriptKind::Init, text.at()));
    }
    if let Some(Body::Native(name)) = &node.unit.body {
        bodies.body = check_native(name, node, &mut bodies.results, session);
        if session.functions.body(&name.text).is_none() {
            bodies.outer_lets = routed_names(node);
        }
    } else if let Some(Body::Rust(body)) = &node.unit.body {
        if !body.text.all().as_str().trim().is_empty() {
            bodies.body = check_rust(graph, body, node, &mut bodies.results, session);
        }
        if body.facts.is_err() {
            bodies.outer_lets = routed_names(node);
        }
    } else if let Some(Body::Script(text)) = &node.unit.body
        && let Some(text) = non_empty(Some(text))
    {
        let mut scope = Scope::default();
        scope.add_slots(&node.slots, |_| None);
        if node.error.is_some() {
            scope.add(ERROR_TYPE, Meaning::Hidden(ERROR_HIDDEN));
        }
        match check_body(&text, &scope, node, true, session) {
            Some(facts) => {
                report_hidden_names(&facts, &text, node, session);
                bodies.inner_lets = facts.lets;
                bodies.outer_lets = facts.outer_lets.into_iter().map(|(name, _)| name).collect();
                let assigned = facts.free.into_iter().filter(|free| free.is_assigned);
                bodies.assigned = assigned.map(|free| free.name).collect();
                if !facts.functions.is_empty() {
                    // A function that is called as a method may assign `this`.
                    let bound = node.slots_of(SlotKind::Bound).map(|slot| slot.name.clone());
                    bodies.assigned.extend(bound);
                }
                bodies.results = facts.results;
                bodies.may_wait = facts
                    .calls
                    .iter()
                    .any(|call| session.functions.get(&call.name).is_some_and(|known| known.may_wait));
            }
            None => bodies.outer_lets = readable_lets(&text),
        }
        let script = session.add_script(text.as_str(), ScriptKind::Body, text.at());
        bodies.body = Some(plan::Body::Script(script));
    }
    bodies
}

fn non_empty(text: Option<&Text>) -> Option<Excerpt<'_>> {
    text.map(Text::all).filter(|text| !text.as_str().trim().is_empty())
}

/// Checks one body; `None` where it cannot be read.
fn check_body(
    text: &Excerpt<'_>,
    scope: &Scope,
    node: &NodeDecl<'_>,
    is_body: bool,
    session: &mut Session<'_>,
) -> Option<Facts> {
    let ast = session.front.parse_body(text).map_err(|diagnostic| session.report(*diagnostic)).ok()?;
    let facts = walk(&ast);
    session.check_facts(&facts, text, scope, NameCodes::USUAL, is_body);
    check_assignments(&facts, text, node, session);
    check_assigned_types(&facts, text, scope, node, session);
    Some(facts)
}

/// Reports a var or shared object that a body leaves with a value of another type: one that it assigns once, so that nothing
/// else can mend it. Where names of the value are assigned, too, their types are not known.
fn check_assigned_types(
    facts: &Facts,
    text: &Excerpt<'_>,
    scope: &Scope,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) {
    let is_assigned = |name: &str| facts.free.iter().any(|free| free.is_assigned && free.name == name);
    // A function that is called as a method may change what it is called on.
    let candidates = facts.assignments.iter().filter(|_| facts.functions.is_empty());
    for assignment in candidates.filter(|assignment| !assignment.has_bound) {
        let name = assignment.name.as_str();
        let slot = node.slots.iter().find(|slot| slot.name == name);
        let Some(slot) = slot.filter(|slot| matches!(slot.kind, SlotKind::Var | SlotKind::Shared)) else {
            continue;
        };
        let n_assigned = facts.free.iter().filter(|free| free.is_assigned && free.name == name).count();
        if n_assigned != 1 || assignment.mentions.iter().any(|other| other != name && is_assigned(other)) {
            continue;
        }
        let value = infer::static_type(&assignment.value, scope, &session.structs);
        let found = match &assignment.operator {
            None => value,
            Some(operator) => value.and_then(|value| infer::operation_type(operator, &slot.ty, &value)),
        };
        let Some(found) = found.filter(|found| !slot.ty.accepts(found)) else { continue };
        let position = assignment.position;
        let at = text.at_position(position.line().unwrap_or(1), position.position().unwrap_or(1));
        let message = format!("`{name}` of type `{}` is left with a value of type `{found}`", slot.ty);
        let mut diagnostic = Diagnostic::error("E0202", message, at, "");
        if let Some(help) = conversion_help(&slot.ty, &found) {
            diagnostic = diagnostic.with_help(help);
        }
        session.report(diagnostic);
    }
}

/// The way from one type to another that people look for most.
pub(super) fn conversion_help(wanted: &Type, found: &Type) -> Option<String> {
    let help = match (wanted, found) {
        (Type::Int, Type::Real) => {
            "`to_int(x)` cuts the fraction off and is an integer (`int(x)` cuts it off and stays real); or declare it as `real`"
        }
        (Type::Int, Type::String) => "`parse_int(text)` reads an integer",
        (Type::Real, Type::String) => "`parse_float(text)` reads a real number",
        (Type::String, _) => "`to_string(x)` makes a text of a value",
        _ => return None,
    };
    Some(help.to_owned())
}

fn check_assignments(facts: &Facts, text: &Excerpt<'_>, node: &NodeDecl<'_>, session: &mut Session<'_>) {
    for free in facts.free.iter().filter(|free| free.is_assigned && !free.is_in_function) {
        let name = free.name.as_str();
        let Some(slot) = node.slots.iter().find(|slot| slot.name == name) else { continue };
        let at = text.at_position(free.position.line().unwrap_or(1), free.position.position().unwrap_or(1));
        let what = match slot.kind {
            SlotKind::Param => "a creation parameter",
            SlotKind::Index => "an index name",
            SlotKind::Rule => "the position of the rule taken",
            SlotKind::Count => "the number of the execution",
            SlotKind::Shared => {
                let local = node.shared_idx(name).map(|shared_idx| &node.shared[shared_idx]);
                if let Some(reader) = local.filter(|local| local.access == Access::Read) {
                    let message = format!("`{name}` is declared as `read` and cannot be assigned to");
                    let diagnostic = Diagnostic::error("E0604", message, at, "")
                        .with_label(reader.at, "declared here")
                        .with_help(format!("declare it as `{name} = \"write\"`"));
                    session.report(diagnostic);
                }
                continue;
            }
            SlotKind::Var | SlotKind::Bound | SlotKind::Let => continue,
        };
        session.error("E0506", format!("`{name}` is {what} and cannot be assigned to"), at);
    }
}

/// Warns of `let`s of the outermost level that hide a name of the node.
fn report_hidden_names(facts: &Facts, text: &Excerpt<'_>, node: &NodeDecl<'_>, session: &mut Session<'_>) {
    for (name, position) in &facts.outer_lets {
        if !node.slots.iter().any(|slot| slot.name == *name) {
            continue;
        }
        let at = text.at_position(position.line().unwrap_or(1), position.position().unwrap_or(1));
        let message = format!("this `let` hides the name `{name}` of the node, also from routing rules");
        let help = "leave out `let` to assign it, or take another name";
        session.report(Diagnostic::error("W0501", message, at, "").as_warning().with_help(help));
    }
}

/// All words of the routing rules that are no names of the node: what a body that is not known may set, so
/// that rules that use it are not reported as well.
pub(super) fn routed_names(node: &NodeDecl<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in node.unit.all_routes() {
        let whole = rule.all();
        let words = tokens(whole.as_str()).into_iter().map(|token| &whole.as_str()[token.range]);
        names
            .extend(words.filter(|word| node.slots.iter().all(|slot| slot.name != *word)).map(str::to_owned));
    }
    names
}

/// The names behind `let` in a body that cannot be read, so that routing rules that use them are not
/// reported as well.
pub(super) fn readable_lets(text: &Excerpt<'_>) -> BTreeSet<String> {
    let whole = text.as_str();
    let tokens = tokens(whole);
    let pairs = tokens.windows(2).filter(|pair| matches!(&whole[pair[0].range.clone()], "let" | "const"));
    pairs.map(|pair| whole[pair[1].range.clone()].to_owned()).collect()
}
