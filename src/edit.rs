//! What the editor's window needs of the command: debug sessions on programs as they are being edited.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use hasse_editor::run::{Host, Request, Told};
use hasse_runtime::sandbox::Sandbox;
use tempfile::TempDir;

use crate::debug::{self, Mailbox, Wake};
use crate::fault::Fault;

/// How long the end of a session is waited for; a body that does not heed the end of its run ends with the process.
const PATIENCE: Duration = Duration::from_secs(2);

/// A debug session on a thread of its own, for a window. What bodies may reach is in `sandbox`; `wake` is called on another
/// thread when there is something to poll.
///
/// # Errors
/// There is no folder for the records of runs.
pub(crate) fn host(sandbox: Sandbox, wake: Wake) -> Result<Box<dyn Host>, Fault> {
    let folder = tempfile::Builder::new().prefix("hasse-edit-").tempdir();
    let folder = folder.map_err(|source| Fault::Write { path: std::env::temp_dir(), source })?;
    let mailbox = Arc::new(Mailbox::new(wake));
    let (send, requests) = mpsc::channel();
    let (leave, left) = mpsc::channel();
    let (place, told) = (folder.path().to_owned(), Arc::clone(&mailbox));
    thread::spawn(move || {
        // Dropped when the thread is through.
        let _leave: Sender<()> = leave;
        debug::serve(requests, &told, place, sandbox);
    });
    Ok(Box::new(Served { send: Some(send), mailbox, left, _folder: folder }))
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
