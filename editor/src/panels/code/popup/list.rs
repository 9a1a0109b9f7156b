//! The list of what is offered.

use std::ops::Range;

use crate::complete::Item;

/// Something that can be typed, with how it fits what was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// What it is.
    pub item: Item,
    /// Which characters of its text were typed, ascending, from 0.
    pub letters: Vec<usize>,
}

/// The list below the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Popup {
    /// Bytes of the text that are replaced.
    pub range: Range<usize>,
    /// What can be typed, best first; never empty.
    pub items: Vec<Offered>,
    /// Position of the selected one.
    pub selected: usize,
}

impl Popup {
    /// The selected item.
    pub fn item(&self) -> Option<&Item> {
        self.items.get(self.selected).map(|offered| &offered.item)
    }
}
