//! The breakpoints of a session, as a list with their places on the picture and in the text.

use std::collections::BTreeMap;

use hasse_editor::edit::link::LinkList;
use hasse_editor::run::{Breakpoint as Listed, Facts, LineSpot};
use hasse_editor::target::Target;
use hasse_runtime::control::breakpoint::{Breakpoint, Place, PointCommand, Reaction};
use hasse_runtime::control::{grammar, statement_line};

use super::super::session::Session;

/// Breakpoints that do not count for the time being, by number.
pub(super) type Disabled = BTreeMap<u64, Breakpoint>;

/// Statements at which breakpoints at lines stop, by the line asked for: to find one takes a compilation of the body.
pub(super) type Statements = BTreeMap<u32, u32>;

/// All breakpoints, by number.
pub(super) fn listed(
    session: &Session<'_, '_>,
    disabled: &Disabled,
    facts: &Facts,
    statements: &mut Statements,
) -> Vec<Listed> {
    let known = session.subject.control.breakpoints();
    let n_hits =
        |number: u64| known.iter().find(|known| known.number == number).map_or(0, |known| known.n_hits);
    let plan = &session.subject.plan;
    let mut spot = |asked: u32| {
        let found = || statement_line(plan, asked).map_or(asked, |(_, statement)| statement);
        LineSpot { asked, statement: *statements.entry(asked).or_insert_with(found) }
    };
    let mut list = |number: u64, breakpoint: &Breakpoint, is_enabled: bool| Listed {
        number,
        command: grammar::shown(breakpoint, plan),
        targets: targets(breakpoint, facts),
        line: match breakpoint.place {
            Place::Line(line) => Some(spot(line)),
            Place::Befcomp
            | Place::Aftcomp
            | Place::Send
            | Place::Failed
            | Place::Arc(_)
            | Place::Shared { .. }
            | Place::Creation(_) => None,
        },
        condition: breakpoint
            .condition
            .as_ref()
            .map_or_else(String::new, |condition| condition.text().to_owned()),
        n_ignored: breakpoint.n_ignored,
        n_hits: n_hits(number),
        is_enabled,
        is_log_point: goes_on(&breakpoint.reaction),
    };
    let settings = &session.settings;
    let is_enabled = |number: &u64| !settings.disabled.contains(number);
    let enabled = settings.breakpoints.iter().map(|(number, found)| (*number, found, is_enabled(number)));
    let disabled = disabled.iter().map(|(&number, found)| (number, found, false));
    let all = enabled.chain(disabled).map(|(number, found, is_enabled)| list(number, found, is_enabled));
    let mut all: Vec<Listed> = all.collect();
    all.sort_by_key(|listed| listed.number);
    all
}

/// Whether actions go on behind it.
fn goes_on(reaction: &Reaction) -> bool {
    match reaction {
        Reaction::Stop | Reaction::Once => false,
        Reaction::When(commands) => !commands.iter().any(|command| matches!(command, PointCommand::Stop)),
        Reaction::Watch(_) => true,
    }
}

fn targets(breakpoint: &Breakpoint, facts: &Facts) -> Vec<Target> {
    let within =
        || breakpoint.within.as_ref().map_or_else(Vec::new, |selector| facts.nodes_of(&selector.to_string()));
    match &breakpoint.place {
        Place::Arc(arcs) => {
            let found = arcs.iter().filter_map(|arc| {
                let arc = facts.arcs.get(arc.idx())?;
                Some(Target::of_link(&arc.graph, LinkList::Arcs, arc.row?))
            });
            found.collect()
        }
        Place::Shared { shared, .. } => {
            let found = shared.iter().filter_map(|shared| facts.shared.get(shared.idx()));
            found.map(|(graph, name)| Target::of_node(graph, name)).collect()
        }
        Place::Creation(Some(selector)) => facts.nodes_of(&selector.to_string()),
        Place::Line(line) => facts.unit_of_line(*line).into_iter().collect(),
        Place::Creation(None) | Place::Befcomp | Place::Aftcomp | Place::Send | Place::Failed => within(),
    }
}
