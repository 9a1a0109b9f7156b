//! What a kind of check is to the checker: it says which actions it is interested in, takes their events in causal
//! order, and can be asked for its verdict at any time.
//!
//! A further kind is a file with an implementation of [`Check`], a variant of
//! [`Command`](super::command::Command), and one line in [`Checker::add`](super::Checker::add).

use std::fmt;

use hasse_model::event::EventRecord;
use hasse_model::id::{ActionId, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::trace::{Names, RecordingMode};
use hasse_model::value::Value;

use super::bindings::Place;
use super::evidence::{Evidence, Senders, World};
use super::log::Log;
use super::pred::PredCheck;
use super::resolve::Target;
use super::verdict::Verdict;
use crate::clock::Clock;

/// What a check wants of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Interest {
    /// Nothing: its events are not shown to the check.
    None,
    /// Its events.
    Events,
    /// Its events, and a slot in the clocks that holds the count of its last event.
    Clock,
}

/// One kind of check behind a verdict.
pub(super) trait Check: fmt::Debug + Send {
    /// What it wants of an action; asked once, when the action's first event comes after the check was added.
    fn interest(&self, action: ActionId, names: &Names) -> Interest;

    /// Where the actions are that it may be interested in; `None`: anywhere. It is asked about no others.
    fn places(&self) -> Option<Vec<Place>> {
        None
    }

    /// Learns how events are recorded, before the first one; else in full.
    fn expect_mode(&mut self, _mode: RecordingMode) {}

    /// Takes in an action that it is interested in; with its slot in the clocks where it asked for one.
    fn bind(&mut self, _action: ActionId, _slot: Option<usize>, _names: &Names) {}

    /// Templates for whose events it will ask how the values came ([`Context::evidence`]).
    fn subjects(&self) -> Vec<TemplateId> {
        Vec::new()
    }

    /// Templates of whose events it will ask whether they may have successors ([`Senders::may_have_successors`]).
    fn sources(&self) -> Vec<TemplateId> {
        Vec::new()
    }

    /// Whether it looks at the last events ([`Context::log`]); each then costs a copy.
    fn wants_log(&self) -> bool {
        false
    }

    /// The specs that it names, each with whether an event of it has come. Their order does not change.
    fn named(&self, names: &Names) -> Vec<(&Target, bool)>;

    /// Takes in the next event, in causal order, of the actions that it is interested in.
    fn event(&mut self, context: &Context<'_>);

    /// The verdict on what has come so far.
    fn verdict(&self, end: &End<'_>) -> Verdict;

    /// Itself, where it is `check pred`, to which alternatives can be added.
    fn as_pred(&mut self) -> Option<&mut PredCheck> {
        None
    }
}

/// An event and what is known of it.
pub(super) struct Context<'c> {
    pub(super) event: &'c EventRecord,
    /// The how-manieth event delivered, from 1.
    pub(super) number: u64,
    pub(super) names: &'c Names,
    pub(super) plan: &'c Plan,
    /// Parameters of the main graph.
    pub(super) params: &'c [(String, Value)],
    /// The clock of its strict past.
    pub(super) before: &'c Clock,
    /// The clock of its past, itself included.
    pub(super) clock: &'c Clock,
    pub(super) senders: &'c Senders,
    /// The last events, this one included; where some check wants them.
    pub(super) log: Option<&'c Log>,
    /// Whether records are restricted.
    pub(super) is_restricted: bool,
}

impl<'c> Context<'c> {
    /// What names and lines are looked up in.
    pub(super) fn world(&self) -> World<'c> {
        let Self { names, plan, params, is_restricted, .. } = *self;
        World { names, plan, params, is_restricted }
    }

    /// How the event's immediate predecessors reached it.
    pub(super) fn evidence(&self) -> Vec<Evidence> {
        self.senders.evidence(self.event, self.world())
    }
}

/// What a verdict needs beside the check.
pub(super) struct End<'c> {
    pub(super) names: &'c Names,
    pub(super) plan: &'c Plan,
    /// Parameters of the main graph.
    pub(super) params: &'c [(String, Value)],
    /// The last events; where some check wants them.
    pub(super) log: Option<&'c Log>,
    /// Whether records are restricted.
    pub(super) is_restricted: bool,
    /// What `pred` commands expect before something.
    pub(super) specs: &'c [SpecSlot],
    /// Whether no further event will come.
    pub(super) is_over: bool,
}

impl<'c> End<'c> {
    /// What names and lines are looked up in.
    pub(super) fn world(&self) -> World<'c> {
        let Self { names, plan, params, is_restricted, .. } = *self;
        World { names, plan, params, is_restricted }
    }
}

/// A set of events with a slot in the clocks, which holds 1 where one of them is in the past.
#[derive(Clone, Debug)]
pub(super) struct SpecSlot {
    pub(super) target: Target,
    pub(super) slot: usize,
    /// Number of events delivered when it was added: of these it says nothing.
    pub(super) since: u64,
    /// Number of checks that ask for it; at 0 its slot is left as it is.
    pub(super) n_users: usize,
    /// Number of its events that the check set hides.
    pub(super) n_hidden: u64,
}
