//! The place in the record that the next session on a trace goes on at.

use std::io::Write;

use super::super::held::Origin;
use super::super::place::{KeptPlace, KeptPoint};
use super::Session;
use super::events::fault_at;
use super::travel::MomentPlace;
use crate::fault::Fault;

impl Session<'_, '_> {
    /// The place in the trace that the session is at; `None` where it has gone nowhere in it.
    pub(in super::super) fn kept_place(&self) -> Option<KeptPlace> {
        let travel = self.travel.as_ref().filter(|travel| travel.is_at)?;
        if !matches!(travel.events.0, Origin::Trace(_)) {
            return None;
        }
        let position = travel.place.position;
        let Some(within) = &travel.place.within else { return Some(KeptPlace { position, within: None }) };
        let names = travel.timeline.names();
        let path = names.action(within.event.action).to_string();
        let asked = path.clone();
        let view = self.ask(move |inspector| inspector.action(&asked)).ok()?.ok()?;
        let body = self.ask(move |inspector| inspector.body(&path)).ok()?.ok()?;
        let point = match (view.at, within.is_before()) {
            (Some(_), _) => KeptPoint::Statement(body.n_statements),
            (None, true) => KeptPoint::Before,
            (None, false) => KeptPoint::Ended,
        };
        Some(KeptPlace { position, within: Some((names.event(within.event).to_string(), point)) })
    }

    /// Goes to a place that was kept, and prints it.
    pub(in super::super) fn go_to_kept(
        &mut self,
        place: &KeptPlace,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let timeline = self.timeline()?;
        let Some((event, point)) = &place.within else {
            let position = place.position.min(timeline.moments().n_events());
            return self.open_and_report(MomentPlace { position, within: None }, out);
        };
        let event = timeline.find(event).map_err(|error| fault_at(error, 1))?;
        let path = timeline.names().action(event.action).to_string();
        match point {
            KeptPoint::Ended => return self.open_at_end(&timeline, event, 1, out),
            KeptPoint::Before => self.open_before(&timeline, event, 1)?,
            KeptPoint::Statement(number) => {
                self.open_before(&timeline, event, 1)?;
                self.go_through(&path, *number, 1)?;
            }
        }
        self.tell_moment(out)
    }
}
