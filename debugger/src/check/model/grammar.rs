//! The notations within strings of a model: arcs, rules, terms.

use hasse_model::name::is_of_name;

use super::error::ModelError;
use super::syntax::{End, IndexText, ModelArc, Placed, Rule, Term};
use crate::check::spec::Spec;

/// A piece of text that knows where its characters stand in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    chars: &'t [Placed<char>],
    /// Behind the last character.
    end: (usize, usize),
}

const ARC_HINT: &str = "write an arc such as `Mult[i] -> Solve if i == count`";
const RULE_HINT: &str = "write nodes joined by `&`, or `none`: `Mult & Dist if count > 1`";

impl<'t> Piece<'t> {
    pub(super) fn new(chars: &'t [Placed<char>], end: (usize, usize)) -> Self {
        Self { chars, end }
    }

    /// An arc.
    pub(super) fn arc(self) -> Result<ModelArc, ModelError> {
        let (ends, guard) = self.guarded(ARC_HINT)?;
        let Some(arrow) = ends.find("->") else {
            return Err(ends.behind().error("`->` is missing".to_owned(), ARC_HINT.to_owned()));
        };
        let (source, target) = (ends.cut(0, arrow), ends.cut(arrow + 2, ends.chars.len()));
        Ok(ModelArc {
            source: source.end_of_arc()?,
            target: target.end_of_arc()?,
            guard,
            text: self.trimmed().placed(),
        })
    }

    /// A firing or routing rule.
    pub(super) fn rule(self) -> Result<Rule, ModelError> {
        let (terms, guard) = self.guarded(RULE_HINT)?;
        let text = self.trimmed().placed();
        let terms = match terms.trimmed().text().as_str() {
            "" | "none" => Vec::new(),
            _ => terms.split('&').into_iter().map(Piece::term).collect::<Result<_, _>>()?,
        };
        Ok(Rule { terms, guard, text })
    }

    /// A node, such as `Mult`, `Mult[3]` or `/dobts/Mult`, as commands name it.
    pub(super) fn spec(self) -> Result<Placed<Spec>, ModelError> {
        let piece = self.trimmed();
        match crate::check::spec::parse_spec(&piece.text()) {
            Ok(spec) if spec.count.is_none() => Ok(piece.placed_as(spec)),
            Ok(_) => Err(piece.placed().error(
                "a model selects nodes and actions, not single events".to_owned(),
                "leave out the count; conditions can ask for it: `Solve -> Mult if count == 3`".to_owned(),
            )),
            Err(error) => {
                let at = piece.cut(error.column - 1, piece.chars.len()).placed();
                Err(at.error(error.message, error.hint))
            }
        }
    }

    /// What stands before ` if `, and the condition behind it.
    fn guarded(self, hint: &str) -> Result<(Piece<'t>, Option<Placed<String>>), ModelError> {
        let is_word = |at: usize| {
            let is_space = |at: Option<usize>| {
                at.and_then(|at| self.chars.get(at)).is_none_or(|next| next.inner.is_whitespace())
            };
            self.starts_with(at, "if") && is_space(at.checked_sub(1)) && is_space(Some(at + 2))
        };
        let Some(at) = self.top_level().into_iter().find(|&at| is_word(at)) else { return Ok((self, None)) };
        let guard = self.cut(at + 2, self.chars.len()).trimmed();
        if guard.chars.is_empty() {
            return Err(guard
                .placed()
                .error("a condition is expected behind `if`".to_owned(), hint.to_owned()));
        }
        Ok((self.cut(0, at), Some(guard.placed())))
    }

    fn end_of_arc(self) -> Result<End, ModelError> {
        let (name, index) = self.trimmed().named(ARC_HINT)?;
        let index: Vec<Placed<String>> = index.into_iter().map(|piece| piece.trimmed().placed()).collect();
        match index.iter().find(|inner| inner.inner.is_empty()) {
            Some(empty) => Err(empty.error("an index is expected here".to_owned(), ARC_HINT.to_owned())),
            None => Ok(End { name, index }),
        }
    }

    fn term(self) -> Result<Term, ModelError> {
        let mut piece = self.trimmed();
        let is_all = piece.starts_with(0, "all") && piece.chars.get(3).is_some_and(|next| next.inner == ' ');
        if is_all {
            piece = piece.cut(3, piece.chars.len()).trimmed();
        }
        let (name, index) = piece.named(RULE_HINT)?;
        let one = |piece: Piece<'_>| {
            let placed = piece.trimmed().placed();
            match placed.inner.is_empty() {
                true => Err(placed.error("an index is expected here".to_owned(), RULE_HINT.to_owned())),
                false => Ok(placed),
            }
        };
        let number = |inner: Piece<'_>| match inner.find("..") {
            Some(dots) => {
                Ok(IndexText::Range(one(inner.cut(0, dots))?, one(inner.cut(dots + 2, inner.chars.len()))?))
            }
            None => Ok(IndexText::One(one(inner)?)),
        };
        Ok(Term { is_all, name, index: index.into_iter().map(number).collect::<Result<_, _>>()? })
    }

    /// A name, and what stands in the brackets behind it.
    fn named(self, hint: &str) -> Result<(Placed<String>, Vec<Piece<'t>>), ModelError> {
        let is_named = |next: char| is_of_name(next) || next == '.';
        let n_named = self.chars.iter().take_while(|next| is_named(next.inner)).count();
        let name = self.cut(0, n_named).placed();
        if n_named == 0 {
            return Err(name.error("a node is expected here".to_owned(), hint.to_owned()));
        }
        let mut index = Vec::new();
        let mut at = n_named;
        while self.starts_with(at, "[") {
            let Some(n_inner) = self.cut(at, self.chars.len()).closing() else {
                let open = self.cut(at, self.chars.len()).placed();
                return Err(open.error("this bracket is not closed".to_owned(), hint.to_owned()));
            };
            index.push(self.cut(at + 1, at + n_inner));
            at += n_inner + 1;
        }
        let rest = self.cut(at, self.chars.len()).trimmed();
        if !rest.chars.is_empty() {
            let message = format!("`{}` does not belong here", rest.text());
            return Err(rest.placed().error(message, hint.to_owned()));
        }
        Ok((name, index))
    }

    /// Position of the bracket that closes the first one.
    fn closing(self) -> Option<usize> {
        let mut depth = 0_usize;
        self.chars.iter().position(|next| {
            match next.inner {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }

    /// Positions outside of brackets.
    fn top_level(self) -> Vec<usize> {
        let mut depth = 0_usize;
        let is_top = |&at: &usize| {
            match self.chars[at].inner {
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        };
        (0..self.chars.len()).filter(is_top).collect()
    }

    fn split(self, separator: char) -> Vec<Piece<'t>> {
        let points = self.top_level().into_iter().filter(|&at| self.chars[at].inner == separator);
        let mut start = 0;
        let mut pieces = Vec::new();
        for point in points.chain([self.chars.len()]) {
            pieces.push(self.cut(start, point));
            start = point + 1;
        }
        pieces
    }

    fn find(self, wanted: &str) -> Option<usize> {
        self.top_level().into_iter().find(|&at| self.starts_with(at, wanted))
    }

    fn starts_with(self, at: usize, wanted: &str) -> bool {
        let mut rest = self.chars.get(at..).unwrap_or_default().iter();
        wanted.chars().all(|wanted| rest.next().is_some_and(|next| next.inner == wanted))
    }

    /// The characters from one position to before another one; both are cut to the text.
    fn cut(self, from: usize, to: usize) -> Piece<'t> {
        let to = to.min(self.chars.len());
        let from = from.min(to);
        let end = self.chars.get(to).map_or(self.end, |behind| (behind.line, behind.column));
        Piece { chars: &self.chars[from..to], end }
    }

    fn trimmed(self) -> Piece<'t> {
        let is_space = |next: &&Placed<char>| next.inner.is_whitespace();
        let n_front = self.chars.iter().take_while(is_space).count();
        let n_back = self.chars[n_front..].iter().rev().take_while(is_space).count();
        self.cut(n_front, self.chars.len() - n_back)
    }

    fn behind(self) -> Placed<()> {
        self.cut(self.chars.len(), self.chars.len()).placed_as(())
    }

    fn text(self) -> String {
        self.chars.iter().map(|next| next.inner).collect()
    }

    fn placed(self) -> Placed<String> {
        self.placed_as(self.text())
    }

    fn placed_as<T>(self, inner: T) -> Placed<T> {
        let (line, column) = self.chars.first().map_or(self.end, |first| (first.line, first.column));
        Placed { inner, line, column }
    }
}
