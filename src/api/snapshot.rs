//! Snapshots: the state of a recorded run at a cut, from which it goes on.

use hasse_debugger::event_path::EventPath;
use hasse_debugger::past::History;
use hasse_model::snapshot::{Cut, Snapshot};
use hasse_model::trace::Names;
use hasse_runtime::run::{self as runtime, Recording, RunOptions};

use super::error::Error;
use super::event::EventError;
use super::options::Options;
use super::program::Program;
use super::run::Run;
use super::trace::{Recorded, Trace};

impl Program {
    /// Takes the state of a recorded run after some events: these and all events before them in causal order have been
    /// executed, and no other. What they have printed goes to [`Options::output`], as far as no other line comes before it in
    /// the record.
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
    /// let snapshot = program.snapshot(&trace, &["/Sum:2"], &Options::new())?;
    /// assert_eq!(snapshot.n_events, 3);
    /// let run = program.run_from(&snapshot, &Options::new().workers(4))?;
    /// assert_eq!(run.result::<i64>("total")?, 10);
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace does not have every event, or not these, or is of another program; or the replay of what comes before the cut
    /// does not follow it.
    pub fn snapshot(&self, trace: &Trace, after: &[&str], options: &Options) -> Result<Snapshot, Error> {
        let recorded = self.events_of(trace)?;
        let batches = &recorded.record.batches;
        let mut names = Names::new(&recorded.header);
        batches.iter().for_each(|batch| names.read(batch));
        let history = History::new(batches);
        let find = |text: &&str| -> Result<_, EventError> {
            let path = EventPath::parse(text)
                .map_err(|source| EventError::Path { text: (*text).to_owned(), source })?;
            Ok(path.find(&names, history.actions())?)
        };
        let events = after.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let cut = Cut::after(history.past_of(events));
        drop(history);
        let params = recorded.header.params.clone();
        let run_options = RunOptions { params, ..self.run_options(options)? };
        let (record, output) = (recorded.record, options.line_output());
        let run = runtime::Run::at_cut(self.plan(), &run_options, record, &cut, output)?;
        Ok(run.into_snapshot())
    }

    /// Goes on from a snapshot to the end, with all choices free and without a record. Parameters are those of the snapshot.
    ///
    /// # Errors
    /// As for [`run`](Self::run); also where the snapshot does not fit the program, whose nodes, ports and vars are found by
    /// their names.
    pub fn run_from(&self, snapshot: &Snapshot, options: &Options) -> Result<Run, Error> {
        let run_options = self.run_options(options)?;
        let run = runtime::Run::from_snapshot(self.plan(), &run_options, snapshot.clone())?;
        let report = run.run(Recording::None, options.line_output())?;
        Ok(Run { program: self.name().to_owned(), report })
    }

    /// Goes on from a snapshot to the end as recorded in the trace that it was taken from.
    ///
    /// # Errors
    /// As for [`replay`](Self::replay) and [`run_from`](Self::run_from).
    pub fn replay_from(&self, snapshot: &Snapshot, trace: &Trace, options: &Options) -> Result<Run, Error> {
        let record = self.events_of(trace)?.record;
        let run_options = self.run_options(options)?;
        let run = runtime::Run::from_snapshot(self.plan(), &run_options, snapshot.clone())?;
        let report = run.replay(record, None, options.line_output())?;
        Ok(Run { program: self.name().to_owned(), report })
    }

    /// The events of a trace of this program that has every event.
    fn events_of(&self, trace: &Trace) -> Result<Recorded, Error> {
        let recorded = trace.recorded()?;
        if recorded.record.minimal.is_some() {
            return Err(Error::OnlyChoices);
        }
        self.require_same(&recorded.header)?;
        Ok(Recorded::read_events(trace.reader()?)?)
    }
}
