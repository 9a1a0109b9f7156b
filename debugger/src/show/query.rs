//! Parts of values by name, where no interpreter is needed: `seg`, `s.items[3]`, `a[10..20]`, `m[0..3, 2]`, `m[.., 5]`,
//! `counts["a key"]`.
//!
//! ```text
//! query = NAME { "." FIELD | "[" side { "," side } "]" | "[" STRING "]" }
//! side  = INT | [INT] ".." [INT] | [INT] "..=" INT
//! ```

use std::fmt;
use std::str::FromStr;

use hasse_model::name::is_of_name;
use hasse_model::value::{Side, Value};

/// A name and what is wanted of its value. Displays as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The name.
    pub name: String,
    /// From the value of the name to the part of it.
    pub steps: Vec<Step>,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field of a struct, or the value of a map at a key that is a name.
    Field {
        /// Its name.
        name: String,
        /// Column of the name in the query, in characters from 1.
        column: usize,
    },
    /// Value of a map at a key.
    Key {
        /// The key.
        key: String,
        /// Column of the opening bracket.
        column: usize,
    },
    /// Items of an array, string, vector, matrix or of bytes.
    Part {
        /// One for each dimension.
        sides: Vec<Side>,
        /// Column of the opening bracket.
        column: usize,
    },
}

/// Why a text is no query, or a value has no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct QueryError {
    /// Where in the query, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Query {
    /// The part of the value of the name that the query wants.
    ///
    /// # Errors
    /// A struct has no such field, a map no such key, or there is nothing at a position: the shape of what there is.
    pub fn find(&self, value: &Value) -> Result<Value, QueryError> {
        let mut found = value.clone();
        for step in &self.steps {
            found = match step {
                Step::Field { name, column } => {
                    field(&found, name).map_err(|message| QueryError { column: *column, message })?
                }
                Step::Key { key, column } => {
                    at_key(&found, key).map_err(|message| QueryError { column: *column, message })?
                }
                Step::Part { sides, column } => found
                    .part(sides)
                    .map_err(|error| QueryError { column: *column, message: error.to_string() })?,
            };
        }
        Ok(found)
    }
}

fn field(value: &Value, name: &str) -> Result<Value, String> {
    let held = match value {
        Value::Struct(held) => held,
        Value::Map(_) => return at_key(value, name),
        _ => return Err(format!("{} has no fields", value.shape_text())),
    };
    let found = held.shape().field_idx(name).map(|field_idx| held.fields()[field_idx].clone());
    found.ok_or_else(|| {
        let names: Vec<String> = held.entries().map(|(name, _)| format!("`{name}`")).collect();
        let listing = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("`{}` has no field `{name}`; its fields are {listing}", held.shape().name)
    })
}

fn at_key(value: &Value, key: &str) -> Result<Value, String> {
    let Value::Map(entries) = value else {
        return Err(format!("{} has no keys", value.shape_text()));
    };
    let found = entries.get(key).cloned();
    found.ok_or_else(|| format!("{} has no key {key:?}", value.shape_text()))
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Field { name, .. } => write!(f, ".{name}"),
            Step::Key { key, .. } => write!(f, "[{key:?}]"),
            Step::Part { sides, .. } => {
                let sides: Vec<String> = sides.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", sides.join(", "))
            }
        })
    }
}

impl FromStr for Query {
    type Err = QueryError;

    fn from_str(text: &str) -> Result<Self, QueryError> {
        let mut reader = Reader { letters: text.chars().collect(), at: 0 };
        let name = reader.name("the name of a value")?;
        let mut steps = Vec::new();
        loop {
            reader.skip_spaces();
            let column = reader.at + 1;
            if reader.takes('.') {
                let column = reader.at + 1;
                steps.push(Step::Field { name: reader.name("the name of a field")?, column });
            } else if reader.takes('[') {
                steps.push(match reader.key()? {
                    Some(key) => Step::Key { key, column },
                    None => Step::Part { sides: reader.sides()?, column },
                });
            } else if reader.at == reader.letters.len() {
                return Ok(Self { name, steps });
            } else {
                return reader.fault("`.field`, `[position]`, `[\"key\"]` or the end is expected here");
            }
        }
    }
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn name(&mut self, what: &str) -> Result<String, QueryError> {
        self.skip_spaces();
        let is_part = |letter: &&char| is_of_name(**letter);
        let name: String = self.letters[self.at..].iter().take_while(is_part).collect();
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return self.fault(&format!("{what} is missing"));
        }
        self.at += name.chars().count();
        Ok(name)
    }

    /// A key in double quotes and the bracket after it; `None` where there is no quote.
    fn key(&mut self) -> Result<Option<String>, QueryError> {
        self.skip_spaces();
        if !self.takes('"') {
            return Ok(None);
        }
        let mut key = String::new();
        loop {
            match self.letters.get(self.at) {
                None => return self.fault("the key does not end: `\"` is missing"),
                Some('"') => break,
                Some('\\') if self.at + 1 < self.letters.len() => {
                    self.at += 1;
                    key.push(match self.letters[self.at] {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                }
                Some(letter) => key.push(*letter),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_spaces();
        if self.takes(']') { Ok(Some(key)) } else { self.fault("`]` is missing") }
    }

    fn sides(&mut self) -> Result<Vec<Side>, QueryError> {
        let mut sides = Vec::new();
        loop {
            sides.push(self.side()?);
            self.skip_spaces();
            if self.takes(']') {
                return Ok(sides);
            }
            if !self.takes(',') {
                return self.fault("`,` or `]` is missing");
            }
        }
    }

    fn side(&mut self) -> Result<Side, QueryError> {
        let low = self.number()?;
        if !(self.takes('.') && self.takes('.')) {
            return match low {
                Some(low) => Ok(Side::One(low)),
                None => self.fault("a position is missing; `..` stands for all"),
            };
        }
        let is_inclusive = self.takes('=');
        let high = self.number()?;
        match (is_inclusive, high) {
            (true, None) => self.fault("the last position is missing"),
            (true, Some(high)) => Ok(Side::Range { low, high: Some(high.saturating_add(1)) }),
            (false, high) => Ok(Side::Range { low, high }),
        }
    }

    fn number(&mut self) -> Result<Option<i64>, QueryError> {
        self.skip_spaces();
        let start = self.at;
        let _ = self.takes('-');
        while self.letters.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
        let digits: String = self.letters[start..self.at].iter().collect();
        if digits.is_empty() {
            return Ok(None);
        }
        match digits.parse() {
            Ok(number) => {
                self.skip_spaces();
                Ok(Some(number))
            }
            Err(_) => {
                self.at = start;
                self.fault("this is not the number of a position")
            }
        }
    }

    fn fault<T>(&self, message: &str) -> Result<T, QueryError> {
        Err(QueryError { column: self.at + 1, message: message.to_owned() })
    }

    fn takes(&mut self, wanted: char) -> bool {
        let is_next = self.letters.get(self.at) == Some(&wanted);
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_spaces(&mut self) {
        while self.letters.get(self.at).is_some_and(|letter| letter.is_whitespace()) {
            self.at += 1;
        }
    }
}
