//! What can be typed at the cursor, narrowed down letter by letter.

/// The list of what is offered.
pub(super) mod list;

use hasse_model::name::is_of_name;

use super::edit::TextEdit;
use super::{CodeEditor, CodeKind};
use crate::complete::{ItemKind, complete, signature};
use crate::lex::{Kind, Piece};
use crate::palette::fuzzy;
pub(super) use list::{Offered, Popup};

impl CodeEditor {
    /// The list that is open.
    pub fn popup(&self) -> Option<&Popup> {
        self.popup.as_ref()
    }

    /// Ctrl+Space: opens the list, whatever stands at the cursor. Tells whether there is anything.
    pub fn open_popup(&mut self) -> bool {
        self.offer(true)
    }

    /// Takes in that what was handed in last was typed: opens the list, narrows it down, or closes it. It opens within a
    /// word and behind a dot.
    pub fn typed(&mut self) -> bool {
        let before = &self.text[..self.cursor];
        self.has_hint |= before.ends_with('(');
        let word = before.trim_end_matches(is_of_name);
        let is_in_word =
            word.len() < before.len() && !before[word.len()..].starts_with(|c: char| c.is_ascii_digit());
        let is_behind_dot = before.ends_with('.') && !before.ends_with("..");
        if is_in_word || is_behind_dot {
            return self.offer(false);
        }
        self.close_popup();
        false
    }

    fn offer(&mut self, is_asked_for: bool) -> bool {
        let start = self.text[..self.cursor].trim_end_matches(is_of_name).len();
        let typed = self.text[start..self.cursor].to_owned();
        // What fits the place, whatever of the word is there: the letters are compared here.
        let mut found = complete(&self.program, &self.functions, &self.target, &self.text, start);
        if !typed.is_empty() && self.begins_quoted(start) {
            found.items.clear();
        }
        let mut ranked = Vec::new();
        for (place, item) in found.items.into_iter().enumerate() {
            let Some(matched) = fuzzy(&item.text, &typed) else { continue };
            let rank = if item.text.starts_with(&typed) {
                0
            } else if item.text.to_lowercase().starts_with(&typed.to_lowercase()) {
                1
            } else {
                2
            };
            let score = if rank == 2 { -matched.score } else { 0 };
            ranked.push(((rank, score, place), Offered { item, letters: matched.letters }));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        let items: Vec<Offered> = ranked.into_iter().map(|(_, offered)| offered).collect();
        let is_done = !is_asked_for && matches!(&items[..], [only] if only.item.text == typed);
        let range = start..found.range.end.max(self.cursor);
        let popup = (!items.is_empty() && !is_done).then_some(Popup { range, items, selected: 0 });
        if popup != self.popup {
            self.popup = popup;
            self.version += 1;
        }
        self.popup.is_some()
    }

    /// Signature of the innermost call around the cursor, with the position of the function's name in bytes. It is shown from when the
    /// function is accepted or its parenthesis typed, until the cursor leaves the call or [`close_hint`](Self::close_hint).
    pub fn hint(&mut self) -> Option<(String, usize)> {
        if !self.has_hint || self.kind == CodeKind::Rust {
            return None;
        }
        let found = self.call_around();
        self.has_hint = found.is_some();
        found
    }

    /// Escape: hides the signature; returns true if it was shown.
    pub fn close_hint(&mut self) -> bool {
        let was_shown = std::mem::take(&mut self.has_hint);
        self.version += u64::from(was_shown);
        was_shown
    }

    fn call_around(&mut self) -> Option<(String, usize)> {
        let cursor = self.cursor;
        let pieces = self.read().pieces.clone();
        let solid = |piece: &&Piece| !matches!(piece.kind, Kind::Space | Kind::Comment);
        let before: Vec<&Piece> =
            pieces.iter().filter(|piece| piece.range.end <= cursor).filter(solid).collect();
        let text_of = |piece: &Piece| self.text.get(piece.range.clone()).unwrap_or_default();
        let mut depth = 0_usize;
        for (at, piece) in before.iter().enumerate().rev() {
            match (piece.kind, text_of(piece)) {
                (Kind::Sign, ")" | "]" | "}") => depth += 1,
                // A block or a hole of a template is no part of the call around it.
                (Kind::Sign, "{" | "${" | ";") if depth == 0 => return None,
                (Kind::Sign, "(" | "[" | "{" | "${") if depth > 0 => depth -= 1,
                (Kind::Sign, "(") => {
                    let name = at.checked_sub(1).map(|at| before[at]).filter(|name| name.kind == Kind::Word);
                    let found = name.and_then(|name| {
                        let signature = signature(&self.functions, text_of(name))?;
                        Some((signature, name.range.start))
                    });
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Whether a string goes on at an offset: behind a hole of a template.
    fn begins_quoted(&mut self, offset: usize) -> bool {
        let pieces = &self.read().pieces;
        let at = pieces.partition_point(|piece| piece.range.start < offset);
        pieces.get(at).is_some_and(|piece| piece.kind == Kind::Quoted && piece.range.start == offset)
    }

    /// Whether the word that the list completes is an item itself, and no other one was selected.
    pub fn is_whole(&self, popup: &Popup) -> bool {
        let typed = self.text.get(popup.range.clone()).unwrap_or_default();
        popup.selected == 0 && popup.items.iter().any(|offered| offered.item.text == typed)
    }

    /// Escape: closes the list; tells whether it was open.
    pub fn close_popup(&mut self) -> bool {
        let was_open = self.popup.take().is_some();
        self.version += u64::from(was_open);
        was_open
    }

    /// Selects another item, by so many further down; around the ends.
    pub fn select_offered(&mut self, n_down: isize) {
        let Some(popup) = &mut self.popup else { return };
        popup.selected = super::super::moved(popup.selected, n_down, popup.items.len());
        self.version += 1;
    }

    /// Enter or Tab: the change that types the selected item, or one that was clicked. Functions come with parentheses,
    /// with the cursor between them where something is to be given. Closes the list; apply the change as any other one.
    pub fn accept(&mut self, clicked: Option<usize>) -> Option<TextEdit> {
        let popup = self.popup.take()?;
        self.version += 1;
        let offered = popup.items.get(clicked.unwrap_or(popup.selected))?;
        let mut replacement = offered.item.text.clone();
        let mut cursor = popup.range.start + replacement.len();
        let is_called = self.text[popup.range.end..].starts_with('(');
        let is_code = !matches!(self.kind, CodeKind::Arc | CodeKind::Share);
        if offered.item.kind == ItemKind::Function && is_code {
            if !is_called {
                replacement.push_str("()");
            }
            let detail = &offered.item.detail;
            let takes_nothing =
                detail.starts_with(&format!("{}()", offered.item.text)) && !detail.contains(" or ");
            cursor += if takes_nothing && !is_called { 2 } else { 1 };
            self.has_hint = true;
        }
        Some(TextEdit { range: popup.range, replacement, anchor: cursor, cursor })
    }
}
