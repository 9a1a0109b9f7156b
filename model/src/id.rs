//! Dense ids: the names that hot paths and records use instead of text.
//!
//! Ids of the program's parts (`TemplateId`, `ArcId`, ...) are positions in the [`Plan`](crate::plan::Plan)
//! and are the same for every run of one program text. Ids of what a run makes (`ActionId`,
//! `ObjectId`, `GraphInstanceId`) are handed out in order of creation and differ from run to run; what is printed or
//! compared goes by path instead.

use std::fmt;

use smallvec::SmallVec;

use crate::key;

macro_rules! dense_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a position in a slice.
            pub fn idx(self) -> usize {
                self.0 as usize
            }

            /// The id of a position in a slice.
            ///
            /// # Panics
            /// If there are more than `u32::MAX` items.
            pub fn from_idx(idx: usize) -> Self {
                Self(u32::try_from(idx).expect("fewer than 2^32 items of one kind"))
            }
        }
    };
}

dense_id!(
    /// A unit of computation of the program: a node as drawn.
    TemplateId
);
dense_id!(
    /// A graph of the program.
    GraphId
);
dense_id!(
    /// A call node of the program.
    CallId
);
dense_id!(
    /// An arc of the program.
    ArcId
);
dense_id!(
    /// A declared shared object of the program; an indexed one stands for many objects.
    SharedId
);
dense_id!(
    /// A Rhai text of the program: a body, an `init`, or an expression that needs the interpreter.
    ScriptId
);
dense_id!(
    /// A named place in the scope of a template: a parameter, index, var, shared name or bound name.
    SlotId
);
dense_id!(
    /// An instance of a template within one run, in order of creation.
    ActionId
);
dense_id!(
    /// A shared object within one run, in order of creation.
    ObjectId
);
dense_id!(
    /// An instance of a graph within one run, in order of creation; [`MAIN`](GraphInstanceId::MAIN) is that
    /// of the main graph.
    GraphInstanceId
);

impl GraphInstanceId {
    /// The instance of the main graph.
    pub const MAIN: Self = Self(0);
}

/// One event: the `count`-th execution of an action. The first execution has count 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    /// The action that executed.
    pub action: ActionId,
    /// Which of its executions, from 1.
    pub count: u64,
}

/// The index of an instance, of an element of a port family, or of a shared object; empty where
/// the thing has none.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index(pub SmallVec<[i64; 2]>);

/// One or two numbers are copied without a loop: that is done for each instance that is created.
impl From<&[i64]> for Index {
    #[inline]
    fn from(numbers: &[i64]) -> Self {
        Self(match *numbers {
            [] => SmallVec::new(),
            [first] => SmallVec::from_buf_and_len([first, 0], 1),
            [first, second] => SmallVec::from_buf([first, second]),
            _ => SmallVec::from_slice(numbers),
        })
    }
}

impl Clone for Index {
    #[inline]
    fn clone(&self) -> Self {
        Self::from(self.as_slice())
    }
}

impl Index {
    /// The index of a thing that has none.
    #[inline]
    pub fn none() -> Self {
        Self::default()
    }

    /// The numbers of the index, outermost first.
    #[inline]
    pub fn as_slice(&self) -> &[i64] {
        &self.0
    }
}

impl FromIterator<i64> for Index {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}

/// Writes `[1][2]`, or `["berlin"]` for a [key](crate::key), and nothing for an empty index.
impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|number| write!(f, "[{}]", key::shown(*number)))
    }
}
