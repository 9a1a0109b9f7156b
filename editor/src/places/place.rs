//! A place of the file, and what is there.

use std::ops::Range;

use crate::target::Target;

/// Something that stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) target: Target,
    /// Its key or name, as it is spelled; none of an array's item.
    pub(crate) key: Option<Range<usize>>,
    /// Its value as it is spelled, with quotes; none of a table with a header.
    pub(crate) value: Option<Range<usize>>,
    /// The name without quotes.
    pub(crate) name: Option<String>,
    /// The value, where it is a string.
    pub(crate) text: Option<String>,
    /// Of a table with a header: the header. What stands below belongs to it up to the next one.
    pub(super) header: Option<Range<usize>>,
}

impl Place {
    pub(super) fn start(&self) -> usize {
        self.key.as_ref().or(self.value.as_ref()).map_or(0, |range| range.start)
    }

    pub(super) fn end(&self) -> usize {
        self.value.as_ref().or(self.key.as_ref()).map_or(0, |range| range.end)
    }
}
