//! Spelling: what the debugger's language says in its own way is turned into the interpreter's, with the place of
//! each character kept.
//!
//! `=` asks for equality; `AND`, `OR`, `NOT`, `DIV` and `MOD` are operators, in any case; `x[i, j]` and `x[low..high]`
//! are parts; `Pred(..)` and `port(..)` are looked up before the expression is evaluated. `NOT` reaches as far as the next
//! `AND` or `OR`. Source: Hyder 1994, appendix B.2 (`<expr>`, `<bool_expr>`).

use hasse_model::name::{begins_name, is_of_name};
use hasse_model::record_options::Selector;

use crate::expression::error::ExpressionError;
use crate::expression::symbol::{MOST_LEVELS, PORT, PORT_FUNCTION, PORT_PREFIX, PRED_PREFIX, SLICE_FUNCTION};
use crate::expression::token::{Kind, Token, tokens};

/// Words of the interpreter behind which an operand begins.
const KEYWORDS: [&str; 6] = ["in", "if", "else", "switch", "return", "throw"];

/// An expression in the interpreter's spelling.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    /// On one line.
    pub(crate) text: String,
    /// For each character of the text, the place of what it stands for in the original.
    pub(crate) places: Vec<usize>,
    /// What each `Pred(..)` asks for, with its place.
    pub(crate) preds: Vec<Vec<(Selector, usize)>>,
    /// The ports that `port(..)` names, with their places.
    pub(crate) ports: Vec<(String, usize)>,
}

/// Rewrites an expression.
pub(crate) fn rewrite(text: &str) -> Result<Rewritten, ExpressionError> {
    let letters: Vec<char> = text.chars().collect();
    let found =
        tokens(&letters).map_err(|(at, what)| error(at, format!("{what} that begins here is not closed")))?;
    if let Some(broken) = found.iter().find(|token| token.text.contains(['\n', '\r'])) {
        return Err(error(broken.range.start, "a text within an expression stays on its line".to_owned()));
    }
    let mut writer =
        Writer { tokens: &found, letters: &letters, out: Rewritten::default(), end: letters.len() };
    writer.write(0..found.len(), 0)?;
    Ok(writer.out)
}

pub(crate) fn error(at: usize, message: String) -> ExpressionError {
    ExpressionError { column: at + 1, message }
}

struct Writer<'t> {
    tokens: &'t [Token],
    letters: &'t [char],
    out: Rewritten,
    /// Length of the original.
    end: usize,
}

type Outcome<T = ()> = Result<T, ExpressionError>;
type Tokens = std::ops::Range<usize>;

impl Writer<'_> {
    /// Writes some tokens.
    fn write(&mut self, part: Tokens, level: usize) -> Outcome {
        if level > MOST_LEVELS {
            let at = self.place(part.start);
            return Err(error(at, format!("this is nested in more than {MOST_LEVELS} levels")));
        }
        let mut at = part.start;
        // Whether an operand stands in front of the token.
        let mut is_behind = false;
        while at < part.end {
            let token = &self.tokens[at];
            let place = token.range.start;
            let is_field = at > part.start && (self.tokens[at - 1].is(".") || self.tokens[at - 1].is("?."));
            let is_call = self.tokens[at + 1..part.end].first().is_some_and(|next| next.is("("));
            match token.kind {
                Kind::Word if is_field => self.copy(at),
                Kind::Word if is_behind => match self.operator(token) {
                    Some(sign) => {
                        self.put(sign, place);
                        is_behind = false;
                        at += 1;
                        continue;
                    }
                    None => {
                        self.copy(at);
                        is_behind = !KEYWORDS.contains(&token.text.as_str());
                        at += 1;
                        continue;
                    }
                },
                Kind::Word if token.is_word("not") && self.begins_operand(at + 1, &part) => {
                    let end = self.operand_end(at + 1, &part);
                    self.put("!(", place);
                    self.write(at + 1..end, level + 1)?;
                    self.put(")", place);
                    at = end;
                    is_behind = true;
                    continue;
                }
                Kind::Word if token.is_word("nil") => self.put("()", place),
                Kind::Word if is_call && token.text == "Pred" => {
                    at = self.pred(at, &part)?;
                    is_behind = true;
                    continue;
                }
                Kind::Word if is_call && token.text == PORT => {
                    at = self.port(at, &part, level)?;
                    is_behind = true;
                    continue;
                }
                Kind::Word if KEYWORDS.contains(&token.text.as_str()) => {
                    self.copy(at);
                    is_behind = false;
                    at += 1;
                    continue;
                }
                Kind::Word | Kind::Number | Kind::Quoted => self.copy(at),
                Kind::Sign if token.text == "[" && is_behind => {
                    let close = self.closing(at, &part)?;
                    self.index(at, close, level)?;
                    at = close + 1;
                    continue;
                }
                Kind::Sign => {
                    self.sign(at, is_behind)?;
                    is_behind = matches!(token.text.as_str(), ")" | "]" | "}");
                    at += 1;
                    continue;
                }
            }
            is_behind = true;
            at += 1;
        }
        Ok(())
    }

    /// The sign that a word stands for between operands.
    fn operator(&self, token: &Token) -> Option<&'static str> {
        let signs = [("and", "&&"), ("or", "||"), ("div", "/"), ("mod", "%")];
        signs.iter().find(|(word, _)| token.is_word(word)).map(|(_, sign)| *sign)
    }

    fn sign(&mut self, at: usize, is_behind: bool) -> Outcome {
        let token = &self.tokens[at];
        let place = token.range.start;
        match token.text.as_str() {
            "=" => self.put("==", place),
            "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | "**=" => {
                let message = "an expression changes nothing; `assign NAME = EXPR` does".to_owned();
                return Err(error(place, message));
            }
            "&" if !is_behind => {
                let message = "values have no addresses here; leave the `&` out".to_owned();
                return Err(error(place, message));
            }
            "/" | "*" if at > 0 && self.tokens[at - 1].is("/") && self.tokens[at - 1].range.end == place => {
                let message = "there are no comments in an expression".to_owned();
                return Err(error(place - 1, message));
            }
            _ => self.copy(at),
        }
        Ok(())
    }

    /// `x[..]` with the tokens of both brackets.
    fn index(&mut self, open: usize, close: usize, level: usize) -> Outcome {
        let sides = self.split(open + 1..close, |token| token.is(","));
        let is_range = |token: &Token| token.is("..") || token.is("..=");
        let ranges: Vec<Option<usize>> = sides
            .iter()
            .map(|side| self.at_depth(side.clone()).find(|&at| is_range(&self.tokens[at])))
            .collect();
        let place = self.place(open);
        if let ([side], [None]) = (sides.as_slice(), ranges.as_slice()) {
            self.put("[", place);
            self.write(side.clone(), level + 1)?;
            self.put("]", self.place(close));
            return Ok(());
        }
        self.put(".", place);
        self.put(SLICE_FUNCTION, place);
        self.put("(", place);
        for (side_idx, (side, range)) in sides.into_iter().zip(ranges).enumerate() {
            if side_idx > 0 {
                self.put(",", self.place(side.start));
            }
            let Some(dots) = range else {
                if side.is_empty() {
                    let at = self.place(side.start);
                    return Err(error(at, "an index is missing; `..` stands for all".to_owned()));
                }
                self.write(side, level + 1)?;
                continue;
            };
            let place = self.place(dots);
            let (low, high) = (side.start..dots, dots + 1..side.end);
            let is_inclusive = self.tokens[dots].is("..=");
            if is_inclusive && high.is_empty() {
                return Err(error(place, "the last position of the range is missing".to_owned()));
            }
            self.put("[", place);
            self.bound(low, place, level)?;
            self.put(",", place);
            self.bound(high, place, level)?;
            self.put(if is_inclusive { ",1]" } else { ",0]" }, place);
        }
        self.put(")", self.place(close));
        Ok(())
    }

    fn bound(&mut self, part: Tokens, place: usize, level: usize) -> Outcome {
        if part.is_empty() {
            self.put("()", place);
            return Ok(());
        }
        self.write(part, level + 1)
    }

    /// `Pred(selector, ..)`; gives the token behind it.
    fn pred(&mut self, word: usize, part: &Tokens) -> Outcome<usize> {
        let close = self.closing(word + 1, part)?;
        let mut selectors = Vec::new();
        for side in self.split(word + 2..close, |token| token.is(",")) {
            let (Some(first), Some(last)) =
                (self.tokens[side.clone()].first(), self.tokens[side.clone()].last())
            else {
                let message = "the name of a node is missing, such as `Pred(Mult)` or `Pred(Mult[3])`";
                return Err(error(self.place(side.start), message.to_owned()));
            };
            let place = first.range.start;
            let text: String = self.letters[place..last.range.end].iter().collect();
            let selector: Selector =
                text.parse().map_err(|fault: hasse_model::record_options::SelectorError| {
                    let hint = fault.hint().unwrap_or_default();
                    error(place + fault.column() - 1, format!("`{text}` names no action: {hint}"))
                })?;
            selectors.push((selector, place));
        }
        let name = format!("{PRED_PREFIX}{}", self.out.preds.len());
        self.put(&name, self.place(word));
        self.out.preds.push(selectors);
        Ok(close + 1)
    }

    /// `port("a")`, `port("a", [1, 2])`; gives the token behind it.
    fn port(&mut self, word: usize, part: &Tokens, level: usize) -> Outcome<usize> {
        let close = self.closing(word + 1, part)?;
        let place = self.place(word);
        let sides = self.split(word + 2..close, |token| token.is(","));
        let name = match sides.first().map(|side| &self.tokens[side.clone()]) {
            Some([name]) if name.kind == Kind::Quoted && name.text.starts_with('"') => name,
            _ => {
                let message = "the port is named by a text: `port(\"a\")`, or `port(\"a\", [1, 2])`";
                return Err(error(self.place(word + 2), message.to_owned()));
            }
        };
        let inside = name.text.trim_matches('"');
        let is_name = inside.starts_with(begins_name) && inside.chars().all(is_of_name);
        if !is_name {
            return Err(error(name.range.start, format!("{} is not the name of a port", name.text)));
        }
        let variable = format!("{PORT_PREFIX}{inside}");
        let found = (inside.to_owned(), name.range.start + 1);
        match &sides[1..] {
            [] => self.put(&variable, place),
            [element] if !element.is_empty() => {
                self.put(&format!("{PORT_FUNCTION}({variable},"), place);
                self.write(element.clone(), level + 1)?;
                self.put(")", self.place(close));
            }
            _ => {
                let message = "a port's element is one number or an array: `port(\"a\", [1, 2])`";
                return Err(error(self.place(close), message.to_owned()));
            }
        }
        self.out.ports.push(found);
        Ok(close + 1)
    }

    /// Whether an operand begins at a token, so that a `not` in front of it is an operator.
    fn begins_operand(&self, at: usize, part: &Tokens) -> bool {
        let Some(token) = self.tokens[at.min(part.end)..part.end].first() else { return false };
        match token.kind {
            Kind::Word => self.operator(token).is_none(),
            Kind::Number | Kind::Quoted => true,
            Kind::Sign => token.is("(") || token.is("!"),
        }
    }

    /// The token at which the operand of a `not` ends.
    fn operand_end(&self, from: usize, part: &Tokens) -> usize {
        let ends = |at: &usize| {
            let token = &self.tokens[*at];
            let is_sign = ["&&", "||", ",", ";", "?", ":", "=>"].iter().any(|sign| token.is(sign));
            // A word that is an operand, or a field, ends nothing.
            let is_between = *at > from && !self.tokens[*at - 1].is(".");
            is_sign || is_between && (token.is_word("and") || token.is_word("or"))
        };
        let mut depth: usize = 0;
        for at in from..part.end {
            match self.tokens[at].text.as_str() {
                _ if self.tokens[at].kind != Kind::Sign => {}
                "(" | "[" | "{" | "#{" | "?[" => depth += 1,
                ")" | "]" | "}" if depth == 0 => return at,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 && ends(&at) {
                return at;
            }
        }
        part.end
    }

    /// The bracket that closes one.
    fn closing(&self, open: usize, part: &Tokens) -> Outcome<usize> {
        let mut depth: usize = 0;
        for at in open..part.end {
            let token = &self.tokens[at];
            if token.kind != Kind::Sign {
                continue;
            }
            match token.text.as_str() {
                "(" | "[" | "{" | "#{" | "?[" => depth += 1,
                ")" | "]" | "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(at);
                    }
                }
                _ => {}
            }
        }
        let token = &self.tokens[open];
        Err(error(token.range.start, format!("the `{}` is not closed", token.text)))
    }

    /// The tokens of a part that stand within no bracket of it.
    fn at_depth(&self, part: Tokens) -> impl Iterator<Item = usize> {
        let mut depth: usize = 0;
        part.filter(move |&at| {
            let token = &self.tokens[at];
            if token.kind != Kind::Sign {
                return depth == 0;
            }
            match token.text.as_str() {
                "(" | "[" | "{" | "#{" | "?[" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        })
    }

    fn split(&self, part: Tokens, is_cut: impl Fn(&Token) -> bool) -> Vec<Tokens> {
        let mut sides = Vec::new();
        let mut start = part.start;
        for at in self.at_depth(part.clone()).filter(|&at| is_cut(&self.tokens[at])) {
            sides.push(start..at);
            start = at + 1;
        }
        sides.push(start..part.end);
        sides
    }

    /// Where a token begins; the end of the text where there is none.
    fn place(&self, at: usize) -> usize {
        self.tokens.get(at).map_or(self.end, |token| token.range.start)
    }

    /// Copies a token, and a space in front of it.
    fn copy(&mut self, at: usize) {
        let token = &self.tokens[at];
        let is_apart = at > 0 && self.tokens[at - 1].range.end < token.range.start;
        if is_apart {
            self.put(" ", token.range.start - 1);
        }
        self.out.text.push_str(&token.text);
        self.out.places.extend(token.range.clone());
    }

    /// Writes what stands for something at a place.
    fn put(&mut self, text: &str, place: usize) {
        // What is put in is never glued to what stands in front of it.
        let is_word = is_of_name;
        let is_glued = self.out.text.ends_with(is_word) && text.starts_with(is_word);
        if is_glued {
            self.out.text.push(' ');
            self.out.places.push(place);
        }
        self.out.text.push_str(text);
        self.out.places.extend(text.chars().map(|_| place));
    }
}
