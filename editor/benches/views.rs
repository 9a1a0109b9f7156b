//! How long views of a record of 1,000,000 events take: `cargo bench -p hasse-editor --bench views`. Frames of 1200 x 600
//! pixels: the median and the worst of fifteen.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops where anything fails"
)]

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use hasse_editor::views::chart::{Chart, ChartOptions};
use hasse_editor::views::elaborated::ElaboratedView;
use hasse_editor::views::lanes::{Axis, LanesBy};
use hasse_editor::views::overlay::Overlay;
use hasse_editor::views::pixels::{Pixels, Theme};
use hasse_editor::views::player::Player;
use hasse_editor::views::record::{LoadOptions, RecordSource, load_now};
use hasse_editor::views::select::{Related, Selection};
use hasse_editor::views::task::no_wake;
use hasse_model::event::{ActionRecord, EventBatch, EventRecord, Timing};
use hasse_model::function::FunctionTable;
use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, TemplateId};
use hasse_model::trace::{RecordingMode, TraceHeader};

const N_EVENTS: u64 = 1_000_000;
const N_TEMPLATES: u32 = 12;
const N_WORKERS: usize = 8;

/// Instances that send to each other, in times without gaps.
fn source(n_actions: u32) -> RecordSource {
    let mut batches = Vec::new();
    let mut counts = vec![0_u64; n_actions as usize];
    let mut queues: Vec<VecDeque<EventId>> = vec![VecDeque::new(); n_actions as usize];
    let mut free = [0_u64; N_WORKERS];
    let mut random = 1_u64;
    let mut next = |most: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    for _ in 0..N_EVENTS / 8_000 {
        let mut batch = EventBatch::default();
        for _ in 0..8_000 {
            let own = next(u64::from(n_actions)) as usize;
            let action = ActionId(own as u32);
            counts[own] += 1;
            if counts[own] == 1 {
                let template = TemplateId(action.0 % N_TEMPLATES);
                let index = Index::from_iter([i64::from(action.0 / N_TEMPLATES)]);
                batch.actions.push(ActionRecord { action, template, graph: GraphInstanceId::MAIN, index });
            }
            let id = EventId { action, count: counts[own] };
            let mut event = EventRecord::new(id);
            event.rule = 0;
            event.flow.extend(queues[own].pop_front());
            event.flow.extend(queues[own].pop_front());
            event.flow_successors = 2;
            for _ in 0..2 {
                queues[next(u64::from(n_actions)) as usize].push_back(id);
            }
            let worker = (0..N_WORKERS).min_by_key(|&worker| free[worker]).unwrap();
            let start = free[worker] + 50;
            free[worker] = start + 100 + next(3_000);
            event.timing = Some(Timing::new(worker as u32, start, free[worker]));
            batch.push(&mut event);
        }
        batches.push(batch);
    }
    let templates = (0..N_TEMPLATES).map(|at| format!("T{at}")).collect();
    let header = TraceHeader {
        templates,
        mode: RecordingMode::Perf,
        n_workers: N_WORKERS as u32,
        ..TraceHeader::default()
    };
    RecordSource::Memory { header: Arc::new(header), batches: Arc::new(batches) }
}

fn timed<R>(what: &str, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let done = black_box(work());
    println!("{what:<56}{:>10.3} ms", start.elapsed().as_secs_f64() * 1e3);
    done
}

fn frames(what: &str, chart: &Chart, overlay: &Overlay) {
    let mut pixels = Pixels::default();
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        pixels = black_box(chart.draw(overlay, Theme::Dark, std::mem::take(&mut pixels))).0;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("{what:<56}{:>10.3} ms, at worst {:.3} ms", times[7], times[14]);
}

fn main() {
    for n_actions in [12, 600, 50_000] {
        println!("{n_actions} instances");
        let source = source(n_actions);
        let options = LoadOptions::new(FunctionTable::default());
        let record = timed("load", || load_now(&source, &options, None).unwrap());
        println!("{:<56}{:>10} MiB", "record", record.n_bytes() >> 20);
        let related = timed("selection", || Related::of(&record, Selection::Event(500_000)));
        let selected = Overlay { related: Arc::new(related), ..Overlay::default() };
        for (by, axis) in [
            (LanesBy::Action, Axis::Order),
            (LanesBy::Action, Axis::Level),
            (LanesBy::Action, Axis::Time),
            (LanesBy::Worker, Axis::Time),
            (LanesBy::Template, Axis::Order),
        ] {
            let options = ChartOptions { by, axis, hides_others: false };
            let mut chart = timed(&format!("lanes {by:?} {axis:?}"), || {
                let mut chart = Chart::new(Arc::clone(&record), options, no_wake());
                chart.set_size(1200, 600);
                chart.wait();
                chart
            });
            chart.fit();
            for zoom in 0..12 {
                frames(&format!("  frame {by:?} {axis:?} zoom {zoom}"), &chart, &Overlay::default());
                if zoom % 4 == 0 {
                    frames(&format!("  frame {by:?} {axis:?} zoom {zoom} selected"), &chart, &selected);
                }
                chart.zoom(700.0, 300.0, 3.0);
            }
        }
        let mut player = Player::new(Arc::clone(&record), no_wake());
        timed("player", || player.wait());
        timed("1,000 seeks with marks", || {
            for at in 0..1000 {
                player.seek(at * 997);
                black_box(player.marks(""));
            }
        });
        let mut view = ElaboratedView::new(Arc::clone(&record), no_wake());
        view.set_size(1200, 600);
        timed("elaborated graph", || view.wait());
        view.fit();
        timed("frame of the elaborated graph", || view.draw(&selected, Theme::Dark, Pixels::default()));
    }
}
