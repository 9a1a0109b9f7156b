//! The facilities on one stream of events: display, checker, races, filing and saving (Hyder 1994, chapter 6).
//!
//! Batches go in as they come from the workers or from a file. They are sorted once; each event is then
//! restricted twice, to what is displayed and to what is checked, because the one set says nothing of the other
//! (section 6.1.1); and each facility takes the view that it was asked to take (table 6-1), filing and saving
//! included, which section 8.3.7 lists as unbuilt. What one facility is given does not depend on the others.
//!
//! No threads here: whoever owns the [`Facilities`] feeds them, on line on the thread that collects batches,
//! so that workers wait only when that thread is behind. Nothing is kept of an event beyond what sorting, the
//! restrictions and the checks of what is to come still need, unless it is saved.

mod availability;

use std::io;

use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::ActionId;
use hasse_model::plan::Plan;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::Names;

use crate::carry::TakenTooOften;
use crate::check::{CheckId, Checker, Verdict};
use crate::display::{self, Graphs};
use crate::race::{RaceDetector, RaceError, Races};
use crate::read::{Feed, ReadError, Summary};
use crate::restrict::{Batches, Restrictor};

pub use availability::{Facility, Mode};

/// What a facility is given (table 6-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Everything that was recorded.
    #[default]
    Record,
    /// The recorded events, restricted to the display set.
    Display,
    /// The recorded events, restricted to the check set.
    Check,
}

/// Why events could not be given to the facilities.
#[derive(Debug, thiserror::Error)]
pub enum FacilityError {
    /// The events cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The events contradict each other.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// Races cannot be looked for in these events.
    #[error(transparent)]
    Race(#[from] RaceError),
    /// What comes out could not be put anywhere.
    #[error("cannot write what the facilities give")]
    Write(#[from] io::Error),
}

/// Takes what comes out of the facilities while events go in.
pub trait Outlet {
    /// A line of the display, without its end.
    ///
    /// # Errors
    /// It cannot be shown.
    fn show(&mut self, line: &str) -> io::Result<()>;

    /// A batch to be filed.
    ///
    /// # Errors
    /// It cannot be written.
    fn file(&mut self, batch: &EventBatch) -> io::Result<()>;
}

/// What a restriction asks of each action.
pub type OptionOf<'a> = Box<dyn FnMut(ActionId, &Names) -> RecordOption + Send + 'a>;
/// A restriction to a set of actions.
pub type Restriction<'a> = Restrictor<OptionOf<'a>>;

/// The facilities that were asked for.
pub struct Facilities<'a> {
    feed: Feed,
    plan: &'a Plan,
    /// Restrictions to what is displayed and to what is checked.
    display_set: Option<Restriction<'a>>,
    check_set: Option<Restriction<'a>>,
    display: Option<View>,
    graphs: Graphs,
    /// Whether the graphs of what was recorded are kept where nothing is displayed.
    keeps_graphs: bool,
    checker: Option<Checker<'a>>,
    races: Option<RaceDetector>,
    filing: Option<(View, Batches)>,
    saving: Option<(View, Batches)>,
    saved: Vec<EventBatch>,
}

/// What the facilities have found, once there are no more events.
pub struct Findings {
    /// How complete the events were, and their names.
    pub summary: Summary,
    /// Verdicts in the order of the checks.
    pub verdicts: Vec<Verdict>,
    /// The races, where they were looked for.
    pub races: Option<Races>,
    /// Elaborated and program graph of what was displayed.
    pub graphs: Graphs,
    /// What was saved.
    pub saved: Vec<EventBatch>,
}

impl<'a> Facilities<'a> {
    /// No facility yet. `names` knows the labels of the program.
    pub fn new(names: Names, plan: &'a Plan) -> Self {
        Self {
            feed: Feed::new(names),
            plan,
            display_set: None,
            check_set: None,
            display: None,
            graphs: Graphs::default(),
            keeps_graphs: false,
            checker: None,
            races: None,
            filing: None,
            saving: None,
            saved: Vec::new(),
        }
    }

    /// Restricts the view [`View::Display`]; without this it is all that was recorded.
    #[must_use]
    pub fn display_set(mut self, set: Option<Restriction<'a>>) -> Self {
        self.display_set = set;
        self
    }

    /// Restricts the view [`View::Check`]; without this it is all that was recorded.
    #[must_use]
    pub fn check_set(mut self, set: Option<Restriction<'a>>) -> Self {
        self.check_set = set;
        self
    }

    /// Shows events as they come.
    #[must_use]
    pub fn display(mut self, view: Option<View>) -> Self {
        self.display = view;
        self
    }

    /// Keeps the elaborated and the program graph of what was recorded where nothing is displayed.
    #[must_use]
    pub fn keeping_graphs(mut self, keeps_graphs: bool) -> Self {
        self.keeps_graphs = keeps_graphs;
        self
    }

    /// Checks events, restricted to the check set.
    #[must_use]
    pub fn checker(mut self, checker: Option<Checker<'a>>) -> Self {
        self.checker = checker;
        self
    }

    /// Looks for races among all that was recorded.
    #[must_use]
    pub fn races(mut self, races: Option<RaceDetector>) -> Self {
        self.races = races;
        self
    }

    /// Files events.
    #[must_use]
    pub fn filing(mut self, view: Option<View>) -> Self {
        self.filing = view.map(|view| (view, Batches::new()));
        self
    }

    /// Saves events.
    #[must_use]
    pub fn saving(mut self, view: Option<View>) -> Self {
        self.saving = view.map(|view| (view, Batches::new()));
        self
    }

    /// The checker, to add and delete commands between batches.
    pub fn checker_mut(&mut self) -> Option<&mut Checker<'a>> {
        self.checker.as_mut()
    }

    /// The names announced so far.
    pub fn names(&self) -> &Names {
        self.feed.names()
    }

    /// Number of events delivered to the facilities so far, and of those that wait for others to come first.
    pub fn progress(&self) -> (u64, u64) {
        self.feed.progress()
    }

    /// Takes in a batch and gives everything that is causally complete with it to the facilities.
    ///
    /// # Errors
    /// Where events contradict each other, or the outlet fails.
    pub fn push(&mut self, batch: &EventBatch, outlet: &mut dyn Outlet) -> Result<(), FacilityError> {
        let Self {
            feed,
            plan,
            display_set,
            check_set,
            display,
            graphs,
            keeps_graphs,
            checker,
            races,
            filing,
            saving,
            saved,
        } = self;
        let mut outcome = Ok(());
        feed.lend(batch, &mut |event, names| {
            if outcome.is_err() {
                return;
            }
            outcome = (|| {
                let inconsistent =
                    |source| FacilityError::Inconsistent { event: names.event(event.id).to_string(), source };
                let views = Views {
                    displayed: restricted(event, names, display_set.as_mut()).map_err(inconsistent)?,
                    checked: restricted(event, names, check_set.as_mut()).map_err(inconsistent)?,
                    recorded: event,
                };
                if let Some(event) = display.and_then(|view| views.get(view)) {
                    outlet.show(&display::line(event, names, Some(plan)))?;
                    graphs.event(event);
                }
                if *keeps_graphs && display.is_none() {
                    graphs.event(views.recorded);
                }
                if let Some(checker) = checker {
                    match views.get(View::Check) {
                        Some(event) => checker.event(event, names).map_err(inconsistent)?,
                        None => checker.hide(event.id, names),
                    }
                }
                if let Some(races) = races {
                    races.event(views.recorded, names)?;
                }
                if let Some((view, batches)) = filing
                    && let Some(event) = views.get(*view)
                {
                    batches.push(&mut event.clone(), names, &mut |batch| outlet.file(batch))?;
                }
                if let Some((view, batches)) = saving
                    && let Some(event) = views.get(*view)
                {
                    batches.push(&mut event.clone(), names, &mut |batch| save(saved, batch))?;
                }
                Ok(())
            })();
        })?;
        for edit in &batch.edits {
            let batches = filing.iter_mut().chain(saving.iter_mut()).map(|(_, batches)| batches);
            batches.for_each(|batches| batches.push_edit(edit, feed.names()));
        }
        outcome
    }

    /// Files and saves what waits for a batch to be full; nothing is filed and saved from then on.
    ///
    /// # Errors
    /// Where the outlet fails.
    pub fn flush(&mut self, outlet: &mut dyn Outlet) -> Result<(), FacilityError> {
        let Self { filing, saving, saved, .. } = self;
        if let Some((_, batches)) = filing.take() {
            batches.finish(&mut |batch| outlet.file(batch))?;
        }
        if let Some((_, batches)) = saving.take() {
            batches.finish(&mut |batch| save(saved, batch))?;
        }
        Ok(())
    }

    /// What has been saved so far. Cost: a copy of it.
    pub fn saved_so_far(&self) -> Vec<EventBatch> {
        let pending =
            self.saving.iter().map(|(_, batches)| batches.pending()).filter(|batch| !batch.is_empty());
        self.saved.iter().chain(pending).cloned().collect()
    }

    /// Deletes a check between batches; gives its verdict so far.
    pub fn delete_check(&mut self, id: CheckId) -> Option<Verdict> {
        let Self { feed, checker, .. } = self;
        checker.as_mut()?.delete(id, feed.names())
    }

    /// The verdicts on what has come so far.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.checker.as_ref().map_or_else(Vec::new, |checker| checker.verdicts(self.feed.names()))
    }

    /// Returns whether the events so far have a race; `false` where race detection is off.
    pub fn has_race(&self) -> bool {
        self.races.as_ref().is_some_and(|races| races.found().n_first() > 0)
    }

    /// Gives everything that was found, when no more events come and all has been flushed.
    pub fn finish(self) -> Findings {
        let summary = self.feed.finish();
        let verdicts = self.checker.map_or_else(Vec::new, |checker| checker.finish(&summary.names));
        let races = self.races.map(RaceDetector::finish);
        Findings { verdicts, races, graphs: self.graphs, saved: self.saved, summary }
    }
}

/// One event as the facilities may see it.
struct Views<'e> {
    recorded: &'e EventRecord,
    displayed: Restricted,
    checked: Restricted,
}

/// `None`: the set is everything. `Some(None)`: the event is not in the set.
type Restricted = Option<Option<EventRecord>>;

fn restricted(
    event: &EventRecord,
    names: &Names,
    set: Option<&mut Restriction<'_>>,
) -> Result<Restricted, TakenTooOften> {
    set.map(|set| set.event(event, names).map(|record| record.cloned())).transpose()
}

impl Views<'_> {
    fn get(&self, view: View) -> Option<&EventRecord> {
        let restricted = match view {
            View::Record => return Some(self.recorded),
            View::Display => &self.displayed,
            View::Check => &self.checked,
        };
        restricted.as_ref().map_or(Some(self.recorded), Option::as_ref)
    }
}

fn save(saved: &mut Vec<EventBatch>, batch: &EventBatch) -> io::Result<()> {
    saved.push(batch.clone());
    Ok(())
}
