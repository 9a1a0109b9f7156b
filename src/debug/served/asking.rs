//! Questions about the events of a record whose answers take a replay: each on a thread of its own, so that the session
//! goes on. One question of a kind is open at a time.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use hasse::event;
use hasse_editor::run::Told;
use hasse_editor::views::record::AskedRecord;
use hasse_model::id::EventId;
use hasse_runtime::run::{RunOptions, StopSignal};
use hasse_runtime::sandbox::Sandbox;

use super::mailbox::Mailbox;
use crate::execution::Threads;
use crate::fault::Fault;
use crate::ground::Subject;
use crate::linked::Linked;
use crate::{params, report};

/// Most bytes of values that one answer holds.
const MOST_BYTES: usize = 256 << 20;

/// Source of the events that a question replays.
pub(super) enum Replayed {
    File(PathBuf),
    /// Events recorded so far by the current run, or the error that prevents reading them.
    SoFar {
        rest: u64,
        subject: Result<Box<Subject>, Fault>,
    },
}

impl Replayed {
    /// Returns the source that the request named.
    fn asked(&self) -> AskedRecord {
        match self {
            Self::File(trace) => AskedRecord::File(trace.clone()),
            Self::SoFar { rest, .. } => AskedRecord::SoFar { rest: *rest },
        }
    }

    fn read(self, linked: &Linked) -> Result<Subject, Fault> {
        match self {
            Self::File(trace) => Subject::read_silently(&trace, linked),
            Self::SoFar { subject, .. } => subject.map(|subject| *subject),
        }
    }
}

/// The questions that are open. Dropping them ends their replays.
#[derive(Default)]
pub(super) struct Asking {
    values: Open,
    alone: Open,
}

/// The stop signal of an open question.
#[derive(Default)]
struct Open(RefCell<StopSignal>);

impl Open {
    /// Gives the open question up, and returns the signal of the next one.
    fn next(&self) -> StopSignal {
        let stop = StopSignal::default();
        self.0.replace(stop.clone()).stop();
        stop
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.borrow().stop();
    }
}

impl Asking {
    /// Makes the values of events again.
    pub(super) fn values(
        &self,
        mailbox: &Arc<Mailbox>,
        linked: &Linked,
        of: Replayed,
        events: Option<Vec<EventId>>,
    ) {
        let stop = self.values.next();
        let (mailbox, linked) = (Arc::clone(mailbox), linked.clone());
        thread::spawn(move || {
            let asked = of.asked();
            let values = of.read(&linked).and_then(|subject| {
                let many =
                    |ground: event::Ground<'_>| Ok(event::many(ground, events.as_deref(), MOST_BYTES)?);
                subject.ask(&Threads::default(), &stop, many)
            });
            // Nobody waits for an answer that was given up.
            if !stop.is_set() || values.as_ref().is_ok_and(|values| values.is_cut) {
                let result =
                    values.map(|values| Arc::new(values.events)).map_err(|fault| report::fault_text(&fault));
                mailbox.tell(Told::Values { of: asked, result });
            }
        });
    }

    /// Executes an event alone, with inputs of other values.
    pub(super) fn alone(
        &self,
        mailbox: &Arc<Mailbox>,
        (linked, sandbox): (&Linked, &Sandbox),
        of: Replayed,
        event: String,
        inputs: Vec<(String, String)>,
    ) {
        let stop = self.alone.next();
        let (mailbox, linked, sandbox) = (Arc::clone(mailbox), linked.clone(), sandbox.clone());
        thread::spawn(move || {
            let lines = alone((of, &event), &inputs, (&linked, sandbox), &stop);
            if !stop.is_set() {
                let result = lines.map_err(|fault| report::fault_text(&fault));
                mailbox.tell(Told::Alone { event, result });
            }
        });
    }
}

fn alone(
    (of, event): (Replayed, &str),
    inputs: &[(String, String)],
    (linked, sandbox): (&Linked, Sandbox),
    stop: &StopSignal,
) -> Result<Vec<String>, Fault> {
    let subject = of.read(linked)?;
    let executed = subject.ask(&Threads::default(), stop, |ground| {
        let (mut isolation, _) = event::isolate(ground, event)?;
        for (name, text) in inputs {
            let ty = isolation.type_of(ground.plan, name)?;
            isolation.set(ground.plan, name, params::value_of(&ty, text, name)?)?;
        }
        // What the event did not ask of the world when it was recorded is asked now.
        let options = match inputs {
            [] => ground.options.clone(),
            _ => RunOptions { sandbox, ..ground.options.clone() },
        };
        Ok(isolation.execute(ground.plan, &options, false, 1)?)
    })?;
    let mut text = Vec::new();
    executed.write_text(&subject.program_name(), &mut text).map_err(Fault::Stdout)?;
    Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
}
