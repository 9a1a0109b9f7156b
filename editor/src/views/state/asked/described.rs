//! The selected event or instance, as menus name it.

use crate::target::Target;

/// Selected event or instance, as menus name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Path of the event or instance, or text of the arc.
    pub name: String,
    /// The action that executes it.
    pub action: Option<String>,
    /// Which execution of the action it is; `None` of an instance as a whole.
    pub count: Option<u32>,
    /// The event; of an instance its last one.
    pub event: Option<u32>,
    /// Where it is in the program.
    pub target: Option<Target>,
    /// Immediate predecessors, each once, with their paths.
    pub predecessors: Vec<(u32, String)>,
}
