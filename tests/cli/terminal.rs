//! A session at a pseudo-terminal, and the screen that a person would see there.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use rexpect::process::PtyProcess;

use super::support::Folder;

const ROWS: u16 = 24;
const COLUMNS: u16 = 100;
/// Limit on a terminal that hangs; nothing that is measured.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process at a terminal.
pub(crate) struct Terminal {
    process: PtyProcess,
    keys: File,
    shared: Arc<Shared>,
}

struct Shared {
    screen: Mutex<Screen>,
    changed: Condvar,
}

struct Screen {
    parser: vt100::Parser,
    is_over: bool,
}

impl Terminal {
    /// Starts `hasse` in a folder.
    pub(crate) fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.command(args);
        let size = (ROWS.to_string(), COLUMNS.to_string());
        command.stdin(Stdio::inherit()).env("TERM", "xterm").env("LINES", size.0).env("COLUMNS", size.1);
        command.env("XDG_STATE_HOME", folder.path("state"));
        let process = PtyProcess::new(command).unwrap();
        let keys = process.get_file_handle().unwrap();
        let mut output = process.get_file_handle().unwrap();
        let parser = vt100::Parser::new(ROWS, COLUMNS, 0);
        let screen = Mutex::new(Screen { parser, is_over: false });
        let shared = Arc::new(Shared { screen, changed: Condvar::new() });
        let drawn = Arc::clone(&shared);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // A terminal whose process is gone gives an error on some systems, and nothing on others.
                let n_read = output.read(&mut bytes).unwrap_or(0);
                let mut screen = drawn.screen.lock().unwrap();
                screen.parser.process(&bytes[..n_read]);
                screen.is_over = n_read == 0;
                drawn.changed.notify_all();
                if screen.is_over {
                    break;
                }
            }
        });
        Self { process, keys, shared }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the screen is as wanted, and returns its lines without those that are blank.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut(&[String]) -> bool) -> Vec<String> {
        let mut screen = self.shared.screen.lock().unwrap();
        loop {
            let lines = lines_of(&screen.parser);
            if is_so(&lines) {
                return lines;
            }
            assert!(!screen.is_over, "{what}: the process has ended\n{}", lines.join("\n"));
            let (again, waited) = self.shared.changed.wait_timeout(screen, PATIENCE).unwrap();
            screen = again;
            assert!(!waited.timed_out(), "{what}: not seen\n{}", lines.join("\n"));
        }
    }

    /// Waits until the last line is this one.
    #[track_caller]
    pub(crate) fn until_last(&self, line: &str) -> Vec<String> {
        self.until(line, |lines| lines.last().is_some_and(|last| last == line))
    }

    /// Types a line, enters it, and waits until there is a prompt again.
    #[track_caller]
    pub(crate) fn enter(&mut self, prompt: &str, line: &str) -> Vec<String> {
        self.press(line);
        self.until_last(&format!("{prompt} {line}"));
        self.press("\r");
        self.until_last(prompt)
    }

    /// Lets time pass, for what the clock alone could bring about, and returns the lines of the screen.
    pub(crate) fn after(&self, pause: Duration) -> Vec<String> {
        thread::sleep(pause);
        lines_of(&self.shared.screen.lock().unwrap().parser)
    }

    /// Waits for the end of the process.
    #[track_caller]
    pub(crate) fn ends(self) {
        let mut screen = self.shared.screen.lock().unwrap();
        while !screen.is_over {
            let (again, waited) = self.shared.changed.wait_timeout(screen, PATIENCE).unwrap();
            screen = again;
            assert!(!waited.timed_out(), "it does not end\n{}", lines_of(&screen.parser).join("\n"));
        }
        drop(screen);
        self.process.wait().unwrap();
    }
}

fn lines_of(parser: &vt100::Parser) -> Vec<String> {
    let rows = parser.screen().rows(0, COLUMNS);
    rows.map(|row| row.trim_end().to_owned()).filter(|row| !row.is_empty()).collect()
}
