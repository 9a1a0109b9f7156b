//! Share lines: which object each shared name of a node stands for.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::id::SharedId;
use hasse_model::plan::{ShareBinding, SharedUse, SlotKind};
use hasse_model::value::Type;

use super::check_arcs::find_node;
use super::pattern::{Variables, check_arity, elements, patterns};
use crate::decl::GraphDecl;
use crate::grammar::lines::{ShareLine, parse_share};
use crate::session::Session;
use crate::suggest;

/// Checks the share lines of a graph. Gives the shared names of every node, and fills in the types of
/// their slots.
pub(crate) fn check_shares(graph: &mut GraphDecl<'_>, session: &mut Session<'_>) -> Vec<Vec<SharedUse>> {
    let mut uses = declared_uses(graph);
    let mut is_named = vec![vec![]; graph.nodes.len()];
    for (named, node) in is_named.iter_mut().zip(&graph.nodes) {
        named.resize(node.shared.len(), false);
    }
    let mut types: Vec<Vec<Vec<Type>>> =
        graph.nodes.iter().map(|node| vec![Vec::new(); node.shared.len()]).collect();
    let mut is_reached = vec![false; graph.shared.len()];
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
        let object_idx = find_object(&line, graph, session);
        let user = find_user(&line, graph, session);
        are_lines_readable &= object_idx.is_some() && user.is_some();
        if let Some(object_idx) = object_idx {
            is_reached[object_idx] = true;
        }
        let Some((node_idx, shared_idx)) = user else { continue };
        is_named[node_idx][shared_idx] = true;
        let Some(object_idx) = object_idx else { continue };
        types[node_idx][shared_idx].push(graph.shared[object_idx].ty.clone());
        let binding = check_line(&line, graph, object_idx, node_idx, whole.at(), session);
        uses[node_idx][shared_idx].bindings.extend(binding);
    }
    report_loose_ends(graph, &is_named, &is_reached, are_lines_readable, session);
    for (node, node_types) in graph.nodes.iter_mut().zip(types) {
        let slots = node.slots.iter_mut().filter(|slot| slot.kind == SlotKind::Shared);
        for (slot, object_types) in slots.zip(node_types) {
            let is_one_type = object_types.windows(2).all(|pair| pair[0] == pair[1]);
            slot.ty = object_types.into_iter().next().filter(|_| is_one_type).unwrap_or(Type::Any);
        }
    }
    uses
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

fn find_object(line: &ShareLine<'_>, graph: &GraphDecl<'_>, session: &mut Session<'_>) -> Option<usize> {
    let name = line.object.as_str();
    let object_idx = graph.shared.iter().position(|object| object.name.text == name);
    if object_idx.is_none() {
        let message = format!("the graph `{}` has no shared object `{name}`", graph.name.text);
        let names = graph.shared.iter().map(|object| object.name.text.as_str());
        let help = suggest::help(name, "shared objects", names);
        session.report(Diagnostic::error("E0602", message, line.object.at(), "").with_help(help));
    }
    object_idx
}

fn find_user(
    line: &ShareLine<'_>,
    graph: &GraphDecl<'_>,
    session: &mut Session<'_>,
) -> Option<(usize, usize)> {
    let node_idx = find_node(&line.user.node, graph, session)?;
    let node = &graph.nodes[node_idx];
    let name = line.user.port.as_str();
    let shared_idx = node.shared_idx(name);
    if shared_idx.is_none() {
        let message = format!("`{}` declares no shared name `{name}`", node.name());
        let names = node.shared.iter().map(|local| local.name.text.as_str());
        let help = suggest::help(name, "shared names", names);
        session.report(Diagnostic::error("E0606", message, line.user.port.at(), "").with_help(help));
    }
    shared_idx.map(|shared_idx| (node_idx, shared_idx))
}

fn check_line(
    line: &ShareLine<'_>,
    graph: &GraphDecl<'_>,
    object_idx: usize,
    node_idx: usize,
    at: hasse_model::diagnostic::Location,
    session: &mut Session<'_>,
) -> Option<ShareBinding> {
    let (object, node) = (&graph.shared[object_idx], &graph.nodes[node_idx]);
    let object_what = format!("shared object `{}`", object.name.text);
    let object_at = object.index.first().map_or(object.name.at, |name| name.at);
    let n_object = object.index.len();
    let fits_object =
        check_arity("E0302", &object_what, n_object, &line.elements, line.object.at(), object_at, session);
    let node_what = format!("node `{}`", node.name());
    let node_at = node.unit.index.first().map_or(node.unit.name.at, |name| name.at);
    let n_node = node.unit.index.len();
    let fits_node =
        check_arity("E0302", &node_what, n_node, &line.user.index, line.user.node.at(), node_at, session);
    let mut variables = Variables::default();
    let pattern = patterns(&line.user.index, graph, &mut variables, "E0601", session)?;
    let elements = elements(&line.elements, graph, &variables, session)?;
    (fits_object && fits_node).then(|| ShareBinding {
        pattern,
        shared: SharedId::from_idx(object_idx),
        elements,
        at,
    })
}

/// Reports shared names without a line, and objects that no line reaches.
fn report_loose_ends(
    graph: &GraphDecl<'_>,
    is_named: &[Vec<bool>],
    is_reached: &[bool],
    are_lines_readable: bool,
    session: &mut Session<'_>,
) {
    if !are_lines_readable {
        return;
    }
    for (node, named) in graph.nodes.iter().zip(is_named) {
        for (local, _) in node.shared.iter().zip(named).filter(|(_, is_named)| !**is_named) {
            let message = format!("no share line binds `{}` of `{}`", local.name.text, node.name());
            let help =
                format!("add a line such as `OBJECT -- {}.{}` to `share`", node.name(), local.name.text);
            session.report(Diagnostic::error("E0603", message, local.at, "").with_help(help));
        }
    }
    for (object, _) in graph.shared.iter().zip(is_reached).filter(|(_, is_reached)| !**is_reached) {
        let message = format!("no share line reaches the shared object `{}`", object.name.text);
        session.report(Diagnostic::error("W0601", message, object.name.at, "").as_warning());
    }
}
