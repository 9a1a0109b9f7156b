//! The start page, the tour and the book.

/// Start page, tour and book with their rows.
pub(crate) mod pages;

use std::rc::Rc;

use hasse_editor::panels::book::Followed;
use hasse_editor::panels::page::{Block, BlockKind};
use hasse_editor::panels::start_page::{StartPage, Step};
use hasse_editor::state::Status;
use hasse_editor::state::input::{Key, Modifiers};
use hasse_editor::tour::N_STEPS;
use hasse_editor::views::pixels::Theme;
use hasse_editor::views::thumbnail::thumbnail;
use hasse_ui::{
    Book as UiBook, BookBlock, EditorWindow, LineOfList, Start as UiStart, StartCard, Tour as UiTour,
};
use slint::{ComponentHandle, StyledText};
use webbrowser::{Browser, BrowserOptions};

use crate::hub::Shared;
use crate::models::model;
use crate::pixels::picture;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

/// Size of the pictures of programs, in pixels.
const PICTURE: (usize, usize) = (196, 96);

/// A marked-up text; one that the toolkit cannot read as it is.
fn styled(markup: &str, text: &str) -> StyledText {
    StyledText::from_markdown(markup).unwrap_or_else(|_| StyledText::from_plain_text(text))
}

fn book_block(block: &Block) -> BookBlock {
    let kind = match block.kind {
        BlockKind::Heading => 0,
        BlockKind::Text => 1,
        BlockKind::Item => 2,
        BlockKind::Code => 3,
        BlockKind::TableHead => 5,
        BlockKind::TableRow => 6,
    };
    let has_marks = matches!(block.kind, BlockKind::Text | BlockKind::Item);
    BookBlock {
        kind,
        text: (&block.text).into(),
        styled: if has_marks { styled(&block.markup, &block.text) } else { StyledText::default() },
        cells: model(block.cells.iter().map(|cell| styled(cell, cell))),
    }
}

impl Studio {
    /// Shows the page to begin with.
    pub(crate) fn open_start_page(&mut self) {
        self.beginning.opened_at = self.editor.n_opened();
        self.beginning.start.open(self.editor.recent());
        self.later.push(Later::FocusCanvas);
    }

    /// Begins the tour, or goes on with it: on the program that is open, if that is empty or could be that of the tour.
    pub(crate) fn open_tour(&mut self) {
        self.beginning.start.close();
        self.beginning.tour.refresh(self.editor.document().text(), false);
        if self.beginning.tour.fits() {
            return self.begin_tour();
        }
        // Where the program is not saved, a question is asked first.
        self.beginning.is_tour_wanted = true;
        self.editor.new_program();
    }

    fn begin_tour(&mut self) {
        self.beginning.has_finished = false;
        self.beginning.tour.open();
        self.beginning.tour.refresh(self.editor.document().text(), false);
        self.editor.set_warns(false);
        self.later.push(Later::FocusCanvas);
    }

    /// Ends the tour.
    fn end_tour(&mut self) {
        if self.beginning.tour.is_open() {
            self.beginning.tour.close();
            self.editor.set_warns(true);
        }
    }

    /// Another program is open: the tour was about the one before, or begins on this one.
    pub(crate) fn leave_tour(&mut self) {
        self.end_tour();
        if std::mem::take(&mut self.beginning.is_tour_wanted) {
            self.begin_tour();
        }
    }

    /// Does not begin a tour whose question was canceled.
    pub(crate) fn take_up_tour(&mut self) {
        self.beginning.is_tour_wanted &= self.editor.is_leaving();
    }

    /// Shows a page of the book, or the one that was shown last.
    pub(crate) fn open_book(&mut self, page: Option<&str>) {
        self.beginning.book.open(page);
    }

    /// Closes the start page where another program was opened.
    pub(crate) fn leave_start_page(&mut self) {
        let beginning = &mut self.beginning;
        if beginning.start.is_open() && self.editor.n_opened() != beginning.opened_at {
            beginning.start.close();
        }
    }

    /// Takes in that a run has finished.
    pub(crate) fn note_finished(&mut self) {
        let beginning = &mut self.beginning;
        if beginning.tour.is_open() && beginning.tour.n_done() + 1 == N_STEPS {
            beginning.has_finished = true;
            beginning.tour.refresh(self.editor.document().text(), true);
            self.editor.set_warns(true);
        }
    }

    /// A key while the start page is shown; tells whether it was taken.
    pub(crate) fn start_key(&mut self, key: Key, modifiers: Modifiers) -> bool {
        let page = &mut self.beginning.start;
        let n_columns = self.window.upgrade().map(|window| window.global::<UiStart>().get_n_columns());
        let n_columns = n_columns.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
        match key {
            _ if modifiers.ctrl || matches!(key, Key::F(_)) => return false,
            Key::Left => page.select(Step::Left, n_columns),
            Key::Right | Key::Tab => page.select(Step::Right, n_columns),
            Key::Up => page.select(Step::Up, n_columns),
            Key::Down => page.select(Step::Down, n_columns),
            Key::Enter => {
                let card = page.selected();
                self.choose_card(card);
            }
            Key::Escape => page.close(),
            _ => {}
        }
        true
    }

    fn choose_card(&mut self, card: usize) {
        if card == 0 {
            if self.editor.is_blank() {
                self.beginning.start.close();
            } else {
                self.editor.new_program();
            }
        } else if let Some(draft) = StartPage::draft(card) {
            self.editor.open_draft(draft);
        }
        self.later.push(Later::FocusCanvas);
    }

    fn follow_link(&mut self, link: &str) {
        let Followed::Outside(address) = self.beginning.book.follow(link) else { return };
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        let mut options = BrowserOptions::new();
        // A browser's messages would come between those of the program that is run.
        options.with_suppress_output(true);
        let text = if is_web
            && webbrowser::open_browser_with_options(Browser::Default, &address, &options).is_ok()
        {
            format!("{address} is opened in the browser.")
        } else {
            self.later.push(Later::Copy(address.clone()));
            format!("{address} is not in this book; its address is on the clipboard.")
        };
        self.editor.set_status(Status { text, is_refusal: false });
    }

    /// Shows what has changed of the start page, the tour and the book.
    pub(crate) fn show_beginning(&mut self, window: &EditorWindow, is_other_program: bool) {
        let beginning = &mut self.beginning;
        if is_other_program && beginning.tour.is_open() {
            beginning.tour.refresh(self.editor.document().text(), beginning.has_finished);
        }
        let versions = (beginning.start.version(), beginning.tour.version(), beginning.book.version());
        let shown = (versions.0, versions.1, versions.2, self.is_dark);
        if beginning.shown == Some(shown) {
            return;
        }
        let before = beginning.shown.replace(shown);
        self.show_start(window);
        self.show_tour(window);
        if before.is_none_or(|before| before.2 != versions.2) {
            self.show_book(window);
        }
    }

    fn show_start(&mut self, window: &EditorWindow) {
        let (beginning, ui) = (&mut self.beginning, window.global::<UiStart>());
        if beginning.start.is_open() && beginning.drawn != Some(self.is_dark) {
            beginning.drawn = Some(self.is_dark);
            let theme = if self.is_dark { Theme::Dark } else { Theme::Light };
            let cards = StartPage::cards();
            let draw = |is_template: bool| {
                let cards = cards.iter().filter(move |card| card.is_template == is_template);
                cards.map(move |card| StartCard {
                    title: card.title.into(),
                    line: card.line.into(),
                    picture: picture(&thumbnail(card.text, PICTURE.0, PICTURE.1, theme)),
                })
            };
            beginning.templates.set(draw(true));
            beginning.examples.set(draw(false));
        }
        beginning.recent.set(beginning.start.recent().iter().map(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let folder = path.parent().map(|folder| folder.display().to_string());
            LineOfList {
                text: name.unwrap_or_default().into(),
                detail: folder.unwrap_or_default().into(),
                ..LineOfList::default()
            }
        }));
        ui.set_selected(i32::try_from(beginning.start.selected()).unwrap_or(0));
        ui.set_is_open(beginning.start.is_open());
    }

    fn show_tour(&self, window: &EditorWindow) {
        let (tour, ui) = (&self.beginning.tour, window.global::<UiTour>());
        let text = tour.text();
        ui.set_title(tour.title().into());
        ui.set_text(styled(&text, &text));
        ui.set_read(text.replace("**", "").replace('`', "").into());
        ui.set_n_done(i32::try_from(tour.n_done()).unwrap_or(0));
        ui.set_is_open(tour.is_open());
    }

    fn show_book(&mut self, window: &EditorWindow) {
        let (book, ui) = (&self.beginning.book, window.global::<UiBook>());
        let chapter = book.chapter();
        let is_searching = !book.query().is_empty();
        let found = book.found().iter().enumerate().map(|(row, held)| LineOfList {
            text: (&held.title).into(),
            detail: (&held.page).into(),
            is_current: row == book.selected(),
            ..LineOfList::default()
        });
        let contents = book.chapters().iter().enumerate().map(|(number, held)| LineOfList {
            text: (&held.title).into(),
            depth: i32::try_from(held.depth).unwrap_or(0),
            is_title: held.path.is_empty(),
            is_current: chapter == Some(number),
            ..LineOfList::default()
        });
        let lines: Vec<LineOfList> = if is_searching { found.collect() } else { contents.collect() };
        self.beginning.chapters.set(lines);
        ui.set_is_searching(is_searching);
        ui.set_asked(i32::try_from(book.n_asked()).unwrap_or(0));
        let heading = book.blocks().iter().find(|block| block.kind == BlockKind::Heading);
        ui.set_title(heading.map(|block| (&block.text).into()).unwrap_or_default());
        ui.set_first(i32::try_from(book.first()).unwrap_or(0));
        self.beginning.blocks.set(if book.is_open() {
            book.blocks().iter().map(book_block).collect()
        } else {
            Vec::new()
        });
        ui.set_can_go_back(book.can_go_back());
        ui.set_version(i32::try_from(book.page_version()).unwrap_or(0));
        ui.set_is_open(book.is_open());
    }
}

fn index(row: i32) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Connects the callbacks of the start page, the tour and the book.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let start = window.global::<UiStart>();
    let weak = Rc::downgrade(shared);
    start.on_chosen(move |card| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.choose_card(index(card)));
    });
    let weak = Rc::downgrade(shared);
    start.on_recent_chosen(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(path) = studio.beginning.start.recent().get(index(row)).cloned() {
                studio.editor.open(&path);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    start.on_open_file(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.open_file_dialog(false));
    });
    let weak = Rc::downgrade(shared);
    start.on_tour(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::open_tour);
    });
    let weak = Rc::downgrade(shared);
    start.on_book(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.open_book(None));
    });
    let weak = Rc::downgrade(shared);
    start.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.start.close());
    });
    let weak = Rc::downgrade(shared);
    window.global::<UiTour>().on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let is_over = studio.beginning.tour.n_done() == N_STEPS;
            studio.end_tour();
            if !is_over {
                let text = "Help, Tour goes on where the program stands.".to_owned();
                studio.editor.set_status(Status { text, is_refusal: false });
            }
        });
    });
    let book = window.global::<UiBook>();
    let weak = Rc::downgrade(shared);
    book.on_chosen(move |chapter| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let book = &mut studio.beginning.book;
            if book.query().is_empty() {
                book.choose(index(chapter));
            } else {
                book.show_found(Some(index(chapter)));
            }
        });
    });
    let weak = Rc::downgrade(shared);
    book.on_search(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.book.ask_search());
    });
    let weak = Rc::downgrade(shared);
    book.on_searched(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.book.search(&text));
    });
    let weak = Rc::downgrade(shared);
    book.on_stepped(move |n_down| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.book.select(n_down as isize));
    });
    let weak = Rc::downgrade(shared);
    book.on_accepted(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.book.show_found(None));
    });
    let weak = Rc::downgrade(shared);
    book.on_followed(move |link| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.follow_link(&link));
    });
    let weak = Rc::downgrade(shared);
    book.on_back(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.beginning.book.go_back());
    });
    let weak = Rc::downgrade(shared);
    book.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.beginning.book.close();
            studio.later.push(Later::FocusCanvas);
        });
    });
}
