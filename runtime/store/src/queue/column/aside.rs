//! Columns of other senders, of which each is found by its sender.

use hasse_model::id::ActionId;
use hasse_record::instrumentation::Instrumentation;
use rustc_hash::FxHashMap;

use super::Column;

/// Columns of values that wait, each of those that one action has sent. No action has two.
pub(crate) struct Aside<M: Instrumentation> {
    columns: Vec<Column<M>>,
    position_of: FxHashMap<Option<ActionId>, usize>,
}

impl<M: Instrumentation> Default for Aside<M> {
    fn default() -> Self {
        Self { columns: Vec::new(), position_of: FxHashMap::default() }
    }
}

impl<M: Instrumentation> Aside<M> {
    /// The column of an action; a new one where there is none.
    pub(super) fn of(&mut self, action: Option<ActionId>) -> &mut Column<M> {
        let n_columns = self.columns.len();
        let position = *self.position_of.entry(action).or_insert(n_columns);
        if position == n_columns {
            self.columns.push(Column::new(true));
        }
        &mut self.columns[position]
    }

    /// Position of the column of an action.
    pub(super) fn position(&self, action: Option<ActionId>) -> Option<usize> {
        self.position_of.get(&action).copied()
    }

    /// The column at a position.
    pub(super) fn at(&self, position: usize) -> &Column<M> {
        &self.columns[position]
    }

    /// Exchanges a column, whose values are of an action, for the one at a position. One without values is dropped.
    pub(super) fn exchange(&mut self, position: usize, column: &mut Column<M>) {
        let brought = self.columns[position].action();
        std::mem::swap(column, &mut self.columns[position]);
        self.position_of.remove(&brought);
        if self.columns[position].n_here() > 0 {
            self.position_of.insert(self.columns[position].action(), position);
            return;
        }
        self.columns.swap_remove(position);
        if let Some(moved) = self.columns.get(position) {
            self.position_of.insert(moved.action(), position);
        }
    }

    /// All columns.
    pub(super) fn columns(&self) -> &[Column<M>] {
        &self.columns
    }

    /// All columns, to be changed: the action of each stays.
    pub(super) fn columns_mut(&mut self) -> &mut [Column<M>] {
        &mut self.columns
    }

    /// Takes all columns out.
    pub(super) fn into_columns(self) -> Vec<Column<M>> {
        self.columns
    }
}
