//! A session behind a window: requests come in by a channel, what the session tells goes into a [`Mailbox`].
//!
//! All of it happens on one thread. Where a command waits for the run, the requests that make sense beside a run are
//! served meanwhile (see [`desk`]), so that a run can always be stopped and ended; of a run that goes on nothing is read
//! but its state and what the collecting thread has counted. When it rests, everything is read once ([`rest`]).

/// Questions about records.
mod asking;
/// Requests and what becomes of them.
mod desk;
/// What commands print.
mod lines;
/// The queue to the window.
mod mailbox;
/// What a session is opened on.
mod opening;
/// Options and settings.
mod options;
/// Breakpoints.
mod points;
/// What waits at the end of an arc.
mod queue;
/// Everything at a rest.
mod rest;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use hasse_editor::run::{Request, RunState, Told};
use hasse_runtime::sandbox::Sandbox;

use crate::linked::Linked;
use crate::message;
use desk::Desk;
pub(crate) use mailbox::{Mailbox, Wake};

/// Serves requests until the channel is closed, one session after another. Records of runs go into `folder`.
pub(crate) fn serve(
    requests: Receiver<Request>,
    mailbox: &Arc<Mailbox>,
    folder: PathBuf,
    sandbox: Sandbox,
    linked: Linked,
) {
    let printing = Arc::clone(mailbox);
    message::divert(Some(Rc::new(move |text| printing.found(text))));
    let desk = Rc::new(Desk::new(requests, mailbox, folder, sandbox, linked));
    while !desk.is_closed() {
        if catch_unwind(AssertUnwindSafe(|| desk.serve())).is_err() {
            desk.forget();
            mailbox.tell(Told::Refused("the session has ended: a fault of Hasse itself".to_owned()));
            mailbox.tell(Told::State(RunState::Closed));
            mailbox.tell(Told::Closed);
        }
    }
}
