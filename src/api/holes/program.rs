//! Cuts of a program's own records.

use hasse_runtime::run::RuntimeError;

use super::cut::Cut;
use crate::api::error::Error;
use crate::api::event::Ground;
use crate::api::options::Options;
use crate::api::program::Program;
use crate::api::trace::{Bytes, Trace};

impl Program {
    /// Cuts a record of the whole run: keeps the graph instances and actions that the selectors name, with all that comes into them.
    /// The cut record is replayed without the rest, by [`Program::of_trace`].
    ///
    /// ```
    /// # use hasse::build::{Graph, Program as Builder, Unit};
    /// # use hasse::{Natives, Options, Program};
    /// # let graph = Graph::new("sums")
    /// #     .arc("Make.n -> Sum.n")
    /// #     .unit(Unit::new("Make").start().output("n", "int").route("n <- k * k for k in 1..4"))
    /// #     .unit(Unit::new("Sum").input("n", "int").var("total", "int").fire("n -> n").body("total += n;\nresult(\"total\", total);"));
    /// # let program = Builder::new("sums").graph(graph).compile(&Natives::new())?;
    /// let options = Options::new().workers(2);
    /// let (_, trace) = program.record(&options)?;
    /// let cut = program.cut(&trace, &["Sum"], &options)?;
    /// let part = Program::of_trace(&cut, &Natives::new())?;
    /// assert_eq!(part.replay(&cut, &options)?.finished()?.result::<i64>("total")?, 14);
    /// # Ok::<(), hasse::Error>(())
    /// ```
    ///
    /// # Errors
    /// The trace cannot be used, replayed or cut, or is of another program; a selector names nothing.
    pub fn cut(&self, trace: &Trace, keep: &[&str], options: &Options) -> Result<Trace, Error> {
        let recorded = trace.recorded()?;
        self.require_same(&recorded.header)?;
        let run_options = self.run_options(options)?;
        let keep: Vec<String> = keep.iter().map(|&selector| selector.to_owned()).collect();
        let cut = Cut::new(Ground { plan: self.plan(), recorded: &recorded, options: &run_options }, &keep)?;
        let bytes = Bytes::default();
        cut.write(bytes.clone()).map_err(RuntimeError::Sink)?;
        Ok(bytes.into_trace())
    }
}
