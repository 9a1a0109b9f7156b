//! Colors of texts: what each piece of a body, a rule or an arc is.
//!
//! Total: any text has tokens, and the tokens of a line make up the line. A name is told by what the node declares; what
//! a body binds itself counts as a local name in all of its text.

use hasse_compiler::delay_keywords;
use hasse_model::function::FunctionTable;

use crate::lex::{KEYWORDS, Kind, Piece, pieces};
use crate::names::{NameKind, Names, locals};

/// Bodies in Rust.
mod rust;
/// Tokens, and cutting them into lines.
pub(super) mod token;
/// Program files.
mod toml;

pub use rust::rust;
pub use token::{Token, TokenKind};
use token::{is_solid, lines};
pub use toml::toml;

/// What a line that is no body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// A firing rule.
    Firing,
    /// A routing rule.
    Routing,
    /// An arc.
    Arc,
    /// A share line.
    Share,
}

/// The tokens of a body (`do`, `init`) in Rhai, line by line, without the line feeds; one line more than there are line feeds.
/// Cost: linear in the text, times the number of names.
pub fn body(text: &str, names: &Names, functions: &FunctionTable) -> Vec<Vec<Token>> {
    let own = locals(text, false);
    let defined = defined(text);
    let view = View { text, names, functions, own: &own, defined: &defined };
    let all = pieces(text);
    let kinds = (0..all.len()).map(|idx| view.expression(&all, idx)).collect();
    lines(text, &all, kinds)
}

/// The tokens of a rule, arc or share line, as for [`body`].
pub fn line(text: &str, notation: Notation, names: &Names, functions: &FunctionTable) -> Vec<Vec<Token>> {
    let all = pieces(text);
    let own = match notation {
        Notation::Firing | Notation::Routing => locals(text, false),
        Notation::Arc | Notation::Share => Vec::new(),
    };
    let view = View { text, names, functions, own: &own, defined: &[] };
    let kinds = match notation {
        Notation::Firing => view.rule(&all, "->"),
        Notation::Routing => view.rule(&all, "<-"),
        Notation::Arc => view.link(&all, "->"),
        Notation::Share => view.link(&all, "--"),
    };
    lines(text, &all, kinds)
}

/// Functions that a text defines.
fn defined(text: &str) -> Vec<&str> {
    let words: Vec<_> = pieces(text).into_iter().filter(|piece| piece.kind == Kind::Word).collect();
    let pairs = words.windows(2).filter(|pair| &text[pair[0].range.clone()] == "fn");
    pairs.map(|pair| &text[pair[1].range.clone()]).collect()
}

struct View<'v> {
    text: &'v str,
    names: &'v Names,
    functions: &'v FunctionTable,
    /// Names that the text binds.
    own: &'v [&'v str],
    /// Functions that the text defines.
    defined: &'v [&'v str],
}

impl View<'_> {
    fn text_of(&self, piece: &Piece) -> &str {
        &self.text[piece.range.clone()]
    }

    /// The sign or word before or behind a piece, passing over white space and comments.
    fn before(&self, all: &[Piece], idx: usize) -> &str {
        all[..idx].iter().rev().find(|piece| is_solid(piece)).map_or("", |piece| self.text_of(piece))
    }

    fn behind(&self, all: &[Piece], idx: usize) -> &str {
        all[idx + 1..].iter().find(|piece| is_solid(piece)).map_or("", |piece| self.text_of(piece))
    }

    /// What a piece is in an expression.
    fn expression(&self, all: &[Piece], idx: usize) -> TokenKind {
        let piece = &all[idx];
        let word = match piece.kind {
            Kind::Space | Kind::Sign => return TokenKind::Plain,
            Kind::Number => return TokenKind::Number,
            Kind::Quoted => return TokenKind::String,
            Kind::Comment => return TokenKind::Comment,
            Kind::Word => self.text_of(piece),
        };
        let (before, behind) = (self.before(all, idx), self.behind(all, idx));
        if before == "." && behind != "(" {
            return TokenKind::Field;
        }
        if KEYWORDS.contains(&word) {
            return TokenKind::Keyword;
        }
        if behind == "(" {
            let is_known = self.functions.get(word).is_some()
                || self.names.is_of_struct(word)
                || self.defined.contains(&word);
            // What is called may be a name that holds a closure.
            return if is_known { TokenKind::Function } else { self.name(word) };
        }
        if behind == ":" && matches!(before, "{" | ",") {
            return TokenKind::Field;
        }
        self.name(word)
    }

    fn name(&self, word: &str) -> TokenKind {
        if self.own.contains(&word) {
            return TokenKind::Name(NameKind::Local);
        }
        match self.names.get(word) {
            Some(name) => TokenKind::Name(name.kind),
            // A blank name, such as that of `for _ in`.
            None if word.chars().all(|letter| letter == '_') => TokenKind::Plain,
            None if self.names.may_be_any => TokenKind::Name(NameKind::Local),
            None => TokenKind::Unknown,
        }
    }

    /// What the pieces of a firing (`->`) or routing rule (`<-`) are.
    fn rule(&self, all: &[Piece], arrow: &str) -> Vec<TokenKind> {
        let is_firing = arrow == "->";
        let ports = self.names.node.iter().flat_map(|node| &node.ports);
        let wanted = |port: &&hasse_compiler::PortOutline| match port.kind {
            hasse_compiler::PortKind::Input => is_firing,
            hasse_compiler::PortKind::Output => !is_firing,
            hasse_compiler::PortKind::Shared { .. } => false,
        };
        let ports: Vec<&str> = ports.filter(wanted).map(|port| port.name.as_str()).collect();
        let keywords = if is_firing { Vec::new() } else { delay_keywords(self.text) };
        let mut is_port = true;
        let mut kinds = Vec::with_capacity(all.len());
        for (idx, piece) in all.iter().enumerate() {
            let mut kind = self.expression(all, idx);
            let text = self.text_of(piece);
            if piece.depth == 0 {
                match piece.kind {
                    Kind::Word if keywords.contains(&piece.range) => kind = TokenKind::Keyword,
                    Kind::Word if is_port => {
                        kind = if ports.contains(&text) { TokenKind::Port } else { TokenKind::Unknown };
                        is_port = false;
                    }
                    // A firing rule may bind what nothing declares.
                    Kind::Word
                        if is_firing && self.before(all, idx) == "->" && kind == TokenKind::Unknown =>
                    {
                        kind = TokenKind::Name(NameKind::Bound);
                    }
                    Kind::Sign if text == "," => is_port = true,
                    Kind::Sign if text == arrow => {
                        is_port = false;
                        kind = TokenKind::Keyword;
                    }
                    _ => {}
                }
            }
            kinds.push(kind);
        }
        kinds
    }

    /// What the pieces of an arc (`->`) or share line (`--`) are.
    fn link(&self, all: &[Piece], arrow: &str) -> Vec<TokenKind> {
        let middle = all.iter().position(|piece| piece.depth == 0 && self.text_of(piece) == arrow);
        let middle = middle.unwrap_or(all.len());
        // An arc's variables stand on the left, a share line's on the right.
        let (left, right) = all.split_at(middle);
        let bound: Vec<&str> = (if arrow == "->" { left } else { right })
            .iter()
            .filter(|piece| piece.kind == Kind::Word && piece.depth > 0)
            .map(|piece| self.text_of(piece))
            .collect();
        let mut node = "";
        let mut kinds = Vec::with_capacity(all.len());
        for (idx, piece) in all.iter().enumerate() {
            let text = self.text_of(piece);
            let kind = match piece.kind {
                Kind::Word if piece.depth > 0 => match self.names.get(text) {
                    Some(name) if name.kind == NameKind::Param => TokenKind::Name(NameKind::Param),
                    _ if bound.contains(&text) => TokenKind::Name(NameKind::Local),
                    _ => match self.expression(all, idx) {
                        kind @ (TokenKind::Function | TokenKind::Keyword) => kind,
                        _ => TokenKind::Unknown,
                    },
                },
                Kind::Word if self.before(all, idx) == "." => self.port(node, text, idx < middle, arrow),
                Kind::Word => {
                    node = &self.text[piece.range.clone()];
                    let is_formal = matches!(text, "in" | "out" | "inout");
                    if is_formal {
                        TokenKind::Keyword
                    } else if self.names.has_node(text) {
                        TokenKind::Node
                    } else {
                        TokenKind::Unknown
                    }
                }
                Kind::Sign if idx == middle => TokenKind::Keyword,
                _ => self.expression(all, idx),
            };
            kinds.push(kind);
        }
        kinds
    }

    fn port(&self, node: &str, port: &str, is_source: bool, arrow: &str) -> TokenKind {
        let is_there = crate::ports::of_node(self.names, node).iter().any(|known| {
            known.name == port
                && known.is_shared() == (arrow == "--")
                && (known.is_shared() || known.is_source == is_source)
        });
        let is_formal = self.names.has_node(&format!("{node}.{port}"));
        if is_there || is_formal { TokenKind::Port } else { TokenKind::Unknown }
    }
}
