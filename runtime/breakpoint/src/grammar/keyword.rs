//! Keywords that commands of breakpoints begin with.

use crate::breakpoint::{Place, Reaction};

/// The word that a breakpoint command begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// Stops the action.
    Stop,
    /// Stops the action once.
    Once,
    /// Carries out commands.
    When,
    /// Tells of values that change.
    Watch,
}

impl Keyword {
    /// All words.
    pub const ALL: [Self; 4] = [Self::Stop, Self::Once, Self::When, Self::Watch];

    /// The word as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Keyword::Stop => "stop",
            Keyword::Once => "once",
            Keyword::When => "when",
            Keyword::Watch => "watch",
        }
    }

    /// The word of a text.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|keyword| keyword.word() == word)
    }

    /// How the command goes on behind the word.
    pub fn usage(self) -> &'static str {
        match self {
            Keyword::Stop | Keyword::Once => "[in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]",
            Keyword::When => "[in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N] { COMMAND; .. }",
            Keyword::Watch => "EXPR, .. [in SELECTOR] [at PLACE | on WHAT] [if EXPR] [after N]",
        }
    }

    /// Where a breakpoint is that does not say it. What is watched is looked at when the body has ended.
    pub(crate) fn place(self) -> Place {
        match self {
            Keyword::Stop | Keyword::Once | Keyword::When => Place::Befcomp,
            Keyword::Watch => Place::Aftcomp,
        }
    }

    pub(crate) fn of(reaction: &Reaction) -> Self {
        match reaction {
            Reaction::Stop => Keyword::Stop,
            Reaction::Once => Keyword::Once,
            Reaction::When(_) => Keyword::When,
            Reaction::Watch(_) => Keyword::Watch,
        }
    }
}
