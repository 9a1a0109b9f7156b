//! The console and the log.

use hasse_editor::run::{LogLine, Source};
use hasse_editor::state::input::Key;
use hasse_ui::{EditorWindow, LineOfList, Run as UiRun};
use slint::ComponentHandle;

use super::running::Running;
use crate::keys;
use crate::studio::{Later, Studio};

/// Whether a line of the console is one that was typed.
fn is_typed(line: &str, prompt: &str) -> bool {
    !prompt.is_empty() && line.starts_with(prompt)
}

/// A line of the log.
fn log_line(line: &LogLine) -> LineOfList {
    let tone = match line.source {
        Source::Program | Source::Debugger => 0,
        Source::Findings => 1,
        Source::Run => 4,
    };
    LineOfList {
        badge: line.source.name().into(),
        text: (&line.text).into(),
        tone,
        is_title: line.source == Source::Run,
        ..LineOfList::default()
    }
}

impl Running {
    pub(super) fn show_console(&self) {
        let console = self.panel.console();
        let prompt = console.prompt();
        self.console.set(
            console.n_gone(),
            (0..console.n_lines()).map_while(|idx| console.line(idx)),
            |line| LineOfList {
                text: line.into(),
                tone: if is_typed(line, prompt) { 4 } else { 0 },
                ..LineOfList::default()
            },
        );
    }

    pub(super) fn show_log(&self) {
        let (log, source) = (self.panel.log(), self.source);
        let lines = (0..log.n_lines(source)).map_while(|idx| log.line(source, idx));
        let lines = lines.filter(|line| self.search.is_empty() || line.text.contains(&self.search));
        self.log.set(log.n_gone(source), lines, log_line);
    }
}

impl Studio {
    /// Shows the lines of a source alone: 0 is all, else its position from 1.
    pub(super) fn choose_log(&mut self, choice: usize) {
        let window = self.window();
        let Some(running) = &mut self.running else { return };
        running.source = choice.checked_sub(1).and_then(|at| Source::ALL.get(at)).copied();
        running.log.clear();
        running.shown = None;
        window.global::<UiRun>().set_log_source(i32::try_from(choice).unwrap_or(0));
    }

    /// Shows the lines alone that have a text.
    pub(super) fn search_log(&mut self, text: &str) {
        let Some(running) = &mut self.running else { return };
        text.clone_into(&mut running.search);
        running.log.clear();
        running.shown = None;
    }

    pub(super) fn console_entered(&mut self, line: &str) {
        self.tell_program(false);
        if let Some(running) = &mut self.running
            && !line.trim().is_empty()
        {
            running.panel.type_line(line);
        }
        self.window().global::<UiRun>().set_command("".into());
    }

    pub(super) fn console_key(&mut self, text: &str) -> bool {
        let window = self.window();
        let ui = window.global::<UiRun>();
        let Some(running) = &mut self.running else { return false };
        match keys::key(text) {
            Some(Key::Up) => {
                if let Some(line) = running.panel.console_mut().older() {
                    ui.set_command(line.into());
                }
            }
            Some(Key::Down) => ui.set_command(running.panel.console_mut().newer().into()),
            Some(Key::Tab) => {
                let line = ui.get_command();
                running.panel.complete(&line, line.len());
            }
            Some(Key::Escape) => self.later.push(Later::FocusCanvas),
            _ => return false,
        }
        true
    }

    /// Puts a completion into the console's line, or tells what there is to choose from.
    pub(crate) fn show_completion(&mut self, window: &EditorWindow) {
        let Some(running) = &mut self.running else { return };
        let Some(completion) = running.panel.console_mut().take_completion() else { return };
        let ui = window.global::<UiRun>();
        if ui.get_command() != *completion.line {
            return;
        }
        let word = match completion.candidates.as_slice() {
            [] => return,
            [only] => only.clone(),
            _ => completion.common().to_owned(),
        };
        let (line, _) = completion.line_with(&word);
        ui.set_command(line.into());
        let most = completion.candidates.iter().take(12).cloned().collect::<Vec<_>>().join("  ");
        ui.set_candidates(if completion.candidates.len() > 1 { most.into() } else { "".into() });
    }
}
