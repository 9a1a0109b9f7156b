//! The canonical spelling of a program file: order of tables and keys, layout of lines, spacing of arcs
//! and rules.
//!
//! Works on the TOML document alone, so that unfinished and ill-typed programs can be formatted, too.
//! These stay as they are: bodies, strings, numbers, comments, lines of rules, and whether a table is written
//! with a header, inline or with dotted keys.

use hasse_model::diagnostic::Diagnostic;
use toml_edit::{Document, DocumentMut};

/// Comments between things.
mod decor;
/// Where tables and keys stand.
mod order;
/// Lines with comments behind them.
mod rows;
/// Spacing within arcs and rules.
mod rules;
/// Whether two documents mean the same.
mod same;
/// Tables with their headers, keys and comments.
mod section;
/// Values.
mod value;

pub use order::keys_of;
pub(crate) use rules::token_texts;

/// The text in canonical form, or why it cannot be read.
///
/// Formatting a formatted text changes nothing. The diagnostics of an error are those of
/// [`compile`](crate::compile): the text is no TOML.
///
/// ```
/// let text = "main='hello'\nhasse=1\n[graph.hello]\narcs=['Ask.text->Say.text']";
/// assert_eq!(
///     hasse_compiler::format(text).unwrap(),
///     "hasse = 1\nmain  = 'hello'\n\n[graph.hello]\narcs = ['Ask.text -> Say.text']\n"
/// );
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let unix_text = text.replace("\r\n", "\n");
    let Ok(document) = unix_text.parse::<DocumentMut>() else {
        let mut diagnostics = Vec::new();
        crate::pass::read::read(text, &mut diagnostics);
        return Err(diagnostics);
    };
    let formatted = section::document_text(&document);
    // Whoever nests tables in ways that this module does not know gets the text back untouched.
    let means_the_same = Document::parse(formatted.as_str())
        .is_ok_and(|after| same::is_same_table(document.as_table(), after.as_table()));
    Ok(if means_the_same { formatted } else { text.to_owned() })
}
