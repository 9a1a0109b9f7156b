//! The program after an edit: `run` takes it as it is on the disk, and keeps what was set as far as it fits.

use std::io::Write;

use super::super::held::{Events, Held, Origin};
use super::super::moved::MovedLines;
use super::super::saved::Kept;
use super::super::subject::Subject;
use super::{Session, Settings, written};
use crate::debug::opening::Opening;
use crate::fault::Fault;
use crate::program::{self, Program};
use crate::{message, report};

/// Most changes that are named.
const MOST_CHANGES: usize = 10;

impl<'p> Session<'_, 'p> {
    /// Takes the program as it is on the disk, and says what has changed in it and what had to be given up.
    ///
    /// # Errors
    /// It cannot be read, or has errors, which are printed; then the session keeps the program that it has.
    pub(super) fn reload(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        if !self.subject.is_on_disk || self.subject.taps.is_some() {
            return Ok(());
        }
        let before = self.subject;
        let program = Program::read(&before.program.path, before.program.linked())?;
        if program.text == before.program.text {
            return Ok(());
        }
        let subject = self.version(program)?;
        self.write_changes(&before.program.text, &subject.program, out)?;
        let mut kept = self.kept();
        let moved = MovedLines::new(&before.program.text, &subject.program.text);
        let lost = kept.move_lines(|line| moved.forward(line));
        self.take(subject);
        for command in lost {
            written(writeln!(out, "given up: `{command}`: its line is no longer in the program"))?;
        }
        self.keep(&kept, out)
    }

    /// A version of the session's program that is ready to run.
    fn version(&self, program: Program) -> Result<&'p Subject, Fault> {
        let before = self.subject;
        let program::Loaded { compiled, natives } = program.load()?;
        let Some(plan) = program::sound_plan(&compiled).cloned() else {
            report::print_diagnostics(&program, &compiled.diagnostics);
            return Err(Fault::ProgramHasErrors { path: program.path });
        };
        let opening = Opening {
            path: program.path.clone(),
            program: None,
            given: before.given.clone(),
            seed: self.options.seed,
            n_workers: self.options.n_workers,
        };
        let sandbox = before.options.sandbox.clone();
        Ok(self.subjects.add(opening.on(program, (plan, Some(natives)), None, sandbox)?))
    }

    fn write_changes(&self, before: &str, program: &Program, out: &mut dyn Write) -> Result<(), Fault> {
        let changes = hasse_compiler::changes(before, &program.text);
        let name = program.name();
        if changes.is_empty() {
            return written(writeln!(out, "{name} is written in another way, and means the same"));
        }
        written(writeln!(out, "{name} has changed:"))?;
        for change in changes.iter().take(MOST_CHANGES) {
            let line = change.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            written(writeln!(out, "  {}{line}", change.what))?;
        }
        match changes.len().saturating_sub(MOST_CHANGES) {
            0 => Ok(()),
            n_more => written(writeln!(out, "  and {n_more} more")),
        }
    }

    /// Goes on with another version, with nothing set.
    fn take(&mut self, subject: &'p Subject) {
        self.options = hasse_runtime::run::RunOptions {
            n_workers: self.options.n_workers,
            seed: self.options.seed,
            ..subject.options.clone()
        };
        self.subject = subject;
        self.settings = Settings::new(subject);
        self.arm_breakpoints();
    }

    /// Sets what was set before, and says what does not fit.
    fn keep(&mut self, kept: &Kept, out: &mut dyn Write) -> Result<(), Fault> {
        for (command, fault) in self.go_on(kept) {
            written(writeln!(out, "given up: `{command}`: {fault}"))?;
        }
        Ok(())
    }

    /// Goes on with what a saved session had set, on a program that was edited since. `records` are of the program as it was.
    pub(in super::super) fn restore_edited(
        &mut self,
        mut kept: Kept,
        origin: Origin,
        records: Option<super::super::job::Records>,
    ) -> Result<(), Fault> {
        let name = self.subject.program.name();
        message::print(&format!("note: {name} has changed since the session was saved\n"));
        let mut given_up = Vec::new();
        let held = match records {
            Some(records) => {
                let before = Program::recorded(&records.header, self.subject.program.linked());
                let moved = MovedLines::new(&before.text, &self.subject.program.text);
                let lost = kept.move_lines(|line| moved.forward(line));
                let why = "its line is no longer in the program";
                given_up.extend(lost.into_iter().map(|command| format!("given up: `{command}`: {why}\n")));
                Held { origin, events: Events::Records(Box::new(records)), subject: self.version(before)? }
            }
            None => Held::of_subject(self.subject),
        };
        let mut lines = Vec::new();
        self.settings = Settings::new(self.subject);
        self.arm_breakpoints();
        self.keep(&kept, &mut lines)?;
        given_up.iter().for_each(|text| message::print(text));
        message::print(&String::from_utf8_lossy(&lines));
        self.held = held;
        Ok(())
    }
}
