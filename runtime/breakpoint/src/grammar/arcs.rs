//! Arcs and shared objects by name: `Mult.done -> Solve.b`, `Sub.Mult[i].done`, `slip`.
//!
//! An end of an arc is written as in a program, with its indices or without; without, all arcs between these nodes and
//! ports are meant. A graph may be named in front.

use hasse_model::id::{ArcId, SharedId};
use hasse_model::name::is_of_name;
use hasse_model::plan::{Arc, Plan};

use crate::grammar::error::{GrammarError, listing};

/// One end: `Graph.Node[..].port[..]`, without white space.
#[derive(Debug, PartialEq, Eq)]
struct End<'t> {
    graph: Option<&'t str>,
    node: &'t str,
    node_index: &'t str,
    port: &'t str,
    port_index: &'t str,
}

impl<'t> End<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut depth = 0;
        let mut start = 0;
        for (at, letter) in text.char_indices() {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                '.' if depth == 0 => {
                    steps.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        steps.push(&text[start..]);
        let (graph, node, port) = match steps.as_slice() {
            [node, port] => (None, *node, *port),
            [graph, node, port] => (Some(*graph), *node, *port),
            _ => return None,
        };
        let cut = |step: &'t str| step.split_at(step.find('[').unwrap_or(step.len()));
        let ((node, node_index), (port, port_index)) = (cut(node), cut(port));
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_of_name);
        let is_end = is_name(node) && is_name(port) && graph.is_none_or(is_name);
        is_end.then_some(Self { graph, node, node_index, port, port_index })
    }

    /// Whether an end of the program is what this end asks for.
    fn takes(&self, own: &End<'_>) -> bool {
        let fits = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        self.node == own.node
            && self.port == own.port
            && fits(self.node_index, own.node_index)
            && fits(self.port_index, own.port_index)
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

fn graph_name<'p>(plan: &'p Plan, arc: &Arc) -> &'p str {
    &plan.graphs[arc.graph.idx()].name
}

/// The arcs that a text names.
pub(crate) fn find(text: &str, column: usize, plan: &Plan) -> Result<Vec<ArcId>, GrammarError> {
    const USAGE: &str = "an arc is such as `Mult.done -> Solve.b`, `Mult.done` or `Mult[i].done -> Solve.b`";
    let wanted = squeezed(text);
    if wanted.is_empty() {
        return Err(GrammarError::new(column, "the arc is missing", USAGE));
    }
    let (source, target) = match wanted.split_once("->") {
        Some((source, target)) => (source, Some(target)),
        None => (wanted.as_str(), None),
    };
    let read =
        |end| End::read(end).ok_or_else(|| GrammarError::new(column, format!("`{text}` is no arc"), USAGE));
    let source = read(source)?;
    let target = target.map(read).transpose()?;
    let is_wanted = |arc: &Arc| {
        let own = squeezed(&arc.text);
        let Some((own_source, own_target)) = own.split_once("->") else { return false };
        let (Some(own_source), Some(own_target)) = (End::read(own_source), End::read(own_target)) else {
            return false;
        };
        let graphs = [source.graph, target.as_ref().and_then(|target| target.graph)];
        source.takes(&own_source)
            && target.as_ref().is_none_or(|target| target.takes(&own_target))
            && graphs.iter().flatten().all(|graph| *graph == graph_name(plan, arc))
    };
    let found = (0..plan.arcs.len()).filter(|&arc| is_wanted(&plan.arcs[arc])).map(ArcId::from_idx);
    let found: Vec<ArcId> = found.collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known: Vec<String> = plan.arcs.iter().map(|arc| arc_text(plan, arc)).collect();
    let hint = if known.is_empty() {
        "the program has no arcs".into()
    } else {
        format!("the arcs are {}", listing(&known))
    };
    Err(GrammarError::new(column, format!("there is no arc `{}`", text.trim()), hint)
        .unknown(text.trim(), known))
}

/// An arc as [`find`] finds it, and no other that differs from it in what the program says.
pub(crate) fn arc_text(plan: &Plan, arc: &Arc) -> String {
    let text = squeezed(&arc.text);
    let is_told_apart =
        plan.arcs.iter().all(|other| other.graph == arc.graph || squeezed(&other.text) != text);
    let prefix = match arc.graph == plan.main && is_told_apart {
        true => String::new(),
        false => format!("{}.", graph_name(plan, arc)),
    };
    format!("{prefix}{}", text.replace("->", " -> ").replace(',', ", "))
}

/// The declared shared objects of a name, `log` or `Graph.log`.
pub(crate) fn find_shared(name: &str, column: usize, plan: &Plan) -> Result<Vec<SharedId>, GrammarError> {
    let (graph, own) = match name.split_once('.') {
        Some((graph, own)) => (Some(graph), own),
        None => (None, name),
    };
    let found = plan.shared.iter().enumerate().filter(|(_, shared)| {
        shared.name == own && graph.is_none_or(|graph| plan.graphs[shared.graph.idx()].name == graph)
    });
    let found: Vec<SharedId> = found.map(|(shared_idx, _)| SharedId::from_idx(shared_idx)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known: Vec<String> = plan.shared.iter().map(|shared| shared.name.clone()).collect();
    let hint = match known.as_slice() {
        [] => "the program shares nothing".to_owned(),
        _ => format!("shared objects: {}", listing(&known)),
    };
    Err(GrammarError::new(column, format!("there is no shared object `{name}`"), hint).unknown(name, known))
}

/// Shared objects as [`find_shared`] finds them.
pub(crate) fn shared_text(plan: &Plan, found: &[SharedId]) -> String {
    let Some(first) = found.first().map(|shared| &plan.shared[shared.idx()]) else { return String::new() };
    let is_all = plan.shared.iter().filter(|shared| shared.name == first.name).count() == found.len();
    if is_all {
        first.name.clone()
    } else {
        format!("{}.{}", plan.graphs[first.graph.idx()].name, first.name)
    }
}
