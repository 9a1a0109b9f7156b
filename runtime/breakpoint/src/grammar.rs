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
use hasse_model::quantity::counted;
use hasse_model::record_options::{Selector, SelectorError};

use crate::breakpoint::{Breakpoint, Place, PointCommand, Reaction};
use crate::expression::ExpressionError;

/// Arcs by their ends.
pub(crate) mod arcs;
/// Commands at a breakpoint.
pub(crate) mod commands;
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

/// The word that a breakpoint command begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// Stops the action.
    Stop,
    /// Stops the action once.
    Once,
    /// Carries out commands.
    When,
    /// Tells of values that change.
    Watch,
}

impl Keyword {
    /// All words.
    pub const ALL: [Self; 4] = [Self::Stop, Self::Once, Self::When, Self::Watch];

    /// The word as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Keyword::Stop => "stop",
            Keyword::Once => "once",
            Keyword::When => "when",
            Keyword::Watch => "watch",
        }
    }

    /// The word of a text.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|keyword| keyword.word() == word)
    }

    /// How the command goes on behind the word.
    pub fn usage(self) -> &'static str {
        match self {
            Keyword::Stop | Keyword::Once => "[in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]",
            Keyword::When => "[in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N] { COMMAND; .. }",
            Keyword::Watch => "EXPR, .. [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]",
        }
    }

    /// Where a breakpoint is that does not say it. What is watched is looked at when the body has ended.
    fn place(self) -> Place {
        match self {
            Keyword::Stop | Keyword::Once | Keyword::When => Place::Befcomp,
            Keyword::Watch => Place::Aftcomp,
        }
    }

    fn of(reaction: &Reaction) -> Self {
        match reaction {
            Reaction::Stop => Keyword::Stop,
            Reaction::Once => Keyword::Once,
            Reaction::When(_) => Keyword::When,
            Reaction::Watch(_) => Keyword::Watch,
        }
    }
}

/// Why a text sets no breakpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct GrammarError {
    /// Where, in characters from 1, as the text's own first column was given.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
    /// A name that is not known; what there is stands in `known`.
    pub name: Option<String>,
    /// Names that are known in its place, in order: for suggestions.
    pub known: Vec<String>,
}

impl GrammarError {
    fn new(column: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { column, message: message.into(), hint: hint.into(), name: None, known: Vec::new() }
    }

    fn unknown(mut self, name: &str, mut known: Vec<String>) -> Self {
        known.sort_unstable();
        known.dedup();
        self.name = Some(name.to_owned());
        self.known = known;
        self
    }

    /// The error of an expression that begins behind `n_before` characters of the line.
    fn of_expression(error: ExpressionError, n_before: usize) -> Self {
        Self::new(
            n_before + error.column,
            error.message,
            "an expression is such as `count == 3 && Pred(Mult)`",
        )
    }

    /// The error of a selector that begins behind `n_before` characters of the line.
    fn of_selector(error: SelectorError, n_before: usize) -> Self {
        let column = n_before + error.column();
        let hint = error.hint();
        match error {
            SelectorError::Unknown { place, what, name, known, .. } => {
                let hint = format!("it has {}", listing(&known));
                Self::new(column, format!("{place} has no {what} `{name}`"), hint).unknown(&name, known)
            }
            SelectorError::Syntax { problem, .. } => Self::new(column, problem, hint.unwrap_or_default()),
            SelectorError::Arity { ref name, expected, found, .. } => {
                let message =
                    format!("an index of `{name}` has {}, not {found}", counted(expected, "number"));
                Self::new(column, message, hint.unwrap_or_default())
            }
        }
    }
}

/// Names for a hint.
fn listing(names: &[String]) -> String {
    const MOST_NAMES: usize = 12;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

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
