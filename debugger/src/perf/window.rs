//! A stretch of a run's time.

use std::fmt;
use std::str::FromStr;

/// The time between two moments, each counted from the start of the run. The end does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it begins.
    pub from_nanos: u64,
    /// Where it ends; always behind its beginning.
    pub to_nanos: u64,
}

/// Why a text is not a window. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// There are no two dots.
    #[error("`{text}` has no `..` between two moments")]
    NoDots {
        /// The text.
        text: String,
    },
    /// One of the ends is not a moment.
    #[error("`{moment}` at column {column} is not a moment")]
    BadMoment {
        /// What stands there.
        moment: String,
        /// Where.
        column: usize,
    },
    /// The end is not behind the beginning.
    #[error("the window ends at {to}, which is not behind its beginning at {from}")]
    Empty {
        /// The beginning as it was written.
        from: String,
        /// The end as it was written.
        to: String,
    },
}

impl WindowError {
    /// How windows are written.
    pub const HELP: &'static str = "write `1.5ms..20ms`, `..800us` or `2s..`: units are ns, us, ms and s, counted from the start of the run";
}

impl Window {
    /// A moment, moved to the nearest end if it is not in the window.
    pub fn clamp(&self, nanos: u64) -> u64 {
        nanos.clamp(self.from_nanos, self.to_nanos)
    }

    /// Whether something that went on between two moments went on in the window.
    pub fn meets(&self, start_nanos: u64, end_nanos: u64) -> bool {
        start_nanos < self.to_nanos
            && (end_nanos > self.from_nanos || start_nanos == end_nanos && start_nanos >= self.from_nanos)
    }
}

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, WindowError> {
        let Some((from, to)) = text.split_once("..") else {
            return Err(WindowError::NoDots { text: text.to_owned() });
        };
        let column_of_to = from.chars().count() + 3;
        let from_nanos = if from.trim().is_empty() { 0 } else { moment(from, 1)? };
        let to_nanos = if to.trim().is_empty() { u64::MAX } else { moment(to, column_of_to)? };
        if to_nanos <= from_nanos {
            return Err(WindowError::Empty { from: from.trim().to_owned(), to: to.trim().to_owned() });
        }
        Ok(Self { from_nanos, to_nanos })
    }
}

/// Nanoseconds of a number with a unit.
fn moment(text: &str, column: usize) -> Result<u64, WindowError> {
    let n_blanks = text.chars().take_while(|letter| letter.is_whitespace()).count();
    let spelled = text.trim();
    let bad = || WindowError::BadMoment { moment: spelled.to_owned(), column: column + n_blanks };
    let split = spelled.find(|letter: char| letter.is_ascii_alphabetic()).ok_or_else(bad)?;
    let (number, unit) = spelled.split_at(split);
    let factor = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err(bad()),
    };
    let number: f64 = number.trim().parse().map_err(|_| bad())?;
    let nanos = (number * factor).round();
    if !(0.0..u64::MAX as f64).contains(&nanos) {
        return Err(bad());
    }
    Ok(nanos as u64)
}

/// As it is written, in nanoseconds.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_nanos {
            u64::MAX => write!(f, "{}ns..", self.from_nanos),
            to_nanos => write!(f, "{}ns..{to_nanos}ns", self.from_nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(text: &str) -> Result<(u64, u64), String> {
        let parsed = text.parse::<Window>().map_err(|error| error.to_string())?;
        assert_eq!(parsed.to_string().parse(), Ok(parsed), "it is read as it is written");
        Ok((parsed.from_nanos, parsed.to_nanos))
    }

    #[test]
    fn windows_have_units_and_open_ends() {
        assert_eq!(window("1.5ms..20ms"), Ok((1_500_000, 20_000_000)));
        assert_eq!(window(" 3 us .. 1 s "), Ok((3000, 1_000_000_000)));
        assert_eq!(window("..7ns"), Ok((0, 7)));
        assert_eq!(window("2s.."), Ok((2_000_000_000, u64::MAX)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_column() {
        assert_eq!(window("5ms"), Err("`5ms` has no `..` between two moments".to_owned()));
        assert_eq!(window("5ms..8"), Err("`8` at column 6 is not a moment".to_owned()));
        assert_eq!(window("x..8ms"), Err("`x` at column 1 is not a moment".to_owned()));
        assert_eq!(window("1ms.. 8 min"), Err("`8 min` at column 7 is not a moment".to_owned()));
        assert_eq!(window("-1ms..8ms"), Err("`-1ms` at column 1 is not a moment".to_owned()));
        assert_eq!(window("1ms..1e30s"), Err("`1e30s` at column 6 is not a moment".to_owned()));
        assert_eq!(
            window("8ms..8ms"),
            Err("the window ends at 8ms, which is not behind its beginning at 8ms".to_owned())
        );
    }

    #[test]
    fn an_event_without_duration_belongs_to_one_of_two_neighbors() {
        let (left, right) = (Window { from_nanos: 0, to_nanos: 5 }, Window { from_nanos: 5, to_nanos: 9 });
        assert_eq!((left.meets(5, 5), right.meets(5, 5)), (false, true));
        assert_eq!((left.meets(3, 5), right.meets(3, 5)), (true, false));
        assert_eq!((left.meets(4, 6), right.meets(4, 6)), (true, true));
    }
}
