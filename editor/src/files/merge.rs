//! Two changes of one text made one, line by line.
//!
//! Lines that both sides left alone cut the text into pieces; a piece that only one side changed, or both in the same
//! way, is taken over; any other is a conflict (diff3: Khanna, Kunal and Pierce, "A Formal Investigation of Diff3", 2007).

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// A place that both sides changed in different ways. Lines are with their line feeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The first line of it in the base, from 0.
    pub base_line: usize,
    /// What both began with.
    pub base: String,
    /// What the editor has.
    pub ours: String,
    /// What the disk has.
    pub theirs: String,
}

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// One text with the changes of both sides.
    Text(String),
    /// Where they contradict each other, in order; at least one.
    Conflicts(Vec<Conflict>),
}

/// Which side to take where both contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What the editor has.
    Ours,
    /// What the disk has.
    Theirs,
}

/// Merges what the editor (`ours`) and the disk (`theirs`) made of `base`. Lines of the result end with line feeds, however
/// they ended; a document gives them the file's again. Changes that touch, with no common line between them, are a conflict. Cost: that of two diffs (Myers 1986): lines
/// times changes.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merged {
    let pieces = pieces(base, ours, theirs);
    let conflicts: Vec<Conflict> = pieces.iter().filter_map(Piece::conflict).collect();
    if conflicts.is_empty() {
        Merged::Text(pieces.iter().map(|piece| piece.text(Side::Ours)).collect())
    } else {
        Merged::Conflicts(conflicts)
    }
}

/// As [`merge`], with one side taken in all conflicts.
pub fn merge_preferring(side: Side, base: &str, ours: &str, theirs: &str) -> String {
    pieces(base, ours, theirs).iter().map(|piece| piece.text(side)).collect()
}

/// The same part of all three texts.
struct Piece {
    base_line: usize,
    base: String,
    ours: String,
    theirs: String,
}

impl Piece {
    fn conflict(&self) -> Option<Conflict> {
        let differs = self.ours != self.theirs && self.ours != self.base && self.theirs != self.base;
        differs.then(|| Conflict {
            base_line: self.base_line,
            base: self.base.clone(),
            ours: self.ours.clone(),
            theirs: self.theirs.clone(),
        })
    }

    fn text(&self, side: Side) -> &str {
        if self.ours == self.base {
            &self.theirs
        } else if self.theirs == self.base || side == Side::Ours {
            &self.ours
        } else {
            &self.theirs
        }
    }
}

/// Cuts the texts at all lines that both sides have in common with the base.
fn pieces(base: &str, ours: &str, theirs: &str) -> Vec<Piece> {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| text.replace("\r\n", "\n"));
    let [base, ours, theirs] =
        [&base, &ours, &theirs].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let (in_ours, in_theirs) = (same(&base, &ours), same(&base, &theirs));
    let mut pieces = Vec::new();
    let mut last = [0; 3];
    let mut push = |last: &mut [usize; 3], next: [usize; 3]| {
        let [base, ours, theirs] = [
            base[last[0]..next[0]].concat(),
            ours[last[1]..next[1]].concat(),
            theirs[last[2]..next[2]].concat(),
        ];
        if !(base.is_empty() && ours.is_empty() && theirs.is_empty()) {
            pieces.push(Piece { base_line: last[0], base, ours, theirs });
        }
        *last = next;
    };
    for line in 0..base.len() {
        if let (Some(own), Some(their)) = (in_ours[line], in_theirs[line]) {
            push(&mut last, [line, own, their]);
            push(&mut last, [line + 1, own + 1, their + 1]);
        }
    }
    push(&mut last, [base.len(), ours.len(), theirs.len()]);
    pieces
}

/// Which line of another text each line of the base is, where it is one.
fn same(base: &[&str], other: &[&str]) -> Vec<Option<usize>> {
    let mut lines = vec![None; base.len()];
    for op in capture_diff_slices(Algorithm::Myers, base, other) {
        let (tag, old, new): (DiffTag, Range<usize>, Range<usize>) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            for (line, at) in old.zip(new) {
                lines[line] = Some(at);
            }
        }
    }
    lines
}
