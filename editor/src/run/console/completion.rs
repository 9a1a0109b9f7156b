//! What may stand in place of a word.

/// What may stand in place of a word of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The line that was asked about.
    pub line: String,
    /// Where the word begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Candidates, in order.
    pub candidates: Vec<String>,
}

impl Completion {
    /// The line with a candidate in place, and the place behind it.
    pub fn line_with(&self, candidate: &str) -> (String, usize) {
        let before = self.line.get(..self.start).unwrap_or(&self.line);
        let behind = self.line.get(self.end..).unwrap_or("");
        (format!("{before}{candidate}{behind}"), before.len() + candidate.len())
    }

    /// What all candidates begin with: what may be put in without asking.
    pub fn common(&self) -> &str {
        let Some(first) = self.candidates.first() else { return "" };
        let mut n_common = first.len();
        for other in &self.candidates {
            let same = first.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
            n_common = n_common.min(same);
        }
        let end = (0..=n_common).rev().find(|&end| first.is_char_boundary(end)).unwrap_or(0);
        &first[..end]
    }
}
