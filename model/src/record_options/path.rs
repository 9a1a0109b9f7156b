//! Selectors against the paths of actions and events, where there is no program at hand.

use rustc_hash::FxHashMap;

use super::selector::{Kind, Node, Selector};
use crate::key;
use crate::plan::Plan;

/// Graphs that the calls of a program instantiate, by name: a path leads through them from the main graph.
#[derive(Clone, Debug, Default)]
pub struct CalledGraphs {
    main: String,
    /// For each graph, the graph of each of its calls.
    called: FxHashMap<String, FxHashMap<String, String>>,
}

impl CalledGraphs {
    /// The graphs of a program.
    pub fn of(plan: &Plan) -> Self {
        let name_of = |graph: crate::id::GraphId| plan.graphs[graph.idx()].name.clone();
        let mut called: FxHashMap<String, FxHashMap<String, String>> = FxHashMap::default();
        for call in &plan.calls {
            called.entry(name_of(call.owner)).or_default().insert(call.name.clone(), name_of(call.graph));
        }
        Self { main: name_of(plan.main), called }
    }

    /// The graph that holds the action of a path or an event; `None` where the path leads nowhere.
    fn graph_of(&self, path: &str) -> Option<&str> {
        let mut steps = path.strip_prefix('/')?.split('/');
        steps.next_back();
        steps.try_fold(self.main.as_str(), |graph, step| {
            let (name, _) = step.split_at(step.find('[').unwrap_or(step.len()));
            self.called.get(graph)?.get(name).map(String::as_str)
        })
    }
}

impl Selector {
    /// Whether it names the action of a path such as `/call[2]/Mult[3]` or `/call[2]/Mult[3]:1`, as actions and
    /// events are called in what is printed. A selector without a slash names by the last step of the path;
    /// the graph in front of its dot is not in a path, and is passed over. `/` names no action.
    pub fn names_path(&self, path: &str) -> bool {
        let path = path.rsplit_once(':').map_or(path, |(action, _)| action);
        let Some(path) = path.strip_prefix('/') else { return false };
        let mut steps = path.split('/');
        match &self.kind {
            Kind::Root => false,
            Kind::Anywhere { node, .. } => steps.next_back().is_some_and(|step| node.names_step(step)),
            Kind::Path(nodes) => {
                nodes.iter().all(|node| steps.next().is_some_and(|step| node.names_step(step)))
                    && steps.next().is_none()
            }
        }
    }

    /// The same in a program with these graphs, in which the graph in front of a dot counts.
    pub fn names_path_in(&self, path: &str, graphs: &CalledGraphs) -> bool {
        let is_graph = |(wanted, _): (&str, usize)| graphs.graph_of(path) == Some(wanted);
        self.names_path(path) && self.graph().is_none_or(is_graph)
    }

    /// The graph that stands in front of a node, with its column: `DoBTS` of `DoBTS.Mult`.
    pub fn graph(&self) -> Option<(&str, usize)> {
        match &self.kind {
            Kind::Anywhere { graph: Some((name, column)), .. } => Some((name, *column)),
            Kind::Root | Kind::Anywhere { graph: None, .. } | Kind::Path(_) => None,
        }
    }
}

impl Node {
    /// A step such as `Mult` or `Mult[3][1]`.
    fn names_step(&self, step: &str) -> bool {
        let (name, numbers) = step.split_at(step.find('[').unwrap_or(step.len()));
        if self.name.as_ref().is_some_and(|wanted| wanted != name) {
            return false;
        }
        let Some(sides) = &self.index else { return true };
        let parts = numbers.split(['[', ']', ',']).map(str::trim);
        let mut numbers = parts.filter(|part| !part.is_empty()).map(key::parse);
        sides.iter().all(|side| matches!(numbers.next(), Some(Some(number)) if side.takes(number)))
            && numbers.next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_in_front_of_a_dot_is_that_of_the_path() {
        let called = |calls: &[(&str, &str)]| {
            calls.iter().map(|(call, graph)| ((*call).to_owned(), (*graph).to_owned())).collect()
        };
        let graphs = CalledGraphs {
            main: "main".to_owned(),
            called: [
                ("main".to_owned(), called(&[("call", "Sub"), ("twin", "Other")])),
                ("Sub".to_owned(), called(&[("again", "Sub")])),
            ]
            .into_iter()
            .collect(),
        };
        let cases = [
            ("main.Mult", "/Mult[3]:1", true),
            ("Sub.Mult", "/Mult:1", false),
            ("Sub.Mult[3]", "/call[1][2]/again/Mult[3]:1", true),
            ("Sub.Mult[4]", "/call[1]/Mult[3]:1", false),
            ("main.Mult", "/call[1]/Mult:1", false),
            ("Sub.Mult", "/twin/Mult:1", false),
            ("Mult", "/twin/Mult:1", true),
            ("Sub.Mult", "/nothing/Mult:1", false),
        ];
        for (selector, path, expected) in cases {
            let parsed: Selector = selector.parse().expect("a selector");
            assert_eq!(parsed.names_path_in(path, &graphs), expected, "{selector} {path}");
        }
    }

    #[test]
    fn paths_are_named_by_their_last_step_or_as_a_whole() {
        let cases = [
            ("Mult", "/Mult[3]:2", true),
            ("Mult", "/call[1]/Mult", true),
            ("Mult[3]", "/Mult[3]", true),
            ("Mult[2..4]", "/Mult[3]:1", true),
            ("Mult[4]", "/Mult[3]:4", false),
            ("Mult[3]", "/Mult[3][1]", false),
            ("Mult[*, 1]", "/Mult[3][1]:1", true),
            ("Mult", "/Multi", false),
            ("*", "/Solve:1", true),
            ("/Mult", "/call/Mult", false),
            ("/call[2]/Mult", "/call[2]/Mult[7]:1", true),
            ("/call[2]/*", "/call[3]/Mult", false),
            ("/call", "/call/Mult", false),
            ("/", "/Mult", false),
            ("Sub.Mult", "/call/Mult", true),
        ];
        for (selector, path, expected) in cases {
            let parsed: Selector = selector.parse().expect("a selector");
            assert_eq!(parsed.names_path(path), expected, "{selector} {path}");
        }
    }
}
