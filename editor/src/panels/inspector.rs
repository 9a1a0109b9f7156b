//! The fields of what is selected, and typing into them.
//!
//! What is typed goes into the program letter by letter, all letters of one visit to a field as one step that can be
//! undone; names, which others refer to, when Enter is pressed or the focus leaves. A text that the program cannot take
//! stays in its field with the reason, as long as the selection does.

use std::collections::BTreeMap;

use crate::forms::FieldKind;
use crate::panels::program::Program;
use crate::panels::subject::Subject;
use crate::problems::{Counts, Problem, Problems};
use crate::target::{Part, Target};

/// What kind of body a unit has.
mod body;
/// Reading sections from the program.
mod build;
/// Changing the program.
mod change;
/// What is drawn beside nodes.
mod drawn;
/// What is shown.
mod section;
/// Typing, and changing rows.
mod typing;

use build::{Built, NotBuilt, build, code_of_rows, entry_cells};
pub use section::{Cell, CellId, CellKind, Row, RowProblem, Section};

/// A text that was typed, and is not shown by the program as it was typed.
#[derive(Clone, Debug)]
struct Kept {
    text: String,
    /// What the program says in its place.
    base: String,
    /// Why the program cannot take it; `None` where it has, or nobody has tried.
    error: Option<String>,
    /// Whether it waits for Enter.
    is_pending: bool,
}

impl Kept {
    fn is_in_program(&self) -> bool {
        self.error.is_none() && !self.is_pending
    }
}

/// A row that was added and is not in the program yet.
#[derive(Clone, Debug, Default)]
struct Draft {
    texts: [String; 2],
    /// Why the program does not take its first text.
    error: Option<String>,
}

/// The state of the inspector.
#[derive(Clone, Debug, Default)]
pub struct Inspector {
    subject: Subject,
    built: Built,
    notice: Option<&'static str>,
    kept: BTreeMap<CellId, Kept>,
    /// By section, at most one each.
    drafts: BTreeMap<String, Draft>,
    found: Vec<Problem>,
    problems: Vec<RowProblem>,
    counts: Counts,
    version: u64,
}

impl Inspector {
    /// An inspector with nothing selected.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is selected.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// A word for what is selected: `unit`, `call`, `graph`, `arc`, ..; empty with nothing selected.
    pub fn kind(&self) -> &'static str {
        self.built.kind
    }

    /// Its name, or what it says.
    pub fn title(&self) -> &str {
        &self.built.title
    }

    /// Its fields in the order of the file, its name first.
    pub fn sections(&self) -> &[Section] {
        &self.built.sections
    }

    /// A section by its key.
    pub fn section(&self, key: &str) -> Option<&Section> {
        self.built.sections.iter().find(|section| section.key == key)
    }

    /// A cell.
    pub fn cell(&self, id: &CellId) -> Option<&Cell> {
        self.built.cell(id)
    }

    /// What is wrong with it as a whole; what is wrong with its fields stands there.
    pub fn problems(&self) -> &[RowProblem] {
        &self.problems
    }

    /// How much is wrong with it; of a call also within the graphs that it calls.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Why nothing, or what stood there last, is shown.
    pub fn notice(&self) -> Option<&'static str> {
        self.notice
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Shows something else; the same again keeps what was typed. What waits for Enter is dropped: call
    /// [`commit`](Self::commit) first, as for a focus that leaves.
    pub fn show<'p>(
        &mut self,
        subject: Subject,
        document: &impl Program,
        problems: impl Into<Option<&'p Problems>>,
    ) {
        if subject != self.subject {
            self.kept.clear();
            self.drafts.clear();
            self.built = Built::default();
            self.subject = subject;
        }
        self.refresh(document, problems);
    }

    /// Takes in that the program, or what is wrong with it, has changed; tells whether what is shown has. Cost: reads
    /// the whole text.
    pub fn refresh<'p>(
        &mut self,
        document: &impl Program,
        problems: impl Into<Option<&'p Problems>>,
    ) -> bool {
        let version = self.version;
        let (target, problems) = (self.subject.target(), problems.into());
        (self.counts, self.found) = (Counts::default(), Vec::new());
        if let (Some(target), Some(problems)) = (&target, problems) {
            self.counts = problems.counts(target);
            let about = problems.list().iter().filter(|problem| is_about(target, &problem.target));
            self.found = about.cloned().collect();
        }
        self.rebuild(document);
        version != self.version
    }

    /// Reads the sections anew, and puts in what was typed and what is wrong.
    fn rebuild(&mut self, document: &impl Program) {
        self.take(build(document.text(), &self.subject));
    }

    fn take(&mut self, built: Result<Built, NotBuilt>) {
        let old = (std::mem::take(&mut self.problems), self.built.clone(), self.notice);
        match built {
            Ok(built) => {
                self.built = built;
                self.notice = None;
                self.find_kept();
                self.put_kept();
            }
            Err(NotBuilt::NotReadable) => {
                self.notice = Some("the program's text cannot be read; what stood here last is shown");
                self.put_kept();
            }
            Err(NotBuilt::Missing) => {
                self.built = Built::default();
                self.notice = Some("it is not there any more");
            }
        }
        self.put_problems();
        if (&self.problems, &self.built, self.notice) != (&old.0, &old.1, old.2) {
            self.version += 1;
        }
    }

    /// Brings what was typed to where its texts stand now.
    fn find_kept(&mut self) {
        let mut kept = BTreeMap::new();
        for (id, mut text) in std::mem::take(&mut self.kept) {
            let base_at = |row: usize| {
                let section = self.built.sections.iter().find(|section| section.key == id.key)?;
                section.cell(row, id.cell).map(|cell| cell.base.clone())
            };
            let base = base_at(id.row);
            if base.as_ref() == Some(&text.base) {
                kept.insert(id, text);
                continue;
            }
            if text.is_in_program() || base.as_ref() == Some(&text.text) {
                // The program says something else now, or what was typed.
                continue;
            }
            let n_rows = self.section(&id.key).map_or(0, Section::n_held);
            let moved = (0..n_rows).find(|row| base_at(*row).as_ref() == Some(&text.base));
            let row = moved.or(base.is_some().then_some(id.row));
            match row {
                Some(row) => {
                    text.base = base_at(row).unwrap_or_default();
                    kept.insert(CellId { row, ..id }, text);
                }
                // Its row is gone: it becomes one that is to be added.
                None if self.section(&id.key).is_some_and(|section| section.can_add) => {
                    let draft = self.drafts.entry(id.key.clone()).or_default();
                    if let Some(held) = draft.texts.get_mut(id.cell).filter(|held| held.is_empty()) {
                        *held = text.text;
                    }
                }
                None => {}
            }
        }
        self.kept = kept;
    }

    /// Shows what was typed.
    fn put_kept(&mut self) {
        let subject = &self.subject;
        for section in &mut self.built.sections {
            section.rows.retain(|row| !row.is_draft);
            if let Some(draft) = self.drafts.get(&section.key).filter(|_| section.can_add) {
                section.rows.push(draft_row(subject, section, draft));
            }
            let held = section.rows.iter_mut().filter(|row| !row.is_draft);
            for cell in held.flat_map(|row| &mut row.cells) {
                let Some(kept) = self.kept.get(&cell.id) else { continue };
                cell.text.clone_from(&kept.text);
                cell.error.clone_from(&kept.error);
                cell.is_kept = !kept.is_in_program();
            }
        }
    }

    /// Sorts what is wrong to rows, sections and the whole.
    fn put_problems(&mut self) {
        for section in &mut self.built.sections {
            section.problems.clear();
            section.rows.iter_mut().for_each(|row| row.problems.clear());
        }
        for problem in &self.found {
            let shown = RowProblem {
                severity: problem.severity,
                code: problem.code,
                message: problem.message.clone(),
                help: problem.help.clone(),
                fix: problem.fix.clone(),
                line: problem.target.attribute.as_ref().and_then(|attribute| attribute.line),
            };
            let key = section_key(&self.subject, &problem.target);
            let section =
                self.built.sections.iter_mut().find(|section| Some(section.key.as_str()) == key.as_deref());
            let Some(section) = section else {
                self.problems.push(shown);
                continue;
            };
            let is_single = !section.is_list();
            let row = section.rows.iter_mut().find(|row| {
                is_single
                    || row.cells.iter().any(|cell| !row.is_draft && is_at(&cell.target, &problem.target))
            });
            match row {
                Some(row) => row.problems.push(shown),
                None => section.problems.push(shown),
            }
        }
    }
}

/// A row that is not in the program yet.
fn draft_row(subject: &Subject, section: &Section, draft: &Draft) -> Row {
    let row = section.rows.len();
    let text = |cell: usize| draft.texts.get(cell).map(String::as_str).unwrap_or_default();
    let cells = if section.kind == FieldKind::Rows {
        let id = CellId::new(&section.key, row, 0);
        let kind = CellKind::Code(code_of_rows(&section.key));
        vec![Cell::new(id, kind, text(0), build::target(subject, &section.key, None, Some(row)))]
    } else {
        let choices = section.choices.clone();
        entry_cells(subject, section.kind, &section.key, row, [text(0), text(1)], choices)
    };
    let mut cells: Vec<Cell> =
        cells.into_iter().map(|cell| Cell { base: String::new(), is_kept: true, ..cell }).collect();
    if let Some(first) = cells.first_mut() {
        first.error.clone_from(&draft.error);
    }
    Row { is_draft: true, can_remove: true, ..Row::of(cells) }
}

/// Whether a problem belongs to what is shown for a target; of a graph also to its lines and formal ports.
fn is_about(shown: &Target, problem: &Target) -> bool {
    let is_same = shown.graph == problem.graph && shown.part == problem.part;
    let is_in_graph = shown.part == Part::Graph
        && shown.graph == problem.graph
        && match &problem.part {
            Part::Link(..) => true,
            Part::Node(node) => node.contains('.'),
            Part::Program | Part::Type(_) | Part::Graph => false,
        };
    is_same || is_in_graph
}

/// The section that a problem stands in.
fn section_key(subject: &Subject, target: &Target) -> Option<String> {
    match (subject, &target.part) {
        (Subject::Graph(_), Part::Link(list, _)) => Some(list.key().to_owned()),
        (Subject::Graph(_), Part::Node(node)) => node.split_once('.').map(|(section, _)| section.to_owned()),
        (Subject::Link { .. }, _) => Some("line".to_owned()),
        _ => target.attribute.as_ref().map(|attribute| attribute.key.clone()),
    }
}

/// Whether a problem is at a cell.
fn is_at(cell: &Target, problem: &Target) -> bool {
    if cell.graph != problem.graph || cell.part != problem.part {
        return false;
    }
    match (&cell.attribute, &problem.attribute) {
        (Some(cell), Some(problem)) if cell.key == "type" => problem.key == "type",
        (Some(cell), Some(problem)) => {
            cell.key == problem.key
                && (cell.entry.is_some() || cell.row.is_some())
                && cell.entry == problem.entry
                && cell.row == problem.row
        }
        (None, None) => true,
        // A formal port's type among the ports of its graph.
        (Some(cell), None) => cell.key == "type",
        (None, Some(_)) => false,
    }
}
