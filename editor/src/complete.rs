//! What can be typed at a cursor: types, ports, names, functions and keywords, by the field and the place in it.
//!
//! The words before the cursor decide: behind `->` of a firing rule stands a name to bind, behind `if` a guard, which
//! sees less than a body does. Nothing is offered within strings and comments.

use std::ops::Range;

use hasse_model::function::FunctionTable;
use hasse_model::name::is_of_name;
use hasse_model::plan::UNITS_OF_TIME;

use crate::edit::link::LinkList;
use crate::lex::{Kind, Language, Piece, pieces};
use crate::names::Names;
use crate::target::{Part, Target};

/// What may stand in a text.
pub(super) mod item;
/// Parameters of functions.
mod library;
/// What fits at a place.
mod offer;

pub use item::{Item, ItemKind};
use offer::{Offer, Script, Sight};

/// What can be typed at a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Bytes of the text that an item replaces: the word around the cursor.
    pub range: Range<usize>,
    /// Those that begin with what stands before the cursor, in any case; the nearest first: names before functions
    /// before keywords, each kind in the order of the file, functions by name.
    pub items: Vec<Item>,
}

/// What can be typed at byte `cursor` of `text`, the text of the field `target`, which need not be in the program yet.
/// `functions` lists what bodies may call.
///
/// The target of a rule is the attribute `fire` or `route`, of an arc the link; of a table of names the attribute with an
/// entry, where the value is typed, or without, where the name is. Cost: reads the whole program.
pub fn complete(
    program: &str,
    functions: &FunctionTable,
    target: &Target,
    text: &str,
    cursor: usize,
) -> Completion {
    let cursor = (0..=cursor.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let range = word_around(text, cursor);
    let names = Names::of(program, &target.graph, target.node(), functions);
    let is_body = target.attribute.as_ref().is_some_and(|held| held.key == "do" && held.entry.is_none());
    let language = if is_body { names.language } else { Language::Rhai };
    let all = language.pieces(text);
    let before: Vec<Piece> = all
        .iter()
        .filter(|piece| piece.kind != Kind::Space && piece.range.start < range.start)
        .cloned()
        .collect();
    let mut offer = Offer::new(&names, functions);
    if !is_quoted(&all, text, cursor) && !is_in_number(text, &range) {
        let field = Field { text, before: &before };
        field.fill(target, &mut offer);
    }
    let prefix = text[range.start..cursor].to_lowercase();
    let mut items = offer.items;
    items.retain(|item| item.text.to_lowercase().starts_with(&prefix));
    Completion { range, items }
}

/// Calls of a function with the names and types of its parameters, joined by `or`; `None` for an unknown one.
pub fn signature(functions: &FunctionTable, name: &str) -> Option<String> {
    functions.get(name).map(|facts| library::signature(name, facts))
}

/// The word that a cursor is in or at an end of; empty where there is none.
fn word_around(text: &str, cursor: usize) -> Range<usize> {
    let start = text[..cursor].char_indices().rev().take_while(|(_, letter)| is_of_name(*letter)).last();
    let n_behind = text[cursor..].find(|letter| !is_of_name(letter)).unwrap_or(text.len() - cursor);
    start.map_or(cursor, |(start, _)| start)..cursor + n_behind
}

/// Whether a cursor is within a string or comment.
fn is_quoted(all: &[Piece], text: &str, cursor: usize) -> bool {
    all.iter().any(|piece| {
        let is_closed = |piece: &Piece| {
            let text = &text[piece.range.clone()];
            match piece.kind {
                Kind::Comment => text.starts_with("/*") && text.ends_with("*/") && text.len() > 3,
                _ => text.len() > 1 && text.ends_with(['"', '\'', '`', '#']),
            }
        };
        let is_before_end = cursor < piece.range.end || (cursor == piece.range.end && !is_closed(piece));
        // The literal part of a template that begins behind a hole has no opening quote.
        let begins = piece.range.start < cursor;
        matches!(piece.kind, Kind::Quoted | Kind::Comment) && begins && is_before_end
    })
}

fn is_in_number(text: &str, word: &Range<usize>) -> bool {
    text[word.clone()].starts_with(|letter: char| letter.is_ascii_digit())
}

/// A text with a cursor.
struct Field<'f> {
    text: &'f str,
    /// Words and signs before the word at the cursor.
    before: &'f [Piece],
}

impl<'f> Field<'f> {
    fn fill(&self, target: &Target, offer: &mut Offer<'_>) {
        let Some(attribute) = &target.attribute else {
            if let Part::Link(list, _) = target.part {
                self.link(list, offer);
            }
            return;
        };
        let is_entry = attribute.entry.is_some();
        match (&target.part, attribute.key.as_str()) {
            (Part::Type(_), _) => offer.types(),
            (Part::Graph, "in" | "out" | "inout") if is_entry => offer.types(),
            (Part::Graph, "params") if is_entry => self.declaration(Sight::NOTHING, offer),
            (Part::Graph, "arcs") => self.link(LinkList::Arcs, offer),
            (Part::Graph, "share") => self.link(LinkList::Shares, offer),
            (Part::Program, "main") => offer.graphs(),
            (Part::Node(_), "type") => offer.types(),
            (Part::Node(_), "in" | "out") if is_entry => offer.types(),
            (Part::Node(_), "graph") => offer.graphs(),
            (Part::Node(_), "shared") if is_entry => offer.access(),
            (Part::Node(_), "vars") if is_entry => self.declaration(Sight::CREATION, offer),
            (Part::Node(_), "args") if is_entry => {
                self.expression(Sight::CREATION, Script::Expression, offer)
            }
            (Part::Node(_), "args") => offer.params_of_call(),
            (Part::Node(_), "fire") => self.firing(offer),
            (Part::Node(_), "route" | "on_error") => self.routing(offer),
            (Part::Node(_), "do") if attribute.entry.as_deref() == Some("native") => offer.natives(),
            (Part::Node(_), "do") if offer.is_in_rust() => self.rust(offer),
            (Part::Node(_), "do") => self.expression(Sight::BODY, Script::Body, offer),
            (Part::Node(_), "init") if offer.is_of_object() => {
                self.expression(Sight::CREATION, Script::Expression, offer);
            }
            (Part::Node(_), "init") => self.expression(Sight::CREATION, Script::Init, offer),
            _ => {}
        }
    }

    fn text_of(&self, piece: &Piece) -> &'f str {
        &self.text[piece.range.clone()]
    }

    /// The word or sign before the cursor; comments aside.
    fn last(&self) -> &'f str {
        let solid = self.before.iter().rev().find(|piece| piece.kind != Kind::Comment);
        solid.map_or("", |piece| self.text_of(piece))
    }

    /// `TYPE` or `TYPE = EXPR`.
    fn declaration(&self, sight: Sight, offer: &mut Offer<'_>) {
        if self.before.iter().any(|piece| self.text_of(piece) == "=") {
            self.expression(sight, Script::Expression, offer);
        } else {
            offer.types();
        }
    }

    /// A body or expression.
    fn expression(&self, sight: Sight, script: Script, offer: &mut Offer<'_>) {
        match self.last() {
            "." => {
                offer.fields();
                offer.functions(script);
            }
            // A name that is made up here.
            "let" | "const" | "fn" | "for" => {}
            _ => {
                offer.own(self.text);
                offer.names(sight);
                offer.functions(script);
                offer.keywords(script.keywords());
            }
        }
    }

    /// A body in Rust.
    fn rust(&self, offer: &mut Offer<'_>) {
        let solid = self.before.iter().rev().filter(|piece| piece.kind != Kind::Comment);
        let mut words = solid.map(|piece| self.text_of(piece));
        let is_label = |piece: &Piece| piece.kind == Kind::Sign && self.text_of(piece).starts_with('\'');
        if self.before.last().is_some_and(is_label) {
            return;
        }
        match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
            (".", "context") => offer.of_context(),
            (".", _) => offer.fields(),
            // A name that is made up here, or one of a library.
            ("let" | "mut" | "fn" | "for" | "struct" | "enum" | "::", _) => {}
            _ => {
                offer.own_in_rust(self.text);
                offer.names(Sight::BODY);
                offer.in_rust();
            }
        }
    }

    /// How many brackets are open at the cursor.
    fn depth(&self) -> usize {
        self.before.iter().fold(0_usize, |depth, piece| match self.text_of(piece) {
            "(" | "[" | "{" | "${" if piece.kind == Kind::Sign => depth + 1,
            ")" | "]" | "}" if piece.kind == Kind::Sign => depth.saturating_sub(1),
            _ => depth,
        })
    }

    /// The last word or sign outside of brackets that parts of a rule begin with.
    fn opener(&self) -> &'f str {
        let outside = self.before.iter().rev().filter(|piece| piece.depth == 0);
        let mut words = outside.map(|piece| self.text_of(piece));
        words.find(|word| matches!(*word, "," | "->" | "<-" | "if" | "for" | "in" | "after")).unwrap_or("")
    }

    /// Whether what stands before the cursor is a value, so that only a word of the language can follow.
    fn is_behind_value(&self) -> bool {
        let Some(last) = self.before.last() else { return false };
        let text = self.text_of(last);
        match last.kind {
            Kind::Word => !matches!(text, "if" | "for" | "in" | "else" | "return" | "after"),
            Kind::Number | Kind::Quoted => true,
            Kind::Sign => matches!(text, ")" | "]" | "}"),
            Kind::Space | Kind::Comment => false,
        }
    }

    fn firing(&self, offer: &mut Offer<'_>) {
        let opener = self.opener();
        if self.depth() > 0 && opener != "if" {
            // Elements are computed without Rhai.
            offer.own(self.text);
            return offer.names(Sight::WAITING);
        }
        match opener {
            "" | "," if !self.is_behind_value() => offer.ports(false),
            "->" if !self.is_behind_value() => offer.names(Sight::VARS),
            "in" if !self.is_behind_value() => {
                offer.own(self.text);
                offer.names(Sight::WAITING);
            }
            "->" => offer.keywords(&["for", "if"]),
            "in" => offer.keywords(&["for", "if"]),
            "for" if self.is_behind_value() => offer.keywords(&["in"]),
            "if" => {
                offer.names(Sight::WAITING);
                offer.functions(Script::Expression);
                offer.keywords(&["false", "true"]);
            }
            _ => {}
        }
    }

    fn routing(&self, offer: &mut Offer<'_>) {
        if self.depth() > 0 {
            return self.expression(Sight::ALL, Script::Expression, offer);
        }
        match self.opener() {
            "" | "," if !self.is_behind_value() => offer.ports(true),
            "for" if self.is_behind_value() => offer.keywords(&["in"]),
            "<-" if self.is_behind_value() => offer.keywords(&["after", "for", "if"]),
            "in" if self.is_behind_value() => offer.keywords(&["for", "if"]),
            "after" if self.is_behind_value() => {
                offer.keywords(&UNITS_OF_TIME.map(|(name, _)| name));
                offer.keywords(&["for", "if"]);
            }
            "<-" | "in" | "if" | "after" => self.expression(Sight::ALL, Script::Expression, offer),
            _ => {}
        }
    }

    fn link(&self, list: LinkList, offer: &mut Offer<'_>) {
        let sign = match list {
            LinkList::Arcs => "->",
            LinkList::Shares => "--",
        };
        let middle = self.before.iter().position(|piece| self.text_of(piece) == sign);
        let side = &self.before[middle.map_or(0, |middle| middle + 1)..];
        let is_source = middle.is_none();
        if self.depth() > 0 {
            // An arc's variables stand on the left, a share line's on the right.
            let all = pieces(self.text);
            let sign = all.iter().position(|piece| piece.depth == 0 && self.text_of(piece) == sign);
            let (left, right) = all.split_at(sign.unwrap_or(all.len()));
            let (binding, is_here) = match list {
                LinkList::Arcs => (left, is_source),
                LinkList::Shares => (right, !is_source),
            };
            for piece in
                binding.iter().filter(|piece| piece.kind == Kind::Word && piece.depth > 0 && !is_here)
            {
                offer.local(self.text_of(piece), "bound on the other side");
            }
            return offer.names(Sight::PARAMS);
        }
        match side.iter().rposition(|piece| self.text_of(piece) == ".") {
            Some(dot) if dot + 1 == side.len() => {
                let node = side.first().map_or("", |piece| self.text_of(piece));
                offer.ports_of(node, list, is_source);
            }
            None if side.is_empty() => offer.nodes(list, is_source),
            _ => {}
        }
    }
}
