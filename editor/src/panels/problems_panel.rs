//! The list of what is wrong, with filters and the pages that explain codes.

use hasse_model::diagnostic::Severity;

use crate::fixes::Fix;
use crate::problems::{Problem, Problems, Related};
use crate::target::{Part, Target};

/// Code and text of each page, sorted by code.
const PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// The page of a code, such as `E0101`, in Markdown; `None` of a code that has none.
pub fn page(code: &str) -> Option<&'static str> {
    let place = PAGES.binary_search_by_key(&code, |(known, _)| known).ok()?;
    Some(PAGES[place].1)
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemRow {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The edit that does it, where there is one.
    pub fix: Option<Fix>,
    /// The graph; empty where it is in none.
    pub graph: String,
    /// Where, in words: `bts.Mult do line 7`.
    pub place: String,
    /// Where.
    pub target: Target,
    /// Its line in the file, from 1.
    pub line: u32,
    /// Other places that belong to it.
    pub related: Vec<Related>,
}

/// What is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this graph.
    pub graph: Option<String>,
    /// Only of this severity.
    pub severity: Option<Severity>,
}

/// The state of the list.
#[derive(Clone, Debug, Default)]
pub struct ProblemsPanel {
    all: Vec<ProblemRow>,
    rows: Vec<ProblemRow>,
    filter: Filter,
    selected: Option<usize>,
    version: u64,
}

impl ProblemsPanel {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first error of the program, whether it is listed or not.
    pub fn first_error(&self) -> Option<&ProblemRow> {
        self.all.iter().find(|row| row.severity == Severity::Error)
    }

    /// Takes in what is wrong; what is selected stays so where it is still there. Tells whether the list has changed.
    pub fn refresh(&mut self, problems: &Problems) -> bool {
        let all: Vec<ProblemRow> = problems.list().iter().map(row).collect();
        if all == self.all {
            return false;
        }
        self.all = all;
        self.list();
        true
    }

    /// The lines, in the order of the file.
    pub fn rows(&self) -> &[ProblemRow] {
        &self.rows
    }

    /// Position of the selected line.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Numbers of all errors and all warnings, whatever is listed.
    pub fn counts(&self) -> (usize, usize) {
        let n_errors = self.all.iter().filter(|row| row.severity == Severity::Error).count();
        (n_errors, self.all.len() - n_errors)
    }

    /// The graphs that have problems, in the order of the file.
    pub fn graphs(&self) -> Vec<String> {
        let mut graphs: Vec<String> = Vec::new();
        for row in self.all.iter().filter(|row| !row.graph.is_empty()) {
            if !graphs.contains(&row.graph) {
                graphs.push(row.graph.clone());
            }
        }
        graphs
    }

    /// What is listed.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Lists others.
    pub fn set_filter(&mut self, filter: Filter) {
        if self.filter != filter {
            self.filter = filter;
            self.list();
        }
    }

    fn list(&mut self) {
        let old = self.selected.and_then(|selected| self.rows.get(selected)).cloned();
        let Filter { graph, severity } = &self.filter;
        let is_listed = |row: &&ProblemRow| {
            graph.as_ref().is_none_or(|graph| row.graph == *graph)
                && severity.is_none_or(|severity| row.severity == severity)
        };
        self.rows = self.all.iter().filter(is_listed).cloned().collect();
        self.selected = old.and_then(|old| {
            let at = |is_same: &dyn Fn(&ProblemRow) -> bool| self.rows.iter().position(is_same);
            let about = |row: &ProblemRow| (row.code, &row.target) == (old.code, &old.target);
            at(&|row| *row == old)
                .or_else(|| at(&|row| about(row) && row.message == old.message))
                .or_else(|| at(&about))
        });
        self.version += 1;
    }

    /// Selects a line, as a click does; gives where to go.
    pub fn select(&mut self, row: usize) -> Option<Target> {
        self.selected = (row < self.rows.len()).then_some(row);
        self.version += 1;
        self.rows.get(row).map(|row| row.target.clone())
    }

    /// Selects the next line, or the one before; around the ends. Gives where to go.
    pub fn next(&mut self, is_forward: bool) -> Option<Target> {
        self.select(super::next_row(self.selected, is_forward, self.rows.len())?)
    }

    /// The page that explains the selected line's code.
    pub fn page(&self) -> Option<&'static str> {
        page(self.rows.get(self.selected?)?.code)
    }
}

fn row(problem: &Problem) -> ProblemRow {
    let place = match &problem.target.part {
        Part::Program => format!("line {}", problem.at.line),
        _ => problem.target.to_string(),
    };
    ProblemRow {
        severity: problem.severity,
        code: problem.code,
        message: problem.message.clone(),
        help: problem.help.clone(),
        fix: problem.fix.clone(),
        graph: problem.target.graph.clone(),
        place,
        target: problem.target.clone(),
        line: problem.at.line,
        related: problem.related.clone(),
    }
}
