//! Systems of linear conditions over integers, and the one question asked of them: is it certain that
//! no integers fulfil all of them?
//!
//! Equations with a factor of 1 are solved and put into the others; what remains is eliminated after
//! Fourier and Motzkin (Motzkin 1936), with every condition first divided by the greatest common
//! divisor of its factors and its constant rounded, which makes use of the symbols being integers. A
//! yes is a proof; a no says nothing: the search gives up where numbers or conditions become too many.

use super::affine::{Affine, Symbol};

/// Most conditions kept while eliminating; beyond them nothing is certain.
const MOST_CONDITIONS: usize = 400;

/// Conditions that all hold.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// Forms that are 0.
    zeros: Vec<Affine>,
    /// Forms that are at least 0.
    positives: Vec<Affine>,
}

impl System {
    /// Adds `form == 0`.
    pub(super) fn is_zero(&mut self, form: Option<Affine>) {
        self.zeros.extend(form);
    }

    /// Adds `form >= 0`.
    pub(super) fn is_positive(&mut self, form: Option<Affine>) {
        self.positives.extend(form);
    }

    /// Adds `left == right`.
    pub(super) fn is_equal(&mut self, left: &Affine, right: &Affine) {
        self.is_zero(left.plus(right, -1));
    }

    /// Adds `left < right`.
    pub(super) fn is_less(&mut self, left: &Affine, right: &Affine) {
        self.is_positive(right.plus(left, -1).and_then(|gap| gap.plus_number(-1)));
    }

    /// Adds the conditions of another system.
    pub(super) fn and(&mut self, other: &Self) {
        self.zeros.extend(other.zeros.iter().cloned());
        self.positives.extend(other.positives.iter().cloned());
    }

    /// Both systems.
    pub(super) fn joined(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.and(other);
        both
    }

    /// Whether it is certain that no integers fulfil it.
    pub(super) fn is_impossible(&self) -> bool {
        matches!(eliminate(self.zeros.clone(), self.positives.clone()), Some(false))
    }
}

/// Whether rational numbers fulfil the conditions, as far as can be told; `None` is "gave up".
fn eliminate(mut zeros: Vec<Affine>, mut positives: Vec<Affine>) -> Option<bool> {
    while let Some(zero) = zeros.pop() {
        let divisor = zero.divisor();
        if divisor == 0 {
            if zero.constant != 0 {
                return Some(false);
            }
            continue;
        }
        if zero.constant % divisor != 0 {
            return Some(false);
        }
        let zero = divided(&zero, divisor);
        let unit = zero.factors.iter().find(|(_, factor)| factor.abs() == 1).map(|(symbol, _)| *symbol);
        match unit {
            Some(symbol) => {
                // factor * symbol + rest == 0, so symbol == -rest / factor.
                let factor = zero.factor(symbol);
                let mut rest = zero.clone();
                rest.factors.remove(&symbol);
                let value = rest.times(-factor)?;
                zeros = zeros.iter().map(|form| form.with(symbol, &value)).collect::<Option<_>>()?;
                positives = positives.iter().map(|form| form.with(symbol, &value)).collect::<Option<_>>()?;
            }
            None => {
                positives.push(zero.times(-1)?);
                positives.push(zero);
            }
        }
    }
    loop {
        positives = tightened(positives)?;
        if positives.iter().any(|form| form.factors.is_empty()) {
            return Some(false);
        }
        let Some(symbol) = cheapest(&positives) else { return Some(true) };
        let (with, mut without): (Vec<_>, Vec<_>) =
            positives.into_iter().partition(|form| form.factor(symbol) != 0);
        let (lower, upper): (Vec<_>, Vec<_>) = with.into_iter().partition(|form| form.factor(symbol) > 0);
        for low in &lower {
            for high in &upper {
                let scaled = low.times(-high.factor(symbol))?;
                without.push(scaled.plus(high, low.factor(symbol))?);
            }
        }
        if without.len() > MOST_CONDITIONS {
            return None;
        }
        positives = without;
    }
}

fn divided(form: &Affine, divisor: i128) -> Affine {
    let factors = form.factors.iter().map(|(symbol, factor)| (*symbol, factor / divisor)).collect();
    Affine { constant: form.constant.div_euclid(divisor), factors }
}

/// Divides by common divisors and drops what holds anyway or stands twice. A condition without
/// symbols is kept only where it is false.
fn tightened(positives: Vec<Affine>) -> Option<Vec<Affine>> {
    let mut kept: Vec<Affine> = Vec::new();
    for form in positives {
        let divisor = form.divisor();
        if divisor == 0 {
            if form.constant < 0 {
                return Some(vec![form]);
            }
            continue;
        }
        let form = divided(&form, divisor);
        match kept.iter_mut().find(|other| other.factors == form.factors) {
            Some(other) => other.constant = other.constant.min(form.constant),
            None => kept.push(form),
        }
    }
    Some(kept)
}

/// The symbol whose elimination makes the fewest conditions.
fn cheapest(positives: &[Affine]) -> Option<Symbol> {
    let symbols: std::collections::BTreeSet<Symbol> =
        positives.iter().flat_map(|form| form.factors.keys().copied()).collect();
    symbols.into_iter().min_by_key(|symbol| {
        let n_lower = positives.iter().filter(|form| form.factor(*symbol) > 0).count();
        let n_upper = positives.iter().filter(|form| form.factor(*symbol) < 0).count();
        (n_lower * n_upper, *symbol)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn form(constant: i128, factors: &[(u32, i128)]) -> Affine {
        Affine {
            constant,
            factors: factors.iter().map(|(symbol, factor)| (Symbol(*symbol), *factor)).collect(),
        }
    }

    fn is_impossible(zeros: &[Affine], positives: &[Affine]) -> bool {
        System { zeros: zeros.to_vec(), positives: positives.to_vec() }.is_impossible()
    }

    #[test]
    fn bounds_that_cross_are_impossible() {
        let (at_least_one, at_most_zero) = (form(-1, &[(0, 1)]), form(0, &[(0, -1)]));
        assert!(is_impossible(&[], &[at_least_one.clone(), at_most_zero.clone()]));
        assert!(!is_impossible(&[], &[at_least_one]));
        assert!(!is_impossible(&[], &[at_most_zero]));
    }

    #[test]
    fn an_index_behind_a_symbolic_range_is_impossible() {
        // i == n, j == i, 0 <= j < n
        let equal = [form(0, &[(0, 1), (1, -1)]), form(0, &[(2, 1), (0, -1)])];
        assert!(is_impossible(&equal, &[form(0, &[(2, 1)]), form(-1, &[(1, 1), (2, -1)])]));
        assert!(!is_impossible(&equal, &[form(0, &[(2, 1)]), form(0, &[(1, 1), (2, -1)])]));
    }

    #[test]
    fn parity_is_seen() {
        // 2 * i == 2 * j + 1, and 1 <= 2 * i <= 1
        assert!(is_impossible(&[form(-1, &[(0, 2), (1, -2)])], &[]));
        assert!(is_impossible(&[], &[form(-1, &[(0, 2)]), form(1, &[(0, -2)])]));
        assert!(!is_impossible(&[form(-1, &[(0, 2), (1, -3)])], &[]));
    }

    #[test]
    fn numbers_out_of_reach_give_up() {
        let huge = form(i128::MAX, &[(0, 1), (1, i128::MAX)]);
        let positives = [huge.clone(), form(0, &[(0, -1)]), huge.clone()];
        assert!(!is_impossible(&[huge], &positives));
    }

    const N_SYMBOLS: u32 = 3;

    fn any_form() -> impl Strategy<Value = Affine> {
        (-6_i128..7, prop::collection::vec(-3_i128..4, N_SYMBOLS as usize)).prop_map(|(constant, factors)| {
            let pairs: Vec<_> = (0..N_SYMBOLS).zip(factors).filter(|(_, factor)| *factor != 0).collect();
            form(constant, &pairs)
        })
    }

    fn value(form: &Affine, point: &[i128]) -> i128 {
        let terms = form.factors.iter().map(|(symbol, factor)| factor * point[symbol.0 as usize]);
        form.constant + terms.sum::<i128>()
    }

    proptest! {
        /// What is called impossible has no solution; looked for near 0.
        #[test]
        fn proofs_are_right(
            zeros in prop::collection::vec(any_form(), 0..3),
            positives in prop::collection::vec(any_form(), 0..5),
        ) {
            let range = || -5_i128..6;
            let mut points = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
            let has_solution = points.any(|point| {
                zeros.iter().all(|form| value(form, &point) == 0)
                    && positives.iter().all(|form| value(form, &point) >= 0)
            });
            prop_assert!(!(has_solution && is_impossible(&zeros, &positives)));
        }
    }
}
