//! Numbers: what Rhai's own arithmetic lacks, its real functions for ints too, and conversions
//! that refuse what does not fit.

use rhai::Dynamic;

use super::limits::{self, Outcome, failure};
use super::registry::Common;
use super::text::excerpt;

/// A function of one real.
pub(super) type RealFunction = fn(f64) -> f64;

/// Real functions that Rhai has for reals only, or not at all.
const OF_ONE_NUMBER: &[(&str, RealFunction)] = &[
    ("sqrt", f64::sqrt),
    ("cbrt", f64::cbrt),
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("ln", f64::ln),
    ("log", f64::log10),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("asinh", f64::asinh),
    ("acosh", f64::acosh),
    ("atanh", f64::atanh),
    ("to_degrees", f64::to_degrees),
    ("to_radians", f64::to_radians),
];

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    for (name, function) in OF_ONE_NUMBER {
        common.register_fn(name, move |number: f64| function(number));
        common.register_fn(name, move |number: i64| function(number as f64));
    }
    for (name, function) in [
        ("floor", f64::floor as fn(f64) -> f64),
        ("ceiling", f64::ceil),
        ("ceil", f64::ceil),
        ("round", f64::round),
        ("trunc", f64::trunc),
    ] {
        common.register_fn(name, move |number: f64| function(number));
        common.register_fn(name, |number: i64| number);
    }
    for (name, function) in [
        ("hypot", f64::hypot as fn(f64, f64) -> f64),
        ("atan2", f64::atan2),
        ("pow", f64::powf),
        ("mod_floor", real_mod_floor),
    ] {
        common.register_fn(name, move |one: f64, other: f64| function(one, other));
        common.register_fn(name, move |one: i64, other: f64| function(one as f64, other));
        common.register_fn(name, move |one: f64, other: i64| function(one, other as f64));
    }
    common
        .register_fn("hypot", |one: i64, other: i64| (one as f64).hypot(other as f64))
        .register_fn("atan2", |one: i64, other: i64| (one as f64).atan2(other as f64))
        .register_fn("pow", int_pow)
        .register_fn("mod_floor", mod_floor)
        .register_fn("div_floor", div_floor)
        .register_fn("gcd", gcd)
        .register_fn("lcm", lcm)
        .register_fn("clamp", |number: i64, low: i64, high: i64| {
            check_bounds(low <= high, low, high).map(|()| number.clamp(low, high))
        })
        .register_fn("clamp", |number: f64, low: f64, high: f64| {
            check_bounds(low <= high, low, high).map(|()| number.clamp(low, high))
        })
        .register_fn("is_nan", |_: i64| false)
        .register_fn("is_finite", |_: i64| true)
        .register_fn("is_infinite", |_: i64| false)
        .register_fn("to_int", |number: f64| int_of_real(number))
        .register_fn("to_int", int_of_text)
        .register_fn("to_int", |flag: bool| i64::from(flag))
        .register_fn("to_real", real_of);
}

fn check_bounds(is_ordered: bool, low: impl std::fmt::Display, high: impl std::fmt::Display) -> Outcome<()> {
    if is_ordered {
        Ok(())
    } else {
        Err(failure(format!("`clamp` to {low}..={high}: the first must not be the greater")))
    }
}

/// `mod_floor(x, y)` of reals: has the sign of y.
fn real_mod_floor(one: f64, other: f64) -> f64 {
    let rest = one % other;
    if rest != 0.0 && (rest < 0.0) != (other < 0.0) { rest + other } else { rest }
}

/// `mod_floor(a, b)`: a - b * div_floor(a, b). Errors: b is 0.
fn mod_floor(one: i64, other: i64) -> Outcome<i64> {
    check_divisor(one, other)?;
    let rest = one.wrapping_rem(other);
    Ok(if rest != 0 && (rest < 0) != (other < 0) { rest + other } else { rest })
}

/// `div_floor(a, b)`: the quotient rounded down. Errors: b is 0; the quotient is no int.
fn div_floor(one: i64, other: i64) -> Outcome<i64> {
    check_divisor(one, other)?;
    let quotient = one.checked_div(other).ok_or_else(|| too_large("div_floor"))?;
    Ok(if one % other != 0 && (one < 0) != (other < 0) { quotient - 1 } else { quotient })
}

fn check_divisor(one: i64, other: i64) -> Outcome<()> {
    if other == 0 { Err(failure(format!("division of {one} by zero"))) } else { Ok(()) }
}

/// `gcd(a, b)`: the greatest common divisor, at least 0 (Euclid). Errors: it is no int.
fn gcd(one: i64, other: i64) -> Outcome<i64> {
    let (mut one, mut other) = (one.unsigned_abs(), other.unsigned_abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    i64::try_from(one).map_err(|_| too_large("gcd"))
}

/// `lcm(a, b)`: the least common multiple, at least 0. Errors: it is no int.
fn lcm(one: i64, other: i64) -> Outcome<i64> {
    if one == 0 || other == 0 {
        return Ok(0);
    }
    let divisor = gcd(one, other)?;
    (one / divisor).checked_mul(other).and_then(i64::checked_abs).ok_or_else(|| too_large("lcm"))
}

/// `pow(a, n)` of ints. Errors: n is negative; the power is no int.
fn int_pow(base: i64, exponent: i64) -> Outcome<i64> {
    let exponent = u32::try_from(exponent).map_err(|_| {
        failure(format!("`pow` of ints to the power of {exponent}, which is not within 0..2^32"))
    })?;
    base.checked_pow(exponent).ok_or_else(|| too_large("pow"))
}

fn too_large(function: &str) -> Box<rhai::EvalAltResult> {
    failure(format!("`{function}`: the result does not fit an int"))
}

/// `to_int(x)` of a real: without its fraction. Errors: not a number, or too large.
fn int_of_real(number: f64) -> Outcome<i64> {
    // 2^63 is the first that does not fit; -2^63 does.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&number) {
        return Ok(number as i64);
    }
    Err(failure(format!("{number} does not fit an int")))
}

/// `to_int(text)`: the int that a text is. Errors: none.
fn int_of_text(text: &str) -> Outcome<i64> {
    text.trim().parse().map_err(|_| failure(format!("`{}` is not an int", excerpt(text))))
}

/// `to_real(x)` of an int, a real or a text. Errors: another type; the text is no number.
fn real_of(held: Dynamic) -> Outcome<f64> {
    if let Some(number) = limits::number(&held) {
        return Ok(number);
    }
    match held.into_immutable_string() {
        Ok(text) => text.trim().parse().map_err(|_| failure(format!("`{}` is not a number", excerpt(&text)))),
        Err(type_name) => Err(failure(format!("`to_real` of a {type_name}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn real_functions_take_ints_too() {
        check(
            "[sqrt(16), cbrt(27), exp2(10), log2(8), log10(1000), hypot(3, 4), pow(2.0, 3)]",
            "[4.0, 3.0, 1024.0, 3.0, 3.0, 5.0, 8.0]",
        );
        check("[floor(-1.5), ceil(1.2), round(2.5), trunc(-1.9), floor(3)]", "[-2.0, 2.0, 3.0, -1.0, 3]");
        check("abs(atan2(1, 1) * 4.0 - PI()) < 1e-15 && is_finite(1) && !is_nan(1)", "true");
    }

    #[test]
    fn whole_numbers() {
        check("[gcd(12, -18), lcm(4, 6), gcd(0, 0), lcm(0, 3), pow(3, 4)]", "[6, 12, 0, 0, 81]");
        check("[mod_floor(-7, 3), mod_floor(7, -3), div_floor(-7, 2), div_floor(7, 2)]", "[2, -2, -4, 3]");
        check("[mod_floor(-7.5, 2.0), clamp(7, 1, 5), clamp(-0.5, 0.0, 1.0)]", "[0.5, 5, 0.0]");
        check("mod_floor(-9223372036854775807 - 1, -1)", "0");
        check_error("mod_floor(1, 0)", "division of 1 by zero");
        check_error("div_floor(1, 0)", "division of 1 by zero");
        check_error("div_floor(-9223372036854775807 - 1, -1)", "does not fit an int");
        check_error("gcd(-9223372036854775807 - 1, 0)", "`gcd`: the result does not fit an int");
        check_error("lcm(9223372036854775807, 2)", "`lcm`: the result does not fit an int");
        check_error("pow(10, 19)", "`pow`: the result does not fit an int");
        check_error("pow(10, -1)", "to the power of -1");
        check_error("clamp(1, 3, 2)", "`clamp` to 3..=2");
        check_error("clamp(1.0, 0.0 / 0.0, 2.0)", "`clamp` to NaN..=2");
    }

    #[test]
    fn conversions_refuse_what_does_not_fit() {
        check(
            "[to_int(-2.9), to_int(\" 12 \"), to_int(true), to_real(2), to_real(\"2.5\"), to_real(0.5)]",
            "[-2, 12, 1, 2.0, 2.5, 0.5]",
        );
        check_error("to_int(1e19)", "does not fit an int");
        check_error("to_int(0.0 / 0.0)", "NaN does not fit an int");
        check_error("to_int(\"x\")", "`x` is not an int");
        check_error("to_real(\"x\")", "`x` is not a number");
        check_error("to_real([])", "`to_real` of a array");
    }
}
