//! The player: the session goes to the moment that it is at, and it to the moment that the session has gone to.
//!
//! The slider and what can be counted in the record move at once. The state of the moment, which takes a replay, is asked of
//! the session, and shown once it is there.

use std::path::{Path, PathBuf};

use hasse_editor::state::Status as Said;
use hasse_editor::views::record::RecordSource;
use hasse_editor::views::select::Selection;
use hasse_ui::{EditorWindow, Views as UiViews};
use slint::ComponentHandle;

use crate::studio::Studio;

impl Studio {
    /// File of the record that is shown, if it is whole.
    fn record_file(&self) -> Option<&Path> {
        let views = &self.viewing.views;
        match views.source() {
            Some(RecordSource::File(path)) if views.page().is_some() && !views.is_live() => Some(path),
            _ => None,
        }
    }

    /// Returns true if a session can go to moments of the record that is shown.
    pub(crate) fn has_moments(&self) -> bool {
        let is_under_way = self.running.as_ref().is_none_or(|running| running.panel.state().is_under_way());
        !is_under_way && self.record_file().is_some()
    }

    fn position(&self) -> Option<u32> {
        self.viewing.views.page().map(|page| page.player.position())
    }

    /// Returns true if the session shows the moment that the player is at.
    pub(super) fn shows_moment(&self) -> bool {
        let (Some(running), Some(record), Some(page)) =
            (&self.running, self.record_file(), self.viewing.views.page())
        else {
            return false;
        };
        !page.player.is_playing() && running.panel.shows_moment(record, u64::from(page.player.position()))
    }

    /// Returns true if the session shows a moment at which the player is not.
    pub(super) fn has_other_moment(&self) -> bool {
        let moment = self.running.as_ref().and_then(|running| running.panel.moment());
        moment.is_some() && !self.shows_moment()
    }

    /// Asks the session for the moment that the player has been moved to.
    pub(crate) fn follow_player(&mut self) {
        let Some(page) = self.viewing.views.page() else { return };
        let position = page.player.position();
        if page.player.is_playing() || self.viewing.told_position == Some(position) {
            return;
        }
        let Some(record) = self.moments_file() else { return };
        self.viewing.told_position = Some(position);
        if let Some(running) = &mut self.running {
            running.panel.go_to_moment(&record, u64::from(position));
        }
    }

    /// Moves the player to where the session has gone by itself.
    pub(crate) fn follow_session(&mut self) {
        let Some(position) = self.running.as_mut().and_then(|running| running.panel.take_sought()) else {
            return;
        };
        let is_of_record = self.record_file().is_some_and(|record| {
            self.running.as_ref().is_some_and(|running| running.panel.shows_moment(record, position))
        });
        if let Some(position) = u32::try_from(position).ok().filter(|_| is_of_record) {
            self.viewing.told_position = Some(position);
            self.viewing.views.play(|player| {
                player.pause();
                player.seek(position);
            });
        }
    }

    fn moments_file(&self) -> Option<PathBuf> {
        self.record_file().filter(|_| self.has_moments()).map(Path::to_owned)
    }

    /// Goes to the next hit of a breakpoint in the record, or to the last one before the moment.
    pub(crate) fn go_to_hit(&mut self, is_back: bool) {
        let (Some(record), Some(position)) = (self.moments_file(), self.position()) else { return };
        self.viewing.views.play(|player| player.pause());
        let Some(running) = &mut self.running else { return };
        if running.panel.breakpoints().iter().all(|breakpoint| !breakpoint.is_enabled) {
            let text = "No breakpoint is set: F9 sets one on what is selected.".to_owned();
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        }
        // A hit is looked for from the moment that is seen.
        self.viewing.told_position = Some(position);
        if !running.panel.shows_moment(&record, u64::from(position)) {
            running.panel.go_to_moment(&record, u64::from(position));
        }
        running.panel.go_to_hit(&record, is_back);
    }

    /// Runs from the moment of the player on.
    pub(crate) fn fork(&mut self) {
        let (Some(record), Some(position)) = (self.moments_file(), self.position()) else { return };
        self.begin_record();
        self.viewing.told_position = Some(position);
        if let Some(running) = &mut self.running {
            // A moment within an event is left for the one before it: a fork begins between two events.
            running.panel.go_to_moment(&record, u64::from(position));
            running.panel.fork(&record);
        }
    }

    /// The instance whose events keys of the action go by: the selected one of the views, or else the action under debug.
    pub(crate) fn instance_of_player(&self) -> Option<u32> {
        let views = &self.viewing.views;
        let page = views.page()?;
        let selected = match views.selection() {
            Selection::Event(event) => Some(page.record.instance_of(event)),
            Selection::Action(instance) => Some(instance),
            Selection::Nothing | Selection::Template(_) | Selection::Arc(_) => None,
        };
        selected.or_else(|| {
            let path = self.running.as_ref()?.panel.selected()?;
            page.record.instances_by_path().get(path).copied()
        })
    }

    /// Goes to the moment after the next event of an action, or before its last one.
    pub(crate) fn play_action(&mut self, is_forward: bool) {
        let Some(instance) = self.instance_of_player() else { return };
        let Some(page) = self.viewing.views.page() else { return };
        let events = page.record.events_of(instance);
        let n_before = events.partition_point(|&event| event < page.player.position());
        let target = match is_forward {
            true => events.get(n_before).map(|event| event + 1),
            false => n_before.checked_sub(1).map(|last| events[last]),
        };
        let Some(target) = target else {
            let side = if is_forward { "later" } else { "earlier" };
            let text = format!("{} has no {side} event", page.record.instance_name(instance));
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        };
        self.viewing.views.play(|player| {
            player.pause();
            player.seek(target);
        });
    }

    /// Shows what has changed of the moment.
    pub(crate) fn show_player(&self, window: &EditorWindow) {
        let ui = window.global::<UiViews>();
        ui.set_has_moments(self.has_moments());
        let panel = self.running.as_ref().map(|running| &running.panel);
        ui.set_is_traveling(panel.is_some_and(|panel| panel.is_traveling()));
        let problem = panel.map_or("", |panel| panel.moment_problem()).lines().next().unwrap_or_default();
        ui.set_moment_problem(problem.into());
        let shown = panel.and_then(|panel| panel.moment()).filter(|_| self.shows_moment());
        let words = match (shown, self.viewing.views.page()) {
            (Some(moment), _) => {
                moment.text.split_once(": ").map_or(&*moment.text, |(_, words)| words).to_owned()
            }
            (None, None) => String::new(),
            (None, Some(page)) => match page.player.last() {
                None => "nothing has been executed".to_owned(),
                Some(last) => format!("after {}", page.record.event_name(last)),
            },
        };
        ui.set_moment(words.into());
    }
}
