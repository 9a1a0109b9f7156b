//! The commands of a session and their syntax (Hyder 1994, appendix B), as far as there is something behind them.

use hasse_debugger::check::command::Command as Check;
use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOption;

use crate::fault::Fault;
use crate::{facilities, suggest};

/// A command with its arguments.
#[derive(Debug)]
pub(super) enum Command {
    /// Shows or changes the mode.
    Mode(Option<Mode>),
    /// Shows the recording options, or sets that of what a selector names.
    Rcopt(Option<(String, RecordOption)>),
    /// Adds a check.
    Check(Check),
    /// Adds the models of a file.
    Model(String),
    /// Restricts what is checked; empty: everything.
    CheckSet(Vec<String>),
    /// Looks for races, or no longer.
    Races(bool),
    /// Restricts what is displayed; empty: everything.
    Display(Vec<String>),
    /// What is shown, filed and saved.
    Output(Output),
    /// Deletes a check by its number.
    Delete(u64),
    /// Starts a run or replay, or gives the records to the facilities again.
    Run { in_background: bool },
    /// Waits for the end of a run in the background.
    Wait,
    /// Ends a run in the background.
    Stop,
    /// The verdicts so far.
    Verdicts,
    /// Elaborated and program graph of what was displayed last.
    Graphs,
    /// Options, checks and sets.
    Status,
    /// Reads commands from a file.
    Source(String),
    /// What there is to say.
    Help,
    /// The end.
    Quit,
}

/// What `run` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A run that records every event.
    Full,
    /// A run that records by options.
    Restrict,
    /// A run that records its free choices.
    Minimal,
    /// A timed run.
    Perf,
    /// A run without a record.
    Off,
    /// A run that follows the session's records, or the trace.
    Replay,
    /// No run: the session's records, or the trace.
    PostMortem,
}

impl Mode {
    /// All modes with their names.
    pub(super) const NAMES: [(&'static str, Self); 7] = [
        ("record full", Self::Full),
        ("record restrict", Self::Restrict),
        ("record minimal", Self::Minimal),
        ("record perf", Self::Perf),
        ("record off", Self::Off),
        ("replay", Self::Replay),
        ("postmortem", Self::PostMortem),
    ];

    /// The name in commands.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("?", |(name, _)| name)
    }
}

/// What becomes of the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Shown on the way.
    Display(Option<View>),
    /// Filed.
    File(Option<(String, View)>),
    /// Kept in the session.
    Save(Option<View>),
}

/// Name, arguments and meaning of each command: what is accepted and what `help` prints.
pub(super) const COMMANDS: [(&str, &str, &str); 17] = [
    ("mode", "[record [full|restrict|minimal|perf|off] | replay | postmortem]", "what `run` does"),
    ("rcopt", "[SELECTOR full|restrict|off]", "the recording option of nodes, actions or paths"),
    ("check", "pred U {V, W} | parall {U, V} | forall ... | model FILE", "add a check, also during a run"),
    ("checkset", "[SELECTOR ...]", "give these alone to the checks; without a word, everything"),
    ("races", "[on|off]", "look for races"),
    ("disp", "[SELECTOR ...]", "display these alone; without a word, everything"),
    (
        "output",
        "disp|save [record|disp|check|off] | file NAME [record|disp|check] | file off",
        "show, save, file",
    ),
    ("delete", "N", "delete a check and print its verdict so far"),
    ("run", "[&]", "run, replay or look at the records, as the mode says; with &, in the background"),
    ("wait", "", "wait for the end of the run in the background"),
    ("stop", "", "end the run in the background"),
    ("verdicts", "", "the verdicts so far"),
    ("graphs", "", "elaborated and program graph of what was displayed last"),
    ("status", "", "mode, options, checks and sets"),
    ("source", "FILE", "read commands from a file"),
    ("help", "", "this list"),
    ("quit", "", "leave"),
];

/// Short names.
const ALIASES: [(&str, &str); 4] = [("q", "quit"), ("r", "run"), ("h", "help"), ("d", "delete")];

/// Why a line is no command.
#[derive(Debug, thiserror::Error)]
#[error("column {column}: {message}; {hint}")]
pub(super) struct LineError {
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) hint: String,
}

/// Reads a line; `None` where there is nothing on it but a comment.
pub(super) fn parse(line: &str) -> Result<Option<Command>, LineError> {
    let words = words(line);
    let Some(&(name_at, name)) = words.first() else { return Ok(None) };
    if name.starts_with('#') {
        return Ok(None);
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    let arguments = Arguments { name, line, words: &words[1..] };
    let plain = |command: Command| arguments.ends_at(0).map(|()| command);
    let command = match name {
        "mode" => Command::Mode(arguments.mode()?),
        "rcopt" => Command::Rcopt(arguments.record_option()?),
        "check" if arguments.word(0) == Some("model") => Command::Model(arguments.model()?),
        "check" => Command::Check(arguments.check()?),
        "checkset" => Command::CheckSet(arguments.texts()),
        "races" => Command::Races(arguments.switch()?),
        "disp" => Command::Display(arguments.texts()),
        "output" => Command::Output(arguments.output()?),
        "delete" => Command::Delete(arguments.number()?),
        "run" => Command::Run { in_background: arguments.background()? },
        "source" => Command::Source(arguments.one("the name of a file")?.to_owned()),
        "wait" => plain(Command::Wait)?,
        "stop" => plain(Command::Stop)?,
        "verdicts" => plain(Command::Verdicts)?,
        "graphs" => plain(Command::Graphs)?,
        "status" => plain(Command::Status)?,
        "help" => plain(Command::Help)?,
        "quit" => plain(Command::Quit)?,
        _ => {
            let known = COMMANDS.iter().map(|(known, ..)| *known);
            let hint = suggest::help(name, known, "`help` lists all commands");
            return Err(LineError {
                column: name_at,
                message: format!("there is no command `{name}`"),
                hint,
            });
        }
    };
    Ok(Some(command))
}

/// The words of a line with their columns in characters, from 1.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut rest = line;
    let mut column = 1;
    loop {
        let word = rest.trim_start();
        column += rest.chars().count() - word.chars().count();
        if word.is_empty() {
            return words;
        }
        let (word, behind) = word.split_at(word.find(char::is_whitespace).unwrap_or(word.len()));
        words.push((column, word));
        column += word.chars().count();
        rest = behind;
    }
}

/// What stands behind a command's name.
struct Arguments<'l> {
    name: &'l str,
    line: &'l str,
    words: &'l [(usize, &'l str)],
}

impl<'l> Arguments<'l> {
    fn word(&self, word_idx: usize) -> Option<&'l str> {
        self.words.get(word_idx).map(|&(_, word)| word)
    }

    fn texts(&self) -> Vec<String> {
        self.words.iter().map(|(_, word)| word.trim_end_matches(',').to_owned()).collect()
    }

    /// An error at a word, or at the end of the line.
    fn wrong(&self, word_idx: usize, message: String) -> LineError {
        let end = self.line.trim_end().chars().count() + 1;
        let column = self.words.get(word_idx).map_or(end, |&(column, _)| column);
        let usage = COMMANDS.iter().find(|(known, ..)| *known == self.name).map_or("", |(_, usage, _)| usage);
        let usage = format!("{} {usage}", self.name);
        LineError { column, message, hint: format!("say `{}`", usage.trim_end()) }
    }

    fn unexpected(&self, word_idx: usize) -> LineError {
        match self.word(word_idx) {
            Some(word) => self.wrong(word_idx, format!("`{word}` is not expected here")),
            None => self.wrong(word_idx, "something is missing".to_owned()),
        }
    }

    fn ends_at(&self, n_words: usize) -> Result<(), LineError> {
        if self.words.len() > n_words { Err(self.unexpected(n_words)) } else { Ok(()) }
    }

    fn one(&self, what: &str) -> Result<&'l str, LineError> {
        self.ends_at(1)?;
        self.word(0).ok_or_else(|| self.wrong(0, format!("{what} is missing")))
    }

    fn mode(&self) -> Result<Option<Mode>, LineError> {
        let name = match (self.word(0), self.word(1)) {
            (None, _) => return Ok(None),
            (Some("record"), None) => "record full".to_owned(),
            (Some(word), None) => word.to_owned(),
            (Some(word), Some(next)) => format!("{word} {next}"),
        };
        let known = Mode::NAMES.iter().find(|(known, _)| *known == name);
        let wrong_idx = usize::from(matches!(self.word(0), Some("record" | "replay" | "postmortem")));
        let (_, mode) = known.ok_or_else(|| self.unexpected(wrong_idx))?;
        self.ends_at(2)?;
        Ok(Some(*mode))
    }

    fn record_option(&self) -> Result<Option<(String, RecordOption)>, LineError> {
        let Some(selector) = self.word(0) else { return Ok(None) };
        let option = self.word(1).and_then(RecordOption::of_name).ok_or_else(|| self.unexpected(1))?;
        self.ends_at(2)?;
        Ok(Some((selector.to_owned(), option)))
    }

    fn model(&self) -> Result<String, LineError> {
        self.ends_at(2)?;
        let path = self.word(1).ok_or_else(|| self.wrong(1, "the name of a file is missing".to_owned()))?;
        Ok(path.to_owned())
    }

    fn check(&self) -> Result<Check, LineError> {
        let text = self.line.trim_start();
        let indent = self.line.chars().count() - text.chars().count();
        facilities::parse_check(text).map_err(|fault| match fault {
            Fault::BadCheck { source, .. } => {
                LineError { column: indent + source.column, message: source.message, hint: source.hint }
            }
            fault => self.wrong(0, fault.to_string()),
        })
    }

    fn switch(&self) -> Result<bool, LineError> {
        self.ends_at(1)?;
        match self.word(0) {
            None | Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    fn background(&self) -> Result<bool, LineError> {
        self.ends_at(1)?;
        match self.word(0) {
            None => Ok(false),
            Some("&") => Ok(true),
            Some(_) => Err(self.unexpected(0)),
        }
    }

    fn number(&self) -> Result<u64, LineError> {
        let word = self.one("the number of a check")?;
        word.parse().map_err(|_| self.wrong(0, format!("`{word}` is not the number of a check")))
    }

    fn view(&self, word_idx: usize) -> Result<Option<View>, LineError> {
        self.ends_at(word_idx + 1)?;
        match self.word(word_idx) {
            None | Some("record") => Ok(Some(View::Record)),
            Some("disp") => Ok(Some(View::Display)),
            Some("check") => Ok(Some(View::Check)),
            Some("off") => Ok(None),
            Some(_) => Err(self.unexpected(word_idx)),
        }
    }

    fn output(&self) -> Result<Output, LineError> {
        match (self.word(0), self.word(1)) {
            (Some("disp"), _) => Ok(Output::Display(self.view(1)?)),
            (Some("save"), _) => Ok(Output::Save(self.view(1)?)),
            (Some("file"), Some("off")) => self.ends_at(2).map(|()| Output::File(None)),
            (Some("file"), Some(name)) => Ok(Output::File(self.view(2)?.map(|view| (name.to_owned(), view)))),
            (Some("file"), None) => Err(self.unexpected(1)),
            _ => Err(self.unexpected(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_commands_say_where_and_how() {
        let report: String = [
            "moed",
            "mode nothing",
            "  mode record everything",
            "mode replay now",
            "rcopt Mult",
            "rcopt Mult many",
            "check pred Solve",
            "check model",
            "check model a b",
            "races perhaps",
            "output",
            "output file",
            "output save all",
            "delete it",
            "run now",
            "status please",
            "source",
        ]
        .iter()
        .map(|line| format!("{line:?}\n    {}\n", parse(line).expect_err("no command")))
        .collect();
        insta::assert_snapshot!(report);
    }

    #[test]
    fn blank_lines_and_comments_are_passed_over() {
        for line in ["", "   ", "# check pred u {v}", "  # quit"] {
            assert!(parse(line).expect("nothing wrong").is_none());
        }
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(words(" ä  b\tc"), [(2, "ä"), (5, "b"), (7, "c")]);
    }
}
