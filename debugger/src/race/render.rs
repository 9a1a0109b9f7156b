//! Races for a person and for a program.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use hasse_model::plan::Access;
use hasse_model::quantity::counted;

use super::place::Line;
use super::report::{EndReport, LostReport, OrderingReport, RaceReport, Report};

/// Writes a report for a person: first races in full, and with `shows_all` those behind them as well;
/// `program_path` stands before the line numbers.
pub fn render(report: &Report, program_path: &str, shows_all: bool) -> String {
    let mut text = String::new();
    put(&mut text, report, program_path, shows_all).expect("a string takes every write");
    text
}

fn put(text: &mut String, report: &Report, program_path: &str, shows_all: bool) -> std::fmt::Result {
    let (n_first, n_behind) = (report.n_first(), report.n_behind());
    let accesses =
        format!("{} to {}", counted(report.n_accesses, "access"), counted(report.n_objects, "shared object"));
    match (n_first, report.n_accesses) {
        (0, 0) => writeln!(text, "no races: no event accesses a shared object")?,
        (0, _) => writeln!(
            text,
            "no races: {accesses}; where one of two is a write, values or executions order them"
        )?,
        _ => {
            write!(text, "{} among {accesses}", counted(n_first, "first race"))?;
            if n_behind > 0 {
                write!(text, "; {} behind", counted(n_behind, "further race"))?;
            }
            if report.n_lost() > 0 {
                write!(text, "; {} may be lost", counted(report.n_lost(), "update"))?;
            }
            writeln!(text)?;
        }
    }
    for race in report.races.iter().filter(|race| shows_all || race.n_first > 0) {
        writeln!(text)?;
        put_race(text, race, program_path)?;
    }
    for lost in &report.lost {
        writeln!(text)?;
        put_lost(text, lost, program_path)?;
    }
    if let Some(orderings) = &report.orderings {
        writeln!(text)?;
        put_orderings(text, report.n_orderings, orderings, program_path)?;
    }
    Ok(())
}

fn put_race(text: &mut String, race: &RaceReport, program_path: &str) -> std::fmt::Result {
    let (earlier, later) = (&race.earlier, &race.later);
    writeln!(text, "race for {}: {} and {}", race.object, deed(earlier), deed(later))?;
    put_end(text, "earlier", earlier, program_path)?;
    put_end(text, "later  ", later, program_path)?;
    writeln!(text, "  the lock keeps the two apart, and nothing else says who comes first:")?;
    writeln!(text, "  {}", race.consequence)?;
    write!(text, "  missing: a chain of values and executions from {} to {}", earlier.event, later.event)?;
    match &race.last_known {
        Some(known) => writeln!(text, "; there is one from {known}")?,
        None => writeln!(text)?,
    }
    match &race.last_common {
        Some(common) => writeln!(text, "  last event before both: {common}")?,
        None => writeln!(text, "  nothing is known to be before both")?,
    }
    for (hint_idx, hint) in race.hints.iter().enumerate() {
        let word = if hint_idx == 0 { "hint:" } else { "or:  " };
        writeln!(text, "  {word} {hint}")?;
    }
    match (race.n_first, race.n_behind) {
        (0, 1) => writeln!(text, "  it is behind another race")?,
        (0, n_behind) => writeln!(text, "  one of {n_behind}, all behind other races")?,
        (1, 0) => {}
        (n_first, 0) => writeln!(text, "  one of {n_first}, none behind another race")?,
        (1, n_behind) => writeln!(
            text,
            "  {n_behind} more like it {} behind other races",
            if n_behind == 1 { "is" } else { "are" }
        )?,
        (n_first, n_behind) => {
            writeln!(
                text,
                "  one of {n_first}; {n_behind} more {} behind other races",
                if n_behind == 1 { "is" } else { "are" }
            )?;
        }
    }
    Ok(())
}

fn put_end(text: &mut String, word: &str, end: &EndReport, program_path: &str) -> std::fmt::Result {
    writeln!(text, "  {word}  {} {} it ({program_path}:{})", end.event, verb(end.access), end.line)?;
    end.share.iter().try_for_each(|share| {
        writeln!(text, "           shared by `{}` ({program_path}:{})", share.text, share.line)
    })
}

fn put_lost(text: &mut String, lost: &LostReport, program_path: &str) -> std::fmt::Result {
    let LostReport { object, reader, between, writer, n_updates } = lost;
    writeln!(
        text,
        "updates of {object} that may be lost: {n_updates}, such as that of {} ({program_path}:{})",
        between.event, between.line
    )?;
    writeln!(text, "  {} reads it before that ({program_path}:{})", reader.event, reader.line)?;
    writeln!(
        text,
        "  {} takes a value of {}, and writes it after that ({program_path}:{})",
        writer.event, reader.event, writer.line
    )?;
    writeln!(
        text,
        "  each is locked, but not what lies between them; nothing else keeps {} away",
        between.event
    )?;
    writeln!(
        text,
        "  hint: read and write {object} in one execution, if what is written depends on what was read"
    )
}

fn put_orderings(
    text: &mut String,
    n_orderings: u64,
    orderings: &[OrderingReport],
    program_path: &str,
) -> std::fmt::Result {
    let n_enforced: u64 = orderings.iter().map(|ordering| ordering.n_orderings).sum();
    writeln!(text, "orderings that only locks enforced: {n_enforced} of {n_orderings}")?;
    for ordering in orderings {
        let OrderingReport { object, earlier, later, n_orderings, n_races } = ordering;
        writeln!(
            text,
            "  {object}: {} ({program_path}:{}), then {} ({program_path}:{})",
            deed(earlier),
            earlier.line,
            deed(later),
            later.line
        )?;
        let rest = match n_orderings - n_races {
            0 => String::new(),
            n_others => format!("; {n_others} by way of an earlier race"),
        };
        writeln!(text, "    {n_orderings}, such as {} before {}{rest}", earlier.event, later.event)?;
    }
    Ok(())
}

/// `Look reads`
fn deed(end: &EndReport) -> String {
    format!("{} {}", end.template, verb(end.access))
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
    }
}

/// Writes a report for a program.
pub fn to_json(report: &Report) -> Json {
    let mut object = json!({
        "events": report.n_events,
        "accesses": report.n_accesses,
        "objects": report.n_objects,
        "first": report.n_first(),
        "behind": report.n_behind(),
        "lost": report.n_lost(),
        "races": report.races.iter().map(race_json).collect::<Vec<_>>(),
    });
    object["updates_that_may_be_lost"] = report.lost.iter().map(lost_json).collect();
    if let Some(orderings) = &report.orderings {
        object["shared_orderings"] = report.n_orderings.into();
        object["enforced_by_locks_only"] = orderings.iter().map(ordering_json).collect();
    }
    object
}

fn race_json(race: &RaceReport) -> Json {
    json!({
        "object": race.object,
        "first": race.n_first,
        "behind": race.n_behind,
        "example": {
            "is_first": race.n_first > 0,
            "earlier": end_json(&race.earlier),
            "later": end_json(&race.later),
            "last_known": race.last_known,
            "last_common": race.last_common,
            "consequence": race.consequence,
        },
        "hints": race.hints,
    })
}

fn lost_json(lost: &LostReport) -> Json {
    json!({
        "object": lost.object,
        "updates": lost.n_updates,
        "example": {
            "reader": end_json(&lost.reader),
            "between": end_json(&lost.between),
            "writer": end_json(&lost.writer),
        },
    })
}

fn ordering_json(ordering: &OrderingReport) -> Json {
    json!({
        "object": ordering.object,
        "orderings": ordering.n_orderings,
        "races": ordering.n_races,
        "example": { "earlier": end_json(&ordering.earlier), "later": end_json(&ordering.later) },
    })
}

fn end_json(end: &EndReport) -> Json {
    let access = match end.access {
        Access::Read => "read",
        Access::Write => "write",
    };
    let share = |share: &Line| json!({ "text": share.text, "line": share.line });
    json!({
        "event": end.event,
        "node": end.template,
        "access": access,
        "line": end.line,
        "share": end.share.iter().map(share).collect::<Vec<_>>(),
    })
}
