//! Files are changed while a command watches them; the tests wait for what it says, not for time.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::support::{ENDLESS, Folder, SQUARES};

/// When to give up on a line that never comes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A command that watches, and what it says.
struct Watching {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Watching {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        pass_on(child.stdout.take().unwrap(), sender.clone());
        pass_on(child.stderr.take().unwrap(), sender);
        Self { child, lines, said: Vec::new() }
    }

    /// Waits for a line that holds a text and was not waited for before. Lines of the two streams come
    /// in any order.
    #[track_caller]
    fn until(&mut self, text: &str) {
        if let Some(place) = self.said.iter().position(|line| line.contains(text)) {
            self.said.remove(place);
            return;
        }
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return,
                Ok(line) => self.said.push(line),
                Err(error) => panic!("waiting for {text:?}: {error}\n{}", self.said.join("\n")),
            }
        }
    }

    /// Ends it as Ctrl-C does.
    #[cfg(unix)]
    #[track_caller]
    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.said.push(line);
        }
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{}", self.said.join("\n"));
    }

    #[cfg(not(unix))]
    fn interrupt(mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pass_on(stream: impl Read + Send + 'static, sender: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
}

#[test]
fn check_reports_each_version_until_it_is_interrupted() {
    let folder = Folder::with("p.hasse", SQUARES);
    let mut watching = Watching::start(&folder, &["check", "p.hasse", "--watch"]);
    watching.until("p.hasse: no errors");
    watching.until("watching p.hasse");
    folder.write("p.hasse", &SQUARES.replace("total += s", "total += t"));
    watching.until("p.hasse has changed");
    watching.until("E0502");
    watching.until("watching p.hasse");
    // As editors save: another file takes the name.
    folder.write("p.tmp", SQUARES);
    fs::rename(folder.path("p.tmp"), folder.path("p.hasse")).unwrap();
    watching.until("p.hasse: no errors");
    fs::remove_file(folder.path("p.hasse")).unwrap();
    watching.until("cannot read p.hasse");
    watching.until("watching p.hasse");
    folder.write("p.hasse", SQUARES);
    watching.until("p.hasse: no errors");
    watching.interrupt();
}

#[test]
fn run_runs_each_version_that_checks() {
    let folder = Folder::with("p.hasse", SQUARES);
    let mut watching = Watching::start(&folder, &["run", "p.hasse", "--watch", "--set", "n=3"]);
    watching.until("total = 5");
    watching.until("watching p.hasse");
    folder.write("p.hasse", &SQUARES.replace("x * x", "x + * x"));
    watching.until("E0501");
    watching.until("watching p.hasse");
    folder.write("p.hasse", &SQUARES.replace("x * x", "x * x * x"));
    watching.until("total = 9");
    watching.until("watching p.hasse");
    // A parameter that is gone is no reason to leave.
    folder.write(
        "p.hasse",
        &SQUARES
            .replace("n = ", "m = ")
            .replace("0..n", "0..m")
            .replace("== n", "== m")
            .replace("{n}", "{m}"),
    );
    watching.until("parameter");
    watching.until("watching p.hasse");
    watching.interrupt();
}

#[test]
fn a_run_without_end_is_stopped_by_a_change_and_by_an_interrupt() {
    let folder = Folder::with("p.hasse", ENDLESS);
    let mut watching = Watching::start(&folder, &["run", "p.hasse", "--watch"]);
    watching.until("7");
    folder.write("p.hasse", SQUARES);
    watching.until("stopped before the end");
    watching.until("total = 14");
    folder.write("p.hasse", ENDLESS);
    watching.until("7");
    watching.interrupt();
}

#[test]
fn a_folder_that_is_not_there_cannot_be_watched() {
    let ran = Folder::new().hasse(&["check", "no/such.hasse", "--watch"]).ends(2);
    assert!(ran.stderr.starts_with("error: cannot watch no/such.hasse: "), "{}", ran.shown());
}
