//! Reading predicates: quantifiers, order and truth are told apart here, all else is a condition in Rhai.

use super::condition::{Condition, unknown_variable};
use super::formula::{Formula, Predicate, Quantified, Quantifier, Variable};
use super::relation::{Relation, VarId};
use super::token::{Kind, Token, token_at};
use crate::check::spec::{ParseError, Parser, error_at};

/// Most levels of brackets, negations and quantifiers.
const MOST_LEVELS: usize = 64;

/// Reads a predicate up to the end of the text.
///
/// # Errors
/// Where there is none, or something behind it.
pub(in crate::check) fn read(parser: &mut Parser) -> Result<Predicate, ParseError> {
    let mut reader =
        Reader { parser, variables: Vec::new(), conditions: Vec::new(), scope: Vec::new(), n_levels: 0 };
    let top = reader.quantified()?;
    let token = reader.peek();
    if token.kind != Kind::End {
        let message = format!("`{}` does not fit here", token.text);
        return Err(error_at(token.start, message, "put what belongs together in round brackets"));
    }
    let Reader { variables, conditions, .. } = reader;
    Ok(Predicate { top, variables, conditions })
}

struct Reader<'p> {
    parser: &'p mut Parser,
    variables: Vec<Variable>,
    conditions: Vec<Condition>,
    /// Names that stand for events here, inner ones last.
    scope: Vec<(String, VarId)>,
    n_levels: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Token {
        token_at(&self.parser.chars, self.parser.at)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.parser.at = token.end;
        token
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.peek().is(text);
        if is_there {
            self.next();
        }
        is_there
    }

    fn expect(&mut self, text: &str, hint: &str) -> Result<(), ParseError> {
        match self.take(text) {
            true => Ok(()),
            false => Err(error_at(self.peek().start, format!("`{text}` is expected here"), hint)),
        }
    }

    fn quantified(&mut self) -> Result<Quantified, ParseError> {
        let word = self.next();
        let Some(quantifier) = quantifier(&word) else {
            let hint = "begin with `forall`, `exists` or `never`: `forall m: Mult where m.count == 1 : ..`";
            return Err(error_at(word.start, "a quantifier is expected here".to_owned(), hint));
        };
        let n_outer = self.scope.len();
        let mut variables = Vec::new();
        loop {
            variables.push(self.variable()?);
            if !self.take(",") {
                break;
            }
        }
        let guard = self.take("where").then(|| self.formula()).transpose()?;
        let body = self.take(":").then(|| self.formula()).transpose()?;
        if quantifier == Quantifier::Forall && body.is_none() {
            let hint =
                "say behind `:` what is expected: `forall m: Mult, s: Solve where m -> s : m.count == 1`";
            return Err(error_at(self.peek().start, "`:` is expected here".to_owned(), hint));
        }
        self.scope.truncate(n_outer);
        Ok(Quantified { quantifier, variables, guard, body })
    }

    /// `m: Mult`
    fn variable(&mut self) -> Result<VarId, ParseError> {
        let name = self.next();
        let hint = "name an event and say which: `m: Mult`";
        if name.kind != Kind::Word {
            return Err(error_at(name.start, "a name for an event is expected here".to_owned(), hint));
        }
        if is_reserved(&name.text) || !name.text.is_ascii() {
            let message = format!("`{}` cannot be the name of an event", name.text);
            return Err(error_at(name.start, message, "take another name, such as `m`"));
        }
        if self.scope.iter().any(|(known, _)| *known == name.text) {
            let message = format!("`{}` is the name of another event", name.text);
            return Err(error_at(name.start, message, "give each event a name of its own"));
        }
        self.expect(":", hint)?;
        self.parser.skip_space();
        let spec = self.parser.spec()?;
        let var = self.variables.len();
        self.variables.push(Variable { name: name.text.clone(), spec });
        self.scope.push((name.text, var));
        Ok(var)
    }

    /// The whole of what stands behind `where`, `:` or an opening bracket.
    fn formula(&mut self) -> Result<Formula, ParseError> {
        self.n_levels += 1;
        if self.n_levels > MOST_LEVELS {
            let message = format!("this is nested deeper than {MOST_LEVELS} levels");
            return Err(error_at(self.peek().start, message, "make several predicates of it"));
        }
        let left = self.either()?;
        let formula = match self.take("=>") {
            true => Formula::Implies(Box::new(left), Box::new(self.formula()?)),
            false => left,
        };
        self.n_levels -= 1;
        Ok(formula)
    }

    fn either(&mut self) -> Result<Formula, ParseError> {
        let mut parts = vec![self.both()?];
        while self.take("or") {
            parts.push(self.both()?);
        }
        Ok(only(parts, Formula::Or))
    }

    fn both(&mut self) -> Result<Formula, ParseError> {
        let mut parts = vec![self.unary()?];
        while self.take("&&") || self.take("and") {
            parts.push(self.unary()?);
        }
        Ok(only(parts, Formula::And))
    }

    fn unary(&mut self) -> Result<Formula, ParseError> {
        let token = self.peek();
        if token.is("!") || token.is("not") {
            self.next();
            self.n_levels += 1;
            if self.n_levels > MOST_LEVELS {
                return Err(error_at(
                    token.start,
                    "too many negations".to_owned(),
                    "two of them say nothing",
                ));
            }
            let inner = self.unary()?;
            self.n_levels -= 1;
            return Ok(Formula::Not(Box::new(inner)));
        }
        if quantifier(&token).is_some() {
            self.n_levels += 1;
            if self.n_levels > MOST_LEVELS {
                let message = format!("this is nested deeper than {MOST_LEVELS} levels");
                return Err(error_at(token.start, message, "make several predicates of it"));
            }
            let quantified = self.quantified()?;
            self.n_levels -= 1;
            return Ok(Formula::Quantified(Box::new(quantified)));
        }
        if token.is("(") && self.is_group(&token) {
            self.next();
            let inner = self.formula()?;
            self.expect(")", "close the bracket")?;
            return Ok(inner);
        }
        self.atom()
    }

    /// Whether the bracket that opens here holds all of a part, rather than the beginning of a condition.
    fn is_group(&self, open: &Token) -> bool {
        let mut n_open = 0_usize;
        let mut at = open.start;
        loop {
            let token = token_at(&self.parser.chars, at);
            at = token.end;
            match token.text.as_str() {
                _ if token.kind == Kind::End => return true,
                _ if token.kind != Kind::Sign => {}
                "(" | "[" | "{" => n_open += 1,
                ")" | "]" | "}" => n_open -= 1,
                _ => {}
            }
            if n_open == 0 {
                return ends_atom(&token_at(&self.parser.chars, at));
            }
        }
    }

    /// An order of events or a condition.
    fn atom(&mut self) -> Result<Formula, ParseError> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut open: Vec<Token> = Vec::new();
        loop {
            let token = self.peek();
            // After a dot, a word is a port or var, such as that of `m.sent.where`.
            let is_member = token.kind == Kind::Word && tokens.last().is_some_and(|last| last.is("."));
            if token.kind == Kind::End || open.is_empty() && !is_member && ends_atom(&token) {
                break;
            }
            if token.kind == Kind::Sign {
                match token.text.as_str() {
                    "(" | "[" | "{" => open.push(token.clone()),
                    ")" | "]" | "}" => drop(open.pop()),
                    _ => {}
                }
            }
            tokens.push(self.next());
        }
        if let Some(open) = open.pop() {
            let message = format!("the bracket `{}` is not closed", open.text);
            return Err(error_at(open.start, message, "close it"));
        }
        let Some(first) = tokens.first() else {
            let hint = "say how events are ordered, such as `m -> s`, or a condition, such as `m.count == 1`";
            return Err(error_at(self.peek().start, "something is missing here".to_owned(), hint));
        };
        match tokens.as_slice() {
            [word] if word.is("true") || word.is("false") => return Ok(Formula::Constant(word.is("true"))),
            [_, rest @ ..] if first.kind == Kind::Word && !rest.is_empty() && is_chain(&tokens) => {
                return self.chain(&tokens);
            }
            _ => {}
        }
        let mut n_open = 0_usize;
        for token in tokens.iter().filter(|token| token.kind == Kind::Sign) {
            match token.text.as_str() {
                "(" | "[" | "{" => n_open += 1,
                ")" | "]" | "}" => n_open -= 1,
                "->" | "||" if n_open == 0 => {
                    let message = format!("`{}` stands between two event variables", token.text);
                    let hint = match token.text.as_str() {
                        "||" => {
                            "a choice between conditions is `or`; `m || s` says that two events are concurrent"
                        }
                        _ => "write `m -> s`; values are compared with `==`, `<` and so on",
                    };
                    return Err(error_at(token.start, message, hint));
                }
                _ => {}
            }
        }
        let condition = Condition::read(&self.parser.chars, &tokens, &self.scope)?;
        let known = self.conditions.iter().position(|known| *known == condition);
        let position = known.unwrap_or_else(|| {
            self.conditions.push(condition);
            self.conditions.len() - 1
        });
        Ok(Formula::Condition(position))
    }

    /// `a -> b`, `a < b < c`: each pair of neighbors.
    fn chain(&self, tokens: &[Token]) -> Result<Formula, ParseError> {
        let var = |token: &Token| {
            let known = self.scope.iter().rev().find(|(name, _)| *name == token.text);
            let names = self.scope.iter().map(|(name, _)| name.as_str());
            known.map(|(_, var)| *var).ok_or_else(|| unknown_variable(&token.text, token.start, names))
        };
        let mut parts = Vec::new();
        for step in tokens.windows(3).step_by(2) {
            let (left, right) = (var(&step[0])?, var(&step[2])?);
            parts.push(match step[1].text.as_str() {
                "->" => Formula::Order(left, Relation::Immediate, right),
                "<" => Formula::Order(left, Relation::Before, right),
                ">" => Formula::Order(right, Relation::Before, left),
                "||" => Formula::Order(left, Relation::Concurrent, right),
                "==" => Formula::Order(left, Relation::Same, right),
                "!=" => Formula::Not(Box::new(Formula::Order(left, Relation::Same, right))),
                other => {
                    let message = format!("`{other}` does not compare two events");
                    let hint = "events are ordered by `->`, `<` and `||`, and compared by `==` and `!=`";
                    return Err(error_at(step[1].start, message, hint));
                }
            });
        }
        Ok(only(parts, Formula::And))
    }
}

fn only(mut parts: Vec<Formula>, several: fn(Vec<Formula>) -> Formula) -> Formula {
    if parts.len() == 1 { parts.remove(0) } else { several(parts) }
}

fn quantifier(token: &Token) -> Option<Quantifier> {
    match token.text.as_str() {
        _ if token.kind != Kind::Word => None,
        "forall" => Some(Quantifier::Forall),
        "exists" => Some(Quantifier::Exists),
        "never" => Some(Quantifier::Never),
        _ => None,
    }
}

/// Whether a token cannot be part of a condition that is not in brackets.
fn ends_atom(token: &Token) -> bool {
    const WORDS: [&str; 12] = ["&&", "=>", ":", ")", "]", "}", ",", "and", "or", "where", "not", "forall"];
    token.kind == Kind::End || WORDS.iter().any(|word| token.is(word))
}

fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 12] =
        ["forall", "exists", "never", "where", "and", "or", "not", "true", "false", "in", "if", "switch"];
    WORDS.contains(&word)
}

/// Whether tokens are words with comparing signs in between.
fn is_chain(tokens: &[Token]) -> bool {
    const SIGNS: [&str; 8] = ["->", "<", ">", "||", "==", "!=", "<=", ">="];
    tokens.len() % 2 == 1
        && tokens.iter().enumerate().all(|(position, token)| match position % 2 {
            0 => token.kind == Kind::Word && !matches!(token.text.as_str(), "true" | "false"),
            _ => SIGNS.iter().any(|sign| token.is(sign)),
        })
}
