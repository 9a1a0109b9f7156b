//! Conversions from `any`: the value itself where it is of the type asked for, an error that names it
//! where it is not. An `int` is widened to a `real`; nothing else is converted.

use hasse_model::value::{StructType, Type};
use rhai::{Dynamic, Engine};

use super::limits::{Outcome, failure};
use super::registry::Common;
use crate::convert::{dynamic_from_value, value_from_dynamic};
use crate::edge::value_shown;

/// The types that have a conversion of their own, and its name.
const CONVERSIONS: [(&str, Type); 8] = [
    ("as_bool", Type::Bool),
    ("as_bytes", Type::Bytes),
    ("as_char", Type::Char),
    ("as_int", Type::Int),
    ("as_matrix", Type::Matrix),
    ("as_real", Type::Real),
    ("as_string", Type::String),
    ("as_vector", Type::Vector),
];

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    for (name, ty) in CONVERSIONS {
        common.register_fn(name, move |held: Dynamic| converted(name, &ty, held));
    }
    common.register_fn("as_array", as_array);
    common.register_fn("as_map", as_map);
    common.register_fn("type_name", type_name);
}

/// Registers `as_S(x)` of a struct type `S`: `x` where it is an `S` whose fields fit.
pub(crate) fn register_struct(engine: &mut Engine, ty: &StructType) {
    let name = format!("as_{}", ty.name());
    let ty = Type::Struct(ty.clone());
    engine.register_fn(name.clone(), move |held: Dynamic| converted(&name, &ty, held));
}

fn converted(name: &str, ty: &Type, held: Dynamic) -> Outcome<Dynamic> {
    let held = held.flatten();
    let fits = match ty {
        Type::Bool => held.is_bool(),
        Type::Int => held.is_int(),
        Type::Real => held.is_float(),
        Type::String => held.is_string(),
        _ => false,
    };
    if fits {
        return Ok(held);
    }
    let value = value_from_dynamic(&held)
        .map_err(|type_name| failure(format!("`{name}`: a {type_name} is no {ty}")))?;
    match ty.mismatch(&value) {
        None => Ok(ty.admit(value).map_or(held, dynamic_from_value)),
        Some(found) if found.path.is_empty() => {
            Err(failure(format!("`{name}`: {} is no {ty}", value_shown(&value))))
        }
        Some(found) => Err(failure(format!(
            "`{name}`: {}: {} is no {}",
            found.path,
            value_shown(&found.found),
            found.expected
        ))),
    }
}

/// `as_array(x)`: `x` where it is an array; its items are not looked at. Errors: `x` is none.
fn as_array(held: Dynamic) -> Outcome<Dynamic> {
    let held = held.flatten();
    if held.is_array() { Ok(held) } else { Err(other_than(&held, "array")) }
}

/// The error of what is no array or no map.
fn other_than(held: &Dynamic, ty: &str) -> Box<rhai::EvalAltResult> {
    let found =
        value_from_dynamic(held).map_or_else(|found| format!("a {found}"), |value| value_shown(&value));
    failure(format!("`as_{ty}`: {found} is no {ty}"))
}

/// `as_map(x)`: `x` where it is a map; its values are not looked at. Errors: `x` is none.
fn as_map(held: Dynamic) -> Outcome<Dynamic> {
    let held = held.flatten();
    if held.is_map() { Ok(held) } else { Err(other_than(&held, "map")) }
}

/// `type_name(x)`: the type of `x` as programs write it, string: `int`, `real`, ..., `array` for every
/// array, `map` for every map, the name of a struct type, `()` for nothing; for what cannot leave a body Rhai's name.
fn type_name(held: Dynamic) -> String {
    let held = held.flatten();
    if held.is_array() || held.is_map() {
        return if held.is_array() { "array" } else { "map" }.to_owned();
    }
    value_from_dynamic(&held).map_or_else(|found| found, |value| value.type_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn what_is_of_the_type_comes_back() {
        check("as_int(3) == 3 && as_bool(true) && as_char('x') == 'x'", "true");
        check("as_real(3)", "3.0");
        check("let x = \"a\"; x.as_string()", "a");
        check("as_vector(vector([1, 2])) == vector([1, 2])", "true");
        check("as_array([1, \"a\"]).len()", "2");
        check("as_bytes(blob(3)).len()", "3");
        check("as_map(#{a: 1}).len()", "1");
        check("as_matrix(identity(2)).rows()", "2");
    }

    #[test]
    fn what_is_not_is_named() {
        check_error("as_int(\"a\")", "`as_int`: the string \"a\" is no int");
        check_error("as_int(1.0)", "`as_int`: the real 1.0 is no int");
        check_error("as_vector([1.0])", "`as_vector`: the array [1.0] is no vector");
        check_error("as_string(#{a: 1})", "`as_string`: the map #{\"a\": 1} is no string");
        check_error("as_map([1])", "`as_map`: the array [1] is no map");
        check_error("as_array(1)", "`as_array`: the int 1 is no array");
        check_error("as_bool(())", "`as_bool`: () is no bool");
    }

    #[test]
    fn types_have_the_names_of_programs() {
        check(
            "[1, 1.0, true, 'c', \"s\", [], vector(0), identity(1), blob(), #{}].map(|x| type_name(x)) == [\"int\", \"real\", \"bool\", \"char\", \"string\", \"array\", \"vector\", \"matrix\", \"bytes\", \"map\"]",
            "true",
        );
    }
}
