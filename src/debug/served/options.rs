//! The options form and the settings of a session, one from the other.

use std::io;

use hasse_editor::run::{Mode as Chosen, Options};

use super::super::command::{FileName, Mode};
use super::super::line::as_word;
use super::super::session::{Displayed, Listed, Session};
use crate::fault::Fault;
use crate::{execution, report};

/// The mode of the form.
pub(super) fn mode_of(mode: Mode) -> Chosen {
    match mode {
        Mode::Full => Chosen::Full,
        Mode::Restrict => Chosen::Restrict,
        Mode::Minimal => Chosen::Minimal,
        Mode::Perf => Chosen::Perf,
        Mode::Off => Chosen::Off,
        Mode::DebuggingOff => Chosen::None,
        Mode::Replay => Chosen::Replay,
        Mode::PostMortem(_) => Chosen::PostMortem,
    }
}

fn chosen(mode: Chosen, before: Mode) -> Mode {
    match mode {
        Chosen::Full => Mode::Full,
        Chosen::Restrict => Mode::Restrict,
        Chosen::Minimal => Mode::Minimal,
        Chosen::Perf => Mode::Perf,
        Chosen::Off => Mode::Off,
        Chosen::None => Mode::DebuggingOff,
        Chosen::Replay => Mode::Replay,
        Chosen::PostMortem => match before {
            // Where its events come from is said on the console.
            Mode::PostMortem(_) => before,
            _ => Mode::PostMortem(None),
        },
    }
}

/// The options of a session; `given` are those that were chosen last.
pub(super) fn options_of(session: &Session<'_, '_>, given: &Options) -> Options {
    let settings = &session.settings;
    let n_workers = u32::try_from(session.options.n_workers).unwrap_or(u32::MAX);
    let is_default = given.n_workers.is_none() && session.options.n_workers == execution::n_cores();
    let setting = session.subject.given.iter();
    Options {
        mode: mode_of(settings.mode),
        n_workers: (!is_default).then_some(n_workers),
        seed: session.options.seed,
        params: setting.map(|setting| (setting.name().to_owned(), setting.text().to_owned())).collect(),
        record: settings.record_settings.clone(),
        display: settings.display,
        display_set: settings.display_selectors(),
        checks: checks_of(session),
        check_set: settings.check_set.clone(),
        races: settings.races,
        file: settings.file.as_ref().map(|(name, view)| (session.name_of(name), *view)),
        save: settings.save,
    }
}

/// The checks as the form names them; the models of a file are one.
fn checks_of(session: &Session<'_, '_>) -> Vec<String> {
    let mut texts: Vec<String> = session.settings.checks.iter().map(check_text).collect();
    texts.dedup();
    texts
}

/// A check without the word that commands begin with; of a model, the file that it comes from.
fn check_text(listed: &Listed) -> String {
    let text = listed.check.text();
    match &listed.model_file {
        Some(path) => format!("model {}", as_word(path)),
        None => text.strip_prefix("check ").unwrap_or(text).to_owned(),
    }
}

/// Sets what was chosen and differs from what is set; gives what is wrong with it, and leaves that as it was.
pub(super) fn set(session: &mut Session<'_, '_>, options: &Options) -> Vec<String> {
    let before = options_of(session, options);
    let mut problems = Vec::new();
    let mut refuse = |ended: Result<(), Fault>| {
        if let Err(fault) = ended {
            problems.push(report::fault_text(&fault));
        }
    };
    session.options.n_workers =
        options.n_workers.map_or(execution::n_cores(), |n_workers| n_workers.max(1) as usize);
    session.options.seed = options.seed;
    let settings = &mut session.settings;
    settings.mode = chosen(options.mode, settings.mode);
    settings.races = options.races;
    settings.display = options.display;
    settings.save = options.save;
    if options.file != before.file {
        settings.file = options.file.clone().map(|(name, view)| (FileName::Given(name), view));
    }
    if options.record != before.record {
        settings.record_options = session.subject.plan.record.options();
        settings.record_settings.clear();
        for (selector, option) in &options.record {
            refuse(session.set_option(Some(selector.clone()), *option));
        }
    }
    if options.check_set != before.check_set {
        refuse(session.set_check_set(options.check_set.clone()));
    }
    if options.display_set != before.display_set {
        let looked_up = session.look_up(&options.display_set);
        if looked_up.is_ok() {
            session.settings.display_set.clear();
            if !options.display_set.is_empty() {
                let number = session.settings.next_number();
                let selectors = options.display_set.clone();
                session.settings.display_set.push(Displayed { number, selectors });
            }
        }
        refuse(looked_up);
    }
    if options.checks != before.checks {
        let checks = session.settings.checks.iter();
        let gone = checks.filter(|listed| !options.checks.contains(&check_text(listed)));
        let numbers: Vec<u64> = gone.map(|listed| listed.number).collect();
        for number in numbers {
            refuse(session.line(&format!("delete check {number}"), &mut io::sink()).map(drop));
        }
        for check in options.checks.iter().filter(|check| !before.checks.contains(check)) {
            refuse(session.line(&format!("check {check}"), &mut io::sink()).map(drop));
        }
    }
    problems
}
