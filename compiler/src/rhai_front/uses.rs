//! Which functions a text hands a name to: `name.f(..)`, `name.part.f(..)` and `f(name, ..)`. Rhai
//! hands the object of a method call, and a name that stands as the first argument, over by reference,
//! so that those functions may change what the name holds.

use std::collections::BTreeSet;

use rhai::{AST, ASTNode, Expr, FnCallExpr, Stmt};

/// Pairs of a name and a function; names that the text itself binds are not left out.
pub(crate) fn handed_over(ast: &AST) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        match path.last() {
            Some(ASTNode::Expr(Expr::Dot(parts, ..) | Expr::Index(parts, ..))) => {
                if let Some(name) = root(&parts.lhs) {
                    functions_behind(&parts.rhs, &mut |function| {
                        pairs.insert((name.to_owned(), function.to_owned()));
                    });
                }
            }
            Some(ASTNode::Expr(Expr::FnCall(call, _)) | ASTNode::Stmt(Stmt::FnCall(call, _))) => {
                pairs.extend(first_argument(call));
            }
            _ => {}
        }
        true
    });
    pairs
}

fn first_argument(call: &FnCallExpr) -> Option<(String, String)> {
    let first = call.args.first().filter(|_| !call.is_operator_call())?;
    Some((root(first)?.to_owned(), call.name.to_string()))
}

/// The name that a chain such as `a.b[0].c` begins with.
fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Variable(variable, ..) => Some(&variable.1),
        Expr::Dot(parts, ..) | Expr::Index(parts, ..) => root(&parts.lhs),
        _ => None,
    }
}

/// The methods called along the rest of a chain.
fn functions_behind(rest: &Expr, found: &mut impl FnMut(&str)) {
    match rest {
        Expr::MethodCall(call, _) | Expr::FnCall(call, _) => found(&call.name),
        Expr::Dot(parts, ..) | Expr::Index(parts, ..) => {
            functions_behind(&parts.lhs, found);
            functions_behind(&parts.rhs, found);
        }
        _ => {}
    }
}
