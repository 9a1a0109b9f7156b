//! The tour: eight steps that draw and run a first program, the squares of the book.
//!
//! A step is done when the program says so, however it came about; so the tour can be left at any time and goes on
//! where the program stands. After the last step it is over.

use hasse_compiler::{GraphOutline, NodeKind, NodeOutline, PortKind, outline};
use toml_edit::{DocumentMut, Item};

/// Number of steps.
pub const N_STEPS: usize = 8;

/// State of the tour.
#[derive(Clone, Debug, Default)]
pub struct Tour {
    is_open: bool,
    fits: bool,
    n_done: usize,
    /// True from the last step on: what is edited then is a program of one's own.
    is_over: bool,
    found: Found,
    version: u64,
}

/// Parts of the first program that are there: names of nodes and ports for the texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// The start node.
    start: Option<Stage>,
    /// Target of its arc.
    second: Option<Stage>,
    /// Target of that one's arc.
    third: Option<Stage>,
}

/// A unit of the first program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stage {
    name: String,
    input: String,
    output: Option<String>,
    has_fire: bool,
    has_route: bool,
    has_vars: bool,
    has_result: bool,
}

impl Tour {
    /// Returns whether the tour is shown.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Shows the tour, at the first step that is not done.
    pub fn open(&mut self) {
        self.is_open = true;
        self.is_over = false;
        self.version += 1;
    }

    /// Leaves the tour.
    pub fn close(&mut self) {
        self.is_open = false;
        self.version += 1;
    }

    /// Changes whenever what is shown changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of steps that are done, of [`N_STEPS`].
    pub fn n_done(&self) -> usize {
        self.n_done
    }

    /// Returns whether the program is empty or could be that of the tour: one graph with at most three units.
    pub fn fits(&self) -> bool {
        self.fits
    }

    /// Takes in the program, and whether a run of it has finished. Cost: reads the whole text.
    pub fn refresh(&mut self, program: &str, has_finished: bool) {
        let graphs = outline(program).unwrap_or_default();
        // While the text cannot be read, the tour stays where it is.
        let Ok(tables) = program.parse::<DocumentMut>() else { return };
        let is_unit = |node: &NodeOutline| matches!(node.kind, NodeKind::Unit { .. });
        let could_be_it = |graph: &GraphOutline| graph.nodes.len() <= 3 && graph.nodes.iter().all(is_unit);
        self.fits = graphs.len() == 1 && graphs.iter().all(could_be_it);
        let found = graphs.iter().find(|graph| graph.is_main).map(|graph| find(graph, &tables));
        let found = found.unwrap_or_default();
        if self.is_over {
            return;
        }
        let n_done = found.n_done(has_finished);
        if (n_done, &found) != (self.n_done, &self.found) {
            self.n_done = n_done;
            self.is_over = n_done == N_STEPS;
            self.found = found;
            self.version += 1;
        }
    }

    /// Title of the step that is next.
    pub fn title(&self) -> &'static str {
        match self.n_done {
            0 => "A node that starts",
            1 => "A port to send on",
            2 => "A second node",
            3 => "What is sent",
            4 => "What is taken",
            5 => "A third node",
            6 => "A sum that is kept",
            7 => "Run it",
            _ => "Done",
        }
    }

    /// The next step, in Markdown.
    pub fn text(&self) -> String {
        let start = self.found.start.clone().unwrap_or_default();
        let second = self.found.second.clone().unwrap_or_default();
        let third = self.found.third.clone().unwrap_or_default();
        match self.n_done {
            0 => "Press `A`, type `start` and press `Enter`. The box executes once, when the program starts. \
                  `F2` gives it a name: `Count`."
                .to_owned(),
            1 => "In the form at the right, press + at **Output ports**: `number`, Tab, `int`. The port appears at the \
                  right edge of the box."
                .to_owned(),
            2 => "Drag from the port to an empty place at the right, and choose `unit`. The wire comes along. \
                  `F2`: `Square`."
                .to_owned(),
            3 => format!(
                "Click `{}`. In its form press + at **Routing rules** and type `{} <- i for i in 0..4`. It sends 0, 1, \
                 2 and 3.",
                start.name,
                start.output.as_deref().unwrap_or("number")
            ),
            4 => second.what_it_takes(),
            5 => third.how_it_comes(&second),
            6 => third.how_it_adds(),
            7 => "Press `F5`. The tab **Results**, below the picture, shows what the program has computed.".to_owned(),
            _ => "0 + 1 + 4 + 9 = 14. `F9` on a box stops it there, the tab **History** shows each event with its \
                  cause, and Help has the book."
                .to_owned(),
        }
    }
}

impl Stage {
    fn what_it_takes(&self) -> String {
        let mut missing = Vec::new();
        if !self.has_fire {
            let input = if self.input.is_empty() { "a" } else { &self.input };
            missing.push(format!("**Firing rules**: `{input} -> x` takes a number and calls it x."));
        }
        if self.output.is_none() {
            missing.push("**Output ports**: `square`, Tab, `int`.".to_owned());
        }
        format!("Click `{}`. {}", self.name, missing.join(" "))
    }

    fn how_it_comes(&self, second: &Self) -> String {
        let square = second.output.as_deref().unwrap_or("square");
        if self.input.is_empty() {
            format!("Drag from `{square}` to an empty place at the right: `unit` again. `F2`: `Sum`.")
        } else if !second.has_route {
            format!("Click `{}`. **Routing rules**: `{square} <- x * x` sends the square.", second.name)
        } else {
            format!("Click `{}`. **Firing rules**: `{} -> s`.", self.name, self.input)
        }
    }

    fn how_it_adds(&self) -> String {
        if self.has_vars {
            "Press `F4` and write the body, below the picture: `total += s; if count == 4 { result(\"total\", total); }`"
                .to_owned()
        } else {
            "**Variables**: `total` of type `int`. A variable is kept from one execution to the next."
                .to_owned()
        }
    }
}

impl Found {
    fn n_done(&self, has_finished: bool) -> usize {
        let start = self.start.as_ref();
        let second = self.second.as_ref();
        let third = self.third.as_ref();
        let done: [bool; N_STEPS] = [
            start.is_some(),
            start.is_some_and(|stage| stage.output.is_some()),
            second.is_some(),
            start.is_some_and(|stage| stage.has_route),
            second.is_some_and(|stage| stage.has_fire && stage.output.is_some()),
            second.is_some_and(|stage| stage.has_route) && third.is_some_and(|stage| stage.has_fire),
            third.is_some_and(|stage| stage.has_vars && stage.has_result),
            has_finished,
        ];
        done.iter().take_while(|is_done| **is_done).count()
    }
}

fn find(graph: &GraphOutline, tables: &DocumentMut) -> Found {
    let is_start = |node: &&NodeOutline| matches!(node.kind, NodeKind::Unit { is_start: true, .. });
    let Some(start) = graph.nodes.iter().find(is_start) else { return Found::default() };
    let stage = |unit: &NodeOutline, input: String| {
        let held = Attributes { table: table_of(tables, &graph.name, &unit.name) };
        Stage {
            name: unit.name.clone(),
            input,
            output: output(unit),
            has_fire: held.has_rows("fire"),
            has_route: held.has_rows("route"),
            has_vars: held.has_entries("vars"),
            has_result: held.text("do").contains("result("),
        }
    };
    let next = |node: &str| target(graph, node).map(|(unit, input)| stage(unit, input));
    let second = next(&start.name);
    let third = second.as_ref().and_then(|second| next(&second.name));
    Found { start: Some(stage(start, String::new())), second, third }
}

/// The first output port.
fn output(node: &NodeOutline) -> Option<String> {
    node.ports.iter().find(|port| port.kind == PortKind::Output).map(|port| port.name.clone())
}

/// The unit that an arc from a node leads to, and the port there.
fn target<'g>(graph: &'g GraphOutline, node: &str) -> Option<(&'g NodeOutline, String)> {
    graph.links.iter().filter(|link| link.source.node == node && link.target.node != node).find_map(|link| {
        let is_it = |held: &&NodeOutline| {
            held.name == link.target.node && matches!(held.kind, NodeKind::Unit { is_start: false, .. })
        };
        Some((graph.nodes.iter().find(is_it)?, link.target.port.clone()))
    })
}

fn table_of<'t>(tables: &'t DocumentMut, graph: &str, node: &str) -> Option<&'t Item> {
    tables.get("graph")?.get(graph)?.get("uc")?.get(node)
}

/// Content of a unit's table.
struct Attributes<'t> {
    table: Option<&'t Item>,
}

impl<'t> Attributes<'t> {
    fn get(&self, key: &str) -> Option<&'t Item> {
        self.table?.get(key)
    }

    fn has_rows(&self, key: &str) -> bool {
        let rows = self.get(key).and_then(Item::as_array);
        rows.is_some_and(|rows| rows.iter().any(|row| row.as_str().is_some_and(|row| !row.trim().is_empty())))
    }

    fn has_entries(&self, key: &str) -> bool {
        self.get(key).and_then(Item::as_table_like).is_some_and(|entries| !entries.is_empty())
    }

    fn text(&self, key: &str) -> &'t str {
        self.get(key).and_then(Item::as_str).unwrap_or_default()
    }
}
