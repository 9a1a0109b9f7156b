//! Numbers for reading: rounded to significant digits, and aligned at their points.

/// A number with at most so many significant digits, and at least one behind the point.
pub(super) fn rounded(number: f64, digits: usize) -> String {
    let digits = digits.clamp(1, 17);
    if !number.is_finite() || number == 0.0 {
        return format!("{number:?}");
    }
    // Rounding may carry over into a further digit, which the exponent knows.
    let scientific = format!("{number:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let most = digits.max(6) as i32;
    if !(-4..=most).contains(&exponent) {
        let mantissa = if mantissa.contains('.') { trimmed(mantissa) } else { mantissa.to_owned() };
        return format!("{mantissa}e{exponent}");
    }
    let n_decimals = (digits as i32 - 1 - exponent).max(1) as usize;
    trimmed(&format!("{number:.n_decimals$}"))
}

/// Without zeros at the end, but with one digit behind the point.
fn trimmed(text: &str) -> String {
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

/// Texts of numbers, row by row, padded so that each column is aligned at its points. A text without a digit stands
/// at the point.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let n_cols = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cut = |text: &str| {
        let n_before = text.find('.').filter(|_| text != "..").unwrap_or(text.chars().count());
        (n_before, text.chars().count() - n_before)
    };
    let mut widths = vec![(0, 0); n_cols];
    for row in rows {
        for (width, text) in widths.iter_mut().zip(row) {
            let (before, behind) = cut(text);
            *width = (width.0.max(before), width.1.max(behind));
        }
    }
    let cell = |(text, width): (&String, &(usize, usize))| {
        let (before, behind) = cut(text);
        format!("{}{text}{}", " ".repeat(width.0 - before), " ".repeat(width.1 - behind))
    };
    let line = |row: &Vec<String>| row.iter().zip(&widths).map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_first_digits() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-12.5, "-12.5"),
            (1.0 / 3.0, "0.333333"),
            (123_456.789, "123456.8"),
            (999_999.96, "1000000.0"),
            (1_234_567.0, "1234567.0"),
            (12_345_678.0, "1.23457e7"),
            (0.000_123_456_78, "0.000123457"),
            (0.000_012, "1.2e-5"),
            (1e300, "1.0e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (number, expected) in cases {
            assert_eq!(rounded(number, 6), expected);
        }
        assert_eq!(rounded(0.1 + 0.2, 17), "0.30000000000000004");
        assert_eq!(rounded(2e9, 1), "2e9");
    }

    #[test]
    fn columns_stand_at_their_points() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let lines = aligned(&[row(&["1.5", "-10.25", ".."]), row(&["100.0", "NaN", ".."])]);
        assert_eq!(lines, ["  1.5  -10.25  ..", "100.0  NaN     .."]);
    }
}
