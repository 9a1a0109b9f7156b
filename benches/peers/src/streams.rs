//! Events as the workers of a run see them, made without running anything: what traces are measured on.

use hasse_model::event::{ActionRecord, EventBatch, ObjectRecord, SharedAccess};
use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index, ObjectId, SharedId, TemplateId};
use hasse_model::plan::Access;

/// Most executions of one node in a row.
const BURST: u64 = 64;
/// Cells of a side of the wavefront.
const SIDE: u32 = 512;

/// What was recorded of a run: the batches in the order in which they are written.
pub(crate) struct Stream {
    /// Name of the workload.
    pub(crate) name: &'static str,
    /// Events of the run, recorded or not.
    pub(crate) n_executed: u64,
    /// The batches.
    pub(crate) batches: Vec<EventBatch>,
}

impl Stream {
    fn new(name: &'static str, recorder: Recorder) -> Self {
        let batches: Vec<EventBatch> = recorder.full.into_iter().chain(recorder.filling).collect();
        Self { name, n_executed: batches.iter().map(|batch| batch.n_events() as u64).sum(), batches }
    }
}

/// All workloads, with about so many events each.
pub(crate) fn all(n_events: u64, batch_events: usize) -> Vec<Stream> {
    vec![
        chain(n_events, batch_events),
        fan(n_events, batch_events),
        merge(n_events, batch_events),
        counter("counter, bursts", n_events, BURST, batch_events),
        counter("counter, one by one", n_events, 1, batch_events),
        wavefront("wavefront, 1 worker", n_events, 1, batch_events),
        wavefront("wavefront, 2 workers", n_events, 2, batch_events),
    ]
}

/// The batches that workers fill, and the full ones.
struct Recorder {
    batch_events: usize,
    full: Vec<EventBatch>,
    filling: Vec<EventBatch>,
}

impl Recorder {
    fn new(n_workers: usize, batch_events: usize) -> Self {
        Self { batch_events, full: Vec::new(), filling: vec![EventBatch::default(); n_workers] }
    }

    fn announce(&mut self, worker: usize, action: u32, template: u32, index: &[i64]) {
        let (action, template) = (ActionId(action), TemplateId(template));
        let (graph, index) = (GraphInstanceId::MAIN, index.iter().copied().collect::<Index>());
        self.filling[worker].actions.push(ActionRecord { action, template, graph, index });
    }

    fn push(
        &mut self,
        worker: usize,
        id: EventId,
        routes: &[u32],
        flow: &[EventId],
        shared: &[SharedAccess],
        n_sent: u64,
    ) {
        if id.count == 1 && self.filling[worker].actions.last().is_none_or(|last| last.action != id.action) {
            self.announce(worker, id.action.0, id.action.0, &[]);
        }
        let batch = &mut self.filling[worker];
        batch.push_done(id, 0, routes, flow, shared, n_sent);
        if batch.n_events() == self.batch_events {
            self.full.push(std::mem::take(batch));
        }
    }
}

fn event(action: u32, count: u64) -> EventId {
    EventId { action: ActionId(action), count }
}

/// What an action takes that has its own last value to take, if this is not its first execution.
fn before(own: &[EventId; 1]) -> &[EventId] {
    if own[0].count == 0 { &[] } else { own }
}

/// Numbers without a pattern, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n_choices: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n_choices
    }
}

/// 64 nodes behind each other: a random one with values executes next, for up to a burst.
pub(crate) fn chain(n_events: u64, batch_events: usize) -> Stream {
    const N_NODES: u32 = 64;
    let n_values = n_events / u64::from(N_NODES);
    let (mut n_done, mut dice) = ([0_u64; N_NODES as usize], Dice(1));
    let mut recorder = Recorder::new(1, batch_events);
    while n_done[N_NODES as usize - 1] < n_values {
        let node = dice.below(u64::from(N_NODES)) as u32;
        let n_ready = if node == 0 { n_values } else { n_done[node as usize - 1] };
        for _ in 0..BURST.min(n_ready - n_done[node as usize]) {
            n_done[node as usize] += 1;
            let count = n_done[node as usize];
            let before = event(node.wrapping_sub(1), count);
            let flow = if node == 0 { &[][..] } else { &[before][..] };
            recorder.push(0, event(node, count), &[0], flow, &[], 1);
        }
    }
    Stream::new("chain", recorder)
}

/// A sender, 16 branches, and a node that takes from all of them; branches execute in any order.
pub(crate) fn fan(n_events: u64, batch_events: usize) -> Stream {
    const N_BRANCHES: u32 = 16;
    let mut recorder = Recorder::new(1, batch_events);
    let mut dice = Dice(2);
    for wave in 0..n_events / (u64::from(N_BRANCHES) + 2) / BURST {
        let counts = wave * BURST + 1..=(wave + 1) * BURST;
        for count in counts.clone() {
            recorder.push(
                0,
                event(0, count),
                &[0],
                before(&[event(0, count - 1)]),
                &[],
                u64::from(N_BRANCHES) + 1,
            );
        }
        let mut branches: Vec<u32> = (1..=N_BRANCHES).collect();
        while !branches.is_empty() {
            let branch = branches.swap_remove(dice.below(branches.len() as u64) as usize);
            for count in counts.clone() {
                recorder.push(0, event(branch, count), &[0], &[event(0, count)], &[], 1);
            }
        }
        for count in counts {
            let flow: Vec<EventId> = (1..=N_BRANCHES).map(|branch| event(branch, count)).collect();
            recorder.push(0, event(N_BRANCHES + 1, count), &[], &flow, &[], 0);
        }
    }
    Stream::new("fan", recorder)
}

/// 8 producers that send to themselves and to a sink, which takes from them in any order, each in bursts.
pub(crate) fn merge(n_events: u64, batch_events: usize) -> Stream {
    const N_PRODUCERS: u32 = 8;
    let (mut n_sent, mut n_taken) = ([0_u64; N_PRODUCERS as usize], [0_u64; N_PRODUCERS as usize]);
    let mut recorder = Recorder::new(1, batch_events);
    let (mut dice, mut n_sunk) = (Dice(3), 0);
    while n_sunk < n_events / 2 {
        let producer = dice.below(u64::from(N_PRODUCERS)) as usize;
        for _ in 0..BURST {
            n_sent[producer] += 1;
            let id = event(producer as u32, n_sent[producer]);
            recorder.push(0, id, &[0, 1], before(&[event(producer as u32, id.count - 1)]), &[], 2);
        }
        for _ in 0..BURST {
            let from = dice.below(u64::from(N_PRODUCERS)) as usize;
            for _ in 0..(n_sent[from] - n_taken[from]).min(1 + dice.below(16)) {
                n_taken[from] += 1;
                n_sunk += 1;
                let flow = [event(from as u32, n_taken[from])];
                recorder.push(0, event(N_PRODUCERS, n_sunk), &[], &flow, &[], 0);
            }
        }
    }
    Stream::new("merge", recorder)
}

/// 4 actions that send to themselves and write one object.
pub(crate) fn counter(name: &'static str, n_events: u64, burst: u64, batch_events: usize) -> Stream {
    let mut recorder = Recorder::new(1, batch_events);
    let (object, shared, graph) = (ObjectId(0), SharedId(0), GraphInstanceId::MAIN);
    recorder.filling[0].objects.push(ObjectRecord { object, shared, graph, index: Index::none() });
    let (mut counts, mut writer) = ([0_u64; 4], None);
    for turn in 0..n_events / burst {
        let action = turn as u32 % 4;
        for _ in 0..burst {
            counts[action as usize] += 1;
            let id = event(action, counts[action as usize]);
            let access = SharedAccess { object, access: Access::Write, writer, readers: 0 };
            recorder.push(0, id, &[0], before(&[event(action, id.count - 1)]), &[access], 1);
            writer = Some(id);
        }
    }
    Stream::new(name, recorder)
}

/// A square of cells, each created by the first value that it gets and executed once, when it has one from each
/// neighbor; workers take what they made ready last, and steal what is oldest.
pub(crate) fn wavefront(name: &'static str, n_events: u64, n_workers: usize, batch_events: usize) -> Stream {
    let mut recorder = Recorder::new(n_workers, batch_events);
    let (mut dice, mut n_actions) = (Dice(4), 0_u32);
    for _ in 0..(n_events / u64::from(SIDE * SIDE)).max(1) {
        let mut cells: Vec<Cell> = vec![Cell::default(); (SIDE * SIDE) as usize];
        let mut ready = vec![std::collections::VecDeque::new(); n_workers];
        (cells[0].action, cells[0].n_missing) = (n_actions + 1, 0);
        n_actions += 1;
        ready[0].push_back(0_u32);
        let (mut worker, mut n_steps) = (0, 0);
        loop {
            // A worker is a few executions ahead of the other, now and then many.
            if n_steps == 0 {
                worker = (worker + 1) % n_workers;
                n_steps = if dice.below(50) == 0 { 1 + dice.below(500) } else { 1 + dice.below(3) };
            }
            n_steps -= 1;
            let other = (worker + 1) % n_workers;
            let taken = ready[worker].pop_back();
            let stolen = || ready[other].pop_front();
            let Some(at) = taken.or_else(stolen) else {
                if ready.iter().all(|ready| ready.is_empty()) {
                    break;
                }
                n_steps = 0;
                continue;
            };
            execute(&mut recorder, worker, at, &mut cells, &mut n_actions, &mut ready[worker]);
        }
    }
    Stream::new(name, recorder)
}

/// A cell of the wavefront.
#[derive(Clone, Debug)]
struct Cell {
    /// Its id and one more; 0 where it was not created yet.
    action: u32,
    n_missing: u32,
}

impl Default for Cell {
    fn default() -> Self {
        Self { action: 0, n_missing: 2 }
    }
}

fn execute(
    recorder: &mut Recorder,
    worker: usize,
    at: u32,
    cells: &mut [Cell],
    n_actions: &mut u32,
    ready: &mut std::collections::VecDeque<u32>,
) {
    let (row, column) = (at / SIDE, at % SIDE);
    let (mut routes, mut flow) = (Vec::new(), Vec::new());
    let mut take = |from: u32| flow.push(event(cells[from as usize].action - 1, 1));
    if row > 0 {
        take(at - SIDE);
    }
    if column > 0 {
        take(at - 1);
    }
    let mut send = |route: u32, to: u32, is_edge: bool| {
        let cell = &mut cells[to as usize];
        if cell.action == 0 {
            *n_actions += 1;
            cell.action = *n_actions;
        }
        cell.n_missing -= if is_edge { 2 } else { 1 };
        if cell.n_missing == 0 {
            ready.push_back(to);
        }
        routes.push(route);
    };
    if row + 1 < SIDE {
        send(0, at + SIDE, column == 0);
    }
    if column + 1 < SIDE {
        send(1, at + 1, row == 0);
    }
    let id = event(cells[at as usize].action - 1, 1);
    recorder.announce(worker, id.action.0, 1, &[i64::from(row), i64::from(column)]);
    recorder.push(worker, id, &routes, &flow, &[], routes.len() as u64);
}

/// What minimal records of a run without free choices hold: nothing but a cut each tenth of a second.
pub(crate) fn cuts(of: &Stream, n_cuts: u64, n_waiting: u32) -> Stream {
    let n_executed = of.n_executed;
    let mut batches = Vec::new();
    for nth in 1..=n_cuts {
        let mut batch = EventBatch::default();
        let mut cut = Vec::new();
        // In the order of a hash table, as a run finds them: any odd step goes through all of 2^n.
        for waiting in (0..n_waiting).map(|nth| nth * 37 % n_waiting) {
            let action = ActionId(nth as u32 * n_waiting + waiting);
            let (template, graph) = (TemplateId(1), GraphInstanceId::MAIN);
            let index = [nth as i64 + 1, i64::from(waiting)].into_iter().collect();
            batch.actions.push(ActionRecord { action, template, graph, index });
            cut.push(EventId { action, count: 0 });
        }
        batch.cut = Some(cut);
        batches.push(batch);
    }
    Stream { name: of.name, n_executed, batches }
}
