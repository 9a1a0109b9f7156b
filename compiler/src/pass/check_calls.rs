//! Call nodes: arguments fit the parameters of the graph that is called.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Arg, Call, ShareBinding};

use super::check_defaults::check_value;
use super::pattern::param_scope;
use crate::decl::{CallDecl, GraphDecl, Interface, ParamFacts};
use crate::scope::Meaning;
use crate::session::Session;
use crate::suggest;

/// Checks and lowers the calls of a graph.
pub(crate) fn check_calls(
    graph: &GraphDecl<'_>,
    interfaces: &[Interface],
    bindings: Vec<Vec<Vec<ShareBinding>>>,
    session: &mut Session<'_>,
) -> Vec<Call> {
    let mut calls = Vec::new();
    for (call, bindings) in graph.calls.iter().zip(bindings) {
        let interface = call.callee.map(|callee| &interfaces[callee.idx()]);
        calls.push(Call {
            name: call.name().to_owned(),
            owner: graph.id,
            graph: call.callee.unwrap_or(graph.id),
            index_names: call.node.index.iter().map(|name| name.text.clone()).collect(),
            args: interface.map_or(Vec::new(), |interface| check_args(graph, call, interface, session)),
            bindings,
            at: call.node.name.at,
        });
    }
    calls
}

fn check_args(
    graph: &GraphDecl<'_>,
    call: &CallDecl<'_>,
    interface: &Interface,
    session: &mut Session<'_>,
) -> Vec<Option<Arg>> {
    let mut are_args_known = true;
    for arg in &call.node.args {
        if interface.params.iter().any(|param| param.name.text == arg.name.text) {
            continue;
        }
        are_args_known = false;
        let message = format!("the graph `{}` has no parameter `{}`", interface.name.text, arg.name.text);
        let names = interface.params.iter().map(|param| param.name.text.as_str());
        let help = suggest::help(&arg.name.text, "parameters", names);
        session.report(Diagnostic::error("E0702", message, arg.name.at, "").with_help(help));
    }
    let mut scope = param_scope(graph);
    for (local, name) in (0..).zip(&call.node.index) {
        scope.add(&name.text, Meaning::Local(local));
    }
    let arg = |param: &ParamFacts, session: &mut Session<'_>| {
        let arg = call.node.args.iter().find(|arg| arg.name.text == param.name.text);
        let Some(arg) = arg else {
            // An unknown argument may be this one, misspelled.
            if !param.has_default && are_args_known {
                let name = &param.name.text;
                let message = format!("the call `{}` gives no value to the parameter `{name}`", call.name());
                let help = format!("add it to the call: `args = {{ {name} = \"...\" }}`");
                // Where arguments are given, one more belongs there.
                let at = call.node.args.last().map_or(call.node.name.at, |arg| arg.name.at);
                let diagnostic = Diagnostic::error("E0703", message, at, "")
                    .with_label(param.name.at, "declared here, without a default")
                    .with_help(help);
                session.report(diagnostic);
            }
            return None;
        };
        let whole = arg.text.all();
        let code = check_value(Some(&whole), &param.ty, &scope, session)?;
        Some(Arg { code, at: whole.at() })
    };
    interface.params.iter().map(|param| arg(param, session)).collect()
}
