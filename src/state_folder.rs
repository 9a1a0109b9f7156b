//! The user's folder for state that outlives sessions.

use std::env;
use std::path::PathBuf;

/// The folder `$XDG_STATE_HOME/hasse`, or the one below `~/.local/state`; `None` where the user has no such place.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local/state")))
        .or_else(|| folder("LOCALAPPDATA"));
    state.map(|state| state.join("hasse"))
}
