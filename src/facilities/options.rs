//! What is asked of facilities on the command line, in files of checks and in models.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hasse_debugger::check::command::{self, Command};
use hasse_debugger::check::model;
use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOptions;

use super::requested::Requested;
use super::stop_on::Finding;
use crate::fault::Fault;

/// What to do with the events as they come.
#[derive(clap::Args)]
#[command(next_help_heading = "Facilities")]
pub(crate) struct FacilityArgs {
    /// Show events in causal order as they come, on standard error
    #[arg(long, value_enum, value_name = "VIEW", num_args = 0..=1, require_equals = true, default_missing_value = "display")]
    display: Option<ViewArg>,
    /// The display set: nodes (Mult), actions ('Mult[3]', 'Mult[1..3]') or paths ('/dobts[2]/*'); may be given
    /// several times [default: all]
    #[arg(long, value_name = "SELECTOR")]
    display_select: Vec<String>,
    /// Check this while events come, as `hasse verify` does; may be given several times
    #[arg(long = "check", value_name = "CHECK")]
    checks: Vec<String>,
    /// Check the expected behavior of the models in this file; may be given several times
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    /// The check set: what the checks are given, restricted to these; like --display-select [default: all]
    #[arg(long, value_name = "SELECTOR")]
    check_select: Vec<String>,
    /// Look for races
    #[arg(long)]
    races: bool,
    /// End the run as soon as its events show this; may be given several times
    #[arg(long, value_enum, value_name = "FINDING")]
    stop_on: Vec<Finding>,
    /// Which events are filed by --trace
    #[arg(long, value_enum, value_name = "VIEW", default_value = "record")]
    file: ViewArg,
}

/// A view by its name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewArg {
    /// All that is recorded
    Record,
    /// Restricted to the display set
    Display,
    /// Restricted to the check set
    Check,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Record => View::Record,
            ViewArg::Display => View::Display,
            ViewArg::Check => View::Check,
        }
    }
}

impl FacilityArgs {
    /// What was asked for, read but not yet looked up in a program.
    pub(crate) fn requested(&self) -> Result<Requested, Fault> {
        let commands = commands(&self.checks, None, &self.models)?;
        if self.stop_on.contains(&Finding::Check) && commands.is_empty() {
            return Err(Fault::NoCheckToStopOn);
        }
        Ok(Requested {
            display: self.display.map(View::from),
            display_set: set_of(&self.display_select)?,
            check_set: set_of(&self.check_select)?,
            commands,
            races: self.races || self.stop_on.contains(&Finding::Race),
            file: self.file.into(),
            stops: self.stop_on.iter().map(|&finding| finding.into()).collect(),
        })
    }
}

/// The selectors of a set; `None` for everything.
pub(crate) fn set_of(selectors: &[String]) -> Result<Option<RecordOptions>, Fault> {
    if selectors.is_empty() {
        return Ok(None);
    }
    let mut options = RecordOptions::restricted();
    for selector in selectors {
        options = options.select(selector).map_err(Fault::Selector)?;
    }
    Ok(Some(options))
}

/// Reads checks, files of checks, and models.
pub(crate) fn commands(
    checks: &[String],
    file: Option<&Path>,
    models: &[PathBuf],
) -> Result<Vec<Command>, Fault> {
    let mut commands = checks.iter().map(|text| parse_check(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = file {
        let text = read_text(path)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            commands.push(parse_check(line)?);
        }
    }
    for path in models {
        commands.extend(read_models(path)?);
    }
    Ok(commands)
}

/// Reads the models of a file.
pub(crate) fn read_models(path: &Path) -> Result<Vec<Command>, Fault> {
    let models = model::parse(&read_text(path)?)
        .map_err(|source| Fault::BadModel { path: path.to_owned(), source })?;
    let command = |model: model::Model| {
        let text = format!("model {} of {}", model.name, path.display());
        Command::Model { model: Box::new(model), text }
    };
    Ok(models.into_iter().map(command).collect())
}

fn read_text(path: &Path) -> Result<String, Fault> {
    fs::read_to_string(path).map_err(|source| Fault::Read { path: path.to_owned(), source })
}

/// Reads a check.
pub(crate) fn parse_check(text: &str) -> Result<Command, Fault> {
    command::parse(text).map_err(|source| Fault::BadCheck { text: text.to_owned(), source })
}
