//! Forks of a program's own records.

use hasse_model::event::EventBatch;
use hasse_runtime::run::RuntimeError;

use super::continuation::Fork;
use super::error::Error;
use super::event::Ground;
use super::moment::{DEFAULT_STATE_BYTES, Timeline, with_every_event};
use super::options::Options;
use super::program::Program;
use super::run::Run;
use super::trace::{Bytes, Trace, TraceSink};

impl Program {
    /// Goes on from a moment of a recorded run with all choices free, and records the whole in memory. The moment is an event after which it
    /// is, a number of events, a share of them such as `50%`, or `end`. Parameters are those of the record.
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options};
    /// # let graph = Graph::new("pair")
    /// #     .arc("Make.part -> Sum.part")
    /// #     .unit(Unit::new("Make").start().output("part", "int").route("part <- i for i in 1..5"))
    /// #     .unit(Unit::new("Sum").input("part", "int").var("total", "int").fire("part -> v").body("total += v;\nresult(\"total\", total);"));
    /// # let program = Builder::new("pair").graph(graph).compile(&Natives::new())?;
    /// let (_, trace) = program.record(&Options::new())?;
    /// let (run, forked) = program.fork(&trace, "/Sum:2", &Options::new())?;
    /// assert_eq!(run.result::<i64>("total")?, 10);
    /// assert_eq!(forked.digest()?, trace.digest()?);
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace does not have every event or choice, or no such moment, or is of another program; or the run cannot be carried out.
    pub fn fork(&self, trace: &Trace, at: &str, options: &Options) -> Result<(Run, Trace), Error> {
        let mut recorded = trace.recorded()?;
        recorded.record.batches.iter_mut().for_each(EventBatch::unfold);
        self.require_same(&recorded.header)?;
        let run_options = self.run_options(options)?;
        let recorded =
            with_every_event(Ground { plan: self.plan(), recorded: &recorded, options: &run_options })?;
        let timeline = Timeline::new(self.plan(), recorded.clone(), &run_options, DEFAULT_STATE_BYTES)?;
        let fork = Fork::new(&timeline, &recorded, timeline.position(at)?)?;
        let (bytes, program) = (Bytes::default(), self.name().to_owned());
        let header = fork.header(&program, self.text(), &run_options)?;
        let sink = TraceSink::new(bytes.clone(), &header).map_err(RuntimeError::Sink)?;
        let report = fork.run(&run_options, Some(Box::new(sink)), options.line_output())?;
        Ok((Run { program, report }, bytes.into_trace()))
    }
}
