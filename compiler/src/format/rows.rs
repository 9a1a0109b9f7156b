//! Lines with comments behind them: comments of one group begin in one column.

use std::collections::BTreeMap;

/// Widest code whose comment others line up with.
const WIDEST_ALIGNED: usize = 80;

/// A line to be written, or several where a string spans them.
#[derive(Debug)]
pub(super) enum Row {
    /// A comment on a line of its own, or a blank line.
    Own(String),
    /// Code, and the comment behind it.
    Code {
        /// The code with its indentation.
        code: String,
        /// The comment behind it.
        comment: Option<String>,
        /// Rows of one number line up; without one a row stands alone.
        group: Option<usize>,
    },
}

impl Row {
    /// Code without a comment.
    pub(super) fn code(code: impl Into<String>) -> Self {
        Row::Code { code: code.into(), comment: None, group: None }
    }
}

/// The text of rows.
pub(super) fn text_of(rows: &[Row]) -> String {
    let columns = columns(rows);
    let mut text = String::new();
    for row in rows {
        match row {
            Row::Own(line) => text.push_str(line),
            Row::Code { code, comment: None, .. } => text.push_str(code),
            Row::Code { code, comment: Some(comment), group } => {
                let column = group.and_then(|group| columns.get(&group)).copied().unwrap_or(0);
                text.push_str(code);
                text.push_str(&" ".repeat(column.saturating_sub(last_width(code)).max(2)));
                text.push_str(comment);
            }
        }
        text.push('\n');
    }
    text
}

/// Where the comments of each group begin.
fn columns(rows: &[Row]) -> BTreeMap<usize, usize> {
    let mut columns = BTreeMap::new();
    for row in rows {
        if let Row::Code { code, comment: Some(_), group: Some(group) } = row {
            let width = last_width(code);
            if width <= WIDEST_ALIGNED {
                let column = columns.entry(*group).or_insert(0);
                *column = (*column).max(width + 2);
            }
        }
    }
    columns
}

fn last_width(code: &str) -> usize {
    code.rsplit('\n').next().unwrap_or_default().chars().count()
}
