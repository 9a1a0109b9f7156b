//! Panels that have windows of their own.

/// Panels that have windows of their own.
#[derive(Default)]
pub(crate) struct ApartPanels {
    /// For each window its number, and the position of its panel among the side panels.
    pub(super) open: Vec<(i32, i32)>,
    /// Number of windows opened so far.
    n_opened: i32,
}

impl ApartPanels {
    /// Positions of the panels among the side panels, in the order in which their windows were opened.
    pub(crate) fn tabs(&self) -> impl DoubleEndedIterator<Item = i32> {
        self.open.iter().map(|(_, tab)| *tab)
    }

    /// Opens a window for a panel.
    pub(crate) fn open(&mut self, tab: i32) {
        self.n_opened += 1;
        self.open.push((self.n_opened, tab));
    }

    /// Closes the window that was opened last, and returns its panel.
    pub(crate) fn close_last(&mut self) -> Option<i32> {
        self.open.pop().map(|(_, tab)| tab)
    }

    pub(super) fn close(&mut self, number: i32) {
        self.open.retain(|(known, _)| *known != number);
    }

    /// Shows another panel in a window; the window that has shown it gets the panel of this one.
    pub(crate) fn choose(&mut self, number: i32, tab: i32) {
        let Some(at) = self.open.iter().position(|(known, _)| *known == number) else { return };
        let before = self.open[at].1;
        for (_, other) in self.open.iter_mut().filter(|(_, other)| *other == tab) {
            *other = before;
        }
        self.open[at].1 = tab;
    }
}
