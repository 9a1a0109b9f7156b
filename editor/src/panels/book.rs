//! The book in the window: its contents, one page, and the way back.

use super::page::{Block, BlockKind, blocks};
use super::problems_panel;

/// Path and text of each page but those of codes, sorted by path.
const PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/book_pages.rs"));
/// The page with the contents.
const SUMMARY: &str = "SUMMARY.md";
/// The page that is shown first.
const FIRST: &str = "introduction.md";

/// A line of the contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// How far it is indented, from 0.
    pub depth: usize,
    /// Title.
    pub title: String,
    /// The page; empty for the title of a part.
    pub path: String,
}

/// Maximum number of headings that a search lists.
const MOST_FOUND: usize = 60;

/// A heading found: its own text has what was typed, or the text below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHeading {
    /// Text of the heading.
    pub title: String,
    /// Title of its page; empty for the first heading of a page.
    pub page: String,
    /// The page.
    path: String,
    /// Part of the address that leads to the heading; empty for the first one.
    anchor: String,
}

/// Outcome of a click on a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The page is shown.
    Page,
    /// It leads out of the book, to this address.
    Outside(String),
}

/// State of the book.
#[derive(Clone, Debug)]
pub struct Book {
    is_open: bool,
    chapters: Vec<Chapter>,
    path: String,
    blocks: Vec<Block>,
    /// Position of the block that is to be seen first.
    first: usize,
    /// Pages that were left, with the part of each that a link had led to.
    before: Vec<(String, String)>,
    anchor: String,
    /// What is searched; empty while the contents are shown.
    query: String,
    found: Vec<FoundHeading>,
    /// Position of the selected one of them.
    selected: usize,
    /// Number of times that the field of the search was asked for.
    n_asked: u64,
    /// Number of pages that were shown.
    n_shown: u64,
    version: u64,
}

impl Default for Book {
    fn default() -> Self {
        Self::new()
    }
}

impl Book {
    /// A book that is closed.
    pub fn new() -> Self {
        Self {
            is_open: false,
            chapters: chapters(text_of(SUMMARY).unwrap_or_default()),
            path: String::new(),
            blocks: Vec::new(),
            first: 0,
            before: Vec::new(),
            anchor: String::new(),
            query: String::new(),
            found: Vec::new(),
            selected: 0,
            n_asked: 0,
            n_shown: 0,
            version: 0,
        }
    }

    /// Returns whether the book is shown.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Shows the book: a page of it, or with `None` the page that was shown last.
    pub fn open(&mut self, page: Option<&str>) {
        self.is_open = true;
        self.version += 1;
        match page {
            Some(page) => self.go_to(page, ""),
            None if self.path.is_empty() => self.go_to(FIRST, ""),
            None => true,
        };
    }

    /// Hides the book.
    pub fn close(&mut self) {
        self.is_open = false;
        self.version += 1;
    }

    /// Changes whenever what is shown changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Changes whenever another page or heading is shown.
    pub fn page_version(&self) -> u64 {
        self.n_shown
    }

    /// The contents.
    pub fn chapters(&self) -> &[Chapter] {
        &self.chapters
    }

    /// Position of the shown page in the contents.
    pub fn chapter(&self) -> Option<usize> {
        self.chapters.iter().position(|chapter| chapter.path == self.path)
    }

    /// The page that is shown.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The blocks of the page.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Position of the block that is to be seen first: the heading that a link named.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Shows a page of the contents.
    pub fn choose(&mut self, chapter: usize) {
        if let Some(path) = self.chapters.get(chapter).map(|chapter| chapter.path.clone())
            && !path.is_empty()
        {
            self.leave_for(&path, "");
        }
    }

    /// Asks for the field of the search.
    pub fn ask_search(&mut self) {
        self.n_asked += 1;
        self.version += 1;
    }

    /// Number of times that the field of the search was asked for.
    pub fn n_asked(&self) -> u64 {
        self.n_asked
    }

    /// The text that is searched; empty while the contents are shown.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Lists headings that have a text, then those above a text that has it. Cost: reads the whole book.
    pub fn search(&mut self, query: &str) {
        query.trim().clone_into(&mut self.query);
        self.selected = 0;
        self.found = if self.query.is_empty() { Vec::new() } else { found(&self.chapters, &self.query) };
        self.version += 1;
    }

    /// The headings found.
    pub fn found(&self) -> &[FoundHeading] {
        &self.found
    }

    /// Position of the selected heading.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Selects another heading, by a number of rows further down; around the ends.
    pub fn select(&mut self, n_down: isize) {
        self.selected = super::moved(self.selected, n_down, self.found.len());
        self.version += 1;
    }

    /// Shows the selected heading, or the one in a row.
    pub fn show_found(&mut self, row: Option<usize>) {
        let row = row.unwrap_or(self.selected);
        let Some(found) = self.found.get(row).cloned() else { return };
        self.selected = row;
        self.leave_for(&found.path, &found.anchor);
    }

    /// Follows a link of the shown page.
    pub fn follow(&mut self, link: &str) -> Followed {
        if link.contains("://") {
            return Followed::Outside(link.to_owned());
        }
        let (page, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = if page.is_empty() { self.path.clone() } else { beside(&self.path, page) };
        if self.leave_for(&path, anchor) { Followed::Page } else { Followed::Outside(path) }
    }

    /// Returns whether a page was left.
    pub fn can_go_back(&self) -> bool {
        !self.before.is_empty()
    }

    /// Shows the page that was left last.
    pub fn go_back(&mut self) {
        if let Some((path, anchor)) = self.before.pop() {
            self.go_to(&path, &anchor);
        }
    }

    fn leave_for(&mut self, path: &str, anchor: &str) -> bool {
        let left = (self.path.clone(), self.anchor.clone());
        let is_there = self.go_to(path, anchor);
        if is_there && left != (self.path.clone(), self.anchor.clone()) {
            self.before.push(left);
        }
        is_there
    }

    fn go_to(&mut self, path: &str, anchor: &str) -> bool {
        let Some(text) = text_of(path) else { return false };
        path.clone_into(&mut self.path);
        anchor.clone_into(&mut self.anchor);
        self.blocks = blocks(text);
        let is_wanted = |block: &Block| block.kind == BlockKind::Heading && slug(&block.text) == anchor;
        self.first = self.blocks.iter().position(is_wanted).unwrap_or(0);
        self.n_shown += 1;
        self.version += 1;
        true
    }
}

/// The headings of all pages for a text, those first that have it themselves.
fn found(chapters: &[Chapter], query: &str) -> Vec<FoundHeading> {
    let query = query.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&query);
    let (mut by_heading, mut by_text) = (Vec::new(), Vec::new());
    for chapter in chapters.iter().filter(|chapter| !chapter.path.is_empty()) {
        let mut heading: Option<FoundHeading> = None;
        let mut is_listed = false;
        for block in blocks(text_of(&chapter.path).unwrap_or_default()) {
            if block.kind == BlockKind::Heading {
                let is_first = heading.is_none();
                let new = FoundHeading {
                    page: if is_first { String::new() } else { chapter.title.clone() },
                    path: chapter.path.clone(),
                    anchor: if is_first { String::new() } else { slug(&block.text) },
                    title: block.text,
                };
                is_listed = has(&new.title) || is_first && has(&chapter.title);
                if is_listed {
                    by_heading.push(new.clone());
                }
                heading = Some(new);
            } else if let Some(heading) = heading.as_ref().filter(|_| !is_listed)
                && (has(&block.text) || block.cells.iter().any(|cell| has(cell)))
            {
                is_listed = true;
                by_text.push(heading.clone());
            }
        }
    }
    by_heading.append(&mut by_text);
    by_heading.truncate(MOST_FOUND);
    by_heading
}

/// The text of a page, also of one about a code.
pub(crate) fn text_of(path: &str) -> Option<&'static str> {
    if let Some(code) = path.strip_prefix("errors/").and_then(|page| page.strip_suffix(".md")) {
        return problems_panel::page(code);
    }
    let idx = PAGES.binary_search_by_key(&path, |(known, _)| known).ok()?;
    Some(PAGES[idx].1)
}

/// A path that a page names, from the folder of the book.
fn beside(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The part of an address that leads to a heading, as mdBook makes it.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() }).collect()
}

fn chapters(summary: &str) -> Vec<Chapter> {
    let mut chapters = Vec::new();
    for line in summary.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim().trim_start_matches("- ");
        let linked = line.strip_prefix('[').and_then(|line| line.strip_suffix(')')?.split_once("]("));
        if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
            chapters.push(Chapter { depth: 0, title: title.to_owned(), path: String::new() });
        } else if let Some((title, path)) = linked
            && !path.starts_with("errors/")
        {
            chapters.push(Chapter { depth: indent / 2, title: title.to_owned(), path: path.to_owned() });
        }
    }
    chapters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_has_a_page_and_every_link_of_a_page_leads_somewhere() {
        let mut book = Book::new();
        assert!(book.chapters().len() > 30);
        for chapter in book.chapters().to_vec().iter().filter(|chapter| !chapter.path.is_empty()) {
            assert!(text_of(&chapter.path).is_some(), "{chapter:?}");
            book.open(Some(&chapter.path));
            assert!(!book.blocks().is_empty(), "{chapter:?}");
            for block in book.blocks().to_vec() {
                for part in std::iter::once(&block.markup).chain(&block.cells) {
                    let links = part.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
                    for (link, _) in
                        links.filter(|(link, _)| link.contains(".md") && !link.contains("README"))
                    {
                        book.open(Some(&chapter.path));
                        assert_eq!(book.follow(link), Followed::Page, "{link} of {}", chapter.path);
                        let has_anchor = link.split_once('#').is_some_and(|(_, anchor)| !anchor.is_empty());
                        assert!(!has_anchor || book.first() > 0, "{link} of {}", chapter.path);
                    }
                }
            }
        }
    }

    #[test]
    fn search_lists_headings_and_leads_there() {
        let mut book = Book::new();
        book.open(None);
        book.search("  BREAKPOINT ");
        assert!(book.found().len() > 3);
        assert!(book.found()[0].title.to_lowercase().contains("breakpoint"), "{:?}", book.found()[0]);
        book.select(1);
        book.show_found(None);
        let shown = &book.blocks()[book.first()];
        assert_eq!((shown.kind, &shown.text), (BlockKind::Heading, &book.found()[1].title));
        assert!(book.can_go_back());
        book.search("no page has this");
        assert!(book.found().is_empty());
        book.show_found(None);
        book.search("");
        assert_eq!((book.query(), book.found().len()), ("", 0));
    }

    #[test]
    fn back_leads_to_the_page_that_was_left() {
        let mut book = Book::new();
        book.open(None);
        assert_eq!((book.path(), book.can_go_back()), ("introduction.md", false));
        book.open(Some("editor/drawing.md"));
        assert_eq!(book.follow("../editor.md#undo"), Followed::Page);
        assert_eq!((book.path(), &*book.blocks()[book.first()].text), ("editor.md", "Undo"));
        book.go_back();
        assert_eq!((book.path(), book.can_go_back()), ("editor/drawing.md", false));
        assert_eq!(book.follow("https://rhai.rs/book"), Followed::Outside("https://rhai.rs/book".to_owned()));
        assert_eq!(book.follow("errors.md"), Followed::Outside("editor/errors.md".to_owned()));
    }
}
