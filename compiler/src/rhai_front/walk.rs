//! Walks a parsed text once, in the order of its evaluation, and collects what it names, calls,
//! assigns and binds. Names that the text itself binds (`let`, `for`, parameters of functions and
//! closures, `catch`) are resolved here; all others are free and left to the caller.

use std::collections::BTreeSet;

use rhai::{
    AST, ASTFlags, ASTNode, BinaryExpr, Expr, FnCallExpr, FnPtr, OpAssignment, Position, Stmt, StmtBlock,
    Token,
};

use super::chain::Chain;

/// A free name.
#[derive(Debug)]
pub(crate) struct FreeName {
    pub(crate) name: String,
    pub(crate) position: Position,
    /// Whether the name, or a part of what it holds, is assigned to.
    pub(crate) is_assigned: bool,
    /// Whether the name itself is assigned to.
    pub(crate) is_replaced: bool,
    /// Whether it stands in a `fn`, which sees its parameters only.
    pub(crate) is_in_function: bool,
}

/// An assignment to a free name as a whole, outside of any `fn`.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    /// The operator of `+=` and its like.
    pub(crate) operator: Option<Token>,
    pub(crate) value: Expr,
    /// The start of the value.
    pub(crate) position: Position,
    /// Names that the value mentions, and whether the text itself binds one of them.
    pub(crate) mentions: Vec<String>,
    pub(crate) has_bound: bool,
}

/// A call of a function that is neither an operator nor a variable.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) position: Position,
    /// Number of arguments; the object of a method call is one.
    pub(crate) n_arguments: usize,
    /// Whether it is `object.name(..)`.
    pub(crate) is_method: bool,
}

/// What a text names, calls, assigns and binds.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) free: Vec<FreeName>,
    pub(crate) calls: Vec<Call>,
    /// Names that the outermost level binds with `let` or `const`.
    pub(crate) outer_lets: Vec<(String, Position)>,
    /// Names that it binds anywhere with `let`, `const` or `for`.
    pub(crate) lets: BTreeSet<String>,
    /// Functions of the text itself, with their numbers of parameters.
    pub(crate) functions: Vec<(String, usize)>,
    /// First arguments of calls of `result`; `None` where one is not a literal.
    pub(crate) results: Vec<Option<String>>,
    /// Fields and items that are reached from free names, outside of any `fn`.
    pub(crate) chains: Vec<Chain>,
    /// Assignments to free names as wholes.
    pub(crate) assignments: Vec<Assignment>,
    /// Constructs that programs may not use.
    pub(crate) refused: Vec<(&'static str, Position)>,
}

/// Walks a text.
pub(crate) fn walk(ast: &AST) -> Facts {
    let functions = functions(ast);
    let mut walker =
        Walker { facts: Facts::default(), functions: &functions, bound: Vec::new(), is_in_function: false };
    for statement in ast.statements() {
        if let Stmt::Var(variable, ..) = statement {
            walker.facts.outer_lets.push((variable.0.name.to_string(), variable.0.pos));
        }
        walker.statement(statement);
    }
    for function in functions.iter().filter(|function| !function.is_closure()) {
        walker.facts.functions.push((function.name.clone(), function.params.len()));
        walker.bound.clone_from(&function.params);
        walker.is_in_function = true;
        walker.statements(&function.statements);
    }
    walker.facts
}

/// The `fn`s and closures of a text, by name and number of parameters.
pub(super) fn functions(ast: &AST) -> Vec<Function> {
    let signatures: Vec<Signature> = ast
        .iter_functions()
        .map(|metadata| {
            let params = metadata.params.iter().map(ToString::to_string).collect();
            Signature { name: metadata.name.to_owned(), params }
        })
        .collect();
    let mut functions = Vec::new();
    if !signatures.is_empty() {
        // Not `clone_functions_only_filtered`, which in Rhai 1.27 filters nothing.
        take_apart(ast.clone_functions_only(), signatures, &mut functions);
    }
    functions.sort_by(|left, right| (&left.name, left.params.len()).cmp(&(&right.name, right.params.len())));
    functions
}

/// A `fn` or closure of the text.
pub(super) struct Function {
    pub(super) name: String,
    pub(super) params: Vec<String>,
    pub(super) statements: Vec<Stmt>,
}

/// Key of a function within a text.
struct Signature {
    name: String,
    params: Vec<String>,
}

/// Copies functions out of a text that holds nothing else: Rhai hands out the statements of a body only to a walk over a
/// whole text, so the text is halved until it holds one. Cost: O(n log n).
fn take_apart(ast: AST, mut signatures: Vec<Signature>, functions: &mut Vec<Function>) {
    if signatures.len() > 1 {
        let rest = signatures.split_off(signatures.len() / 2);
        for half in [signatures, rest] {
            let kept: BTreeSet<(&str, usize)> =
                half.iter().map(|signature| (signature.name.as_str(), signature.params.len())).collect();
            let mut part = ast.clone();
            part.retain_functions(|_, _, name, n_params| kept.contains(&(name, n_params)));
            drop(kept);
            take_apart(part, half, functions);
        }
        return;
    }
    let mut statements = Vec::new();
    ast.walk(&mut |path: &[ASTNode<'_>]| {
        if let [ASTNode::Stmt(statement)] = path {
            statements.push((*statement).clone());
        }
        true
    });
    functions.extend(signatures.pop().map(|Signature { name, params }| Function {
        name,
        params,
        statements,
    }));
}

impl Function {
    fn is_closure(&self) -> bool {
        self.name.starts_with("anon$")
    }
}

struct Walker<'a> {
    facts: Facts,
    functions: &'a [Function],
    /// Names that the text has bound so far, innermost last.
    bound: Vec<String>,
    is_in_function: bool,
}

impl Walker<'_> {
    fn block(&mut self, block: &StmtBlock) {
        self.statements(block.statements());
    }

    fn statements(&mut self, statements: &[Stmt]) {
        let n_bound = self.bound.len();
        for statement in statements {
            self.statement(statement);
        }
        self.bound.truncate(n_bound);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::If(parts, _) => {
                self.expression(&parts.expr);
                self.block(&parts.body);
                self.block(&parts.branch);
            }
            Stmt::Switch(parts, _) => {
                self.expression(&parts.0);
                for case in &parts.1.expressions {
                    self.expression(&case.lhs);
                    self.expression(&case.rhs);
                }
            }
            Stmt::While(parts, _) => {
                self.expression(&parts.expr);
                self.block(&parts.body);
            }
            Stmt::Do(parts, ..) => {
                self.block(&parts.body);
                self.expression(&parts.expr);
            }
            Stmt::For(parts, _) => {
                let (item, counter, control) = &**parts;
                self.expression(&control.expr);
                let n_bound = self.bound.len();
                self.facts.lets.insert(item.name.to_string());
                self.bound.push(item.name.to_string());
                self.bound.extend(counter.as_ref().map(|counter| counter.name.to_string()));
                self.block(&control.body);
                self.bound.truncate(n_bound);
            }
            Stmt::Var(variable, options, position) => {
                if options.contains(ASTFlags::EXPORTED) {
                    self.facts.refused.push(("export", *position));
                }
                self.expression(&variable.1);
                self.facts.lets.insert(variable.0.name.to_string());
                self.bound.push(variable.0.name.to_string());
            }
            Stmt::Assignment(parts) => {
                self.note_assignment(&parts.0, &parts.1);
                self.expression(&parts.1.rhs);
                self.assigned(&parts.1.lhs);
            }
            Stmt::FnCall(call, position) => self.call(call, *position, false),
            Stmt::Block(block) => self.block(block),
            Stmt::TryCatch(parts, _) => {
                self.block(&parts.body);
                let n_bound = self.bound.len();
                if let Expr::Variable(variable, ..) = &parts.expr {
                    self.bound.push(variable.1.to_string());
                }
                self.block(&parts.branch);
                self.bound.truncate(n_bound);
            }
            Stmt::Expr(expression) => self.expression(expression),
            Stmt::BreakLoop(value, ..) | Stmt::Return(value, ..) => {
                if let Some(value) = value {
                    self.expression(value);
                }
            }
            Stmt::Import(_, position) => self.facts.refused.push(("import", *position)),
            Stmt::Export(_, position) => self.facts.refused.push(("export", *position)),
            // `Share` stands for the names that a closure captures; the closure's own walk sees them.
            _ => {}
        }
    }

    fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Variable(variable, _, position) => {
                if variable.2.is_empty() {
                    self.name(&variable.1, *position, false);
                } else {
                    self.facts.refused.push(("modules", *position));
                }
            }
            Expr::DynamicConstant(value, _) => {
                if let Some(pointer) = value.read_lock::<FnPtr>() {
                    self.closure(pointer.fn_name(), 0);
                }
            }
            Expr::InterpolatedString(items, _) | Expr::Array(items, _) => {
                items.iter().for_each(|item| self.expression(item));
            }
            Expr::Map(parts, _) => parts.0.iter().for_each(|(_, value)| self.expression(value)),
            Expr::Stmt(block) => self.block(block),
            Expr::FnCall(call, position) => self.call(call, *position, false),
            Expr::MethodCall(call, position) => self.call(call, *position, true),
            Expr::Dot(parts, ..) | Expr::Index(parts, ..) => {
                self.chain(expression);
                self.expression(&parts.lhs);
                self.expression(&parts.rhs);
            }
            Expr::And(items, _) | Expr::Or(items, _) | Expr::Coalesce(items, _) => {
                items.iter().for_each(|item| self.expression(item));
            }
            _ => {}
        }
    }

    /// Notes an assignment to a name as a whole.
    fn note_assignment(&mut self, operation: &OpAssignment, sides: &BinaryExpr) {
        let Expr::Variable(variable, ..) = &sides.lhs else { return };
        if self.is_in_function || self.is_bound(&variable.1) {
            return;
        }
        let mut mentions = Vec::new();
        let mut position = sides.rhs.start_position();
        sides.rhs.walk(&mut Vec::new(), &mut |path: &[ASTNode<'_>]| {
            // Rhai's own start is that of the operand that it evaluates first.
            let here = path.last().map(ASTNode::position).filter(|here| !here.is_none());
            position = here.map_or(position, |here| if here < position { here } else { position });
            if let Some(ASTNode::Expr(Expr::Variable(variable, ..))) = path.last() {
                mentions.push(variable.1.to_string());
            }
            true
        });
        self.facts.assignments.push(Assignment {
            name: variable.1.to_string(),
            operator: operation.get_op_assignment_info().map(|(_, _, _, _, operator, _)| operator.clone()),
            value: sides.rhs.clone(),
            position,
            has_bound: mentions.iter().any(|name| self.is_bound(name)),
            mentions,
        });
    }

    /// The left side of an assignment: its root is assigned, what stands in indices is read.
    fn assigned(&mut self, target: &Expr) {
        match target {
            Expr::Variable(variable, _, position) if variable.2.is_empty() => {
                self.name(&variable.1, *position, true);
                if let Some(free) = self.facts.free.last_mut().filter(|free| free.position == *position) {
                    free.is_replaced = true;
                }
            }
            Expr::Dot(parts, ..) | Expr::Index(parts, ..) => {
                self.chain(target);
                match &parts.lhs {
                    Expr::Variable(variable, _, position) if variable.2.is_empty() => {
                        self.name(&variable.1, *position, true);
                    }
                    other => self.assigned(other),
                }
                self.expression(&parts.rhs);
            }
            other => self.expression(other),
        }
    }

    /// Notes what is reached from a free name.
    fn chain(&mut self, expression: &Expr) {
        if let Some(chain) = Chain::of(expression).filter(|chain| !self.is_bound(&chain.root))
            && !self.is_in_function
        {
            self.facts.chains.push(chain);
        }
    }

    fn name(&mut self, name: &str, position: Position, is_assigned: bool) {
        if !self.is_bound(name) {
            let is_in_function = self.is_in_function;
            self.facts.free.push(FreeName {
                name: name.to_owned(),
                position,
                is_assigned,
                is_replaced: false,
                is_in_function,
            });
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|bound| bound == name)
    }

    fn call(&mut self, call: &FnCallExpr, position: Position, is_method: bool) {
        if call.is_qualified() {
            self.facts.refused.push(("modules", position));
        } else if !call.is_operator_call() {
            self.named_call(call, position, is_method);
        }
        // A closure that captures names is curried with them.
        let closure = match call.args.first() {
            Some(Expr::DynamicConstant(value, _)) if call.name == "curry" => value.read_lock::<FnPtr>(),
            _ => None,
        };
        if let Some(pointer) = closure {
            self.closure(pointer.fn_name(), call.args.len() - 1);
            return;
        }
        call.args.iter().for_each(|argument| self.expression(argument));
    }

    fn named_call(&mut self, call: &FnCallExpr, position: Position, is_method: bool) {
        let name = call.name.to_string();
        if !is_method && self.is_bound(&name) {
            return;
        }
        if name == "result" {
            self.facts.results.push(match call.args.first() {
                Some(Expr::StringConstant(text, _)) if !is_method => Some(text.to_string()),
                _ => None,
            });
        }
        let n_arguments = call.args.len() + usize::from(is_method);
        self.facts.calls.push(Call { name, position, n_arguments, is_method });
    }

    /// Walks the body of a closure where it stands: it sees what is bound there, and its own
    /// parameters, which come behind those that it captures.
    fn closure(&mut self, name: &str, n_captured: usize) {
        let functions = self.functions;
        // They are sorted by name.
        let place = functions.partition_point(|function| function.name.as_str() < name);
        let is_named = |function: &&Function| function.is_closure() && function.name == name;
        if let Some(function) = functions.get(place).filter(is_named) {
            let n_bound = self.bound.len();
            self.bound.extend(function.params.iter().skip(n_captured).cloned());
            self.statements(&function.statements);
            self.bound.truncate(n_bound);
        }
    }
}
