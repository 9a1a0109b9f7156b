//! Rows of the window's lists, changed where they differ.
//!
//! A new model makes the toolkit build all elements of a list anew, which loses the focus and costs; so a list keeps its
//! model, and only the rows that differ are told.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use slint::{Model, ModelNotify, ModelRc, ModelTracker, VecModel};

/// A list of the window.
pub(crate) struct Rows<T: Clone + PartialEq + 'static>(Rc<RowList<T>>);

struct RowList<T: 'static> {
    rows: RefCell<Vec<T>>,
    notify: ModelNotify,
}

impl<T: Clone + PartialEq + 'static> Rows<T> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        Self(Rc::new(RowList::new()))
    }

    /// What the window is given once.
    pub(crate) fn model(&self) -> ModelRc<T> {
        ModelRc::from(Rc::clone(&self.0))
    }

    /// Makes the list what `rows` says. Cost: linear, and the elements of rows that differ.
    pub(crate) fn set(&self, rows: impl IntoIterator<Item = T>) {
        let list = &*self.0;
        let mut n_rows = 0;
        let mut added = Vec::new();
        let n_known = list.rows.borrow().len();
        for row in rows {
            if n_rows >= n_known {
                added.push(row);
            } else if list.rows.borrow()[n_rows] != row {
                list.rows.borrow_mut()[n_rows] = row;
                list.notify.row_changed(n_rows);
            }
            n_rows += 1;
        }
        list.end_at(n_rows, added);
    }
}

impl<T: 'static> RowList<T> {
    fn new() -> Self {
        Self { rows: RefCell::new(Vec::new()), notify: ModelNotify::default() }
    }

    /// Takes away what is behind so many rows, or adds what is missing.
    fn end_at(&self, n_rows: usize, mut added: Vec<T>) {
        let n_known = self.rows.borrow().len();
        if n_rows < n_known {
            self.rows.borrow_mut().truncate(n_rows);
            self.notify.row_removed(n_rows, n_known - n_rows);
        } else if !added.is_empty() {
            self.rows.borrow_mut().append(&mut added);
            self.notify.row_added(n_known, n_rows - n_known);
        }
    }
}

impl<T: Clone + 'static> Model for RowList<T> {
    type Data = T;

    fn row_count(&self) -> usize {
        self.rows.borrow().len()
    }

    fn row_data(&self, row: usize) -> Option<T> {
        self.rows.borrow().get(row).cloned()
    }

    fn model_tracker(&self) -> &dyn ModelTracker {
        &self.notify
    }
}

/// A long list that grows at its end and loses lines at its beginning, as consoles do: what is not seen costs no element.
pub(crate) struct Lazy<T: 'static> {
    list: RowList<T>,
    /// Rows that have gone out at the beginning.
    n_gone: Cell<u64>,
}

impl<T: Clone + 'static> Lazy<T> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        Self { list: RowList::new(), n_gone: Cell::new(0) }
    }

    /// Empties the list.
    pub(crate) fn clear(&self) {
        self.list.rows.borrow_mut().clear();
        self.n_gone.set(0);
        self.list.notify.reset();
    }

    /// Makes the list what `lines` says, of which `n_gone` earlier ones are gone; a line that is shown already is not read
    /// again.
    pub(crate) fn set<S>(&self, n_gone: u64, lines: impl Iterator<Item = S>, row: impl Fn(S) -> T) {
        let n_known = self.list.rows.borrow().len();
        if n_gone != self.n_gone.get() {
            *self.list.rows.borrow_mut() = lines.map(row).collect();
            self.n_gone.set(n_gone);
            self.list.notify.reset();
            return;
        }
        let mut n_lines = 0;
        let mut added = Vec::new();
        for line in lines {
            if n_lines >= n_known {
                added.push(row(line));
            }
            n_lines += 1;
        }
        self.list.end_at(n_lines, added);
    }
}

impl<T: Clone + 'static> Model for Lazy<T> {
    type Data = T;

    fn row_count(&self) -> usize {
        self.list.row_count()
    }

    fn row_data(&self, row: usize) -> Option<T> {
        self.list.row_data(row)
    }

    fn model_tracker(&self) -> &dyn ModelTracker {
        self.list.model_tracker()
    }
}

/// A long list of which one part is there, the one that is seen; elsewhere rows are as by default.
pub(crate) struct Paged<T: 'static> {
    n_rows: Cell<usize>,
    start: Cell<usize>,
    rows: RefCell<Vec<T>>,
    notify: ModelNotify,
}

impl<T: Clone + Default + PartialEq + 'static> Paged<T> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        Self {
            n_rows: Cell::new(0),
            start: Cell::new(0),
            rows: RefCell::new(Vec::new()),
            notify: ModelNotify::default(),
        }
    }

    /// Makes the list one of so many rows, of which those from `start` on are these. Cost: linear in the parts before and
    /// now.
    pub(crate) fn set(&self, n_rows: usize, start: usize, rows: Vec<T>) {
        let before = (self.start.get(), self.rows.replace(rows));
        self.start.set(start);
        if self.n_rows.replace(n_rows) != n_rows {
            self.notify.reset();
            return;
        }
        let now = self.rows.borrow().len();
        let old =
            (before.0..before.0 + before.1.len()).map(|row| (row, before.1.get(row - before.0).cloned()));
        let changed: Vec<usize> = old
            .filter(|(row, held)| self.row_data(*row) != *held)
            .map(|(row, _)| row)
            .chain((start..start + now).filter(|row| !(before.0..before.0 + before.1.len()).contains(row)))
            .collect();
        changed.into_iter().for_each(|row| self.notify.row_changed(row));
    }
}

impl<T: Clone + Default + PartialEq + 'static> Model for Paged<T> {
    type Data = T;

    fn row_count(&self) -> usize {
        self.n_rows.get()
    }

    fn row_data(&self, row: usize) -> Option<T> {
        let at = row.checked_sub(self.start.get());
        let held = at.and_then(|at| self.rows.borrow().get(at).cloned());
        held.or_else(|| (row < self.n_rows.get()).then(T::default))
    }

    fn model_tracker(&self) -> &dyn ModelTracker {
        &self.notify
    }
}

/// A list that is made anew each time: for short ones within rows.
pub(crate) fn model<T: Clone + 'static>(rows: impl IntoIterator<Item = T>) -> ModelRc<T> {
    ModelRc::new(VecModel::from(rows.into_iter().collect::<Vec<T>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_long_list_is_there() {
        let rows = Paged::new();
        rows.set(100_000, 0, vec![1, 2, 3]);
        assert_eq!((rows.row_count(), rows.row_data(1), rows.row_data(50_000)), (100_000, Some(2), Some(0)));
        rows.set(100_000, 50_000, vec![7, 8]);
        assert_eq!(
            (rows.row_data(1), rows.row_data(50_001), rows.row_data(100_000)),
            (Some(0), Some(8), None)
        );
    }

    #[test]
    fn rows_become_what_is_said() {
        let rows = Rows::new();
        for list in [vec![1, 2, 3], vec![1, 5], vec![], vec![7, 8, 9, 10]] {
            rows.set(list.clone());
            assert_eq!(rows.model().iter().collect::<Vec<i32>>(), list);
        }
    }
}
