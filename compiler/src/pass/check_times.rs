//! Times of nodes: periods of timers (`every`), times of start nodes (`after`), deadlines of bodies and pauses between their retries. The
//! number of each is an integer expression over creation parameters, or a constant.

use hasse_model::diagnostic::Diagnostic;
use hasse_model::plan::{Expr, TimeSpan, UNITS_OF_TIME};

use super::check_bounds::constant;
use super::pattern::param_scope;
use crate::decl::GraphDecl;
use crate::grammar::rules::{DelayText, parse_time};
use crate::scope::Scope;
use crate::session::{NameCodes, Session};
use crate::syntax::Unit;
use crate::text::Text;

/// Names from which times may be computed.
const OVER: &str = "the creation parameters";

/// Checks the times of all nodes of a graph, and sets them.
pub(crate) fn check_times(graph: &mut GraphDecl<'_>, session: &mut Session<'_>) {
    let scope = param_scope(graph);
    for node in &mut graph.nodes {
        let unit = node.unit;
        check_combinations(unit, session);
        let mut read = |text: &Option<Text>, what: &str, least: i64| {
            read_time(text.as_ref()?, what, least, &scope, session)
        };
        node.every = read(&unit.every, "the period of a timer", 1);
        node.start_after = read(&unit.after, "the time of a start node", 0);
        node.deadline = read(&unit.deadline, "a deadline", 1);
        node.backoff = read(&unit.backoff, "a pause between retries", 0);
    }
}

/// Reports keys that have no effect without another one, or contradict it.
fn check_combinations(unit: &Unit, session: &mut Session<'_>) {
    let mut report = |text: &Text, message: &str, help: &str| {
        let message = format!("`{}`: {message}", unit.name.text);
        session.report(Diagnostic::error("E0109", message, text.at(), "").with_help(help));
    };
    if let (Some(after), Some(_)) = (&unit.after, &unit.every) {
        let help = "a timer begins when the program starts; leave one of the two out";
        report(after, "a timer (`every`) cannot have a time at which it starts (`after`)", help);
    }
    if let (Some(backoff), None) = (&unit.backoff, &unit.retry) {
        let help = "say how many retries there may be, such as `retry = 3`, or leave `backoff` out";
        report(backoff, "`backoff` is the pause before a retry, and there is no `retry`", help);
    }
}

/// Reads a time over creation parameters.
fn read_time(
    text: &Text,
    what: &str,
    least: i64,
    scope: &Scope,
    session: &mut Session<'_>,
) -> Option<TimeSpan> {
    let whole = text.all();
    let time = match parse_time(&whole) {
        Ok(time) => time,
        Err(fault) => {
            let at = whole.at_range(fault.range);
            let message = format!("{what} is not a time: {}", fault.message);
            let help = "write a number and a unit, such as `\"100ms\"` or `\"2 * n s\"`";
            session.report(Diagnostic::error("E0109", message, at, "").with_help(help));
            return None;
        }
    };
    if let Some(span) = constant_time(&time, what, least, session)? {
        return Some(span);
    }
    let codes = NameCodes { hidden: "E0109", undefined: "E0109" };
    let expr = session.int_expression(&time.number, scope, "E0109", codes, OVER)?;
    if let Some(constant) = constant(&expr).filter(|constant| *constant < least) {
        session.report(misfit(&time, (what, "short"), &constant.to_string()));
        return None;
    }
    Some(TimeSpan { number: expr, unit: time.unit })
}

/// A time whose number is written out; `Some(None)` of another one, `None` of one that is too short or too long, which has been reported.
#[allow(clippy::option_option, reason = "the outer one is an error, as in all passes")]
pub(super) fn constant_time(
    time: &DelayText<'_>,
    what: &str,
    least: i64,
    session: &mut Session<'_>,
) -> Option<Option<TimeSpan>> {
    let number = time.number.as_str();
    let Ok(real) = number.parse::<f64>() else { return Some(None) };
    let nanos = (real * UNITS_OF_TIME[time.unit].1 as f64).round();
    if nanos < least as f64 || nanos >= i64::MAX as f64 {
        let fault = if nanos < least as f64 { "short" } else { "long" };
        session.report(misfit(time, (what, fault), number));
        return None;
    }
    Some(Some(TimeSpan { number: Expr::Int(nanos as i64), unit: 0 }))
}

fn misfit(time: &DelayText<'_>, (what, fault): (&str, &str), number: &str) -> Diagnostic {
    let message = format!("{what} is too {fault}: {number} {}", UNITS_OF_TIME[time.unit].0);
    Diagnostic::error("E0109", message, time.number.at(), "")
}
