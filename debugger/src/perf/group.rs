//! What events are counted under: actions, templates or graph instances, numbered as they come.

use rustc_hash::FxHashMap;

use hasse_model::id::{ActionId, GraphInstanceId, TemplateId};
use hasse_model::trace::Names;

use crate::display;

/// What a group stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Action(ActionId),
    /// `None`: of actions that nothing is known of.
    Template(Option<TemplateId>),
    Graph(Option<GraphInstanceId>),
}

/// Groups by number, in the order in which they came.
#[derive(Debug)]
pub(super) struct Groups {
    by: By,
    keys: Vec<Key>,
    /// The first action of each group.
    actions: Vec<ActionId>,
    number_of: FxHashMap<Key, u32>,
}

impl Groups {
    pub(super) fn new(by: By) -> Self {
        Self { by, keys: Vec::new(), actions: Vec::new(), number_of: FxHashMap::default() }
    }

    /// The group of an action. To be asked once for each action.
    pub(super) fn of(&mut self, action: ActionId, names: &Names) -> u32 {
        let key = match self.by {
            By::Action => Key::Action(action),
            By::Template => Key::Template(names.template_of(action)),
            By::Graph => Key::Graph(names.graph_of(action)),
        };
        *self.number_of.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.actions.push(action);
            u32::try_from(self.keys.len() - 1).expect("fewer groups than actions")
        })
    }

    /// Names in the order in which they are shown, and for each number its position there.
    pub(super) fn finish(&self, names: &Names) -> (Vec<String>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        let graph = |number: usize| names.graph_of(self.actions[number]).map(|graph| depth(graph, names));
        match self.by {
            By::Action | By::Template => {
                order.sort_by_cached_key(|&number| display::rank(self.actions[number], names));
            }
            By::Graph => order.sort_by_cached_key(|&number| (graph(number), self.label(number, names))),
        }
        let mut position_of = vec![0; order.len()];
        order.iter().enumerate().for_each(|(position, &number)| position_of[number] = position);
        (order.iter().map(|&number| self.label(number, names)).collect(), position_of)
    }

    fn label(&self, number: usize, names: &Names) -> String {
        match self.keys[number] {
            Key::Action(action) => names.action(action).to_string(),
            Key::Template(template) => {
                template.and_then(|template| names.template_name(template)).unwrap_or("?").to_owned()
            }
            Key::Graph(Some(GraphInstanceId::MAIN)) => "/".to_owned(),
            Key::Graph(Some(graph)) => names.graph_path(graph).to_string(),
            Key::Graph(None) => "?".to_owned(),
        }
    }
}

/// How many calls a graph instance is away from the main graph.
fn depth(graph: GraphInstanceId, names: &Names) -> usize {
    let outward = std::iter::successors(Some(graph), |inner| Some(names.graph(*inner)?.parent));
    outward.take_while(|graph| *graph != GraphInstanceId::MAIN).count()
}

/// What events are counted under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Each action for itself.
    Action,
    /// The node of the program.
    #[default]
    Template,
    /// The graph instance.
    Graph,
}

impl By {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            By::Action => "action",
            By::Template => "template",
            By::Graph => "graph",
        }
    }
}
