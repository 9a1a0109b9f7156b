//! Comments between things: what stands behind a value on its line, and what stands on lines of its own.

use toml_edit::{Decor, RawString};

/// What stands between two things of a file.
#[derive(Debug, Default)]
pub(super) struct Gap {
    /// The comment on the line of what came before.
    pub(super) behind: Option<String>,
    /// Comments on lines of their own; an empty line stands for any number of blank ones.
    pub(super) lines: Vec<String>,
}

impl Gap {
    /// Reads what follows a value on its line, and what follows that.
    pub(super) fn behind_value(raw: &str) -> Self {
        let (first, rest) = raw.split_once('\n').unwrap_or((raw, ""));
        Self { behind: comment(first), lines: lines(rest) }
    }

    /// Adds what stands further on.
    pub(super) fn join(&mut self, next: Gap) {
        if let Some(comment) = next.behind {
            if self.lines.iter().any(|line| !line.is_empty()) {
                self.lines.push(comment);
            } else {
                self.behind = Some(match self.behind.take() {
                    Some(first) => format!("{first} {comment}"),
                    None => comment,
                });
            }
        }
        self.lines.extend(next.lines);
    }
}

/// The comment of a line that holds nothing else.
pub(super) fn comment(line: &str) -> Option<String> {
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The lines of a text that begins at the start of a line and may end in the indentation of what
/// follows.
pub(super) fn lines(raw: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (whole, last) = raw.rsplit_once('\n').map_or(("", raw), |(whole, last)| (whole, last));
    let has_whole_lines = raw.contains('\n');
    for line in whole.split('\n').filter(|_| has_whole_lines).chain(comment(last).as_deref()) {
        let line = line.trim();
        if !line.is_empty() || lines.last().is_none_or(|before| !before.is_empty()) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// What stands in front of something.
pub(super) fn prefix(decor: &Decor) -> &str {
    text(decor.prefix())
}

/// What stands behind something.
pub(super) fn suffix(decor: &Decor) -> &str {
    text(decor.suffix())
}

fn text(raw: Option<&RawString>) -> &str {
    raw.and_then(RawString::as_str).unwrap_or_default()
}
