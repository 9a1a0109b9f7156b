//! Breakpoints of one node or arc, as the picture sets and changes them.

use super::super::breakpoint::Breakpoint;
use super::super::facts::Facts;
use super::super::host::Request;
use super::super::point::{PointForm, PointPlace};
use crate::run::point::is_same_command;
use crate::target::Target;

use super::RunPanel;

impl RunPanel {
    /// The breakpoints on a node or an arc, those at lines of its body included, by number.
    pub fn breakpoints_on(&self, target: &Target) -> Vec<&Breakpoint> {
        let is_on = |held: &Target| held.graph == target.graph && held.part == target.part;
        self.breakpoints.iter().filter(|known| known.targets.iter().any(is_on)).collect()
    }

    /// The form of a new breakpoint on a node or an arc, or of one that is set; `None` on what takes none.
    pub fn point_form(&self, target: &Target, number: Option<u64>) -> Option<PointForm> {
        let facts = self.facts().map(AsRef::as_ref);
        let Some(number) = number else { return PointForm::new(target, facts) };
        let held = self.breakpoints.iter().find(|known| known.number == number)?;
        PointForm::of(held, target, facts?)
    }

    /// Number of the breakpoint at a place of a node or an arc that says nothing else.
    pub fn point_at(&self, target: &Target, place: PointPlace) -> Option<u64> {
        let facts = self.facts()?;
        let mut form = PointForm::new(target, Some(facts))?;
        form.place = place;
        let command = form.command(facts);
        let plan = facts.plan.as_deref();
        let on = self.breakpoints_on(target).into_iter();
        let mut same = on.filter(|known| is_same_command(&known.command, &command, plan));
        same.next().map(|known| known.number)
    }

    /// Sets a breakpoint at a place of a node or an arc, or deletes the one that stands there and says nothing else.
    pub fn toggle_point(&mut self, target: &Target, place: PointPlace) {
        if let Some(number) = self.point_at(target, place) {
            self.delete_breakpoint(number);
            return;
        }
        if let Some(mut form) = self.point_form(target, None) {
            form.place = place;
            let command = form.command(self.facts().map_or(&Facts::none(), AsRef::as_ref));
            self.ensure_session();
            self.host.send(Request::SetBreakpoint(command));
        }
    }

    /// Sets the breakpoint of a form. The one that it replaces is deleted once the session has set it;
    /// [`breakpoint_problem`](Self::breakpoint_problem) says why it could not.
    pub fn set_point(&mut self, form: &PointForm) {
        let command = form.command(self.facts().map_or(&Facts::none(), AsRef::as_ref));
        self.type_breakpoint(&command);
        self.typed_breakpoint.replaced = form.replaced();
    }

    /// Switches the breakpoints on a node or an arc off where one of them is on, else on.
    pub fn switch_points(&mut self, target: &Target) {
        let on: Vec<(u64, bool)> =
            self.breakpoints_on(target).iter().map(|known| (known.number, known.is_enabled)).collect();
        let is_enabled = !on.iter().any(|(_, is_enabled)| *is_enabled);
        on.into_iter().for_each(|(number, _)| self.enable_breakpoint(number, is_enabled));
    }
}
