//! What a person is told of races: names, lines of the program's file, what is missing and what to do.

use hasse_model::id::{EventId, ObjectId};
use hasse_model::plan::{Access, Plan};
use hasse_model::trace::Names;
use hasse_model::value::Value;

use super::access::RaceEnd;
use super::found::{OrderingGroup, RaceGroup, Races};
use super::lost::LostGroup;
use super::place::{Line, Places};

/// One of the two accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndReport {
    /// Path and count of the event.
    pub event: String,
    /// Name of its template.
    pub template: String,
    /// Reader or writer.
    pub access: Access,
    /// Line of the node in the program's file, from 1; 0 where it is not known.
    pub line: u32,
    /// The `share` lines that lead from the node to the object, its own first, then those of calls around it.
    pub share: Vec<Line>,
}

/// Races between instances of two templates for the objects of one declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceReport {
    /// Path of the object.
    pub object: String,
    /// The access that was granted first.
    pub earlier: EndReport,
    /// The other one.
    pub later: EndReport,
    /// The last event of the earlier one's action that is before the later one.
    pub last_known: Option<String>,
    /// The last event known that both come after.
    pub last_common: Option<String>,
    /// What depends on who comes first.
    pub consequence: String,
    /// What can be done: ways to order the two, and when nothing needs to be done.
    pub hints: Vec<String>,
    /// Number of first races.
    pub n_first: u64,
    /// Number of races behind another one.
    pub n_behind: u64,
}

/// Updates of one kind that may be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostReport {
    /// Path of the object.
    pub object: String,
    /// It reads the object, and sends a value to `writer`.
    pub reader: EndReport,
    /// It writes the object in between: what may be lost.
    pub between: EndReport,
    /// It writes the object last.
    pub writer: EndReport,
    /// How many.
    pub n_updates: u64,
}

/// Shared orderings of one kind that only locks enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderingReport {
    /// Path of the object of the first one.
    pub object: String,
    /// The access granted first.
    pub earlier: EndReport,
    /// The other one.
    pub later: EndReport,
    /// Number of orderings.
    pub n_orderings: u64,
    /// How many of them are races.
    pub n_races: u64,
}

/// All that is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of events seen.
    pub n_events: u64,
    /// Number of accesses to shared objects.
    pub n_accesses: u64,
    /// Number of objects accessed.
    pub n_objects: u64,
    /// Number of shared orderings between accesses.
    pub n_orderings: u64,
    /// Groups of races, those with first races first.
    pub races: Vec<RaceReport>,
    /// Updates that may be lost.
    pub lost: Vec<LostReport>,
    /// Shared orderings that only locks enforced; `None` where they were not asked for.
    pub orderings: Option<Vec<OrderingReport>>,
}

impl Report {
    /// Number of first races.
    pub fn n_first(&self) -> u64 {
        self.races.iter().map(|race| race.n_first).sum()
    }

    /// Number of races behind another one.
    pub fn n_behind(&self) -> u64 {
        self.races.iter().map(|race| race.n_behind).sum()
    }

    /// Number of updates that may be lost.
    pub fn n_lost(&self) -> u64 {
        self.lost.iter().map(|lost| lost.n_updates).sum()
    }
}

/// Finds the words for what was found: `text` is that of the program's file, `params` are those of the main graph.
pub fn report(found: &Races, names: &Names, plan: &Plan, params: &[(String, Value)], text: &str) -> Report {
    let places = Places { names, plan, params, text };
    let mut races: Vec<RaceReport> = found.groups.iter().map(|group| race_report(group, &places)).collect();
    races.sort_by_key(|race| race.n_first == 0);
    let lost = found.lost.iter().map(|group| lost_report(group, &places)).collect();
    let orderings = found.orderings.as_ref();
    Report {
        lost,
        n_events: found.n_events,
        n_accesses: found.n_accesses,
        n_objects: found.n_objects,
        n_orderings: found.n_orderings,
        races,
        orderings: orderings
            .map(|groups| groups.iter().map(|group| ordering_report(group, &places)).collect()),
    }
}

fn race_report(group: &RaceGroup, places: &Places<'_>) -> RaceReport {
    let race = &group.example;
    let path = |event: EventId| places.names.event(event).to_string();
    let object = places.names.object(race.object).to_string();
    let earlier = end_report(&race.earlier, race.object, places);
    let later = end_report(&race.later, race.object, places);
    RaceReport {
        consequence: consequence(&earlier, &later),
        hints: hints(&object, &earlier, &later),
        object,
        earlier,
        later,
        last_known: race.last_known.map(path),
        last_common: race.last_common.map(path),
        n_first: group.n_first,
        n_behind: group.n_behind,
    }
}

fn lost_report(group: &LostGroup, places: &Places<'_>) -> LostReport {
    let lost = &group.example;
    LostReport {
        object: places.names.object(lost.object).to_string(),
        reader: end_report(&lost.reader, lost.object, places),
        between: end_report(&lost.between, lost.object, places),
        writer: end_report(&lost.writer, lost.object, places),
        n_updates: group.n_updates,
    }
}

fn ordering_report(group: &OrderingGroup, places: &Places<'_>) -> OrderingReport {
    OrderingReport {
        object: places.names.object(group.object).to_string(),
        earlier: end_report(&group.earlier, group.object, places),
        later: end_report(&group.later, group.object, places),
        n_orderings: group.n_orderings,
        n_races: group.n_races,
    }
}

fn end_report(end: &RaceEnd, object: ObjectId, places: &Places<'_>) -> EndReport {
    let template = end.template.and_then(|template| places.plan.templates.get(template.idx()));
    EndReport {
        event: places.names.event(end.event).to_string(),
        template: template.map_or_else(|| "?".to_owned(), |known| places.plan.template_label(known)),
        access: end.access,
        line: template.map_or(0, |known| known.at.line),
        share: places.share_lines(end.event.action, end.access, object),
    }
}

fn consequence(earlier: &EndReport, later: &EndReport) -> String {
    let (first, second) = (&earlier.event, &later.event);
    match (earlier.access, later.access) {
        (Access::Write, Access::Read) => {
            format!("had {second} come first, it would have read what was there before {first}")
        }
        (Access::Read, Access::Write) => {
            format!("had {second} come first, {first} would have read what it wrote")
        }
        (Access::Write, Access::Write) | (Access::Read, Access::Read) => {
            format!(
                "had {second} come first, {first} would have worked on what it left, and have had the last word"
            )
        }
    }
}

/// Ways to order the two, or to do without.
fn hints(object: &str, earlier: &EndReport, later: &EndReport) -> Vec<String> {
    let (first, second) = (&earlier.template, &later.template);
    let order = if first == second {
        format!(
            "an arc by which each instance of {first} waits for a value of the one that is to come before it"
        )
    } else {
        format!(
            "an arc from {first} to {second}, or the other way round, with a value that the receiver waits for"
        )
    };
    let own = format!("one node that owns {object}, and to which the others send what they want of it");
    let fine = match (earlier.access, later.access) {
        (Access::Write, Access::Write) | (Access::Read, Access::Read) => {
            "nothing, if both come to the same in either order, as sums and writes to different elements do"
                .to_owned()
        }
        (Access::Read, Access::Write) => {
            format!("nothing, if {first} may see {object} as it is before or after {second}")
        }
        (Access::Write, Access::Read) => {
            format!("nothing, if {second} may see {object} as it is before or after {first}")
        }
    };
    vec![order, own, fine]
}
