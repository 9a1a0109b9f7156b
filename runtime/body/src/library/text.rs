//! Text.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const TEXT: Family = Family {
    title: "Text",
    about: "A string is a sequence of Unicode characters; positions, lengths and widths count characters, from 0, and negative positions count from the end where that is said. `a + b` joins, `` `${x}` `` makes text of values.",
    functions: TEXT_FUNCTIONS,
};

const TEXT_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "chars(s: string) -> iterator; chars(s: string, from: int) -> iterator; chars(s: string, from: int, len: int) -> iterator",
        "The characters, to go over in `for`; also from a position on. A range may be given.",
        "",
        r#"let n = 0; for c in "abc".chars() { n += 1; } n == 3"#,
    ),
    function(
        "chr(code: int) -> char",
        "The character of a Unicode scalar value.",
        "there is none",
        "chr(8364) == '€'",
    ),
    function(
        "compare(s: string, t: string) -> int",
        "-1, 0 or 1: by the numbers of the characters.",
        "",
        r#"compare("a", "b") == -1"#,
    ),
    function(
        "count(s: string, part: string) -> int",
        "How often a part occurs, without overlap.",
        "the part is empty",
        r#"count("banana", "an") == 2"#,
    ),
    function(
        "crop(s: string, from: int); crop(s: string, from: int, len: int)",
        "Keeps a part of the text, in place; negative positions count from the end. A range may be given.",
        "",
        r#"let s = "hello"; s.crop(1, 3); s == "ell""#,
    ),
    function(
        "ends_with(s: string, part: string) -> bool; ends_with(s: string, part: char) -> bool",
        "Whether the text ends so.",
        "",
        r#"ends_with("a.png", ".png")"#,
    ),
    function(
        "format_real(x: real, digits: int) -> string; format_real(x: int, digits: int) -> string",
        "With so many digits behind the point.",
        "digits are not within 0..=340",
        r#"format_real(2.0 / 3.0, 3) == "0.667""#,
    ),
    function(
        "index_of(s: string, part: string) -> int; index_of(s: string, part: string, from: int) -> int; index_of(items: T[], x: T) -> int; index_of(items: T[], test: function) -> int",
        "Where a part, an item, or an item that passes a test, stands first; -1 where there is none.",
        "",
        r#"index_of("hello", "l") == 2 && [4, 5].index_of(5) == 1"#,
    ),
    function(
        "join(items: T[], separator: string) -> string; join(items: T[]) -> string",
        "The items as text, one behind the other.",
        "",
        r#"join([1, 2], ", ") == "1, 2""#,
    ),
    function(
        "key(s: string) -> int",
        "The index number of a text, by which instances and elements can be named: the same in all runs. Paths show the text.",
        "another text has the same number, which is improbable",
        r#"key_text(key("berlin")) == "berlin""#,
    ),
    function(
        "key_text(number: int) -> string",
        "The text of an index number that `key` has returned.",
        "it is no key",
        r#"key_text(key("berlin")) == "berlin""#,
    ),
    function(
        "lines(s: string) -> string[]",
        r#"The lines without their ends (`\n` or `\r\n`)."#,
        "",
        r#"lines("a\nb\n") == ["a", "b"]"#,
    ),
    function(
        "make_lower(s: string); make_lower(c: char)",
        "To lower case, in place.",
        "",
        r#"let s = "AB"; s.make_lower(); s == "ab""#,
    ),
    function(
        "make_upper(s: string); make_upper(c: char)",
        "To upper case, in place.",
        "",
        r#"let s = "ab"; s.make_upper(); s == "AB""#,
    ),
    function("ord(c: char) -> int", "The number of a character.", "", "ord('A') == 65"),
    function(
        "pad_left(s: string, width: int) -> string; pad_left(s: string, width: int, fill: char) -> string",
        "Filled up at the left, with blanks or a character.",
        "",
        r#"pad_left("7", 3, '0') == "007""#,
    ),
    function(
        "pad_right(s: string, width: int) -> string; pad_right(s: string, width: int, fill: char) -> string",
        "Filled up at the right, with blanks or a character.",
        "",
        r#"pad_right("ab", 3) + "|" == "ab |""#,
    ),
    function(
        "parse_float(s: string) -> real",
        "The number that a text is, without blanks around it.",
        "it is none",
        r#"parse_float("2.5") == 2.5"#,
    ),
    function(
        "parse_int(s: string) -> int; parse_int(s: string, base: int) -> int",
        "The int that a text is, to base 10 or another from 2 to 36.",
        "it is none",
        r#"parse_int("ff", 16) == 255"#,
    ),
    function(
        "parse_real(s: string) -> real",
        "The number that a text is; blanks around it do not count.",
        "it is none",
        r#"parse_real(" 1e3 ") == 1000.0"#,
    ),
    function(
        "repeat(s: string, n: int) -> string",
        "The text n times.",
        "n is negative",
        r#"repeat("ab", 3) == "ababab""#,
    ),
    function(
        "replace(s: string, find: string, with: string); replace(s: string, find: char, with: char)",
        "Replaces every occurrence, in place; text and characters may be mixed.",
        "what to find is empty",
        r#"let s = "banana"; s.replace("an", "x"); s == "bxxa""#,
    ),
    function(
        "replaced(s: string, find: string, with: string) -> string",
        "A copy with every occurrence replaced.",
        "what to find is empty",
        r#"replaced("banana", "an", "x") == "bxxa""#,
    ),
    function(
        "reversed(s: string) -> string",
        "The characters in reverse order.",
        "",
        r#"reversed("abc") == "cba""#,
    ),
    function(
        "split(s: string) -> string[]; split(s: string, at: string) -> string[]; split(s: string, at: string, n: int) -> string[]; split(s: string, place: int) -> string[]; split(items: T[], place: int) -> T[]",
        "Parts between blanks, or between occurrences of a text or character, n parts at most; or two parts at a position. An array is cut in place, and what is behind the place is given.",
        "",
        r#"split("a,b", ",") == ["a", "b"]"#,
    ),
    function(
        "split_rev(s: string, at: string) -> string[]; split_rev(s: string, at: string, n: int) -> string[]",
        "As `split`, from the end, the last part first.",
        "",
        r#"split_rev("a.b.c", ".", 2) == ["c", "a.b"]"#,
    ),
    function(
        "starts_with(s: string, part: string) -> bool; starts_with(s: string, part: char) -> bool",
        "Whether the text begins so.",
        "",
        r#"starts_with("hello", "he")"#,
    ),
    function(
        "sub_string(s: string, from: int) -> string; sub_string(s: string, from: int, len: int) -> string",
        "A part; negative positions count from the end. A range may be given.",
        "",
        r#"sub_string("hello", 1, 3) == "ell""#,
    ),
    function("to_binary(x: int) -> string", "In base 2.", "", r#"to_binary(5) == "101""#),
    function("to_chars(s: string) -> char[]", "The characters.", "", r#"to_chars("ab") == ['a', 'b']"#),
    function(
        "to_debug(x: any) -> string",
        "As in a program, with quotes.",
        "",
        r#"to_debug("a") == "\"a\"""#,
    ),
    function("to_hex(x: int) -> string", "In base 16.", "", r#"to_hex(255) == "ff""#),
    function(
        "to_lower(s: string) -> string; to_lower(c: char) -> char",
        "In lower case.",
        "",
        r#"to_lower("AB") == "ab""#,
    ),
    function("to_octal(x: int) -> string", "In base 8.", "", r#"to_octal(8) == "10""#),
    function(
        "to_string(x: any) -> string",
        "Its text on one line: of a long vector or a large matrix the numbers at the ends.",
        "",
        r#"to_string(1.5) == "1.5""#,
    ),
    function(
        "to_upper(s: string) -> string; to_upper(c: char) -> char",
        "In upper case.",
        "",
        r#"to_upper("ab") == "AB""#,
    ),
    function(
        "trim(s: string)",
        "Takes blanks and line ends off both ends, in place.",
        "",
        r#"let s = " a "; s.trim(); s == "a""#,
    ),
    function(
        "trimmed(s: string) -> string",
        "Without blanks and line ends at both ends.",
        "",
        r#"trimmed(" a ") == "a""#,
    ),
    function(
        "words(s: string) -> string[]",
        "What stands between blanks and line ends.",
        "",
        r#"words(" to  be ") == ["to", "be"]"#,
    ),
];
