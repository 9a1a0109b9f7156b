//! Dates and times of day from and to text, in UTC. A moment is a number of seconds since 1970-01-01 00:00 UTC, as `time()`
//! has it.

use std::fmt::Write;

use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Timelike, Utc};
use rhai::{Dynamic, EvalAltResult, Map};

use super::limits::{Outcome, failure, number};
use super::registry::Common;

/// Maximum length of a format, in bytes.
const MOST_FORMAT_BYTES: usize = 1 << 12;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("format_time", |seconds: Dynamic| {
            Ok(moment("format_time", &seconds)?.to_rfc3339_opts(SecondsFormat::AutoSi, true))
                as Outcome<String>
        })
        .register_fn("format_time", format_time)
        .register_fn("parse_time", |text: &str| {
            let moment = DateTime::parse_from_rfc3339(text.trim());
            moment.map(|moment| seconds(&moment.to_utc())).map_err(|error| {
                failure(format!("`parse_time`: \"{text}\" is not like \"2026-11-29T06:30:00Z\": {error}"))
            })
        })
        .register_fn("parse_time", parse_time)
        .register_fn("time_parts", time_parts);
}

/// Returns the moment, rounded to microseconds: a real number of this size has no more digits.
fn moment(function: &str, held: &Dynamic) -> Outcome<DateTime<Utc>> {
    let Some(given) = number(held) else {
        return Err(failure(format!("`{function}` takes a number of seconds, not a {}", held.type_name())));
    };
    let micros = (given * 1e6).round();
    let is_in_range = micros.abs() < i64::MAX as f64;
    let found = is_in_range.then(|| DateTime::from_timestamp_micros(micros as i64)).flatten();
    found.ok_or_else(|| failure(format!("`{function}`: {given} seconds are outside of the calendar")))
}

fn seconds(moment: &DateTime<Utc>) -> f64 {
    moment.timestamp_micros() as f64 / 1e6
}

/// The items of a format, such as `%Y-%m-%d`.
fn items<'f>(function: &str, format: &'f str) -> Outcome<Vec<Item<'f>>> {
    let items: Vec<_> = StrftimeItems::new(format).take(MOST_FORMAT_BYTES).collect();
    if format.len() > MOST_FORMAT_BYTES || items.iter().any(|item| matches!(item, Item::Error)) {
        return Err(no_format(function, format));
    }
    Ok(items)
}

fn no_format(function: &str, format: &str) -> Box<EvalAltResult> {
    failure(format!("`{function}`: \"{format}\" is no format of a time, such as \"%Y-%m-%d %H:%M\""))
}

/// `format_time(seconds, format)`: a moment as text. Errors: the format cannot be read, or the moment is outside of the
/// calendar.
fn format_time(given: Dynamic, format: &str) -> Outcome<String> {
    let items = items("format_time", format)?;
    let mut text = String::new();
    // Some items, such as `%#z`, can be parsed and not formatted; `to_string` would panic.
    write!(text, "{}", moment("format_time", &given)?.format_with_items(items.iter()))
        .map_err(|_| no_format("format_time", format))?;
    Ok(text)
}

/// `parse_time(text, format)`: the moment that a text names. Without an offset it is one of UTC, without a time of day it is
/// midnight. Errors: the text does not have the format.
fn parse_time(text: &str, format: &str) -> Outcome<f64> {
    items("parse_time", format)?;
    let with_offset = DateTime::parse_from_str(text, format).map(|moment| moment.to_utc());
    let found = with_offset
        .or_else(|_| NaiveDateTime::parse_from_str(text, format).map(|moment| moment.and_utc()))
        .or_else(|_| {
            NaiveDate::parse_from_str(text, format).map(|date| date.and_time(NaiveTime::MIN).and_utc())
        });
    let found = found.map_err(|error| {
        failure(format!("`parse_time`: \"{text}\" does not have the format \"{format}\": {error}"))
    });
    found.map(|moment| seconds(&moment))
}

/// `time_parts(seconds)`: year, month, day, hour, minute, second, weekday from Monday = 1, and day of the year from 1.
fn time_parts(given: Dynamic) -> Outcome<Map> {
    let moment = moment("time_parts", &given)?;
    let second = f64::from(moment.second()) + f64::from(moment.timestamp_subsec_micros()) / 1e6;
    let parts: [(&str, Dynamic); 8] = [
        ("year", i64::from(moment.year()).into()),
        ("month", i64::from(moment.month()).into()),
        ("day", i64::from(moment.day()).into()),
        ("hour", i64::from(moment.hour()).into()),
        ("minute", i64::from(moment.minute()).into()),
        ("second", second.into()),
        ("weekday", i64::from(moment.weekday().number_from_monday()).into()),
        ("day_of_year", i64::from(moment.ordinal()).into()),
    ];
    Ok(parts.into_iter().map(|(name, part)| (name.into(), part)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn moments_are_formatted() {
        check("format_time(0)", "1970-01-01T00:00:00Z");
        check("format_time(1796020245.25)", "2026-11-30T06:30:45.250Z");
        check(r#"format_time(-1, "%d.%m.%Y %H:%M:%S")"#, "31.12.1969 23:59:59");
        check(r#"format_time(86400 * 59, "%A, %-d %B")"#, "Sunday, 1 March");
    }

    #[test]
    fn moments_are_parsed() {
        check(r#"parse_time("1970-01-02T01:00:00+01:00")"#, "86400.0");
        check(r#"parse_time("29.11.2026", "%d.%m.%Y") == parse_time("2026-11-29T00:00:00Z")"#, "true");
        check(r#"parse_time("1970-01-01 00:01", "%Y-%m-%d %H:%M")"#, "60.0");
        check(r#"parse_time("1970-01-01 00:00 -0030", "%Y-%m-%d %H:%M %z")"#, "1800.0");
        check(
            "for t in [0.0, 1796020245.25, -86399.5] { if parse_time(format_time(t)) != t { throw t; } } 1",
            "1",
        );
    }

    #[test]
    fn moments_have_parts() {
        check(
            "let p = time_parts(1796020245.5); [p.year, p.month, p.day, p.hour, p.minute, p.weekday, p.day_of_year]",
            "[2026, 11, 30, 6, 30, 1, 334]",
        );
        check("time_parts(1796020245.5).second", "45.5");
    }

    /// Formatting panics where the library cannot format an item.
    #[test]
    fn every_specifier_is_formatted_or_refused() {
        for prefix in ["", "-", "_", "0", ":", "::", ".", ".3", "3", "#"] {
            for letter in (' '..='~').filter(|letter| !letter.is_ascii_digit()) {
                let format = format!("%{prefix}{letter}");
                if let Ok(text) = super::format_time(1.5.into(), &format) {
                    let _ = super::parse_time(&text, &format);
                }
            }
        }
    }

    #[test]
    fn unreadable_moment_is_an_error() {
        check_error(r#"parse_time("yesterday")"#, "\"yesterday\" is not like \"2026-11-29T06:30:00Z\"");
        check_error(r#"parse_time("1", "%Q")"#, "\"%Q\" is no format of a time");
        check_error(r##"format_time(1, "%#z")"##, "\"%#z\" is no format of a time");
        check_error(r#"format_time(1, "%")"#, "is no format of a time");
        check_error("format_time(1e300)", "seconds are outside of the calendar");
        check_error("format_time(0.0 / 0.0)", "seconds are outside of the calendar");
        check_error("format_time(1e15)", "seconds are outside of the calendar");
        check_error("time_parts(\"now\")", "`time_parts` takes a number of seconds, not a ");
        check_error(r#"parse_time("31.02.2026", "%d.%m.%Y")"#, "does not have the format");
    }
}
