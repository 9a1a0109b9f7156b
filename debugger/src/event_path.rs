//! The path of one event, such as `/dobts[2]/Mult[3]:2`: read from a text, and found among recorded actions.
//!
//! A path that begins with `/` is looked for from the main graph. One that does not may leave out the graph
//! instances around the action, as long as only one action is meant. The count may be left out where the action
//! has executed once.

use std::fmt;

use hasse_model::id::{ActionId, EventId, GraphInstanceId, Index};
use hasse_model::key;
use hasse_model::name::{begins_name, is_of_name};
use hasse_model::trace::Names;

/// The path of one event, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPath {
    /// Whether it begins at the main graph.
    is_absolute: bool,
    /// Calls from outside inward, and the node; at least one.
    steps: Vec<(String, Index)>,
    /// Which execution, from 1.
    count: Option<u64>,
}

/// Why a text is no path of an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}; an event is written as /Mult[3]:2 or /call[1]/Mult[3]:2")]
pub struct BadEventPath {
    /// Column in the text, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: &'static str,
}

/// Why a path leads to no event of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEvent {
    /// No action of the record has this path.
    #[error("no action {path} has executed{}", did_you_mean(.near))]
    NoAction {
        /// The path, without the count.
        path: String,
        /// Actions that it might stand for, likeliest first.
        near: Vec<String>,
    },
    /// The path is that of an instance of a graph.
    #[error("{path} is an instance of a graph; actions in it are {}", .actions.join(", "))]
    Graph {
        /// The path, without the count.
        path: String,
        /// The first actions in it.
        actions: Vec<String>,
    },
    /// Several actions end in this path.
    #[error("{path} may be one of {}", .actions.join(", "))]
    Ambiguous {
        /// The path, without the count.
        path: String,
        /// The first of the actions.
        actions: Vec<String>,
    },
    /// The action has executed, but not so often.
    #[error("{action} has no event {count}: its events are {}", range(action, *.n_events))]
    NoCount {
        /// Path of the action.
        action: String,
        /// The count asked for.
        count: u64,
        /// How often it has executed.
        n_events: u64,
    },
    /// The count is missing, and the action has executed several times.
    #[error("which event of {action}? It has {}", range(action, *.n_events))]
    WhichCount {
        /// Path of the action.
        action: String,
        /// How often it has executed.
        n_events: u64,
    },
}

fn did_you_mean(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

fn range(action: &str, n_events: u64) -> String {
    match n_events {
        1 => format!("{action}:1"),
        _ => format!("{action}:1 to {action}:{n_events}"),
    }
}

impl EventPath {
    /// Reads a path.
    ///
    /// # Errors
    /// The text is none.
    pub fn parse(text: &str) -> Result<Self, BadEventPath> {
        let mut rest = Rest { text, at: 0 };
        let is_absolute = rest.skip('/');
        let mut steps = Vec::new();
        loop {
            let name = rest.name()?;
            let index = rest.index()?;
            steps.push((name, index));
            if !rest.skip('/') {
                break;
            }
        }
        let count = if rest.skip(':') { Some(rest.count()?) } else { None };
        if rest.at < text.len() {
            return Err(rest.fault("this does not belong to the path of an event"));
        }
        Ok(Self { is_absolute, steps, count })
    }

    /// The count, if one is written.
    pub fn count(&self) -> Option<u64> {
        self.count
    }

    /// The path from the main graph with its count, such as `/Mult[3]:2`, as events are named elsewhere; `None` without a count.
    pub fn from_main(&self) -> Option<String> {
        let count = self.count?;
        Some(format!("/{}:{count}", self.action().trim_start_matches('/')))
    }

    /// The name of the node, and its index.
    pub fn node(&self) -> (&str, &Index) {
        let (name, index) = self.steps.last().expect("a path has at least one step");
        (name, index)
    }

    /// Whether an action has this path, read from the main graph.
    pub fn fits_from_main(&self, action: ActionId, names: &Names) -> bool {
        Self { is_absolute: true, ..self.clone() }.fits(action, names)
    }

    /// Whether an action has this path, or one that ends in it.
    pub fn fits(&self, action: ActionId, names: &Names) -> bool {
        let Some((graph, name, index)) = names.place_of_action(action) else { return false };
        let (own_name, own_index) = self.node();
        if name != own_name || index != own_index {
            return false;
        }
        let mut graph = Some(graph);
        for (call, index) in self.steps.iter().rev().skip(1) {
            let Some(known) = graph.and_then(|graph| names.graph(graph)) else { return false };
            if names.call_name(known.call) != Some(call) || known.index != *index {
                return false;
            }
            graph = Some(known.parent);
        }
        !self.is_absolute || graph == Some(GraphInstanceId::MAIN)
    }

    /// The event of this path. `all` are the actions that executed, each with the number of its events.
    ///
    /// # Errors
    /// There is none, or several are meant.
    pub fn find(&self, names: &Names, all: &[(ActionId, u64)]) -> Result<EventId, NoEvent> {
        const MOST_SHOWN: usize = 4;
        let fitting: Vec<(ActionId, u64)> =
            all.iter().copied().filter(|(action, _)| self.fits(*action, names)).collect();
        // A path that leads from the main graph is meant before one that ends elsewhere.
        let exact = fitting.iter().find(|(action, _)| self.fits_from_main(*action, names));
        let (action, n_events) = match (exact, fitting.as_slice()) {
            (Some(only), _) | (None, [only]) => *only,
            (None, []) => {
                let actions = self.inside(names, all, MOST_SHOWN);
                if !actions.is_empty() {
                    return Err(NoEvent::Graph { path: self.action(), actions });
                }
                return Err(NoEvent::NoAction { path: self.action(), near: self.near(names, all) });
            }
            (None, several) => {
                let mut actions: Vec<String> =
                    several.iter().map(|(action, _)| names.action(*action).to_string()).collect();
                actions.sort();
                actions.truncate(MOST_SHOWN);
                return Err(NoEvent::Ambiguous { path: self.action(), actions });
            }
        };
        let path = || names.action(action).to_string();
        match self.count {
            Some(count) if (1..=n_events).contains(&count) => Ok(EventId { action, count }),
            Some(count) => Err(NoEvent::NoCount { action: path(), count, n_events }),
            None if n_events == 1 => Ok(EventId { action, count: 1 }),
            None => Err(NoEvent::WhichCount { action: path(), n_events }),
        }
    }

    /// The first actions in the graph instance that the path names, in the order of their paths; none where it names none.
    fn inside(&self, names: &Names, all: &[(ActionId, u64)], most: usize) -> Vec<String> {
        let own = format!("/{}", self.action().trim_start_matches('/'));
        let mut inside: Vec<String> = Vec::new();
        for (action, _) in all {
            let Some((graph, ..)) = names.place_of_action(*action) else { continue };
            if graph != GraphInstanceId::MAIN && names.graph_path(graph).to_string() == own {
                inside.push(names.action(*action).to_string());
            }
        }
        inside.sort();
        inside.truncate(most);
        inside
    }

    /// The path without the count.
    fn action(&self) -> String {
        let steps = self.steps.iter().map(|(name, index)| format!("{name}{index}"));
        let path = steps.collect::<Vec<_>>().join("/");
        if self.is_absolute { format!("/{path}") } else { path }
    }

    /// Actions whose paths are like this one: other instances of the node, or nodes with a similar name.
    fn near(&self, names: &Names, actions: &[(ActionId, u64)]) -> Vec<String> {
        const MOST: usize = 3;
        let (own_name, own_index) = self.node();
        let mut near: Vec<(usize, u64, String)> = Vec::new();
        for (action, _) in actions {
            let Some((_, name, index)) = names.place_of_action(*action) else { continue };
            let edits = distance(own_name, name);
            if edits > 1 + own_name.chars().count() / 4 {
                continue;
            }
            let apart = own_index.as_slice().iter().zip(index.as_slice());
            let apart = apart.fold(0_u64, |sum, (own, other)| sum.saturating_add(own.abs_diff(*other)));
            let same_rank = own_index.as_slice().len() == index.as_slice().len();
            near.push((2 * edits + usize::from(!same_rank), apart, names.action(*action).to_string()));
            if near.len() > 64 * MOST {
                near.sort();
                near.truncate(MOST);
            }
        }
        near.sort();
        near.truncate(MOST);
        near.into_iter().map(|(_, _, path)| path).collect()
    }
}

/// Writes the path as it was read, but for the form of indices.
impl fmt::Display for EventPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.action())?;
        self.count.map_or(Ok(()), |count| write!(f, ":{count}"))
    }
}

/// Levenshtein distance without regard to case, of names cut at 64 letters.
fn distance(left: &str, right: &str) -> usize {
    const MOST_LETTERS: usize = 64;
    let letters = |text: &str| text.to_lowercase().chars().take(MOST_LETTERS).collect::<Vec<_>>();
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (left_idx, left_letter) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], left_idx + 1);
        for (right_idx, right_letter) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(left_letter != right_letter);
            diagonal = row[right_idx + 1];
            row[right_idx + 1] = replaced.min(diagonal + 1).min(row[right_idx] + 1);
        }
    }
    row[right.len()]
}

/// What has not been read yet.
struct Rest<'t> {
    text: &'t str,
    /// In bytes.
    at: usize,
}

impl Rest<'_> {
    fn fault(&self, message: &'static str) -> BadEventPath {
        BadEventPath { column: self.text[..self.at].chars().count() + 1, message }
    }

    fn left(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self, letter: char) -> bool {
        let is_next = self.left().starts_with(letter);
        self.at += if is_next { letter.len_utf8() } else { 0 };
        is_next
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        let n_bytes: usize = self.left().chars().take_while(|letter| fits(*letter)).map(char::len_utf8).sum();
        self.at += n_bytes;
        &self.text[start..self.at]
    }

    fn name(&mut self) -> Result<String, BadEventPath> {
        let fault = self.fault("the name of a node or call is expected");
        let name = self.take_while(is_of_name);
        let is_name = name.starts_with(begins_name);
        if is_name { Ok(name.to_owned()) } else { Err(fault) }
    }

    fn index(&mut self) -> Result<Index, BadEventPath> {
        let mut numbers = Vec::new();
        while self.skip('[') {
            loop {
                self.take_while(char::is_whitespace);
                numbers.push(self.index_number()?);
                self.take_while(char::is_whitespace);
                if !self.skip(',') {
                    break;
                }
            }
            if !self.skip(']') {
                return Err(self.fault("`]` is missing"));
            }
        }
        Ok(numbers.into_iter().collect())
    }

    /// A number, or a text in quotes.
    fn index_number(&mut self) -> Result<i64, BadEventPath> {
        let fault = self.fault("an index number is expected");
        if !self.skip('"') {
            return self.number("an index number is expected");
        }
        let inner = format!("\"{}\"", self.take_while(|letter| letter != '"'));
        key::parse(&inner).filter(|_| self.skip('"')).ok_or(fault)
    }

    fn number<N: std::str::FromStr>(&mut self, expected: &'static str) -> Result<N, BadEventPath> {
        let fault = self.fault(expected);
        let digits = self.take_while(|letter| letter.is_ascii_digit() || letter == '-');
        digits.parse().map_err(|_| fault)
    }

    fn count(&mut self) -> Result<u64, BadEventPath> {
        let fault = self.fault("the first event of an action is :1");
        let count = self.number("the count of an event is expected")?;
        if count == 0 { Err(fault) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::event::{ActionRecord, GraphRecord};
    use hasse_model::id::{CallId, TemplateId};

    use super::*;

    fn names() -> Names {
        let templates = vec!["Main".to_owned(), "Sub.Mult".to_owned()];
        let mut names = Names::from_parts(templates, Vec::new(), vec!["call".to_owned()]);
        let index = |number: i64| [number].into_iter().collect::<Index>();
        for number in 1..3 {
            let graph = GraphInstanceId(number);
            let parent = GraphInstanceId::MAIN;
            names.add_graph(&GraphRecord { graph, parent, call: CallId(0), index: index(number.into()) });
            let (action, template) = (ActionId(number), TemplateId(1));
            names.add_action(&ActionRecord { action, template, graph, index: index(7) });
        }
        let (template, graph) = (TemplateId(0), GraphInstanceId::MAIN);
        names.add_action(&ActionRecord { action: ActionId(0), template, graph, index: Index::none() });
        names
    }

    fn find(text: &str) -> String {
        let counts = [(ActionId(0), 1), (ActionId(1), 2), (ActionId(2), 5)];
        let names = names();
        match EventPath::parse(text) {
            Err(error) => error.to_string(),
            Ok(path) => match path.find(&names, &counts) {
                Ok(event) => names.event(event).to_string(),
                Err(error) => error.to_string(),
            },
        }
    }

    #[test]
    fn a_path_leads_to_one_event() {
        assert_eq!(find("/call[2]/Mult[7]:5"), "/call[2]/Mult[7]:5");
        assert_eq!(find("call[1]/Mult[7]:1"), "/call[1]/Mult[7]:1");
        assert_eq!(find("Main"), "/Main:1");
        assert_eq!(find("/Main:1"), "/Main:1");
    }

    #[test]
    fn what_leads_nowhere_is_told_of() {
        assert_eq!(find("Mult[7]:1"), "Mult[7] may be one of /call[1]/Mult[7], /call[2]/Mult[7]");
        let (second, near) = ("/call[2]/Mult[7]", "did you mean /call[1]/Mult[7] or /call[2]/Mult[7]?");
        assert_eq!(
            find(&format!("{second}:6")),
            format!("{second} has no event 6: its events are {second}:1 to {second}:5")
        );
        assert_eq!(find(second), format!("which event of {second}? It has {second}:1 to {second}:5"));
        assert_eq!(find("/Mult[7]:1"), format!("no action /Mult[7] has executed; {near}"));
        assert_eq!(find("/call[1]/Mutl[8]:1"), format!("no action /call[1]/Mutl[8] has executed; {near}"));
        assert_eq!(find("Gather:1"), "no action Gather has executed");
    }

    #[test]
    fn faults_name_their_column() {
        for (text, column, message) in [
            ("", 1, "the name of a node or call is expected"),
            ("/Mult[x]:1", 7, "an index number is expected"),
            ("/Mult[3:1", 8, "`]` is missing"),
            ("/Mult[3]:0", 10, "the first event of an action is :1"),
            ("/Mult[3]:", 10, "the count of an event is expected"),
            ("/Mult[3]:1 x", 11, "this does not belong to the path of an event"),
            ("/call/", 7, "the name of a node or call is expected"),
        ] {
            assert_eq!(EventPath::parse(text), Err(BadEventPath { column, message }), "{text}");
        }
    }
}
