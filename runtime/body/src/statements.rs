//! Statements of a script with their positions, at which a body can be stopped.
//!
//! The interpreter tells which node of its tree it is about to evaluate. A node is known again by its address: a
//! script's tree is compiled once and stays where it is while its program is loaded.

use hasse_model::diagnostic::Location;
use hasse_model::plan::Script;
use rhai::{AST, ASTNode, Expr, Position, Stmt};
use rustc_hash::FxHashMap;

use crate::code_error::place;

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Location of its beginning.
    pub at: Location,
    /// The line of the program file on which it begins, without what is blank around it.
    pub text: String,
}

/// The statements of a script, those of its functions included.
#[derive(Debug)]
pub struct Statements {
    /// By address of the node that the interpreter tells.
    by_node: FxHashMap<usize, Statement>,
    /// Lines on which a statement begins, in order.
    lines: Vec<u32>,
    /// Lines of the script, from the first to the last.
    first_line: u32,
    last_line: u32,
}

impl Statements {
    /// Collects the statements of a compiled script. `ast` must not move while the statements are looked up. Cost:
    /// linear in the script's nodes and, for each statement, in its text.
    pub fn of(ast: &AST, script: &Script) -> Self {
        let mut by_node = FxHashMap::default();
        ast.walk(&mut |path| {
            if let Some(ASTNode::Stmt(stmt)) = path.last()
                && let Some((node, position)) = stop_of(stmt)
            {
                let at = place(script, position);
                let line_idx = (at.line - script.at.line) as usize;
                let text = script.text.lines().nth(line_idx).unwrap_or_default().trim().to_owned();
                by_node.insert(node, Statement { at, text });
            }
            true
        });
        let mut lines: Vec<u32> = Vec::with_capacity(by_node.len());
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for statement in by_node.values() {
            lines.push(statement.at.line);
        }
        lines.sort_unstable();
        lines.dedup();
        let n_lines = script.text.lines().count().max(1) as u32;
        Self { by_node, lines, first_line: script.at.line, last_line: script.at.line + n_lines - 1 }
    }

    /// Returns the statement that the interpreter is about to begin, if the node is one.
    #[inline]
    pub fn at(&self, node: ASTNode<'_>) -> Option<&Statement> {
        let address = match node {
            ASTNode::Stmt(stmt) => std::ptr::from_ref(stmt) as usize,
            ASTNode::Expr(expr) => std::ptr::from_ref(expr) as usize,
            _ => return None,
        };
        self.by_node.get(&address)
    }

    /// Returns the line of the program file that has a position of the script.
    pub fn line_of(&self, position: Position) -> Option<u32> {
        position.line().map(|line| self.first_line + line as u32 - 1)
    }

    /// Returns the first line at or after a line of the script on which a statement begins; `None` also for a line outside
    /// the script.
    pub fn line_from(&self, line: u32) -> Option<u32> {
        if line < self.first_line || line > self.last_line {
            return None;
        }
        let first = self.lines.partition_point(|&begins| begins < line);
        self.lines.get(first).copied()
    }
}

/// The address of the node that stands for a statement, and where the statement begins. `None` for what is no
/// statement to its writer: blocks, whose statements are looked at one by one, and what the compiler adds.
fn stop_of(stmt: &Stmt) -> Option<(usize, Position)> {
    let position = match stmt {
        Stmt::Noop(..) | Stmt::Block(..) | Stmt::Share(..) => return None,
        Stmt::Expr(expr) => {
            // The interpreter tells the expression, not the statement around it.
            return match &**expr {
                Expr::Stmt(..) => None,
                expr => Some((std::ptr::from_ref(expr) as usize, start_of(expr))),
            };
        }
        Stmt::Assignment(parts) => start_of(&parts.1.lhs),
        stmt => stmt.position(),
    };
    Some((std::ptr::from_ref(stmt) as usize, position))
}

/// Where an expression begins. The interpreter places an operation at its operator.
fn start_of(expr: &Expr) -> Position {
    let mut start = expr.start_position();
    let inner = match expr {
        Expr::And(parts, ..) | Expr::Or(parts, ..) | Expr::Coalesce(parts, ..) => parts.first(),
        Expr::Index(parts, ..) | Expr::Dot(parts, ..) => Some(&parts.lhs),
        Expr::FnCall(call, ..) if call.op_token.is_some() => call.args.first(),
        _ => None,
    };
    if let Some(inner) = inner {
        let inner_start = start_of(inner);
        let key = |position: Position| (position.line(), position.position());
        if start.is_none() || !inner_start.is_none() && key(inner_start) < key(start) {
            start = inner_start;
        }
    }
    start
}
