//! The thread that compiles while routines run.

use std::sync::{OnceLock, Weak};

use crossbeam_channel::Sender;

use crate::machine::Machine;

/// Has the machine compiled by and by. There is one thread for all machines of the process, which begins with the first
/// one; where it cannot, nothing is compiled by and by.
pub(crate) fn compile_later(machine: Weak<Machine>) {
    static QUEUE: OnceLock<Option<Sender<Weak<Machine>>>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        // No bound: a machine stands in it once in its life, and a pointer is all that stands there.
        let (sender, receiver) = crossbeam_channel::unbounded::<Weak<Machine>>();
        let thread = std::thread::Builder::new().name("hasse-compile".into()).spawn(move || {
            for machine in receiver {
                if let Some(machine) = machine.upgrade() {
                    machine.compile();
                }
            }
        });
        thread.is_ok().then_some(sender)
    });
    if let Some(queue) = queue {
        // The other end is never dropped: compiling does not panic.
        let _ = queue.send(machine);
    }
}
