//! Bodies in Rust whose text stands in the program file.

use crate::diagnostic::Location;
use crate::id::SlotId;

/// The text of a body in Rust, and what is known of it without compiling it.
#[derive(Clone, Debug, PartialEq)]
pub struct RustText {
    /// The text.
    pub text: String,
    /// Where each of its lines begins in the program file; one for each line.
    pub lines: Vec<Location>,
    /// Names of the node that occur in the text, in the order of the slots. Those that the body sets for the routing
    /// rules are not among them.
    pub names: Vec<SlotId>,
    /// Results that it may set.
    pub results: Vec<String>,
    /// Whether the text mentions its context: it may print, set results and ask the world.
    pub has_context: bool,
    /// Whether the text may leave early, by `?` or `return`.
    pub may_leave: bool,
}

impl RustText {
    /// The place in the program file of a line and column of the text, both from 1; lines outside of the text are cut to
    /// it.
    pub fn at(&self, line: u32, column: u32) -> Location {
        let line_idx = (line.max(1) as usize - 1).min(self.lines.len().saturating_sub(1));
        let Some(start) = self.lines.get(line_idx) else { return Location::default() };
        let past = column.max(1) - 1;
        // Only the line's own spelling is known: what stands in front of the column is as wide there as here.
        let n_bytes = self.text.split('\n').nth(line_idx).map_or(0, |whole| {
            whole.char_indices().nth(past as usize).map_or(whole.len(), |(byte, _)| byte) as u32
        });
        Location {
            start: start.start + n_bytes,
            end: start.start + n_bytes,
            line: start.line,
            column: start.column + past,
        }
    }
}
