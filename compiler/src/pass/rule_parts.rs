//! What firing and routing rules have in common: finding a port, and naming loop variables.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::Expr;
use hasse_model::plan::{BinaryOp, Slot};

use super::pattern::check_arity;
use super::resolve::check_name;
use crate::decl::{NodeDecl, PortDecl};
use crate::session::Session;
use crate::suggest;
use crate::text::Excerpt;

/// Which ports a rule is about.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Direction {
    /// Firing rules.
    Input,
    /// Routing rules.
    Output,
}

/// The position of the port that a rule names, where it takes as many index numbers as given.
pub(super) fn find_port(
    word: &Excerpt<'_>,
    elements: &[Excerpt<'_>],
    direction: Direction,
    node: &NodeDecl<'_>,
    session: &mut Session<'_>,
) -> Option<usize> {
    let (own, others, own_name, rule_name) = match direction {
        Direction::Input => (&node.inputs, &node.outputs, "input", "firing"),
        Direction::Output => (&node.outputs, &node.inputs, "output", "routing"),
    };
    let name = word.as_str();
    let is_named = |port: &PortDecl| port.port.name == name;
    let Some(port_idx) = own.iter().position(is_named) else {
        let diagnostic = match others.iter().find(|port| is_named(port)) {
            Some(other) => {
                let message =
                    format!("`{name}` is no {own_name} port: {rule_name} rules name {own_name} ports");
                Diagnostic::error("E0403", message, word.at(), "").with_label(other.port.at, "declared here")
            }
            None => {
                let message = format!("`{}` has no {own_name} port `{name}`", node.name());
                let names = own.iter().map(|port| port.port.name.as_str());
                let help = suggest::help(name, &format!("{own_name} ports"), names);
                Diagnostic::error("E0105", message, word.at(), "").with_help(help)
            }
        };
        session.report(diagnostic);
        return None;
    };
    let port = &own[port_idx].port;
    let what = format!("port `{name}`");
    check_arity("E0404", &what, port.n_indices, elements, word.at(), port.at, session).then_some(port_idx)
}

/// Whether a word can be the next loop variable; reports it otherwise.
pub(super) fn check_loop_variable<'n>(
    word: &Excerpt<'_>,
    slots: &[Slot],
    mut earlier: impl Iterator<Item = &'n str>,
    session: &mut Session<'_>,
) -> bool {
    let name = word.as_str();
    if !check_name(name, word.at(), session) {
        return false;
    }
    let is_taken = slots.iter().any(|slot| slot.name == name) || earlier.any(|other| other == name);
    if is_taken {
        let message = format!("the loop variable `{name}` has a name that is used already");
        session.error("E0101", message, word.at());
    }
    !is_taken
}

/// The number behind the last one of `..=high`.
pub(super) fn behind(high: Expr) -> Expr {
    match high {
        Expr::Int(number) if number < i64::MAX => Expr::Int(number + 1),
        other => Expr::Binary(BinaryOp::Add, Box::new(other), Box::new(Expr::Int(1))),
    }
}
