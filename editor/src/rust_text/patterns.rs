//! Names that a text binds: patterns of `let`, `for`, closures, functions and arms, and items.

use std::ops::Range;

use super::Cut;

impl<'t> Cut<'t> {
    /// Names that `let` binds on the outermost level.
    pub(super) fn outer_lets(&self) -> Vec<&'t str> {
        let is_condition = |idx: usize| matches!(self.before(idx, 1), "if" | "while" | "&&" | "||");
        let lets = (0..self.all.len())
            .filter(|idx| self.spelled(*idx) == "let" && self.all[*idx].depth == 0 && !is_condition(*idx));
        let mut found = Vec::new();
        lets.for_each(|idx| self.pattern(self.until(idx + 1, &["=", ";"]), false, &mut found));
        found
    }

    /// All names that are bound anywhere; perhaps some that are not.
    pub(super) fn bound(&self) -> Vec<&'t str> {
        let mut found = Vec::new();
        for idx in 0..self.all.len() {
            match self.spelled(idx) {
                "let" => self.pattern(self.until(idx + 1, &["=", ";"]), false, &mut found),
                "for" => {
                    let pattern = self.until(idx + 1, &["in", ";"]);
                    if self.spelled(pattern.end) == "in" {
                        self.pattern(pattern, false, &mut found);
                    }
                }
                "|" if self.opens_closure(idx) => {
                    self.pattern(self.until(idx + 1, &["|"]), true, &mut found);
                }
                "fn" => {
                    found.extend(self.name(idx + 1));
                    let open = self.until(idx + 1, &["(", "{", ";"]).end;
                    if self.spelled(open) == "(" {
                        self.pattern(self.until(open + 1, &[]), true, &mut found);
                    }
                }
                "const" | "static" | "struct" | "enum" | "type" | "mod" | "trait" => {
                    let at = if self.spelled(idx + 1) == "mut" { idx + 2 } else { idx + 1 };
                    found.extend(self.name(at));
                }
                "use" => found.extend(self.until(idx + 1, &[";"]).filter_map(|at| self.name(at))),
                "=>" => self.pattern(self.arm(idx), false, &mut found),
                "(" | "[" | "{" if self.called_macro(idx) == Some("matches") => {
                    let value = self.until(idx + 1, &[","]);
                    self.pattern(self.until(value.end + 1, &["if"]), false, &mut found);
                }
                _ => {}
            }
        }
        found
    }

    /// The pieces from one on up to one of these on the same level; else up to the bracket that closes around them.
    fn until(&self, start: usize, ends: &[&str]) -> Range<usize> {
        let depth = self.all.get(start).map_or(0, |piece| piece.depth + usize::from(self.closes(start)));
        let is_end = |idx: &usize| {
            let own = self.all[*idx].depth;
            own < depth || own == depth && ends.contains(&self.spelled(*idx))
        };
        let end = (start..self.all.len()).find(is_end).unwrap_or(self.all.len());
        start.min(end)..end
    }

    /// Whether a piece is a closing bracket, which counts as outside of its pair.
    fn closes(&self, idx: usize) -> bool {
        matches!(self.sign(idx), ")" | "]" | "}")
    }

    /// Whether a bar opens the parameters of a closure, and is no operator.
    fn opens_closure(&self, idx: usize) -> bool {
        let before = self.before(idx, 1);
        let is_operand =
            idx > 0 && (self.sign(idx - 1).is_empty() || matches!(before, ")" | "]" | "}" | "?"));
        !is_operand || matches!(before, "move" | "return" | "else" | "in" | "break")
    }

    /// The pattern before `=>`.
    fn arm(&self, arrow: usize) -> Range<usize> {
        let depth = self.all[arrow].depth;
        let is_before = |idx: &usize| {
            let own = self.all[*idx].depth;
            own < depth || own == depth && self.spelled(*idx) == "=>"
        };
        let mut start = (0..arrow).rev().find(is_before).map_or(0, |idx| idx + 1);
        let is_behind_arm = start > 0 && self.spelled(start - 1) == "=>";
        if is_behind_arm && self.spelled(start) == "{" {
            // The arm before ends with its block.
            start = self.until(start + 1, &[]).end + 1;
        }
        let comma =
            (start..arrow).rev().find(|idx| self.all[*idx].depth == depth && self.spelled(*idx) == ",");
        let start = comma.map_or(start, |comma| comma + 1).min(arrow);
        let guard = (start..arrow).find(|idx| self.all[*idx].depth == depth && self.spelled(*idx) == "if");
        start..guard.unwrap_or(arrow)
    }

    /// Adds the names that a pattern binds; of a list, each part may have a type. What is a path, a variant's name or that of a
    /// field with a pattern of its own is none.
    fn pattern(&self, range: Range<usize>, is_list: bool, found: &mut Vec<&'t str>) {
        let depth = self.all.get(range.start).map_or(0, |piece| piece.depth);
        let mut is_type = false;
        for idx in range {
            let is_outer = self.all[idx].depth <= depth;
            match self.spelled(idx) {
                ":" if is_outer => is_type = true,
                "," if is_outer && is_list => is_type = false,
                _ => {}
            }
            let is_field = !is_outer && self.spelled(idx + 1) == ":";
            let is_path = self.before(idx, 1) == "::"
                || matches!(self.spelled(idx + 1), "::" | "(" | "{" | "!")
                || matches!(self.before(idx, 1), "." | "#");
            found.extend(self.name(idx).filter(|_| !is_type && !is_field && !is_path));
        }
    }
}
