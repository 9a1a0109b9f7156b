//! Bounds of input ports, of the number of instances that execute at once, and of the number of retries: integer expressions over
//! creation parameters, of which the value is at least 1; of retries 0.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Expr, FullPolicy};

use super::pattern::param_scope;
use crate::decl::GraphDecl;
use crate::session::{NameCodes, Session};
use crate::syntax::PortOptions;

/// Names from which bounds may be computed.
const OVER: &str = "the creation parameters";

/// Checks the bounds of all nodes of a graph and of their ports, and sets them.
pub(crate) fn check_bounds(graph: &mut GraphDecl<'_>, session: &mut Session<'_>) {
    let scope = param_scope(graph);
    let codes = NameCodes { hidden: "E0106", undefined: "E0106" };
    for node in &mut graph.nodes {
        if let Some(text) = &node.unit.at_once {
            let at_once = session.int_expression(&text.all(), &scope, "E0106", codes, OVER);
            match at_once.as_ref().and_then(constant) {
                Some(number) if number < 1 => {
                    let message =
                        format!("`at_once` of `{}` is {number}: it could never execute", node.name());
                    let help = "`at_once` is the number of instances that may execute at a time, at least 1";
                    session.report(Diagnostic::error("E0106", message, text.at(), "").with_help(help));
                }
                _ => node.at_once = at_once,
            }
        }
        if let Some(text) = &node.unit.retry {
            let retry = session.int_expression(&text.all(), &scope, "E0106", codes, OVER);
            match retry.as_ref().and_then(constant) {
                Some(number) if number < 0 => {
                    let message = format!("`retry` of `{}` is {number}", node.name());
                    let help = "`retry` is the maximum number of retries of a failing body";
                    session.report(Diagnostic::error("E0106", message, text.at(), "").with_help(help));
                }
                _ => node.retry = retry,
            }
        }
        for PortOptions { port, bound, full, .. } in &node.unit.port_options {
            let Some(text) = bound else {
                if let Some((policy, at)) = full {
                    let message = format!(
                        "the port `{}` has a policy for when it is full, \"{}\", and no bound",
                        port.text,
                        policy.name()
                    );
                    let help = "say how many values may wait there, such as `bound = 8`, or leave `full` out";
                    session.report(Diagnostic::error("E0106", message, *at, "").with_help(help));
                }
                continue;
            };
            let bound = session.int_expression(&text.all(), &scope, "E0106", codes, OVER);
            if let Some(number) = bound.as_ref().and_then(constant)
                && number < 1
            {
                let message =
                    format!("the bound of the port `{}` is {number}: no value could come", port.text);
                let help = "a bound is the number of values that may wait on a port, at least 1";
                session.report(Diagnostic::error("E0106", message, text.at(), "").with_help(help));
                continue;
            }
            if let Some(input) = node.inputs.iter_mut().find(|input| input.port.at == port.at) {
                input.port.bound = bound;
                input.port.full = full.map_or(FullPolicy::Wait, |(policy, _)| policy);
            }
        }
    }
}

/// The value of an expression without names.
pub(super) fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int(number) => Some(*number),
        Expr::Negate(number) => constant(number)?.checked_neg(),
        _ => None,
    }
}
