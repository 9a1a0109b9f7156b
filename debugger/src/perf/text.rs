//! The report as text: aligned columns, plain letters, the same for the same trace.

use hasse_model::quantity::counted;
use std::fmt::{Result, Write};

use super::figure::{percent, quotient, ratio, time};
use super::group::By;
use super::report::{Report, Times, imbalance};
use super::sweep::sum;

impl Report {
    /// The report for a person: lines of at most some 100 characters, the same for the same trace.
    pub fn to_text(&self) -> String {
        render(self)
    }
}

/// Groups up to which communication is shown as a matrix.
const MOST_IN_MATRIX: usize = 12;
/// Workers that are listed.
const MOST_WORKERS: usize = 64;

/// Writes the report.
pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    put(&mut text, report).expect("a string takes every write");
    // The last column of a table may be empty.
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn put(text: &mut String, report: &Report) -> Result {
    let (program, mode) = (&report.program, report.mode.name());
    writeln!(text, "performance of {program}: {}, {mode} record", counted(report.n_events, "event"))?;
    if let Some(window) = report.window {
        writeln!(text, "only what happened in {window}")?;
    }
    for note in report.notes() {
        writeln!(text, "note: {note}")?;
    }
    put_summary(text, report)?;
    if let Some(times) = &report.times {
        put_workers(text, times)?;
        put_profile(text, times)?;
    } else {
        put_levels(text, &report.levels)?;
    }
    put_path(text, report)?;
    put_loads(text, report)?;
    put_queues(text, report)?;
    put_slowest(text, report)?;
    put_communication(text, report)
}

fn put_summary(text: &mut String, report: &Report) -> Result {
    let path = &report.path;
    let mut row = |name: &str, figure: String, what: &str| {
        writeln!(text, "{name:<22}{figure:>14}  {what}").map(|()| ())
    };
    let n_path = path.n_steps;
    let Some(times) = &report.times else {
        row("work", report.n_events.to_string(), "events")?;
        row("critical path", path.span.to_string(), "events, each after the one before it")?;
        row("average parallelism", ratio(report.most_speed_up()), "work / critical path")?;
        let most = report.levels.iter().max().copied().unwrap_or(0);
        return row("most at once", most.to_string(), "events that could execute at the same time");
    };
    let wall = times.last - times.first;
    let from = format!("from {} to {}", time(times.first), time(times.last));
    row("wall time", time(wall), &from)?;
    row("work", time(times.work), "computing of all events together")?;
    row("average parallelism", ratio(quotient(times.work, wall)), "work / wall time")?;
    row(
        "critical path",
        time(path.span),
        &format!("{}, each after the one before it", counted(n_path, "event")),
    )?;
    row("most speed-up", ratio(report.most_speed_up()), "work / critical path, with any number of workers")?;
    row("in events", report.levels.len().to_string(), "events in the chain with the most")?;
    row("waiting for locks", time(times.locked), "all events together")?;
    let (mean, most) =
        (time(times.queued.checked_div(report.n_events).unwrap_or(0)), time(times.most_queued));
    let told = format!("ready without a worker, all events together; mean {mean}, at most {most}");
    row("queued", time(times.queued), &told)?;
    row("idle, work ready", time(times.starved), "workers without work while events were ready")
}

fn put_workers(text: &mut String, times: &Times) -> Result {
    let wall = times.last - times.first;
    let n_workers = times.workers.len() as u64;
    let busy = sum(times.workers.iter().map(|worker| worker.busy));
    let most = times.workers.iter().map(|worker| worker.busy).max().unwrap_or(0);
    let all = wall.saturating_mul(n_workers);
    writeln!(text, "\nutilization: {} of {}", percent(busy, all), counted(n_workers, "worker"))?;
    writeln!(
        text,
        "  worker    events          busy    share          mean       longest  over time, 0 to 9 tenths"
    )?;
    for worker in times.workers.iter().take(MOST_WORKERS) {
        let mean = worker.busy.checked_div(worker.n_events).unwrap_or(0);
        writeln!(
            text,
            "  {:>6}  {:>8}  {:>12}  {:>7}  {:>12}  {:>12}  {}",
            worker.worker,
            worker.n_events,
            time(worker.busy),
            percent(worker.busy, wall),
            time(mean),
            time(worker.longest),
            over_time(&worker.bins, wall, 1),
        )?;
    }
    if times.workers.len() > MOST_WORKERS {
        writeln!(text, "  and {}", counted(times.workers.len() - MOST_WORKERS, "more worker"))?;
    }
    let n_events: u64 = times.workers.iter().map(|worker| worker.n_events).sum();
    let shown = over_time(&times.bins, wall, n_workers);
    let (busy_text, share) = (time(busy), percent(busy, all));
    writeln!(text, "     all  {n_events:>8}  {busy_text:>12}  {share:>7}  {:>26}  {shown}", "")?;
    writeln!(text, "  imbalance {} (busiest / mean - 1)", ratio(imbalance(most, busy, n_workers)))
}

/// A digit for each part of the wall time: how many tenths of it were busy; a point for nothing.
fn over_time(bins: &[u64], wall: u64, n_workers: u64) -> String {
    let tenth = |busy: u64| {
        let whole = u128::from(wall) * u128::from(n_workers);
        let share = (u128::from(busy) * bins.len() as u128 * 10).checked_div(whole).unwrap_or(0);
        match (busy, share) {
            (0, _) => '.',
            (_, share) => char::from(b'0' + share.min(9) as u8),
        }
    };
    bins.iter().map(|&busy| tenth(busy)).collect()
}

fn put_profile(text: &mut String, times: &Times) -> Result {
    let wall = times.last - times.first;
    writeln!(text, "\nconcurrency: how long so many events computed at once")?;
    for (n_at_once, &nanos) in times.profile.iter().enumerate().filter(|(_, nanos)| **nanos > 0) {
        let bar = bar(nanos, wall);
        writeln!(text, "  {n_at_once:>6}  {:>12}  {:>7}  {bar}", time(nanos), percent(nanos, wall))?;
    }
    Ok(())
}

/// Up to 50 letters.
fn bar(part: u64, whole: u64) -> String {
    "#".repeat((u128::from(part) * 50).checked_div(u128::from(whole)).unwrap_or(0) as usize)
}

/// Levels with the same number of events, in one row.
fn put_levels(text: &mut String, levels: &[u64]) -> Result {
    writeln!(text, "\nconcurrency: events that could execute at once, if each took the same time")?;
    writeln!(text, "   steps    events at once")?;
    let most = levels.iter().max().copied().unwrap_or(0);
    let mut sorted = levels.to_vec();
    sorted.sort_unstable();
    let runs: Vec<&[u64]> = sorted.chunk_by(|one, other| one == other).collect();
    const MOST_ROWS: usize = 20;
    if runs.len() <= MOST_ROWS {
        for run in runs {
            writeln!(text, "  {:>6}  {:>16}  {}", run.len(), run[0], bar(run[0], most))?;
        }
        return Ok(());
    }
    // Too many different numbers: one row for each range of them.
    let width = most.div_ceil(MOST_ROWS as u64);
    for low in (0..MOST_ROWS as u64).map(|row| row * width + 1) {
        let high = low + width - 1;
        let n_steps = levels.iter().filter(|n| (low..=high).contains(*n)).count();
        if n_steps > 0 {
            writeln!(text, "  {n_steps:>6}  {:>16}  {}", format!("{low}..{high}"), bar(high, most))?;
        }
    }
    Ok(())
}

fn put_path(text: &mut String, report: &Report) -> Result {
    let path = &report.path;
    if path.steps.is_empty() {
        return Ok(());
    }
    let is_timed = report.times.is_some();
    let waiting = path.waiting;
    writeln!(text, "\ncritical path: {}", counted(path.n_steps, "event"))?;
    if is_timed {
        writeln!(
            text,
            "  computing {}, waiting {}: {} for other predecessors, {} ready without a worker, {} for locks",
            time(path.span),
            time(waiting.total()),
            time(waiting.depends),
            time(waiting.queued),
            time(waiting.locked)
        )?;
    }
    let name = |group: usize| report.groups.get(group).map_or("?", String::as_str);
    let most = width(path.groups.iter().take(report.n_top).map(|share| name(share.group)), report.by.name());
    let by = report.by.name();
    if is_timed {
        writeln!(text, "  {by:most$}    events     computing    share       waiting")?;
        for share in path.groups.iter().take(report.n_top) {
            let part = percent(share.adds, path.span);
            let (computing, waiting) = (time(share.adds), time(share.waiting));
            let (name, n_events) = (name(share.group), share.n_events);
            writeln!(text, "  {name:most$}  {n_events:>8}  {computing:>12}  {part:>7}  {waiting:>12}")?;
        }
    } else {
        writeln!(text, "  {by:most$}    events    share")?;
        for share in path.groups.iter().take(report.n_top) {
            let part = percent(share.n_events, path.span);
            writeln!(text, "  {:most$}  {:>8}  {part:>7}", name(share.group), share.n_events)?;
        }
    }
    put_more(text, path.groups.len(), report.n_top)?;
    if !path.links.is_empty() {
        let most = width(path.links.iter().take(report.n_top).map(|share| &*share.link), "along");
        let times = if is_timed { "       waiting      for others        queued     for locks" } else { "" };
        writeln!(text, "  {:most$}     times{times}", "along")?;
        for share in path.links.iter().take(report.n_top) {
            write!(text, "  {:most$}  {:>8}", share.link, share.n_links)?;
            if is_timed {
                let waiting = share.waiting;
                let parts = [waiting.total(), waiting.depends, waiting.queued, waiting.locked].map(time);
                let [total, depends, queued, locked] = parts;
                write!(text, "  {total:>12}  {depends:>14}  {queued:>12}  {locked:>12}")?;
            }
            writeln!(text)?;
        }
        put_more(text, path.links.len(), report.n_top)?;
    }
    put_steps(text, report)
}

/// The events of the path, or those that add and wait most.
fn put_steps(text: &mut String, report: &Report) -> Result {
    let (steps, n_top) = (&report.path.steps, report.n_top);
    let is_timed = report.times.is_some();
    // Without times all weigh the same, and the first ones are shown.
    let shown = report.path.heaviest(n_top);
    let most = width(shown.iter().map(|&at| &*steps[at].event), "event");
    if !is_timed {
        writeln!(text, "  {:>5}  {:most$}  from the one before it", "place", "event")?;
        for &at in &shown {
            let (event, link) = (&steps[at].event, &steps[at].link);
            writeln!(text, "  {:>5}  {event:most$}  {link}", steps[at].place + 1)?;
        }
    } else {
        writeln!(
            text,
            "  {:>5}  {:most$}  worker      computes          adds       waiting  from the one before it",
            "place", "event"
        )?;
        for &at in &shown {
            let step = &steps[at];
            let [at_time, adds, waiting] = [step.computes, step.adds, step.waiting.total()].map(time);
            let (event, worker, link) = (&step.event, step.worker, &step.link);
            writeln!(
                text,
                "  {:>5}  {event:most$}  {worker:>6}  {at_time:>12}  {adds:>12}  {waiting:>12}  {link}",
                step.place + 1
            )?;
        }
    }
    match report.path.n_steps - shown.len() as u64 {
        0 => Ok(()),
        n_more if is_timed => writeln!(text, "  the other {n_more} add and wait less"),
        n_more => writeln!(text, "  and {n_more} more"),
    }
}

fn put_loads(text: &mut String, report: &Report) -> Result {
    let is_timed = report.times.is_some();
    let mut order: Vec<usize> =
        (0..report.loads.len()).filter(|&group| report.loads[group].n_events > 0).collect();
    let weight = |group: usize| {
        let load = &report.loads[group];
        if is_timed { load.computing } else { load.n_events }
    };
    order.sort_by_key(|&group| (std::cmp::Reverse(weight(group)), group));
    let n_groups = order.len();
    order.truncate(report.n_top);
    let by = report.by.name();
    let most = width(order.iter().map(|&group| &*report.groups[group]), by);
    writeln!(text, "\nload by {by}")?;
    let times =
        if is_timed { "     computing          mean       longest        queued     for locks" } else { "" };
    let actions = if report.by == By::Action { "" } else { "   actions  imbalance" };
    writeln!(text, "  {by:most$}    events    share{times}{actions}")?;
    let whole = sum((0..report.loads.len()).map(weight));
    for &group in &order {
        let load = &report.loads[group];
        let share = percent(weight(group), whole);
        write!(text, "  {:most$}  {:>8}  {share:>7}", report.groups[group], load.n_events)?;
        if is_timed {
            let mean = load.computing.checked_div(load.n_events).unwrap_or(0);
            for nanos in [load.computing, mean, load.longest, load.queued, load.locked] {
                write!(text, "  {:>12}", time(nanos))?;
            }
        }
        if report.by != By::Action {
            write!(text, "  {:>8}  {:>9}", load.n_actions, ratio(load.imbalance(is_timed)))?;
        }
        writeln!(text)?;
    }
    put_more(text, n_groups, report.n_top)
}

/// Values that waited, for the groups with most of them.
fn put_queues(text: &mut String, report: &Report) -> Result {
    let Some(times) = &report.times else { return Ok(()) };
    let wall = times.last - times.first;
    let mut order: Vec<usize> =
        (0..report.queues.len()).filter(|&group| report.queues[group].waited > 0).collect();
    order.sort_by_key(|&group| (std::cmp::Reverse(report.queues[group].waited), group));
    if order.is_empty() {
        return Ok(());
    }
    let n_groups = order.len();
    order.truncate(report.n_top);
    let by = report.by.name();
    let most = width(order.iter().map(|&group| &*report.groups[group]), by);
    writeln!(
        text,
        "\nqueues: values that waited, from the end of their senders to the start of those who took them"
    )?;
    writeln!(
        text,
        "  {by:most$}    values     mean wait       longest   mean length      most  over time, 0 to 9 tenths of the longest"
    )?;
    for &group in &order {
        let queue = &report.queues[group];
        let mean = time(queue.waited.checked_div(queue.values).unwrap_or(0));
        let (longest, length) = (time(queue.longest), ratio(queue.mean(wall)));
        let peak = queue.over_time.iter().max().copied().unwrap_or(0);
        let shown = over_time(&queue.over_time, peak.saturating_mul(queue.over_time.len() as u64), 1);
        writeln!(
            text,
            "  {:most$}  {:>8}  {mean:>12}  {longest:>12}  {length:>12}  {:>8}  {shown}",
            report.groups[group], queue.values, queue.most
        )?;
    }
    put_more(text, n_groups, report.n_top)
}

fn put_slowest(text: &mut String, report: &Report) -> Result {
    if report.slowest.is_empty() {
        return Ok(());
    }
    let most = width(report.slowest.iter().map(|slow| &*slow.event), "event");
    writeln!(text, "\nslowest events")?;
    writeln!(text, "  {:most$}  worker      computes     computing", "event")?;
    for slow in &report.slowest {
        let [computes, computing] = [slow.computes, slow.computing].map(time);
        writeln!(text, "  {:most$}  {:>6}  {computes:>12}  {computing:>12}", slow.event, slow.worker)?;
    }
    Ok(())
}

fn put_communication(text: &mut String, report: &Report) -> Result {
    let n_values: u64 = report.cells.iter().map(|cell| cell.values).sum();
    let n_transfers: u64 = report.cells.iter().map(|cell| cell.transfers).sum();
    write!(text, "\ncommunication: {} taken", counted(n_values, "value"))?;
    if report.n_untaken > 0 {
        write!(text, ", {} not taken", report.n_untaken)?;
    }
    writeln!(text, ", {} an object as another action had written it", counted(n_transfers, "time"))?;
    if report.cells.is_empty() {
        return Ok(());
    }
    let mut groups: Vec<usize> = report.cells.iter().flat_map(|cell| [cell.from, cell.to]).collect();
    groups.sort_unstable();
    groups.dedup();
    if groups.len() > MOST_IN_MATRIX {
        return put_pairs(text, report);
    }
    let most = width(groups.iter().map(|&group| &*report.groups[group]), "from \\ to");
    write!(text, "  {:>3}  {:most$}", "", "from \\ to")?;
    (1..=groups.len()).try_for_each(|number| write!(text, "  {number:>9}"))?;
    writeln!(text)?;
    for (row, &from) in groups.iter().enumerate() {
        write!(text, "  {:>3}  {:most$}", row + 1, report.groups[from])?;
        for &to in &groups {
            let cell = report.cells.iter().find(|cell| (cell.from, cell.to) == (from, to));
            let shown = cell.map_or(".".to_owned(), |cell| exchanged(cell.values, cell.transfers));
            write!(text, "  {shown:>9}")?;
        }
        writeln!(text)?;
    }
    if n_transfers > 0 {
        writeln!(text, "  values, with + for objects")?;
    }
    Ok(())
}

/// The pairs of groups with most between them.
fn put_pairs(text: &mut String, report: &Report) -> Result {
    let mut cells: Vec<_> = report.cells.iter().collect();
    cells.sort_by_key(|cell| (std::cmp::Reverse(cell.values + cell.transfers), cell.from, cell.to));
    let shown = &cells[..cells.len().min(report.n_top)];
    let most_from = width(shown.iter().map(|cell| &*report.groups[cell.from]), "from");
    let most_to = width(shown.iter().map(|cell| &*report.groups[cell.to]), "to");
    writeln!(text, "  {:most_from$}  {:most_to$}    values   objects", "from", "to")?;
    for cell in shown {
        let (from, to) = (&report.groups[cell.from], &report.groups[cell.to]);
        writeln!(text, "  {from:most_from$}  {to:most_to$}  {:>8}  {:>8}", cell.values, cell.transfers)?;
    }
    put_more(text, cells.len(), report.n_top)
}

/// What is in a cell of the matrix.
pub(super) fn exchanged(values: u64, transfers: u64) -> String {
    match (values, transfers) {
        (values, 0) => values.to_string(),
        (0, transfers) => format!("+{transfers}"),
        (values, transfers) => format!("{values}+{transfers}"),
    }
}

fn put_more(text: &mut String, n_all: usize, n_shown: usize) -> Result {
    if n_all > n_shown { writeln!(text, "  and {} more", n_all - n_shown) } else { Ok(()) }
}

fn width<'t>(texts: impl Iterator<Item = &'t str>, title: &str) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0).max(title.chars().count())
}
