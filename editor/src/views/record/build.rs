//! Taking in events in causal order.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use hasse_debugger::export::edges::{EdgeKind, Edges};
use hasse_debugger::ways::{Taken, Ways};
use hasse_model::event::{EventRecord, LocalState, Outcome};
use hasse_model::id::ObjectId;
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::{Names, TraceHeader};

use super::super::program::ProgramMap;
use super::arrays::{Columns, Instance, Record};
use super::edges::{Grouped, Via};
use super::load::error::LoadError;

/// A record that grows.
pub(in crate::views) struct Builder {
    header: Arc<TraceHeader>,
    program: Arc<ProgramMap>,
    edges: Edges,
    /// One more than an instance's position, by id.
    instance_of: IdTable<u32>,
    instances: Vec<Instance>,
    columns: Columns,
    ways: Ways,
    route_numbers: FxHashMap<Box<[u32]>, u32>,
    route_lists: Vec<Box<[u32]>>,
    accesses: FxHashMap<(ObjectId, u32, bool), u64>,
    errors: BTreeMap<u32, String>,
    values: FxHashMap<u32, Box<LocalState>>,
    n_levels: u32,
}

impl Builder {
    pub(in crate::views) fn new(header: Arc<TraceHeader>, program: Arc<ProgramMap>) -> Self {
        Self {
            edges: Edges::of_mode(header.mode),
            ways: Ways::new(header.params.clone()),
            header,
            program,
            instance_of: IdTable::new(),
            instances: Vec::new(),
            columns: Columns::default(),
            route_numbers: FxHashMap::default(),
            route_lists: Vec::new(),
            accesses: FxHashMap::default(),
            errors: BTreeMap::new(),
            values: FxHashMap::default(),
            n_levels: 0,
        }
    }

    pub(in crate::views) fn n_events(&self) -> usize {
        self.columns.action.len()
    }

    /// About how many bytes the record will take, with what views derive from it.
    pub(in crate::views) fn n_bytes(&self) -> u64 {
        let per_event = if self.columns.start.is_empty() { 72 } else { 100 };
        let events = self.n_events() as u64 * per_event;
        events + self.columns.before.len() as u64 * 20 + self.instances.len() as u64 * 200
    }

    /// Takes in the next event in causal order.
    pub(in crate::views) fn event(
        &mut self,
        event: &mut EventRecord,
        names: &Names,
    ) -> Result<(), LoadError> {
        let own = self.n_events() as u32;
        let found = self
            .edges
            .event(event)
            .map_err(|source| LoadError::Inconsistent { event: names.event(event.id).to_string(), source });
        let (_, edges) = found?;
        let columns = &mut self.columns;
        let mut level = 0;
        let mut flow_idx = 0;
        for edge in edges {
            // Numbers count from 1.
            let from = (edge.from_number.saturating_sub(1) as u32).min(own);
            let object = edge.object.unwrap_or(ObjectId(Via::MOST));
            let via = match edge.kind {
                EdgeKind::Sequence => Via::Sequence,
                EdgeKind::Flow => {
                    let list = columns.routes.get(from as usize).copied().unwrap_or(0);
                    let routes = self.route_lists.get(list as usize).map_or(&[][..], |routes| routes);
                    let taken = Taken { sender: edge.from, routes: (list, routes), taker: event, flow_idx };
                    flow_idx += 1;
                    Via::Value(self.program.plan().and_then(|plan| self.ways.find(&taken, plan, names)))
                }
                EdgeKind::Read => Via::Read(object),
                EdgeKind::Write => Via::Write(object),
                EdgeKind::Overwrite => Via::Overwrite(object),
                EdgeKind::Relayed => Via::Relayed(object),
            };
            if from < own {
                level = level.max(columns.level[from as usize] + 1);
                columns.before.push(from);
                columns.via.push(via.pack());
            }
        }
        self.n_levels = self.n_levels.max(level + 1);
        let instance = self.instance_of.slot(event.id.action.0);
        if *instance == 0 {
            // A template that the program does not have is as good as none.
            let template = names.template_of(event.id.action);
            let template = template.filter(|template| template.idx() < self.header.templates.len());
            let template = template.map_or(u32::MAX, |template| template.0);
            self.instances.push(Instance { id: event.id.action, template });
            *instance = self.instances.len() as u32;
        }
        let instance = *instance - 1;
        for access in &event.shared {
            let key = (access.object, instance, access.access == Access::Write);
            *self.accesses.entry(key).or_default() += 1;
        }
        let routes = match self.route_numbers.get(&*event.routes) {
            Some(&number) => number,
            None => {
                let number = self.route_lists.len() as u32;
                self.route_lists.push(event.routes.clone().into());
                self.route_numbers.insert(event.routes.clone().into(), number);
                number
            }
        };
        columns.action.push(instance);
        columns.count.push(u32::try_from(event.id.count).unwrap_or(u32::MAX));
        columns.rule.push(i16::try_from(event.rule).unwrap_or(i16::MAX));
        columns.outcome.push(match event.outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Stopped => 2,
        });
        columns.level.push(level);
        columns.routes.push(routes);
        columns.n_sent.push(u32::try_from(event.flow_successors).unwrap_or(u32::MAX));
        columns.before_end.push(columns.before.len() as u32);
        if event.timing.is_some() && columns.start.is_empty() {
            // Events before the first one with times are where it begins.
            let start = event.timing.map_or(0, |timing| timing.start);
            columns.start.resize(own as usize, start);
            columns.end.resize(own as usize, start);
            columns.worker.resize(own as usize, 0);
        }
        if let Some(timing) = event.timing {
            columns.start.push(timing.start);
            columns.end.push(timing.end.max(timing.start));
            columns.worker.push(u16::try_from(timing.worker).unwrap_or(u16::MAX));
        } else if let Some(&last) = columns.end.last() {
            columns.start.push(last);
            columns.end.push(last);
            columns.worker.push(0);
        }
        if let Some(error) = event.error.take() {
            self.errors.insert(own, error);
        }
        if let Some(values) = event.local.take() {
            self.values.insert(own, values);
        }
        Ok(())
    }

    /// The record so far; costs a copy.
    pub(in crate::views) fn snapshot(&self, names: Names, notes: Vec<String>) -> Record {
        let parts = Parts {
            columns: self.columns.clone(),
            instances: self.instances.clone(),
            ways: self.ways.list().to_vec(),
            route_lists: self.route_lists.clone(),
            errors: self.errors.clone(),
            values: self.values.clone(),
        };
        self.assemble(parts, names, notes, Vec::new())
    }

    /// The record; `idle` are the instances that never executed.
    pub(in crate::views) fn finish(
        mut self,
        names: Names,
        notes: Vec<String>,
        idle: Vec<Instance>,
    ) -> Record {
        let mut columns = std::mem::take(&mut self.columns);
        columns.before.shrink_to_fit();
        columns.via.shrink_to_fit();
        let parts = Parts {
            columns,
            instances: std::mem::take(&mut self.instances),
            ways: self.ways.take_list(),
            route_lists: std::mem::take(&mut self.route_lists),
            errors: std::mem::take(&mut self.errors),
            values: std::mem::take(&mut self.values),
        };
        self.edges = Edges::of_mode(self.header.mode);
        self.assemble(parts, names, notes, idle)
    }

    fn assemble(&self, parts: Parts, names: Names, notes: Vec<String>, mut idle: Vec<Instance>) -> Record {
        let Parts { columns, instances, ways, route_lists, errors, values } = parts;
        let rank = |Instance { id, template }: &Instance| {
            let graph = names.graph_of(*id).map(|graph| names.graph_path(graph).to_string());
            (*template, graph, names.index_of(*id).cloned(), *id)
        };
        let mut ranked: Vec<u32> = (0..instances.len() as u32).collect();
        ranked.sort_by_cached_key(|&at| rank(&instances[at as usize]));
        idle.sort_by_cached_key(rank);
        let n_events = columns.action.len();
        let after = Grouped::of(n_events, || {
            let mut start = 0;
            columns
                .before_end
                .iter()
                .enumerate()
                .flat_map(move |(own, &end)| {
                    let range = start..end;
                    start = end;
                    range.map(move |at| (at, own as u32))
                })
                .map(|(at, own)| (columns.before[at as usize], own))
        });
        let events_of = Grouped::of(instances.len(), || columns.action.iter().copied().zip(0_u32..));
        let span = columns.start.iter().min().copied().zip(columns.end.iter().max().copied());
        let n_workers = columns.worker.iter().max().map_or(0, |&worker| usize::from(worker) + 1);
        let n_workers = n_workers.max(self.header.n_workers as usize).max(1);
        let accesses = self.accesses.iter().map(|(key, n)| (*key, *n)).collect::<BTreeMap<_, _>>();
        Record {
            header: Arc::clone(&self.header),
            names,
            program: Arc::clone(&self.program),
            instances,
            idle,
            ranked,
            columns,
            after,
            events_of,
            ways,
            route_lists,
            accesses,
            errors,
            values,
            n_workers: n_workers.min(usize::from(u16::MAX)),
            n_levels: self.n_levels,
            span,
            notes,
        }
    }
}

/// What a record takes over from its builder.
struct Parts {
    columns: Columns,
    instances: Vec<Instance>,
    ways: Vec<Box<[u32]>>,
    route_lists: Vec<Box<[u32]>>,
    errors: BTreeMap<u32, String>,
    values: FxHashMap<u32, Box<LocalState>>,
}
