//! Stops of the run: which action is looked at after each, and what a new run clears.

/// The stops of a run, as far as they were seen.
pub(super) mod seen;

use hasse_runtime::control::{ActionState, ActionSummary};

use super::super::options::Mode;
use super::super::snapshot::{RunState, Snapshot};
use super::super::toolbar::Button;
use crate::target::Target;

use super::RunPanel;
use seen::Stopped;

impl RunPanel {
    /// Sets the node whose action is looked at after a stop, where one of its actions is stopped: the one selected on the
    /// picture.
    pub fn set_preferred_node(&mut self, node: Option<Target>) {
        self.stops.preferred = node;
    }

    /// Number of stops since the window was opened.
    pub fn n_stops(&self) -> u64 {
        self.stops.n_stops
    }

    /// The action by which the present stop is shown; `None` where no action is stopped.
    pub fn stop_action(&self) -> Option<&str> {
        self.stops.action.as_deref().filter(|_| self.state.is_at_rest())
    }

    /// Why the last run that was asked for has not begun; empty if it has.
    pub fn not_run(&self) -> &str {
        &self.not_run
    }

    /// Forgets why the last run has not begun.
    pub fn forget_not_run(&mut self) {
        self.not_run.clear();
        self.version += 1;
    }

    /// Chooses an action of a node as the one under debug, a stopped one if there is, unless one of its actions is chosen
    /// already. After the end of a run, only of a node with one action.
    pub fn select_of_node(&mut self, node: &Target) {
        let is_of_node = self.selected.as_deref().is_some_and(|path| self.is_action_of(path, node));
        if is_of_node || !self.state.can_be_asked() {
            return;
        }
        let Some(snapshot) = self.snapshot.clone() else { return };
        let is_seen = |action: &&ActionSummary| {
            self.is_action_of(&action.path, node)
                && self.scope.as_ref().is_none_or(|scope| scope.holds(&action.path))
        };
        let stopped = snapshot.stopped.iter().find(is_seen);
        let template = node.node().and_then(|name| self.facts.as_ref()?.template_of(&node.graph, name));
        let count = snapshot.templates.iter().find(|count| Some(count.template) == template);
        let count = count.filter(|count| self.state.is_at_rest() || count.n_instances == 1);
        let found = stopped.or_else(|| count?.first.iter().find(is_seen));
        if let Some(path) = found.map(|action| action.path.clone()) {
            self.select(Some(&path));
        }
    }

    fn is_action_of(&self, path: &str, node: &Target) -> bool {
        self.facts.as_ref().is_some_and(|facts| {
            facts.nodes_of(path).iter().any(|known| known.graph == node.graph && known.part == node.part)
        })
    }

    /// Clears what belongs to the last run.
    pub(super) fn forget_run(&mut self, mode: Mode) {
        self.run_mode = mode;
        self.scope = None;
        self.counters = None;
        self.snapshot = None;
        self.queue = None;
        self.why.clear();
        self.not_run.clear();
        self.is_run_asked = false;
        self.stops.leave_run();
        self.travel.leave_moment();
        self.select(None);
        self.inspector.clear();
    }

    /// Notes that actions go on.
    pub(super) fn note_press(&mut self, button: Button) {
        match button {
            Button::Cont | Button::Next | Button::ContAction | Button::NextAction | Button::StepAction => {
                self.stops.has_gone_on = true;
            }
            Button::Run => {
                self.not_run.clear();
                self.is_run_asked = true;
            }
            Button::Stop | Button::End | Button::StopAction | Button::WhyAction => {}
        }
    }

    /// Notes a change of the state of the run.
    pub(super) fn note_state(&mut self, state: RunState) {
        self.stops.has_gone_on |= state.is_busy();
    }

    /// Takes a rest. After a stop, an action that is stopped is the one under debug: one of the preferred node, else the first
    /// that this stop has stopped. What was read again leaves the choice alone.
    pub(super) fn follow_rest(&mut self, snapshot: &Snapshot) {
        let new: Vec<&ActionSummary> =
            snapshot.stopped.iter().filter(|action| !self.stops.known.contains(&key(action))).collect();
        let is_stop = snapshot.state.is_at_rest() && (self.stops.has_gone_on || !new.is_empty());
        if is_stop {
            self.stops.n_stops += 1;
            self.inspector.set_outdated();
            let followed = self.followed(snapshot, &new);
            if followed.is_some() && followed != self.selected {
                self.select(followed.as_deref());
            }
            self.stops.action = followed;
        }
        self.stops.has_gone_on = false;
        self.stops.known = snapshot.stopped.iter().map(key).collect();
        self.select_first_stopped();
    }

    /// The action that a stop is shown by.
    fn followed(&self, snapshot: &Snapshot, new: &[&ActionSummary]) -> Option<String> {
        let all = snapshot.templates.iter().flat_map(|count| &count.first).chain(&snapshot.stopped);
        let is_stopped = |action: &&ActionSummary| matches!(action.state, ActionState::Stopped(_));
        let mut stopped = all.filter(is_stopped);
        if let Some(own) = stopped.find(|action| self.selected.as_deref() == Some(&*action.path)) {
            return Some(own.path.clone());
        }
        let is_preferred = |action: &&ActionSummary| {
            self.stops.preferred.as_ref().is_some_and(|node| self.is_action_of(&action.path, node))
        };
        let new = || new.iter().copied();
        let found = new().find(is_preferred).or_else(|| snapshot.stopped.iter().find(is_preferred));
        let found = found.or_else(|| new().next()).or_else(|| snapshot.stopped.first());
        found.map(|action| action.path.clone())
    }
}

fn key(action: &ActionSummary) -> Stopped {
    let point = match action.state {
        ActionState::Stopped(point) => Some(point),
        _ => None,
    };
    (action.path.clone(), action.count, point)
}
