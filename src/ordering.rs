//! `--order`: an imposed order of the events of a run.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hasse::order::{Constraint, Held, Order};
use hasse_model::plan::Plan;
use hasse_runtime::decision::Chooser;
use hasse_runtime::report::RunReport;

use crate::execution::Threads;
use crate::fault::Fault;
use crate::program::Program;
use crate::report::waiting;
use hasse_model::quantity::counted;

/// An order that a run is to keep.
#[derive(clap::Args)]
pub(crate) struct OrderArgs {
    /// Let events take place one after the other, such as '/A:2 < /B:1'; may be given several times. The run has one worker then, and
    /// draws what the order leaves open from --seed, or from seed 0
    #[arg(long = "order", value_name = "EVENT < EVENT")]
    constraints: Vec<Constraint>,
}

/// An order that is imposed on a run. Clones share it.
#[derive(Clone)]
pub(crate) struct Imposed(Arc<Mutex<Order>>);

impl OrderArgs {
    /// The order; `None` where nothing is asked for.
    ///
    /// # Errors
    /// The constraints contradict each other or name a node that the program does not have, or more than one worker was asked for.
    pub(crate) fn order(
        &self,
        plan: &Plan,
        threads: &Threads,
        seed: Option<u64>,
    ) -> Result<Option<Order>, Fault> {
        if self.constraints.is_empty() {
            return Ok(None);
        }
        if threads.n_workers_or(1) > 1 {
            return Err(Fault::OrderWorkers);
        }
        let is_known = |name: &&String| plan.templates.iter().any(|template| template.name == **name);
        if let Some(name) = self.constraints.iter().flat_map(Constraint::nodes).find(|name| !is_known(name)) {
            let known = plan.templates.iter().map(|template| template.name.clone()).collect();
            return Err(Fault::UnknownTemplate { name: name.clone(), known });
        }
        Ok(Some(Order::new(&self.constraints, seed.unwrap_or(0))?))
    }
}

impl Imposed {
    /// Imposes an order on one run.
    pub(crate) fn new(order: Order) -> Self {
        Self(Arc::new(Mutex::new(order)))
    }

    /// A chooser for the options of the run.
    pub(crate) fn chooser(&self) -> Chooser {
        Chooser::new(Arc::clone(&self.0))
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The events that were held where the run could not go on; none where it could.
    pub(crate) fn unmet(&self, report: &RunReport) -> Vec<Held> {
        report.stopped_at.as_ref().map_or_else(Vec::new, |stopped| self.order().unmet(stopped))
    }

    /// A verdict on the order for a person; empty where the run has kept it.
    pub(crate) fn verdict(&self, program: &Program, report: &RunReport) -> String {
        let unmet = self.unmet(report);
        let mut text = String::new();
        for held in &unmet {
            let Held { event, waits_for, .. } = held;
            let _ = writeln!(
                text,
                "error: the order {waits_for} < {event} cannot be met: nothing leads to {waits_for} while {event} waits"
            );
            write_left(&mut text, program, report, held);
        }
        if report.stopped_at.is_none() {
            for event in self.order().left() {
                let _ = writeln!(text, "note: {event}, which the order names, has not taken place");
            }
        }
        text
    }
}

/// Writes what keeps the action of the earlier event.
fn write_left(text: &mut String, program: &Program, report: &RunReport, held: &Held) {
    let Held { action, n_executed, .. } = held;
    let executed = counted(*n_executed, "execution");
    let waiting = report.quiescence.iter().find(|waiting| waiting.action == *action);
    let Some(waiting) = waiting else {
        let _ = writeln!(text, "  {action} has no values on its ports after {executed}");
        return;
    };
    let _ = writeln!(text, "  {action}, after {executed}:");
    waiting::write_reasons(text, program, waiting);
}
