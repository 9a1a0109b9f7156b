//! Another program in place of the one that was run.

use super::super::host::Request;
use super::super::inspector::Inspector;
use super::super::options::{Mode, Options};
use super::super::snapshot::RunState;
use super::super::table::InstanceTable;

use super::super::host::Subject;
use super::RunPanel;
use super::form::kept::Kept;
use super::moments::travel::Travel;

impl RunPanel {
    /// Forgets the runs of the program, as another one is open: outcome, results, counts, breakpoints, log. Ends the run
    /// that is under way. Options and breakpoints of a program with a file come back with it.
    pub fn leave_program(&mut self) {
        if self.selected.is_some() {
            self.select(None);
        }
        if self.arc.take().is_some() {
            self.host.send(Request::Queue(None));
        }
        let is_open = self.facts.is_some() || self.state != RunState::Closed;
        if std::mem::take(&mut self.was_opened) || is_open {
            self.host.send(Request::Close);
            self.n_leaving += 1;
        }
        self.put_aside();
        self.subject = None;
        self.facts = None;
        self.described = None;
        self.known = None;
        self.state = RunState::Closed;
        self.run_mode = Mode::Full;
        self.breakpoints.clear();
        self.typed_breakpoint.clear();
        self.waiting_lines.clear();
        self.lines.take();
        self.snapshot = None;
        self.runs.clear();
        self.n_runs = 0;
        self.counters = None;
        self.is_counting = false;
        self.scope = None;
        self.inspector = Inspector::default();
        self.why.clear();
        self.not_run.clear();
        self.is_run_asked = false;
        self.stops.leave_run();
        self.travel = Travel::default();
        self.table = InstanceTable::default();
        self.queue = None;
        self.console.leave();
        self.log.clear();
        self.problem.clear();
        self.is_blocked = false;
        self.views.clear();
        self.version += 1;
    }

    /// Puts the options of the program aside; what names nothing of a program goes on.
    fn put_aside(&mut self) {
        let Options { mode, n_workers, seed, save, .. } = self.options.clone();
        // There is no record to be looked at once the session is closed.
        let mode = if matches!(mode, Mode::PostMortem | Mode::Replay) { Mode::Full } else { mode };
        let next = Options { mode, n_workers, seed, save, ..Options::new() };
        let kept = Kept {
            path: match &self.subject {
                Some(Subject::Program { path, .. }) => path.clone(),
                Some(Subject::Trace(_)) | None => None,
            },
            options: Options { mode, ..std::mem::replace(&mut self.options, next) },
            typed: std::mem::take(&mut self.typed),
            has_breakpoints: !self.breakpoints.is_empty(),
        };
        self.kept.retain(|known| known.path.is_some() && known.path != kept.path);
        if kept.path.is_some() {
            self.kept.push(kept);
        }
    }

    /// Takes up the options of a program that comes back. Returns whether it had breakpoints.
    pub(super) fn take_up(&mut self, next: &Subject) -> bool {
        let (None, Subject::Program { path: path @ Some(_), .. }) = (&self.subject, next) else {
            return false;
        };
        let Some(at) = self.kept.iter().position(|known| known.path == *path) else { return false };
        let Kept { options, typed, has_breakpoints, .. } = self.kept.remove(at);
        (self.options, self.typed) = (options, typed);
        has_breakpoints
    }
}
