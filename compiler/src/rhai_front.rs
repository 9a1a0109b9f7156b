//! The only place that knows Rhai: parses its texts, finds what they name and call, and lowers the
//! simple ones.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Script, ScriptKind};
use rhai::{AST, Engine, LexError, OptimizationLevel, ParseError, ParseErrorType, Token};

use crate::text::Excerpt;

pub(crate) use foreign::word_hint;

/// Fields and items that a text reaches from a name.
pub(crate) mod chain;
/// Where to look in a text that cannot be parsed.
mod fault_place;
/// Words and signs of other languages.
mod foreign;
/// Types of expressions, where they are certain.
pub(crate) mod infer;
/// Lowering of simple expressions.
pub(crate) mod lower;
/// Lowering of bodies and expressions to routines.
pub(crate) mod routine;
/// Functions that come with struct types.
pub(crate) mod structs;
/// Which functions a text hands its names to.
pub(crate) mod uses;
/// What a text names, calls, assigns and binds.
pub(crate) mod walk;

/// Most levels of nesting of expressions and blocks; keeps every recursion over a text shallow.
const MOST_LEVELS: usize = 64;

/// A parser of Rhai texts.
pub(crate) struct Front {
    engine: Engine,
}

impl Front {
    pub(crate) fn new() -> Self {
        let mut engine = Engine::new_raw();
        engine.set_optimization_level(OptimizationLevel::None);
        engine.set_max_expr_depths(MOST_LEVELS, MOST_LEVELS);
        engine.disable_symbol("eval");
        Self { engine }
    }

    /// Whether Rhai accepts a word as the name of a variable.
    pub(crate) fn is_variable(&self, word: &str) -> bool {
        let is_one = |ast: AST| match ast.statements() {
            [rhai::Stmt::Expr(expr)] => matches!(&**expr, rhai::Expr::Variable(..)),
            _ => false,
        };
        self.engine.compile_expression(word).is_ok_and(is_one)
    }

    /// Whether a word is a keyword of Rhai; words that Rhai only reserves are not.
    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        Token::lookup_symbol_from_syntax(word).is_some()
    }

    /// Parses a body.
    pub(crate) fn parse_body(&self, text: &Excerpt<'_>) -> Result<AST, Box<Diagnostic>> {
        self.parse(text, |engine, text| engine.compile(text))
    }

    /// Parses a single expression.
    pub(crate) fn parse_expression(&self, text: &Excerpt<'_>) -> Result<AST, Box<Diagnostic>> {
        if text.as_str().is_empty() {
            return Err(Box::new(Diagnostic::error("E0501", "an expression is missing", text.at(), "")));
        }
        let mut parsed = self.parse(text, |engine, text| engine.compile_expression(text));
        if let Err(diagnostic) = &mut parsed
            && diagnostic.help.is_none()
            && (text.as_str().starts_with("let ") || text.as_str().contains(';'))
        {
            diagnostic.help = Some("one expression is expected here, without `let` and `;`".to_owned());
        }
        parsed
    }

    /// Parses a script of a plan once more.
    pub(crate) fn reparsed(&self, script: &Script) -> Option<AST> {
        let parsed = catch_unwind(AssertUnwindSafe(|| match script.kind {
            ScriptKind::Body | ScriptKind::Init => self.engine.compile(&script.text),
            ScriptKind::Expression => self.engine.compile_expression(&script.text),
        }));
        parsed.ok()?.ok()
    }

    fn parse(
        &self,
        text: &Excerpt<'_>,
        compile: impl Fn(&Engine, &str) -> Result<AST, ParseError>,
    ) -> Result<AST, Box<Diagnostic>> {
        // Some malformed chains reach `unreachable!` in Rhai's parser; the engine keeps no state of a
        // parse, so it can be used again.
        let parsed = catch_unwind(AssertUnwindSafe(|| compile(&self.engine, text.as_str())));
        match parsed {
            Ok(Ok(ast)) => Ok(ast),
            Ok(Err(error)) => Err(Box::new(diagnostic_of(&error, text))),
            Err(_) => Err(Box::new(Diagnostic::error("E0501", "Rhai cannot read this text", text.at(), ""))),
        }
    }
}

fn diagnostic_of(error: &ParseError, text: &Excerpt<'_>) -> Diagnostic {
    let position = error.position();
    let at = match position.line() {
        Some(line) => text.at_position(line, position.position().unwrap_or(1)),
        None => text.at(),
    };
    let what = error.err_type().to_string();
    match error.err_type() {
        ParseErrorType::ExprTooDeep => {
            let message = format!("this is nested in more than {MOST_LEVELS} levels");
            let help = "every operator of a chain counts as a level: split it with `let`";
            Diagnostic::error("E0508", message, at, "").with_help(help)
        }
        ParseErrorType::BadInput(LexError::ImproperSymbol(symbol, _)) if symbol == "eval" => {
            Diagnostic::error("E0507", "programs may not use `eval`", at, "")
        }
        ParseErrorType::Reserved(symbol) if symbol == "eval" => {
            Diagnostic::error("E0507", "programs may not use `eval`", at, "")
        }
        error => {
            let message = format!("unreadable Rhai text: {}", lowered(&what));
            let noticed = position.line().map(|line| text.offset_at(line, position.position().unwrap_or(1)));
            let place = match error {
                ParseErrorType::MissingToken(token, _) if token == ";" => noticed
                    .and_then(|noticed| fault_place::end_of_line_before(text.as_str(), noticed))
                    .map(|end| text.at_range(end - 1..end)),
                ParseErrorType::MissingToken(token, _) if token == "}" => {
                    fault_place::unclosed_brace(text.as_str()).map(|brace| text.at_range(brace..brace + 1))
                }
                _ => None,
            };
            let diagnostic = match place {
                Some(place) if place.line != at.line => {
                    Diagnostic::error("E0501", message, place, "").with_label(at, "missed here")
                }
                _ => Diagnostic::error("E0501", message, at, ""),
            };
            match noticed.and_then(|noticed| foreign::hint(text.as_str(), noticed)) {
                Some(hint) => diagnostic.with_help(hint),
                None => diagnostic,
            }
        }
    }
}

/// Rhai begins its messages with a capital letter; ours go on in a sentence.
fn lowered(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
