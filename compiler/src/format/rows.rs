//! Lines with comments behind them: comments of one group begin in one column.

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
    let mut text = String::new();
    for row in rows {
        match row {
            Row::Own(line) => text.push_str(line),
            Row::Code { code, comment: None, .. } => text.push_str(code),
            Row::Code { code, comment: Some(comment), group } => {
                let width = last_width(code);
                let column = group.map_or(0, |group| column(rows, group));
                let n_spaces = column.saturating_sub(width).max(2);
                text.push_str(code);
                text.push_str(&" ".repeat(n_spaces));
                text.push_str(comment);
            }
        }
        text.push('\n');
    }
    text
}

/// Where the comments of a group begin.
fn column(rows: &[Row], group: usize) -> usize {
    let widths = rows.iter().filter_map(|row| match row {
        Row::Code { code, comment: Some(_), group: other } if *other == Some(group) => Some(last_width(code)),
        Row::Own(_) | Row::Code { .. } => None,
    });
    2 + widths.filter(|width| *width <= WIDEST_ALIGNED).max().unwrap_or(0)
}

fn last_width(code: &str) -> usize {
    code.rsplit('\n').next().unwrap_or_default().chars().count()
}
