//! What an expression names and calls.

use hasse_body::builtin::IN_BODY_ONLY;
use hasse_body::script::NOT_FOR_PROGRAMS;
use rhai::{AST, ASTNode, Expr, ParseErrorType, Position, Stmt};

use crate::expression::error::ExpressionError;
use crate::expression::rewrite;
use crate::expression::special::port_key;
use crate::expression::symbol::{PORT_PREFIX, PRED, PRED_PREFIX};

/// Names and calls with their places in the text, in characters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Names that the expression does not bind itself, in the order of the text.
    pub(crate) uses: Vec<(String, usize)>,
    /// Calls by name.
    calls: Vec<(String, usize)>,
}

impl Facts {
    /// Walks a parsed expression. The parameters of a closure are its own; what else it mentions stands at the
    /// place where it is made.
    pub(crate) fn of(ast: &AST, ports: &[(String, usize)], place_of: impl Fn(Position) -> usize) -> Self {
        let mut facts = Self::default();
        for statement in ast.statements() {
            statement.walk(&mut Vec::new(), &mut |path: &[ASTNode<'_>]| {
                if let Some(ASTNode::Expr(Expr::Variable(variable, _, position))) = path.last() {
                    let name = variable.1.as_str();
                    let is_of_port = name.starts_with(PORT_PREFIX);
                    let name = if name.starts_with(PRED_PREFIX) { PRED } else { name };
                    if !is_of_port {
                        facts.uses.push((name.to_owned(), place_of(*position)));
                    }
                }
                true
            });
        }
        facts.uses.extend(ports.iter().map(|(port, place)| (port_key(port), *place)));
        facts.uses.sort_by_key(|(_, place)| *place);
        let mut note =
            |name: &str, position: Position| facts.calls.push((name.to_owned(), place_of(position)));
        ast.walk(&mut |path: &[ASTNode<'_>]| {
            if let Some(
                ASTNode::Expr(Expr::FnCall(call, position) | Expr::MethodCall(call, position))
                | ASTNode::Stmt(Stmt::FnCall(call, position)),
            ) = path.last()
            {
                note(&call.name, *position);
            }
            true
        });
        facts.calls.sort_by_key(|(_, place)| *place);
        facts
    }

    /// Each name once, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.uses.iter().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether it calls nothing that only bodies may call.
    pub(crate) fn check(&self) -> Result<(), ExpressionError> {
        let refused = self.calls.iter().find(|(name, _)| {
            let name = name.as_str();
            IN_BODY_ONLY.contains(&name) || NOT_FOR_PROGRAMS.contains(&name) || matches!(name, "Fn" | "eval")
        });
        match refused {
            Some((name, place)) => {
                let message =
                    format!("`{name}` is for bodies: an expression asks and tells the world nothing");
                Err(rewrite::error(*place, message))
            }
            None => Ok(()),
        }
    }
}

/// What the parser has to say.
pub(crate) fn message(fault: &ParseErrorType) -> String {
    let told = match fault {
        ParseErrorType::ExprTooDeep => "this is nested in too many levels".to_owned(),
        ParseErrorType::Reserved(word) => format!("`{word}` cannot stand in an expression"),
        other => other.to_string(),
    };
    sentence(told)
}

/// What the interpreter says, without its own position and without the capital letter at its start.
pub(crate) fn sentence(mut told: String) -> String {
    if let Some(cut) = told.rfind(" (line ") {
        told.truncate(cut);
    }
    let mut letters = told.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
