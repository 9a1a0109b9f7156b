//! Maps, ranges and functions.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const MAPS: Family = Family {
    title: "Maps, ranges and functions",
    about: r#"`#{a: 1}` is a map, `m.a` or `m["a"]` the value of a key, `()` if the key is missing; keys are strings, in alphabetical order. `0..3` is a range without its end, `0..=3` with it."#,
    functions: MAPS_FUNCTIONS,
};

const MAPS_FUNCTIONS: &[FunctionDoc] = &[
    function("end(range) -> int", "The end of a range.", "", "(0..3).end() == 3"),
    function(
        "fill_with(m: map, other: map)",
        "Adds what `m` has not, in place.",
        "",
        "let m = #{a: 1}; m.fill_with(#{a: 2, b: 3}); m.a == 1 && m.b == 3",
    ),
    function(
        "is_anonymous(f: function) -> bool",
        "Whether a function was written as `|x| ..`.",
        "",
        "let f = |x| x; f.is_anonymous",
    ),
    function("is_exclusive(range) -> bool", "Whether the end is not in it.", "", "(0..3).is_exclusive()"),
    function("is_inclusive(range) -> bool", "Whether the end is in it.", "", "(0..=3).is_inclusive()"),
    function(
        "keys(m: map) -> string[]",
        "In alphabetical order.",
        "",
        r#"#{b: 1, a: 2}.keys() == ["a", "b"]"#,
    ),
    function(
        "mixin(m: map, other: map)",
        "Adds everything of another map, in place.",
        "",
        "let m = #{a: 1}; m.mixin(#{a: 2}); m.a == 2",
    ),
    function("name(f: function) -> string", "The name of a function.", "", r#"Fn("abs").name() == "abs""#),
    function(
        "range(from: int, to: int) -> iterator; range(from: int, to: int, step: int) -> iterator; range(from: real, to: real, step: real) -> iterator",
        "Numbers from `from` to before `to`, to go over in `for`.",
        "the step is 0",
        "let s = 0; for i in range(0, 10, 3) { s += i; } s == 18",
    ),
    function(
        "set_tag(x: any, tag: int)",
        "Attaches a number to a value, in place, for the body's own use; it is lost when the value leaves the body.",
        "the tag does not fit 32 bits",
        "let x = 1; x.set_tag(7); x.tag == 7",
    ),
    function("start(range) -> int", "The beginning of a range.", "", "(1..3).start() == 1"),
    function("tag(x: any) -> int", "What `set_tag` attached; 0 else.", "", "let x = 1; x.tag() == 0"),
    function(
        "take(x: any) -> any",
        "Moves a value out; `()` stays.",
        "",
        "let a = [1]; let b = a.take(); b == [1] && a == ()",
    ),
    function("values(m: map) -> any[]", "In the order of the keys.", "", "#{b: 1, a: 2}.values() == [2, 1]"),
];
