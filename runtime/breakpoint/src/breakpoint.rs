//! User breakpoints as plain data: where, for which actions, on what condition, and what is then done.
//!
//! Source: Hyder 1994, section 7.2, with the kinds that section 8.3.7 asks for.

use hasse_body::effects::SharedContext;
use hasse_body::interrupt::StopSignal;
use hasse_body::script;
use hasse_body::statements::Statements;
use hasse_model::id::{ArcId, SharedId, TemplateId};
use hasse_model::plan::{Access, Plan};
use hasse_model::record_options::Selector;

use crate::expression::Expression;

/// A user breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Breakpoint {
    /// The actions that it is for; `None` for all. It binds to actions when they are created.
    pub within: Option<Selector>,
    /// Where in an execution.
    pub place: Place,
    /// What must hold.
    pub condition: Option<Expression>,
    /// So many hits are passed over before the first that counts.
    pub n_ignored: u64,
    /// What is done.
    pub reaction: Reaction,
}

/// A place in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Values are taken and locks granted; the body has not begun (`befcomp`).
    Befcomp,
    /// A statement of a body is about to begin on this line of the program file; where none begins on it, on the first
    /// line behind it, within the same body, on which one does. [`statement_line`](crate::breakpoint::statement_line) finds it.
    Line(u32),
    /// The body has ended; nothing is routed yet (`aftcomp`).
    Aftcomp,
    /// The routing rules are evaluated; nothing is sent yet.
    Send,
    /// The body, a guard or a sending has failed.
    Failed,
    /// A value is about to be sent along one of these arcs; the action is that of the sender.
    Arc(Vec<ArcId>),
    /// A lock on a shared object has been granted, at `befcomp`; `None`: for reading or writing.
    Shared {
        /// The declarations of the object.
        shared: Vec<SharedId>,
        /// How it is accessed.
        access: Option<Access>,
    },
    /// A value is about to be sent that creates an action; these actions if given, else any.
    Creation(Option<Selector>),
}

/// What a hit does.
#[derive(Clone, Debug, PartialEq)]
pub enum Reaction {
    /// Stops the action.
    Stop,
    /// Stops the action, and deletes the breakpoint.
    Once,
    /// Carries out commands in the context of the action.
    When(Vec<PointCommand>),
    /// Tells of each value that has changed since the last hit of the same action.
    Watch(Vec<Expression>),
}

/// A command at a breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum PointCommand {
    /// Prints a value.
    Print(Expression),
    /// Prints all names of the action.
    Dump,
    /// Prints a text with values in it: a log point.
    Log(Vec<LogPart>),
    /// Gives a var, a bound name or a shared name another value.
    Assign {
        /// The name.
        name: String,
        /// Its value.
        value: Expression,
    },
    /// Prints where the action is.
    Where,
    /// Stops the action.
    Stop,
}

/// A part of a log text.
#[derive(Clone, Debug, PartialEq)]
pub enum LogPart {
    /// As it stands.
    Text(String),
    /// A value.
    Value(Expression),
}

/// Where a breakpoint at a line of the program file stops: the node whose body the line is in, and the line of the
/// first statement that begins there or behind. `None` where the line is in no body, or where no statement follows.
/// Cost: compiles the body.
pub fn statement_line(plan: &Plan, line: u32) -> Option<(TemplateId, u32)> {
    let engine = script::engine(&SharedContext::default(), &StopSignal::default(), &plan.structs);
    plan.templates.iter().enumerate().find_map(|(template_idx, template)| {
        let script = &plan.scripts[template.body_script()?.idx()];
        let n_lines = script.text.lines().count().max(1) as u32;
        if line < script.at.line || line >= script.at.line + n_lines {
            return None;
        }
        let ast = script::compile(&engine, script).ok()?;
        let line = Statements::of(&ast, script).line_from(line)?;
        Some((TemplateId::from_idx(template_idx), line))
    })
}
