//! Share lines: which object each shared name of a node, and each formal shared object of a call,
//! stands for.

use std::collections::{BTreeMap, BTreeSet};

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::id::SharedId;
use hasse_model::plan::{ShareBinding, ShareSource, SharedUse, SlotKind};
use hasse_model::value::Type;

use super::check_arcs::{Bases, NodeRef, find_node};
use super::pattern::{Variables, check_arity, elements, patterns};
use crate::decl::{GraphDecl, Interface, Named, PortDecl};
use crate::grammar::lines::{ShareLine, parse_share};
use crate::session::Session;
use crate::suggest;
use crate::syntax::Name;

/// What the share lines of a graph say.
pub(crate) struct Shares {
    /// The shared names of every node.
    pub(crate) uses: Vec<Vec<SharedUse>>,
    /// The lines that bind the formal shared objects of every call.
    pub(crate) call_bindings: Vec<Vec<Vec<ShareBinding>>>,
}

/// A shared name of a node, or a formal shared object of a call, by positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct User(NodeRef, usize);

/// Checks the share lines of a graph, and fills in the types of its nodes' shared slots.
pub(crate) fn check_shares(
    graph: &mut GraphDecl<'_>,
    interfaces: &[Interface],
    bases: Bases,
    session: &mut Session<'_>,
) -> Shares {
    let mut shares = Shares { uses: declared_uses(graph), call_bindings: Vec::new() };
    for call in &graph.calls {
        let n_formals = call.callee.map_or(0, |callee| interfaces[callee.idx()].formals.len());
        shares.call_bindings.push(vec![Vec::new(); n_formals]);
    }
    let mut named: BTreeSet<User> = BTreeSet::new();
    let mut types: BTreeMap<User, Vec<Type>> = BTreeMap::new();
    let mut reached: BTreeSet<usize> = BTreeSet::new();
    let mut are_lines_readable = true;
    for text in graph.shares {
        let whole = text.all();
        let line = match parse_share(&whole) {
            Ok(line) => line,
            Err(fault) => {
                session.fault("E0601", "share line", &whole, &fault);
                are_lines_readable = false;
                continue;
            }
        };
        let object = find_object(&line, graph, session);
        let user = find_user(&line, graph, interfaces, session);
        are_lines_readable &= object.is_some() && user.is_some();
        if let Some(Object::Own(shared_idx)) = object {
            reached.insert(shared_idx);
        }
        named.extend(user);
        let (Some(object), Some(user)) = (object, user) else { continue };
        types.entry(user).or_default().push(object.ty(graph));
        let binding = check_line(&line, graph, interfaces, bases, object, user, whole.at(), session);
        match user.0 {
            NodeRef::Unit(node_idx) => shares.uses[node_idx][user.1].bindings.extend(binding),
            NodeRef::Call(call_idx) => shares.call_bindings[call_idx][user.1].extend(binding),
            NodeRef::Interface => {}
        }
    }
    if are_lines_readable {
        report_loose_ends(graph, interfaces, &named, &reached, session);
    }
    for (node_idx, node) in graph.nodes.iter_mut().enumerate() {
        let slots = node.slots.iter_mut().filter(|slot| slot.kind == SlotKind::Shared);
        for (shared_idx, slot) in slots.enumerate() {
            let object_types = types.remove(&User(NodeRef::Unit(node_idx), shared_idx)).unwrap_or_default();
            let is_one_type = object_types.windows(2).all(|pair| pair[0] == pair[1]);
            slot.ty = object_types.into_iter().next().filter(|_| is_one_type).unwrap_or(Type::Any);
        }
    }
    shares
}

fn declared_uses(graph: &GraphDecl<'_>) -> Vec<Vec<SharedUse>> {
    let uses_of = |locals: &[crate::decl::LocalShared<'_>]| {
        locals
            .iter()
            .map(|local| SharedUse { access: local.access, bindings: Vec::new(), at: local.at })
            .collect()
    };
    graph.nodes.iter().map(|node| uses_of(&node.shared)).collect()
}

/// What stands left of `--`, by position.
#[derive(Clone, Copy)]
enum Object {
    Own(usize),
    Formal(usize),
}

impl Object {
    fn ty(self, graph: &GraphDecl<'_>) -> Type {
        match self {
            Object::Own(shared_idx) => graph.shared[shared_idx].ty.clone(),
            Object::Formal(formal_idx) => graph.formals[formal_idx].port.ty.clone(),
        }
    }
}

fn find_object(line: &ShareLine<'_>, graph: &GraphDecl<'_>, session: &mut Session<'_>) -> Option<Object> {
    let name = line.object.as_str();
    let own = match graph.names.get(name) {
        Some(Named::Shared(shared_idx)) => Some(*shared_idx),
        // A node has the name, too, which is reported.
        Some(_) => graph.shared.iter().position(|object| object.name.text == name),
        None => None,
    };
    let formal = graph.formals.iter().position(|formal| formal.port.name == name);
    let found = if line.is_formal { formal.map(Object::Formal) } else { own.map(Object::Own) };
    if found.is_none() {
        let (what, help) = if line.is_formal {
            let names = graph.formals.iter().map(|formal| formal.port.name.as_str());
            ("formal shared object", suggest::help(name, "formal shared objects", names))
        } else if formal.is_some() {
            ("shared object", format!("for the caller's object write `inout.{name}`"))
        } else {
            let names = graph.shared.iter().map(|object| object.name.text.as_str());
            ("shared object", suggest::help(name, "shared objects", names))
        };
        let message = format!("the graph `{}` has no {what} `{name}`", graph.name.text);
        session.report(Diagnostic::error("E0602", message, line.object.at(), "").with_help(help));
    }
    found
}

fn find_user(
    line: &ShareLine<'_>,
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    session: &mut Session<'_>,
) -> Option<User> {
    let node = find_node(&line.user.node, graph, session)?;
    let name = line.user.port.as_str();
    let known: Vec<&str> = match node {
        NodeRef::Unit(node_idx) => {
            graph.nodes[node_idx].shared.iter().map(|local| local.name.text.as_str()).collect()
        }
        NodeRef::Call(call_idx) => {
            let callee = graph.calls[call_idx].callee?;
            interfaces[callee.idx()].formals.iter().map(|formal| formal.port.name.as_str()).collect()
        }
        NodeRef::Interface => Vec::new(),
    };
    let position = known.iter().position(|known| *known == name);
    if position.is_none() {
        let what = match node {
            NodeRef::Call(_) => "formal shared object",
            _ => "shared name",
        };
        let message = format!("`{}` declares no {what} `{name}`", line.user.node.as_str());
        let help = suggest::help(name, &format!("{what}s"), known);
        session.report(Diagnostic::error("E0606", message, line.user.port.at(), "").with_help(help));
    }
    position.map(|position| User(node, position))
}

#[allow(clippy::too_many_arguments, reason = "what one line is checked against")]
fn check_line(
    line: &ShareLine<'_>,
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    bases: Bases,
    object: Object,
    user: User,
    at: Location,
    session: &mut Session<'_>,
) -> Option<ShareBinding> {
    let (object_what, n_object, object_at) = match object {
        Object::Own(shared_idx) => {
            let own = &graph.shared[shared_idx];
            let at = own.index.first().map_or(own.name.at, |name| name.at);
            (format!("shared object `{}`", own.name.text), own.index.len(), at)
        }
        Object::Formal(formal_idx) => {
            let formal = &graph.formals[formal_idx].port;
            (format!("shared object `inout.{}`", formal.name), formal.n_indices, formal.at)
        }
    };
    let fits_object =
        check_arity("E0302", &object_what, n_object, &line.elements, line.object.at(), object_at, session);
    let (node_what, index, name_at, formal) = match user.0 {
        NodeRef::Call(call_idx) => {
            let call = &graph.calls[call_idx];
            let formal = call.callee.map(|callee| &interfaces[callee.idx()].formals[user.1]);
            (format!("call `{}`", call.name()), &call.node.index, call.node.name.at, formal)
        }
        NodeRef::Unit(_) | NodeRef::Interface => {
            let NodeRef::Unit(node_idx) = user.0 else { return None };
            let unit = graph.nodes[node_idx].unit;
            (format!("node `{}`", unit.name.text), &unit.index, unit.name.at, None)
        }
    };
    let index_at = index.first().map_or(name_at, |name| name.at);
    let user_at = line.user.node.at();
    let fits_node =
        check_arity("E0302", &node_what, index.len(), &line.user.index, user_at, index_at, session);
    let user_what = format!("`{}.{}`", line.user.node.as_str(), line.user.port.as_str());
    let (n_elements, element_at) =
        formal.map_or((0, name_at), |formal| (formal.port.n_indices, formal.port.at));
    let port_at = line.user.port.at();
    let fits_elements =
        check_arity("E0302", &user_what, n_elements, &line.user.elements, port_at, element_at, session);
    let fits_type = formal.is_none_or(|formal| check_formal_type(line, formal, &object.ty(graph), session));
    let mut variables = Variables::default();
    let mut pattern = patterns(&line.user.index, graph, &mut variables, "E0601", session)?;
    pattern.extend(patterns(&line.user.elements, graph, &mut variables, "E0601", session)?);
    let elements = elements(&line.elements, graph, &variables, session)?;
    (fits_object && fits_node && fits_elements && fits_type).then(|| ShareBinding {
        pattern,
        object: match object {
            Object::Own(shared_idx) => ShareSource::Own(SharedId::from_idx(bases.shared + shared_idx)),
            Object::Formal(formal_idx) => ShareSource::Formal(formal_idx),
        },
        elements,
        at,
    })
}

/// Whether an object can stand for a formal one: the callee may write it, so that both types must be
/// the same.
fn check_formal_type(line: &ShareLine<'_>, formal: &PortDecl, ty: &Type, session: &mut Session<'_>) -> bool {
    if formal.port.ty == *ty || !formal.is_sound {
        return true;
    }
    let (object, name) = (line.object.as_str(), &formal.port.name);
    let message = format!("`{object}` of type `{ty}` cannot stand for `{name}` of type `{}`", formal.port.ty);
    let diagnostic = Diagnostic::error("E0705", message, line.object.at(), "")
        .with_label(formal.port.at, "declared here")
        .with_help("give both the same type: the graph that is called may write the object");
    session.report(diagnostic);
    false
}

/// The share line that is missing: with the object of the same name, or the only one.
fn missing_line(graph: &GraphDecl<'_>, name: &str, user: &str) -> String {
    let own = graph.shared.iter().find(|object| object.name.text == name);
    let formal = graph.formals.iter().find(|formal| formal.port.name == name);
    let object = match (own, formal, &graph.shared[..], &graph.formals[..]) {
        (Some(object), ..) | (None, None, [object], []) => {
            format!("{}{}", object.name.text, brackets(object.index))
        }
        (None, Some(formal), ..) | (None, None, [], [formal]) => format!("inout.{}", formal.port.name),
        (None, None, [], []) => {
            return format!(
                "declare an object, `[graph.{}.shared.{name}]`, and add the line `{name} -- {user}` to `share`",
                graph.name.text
            );
        }
        _ => return format!("add a line such as `OBJECT -- {user}` to `share`"),
    };
    format!("add the line `{object} -- {user}` to `share`")
}

fn brackets(index: &[Name]) -> String {
    let names: Vec<&str> = index.iter().map(|name| name.text.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("[{}]", names.join(", ")) }
}

/// Reports shared names and formal objects without a line, and objects that no line reaches.
fn report_loose_ends(
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    named: &BTreeSet<User>,
    reached: &BTreeSet<usize>,
    session: &mut Session<'_>,
) {
    for (node_idx, node) in graph.nodes.iter().enumerate() {
        for (shared_idx, local) in node.shared.iter().enumerate() {
            if named.contains(&User(NodeRef::Unit(node_idx), shared_idx)) {
                continue;
            }
            let message = format!("no share line binds `{}` of `{}`", local.name.text, node.name());
            let user = format!("{}{}.{}", node.name(), brackets(&node.unit.index), local.name.text);
            let help = missing_line(graph, &local.name.text, &user);
            session.report(Diagnostic::error("E0603", message, local.at, "").with_help(help));
        }
    }
    for (call_idx, call) in graph.calls.iter().enumerate() {
        let Some(callee) = call.callee else { continue };
        for (formal_idx, formal) in interfaces[callee.idx()].formals.iter().enumerate() {
            if named.contains(&User(NodeRef::Call(call_idx), formal_idx)) {
                continue;
            }
            let name = &formal.port.name;
            let message = format!("no share line gives the call `{}` an object for `{name}`", call.name());
            let user = format!("{}{}.{name}", call.name(), brackets(&call.node.index));
            let help = missing_line(graph, name, &user);
            let diagnostic = Diagnostic::error("E0704", message, call.node.name.at, "")
                .with_label(formal.port.at, "declared here")
                .with_help(help);
            session.report(diagnostic);
        }
    }
    for (shared_idx, object) in graph.shared.iter().enumerate() {
        if !reached.contains(&shared_idx) {
            let message = format!("no share line reaches the shared object `{}`", object.name.text);
            session.report(Diagnostic::error("W0601", message, object.name.at, "").as_warning());
        }
    }
}
