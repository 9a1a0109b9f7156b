//! The two sides of arcs and share lines: patterns that bind variables, and integer expressions over
//! those variables and the creation parameters.

use hasse_model::diagnostic::{Diagnostic, Location};
use hasse_model::key;
use hasse_model::plan::{Expr, Pattern};

use super::resolve::check_name;
use crate::decl::GraphDecl;
use crate::grammar::lines::{PatternText, parse_pattern};
use crate::scope::{Meaning, Scope};
use crate::session::{NameCodes, Session};
use crate::text::Excerpt;

/// The variables that the matching side of a line binds, by position.
#[derive(Default)]
pub(super) struct Variables(pub(super) Vec<String>);

/// Reads one list of patterns; `code` is that of an unreadable line.
pub(super) fn patterns(
    texts: &[Excerpt<'_>],
    graph: &GraphDecl<'_>,
    variables: &mut Variables,
    code: &'static str,
    session: &mut Session<'_>,
) -> Option<Vec<Pattern>> {
    let read: Vec<_> = texts.iter().map(|text| pattern(text, graph, variables, code, session)).collect();
    read.into_iter().collect()
}

fn pattern(
    text: &Excerpt<'_>,
    graph: &GraphDecl<'_>,
    variables: &mut Variables,
    code: &'static str,
    session: &mut Session<'_>,
) -> Option<Pattern> {
    if let Some(number) = literal_key(text) {
        return Some(Pattern::Int(number));
    }
    let word = match parse_pattern(text) {
        Ok(PatternText::Int(number)) => return Some(Pattern::Int(number)),
        Ok(PatternText::Word(word)) => word,
        Err(fault) => {
            session.fault(code, "index", text, &fault);
            return None;
        }
    };
    let narrow = |idx: usize| u32::try_from(idx).ok();
    if let Some(param_idx) = graph.param_idx(word) {
        return narrow(param_idx).map(Pattern::Param);
    }
    if let Some(local) = variables.0.iter().position(|variable| variable == word) {
        return narrow(local).map(Pattern::Local);
    }
    if !check_name(word, text.at(), session) {
        return None;
    }
    variables.0.push(word.to_owned());
    narrow(variables.0.len() - 1).map(Pattern::Local)
}

/// Reads one list of integer expressions.
pub(super) fn elements(
    texts: &[Excerpt<'_>],
    graph: &GraphDecl<'_>,
    variables: &Variables,
    session: &mut Session<'_>,
) -> Option<Vec<Expr>> {
    let mut scope = param_scope(graph);
    for (local, variable) in (0..).zip(&variables.0) {
        scope.add(variable, Meaning::Local(local));
    }
    let codes = NameCodes { hidden: "E0304", undefined: "E0303" };
    let over = "the other side's variables and the creation parameters";
    let read: Vec<_> =
        texts.iter().map(|text| index_expression(text, &scope, "E0304", codes, over, session)).collect();
    read.into_iter().collect()
}

/// Reads an integer expression, or a text in quotes, which is a key.
pub(super) fn index_expression(
    text: &Excerpt<'_>,
    scope: &Scope,
    code: &'static str,
    codes: NameCodes,
    over: &str,
    session: &mut Session<'_>,
) -> Option<Expr> {
    match literal_key(text) {
        Some(number) => Some(Expr::Int(number)),
        None => session.int_expression(text, scope, code, codes, over),
    }
}

/// The number of a key that is written as a text in quotes; `None` of anything else.
pub(super) fn literal_key(text: &Excerpt<'_>) -> Option<i64> {
    let inner = text.as_str().trim().strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !inner.contains(['"', '\\']);
    is_plain.then(|| key::key(inner).ok())?
}

/// The creation parameters of a graph, where there is no node.
pub(super) fn param_scope(graph: &GraphDecl<'_>) -> Scope {
    let mut scope = Scope::default();
    for (param_idx, param) in (0..).zip(&graph.params) {
        scope.add(&param.name.text, Meaning::Param { param_idx, ty: param.ty.clone() });
    }
    scope
}

/// Reports a list of index numbers that is not as long as declared.
pub(super) fn check_arity(
    code: &'static str,
    what: &str,
    n_declared: usize,
    texts: &[Excerpt<'_>],
    at: Location,
    declared_at: Location,
    session: &mut Session<'_>,
) -> bool {
    if n_declared == texts.len() {
        return true;
    }
    let numbers = if n_declared == 1 { "number" } else { "numbers" };
    let found = match texts.len() {
        0 => "none is given here".to_owned(),
        1 => "one is given here".to_owned(),
        n_given => format!("{n_given} are given here"),
    };
    let message = format!("{what} takes {n_declared} index {numbers}, but {found}");
    // As it is named in the line: the last part of `node.port` or of a name.
    let name = what.rsplit('`').nth(1).and_then(|path| path.rsplit('.').next()).unwrap_or_default();
    let help = match n_declared {
        0 => format!("write `{name}` without brackets"),
        _ => {
            let names: Vec<&str> =
                ["i", "j", "k", "l", "m", "n"].into_iter().cycle().take(n_declared).collect();
            let names = names.join(", ");
            format!("write `{name}[{names}]`: a name stands for all numbers, a number for itself")
        }
    };
    let diagnostic =
        Diagnostic::error(code, message, at, "").with_label(declared_at, "declared here").with_help(help);
    session.report(diagnostic);
    false
}
