//! Breakpoints as the commands that set them, in one spelling.

use std::fmt::Write;

use hasse_model::plan::{Access, Plan};

use crate::breakpoint::{Breakpoint, LogPart, Place, PointCommand, Reaction};
use crate::grammar::keyword::Keyword;
use crate::grammar::{arcs, commands};

/// The command that sets a breakpoint: read again, it is the same one.
pub fn shown(breakpoint: &Breakpoint, plan: &Plan) -> String {
    let keyword = Keyword::of(&breakpoint.reaction);
    let mut text = keyword.word().to_owned();
    if let Reaction::Watch(watched) = &breakpoint.reaction {
        let watched: Vec<&str> = watched.iter().map(|expression| expression.text()).collect();
        let _ = write!(text, " {}", watched.join(", "));
    }
    if let Some(selector) = &breakpoint.within {
        let _ = write!(text, " in {selector}");
    }
    let is_bare = breakpoint.within.is_none() && breakpoint.condition.is_none() && breakpoint.n_ignored == 0;
    // A breakpoint that says nothing else says its place.
    let must_say = is_bare && matches!(breakpoint.reaction, Reaction::Stop | Reaction::Once);
    if breakpoint.place != keyword.place() || must_say {
        let _ = write!(text, " {}", place(&breakpoint.place, plan));
    }
    if let Some(condition) = &breakpoint.condition {
        let _ = write!(text, " if {}", condition.text());
    }
    if breakpoint.n_ignored > 0 {
        let _ = write!(text, " after {}", breakpoint.n_ignored);
    }
    if let Reaction::When(commands) = &breakpoint.reaction {
        let commands: Vec<String> = commands.iter().map(command).collect();
        let _ = write!(text, " {{ {} }}", commands.join("; "));
    }
    text
}

fn place(place: &Place, plan: &Plan) -> String {
    match place {
        Place::Befcomp => "at befcomp".to_owned(),
        Place::Line(line) => format!("at line {line}"),
        Place::Aftcomp => "at aftcomp".to_owned(),
        Place::Send => "at send".to_owned(),
        Place::Failed => "at failed".to_owned(),
        Place::Arc(found) => {
            let mut texts: Vec<String> =
                found.iter().map(|arc| arcs::arc_text(plan, &plan.arcs[arc.idx()])).collect();
            texts.dedup();
            format!("on arc {}", texts.join(", "))
        }
        Place::Shared { shared, access } => {
            let access = match access {
                None => "",
                Some(Access::Read) => " read",
                Some(Access::Write) => " write",
            };
            format!("on shared {}{access}", arcs::shared_text(plan, shared))
        }
        Place::Creation(None) => "on create".to_owned(),
        Place::Creation(Some(selector)) => format!("on create {selector}"),
    }
}

fn command(command: &PointCommand) -> String {
    match command {
        PointCommand::Print(expression) => format!("print {}", expression.text()),
        PointCommand::Dump => "dump".to_owned(),
        PointCommand::Log(parts) => {
            let parts: String = parts.iter().map(log_part).collect();
            format!("log \"{parts}\"")
        }
        PointCommand::Assign { name, value } => format!("assign {name} = {}", value.text()),
        PointCommand::Where => "where".to_owned(),
        PointCommand::Stop => "stop".to_owned(),
    }
}

fn log_part(part: &LogPart) -> String {
    match part {
        LogPart::Text(text) => commands::escaped(text).replace('{', "{{").replace('}', "}}"),
        LogPart::Value(expression) => format!("{{{}}}", commands::escaped(expression.text())),
    }
}
