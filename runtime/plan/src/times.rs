//! Times of nodes, as a graph instance has them.

use hasse_code::eval::{self, Env};
use hasse_code::frame::Frame;
use hasse_code::graph::GraphInstance;
use hasse_model::diagnostic::Location;
use hasse_model::plan::{Template, TimeSpan, UNITS_OF_TIME};

/// A time in nanoseconds, at most some 292 years.
pub fn nanos_of(time: &TimeSpan, graph: &GraphInstance) -> u64 {
    let env = Env { frame: None, locals: &[], params: &graph.params };
    // Graph instances are made of parameters that give times alone.
    let number = eval::eval_int(&time.number, &env).ok().and_then(|number| u64::try_from(number).ok());
    number.unwrap_or(0).saturating_mul(UNITS_OF_TIME[time.unit].1).min(i64::MAX as u64)
}

/// A time over the names of a template in nanoseconds.
///
/// # Errors
/// The number cannot be computed, or is negative.
pub fn nanos_in(time: &TimeSpan, frame: &Frame) -> Result<u64, String> {
    let number = eval::eval_int(&time.number, &Env { frame: Some(frame), locals: &[], params: &[] })?;
    let (unit, unit_nanos) = UNITS_OF_TIME[time.unit];
    let number =
        u64::try_from(number).map_err(|_| format!("the time of the rule is negative: {number} {unit}"))?;
    Ok(number.saturating_mul(unit_nanos).min(i64::MAX as u64))
}

/// The first time of a template that does not fit the parameters of a graph: its name, its place and the reason.
pub(crate) fn misfit_of(
    template: &Template,
    params: &[rhai::Dynamic],
) -> Option<(&'static str, Location, String)> {
    let env = Env { frame: None, locals: &[], params };
    let times = [
        ("every", &template.every, 1),
        ("after", &template.start_after, 0),
        ("deadline", &template.deadline, 1),
        ("backoff", &template.on_error.backoff, 0),
    ];
    times.into_iter().find_map(|(key, time, least)| {
        let time = time.as_ref()?;
        let message = match eval::eval_int(&time.number, &env) {
            Ok(number) if number < least => format!("is too short: {number} {}", UNITS_OF_TIME[time.unit].0),
            Ok(number) => {
                let (unit, nanos) = UNITS_OF_TIME[time.unit];
                let is_short_enough = i64::try_from(nanos).ok().and_then(|nanos| number.checked_mul(nanos));
                if is_short_enough.is_some() {
                    return None;
                }
                format!("is too long: {number} {unit}")
            }
            Err(message) => format!("cannot be computed: {message}"),
        };
        Some((key, template.at, message))
    })
}
