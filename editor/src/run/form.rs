//! The options form as rows: what the mode uses, with what is wrong at each line (Hyder 1994, section 8.3.1 and
//! table 6-1). What the mode does not use is a note that says why.

use std::collections::BTreeMap;

use super::facts::Facts;
use super::options::{Options, Part};
use hasse_debugger::facility::View;
use hasse_model::record_options::RecordOption as RecordChoice;

/// What is wrong with a line.
mod faults;

/// A list of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// Recording options.
    Record,
    /// The display set.
    DisplaySet,
    /// Checks.
    Checks,
    /// The check set.
    CheckSet,
}

/// Something that can be changed in the form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldId {
    /// Number of workers.
    Workers,
    /// Where free choices are drawn from.
    Seed,
    /// A creation parameter.
    Param(String),
    /// A list: what adds a line.
    List(List),
    /// A line of a list, from 0.
    Line(List, usize),
    /// Which events are shown.
    Display,
    /// Whether races are looked for.
    Races,
    /// Which events are kept.
    Save,
    /// Which events are filed.
    FileView,
    /// The file for them.
    File,
}

/// What a row looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// The title of a group. With an id it has a button that adds a line.
    Head,
    /// A few words, such as why a group is empty.
    Note,
    /// A text with its label.
    Text,
    /// A text with a button that looks for a file.
    File,
    /// One of some choices.
    Choice,
    /// A box to check.
    Switch,
    /// A line of a list: a text that can be removed.
    Line,
    /// A line of a list with one of some choices.
    Rule,
}

/// What there is to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choices {
    /// Nothing.
    #[default]
    None,
    /// [`View`]s, the first choice being none of them.
    Views,
    /// [`RecordChoice`]s.
    Record,
}

impl Choices {
    /// The words.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Views => &["off", "all", "display set", "check set"],
            Self::Record => &["full", "restrict", "off"],
        }
    }
}

/// A row of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What it looks like.
    pub kind: FieldKind,
    /// What it changes.
    pub id: Option<FieldId>,
    /// What it is called.
    pub label: String,
    /// What has been typed, or a note.
    pub text: String,
    /// What stands there while nothing is typed.
    pub placeholder: String,
    /// What there is to choose from.
    pub choices: Choices,
    /// Which of them is chosen; of a switch 1 where it is on.
    pub chosen: usize,
    /// What is wrong; empty where nothing is.
    pub problem: String,
}

impl Field {
    fn new(kind: FieldKind, id: Option<FieldId>, label: &str) -> Self {
        Self {
            kind,
            id,
            label: label.to_owned(),
            text: String::new(),
            placeholder: String::new(),
            choices: Choices::None,
            chosen: 0,
            problem: String::new(),
        }
    }

    fn holding(self, text: &str, placeholder: &str, problem: Option<String>) -> Self {
        let problem = problem.unwrap_or_default();
        Self { text: text.to_owned(), placeholder: placeholder.to_owned(), problem, ..self }
    }

    fn of(self, choices: Choices, chosen: usize) -> Self {
        Self { choices, chosen, ..self }
    }
}

/// What the form holds beside the options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// Texts that are no number.
    pub(super) numbers: BTreeMap<FieldId, String>,
    /// The name of the file, while nothing is filed, too.
    pub(super) file: String,
}

/// What rows are made of.
pub(super) struct Scene<'a> {
    pub(super) options: &'a Options,
    pub(super) typed: &'a Typed,
    /// Of the program as it is now; without them names are not looked up.
    pub(super) facts: Option<&'a Facts>,
    pub(super) is_trace: bool,
    /// Whether a file is there, as the session finds it.
    pub(super) has_file: &'a dyn Fn(&str) -> bool,
}

/// The position of a view among the choices.
pub(super) fn position(view: Option<View>) -> usize {
    match view {
        None => 0,
        Some(View::Record) => 1,
        Some(View::Display) => 2,
        Some(View::Check) => 3,
    }
}

/// The view at a position of the choices.
pub(super) fn view_at(position: usize) -> Option<View> {
    match position {
        1 => Some(View::Record),
        2 => Some(View::Display),
        3 => Some(View::Check),
        _ => None,
    }
}

/// All rows. Cost: linear in the lines, and a look at the program for each.
pub(super) fn fields(scene: &Scene<'_>) -> Vec<Field> {
    let mut fields = Vec::new();
    put_running(scene, &mut fields);
    put_recorded(scene, &mut fields);
    put_shown(scene, &mut fields);
    put_checked(scene, &mut fields);
    put_kept(scene, &mut fields);
    fields
}

/// Puts the title of a group; tells whether the mode uses it, else puts why not.
fn head(scene: &Scene<'_>, fields: &mut Vec<Field>, title: &str, part: Part, list: Option<List>) -> bool {
    let why = scene.options.mode.why_unused(part, scene.is_trace);
    let id = list.filter(|_| why.is_none()).map(FieldId::List);
    fields.push(Field::new(FieldKind::Head, id, title));
    if let Some(why) = why {
        note(fields, why);
    }
    why.is_none()
}

fn note(fields: &mut Vec<Field>, text: &str) {
    fields.push(Field::new(FieldKind::Note, None, "").holding(text, "", None));
}

fn put_running(scene: &Scene<'_>, fields: &mut Vec<Field>) {
    let options = scene.options;
    if head(scene, fields, "Execution", Part::Workers, None) {
        let n_workers = options.n_workers.map(|n_workers| n_workers.to_string());
        fields.push(number(scene, FieldId::Workers, "workers", "cores", n_workers));
        match options.mode.why_unused(Part::Seed, scene.is_trace) {
            None => {
                let seed = options.seed.map(|seed| seed.to_string());
                fields.push(number(scene, FieldId::Seed, "seed", "any", seed));
            }
            Some(why) => note(fields, &format!("No seed: {why}.")),
        }
    }
    let params = scene.facts.map_or(&[][..], |facts| &facts.params);
    if !params.is_empty() && head(scene, fields, "Creation parameters", Part::Params, None) {
        for param in params {
            let text = options.params.get(&param.name).map_or("", String::as_str);
            let placeholder = param.default.as_deref().unwrap_or("needed");
            let field = Field::new(FieldKind::Text, Some(FieldId::Param(param.name.clone())), &param.name);
            let problem = faults::of_param(param, text);
            let label = format!("{}: {}", param.name, param.ty);
            fields.push(Field { label, ..field.holding(text, placeholder, problem) });
        }
    }
}

fn number(scene: &Scene<'_>, id: FieldId, label: &str, placeholder: &str, known: Option<String>) -> Field {
    let typed = scene.typed.numbers.get(&id);
    let problem = typed.map(|_| "a number is expected here, or nothing".to_owned());
    let text = typed.cloned().or(known).unwrap_or_default();
    Field::new(FieldKind::Text, Some(id), label).holding(&text, placeholder, problem)
}

fn put_recorded(scene: &Scene<'_>, fields: &mut Vec<Field>) {
    if !head(scene, fields, "Recorded", Part::Record, Some(List::Record)) {
        return;
    }
    let own = scene.facts.map_or(&[][..], |facts| &facts.record.settings);
    for (selector, option) in own {
        note(fields, &format!("{selector}: {} (in the program file)", option.name()));
    }
    // A row that comes or goes while somebody types would take the focus away.
    if own.is_empty() && scene.options.record.is_empty() {
        note(fields, "Nothing is selected: no event is recorded.");
    }
    for (row, (selector, option)) in scene.options.record.iter().enumerate() {
        let field = Field::new(FieldKind::Rule, Some(FieldId::Line(List::Record, row)), "recorded");
        let chosen = RecordChoice::NAMES.iter().position(|(_, known)| known == option).unwrap_or(0);
        let problem = faults::of_selector(selector, scene.facts);
        fields.push(
            field.holding(selector, "Mult, Mult[1..3], /dobts[2]/*", problem).of(Choices::Record, chosen),
        );
    }
}

fn put_set(scene: &Scene<'_>, fields: &mut Vec<Field>, list: List, label: &str, set: &[String]) {
    for (row, selector) in set.iter().enumerate() {
        let problem = faults::of_selector(selector, scene.facts);
        let field = Field::new(FieldKind::Line, Some(FieldId::Line(list, row)), label);
        fields.push(field.holding(selector, "Mult, Mult[1..3], /dobts[2]/*", problem));
    }
    if set.is_empty() {
        note(fields, "Everything.");
    }
}

fn put_shown(scene: &Scene<'_>, fields: &mut Vec<Field>) {
    let options = scene.options;
    if head(scene, fields, "Events in the log", Part::Display, None) {
        let field = Field::new(FieldKind::Choice, Some(FieldId::Display), "display");
        fields.push(field.of(Choices::Views, position(options.display)));
    }
    if head(scene, fields, "Display set", Part::Display, Some(List::DisplaySet)) {
        put_set(scene, fields, List::DisplaySet, "display set", &options.display_set);
    }
}

fn put_checked(scene: &Scene<'_>, fields: &mut Vec<Field>) {
    let options = scene.options;
    if head(scene, fields, "Checks", Part::Checks, Some(List::Checks)) {
        for (row, check) in options.checks.iter().enumerate() {
            let field = Field::new(FieldKind::Line, Some(FieldId::Line(List::Checks, row)), "check");
            let problem = faults::of_check(check, scene.facts, scene.has_file);
            fields.push(field.holding(check, "pred Gath {Solve}", problem));
        }
        match options.mode.why_unused(Part::Races, scene.is_trace) {
            None => {
                let field = Field::new(FieldKind::Switch, Some(FieldId::Races), "Look for races");
                fields.push(Field { chosen: usize::from(options.races), ..field });
            }
            Some(why) => note(fields, &format!("No races: {why}.")),
        }
        head(scene, fields, "Check set", Part::Checks, Some(List::CheckSet));
        put_set(scene, fields, List::CheckSet, "check set", &options.check_set);
    }
}

fn put_kept(scene: &Scene<'_>, fields: &mut Vec<Field>) {
    let options = scene.options;
    if head(scene, fields, "Kept for replays and views", Part::Save, None) {
        let field = Field::new(FieldKind::Choice, Some(FieldId::Save), "save");
        fields.push(field.of(Choices::Views, position(options.save)));
    }
    if head(scene, fields, "Filed", Part::File, None) {
        let view = options.file.as_ref().map(|(_, view)| *view);
        let field = Field::new(FieldKind::Choice, Some(FieldId::FileView), "file");
        fields.push(field.of(Choices::Views, position(view)));
        let name = &scene.typed.file;
        let field = Field::new(FieldKind::File, Some(FieldId::File), "file name");
        let problem = view.and_then(|_| faults::of_file(name));
        fields.push(field.holding(name, "run.trace", problem));
    }
}
