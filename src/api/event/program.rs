//! Questions about one event, asked of a program and a trace.

use hasse_runtime::run::RunOptions;

use super::ground::Ground;
use super::{EventValues, Executed, Isolation, Why};
use crate::Recorded;
use crate::api::error::Error;
use crate::api::event;
use crate::api::options::Options;
use crate::api::program::Program;
use crate::api::trace::Trace;

impl Program {
    /// The values of one event of a record: what it took, from whom, its vars and shared objects before and after, what
    /// it sent and where. They are made again by a replay of what is before the event.
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options, Value};
    /// # let graph = Graph::new("sums")
    /// #     .arc("Make.n -> Sum.n")
    /// #     .unit(Unit::new("Make").start().output("n", "int").route("n <- k * k for k in 1..4"))
    /// #     .unit(Unit::new("Sum").input("n", "int").var("total", "int").fire("n -> n").body("total += n;"));
    /// # let program = Builder::new("sums").graph(graph).compile(&Natives::new())?;
    /// let options = Options::new().workers(2);
    /// let (_, trace) = program.record(&options)?;
    /// let values = program.values(&trace, "/Sum:3", &options)?;
    /// assert_eq!(values.took[0].value, Value::Int(9));
    /// assert_eq!(values.took[0].sender.as_deref(), Some("/Make:1"));
    /// assert_eq!(values.vars[0].before, Some(Value::Int(5)));
    /// assert_eq!(values.vars[0].after, Some(Value::Int(14)));
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace cannot be used or replayed, is of another program, or has no such event.
    pub fn values(&self, trace: &Trace, event: &str, options: &Options) -> Result<EventValues, Error> {
        self.with_ground(trace, options, |ground| Ok(event::values(ground, event)?))
    }

    /// Why an event happened: its causes back through arcs and shared objects, `depth` events deep.
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options};
    /// # let graph = Graph::new("sums")
    /// #     .arc("Make.n -> Sum.n")
    /// #     .unit(Unit::new("Make").start().output("n", "int").route("n <- k * k for k in 1..4"))
    /// #     .unit(Unit::new("Sum").input("n", "int").var("total", "int").fire("n -> n").body("total += n;"));
    /// # let program = Builder::new("sums").graph(graph).compile(&Natives::new())?;
    /// let options = Options::new().workers(2);
    /// let (_, trace) = program.record(&options)?;
    /// let why = program.why(&trace, "/Sum:2", 1, &options)?;
    /// let causes: Vec<_> = why.explained.causes.iter().flat_map(|cause| cause.events()).collect();
    /// assert_eq!(causes[0].event, "/Make:1");
    /// assert_eq!(causes[1].event, "/Sum:1");
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace cannot be used, is of another program, or has no such event.
    pub fn why(&self, trace: &Trace, event: &str, depth: usize, options: &Options) -> Result<Why, Error> {
        self.with_ground(trace, options, |ground| Ok(event::why(ground, event, depth, false)?))
    }

    /// One event of a record with all of its inputs, to be executed alone by [`execute`](Self::execute).
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options, Value};
    /// # let graph = Graph::new("sums")
    /// #     .arc("Make.n -> Sum.n")
    /// #     .unit(Unit::new("Make").start().output("n", "int").route("n <- k * k for k in 1..4"))
    /// #     .unit(Unit::new("Sum").input("n", "int").var("total", "int").fire("n -> n").body("total += n;"));
    /// # let program = Builder::new("sums").graph(graph).compile(&Natives::new())?;
    /// let options = Options::new().workers(2);
    /// let (_, trace) = program.record(&options)?;
    /// let mut isolation = program.isolate(&trace, "/Sum:3", &options)?;
    /// let executed = program.execute(&isolation, &options, 1)?;
    /// assert!(executed.differences.is_some_and(|differences| differences.is_empty()));
    ///
    /// isolation.set(program.plan(), "total", Value::Int(100))?;
    /// let executed = program.execute(&isolation, &options, 1)?;
    /// assert_eq!(executed.vars[0], ("total".to_owned(), Value::Int(109)));
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`values`](Self::values).
    pub fn isolate(&self, trace: &Trace, event: &str, options: &Options) -> Result<Isolation, Error> {
        self.with_ground(trace, options, |ground| Ok(event::isolate(ground, event)?.0))
    }

    /// Executes an isolated event, `n_times` times, and compares it with what was recorded. This may be another program
    /// than the recorded one, as long as the node has the same interface: what it would do on the recorded inputs.
    ///
    /// # Errors
    /// The node is another one, or the event does not take place on these inputs.
    pub fn execute(&self, isolation: &Isolation, options: &Options, n_times: u64) -> Result<Executed, Error> {
        let run_options = self.run_options(options)?;
        let is_changed = isolation.origin.program_text != self.text();
        Ok(isolation.execute(self.plan(), &run_options, is_changed, n_times)?)
    }

    fn with_ground<T>(
        &self,
        trace: &Trace,
        options: &Options,
        ask: impl FnOnce(Ground<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let recorded = Recorded::read_events(trace.reader()?)?;
        self.require_same(&recorded.header)?;
        let run_options: RunOptions = self.run_options(options)?;
        ask(Ground { plan: self.plan(), recorded: &recorded, options: &run_options })
    }
}
