//! Sets of index numbers as few boxes: what an analysis knows of the instances that a value could reach.

use hasse_model::plan::{BinaryOp, Expr, Pattern};
use rhai::Dynamic;
use smallvec::SmallVec;

/// The numbers from `low` to `high`, both included; the ends of `i64` stand for no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Interval {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Interval {
    /// All numbers.
    pub(crate) const ALL: Self = Self { low: i64::MIN, high: i64::MAX };

    /// One number.
    pub(crate) fn one(number: i64) -> Self {
        Self { low: number, high: number }
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    fn meet(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Self { low, high })
    }

    fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn add(self, other: Self) -> Self {
        Self { low: plus(self.low, other.low), high: plus(self.high, other.high) }
    }

    fn negate(self) -> Self {
        Self { low: minus(self.high), high: minus(self.low) }
    }

    fn times(self, other: Self) -> Self {
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        if [self, other].iter().any(|side| side.low == i64::MIN || side.high == i64::MAX) {
            return Self::ALL;
        }
        let products = ends.map(|(left, right)| left.saturating_mul(right));
        let low = products.into_iter().min().unwrap_or(i64::MIN);
        Self { low, high: products.into_iter().max().unwrap_or(i64::MAX) }
    }
}

/// A sum that keeps what has no bound without one; what overflows has none.
fn plus(left: i64, right: i64) -> i64 {
    if left == i64::MIN || right == i64::MIN {
        i64::MIN
    } else if left == i64::MAX || right == i64::MAX {
        i64::MAX
    } else {
        left.saturating_add(right)
    }
}

fn minus(number: i64) -> i64 {
    match number {
        i64::MIN => i64::MAX,
        i64::MAX => i64::MIN,
        number => -number,
    }
}

/// A box: one interval for each index number.
pub(crate) type IndexBox = SmallVec<[Interval; 2]>;

/// The box of one index.
pub(crate) fn point(index: &[i64]) -> IndexBox {
    index.iter().map(|&number| Interval::one(number)).collect()
}

/// The box from the least index numbers to the greatest ones.
pub(crate) fn between(low: &[i64], high: &[i64]) -> IndexBox {
    low.iter().zip(high).map(|(&low, &high)| Interval { low, high }).collect()
}

fn covers(outer: &IndexBox, inner: &IndexBox) -> bool {
    outer.iter().zip(inner).all(|(outer, inner)| outer.contains(*inner))
}

/// More boxes than this are merged.
const MAX_BOXES: usize = 32;
/// After this many additions boxes grow without bound in the directions in which they grow at all: the
/// analysis must end.
const MAX_STEPS: u32 = 4096;

/// A set of indices, as a union of boxes that may hold more than was put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexSet {
    boxes: Vec<IndexBox>,
    n_steps: u32,
}

impl IndexSet {
    /// Whether an index is in the set.
    pub(crate) fn contains(&self, index: &[i64]) -> bool {
        let wanted = point(index);
        self.boxes.iter().any(|known| covers(known, &wanted))
    }

    /// Whether any index of a box is in the set.
    pub(crate) fn meets(&self, wanted: &IndexBox) -> bool {
        let meets =
            |known: &IndexBox| known.iter().zip(wanted).all(|(one, other)| one.meet(*other).is_some());
        self.boxes.iter().any(meets)
    }

    /// Adds a box. Returns the boxes by which the set has grown: none where the box was in the set, the box
    /// itself, or boxes that cover it, where many were merged or additions do not come to an end.
    pub(crate) fn add(&mut self, mut added: IndexBox) -> Vec<IndexBox> {
        if self.boxes.iter().any(|known| covers(known, &added)) {
            return Vec::new();
        }
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS
            && let Some(hull) = self.hull()
        {
            for (interval, known) in added.iter_mut().zip(&hull) {
                let low = if interval.low < known.low { i64::MIN } else { known.low };
                let high = if interval.high > known.high { i64::MAX } else { known.high };
                *interval = Interval { low, high };
            }
        }
        self.boxes.retain(|known| !covers(&added, known));
        self.boxes.push(added.clone());
        if self.boxes.len() <= MAX_BOXES {
            return vec![added];
        }
        self.boxes.sort_unstable();
        let merged = self.boxes.chunks(2).map(|pair| match pair {
            [left, right] => left.iter().zip(right).map(|(left, right)| left.hull(*right)).collect(),
            single => single[0].clone(),
        });
        self.boxes = merged.collect();
        self.boxes.clone()
    }

    fn hull(&self) -> Option<IndexBox> {
        let mut boxes = self.boxes.iter();
        let first = boxes.next()?.clone();
        let join =
            |hull: IndexBox, known: &IndexBox| hull.iter().zip(known).map(|(a, b)| a.hull(*b)).collect();
        Some(boxes.fold(first, join))
    }
}

/// What the variables of an arc may stand for where its source is in a box; `None` where the arc does not
/// match.
pub(crate) fn bind(
    patterns: &[Pattern],
    source: &[Interval],
    params: &[Dynamic],
    locals: &mut [Interval],
) -> Option<()> {
    for (pattern, &interval) in patterns.iter().zip(source) {
        match *pattern {
            Pattern::Int(number) => {
                interval.meet(Interval::one(number))?;
            }
            Pattern::Param(param) => {
                let value = params.get(param as usize).and_then(|value| value.as_int().ok());
                interval.meet(value.map_or(Interval::ALL, Interval::one))?;
            }
            Pattern::Local(local) => {
                let bound = locals.get_mut(local as usize)?;
                *bound = bound.meet(interval)?;
            }
        }
    }
    Some(())
}

/// The numbers that an index expression may give.
pub(crate) fn range(expr: &Expr, locals: &[Interval], params: &[Dynamic]) -> Interval {
    match expr {
        Expr::Int(number) => Interval::one(*number),
        Expr::Local(local) => locals.get(*local as usize).copied().unwrap_or(Interval::ALL),
        Expr::Param(param) => {
            let value = params.get(*param as usize).and_then(|value| value.as_int().ok());
            value.map_or(Interval::ALL, Interval::one)
        }
        Expr::Negate(operand) => range(operand, locals, params).negate(),
        Expr::Binary(op, left, right) => {
            let (left, right) = (range(left, locals, params), range(right, locals, params));
            match op {
                BinaryOp::Add => left.add(right),
                BinaryOp::Subtract => left.add(right.negate()),
                BinaryOp::Multiply => left.times(right),
                _ => Interval::ALL,
            }
        }
        Expr::Bool(_) | Expr::Slot(_) | Expr::Length(_) | Expr::Not(_) => Interval::ALL,
    }
}

/// What an arc from a node to itself leads to when it is followed again and again: index numbers that move
/// go on without bound.
pub(crate) fn closed(source: &[Interval], target: &mut [Interval]) {
    for (from, to) in source.iter().zip(target) {
        if to.high > from.high {
            to.high = i64::MAX;
        }
        if to.low < from.low {
            to.low = i64::MIN;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn boxes() -> impl Strategy<Value = IndexBox> {
        proptest::collection::vec((-5..5_i64, 0..4_i64), 2)
            .prop_map(|sides| sides.into_iter().map(|(low, n)| Interval { low, high: low + n }).collect())
    }

    proptest! {
        #[test]
        fn a_set_holds_what_was_added(added in proptest::collection::vec(boxes(), 1..200)) {
            let mut set = IndexSet::default();
            let mut grown: Vec<IndexBox> = Vec::new();
            added.iter().for_each(|one| grown.extend(set.add(one.clone())));
            // What the set has grown by covers all of it, so that whoever follows it misses nothing.
            for known in &set.boxes {
                prop_assert!(grown.iter().any(|one| covers(one, known)));
            }
            for one in &added {
                for index in [[one[0].low, one[1].low], [one[0].high, one[1].low], [one[0].high, one[1].high]] {
                    prop_assert!(set.contains(&index));
                }
            }
        }

        #[test]
        fn ranges_hold_the_values_of_expressions(a in -9..9_i64, b in -9..9_i64, slack in 0..3_i64) {
            let local = |local| Box::new(Expr::Local(local));
            let locals = [Interval { low: a - slack, high: a }, Interval { low: b, high: b + slack }];
            for (op, value) in [
                (BinaryOp::Add, a + b), (BinaryOp::Subtract, a - b), (BinaryOp::Multiply, a * b), (BinaryOp::Remainder, a % 7),
            ] {
                let expr = Expr::Binary(op, local(0), local(1));
                prop_assert!(range(&expr, &locals, &[]).contains(Interval::one(value)));
            }
        }
    }

    #[test]
    fn growth_comes_to_an_end() {
        let mut set = IndexSet::default();
        let mut todo = vec![point(&[0])];
        let mut n_steps = 0;
        while let Some(added) = todo.pop() {
            n_steps += 1;
            assert!(n_steps < 10 * MAX_STEPS);
            todo.extend(set.add(added.iter().map(|side| side.add(Interval::one(1))).collect()));
        }
        assert!(set.contains(&[1_000_000_000]) && !set.contains(&[0]));
    }
}
