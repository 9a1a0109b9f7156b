//! Where records come from: the run under way, the last run, a file.

/// What is known of the record that is shown.
pub(super) mod source;

use std::path::{Path, PathBuf};

use hasse_editor::run::{Mode, Told};
use hasse_editor::state::Status as Said;
use hasse_editor::views::program::is_same_program;
use hasse_editor::views::record::{RecordSource, header_of};

use crate::command::panel;
use crate::studio::Studio;

/// What is said of a run that records nothing.
fn silence(mode: Mode) -> Option<&'static str> {
    match mode {
        Mode::Full | Mode::Restrict | Mode::Perf | Mode::Replay | Mode::PostMortem => None,
        Mode::Minimal => Some("A minimal run records its free choices only: replay it to see its events."),
        Mode::Off => {
            Some("This run records nothing (mode off): choose full, restrict or perf to see its events.")
        }
        Mode::None => {
            Some("This run records nothing (mode none): choose full, restrict or perf to see its events.")
        }
    }
}

impl Studio {
    /// Takes in what the session tells the views.
    pub(crate) fn take_told(&mut self) {
        let Some(running) = &mut self.running else { return };
        let told = running.panel.take_for_views();
        let is_under_way = running.panel.state().is_under_way();
        let has_state = is_under_way || running.panel.ended().is_some();
        let viewing = &mut self.viewing;
        let (mut recorded, mut alone, mut has_begun) = (None, None, false);
        for told in told {
            match told {
                Told::Begun(mode) => {
                    has_begun = true;
                    viewing.source.note = silence(mode).unwrap_or_default().to_owned();
                    viewing.source.is_of_run = false;
                    viewing.source.has_state = false;
                    viewing.source.mode = Some(mode);
                    if viewing.views.is_live() {
                        viewing.views.end_live(None);
                    }
                    viewing.views.play(|player| player.pause());
                    viewing.shown = None;
                }
                Told::Header(header) => {
                    viewing.source.name = "record of the run under way".to_owned();
                    viewing.source.is_of_run = true;
                    viewing.source.is_new = true;
                    viewing.views.begin_live((*header).clone());
                }
                Told::Batch(batch) => viewing.views.push_live(batch),
                Told::BatchesLeftOut => viewing.views.leave_out(),
                Told::Recorded(path) => recorded = Some(path),
                Told::Found(text, findings) => self.editor.add_problems(text, findings),
                Told::Values { of, result } => {
                    let result = result.as_ref().map(|events| events.as_slice()).map_err(Clone::clone);
                    viewing.views.take_values(&of, result);
                }
                Told::Alone { event, result } => alone = Some((event, result)),
                _ => {}
            }
        }
        viewing.source.has_state |= has_state;
        let is_over = !is_under_way && viewing.source.has_state;
        if has_begun {
            self.results.look_at_last();
        }
        if let Some((event, result)) = alone {
            self.take_alone(&event, result);
        }
        if let Some(path) = recorded {
            self.show_recorded(path);
        } else if is_over && self.viewing.views.is_live() {
            self.viewing.views.end_live(None);
            self.viewing.source.name = "record of the last run".to_owned();
        }
    }

    /// A record is complete: of the run that was seen as it grew, of one that was not, or the one that was followed.
    fn show_recorded(&mut self, path: PathBuf) {
        let viewing = &mut self.viewing;
        let is_of_run = std::mem::take(&mut viewing.source.is_of_run);
        let record = self.running.as_ref().and_then(|running| running.record());
        // Its events are those of the record that was opened, wherever the session has written them.
        let is_of_record = record == Some(&*path)
            || record.is_some() && matches!(viewing.source.mode, Some(Mode::Replay | Mode::PostMortem));
        if is_of_record && viewing.source.mode == Some(Mode::PostMortem) && viewing.views.page().is_some() {
            return;
        }
        let is_shown =
            matches!(viewing.views.source(), Some(RecordSource::File(shown)) if *shown == path) && !is_of_run;
        if is_shown {
            // It was looked at again.
            return;
        }
        viewing.source.name = match record.filter(|_| is_of_record).and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => "record of the last run".to_owned(),
        };
        viewing.source.is_new = true;
        if is_of_run {
            viewing.views.replace(RecordSource::File(path.clone()));
        } else {
            viewing.views.open(RecordSource::File(path.clone()));
        }
        if !is_of_record && let Some(running) = &mut self.running {
            // From now on the last run is what is replayed and looked at.
            running.set_record(None);
            self.tell_program(false);
        }
    }

    /// A run begins: what is played rests.
    pub(crate) fn begin_record(&mut self) {
        self.viewing.views.play(|player| player.pause());
    }

    /// Shows a record of a file, and lets the run panel look at it and replay it. Its program is shown on the picture where
    /// none is open.
    pub(crate) fn open_record(&mut self, path: &Path) {
        // A relative path would mean another file in another folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let header = match header_of(&path) {
            Ok(header) => header,
            Err(error) => {
                self.editor.set_status(Said { text: error.to_string(), is_refusal: true });
                return;
            }
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = &header.program_text;
        let is_same = is_same_program(text, self.editor.document().text()) || self.editor.take_recorded(text);
        // The record is of the program that it has brought.
        self.follow_document();
        let viewing = &mut self.viewing;
        viewing.source.note =
            if is_same { String::new() } else { "of another text of the program".to_owned() };
        viewing.source.is_new = true;
        viewing.source.is_of_run = false;
        viewing.views.open(RecordSource::File(path.clone()));
        if !is_same {
            let text = format!(
                "{name} is of another text than this program: nodes are found by their names, arcs are not marked."
            );
            self.editor.set_status(Said { text, is_refusal: true });
        }
        viewing.source.name = name;
        if let Some(running) = &mut self.running {
            running.set_record(Some(path));
        }
        self.show_panel(panel::HISTORY);
    }

    /// Lets the views take up what their threads have made.
    pub(crate) fn tick_views(&mut self, seconds: f64) {
        self.take_models();
        self.viewing.views.tick(seconds);
        let viewing = &mut self.viewing;
        if viewing.source.is_new && viewing.views.progress().is_none() && viewing.views.page().is_some() {
            viewing.source.is_new = false;
            // What is shown at first takes no replay.
            viewing.told_position = viewing.views.page().map(|page| page.player.position());
            if viewing.kind == 0 && viewing.views.page().is_some_and(|page| !page.record.is_timed()) {
                // Who executed what was not recorded.
                viewing.kind = 1;
            }
            viewing.apply_sizes();
            viewing.apply_options();
            let loops = viewing.is_looping;
            viewing.views.play(|player| player.set_loops(loops));
            if !viewing.views.is_live() {
                viewing.views.measure();
            }
        }
    }
}
