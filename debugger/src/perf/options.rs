//! Options of a performance report.

use hasse_model::plan::Plan;
use hasse_model::value::Value;

use super::group::By;
use super::report;
use super::scratch::{OpenScratch, in_memory};
use super::window::Window;

/// What is to be reported.
#[derive(Clone, Copy, Debug)]
pub struct PerfOptions<'a> {
    /// What events are counted under.
    pub by: By,
    /// How many rows a table has at most.
    pub n_top: usize,
    /// Only what happened in this stretch; `None`: everything.
    pub window: Option<Window>,
    /// The program and the parameters of its main graph, by which values are told to have come along arcs.
    pub program: Option<(&'a Plan, &'a [(String, Value)])>,
    /// Maximum number of steps of the critical path in the report: those that add and wait most.
    pub n_steps: usize,
    /// Opens the files for what does not fit into some 100 MB.
    pub scratch: OpenScratch,
}

impl Default for PerfOptions<'_> {
    fn default() -> Self {
        Self {
            by: By::default(),
            n_top: 10,
            window: None,
            program: None,
            n_steps: report::MOST_STEPS,
            scratch: in_memory,
        }
    }
}
