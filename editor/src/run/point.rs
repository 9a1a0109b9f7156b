//! The form of one breakpoint, for what was clicked on the picture: where it stops, for which actions, on what condition.
//!
//! A command that the form has no fields for, such as one with `watch`, is shown as its text.

use std::ops::Range;

use hasse_model::function::FunctionTable;
use hasse_model::id::TemplateId;
use hasse_model::name::{begins_name, is_of_name};
use hasse_model::plan::{Access, Plan, Source as ArcSource};
use hasse_runtime::control::breakpoint::{
    Breakpoint as Parsed, LogPart, Place as Stopping, PointCommand, Reaction,
};
use hasse_runtime::control::grammar::{self, Keyword, NameKind, known_names};

use super::breakpoint::{Breakpoint, BreakpointSpec, Place};
use super::facts::Facts;
use crate::edit::link::LinkList;
use crate::target::{Part, Target};

/// Reaction of a breakpoint of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointReaction {
    /// Stops the action.
    Stop,
    /// Stops the action, and is deleted.
    Once,
    /// Writes a line into the log, and lets the action go on.
    Log,
}

impl PointReaction {
    /// All of them, in the order of the form.
    pub const ALL: [Self; 3] = [Self::Stop, Self::Once, Self::Log];

    /// The words of the form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Once => "Stop once",
            Self::Log => "Write a line",
        }
    }
}

/// A place in an execution that the form offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointPlace {
    /// Before the body.
    Before,
    /// After the body.
    After,
    /// Before anything is sent.
    Send,
    /// When the body, a guard or a sending has failed.
    Failed,
    /// When an action of the unit is created.
    Creation,
    /// When a value passes the arc.
    Arc,
    /// When the lock of the object is granted.
    Access,
    /// The same, to read.
    Read,
    /// The same, to write.
    Write,
}

impl PointPlace {
    /// The words of the form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before the body",
            Self::After => "after the body",
            Self::Send => "before sending",
            Self::Failed => "at a failure",
            Self::Creation => "at creation",
            Self::Arc => "when a value is sent",
            Self::Access => "at each access",
            Self::Read => "at a read",
            Self::Write => "at a write",
        }
    }
}

/// Node, arc or object that a breakpoint of the form is on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spot {
    /// A unit, by its selector.
    Unit(String),
    /// A call, by its selector: all actions of the graph instances that it stands for.
    Call(String),
    /// A shared object.
    Object(String),
    /// An arc, by its position in [`Facts::arcs`].
    Arc(usize),
}

/// A text field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointField {
    /// The actions that it is for.
    Actions,
    /// Condition that must hold.
    Condition,
    /// Text of a log point.
    Text,
    /// Hits that are passed over.
    Ignored,
    /// The whole command.
    Command,
}

/// Something that can be typed into a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointOffer {
    /// Text to insert.
    pub text: String,
    /// Its meaning, in a word.
    pub detail: &'static str,
}

/// A breakpoint while it is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointForm {
    target: Target,
    spot: Spot,
    replaced: Option<u64>,
    /// Reaction to a hit.
    pub reaction: PointReaction,
    /// Where it stops: one of [`places`](Self::places).
    pub place: PointPlace,
    actions: String,
    condition: String,
    text: String,
    ignored: String,
    /// The command, where there are no fields for it.
    command: Option<String>,
}

impl PointForm {
    /// The form of a new breakpoint; `None` on what takes none. `facts` are those of the program, where it was compiled.
    pub fn new(target: &Target, facts: Option<&Facts>) -> Option<Self> {
        let spot = spot(target, facts)?;
        let place = places(&spot)[0];
        let actions = match &spot {
            Spot::Unit(selector) | Spot::Call(selector) => selector.clone(),
            Spot::Object(_) | Spot::Arc(_) => String::new(),
        };
        Some(Self {
            target: target.clone(),
            spot,
            replaced: None,
            reaction: PointReaction::Stop,
            place,
            actions,
            condition: String::new(),
            text: String::new(),
            ignored: String::new(),
            command: None,
        })
    }

    /// The form of a breakpoint that is set, which the new one replaces.
    pub fn of(breakpoint: &Breakpoint, target: &Target, facts: &Facts) -> Option<Self> {
        let mut form = Self::new(target, Some(facts))?;
        form.replaced = Some(breakpoint.number);
        let parsed = facts.plan.as_deref().and_then(|plan| parse(&breakpoint.command, plan).ok());
        if !parsed.is_some_and(|parsed| form.take(&parsed, facts)) {
            form.command = Some(breakpoint.command.clone());
        }
        Some(form)
    }

    /// Fills the fields; whether they can hold all of it.
    fn take(&mut self, parsed: &Parsed, facts: &Facts) -> bool {
        let place = match &parsed.place {
            Stopping::Befcomp => PointPlace::Before,
            Stopping::Aftcomp => PointPlace::After,
            Stopping::Send => PointPlace::Send,
            Stopping::Failed => PointPlace::Failed,
            Stopping::Creation(Some(_)) => PointPlace::Creation,
            Stopping::Arc(arcs) => match (&self.spot, &arcs[..]) {
                (Spot::Arc(own), [arc]) if arc.idx() == *own => PointPlace::Arc,
                _ => return false,
            },
            Stopping::Shared { access: None, .. } => PointPlace::Access,
            Stopping::Shared { access: Some(Access::Read), .. } => PointPlace::Read,
            Stopping::Shared { access: Some(Access::Write), .. } => PointPlace::Write,
            Stopping::Line(_) | Stopping::Creation(None) => return false,
        };
        if !self.places().contains(&place) {
            return false;
        }
        let within = match &parsed.place {
            Stopping::Creation(selector) if parsed.within.is_none() => selector.as_ref(),
            Stopping::Creation(_) => return false,
            _ => parsed.within.as_ref(),
        };
        (self.reaction, self.text) = match &parsed.reaction {
            Reaction::Stop => (PointReaction::Stop, String::new()),
            Reaction::Once => (PointReaction::Once, String::new()),
            Reaction::When(commands) => match &commands[..] {
                [PointCommand::Log(parts)] => (PointReaction::Log, log_text(parts)),
                _ => return false,
            },
            Reaction::Watch(_) => return false,
        };
        self.place = place;
        self.actions = within.map_or_else(String::new, ToString::to_string);
        self.condition = parsed.condition.as_ref().map_or_else(String::new, |held| held.text().to_owned());
        self.ignored = if parsed.n_ignored == 0 { String::new() } else { parsed.n_ignored.to_string() };
        // What the fields say is the same breakpoint.
        let again = facts.plan.as_deref().and_then(|plan| parse(&self.command(facts), plan).ok());
        again.as_ref() == Some(parsed)
    }

    /// Target that it is on.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns true if it is on a call: for all actions of the graph instances that it stands for.
    pub fn is_call(&self) -> bool {
        matches!(self.spot, Spot::Call(_))
    }

    /// Number of the breakpoint that is replaced.
    pub fn replaced(&self) -> Option<u64> {
        self.replaced
    }

    /// Returns true if the form shows the whole command as one field.
    pub fn is_command(&self) -> bool {
        self.command.is_some()
    }

    /// Name of what it is on, as the title of the form has it.
    pub fn subject(&self, facts: &Facts) -> String {
        match &self.spot {
            Spot::Unit(name) | Spot::Call(name) | Spot::Object(name) => name.clone(),
            Spot::Arc(arc) => facts.arcs.get(*arc).map_or_else(String::new, |arc| arc.text.clone()),
        }
    }

    /// Places that it can be at.
    pub fn places(&self) -> &'static [PointPlace] {
        places(&self.spot)
    }

    /// Text of a field.
    pub fn field(&self, field: PointField) -> &str {
        match field {
            PointField::Actions => &self.actions,
            PointField::Condition => &self.condition,
            PointField::Text => &self.text,
            PointField::Ignored => &self.ignored,
            PointField::Command => self.command.as_deref().unwrap_or_default(),
        }
    }

    /// Takes the text of a field.
    pub fn set_field(&mut self, field: PointField, text: &str) {
        let held = match field {
            PointField::Actions => &mut self.actions,
            PointField::Condition => &mut self.condition,
            PointField::Text => &mut self.text,
            PointField::Ignored => &mut self.ignored,
            PointField::Command => match &mut self.command {
                Some(command) => command,
                None => return,
            },
        };
        text.clone_into(held);
    }

    /// The command that sets it.
    pub fn command(&self, facts: &Facts) -> String {
        if let Some(command) = &self.command {
            return command.trim().to_owned();
        }
        let object = |access: &str| match &self.spot {
            Spot::Object(name) => Place::Object(format!("{name}{access}")),
            Spot::Unit(_) | Spot::Call(_) | Spot::Arc(_) => Place::BeforeBody,
        };
        let place = match self.place {
            PointPlace::Before => Place::BeforeBody,
            PointPlace::After => Place::AfterBody,
            PointPlace::Send => Place::Send,
            PointPlace::Failed => Place::Failed,
            PointPlace::Creation => Place::Creation(self.actions.clone()),
            PointPlace::Arc => match self.spot {
                Spot::Arc(arc) => Place::Arcs(vec![arc]),
                Spot::Unit(_) | Spot::Call(_) | Spot::Object(_) => Place::BeforeBody,
            },
            PointPlace::Access => object(""),
            PointPlace::Read => object(" read"),
            PointPlace::Write => object(" write"),
        };
        let within = if self.place == PointPlace::Creation { "" } else { self.actions.as_str() };
        BreakpointSpec {
            condition: self.condition.clone(),
            n_ignored: self.ignored.trim().parse().unwrap_or(0),
            log: (self.reaction == PointReaction::Log).then(|| self.text.clone()),
            is_once: self.reaction == PointReaction::Once,
            ..BreakpointSpec::at(within, place)
        }
        .command(facts)
    }

    /// Returns true if no required field is empty: a log point has a text.
    pub fn is_complete(&self) -> bool {
        self.command.is_some() || self.reaction != PointReaction::Log || !self.text.trim().is_empty()
    }

    /// Error in the fields; `None` where they set a breakpoint, or nothing is known of the program.
    pub fn problem(&self, facts: Option<&Facts>) -> Option<String> {
        let ignored = self.ignored.trim();
        if self.command.is_none() && !ignored.is_empty() && ignored.parse::<u64>().is_err() {
            return Some(format!("`{ignored}` is no number of hits"));
        }
        let facts = facts.filter(|_| self.is_complete())?;
        let error = parse(&self.command(facts), facts.plan.as_deref()?).err()?;
        let (column, message, hint) = match error {
            Some(error) => (error.column, error.message, error.hint),
            None => return Some("a breakpoint begins with `stop`, `once`, `when` or `watch`".to_owned()),
        };
        let place = if self.command.is_some() { format!("column {column}: ") } else { String::new() };
        let hint = if hint.is_empty() { hint } else { format!("; {hint}") };
        Some(format!("{place}{message}{hint}"))
    }

    /// Completions at a byte offset of a field, and the bytes that they replace: names of the actions first, then
    /// functions. In the text of a line, only within braces.
    pub fn offers(
        &self,
        field: PointField,
        cursor: usize,
        facts: Option<&Facts>,
        functions: &FunctionTable,
    ) -> (Range<usize>, Vec<PointOffer>) {
        let text = self.field(field);
        let end = (0..=cursor.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..end];
        let start = before.trim_end_matches(is_of_name).len();
        let word = before[start..].to_lowercase();
        let is_open = match field {
            PointField::Condition => true,
            PointField::Text => before.rfind('{') > before.rfind('}'),
            PointField::Actions | PointField::Ignored | PointField::Command => false,
        };
        let is_quoted = field == PointField::Condition && before.matches('"').count() % 2 == 1;
        let is_number = word.starts_with(|letter: char| letter.is_ascii_digit());
        if !is_open || is_quoted || is_number || word.is_empty() {
            return (start..end, Vec::new());
        }
        let plan = facts.and_then(|facts| Some((facts, facts.plan.as_deref()?)));
        let names = plan.map(|(facts, plan)| self.names(facts, plan)).unwrap_or_default();
        let known = functions.names().filter(|name| {
            let is_word = name.starts_with(begins_name);
            is_word && functions.get(name).is_some_and(|facts| !facts.in_body_only)
        });
        let functions = known.map(|name| PointOffer { text: name.to_owned(), detail: "function" });
        let functions: Vec<PointOffer> =
            functions.filter(|offer| names.iter().all(|name| name.text != offer.text)).collect();
        let mut offers: Vec<PointOffer> = names
            .into_iter()
            .chain(functions)
            .filter(|offer| offer.text.to_lowercase().starts_with(&word))
            .collect();
        if offers.first().is_some_and(|first| first.text == before[start..]) {
            // The word is whole.
            offers.clear();
        }
        (start..end, offers)
    }

    /// Names that a condition may use: those that an action has at the place.
    fn names(&self, facts: &Facts, plan: &Plan) -> Vec<PointOffer> {
        let is_after_body = !matches!(
            self.place,
            PointPlace::Before | PointPlace::Access | PointPlace::Read | PointPlace::Write
        );
        let mut offers: Vec<PointOffer> = Vec::new();
        for template in self.templates(facts, plan) {
            for known in known_names(plan, template) {
                let detail = match known.kind {
                    NameKind::Param => "parameter",
                    NameKind::Index => "index",
                    NameKind::Var => "var",
                    NameKind::Shared { .. } => "shared",
                    NameKind::Bound => "bound",
                    NameKind::Let if is_after_body => "of the body",
                    NameKind::Let => continue,
                    NameKind::Counter => "counter",
                    NameKind::Port => "port",
                    NameKind::Special if known.name == "value" && self.place != PointPlace::Arc => continue,
                    NameKind::Special => "of the debugger",
                };
                if !offers.iter().any(|offer| offer.text == known.name) {
                    offers.push(PointOffer { text: known.name, detail });
                }
            }
        }
        offers
    }

    /// Templates whose actions it is for.
    fn templates(&self, facts: &Facts, plan: &Plan) -> Vec<TemplateId> {
        match &self.spot {
            Spot::Unit(_) => {
                let own = self.target.node().and_then(|node| facts.template_of(&self.target.graph, node));
                own.map(TemplateId::from_idx).into_iter().collect()
            }
            // Actions of several units, which have few names in common.
            Spot::Call(_) => Vec::new(),
            Spot::Arc(arc) => match plan.arcs.get(*arc).map(|arc| arc.source) {
                Some(ArcSource::Unit(template)) => vec![template],
                Some(ArcSource::Call(_) | ArcSource::Interface) | None => Vec::new(),
            },
            // Whoever uses the object under whatever name: the units of its graph.
            Spot::Object(_) => {
                let own = (0..).zip(&facts.templates);
                let own = own.filter(|(_, template)| template.graph == self.target.graph);
                own.map(|(idx, _)| TemplateId::from_idx(idx)).collect()
            }
        }
    }
}

/// Spot of a breakpoint on a target; `None` for a target that takes none.
fn spot(target: &Target, facts: Option<&Facts>) -> Option<Spot> {
    match &target.part {
        Part::Node(node) => {
            let is_here = |known: &(String, String)| known.0 == target.graph && known.1 == *node;
            let is_call = |call: &(String, String, String)| call.0 == target.graph && call.1 == *node;
            if node.contains('.') {
                return None;
            }
            if let Some(facts) = facts
                && facts.calls.iter().any(is_call)
            {
                return Some(Spot::Call(facts.call_selector(&target.graph, node)));
            }
            if facts.is_some_and(|facts| facts.shared.iter().any(is_here)) {
                return Some(Spot::Object(node.clone()));
            }
            let template =
                facts.and_then(|facts| facts.templates.get(facts.template_of(&target.graph, node)?));
            Some(Spot::Unit(template.map_or_else(|| node.clone(), |known| known.selector.clone())))
        }
        Part::Link(LinkList::Arcs, row) => Some(Spot::Arc(facts?.arc_of_row(&target.graph, *row)?)),
        Part::Link(LinkList::Shares, _) | Part::Program | Part::Type(_) | Part::Graph => None,
    }
}

fn places(spot: &Spot) -> &'static [PointPlace] {
    match spot {
        Spot::Unit(_) => &[
            PointPlace::Before,
            PointPlace::After,
            PointPlace::Send,
            PointPlace::Failed,
            PointPlace::Creation,
        ],
        Spot::Call(_) => &[PointPlace::Before, PointPlace::After, PointPlace::Send, PointPlace::Failed],
        Spot::Object(_) => &[PointPlace::Access, PointPlace::Read, PointPlace::Write],
        Spot::Arc(_) => &[PointPlace::Arc],
    }
}

/// The breakpoint of a command; the error is empty where the first word is none of a breakpoint.
fn parse(command: &str, plan: &Plan) -> Result<Parsed, Option<grammar::GrammarError>> {
    let command = command.trim();
    let (word, rest) = command.split_at(command.find(char::is_whitespace).unwrap_or(command.len()));
    let keyword = Keyword::of_word(word).ok_or(None)?;
    grammar::parse(keyword, rest, word.chars().count() + 1, plan, None).map_err(Some)
}

/// Returns true if two commands set the same breakpoint.
pub(super) fn is_same_command(one: &str, other: &str, plan: Option<&Plan>) -> bool {
    let both = plan.map(|plan| (parse(one, plan), parse(other, plan)));
    match both {
        Some((Ok(one), Ok(other))) => one == other,
        _ => one == other,
    }
}

/// The text of a log point as it is typed.
fn log_text(parts: &[LogPart]) -> String {
    let part = |part: &LogPart| match part {
        LogPart::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        LogPart::Value(expression) => format!("{{{}}}", expression.text()),
    };
    parts.iter().map(part).collect()
}
