//! Bytes and bits.

use super::doc::{Family, FunctionDoc, function};

/// The family.
pub(super) const BYTES: Family = Family {
    title: "Bytes and bits",
    about: "Bytes (`blob()` makes them) hold numbers from 0 to 255; `b[i]` is one. Bits of an int count from 0, the least; negative positions count from the greatest. Functions with `be` put the greatest byte first, those with `le` the least; a part is given by `from` and `len`, or by a range.",
    functions: BYTES_FUNCTIONS,
};

const BYTES_FUNCTIONS: &[FunctionDoc] = &[
    function(
        "as_string(b: bytes) -> string; as_string(x: any) -> string",
        "The text that bytes are in UTF-8; what is not becomes U+FFFD. Of what else is of type `any`: `x`, which is text.",
        "`x` is neither text nor bytes; the message names its type.",
        r#""ab".to_blob().as_string() == "ab""#,
    ),
    function(
        "bits(x: int) -> iterator; bits(x: int, from: int) -> iterator; bits(x: int, from: int, len: int) -> iterator",
        "The bits as truth values, to go over in `for`.",
        "",
        "let n = 0; for b in bits(5) { if b { n += 1; } } n == 2",
    ),
    function(
        "blob() -> bytes; blob(len: int) -> bytes; blob(len: int, byte: int) -> bytes",
        "No bytes, zeros, or a byte many times.",
        "",
        "blob(2, 7)[1] == 7",
    ),
    function("bytes(s: string) -> int", "The number of bytes of a text in UTF-8.", "", r#""ä".bytes == 2"#),
    function(
        "get_bit(x: int, bit: int) -> bool",
        "Whether a bit is set.",
        "there is no such bit",
        "get_bit(4, 2)",
    ),
    function(
        "get_bits(x: int, from: int, len: int) -> int; get_bits(x: int, range) -> int",
        "Some bits as a number.",
        "there are no such bits",
        "get_bits(12, 2, 2) == 3",
    ),
    function(
        "parse_be_float(b: bytes, from: int, len: int) -> real; parse_be_float(b: bytes, range) -> real",
        "The real that eight bytes are.",
        "",
        "let b = blob(8); b.write_be(0, 8, 1.5); b.parse_be_float(0, 8) == 1.5",
    ),
    function(
        "parse_be_int(b: bytes, from: int, len: int) -> int; parse_be_int(b: bytes, range) -> int",
        "The int that up to eight bytes are.",
        "",
        "let b = blob(2, 1); b.parse_be_int(0, 8) >> 48 == 257",
    ),
    function(
        "parse_le_float(b: bytes, from: int, len: int) -> real; parse_le_float(b: bytes, range) -> real",
        "The real that eight bytes are.",
        "",
        "let b = blob(8); b.write_le(0, 8, 1.5); b.parse_le_float(0, 8) == 1.5",
    ),
    function(
        "parse_le_int(b: bytes, from: int, len: int) -> int; parse_le_int(b: bytes, range) -> int",
        "The int that up to eight bytes are.",
        "",
        "blob(2, 1).parse_le_int(0, 2) == 257",
    ),
    function(
        "set_bit(x: int, bit: int, flag: bool)",
        "Sets or clears a bit, in place.",
        "there is no such bit",
        "let x = 0; x.set_bit(3, true); x == 8",
    ),
    function(
        "set_bits(x: int, from: int, len: int, bits: int); set_bits(x: int, range, bits: int)",
        "Replaces some bits, in place.",
        "there are no such bits",
        "let x = 0; x.set_bits(2, 2, 3); x == 12",
    ),
    function("to_blob(s: string) -> bytes", "The bytes of a text in UTF-8.", "", r#""A".to_blob()[0] == 65"#),
    function(
        "to_text(b: bytes) -> string",
        "The text that bytes are in UTF-8.",
        "they are not",
        r#"to_text("ä".to_blob()) == "ä""#,
    ),
    function(
        "write_ascii(b: bytes, from: int, len: int, s: string); write_ascii(b: bytes, range, s: string)",
        "Writes the ASCII characters of a text over some bytes, in place.",
        "",
        r#"let b = blob(2); b.write_ascii(0, 2, "hi"); b.as_string() == "hi""#,
    ),
    function(
        "write_be(b: bytes, from: int, len: int, x: int); write_be(b: bytes, range, x: int)",
        "Writes an int or real over some bytes, in place.",
        "",
        "let b = blob(8); b.write_be(0, 8, 1); b[7] == 1",
    ),
    function(
        "write_le(b: bytes, from: int, len: int, x: int); write_le(b: bytes, range, x: int)",
        "Writes an int or real over some bytes, in place.",
        "",
        "let b = blob(8); b.write_le(0, 8, 1); b[0] == 1",
    ),
    function(
        "write_utf8(b: bytes, from: int, len: int, s: string); write_utf8(b: bytes, range, s: string)",
        "Writes a text in UTF-8 over some bytes, in place.",
        "",
        r#"let b = blob(2); b.write_utf8(0, 2, "hi"); b.as_string() == "hi""#,
    ),
];
