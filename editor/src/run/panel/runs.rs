//! Past runs of the panel: recorded from the session's messages, and rerun.

use std::path::Path;

use super::super::options::Mode;
use super::super::past::PastRun;
use super::super::snapshot::Snapshot;
use super::super::toolbar::Button;
use crate::run::past::MOST_RUNS;

use super::RunPanel;

impl RunPanel {
    /// Runs since the window was opened, the first of them first; the one under way is the last.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &PastRun> {
        self.runs.iter()
    }

    /// The run with a number, as far as it is remembered.
    pub fn run_numbered(&self, number: u64) -> Option<&PastRun> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// Begins a run with the mode, parameters, seed and workers of an earlier one. Does nothing while none can be begun.
    pub fn rerun(&mut self, number: u64) {
        let Some(run) = self.run_numbered(number) else { return };
        let (mode, given) = (run.mode, run.options.clone());
        if !self.is_enabled(Button::Run) {
            return;
        }
        let mut options = self.options.clone();
        options.mode = mode;
        options.params = given.params;
        options.seed = given.seed;
        options.n_workers = given.n_workers;
        self.set_options(options);
        self.press(Button::Run);
    }

    pub(super) fn begin_run(&mut self, mode: Mode) {
        self.n_runs += 1;
        self.runs.push_back(PastRun {
            number: self.n_runs,
            options: self.known.clone().unwrap_or_else(|| self.options.clone()),
            mode,
            ended: None,
            record: None,
        });
        if self.runs.len() > MOST_RUNS {
            self.runs.pop_front();
        }
    }

    pub(super) fn end_run(&mut self, snapshot: &Snapshot) {
        if let (Some(run), Some(ended)) = (self.runs.back_mut(), &snapshot.ended)
            && run.ended.is_none()
        {
            run.ended = Some(ended.clone());
        }
    }

    pub(super) fn file_run(&mut self, record: &Path) {
        if let Some(run) = self.runs.back_mut()
            && run.record.is_none()
        {
            run.record = Some(record.to_owned());
        }
    }
}
