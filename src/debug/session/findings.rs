//! Reactions to findings, and breakpoints and checks that are disabled.

use std::io::Write;

use hasse_debugger::check;

use super::super::command::{Finding, FindingCommand, Kind, OnFinding};
use super::{Listed, Session, Settings, written};
use crate::facilities::Condition;
use crate::fault::Fault;

impl Settings {
    /// The checks that count.
    pub(super) fn enabled_checks(&self) -> impl Iterator<Item = &Listed> {
        self.checks.iter().filter(|listed| !self.disabled.contains(&listed.number))
    }

    /// Findings that the next run is checked for, with the reactions.
    pub(super) fn conditions(&self) -> Vec<(Condition, Vec<FindingCommand>)> {
        let text_of = |number: u64| {
            let listed = self.enabled_checks().find(|listed| listed.number == number);
            listed.map(|listed| listed.check.text().to_owned())
        };
        let enabled = self.on_findings.iter().filter(|(number, _)| !self.disabled.contains(number));
        let conditions = enabled.filter_map(|(_, asked)| {
            let condition = match asked.finding {
                Finding::Check(None) => Condition::Check(None),
                // One that was deleted or does not count is not violated.
                Finding::Check(Some(number)) => Condition::Check(Some(text_of(number)?)),
                Finding::Race => Condition::Race,
            };
            Some((condition, asked.commands()))
        });
        conditions.collect()
    }

    /// Numbers of all breakpoints and findings, or of all checks.
    fn numbers_of(&self, kind: Option<Kind>) -> Vec<u64> {
        match kind {
            Some(Kind::Check) => self.checks.iter().map(|listed| listed.number).collect(),
            _ => self.breakpoints.keys().chain(self.on_findings.keys()).copied().collect(),
        }
    }
}

impl Session<'_, '_> {
    /// Has something done at a finding, from the next run on.
    pub(super) fn on_finding(&mut self, asked: OnFinding, out: &mut dyn Write) -> Result<(), Fault> {
        let settings = &mut self.settings;
        match asked.finding {
            Finding::Check(Some(number)) if !settings.checks.iter().any(|listed| listed.number == number) => {
                return Err(Fault::NoSuchNumber { what: "check", number });
            }
            Finding::Race => settings.races = true,
            Finding::Check(_) => {}
        }
        let number = settings.next_number();
        let from = if self.live.is_some() { ", from the next run on" } else { "" };
        written(writeln!(out, "{} {number}: {asked}{from}", asked.word()))?;
        self.settings.on_findings.insert(number, asked);
        Ok(())
    }

    /// Has breakpoints, findings or checks count or not.
    pub(in super::super) fn enable(
        &mut self,
        is_enabled: bool,
        kind: Option<Kind>,
        numbers: &[u64],
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let all = if numbers.is_empty() { self.settings.numbers_of(kind) } else { numbers.to_vec() };
        for number in all {
            if !self.has_number(kind, number) {
                let what = kind.map_or("breakpoint or check", Kind::name);
                return Err(Fault::NoSuchNumber { what, number });
            }
            let disabled = &mut self.settings.disabled;
            let has_changed = if is_enabled { disabled.remove(&number) } else { disabled.insert(number) };
            if !has_changed {
                continue;
            }
            if let Some(breakpoint) = self.settings.breakpoints.get(&number) {
                let control = &self.subject.control;
                if is_enabled {
                    let set = control.set_breakpoint(&self.subject.plan, number, breakpoint.clone());
                    set.map_err(Fault::Selector)?;
                } else {
                    control.delete_breakpoint(number);
                }
            } else if !self.settings.on_findings.contains_key(&number) {
                self.enable_check(is_enabled, number, out)?;
            }
        }
        Ok(())
    }

    fn has_number(&self, kind: Option<Kind>, number: u64) -> bool {
        let settings = &self.settings;
        let is_breakpoint =
            settings.breakpoints.contains_key(&number) || settings.on_findings.contains_key(&number);
        let is_check = settings.checks.iter().any(|listed| listed.number == number);
        match kind {
            Some(Kind::Check) => is_check,
            Some(_) => is_breakpoint,
            None => is_breakpoint || is_check,
        }
    }

    /// Adds a check to the run under way, or takes it out and prints its verdict so far.
    fn enable_check(&mut self, is_enabled: bool, number: u64, out: &mut dyn Write) -> Result<(), Fault> {
        let settings = &mut self.settings;
        let Some(live) = &self.live else { return Ok(()) };
        let found = settings.checks.iter_mut().find(|listed| listed.number == number);
        let Some(listed) = found else { return Ok(()) };
        if is_enabled {
            listed.live = live.add_check(&listed.check)?;
            return Ok(());
        }
        let Some(id) = listed.live else { return Ok(()) };
        // Alternatives share an id, and go together.
        for listed in settings.checks.iter_mut().filter(|listed| listed.live == Some(id)) {
            listed.live = None;
            settings.disabled.insert(listed.number);
        }
        match live.delete_check(id) {
            Some(verdict) => {
                written(write!(out, "{}", check::render(&verdict, &self.subject.program.name())))
            }
            None => Ok(()),
        }
    }
}
