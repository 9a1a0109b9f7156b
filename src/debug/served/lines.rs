//! What commands print, line by line.

use std::io::{self, Write};
use std::sync::Arc;

use hasse_editor::run::{Source, Told};

use super::mailbox::Mailbox;

/// Takes what commands print and tells it line by line: to the console, or to the log.
pub(super) struct Lines {
    mailbox: Arc<Mailbox>,
    is_console: bool,
    begun: Vec<u8>,
}

impl Lines {
    pub(super) fn of_console(mailbox: &Arc<Mailbox>) -> Self {
        Self { mailbox: Arc::clone(mailbox), is_console: true, begun: Vec::new() }
    }

    pub(super) fn of_log(mailbox: &Arc<Mailbox>) -> Self {
        Self { is_console: false, ..Self::of_console(mailbox) }
    }

    fn tell(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        if self.is_console {
            self.mailbox.tell(Told::Answer(text.lines().map(str::to_owned).collect(), true));
        } else {
            text.lines().for_each(|line| self.mailbox.log(Source::Debugger, line, None));
        }
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        if let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let whole = std::mem::replace(&mut self.begun, rest);
            self.tell(&whole);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        if !begun.is_empty() {
            self.tell(&begun);
        }
        Ok(())
    }
}
