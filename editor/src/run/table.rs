//! The instances of a template as a table: sorted at the session's side, of which only the page that is shown comes over.

/// Pages of a table, and the order of its rows.
pub(super) mod page;

use hasse_runtime::control::ActionSummary;

use super::host::{Host, Request};
use page::MOST_ROWS;
pub(super) use page::{Order, Page, PageQuery};

/// The table that is open.
#[derive(Debug, Default)]
pub struct InstanceTable {
    query: Option<PageQuery>,
    page: Option<Page>,
    is_asked: bool,
}

impl InstanceTable {
    /// Opens the table of a template.
    pub(super) fn open(&mut self, template: usize) {
        if self.query.as_ref().is_none_or(|query| query.template != template) {
            self.query = Some(PageQuery { template, n_rows: 100, ..PageQuery::default() });
            self.page = None;
            self.is_asked = false;
        }
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        *self = Self::default();
    }

    /// Sorts by a column; by the same one again, the other way round.
    pub(super) fn sort(&mut self, order: Order) {
        if let Some(query) = &mut self.query {
            query.is_descending = query.order == order && !query.is_descending;
            query.order = order;
            self.is_asked = false;
        }
    }

    /// Shows the rows whose path has a text in it.
    pub(super) fn filter(&mut self, filter: &str) {
        if let Some(query) = &mut self.query
            && query.filter != filter
        {
            filter.clone_into(&mut query.filter);
            query.start = 0;
            self.is_asked = false;
        }
    }

    /// Says which rows are seen. The page that is asked for is three times as long, so that scrolling finds rows there.
    pub(super) fn show(&mut self, start: usize, n_rows: usize) {
        let Some(query) = &mut self.query else { return };
        let n_rows = n_rows.clamp(1, MOST_ROWS / 3);
        if start >= query.start && start + n_rows <= query.start + query.n_rows {
            return;
        }
        query.start = start.saturating_sub(n_rows);
        query.n_rows = 3 * n_rows;
        self.is_asked = false;
    }

    /// What is shown is out of date.
    pub(super) fn refresh(&mut self) {
        self.is_asked = false;
    }

    pub(super) fn ask(&mut self, host: &mut dyn Host) {
        if let Some(query) = &self.query
            && !self.is_asked
        {
            self.is_asked = true;
            host.send(Request::Page(query.clone()));
        }
    }

    /// Takes an answer; tells whether it is the one that is waited for.
    pub(super) fn take(&mut self, page: Page) -> bool {
        let is_current = self.query.as_ref() == Some(&page.query);
        if is_current {
            self.page = Some(page);
        }
        is_current
    }

    /// What is shown: template, order and rows.
    pub fn query(&self) -> Option<&PageQuery> {
        self.query.as_ref()
    }

    /// The rows that are there, with the position of the first of them.
    pub fn page(&self) -> (usize, &[ActionSummary]) {
        self.page.as_ref().map_or((0, &[]), |page| (page.query.start, &page.rows))
    }

    /// Number of rows in all.
    pub fn n_rows(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.n_total)
    }

    /// A row, from 0; `None` where it has not come yet.
    pub fn row(&self, idx: usize) -> Option<&ActionSummary> {
        let page = self.page.as_ref()?;
        page.rows.get(idx.checked_sub(page.query.start)?)
    }
}
