//! Which facility is to be had where (Hyder 1994, table 6-2).

/// What can be asked of a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facility {
    /// Event history and graphs.
    Display,
    /// Verdicts on what is expected, and races.
    Checker,
    /// Events into a file.
    Filing,
    /// Events kept for later.
    Saving,
}

impl Facility {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Display, Self::Checker, Self::Filing, Self::Saving];

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Checker => "checker",
            Self::Filing => "filing",
            Self::Saving => "saving",
        }
    }
}

/// Where events come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A run that records every event.
    Full,
    /// A run that records selected actions.
    Restricted,
    /// A run that records its free choices.
    Minimal,
    /// A run with recording off.
    Off,
    /// A run that is timed.
    Perf,
    /// A run without instrumentation.
    DebuggingOff,
    /// A run that follows a record.
    Replay,
    /// No run: a trace file.
    PostMortemFile,
    /// No run: the session's records.
    PostMortemRecords,
}

impl Mode {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full recording",
            Self::Restricted => "restricted recording",
            Self::Minimal => "minimal recording",
            Self::Off => "recording off",
            Self::Perf => "perf mode",
            Self::DebuggingOff => "debugging off",
            Self::Replay => "replay",
            Self::PostMortemFile => "a trace file",
            Self::PostMortemRecords => "the session's records",
        }
    }

    /// Returns whether a facility is available in this mode. We differ from the source in three places. A minimal
    /// record is filed and saved, to be replayed, and shown only when it is. A perf run is filed when it is
    /// over. And a trace file may be filed again, for that is how it is restricted.
    pub fn has(self, facility: Facility) -> bool {
        use Facility::{Filing, Saving};
        match self {
            Self::Full | Self::Restricted => true,
            Self::Replay | Self::PostMortemRecords => facility != Saving,
            Self::PostMortemFile => true,
            Self::Minimal | Self::Perf => matches!(facility, Filing | Saving),
            Self::Off | Self::DebuggingOff => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_source_but_for_what_is_said() {
        let mut table = String::new();
        for mode in [
            Mode::Replay,
            Mode::Restricted,
            Mode::Full,
            Mode::Minimal,
            Mode::Off,
            Mode::Perf,
            Mode::DebuggingOff,
            Mode::PostMortemFile,
            Mode::PostMortemRecords,
        ] {
            let marks: Vec<&str> =
                Facility::ALL.iter().map(|&facility| if mode.has(facility) { "X" } else { "-" }).collect();
            table += &format!("{:21} {}\n", mode.name(), marks.join(" "));
        }
        insta::assert_snapshot!(table, @r"
        replay                X X X -
        restricted recording  X X X X
        full recording        X X X X
        minimal recording     - - X X
        recording off         - - - -
        perf mode             - - X X
        debugging off         - - - -
        a trace file          X X X X
        the session's records X X X -
        ");
    }
}
