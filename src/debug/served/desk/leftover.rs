//! Settings that a session leaves for the next one on its program: breakpoints, checks, sets.

use std::sync::Arc;

use hasse_editor::run::{LineMap, Subject as Asked, Told};

use super::super::super::saved::Kept;
use super::Desk;

/// Maximum number of programs whose settings are stored.
const MOST_LEFT: usize = 64;

/// Settings of one program.
pub(super) struct Left {
    pub(super) asked: Asked,
    /// The text of its program.
    pub(super) text: Arc<str>,
    pub(super) kept: Kept,
    /// Breakpoints that do not count.
    pub(super) disabled: Vec<u64>,
    /// True for a program without a file in whose place another one was opened.
    pub(super) is_gone: bool,
}

impl Desk {
    /// Takes the settings that the last session on a program left, with lines moved to where they are now, and the numbers of its
    /// disabled breakpoints. A program under another name is the same one if it has the same text.
    pub(super) fn take_left(&self, asked: &Asked, text: &Arc<str>) -> (Kept, Vec<u64>) {
        let place = |asked: &Asked| match asked {
            Asked::Program { path, .. } => path.clone(),
            Asked::Trace(path) => Some(path.clone()),
        };
        let (found, general) = {
            let left = self.kept.borrow();
            let is_trace = |asked: &Asked| matches!(asked, Asked::Trace(_));
            // A session on a record of this very program, as one that shows its moments, leaves settings of the program.
            let is_of = |known: &Left| {
                let is_record = is_trace(&known.asked) != is_trace(asked) && known.text == *text;
                place(&known.asked) == place(asked) || is_record
            };
            let here = left.iter().rposition(|known| !known.is_gone && is_of(known));
            let found = here.or_else(|| left.iter().rposition(|known| known.text == *text));
            (found, left.last().map(|last| last.kept.of_no_program()).unwrap_or_default())
        };
        let Some(found) = found else { return (general, Vec::new()) };
        let Left { text: before, mut kept, disabled, .. } = self.kept.borrow_mut().remove(found);
        if before != *text {
            let map = LineMap::new(&before, text);
            for command in kept.move_lines(|line| map.forward(line)) {
                let why = "its line is no longer in the program";
                self.mailbox.tell(Told::Refused(format!("given up: `{command}`: {why}")));
            }
        }
        (kept, disabled)
    }

    /// Notes that another program was opened: a later one without a file is not the one before.
    pub(super) fn leave_unnamed(&self) {
        for left in self.kept.borrow_mut().iter_mut() {
            left.is_gone |= matches!(left.asked, Asked::Program { path: None, .. });
        }
    }

    /// Stores the settings of a session that ends.
    pub(super) fn leave(&self, left: Left) {
        let mut all = self.kept.borrow_mut();
        all.push(left);
        if all.len() > MOST_LEFT {
            all.remove(0);
        }
    }
}
