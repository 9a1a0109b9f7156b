//! Doors for who asks without commands: in which phase the session is, and what is done while a run is waited for.

use std::path::Path;
use std::rc::Rc;

use hasse_runtime::control::breakpoint::Breakpoint;

use super::super::job::Records;
use super::Session;
use super::waiter::{Phase, Waiter};
use crate::debug::underway::Underway;

impl Session<'_, '_> {
    /// Has `waiter` called where the session would wait.
    pub(in super::super) fn set_waiter(&mut self, waiter: Rc<dyn Waiter>) {
        self.waiter = Some(waiter);
    }

    pub(super) fn serve_until_rest(&mut self) {
        if let Some(waiter) = self.waiter.clone()
            && !self.is_resting()
        {
            waiter.wait(self);
        }
    }

    /// Whether there is no run that something may still execute in.
    pub(in super::super) fn is_resting(&self) -> bool {
        self.live.as_ref().is_none_or(|live| {
            live.is_over() || live.control().is_some_and(|control| !control.state().is_busy())
        })
    }

    pub(in super::super) fn phase(&self) -> Phase {
        match (&self.live, &self.open) {
            (Some(live), _) => Phase::UnderWay(live.control().map(|control| control.state())),
            (None, Some(_)) => Phase::Open,
            (None, None) => Phase::Ready,
        }
    }

    /// Asks the run under way to end, without waiting for that.
    pub(in super::super) fn end(&self) {
        self.subject.current.lock().iter().for_each(Underway::end);
    }

    /// Number of runs that have been started.
    pub(in super::super) fn n_runs(&self) -> u64 {
        self.n_runs
    }

    /// The events that the session has in memory of its last run.
    pub(in super::super) fn records(&self) -> Option<&Records> {
        self.held.records()
    }

    /// The file that the events of the last run were filed in.
    pub(in super::super) fn filed(&self) -> Option<&Path> {
        self.filed.as_deref()
    }

    /// Takes a breakpoint out of the list, to be put back under its number.
    pub(in super::super) fn take_breakpoint(&mut self, number: u64) -> Option<Breakpoint> {
        let breakpoint = self.settings.breakpoints.get(&number).cloned();
        self.delete_breakpoint(number);
        breakpoint
    }

    /// Puts a breakpoint into the list under a number that it had.
    pub(in super::super) fn put_breakpoint(&mut self, number: u64, breakpoint: Breakpoint) {
        // What was taken out of the list is one that this program has.
        let _ = self.subject.control.set_breakpoint(&self.subject.plan, number, breakpoint.clone());
        self.settings.breakpoints.insert(number, breakpoint);
    }
}
