//! Functions for the debugger's expressions alone, under names that no program can write: parts of values, elements of ports.

use std::any::TypeId;

use hasse_model::value::Side;
use rhai::{Dynamic, Engine, EvalAltResult, NativeCallContext};

use crate::convert::{StructObject, dynamic_from_value, value_from_dynamic};

/// Name of `slice(x, side, ..)`, a part of `x`. A side is a number, or `[low, high, n]` with `()` for an end that is not given and `n` added to
/// `high`.
pub const SLICE: &str = "slice$";
/// Name of `element(queues, [..])`, the values of an element of a port family.
pub const ELEMENT: &str = "element$";

/// Most sides of a part.
const MOST_SIDES: usize = 8;

type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// Registers the functions.
pub(crate) fn register(engine: &mut Engine) {
    for n_sides in 1..=MOST_SIDES {
        let types = vec![TypeId::of::<Dynamic>(); n_sides + 1];
        engine.register_raw_fn(SLICE, types, |_: NativeCallContext<'_>, given: &mut [&mut Dynamic]| {
            slice(given)
        });
    }
    let types = vec![TypeId::of::<Dynamic>(); 2];
    engine.register_raw_fn(ELEMENT, types, |_: NativeCallContext<'_>, given: &mut [&mut Dynamic]| {
        element(given)
    });
}

fn slice(given: &mut [&mut Dynamic]) -> Outcome<Dynamic> {
    let (held, sides) = given.split_first().expect("a part is one of something");
    let sides: Outcome<Vec<Side>> = sides.iter().map(|side| side_of(side)).collect();
    part(held, &sides?)
}

/// The part of what the interpreter holds; an array is not copied as a whole.
fn part(held: &Dynamic, sides: &[Side]) -> Outcome<Dynamic> {
    let Some((side, rest)) = sides.split_first() else { return Ok(held.flatten_clone()) };
    if let Ok(items) = held.as_array_ref() {
        let outside = || {
            let shape = format!("an array of {} items", items.len());
            hasse_model::value::SliceError::Outside { side: *side, shape }.to_string()
        };
        let at = |number: i64| usize::try_from(number).ok();
        return match *side {
            Side::One(number) => part(at(number).and_then(|at| items.get(at)).ok_or_else(outside)?, rest),
            Side::Range { low, high } => {
                let low = low.map_or(Some(0), at);
                let high = high.map_or(Some(items.len()), at);
                let range = low.zip(high).and_then(|(low, high)| items.get(low..high)).ok_or_else(outside)?;
                let parts: Outcome<Vec<Dynamic>> = range.iter().map(|item| part(item, rest)).collect();
                Ok(Dynamic::from_array(parts?))
            }
        };
    }
    let value = value_from_dynamic(held).map_err(|name| format!("a {name} has no parts"))?;
    let part = value.part(sides).map_err(|error| error.to_string())?;
    Ok(dynamic_from_value(part))
}

/// A type as programs call it.
fn type_name(of_interpreter: &str) -> &str {
    match of_interpreter {
        "i64" => "int",
        "f64" => "real",
        other => other,
    }
}

fn side_of(given: &Dynamic) -> Outcome<Side> {
    if let Ok(number) = given.as_int() {
        return Ok(Side::One(number));
    }
    let Ok(ends) = given.as_array_ref() else {
        return Err(format!("an index is a whole number, not a {}", type_name(given.type_name())).into());
    };
    let [low, high, beyond] = ends.as_slice() else { return Err("an index is one number".into()) };
    let end = |held: &Dynamic| match held.as_int() {
        Ok(number) => Ok(Some(number)),
        Err(_) if held.is_unit() => Ok(None),
        Err(found) => {
            let found = type_name(found);
            Err(Box::<EvalAltResult>::from(format!("the end of a range is a whole number, not a {found}")))
        }
    };
    let beyond = beyond.as_int().unwrap_or(0);
    Ok(Side::Range { low: end(low)?, high: end(high)?.map(|high| high.saturating_add(beyond)) })
}

fn element(given: &mut [&mut Dynamic]) -> Outcome<Dynamic> {
    let [queues, wanted] = given else { return Err("a port has one element at a time".into()) };
    let wanted: Vec<i64> = match wanted.as_int() {
        Ok(number) => vec![number],
        Err(_) => {
            let numbers = wanted.as_array_ref().map_err(|found| {
                format!("an element is named by a number or by an array of numbers, not by a {found}")
            })?;
            let numbers: Result<Vec<i64>, _> = numbers.iter().map(Dynamic::as_int).collect();
            numbers.map_err(|found| format!("an element is named by whole numbers, not by a {found}"))?
        }
    };
    let queues = queues.as_array_ref().map_err(|found| format!("a port is no {found}"))?;
    for queue in queues.iter() {
        let Some(queue) = queue.read_lock::<StructObject>() else {
            return Err("the port has no elements".into());
        };
        let [element, values] = queue.fields.as_slice() else { continue };
        let numbers = element.as_array_ref().map_err(|found| format!("an element is no {found}"))?;
        if numbers.iter().map(Dynamic::as_int).eq(wanted.iter().map(|&number| Ok(number))) {
            return Ok(values.clone());
        }
    }
    Ok(Dynamic::from_array(Vec::new()))
}
