//! Saved sessions: a session as a file that goes on in another process (Hyder 1994, section 8.3.7).
//!
//! What is set is stored as commands, which are read by the same parser again; only those that set something are
//! accepted, so that a file from elsewhere can neither run nor write anything. The records stand beside it as a trace,
//! whose checksum the file holds. Folders and variables that bodies may reach are not stored: who restores a session
//! grants them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hasse_model::plan::Plan;
use hasse_runtime::control::grammar;
use hasse_runtime::run::RunOptions;
use toml_edit::{Array, ArrayOfTables, Document, DocumentMut, Item, Table, value};

use super::alias::Definition;
use super::command::{Command, FileName, shown};
use super::held::{Events, Held, Origin};
use super::job::Records;
use super::line::{Piece, as_word};
use super::session::{Session, Settings};
use super::subject::Subject;
use super::{redirect, table};
use crate::facilities;
use crate::fault::Fault;
use crate::params::Setting;
use crate::program::Program;

/// What goes on from one session to the next.
mod kept;

pub(super) use kept::Kept;

/// The version of the form of these files.
const VERSION: i64 = 1;
/// Longest file that is read.
const MOST_BYTES: u64 = 64 << 20;

/// A session file, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Saved {
    /// The program or trace, as it was given.
    subject: PathBuf,
    /// Checksum of the program's text.
    program_hash: String,
    pub(super) n_workers: usize,
    pub(super) seed: Option<u64>,
    /// Parameters, as they were given.
    pub(super) given: Vec<String>,
    last_number: u64,
    settings: Vec<String>,
    items: Vec<Numbered>,
    records: Option<RecordsFile>,
}

/// Something with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbered {
    number: u64,
    command: String,
    /// Of the models in a file, this one.
    model: Option<String>,
    is_enabled: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordsFile {
    name: String,
    checksum: String,
}

/// The commands that set what is set.
fn setting_commands(settings: &Settings) -> Vec<String> {
    let mut commands = vec![format!("mode {}", settings.mode.name())];
    for (selector, option) in &settings.record_settings {
        commands.push(format!("rcopt {} {}", as_word(selector), option.name()));
    }
    if !settings.check_set.is_empty() {
        commands.push(format!("checkset {}", words(&settings.check_set)));
    }
    commands.push(format!("races {}", if settings.races { "on" } else { "off" }));
    commands.push(format!("output disp {}", shown(settings.display)));
    commands.push(match (settings.save, settings.keeps_graphs) {
        (Some(_), true) => "output record bothgph".to_owned(),
        (None, true) => "output record elabgph".to_owned(),
        (save, false) => format!("output save {}", shown(save)),
    });
    commands.push(match &settings.file {
        None => "output file off".to_owned(),
        Some((FileName::Given(name), view)) => {
            format!("output file {} {}", as_word(name), shown(Some(*view)))
        }
        Some((FileName::OfProgram, view)) => format!("output ufile {}", shown(Some(*view))),
    });
    commands.extend(settings.aliases.iter().map(|(name, alias)| Definition(name, alias).to_string()));
    commands.push(format!("cd {}", as_word(&settings.last_scope.to_string())));
    commands.push(format!("cd {}", as_word(&settings.scope.to_string())));
    commands
}

fn words(selectors: &[String]) -> String {
    selectors.iter().map(|selector| as_word(selector)).collect::<Vec<_>>().join(" ")
}

/// What has a number, in order.
fn numbered(settings: &Settings, plan: &Plan) -> Vec<Numbered> {
    let item = |number: u64, command: String, model: Option<String>| {
        let is_enabled = !settings.disabled.contains(&number);
        Numbered { number, command, model, is_enabled }
    };
    let checks = settings.checks.iter().map(|listed| match &listed.model_file {
        None => {
            let text = listed.check.text();
            let command = if text.starts_with("check ") { text.to_owned() } else { format!("check {text}") };
            item(listed.number, command, None)
        }
        Some(path) => {
            let command = format!("check model {}", as_word(path));
            item(listed.number, command, Some(listed.check.text().to_owned()))
        }
    });
    let displays = settings.display_set.iter().map(|part| {
        let command = format!("disp {}", words(&part.selectors));
        item(part.number, command, None)
    });
    let breakpoints = settings
        .breakpoints
        .iter()
        .map(|(&number, breakpoint)| item(number, grammar::shown(breakpoint, plan), None));
    let on_findings =
        settings.on_findings.iter().map(|(&number, asked)| item(number, asked.to_string(), None));
    let mut all: Vec<Numbered> = checks.chain(displays).chain(breakpoints).chain(on_findings).collect();
    all.sort_by_key(|item| item.number);
    all
}

pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Saved {
    pub(super) fn new(
        subject: &Subject,
        options: &RunOptions,
        settings: &Settings,
        records: Option<RecordsFile>,
    ) -> Self {
        Self {
            subject: subject.trace.clone().unwrap_or_else(|| subject.program.path.clone()),
            program_hash: hash(subject.program.text.as_bytes()),
            n_workers: options.n_workers,
            seed: options.seed,
            given: subject.given.iter().map(ToString::to_string).collect(),
            last_number: settings.last_number,
            settings: setting_commands(settings),
            items: numbered(settings, &subject.plan),
            records,
        }
    }

    pub(super) fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        document["hasse-session"] = value(VERSION);
        document["subject"] = value(self.subject.display().to_string());
        document["program-blake3"] = value(&self.program_hash);
        document["workers"] = value(self.n_workers as i64);
        if let Some(seed) = self.seed {
            // All of its 64 bits, of which TOML has 63.
            document["seed"] = value(seed.to_string());
        }
        document["set"] = value(Array::from_iter(&self.given));
        document["last-number"] = value(i64::try_from(self.last_number).unwrap_or(i64::MAX));
        let mut settings = Array::from_iter(&self.settings);
        settings.iter_mut().for_each(|line| line.decor_mut().set_prefix("\n  "));
        settings.set_trailing("\n");
        document["settings"] = value(settings);
        let mut items = ArrayOfTables::new();
        for item in &self.items {
            let mut table = Table::new();
            table["number"] = value(i64::try_from(item.number).unwrap_or(i64::MAX));
            table["command"] = value(&item.command);
            if let Some(model) = &item.model {
                table["model"] = value(model);
            }
            if !item.is_enabled {
                table["enabled"] = value(false);
            }
            items.push(table);
        }
        if !items.is_empty() {
            document["item"] = Item::ArrayOfTables(items);
        }
        if let Some(records) = &self.records {
            let mut table = Table::new();
            table["file"] = value(&records.name);
            table["blake3"] = value(&records.checksum);
            document["records"] = Item::Table(table);
        }
        document.to_string()
    }

    /// Reads a session file.
    pub(super) fn read(path: &Path) -> Result<Self, Fault> {
        let cannot_read = |source| Fault::Read { path: path.to_owned(), source };
        if fs::metadata(path).map_err(cannot_read)?.len() > MOST_BYTES {
            return Err(broken(path, "it is longer than 64 MiB"));
        }
        let bytes = fs::read(path).map_err(cannot_read)?;
        let text = String::from_utf8(bytes).map_err(|_| broken(path, "it is not a text"))?;
        Self::parse(&text).map_err(|problem| broken(path, problem))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document = Document::parse(text).map_err(|error| error.message().to_owned())?;
        let root = document.as_table();
        match root.get("hasse-session").and_then(Item::as_integer) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!("it is of version {version}; this Hasse reads version {VERSION}"));
            }
            None => return Err("it does not begin with `hasse-session = 1`".to_owned()),
        }
        let missing = |key: &str| format!("`{key}` is missing, or not what it should be");
        let string = |table: &dyn toml_edit::TableLike, key: &str| {
            table.get(key).and_then(Item::as_str).map(str::to_owned).ok_or_else(|| missing(key))
        };
        let number = |table: &dyn toml_edit::TableLike, key: &str| {
            let found = table.get(key).and_then(Item::as_integer);
            found.and_then(|number| u64::try_from(number).ok()).ok_or_else(|| missing(key))
        };
        let strings = |key: &str| {
            let array = root.get(key).and_then(Item::as_array).ok_or_else(|| missing(key))?;
            let texts = array.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().ok_or_else(|| missing(key))
        };
        let seed = root
            .get("seed")
            .map(|seed| seed.as_str().and_then(|seed| seed.parse().ok()).ok_or_else(|| missing("seed")));
        let n_workers = number(root, "workers")?;
        if !(1..=4096).contains(&n_workers) {
            return Err(missing("workers"));
        }
        let mut items = Vec::new();
        if let Some(tables) = root.get("item") {
            for table in tables.as_array_of_tables().ok_or_else(|| missing("item"))? {
                let model = table.get("model").map(|_| string(table, "model")).transpose()?;
                items.push(Numbered {
                    number: number(table, "number")?,
                    command: string(table, "command")?,
                    model,
                    is_enabled: table.get("enabled").and_then(Item::as_bool).unwrap_or(true),
                });
            }
        }
        let records = root.get("records").map(|records| {
            let table = records.as_table_like().ok_or_else(|| missing("records"))?;
            let name = string(table, "file")?;
            if Path::new(&name).file_name() != Some(name.as_ref()) {
                return Err("`file` of the records is to be the name of a file beside it".to_owned());
            }
            Ok(RecordsFile { name, checksum: string(table, "blake3")? })
        });
        Ok(Self {
            subject: PathBuf::from(string(root, "subject")?),
            program_hash: string(root, "program-blake3")?,
            n_workers: n_workers as usize,
            seed: seed.transpose()?,
            given: strings("set")?,
            last_number: number(root, "last-number")?,
            settings: strings("settings")?,
            items,
            records: records.transpose()?,
        })
    }

    /// The program or trace: where it was, seen from the current folder, or else from the session file.
    pub(super) fn subject(&self, path: &Path) -> PathBuf {
        let folder = path.parent().unwrap_or(Path::new("."));
        let beside = self.subject.file_name().map(|name| folder.join(name));
        let places = [Some(self.subject.clone()), Some(folder.join(&self.subject)), beside];
        places.into_iter().flatten().find(|place| place.is_file()).unwrap_or_else(|| self.subject.clone())
    }

    /// Whether it is of a program with this name, which may have been edited since.
    fn is_named(&self, program: &Program) -> bool {
        self.subject.file_name() == program.path.file_name()
    }

    /// The parameters, as settings of the command line.
    pub(super) fn params(&self, path: &Path) -> Result<Vec<Setting>, Fault> {
        let settings = self.given.iter().map(|text| text.parse());
        settings.collect::<Result<_, _>>().map_err(|_| broken(path, "`set` does not hold `name=value`"))
    }

    fn read_records(&self, path: &Path) -> Result<Option<Records>, Fault> {
        let Some(file) = &self.records else { return Ok(None) };
        let place = path.with_file_name(&file.name);
        let bytes = fs::read(&place).map_err(|source| Fault::Read { path: place.clone(), source })?;
        if hash(&bytes) != file.checksum {
            let problem = format!("its records in {} are not those that were saved with it", place.display());
            return Err(broken(path, problem));
        }
        let records = Records::of_bytes(&bytes);
        let records = records.map_err(|source| Fault::Trace { path: place.clone(), source })?;
        if hash(records.header.program_text.as_bytes()) != self.program_hash {
            return Err(broken(path, format!("its records in {} are of another program", place.display())));
        }
        Ok(Some(records))
    }
}

pub(super) fn broken(path: &Path, problem: impl Into<String>) -> Fault {
    Fault::Session { path: path.to_owned(), problem: problem.into() }
}

impl Session<'_, '_> {
    /// Writes the session to a file, and its records beside it.
    pub(super) fn save(&mut self, path: &str) -> Result<(), Fault> {
        self.require_idle()?;
        let path = Path::new(path);
        self.refuse_own_files(path)?;
        let records = self.held.records().map(|records| -> Result<_, Fault> {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".trace");
            let place = path.with_file_name(&name);
            self.refuse_own_files(&place)?;
            let bytes = records.to_bytes();
            let bytes = bytes.map_err(|source| Fault::Write { path: place.clone(), source })?;
            redirect::replace(&place, &mut |out| out.write_all(&bytes).map_err(Fault::Stdout))?;
            let name = name.to_string_lossy().into_owned();
            Ok(RecordsFile { name, checksum: hash(&bytes) })
        });
        let saved = Saved::new(self.subject, &self.options, &self.settings, records.transpose()?);
        let text = saved.to_toml();
        redirect::replace(path, &mut |out| out.write_all(text.as_bytes()).map_err(Fault::Stdout))
    }

    /// Goes on with the session of a file; where that fails nothing is changed.
    pub(super) fn restore(&mut self, path: &Path) -> Result<(), Fault> {
        self.require_idle()?;
        let saved = Saved::read(path)?;
        let is_edited = saved.program_hash != hash(self.subject.program.text.as_bytes());
        if is_edited && (!self.subject.is_on_disk || !saved.is_named(&self.subject.program)) {
            let name = self.subject.program.name();
            return Err(broken(path, format!("it is of another program than {name}")));
        }
        let given: Vec<String> = self.subject.given.iter().map(ToString::to_string).collect();
        if saved.given != given {
            let problem =
                format!("its parameters are others; open it with `hasse debug --session {}`", path.display());
            return Err(broken(path, problem));
        }
        let records = saved.read_records(path)?;
        if is_edited {
            self.options.n_workers = saved.n_workers;
            self.options.seed = saved.seed;
            let kept = Kept::of_saved(&saved);
            return self.restore_edited(kept, Origin::Saved(path.to_owned()), records);
        }
        let before = std::mem::replace(&mut self.settings, Settings::new(self.subject));
        if let Err(fault) = self.set_all(&saved, path) {
            self.settings = before;
            self.arm_breakpoints();
            return Err(fault);
        }
        self.arm_breakpoints();
        self.options.n_workers = saved.n_workers;
        self.options.seed = saved.seed;
        self.held = match records {
            Some(records) => Held {
                origin: Origin::Saved(path.to_owned()),
                events: Events::Records(Box::new(records)),
                subject: self.subject,
            },
            None => Held::of_subject(self.subject),
        };
        Ok(())
    }

    pub(super) fn set_all(&mut self, saved: &Saved, path: &Path) -> Result<(), Fault> {
        for line in &saved.settings {
            self.set_again(line, None, path)?;
        }
        for item in &saved.items {
            self.settings.last_number = item.number.saturating_sub(1);
            let display = self.settings.display;
            self.set_item(item, path)?;
            // What `disp` sets beside the set has been stored by itself.
            self.settings.display = display;
        }
        self.settings.last_number = saved.last_number;
        Ok(())
    }

    /// Sets what has a number, which may not count.
    fn set_item(&mut self, item: &Numbered, path: &Path) -> Result<(), Fault> {
        self.set_again(&item.command, item.model.as_deref(), path)?;
        if item.is_enabled {
            return Ok(());
        }
        self.enable(false, None, &[item.number], &mut io::sink())
    }

    /// Carries out a command that sets something, and refuses others.
    fn set_again(&mut self, line: &str, model: Option<&str>, path: &Path) -> Result<(), Fault> {
        let wrong = |problem: &dyn std::fmt::Display| broken(path, format!("`{line}`: {problem}"));
        let parsed = table::parse(Piece::of(line).trim(), &[]).map_err(|error| wrong(&error))?;
        if parsed.redirection.is_some() {
            return Err(wrong(&"this sets nothing"));
        }
        let done = match parsed.command {
            Command::Model { path: file } => {
                let models = facilities::read_models(&self.find(&file))?;
                let found = models.into_iter().find(|check| Some(check.text()) == model);
                let Some(check) = found else {
                    let missing = model.unwrap_or("the model");
                    return Err(wrong(&format!("the file no longer holds {missing}")));
                };
                self.add_check(check, Some(file), &mut io::sink())
            }
            command @ (Command::Mode(Some(_))
            | Command::RecordOption { .. }
            | Command::Check(_)
            | Command::CheckSet(_)
            | Command::Display(_)
            | Command::Races(_)
            | Command::Output(_)
            | Command::Alias { .. }
            | Command::Breakpoint { .. }
            | Command::OnFinding(_)
            | Command::Select { .. }) => self.carry_out(command, &mut io::sink()).map(drop),
            _ => return Err(wrong(&"this sets nothing")),
        };
        done.map_err(|fault| match fault {
            Fault::Command { message, .. } => wrong(&message),
            fault => fault,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn saved() -> impl Strategy<Value = Saved> {
        let texts = || prop::collection::vec("\\PC{0,12}", 0..4);
        let item = (any::<u32>(), "\\PC{0,12}", prop::option::of("\\PC{0,8}"), any::<bool>());
        let items = prop::collection::vec(item, 0..4);
        let records = prop::option::of(("[a-z]{1,8}", "[0-9a-f]{4}"));
        let numbers = (1..4097_usize, prop::option::of(any::<u64>()), any::<u32>());
        ("[a-z/.]{1,10}", "[0-9a-f]{4}", numbers, texts(), texts(), items, records).prop_map(
            |(subject, program_hash, (n_workers, seed, last_number), given, settings, items, records)| {
                Saved {
                    subject: PathBuf::from(subject),
                    program_hash,
                    n_workers,
                    seed,
                    given,
                    last_number: u64::from(last_number),
                    settings,
                    items: items
                        .into_iter()
                        .map(|(number, command, model, is_enabled)| Numbered {
                            number: u64::from(number),
                            command,
                            model,
                            is_enabled,
                        })
                        .collect(),
                    records: records.map(|(name, checksum)| RecordsFile { name, checksum }),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(saved in saved()) {
            let text = saved.to_toml();
            prop_assert_eq!(Saved::parse(&text), Ok(saved), "{}", text);
        }

        #[test]
        fn any_text_is_a_session_or_an_error(text in "(hasse-session = 1\n)?[a-z=\"\\[\\]\n 1-3{}-]{0,60}") {
            let _ = Saved::parse(&text);
        }
    }
}
