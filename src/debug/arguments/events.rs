//! Arguments of questions about events: one event, a part of the history, a report, an export.

use clap::ValueEnum;
use hasse_debugger::display::history::Start;
use hasse_debugger::perf;

use super::super::command::{
    AskedEvent, Change, Command, Export, GraphKind, History, Listed, Perf, Place, Range,
};
use super::super::line::LineError;
use super::{Arguments, Parsed};
use crate::export::{self, Format};
use crate::suggest;

/// Words before the name of an input.
const KINDS: [&str; 3] = ["port", "var", "shared"];

impl Arguments<'_> {
    /// The only word as an event, if there is one.
    pub(in super::super) fn event(&self) -> Parsed<AskedEvent> {
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
    pub(in super::super) fn isolate(&self) -> Parsed<Command> {
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
    pub(in super::super) fn graphs(&self) -> Parsed<Command> {
        let kind = match self.word(0) {
            Some("elaborated") => Some(GraphKind::Elaborated),
            Some("program") => Some(GraphKind::Program),
            _ => None,
        };
        let selectors = self.texts_from(usize::from(kind.is_some()))?;
        Ok(Command::Graphs { kind, selectors })
    }

    /// `[N | LOW..HIGH | EVENT] [SELECTOR, ...]`.
    pub(in super::super) fn history(&self) -> Parsed<Command> {
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
    pub(in super::super) fn perf(&self) -> Parsed<Command> {
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
    pub(in super::super) fn export(&self) -> Parsed<Command> {
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

    /// `list [i|e] [LOW..HIGH] [SELECTOR ...]`; `what` where the name has said it already.
    pub(in super::super) fn list(&self, what: Option<Listed>) -> Parsed<Command> {
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
