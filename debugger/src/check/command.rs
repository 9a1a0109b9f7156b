//! `check pred SPEC {SPEC, ...}` and `check parall {SPEC, ...}` (Hyder 1994, section 6.5.3).
//!
//! A SPEC is a template (`Mult`, or `DoBTS.Mult` where several graphs have one: any of its instances),
//! instances by index (`Mult[3]`, in any instance of its graph) or by path (`/Mult[3]`,
//! `/dobts[2]/Mult[3]`; a step without its index stands for all), or either with a count (`Solve:3`).
//! Round brackets do as well as braces, and `parallel` as well as `parall`. Quantified predicates are commands as well;
//! their grammar is at [`predicate`](super::predicate).

use super::conjunctive::{self, Conjunct, Modality};
use super::linked;
use super::model::Model;
use super::path::{self, Path};
use super::predicate::{self, Predicate};
use super::spec::Parser;
pub use super::spec::{ParseError, Spec, Step};

/// A command of the checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Every event of `event` has an event of each of `before` before it.
    Pred {
        /// Which events.
        event: Spec,
        /// What is expected before each of them; not empty.
        before: Vec<Spec>,
        /// The command as it is shown.
        text: String,
    },
    /// Some events, one of each spec and of different actions, were concurrent.
    Parallel {
        /// Two or more.
        specs: Vec<Spec>,
        /// The command as it is shown.
        text: String,
    },
    /// A quantified predicate.
    Predicate {
        /// What is said.
        predicate: Box<Predicate>,
        /// The command as it is shown.
        text: String,
    },
    /// Events of each step, one causally after the other.
    Linked {
        /// For each step, what its event may be; not empty, nor is any step.
        steps: Vec<Vec<Spec>>,
        /// The command as it is shown.
        text: String,
    },
    /// The history as a whole is one of an expression.
    Path {
        /// The expression.
        path: Path,
        /// The command as it is shown.
        text: String,
    },
    /// Each chain of immediate orderings is a word of an expression.
    Chain {
        /// The expression; without concurrency.
        path: Path,
        /// The command as it is shown.
        text: String,
    },
    /// Conditions on the vars of actions hold at the same time.
    Conjunctive {
        /// In some order of events, or in every one.
        modality: Modality,
        /// The conditions; not empty.
        conjuncts: Vec<Conjunct>,
        /// The command as it is shown.
        text: String,
    },
    /// A drawn subgraph with rules.
    Model {
        /// The model.
        model: Box<Model>,
        /// The command as it is shown.
        text: String,
    },
}

impl Command {
    fn predicate(predicate: Predicate) -> Self {
        let text = predicate.to_string();
        Command::Predicate { predicate: Box::new(predicate), text }
    }

    /// The events that it names, in the order of the text; none for a model, which names them in a file of its own.
    pub fn specs(&self) -> Vec<&Spec> {
        match self {
            Command::Pred { event, before, .. } => std::iter::once(event).chain(before).collect(),
            Command::Parallel { specs, .. } => specs.iter().collect(),
            Command::Predicate { predicate, .. } => predicate.specs().collect(),
            Command::Linked { steps, .. } => steps.iter().flatten().collect(),
            Command::Path { path, .. } | Command::Chain { path, .. } => path.specs(),
            Command::Conjunctive { conjuncts, .. } => conjuncts.iter().map(|held| &held.spec).collect(),
            Command::Model { .. } => Vec::new(),
        }
    }

    /// The command as it is shown, in one spelling.
    pub fn text(&self) -> &str {
        match self {
            Command::Pred { text, .. }
            | Command::Parallel { text, .. }
            | Command::Predicate { text, .. }
            | Command::Linked { text, .. }
            | Command::Path { text, .. }
            | Command::Chain { text, .. }
            | Command::Conjunctive { text, .. }
            | Command::Model { text, .. } => text,
        }
    }
}

/// Reads a command; the word `check` may be left out.
///
/// # Errors
/// Where the text is no command.
///
/// ```
/// let command = hasse_debugger::check::command::parse("check pred /Solve:3 (Mult[2], Start)")?;
/// assert_eq!(command.text(), "check pred /Solve:3 {Mult[2], Start}");
/// # Ok::<(), hasse_debugger::check::command::ParseError>(())
/// ```
pub fn parse(text: &str) -> Result<Command, ParseError> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0, in_predicate: false };
    let mut verb = parser.word();
    if verb == "check" {
        parser.skip_space();
        verb = parser.word();
    }
    let command = match verb.as_str() {
        "pred" => {
            parser.skip_space();
            let event = parser.spec()?;
            let before = parser.list(1)?;
            let text = format!("check pred {event} {{{}}}", joined(&before));
            Command::Pred { event, before, text }
        }
        "parall" | "parallel" => {
            let specs = parser.list(2)?;
            let text = format!("check parall {{{}}}", joined(&specs));
            Command::Parallel { specs, text }
        }
        "forall" | "exists" | "never" => {
            parser.at -= verb.chars().count();
            parser.in_predicate = true;
            Command::predicate(predicate::read(&mut parser)?)
        }
        "linked" => {
            let (steps, text) = linked::parse(&mut parser)?;
            Command::Linked { steps, text }
        }
        "path" => {
            let (path, text) = path::parse_path(&mut parser)?;
            Command::Path { path, text }
        }
        "chain" => {
            let (path, text) = path::parse_chain(&mut parser)?;
            Command::Chain { path, text }
        }
        "possibly" | "definitely" => {
            let modality = if verb == "possibly" { Modality::Possibly } else { Modality::Definitely };
            let (conjuncts, text) = conjunctive::parse(&mut parser, modality)?;
            Command::Conjunctive { modality, conjuncts, text }
        }
        _ => {
            parser.at -= verb.chars().count();
            let hint = "say `check pred u {v, w}`, `check parall {u, v}` or `forall m: Mult, s: Solve where m -> s : ..`";
            return Err(parser.error("this is not a check".to_owned(), hint));
        }
    };
    parser.skip_space();
    if parser.at < parser.chars.len() {
        return Err(parser.error("the command ends here".to_owned(), "write one command at a time"));
    }
    Ok(command)
}

fn joined(specs: &[Spec]) -> String {
    specs.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
