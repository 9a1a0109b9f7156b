//! Lines of a text after an edit.

/// Where the lines of a text are after an edit.
pub(super) struct MovedLines<'t> {
    before: Vec<&'t str>,
    now: Vec<&'t str>,
    /// Number of lines that both texts begin and end with.
    n_same_first: usize,
    n_same_last: usize,
}

impl<'t> MovedLines<'t> {
    /// The lines of two texts.
    pub(super) fn new(before: &'t str, now: &'t str) -> Self {
        let (before, now): (Vec<_>, Vec<_>) = (before.lines().collect(), now.lines().collect());
        let n_same_first = before.iter().zip(&now).take_while(|(before, now)| before == now).count();
        let rest = (before[n_same_first..].iter().rev()).zip(now[n_same_first..].iter().rev());
        let n_same_last = rest.take_while(|(before, now)| before == now).count();
        Self { before, now, n_same_first, n_same_last }
    }

    /// The line, counted from 1, on which a line of the text before the edit is now; `None` where it is gone. Of lines that
    /// are the same, the nearest one.
    pub(super) fn forward(&self, line: u32) -> Option<u32> {
        let line_idx = (line as usize).checked_sub(1)?;
        let text = self.before.get(line_idx)?;
        if line_idx < self.n_same_first {
            return Some(line);
        }
        let n_behind = self.before.len() - line_idx;
        let now_idx = if n_behind <= self.n_same_last {
            self.now.len() - n_behind
        } else {
            let changed = self.n_same_first..self.now.len() - self.n_same_last;
            let same = changed.filter(|&now_idx| self.now[now_idx].trim() == text.trim());
            same.min_by_key(|now_idx| now_idx.abs_diff(line_idx))?
        };
        u32::try_from(now_idx + 1).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, now: &str, expected: &[Option<u32>]) {
        let moved = MovedLines::new(before, now);
        let lines = 1..=u32::try_from(before.lines().count()).expect("few");
        assert_eq!(lines.map(|line| moved.forward(line)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lines_move_with_what_is_before_them() {
        check("a\nb\nc\n", "a\nb\nc\n", &[Some(1), Some(2), Some(3)]);
        check("a\nb\nc\n", "new\na\nb\nc\n", &[Some(2), Some(3), Some(4)]);
        check("a\nb\nc\n", "a\nc\n", &[Some(1), None, Some(2)]);
        check("a\nb\nc\nd\n", "a\nx\n  b\ny\nd\n", &[Some(1), Some(3), None, Some(5)]);
        check("a\n", "", &[None]);
        check("a\na\n", "a\n", &[Some(1), None]);
    }
}
