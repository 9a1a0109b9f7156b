//! Requests that do not wait for the run: answered while one goes on, too.

use std::io::Write;

use hasse_editor::run::{Completion, Counters, QueueChange, Request, Told};
use hasse_editor::views::record::AskedRecord;
use hasse_runtime::control::QueueOrder;
use hasse_runtime::control::expression::Expression;

use super::super::super::complete;
use super::super::super::session::{Next, Session};
use super::super::super::wording;
use super::super::asking::Replayed;
use super::super::lines::Lines;
use super::{Desk, Flow, readable, resume};
use crate::fault::Fault;
use crate::report;

impl Desk {
    /// Carries out a request that does not wait for the run, whether one goes on or not.
    pub(super) fn beside(&self, session: &mut Session<'_, '_>, request: Request) -> Flow {
        let ended = match request {
            Request::Open(asked, options) if self.is_on(&asked, &options) => {
                self.reopen(session, *options);
                Ok(())
            }
            request @ (Request::Open(..) | Request::Run | Request::Close) => {
                self.end(session);
                self.deferred.borrow_mut().push_back(request);
                Ok(())
            }
            Request::Describe(asked) => {
                self.describe(&asked);
                Ok(())
            }
            Request::Stop(action) => {
                self.is_stale.set(true);
                match action {
                    None => session.subject.control.stop(),
                    Some(path) => session.subject.control.stop_action(&path),
                }
                Ok(())
            }
            Request::Cont(action) => resume(session, action, false),
            Request::Next(action) => resume(session, action, true),
            Request::Step(action) => {
                let asked = session.ask(move |inspector| inspector.step(&action));
                asked.and_then(|done| done.map_err(Fault::Inspect))
            }
            Request::End => {
                self.end(session);
                Ok(())
            }
            Request::SetBreakpoint(command) => {
                let placed = session.line(&command, &mut Lines::of_log(&self.mailbox));
                let result = placed.map(drop).map_err(|fault| report::fault_text(&fault));
                self.mailbox.tell(Told::Placed { command, result });
                Ok(())
            }
            Request::DeleteBreakpoint(number) => {
                if self.disabled.borrow_mut().remove(&number).is_none() {
                    session.delete_breakpoint(number);
                }
                Ok(())
            }
            Request::EnableBreakpoint(number, is_enabled) => {
                self.enable(session, number, is_enabled);
                Ok(())
            }
            Request::Assign { action, name, value } => {
                let result = assign(session, &action, &name, &value);
                if result.is_ok() {
                    self.is_stale.set(true);
                }
                self.mailbox.tell(Told::Assigned { action, name, result });
                Ok(())
            }
            Request::EditQueue { action, port, change } => {
                let result = edit_queue(session, &action, port, &change);
                if result.is_ok() {
                    self.is_stale.set(true);
                }
                self.mailbox.tell(Told::QueueEdited { action, result });
                Ok(())
            }
            Request::Console(line) => return self.console(session, &line),
            Request::Complete { line, at } => {
                self.complete(session, line, at);
                Ok(())
            }
            Request::Look(action) => {
                *self.look.borrow_mut() = action;
                if session.is_resting() {
                    self.tell_action(session);
                }
                Ok(())
            }
            Request::Queue(arc) => {
                *self.arc.borrow_mut() = arc;
                if session.is_resting() {
                    self.tell_queue(session);
                }
                Ok(())
            }
            Request::Why(action) => {
                let asked = action.clone();
                let found = session.ask(move |inspector| inspector.explain(&asked));
                self.mailbox.tell(Told::Why(action, readable(found).map(Box::new)));
                Ok(())
            }
            Request::Page(query) => {
                let page = self.rested.borrow_mut().page(query);
                self.mailbox.tell(Told::Page(page));
                Ok(())
            }
            Request::Values { of, events } => {
                self.ask_values(replayed(session, of), events);
                Ok(())
            }
            Request::Alone { of, event, inputs } => {
                self.ask_alone(replayed(session, of), event, inputs);
                Ok(())
            }
            Request::Moment(_) | Request::Hit { .. } | Request::Fork => {
                self.tell_no_moment("a run is under way".to_owned(), false);
                Ok(())
            }
            Request::Counters => {
                let listed = session.subject.control.breakpoints();
                self.mailbox.tell(Told::Counters(Counters {
                    state: self.state(session),
                    n_events: self.mailbox.n_events(),
                    n_hits: listed.iter().map(|known| (known.number, known.n_hits)).collect(),
                }));
                Ok(())
            }
        };
        if let Err(fault) = ended {
            self.refuse(&fault);
        }
        Flow::Go
    }

    /// Carries out a line of the console.
    fn console(&self, session: &mut Session<'_, '_>, line: &str) -> Flow {
        self.is_stale.set(true);
        let was_console = self.mailbox.is_console();
        self.mailbox.set_console(true);
        let mut out = Lines::of_console(&self.mailbox);
        let ended = session.line(line, &mut out);
        let _ = out.flush();
        self.mailbox.set_console(was_console);
        match ended {
            Ok(Next::Go) => Flow::Go,
            Ok(Next::Quit) => {
                self.has_quit.set(true);
                self.end(session);
                Flow::Leave
            }
            Err(fault) => {
                let text = report::fault_text(&fault);
                self.mailbox.tell(Told::Answer(text.lines().map(str::to_owned).collect(), false));
                Flow::Go
            }
        }
    }

    fn complete(&self, session: &Session<'_, '_>, line: String, at: usize) {
        let end = (0..=at.min(line.len())).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
        let (start, candidates) = complete::complete(&line, end, &session.known());
        self.mailbox.tell(Told::Completed(Completion { line, start, end, candidates }));
    }
}

fn replayed(session: &Session<'_, '_>, of: AskedRecord) -> Replayed {
    match of {
        AskedRecord::File(trace) => Replayed::File(trace),
        AskedRecord::SoFar { rest } => {
            Replayed::SoFar { rest, subject: session.ground_so_far().map(Box::new) }
        }
    }
}

fn assign(session: &Session<'_, '_>, action: &str, name: &str, value: &str) -> Result<String, String> {
    let expression = Expression::parse_in(value, &session.subject.plan).map_err(|error| error.message)?;
    let (action, name) = (action.to_owned(), name.to_owned());
    let asked = session.ask(move |inspector| inspector.assign(&action, &name, &expression));
    readable(asked).map(|value| wording::shown(&value))
}

fn edit_queue(
    session: &Session<'_, '_>,
    action: &str,
    port: String,
    change: &QueueChange,
) -> Result<String, String> {
    let parsed =
        |text: &str| Expression::parse_in(text, &session.subject.plan).map_err(|error| error.message);
    let order = match change {
        QueueChange::Drop(position) => QueueOrder::Drop { position: position.saturating_sub(1) },
        QueueChange::Set(position, text) => {
            QueueOrder::Replace { position: position.saturating_sub(1), value: parsed(text)? }
        }
        QueueChange::Add(text) => QueueOrder::Add { value: parsed(text)? },
    };
    let action = action.to_owned();
    let asked = session.ask(move |inspector| inspector.edit_queue(&action, &port, &order));
    readable(asked).map(|changed| wording::changed_queue(&changed))
}
