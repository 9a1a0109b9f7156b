//! Requests to the facilities.

use hasse_debugger::check::Checker;
use hasse_debugger::check::command::Command;
use hasse_debugger::facility::{Facilities, Facility, Mode, OptionOf, Restriction, View};
use hasse_debugger::race::{RaceDetector, RaceOptions};
use hasse_debugger::restrict::Restrictor;
use hasse_model::plan::Plan;
use hasse_model::record_options::{NamedOptions, RecordOptions};
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;
use hasse_runtime::capture::Capture;

use super::stop_on::Condition;
use crate::fault::Fault;

/// What was asked of the facilities.
#[derive(Default)]
pub(crate) struct Requested {
    pub(crate) display: Option<View>,
    pub(crate) display_set: Option<RecordOptions>,
    pub(crate) check_set: Option<RecordOptions>,
    pub(crate) commands: Vec<Command>,
    pub(crate) races: bool,
    pub(crate) file: View,
    /// Findings at which the run stops.
    pub(crate) stops: Vec<Condition>,
}

impl Requested {
    /// Whether events are to be looked at while they come.
    pub(crate) fn is_any(&self) -> bool {
        self.display.is_some()
            || !self.commands.is_empty()
            || self.races
            || self.file != View::Record
            || !self.stops.is_empty()
    }

    /// Refuses what a mode does not have (table 6-2).
    pub(crate) fn require(&self, mode: Mode) -> Result<(), Fault> {
        let asked = [
            (self.display.is_some(), Facility::Display),
            (!self.commands.is_empty() || self.races || !self.stops.is_empty(), Facility::Checker),
            (self.file != View::Record, Facility::Filing),
        ];
        match asked.into_iter().find(|&(is_asked, facility)| is_asked && !mode.has(facility)) {
            Some((_, facility)) => Err(Fault::NotAvailable { facility: facility.name(), mode: mode.name() }),
            None => Ok(()),
        }
    }

    /// The values that the checks ask for.
    pub(crate) fn capture(&self, plan: &Plan) -> Result<Capture, Fault> {
        hasse::values_of_checks(&self.commands, plan).map_err(|source| Fault::CheckNames { source })
    }

    /// How much the events of a view say, where the run records in a mode.
    pub(crate) fn mode_of(&self, view: View, recorded_as: RecordingMode) -> RecordingMode {
        let is_restricted = match view {
            View::Record => false,
            View::Display => self.display_set.is_some(),
            View::Check => self.check_set.is_some(),
        };
        if is_restricted { RecordingMode::Restricted } else { recorded_as }
    }

    /// The facilities for a program and the parameters of its run.
    pub(crate) fn facilities<'a>(
        &self,
        names: Names,
        plan: &'a Plan,
        params: &'a [(String, Value)],
        recorded_as: RecordingMode,
    ) -> Result<Facilities<'a>, Fault> {
        let set = |options: &Option<RecordOptions>| {
            options.as_ref().map(|options| restrictor(options, plan, recorded_as)).transpose()
        };
        let checker = match &self.commands[..] {
            [] => None,
            commands => Some(checker(commands, plan, params, self.mode_of(View::Check, recorded_as))?),
        };
        let races = self.races.then(|| RaceDetector::new(recorded_as, RaceOptions::default()));
        let races = races.transpose().map_err(|source| Fault::NoRaces { source })?;
        Ok(Facilities::new(names, plan)
            .display_set(set(&self.display_set)?)
            .check_set(set(&self.check_set)?)
            .display(self.display)
            .checker(checker)
            .races(races)
            .filing((self.file != View::Record).then_some(self.file)))
    }
}

/// A checker of the events of a record.
pub(crate) fn checker<'a>(
    commands: &[Command],
    plan: &'a Plan,
    params: &'a [(String, Value)],
    recorded_as: RecordingMode,
) -> Result<Checker<'a>, Fault> {
    let checker = Checker::new(commands, plan, params).map_err(|source| Fault::CheckNames { source })?;
    Ok(checker.recorded(recorded_as))
}

/// Restricts to what options name.
pub(crate) fn restrictor<'a>(
    options: &RecordOptions,
    plan: &Plan,
    recorded_as: RecordingMode,
) -> Result<Restriction<'a>, Fault> {
    let resolved = options.resolve(plan).map_err(Fault::Selector)?;
    let mut named = NamedOptions::new(resolved);
    let option_of: OptionOf<'a> = Box::new(move |action, names| named.action(action, names));
    Ok(Restrictor::new(recorded_as, option_of))
}
