//! Recording options as a person or a program's file states them, before any program is looked at.

use super::selector::{Selector, SelectorError};

/// How much is recorded of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordOption {
    /// An action: each event with its flow and shared predecessors. A call: everything inside, whatever is
    /// selected there.
    #[default]
    Full,
    /// An action: each event with its flow predecessors alone. A call: what is selected inside.
    Restrict,
    /// An action: no events. A call: nothing inside, whatever is selected there.
    Off,
}

impl RecordOption {
    /// All options with their names.
    pub const NAMES: [(&'static str, Self); 3] =
        [("full", Self::Full), ("restrict", Self::Restrict), ("off", Self::Off)];

    /// The name on the command line and in program files.
    pub fn name(self) -> &'static str {
        match self {
            RecordOption::Full => "full",
            RecordOption::Restrict => "restrict",
            RecordOption::Off => "off",
        }
    }

    /// The option of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, option)| *option)
    }

    /// The effective option of an instance that has this option selected, inside a graph instance with the
    /// effective option `around` (section 5.3.1).
    #[must_use]
    pub fn effective(self, around: Self) -> Self {
        match around {
            RecordOption::Restrict => self,
            RecordOption::Full | RecordOption::Off => around,
        }
    }
}

/// Options by selector, as a user gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordOptions {
    /// The option of the main graph.
    pub root: RecordOption,
    /// The selected option of actions that no selector names. Calls that no selector names have
    /// [`RecordOption::Restrict`].
    pub other_actions: RecordOption,
    /// What selectors say; the last one that names an instance counts. `/` is the main graph.
    pub settings: Vec<(Selector, RecordOption)>,
}

/// How a program asks to be recorded: the annotations in its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordAnnotations {
    /// Whether a record of the program is restricted where nothing else is asked for.
    pub is_restricted: bool,
    /// What restricted recording begins with; selections on the command line come behind.
    pub settings: Vec<(Selector, RecordOption)>,
}

impl RecordAnnotations {
    /// Options of restricted recording as the program asks for them.
    pub fn options(&self) -> RecordOptions {
        RecordOptions { settings: self.settings.clone(), ..RecordOptions::restricted() }
    }
}

impl Default for RecordOptions {
    /// Everything is recorded.
    fn default() -> Self {
        Self { root: RecordOption::Full, other_actions: RecordOption::Full, settings: Vec::new() }
    }
}

impl RecordOptions {
    /// Restricted recording in which nothing is selected yet: no action is recorded.
    pub fn restricted() -> Self {
        Self { root: RecordOption::Restrict, other_actions: RecordOption::Off, settings: Vec::new() }
    }

    /// Records what a selector names in full.
    ///
    /// # Errors
    /// The text is not a selector.
    pub fn select(mut self, selector: &str) -> Result<Self, SelectorError> {
        self.settings.push((selector.parse()?, RecordOption::Full));
        Ok(self)
    }

    /// Gives what a selector names an option.
    ///
    /// # Errors
    /// The text is not a selector.
    pub fn set(mut self, selector: &str, option: RecordOption) -> Result<Self, SelectorError> {
        self.settings.push((selector.parse()?, option));
        Ok(self)
    }
}
