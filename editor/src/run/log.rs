//! The log: what the program prints, what the debugger tells, what checks and races find.

use std::collections::VecDeque;

/// Most lines that are kept of each source.
pub const MOST_LOG_LINES: usize = 100_000;

/// Who says a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The program, by `print`.
    Program,
    /// The debugger: stops, log points, events that are displayed, results.
    Debugger,
    /// Errors of events, verdicts, races, who waits for what.
    Findings,
    /// Divider where a run begins; it is among the lines of each source.
    Run,
}

impl Source {
    /// All, in the order of the tabs.
    pub const ALL: [Self; 3] = [Self::Program, Self::Debugger, Self::Findings];

    /// The word of the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Debugger => "debugger",
            Self::Findings => "findings",
            Self::Run => "run",
        }
    }
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Who says it.
    pub source: Source,
    /// What, without an end of line.
    pub text: String,
    /// The event that it is about, such as `/Mult[3]:2`, if it is about one.
    pub event: Option<String>,
}

/// Lines of all sources, with a list for each.
#[derive(Debug, Default)]
pub struct Log {
    all: Lines,
    of_source: [Lines; 3],
}

/// The last lines.
#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<LogLine>,
    n_gone: u64,
}

impl Lines {
    fn put(&mut self, line: LogLine) {
        self.lines.push_back(line);
        if self.lines.len() > MOST_LOG_LINES {
            self.lines.pop_front();
            self.n_gone += 1;
        }
    }
}

impl Log {
    pub(super) fn put(&mut self, line: LogLine) {
        match line.source {
            Source::Run => self.of_source.iter_mut().for_each(|lines| lines.put(line.clone())),
            source => self.of_source[source as usize].put(line.clone()),
        }
        self.all.put(line);
    }

    fn of(&self, source: Option<Source>) -> &Lines {
        source.and_then(|source| self.of_source.get(source as usize)).unwrap_or(&self.all)
    }

    /// Number of lines of a source, or of all.
    pub fn n_lines(&self, source: Option<Source>) -> usize {
        self.of(source).lines.len()
    }

    /// A line of a source, or of all, from 0 at the top of what is kept.
    pub fn line(&self, source: Option<Source>, idx: usize) -> Option<&LogLine> {
        self.of(source).lines.get(idx)
    }

    /// Number of lines let go of at the top.
    pub fn n_gone(&self, source: Option<Source>) -> u64 {
        self.of(source).n_gone
    }

    /// Lets go of all lines.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
