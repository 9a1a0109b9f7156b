//! From the names in a command to the program's templates.

use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::Plan;

use super::command::Spec;

/// Why a command cannot be checked on a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The program has no node of this name.
    #[error("column {column}: the program has no node `{name}`{}", did_you_mean(suggestions))]
    UnknownNode {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// Names that it might stand for, likeliest first.
        suggestions: Vec<String>,
    },
    /// The node has another number of index numbers.
    #[error("column {column}: `{name}` has {expected} index number(s), not {found}")]
    WrongIndex {
        /// Column in the command, from 1.
        column: usize,
        /// The name.
        name: String,
        /// How many it has.
        expected: usize,
        /// How many the command gives.
        found: usize,
    },
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        _ => format!(
            "; it has {}",
            suggestions.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Events of the program that a command is about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// As the command names it.
    pub(super) text: String,
    pub(super) template: TemplateId,
    pub(super) index: Option<Index>,
    pub(super) count: Option<u64>,
    /// Whether it stands for one action.
    pub(super) is_single: bool,
    /// Number of events that were it.
    pub(super) n_occurred: u64,
}

impl Target {
    /// Whether an action's events may be it.
    pub(super) fn fits_action(&self, template: TemplateId, index: &Index) -> bool {
        self.template == template && self.index.as_ref().is_none_or(|own| own == index)
    }

    /// Whether one of its actions' events is it.
    pub(super) fn fits_count(&self, count: u64) -> bool {
        self.count.is_none_or(|own| own == count)
    }

    /// Whether it stands for the same events.
    pub(super) fn is_same(&self, other: &Target) -> bool {
        (self.template, &self.index, self.count) == (other.template, &other.index, other.count)
    }
}

/// Finds what a spec stands for.
pub(super) fn resolve(spec: &Spec, plan: &Plan) -> Result<Target, ResolveError> {
    let position = plan.templates.iter().position(|template| template.name == spec.name);
    let Some(position) = position else {
        let (column, name) = (spec.column, spec.name.clone());
        return Err(ResolveError::UnknownNode { column, suggestions: suggestions(&name, plan), name });
    };
    let expected = plan.templates[position].n_indices;
    if let Some(index) = &spec.index
        && index.as_slice().len() != expected
    {
        let (column, name, found) = (spec.column, spec.name.clone(), index.as_slice().len());
        return Err(ResolveError::WrongIndex { column, name, expected, found });
    }
    Ok(Target {
        text: spec.to_string(),
        template: TemplateId::from_idx(position),
        index: spec.index.clone(),
        count: spec.count,
        is_single: spec.index.is_some() || expected == 0,
        n_occurred: 0,
    })
}

/// At most five names of the program, nearest first.
fn suggestions(name: &str, plan: &Plan) -> Vec<String> {
    const MOST: usize = 5;
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let distance = |known: &str| edit_distance(&wanted, &known.to_lowercase().chars().collect::<Vec<_>>());
    let mut known: Vec<_> = plan.templates.iter().map(|known| (distance(&known.name), &known.name)).collect();
    known.sort();
    known.into_iter().take(MOST).map(|(_, name)| name.clone()).collect()
}

/// Fewest insertions, deletions and replacements from one text to the other (Levenshtein, 1966).
fn edit_distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (from_idx, from_char) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = from_idx + 1;
        for (to_idx, to_char) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from_char != to_char);
            diagonal = row[to_idx + 1];
            row[to_idx + 1] = replaced.min(row[to_idx] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
