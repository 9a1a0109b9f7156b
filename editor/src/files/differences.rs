//! Two texts side by side, as the lines in which they differ, with some lines around them.

use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

/// Lines that both have around a difference.
const N_AROUND: usize = 2;
/// Most lines that are shown.
const MOST_LINES: usize = 2_000;

/// Whose a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOwner {
    /// Nobody's: it says where the next lines stand in the first text.
    Title,
    /// Both texts have it.
    Both,
    /// Only the first text has it.
    First,
    /// Only the second text has it.
    Second,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceLine {
    /// Whose it is.
    pub owner: LineOwner,
    /// The line without its line feed.
    pub text: String,
}

/// The lines in which two texts differ; what there is beyond 2,000 lines is a line that says so. Cost: that of a diff
/// (Myers 1986).
pub fn differences(first: &str, second: &str) -> Vec<DifferenceLine> {
    let (first, second): (Vec<&str>, Vec<&str>) = (first.lines().collect(), second.lines().collect());
    let ops = capture_diff_slices(Algorithm::Myers, &first, &second);
    let mut lines = Vec::new();
    for group in group_diff_ops(ops, N_AROUND) {
        let begin = group.first().map_or(0, |op| op.old_range().start);
        lines.push(DifferenceLine { owner: LineOwner::Title, text: format!("line {}", begin + 1) });
        let mut put = |owner: LineOwner, from: &[&str]| {
            lines.extend(from.iter().map(|text| DifferenceLine { owner, text: (*text).to_owned() }));
        };
        for op in group {
            let (old, new) = (&first[op.old_range()], &second[op.new_range()]);
            if op.tag() == DiffTag::Equal {
                put(LineOwner::Both, old);
            } else {
                put(LineOwner::First, old);
                put(LineOwner::Second, new);
            }
        }
    }
    if lines.len() > MOST_LINES {
        let n_more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(DifferenceLine { owner: LineOwner::Title, text: format!("{n_more} more lines") });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> Vec<String> {
        let sign = |owner| match owner {
            LineOwner::Title => '@',
            LineOwner::Both => ' ',
            LineOwner::First => '-',
            LineOwner::Second => '+',
        };
        differences(first, second).iter().map(|line| format!("{}{}", sign(line.owner), line.text)).collect()
    }

    #[test]
    fn changed_lines_stand_with_those_around_them() {
        assert_eq!(
            told("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n"),
            ["@line 1", " a", " b", "-c", "+C", " d", " e"]
        );
        assert_eq!(told("a\n", "a\n"), Vec::<String>::new());
        assert_eq!(
            told("1\n2\n3\n4\n5\n6\n7\n8\n", "0\n1\n2\n3\n4\n5\n6\n7\n"),
            ["@line 1", "+0", " 1", " 2", "@line 6", " 6", " 7", "-8"]
        );
    }
}
