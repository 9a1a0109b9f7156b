//! The commands that set user breakpoints: from text to [`Breakpoint`], with names looked up in the program, and back.
//!
//! ```text
//! stop  [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]
//! once  [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]
//! when  [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N] { COMMAND; .. }
//! watch EXPR, .. [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]
//!
//! PLACE    befcomp | aftcomp | send | failed
//! WHAT     arc NODE.PORT [-> NODE.PORT], .. | shared NAME [read | write] | create [SELECTOR] | failed
//! COMMAND  print EXPR | dump | log "text {EXPR}" | assign NAME = EXPR | where | stop
//! ```
//!
//! The clauses stand in any order, but `in` is an operator where it follows the condition. Source: Hyder 1994, appendix B.2
//! (`<usrbp_cmd>`, `<usrbp_opt>`), with the kinds that sections 7.2 and 8.3.7 ask for.

use hasse_model::plan::Plan;
use hasse_model::record_options::Selector;

use crate::breakpoint::{Breakpoint, Place, PointCommand};
pub use crate::expression::error::ExpressionError;
pub use crate::grammar::error::GrammarError;
pub use crate::grammar::keyword::Keyword;

/// Arcs by their ends.
pub(crate) mod arcs;
/// Commands at a breakpoint.
pub(crate) mod commands;
/// Errors in the text of a breakpoint.
pub(crate) mod error;
/// Keywords that commands of breakpoints begin with.
pub(crate) mod keyword;
/// Names of expressions against templates.
pub(crate) mod names;
/// Clauses.
pub(crate) mod read;
/// Breakpoints as commands.
pub(crate) mod shown;
#[cfg(test)]
mod tests;

pub use crate::grammar::names::{KnownName, NameKind, known_names};
pub use crate::grammar::shown::shown;

/// Reads what stands behind the word of a breakpoint command. `column` is that of the text's first character in
/// its line, from 1; `selected` is what `in` names where it is not given. The names in expressions are those of
/// the templates that the selector names.
///
/// # Errors
/// The text is no breakpoint of this program: where, why, and what to write.
pub fn parse(
    keyword: Keyword,
    text: &str,
    column: usize,
    plan: &Plan,
    selected: Option<&Selector>,
) -> Result<Breakpoint, GrammarError> {
    read::read(keyword, text, column, plan, selected)
}

/// Reads one command as it may stand between the braces of `when`, for use where an action is stopped. `template`
/// names are those of the action's template at `place`; otherwise as [`parse`].
///
/// # Errors
/// The text is no such command.
pub fn parse_command(
    text: &str,
    column: usize,
    plan: &Plan,
    template: hasse_model::id::TemplateId,
    place: &Place,
) -> Result<PointCommand, GrammarError> {
    read::command(text, column, plan, template, place)
}
