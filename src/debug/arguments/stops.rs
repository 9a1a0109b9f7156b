//! Arguments of breakpoints, and of reactions to findings.

use hasse_runtime::control::grammar::Keyword;

use super::super::command::{Command, Finding, FindingCommand, Kind, OnFinding};
use super::super::line::{self, LineError, Piece};
use super::{Arguments, Parsed};

/// Commands at a finding, for messages.
const FINDING_COMMANDS: &str = "commands at a finding are `log \"text\"`, `verdicts` and `stop`";

impl Arguments<'_> {
    /// `stop` alone, or with what makes a breakpoint.
    pub(in super::super) fn stop(&self) -> Parsed<Command> {
        if self.rest.text.trim().is_empty() {
            return Ok(Command::Stop);
        }
        Ok(match self.finding(self.rest)? {
            Some(finding) => Command::OnFinding(OnFinding { finding, commands: None }),
            None => self.breakpoint(Keyword::Stop),
        })
    }

    /// `when`, with what makes a breakpoint, at a finding, or as a question for a moment.
    pub(in super::super) fn when(&self) -> Parsed<Command> {
        if let Some(question) = self.occurrence()? {
            return Ok(question);
        }
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
    pub(in super::super) fn enable(&self, is_enabled: bool) -> Parsed<Command> {
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
    pub(in super::super) fn breakpoint(&self, keyword: Keyword) -> Command {
        Command::Breakpoint { keyword, text: self.rest.text.to_owned(), column: self.rest.column }
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
