//! What a session leaves for the next one, on a program that may have been edited.

use std::collections::BTreeMap;
use std::path::Path;

use hasse_runtime::control::breakpoint::Place;

use super::super::session::Session;
use super::{Numbered, Saved, numbered, setting_commands};
use crate::fault::Fault;

/// What a session on another program goes on with.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Kept {
    settings: Vec<String>,
    items: Vec<Numbered>,
    /// Lines of breakpoints, by number.
    lines: BTreeMap<u64, u32>,
    last_number: u64,
}

impl Kept {
    /// The settings of a saved session.
    pub(super) fn of_saved(saved: &Saved) -> Self {
        let line_of = |item: &Numbered| {
            let (_, rest) = item.command.split_once(" at line ")?;
            let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
            Some((item.number, digits.parse().ok()?))
        };
        Self {
            settings: saved.settings.clone(),
            items: saved.items.clone(),
            lines: saved.items.iter().filter_map(line_of).collect(),
            last_number: saved.last_number,
        }
    }

    /// For a program in which lines are elsewhere: moves breakpoints that are at lines; gives up those whose line is gone,
    /// and tells their commands.
    pub(in super::super) fn move_lines(&mut self, moved: impl Fn(u32) -> Option<u32>) -> Vec<String> {
        let mut lost = Vec::new();
        let lines = &mut self.lines;
        self.items.retain_mut(|item| {
            let Some(line) = lines.get_mut(&item.number) else { return true };
            let Some(now) = moved(*line) else {
                lost.push(item.command.clone());
                return false;
            };
            let (old, new) = (format!(" at line {line}"), format!(" at line {now}"));
            item.command = item.command.replacen(&old, &new, 1);
            *line = now;
            true
        });
        lost
    }

    /// Lets go of a breakpoint.
    pub(in super::super) fn forget(&mut self, number: u64) {
        self.items.retain(|item| item.number != number);
    }

    /// What a session on quite another program goes on with: nothing that names a part of a program.
    pub(in super::super) fn of_no_program(&self) -> Self {
        let is_general = |command: &&String| command.starts_with("alias ");
        Self { settings: self.settings.iter().filter(is_general).cloned().collect(), ..Self::default() }
    }
}

impl Session<'_, '_> {
    /// What is set, by names.
    pub(in super::super) fn kept(&self) -> Kept {
        let at_lines = self.settings.breakpoints.iter().filter_map(|(&number, breakpoint)| {
            let Place::Line(line) = breakpoint.place else { return None };
            Some((number, line))
        });
        Kept {
            settings: setting_commands(&self.settings),
            items: numbered(&self.settings, &self.subject.plan),
            lines: at_lines.collect(),
            last_number: self.settings.last_number,
        }
    }

    /// Sets what was set in another session, as far as this program has it; gives what had to be given up, and why.
    pub(in super::super) fn go_on(&mut self, kept: &Kept) -> Vec<(String, Fault)> {
        let mut given_up = Vec::new();
        let path = Path::new("the session before");
        for line in &kept.settings {
            if let Err(fault) = self.set_again(line, None, path) {
                given_up.push((line.clone(), fault));
            }
        }
        for item in &kept.items {
            self.settings.last_number = item.number.saturating_sub(1);
            let display = self.settings.display;
            if let Err(fault) = self.set_item(item, path) {
                given_up.push((item.command.clone(), fault));
            }
            self.settings.display = display;
        }
        self.settings.last_number = kept.last_number;
        given_up
    }
}
