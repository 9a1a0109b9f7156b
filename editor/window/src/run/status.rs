//! Messages of the status line about a run: its beginning, each stop, its end, and why a command cannot be carried out.

/// The last announcement of a run.
pub(super) mod announcement;

use hasse_editor::run::{Button, Ended, Mode, RunPanel, RunState};
use hasse_editor::state::Status;
use hasse_runtime::control::ActionState;
use hasse_runtime::report::RunOutcome;

use crate::command::Command;
use crate::studio::Studio;
use announcement::Announced;

/// The outcome as a sentence.
fn outcome_text(ended: &Ended) -> String {
    let word = match ended.outcome {
        RunOutcome::Finished => "the run finished",
        RunOutcome::Failed => "the run failed",
        RunOutcome::Quiescent if !ended.cycle.is_empty() => "the run is deadlocked",
        RunOutcome::Quiescent => "the run is quiescent",
        RunOutcome::Stopped => "the run was ended",
    };
    if ended.reason.is_empty() { word.to_owned() } else { format!("{word}: {}", ended.reason) }
}

/// Reason of the present stop; empty while it is not known.
fn stop_reason(panel: &RunPanel) -> String {
    if panel.stop_action().is_some() && panel.stop_action() == panel.selected() {
        return panel.inspector().stop_reasons();
    }
    String::new()
}

/// The present stop: where, why, and how many actions are stopped.
fn stop_text(panel: &RunPanel, reason: &str) -> String {
    let Some(action) = panel.stop_action() else { return "Stopped: no action is executing".to_owned() };
    let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let more = match panel.stopped().1 {
        0 | 1 => String::new(),
        n_stopped => format!(" ({n_stopped} actions are stopped)"),
    };
    format!("Stopped at {action}{because}{more}")
}

/// Why no run can be stepped or stopped now; empty if one can.
fn state_problem(panel: &RunPanel) -> String {
    match panel.state() {
        RunState::Closed | RunState::Ready | RunState::Opening => {
            "no run is under way: F5 begins one".to_owned()
        }
        RunState::Over { .. } => "the run is over: F5 begins another one".to_owned(),
        RunState::Ending => "the run is ending".to_owned(),
        _ if !panel.run_mode().has_control() => {
            format!("a run in the mode {} cannot be stopped", panel.run_mode().name())
        }
        RunState::Running
        | RunState::Stopping
        | RunState::Nexting
        | RunState::Waiting
        | RunState::Stopped => String::new(),
    }
}

/// Why a command about the run cannot be carried out; `None` where it is none.
fn refusal(command: Command, panel: &RunPanel) -> Option<String> {
    let problem = state_problem(panel);
    let reason = match command {
        Command::Stop | Command::Next | Command::Continue | Command::End | Command::Step
            if !problem.is_empty() =>
        {
            problem
        }
        Command::Stop if panel.state().is_at_rest() => "the run is stopped already".to_owned(),
        Command::Stop => "the run is about to stop".to_owned(),
        Command::Next | Command::Continue | Command::Step if panel.state().is_busy() => {
            "nothing is stopped yet: F6 stops the run".to_owned()
        }
        Command::Step => match (panel.selected(), panel.stopped().0.first()) {
            (_, None) => "no action is stopped".to_owned(),
            (Some(path), _) if matches!(panel.action_state(path), Some(ActionState::Stopped(_))) => {
                match panel.inspector().is_stopped() {
                    true => format!("the body of {path} has ended: F10 goes on to the next stop"),
                    // Its values have not come yet.
                    false => return None,
                }
            }
            (Some(path), Some(first)) => {
                format!("{path} is not stopped: choose an action that is, such as {}", first.path)
            }
            (None, Some(first)) => {
                format!("no action is chosen: choose one that is stopped, such as {}", first.path)
            }
        },
        Command::Run if panel.state() == RunState::Ending => problem,
        _ => return None,
    };
    Some(format!("{}: {reason}", command.name()))
}

impl Studio {
    /// Writes into the status line what has become of the run, once for each beginning, stop and end.
    pub(super) fn announce_run(&mut self) {
        let not_run = self.not_run_text();
        let Some(running) = &mut self.running else { return };
        let panel = &running.panel;
        let state = panel.state();
        let reason = stop_reason(panel);
        let now = match (not_run, panel.ended()) {
            (Some(text), _) => Announced::NotRun(text),
            (None, Some(ended)) => Announced::End(ended.clone()),
            (None, None) if state.is_at_rest() && panel.n_stops() > 0 => {
                let is_known = match running.announced {
                    // A reason that was known stays when another action is looked at.
                    Announced::Stop(number, is_known) if number == panel.n_stops() => is_known,
                    _ => false,
                };
                Announced::Stop(panel.n_stops(), is_known || !reason.is_empty())
            }
            (None, None) if state.is_busy() && state != RunState::Ending => Announced::GoesOn,
            (None, None) => Announced::Nothing,
        };
        if now == running.announced {
            return;
        }
        let was_stopped = matches!(running.announced, Announced::Stop(..));
        running.announced = now.clone();
        let (text, is_refusal) = match &now {
            Announced::Nothing => return,
            Announced::GoesOn if was_stopped => ("the run goes on".to_owned(), false),
            Announced::GoesOn => ("the run has begun".to_owned(), false),
            Announced::Stop(..) => (stop_text(panel, &reason), false),
            Announced::End(ended) => {
                let is_refusal = matches!(ended.outcome, RunOutcome::Failed | RunOutcome::Quiescent);
                (outcome_text(ended), is_refusal)
            }
            Announced::NotRun(text) => (format!("Not run: {text}"), true),
        };
        self.editor.set_status(Status { text, is_refusal });
        if matches!(&now, Announced::End(ended) if ended.outcome == RunOutcome::Finished) {
            self.note_finished();
        }
    }

    /// Writes into the status line what could not be done, such as a step within a body that has no statements.
    pub(super) fn announce_problem(&mut self) {
        let Some(running) = &mut self.running else { return };
        let problem = running.panel.problem().lines().next().unwrap_or_default().to_owned();
        if running.announced_problem == problem {
            return;
        }
        running.announced_problem.clone_from(&problem);
        if !problem.is_empty() && running.panel.not_run().is_empty() {
            self.editor.set_status(Status { text: problem, is_refusal: true });
        }
    }

    /// Why the run that was asked for has not begun: the first error of the program, or else what the session says.
    pub(crate) fn not_run_text(&self) -> Option<String> {
        let said = self.running.as_ref()?.panel.not_run();
        if said.is_empty() {
            return None;
        }
        Some(match self.lists.first_error() {
            Some(error) => format!("{} {}: {}", error.code, error.place, error.message),
            None => said.to_owned(),
        })
    }

    /// Says why a command about the run cannot be carried out.
    pub(crate) fn explain_refusal(&mut self, command: Command) {
        let text = match &self.running {
            Some(running) => refusal(command, &running.panel),
            None => return,
        };
        if let Some(text) = text {
            self.editor.set_status(Status { text, is_refusal: true });
        }
    }

    /// Begins a run that executes the program, whatever the mode was.
    pub(crate) fn run_normally(&mut self) {
        self.set_mode(Mode::Full);
        self.press(Button::Run);
    }
}
