//! Start page, tour and book with their rows.

use hasse_editor::panels::book::Book;
use hasse_editor::panels::start_page::StartPage;
use hasse_editor::tour::{N_STEPS, Tour};
use hasse_ui::{
    Book as UiBook, BookBlock, EditorWindow, LineOfList, Start as UiStart, StartCard, Tour as UiTour,
};
use slint::ComponentHandle;

use crate::models::Rows;

/// Start page, tour and book, as the window shows them.
pub(crate) struct Beginning {
    pub(crate) start: StartPage,
    pub(crate) tour: Tour,
    pub(crate) book: Book,
    pub(super) templates: Rows<StartCard>,
    pub(super) examples: Rows<StartCard>,
    pub(super) recent: Rows<LineOfList>,
    pub(super) chapters: Rows<LineOfList>,
    pub(super) blocks: Rows<BookBlock>,
    /// Number of programs opened when the start page was.
    pub(super) opened_at: u64,
    /// True while a question is open before the tour begins on a new program.
    pub(super) is_tour_wanted: bool,
    /// Whether a run has finished in the last step of the tour.
    pub(super) has_finished: bool,
    /// The theme of the pictures that were drawn.
    pub(super) drawn: Option<bool>,
    pub(super) shown: Option<(u64, u64, u64, bool)>,
}

impl Beginning {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let beginning = Self {
            start: StartPage::new(),
            tour: Tour::default(),
            book: Book::new(),
            templates: Rows::new(),
            examples: Rows::new(),
            recent: Rows::new(),
            chapters: Rows::new(),
            blocks: Rows::new(),
            opened_at: 0,
            is_tour_wanted: false,
            has_finished: false,
            drawn: None,
            shown: None,
        };
        let start = window.global::<UiStart>();
        start.set_templates(beginning.templates.model());
        start.set_examples(beginning.examples.model());
        start.set_recent(beginning.recent.model());
        let book = window.global::<UiBook>();
        book.set_chapters(beginning.chapters.model());
        book.set_blocks(beginning.blocks.model());
        window.global::<UiTour>().set_n_steps(i32::try_from(N_STEPS).unwrap_or(0));
        beginning
    }
}
