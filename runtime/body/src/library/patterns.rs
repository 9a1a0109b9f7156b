//! Regular expressions.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const PATTERNS: Family = Family {
    title: "Regular expressions",
    about: "Patterns are those of the Rust crate [regex](https://docs.rs/regex/1/regex/#syntax): `\\d+`, `(?i)error`, `(?<year>\\d{4})`. A search takes time linear in the text, whatever the pattern. In quotes a backslash is written twice, in backquotes once.",
    functions: PATTERNS_FUNCTIONS,
};

const NO_PATTERN: &str = "the pattern cannot be read";

const PATTERNS_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "all_groups(s: string, pattern: string) -> map[]",
        "The groups of each match, without overlap.",
        NO_PATTERN,
        r#"all_groups("a1 b2", "([a-z])(\\d)").map(|g| g["2"]) == ["1", "2"]"#,
    ),
    function(
        "all_matches(s: string, pattern: string) -> string[]",
        "All parts that match, without overlap.",
        NO_PATTERN,
        r#"all_matches("a=1, b=22", "\\d+") == ["1", "22"]"#,
    ),
    function(
        "first_match(s: string, pattern: string) -> string or ()",
        "The first part that matches.",
        NO_PATTERN,
        r#"first_match("a=1, b=22", "\\d+") == "1""#,
    ),
    function(
        "groups(s: string, pattern: string) -> map or ()",
        "The groups of the first match by number, 0 for all of it, and by name.",
        NO_PATTERN,
        r#"groups("2026-11", "(?<year>\\d+)-(\\d+)").year == "2026""#,
    ),
    function(
        "is_match(s: string, pattern: string) -> bool",
        "True if a part of the text matches; `^` and `$` match its ends.",
        NO_PATTERN,
        r#"is_match("order 66", "\\d+$")"#,
    ),
    function(
        "replaced_matches(s: string, pattern: string, with: string) -> string",
        "A copy with every match replaced; `$1` and `${name}` stand for groups, `$$` for a dollar sign.",
        NO_PATTERN,
        r#"replaced_matches("Doe, Jane", "(\\w+), (\\w+)", "$2 $1") == "Jane Doe""#,
    ),
    function(
        "split_matches(s: string, pattern: string) -> string[]",
        "The parts between matches.",
        NO_PATTERN,
        r#"split_matches("a , b,c", "\\s*,\\s*") == ["a", "b", "c"]"#,
    ),
];
