//! A file of models as TOML.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value};

use super::error::ModelError;
use super::grammar::Piece;
use super::syntax::{Model, NodeRules, Placed, Rule};

const MODEL_HINT: &str = "a model begins with `[model.NAME]`, then `nodes = [\"Solve\", \"Mult\"]`";

/// Reads a file of models, in the order of the file. Names are looked up when a model is given to a checker.
///
/// # Errors
/// Where the text is not TOML, has keys that models do not have, or a notation is wrong.
///
/// ```
/// let text = r#"
/// [model.bts]
/// nodes = ["Solve", "Mult"]
/// arcs  = ["Solve -> Mult", "Mult[i] -> Solve if i == count"]
/// [model.bts.node.Solve]
/// fire = ["Mult", "none if count == 1"]
/// "#;
/// assert_eq!(hasse_debugger::check::model::parse(text)?[0].name, "bts");
/// # Ok::<(), hasse_debugger::check::model::ModelError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<Model>, ModelError> {
    let reader = Reader { text };
    let document = Document::parse(text).map_err(|error| {
        let message =
            error.message().split('\n').filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ");
        let message = format!("this is not readable TOML: {message}");
        reader.at(error.span().unwrap_or(0..0)).error(message, MODEL_HINT.to_owned())
    })?;
    let root = document.as_table();
    reader.refuse_others(root, &["model"], "the file")?;
    let models = match root.get_key_value("model") {
        Some((key, item)) => reader.table(key, item)?,
        None => return Err(reader.at(0..0).error("the file has no model".to_owned(), MODEL_HINT.to_owned())),
    };
    models.iter().map(|(name, item)| reader.model(models, name, item)).collect()
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn model(&self, models: &dyn TableLike, name: &str, item: &'t Item) -> Result<Model, ModelError> {
        let key = models.key(name).map_or(0..0, |key| key.span().unwrap_or(0..0));
        let table = item.as_table_like().ok_or_else(|| {
            self.at(key.clone()).error(format!("`{name}` is not a table"), MODEL_HINT.to_owned())
        })?;
        self.refuse_others(table, &["nodes", "arcs", "shared", "node", "doc"], "a model")?;
        let Some(nodes) = self.strings(table, "nodes", |piece| piece.spec())? else {
            let message = format!("the model `{name}` selects no nodes");
            return Err(self.at(key).error(message, MODEL_HINT.to_owned()));
        };
        if nodes.is_empty() {
            let message = format!("the model `{name}` selects no nodes");
            return Err(self.at(key).error(message, MODEL_HINT.to_owned()));
        }
        let arcs = self.strings(table, "arcs", |piece| piece.arc())?.unwrap_or_default();
        let has_shared = match table.get_key_value("shared") {
            None => true,
            Some((key, item)) => item.as_bool().ok_or_else(|| {
                let at = self.at(item.span().or(key.span()).unwrap_or(0..0));
                at.error("`shared` is neither true nor false".to_owned(), "write `shared = false`".to_owned())
            })?,
        };
        let mut rules = Vec::new();
        if let Some((key, item)) = table.get_key_value("node") {
            let tables = self.table(key, item)?;
            for (node, item) in tables.iter() {
                let key =
                    tables.key(node).ok_or_else(|| self.at(0..0).error(String::new(), String::new()))?;
                let table = self.table(key, item)?;
                self.refuse_others(table, &["fire", "route", "doc"], "a node of a model")?;
                let rule = |piece: Piece<'_>| -> Result<Rule, ModelError> { piece.rule() };
                let at = self.at(key.span().unwrap_or(0..0));
                rules.push(NodeRules {
                    name: Placed { inner: node.to_owned(), line: at.line, column: at.column },
                    fire: self.strings(table, "fire", rule)?,
                    route: self.strings(table, "route", rule)?,
                });
            }
        }
        Ok(Model { name: name.to_owned(), nodes, arcs, rules, has_shared })
    }

    fn table(&self, key: &toml_edit::Key, item: &'t Item) -> Result<&'t dyn TableLike, ModelError> {
        item.as_table_like().ok_or_else(|| {
            let message = format!("`{}` is not a table", key.get());
            self.at(key.span().unwrap_or(0..0)).error(message, MODEL_HINT.to_owned())
        })
    }

    fn refuse_others(&self, table: &dyn TableLike, known: &[&str], what: &str) -> Result<(), ModelError> {
        let Some((name, _)) = table.iter().find(|(name, _)| !known.contains(name)) else { return Ok(()) };
        let at = self.at(table.key(name).and_then(|key| key.span()).unwrap_or(0..0));
        let listed: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let hint = format!("its keys are {}", listed.join(", "));
        Err(at.error(format!("{what} has no key `{name}`"), hint))
    }

    /// An array of strings, each read as a notation; `None` where the key is missing.
    fn strings<T>(
        &self,
        table: &'t dyn TableLike,
        name: &str,
        read: impl Fn(Piece<'_>) -> Result<T, ModelError>,
    ) -> Result<Option<Vec<T>>, ModelError> {
        let Some((key, item)) = table.get_key_value(name) else { return Ok(None) };
        let refuse = |span: Option<Range<usize>>| {
            let at = self.at(span.or(key.span()).unwrap_or(0..0));
            at.error(
                format!("`{name}` is not a list of strings"),
                format!("write `{name} = [\"..\", \"..\"]`"),
            )
        };
        let values = item.as_array().ok_or_else(|| refuse(item.span()))?;
        let read_one = |value: &Value| {
            let text = value.as_str().ok_or_else(|| refuse(value.span()))?;
            let (chars, end) = self.placed(text, value.span().unwrap_or(0..0));
            read(Piece::new(&chars, end))
        };
        values.iter().map(read_one).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The characters of a string with their places, and the place behind. Exact where the string is spelled without escapes.
    fn placed(&self, text: &str, span: Range<usize>) -> (Vec<Placed<char>>, (usize, usize)) {
        let spelled = self.text.get(span.clone()).unwrap_or_default();
        let n_quotes = if spelled.starts_with("\"\"\"") || spelled.starts_with("'''") { 3 } else { 1 };
        let skipped = usize::from(n_quotes == 3 && spelled[3..].starts_with('\n'));
        let start = self.at(span.start + n_quotes + skipped..span.end);
        let (mut line, mut column) = (start.line, start.column);
        let mut chars = Vec::new();
        for inner in text.chars() {
            chars.push(Placed { inner, line, column });
            (line, column) = if inner == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        (chars, (line, column))
    }

    fn at(&self, span: Range<usize>) -> Placed<()> {
        let front = &self.text[..floor_char(self.text, span.start)];
        let line = front.matches('\n').count() + 1;
        let column = front.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Placed { inner: (), line, column }
    }
}

/// The last character boundary that is not behind `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
