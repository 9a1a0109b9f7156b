//! How events are ordered, and lists of what belongs together.

use hasse_model::id::ObjectId;

/// How one event is immediately before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// The action's event before it.
    Sequence,
    /// A value that it removed, with the number of the way by which it came.
    Value(Option<u32>),
    /// It read what the other one wrote.
    Read(ObjectId),
    /// It wrote over what the other one wrote.
    Write(ObjectId),
    /// It wrote over what the other one had read.
    Overwrite(ObjectId),
    /// In a restricted record: by way of an object, whatever lies between.
    Relayed(ObjectId),
}

impl Via {
    /// Most numbers of ways and objects that are told apart.
    pub(super) const MOST: u32 = (1 << 29) - 1;

    pub(super) fn pack(self) -> u32 {
        let (kind, number) = match self {
            Self::Sequence => (0, 0),
            Self::Value(way) => (1, way.unwrap_or(Self::MOST)),
            Self::Read(object) => (2, object.0),
            Self::Write(object) => (3, object.0),
            Self::Overwrite(object) => (4, object.0),
            Self::Relayed(object) => (5, object.0),
        };
        kind << 29 | number.min(Self::MOST)
    }

    pub(super) fn unpack(packed: u32) -> Self {
        let number = packed & Self::MOST;
        match packed >> 29 {
            0 => Self::Sequence,
            1 => Self::Value((number != Self::MOST).then_some(number)),
            2 => Self::Read(ObjectId(number)),
            3 => Self::Write(ObjectId(number)),
            4 => Self::Overwrite(ObjectId(number)),
            _ => Self::Relayed(ObjectId(number)),
        }
    }

    /// The object, for orderings by one.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Self::Sequence | Self::Value(_) => None,
            Self::Read(object) | Self::Write(object) | Self::Overwrite(object) | Self::Relayed(object) => {
                Some(object)
            }
        }
    }
}

/// An immediate predecessor of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Before {
    /// Its position.
    pub event: u32,
    /// How it is before.
    pub via: Via,
}

/// Items by key, in one list.
#[derive(Clone, Debug, Default)]
pub(in crate::views) struct Grouped {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Grouped {
    /// Groups pairs of key and item; items keep their order within a group. `pairs` is asked twice.
    pub(in crate::views) fn of<I: Iterator<Item = (u32, u32)>>(n_keys: usize, pairs: impl Fn() -> I) -> Self {
        let mut ends = vec![0_u32; n_keys + 1];
        pairs().for_each(|(key, _)| ends[key as usize + 1] += 1);
        for key in 0..n_keys {
            ends[key + 1] += ends[key];
        }
        let mut items = vec![0; ends[n_keys] as usize];
        for (key, item) in pairs() {
            let at = &mut ends[key as usize];
            items[*at as usize] = item;
            *at += 1;
        }
        // Each entry has moved to where the next one began.
        ends.pop();
        Self { ends, items }
    }

    pub(in crate::views) fn get(&self, key: u32) -> &[u32] {
        let key = key as usize;
        let start = key.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(key).copied().unwrap_or(start);
        self.items.get(start as usize..end as usize).unwrap_or(&[])
    }
}
