//! Figures as they are printed and drawn.

/// Nanoseconds with three digits behind the point, in the largest unit in which there is something before it.
pub(super) fn time(nanos: u64) -> String {
    let in_unit = |unit: u64, name: &str| {
        // The thousandths are rounded down: what is printed is never more than it was.
        format!("{}.{:03} {name}", nanos / unit, nanos % unit / (unit / 1000))
    };
    match nanos {
        0 => "0".to_owned(),
        1..1_000 => format!("{nanos} ns"),
        1_000..1_000_000 => in_unit(1_000, "us"),
        1_000_000..1_000_000_000 => in_unit(1_000_000, "ms"),
        _ => in_unit(1_000_000_000, "s"),
    }
}

/// 0 where the whole is nothing.
pub(super) fn quotient(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Two digits behind the point.
pub(super) fn ratio(ratio: f64) -> String {
    format!("{ratio:.2}")
}

/// A share with one digit behind the point.
pub(super) fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * quotient(part, whole))
}
