//! Graphs on the way to the one that is shown.

/// A graph on the way to the one that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crumb {
    /// The graph.
    pub graph: String,
    /// The call in the graph before, by which one came here; `None` for the first.
    pub call: Option<String>,
}

impl Crumb {
    /// What is written: `Sub (h)`, or the graph's name.
    pub fn label(&self) -> String {
        match &self.call {
            Some(call) if *call == self.graph => call.clone(),
            Some(call) => format!("{call} ({})", self.graph),
            None => self.graph.clone(),
        }
    }
}
