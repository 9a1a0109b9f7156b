//! Firing rules (`b -> v, seg[j] -> parts[j] for j in 0..n if k == 0`) and routing rules
//! (`seg[j] <- parts[j] for j in 0..n if k == n`).

use std::ops::Range;

use hasse_model::plan::UNITS_OF_TIME;

use super::token::{Kind, Token};
use super::{Cursor, Fault};
use crate::text::Excerpt;

/// `for name in low..high`
pub(crate) struct LoopText<'t> {
    pub(crate) name: Excerpt<'t>,
    /// `None` in `for name in ..high`: as many as there are.
    pub(crate) low: Option<Excerpt<'t>>,
    pub(crate) high: Excerpt<'t>,
    /// Whether it is `..=`.
    pub(crate) is_inclusive: bool,
}

/// `port[..] -> target[..] for ..`
pub(crate) struct Binding<'t> {
    pub(crate) port: Excerpt<'t>,
    pub(crate) elements: Vec<Excerpt<'t>>,
    pub(crate) target: Excerpt<'t>,
    pub(crate) target_elements: Vec<Excerpt<'t>>,
    pub(crate) loops: Vec<LoopText<'t>>,
}

/// A firing rule.
pub(crate) struct FiringText<'t> {
    pub(crate) bindings: Vec<Binding<'t>>,
    pub(crate) after: Option<DelayText<'t>>,
    pub(crate) guard: Option<Excerpt<'t>>,
}

/// `port[..] <- value for ..`
pub(crate) struct SendText<'t> {
    pub(crate) port: Excerpt<'t>,
    pub(crate) elements: Vec<Excerpt<'t>>,
    pub(crate) value: Excerpt<'t>,
    pub(crate) after: Option<DelayText<'t>>,
    pub(crate) loops: Vec<LoopText<'t>>,
}

/// `after number unit`
pub(crate) struct DelayText<'t> {
    pub(crate) number: Excerpt<'t>,
    /// By position in [`UNITS_OF_TIME`].
    pub(crate) unit: usize,
}

/// A routing rule.
pub(crate) struct RoutingText<'t> {
    pub(crate) sends: Vec<SendText<'t>>,
    pub(crate) guard: Option<Excerpt<'t>>,
}

/// Reads a firing rule.
pub(crate) fn parse_firing<'t>(whole: &Excerpt<'t>) -> Result<FiringText<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    if cursor.is_at("if") {
        return Err(cursor.fault("expected at least one `port -> name` in front of the guard".to_owned()));
    }
    let mut bindings = Vec::new();
    loop {
        let port = cursor.word("the name of an input port")?;
        let elements = cursor.indices()?;
        cursor.expect("->")?;
        let target = cursor.word("the name to bind")?;
        let target_elements = cursor.indices()?;
        let loops = loops(&mut cursor)?;
        bindings.push(Binding { port, elements, target, target_elements, loops });
        if !cursor.take(",") {
            break;
        }
    }
    let after = if cursor.is_at("after") { Some(delay(&mut cursor)?) } else { None };
    let guard = if cursor.take("if") { Some(cursor.until("a guard", &[])?) } else { None };
    if ["timeout", "within", "delay", "for"].iter().any(|word| cursor.is_at(word)) {
        let message =
            "expected nothing more: a rule for values that have waited is written `x -> x after 20ms`";
        return Err(cursor.fault(message.to_owned()));
    }
    cursor.finish()?;
    Ok(FiringText { bindings, after, guard })
}

/// Reads a routing rule. Its guard begins at the last `if` outside of brackets that can begin one:
/// neither the first word of a value nor behind an `else`.
pub(crate) fn parse_routing<'t>(whole: &Excerpt<'t>) -> Result<RoutingText<'t>, Fault> {
    let mut cursor = Cursor::new(whole);
    let segments = split_at_commas(&cursor);
    let mut sends = Vec::new();
    let mut guard = None;
    for (segment_idx, segment) in segments.iter().enumerate() {
        let is_last = segment_idx + 1 == segments.len();
        let guard_idx = guard_word(&cursor, segment.clone());
        if let Some(guard_idx) = guard_idx.filter(|_| !is_last) {
            let range = cursor.tokens[guard_idx].range.clone();
            let message = "expected no guard here: a guard stands at the end of the rule and holds for all \
                           that it sends";
            return Err(Fault { range, message: message.to_owned() });
        }
        let send_end = guard_idx.unwrap_or(segment.end);
        sends.push(send(&mut cursor, segment.start, send_end)?);
        if let Some(guard_idx) = guard_idx {
            guard = Some(guard_text(&mut cursor, guard_idx)?);
        }
    }
    Ok(RoutingText { sends, guard })
}

/// Ranges of tokens between the commas that stand outside of all brackets; at least one.
fn split_at_commas(cursor: &Cursor<'_>) -> Vec<Range<usize>> {
    let is_comma = |token: &Token| token.depth == 0 && cursor.text_of(token) == ",";
    let commas = cursor.tokens.iter().enumerate().filter(|(_, token)| is_comma(token)).map(|(idx, _)| idx);
    let mut segments = Vec::new();
    let mut start = 0;
    for comma in commas {
        segments.push(start..comma);
        start = comma + 1;
    }
    segments.push(start..cursor.tokens.len());
    segments
}

fn guard_word(cursor: &Cursor<'_>, segment: Range<usize>) -> Option<usize> {
    let text = |token_idx: usize| cursor.text_of(&cursor.tokens[token_idx]);
    segment.clone().rev().find(|&token_idx| {
        cursor.tokens[token_idx].depth == 0
            && text(token_idx) == "if"
            && token_idx > segment.start
            && !matches!(text(token_idx - 1), "<-" | "else")
    })
}

fn guard_text<'t>(cursor: &mut Cursor<'t>, guard_idx: usize) -> Result<Excerpt<'t>, Fault> {
    cursor.next = guard_idx + 1;
    let guard = cursor.until("a guard", &["for"])?;
    if cursor.is_at("for") {
        return Err(cursor.fault("expected the loops in front of the guard".to_owned()));
    }
    Ok(guard)
}

/// Reads the send that the tokens from `start` to `end` spell.
fn send<'t>(cursor: &mut Cursor<'t>, start: usize, end: usize) -> Result<SendText<'t>, Fault> {
    let all_tokens = cursor.tokens.clone();
    // A fault at the end points at what follows: the guard, a comma or the end of the rule.
    cursor.next = start;
    let port = cursor.word("the name of an output port")?;
    let elements = cursor.indices()?;
    cursor.expect("<-")?;
    cursor.tokens.truncate(end);
    let result = (|| {
        let after_idx = after_word(cursor);
        let value = match after_idx {
            Some(after_idx) => {
                let tokens = cursor.tokens.split_off(after_idx);
                let value = cursor.until("a value", &["for"]);
                cursor.tokens.extend(tokens);
                value?
            }
            None => cursor.until("a value", &["for"])?,
        };
        let after = match after_idx.is_some_and(|after_idx| after_idx == cursor.next) {
            true => Some(delay(cursor)?),
            false => None,
        };
        let loops = loops(cursor)?;
        cursor.finish()?;
        Ok(SendText { port, elements, value, after, loops })
    })();
    cursor.tokens = all_tokens;
    result
}

/// Position of the `after` of a send: the first one that follows a value.
fn after_word(cursor: &Cursor<'_>) -> Option<usize> {
    let whole = cursor.whole.as_str();
    (cursor.next + 1..cursor.tokens.len()).find(|&token_idx| is_after(whole, &cursor.tokens, token_idx))
}

/// Returns true if a token is the keyword `after`: it follows a value, where no name can be.
pub(crate) fn is_after(text: &str, tokens: &[Token], token_idx: usize) -> bool {
    let spelled = |token: &Token| &text[token.range.clone()];
    let ends_value = |token: &Token| match token.kind {
        Kind::Word => !matches!(spelled(token), "if" | "else" | "for" | "in" | "switch" | "return"),
        Kind::Int | Kind::Other => true,
        Kind::Sign => matches!(spelled(token), ")" | "]" | "}"),
    };
    let (token, before) = (&tokens[token_idx], token_idx.checked_sub(1).map(|before| &tokens[before]));
    token.depth == 0 && spelled(token) == "after" && before.is_some_and(ends_value)
}

/// `after 20ms`, `after 1.5 s`, `after 10 * k ms`
fn delay<'t>(cursor: &mut Cursor<'t>) -> Result<DelayText<'t>, Fault> {
    cursor.next += 1;
    let first = cursor.next;
    let text = cursor.until("a time such as `20ms`", &["for", "if"])?;
    let range = cursor.tokens[first].range.start..cursor.tokens[cursor.next - 1].range.end;
    time(&text, range)
}

/// Reads a time such as `20ms` or `10 * n s`.
pub(crate) fn parse_time<'t>(text: &Excerpt<'t>) -> Result<DelayText<'t>, Fault> {
    let whole = text.part(0..text.as_str().len());
    time(&whole, 0..text.as_str().len())
}

/// Reads the number and the unit of a time, which is written in `range` of what is being read.
fn time<'t>(text: &Excerpt<'t>, range: Range<usize>) -> Result<DelayText<'t>, Fault> {
    let whole = text.as_str();
    let names = UNITS_OF_TIME.map(|(name, _)| name).join("`, `");
    let fault = |message: String| Fault { range, message };
    let number_end = whole.trim_end_matches(|character: char| character.is_ascii_alphabetic()).len();
    let Some(unit) = UNITS_OF_TIME.iter().position(|(name, _)| *name == &whole[number_end..]) else {
        return Err(fault(format!("expected a time that ends with its unit: `{names}`")));
    };
    let number = text.part(0..whole[..number_end].trim_end().len());
    if number.as_str().is_empty() {
        return Err(fault("expected a number in front of the unit".to_owned()));
    }
    Ok(DelayText { number, unit })
}

/// `for j in 0..n for k in 0..=j`
fn loops<'t>(cursor: &mut Cursor<'t>) -> Result<Vec<LoopText<'t>>, Fault> {
    let mut loops = Vec::new();
    while cursor.take("for") {
        let name = cursor.word("a loop variable")?;
        cursor.expect("in")?;
        let is_open = cursor.is_at("..") || cursor.is_at("..=");
        let low = match is_open {
            true => None,
            false => Some(cursor.until("the first number of the loop", &["..", "..=", ",", "for", "if"])?),
        };
        let is_inclusive = cursor.take("..=");
        if !is_inclusive {
            cursor.expect("..")?;
        }
        let high = cursor.until("the end of the loop", &[",", "for", "if", "after"])?;
        loops.push(LoopText { name, low, high, is_inclusive });
    }
    Ok(loops)
}
