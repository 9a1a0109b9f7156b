//! `hasse edit`: the editor's window. Builds without the feature `editor` say how to get it.

/// The window and its sessions.
#[cfg(feature = "editor")]
mod window;

#[cfg(feature = "editor")]
pub use window::window_session;

use std::path::PathBuf;

use crate::ending::Ending;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;

/// Draw a program, run it, and debug it on its own picture
///
/// Opens a window. Needs a screen (on Linux a Wayland compositor or an X server) and a build with the feature `editor`:
/// `cargo build --release --features editor`.
#[derive(clap::Args)]
#[cfg_attr(
    not(feature = "editor"),
    allow(dead_code, reason = "without the window, nothing reads the arguments")
)]
pub(crate) struct EditArgs {
    /// The program file, which is made if there is none, or a trace; without, a new program
    file: Option<PathBuf>,
    #[command(flatten)]
    grants: Grants,
}

/// Opens the window and serves it until it is closed.
#[cfg(feature = "editor")]
pub(crate) fn edit(args: &EditArgs, linked: &Linked) -> Result<Ending, Fault> {
    window::open(args, linked)
}

/// Reports that this build has no window.
#[cfg(not(feature = "editor"))]
pub(crate) fn edit(_args: &EditArgs, _linked: &Linked) -> Result<Ending, Fault> {
    Err(Fault::NoWindow)
}
