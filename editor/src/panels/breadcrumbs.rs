//! The way from the main graph to the one shown, by the calls that were opened.

use hasse_compiler::{GraphOutline, NodeKind, outline};

use crate::problems::{Counts, Problems};
use crate::target::Target;

/// A step of the way, as the window's navigation has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The graph.
    pub graph: String,
    /// The call in the graph before by which it was opened; `None` of the first one, and of one that was chosen by name.
    pub call: Option<String>,
}

/// A step as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crumb {
    /// Position of the step on the way; `None` of the `…` that stands for those left out.
    pub step: Option<usize>,
    /// What is shown: `Sub: Solve` for a call `Sub` of the graph `Solve`, else the graph.
    pub label: String,
    /// How much is wrong in the graph.
    pub counts: Counts,
    /// Whether the graph or the call is not there any more.
    pub is_missing: bool,
    /// Whether the graph is on the way before: the call is a recursion.
    pub is_recursion: bool,
}

/// The way as it is shown, in `n_most` crumbs at most: the first step and the last ones, with `…` for those between.
/// Cost: reads the whole text.
pub fn breadcrumbs<'p>(
    program: &str,
    steps: &[Step],
    problems: impl Into<Option<&'p Problems>>,
    n_most: usize,
) -> Vec<Crumb> {
    let problems = problems.into();
    let graphs = outline(program).unwrap_or_default();
    let shown = |idx: usize| crumb(&graphs, steps, idx, problems);
    let n_most = n_most.max(3);
    if steps.len() <= n_most {
        return (0..steps.len()).map(shown).collect();
    }
    let gap = Crumb {
        step: None,
        label: "…".to_owned(),
        counts: Counts::default(),
        is_missing: false,
        is_recursion: false,
    };
    let last = (steps.len() - (n_most - 2)..steps.len()).map(shown);
    [shown(0), gap].into_iter().chain(last).collect()
}

fn crumb(graphs: &[GraphOutline], steps: &[Step], idx: usize, problems: Option<&Problems>) -> Crumb {
    let Step { graph, call } = &steps[idx];
    let label = match call {
        Some(call) if call != graph => format!("{call}: {graph}"),
        _ => graph.clone(),
    };
    let is_there = graphs.iter().any(|known| known.name == *graph);
    let before = idx.checked_sub(1).map(|before| &steps[before].graph);
    let is_called = |call: &String| {
        let caller = graphs.iter().find(|known| Some(&known.name) == before);
        let mut nodes = caller.iter().flat_map(|caller| &caller.nodes);
        nodes.any(|node| node.name == *call && node.kind == NodeKind::Call(graph.clone()))
    };
    Crumb {
        step: Some(idx),
        label,
        counts: problems.map(|problems| problems.counts(&Target::of_graph(graph))).unwrap_or_default(),
        is_missing: !is_there || call.as_ref().is_some_and(|call| !is_called(call)),
        is_recursion: steps[..idx].iter().any(|step| step.graph == *graph),
    }
}
