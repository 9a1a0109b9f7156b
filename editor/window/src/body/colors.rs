//! Colors of tokens, which the window knows by number.

use hasse_editor::highlight::TokenKind;
use hasse_editor::names::NameKind;

/// The number of a kind: its place among the colors.
pub(crate) fn token_number(kind: TokenKind) -> i32 {
    match kind {
        TokenKind::Plain => 0,
        TokenKind::Keyword => 1,
        TokenKind::Number => 2,
        TokenKind::String => 3,
        TokenKind::Comment => 4,
        TokenKind::Name(NameKind::Local | NameKind::Bound) => 5,
        TokenKind::Name(NameKind::Var | NameKind::Shared) => 6,
        TokenKind::Name(NameKind::Index | NameKind::Param | NameKind::BuiltIn) => 7,
        TokenKind::Function => 8,
        TokenKind::Field => 9,
        TokenKind::Node | TokenKind::Port => 10,
        TokenKind::Unknown => 11,
    }
}

/// Colors of tokens, light and dark, by number.
pub(super) const TOKEN_COLORS: [([u8; 3], [u8; 3]); 12] = [
    ([0x1d, 0x21, 0x27], [0xdc, 0xde, 0xe5]),
    ([0x8a, 0x1c, 0x8a], [0xd1, 0x8d, 0xf0]),
    ([0x0a, 0x6b, 0x3c], [0x8f, 0xd6, 0xa4]),
    ([0xa3, 0x3a, 0x0e], [0xe8, 0xa3, 0x77]),
    ([0x6a, 0x73, 0x7d], [0x80, 0x86, 0x94]),
    ([0x1d, 0x21, 0x27], [0xdc, 0xde, 0xe5]),
    ([0x0b, 0x50, 0xa8], [0x86, 0xb8, 0xff]),
    ([0x8a, 0x5a, 0x00], [0xe8, 0xc0, 0x6a]),
    ([0x00, 0x69, 0x78], [0x6c, 0xd0, 0xdc]),
    ([0x45, 0x4c, 0x57], [0xb6, 0xbb, 0xc7]),
    ([0x5b, 0x3a, 0x9e], [0xb9, 0xa5, 0xf0]),
    ([0xc8, 0x23, 0x2c], [0xff, 0x8a, 0x8a]),
];
