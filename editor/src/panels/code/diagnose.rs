//! What is wrong with a text, at its lines and columns.

use std::ops::Range;

use hasse_model::diagnostic::Severity;

use super::line::column;
use crate::fixes::Fix;
use crate::problems::{Problem, Problems};
use crate::target::{Part, Target};

/// Something wrong in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The line, from 1.
    pub line: usize,
    /// The first column, from 0.
    pub column: usize,
    /// How many columns; at least 1.
    pub n_columns: usize,
    /// How bad it is.
    pub severity: Severity,
    /// Stable code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The edit of the program that does it, where there is one.
    pub fix: Option<Fix>,
}

/// What is wrong with the text of a target, by line and column. The text may be newer than the one that was compiled:
/// places are cut to what is there.
pub(super) fn of_target(problems: &Problems, target: &Target, text: &str) -> Vec<Diagnosis> {
    let about = problems.list().iter().filter(|problem| is_about(target, &problem.target));
    let mut found: Vec<Diagnosis> =
        about.map(|problem| diagnosis(problem, within(problems, target, problem), text)).collect();
    found.sort_by_key(|diagnosis| (diagnosis.line, diagnosis.column));
    found
}

/// Whether a problem is within the text of a target: same thing, key, entry and row, on any line.
fn is_about(target: &Target, problem: &Target) -> bool {
    if target.graph != problem.graph || target.part != problem.part {
        return false;
    }
    match (&target.attribute, &problem.attribute) {
        (Some(own), Some(other)) => own.key == other.key && own.entry == other.entry && own.row == other.row,
        (None, None) => matches!(target.part, Part::Link(..)),
        _ => false,
    }
}

/// The bytes of the text that a problem is at.
fn within(problems: &Problems, target: &Target, problem: &Problem) -> Range<usize> {
    let places = problems.places();
    let mut wanted = target.clone();
    if let Some(attribute) = &mut wanted.attribute {
        attribute.line = None;
    }
    let Some(place) = places.all().iter().find(|place| place.target == wanted) else { return 0..0 };
    let offsets = places.offsets(place);
    let byte = |offset: u32| {
        let behind = offsets.partition_point(|&at| at <= offset as usize);
        behind.saturating_sub(1)
    };
    byte(problem.at.start)..byte(problem.at.end)
}

fn diagnosis(problem: &Problem, range: Range<usize>, text: &str) -> Diagnosis {
    let floor = |offset: usize| {
        let offset = offset.min(text.len());
        (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
    };
    let start = floor(range.start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let end = floor(range.end).clamp(start, line_end);
    Diagnosis {
        line: text[..start].matches('\n').count() + 1,
        column: column(&text[line_start..start]),
        n_columns: column(&text[start..end]).max(1),
        severity: problem.severity,
        code: problem.code,
        message: problem.message.clone(),
        help: problem.help.clone(),
        fix: problem.fix.clone(),
    }
}
