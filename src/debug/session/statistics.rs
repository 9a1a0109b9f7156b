//! `debug`: what goes on inside a session, for those who maintain Hasse (Hyder 1994, table B-1).

use hasse_model::quantity::counted;
use std::io::{self, Write};

use super::{Session, written};
use crate::allocator;
use crate::fault::Fault;

/// The highest level.
const MOST: u64 = 3;

impl Session<'_, '_> {
    /// Sets the level, or with a minus ends what a level tells; then tells.
    pub(super) fn debug(&mut self, level: Option<i64>, out: &mut dyn Write) -> Result<(), Fault> {
        match level {
            None => return written(writeln!(out, "debug {}", self.settings.debug_level)),
            Some(level) if level < 0 => {
                let below = level.unsigned_abs() - 1;
                self.settings.debug_level = self.settings.debug_level.min(below);
            }
            Some(level) => self.settings.debug_level = level.unsigned_abs().min(MOST),
        }
        self.write_statistics(out)
    }

    /// Tells as much as the level asks for.
    pub(super) fn write_statistics(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let level = self.settings.debug_level;
        let write = |out: &mut dyn Write| -> io::Result<()> {
            if level >= 1 {
                let (n_delivered, n_pending) = match (&self.live, &self.last) {
                    (Some(live), _) => live.progress(),
                    (None, Some(done)) => {
                        (done.findings.summary.n_delivered, done.findings.summary.n_dropped)
                    }
                    (None, None) => (0, 0),
                };
                writeln!(out, "[1] runs: {}", self.n_runs)?;
                writeln!(out, "[1] events: {n_delivered} delivered, {n_pending} pending")?;
                if let Some(records) = self.held.records() {
                    let (n_events, n_batches) = (records.n_events(), records.batches().len());
                    let (events, batches) = (counted(n_events, "event"), counted(n_batches, "batch"));
                    writeln!(out, "[1] records: {events} in {batches}")?;
                }
            }
            if level >= 2 {
                if let Some(done) = &self.last {
                    let names = &done.findings.summary.names;
                    writeln!(
                        out,
                        "[2] names: {}, {}",
                        counted(names.n_actions(), "action"),
                        counted(names.n_objects(), "object")
                    )?;
                }
                let (settings, plan) = (&self.settings, &self.subject.plan);
                writeln!(
                    out,
                    "[2] program: {}, {}, {}, {}, {}",
                    counted(plan.graphs.len(), "graph"),
                    counted(plan.templates.len(), "unit"),
                    counted(plan.calls.len(), "call"),
                    counted(plan.arcs.len(), "arc"),
                    counted(plan.scripts.len(), "script")
                )?;
                let n_aliases = settings.aliases.iter().count();
                let checks = counted(settings.checks.len(), "check");
                writeln!(out, "[2] session: {checks}, {}", counted(n_aliases, "alias"))?;
            }
            if level >= 3 {
                match allocator::process_bytes() {
                    Some((allocated, resident)) => {
                        let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
                        writeln!(
                            out,
                            "[3] memory: {:.1} MiB allocated, {:.1} MiB resident",
                            mib(allocated),
                            mib(resident)
                        )?;
                    }
                    None => writeln!(out, "[3] memory: not counted on this system")?,
                }
            }
            Ok(())
        };
        written(write(out))
    }
}
