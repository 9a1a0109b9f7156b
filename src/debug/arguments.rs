//! What stands behind a command's name, and how it is read.

use clap::ValueEnum;
use hasse_debugger::display::history::Start;
use hasse_debugger::facility::View;
use hasse_debugger::perf;
use hasse_model::record_options::RecordOption;

use hasse_runtime::control::grammar::Keyword;

use super::command::{
    AskedEvent, Change, Command, Export, FileName, Finding, FindingCommand, GraphKind, History, Kind, Listed,
    Mode, OnFinding, Output, Perf, Place, Range, Save, Symbol,
};
use super::line::{self, LineError, Piece, Word};
use super::table::Row;
use crate::export::{self, Format};
use crate::fault::Fault;
use crate::{facilities, suggest};

/// Words before the name of an input.
const KINDS: [&str; 3] = ["port", "var", "shared"];

/// Commands at a finding, for messages.
const FINDING_COMMANDS: &str = "commands at a finding are `log \"text\"`, `verdicts` and `stop`";

/// The arguments of a command.
pub(super) struct Arguments<'l> {
    pub(super) row: &'static Row,
    /// The whole command, its name included.
    pub(super) command: Piece<'l>,
    /// What stands behind the name, as it was written.
    pub(super) rest: Piece<'l>,
    pub(super) words: Vec<Word>,
}

type Parsed<T> = Result<T, LineError>;

impl Arguments<'_> {
    /// The text of a word.
    pub(super) fn word(&self, word_idx: usize) -> Option<&str> {
        self.words.get(word_idx).map(|word| word.text.as_str())
    }

    /// All words, taken apart at commas.
    pub(super) fn texts(&self) -> Parsed<Vec<String>> {
        self.texts_from(0)
    }

    fn texts_from(&self, word_idx: usize) -> Parsed<Vec<String>> {
        let mut texts = Vec::new();
        for word in &self.words[word_idx.min(self.words.len())..] {
            let parts = Piece { text: &word.text, column: word.column }.split(',')?;
            texts.extend(parts.iter().map(|part| part.text.to_owned()).filter(|text| !text.is_empty()));
        }
        Ok(texts)
    }

    /// An error at a word, or at the end of the command.
    pub(super) fn wrong(&self, word_idx: usize, message: impl Into<String>) -> LineError {
        let column = self.words.get(word_idx).map_or(self.command.end_column(), |word| word.column);
        LineError::new(column, message, self.row.hint())
    }

    /// The error that a word is not expected, or that one is missing.
    pub(super) fn unexpected(&self, word_idx: usize) -> LineError {
        match self.word(word_idx) {
            Some(word) => self.wrong(word_idx, format!("`{word}` is not expected here")),
            None => self.wrong(word_idx, "something is missing"),
        }
    }

    /// Refuses more than so many words.
    pub(super) fn ends_at(&self, n_words: usize) -> Parsed<()> {
        if self.words.len() > n_words { Err(self.unexpected(n_words)) } else { Ok(()) }
    }

    /// A command without arguments.
    pub(super) fn plain(&self, command: Command) -> Parsed<Command> {
        self.ends_at(0).map(|()| command)
    }

    /// The only word.
    pub(super) fn one(&self, what: &str) -> Parsed<&str> {
        self.ends_at(1)?;
        self.word(0).ok_or_else(|| self.wrong(0, format!("{what} is missing")))
    }

    /// The only word, if there is one, with its column.
    pub(super) fn optional(&self) -> Parsed<Option<(String, usize)>> {
        self.ends_at(1)?;
        Ok(self.words.first().map(|word| (word.text.clone(), word.column)))
    }

    /// The only word as an event, if there is one.
    pub(super) fn event(&self) -> Parsed<AskedEvent> {
        self.ends_at(1)?;
        Ok(self.event_at(0))
    }

    fn event_at(&self, word_idx: usize) -> AskedEvent {
        match self.words.get(word_idx) {
            Some(word) => AskedEvent { target: Some(word.text.clone()), column: word.column },
            None => AskedEvent { target: None, column: self.command.column },
        }
    }

    /// `[EVENT] [NAME=VALUE ...] [save FILE]`, where a name may have `port`, `var` or `shared` before it.
    pub(super) fn isolate(&self) -> Parsed<Command> {
        let is_option = |word: &str| word == "save" || word.contains('=') || KINDS.contains(&word);
        let is_named = self.word(0).is_some_and(|word| !is_option(word));
        let event = match is_named {
            true => self.event_at(0),
            false => AskedEvent { target: None, column: self.command.column },
        };
        let mut at = usize::from(is_named);
        let mut changes = Vec::new();
        while let Some(word) = self.word(at).filter(|word| *word != "save") {
            let column = self.words[at].column;
            let kind = KINDS.contains(&word).then_some(word);
            at += usize::from(kind.is_some());
            let change = self.word(at).and_then(|word| word.split_once('='));
            let Some((name, value)) = change.filter(|(name, _)| !name.trim().is_empty()) else {
                return Err(self.wrong(at, "an input with its value is expected, such as `acc=3`"));
            };
            let name = kind.map_or(name.trim().to_owned(), |kind| format!("{kind} {}", name.trim()));
            changes.push(Change { name, value: value.to_owned(), column });
            at += 1;
        }
        let save = match self.word(at) {
            None => None,
            Some(_) => {
                let path = self.word(at + 1);
                let path = path.ok_or_else(|| self.wrong(at + 1, "the name of a file is missing"))?;
                self.ends_at(at + 2)?;
                Some(path.to_owned())
            }
        };
        Ok(Command::Isolate { event, changes, save })
    }

    /// `[elaborated|program] [SELECTOR, ...]`.
    pub(super) fn graphs(&self) -> Parsed<Command> {
        let kind = match self.word(0) {
            Some("elaborated") => Some(GraphKind::Elaborated),
            Some("program") => Some(GraphKind::Program),
            _ => None,
        };
        let selectors = self.texts_from(usize::from(kind.is_some()))?;
        Ok(Command::Graphs { kind, selectors })
    }

    /// `[N | LOW..HIGH | EVENT] [SELECTOR, ...]`.
    pub(super) fn history(&self) -> Parsed<Command> {
        let place = self.word(0).and_then(|word| self.place(word)).transpose()?;
        let selectors = self.texts_from(usize::from(place.is_some()))?;
        Ok(Command::History(History { place, selectors }))
    }

    /// A first word as a place in the history, where it looks like one.
    fn place(&self, word: &str) -> Option<Parsed<Place>> {
        let column = self.words.first().map_or(1, |word| word.column);
        if word.contains(':') {
            return Some(Ok(Place::Event { target: word.to_owned(), column }));
        }
        if !word.starts_with(|first: char| first.is_ascii_digit() || ".-".contains(first)) {
            return None;
        }
        let wrong = || {
            let message = format!("`{word}` is no place: write `12`, `10..20`, or `-20..` for the last 20");
            self.wrong(0, message)
        };
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number != 0).ok_or_else(wrong);
        let from = |low: i64| match low {
            0.. => Start::At(low.unsigned_abs()),
            _ => Start::BeforeEnd(low.unsigned_abs()),
        };
        let count = |n_events: u64| usize::try_from(n_events).unwrap_or(usize::MAX);
        Some((|| {
            let (start, n_events) = match word.split_once("..") {
                None => {
                    let low = number(word)?;
                    (from(low), (low < 0).then(|| count(low.unsigned_abs())))
                }
                Some((low, "")) => (from(number(low)?), Some(usize::MAX)),
                Some((low, high)) => {
                    let low = if low.is_empty() { 1 } else { number(low)? };
                    let high = number(high)?;
                    if high <= low || (low < 0) != (high < 0) {
                        return Err(wrong());
                    }
                    (from(low), Some(count(high.abs_diff(low))))
                }
            };
            Ok(Place::From { start, n_events, column })
        })())
    }

    /// `[by action|template|graph] [top N] [window A..B] [svg FILE]`, in any order.
    pub(super) fn perf(&self) -> Parsed<Command> {
        let mut perf = Perf::default();
        let mut at = 0;
        while let Some(word) = self.word(at) {
            let value_idx = at + 1;
            let missing = || self.wrong(value_idx, format!("what stands behind `{word}` is missing"));
            let is_known = matches!(word, "by" | "top" | "window" | "svg");
            let value = if is_known { self.word(value_idx).ok_or_else(missing)? } else { "" };
            match word {
                "by" => {
                    perf.by = Some(match value {
                        "action" => perf::By::Action,
                        "template" => perf::By::Template,
                        "graph" => perf::By::Graph,
                        _ => return Err(self.unexpected(value_idx)),
                    });
                }
                "top" => {
                    let number = value.parse().ok().filter(|number| *number > 0);
                    let wrong = || self.wrong(value_idx, format!("`{value}` is not a number of rows"));
                    perf.n_top = Some(number.ok_or_else(wrong)?);
                }
                "window" => {
                    let window = value.parse::<perf::Window>();
                    let window = window.map_err(|error| {
                        let hint = perf::WindowError::HELP;
                        LineError::new(self.words[value_idx].column, error.to_string(), hint)
                    })?;
                    perf.window = Some((window, self.words[value_idx].column));
                }
                "svg" => perf.svg = Some(value.to_owned()),
                _ => return Err(self.unexpected(at)),
            }
            at += 2;
        }
        Ok(Command::Perf(perf))
    }

    /// `FORMAT FILE [events|elaborated|program] [by action|template|graph]`.
    pub(super) fn export(&self) -> Parsed<Command> {
        let name = self.word(0).ok_or_else(|| self.wrong(0, "a form is missing"))?;
        let format = <Format as ValueEnum>::from_str(name, false).map_err(|_| {
            let known: Vec<String> = Format::value_variants()
                .iter()
                .filter_map(|form| Some(form.to_possible_value()?.get_name().to_owned()))
                .collect();
            let hint = suggest::help(
                name,
                known.iter().map(String::as_str),
                &format!("forms are {}", known.join(", ")),
            );
            LineError::new(self.words[0].column, format!("there is no form `{name}`"), hint)
        })?;
        let path = self.word(1).ok_or_else(|| self.wrong(1, "the name of a file is missing"))?.to_owned();
        let mut at = 2;
        let graph = match self.word(at) {
            Some("events") => Some(export::Graph::Events),
            Some("elaborated") => Some(export::Graph::Elaborated),
            Some("program") => Some(export::Graph::Program),
            _ => None,
        };
        if graph.is_some() && !matches!(format, Format::Dot | Format::Graphml) {
            return Err(self.wrong(at, "a graph is for `dot` and `graphml`"));
        }
        at += usize::from(graph.is_some());
        let by = match (self.word(at), self.word(at + 1)) {
            (Some("by"), Some("action")) => Some(export::By::Action),
            (Some("by"), Some("template")) => Some(export::By::Template),
            (Some("by"), Some("graph")) => Some(export::By::Graph),
            (Some("by"), _) => return Err(self.unexpected(at + 1)),
            _ => None,
        };
        if by.is_some() && format != Format::Shiviz {
            return Err(self.wrong(at, "what a time line stands for is for `shiviz`"));
        }
        at += 2 * usize::from(by.is_some());
        self.ends_at(at)?;
        Ok(Command::Export(Export { format, path, graph, by }))
    }

    /// A name to be looked up.
    pub(super) fn symbol(&self) -> Parsed<Symbol> {
        let name = self.one("a name")?.to_owned();
        Ok(Symbol { name, column: self.words[0].column })
    }

    /// A name to be looked up, if there is one.
    pub(super) fn optional_symbol(&self) -> Parsed<Option<Symbol>> {
        Ok(self.optional()?.map(|(name, column)| Symbol { name, column }))
    }

    pub(super) fn mode(&self) -> Parsed<Option<Mode>> {
        let name = match (self.word(0), self.word(1)) {
            (None, _) => return Ok(None),
            (Some("record"), None) => "record full".to_owned(),
            (Some(word), None) => word.to_owned(),
            (Some(word), Some(next)) => format!("{word} {next}"),
        };
        let known = Mode::NAMES.iter().find(|(known, _)| *known == name);
        let begins = |word: &str| Mode::NAMES.iter().any(|(known, _)| known.split(' ').next() == Some(word));
        let wrong_idx = usize::from(self.word(0).is_some_and(begins));
        let (_, mode) = known.ok_or_else(|| self.unexpected(wrong_idx))?;
        self.ends_at(2)?;
        Ok(Some(*mode))
    }

    pub(super) fn record_option(&self) -> Parsed<Command> {
        let Some(first) = self.word(0) else { return Ok(Command::RecordOptions) };
        if let (Some(option), None) = (RecordOption::of_name(first), self.word(1)) {
            return Ok(Command::RecordOption { selector: None, option });
        }
        let option = self.word(1).and_then(RecordOption::of_name).ok_or_else(|| self.unexpected(1))?;
        self.ends_at(2)?;
        Ok(Command::RecordOption { selector: Some(first.to_owned()), option })
    }

    pub(super) fn check(&self) -> Parsed<Command> {
        if self.word(0) == Some("model") {
            self.ends_at(2)?;
            let path = self.word(1).ok_or_else(|| self.wrong(1, "the name of a file is missing"))?;
            return Ok(Command::Model { path: path.to_owned() });
        }
        let before = self.command.column - 1;
        let check = facilities::parse_check(self.command.text).map_err(|fault| match fault {
            Fault::BadCheck { source, .. } => {
                let column = (before + source.column).min(self.command.end_column());
                LineError::new(column, source.message, source.hint)
            }
            fault => self.wrong(0, fault.to_string()),
        })?;
        Ok(Command::Check(check))
    }

    pub(super) fn switch(&self) -> Parsed<bool> {
        self.ends_at(1)?;
        match self.word(0) {
            None | Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    pub(super) fn background(&self) -> Parsed<bool> {
        self.ends_at(1)?;
        match self.word(0) {
            None => Ok(false),
            Some("&") => Ok(true),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    /// `[N] [&]`: a number of times, and whether nobody waits.
    pub(super) fn times_in_background(&self) -> Parsed<(u64, bool)> {
        match (self.word(0), self.word(1)) {
            (None, _) => Ok((1, false)),
            (Some("&"), _) => self.ends_at(1).map(|()| (1, true)),
            (Some(_), None) => Ok((self.times(0)?, false)),
            // What is in the background cannot be let go on again and again.
            (Some(_), Some(_)) => Err(self.unexpected(1)),
        }
    }

    /// A number of times, or once.
    pub(super) fn times(&self, word_idx: usize) -> Parsed<u64> {
        self.ends_at(word_idx + 1)?;
        let Some(word) = self.word(word_idx) else { return Ok(1) };
        let number = word.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| self.wrong(word_idx, format!("`{word}` is not a number of times")))
    }

    /// `stop` alone, or with what makes a breakpoint.
    pub(super) fn stop(&self) -> Parsed<Command> {
        if self.rest.text.trim().is_empty() {
            return Ok(Command::Stop);
        }
        Ok(match self.finding(self.rest)? {
            Some(finding) => Command::OnFinding(OnFinding { finding, commands: None }),
            None => self.breakpoint(Keyword::Stop),
        })
    }

    /// `when`, with what makes a breakpoint, or at a finding.
    pub(super) fn when(&self) -> Parsed<Command> {
        let open = self.rest.text.find('{');
        let finding = self.finding(self.rest.slice(0, open.unwrap_or(self.rest.text.len())))?;
        let Some(finding) = finding else { return Ok(self.breakpoint(Keyword::When)) };
        let hint = FINDING_COMMANDS;
        let Some(open) = open else {
            return Err(LineError::new(self.rest.end_column(), "the commands are missing", hint));
        };
        let braced = self.rest.from(open).trim();
        if let Some(column) = braced.unclosed() {
            return Err(LineError::new(column, "the `{` is not closed", hint));
        }
        let Some(inside) = braced.text.strip_suffix('}') else {
            return Err(LineError::new(braced.end_column(), "nothing is expected after the `}`", hint));
        };
        let parts = braced.slice(1, inside.len()).split(';')?;
        let n_parts = parts.len();
        let mut commands = Vec::new();
        for (part_idx, part) in parts.into_iter().enumerate() {
            // The last command may have its `;`.
            if part.text.is_empty() && part_idx + 1 == n_parts && part_idx > 0 {
                continue;
            }
            commands.push(finding_command(part)?);
        }
        Ok(Command::OnFinding(OnFinding { finding, commands: Some(commands) }))
    }

    /// `on check [N]` or `on race`; `None` where it is something else.
    fn finding(&self, text: Piece<'_>) -> Parsed<Option<Finding>> {
        let words: Vec<&str> = text.text.split_whitespace().collect();
        Ok(match words[..] {
            ["on", "race" | "races"] => Some(Finding::Race),
            ["on", "check"] => Some(Finding::Check(None)),
            ["on", "check", number] => {
                let column = text.trim().end_column() - number.chars().count();
                let wrong = |_| {
                    let message = format!("`{number}` is not the number of a check");
                    LineError::new(column, message, "`status` lists the checks with their numbers")
                };
                Some(Finding::Check(Some(number.parse().map_err(wrong)?)))
            }
            _ => None,
        })
    }

    /// `[breakpoint|check] [N ...]`.
    pub(super) fn enable(&self, is_enabled: bool) -> Parsed<Command> {
        let kind = match self.word(0) {
            Some("breakpoint" | "breakpoints") => Some(Kind::Breakpoint),
            Some("check" | "checks") => Some(Kind::Check),
            _ => None,
        };
        let mut numbers = Vec::new();
        for (word_idx, word) in self.words.iter().enumerate().skip(usize::from(kind.is_some())) {
            let number = word.text.parse();
            numbers
                .push(number.map_err(|_| self.wrong(word_idx, format!("`{}` is not a number", word.text)))?);
        }
        Ok(Command::Enable { is_enabled, kind, numbers })
    }

    /// What a breakpoint says; it is read when it is set.
    pub(super) fn breakpoint(&self, keyword: Keyword) -> Command {
        Command::Breakpoint { keyword, text: self.rest.text.to_owned(), column: self.rest.column }
    }

    pub(super) fn print(&self) -> Parsed<Command> {
        if self.rest.text.trim().is_empty() {
            return Err(self.wrong(0, "an expression is missing"));
        }
        Ok(Command::Print { text: self.rest.text.to_owned(), column: self.rest.column })
    }

    pub(super) fn assign(&self) -> Parsed<Command> {
        let wrong = || LineError::new(self.rest.column, "an assignment is missing", self.row.hint());
        let end = self.rest.find(|_, letter| letter == '=')?.ok_or_else(wrong)?;
        let name = self.rest.slice(0, end).trim();
        let value = self.rest.from(end + 1).trim();
        if name.text.is_empty() || value.text.is_empty() {
            return Err(wrong());
        }
        Ok(Command::Assign { name: name.text.to_owned(), text: value.text.to_owned(), column: value.column })
    }

    pub(super) fn delete(&self) -> Parsed<Command> {
        let kind = match self.word(0) {
            Some("breakpoint") => Some(Kind::Breakpoint),
            Some("check") => Some(Kind::Check),
            Some("disp") => Some(Kind::Display),
            _ => None,
        };
        let number_idx = usize::from(kind.is_some());
        self.ends_at(number_idx + 1)?;
        let Some(word) = self.word(number_idx) else {
            return Err(self.wrong(number_idx, "a number that `status` lists is missing"));
        };
        let number = word.parse().map_err(|_| self.wrong(number_idx, format!("`{word}` is not a number")))?;
        Ok(Command::Delete { kind, number })
    }

    pub(super) fn level(&self) -> Parsed<Option<i64>> {
        let text: String = self.words.iter().map(|word| word.text.as_str()).collect();
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.unexpected(0))
    }

    fn view(&self, word_idx: usize) -> Parsed<Option<View>> {
        self.ends_at(word_idx + 1)?;
        match self.word(word_idx) {
            None | Some("record") => Ok(Some(View::Record)),
            Some("disp" | "restrict") => Ok(Some(View::Display)),
            Some("check") => Ok(Some(View::Check)),
            Some("off") => Ok(None),
            Some(_) => Err(self.unexpected(word_idx)),
        }
    }

    pub(super) fn output(&self) -> Parsed<Output> {
        match (self.word(0), self.word(1)) {
            (Some("disp"), _) => Ok(Output::Display(self.view(1)?)),
            (Some("save"), _) => {
                let view = self.view(1)?;
                Ok(Output::Save(Save { view, graphs: false }))
            }
            (Some("record"), what) => {
                self.ends_at(2)?;
                let all = Some(View::Record);
                Ok(Output::Save(match what {
                    Some("elabgph") => Save { view: None, graphs: true },
                    Some("evgph") => Save { view: all, graphs: false },
                    None | Some("bothgph") => Save { view: all, graphs: true },
                    Some("off") => Save { view: None, graphs: false },
                    Some(_) => return Err(self.unexpected(1)),
                }))
            }
            (Some("ufile"), Some("edge" | "xgrab")) => {
                let hint = "file the events with `output file NAME`, and turn the trace into pictures and tables with \
                            `hasse trace export`";
                Err(LineError { hint: hint.to_owned(), ..self.wrong(1, "this format is no longer written") })
            }
            (Some("ufile"), what) => {
                self.ends_at(2)?;
                let view = if what == Some("perftr") { Some(View::Record) } else { self.view(1)? };
                Ok(Output::File(view.map(|view| (FileName::OfProgram, view))))
            }
            (Some("file"), Some("off")) => self.ends_at(2).map(|()| Output::File(None)),
            (Some("file"), Some(name)) => {
                let name = FileName::Given(name.to_owned());
                Ok(Output::File(self.view(2)?.map(|view| (name, view))))
            }
            (Some("file"), None) => Err(self.unexpected(1)),
            _ => Err(self.unexpected(0)),
        }
    }

    /// `list [i|e] [LOW..HIGH] [SELECTOR ...]`; `what` where the name has said it already.
    pub(super) fn list(&self, what: Option<Listed>) -> Parsed<Command> {
        let mut at = 0;
        let named = match self.word(0) {
            _ if what.is_some() => what,
            Some("i" | "'i'") => Some(Listed::Instances),
            Some("e" | "'e'") => Some(Listed::Events),
            _ => None,
        };
        at += usize::from(what.is_none() && named.is_some());
        let range = self.word(at).and_then(|word| self.range(at, word));
        let range = range.transpose()?;
        at += usize::from(range.is_some());
        let selectors = self.texts_from(at)?;
        Ok(Command::List { what: named, selectors, range })
    }

    /// A word as positions, where it looks like them.
    fn range(&self, word_idx: usize, word: &str) -> Option<Parsed<Range>> {
        if !word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return None;
        }
        let wrong =
            || self.wrong(word_idx, format!("`{word}` is no range: `10..20` lists the 10th to the 19th"));
        let number = |text: &str, otherwise: u64| match text {
            "" => Ok(otherwise),
            text => text.parse().map_err(|_| wrong()),
        };
        Some((|| {
            let (low, high) = match word.split_once("..") {
                Some((low, high)) => (number(low, 1)?, number(high, u64::MAX)?),
                None => {
                    let one = number(word, 1)?;
                    (one, one.saturating_add(1))
                }
            };
            if low == 0 || high <= low { Err(wrong()) } else { Ok(Range { low, high }) }
        })())
    }
}

/// A command at a finding.
fn finding_command(part: Piece<'_>) -> Parsed<FindingCommand> {
    let wrong = |column: usize, message: String| LineError::new(column, message, FINDING_COMMANDS);
    let words = line::words(part)?;
    let Some(first) = words.first() else {
        return Err(wrong(part.column, "a command is missing".to_owned()));
    };
    let (n_words, command) = match first.text.as_str() {
        "verdicts" => (1, FindingCommand::Verdicts),
        "stop" => (1, FindingCommand::Stop),
        "log" => {
            let text =
                words.get(1).ok_or_else(|| wrong(part.end_column(), "a text is missing".to_owned()))?;
            if text.text.contains(['{', '}']) {
                let message = "no action is here whose values could be shown in `{}`".to_owned();
                return Err(wrong(text.column, message));
            }
            (2, FindingCommand::Log(text.text.clone()))
        }
        other => return Err(wrong(first.column, format!("there is no command `{other}` at a finding"))),
    };
    match words.get(n_words) {
        Some(word) => Err(wrong(word.column, format!("`{}` is not expected here", word.text))),
        None => Ok(command),
    }
}
