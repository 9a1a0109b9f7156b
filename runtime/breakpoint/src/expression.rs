//! Expressions over the names of an action, for conditions, prints and assignments at stop points.
//!
//! An expression is compiled once and evaluated where the action is. It is given copies of the names that it mentions
//! and of nothing else, so that it can change nothing; functions that ask or tell the world something are refused.
//! It is a Rhai expression in which `=` asks for equality, `AND`, `OR`, `NOT`, `DIV` and `MOD` are operators, and
//! `a[10..20]`, `m[0..3, 2]` and `m[.., 5]` are parts of arrays, strings, vectors and matrices.
//!
//! Names that [`Expression::evaluate`] asks for, beside those of the template and those bound by `let`:
//!
//! | asked for | value |
//! |---|---|
//! | `NodeIndex`, `index` | the number of the action's index, or an array of its numbers ([`special`]) |
//! | `ExecCnt` | as `count` ([`special`]) |
//! | `Pred` | an array of strings: the paths of the event's immediate predecessors, such as `/Mult[3]:2` |
//! | `value` | at an arc, the value that passes |
//! | `port a` ([`port_key`]) | the queue of input port `a`: an array, or for a family [`family`] |
//!
//! A name that nobody knows is tried as that of a port. Source: Hyder 1994, sections 7.2 to 7.4 and B.2 (`<expr>`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use hasse_body::convert::{dynamic_from_value, value_from_dynamic};
use hasse_body::effects::SharedContext;
use hasse_body::interrupt::StopSignal;
use hasse_body::{object, out_of_band, part, script};
use hasse_model::plan::Plan;
use hasse_model::record_options::{CalledGraphs, Selector};
use hasse_model::value::{StructTable, Value};
use rhai::{AST, Dynamic, Engine, EvalAltResult, OptimizationLevel, Position, Scope, Token};

/// Errors in expressions.
pub(crate) mod error;
/// What an expression names and calls.
pub(crate) mod facts;
/// From the debugger's spelling to the interpreter's.
pub(crate) mod rewrite;
/// Symbols that the debugger defines.
pub mod special;
/// Symbols of expressions, and names that stand for them in the text that is compiled.
pub(crate) mod symbol;
#[cfg(test)]
mod tests;
/// Words and signs.
pub(crate) mod token;

pub use crate::expression::special::{SPECIAL_SYMBOLS, family, port_key, special};

pub use crate::expression::error::ExpressionError;
use crate::expression::facts::Facts;
use crate::expression::symbol::{PORT_FUNCTION, PORT_PREFIX, PRED, PRED_PREFIX, SLICE_FUNCTION};

/// Most steps of the interpreter for one evaluation: some tenths of a second.
const MOST_STEPS: u64 = 1_000_000;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    names: Vec<String>,
    facts: Facts,
    preds: Vec<Vec<(Selector, usize)>>,
    /// Of the program, where a predecessor is named with its graph.
    graphs: Arc<CalledGraphs>,
    ast: AST,
    /// For each character of the interpreter's spelling, its place in the text.
    places: Vec<usize>,
}

/// Expressions are one where their texts are.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// An interpreter for values of expressions over plain values, for who needs many of them.
#[derive(Debug)]
pub struct Evaluator(Engine);

impl Evaluator {
    /// `types` are the program's struct types. Cost: a millisecond.
    pub fn new(types: &Arc<StructTable>) -> Self {
        Self(script::engine(&SharedContext::default(), &StopSignal::default(), types))
    }

    /// The value of an expression; see [`Expression::value`].
    ///
    /// # Errors
    /// As for [`Expression::value`].
    pub fn value(
        &self,
        expression: &Expression,
        mut value_of: impl FnMut(&str) -> Option<Value>,
    ) -> Result<Value, String> {
        let held = expression.evaluate(&self.0, |name| value_of(name).map(dynamic_from_value))?;
        value_from_dynamic(&held)
            .map_err(|name| format!("`{}` gives a {name}, which is no value", expression.text))
    }
}

/// What parses expressions: the interpreter with the words that only expressions have.
pub(crate) static PARSER: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = script::engine(&SharedContext::default(), &StopSignal::default(), &Default::default());
    // Reading an expression evaluates nothing of it.
    engine.set_optimization_level(OptimizationLevel::None);
    name_functions(&mut engine);
    engine
});

/// Words that Rhai keeps for later versions of itself. Ports may be called so.
const RESERVED: [&str; 27] = [
    "async",
    "await",
    "case",
    "default",
    "exit",
    "go",
    "goto",
    "match",
    "module",
    "new",
    "nil",
    "null",
    "package",
    "protected",
    "public",
    "shared",
    "spawn",
    "static",
    "super",
    "sync",
    "thread",
    "use",
    "var",
    "void",
    "with",
    "yield",
    "is",
];

/// Gives the functions of expressions names that nobody can write, and lets ports have any name.
#[allow(deprecated, reason = "not deprecated but marked as volatile; the version of Rhai is pinned")]
fn name_functions(engine: &mut Engine) {
    engine.on_parse_token(|token, _, _| {
        let (Token::Identifier(name) | Token::Reserved(name)) = &token else { return token };
        let meant = match name.as_str() {
            "type_of" => object::TYPE_OF,
            SLICE_FUNCTION => part::SLICE,
            PORT_FUNCTION => part::ELEMENT,
            word if RESERVED.contains(&word) => word,
            _ => return token,
        };
        Token::Identifier(Box::new(meant.into()))
    });
}

impl Expression {
    /// Compiles an expression on actions of a program. Whether the program has what it names is not checked.
    ///
    /// # Errors
    /// The text is no expression, assigns something, or calls a function that is for bodies only.
    pub fn parse_in(text: &str, plan: &Plan) -> Result<Self, ExpressionError> {
        let mut expression = Self::compile(text)?;
        if expression.selectors().any(|(selector, _)| selector.graph().is_some()) {
            expression.graphs = Arc::new(CalledGraphs::of(plan));
        }
        Ok(expression)
    }

    /// Compiles an expression without a program, which cannot name nodes with their graph.
    ///
    /// # Errors
    /// As for [`parse_in`](Self::parse_in); also where a predecessor is named with its graph.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let expression = Self::compile(text)?;
        let graph = expression.selectors().find(|(selector, _)| selector.graph().is_some());
        match graph {
            Some((_, column)) => {
                let message = "without a program a predecessor is named by its node, or by its path: `Pred(/call/Mult)`";
                Err(rewrite::error(column - 1, message.to_owned()))
            }
            None => Ok(expression),
        }
    }

    fn compile(text: &str) -> Result<Self, ExpressionError> {
        let rewritten = rewrite::rewrite(text)?;
        let end = text.trim_end().chars().count();
        if rewritten.text.is_empty() {
            return Err(rewrite::error(end, "an expression is missing".to_owned()));
        }
        let place_of = |position: Position| {
            let at = position.position().filter(|at| *at > 0);
            at.and_then(|at| rewritten.places.get(at - 1)).copied().unwrap_or(end)
        };
        // Some malformed chains reach `unreachable!` in Rhai's parser; the engine keeps no state of a parse.
        let compile = || PARSER.compile_expression(&rewritten.text);
        let ast = match catch_unwind(AssertUnwindSafe(compile)) {
            Ok(Ok(ast)) => ast,
            Ok(Err(fault)) => return Err(rewrite::error(place_of(fault.1), facts::message(&fault.0))),
            Err(_) => return Err(rewrite::error(0, "this cannot be read as an expression".to_owned())),
        };
        let facts = Facts::of(&ast, &rewritten.ports, place_of);
        facts.check()?;
        let trimmed = text.trim().to_owned();
        Ok(Self {
            text: trimmed,
            names: facts.names(),
            facts,
            preds: rewritten.preds,
            graphs: Arc::default(),
            ast,
            places: rewritten.places,
        })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that it mentions and does not bind itself, in order; a port as [`port_key`].
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names again, in the order of the text, each time with its column in the parsed text, from 1.
    pub fn uses(&self) -> impl Iterator<Item = (&str, usize)> {
        self.facts.uses.iter().map(|(name, place)| (name.as_str(), place + 1))
    }

    /// The actions that `Pred(..)` asks for, each with its column in the parsed text.
    pub fn selectors(&self) -> impl Iterator<Item = (&Selector, usize)> {
        self.preds.iter().flatten().map(|(selector, place)| (selector, place + 1))
    }

    /// Its value, where `value_of` gives those of the names; it is asked once for each.
    ///
    /// # Errors
    /// What keeps it from being evaluated, in words: a name that nobody knows, an operation that fails, too many
    /// steps.
    pub fn evaluate(
        &self,
        engine: &Engine,
        mut value_of: impl FnMut(&str) -> Option<Dynamic>,
    ) -> Result<Dynamic, String> {
        let mut scope = Scope::new();
        for name in &self.names {
            if name == PRED && !self.preds.is_empty() {
                let found = value_of(PRED).unwrap_or_else(|| Dynamic::from_array(Vec::new()));
                for (pred_idx, selectors) in self.preds.iter().enumerate() {
                    let holds = special::are_predecessors(&found, selectors, &self.graphs);
                    scope.push_dynamic(format!("{PRED_PREFIX}{pred_idx}"), Dynamic::from_bool(holds));
                }
                scope.push_dynamic(PRED, found);
                continue;
            }
            let value = match special::port_of_key(name) {
                Some(port) => {
                    let queue =
                        value_of(name).ok_or_else(|| format!("there is no input port `{port}` here"))?;
                    scope.push_dynamic(format!("{PORT_PREFIX}{port}"), queue);
                    continue;
                }
                None => value_of(name).or_else(|| value_of(&port_key(name))),
            };
            if let Some(value) = value {
                scope.push_dynamic(name.as_str(), value);
            }
        }
        let evaluate = || engine.eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast);
        match out_of_band::evaluate(MOST_STEPS, || catch_unwind(AssertUnwindSafe(evaluate))) {
            Ok(Ok(value)) => Ok(value.flatten()),
            Ok(Err(error)) => Err(self.told(*error)),
            Err(_) => Err(format!("a function in `{}` panicked", self.text)),
        }
    }

    /// Its value over plain values, with an interpreter of its own: for what is asked of captured or regenerated values,
    /// where no worker is. `types` are the program's struct types. Cost: a millisecond for the interpreter.
    ///
    /// # Errors
    /// As of an evaluation at a stop point; also that it gives what is no value of the program language.
    pub fn value(
        &self,
        types: &Arc<StructTable>,
        value_of: impl FnMut(&str) -> Option<Value>,
    ) -> Result<Value, String> {
        Evaluator::new(types).value(self, value_of)
    }

    /// An error of evaluation with its column, if it has one.
    fn told(&self, error: EvalAltResult) -> String {
        let inner = error.unwrap_inner();
        let position = if inner.position().is_none() { error.position() } else { inner.position() };
        let message = match inner {
            EvalAltResult::ErrorTerminated(token, _) if token.is_string() => token.to_string(),
            EvalAltResult::ErrorTerminated(..) => "the run was ended".to_owned(),
            EvalAltResult::ErrorVariableNotFound(name, _) => format!("`{name}` is not known here"),
            EvalAltResult::ErrorRuntime(told, _) if told.is_string() => told.to_string(),
            EvalAltResult::ErrorFunctionNotFound(call, _) => {
                format!("there is no {}", call.replace("i64", "int").replace("f64", "real"))
            }
            _ => facts::sentence(inner.to_string()),
        };
        let at = position.position().filter(|at| *at > 0).and_then(|at| self.places.get(at - 1));
        match at {
            Some(place) => format!("column {}: {message}", place + 1),
            None => message,
        }
    }
}
