//! The causes of an event as a tree of lines.

use std::fmt;
use std::io;

use hasse_model::quantity::counted;
use hasse_model::value::Value;

use super::{Cause, Explained, Told};
use crate::check::evidence::{Quote, Way};

/// So many values that came the same way are written; of the others their number.
const MOST_CAUSES: usize = 16;
/// So many readers of an object are written.
const MOST_READERS: usize = 4;

/// Writes an explained event for a person; `program_path` stands before the line numbers.
///
/// # Errors
/// `out` does not take it.
pub fn write_text(explained: &Explained, program_path: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let mut text = String::new();
    let mut tree = Tree { text: &mut text, program_path };
    tree.event(explained, 0).expect("a string takes every write");
    out.write_all(text.as_bytes())
}

struct Tree<'t> {
    text: &'t mut String,
    program_path: &'t str,
}

impl Tree<'_> {
    fn line(&mut self, level: usize, line: fmt::Arguments<'_>) -> fmt::Result {
        let line = line.to_string().replace('\n', " ");
        fmt::Write::write_fmt(self.text, format_args!("{:width$}{line}\n", "", width = 2 * level))
    }

    fn place(&self, quote: &Quote) -> String {
        format!("`{}` ({}:{})", quote.text, self.program_path, quote.line)
    }

    fn event(&mut self, explained: &Explained, level: usize) -> fmt::Result {
        let by = match &explained.rule {
            _ if explained.told == Told::Missing => "the record does not hold it".to_owned(),
            None if explained.told == Told::Start => "a start".to_owned(),
            None => "without a firing rule".to_owned(),
            Some(rule) => match &rule.quote {
                Some(quote) => format!("by firing rule {} {}", rule.position, self.place(quote)),
                None => format!("by firing rule {}", rule.position),
            },
        };
        let error = explained.error.as_ref().map(|error| format!(": {error}"));
        let ended = match explained.outcome {
            "done" => String::new(),
            bad => format!(", {bad}{}", error.unwrap_or_default()),
        };
        match explained.told {
            Told::Above => return self.line(level, format_args!("{} (see above)", explained.event)),
            Told::Deeper => self.line(level, format_args!("{}  {by}{ended} ...", explained.event))?,
            Told::Causes | Told::Start | Told::Missing => {
                self.line(level, format_args!("{}  {by}{ended}", explained.event))?;
            }
        }
        for group in explained.causes.chunk_by(is_alike) {
            match group {
                [only] => self.cause(only, level + 1)?,
                several => self.values(several, level + 1)?,
            }
        }
        Ok(())
    }

    /// Values that came to one port by the same rule and arc.
    fn values(&mut self, group: &[Cause], level: usize) -> fmt::Result {
        for (cause_idx, cause) in group.iter().take(MOST_CAUSES).enumerate() {
            let Cause::Value { ways, port, value, sender, .. } = cause else { continue };
            if cause_idx == 0 {
                let port = ways.first().map(|way| format!(" on port {}", way.port)).unwrap_or_default();
                self.line(level, format_args!("it took {} values{port}", group.len()))?;
                for way in ways {
                    self.way(way, level + 1, &sender.node)?;
                }
            }
            if let (Some(port), Some(value)) = (port, value) {
                self.line(level + 1, format_args!("{port} = {value} from"))?;
            }
            self.event(sender, level + 1)?;
        }
        let n_more = group.len().saturating_sub(MOST_CAUSES);
        if n_more > 0 {
            self.line(level + 1, format_args!("and {n_more} more"))?;
        }
        Ok(())
    }

    fn cause(&mut self, cause: &Cause, level: usize) -> fmt::Result {
        match cause {
            Cause::Value { ways, port, value, sender, .. } => {
                let port = port.as_deref().or_else(|| ways.first().map(|way| way.port.as_str()));
                let port = port.map(|port| format!(" on port {port}")).unwrap_or_default();
                match value {
                    Some(value) => self.line(level, format_args!("it took {value}{port}"))?,
                    None => self.line(level, format_args!("it took a value{port}"))?,
                }
                for way in ways {
                    self.way(way, level + 1, &sender.node)?;
                }
                self.event(sender, level + 1)
            }
            Cause::Earlier { values } => self.line(
                level,
                format_args!(
                    "it took {} sent before the first event that was kept",
                    counted(*values as u64, "value")
                ),
            ),
            Cause::Object { object, writes, value, writer, readers } => {
                self.object((object, *writes, value.as_ref()), writer.as_ref(), readers, level)
            }
            Cause::Previous { vars, event } => {
                let vars: Vec<String> =
                    vars.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                match vars.as_slice() {
                    [] => {
                        self.line(level, format_args!("it went on with what its execution before had left"))?
                    }
                    vars => self.line(level, format_args!("it went on with {}", vars.join(", ")))?,
                }
                self.event(event, level + 1)
            }
            Cause::Relayed { object, event } => {
                let way = object.as_deref().unwrap_or("values");
                self.line(level, format_args!("by way of {way}, after"))?;
                self.event(event, level + 1)
            }
        }
    }

    fn object(
        &mut self,
        (object, writes, value): (&str, bool, Option<&Value>),
        writer: Option<&Explained>,
        readers: &[Explained],
        level: usize,
    ) -> fmt::Result {
        let verb = if writes { "wrote" } else { "read" };
        let found = value.map(|value| format!(", which held {value}")).unwrap_or_default();
        let last = if writer.is_some() { "last written by" } else { "not written before" };
        self.line(level, format_args!("it {verb} {object}{found}; {last}"))?;
        if let Some(writer) = writer {
            self.event(writer, level + 1)?;
        }
        if !readers.is_empty() {
            self.line(level + 1, format_args!("and read since then by"))?;
        }
        for reader in readers.iter().take(MOST_READERS) {
            self.event(reader, level + 2)?;
        }
        let n_more = readers.len().saturating_sub(MOST_READERS);
        if n_more > 0 {
            self.line(level + 2, format_args!("and {n_more} more"))?;
        }
        Ok(())
    }

    fn way(&mut self, way: &Way, level: usize, node: &str) -> fmt::Result {
        let rule = self.place(&way.rule_quote);
        self.line(level, format_args!("sent by routing rule {} of {node} {rule}", way.rule))?;
        for arc in &way.arc_quotes {
            let arc = self.place(arc);
            self.line(level, format_args!("along arc {arc}"))?;
        }
        Ok(())
    }
}

/// Whether two values came by the same rule and arc to the same port.
fn is_alike(first: &Cause, second: &Cause) -> bool {
    match (first, second) {
        (Cause::Value { ways: first, .. }, Cause::Value { ways: second, .. }) => {
            !first.is_empty() && first == second
        }
        _ => false,
    }
}
