//! Clauses: the text of a command is cut at their words, and each part is read by itself.

use std::ops::Range;

use hasse_model::id::TemplateId;
use hasse_model::plan::{Access, Plan, Source};
use hasse_model::record_options::Selector;

use crate::breakpoint::{Breakpoint, Place, PointCommand, Reaction, statement_line};
use crate::expression::Expression;
use crate::expression::token::{Kind, Token, tokens};
use crate::grammar::error::GrammarError;
use crate::grammar::keyword::Keyword;
use crate::grammar::names::Scope;
use crate::grammar::{arcs, commands};

pub(crate) type Outcome<T> = Result<T, GrammarError>;

/// Words that begin a clause.
const CLAUSES: [&str; 5] = ["in", "at", "on", "if", "after"];

const PLACES: &str = "places are befcomp, line N, aftcomp, send and failed";
const EVENTS: &str =
    "`on arc NODE.PORT -> NODE.PORT`, `on shared NAME [read|write]`, `on create [SELECTOR]` or `on failed`";

/// A text with its tokens.
pub(crate) struct Line {
    pub(crate) letters: Vec<char>,
    pub(crate) tokens: Vec<Token>,
    /// Characters of the line in front of the text.
    pub(crate) n_before: usize,
}

impl Line {
    pub(crate) fn new(text: &str, column: usize) -> Outcome<Self> {
        let letters: Vec<char> = text.chars().collect();
        let n_before = column.saturating_sub(1);
        let tokens = tokens(&letters).map_err(|(at, what)| {
            GrammarError::new(
                n_before + at + 1,
                format!("{what} that begins here is not closed"),
                "close it with its quote",
            )
        })?;
        Ok(Self { letters, tokens, n_before })
    }

    /// Column of a token; behind the last one, that of the end.
    pub(crate) fn column(&self, at: usize) -> usize {
        let end = || self.tokens.last().map_or(0, |last| last.range.end);
        self.n_before + 1 + self.tokens.get(at).map_or_else(end, |token| token.range.start)
    }

    /// The text of some tokens, and the number of characters of the line in front of it.
    pub(crate) fn text(&self, part: Range<usize>) -> (String, usize) {
        let n_before = self.column(part.start) - 1;
        let (Some(first), Some(last)) = (self.tokens[part.clone()].first(), self.tokens[part].last()) else {
            return (String::new(), n_before);
        };
        (self.letters[first.range.start..last.range.end].iter().collect(), n_before)
    }

    /// Depth of brackets in front of each token of a part.
    fn at_top(&self, part: Range<usize>) -> impl Iterator<Item = usize> {
        let mut depth: usize = 0;
        part.filter(move |&at| {
            let token = &self.tokens[at];
            let is_sign = token.kind == Kind::Sign;
            if is_sign && matches!(token.text.as_str(), ")" | "]" | "}") {
                depth = depth.saturating_sub(1);
            }
            let is_top = depth == 0;
            if is_sign && matches!(token.text.as_str(), "(" | "[" | "{" | "#{" | "?[") {
                depth += 1;
            }
            is_top
        })
    }

    /// The tokens of a part between those that a sign separates.
    pub(crate) fn split(&self, part: Range<usize>, sign: &str) -> Vec<Range<usize>> {
        let mut sides = Vec::new();
        let mut start = part.start;
        for at in self.at_top(part.clone()).filter(|&at| self.tokens[at].is(sign)) {
            sides.push(start..at);
            start = at + 1;
        }
        sides.push(start..part.end);
        sides
    }

    /// Where the clause that begins at a token ends: at the next of some words that follows an operand. `is_path` says
    /// that the clause is made of names, where `*` stands for one.
    fn clause_end(&self, part: Range<usize>, words: &[&str], is_path: bool) -> usize {
        let is_end = |at: &usize| {
            let token = &self.tokens[*at];
            let is_word = token.kind == Kind::Word && words.contains(&token.text.as_str());
            *at > part.start && is_word && self.is_operand(*at - 1, is_path)
        };
        self.at_top(part.clone()).find(is_end).unwrap_or(part.end)
    }

    /// Whether a token may end an expression or a name.
    fn is_operand(&self, at: usize, is_path: bool) -> bool {
        let token = &self.tokens[at];
        match token.kind {
            Kind::Word => {
                is_path || !["and", "or", "not", "div", "mod", "in"].iter().any(|word| token.is_word(word))
            }
            Kind::Number | Kind::Quoted => true,
            Kind::Sign => {
                matches!(token.text.as_str(), ")" | "]" | "}")
                    || is_path && matches!(token.text.as_str(), "*" | "/")
            }
        }
    }

    /// The braces that end the text.
    fn braces(&self) -> Option<Range<usize>> {
        let last = self.tokens.len().checked_sub(1).filter(|&last| self.tokens[last].is("}"))?;
        let open = self.at_top(0..last).filter(|&at| self.tokens[at].is("{")).last()?;
        // The group that begins last on the top level is the one that ends last.
        Some(open..last)
    }

    pub(crate) fn expression(
        &self,
        part: Range<usize>,
        what: &str,
        plan: &Plan,
    ) -> Outcome<(Expression, usize)> {
        let (text, n_before) = self.text(part);
        if text.is_empty() {
            let hint = "an expression is such as `count == 3 && Pred(Mult)`";
            return Err(GrammarError::new(n_before + 1, format!("{what} is missing"), hint));
        }
        let expression = Expression::parse_in(&text, plan)
            .map_err(|error| GrammarError::of_expression(error, n_before))?;
        Ok((expression, n_before))
    }

    fn selector(&self, part: Range<usize>) -> Outcome<(Selector, usize)> {
        let (text, n_before) = self.text(part);
        if text.is_empty() {
            let hint = "a selector is such as `Mult`, `Mult[3]` or `/call[2]/Mult`";
            return Err(GrammarError::new(n_before + 1, "the name of a node is missing", hint));
        }
        let selector = text.parse().map_err(|error| GrammarError::of_selector(error, n_before))?;
        Ok((selector, n_before))
    }
}

/// What the clauses say.
#[derive(Default)]
struct Clauses {
    within: Option<(Selector, usize)>,
    /// With its column.
    place: Option<(Place, usize)>,
    condition: Option<(Expression, usize)>,
    n_ignored: Option<u64>,
}

pub(crate) fn read(
    keyword: Keyword,
    text: &str,
    column: usize,
    plan: &Plan,
    selected: Option<&Selector>,
) -> Outcome<Breakpoint> {
    let line = Line::new(text, column)?;
    let usage = || format!("say `{} {}`", keyword.word(), keyword.usage());
    if line.tokens.is_empty() {
        let message = "the breakpoint says neither where nor when";
        return Err(GrammarError::new(line.column(0), message, usage()));
    }
    let mut end = line.tokens.len();
    let braces = match keyword {
        Keyword::When => {
            let Some(braces) = line.braces() else {
                let message = "the commands are missing";
                return Err(GrammarError::new(line.column(end), message, usage()));
            };
            end = braces.start;
            Some(braces)
        }
        Keyword::Stop | Keyword::Once | Keyword::Watch => None,
    };
    let mut start = 0;
    let mut watched = Vec::new();
    if keyword == Keyword::Watch {
        // An expression may begin with `if`.
        let is_clause = |token: &Token| token.text != "if" && CLAUSES.contains(&token.text.as_str());
        if line.tokens.first().is_some_and(is_clause) {
            let message = "the expressions to be watched are missing";
            return Err(GrammarError::new(line.column(0), message, usage()));
        }
        start = line.clause_end(0..end, &CLAUSES, false);
        for part in line.split(0..start, ",") {
            watched.push(line.expression(part, "an expression to be watched", plan)?);
        }
    }
    let clauses = clauses(&line, start..end, plan, &usage)?;
    let within = clauses.within.map(|(selector, _)| selector).or_else(|| selected.cloned());
    let place = clauses.place.map_or_else(|| keyword.place(), |(place, _)| place);
    let templates = templates(within.as_ref(), &place, plan);
    let scope = Scope::new(plan, &templates, &place);
    if let Some((condition, n_before)) = &clauses.condition {
        scope.check(condition, *n_before)?;
    }
    for (expression, n_before) in &watched {
        scope.check(expression, *n_before)?;
    }
    let reaction = match (keyword, braces) {
        (Keyword::When, Some(braces)) => Reaction::When(commands::read(&line, braces, &scope)?),
        (Keyword::Once, _) => Reaction::Once,
        (Keyword::Watch, _) => {
            Reaction::Watch(watched.into_iter().map(|(expression, _)| expression).collect())
        }
        (Keyword::Stop | Keyword::When, _) => Reaction::Stop,
    };
    let condition = clauses.condition.map(|(condition, _)| condition);
    Ok(Breakpoint { within, place, condition, n_ignored: clauses.n_ignored.unwrap_or(0), reaction })
}

/// A command for an action that is stopped at a place.
pub(crate) fn command(
    text: &str,
    column: usize,
    plan: &Plan,
    template: TemplateId,
    place: &Place,
) -> Outcome<PointCommand> {
    let line = Line::new(text, column)?;
    let scope = Scope::new(plan, &[template], place);
    commands::command(&line, 0..line.tokens.len(), &scope)
}

fn clauses(line: &Line, part: Range<usize>, plan: &Plan, usage: &dyn Fn() -> String) -> Outcome<Clauses> {
    let mut found = Clauses::default();
    let mut at = part.start;
    while at < part.end {
        let column = line.column(at);
        let word = line.tokens[at].text.as_str();
        let inner = at + 1..part.end;
        match word {
            "in" => {
                if found.within.is_some() {
                    return Err(GrammarError::new(column, "`in` is given twice", "`*` stands for any node"));
                }
                let end = line.clause_end(inner.clone(), &CLAUSES, true);
                let (selector, n_before) = line.selector(inner.start..end)?;
                selector.templates(plan).map_err(|error| GrammarError::of_selector(error, n_before))?;
                found.within = Some((selector, n_before));
                at = end;
            }
            "at" | "on" => {
                if found.place.is_some() {
                    let message = "the breakpoint has a place already";
                    let hint = "an arc, a shared object and a creation are places themselves: leave `at` out";
                    return Err(GrammarError::new(column, message, hint));
                }
                let is_at = word == "at";
                let end = line.clause_end(inner.clone(), &CLAUSES, true);
                let place = if is_at {
                    at_place(line, inner.start..end, plan)?
                } else {
                    on_place(line, inner.start..end, plan)?
                };
                found.place = Some((place, column));
                at = end;
            }
            "if" => {
                if found.condition.is_some() {
                    let hint = "put the two together with `AND`";
                    return Err(GrammarError::new(column, "`if` is given twice", hint));
                }
                // `in` asks whether an item is in an array.
                let end = line.clause_end(inner.clone(), &["at", "on", "after"], false);
                found.condition = Some(line.expression(inner.start..end, "the condition", plan)?);
                at = end;
            }
            "after" => {
                if found.n_ignored.is_some() {
                    return Err(GrammarError::new(column, "`after` is given twice", usage()));
                }
                let number = line.tokens[inner].first().filter(|token| token.kind == Kind::Number);
                let number = number.and_then(|token| token.text.parse::<u64>().ok()).ok_or_else(|| {
                    let hint = "`after 3` passes over the first three hits";
                    GrammarError::new(line.column(at + 1), "the number of hits is missing", hint)
                })?;
                found.n_ignored = Some(number);
                at += 2;
            }
            _ => {
                let message = format!("`{word}` begins no clause");
                let known = CLAUSES.iter().map(|clause| (*clause).to_owned()).collect();
                return Err(GrammarError::new(column, message, usage()).unknown(word, known));
            }
        }
    }
    Ok(found)
}

fn at_place(line: &Line, part: Range<usize>, plan: &Plan) -> Outcome<Place> {
    let (text, n_before) = line.text(part);
    if let Some(number) = text.strip_prefix("line ") {
        let n_before = n_before + "line ".len();
        let number = number.trim();
        let wrong = |problem: String| {
            GrammarError::new(
                n_before + 1,
                problem,
                "name the line of a statement in a body of the program file",
            )
        };
        let number: u32 =
            number.parse().map_err(|_| wrong(format!("`{number}` is not the number of a line")))?;
        return match statement_line(plan, number) {
            Some(_) => Ok(Place::Line(number)),
            None => Err(wrong(format!("no statement of a body begins at line {number} or behind it"))),
        };
    }
    match text.as_str() {
        "befcomp" | "before" => Ok(Place::Befcomp),
        "aftcomp" | "after" => Ok(Place::Aftcomp),
        "send" => Ok(Place::Send),
        "failed" => Ok(Place::Failed),
        "" => Err(GrammarError::new(n_before + 1, "the place is missing", PLACES)),
        _ => {
            let known = ["befcomp", "line", "aftcomp", "send", "failed"].map(str::to_owned).to_vec();
            Err(GrammarError::new(n_before + 1, format!("there is no place `{text}`"), PLACES)
                .unknown(&text, known))
        }
    }
}

fn on_place(line: &Line, part: Range<usize>, plan: &Plan) -> Outcome<Place> {
    let Some(first) = line.tokens[part.clone()].first() else {
        return Err(GrammarError::new(line.column(part.start), "it is missing what to break on", EVENTS));
    };
    let inner = part.start + 1..part.end;
    match first.text.as_str() {
        "arc" => {
            let mut found = Vec::new();
            for side in line.split(inner, ",") {
                let (text, n_before) = line.text(side);
                found.extend(arcs::find(&text, n_before + 1, plan)?);
            }
            found.sort_unstable();
            found.dedup();
            Ok(Place::Arc(found))
        }
        "shared" => {
            let last = line.tokens[inner.clone()].last().map(|token| token.text.as_str());
            let (access, end) = match last {
                Some("read") if inner.len() > 1 => (Some(Access::Read), inner.end - 1),
                Some("write") if inner.len() > 1 => (Some(Access::Write), inner.end - 1),
                _ => (None, inner.end),
            };
            let (name, n_before) = line.text(inner.start..end);
            if name.is_empty() {
                return Err(GrammarError::new(
                    n_before + 1,
                    "the name of a shared object is missing",
                    EVENTS,
                ));
            }
            let shared = arcs::find_shared(&name, n_before + 1, plan)?;
            Ok(Place::Shared { shared, access })
        }
        "create" if inner.is_empty() => Ok(Place::Creation(None)),
        "create" => {
            let (selector, n_before) = line.selector(inner)?;
            selector.templates(plan).map_err(|error| GrammarError::of_selector(error, n_before))?;
            Ok(Place::Creation(Some(selector)))
        }
        "failed" if inner.is_empty() => Ok(Place::Failed),
        "failed" => {
            Err(GrammarError::new(line.column(inner.start), "`on failed` goes on behind its end", EVENTS))
        }
        other => {
            let known = ["arc", "shared", "create", "failed"].map(str::to_owned).to_vec();
            let message = format!("there is no breaking on `{other}`");
            Err(GrammarError::new(line.column(part.start), message, EVENTS).unknown(other, known))
        }
    }
}

/// The templates whose actions a breakpoint is for. Where a value comes out of a called graph, any may be the sender.
fn templates(within: Option<&Selector>, place: &Place, plan: &Plan) -> Vec<TemplateId> {
    let all = || (0..plan.templates.len()).map(TemplateId::from_idx);
    let named: Vec<TemplateId> =
        within.and_then(|selector| selector.templates(plan).ok()).unwrap_or_else(|| all().collect());
    let Place::Arc(arcs) = place else { return named };
    let mut senders = Vec::new();
    for arc in arcs {
        match plan.arcs[arc.idx()].source {
            Source::Unit(template) => senders.push(template),
            Source::Call(_) | Source::Interface => return named,
        }
    }
    named.into_iter().filter(|template| senders.contains(template)).collect()
}
