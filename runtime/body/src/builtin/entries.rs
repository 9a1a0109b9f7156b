//! Vectors and matrices entry by entry: least and greatest, orders, running sums, elementwise
//! functions and products. All costs are linear unless said otherwise.

use std::sync::Arc;

use super::limits::{self, Outcome, failure};
use super::number::RealFunction;
use super::registry::Common;
use super::vector::{check_lengths, combined, vector_of};
use crate::convert::{MatrixValue, VectorValue};

/// Functions of one number that go over all entries.
const OF_ENTRIES: &[(&str, RealFunction)] = &[
    ("abs", f64::abs),
    ("sqrt", f64::sqrt),
    ("exp", f64::exp),
    ("ln", f64::ln),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tanh", f64::tanh),
    ("floor", f64::floor),
    ("round", f64::round),
];

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    for (name, function) in OF_ENTRIES {
        common.register_fn(name, move |mut vector: VectorValue| {
            Arc::make_mut(&mut vector.0).iter_mut().for_each(|entry| *entry = function(*entry));
            vector
        });
        common.register_fn(name, move |mut matrix: MatrixValue| {
            let entries = Arc::make_mut(&mut matrix.0).entries_mut();
            entries.iter_mut().for_each(|entry| *entry = function(*entry));
            matrix
        });
    }
    common
        .register_fn("min", |vector: &mut VectorValue| extreme("min", &vector.0, f64::lt).map(|(_, x)| x))
        .register_fn("max", |vector: &mut VectorValue| extreme("max", &vector.0, f64::gt).map(|(_, x)| x))
        .register_fn("argmin", |vector: &mut VectorValue| {
            extreme("argmin", &vector.0, f64::lt).map(|(i, _)| i)
        })
        .register_fn("argmax", |vector: &mut VectorValue| {
            extreme("argmax", &vector.0, f64::gt).map(|(i, _)| i)
        })
        .register_fn("min", |m: &mut MatrixValue| extreme("min", m.0.entries(), f64::lt).map(|(_, x)| x))
        .register_fn("max", |m: &mut MatrixValue| extreme("max", m.0.entries(), f64::gt).map(|(_, x)| x))
        .register_fn("max_abs", |m: &mut MatrixValue| super::vector::largest_abs(m.0.entries()))
        .register_fn("sum", |m: &mut MatrixValue| super::vector::sum_of(m.0.entries()))
        .register_fn("mean", mean)
        .register_fn("norm1", |vector: &mut VectorValue| {
            vector.0.iter().map(|entry| entry.abs()).sum::<f64>()
        })
        .register_fn("norm_inf", |vector: &mut VectorValue| super::vector::largest_abs(&vector.0));
    common
        .register_fn("sort", |vector: &mut VectorValue| {
            Arc::make_mut(&mut vector.0).sort_by(f64::total_cmp);
        })
        .register_fn("reverse", |vector: &mut VectorValue| Arc::make_mut(&mut vector.0).reverse())
        .register_fn("cumsum", cumsum)
        .register_fn("linspace", linspace)
        .register_fn("linspace", |low: i64, high: i64, n: i64| linspace(low as f64, high as f64, n))
        .register_fn("axpy", axpy)
        .register_fn("axpy", |y: &mut VectorValue, a: i64, x: VectorValue| axpy(y, a as f64, x))
        .register_fn("mul_elements", |one: VectorValue, other: VectorValue| {
            combined(one, &other, "mul_elements", |x, y| x * y)
        })
        .register_fn("div_elements", |one: VectorValue, other: VectorValue| {
            combined(one, &other, "div_elements", |x, y| x / y)
        })
        .register_fn("mul_elements", |one: MatrixValue, other: MatrixValue| {
            super::matrix::combined(one, &other, "mul_elements", |x, y| x * y)
        })
        .register_fn("div_elements", |one: MatrixValue, other: MatrixValue| {
            super::matrix::combined(one, &other, "div_elements", |x, y| x / y)
        });
}

/// Place and value of the first entry that no other is beyond; NaN is beyond all. Errors: no entries.
fn extreme(what: &str, entries: &[f64], is_beyond: fn(&f64, &f64) -> bool) -> Outcome<(i64, f64)> {
    let (first, rest) =
        entries.split_first().ok_or_else(|| failure(format!("`{what}` where there is no entry")))?;
    let mut found = (0, *first);
    for (place, entry) in rest.iter().enumerate() {
        if found.1.is_nan() {
            break;
        }
        if entry.is_nan() || is_beyond(entry, &found.1) {
            found = (place as i64 + 1, *entry);
        }
    }
    Ok(found)
}

/// `mean(v)`. Errors: v is empty.
fn mean(vector: &mut VectorValue) -> Outcome<f64> {
    if vector.0.is_empty() {
        return Err(failure("`mean` of an empty vector"));
    }
    Ok(super::vector::sum_of(&vector.0) / vector.0.len() as f64)
}

/// `cumsum(v)`: entry i is the sum of the first i + 1 entries.
fn cumsum(vector: VectorValue) -> VectorValue {
    let mut vector = vector;
    let mut sum = 0.0;
    for entry in Arc::make_mut(&mut vector.0) {
        sum += *entry;
        *entry = sum;
    }
    vector
}

/// `linspace(low, high, n)`: n numbers at equal distances, from low to high. Errors: n is negative.
fn linspace(low: f64, high: f64, n: i64) -> Outcome<VectorValue> {
    let mut entries = limits::zeros(limits::size("the length of a vector", n)?)?;
    let n_steps = entries.len().saturating_sub(1).max(1) as f64;
    for (place, entry) in entries.iter_mut().enumerate() {
        let share = place as f64 / n_steps;
        *entry = if place as f64 == n_steps { high } else { low + (high - low) * share };
    }
    Ok(vector_of(entries))
}

/// `y.axpy(a, x)`: adds a times x to y, in place. Errors: lengths differ.
fn axpy(y: &mut VectorValue, a: f64, x: VectorValue) -> Outcome<()> {
    check_lengths(y, &x, "axpy")?;
    for (entry, added) in Arc::make_mut(&mut y.0).iter_mut().zip(x.0.iter()) {
        *entry += a * added;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn extremes_and_orders() {
        check(
            "let v = vector([3, -1, 2, -1]); [min(v), max(v), argmin(v), argmax(v), mean(v), norm1(v), norm_inf(v)]",
            "[-1.0, 3.0, 1, 0, 0.75, 7.0, 3.0]",
        );
        check("max(vector([1, 0.0 / 0.0, 2])).is_nan", "true");
        check(
            "let v = vector([3, 1, 2]); let w = v; v.sort(); w.reverse(); [v, w]",
            "[vector [1.0, 2.0, 3.0], vector [2.0, 1.0, 3.0]]",
        );
        check(
            "let m = matrix([[1, -5], [2, 3]]); [min(m), max(m), max_abs(m), sum(m)]",
            "[-5.0, 3.0, 5.0, 1.0]",
        );
        check_error("min(vector(0))", "`min` where there is no entry");
        check_error("argmax(vector(0))", "`argmax` where there is no entry");
        check_error("mean(vector(0))", "`mean` of an empty vector");
    }

    #[test]
    fn sums_and_products() {
        check(
            "[cumsum(vector([1, 2, 3])), linspace(0, 1, 3), linspace(2.0, 4.0, 1)]",
            "[vector [1.0, 3.0, 6.0], vector [0.0, 0.5, 1.0], vector [2.0]]",
        );
        check(
            "let y = vector([1, 2]); y.axpy(2, vector([1, 1])); y.axpy(0.5, vector([2, 0])); y",
            "vector [4.0, 4.0]",
        );
        check(
            "[mul_elements(vector([1, 2]), vector([3, 4])), div_elements(vector([1, 2]), vector([2, 4]))]",
            "[vector [3.0, 8.0], vector [0.5, 0.5]]",
        );
        check(
            "mul_elements(matrix([[2]]), matrix([[3]])) == matrix([[6]]) && div_elements(matrix([[6]]), matrix([[3]])) == matrix([[2]])",
            "true",
        );
        check(
            "[abs(vector([-1, 2])), sqrt(vector([4, 9])), round(exp(vector(1)))]",
            "[vector [1.0, 2.0], vector [2.0, 3.0], vector [1.0]]",
        );
        check("abs(matrix([[-1]])) == matrix([[1]])", "true");
        check_error("let y = vector(2); y.axpy(1.0, vector(3))", "`axpy` of vectors of lengths 2 and 3");
        check_error("mul_elements(vector(1), vector(2))", "`mul_elements` of vectors of lengths 1 and 2");
        check_error("div_elements(matrix(1, 1), matrix(1, 2))", "`div_elements` of matrices 1 x 1 and 1 x 2");
        check_error("linspace(0.0, 1.0, -1)", "the length of a vector is -1");
    }
}
