//! The console: lines typed and answered, history, completion.

/// What may stand in place of a word.
pub(super) mod completion;

use std::collections::VecDeque;

use super::host::{Host, Request};
pub(super) use completion::Completion;

/// Most lines that stay to be scrolled back to.
pub const MOST_CONSOLE_LINES: usize = 100_000;
/// Most lines typed that are remembered.
const MOST_HISTORY: usize = 1000;

/// Lines of the console.
#[derive(Debug)]
pub struct Console {
    lines: VecDeque<String>,
    /// Lines that have gone out at the top.
    n_gone: u64,
    prompt: String,
    history: Vec<String>,
    /// Where the arrow keys are; at the end: on a new line.
    position: usize,
    completion: Option<Completion>,
}

impl Default for Console {
    fn default() -> Self {
        Self {
            lines: VecDeque::new(),
            n_gone: 0,
            prompt: "hasse> ".to_owned(),
            history: Vec::new(),
            position: 0,
            completion: None,
        }
    }
}

impl Console {
    /// Forgets the lines and the prompt of a session that is closed; what was typed stays in the history.
    pub(super) fn leave(&mut self) {
        self.clear();
        self.prompt = Self::default().prompt;
        self.completion = None;
    }

    /// Sends a line, shows it behind the prompt, and remembers it. Nothing comes of an empty one.
    pub(super) fn submit(&mut self, line: &str, host: &mut dyn Host) {
        if line.trim().is_empty() {
            return;
        }
        self.put(format!("{}{line}", self.prompt));
        if self.history.last().is_none_or(|last| last != line) {
            self.history.push(line.to_owned());
            if self.history.len() > MOST_HISTORY {
                self.history.remove(0);
            }
        }
        self.position = self.history.len();
        self.completion = None;
        host.send(Request::Console(line.to_owned()));
    }

    /// Adds a line.
    pub(super) fn put(&mut self, line: String) {
        self.lines.push_back(line);
        if self.lines.len() > MOST_CONSOLE_LINES {
            self.lines.pop_front();
            self.n_gone += 1;
        }
    }

    pub(super) fn set_prompt(&mut self, prompt: String) {
        self.prompt = prompt;
    }

    pub(super) fn set_completion(&mut self, completion: Completion) {
        self.completion = Some(completion);
    }

    /// What stands before the line that is typed.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Number of lines that can be scrolled to.
    pub fn n_lines(&self) -> usize {
        self.lines.len()
    }

    /// A line, from 0 at the top of what can be scrolled to.
    pub fn line(&self, idx: usize) -> Option<&str> {
        self.lines.get(idx).map(String::as_str)
    }

    /// Number of lines that have been let go of at the top: it tells a view by how much its lines have moved.
    pub fn n_gone(&self) -> u64 {
        self.n_gone
    }

    /// The line typed before the one shown, if there is one.
    pub fn older(&mut self) -> Option<&str> {
        self.position = self.position.checked_sub(1)?;
        self.history.get(self.position).map(String::as_str)
    }

    /// The line typed after the one shown; empty behind the last one.
    pub fn newer(&mut self) -> &str {
        self.position = (self.position + 1).min(self.history.len());
        self.history.get(self.position).map_or("", String::as_str)
    }

    /// Lines typed, the oldest first: to be kept from one start of the editor to the next.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Puts lines typed earlier before those of this session.
    pub fn set_history(&mut self, mut earlier: Vec<String>) {
        earlier.append(&mut self.history);
        let n_over = earlier.len().saturating_sub(MOST_HISTORY);
        self.history = earlier.split_off(n_over);
        self.position = self.history.len();
    }

    /// The answer to the last question for completions, once it is there.
    pub fn take_completion(&mut self) -> Option<Completion> {
        self.completion.take()
    }

    /// Lets go of all lines.
    pub fn clear(&mut self) {
        self.n_gone += self.lines.len() as u64;
        self.lines.clear();
    }
}
