//! Modes, options, checks, sets and aliases: what is set, changed and shown.

use std::io::{self, Write};
use std::path::PathBuf;

use hasse_debugger::check::command::Command as Check;
use hasse_debugger::check::{self, Checker};
use hasse_debugger::facility::View;
use hasse_model::quantity::counted;
use hasse_model::record_options::RecordOption;
use hasse_runtime::control::grammar;

use super::super::alias::Definition;
use super::super::command::{FileName, Kind, Mode, Output, shown};
use super::super::line::{LineError, as_word};
use super::super::table::rows;
use super::{Displayed, Listed, Session, Settings, unplaced, written};
use crate::fault::Fault;
use crate::{facilities, suggest};

impl Settings {
    /// The selectors of the display set; none for everything.
    pub(in super::super) fn display_selectors(&self) -> Vec<String> {
        self.display_set.iter().flat_map(|displayed| displayed.selectors.iter().cloned()).collect()
    }
}

impl Session<'_, '_> {
    pub(super) fn mode(&mut self, mode: Option<Mode>, out: &mut dyn Write) -> Result<(), Fault> {
        match mode {
            None => written(writeln!(out, "mode {}", self.settings.mode.name())),
            Some(mode) => {
                self.settings.mode = mode;
                Ok(())
            }
        }
    }

    pub(in super::super) fn set_option(
        &mut self,
        selector: Option<String>,
        option: RecordOption,
    ) -> Result<(), Fault> {
        let selector = selector.or_else(|| self.settings.scope.selector()).unwrap_or_else(|| "/".to_owned());
        let options = self.settings.record_options.clone().set(&selector, option);
        let options = options.map_err(Fault::Selector)?;
        options.resolve(&self.subject.plan).map_err(Fault::Selector)?;
        self.settings.record_options = options;
        self.settings.record_settings.push((selector, option));
        Ok(())
    }

    /// Refuses selectors that name nothing.
    pub(in super::super) fn look_up(&self, set: &[String]) -> Result<(), Fault> {
        let options = facilities::set_of(set)?;
        let resolved = options.map(|options| options.resolve(&self.subject.plan)).transpose();
        resolved.map(drop).map_err(Fault::Selector)
    }

    pub(in super::super) fn set_check_set(&mut self, set: Vec<String>) -> Result<(), Fault> {
        self.look_up(&set)?;
        self.settings.check_set = set;
        Ok(())
    }

    pub(super) fn display(&mut self, selectors: Vec<String>, out: &mut dyn Write) -> Result<(), Fault> {
        if selectors.is_empty() {
            self.settings.display_set.clear();
            return Ok(());
        }
        self.look_up(&selectors)?;
        self.settings.display.get_or_insert(View::Display);
        let number = self.settings.next_number();
        written(writeln!(out, "disp {number}: {}", selectors.join(", ")))?;
        self.settings.display_set.push(Displayed { number, selectors });
        Ok(())
    }

    pub(super) fn output(&mut self, output: Output) {
        let settings = &mut self.settings;
        match output {
            Output::Display(view) => settings.display = view,
            Output::File(file) => settings.file = file,
            Output::Save(save) => {
                settings.save = save.view;
                settings.keeps_graphs = save.graphs;
            }
        }
    }

    /// Where events are filed, as the options name it.
    pub(in super::super) fn name_of(&self, name: &FileName) -> String {
        self.file_path(name).display().to_string()
    }

    /// Where events are filed.
    pub(super) fn file_path(&self, name: &FileName) -> PathBuf {
        match name {
            FileName::Given(name) => PathBuf::from(name),
            FileName::OfProgram => {
                let stem = self.subject.program.path.file_stem().unwrap_or("program".as_ref());
                PathBuf::from(stem).with_extension("trace")
            }
        }
    }

    pub(super) fn add_models(&mut self, path: &str, out: &mut dyn Write) -> Result<(), Fault> {
        let models = facilities::read_models(&self.find(path))?;
        models.into_iter().try_for_each(|check| self.add_check(check, Some(path.to_owned()), out))
    }

    pub(in super::super) fn add_check(
        &mut self,
        check: Check,
        model_file: Option<String>,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let live = match &self.live {
            Some(live) => live.add_check(&check)?,
            None => {
                // Refuses what the program does not have before a run is under way.
                Checker::new(std::slice::from_ref(&check), &self.subject.plan, &self.subject.params)
                    .map_err(|source| Fault::CheckNames { source })?;
                None
            }
        };
        let number = self.settings.next_number();
        written(writeln!(out, "check {number}: {}", check.text()))?;
        self.settings.checks.push(Listed { number, check, model_file, live });
        Ok(())
    }

    pub(super) fn delete(
        &mut self,
        kind: Option<Kind>,
        number: u64,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        if matches!(kind, None | Some(Kind::Breakpoint)) && self.delete_breakpoint(number) {
            return Ok(());
        }
        let settings = &mut self.settings;
        if matches!(kind, None | Some(Kind::Breakpoint)) && settings.on_findings.remove(&number).is_some() {
            settings.disabled.remove(&number);
            return Ok(());
        }
        if matches!(kind, None | Some(Kind::Display))
            && let Some(position) = settings.display_set.iter().position(|part| part.number == number)
        {
            settings.display_set.remove(position);
            return Ok(());
        }
        let found = settings.checks.iter().position(|listed| listed.number == number);
        let Some(position) = found.filter(|_| matches!(kind, None | Some(Kind::Check))) else {
            return Err(Fault::NoSuchNumber {
                what: kind.map_or("check, display or breakpoint", Kind::name),
                number,
            });
        };
        let removed = settings.checks.remove(position);
        settings.disabled.remove(&number);
        if let (Some(live), Some(id)) = (&self.live, removed.live) {
            // Alternatives share an id, and go together.
            settings.checks.retain(|listed| listed.live != Some(id));
            if let Some(verdict) = live.delete_check(id) {
                written(write!(out, "{}", check::render(&verdict, &self.subject.program.name())))?;
            }
        }
        Ok(())
    }

    pub(super) fn write_verdicts(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let name = self.subject.program.name();
        let verdicts = match (&self.live, &self.last) {
            (Some(live), _) => {
                self.catch_up(live);
                live.verdicts()
            }
            (None, Some(done)) => done.findings.verdicts.clone(),
            (None, None) => Vec::new(),
        };
        written(verdicts.iter().try_for_each(|verdict| write!(out, "{}", check::render(verdict, &name))))
    }

    pub(super) fn write_options(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let mut settings = self.settings.record_settings.iter();
        written(settings.try_for_each(|(selector, option)| {
            writeln!(out, "rcopt {} {}", as_word(selector), option.name())
        }))
    }

    pub(super) fn write_aliases(&self, name: Option<&str>, out: &mut dyn Write) -> Result<(), Fault> {
        let own = &self.settings.aliases;
        let Some(name) = name else {
            let built_in = rows().flat_map(|row| row.aliases.iter().map(move |alias| (alias, row.name)));
            let mut built_in = built_in.filter(|(alias, _)| own.get(alias).is_none());
            written(built_in.try_for_each(|(alias, name)| writeln!(out, "alias {alias} {name}")))?;
            return written(
                own.iter().try_for_each(|(name, alias)| writeln!(out, "{}", Definition(name, alias))),
            );
        };
        if let Some(alias) = own.get(name) {
            return written(writeln!(out, "{}", Definition(name, alias)));
        }
        match rows().find(|row| row.aliases.contains(&name)) {
            Some(row) => written(writeln!(out, "alias {name} {}", row.name)),
            None => Err(Fault::NoAlias { name: name.to_owned(), help: self.near_aliases(name) }),
        }
    }

    fn near_aliases(&self, name: &str) -> String {
        let known = self.settings.aliases.iter().map(|(name, _)| name);
        suggest::help(name, known, "`alias` shows all aliases")
    }

    pub(super) fn unalias(&mut self, name: &str, column: usize) -> Result<(), Fault> {
        if self.settings.aliases.remove(name) {
            return Ok(());
        }
        let is_built_in = rows().any(|row| row.aliases.contains(&name));
        let message = match is_built_in {
            true => format!("`{name}` is built in; an alias of your own may take its place"),
            false => format!("there is no alias `{name}`"),
        };
        Err(unplaced(LineError::new(column, message, self.near_aliases(name))))
    }

    pub(super) fn write_status(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let settings = &self.settings;
        written(writeln!(out, "mode {}", settings.mode.name()))?;
        self.write_options(out)?;
        let write = |out: &mut dyn Write| -> io::Result<()> {
            let disabled = |number: &u64| if settings.disabled.contains(number) { " (disabled)" } else { "" };
            for listed in &settings.checks {
                let Listed { number, check, .. } = listed;
                writeln!(out, "check {number}: {}{}", check.text(), disabled(number))?;
            }
            for part in &settings.display_set {
                writeln!(out, "disp {}: {}", part.number, part.selectors.join(", "))?;
            }
            let listed = self.subject.control.breakpoints();
            for (number, breakpoint) in &settings.breakpoints {
                let n_hits =
                    listed.iter().find(|known| known.number == *number).map_or(0, |known| known.n_hits);
                let hits = match n_hits {
                    0 => String::new(),
                    n_hits => format!(" (hit {n_hits}x)"),
                };
                let shown = grammar::shown(breakpoint, &self.subject.plan);
                writeln!(out, "breakpoint {number}: {shown}{hits}{}", disabled(number))?;
            }
            for (number, asked) in &settings.on_findings {
                writeln!(out, "{} {number}: {asked}{}", asked.word(), disabled(number))?;
            }
            let set = |selectors: &[String]| match selectors {
                [] => "everything".to_owned(),
                selectors => selectors.join(" "),
            };
            writeln!(out, "check set: {}", set(&settings.check_set))?;
            writeln!(out, "display set: {}", set(&settings.display_selectors()))?;
            writeln!(out, "races: {}", if settings.races { "on" } else { "off" })?;
            writeln!(out, "display: {}", shown(settings.display))?;
            let graphs = if settings.keeps_graphs { ", and the graphs" } else { "" };
            writeln!(out, "save: {}{graphs}", shown(settings.save))?;
            match &settings.file {
                Some((name, view)) => {
                    writeln!(out, "file: {}, {}", self.file_path(name).display(), shown(Some(*view)))?;
                }
                None => writeln!(out, "file: off")?,
            }
            let n_aliases = settings.aliases.iter().count();
            if n_aliases > 0 {
                writeln!(out, "aliases: {n_aliases}")?;
            }
            writeln!(out, "scope: {}", settings.scope)?;
            if let Some(held) = self.held.status() {
                writeln!(out, "{held}")?;
            }
            if self.n_edits > 0 {
                let changes = counted(self.n_edits, "change");
                writeln!(out, "queues: {changes} by hand in run {}", self.n_runs)?;
            }
            if self.live.is_some() {
                writeln!(out, "a run is under way: {}", self.subject.control.state().name())?;
            }
            Ok(())
        };
        written(write(out))
    }
}
