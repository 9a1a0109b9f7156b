//! Two lists side by side, by a longest common subsequence.
//!
//! Hunt and McIlroy (1976), by a table over both lists: they are short. Runs of removed items next to runs of added ones are told as
//! items that changed, pair by pair.

/// Most cells of the table; longer lists are compared position by position.
const MOST_CELLS: usize = 4_000_000;

/// An item of two lists, by positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In both.
    Same(usize, usize),
    /// In the first list alone.
    Removed(usize),
    /// In the second list alone.
    Added(usize),
    /// An item of the first list with what stands there in the second one.
    Changed(usize, usize),
}

/// Puts two lists side by side. Cost: linear where they begin and end alike, else the product of what is between.
pub fn side_by_side<T>(old: &[T], new: &[T], is_same: impl Fn(&T, &T) -> bool) -> Vec<Side> {
    let n_first = old.iter().zip(new).take_while(|(one, other)| is_same(one, other)).count();
    let (rest_old, rest_new) = (&old[n_first..], &new[n_first..]);
    let n_last = rest_old
        .iter()
        .rev()
        .zip(rest_new.iter().rev())
        .take_while(|(one, other)| is_same(one, other))
        .count();
    let (middle_old, middle_new) =
        (&rest_old[..rest_old.len() - n_last], &rest_new[..rest_new.len() - n_last]);
    let mut sides: Vec<Side> = (0..n_first).map(|at| Side::Same(at, at)).collect();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut at = (0, 0);
    for (one, other) in common(middle_old, middle_new, &is_same) {
        removed.extend(at.0..one);
        added.extend(at.1..other);
        put(&mut sides, &mut removed, &mut added, n_first);
        sides.push(Side::Same(n_first + one, n_first + other));
        at = (one + 1, other + 1);
    }
    removed.extend(at.0..middle_old.len());
    added.extend(at.1..middle_new.len());
    put(&mut sides, &mut removed, &mut added, n_first);
    let ends = (old.len() - n_last, new.len() - n_last);
    sides.extend((0..n_last).map(|at| Side::Same(ends.0 + at, ends.1 + at)));
    sides
}

fn put(sides: &mut Vec<Side>, removed: &mut Vec<usize>, added: &mut Vec<usize>, offset: usize) {
    let n_changed = removed.len().min(added.len());
    let pairs = removed.iter().zip(added.iter());
    sides.extend(pairs.map(|(one, other)| Side::Changed(offset + one, offset + other)));
    sides.extend(removed.iter().skip(n_changed).map(|at| Side::Removed(offset + at)));
    sides.extend(added.iter().skip(n_changed).map(|at| Side::Added(offset + at)));
    removed.clear();
    added.clear();
}

/// Positions of a longest common subsequence.
fn common<T>(old: &[T], new: &[T], is_same: &impl Fn(&T, &T) -> bool) -> Vec<(usize, usize)> {
    let n_columns = new.len() + 1;
    if (old.len() + 1).saturating_mul(n_columns) > MOST_CELLS {
        let pairs = old.iter().zip(new).enumerate();
        return pairs.filter(|(_, (one, other))| is_same(one, other)).map(|(at, _)| (at, at)).collect();
    }
    // Length of the longest one of what is left of both lists.
    let mut lengths = vec![0_u32; (old.len() + 1) * n_columns];
    for one in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            let at = one * n_columns + other;
            lengths[at] = if is_same(&old[one], &new[other]) {
                lengths[at + n_columns + 1] + 1
            } else {
                lengths[at + n_columns].max(lengths[at + 1])
            };
        }
    }
    let (mut one, mut other, mut found) = (0, 0, Vec::new());
    while one < old.len() && other < new.len() {
        let at = one * n_columns + other;
        if is_same(&old[one], &new[other]) {
            found.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if lengths[at + n_columns] >= lengths[at + 1] {
            one += 1;
        } else {
            other += 1;
        }
    }
    found
}
