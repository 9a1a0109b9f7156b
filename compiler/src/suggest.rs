//! "Did you mean": the known name nearest to one that is not known.
//!
//! Distance is the optimal string alignment distance: insertions, deletions, substitutions and swaps
//! of neighbors cost 1 each.

/// The candidate nearest to `name`, where one is near enough to be a slip of the fingers.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let limit = 1 + name.chars().count() / 4;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| *edits <= limit && *edits < name.len().max(candidate.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean `x`?`, or else the list of what there is.
pub(crate) fn help<'c>(name: &str, what: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    let candidates: Vec<_> = candidates.into_iter().collect();
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if candidates.is_empty() => format!("there are no {what}"),
        None => format!("{what}: {}", listing(&candidates)),
    }
}

fn listing(candidates: &[&str]) -> String {
    const MOST_NAMES: usize = 12;
    let shown = candidates.iter().take(MOST_NAMES).map(|name| format!("`{name}`"));
    let mut listing = shown.collect::<Vec<_>>().join(", ");
    if candidates.len() > MOST_NAMES {
        listing.push_str(", ...");
    }
    listing
}

/// Optimal string alignment distance, in O(product of the lengths), names cut at 64 characters.
fn distance(left: &str, right: &str) -> usize {
    const MOST_LETTERS: usize = 64;
    let left: Vec<char> = left.chars().take(MOST_LETTERS).collect();
    let right: Vec<char> = right.chars().take(MOST_LETTERS).collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (row_idx, row) in rows.iter_mut().enumerate() {
        row[0] = row_idx;
    }
    rows[0] = (0..=right.len()).collect();
    for row in 1..=left.len() {
        for col in 1..=right.len() {
            let is_other = usize::from(left[row - 1] != right[col - 1]);
            let mut edits =
                (rows[row - 1][col] + 1).min(rows[row][col - 1] + 1).min(rows[row - 1][col - 1] + is_other);
            let is_swap =
                row > 1 && col > 1 && left[row - 1] == right[col - 2] && left[row - 2] == right[col - 1];
            if is_swap {
                edits = edits.min(rows[row - 2][col - 2] + 1);
            }
            rows[row][col] = edits;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        assert_eq!(nearest("Mutl", ["Gath", "Mult"]), Some("Mult"));
        assert_eq!(nearest("mult", ["Mult"]), Some("Mult"));
        assert_eq!(nearest("Solve", ["Gath", "Mult"]), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
