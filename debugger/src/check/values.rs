//! Which values of events checks ask for. Traces hold none: a run or replay captures them for the checks.

use hasse_model::id::TemplateId;
use hasse_model::plan::Plan;

use super::command::Command;
use super::moment::Moment;
use super::resolve::{self, ResolveError};
use super::spec::Spec;

/// Values of a node's events that some check asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuesWanted {
    /// The node.
    pub template: TemplateId,
    /// Values taken.
    pub took: bool,
    /// Vars before the body.
    pub before: bool,
    /// Vars after the body.
    pub after: bool,
    /// Values sent.
    pub sent: bool,
}

impl Command {
    /// The values that the command asks for, by node.
    ///
    /// # Errors
    /// Where it names what the program does not have.
    pub fn values(&self, plan: &Plan) -> Result<Vec<ValuesWanted>, ResolveError> {
        let mut wanted: Vec<ValuesWanted> = Vec::new();
        let mut want = |spec: &Spec, moment: Moment| -> Result<(), ResolveError> {
            let template = resolve::resolve(spec, plan)?.template;
            let of_template = match wanted.iter().position(|known| known.template == template) {
                Some(known) => &mut wanted[known],
                None => {
                    let nothing =
                        ValuesWanted { template, took: false, before: false, after: false, sent: false };
                    wanted.push_mut(nothing)
                }
            };
            match moment {
                Moment::Took => of_template.took = true,
                Moment::Before => of_template.before = true,
                Moment::After => of_template.after = true,
                Moment::Sent => of_template.sent = true,
            }
            Ok(())
        };
        match self {
            Command::Predicate { predicate, .. } => {
                for (spec, moment) in predicate.values() {
                    want(spec, moment)?;
                }
            }
            Command::Conjunctive { conjuncts, .. } => {
                for conjunct in conjuncts {
                    want(&conjunct.spec, Moment::Before)?;
                    want(&conjunct.spec, Moment::After)?;
                }
            }
            Command::Pred { .. }
            | Command::Parallel { .. }
            | Command::Linked { .. }
            | Command::Path { .. }
            | Command::Chain { .. }
            | Command::Model { .. } => {}
        }
        Ok(wanted)
    }
}
