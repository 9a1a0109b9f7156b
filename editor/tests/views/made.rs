//! Records to look at: of programs that are run, and of random histories.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hasse_compiler::compile;
use hasse_editor::views::record::{LoadOptions, Record, RecordSource, load_now};
use hasse_model::event::{ActionRecord, EventBatch, EventRecord, ObjectRecord, SharedAccess, Timing};
use hasse_model::function::FunctionTable;
use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;
use hasse_model::trace::{RecordingMode, TraceHeader};
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::natives::Natives;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, Recording, RunOptions, run};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<EventBatch>>>);

impl EventSink for Kept {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.lock().unwrap().push(batch.clone());
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn functions() -> FunctionTable {
    Natives::new().functions().unwrap()
}

/// The record of a run with one worker and a seed.
pub(crate) fn ran(text: &str, folder: &Path, mode: RecordingMode) -> RecordSource {
    captured(text, folder, mode, false)
}

/// The record of a run, and all of its events with their values.
pub(crate) fn valued(text: &str, folder: &Path) -> (Arc<Record>, Vec<EventRecord>) {
    let source = captured(text, folder, RecordingMode::Full, true);
    let RecordSource::Memory { batches, .. } = &source else { unreachable!() };
    let events = batches.iter().flat_map(EventBatch::rows).map(|row| row.to_record()).collect();
    (loaded(&source), events)
}

fn captured(text: &str, folder: &Path, mode: RecordingMode, captures: bool) -> RecordSource {
    let plan = compile(text, &functions()).plan.unwrap();
    let mut capture = Capture::none();
    for template_idx in 0..if captures { plan.templates.len() } else { 0 } {
        capture.add(TemplateId::from_idx(template_idx), Captured::ALL);
    }
    let options = RunOptions {
        n_workers: 1,
        seed: Some(1),
        params: Vec::new(),
        program_folder: folder.to_owned(),
        sandbox: Default::default(),
        natives: Natives::new(),
        stop: Default::default(),
        reclaim_above: 0,
        tiers: Default::default(),
        capture,
        control: None,
        chooser: None,
        virtual_time: false,
        checkpoints: None,
        writes_ahead: false,
    };
    let kept = Kept::default();
    let sink = Box::new(kept.clone());
    let recording = match mode {
        RecordingMode::Perf => Recording::Perf(sink),
        _ => Recording::Full(sink),
    };
    run(&plan, &options, recording, Box::new(|_| {})).unwrap();
    let header = TraceHeader {
        program_path: "program.hasse".to_owned(),
        program_text: text.to_owned(),
        mode,
        n_workers: 1,
        params: hasse_runtime::run::param_values(&plan, &options).unwrap(),
        templates: plan.template_labels(),
        shared: plan.shared_labels(),
        calls: plan.call_labels(),
        ..TraceHeader::default()
    };
    let batches = std::mem::take(&mut *kept.0.lock().unwrap());
    RecordSource::Memory { header: Arc::new(header), batches: Arc::new(batches) }
}

/// The record of a program of `examples`.
pub(crate) fn example(folder: &str, name: &str) -> RecordSource {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(folder);
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    ran(&text, &folder, RecordingMode::Full)
}

/// Folders and files of the examples that are programs alone.
pub(crate) fn examples() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let programs = folders.filter_map(|folder| {
        let name = folder.file_name()?.to_str()?.to_owned();
        let file = format!("{name}.hasse");
        (!folder.join("Cargo.toml").exists() && folder.join(&file).exists()).then_some((name, file))
    });
    let mut programs: Vec<_> = programs.collect();
    programs.sort();
    programs
}

pub(crate) fn loaded(source: &RecordSource) -> Arc<Record> {
    load_now(source, &LoadOptions::new(functions()), None).unwrap()
}

/// Steps of a random history: instance, number of values taken, receivers, object and whether it is written, duration.
pub(crate) type Step = (u8, u8, Vec<u8>, Option<(u8, bool)>, u8);

pub(crate) const N_TEMPLATES: u32 = 3;

/// A history in the order in which it was executed, in batches of a few, with times.
pub(crate) fn history(steps: &[Step]) -> RecordSource {
    let mut under_way: Vec<(EventId, u8)> = Vec::new();
    let mut counts = [0_u64; 256];
    let mut versions: Vec<(Option<EventId>, u64)> = vec![(None, 0); 256];
    let mut free = [0_u64; 4];
    let mut ends: std::collections::BTreeMap<EventId, u64> = Default::default();
    let mut batches = Vec::new();
    for steps in steps.chunks(7) {
        let mut batch = EventBatch::default();
        for (action, n_takes, receivers, access, duration) in steps {
            let own = ActionId(u32::from(*action));
            let count = &mut counts[usize::from(*action)];
            *count += 1;
            if *count == 1 {
                let (template, graph) = (TemplateId(own.0 % N_TEMPLATES), GraphInstanceId::MAIN);
                let index = Index::from_iter([i64::from(own.0 / N_TEMPLATES)]);
                batch.actions.push(ActionRecord { action: own, template, graph, index });
            }
            let id = EventId { action: own, count: *count };
            let mut event = EventRecord::new(id);
            event.rule = 0;
            let mut ready = ends.get(&EventId { action: own, count: *count - 1 }).copied().unwrap_or(0);
            for _ in 0..*n_takes {
                if let Some(at) = under_way.iter().position(|(_, target)| target == action) {
                    let (sender, _) = under_way.remove(at);
                    ready = ready.max(ends[&sender]);
                    event.flow.push(sender);
                }
            }
            if let Some((object, writes)) = access {
                let (writer, readers) = &mut versions[usize::from(*object)];
                let access = if *writes { Access::Write } else { Access::Read };
                let object_id = ObjectId(u32::from(*object));
                if writer.is_none() && *readers == 0 {
                    batch.objects.push(ObjectRecord {
                        object: object_id,
                        shared: SharedId(0),
                        graph: GraphInstanceId::MAIN,
                        index: Index::from_iter([i64::from(*object)]),
                    });
                }
                let found = if *writes { *readers } else { 0 };
                event.shared.push(SharedAccess {
                    object: object_id,
                    access,
                    writer: *writer,
                    readers: found,
                });
                if *writes {
                    (*writer, *readers) = (Some(id), 0);
                } else {
                    *readers += 1;
                }
            }
            let worker = (id.count as usize + own.0 as usize) % free.len();
            let start = ready.max(free[worker]) + 3;
            let end = start + u64::from(*duration);
            free[worker] = end;
            ends.insert(id, end);
            event.timing = Some(Timing::new(worker as u32, start, end));
            under_way.extend(receivers.iter().map(|&target| (id, target)));
            event.flow_successors = receivers.len() as u64;
            batch.push(&mut event);
        }
        batches.push(batch);
    }
    let templates = (0..N_TEMPLATES).map(|at| format!("T{at}")).collect();
    let header = TraceHeader {
        templates,
        shared: vec!["o".to_owned()],
        mode: RecordingMode::Perf,
        n_workers: 4,
        ..TraceHeader::default()
    };
    RecordSource::Memory { header: Arc::new(header), batches: Arc::new(batches) }
}

/// For each event whether each other one is before it, from the record's own orderings.
pub(crate) fn pasts(record: &Record) -> Vec<Vec<bool>> {
    let n_events = record.n_events() as usize;
    let mut pasts: Vec<Vec<bool>> = Vec::new();
    for event in 0..n_events {
        let mut past = vec![false; n_events];
        for before in record.before(event as u32) {
            let earlier = before.event as usize;
            past[earlier] = true;
            for (own, known) in past.iter_mut().zip(&pasts[earlier]) {
                *own |= known;
            }
        }
        pasts.push(past);
    }
    pasts
}
