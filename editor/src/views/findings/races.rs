//! Races as findings.

use hasse_debugger::race::{EndReport, LostReport, RaceReport, Report, render};
use hasse_model::plan::Access;
use hasse_model::quantity::counted;

use super::finding::{Evidence, Finding, Status, World};

/// A finding for each group of races, and for each of updates that may be lost; one that says that there are none.
pub(super) fn findings(query: usize, report: &Report, world: &World<'_>) -> Vec<Finding> {
    let text = render(report, world.program_path, false);
    if report.races.is_empty() && report.lost.is_empty() {
        let title = format!("no races among {} accesses to shared objects", report.n_accesses);
        let status = Status::Holds;
        return vec![Finding { query, status, title, evidence: Vec::new(), text, is_race: true }];
    }
    let finding = |title: String, evidence| Finding {
        query,
        status: Status::Violated,
        title,
        evidence,
        text: text.clone(),
        is_race: true,
    };
    let races = report.races.iter().map(|race| {
        let (earlier, later) = (&race.earlier.template, &race.later.template);
        let count = format!("{} first, {} behind others", race.n_first, race.n_behind);
        finding(format!("race for {} of {earlier} and {later} ({count})", race.object), of_race(race, world))
    });
    let lost = report.lost.iter().map(|lost| {
        let title = format!("{} of {} may be lost", counted(lost.n_updates, "update"), lost.object);
        finding(title, of_lost(lost, world))
    });
    races.chain(lost).collect()
}

fn of_race(race: &RaceReport, world: &World<'_>) -> Vec<Evidence> {
    let mut evidence = vec![end(&race.earlier, "first", &race.object, world)];
    evidence.push(end(&race.later, "then", &race.object, world));
    let both = [&*race.earlier.event, &*race.later.event];
    evidence.push(world.evidence(race.consequence.clone(), &both));
    evidence.extend(
        race.last_common.iter().map(|common| world.evidence(format!("both come after {common}"), &[common])),
    );
    evidence.extend(race.hints.iter().map(|hint| world.evidence(format!("possible: {hint}"), &[])));
    evidence
}

fn of_lost(lost: &LostReport, world: &World<'_>) -> Vec<Evidence> {
    vec![
        end(&lost.reader, "before", &lost.object, world),
        end(&lost.between, "then", &lost.object, world),
        end(&lost.writer, "at last", &lost.object, world),
    ]
}

fn end(end: &EndReport, when: &str, object: &str, world: &World<'_>) -> Evidence {
    let did = if end.access == Access::Write { "wrote" } else { "read" };
    let mut evidence = world.evidence(format!("{when}, {} {did} {object}", end.event), &[&end.event]);
    let lines = end.share.iter().filter_map(|share| world.line(share.line));
    evidence.targets.extend(lines);
    evidence
}
