//! The page to begin with: templates, examples, recent files and the tour.

use std::path::PathBuf;

use crate::gallery::{EXAMPLES, TEMPLATES};
use crate::state::draft::Draft;

/// A program that can be chosen, with a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// Title as shown.
    pub title: &'static str,
    /// One line that says what it shows.
    pub line: &'static str,
    /// Program text, of which the picture is drawn.
    pub text: &'static str,
    /// Whether it is a template; otherwise it is an example.
    pub is_template: bool,
}

/// A move of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the card before.
    Left,
    /// To the card after.
    Right,
    /// To the card above.
    Up,
    /// To the card below.
    Down,
}

/// State of the start page.
#[derive(Clone, Debug)]
pub struct StartPage {
    is_open: bool,
    selected: usize,
    recent: Vec<PathBuf>,
    version: u64,
}

impl StartPage {
    /// A page that is closed.
    pub fn new() -> Self {
        Self { is_open: false, selected: 0, recent: Vec::new(), version: 0 }
    }

    /// Returns whether the page is shown.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Shows the page with the files that were open last, the latest first.
    pub fn open(&mut self, recent: Vec<PathBuf>) {
        self.is_open = true;
        self.recent = recent;
        self.version += 1;
    }

    /// Hides the page.
    pub fn close(&mut self) {
        self.is_open = false;
        self.version += 1;
    }

    /// Changes whenever what is shown changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The cards: templates, then examples.
    pub fn cards() -> Vec<Card> {
        let templates = TEMPLATES.iter().map(|template| Card {
            title: template.title,
            line: template.line(),
            text: template.text,
            is_template: true,
        });
        let examples = EXAMPLES.iter().map(|example| Card {
            title: example.name,
            line: example.line,
            text: example.text,
            is_template: false,
        });
        templates.chain(examples).collect()
    }

    /// The program of a card, as a draft.
    pub fn draft(card: usize) -> Option<Draft> {
        match card.checked_sub(TEMPLATES.len()) {
            None => TEMPLATES.get(card).map(Draft::from),
            Some(example) => EXAMPLES.get(example).map(Draft::from),
        }
    }

    /// The files that were open last.
    pub fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// Position of the selected card.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Selects another card, where `n_columns` are beside each other; templates and examples begin rows of their own.
    pub fn select(&mut self, step: Step, n_columns: usize) {
        let (n_templates, n_all) = (TEMPLATES.len(), TEMPLATES.len() + EXAMPLES.len());
        let n_columns = n_columns.max(1);
        let row_of = |card: usize| match card.checked_sub(n_templates) {
            None => (card / n_columns, card % n_columns),
            Some(example) => (n_templates.div_ceil(n_columns) + example / n_columns, example % n_columns),
        };
        let (row, column) = row_of(self.selected);
        let in_row = |wanted: usize| {
            let cards = (0..n_all).filter(|card| row_of(*card).0 == wanted);
            cards.min_by_key(|card| row_of(*card).1.abs_diff(column))
        };
        let found = match step {
            Step::Left => self.selected.checked_sub(1),
            Step::Right => Some(self.selected + 1).filter(|card| *card < n_all),
            Step::Up => row.checked_sub(1).and_then(in_row),
            Step::Down => in_row(row + 1),
        };
        if let Some(card) = found {
            self.selected = card;
            self.version += 1;
        }
    }
}

impl Default for StartPage {
    fn default() -> Self {
        Self::new()
    }
}
