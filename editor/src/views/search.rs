//! Events of a record that fit what is searched for: by instance, by values taken and sent, by lines that were printed.

/// Texts of events with values.
pub(super) mod texts;

use hasse_model::show::{Limits, Shown};

use super::record::arrays::Record;
use super::task::Control;
use super::values::store::Values;
use texts::EventTexts;

/// Texts that a word of a query is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// Everything below.
    Any,
    /// The path of the instance, and that of the event.
    Path,
    Took,
    Sent,
    Printed,
}

/// A word of a query, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    field: Field,
    text: String,
    /// True for a number, which is not found within another one.
    is_number: bool,
}

/// A query: all words must fit an event, each in any of its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery(Vec<Word>);

impl EventTexts {
    /// The texts of an event; `None` where its values are not known.
    pub(super) fn of(values: &Values, event: u32) -> Option<Self> {
        let local = values.local(event)?;
        let shown = |(_, value): &(String, _)| Shown::new(value, &Limits::one_line()).to_string();
        let lower = |text: String| text.to_lowercase();
        Some(Self {
            took: local.took.iter().map(shown).map(lower).collect(),
            sent: local.sent.iter().map(shown).map(lower).collect(),
            printed: local.lines.iter().cloned().map(lower).collect(),
        })
    }
}

impl EventQuery {
    /// Reads a query: words that must all fit, in any order. A word in quotes may have spaces; one that begins with `node:`,
    /// `took:`, `sent:` or `printed:` is looked for there alone. `None` where nothing is said.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<Word> = split(text).iter().filter_map(|word| Word::parse(word)).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Returns whether the values of events are asked for.
    pub fn asks_for_values(&self) -> bool {
        self.0.iter().any(|word| word.field != Field::Path)
    }

    /// Finds the events that fit, ascending; `None` where `control` says that nobody waits. Cost: linear in the events and
    /// the texts of their values.
    pub fn find(
        &self,
        record: &Record,
        values: Option<&Values>,
        control: Option<&Control>,
    ) -> Option<Vec<u32>> {
        let n_instances = record.instances().len() as u32;
        let paths: Vec<String> = (0..n_instances).map(|at| record.instance_name(at).to_lowercase()).collect();
        // Of most words the answer is the same for all events of an instance.
        let by_path: Vec<Vec<bool>> =
            self.0.iter().map(|word| paths.iter().map(|path| word.fits_path(path)).collect()).collect();
        let texts = values.map(|values| values.texts(record));
        let mut found = Vec::new();
        for event in 0..record.n_events() {
            if event % 4096 == 0 && control.is_some_and(Control::is_cancelled) {
                return None;
            }
            let instance = record.instance_of(event) as usize;
            let own = texts.and_then(|texts| texts.get(&event));
            let fits = |(word, by_path): (&Word, &Vec<bool>)| {
                by_path.get(instance) == Some(&true)
                    || word.fits_event(paths.get(instance), record.count(event))
                    || own.is_some_and(|own| word.fits_texts(own))
                    || word.field == Field::Any
                        && record.error(event).is_some_and(|error| word.fits(&error.to_lowercase()))
            };
            if self.0.iter().zip(&by_path).all(fits) {
                found.push(event);
            }
        }
        Some(found)
    }
}

impl Word {
    fn parse(word: &str) -> Option<Self> {
        let fields = [
            ("node:", Field::Path),
            ("took:", Field::Took),
            ("sent:", Field::Sent),
            ("printed:", Field::Printed),
        ];
        let lower = word.to_lowercase();
        let (field, text) = fields
            .into_iter()
            .find_map(|(name, field)| Some((field, lower.strip_prefix(name)?)))
            .unwrap_or((Field::Any, &lower));
        let text = text.trim_matches('"').to_owned();
        let is_number = text.parse::<f64>().is_ok();
        (!text.is_empty()).then_some(Self { field, text, is_number })
    }

    fn fits_path(&self, path: &str) -> bool {
        matches!(self.field, Field::Any | Field::Path) && self.fits(path)
    }

    /// Returns whether the word names one event of an instance, such as `Mult[3]:2`.
    fn fits_event(&self, path: Option<&String>, count: u32) -> bool {
        matches!(self.field, Field::Any | Field::Path)
            && self.text.contains(':')
            && path.is_some_and(|path| format!("{path}:{count}").ends_with(&self.text))
    }

    fn fits_texts(&self, texts: &EventTexts) -> bool {
        let lists: &[&Vec<String>] = match self.field {
            Field::Any => &[&texts.took, &texts.sent, &texts.printed],
            Field::Path => &[],
            Field::Took => &[&texts.took],
            Field::Sent => &[&texts.sent],
            Field::Printed => &[&texts.printed],
        };
        lists.iter().any(|list| list.iter().any(|text| self.fits(text)))
    }

    fn fits(&self, text: &str) -> bool {
        if !self.is_number {
            return text.contains(&self.text);
        }
        text.match_indices(&self.text).any(|(start, found)| {
            let before = text[..start].chars().next_back();
            let mut after = text[start + found.len()..].chars();
            let (next, second) = (after.next(), after.next());
            let is_cut = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
            let has_decimals = next == Some('.') && second.is_some_and(|digit| digit.is_ascii_digit());
            !is_cut(before) && !matches!(before, Some('.' | '-')) && !is_cut(next) && !has_decimals
        })
    }
}

/// The words of a text; spaces within quotes do not part them.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        if letter.is_whitespace() && !is_quoted {
            words.push(std::mem::take(&mut word));
            continue;
        }
        is_quoted ^= letter == '"';
        word.push(letter);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn fits(query: &str, text: &str) -> bool {
        Word::parse(query).is_some_and(|word| word.fits(&text.to_lowercase()))
    }

    #[test]
    fn number_is_not_found_within_another_one() {
        assert!(fits("3", "/Mult[3]") && fits("3", "[1, 3, 5]") && fits("-3", "-3") && fits("2.5", "2.5"));
        assert!(!fits("3", "/Mult[13]") && !fits("3", "3.5") && !fits("3", "-3") && !fits("3", "a3"));
    }

    #[test]
    fn words_are_parted_by_spaces_outside_of_quotes() {
        assert_eq!(split("  a \"b c\" took:\"d e\" "), ["a", "\"b c\"", "took:\"d e\""]);
        let query = EventQuery::parse("Printed:\"Two Words\" 7").unwrap();
        let word = |field, text: &str, is_number| Word { field, text: text.to_owned(), is_number };
        assert_eq!(query.0, [word(Field::Printed, "two words", false), word(Field::Any, "7", true)]);
        assert!(EventQuery::parse(" \"\" took: ").is_none());
        assert!(!EventQuery::parse("node:A").unwrap().asks_for_values());
    }
}
