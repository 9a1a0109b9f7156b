//! Random numbers: each event draws from its own stream, a function of the run's seed, the action
//! and the count of the event, so that the draws of one action do not depend on any other.
//!
//! A call is one effect. Calls that draw many numbers record one and make the others from it.

use hasse_model::event::EffectKind;
use hasse_model::value::Value;
use rhai::{Array, Dynamic, Engine};

use super::effect::{answered, register as register_effect};
use super::limits::{self, Outcome, failure, refusal};
use super::vector::vector_of;
use crate::convert::VectorValue;
use crate::effects::{EventContext, SharedContext};

/// Registers the family.
pub(super) fn register(engine: &mut Engine, context: &SharedContext) {
    register_effect(engine, context, "random", EffectKind::Random, uniform_real);
    let drawing = context.clone();
    engine.register_fn("random_int", move |low: i64, high: i64| random_int(&drawing, low, high));
    register_effect(engine, context, "random_normal", EffectKind::Random, standard_normal);
    let (normals, shuffling) = (context.clone(), context.clone());
    engine
        .register_fn("random_normal", move |mean: f64, deviation: f64| {
            random_normal(&normals, mean, deviation)
        })
        .register_fn("shuffle", move |items: &mut Array| shuffle(&shuffling, items));
    let (choosing, filling) = (context.clone(), context.clone());
    engine
        .register_fn("random_choice", move |items: &mut Array| random_choice(&choosing, items))
        .register_fn("random_vector", move |n: i64| random_vector(&filling, n));
}

/// A stream of its own from one number (Steele, Lea and Flood 2014: SplitMix64).
fn stream(seed: i64) -> impl FnMut() -> u64 {
    let mut state = seed as u64;
    move || crate::seed::split_mix(&mut state)
}

/// Draws the seed of a call that needs many numbers.
fn drawn_seed(context: &SharedContext) -> Outcome<i64> {
    let answer =
        context.lock().effect(EffectKind::Random, |context| Ok(Value::Int(context.random_bits() as i64)));
    match answer.map_err(refusal)? {
        Value::Int(seed) => Ok(seed),
        other => Err(failure(format!("asked for a seed where the record has {}", other.type_name()))),
    }
}

/// Uniform in [0, 1), a multiple of 2^-53.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Normal with mean 0 and deviation 1, by the polar method (Marsaglia and Bray 1964).
fn normal(mut random_bits: impl FnMut() -> u64) -> f64 {
    loop {
        let (x, y) = (2.0 * unit(random_bits()) - 1.0, 2.0 * unit(random_bits()) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// `random_int(low, high)`: an int, uniform in low..=high. Errors: low is greater than high.
fn random_int(context: &SharedContext, low: i64, high: i64) -> Outcome<Dynamic> {
    if low > high {
        return Err(failure(format!("`random_int` of {low} and {high}: the first must not be the greater")));
    }
    answered(context.lock().effect(EffectKind::Random, |context| uniform_int(context, low, high)))
}

/// Draws a real of [0, 1).
pub(super) fn uniform_real(context: &mut EventContext) -> Result<Value, String> {
    Ok(Value::Real(unit(context.random_bits())))
}

/// Draws an int of `low..=high`, where `low` is not the greater one.
pub(super) fn uniform_int(context: &mut EventContext, low: i64, high: i64) -> Result<Value, String> {
    let offset = uniform_up_to(high.wrapping_sub(low) as u64, || context.random_bits());
    Ok(Value::Int(low.wrapping_add(offset as i64)))
}

/// Draws a real with mean 0 and deviation 1.
pub(super) fn standard_normal(context: &mut EventContext) -> Result<Value, String> {
    Ok(Value::Real(normal(|| context.random_bits())))
}

/// Draws a real with a mean and a deviation that is not negative.
pub(super) fn normal_of(context: &mut EventContext, mean: f64, deviation: f64) -> Result<Value, String> {
    Ok(Value::Real(mean + deviation * normal(|| context.random_bits())))
}

/// `random_normal(mean, deviation)`. Errors: the deviation is negative or not a number.
fn random_normal(context: &SharedContext, mean: f64, deviation: f64) -> Outcome<Dynamic> {
    if deviation.is_nan() || deviation < 0.0 {
        return Err(failure(format!("`random_normal`: a deviation of {deviation}, which is not at least 0")));
    }
    answered(context.lock().effect(EffectKind::Random, |context| normal_of(context, mean, deviation)))
}

/// `shuffle(array)`: puts the items in a random order, all orders alike (Fisher and Yates).
fn shuffle(context: &SharedContext, items: &mut Array) -> Outcome<()> {
    let mut random_bits = stream(drawn_seed(context)?);
    for last in (1..items.len()).rev() {
        items.swap(last, uniform_up_to(last as u64, &mut random_bits) as usize);
    }
    Ok(())
}

/// `random_choice(array)`: one of the items. Errors: there is none.
fn random_choice(context: &SharedContext, items: &mut Array) -> Outcome<Dynamic> {
    if items.is_empty() {
        return Err(failure("`random_choice` of an empty array"));
    }
    let place = uniform_up_to(items.len() as u64 - 1, stream(drawn_seed(context)?));
    Ok(items[place as usize].clone())
}

/// `random_vector(n)`: n numbers, uniform in [0, 1). Errors: n is negative or too large.
fn random_vector(context: &SharedContext, n: i64) -> Outcome<VectorValue> {
    let mut entries = limits::zeros(limits::size("the length of a vector", n)?)?;
    let mut random_bits = stream(drawn_seed(context)?);
    entries.iter_mut().for_each(|entry| *entry = unit(random_bits()));
    Ok(vector_of(entries))
}

/// Uniform in 0..=most: draws as many bits as `most` has until they make a number that fits, twice
/// on average at worst.
fn uniform_up_to(most: u64, mut random_bits: impl FnMut() -> u64) -> u64 {
    let n_surplus = most.leading_zeros().min(63);
    loop {
        let number = random_bits() >> n_surplus;
        if number <= most {
            return number;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::super::testing::{check, check_error, engine_in};
    use super::uniform_up_to;
    use crate::effects::EffectSource;
    use std::path::Path;

    #[test]
    fn draws_within_bounds() {
        check(
            "let ok = true; for i in 0..1000 { let x = random_int(3, 5); ok = ok && x >= 3 && x <= 5; } ok",
            "true",
        );
        check("let s = 0.0; for i in 0..1000 { s += random(); } s > 400.0 && s < 600.0", "true");
        check("random_int(7, 7)", "7");
        check("type_of(random_int(-9223372036854775807 - 1, 9223372036854775807))", "i64");
        check_error("random_int(2, 1)", "`random_int` of 2 and 1");
        let mut draws = [u64::MAX, 5 << 61, 1 << 61].into_iter();
        assert_eq!(uniform_up_to(4, || draws.next().unwrap()), 1, "7 and 5 are drawn again");
    }

    #[test]
    fn draws_from_distributions() {
        check(
            "let s = 0.0; let q = 0.0; for i in 0..4000 { let x = random_normal(3.0, 2.0); s += x; q += x * x; } \
             let m = s / 4000.0; abs(m - 3.0) < 0.2 && abs(sqrt(q / 4000.0 - m * m) - 2.0) < 0.2",
            "true",
        );
        check("let a = [1, 2, 3, 4, 5, 6, 7, 8, 9]; a.shuffle(); a.sort(); a", "[1, 2, 3, 4, 5, 6, 7, 8, 9]");
        check("let v = random_vector(1000); let m = sum(v) / 1000.0; m > 0.45 && m < 0.55", "true");
        check("let seen = #{}; for i in 0..200 { seen[random_choice([\"a\", \"b\"])] = 1; } seen.len()", "2");
        check("random_normal(1.5, 0.0)", "1.5");
        check_error("random_normal(0.0, -1.0)", "a deviation of -1");
        check_error("random_choice([])", "`random_choice` of an empty array");
        check_error("random_vector(-1)", "the length of a vector is -1");
    }

    #[test]
    fn a_shuffle_is_one_recorded_number() {
        let script = "let a = []; for i in 0..50 { a.push(i); } a.shuffle(); \
                      [a, random_vector(4), random_choice(a), random_normal()].to_string()";
        let (engine, context) = engine_in(Path::new(""));
        let recorded = engine.eval::<String>(script).unwrap();
        let answers = context.lock().take_log();
        assert_eq!(answers.len(), 4);
        context.lock().begin(EffectSource::Record { answers: answers.into_iter(), mismatch: None }, 99);
        assert_eq!(engine.eval::<String>(script).unwrap(), recorded);
        context.lock().begin(EffectSource::World, 7);
        assert_eq!(engine.eval::<String>(script).unwrap(), recorded, "the same seed draws the same");
    }
}
