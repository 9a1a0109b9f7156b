//! The window, and debug sessions on programs as they are being edited.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use hasse_editor::files::{keys_file, state_folder};
use hasse_editor::run::{Host, Request, Told};
use hasse_runtime::sandbox::Sandbox;
use hasse_window::Setup;
use tempfile::TempDir;

use super::EditArgs;
use crate::debug::{self, Mailbox, Wake};
use crate::ending::Ending;
use crate::fault::Fault;
use crate::grants::Grants;
use crate::linked::Linked;

/// Opens the window and serves it until it is closed.
pub(super) fn open(args: &EditArgs, linked: &Linked) -> Result<Ending, Fault> {
    let sandbox = args.grants.sandbox()?;
    // The folder for records is made before the window, so that a full disk is reported here.
    let folder = records_folder()?;
    let of_host = linked.trusting(args.grants.trusts());
    let setup = Setup {
        file: args.file.clone(),
        host: Some(Box::new(move |wake| host(sandbox, wake, folder, of_host))),
        functions: linked.functions().clone(),
        state_folder: state_folder(|name| std::env::var(name).ok()),
        keys_file: keys_file(|name| std::env::var(name).ok()),
    };
    hasse_window::open(setup)?;
    Ok(Ending::Fine)
}

/// A debug session for a window that the caller opens, as tests of the window do. Its runs reach no files but those next
/// to the program, and their records are deleted with it. `wake` is called on another thread when there is something to
/// poll.
///
/// # Errors
/// The folder for records cannot be made.
pub fn window_session(wake: Wake) -> std::io::Result<Box<dyn Host>> {
    let folder = tempfile::Builder::new().prefix("hasse-edit-").tempdir()?;
    let sandbox = Grants::default().sandbox().map_err(std::io::Error::other)?;
    Ok(host(sandbox, wake, folder, Linked::nothing()))
}

fn records_folder() -> Result<TempDir, Fault> {
    let folder = tempfile::Builder::new().prefix("hasse-edit-").tempdir();
    folder.map_err(|source| Fault::Write { path: std::env::temp_dir(), source })
}

/// How long the end of a session is waited for; a body that does not heed the end of its run ends with the process.
const PATIENCE: Duration = Duration::from_secs(2);

/// A debug session on a thread of its own, for a window, with its records in `folder`. What bodies may reach is in
/// `sandbox`; `wake` is called on another thread when there is something to poll.
pub(crate) fn host(sandbox: Sandbox, wake: Wake, folder: TempDir, linked: Linked) -> Box<dyn Host> {
    let mailbox = Arc::new(Mailbox::new(wake));
    let (send, requests) = mpsc::channel();
    let (leave, left) = mpsc::channel();
    let (place, told) = (folder.path().to_owned(), Arc::clone(&mailbox));
    thread::spawn(move || {
        // Dropped when the thread is through.
        let _leave: Sender<()> = leave;
        debug::serve(requests, &told, place, sandbox, linked);
    });
    Box::new(Served { send: Some(send), mailbox, left, _folder: folder })
}

struct Served {
    send: Option<Sender<Request>>,
    mailbox: Arc<Mailbox>,
    /// Disconnected when the thread is through.
    left: Receiver<()>,
    /// Where the records of runs are.
    _folder: TempDir,
}

impl Host for Served {
    fn send(&mut self, request: Request) {
        if let Some(send) = &self.send {
            // A thread that is gone has told so.
            let _ = send.send(request);
        }
    }

    fn poll(&mut self) -> Option<Told> {
        self.mailbox.take()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.send = None;
        let _ = self.left.recv_timeout(PATIENCE);
    }
}
