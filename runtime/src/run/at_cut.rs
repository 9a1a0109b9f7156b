//! A run at a cut of its record: its state as data, from which it goes on, as recorded or freely, with any number of workers.

use hasse_body::output::Output;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::Plan;
use hasse_model::snapshot::{Cut, Snapshot};
use hasse_record::replay::Script;
use hasse_request::options::{EventSink, Recording, ReplayRecord, RunOptions, RuntimeError};
use hasse_request::report::{Divergence, RunReport};

use crate::run::entry::{AtRest, Course, Leave, base_of, follow, load, run_loaded};
use crate::run::snapshot::relabel;

/// A full record in memory that is replayed often, each time to another cut. Clones share it.
#[derive(Clone, Debug)]
pub struct LoadedRecord(Script);

impl LoadedRecord {
    /// Takes in a record. Cost: linear in its events.
    ///
    /// # Errors
    /// [`RuntimeError::Record`] for a minimal record, one of a run in which a person has changed queues, and one that
    /// contradicts itself or the plan.
    pub fn load(record: ReplayRecord, plan: &Plan) -> Result<Self, RuntimeError> {
        script(record, plan).map(Self)
    }

    /// Returns true if values that waited were changed by hand, or dropped: every replay to a moment then comes through all of the
    /// record before.
    pub fn has_edits(&self) -> bool {
        self.0.known.has_edits()
    }

    /// The first ids that no action, object and graph instance of the record has.
    pub fn first_free(&self) -> [u32; 3] {
        self.0.known.first_free()
    }

    /// Shared objects that an event has accessed; none where the record does not have the event.
    pub fn objects_of(&self, event: EventId) -> impl Iterator<Item = ObjectId> + '_ {
        self.0.objects_of(event)
    }

    /// The record up to a cut.
    fn until(&self, cut: &Cut) -> Script {
        let mut script = self.0.clone();
        script.limit(cut);
        script
    }
}

/// A run that is at rest at a cut.
///
/// It is made by replaying a record up to a cut, or from a [snapshot](Self::snapshot), and holds no threads. What it then does
/// depends on nothing but the snapshot, the plan and the options.
#[derive(Clone, Debug)]
pub struct Run<'p> {
    plan: &'p Plan,
    options: RunOptions,
    snapshot: Snapshot,
}

impl<'p> Run<'p> {
    /// Replays a full record up to a cut. `output` is given the lines that are certain to be the first of the output; those
    /// that events before the cut have printed after a line of an event beyond it are part of the state.
    ///
    /// # Errors
    /// As for [`replay`](crate::run::entry::replay), also for a minimal record and one of a run in which a person has changed queues;
    /// [`RuntimeError::Cut`] where the cut is not consistent, or the state has something that has no form in bytes.
    pub fn at_cut(
        plan: &'p Plan,
        options: &RunOptions,
        record: ReplayRecord,
        cut: &Cut,
        output: Output,
    ) -> Result<Self, RuntimeError> {
        Self::advance(plan, options, None, record, Some(cut), output)
    }

    /// Replays a full record to its end, from its beginning or from the snapshot of an earlier cut. Nothing is printed: the run that
    /// was recorded has printed it, and the state says so.
    ///
    /// # Errors
    /// As for [`at_cut`](Self::at_cut).
    pub fn at_end(
        plan: &'p Plan,
        options: &RunOptions,
        from: Option<&Snapshot>,
        record: ReplayRecord,
    ) -> Result<Self, RuntimeError> {
        let mut run = Self::advance(plan, options, from, record, None, Box::new(|_| {}))?;
        run.snapshot.output = run.snapshot.output.all_written();
        Ok(run)
    }

    /// Goes on with a snapshot that was taken at a cut. Parameters are those of the snapshot, as is the seed of random numbers
    /// where `options` have none; nodes, ports and vars are found by their names.
    ///
    /// # Errors
    /// [`RuntimeError::Snapshot`] where the plan has no node or other part that the snapshot names.
    pub fn from_snapshot(
        plan: &'p Plan,
        options: &RunOptions,
        snapshot: Snapshot,
    ) -> Result<Self, RuntimeError> {
        let snapshot = relabel(snapshot, plan)?;
        let options = RunOptions { params: snapshot.params.clone(), ..options.clone() };
        Ok(Self { plan, options, snapshot })
    }

    /// All that the run is at the cut.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The same, in place of the run.
    pub fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }

    /// Replays the record of which this run is a beginning up to a later cut.
    ///
    /// # Errors
    /// As for [`at_cut`](Self::at_cut).
    pub fn replay_to(self, record: ReplayRecord, cut: &Cut, output: Output) -> Result<Self, RuntimeError> {
        let Self { plan, options, snapshot } = self;
        Self::advance(plan, &options, Some(&snapshot), record, Some(cut), output)
    }

    /// Goes on to the end, with all choices free. Recordings other than minimal, restricted and choices take what comes; ids
    /// are those of the snapshot, so that the record before the cut and this one are a whole.
    ///
    /// # Errors
    /// As for [`run`](crate::run::entry::run); also [`RuntimeError::Snapshot`] where the state does not fit the plan, or the recording needs
    /// more than a snapshot has.
    pub fn run(&self, recording: Recording<'_>, output: Output) -> Result<RunReport, RuntimeError> {
        self.run_or_leave(recording, output, None)
    }

    /// Goes on as [`run`](Self::run), and leaves as [`run_or_leave`](crate::run::entry::run_or_leave) leaves a run.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_or_leave<'r>(
        &'r self,
        recording: Recording<'_>,
        output: Output,
        leave: Option<Leave<'r>>,
    ) -> Result<RunReport, RuntimeError> {
        let course = Course { from: Some(&self.snapshot), leave, ..Course::default() };
        run_loaded(&load(self.plan, &self.options)?, &self.options, recording, output, course)
    }

    /// Goes on to the end of the record of which this run is a beginning. `sink` takes a record of what comes after the cut.
    ///
    /// # Errors
    /// As for [`replay`](crate::run::entry::replay), and [`run`](Self::run).
    pub fn replay(
        &self,
        record: ReplayRecord,
        sink: Option<Box<dyn EventSink + '_>>,
        output: Output,
    ) -> Result<RunReport, RuntimeError> {
        let program = load(self.plan, &self.options)?;
        let script = script(record, self.plan)?;
        let course = Course { from: Some(&self.snapshot), ..Course::default() };
        follow(&program, &self.options, script, sink, output, course)
    }

    fn advance(
        plan: &'p Plan,
        options: &RunOptions,
        from: Option<&Snapshot>,
        record: ReplayRecord,
        cut: Option<&Cut>,
        output: Output,
    ) -> Result<Self, RuntimeError> {
        // Nobody controls a replay that ends at a cut.
        let unwatched = RunOptions { control: None, ..options.clone() };
        let program = load(plan, &unwatched)?;
        let base = if from.is_none() { base_of(&record, plan)? } else { None };
        let mut script = script(record, plan)?;
        let whole = script.cut();
        let cut = cut.unwrap_or(&whole);
        script.limit(cut);
        let mut at_rest = None;
        let mut rest = |snapshot| at_rest = Some(snapshot);
        let at_rest_of_course = AtRest { arrive: &mut rest, stays: false };
        let from = from.or(base.as_ref());
        let course = Course { from, at_rest: Some(at_rest_of_course), ..Course::default() };
        let report = follow(&program, &unwatched, script, None, output, course)?;
        if let Some(divergence) = report.divergence {
            let Divergence { event, expected, found, .. } = divergence;
            let message = format!(
                "the cut is not consistent: at {event} the replay expected {expected} and found {found}"
            );
            return Err(RuntimeError::Cut { message });
        }
        let snapshot = at_rest.filter(|snapshot: &Snapshot| snapshot.n_events == cut.n_events());
        let snapshot = snapshot.ok_or_else(|| RuntimeError::Cut {
            message: format!("the record does not have all {} events before the cut", cut.n_events()),
        })?;
        Self::from_snapshot(plan, options, snapshot)
    }
}

/// Replays a record up to a cut, from its beginning or from the snapshot of an earlier cut, and stays there until the control in
/// `options` lets go of it: the run can be asked as one that is over. `arrive` is given the state. Where a breakpoint of the
/// control stops an action, the run waits there, and `arrive` is not called. Nothing is printed. `sink` takes a record of what comes
/// after `from`.
///
/// # Errors
/// As for [`Run::at_cut`]; a cut that is not consistent is a divergence in the report.
pub fn stay_at(
    plan: &Plan,
    options: &RunOptions,
    record: &LoadedRecord,
    from: Option<&Snapshot>,
    cut: &Cut,
    sink: Option<Box<dyn EventSink + '_>>,
    arrive: &mut dyn FnMut(Snapshot),
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let course = Course { from, at_rest: Some(AtRest { arrive, stays: true }), ..Course::default() };
    follow(&program, options, record.until(cut), sink, Box::new(|_| {}), course)
}

/// Replays a part of a record, from a state that has what the part needs: the actions in `last`, which is ascending by action, and the
/// shared objects that they access. Each of them goes on up to its event there; `n_events` are then before the
/// end, with those before the state. Stays and arrives as [`stay_at`]. The state that `arrive` is given has these actions and objects, and of others that have been sent
/// values what has come.
///
/// # Errors
/// As for [`stay_at`].
pub fn stay_with_part(
    plan: &Plan,
    options: &RunOptions,
    record: &LoadedRecord,
    from: Option<&Snapshot>,
    (last, n_events): (&[EventId], u64),
    sink: Option<Box<dyn EventSink + '_>>,
    arrive: &mut dyn FnMut(Snapshot),
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let course = Course { from, at_rest: Some(AtRest { arrive, stays: true }), ..Course::default() };
    follow(&program, options, record.0.only(last, n_events), sink, Box::new(|_| {}), course)
}

/// The script of a record that a run at a cut can follow.
fn script(record: ReplayRecord, plan: &Plan) -> Result<Script, RuntimeError> {
    let refused = |message: &str| Err(RuntimeError::Record { message: message.to_owned() });
    if record.minimal.is_some() {
        return refused("a minimal record has choices only; replay it with full recording first");
    }
    let script = Script::load(record, plan)?;
    if script.known.has_edits_by_hand() {
        return refused("a person has changed queues in the recorded run");
    }
    Ok(script)
}
