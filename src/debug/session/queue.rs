//! What waits on input ports: shown, dropped, replaced and added to by hand.

use std::io::Write;

use hasse_runtime::control::{ActionView, InspectError, QueueOrder};

use super::super::command::{PortName, QueueCommand};
use super::super::line::LineError;
use super::super::wording;
use super::control::{parse, placed};
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::fault::Fault;

const PORTS: &str = "a port is such as `left` in the selected action, or `/Mult[3].left`, `/Mult[3].left[2]`";

impl Session<'_, '_> {
    pub(super) fn queue(&mut self, command: &QueueCommand, out: &mut dyn Write) -> Result<(), Fault> {
        let (port, order, column) = match command {
            QueueCommand::Show { target, column } => {
                return self.write_queues(target.as_deref(), *column, out);
            }
            QueueCommand::Drop { port, position } => {
                (port, QueueOrder::Drop { position: position - 1 }, None)
            }
            QueueCommand::Set { port, position, text, column } => {
                let value = parse(text, *column, &self.subject.plan)?;
                (port, QueueOrder::Replace { position: position - 1, value }, Some(*column))
            }
            QueueCommand::Add { port, text, column } => {
                let value = parse(text, *column, &self.subject.plan)?;
                (port, QueueOrder::Add { value }, Some(*column))
            }
        };
        let action = self.action_of(port)?;
        let name = port.port.clone();
        let edited = self.ask(move |inspector| inspector.edit_queue(&action, &name, &order))?;
        let edited = edited.map_err(|error| match (error, column) {
            (InspectError::Queue { message }, _) => unplaced(LineError::new(port.column, message, "")),
            (error, Some(column)) => placed(error, column),
            (error, None) => Fault::Inspect(error),
        })?;
        self.n_edits += 1;
        written(writeln!(out, "{}", wording::changed_queue(&edited)))
    }

    /// The path of the action that a port belongs to.
    fn action_of(&self, port: &PortName) -> Result<String, Fault> {
        let scope = match &port.action {
            Some(action) => {
                let scope = &self.settings.scope;
                scope.go(action, port.column, &self.subject.plan).map_err(unplaced)?
            }
            None => self.settings.scope.clone(),
        };
        let path = match scope.context() {
            Context::Action | Context::Event => scope.selector(),
            Context::Program | Context::Call => None,
        };
        let Some(path) = path else {
            let message = format!("`{}` names no action", port.action.as_ref().unwrap_or(&port.port));
            return Err(unplaced(LineError::new(port.column, message, PORTS)));
        };
        if scope.is_one() { Ok(path) } else { Err(Fault::Several { scope: path }) }
    }

    /// Lists what waits on the ports of an action, or of all actions of a scope.
    fn write_queues(&self, target: Option<&str>, column: usize, out: &mut dyn Write) -> Result<(), Fault> {
        let scope = match target {
            Some(target) => self.settings.scope.go(target, column, &self.subject.plan).map_err(unplaced)?,
            None => self.settings.scope.clone(),
        };
        let mut n_shown = 0;
        let mut n_busy = 0;
        for path in self.actions_of(&scope)? {
            let asked = path.clone();
            let view: Result<ActionView, _> = self.ask(move |inspector| inspector.action(&asked))?;
            match view {
                Ok(view) => {
                    n_shown += view.ports.len();
                    written(write!(out, "{}", wording::queues(&path, &view.ports)))?;
                }
                Err(InspectError::Busy { .. }) => n_busy += 1,
                Err(error) => return Err(Fault::Inspect(error)),
            }
        }
        match (n_shown, n_busy) {
            (_, 1..) => written(writeln!(out, "actions that are executing are left out: `stop` stops them")),
            (0, 0) => written(writeln!(out, "no value waits")),
            _ => Ok(()),
        }
    }
}
