//! Seconds and resident memory of what is done with a trace on one thread: reading, sorting, restricting to the
//! actions that commands name, checking the commands, and reporting performance. Run by `cargo bench -p hasse-debugger --bench analysis -- STAGE TRACE CHECKS`,
//! one stage a process so that memory is the stage's own; `benches/bars` makes traces and checks and runs all stages.
#![allow(missing_docs, reason = "a measurement")]

use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::time::Instant;

use hasse_debugger::check::command::{self, Command, Spec};
use hasse_debugger::check::{self, Checker, Verdict};
use hasse_debugger::perf::{self, PerfOptions};
use hasse_debugger::read::{Summary, lend_in_order};
use hasse_debugger::restrict::Restrictor;
use hasse_model::diagnostic::Location;
use hasse_model::id::{ActionId, GraphId, Index, TemplateId};
use hasse_model::plan::{self, Arc, Graph, Plan, Template};
use hasse_model::record_options::RecordOption;
use hasse_model::trace::{Names, RecordingMode, TraceReader};

type Source = TraceReader<BufReader<File>>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [stage, trace, checks] = &arguments[..] else {
        println!("nothing to measure: give a stage, a trace and a file of checks, as benches/bars does");
        return Ok(());
    };
    let commands: Result<Vec<Command>, _> = fs::read_to_string(checks)?.lines().map(command::parse).collect();
    let (commands, source) = (commands?, TraceReader::open(BufReader::new(File::open(trace)?))?);
    let began = Instant::now();
    let (n_events, found) = match stage.as_str() {
        "read" => read(source)?,
        "sort" => (whole(&lend_in_order(source, |_, _| {})?)?, String::new()),
        "restrict" => restrict(source, &commands)?,
        "restrict-check" => restrict_and_check(source, &commands)?,
        "check" => check_all(source, &commands)?,
        "perf" => report(source)?,
        _ => return Err(format!("no stage `{stage}`").into()),
    };
    let seconds = began.elapsed().as_secs_f64();
    let rate = n_events as f64 / seconds / 1e6;
    println!(
        "{stage}: {n_events} events, {seconds:.2} s, {rate:.2} M/s, peak {} MiB{found}",
        peak_mebibytes()?
    );
    Ok(())
}

/// The most memory that the process has had.
fn peak_mebibytes() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no VmHWM")?.parse::<u64>()? / 1024)
}

fn read(mut source: Source) -> Result<(u64, String), Box<dyn Error>> {
    let mut n_events = 0;
    while let Some(batch) = source.next_batch()? {
        n_events += batch.n_events() as u64;
    }
    if let Some(truncation) = source.truncated() {
        return Err(truncation.reason.to_string().into());
    }
    Ok((n_events, String::new()))
}

fn report(source: Source) -> Result<(u64, String), Box<dyn Error>> {
    let (report, summary) = perf::measure(source, &PerfOptions::default())?;
    let n_bytes = report.to_text().len();
    Ok((
        whole(&summary)?,
        format!(", critical path of {} events, {n_bytes} bytes of text", report.path.steps.len()),
    ))
}

/// The number of events of a trace that was read to its end.
fn whole(summary: &Summary) -> Result<u64, Box<dyn Error>> {
    match &summary.notes()[..] {
        [] => Ok(summary.n_delivered),
        [note, ..] => Err(note.as_str().into()),
    }
}

/// Says which actions the commands name, by template and index.
fn selection(source: &Source, commands: &[Command]) -> impl Fn(ActionId, &Names) -> RecordOption + use<> {
    let mut named: HashSet<(TemplateId, Index)> = HashSet::new();
    let mut name = |spec: &Spec| {
        let template = source.header().templates.iter().position(|label| label.ends_with(&spec.name));
        named.extend(template.map(|at| (TemplateId::from_idx(at), spec.index.clone().unwrap_or_default())));
    };
    for command in commands {
        match command {
            Command::Pred { event, before, .. } => std::iter::once(event).chain(before).for_each(&mut name),
            Command::Parallel { specs, .. } => specs.iter().for_each(&mut name),
            #[allow(unreachable_patterns, reason = "other commands name no actions of their own")]
            _ => {}
        }
    }
    move |action, names| {
        let place = names.template_of(action).zip(names.index_of(action).cloned());
        match place.is_some_and(|place| named.contains(&place)) {
            true => RecordOption::Full,
            false => RecordOption::Off,
        }
    }
}

fn restrict(source: Source, commands: &[Command]) -> Result<(u64, String), Box<dyn Error>> {
    let mut restrictor = Restrictor::new(source.header().mode, selection(&source, commands));
    let (mut n_recorded, mut n_listed) = (0, 0);
    let summary = lend_in_order(source, |event, names| {
        if let Some(record) = restrictor.event(event, names).expect("a valid trace") {
            n_recorded += 1;
            n_listed += record.flow.len() + record.relayed.len();
        }
    })?;
    Ok((whole(&summary)?, format!("; {n_recorded} records, {n_listed} predecessors")))
}

fn restrict_and_check(source: Source, commands: &[Command]) -> Result<(u64, String), Box<dyn Error>> {
    let (plan, params) = (plan_of(&source), source.header().params.clone());
    let mut restrictor = Restrictor::new(source.header().mode, selection(&source, commands));
    let mut checker = Checker::new(commands, &plan, &params)?.recorded(RecordingMode::Restricted);
    let summary = lend_in_order(source, |event, names| {
        if let Some(record) = restrictor.event(event, names).expect("a valid trace") {
            checker.event(record, names).expect("a valid trace");
        }
    })?;
    Ok((whole(&summary)?, counted(&checker.finish(&summary.names))))
}

fn check_all(source: Source, commands: &[Command]) -> Result<(u64, String), Box<dyn Error>> {
    let plan = plan_of(&source);
    let (verdicts, summary) = check::verify(source, &plan, commands)?;
    Ok((whole(&summary)?, counted(&verdicts)))
}

/// A plan with the nodes of a trace and an arc from each to each: all that the commands need, and with
/// more to keep for evidence than the program has.
fn plan_of(source: &Source) -> Plan {
    let header = source.header();
    let names = || (0..header.templates.len()).map(TemplateId::from_idx);
    let arcs = names().flat_map(|from| names().map(move |to| arc(from, to)));
    Plan {
        main: GraphId(0),
        graphs: vec![Graph {
            name: "main".into(),
            params: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            formals: Vec::new(),
            at: Location::default(),
        }],
        calls: Vec::new(),
        templates: header.templates.iter().map(|label| template(label)).collect(),
        arcs: arcs.collect(),
        shared: Vec::new(),
        scripts: Vec::new(),
        lowerings: Vec::new(),
        structs: Default::default(),
        orders_results: false,
        record: Default::default(),
    }
}

fn arc(from: TemplateId, to: TemplateId) -> Arc {
    Arc {
        graph: GraphId(0),
        source: plan::Source::Unit(from),
        source_port: 0,
        source_index: Vec::new(),
        source_elements: Vec::new(),
        n_locals: 0,
        target: plan::Target::Unit(to),
        target_port: 0,
        target_index: Vec::new(),
        target_elements: Vec::new(),
        text: String::new(),
        at: Location::default(),
    }
}

fn template(label: &str) -> Template {
    let name = label.rsplit('.').next().unwrap_or(label);
    Template {
        name: name.into(),
        graph: GraphId(0),
        n_indices: match name {
            "Cell" => 2,
            "Link" => 1,
            _ => 0,
        },
        inputs: Vec::new(),
        outputs: Vec::new(),
        slots: Vec::new(),
        var_defaults: Vec::new(),
        shared: Vec::new(),
        init: None,
        fire: Vec::new(),
        body: None,
        may_wait: false,
        route: Vec::new(),
        is_start: false,
        is_stop: false,
        prefers: false,
        at_once: None,
        every: None,
        is_first: false,
        start_after: None,
        priority: 0,
        deadline: None,
        cancel: None,
        on_error: Default::default(),
        at: Location::default(),
    }
}

fn counted(verdicts: &[Verdict]) -> String {
    let n_holding = verdicts.iter().filter(|verdict| verdict.holds).count();
    format!("; {n_holding} of {} verdicts hold", verdicts.len())
}
