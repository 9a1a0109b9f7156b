//! Shared objects: writers that never write, names that are never used, and objects that are read but
//! never given a value.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::Access;

use super::summary::{GraphSummary, NodeSummary, SharedSummary};

/// Checks the shared names and objects of a graph.
pub(super) fn check(graph: &GraphSummary, found: &mut Vec<Diagnostic>) {
    for node in graph.nodes.iter().filter(|node| node.is_unit()) {
        node.shared.iter().for_each(|local| report_name(node, local, found));
    }
    for formal in graph.formals.iter().filter(|formal| !formal.is_used) {
        let message =
            format!("nothing in `{}` uses its formal shared object `inout.{}`", graph.name, formal.name);
        let help = format!("add a share line such as `inout.{} -- NODE.NAME`, or remove it", formal.name);
        found.push(Diagnostic::error("W0605", message, formal.at, "").as_warning().with_help(help));
    }
    for (object_idx, object) in graph.objects.iter().enumerate() {
        if object.has_init || object.is_handed_on {
            continue;
        }
        let locals = graph.nodes.iter().flat_map(|node| node.shared.iter().map(move |local| (node, local)));
        let users: Vec<_> = locals.filter(|(_, local)| local.objects.contains(&object_idx)).collect();
        let has_writer = users.iter().any(|(_, local)| local.access == Access::Write);
        let reader = users.iter().find(|(_, local)| local.access == Access::Read && local.is_named);
        let Some((node, reader)) = reader.filter(|_| !has_writer) else { continue };
        let message =
            format!("the shared object `{}` is read, but nothing ever gives it a value", object.name);
        let help = "readers find the default of its type: give it an `init`, or declare a writer";
        let diagnostic = Diagnostic::error("W0604", message, object.at, "").as_warning();
        found.push(diagnostic.with_label(reader.at, format!("`{}` reads it", node.name)).with_help(help));
    }
}

fn report_name(node: &NodeSummary, local: &SharedSummary, found: &mut Vec<Diagnostic>) {
    if local.name.starts_with('_') {
        return;
    }
    if local.access == Access::Read && local.is_changed_in_place {
        let message = format!(
            "`{}` changes `{}`, but only reads its object: the change is lost",
            node.name, local.name
        );
        let help = format!("declare it as `{} = \"write\"`, or change a copy", local.name);
        found.push(Diagnostic::error("W0606", message, local.at, "").as_warning().with_help(help));
    }
    if !local.is_named {
        let message = format!("`{}` never uses the shared name `{}`", node.name, local.name);
        let help = "remove it, or let its name begin with `_` if locking the object is all that is wanted";
        found.push(Diagnostic::error("W0603", message, local.at, "").as_warning().with_help(help));
    } else if local.access == Access::Write && !local.is_written {
        let message = format!("`{}` declares `{}` as `write`, but never changes it", node.name, local.name);
        let help =
            format!("declare it as `{} = \"read\"`, so that readers do not wait for each other", local.name);
        found.push(Diagnostic::error("W0602", message, local.at, "").as_warning().with_help(help));
    }
}
