//! Colors of bodies in Rust.
//!
//! What is in the libraries is not known here, so that no name counts as unknown: what is wrong, the Rust compiler says.

use std::collections::BTreeSet;

use super::token::{Token, TokenKind, is_solid, lines};
use crate::lex::rust::{KEYWORDS, pieces};
use crate::lex::{Kind, Piece};
use crate::names::{NameKind, Names};
use crate::rust_text::{locals, plain};

/// The tokens of a body in Rust, as for [`body`](super::body). Cost: linear in the text, times the number of names.
pub fn rust(text: &str, names: &Names) -> Vec<Vec<Token>> {
    let all = pieces(text);
    let own: BTreeSet<&str> = locals(text, false).into_iter().collect();
    let solid: Vec<usize> = (0..all.len()).filter(|idx| is_solid(&all[*idx])).collect();
    let spelled = |at: Option<&usize>| at.map_or("", |idx| &text[all[*idx].range.clone()]);
    let mut kinds: Vec<TokenKind> = all.iter().map(of_piece).collect();
    for (place, idx) in solid.iter().enumerate().filter(|(_, idx)| all[**idx].kind == Kind::Word) {
        let before = spelled(place.checked_sub(1).and_then(|place| solid.get(place)));
        let behind = [1, 2].map(|past| spelled(solid.get(place + past)));
        kinds[*idx] = of_word(&text[all[*idx].range.clone()], before, behind, &own, names);
    }
    lines(text, &all, kinds)
}

fn of_piece(piece: &Piece) -> TokenKind {
    match piece.kind {
        Kind::Space | Kind::Sign | Kind::Word => TokenKind::Plain,
        Kind::Number => TokenKind::Number,
        Kind::Quoted => TokenKind::String,
        Kind::Comment => TokenKind::Comment,
    }
}

/// What a word is between these pieces.
fn of_word(word: &str, before: &str, behind: [&str; 2], own: &BTreeSet<&str>, names: &Names) -> TokenKind {
    if KEYWORDS.contains(&word) {
        return TokenKind::Keyword;
    }
    let word = plain(word);
    let is_macro = behind[0] == "!" && matches!(behind[1], "(" | "[" | "{");
    match before {
        "." if behind[0] == "(" || behind[0] == "::" => return TokenKind::Function,
        "." => return TokenKind::Field,
        _ if is_macro || behind[0] == "(" && !own.contains(word) => return TokenKind::Function,
        "::" => return TokenKind::Plain,
        _ => {}
    }
    if behind[0] == "::" {
        return TokenKind::Plain;
    }
    if own.contains(word) {
        return TokenKind::Name(NameKind::Local);
    }
    if behind[0] == ":" && matches!(before, "{" | ",") {
        return TokenKind::Field;
    }
    match names.get(word) {
        Some(name) => TokenKind::Name(name.kind),
        None if word == "context" => TokenKind::Name(NameKind::BuiltIn),
        None if names.is_of_struct(word) => TokenKind::Function,
        None => TokenKind::Plain,
    }
}
