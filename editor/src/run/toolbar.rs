//! Which commands can be given when (Hyder 1994, figure of section 8.3.1).

use super::options::Mode;
use super::snapshot::RunState;

/// A button of the toolbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    /// Start a run, or a new one.
    Run,
    /// Stop all actions before their next computation.
    Stop,
    /// Let all stopped actions go on.
    Cont,
    /// Let all stopped actions go on to their next stop point.
    Next,
    /// End the run.
    End,
    /// Stop the action under debug.
    StopAction,
    /// Let the action under debug go on.
    ContAction,
    /// Let the action under debug go on to its next stop point.
    NextAction,
    /// Let the action under debug go on to the next statement of its body.
    StepAction,
    /// Explain why the action under debug is not firing.
    WhyAction,
}

impl Button {
    /// All, in the order of the toolbar.
    pub const ALL: [Self; 10] = [
        Self::Run,
        Self::Stop,
        Self::Cont,
        Self::Next,
        Self::End,
        Self::StopAction,
        Self::ContAction,
        Self::NextAction,
        Self::StepAction,
        Self::WhyAction,
    ];

    /// The word on it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Stop | Self::StopAction => "stop",
            Self::Cont | Self::ContAction => "cont",
            Self::Next | Self::NextAction => "next",
            Self::End => "end",
            Self::StepAction => "step",
            Self::WhyAction => "why",
        }
    }
}

/// What decides on a button.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    pub(super) state: RunState,
    /// Of the run under way.
    pub(super) mode: Mode,
    /// Whether there is anything to run.
    pub(super) has_subject: bool,
    /// Whether there is an action under debug, and whether it is stopped.
    pub(super) action: Option<bool>,
    /// True if its body can go on by a statement.
    pub(super) has_statement: bool,
}

/// Whether a button can be pressed.
pub(super) fn is_enabled(button: Button, now: Situation) -> bool {
    let has_control = now.mode.has_control();
    let state = now.state;
    let is_stopped = now.action == Some(true);
    match button {
        Button::Run => now.has_subject && !matches!(state, RunState::Opening | RunState::Ending),
        Button::Stop => has_control && matches!(state, RunState::Running | RunState::Nexting),
        Button::Cont => has_control && state.is_at_rest(),
        Button::Next => has_control && (state.is_at_rest() || state == RunState::Running),
        Button::End => state.is_under_way() && state != RunState::Ending,
        Button::StopAction => {
            has_control && now.action == Some(false) && (state.is_busy() || state.is_at_rest())
        }
        Button::ContAction => has_control && is_stopped && state.is_at_rest(),
        Button::NextAction => has_control && now.action.is_some() && state.is_at_rest(),
        Button::StepAction => has_control && now.has_statement && state.is_at_rest(),
        Button::WhyAction => now.action.is_some() && state.can_be_asked(),
    }
}
