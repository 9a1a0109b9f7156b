//! The figures of a performance report as tables of texts.

use hasse_debugger::perf::report::imbalance;

use super::super::table::Table;
use super::Performance;
use crate::views::record::facts_nanos;

/// Most rows of a table.
const MOST_ROWS: usize = 200;

fn table(title: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|&column| column.to_owned()).collect();
    Table { title: title.to_owned(), columns, rows: rows.into_iter().take(MOST_ROWS).collect() }
}

impl Performance {
    /// The figures: of the run, of workers, of nodes, and of the critical path.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![self.run_table()];
        tables.extend(self.worker_table());
        tables.push(self.node_table());
        tables.extend(self.path_tables());
        tables
    }

    fn amount(&self, amount: u64) -> String {
        if self.report.times.is_some() { facts_nanos(amount) } else { amount.to_string() }
    }

    fn run_table(&self) -> Table {
        let report = &self.report;
        let row = |name: &str, text: String| vec![name.to_owned(), text];
        let mut rows = vec![row("events", report.n_events.to_string())];
        rows.push(row("wall time", self.amount(report.wall())));
        rows.push(row("work", self.amount(report.work())));
        rows.push(row("critical path", self.amount(report.path.span)));
        rows.push(row("most speed-up", format!("{:.2}", report.most_speed_up())));
        if let Some(times) = &report.times {
            let room = report.wall().max(1) as f64 * times.workers.len().max(1) as f64;
            rows.push(row("utilization", format!("{:.1} %", 100.0 * times.work as f64 / room)));
            rows.push(row("waiting for locks", self.amount(times.locked)));
            rows.push(row("ready, without a worker", self.amount(times.queued)));
            rows.push(row("workers idle while events were ready", self.amount(times.starved)));
            let most = times.workers.iter().map(|worker| worker.busy).max().unwrap_or(0);
            let total = times.workers.iter().map(|worker| worker.busy).sum();
            let figure = imbalance(most, total, times.workers.len() as u64);
            rows.push(row("imbalance of workers", format!("{:.1} %", 100.0 * figure)));
        }
        rows.extend(report.notes().into_iter().map(|note| row("note", note)));
        table("run", &["figure", "value"], rows)
    }

    fn worker_table(&self) -> Option<Table> {
        let times = self.report.times.as_ref()?;
        let wall = self.report.wall().max(1) as f64;
        let rows = times.workers.iter().map(|worker| {
            vec![
                format!("worker {}", worker.worker),
                worker.n_events.to_string(),
                facts_nanos(worker.busy),
                format!("{:.1} %", 100.0 * worker.busy as f64 / wall),
                facts_nanos(worker.longest),
            ]
        });
        Some(table("workers", &["worker", "events", "busy", "share", "longest"], rows.collect()))
    }

    fn node_table(&self) -> Table {
        let is_timed = self.report.times.is_some();
        let rows = self.report.groups.iter().zip(&self.report.loads).filter(|(_, load)| load.n_events > 0);
        let rows = rows.map(|(name, load)| {
            let mut row = vec![name.clone(), load.n_actions.to_string(), load.n_events.to_string()];
            if is_timed {
                row.extend([load.computing, load.longest, load.queued, load.locked].map(facts_nanos));
            }
            row.push(format!("{:.1} %", 100.0 * load.imbalance(is_timed)));
            row
        });
        let timed = ["node", "instances", "events", "computing", "longest", "queued", "locked", "imbalance"];
        let logical = ["node", "instances", "events", "imbalance"];
        table("nodes", if is_timed { &timed } else { &logical }, rows.collect())
    }

    fn path_tables(&self) -> [Table; 2] {
        let path = &self.report.path;
        let name = |group: usize| self.report.groups.get(group).cloned().unwrap_or_default();
        let groups = path.groups.iter().map(|share| {
            let (adds, waiting) = (self.amount(share.adds), self.amount(share.waiting));
            vec![name(share.group), share.n_events.to_string(), adds, waiting]
        });
        let links = path.links.iter().map(|share| {
            vec![share.link.clone(), share.n_links.to_string(), self.amount(share.waiting.total())]
        });
        [
            table("critical path by node", &["node", "events", "adds", "waited"], groups.collect()),
            table("critical path by link", &["link", "times", "waited"], links.collect()),
        ]
    }
}
