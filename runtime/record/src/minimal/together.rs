//! Events that are noted together.

use hasse_model::digest::{Found, Row};
use hasse_model::event::SharedAccess;
use hasse_model::id::EventId;
use hasse_model::plan::Access;

use crate::event::{Done, Ending, EventRun};
use crate::instrumentation::Instrumentation;
use crate::minimal::kept::{Keep, Local};
use crate::minimal::{Gives, Minimal};

impl Minimal {
    /// Notes events of an action; `found` is what the first one has found at the object that all of them access.
    #[inline]
    pub(crate) fn end_together(
        &self,
        local: &mut Local,
        keep: &mut Keep,
        run: EventRun<'_, Self>,
        found: Option<SharedAccess>,
        done: Done<'_>,
    ) {
        let mut object = keep.at_object.filter(|_| found.is_some());
        let mut n_before = 0;
        for (rule, n_events) in run.parts(done.rule) {
            let row = Row {
                rule,
                senders: run.taken.iter().map(|stamp| stamp.history.later(n_before * run.step)),
                step: run.step,
                object: object.map(|object| object.found),
                n_events: n_events as u64,
                routes: done.routes,
                n_values: done.flow_successors,
            };
            local.digest.add_row(&mut keep.history, row);
            if let Some(object) = &mut object
                && object.found.access == Access::Write
            {
                object.found = Found { writer: keep.history.last(), n_readers: 0, ..object.found };
            }
            n_before += n_events as u64;
        }
        // All others take what the same actions have sent, which is then predicted.
        let mut choices = self.choices_of_first(keep, &run, &done);
        let are_settled = object.is_none_or(|object| object.is_settled);
        let n_told = match self.gives {
            Gives::Minimal if are_settled && run.answers.are_none() => u64::from(!choices.is_empty()),
            _ => run.n_events as u64,
        };
        let id_of = |step: u64| EventId { action: run.first.action, count: run.first.count + step };
        for step in 0..n_told {
            let effects = run.answers.of(step as usize);
            if self.gives == Gives::Minimal && are_settled && effects.is_empty() && choices.is_empty() {
                continue;
            }
            let mut record = local.buffer.record(id_of(step), run.rule_at(step as usize, done.rule));
            record.flow.extend(run.taken.iter().map(|stamp| Self::stepped(stamp, step * run.step).sender));
            record.shared.extend(found.map(|found| match step {
                0 => found,
                _ => found.left_by(id_of(step - 1)),
            }));
            if !are_settled {
                choices.accesses.push(0);
            }
            let ending = Ending { effects: effects.to_vec(), ..done.into() };
            self.end_record(local, record, std::mem::take(&mut choices), ending);
        }
        if let Some(object) = &mut object {
            object.last = Some(id_of(run.n_events as u64 - 1));
            keep.at_object = Some(*object);
        }
    }
}
