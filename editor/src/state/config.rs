//! What an editor is given.

use std::path::PathBuf;
use std::sync::Arc;

use hasse_model::function::FunctionTable;

/// What an editor is given.
#[derive(Clone)]
pub struct Config {
    /// Where autosaves and recent files are kept; nothing is kept without.
    pub state_folder: Option<PathBuf>,
    /// What bodies may call.
    pub functions: FunctionTable,
    /// Called on other threads when [`Editor::tick`](crate::state::Editor::tick) should be called soon.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

impl Default for Config {
    fn default() -> Self {
        Self { state_folder: None, functions: FunctionTable::default(), wake: Arc::new(|| {}) }
    }
}
