//! Dates and times of day.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const CALENDAR: Family = Family {
    title: "Dates and times of day",
    about: "A moment is a number of seconds since 1970-01-01 00:00 UTC, as returned by `time()`, with a precision of a microsecond. All functions use UTC. Formats are those of [strftime](https://docs.rs/chrono/0.4/chrono/format/strftime/index.html): `%Y-%m-%d %H:%M:%S`, `%d.%m.%y`, `%A`.",
    functions: CALENDAR_FUNCTIONS,
};

const CALENDAR_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "format_time(seconds: real) -> string; format_time(seconds: int) -> string; format_time(seconds: real, format: string) -> string; format_time(seconds: int, format: string) -> string",
        "A moment as text: as in RFC 3339, or in a format.",
        "the format cannot be read; the moment is outside of the calendar",
        r#"format_time(86400) == "1970-01-02T00:00:00Z""#,
    ),
    function(
        "parse_time(s: string) -> real; parse_time(s: string, format: string) -> real",
        "The moment that a text names, as in RFC 3339 or in a format. Without an offset the time is UTC, without a time of day it is midnight.",
        "the format cannot be read; the text does not have it",
        r#"parse_time("2.1.1970", "%d.%m.%Y") == 86400.0"#,
    ),
    function(
        "time_parts(seconds: real) -> map; time_parts(seconds: int) -> map",
        "The parts of a moment, all int but the second: `year`, `month`, `day`, `hour`, `minute`, `second`, `weekday` from Monday = 1, `day_of_year` from 1.",
        "the moment is outside of the calendar",
        "time_parts(86400).weekday == 5",
    ),
];
