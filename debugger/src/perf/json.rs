//! The report as JSON. Times are in nanoseconds, moments counted from the start of the run.

use serde_json::{Value as Json, json};

use super::report::{Load, MOST_STEPS, QueueLoad, Report, Step, Times, Waiting, WorkerLoad, imbalance};
use super::sweep::sum;

impl Report {
    /// The report for a program: everything, times in nanoseconds; of a critical path with more than 10 000 events those
    /// that add and wait most.
    pub fn to_json(&self) -> Json {
        json(self)
    }
}

/// Tells the report.
pub(super) fn json(report: &Report) -> Json {
    let name = |group: usize| report.groups.get(group).map_or("?", String::as_str);
    let is_timed = report.times.is_some();
    let path = &report.path;
    let (length, adds) = if is_timed { ("span_nanos", "adds_nanos") } else { ("span_events", "adds_events") };
    let step = |at: usize| {
        let step: &Step = &path.steps[at];
        let mut told = json!({ "place": step.place + 1, "event": step.event, "group": name(step.group) });
        told["along"] = if step.link.is_empty() { Json::Null } else { step.link.as_str().into() };
        if is_timed {
            told["worker"] = step.worker.into();
            told["start"] = step.start.into();
            told["computes"] = step.computes.into();
            told["end"] = step.end.into();
            told["adds_nanos"] = step.adds.into();
            told["waiting"] = waiting(step.waiting);
        }
        told
    };
    let mut critical = json!({
        length: path.span,
        "groups": path.groups.iter().map(|share| {
            json!({ "group": name(share.group), "events": share.n_events, adds: share.adds, "waiting_nanos": share.waiting })
        }).collect::<Vec<_>>(),
        "along": path.links.iter().map(|share| {
            json!({ "link": share.link, "times": share.n_links, "waiting": waiting(share.waiting) })
        }).collect::<Vec<_>>(),
        "events_in_all": path.n_steps,
        "events": path.heaviest(MOST_STEPS).into_iter().map(step).collect::<Vec<_>>(),
    });
    if is_timed {
        critical["waiting"] = waiting(path.waiting);
    }
    json!({
        "program": report.program,
        "mode": report.mode.name(),
        "by": report.by.name(),
        "window": report.window.map(|window| json!({ "from": window.from_nanos, "to": window.to_nanos })),
        "events": report.n_events,
        "untimed_events": report.n_untimed,
        "notes": report.notes(),
        "most_speed_up": report.most_speed_up(),
        "times": report.times.as_ref().map(times),
        "levels": report.levels,
        "critical_path": critical,
        "loads": report.groups.iter().zip(&report.loads).filter(|(_, load)| load.n_events > 0)
            .map(|(name, own)| load(name, own, is_timed)).collect::<Vec<_>>(),
        "queues": report.groups.iter().zip(&report.queues).filter(|(_, queue)| queue.values > 0)
            .map(|(name, own)| queue(name, own)).collect::<Vec<_>>(),
        "communication": {
            "values": report.cells.iter().map(|cell| cell.values).sum::<u64>(),
            "values_not_taken": report.n_untaken,
            "objects": report.cells.iter().map(|cell| cell.transfers).sum::<u64>(),
            "cells": report.cells.iter().map(|cell| json!({
                "from": name(cell.from), "to": name(cell.to), "values": cell.values, "objects": cell.transfers,
            })).collect::<Vec<_>>(),
        },
        "slowest": report.slowest.iter().map(|slow| json!({
            "event": slow.event, "worker": slow.worker, "computes": slow.computes, "computing_nanos": slow.computing,
        })).collect::<Vec<_>>(),
    })
}

fn waiting(waiting: Waiting) -> Json {
    json!({
        "for_others_nanos": waiting.depends,
        "queued_nanos": waiting.queued,
        "for_locks_nanos": waiting.locked,
    })
}

fn load(name: &str, load: &Load, is_timed: bool) -> Json {
    let mut told = json!({
        "group": name,
        "actions": load.n_actions,
        "events": load.n_events,
        "imbalance": load.imbalance(is_timed),
    });
    if is_timed {
        told["computing_nanos"] = load.computing.into();
        told["longest_nanos"] = load.longest.into();
        told["queued_nanos"] = load.queued.into();
        told["most_queued_nanos"] = load.most_queued.into();
        told["for_locks_nanos"] = load.locked.into();
    }
    told
}

fn queue(name: &str, queue: &QueueLoad) -> Json {
    json!({
        "group": name,
        "values": queue.values,
        "waited_nanos": queue.waited,
        "longest_nanos": queue.longest,
        "most": queue.most,
        "value_nanos_over_time": queue.over_time,
    })
}

fn times(times: &Times) -> Json {
    let busy: Vec<u64> = times.workers.iter().map(|worker| worker.busy).collect();
    let most = busy.iter().max().copied().unwrap_or(0);
    let worker = |worker: &WorkerLoad| {
        json!({
            "worker": worker.worker,
            "events": worker.n_events,
            "busy_nanos": worker.busy,
            "longest_nanos": worker.longest,
            "busy_over_time": worker.bins,
        })
    };
    json!({
        "first": times.first,
        "last": times.last,
        "wall_nanos": times.last - times.first,
        "work_nanos": times.work,
        "queued_nanos": times.queued,
        "most_queued_nanos": times.most_queued,
        "for_locks_nanos": times.locked,
        "idle_work_ready_nanos": times.starved,
        "imbalance": imbalance(most, sum(busy.iter().copied()), busy.len() as u64),
        "workers": times.workers.iter().map(worker).collect::<Vec<_>>(),
        "nanos_at_once": times.profile,
        "busy_over_time": times.bins,
    })
}
