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

/// A row of two texts side by side. A side is `None` where the text has no line there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideRow {
    /// Line of the first text.
    pub first: Option<String>,
    /// Line of the second text.
    pub second: Option<String>,
    /// True for a line that both have.
    pub is_same: bool,
    /// True for a title, which is in `first`.
    pub is_title: bool,
}

/// Aligns the lines of a difference: lines of the first text are next to those of the second text that are in their place.
pub fn side_by_side(lines: &[DifferenceLine]) -> Vec<SideRow> {
    let mut rows: Vec<SideRow> = Vec::new();
    // Row of the next line of the second text, where the first text has a line without a counterpart.
    let mut open = 0;
    for line in lines {
        let text = Some(line.text.clone());
        let (first, second) = match line.owner {
            LineOwner::Title | LineOwner::First => (text, None),
            LineOwner::Both => (text.clone(), text),
            LineOwner::Second => (None, text),
        };
        match line.owner {
            LineOwner::Second if open < rows.len() => {
                rows[open].second = second;
                open += 1;
            }
            owner => {
                let (is_same, is_title) = (owner == LineOwner::Both, owner == LineOwner::Title);
                rows.push(SideRow { first, second, is_same, is_title });
                if owner != LineOwner::First {
                    open = rows.len();
                }
            }
        }
    }
    rows
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
    fn changed_lines_are_aligned_side_by_side() {
        let row = |row: &SideRow| {
            let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
            format!("{}|{}", text(&row.first), text(&row.second))
        };
        let rows = |first: &str, second: &str| {
            side_by_side(&differences(first, second)).iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(rows("a\nb\nc\nd\n", "a\nB\nC\nX\nd\n"), ["line 1|-", "a|a", "b|B", "c|C", "-|X", "d|d"]);
        assert_eq!(rows("a\nb\nc\n", "a\nc\nx\n"), ["line 1|-", "a|a", "b|-", "c|c", "-|x"]);
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
