//! What is certain to be wrong with a program whose every line is right: analyses of its graphs as
//! wholes, each one file, run in this order on a summary of plain data.
//!
//! All of them report only what is proven: an analysis that cannot decide says nothing. They run on
//! programs without errors only, so that no finding is the consequence of something reported already.

use hasse_model::diagnostic::{Diagnostic, Severity};

/// Affine forms.
mod affine;
/// Expressions as linear conditions.
mod condition;
/// Which values may be sent, carried and taken.
mod space;
/// Makes summaries.
mod summarize;
/// What the analyses look at.
mod summary;
/// Systems of linear conditions.
mod system;
/// Names in the texts of a node.
mod texts;

/// Arcs without a value, values carried twice.
mod arcs;
/// Calls: graphs that nothing calls, recursion without end.
mod calls;
/// Families: elements that are waited for or sent in vain.
mod elements;
/// Values that are left at every end.
mod leftover;
/// What may ever execute: unreachable nodes, cycles that never start, rules that are never enabled.
mod live;
/// Vars, bound names and parameters that are never used.
mod names;
/// Rates of synchronous dataflow that contradict each other.
mod rates;
/// Rules: guards that never hold, duplicates.
mod rules;
/// Shared objects: writers that do not write, objects that nobody gives a value.
mod shared;
/// What is sent and no arc takes.
mod uncovered;

pub(crate) use summarize::summarize;
use summary::Summary;

/// Runs all analyses over a program without errors.
pub(crate) fn analyze(summary: &Summary) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    summary.graphs.iter().for_each(|graph| uncovered::check(graph, &mut found));
    if found.iter().any(|found| found.severity == Severity::Error) {
        return found;
    }
    for graph in &summary.graphs {
        arcs::check(graph, &mut found);
        elements::check(graph, &mut found);
        rules::check(graph, &mut found);
        shared::check(graph, &mut found);
        names::check(graph, &mut found);
    }
    calls::check(summary, &mut found);
    live::check(summary, &mut found);
    leftover::check(summary, &mut found);
    rates::check(summary, &mut found);
    found
}
