//! Verdicts of checks and races, found in a record in the background, and where what they name is.
//!
//! A finding has evidence in lines; each leads to events of the record, and to nodes, arcs and rules of the program.

use std::sync::Arc;

use hasse_debugger::check::command::{Command, Spec, parse};
use hasse_debugger::check::{self, Checker};
use hasse_debugger::race::{self, RaceDetector, RaceOptions};

use super::record::arrays::Record;
use super::record::{LoadError, Next, Opened, RecordSource};
use super::task::{Control, Task, Wake};
use finding::World;
pub use finding::{Evidence, Finding, Status};

/// What a check has found, with its evidence.
pub(super) mod finding;
/// Races as findings.
mod races;
/// Verdicts as findings.
mod verdict;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// A check command, with or without the word `check`.
    Check(String),
    /// A model of expected behavior: the text of a file of models.
    Model(String),
    /// Races.
    Races,
}

/// Looks for all of this in a record, in the background: all checks in one pass, and races in it, too. Findings come in the
/// order of the queries.
pub fn find(
    source: RecordSource,
    record: Arc<Record>,
    queries: Vec<Query>,
    wake: Wake,
) -> Task<Result<Vec<Finding>, LoadError>> {
    Task::start(wake, move |control| find_now(&source, &record, &queries, Some(control)))
}

/// Looks for all of this in a record, in this thread.
///
/// # Errors
/// Where the record cannot be read, or looking is given up. A query that cannot be understood is a finding.
pub fn find_now(
    source: &RecordSource,
    record: &Record,
    queries: &[Query],
    control: Option<&Control>,
) -> Result<Vec<Finding>, LoadError> {
    let world =
        World { record, instances: record.instances_by_path(), program_path: &record.header().program_path };
    let Some(plan) = record.program().plan() else {
        let text = "the program of this record cannot be compiled here, so that nothing can be checked";
        let none = |(at, query): (usize, &Query)| Finding::unknown(at, query.title(), text.to_owned());
        return Ok(queries.iter().enumerate().map(none).collect());
    };
    let mut findings = Vec::new();
    // Each command has a checker of its own: alternatives on the same events would share a verdict.
    let mut checkers: Vec<(usize, String, Checker<'_>)> = Vec::new();
    let mut races = None;
    for (at, query) in queries.iter().enumerate() {
        if *query == Query::Races {
            match RaceDetector::new(record.mode(), RaceOptions::default()) {
                Ok(detector) => races = Some((at, detector)),
                Err(error) => findings.push(Finding::unknown(at, query.title(), error.to_string())),
            }
            continue;
        }
        match query.commands() {
            Err(error) => findings.push(Finding::unknown(at, query.title(), error)),
            Ok(commands) => {
                for command in commands {
                    let title = command.text().to_owned();
                    match Checker::new(std::slice::from_ref(&command), plan, &record.header().params) {
                        Ok(checker) => checkers.push((at, title, checker.recorded(record.mode()))),
                        Err(error) => findings.push(Finding::unknown(at, title, error.to_string())),
                    }
                }
            }
        }
    }
    let mut race_error = None;
    let opened = Opened::new(source)?;
    let outcome = opened.each(control, &mut |event, names| {
        for (_, _, checker) in &mut checkers {
            checker.event(event, names).map_err(|source| LoadError::Inconsistent {
                event: names.event(event.id).to_string(),
                source,
            })?;
        }
        if let Some((_, detector)) = races.as_mut().filter(|_| race_error.is_none()) {
            race_error = detector.event(event, names).err();
        }
        Ok(Next::More)
    })?;
    for (at, _, checker) in checkers {
        let verdicts = checker.finish(&outcome.names);
        findings.extend(verdicts.iter().map(|verdict| verdict::finding(at, verdict, &world)));
    }
    if let Some((at, detector)) = races {
        match race_error {
            Some(error) => findings.push(Finding::unknown(at, Query::Races.title(), error.to_string())),
            None => {
                let header = record.header();
                let report = race::report(
                    &detector.finish(),
                    &outcome.names,
                    plan,
                    &header.params,
                    &header.program_text,
                );
                findings.extend(races::findings(at, &report, &world));
            }
        }
    }
    findings.sort_by_key(|finding| finding.query);
    Ok(findings)
}

impl Query {
    /// One line that says what is looked for.
    pub fn title(&self) -> String {
        match self {
            Query::Check(text) => text.trim().to_owned(),
            Query::Model(text) => {
                let head = text.lines().find(|line| line.trim_start().starts_with("[model."));
                head.unwrap_or("model").trim().to_owned()
            }
            Query::Races => "races".to_owned(),
        }
    }

    /// The units that it names: of each its name, and its graph where that is said.
    pub(super) fn units(&self) -> Vec<(Option<String>, String)> {
        let commands = self.commands().unwrap_or_default();
        let specs = commands.iter().flat_map(Command::specs);
        let unit = |spec: &Spec| match spec.name.split_once('.') {
            Some((graph, name)) => (Some(graph.to_owned()), name.to_owned()),
            None => (None, spec.name.clone()),
        };
        let mut units: Vec<_> = specs.map(unit).collect();
        units.sort();
        units.dedup();
        units
    }

    /// The commands that it stands for.
    fn commands(&self) -> Result<Vec<Command>, String> {
        match self {
            Query::Check(text) => parse(text).map(|command| vec![command]).map_err(|error| error.to_string()),
            Query::Model(text) => {
                let models = check::model::parse(text).map_err(|error| error.to_string())?;
                let command = |model: check::model::Model| {
                    let text = format!("model {}", model.name);
                    Command::Model { model: Box::new(model), text }
                };
                Ok(models.into_iter().map(command).collect())
            }
            Query::Races => Ok(Vec::new()),
        }
    }

    /// Whether it can be understood; the error says what is wrong. What it names is looked at when it is checked.
    ///
    /// # Errors
    /// Where the text is no command or no model.
    pub fn check(&self) -> Result<(), String> {
        self.commands().map(|_| ())
    }
}
