//! `hasse fork`: goes on from a moment of a recorded run.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hasse::continuation::{Fork, OutcomeOfRuns, Outcomes};
use hasse::moment::{DEFAULT_STATE_BYTES, Timeline, with_every_event};
use hasse::order::Order;
use hasse_model::id::{ActionId, EventId};
use hasse_runtime::natives::Natives;
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::{EventSink, Output, RunOptions, StopSignal};

use crate::ending::Ending;
use crate::execution::{Scripts, Threads};
use crate::fault::Fault;
use crate::grants::Grants;
use crate::ground::{self, Subject};
use crate::linked::Linked;
use crate::ordering::{Imposed, OrderArgs};
use crate::params::{self, Setting};
use crate::program::Program;
use crate::progress::Progress;
use crate::results::print_results;
use crate::sink::{TraceFailure, TraceSink};
use crate::{message, out, overwrite};

/// Go on from a moment of a recorded run, with all choices free
///
/// The run is replayed up to the moment, and goes on from there as a run of its own. Its record begins with the recorded events before the
/// moment. What the program prints from the moment on goes to standard output.
#[derive(clap::Args)]
pub(crate) struct ForkArgs {
    /// The trace: a full, minimal or perf record
    trace: PathBuf,
    /// The moment: after an event such as '/Mult[3]:2', after a number of events, after a share of them such as 50%, or the end
    #[arg(long, value_name = "EVENT|N|N%|end")]
    at: String,
    /// Take the moment before the event
    #[arg(long)]
    before: bool,
    /// Set a var (`/Sum.total`) or a shared object (`/balance`) at the moment; may be given several times
    #[arg(long = "with", value_name = "NAME=VALUE")]
    settings: Vec<Setting>,
    /// Go on with this program file in place of the recorded one; nodes, ports and vars are found by their names
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Run N times from the moment, with seeds from 1 or from --seed on, and print a table of the outcomes. There is one worker
    /// unless --workers says otherwise, so that a seed gives the same run each time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    times: Option<u64>,
    /// Record into this file; with --times, one run of each outcome into this folder, as seed-N.trace
    #[arg(long, short, visible_alias = "out", value_name = "FILE|FOLDER")]
    output: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    scripts: Scripts,
    /// Draw free choices and random numbers from this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Do not wait for delayed values: advance the clock to the next one as soon as all workers are idle
    #[arg(long)]
    virtual_time: bool,
    /// Print one JSON object on standard output, and what the program prints on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    grants: Grants,
}

/// A run that is to go on, and the program with which it does.
struct Forked<'f, 'p> {
    fork: Fork<'p>,
    program: &'f Program,
    options: RunOptions,
    order: Option<Order>,
}

/// Goes on from a moment.
pub(crate) fn fork(args: &ForkArgs, linked: &Linked) -> Result<Ending, Fault> {
    if let Some(output) = &args.output {
        overwrite::refuse_same_file(output, &args.trace, "the trace that is forked")?;
    }
    let linked = &linked.trusting(args.grants.trusts());
    let subject = Subject::read(&args.trace, linked)?;
    let stop = ground::interruptible();
    subject.ask(&args.threads, &stop, |ground| {
        let recorded = with_every_event(ground)?;
        let timeline = Timeline::new(ground.plan, recorded.clone(), ground.options, DEFAULT_STATE_BYTES)?;
        let position = timeline.position(&args.at)?;
        let position = if args.before { position.saturating_sub(1) } else { position };
        let fork = Fork::new(&timeline, &recorded, position)?;
        let order = order_at(args, &timeline, position)?;
        drop((timeline, recorded));
        let Some(path) = &args.program else {
            let natives = ground.options.natives.clone();
            return go_on(args, (fork, order), (subject.program(), natives), &stop);
        };
        let program = Program::read(path, linked)?;
        let ended = ground::with_plan(&program, |plan, natives| {
            go_on(args, (fork.with_program(plan)?, order), (&program, natives), &stop)
        });
        Ok(ended?.unwrap_or(Ending::Failed))
    })
}

/// The imposed order, of which the events before the moment are judged.
fn order_at(args: &ForkArgs, timeline: &Timeline<'_>, position: u64) -> Result<Option<Order>, Fault> {
    let Some(mut order) = args.order.order(timeline.plan(), &args.threads, args.seed)? else {
        return Ok(None);
    };
    let (moments, names) = (timeline.moments(), timeline.names());
    let executed = moments.actions().iter();
    let by_path: HashMap<String, ActionId> =
        executed.map(|(action, _)| (names.action(*action).to_string(), *action)).collect();
    order.begin_at(
        |path| by_path.get(path).map_or(0, |action| moments.n_of_before(*action, position)),
        |path, count| moments.after(EventId { action: *by_path.get(path)?, count }),
    )?;
    Ok(Some(order))
}

fn go_on(
    args: &ForkArgs,
    (mut fork, order): (Fork<'_>, Option<Order>),
    (program, natives): (&Program, Natives),
    stop: &StopSignal,
) -> Result<Ending, Fault> {
    for setting in &args.settings {
        let ty = fork.type_of(setting.name())?;
        fork.set(setting.name(), params::value_of(&ty, setting.text(), setting.name())?)?;
    }
    let n_workers = match args.times {
        None if order.is_none() => args.threads.n_workers(),
        _ => args.threads.n_workers_or(1),
    };
    let sandbox = args.grants.sandbox()?;
    let options = RunOptions {
        tiers: args.scripts.tiers(),
        virtual_time: args.virtual_time,
        ..ground::options(program, natives, n_workers as usize, sandbox, stop)
    };
    let forked = Forked { fork, program, options, order };
    match args.times {
        None => forked.once(args),
        Some(n_times) => forked.often(args, n_times),
    }
}

impl Forked<'_, '_> {
    /// Goes on once.
    fn once(&self, args: &ForkArgs) -> Result<Ending, Fault> {
        let progress = Progress::of_run();
        let output = out::output(args.json, &self.options.stop, progress.clone());
        let imposed = self.order.clone().map(Imposed::new);
        let options = self.options_with(args.seed, imposed.as_ref());
        let (report, failure) = self.run(args.output.as_deref(), &options, &progress, output)?;
        let unmet = imposed.as_ref().map_or_else(Vec::new, |imposed| imposed.unmet(&report));
        if args.json {
            let trace = args.output.as_ref().map(|path| path.display().to_string());
            let mut outcomes = Outcomes::new(&self.fork);
            outcomes.add(OutcomeOfRuns::of(&report, args.seed, trace, unmet));
            out::print_json(&outcomes)?;
        } else {
            print_results(self.program, &report)?;
            if let Some(imposed) = &imposed {
                message::print(&imposed.verdict(self.program, &report));
            }
        }
        failure.or(Ending::failed_if(report.outcome != RunOutcome::Finished))
    }

    /// Goes on many times, and tabulates the outcomes.
    fn often(&self, args: &ForkArgs, n_times: u64) -> Result<Ending, Fault> {
        let first = args.seed.unwrap_or(1);
        if let Some(folder) = &args.output {
            fs::create_dir_all(folder).map_err(|source| Fault::Write { path: folder.clone(), source })?;
        }
        let mut outcomes = Outcomes::new(&self.fork);
        for seed in (0..n_times).map(|nth| first.wrapping_add(nth)) {
            let path = args.output.as_ref().map(|folder| folder.join(format!("seed-{seed}.trace")));
            let imposed = self.order.as_ref().map(|order| Imposed::new(order.with_seed(seed)));
            let options = self.options_with(Some(seed), imposed.as_ref());
            let progress = Progress::silent();
            let (report, failure) = self.run(path.as_deref(), &options, &progress, Box::new(|_| {}))?;
            failure.or(())?;
            if options.stop.is_set() {
                break;
            }
            let trace = path.as_ref().map(|path| path.display().to_string());
            let unmet = imposed.as_ref().map_or_else(Vec::new, |imposed| imposed.unmet(&report));
            let is_new = outcomes.add(OutcomeOfRuns::of(&report, Some(seed), trace, unmet));
            if let Some(path) = path.filter(|_| !is_new) {
                fs::remove_file(&path).map_err(|source| Fault::Write { path, source })?;
            }
        }
        outcomes.sort();
        if args.json {
            out::print_json(&outcomes)?;
        } else {
            ground::print(|out| outcomes.write_text(&self.fork.headline(), out))?;
        }
        Ok(Ending::failed_if(!outcomes.are_finished() || self.options.stop.is_set()))
    }

    fn options_with(&self, seed: Option<u64>, imposed: Option<&Imposed>) -> RunOptions {
        RunOptions { seed, chooser: imposed.map(Imposed::chooser), ..self.options.clone() }
    }

    fn run(
        &self,
        path: Option<&Path>,
        options: &RunOptions,
        progress: &Progress,
        output: Output,
    ) -> Result<(RunReport, TraceFailure), Fault> {
        let failure = TraceFailure::default();
        let create = |path: &Path| -> Result<Box<dyn EventSink>, Fault> {
            overwrite::refuse_same_file(path, &self.program.path, "the program")?;
            let Self { fork, program, .. } = self;
            let header = fork.header(&program.name(), &program.text, options).map_err(Fault::Runtime)?;
            Ok(Box::new(TraceSink::create(path, &header, None, progress.clone(), &failure)?))
        };
        let sink = path.map(create).transpose()?;
        let ended = self.fork.run(options, sink, output);
        progress.end();
        Ok((ended.map_err(Fault::of_run)?, failure))
    }
}
