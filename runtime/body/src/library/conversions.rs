//! Conversions from `any`, and the names of types.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const CONVERSIONS: Family = Family {
    title: "Types and conversions",
    about: r#"What is sent on a port of type `any` keeps its type; these functions say that it is of a certain one, and fail where it is not. Nothing is converted but an int, which is widened to a real. A struct type `S` of the program has its own `as_S(x)` and its constructor `S(...)`, which takes the fields in the order in which they are declared."#,
    functions: CONVERSIONS_FUNCTIONS,
};

const NOT_OF_TYPE: &str = "`x` is of another type; the message names both";

const CONVERSIONS_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "as_array(x: any) -> array",
        "`x`, which is an array; its items are not looked at.",
        NOT_OF_TYPE,
        "as_array([1, 2]).len() == 2",
    ),
    function("as_bool(x: any) -> bool", "`x`, which is a truth value.", NOT_OF_TYPE, "as_bool(true)"),
    function(
        "as_bytes(x: any) -> bytes",
        "`x`, which is bytes.",
        NOT_OF_TYPE,
        "as_bytes(blob(3)).len() == 3",
    ),
    function("as_char(x: any) -> char", "`x`, which is a char.", NOT_OF_TYPE, "as_char('x') == 'x'"),
    function("as_int(x: any) -> int", "`x`, which is an int.", NOT_OF_TYPE, "as_int(3) == 3"),
    function(
        "as_map(x: any) -> map",
        "`x`, which is a map; its values are not looked at.",
        NOT_OF_TYPE,
        "as_map(#{a: 1}).len() == 1",
    ),
    function(
        "as_matrix(x: any) -> matrix",
        "`x`, which is a matrix.",
        NOT_OF_TYPE,
        "as_matrix(identity(2)).rows() == 2",
    ),
    function(
        "as_real(x: any) -> real",
        "`x`, which is a real, or an int that is widened to one.",
        NOT_OF_TYPE,
        "as_real(3) == 3.0",
    ),
    function(
        "as_vector(x: any) -> vector",
        "`x`, which is a vector.",
        NOT_OF_TYPE,
        "as_vector(vector([1, 2])).len() == 2",
    ),
    function(
        "type_name(x: any) -> string",
        "The type of `x` as programs write it: `int`, `real`, ..., `array` for every array, the name of a struct type, `()` for nothing.",
        "",
        r#"type_name(2.5) == "real""#,
    ),
];
