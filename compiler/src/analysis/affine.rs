//! Affine forms, `2 * i - n + 1`, over symbols that stand for unknown integers.
//!
//! All arithmetic is checked in 128 bits; a form that would overflow does not exist, and whoever asked
//! for it treats the number as unknown.

use std::collections::BTreeMap;

/// An unknown integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(pub(super) u32);

/// A constant plus multiples of symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Affine {
    /// The constant.
    pub(super) constant: i128,
    /// Factors of the symbols; none is 0.
    pub(super) factors: BTreeMap<Symbol, i128>,
}

impl Affine {
    /// A number.
    pub(super) fn number(constant: i128) -> Self {
        Self { constant, factors: BTreeMap::new() }
    }

    /// A symbol.
    pub(super) fn symbol(symbol: Symbol) -> Self {
        Self { constant: 0, factors: BTreeMap::from([(symbol, 1)]) }
    }

    /// The number that it is, where it names no symbol.
    pub(super) fn as_number(&self) -> Option<i128> {
        self.factors.is_empty().then_some(self.constant)
    }

    /// The factor of a symbol.
    pub(super) fn factor(&self, symbol: Symbol) -> i128 {
        self.factors.get(&symbol).copied().unwrap_or(0)
    }

    /// `self + scale * other`
    pub(super) fn plus(&self, other: &Self, scale: i128) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(scale)?)?;
        for (symbol, factor) in &other.factors {
            let place = sum.factors.entry(*symbol).or_insert(0);
            *place = place.checked_add(factor.checked_mul(scale)?)?;
            if *place == 0 {
                sum.factors.remove(symbol);
            }
        }
        Some(sum)
    }

    /// `self + number`
    pub(super) fn plus_number(&self, number: i128) -> Option<Self> {
        self.plus(&Self::number(number), 1)
    }

    /// `self * scale`
    pub(super) fn times(&self, scale: i128) -> Option<Self> {
        Self::default().plus(self, scale)
    }

    /// The same form with a symbol replaced by what it equals.
    pub(super) fn with(&self, symbol: Symbol, value: &Self) -> Option<Self> {
        let factor = self.factor(symbol);
        if factor == 0 {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        rest.factors.remove(&symbol);
        rest.plus(value, factor)
    }

    /// Greatest common divisor of the factors; 0 where there are none.
    pub(super) fn divisor(&self) -> i128 {
        self.factors.values().fold(0, |divisor, factor| gcd(divisor, *factor))
    }
}

/// Greatest common divisor; not negative.
fn gcd(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    i128::try_from(left).unwrap_or(1)
}
