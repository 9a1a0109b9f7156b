//! What all passes over one file share: the Rhai parser, the function table, the scripts of the graph
//! at hand and the list of diagnostics; and the checks that every Rhai text goes through.

use std::sync::Arc;

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::function::FunctionTable;
use hasse_model::id::ScriptId;
use hasse_model::name::is_of_name;
use hasse_model::plan::{Code, Expr, Script, ScriptKind};
use hasse_model::quantity::counted;
use hasse_model::value::{StructTable, StructType, Type};

use crate::grammar::Fault;
use crate::rhai_front::walk::{Call, Facts, walk};
use crate::rhai_front::{Front, chain, infer, lower, structs, word_hint};
use crate::scope::{Meaning, Scope};
use crate::suggest;
use crate::text::Excerpt;

/// Maximum number of undefined names of a text that get a suggestion.
const MAX_SUGGESTED: usize = 200;

/// Functions of Rhai itself.
pub(crate) const BUILTIN_FUNCTIONS: [&str; 8] =
    ["type_of", "Fn", "call", "curry", "is_shared", "is_def_fn", "is_def_var", "contains"];

/// Shared state of the passes.
pub(crate) struct Session<'f> {
    pub(crate) front: Front,
    pub(crate) functions: &'f FunctionTable,
    /// Whether the program has run, and is read only: code in Rust that is not registered is accepted.
    pub(crate) is_recorded: bool,
    /// The program's struct types.
    pub(crate) structs: Arc<StructTable>,
    /// The type of errors of failed events, in a program that names it or has routing rules for failed events.
    pub(crate) error_type: Option<StructType>,
    pub(crate) scripts: Vec<Script>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// An expression that has been checked.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) code: Code,
    /// The type of its value, where that is certain.
    pub(crate) ty: Option<Type>,
    /// Names that it takes from its scope.
    pub(crate) names: Vec<String>,
}

/// The codes of names that cannot be used.
#[derive(Clone, Copy)]
pub(crate) struct NameCodes {
    /// Of a name that exists but cannot be seen.
    pub(crate) hidden: &'static str,
    /// Of a name that does not exist.
    pub(crate) undefined: &'static str,
}

impl NameCodes {
    /// The codes of names in bodies and most expressions.
    pub(crate) const USUAL: Self = Self { hidden: "E0502", undefined: "E0502" };
}

impl<'f> Session<'f> {
    pub(crate) fn new(functions: &'f FunctionTable) -> Self {
        let structs = Arc::default();
        Self {
            front: Front::new(),
            functions,
            is_recorded: false,
            structs,
            error_type: None,
            scripts: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error with a label at its place.
    pub(crate) fn error(&mut self, code: &'static str, message: String, at: Location) {
        self.report(Diagnostic::error(code, message, at, ""));
    }

    /// Reports a warning at a place.
    pub(crate) fn warning(&mut self, code: &'static str, message: String, at: Location) {
        self.report(Diagnostic::error(code, message, at, "").as_warning());
    }

    /// Reports a text that a grammar cannot read.
    pub(crate) fn fault(&mut self, code: &'static str, what: &str, whole: &Excerpt<'_>, fault: &Fault) {
        let at = whole.at_range(fault.range.clone());
        self.error(code, format!("unreadable {what}: {}", fault.message), at);
    }

    pub(crate) fn add_script(&mut self, text: &str, kind: ScriptKind, at: Location) -> ScriptId {
        self.scripts.push(Script { text: text.to_owned(), kind, at });
        ScriptId::from_idx(self.scripts.len() - 1)
    }

    /// Checks and lowers an expression; `None` where it is wrong, which has been reported.
    pub(crate) fn expression(
        &mut self,
        text: &Excerpt<'_>,
        scope: &Scope,
        codes: NameCodes,
    ) -> Option<Checked> {
        let ast = self.parsed(text)?;
        let facts = walk(&ast);
        if !self.check_facts(&facts, text, scope, codes, false) {
            return None;
        }
        let names = facts.free.into_iter().map(|free| free.name).collect();
        let expression = lower::only_expression(&ast);
        let ty = expression.and_then(|expression| infer::static_type(expression, scope, &self.structs));
        let (code, ty) = match expression.and_then(|expression| lower::lower(expression, scope)) {
            // Of lengths the inference knows nothing.
            Some((expr, lowered)) if scope.has_lengths() => (Code::Expr(expr), ty.or(Some(lowered))),
            Some((expr, _)) => (Code::Expr(expr), ty),
            None => (Code::Script(self.add_script(text.as_str(), ScriptKind::Expression, text.at())), ty),
        };
        Some(Checked { code, ty, names })
    }

    /// Checks and lowers an expression that must be an integer without the help of Rhai.
    pub(crate) fn int_expression(
        &mut self,
        text: &Excerpt<'_>,
        scope: &Scope,
        code: &'static str,
        codes: NameCodes,
        over: &str,
    ) -> Option<Expr> {
        let n_scripts = self.scripts.len();
        let checked = self.expression(text, scope, codes)?;
        self.scripts.truncate(n_scripts);
        match (checked.code, checked.ty) {
            (Code::Expr(expr), Some(Type::Int)) => Some(expr),
            _ => {
                let message = format!("`{}` is not an integer expression over {over}", text.as_str());
                self.error(code, message, text.at());
                None
            }
        }
    }

    fn parsed(&mut self, text: &Excerpt<'_>) -> Option<rhai::AST> {
        self.front.parse_expression(text).map_err(|diagnostic| self.report(*diagnostic)).ok()
    }

    /// Reports undefined names, undefined functions and refused constructs; tells whether all is well.
    pub(crate) fn check_facts(
        &mut self,
        facts: &Facts,
        text: &Excerpt<'_>,
        scope: &Scope,
        codes: NameCodes,
        is_body: bool,
    ) -> bool {
        let n_before = self.diagnostics.len();
        let at_position = |position: rhai::Position| {
            text.at_position(position.line().unwrap_or(1), position.position().unwrap_or(1))
        };
        for (what, position) in &facts.refused {
            let message = match *what {
                "modules" => "programs have no modules".to_owned(),
                keyword => format!("programs may not use `{keyword}`"),
            };
            self.error("E0507", message, at_position(*position));
        }
        let mut n_undefined = 0;
        for free in &facts.free {
            let at = at_position(free.position);
            match scope.get(&free.name) {
                _ if free.is_in_function => {
                    let message = format!("undefined name `{}`: a `fn` sees its parameters only", free.name);
                    let help = "hand it over as a parameter, or use a closure";
                    self.report(Diagnostic::error("E0502", message, at, "").with_help(help));
                }
                Some(Meaning::Hidden(reason)) => {
                    self.error(codes.hidden, format!("`{}` cannot be used here: {reason}", free.name), at);
                }
                Some(Meaning::Nearby(help)) => {
                    let message = format!("undefined name `{}`", free.name);
                    self.report(Diagnostic::error("E0502", message, at, "").with_help(*help));
                }
                Some(_) => {}
                None if facts.lets.contains(&free.name) => {
                    let message = format!("undefined name `{}`", free.name);
                    let help = "a `let` or `for` binds it further down or in another block: bind it at the \
                                outermost level, in front of its first use";
                    self.report(Diagnostic::error(codes.undefined, message, at, "").with_help(help));
                }
                None => {
                    let message = match codes.undefined {
                        "E0303" => format!("the other side binds no variable `{}`", free.name),
                        _ => format!("undefined name `{}`", free.name),
                    };
                    let before =
                        text.before(free.position.line().unwrap_or(1), free.position.position().unwrap_or(1));
                    let bound =
                        facts.lets.iter().map(String::as_str).filter(|name| is_bound_in(before, name));
                    let names = || scope.visible().chain(bound.clone());
                    n_undefined += 1;
                    let mut diagnostic = Diagnostic::error(codes.undefined, message, at, "");
                    diagnostic.help = match word_hint(&free.name) {
                        Some(hint) => Some(hint.to_owned()),
                        // Each is compared with all names that there are.
                        None if n_undefined > MAX_SUGGESTED => None,
                        None => Some(suggest::help(&free.name, "names", names())),
                    };
                    self.report(diagnostic);
                }
            }
        }
        for fault in chain::unknown_fields(facts, scope) {
            let at = at_position(fault.position);
            self.report(fault.diagnostic(at));
        }
        for call in &facts.calls {
            let is_variable = !call.is_method && scope.get(&call.name).is_some();
            if !is_variable
                && let Some(diagnostic) = self.check_call(call, facts, at_position(call.position), is_body)
            {
                self.report(diagnostic);
            }
        }
        self.diagnostics.len() == n_before
    }

    fn check_call(&self, call: &Call, facts: &Facts, at: Location, is_body: bool) -> Option<Diagnostic> {
        let name = call.name.as_str();
        if matches!(name, "debug" | "eval") {
            return Some(Diagnostic::error("E0507", format!("programs may not use `{name}`"), at, ""));
        }
        // Those of the text are sorted by name.
        let start = facts.functions.partition_point(|(own, _)| own.as_str() < name);
        let own = facts.functions[start..].iter().take_while(|(own, _)| own == name);
        let own_arities = own.map(|(_, n_params)| *n_params);
        // A method of the text itself has its object as `this`, not as a parameter.
        let fits =
            |n_params| n_params == call.n_arguments || (call.is_method && n_params + 1 == call.n_arguments);
        if own_arities.clone().any(fits) || BUILTIN_FUNCTIONS.contains(&name) {
            return None;
        }
        let mut arities: Vec<usize> = own_arities.collect();
        let table_facts = self.functions.get(name);
        arities.extend(table_facts.iter().flat_map(|known| known.arities.iter().copied()));
        arities.extend(structs::arity(&self.structs, name));
        arities.sort_unstable();
        arities.dedup();
        if self.is_recorded && !arities.contains(&call.n_arguments) {
            return None;
        }
        if arities.is_empty() {
            let own_names = facts.functions.iter().map(|(own, _)| own.as_str());
            let struct_names = structs::function_names(&self.structs);
            let known = self.functions.names().chain(own_names);
            let help = suggest::nearest(name, known.chain(struct_names.iter().map(String::as_str)));
            let diagnostic = Diagnostic::error("E0503", format!("undefined function `{name}`"), at, "");
            if let Some(hint) = word_hint(name) {
                return Some(diagnostic.with_help(hint));
            }
            return Some(match help {
                Some(nearest) => diagnostic.with_help(format!("did you mean `{nearest}`?")),
                None => diagnostic,
            });
        }
        if !arities.contains(&call.n_arguments) {
            let known: Vec<_> = arities.iter().map(ToString::to_string).collect();
            let message = format!(
                "`{name}` is called with {}, but takes {}",
                counted(call.n_arguments, "argument"),
                known.join(" or ")
            );
            let diagnostic = Diagnostic::error("E0504", message, at, "");
            return Some(if call.is_method {
                diagnostic.with_help("the object in front of the `.` counts as an argument")
            } else {
                diagnostic
            });
        }
        let is_misplaced = !is_body && table_facts.is_some_and(|known| known.in_body_only);
        is_misplaced.then(|| {
            let message = format!("`{name}` may be called in `do` only");
            Diagnostic::error("E0505", message, at, "")
                .with_help("call it in `do` and keep what it returns in a var")
        })
    }
}

/// Whether a `let` or `for` of a text binds a name before its end: the statement that the text ends within does not.
fn is_bound_in(text: &str, name: &str) -> bool {
    let is_word = is_of_name;
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let keyword = before.trim_end().rsplit(|letter| !is_word(letter)).next().unwrap_or_default();
        is_whole && (keyword != "let" || after.contains(';'))
    })
}
