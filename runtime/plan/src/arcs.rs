//! Arcs to instances that index numbers of the sender tell, as the lane follows them.

use hasse_model::id::{ArcId, Index, TemplateId};

/// An arc to a port of instances in the graph instance of the sender.
#[derive(Clone)]
pub struct IndexedWay {
    /// The arc.
    pub arc: ArcId,
    /// Template of the receiving instances.
    pub target: TemplateId,
    /// Input port of the receivers, by position.
    pub port: usize,
    /// Numbers of the sender, by position, that must be what they are told to be.
    pub(crate) checks: Vec<(usize, Number)>,
    pub(crate) index: Vec<Number>,
    /// Numbers of the element of a family; none for a plain port.
    pub(crate) elements: Vec<Number>,
}

/// An index number.
#[derive(Clone, Copy)]
pub(crate) enum Number {
    Constant(i64),
    /// That of the sender at a position, and so much: its index numbers are first, then those of the element of its port.
    Source {
        position: usize,
        offset: i64,
    },
}

impl Number {
    #[inline(always)]
    fn of(self, numbers: &[i64]) -> Option<i64> {
        match self {
            Number::Constant(number) => Some(number),
            Number::Source { position, offset } => numbers.get(position)?.checked_add(offset),
        }
    }
}

impl IndexedWay {
    /// Returns true if it leads to plain ports.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether values take it only from some index numbers.
    #[inline]
    pub fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether values take it that come from here.
    #[inline(always)]
    pub fn matches(&self, numbers: &[i64]) -> bool {
        self.checks.iter().all(|(position, number)| numbers.get(*position).copied() == number.of(numbers))
    }

    /// To whom it leads; `None` where a number overflows.
    #[inline(always)]
    pub fn index(&self, numbers: &[i64]) -> Option<Index> {
        index_of(&self.index, numbers)
    }

    /// The element of the port; `None` where a number overflows.
    #[inline(always)]
    pub fn element(&self, numbers: &[i64]) -> Option<Index> {
        index_of(&self.elements, numbers)
    }

    /// The same as sums: positions of the sender's numbers, `None` where there is none, and what is added to them.
    #[inline]
    pub fn sums(&self) -> impl Iterator<Item = (Option<usize>, i64)> {
        self.index.iter().map(|number| match *number {
            Number::Constant(constant) => (None, constant),
            Number::Source { position, offset } => (Some(position), offset),
        })
    }
}

#[inline(always)]
fn index_of(wanted: &[Number], numbers: &[i64]) -> Option<Index> {
    let mut index = Index::none();
    for number in wanted {
        index.0.push(number.of(numbers)?);
    }
    Some(index)
}
