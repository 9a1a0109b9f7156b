//! Entry points: run a plan, replay a record.

use std::sync::Arc;
use std::thread;

use hasse_body::builtin;
use hasse_body::convert::value_from_dynamic;
use hasse_body::effects::SharedContext;
use hasse_body::interrupt::StopSignal;
use hasse_body::output::Output;
use hasse_body::output::held::HeldLines;
use hasse_body::script;
use hasse_model::plan::Plan;
use hasse_model::record_options::ResolvedOptions;
use hasse_model::snapshot::Snapshot;
use hasse_model::value::Value;
use hasse_record::collector::{Closer, Collector, circle, timed_circle};
use hasse_record::full::Full;
use hasse_record::minimal::{Gives, Minimal};
use hasse_record::off::Off;
use hasse_record::replay::Script;
use hasse_record::restricted::Restricted;
use hasse_request::options::{EventSink, Recording, ReplayRecord, RunOptions, RuntimeError};
use hasse_request::report::{Idle, RunReport};
use hasse_runtime_plan::program::Program;

use crate::run::snapshot::{needs_past, relabel, unfit};
use crate::run::workers::carry_out;

/// Runs a plan to its end.
///
/// # Errors
/// [`RuntimeError`] where the run could not be carried out; a failing program is not an error but
/// an outcome of the report.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    run_loaded(&load(plan, options)?, options, recording, output, Course::default())
}

/// A way out of a run that was asked to end while a body in Rust goes on: a thread cannot be ended.
pub struct Leave<'l> {
    /// Returns whether to leave now; asked again and again from the moment when the run was asked to end.
    pub is_due: &'l dyn Fn() -> bool,
    /// Takes the report, and may end the process. Where it returns, the body is waited for.
    pub leave: &'l mut dyn FnMut(&RunReport),
}

/// Runs a plan, as [`run`]. Where the run was asked to end, and a body in Rust goes on for longer than a moment, the record is
/// closed without its event, and `leave` takes over.
///
/// # Errors
/// As for [`run`].
pub fn run_or_leave(
    plan: &Plan,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
    leave: Leave<'_>,
) -> Result<RunReport, RuntimeError> {
    let course = Course { leave: Some(leave), ..Course::default() };
    run_loaded(&load(plan, options)?, options, recording, output, course)
}

pub(crate) fn run_loaded(
    program: &Program<'_>,
    options: &RunOptions,
    recording: Recording<'_>,
    output: Output,
    course: Course<'_>,
) -> Result<RunReport, RuntimeError> {
    let first_free = course.from.map_or([0; 3], |snapshot| snapshot.first_free);
    let script = course.from.map(|snapshot| Script::of_snapshot(snapshot, program.plan)).transpose()?;
    let (n_workers, stop) = (options.n_workers, &options.stop);
    let is_full = matches!(recording, Recording::Full(_));
    if options.checkpoints.is_some() && (!is_full || options.control.is_some() || options.chooser.is_some()) {
        return Err(unfit(
            "checkpoints are taken of runs that are recorded in full, without control and chooser",
        ));
    }
    if options.writes_ahead && (!is_full || options.control.is_some() || options.chooser.is_some()) {
        return Err(unfit(
            "records are written ahead of runs that are recorded in full, without control and chooser",
        ));
    }
    match recording {
        Recording::None if options.chooser.is_some() => {
            // Decisions are about the senders of values. Nobody controls such a run.
            let recorder = Full::recorder(script.unwrap_or_default(), first_free, None);
            let options = RunOptions { control: None, ..options.clone() };
            carry_out(program, &options, &recorder, output, course, None)
        }
        Recording::Off if options.control.is_some() || options.chooser.is_some() => {
            let recorder = Full::recorder(script.unwrap_or_default(), first_free, None);
            carry_out(program, options, &recorder, output, course, None)
        }
        Recording::None | Recording::Off => {
            let recorder = Off::new(script.unwrap_or_default(), first_free);
            carry_out(program, options, &recorder, output, course, None)
        }
        Recording::Full(sink) => {
            let (handoff, collector, closer) = circle(n_workers);
            let handoff = handoff.in_segments(sink.segment());
            if !options.writes_ahead {
                return collected(collector, closer, sink, stop, |conclude| {
                    let recorder = Full::recorder(script.unwrap_or_default(), first_free, Some(handoff));
                    carry_out(program, options, &recorder, output, course, Some(conclude))
                });
            }
            let lines = Arc::new(HeldLines::new(output));
            let collector = collector.with_lines(Arc::clone(&lines));
            let course = Course { lines: Some(Arc::clone(&lines)), ..course };
            collected(collector, closer, sink, stop, |conclude| {
                let recorder = Full::recorder(script.unwrap_or_default(), first_free, Some(handoff));
                let conclude: Conclude<'_> = Box::new(move |report, idle| {
                    conclude(report, idle)?;
                    lines.release_all();
                    Ok(())
                });
                carry_out(program, options, &recorder, Box::new(|_| {}), course, Some(conclude))
            })
        }
        Recording::Perf(sink) => {
            let (handoff, collector, closer) = timed_circle(n_workers);
            let handoff = handoff.in_segments(sink.segment());
            collected(collector, closer, sink, stop, |conclude| {
                let recorder = Full::timed(script.unwrap_or_default(), first_free, handoff);
                carry_out(program, options, &recorder, output, course, Some(conclude))
            })
        }
        Recording::Restricted(..) | Recording::Minimal(_) | Recording::Choices(_)
            if course.from.is_some() =>
        {
            Err(needs_past())
        }
        Recording::Restricted(sink, selected) => {
            let (handoff, collector, closer) = circle(n_workers);
            let handoff = handoff.in_segments(sink.segment());
            collected(collector, closer, sink, stop, |conclude| {
                let recorder = Restricted::recorder(selected, handoff);
                carry_out(program, options, &recorder, output, course, Some(conclude))
            })
        }
        Recording::Minimal(sink) => record_choices(program, options, Gives::Minimal, sink, output, course),
        Recording::Choices(sink) => record_choices(program, options, Gives::Marked, sink, output, course),
    }
}

fn record_choices(
    program: &Program,
    options: &RunOptions,
    gives: Gives,
    sink: Box<dyn EventSink + '_>,
    output: Output,
    course: Course<'_>,
) -> Result<RunReport, RuntimeError> {
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let recorder = Minimal::recorder(program.plan, gives, options.reclaim_above == 0, handoff);
        carry_out(program, options, &recorder, output, course, Some(conclude))
    })
}

/// Runs a plan again as recorded: the same firing rules, merges, lock grants and answers, with any
/// number of workers. Stops at the first event that goes another way. `sink` takes a fresh record; of a record with a base, that of
/// what comes after the base.
/// The parameters in `options` must be those of the recorded run; `options.seed` injects noise.
///
/// # Errors
/// As for [`run`]; also where the record contradicts itself or the plan.
pub fn replay(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Option<Box<dyn EventSink + '_>>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    replay_or_leave(plan, options, record, sink, output, None)
}

/// Runs a plan again as recorded, as [`replay`], and leaves it as [`run_or_leave`] leaves a run.
///
/// # Errors
/// As for [`replay`].
pub fn replay_or_leave(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Option<Box<dyn EventSink + '_>>,
    output: Output,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    let base = base_of(&record, plan)?;
    let script = Script::load(record, plan)?;
    // With the shorter lifetime of the base.
    let leave = leave.map(|Leave { is_due, leave }| Leave { is_due, leave });
    let course = Course { from: base.as_ref(), leave, ..Course::default() };
    follow(&program, options, script, sink, output, course)
}

/// The state that a replay of a record begins with, with the ids of a plan; `None` for the beginning of the run.
///
/// # Errors
/// The plan lacks a part that the state names.
pub(crate) fn base_of(record: &ReplayRecord, plan: &Plan) -> Result<Option<Snapshot>, RuntimeError> {
    record.base.as_ref().map(|base| relabel(Snapshot::clone(base), plan)).transpose()
}

/// Refuses a record that goes on from a state in which something was changed.
///
/// # Errors
/// It does.
fn refuse_base(record: &ReplayRecord) -> Result<(), RuntimeError> {
    if record.base.is_some() { Err(needs_past()) } else { Ok(()) }
}

/// Makes a run follow a script.
pub(crate) fn follow(
    program: &Program<'_>,
    options: &RunOptions,
    script: Script,
    sink: Option<Box<dyn EventSink + '_>>,
    output: Output,
    course: Course<'_>,
) -> Result<RunReport, RuntimeError> {
    let is_minimal = script.is_minimal();
    match sink {
        None if is_minimal => {
            let replayer = Minimal::replayer(program.plan, Gives::Full, script, None);
            carry_out(program, options, &replayer, output, course, None)
        }
        Some(sink) if is_minimal => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let replayer = Minimal::replayer(program.plan, Gives::Full, script, Some(handoff));
                carry_out(program, options, &replayer, output, course, Some(conclude))
            })
        }
        None => carry_out(program, options, &Full::replayer(script, None), output, course, None),
        Some(sink) => {
            let (handoff, collector, closer) = circle(options.n_workers);
            collected(collector, closer, sink, &options.stop, |conclude| {
                let replayer = Full::replayer(script, Some(handoff));
                carry_out(program, options, &replayer, output, course, Some(conclude))
            })
        }
    }
}

/// Runs a plan again as recorded, like [`replay`], and gives `sink` the minimal record of the same execution. The
/// record to be replayed is full or minimal.
///
/// # Errors
/// As for [`replay`].
pub fn minimize(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    sink: Box<dyn EventSink>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    refuse_base(&record)?;
    let program = load(plan, options)?;
    let script = Script::load(record, plan)?;
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let replayer = Minimal::replayer(plan, Gives::Minimal, script, Some(handoff));
        carry_out(&program, options, &replayer, output, Course::default(), Some(conclude))
    })
}

/// Runs a plan again as recorded, like [`replay`], and gives `sink` the record of a restricted run of the same
/// execution. The record to be replayed must be full.
///
/// # Errors
/// As for [`replay`].
pub fn replay_restricted(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    selected: ResolvedOptions,
    sink: Box<dyn EventSink + '_>,
    output: Output,
) -> Result<RunReport, RuntimeError> {
    replay_restricted_or_leave(plan, options, record, selected, sink, output, None)
}

/// Replays as [`replay_restricted`], and leaves as [`run_or_leave`] leaves a run.
///
/// # Errors
/// As for [`replay`].
pub fn replay_restricted_or_leave(
    plan: &Plan,
    options: &RunOptions,
    record: ReplayRecord,
    selected: ResolvedOptions,
    sink: Box<dyn EventSink + '_>,
    output: Output,
    leave: Option<Leave<'_>>,
) -> Result<RunReport, RuntimeError> {
    let program = load(plan, options)?;
    if record.minimal.is_some() {
        let message = "it holds choices, and only a replay that records everything follows them".to_owned();
        return Err(RuntimeError::Record { message });
    }
    refuse_base(&record)?;
    let script = Script::load(record, plan)?;
    let (handoff, collector, closer) = circle(options.n_workers);
    collected(collector, closer, sink, &options.stop, |conclude| {
        let replayer = Restricted::replayer(script, selected, handoff);
        let course = Course { leave, ..Course::default() };
        carry_out(&program, options, &replayer, output, course, Some(conclude))
    })
}

/// The values that the creation parameters have in a run with these options, defaults included, in
/// the order of the file.
///
/// # Errors
/// As for [`run`], where a value is missing, does not fit or cannot be computed.
pub fn param_values(plan: &Plan, options: &RunOptions) -> Result<Vec<(String, Value)>, RuntimeError> {
    let program = load(plan, options)?;
    let named = plan.params().iter().zip(&program.params).map(|(param, held)| {
        let value = value_from_dynamic(held).map_err(|found| RuntimeError::Initial {
            what: format!("the default of parameter `{}`", param.name),
            message: format!("a {found} is not a value"),
        })?;
        Ok((param.name.clone(), value))
    });
    named.collect()
}

/// The creation parameters of a run with these options, as bodies watch them: an object of JSON.
///
/// # Errors
/// As for [`run`], where a value is missing, does not fit or cannot be computed.
pub fn params_line(plan: &Plan, options: &RunOptions) -> Result<String, RuntimeError> {
    let program = load(plan, options)?;
    let names = plan.params().iter().map(|param| param.name.as_str());
    Ok(builtin::params_line(names.zip(program.params.iter().cloned())))
}

pub(crate) fn load<'p>(plan: &'p Plan, options: &RunOptions) -> Result<Program<'p>, RuntimeError> {
    let context = SharedContext::default();
    let mut engine = script::engine(&context, &StopSignal::default(), &plan.structs);
    options.natives.register(&mut engine, &context);
    Program::load(plan, options, &engine)
}

/// Beginning and end of a run, in addition to its options.
#[derive(Default)]
pub(crate) struct Course<'c> {
    /// The state that it goes on from; without, it begins.
    pub(crate) from: Option<&'c Snapshot>,
    pub(crate) leave: Option<Leave<'c>>,
    /// For a replay up to a cut.
    pub(crate) at_rest: Option<AtRest<'c>>,
    /// Lines that wait for their record, in place of the output.
    pub(crate) lines: Option<Arc<HeldLines>>,
}

/// The end of a replay at a cut.
pub(crate) struct AtRest<'c> {
    /// Takes the state.
    pub(crate) arrive: &'c mut dyn FnMut(Snapshot),
    /// True if the run is open to questions then.
    pub(crate) stays: bool,
}

/// What is to be done when a run is over, and before it is let go of.
pub(crate) type Conclude<'c> = Box<dyn FnOnce(&RunReport, &Idle) -> Result<(), RuntimeError> + 'c>;

/// Runs with a collector beside it, which closes the sink when all has been handed over.
fn collected(
    collector: Collector,
    closer: Closer,
    mut sink: Box<dyn EventSink + '_>,
    stop: &StopSignal,
    run: impl FnOnce(Conclude<'_>) -> Result<RunReport, RuntimeError>,
) -> Result<RunReport, RuntimeError> {
    thread::scope(|scope| {
        let collecting = thread::Builder::new()
            .name("hasse-collector".to_owned())
            .spawn_scoped(scope, move || (collector.collect(&mut *sink, stop), sink))
            .map_err(RuntimeError::Spawn)?;
        run(Box::new(move |report, idle| {
            closer.close();
            let (collected, mut sink) = match collecting.join() {
                Ok(joined) => joined,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            collected.map_err(RuntimeError::Sink)?;
            sink.finish(report, idle).map_err(RuntimeError::Sink)
        }))
    })
}
