//! The banner below the picture: how the last run ended, or why nothing was executed.

use hasse_editor::run::{Cause, Ended, Mode, PastRun};
use hasse_editor::target::Target;
use hasse_model::quantity::counted;
use hasse_runtime::report::RunOutcome;
use hasse_ui::{EditorWindow, Outcome as UiOutcome};
use slint::ComponentHandle;

use super::outcome_tone;
use crate::command::panel;
use crate::studio::Studio;

/// Subject of the banner.
enum Banner {
    /// The run that was asked for has not begun.
    NotRun,
    /// A record was looked at.
    LookedAt,
    /// A run ended.
    Ended(Ended),
}

/// The words of a link to a line of the program.
fn place_words(target: &Target, line: u32) -> String {
    match target.attribute.as_ref().filter(|held| held.key == "do") {
        Some(held) => format!("Line {} of the body", held.line.unwrap_or(1)),
        None => format!("Line {line}"),
    }
}

impl Studio {
    /// Subject of the banner; `None` while a run is under way, and once it was closed.
    fn banner(&self) -> Option<Banner> {
        let panel = &self.running.as_ref()?.panel;
        if !panel.not_run().is_empty() {
            return Some(Banner::NotRun);
        }
        let is_open = |run: &&PastRun| self.results.closed != Some(run.number);
        let last = panel.runs().next_back().filter(is_open)?;
        match &last.ended {
            Some(ended) => Some(Banner::Ended(ended.clone())),
            None if last.mode == Mode::PostMortem && !panel.state().is_under_way() => Some(Banner::LookedAt),
            None => None,
        }
    }

    /// Shows the banner.
    pub(super) fn show_outcome(&self, window: &EditorWindow) {
        let ui = window.global::<UiOutcome>();
        let banner = self.banner();
        ui.set_is_shown(banner.is_some());
        match banner {
            Some(Banner::Ended(ended)) => self.show_ended(&ui, &ended),
            Some(Banner::NotRun) => {
                ui.set_tone(outcome_tone(RunOutcome::Failed));
                ui.set_title("Not run".into());
                ui.set_detail(self.not_run_text().unwrap_or_default().into());
                let has_error = self.lists.first_error().is_some();
                ui.set_link(if has_error { "Show the error".into() } else { "".into() });
                self.show_no_run(&ui);
            }
            Some(Banner::LookedAt) => {
                ui.set_tone(outcome_tone(RunOutcome::Stopped));
                ui.set_title("Nothing was executed".into());
                let text = "The mode is post-mortem: it gives the record to displays and checks.";
                ui.set_detail(text.into());
                ui.set_link("Run normally".into());
                self.show_no_run(&ui);
            }
            None => {}
        }
    }

    /// Parts that only a run has.
    fn show_no_run(&self, ui: &UiOutcome<'_>) {
        ui.set_figures("".into());
        ui.set_left("".into());
        ui.set_has_results(false);
    }

    fn show_ended(&self, ui: &UiOutcome<'_>, ended: &Ended) {
        let Some(running) = &self.running else { return };
        ui.set_tone(outcome_tone(ended.outcome));
        ui.set_title(ended.title().into());
        ui.set_detail(ended.detail().into());
        ui.set_figures(ended.figures().into());
        let queues = running.panel.snapshot().map_or(&[][..], |snapshot| &snapshot.queues);
        let n_left = queues.iter().map(|queue| queue.n_values).sum::<u64>();
        // The reasons of other ends name what waits.
        ui.set_left(match ended.outcome {
            RunOutcome::Finished if n_left > 0 => format!("{} left", counted(n_left, "value")).into(),
            _ => "".into(),
        });
        ui.set_has_results(!ended.results.is_empty());
        ui.set_link(match ended.cause() {
            Some(Cause::Line(_, line)) => match running.panel.place_of_session_line(line) {
                Some(target) => place_words(&target, line).into(),
                None => "".into(),
            },
            Some(Cause::Cycle(_)) => "Show the cycle".into(),
            Some(Cause::Action(_)) => "Why does it wait?".into(),
            None => "".into(),
        });
    }

    /// Goes where the cause is seen, or does what is offered.
    pub(super) fn follow_outcome(&mut self) {
        match self.banner() {
            Some(Banner::Ended(ended)) => self.follow_ended(&ended),
            Some(Banner::NotRun) => {
                if let Some(target) = self.lists.first_error().map(|error| error.target.clone()) {
                    self.show_target(&target);
                    // A line of a body is shown where it can be mended.
                    if target.attribute.as_ref().is_none_or(|held| held.key != "do") {
                        self.show_problem_of(&target);
                    }
                }
            }
            Some(Banner::LookedAt) => self.run_normally(),
            None => {}
        }
    }

    fn follow_ended(&mut self, ended: &Ended) {
        let Some(running) = &mut self.running else { return };
        match ended.cause() {
            Some(Cause::Line(action, line)) => {
                running.panel.select(Some(action));
                if let Some(target) = running.panel.place_of_session_line(line) {
                    self.show_target(&target);
                }
            }
            Some(Cause::Cycle(actions)) => {
                let first = actions.first().cloned().unwrap_or_default();
                self.show_action(&first);
                self.show_panel(panel::ACTIONS);
            }
            Some(Cause::Action(action)) => {
                let action = action.to_owned();
                self.show_action(&action);
                if let Some(running) = &mut self.running {
                    running.panel.press(hasse_editor::run::Button::WhyAction);
                }
                self.show_panel(panel::ACTIONS);
            }
            None => {}
        }
    }

    /// Shows the values that are left.
    pub(super) fn show_values_left(&mut self) {
        self.show_panel(panel::VALUES);
    }

    /// Closes the banner.
    pub(super) fn close_outcome(&mut self) {
        let last = self.results.last;
        let Some(running) = &mut self.running else { return };
        if running.panel.not_run().is_empty() {
            self.results.change(|results| results.closed = last);
        } else {
            running.panel.forget_not_run();
        }
    }
}
