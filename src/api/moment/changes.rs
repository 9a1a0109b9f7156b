//! Changes of variables over time.

use std::io;
use std::sync::{Mutex, PoisonError};

use hasse_debugger::moments::Moments;
use hasse_model::event::{EventBatch, EventRow, Outcome};
use hasse_model::id::{ActionId, EventId, ObjectId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, RunOptions};

use super::timeline::Timeline;
use crate::api::event::EventError;

impl Timeline<'_> {
    /// Changes of a var or a shared object between two moments, in order.
    ///
    /// Cost: a replay from one to the other, in which values are kept.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn changes(&self, of: &Variable, from: u64, to: u64) -> Result<Vec<Change>, EventError> {
        let mut capture = Capture::none();
        for (template_idx, template) in self.plan().templates.iter().enumerate() {
            let is_asked = match of {
                Variable::Var { template: asked, .. } => asked.idx() == template_idx,
                Variable::Object(_) => template.shared.iter().any(|shared| shared.access == Access::Write),
            };
            if is_asked {
                capture.add(TemplateId::from_idx(template_idx), Captured::ALL);
            }
        }
        let found = Mutex::new(Vec::new());
        let options = RunOptions { capture, ..self.options() };
        self.pass(
            from,
            to,
            &options,
            Some(Box::new(Collects { of, moments: self.moments(), found: &found })),
        )?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|change: &Change| change.position);
        Ok(found)
    }
}

/// A var of an action, or a shared object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A var.
    Var {
        /// The action.
        action: ActionId,
        /// Its node in the program.
        template: TemplateId,
        /// Name of the var.
        name: String,
    },
    /// A shared object.
    Object(ObjectId),
}

/// An event that gave a variable another value.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The event.
    pub event: EventId,
    /// The moment after it.
    pub position: u64,
    /// The value that it found.
    pub before: Value,
    /// The value that it left.
    pub after: Value,
}

/// Keeps the changes of a variable.
struct Collects<'c> {
    of: &'c Variable,
    moments: &'c Moments,
    found: &'c Mutex<Vec<Change>>,
}

impl Collects<'_> {
    fn change(&self, row: &EventRow<'_>) -> Option<Change> {
        let local = row.local?;
        let of = |list: &[(String, Value)], name: &str| {
            list.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        let (before, after) = match self.of {
            Variable::Var { action, name, .. } if *action == row.id.action => {
                (of(&local.found, name).or_else(|| of(&local.before, name))?, of(&local.after, name)?)
            }
            Variable::Object(object) => {
                let at = row.shared.iter().position(|access| access.object == *object)?;
                let (name, before) = local.shared_before.get(at)?;
                (before.clone(), of(&local.shared_after, name)?)
            }
            Variable::Var { .. } => return None,
        };
        let position = self.moments.after(row.id)?;
        (before != after && row.outcome == Outcome::Done).then_some(Change {
            event: row.id,
            position,
            before,
            after,
        })
    }
}

impl EventSink for Collects<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.extend(batch.rows().filter_map(|row| self.change(&row)));
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
