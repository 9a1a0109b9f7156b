//! Rows of the window's lists, changed where they differ.
//!
//! A new model makes the toolkit build all elements of a list anew, which loses the focus and costs; so a list keeps its
//! model, and only the rows that differ are told.

use std::rc::Rc;

use slint::{Model, ModelRc, VecModel};

/// A list of the window.
pub(crate) struct Rows<T: Clone + PartialEq + 'static>(Rc<VecModel<T>>);

impl<T: Clone + PartialEq + 'static> Rows<T> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        Self(Rc::new(VecModel::default()))
    }

    /// What the window is given once.
    pub(crate) fn model(&self) -> ModelRc<T> {
        ModelRc::from(Rc::clone(&self.0))
    }

    /// Makes the list what `rows` says. Cost: linear, and the elements of rows that differ.
    pub(crate) fn set(&self, rows: impl IntoIterator<Item = T>) {
        let mut n_rows = 0;
        for row in rows {
            match self.0.row_data(n_rows) {
                Some(known) if known == row => {}
                Some(_) => self.0.set_row_data(n_rows, row),
                None => self.0.push(row),
            }
            n_rows += 1;
        }
        while self.0.row_count() > n_rows {
            self.0.remove(self.0.row_count() - 1);
        }
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
    fn rows_become_what_is_said() {
        let rows = Rows::new();
        for list in [vec![1, 2, 3], vec![1, 5], vec![], vec![7, 8, 9, 10]] {
            rows.set(list.clone());
            assert_eq!(rows.model().iter().collect::<Vec<i32>>(), list);
        }
    }
}
