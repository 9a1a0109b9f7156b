//! Figures of many numbers: least, greatest, mean, and how many are none.

use crate::value::Value;

use super::number::rounded;

/// Figures of some numbers; those that are not finite are counted and otherwise left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Position and value of the first least number; `None` where no number is finite.
    pub min: Option<(usize, f64)>,
    /// Position and value of the first greatest number.
    pub max: Option<(usize, f64)>,
    /// Mean of the finite numbers; 0 where there is none.
    pub mean: f64,
    /// How many are not numbers.
    pub n_nan: usize,
    /// How many are infinite, of either sign.
    pub n_infinite: usize,
}

impl Summary {
    /// Figures of numbers in their order. Cost: linear.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut summary = Self { min: None, max: None, mean: 0.0, n_nan: 0, n_infinite: 0 };
        let mut n_finite = 0.0;
        for (position, number) in numbers.into_iter().enumerate() {
            if number.is_nan() {
                summary.n_nan += 1;
            } else if number.is_infinite() {
                summary.n_infinite += 1;
            } else {
                n_finite += 1.0;
                // In this form no step overflows.
                summary.mean += number / n_finite - summary.mean / n_finite;
                if summary.min.is_none_or(|(_, min)| number < min) {
                    summary.min = Some((position, number));
                }
                if summary.max.is_none_or(|(_, max)| number > max) {
                    summary.max = Some((position, number));
                }
            }
        }
        summary
    }

    /// Figures of an array whose items are all numbers; `None` for others, and for an empty one.
    pub fn of_items(items: &[Value]) -> Option<Self> {
        let number = |item: &Value| match item {
            Value::Int(number) => Some(*number as f64),
            Value::Real(number) => Some(*number),
            _ => None,
        };
        let is_numeric = !items.is_empty() && items.iter().all(|item| number(item).is_some());
        is_numeric.then(|| Self::of(items.iter().filter_map(number)))
    }

    /// In words; `place` writes a position.
    pub(super) fn text(&self, digits: usize, place: impl Fn(usize) -> String) -> String {
        let mut told = Vec::new();
        if let (Some((min_at, min)), Some((max_at, max))) = (self.min, self.max) {
            told.push(format!("min {} at {}", rounded(min, digits), place(min_at)));
            told.push(format!("max {} at {}", rounded(max, digits), place(max_at)));
            told.push(format!("mean {}", rounded(self.mean, digits)));
        }
        if self.n_nan > 0 {
            told.push(format!("{} NaN", self.n_nan));
        }
        if self.n_infinite > 0 {
            told.push(format!("{} infinite", self.n_infinite));
        }
        told.join(", ")
    }
}
