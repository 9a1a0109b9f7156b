//! Which line of a text is which line of another one: for breakpoints at lines of a program that is being edited.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices_deadline};

/// Longest search for a small difference; what is found by then is used.
const PATIENCE: Duration = Duration::from_millis(200);
/// Most pairs of lines that are compared letter by letter within one changed part.
const MOST_PAIRS: usize = 400;
/// Lines that have at least so much in common are the same line, edited.
const LEAST_RATIO: f32 = 0.6;

/// Where the lines of an old text are in a new one. Lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    /// By the old line: the new one. Ascending where it is known.
    forward: Vec<Option<u32>>,
}

impl LineMap {
    /// Compares two texts. A line that has been edited stays the same one; one that has been taken out is nowhere.
    pub fn new(old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut forward = vec![None; old.len()];
        let deadline = Instant::now().checked_add(PATIENCE);
        for op in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    (0..len).for_each(|at| forward[old_index + at] = Some(number(new_index + at)));
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    let news =
                        pairs(&old[old_index..old_index + old_len], &new[new_index..new_index + new_len]);
                    for (at, found) in news.into_iter().enumerate() {
                        forward[old_index + at] = found.map(|found| number(new_index + found));
                    }
                }
                DiffOp::Delete { .. } | DiffOp::Insert { .. } => {}
            }
        }
        Self { forward }
    }

    /// The new line of an old one.
    pub fn forward(&self, line: u32) -> Option<u32> {
        *self.forward.get((line as usize).checked_sub(1)?)?
    }

    /// The old line of a new one.
    pub fn back(&self, line: u32) -> Option<u32> {
        self.forward.iter().position(|found| *found == Some(line)).map(number)
    }
}

/// A line's number from its position.
fn number(idx: usize) -> u32 {
    u32::try_from(idx + 1).unwrap_or(u32::MAX)
}

/// Which of the new lines the old lines of a changed part have become, in order.
fn pairs(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    if old.len() == new.len() {
        return (0..old.len()).map(Some).collect();
    }
    if old.len() * new.len() > MOST_PAIRS {
        return vec![None; old.len()];
    }
    let mut begin = 0;
    let find = |line: &&str| {
        let ratios = new.iter().enumerate().skip(begin).map(|(at, other)| {
            let ratio = TextDiff::from_chars(line.trim(), other.trim()).ratio();
            (at, ratio)
        });
        let like = ratios.filter(|(_, ratio)| *ratio >= LEAST_RATIO);
        let best = like.max_by(|left, right| left.1.total_cmp(&right.1).then(right.0.cmp(&left.0)));
        best.map(|(at, _)| {
            begin = at + 1;
            at
        })
    };
    old.iter().map(find).collect()
}
