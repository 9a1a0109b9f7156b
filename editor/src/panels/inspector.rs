//! The fields of what is selected, and typing into them.
//!
//! What is typed goes into the program letter by letter, all letters of one visit to a field as one step that can be
//! undone; names, which others refer to, when Enter is pressed or the focus leaves. A text that the program cannot take
//! stays in its field with the reason, as long as the selection does.

use std::collections::BTreeMap;

use crate::document::Document;
use crate::forms::FieldKind;
use crate::panels::subject::Subject;
use crate::problems::{Counts, Problem, Problems};
use crate::target::{Part, Target};

/// Reading sections from the program.
mod build;
/// Changing the program.
mod change;
/// What is shown.
mod section;

use build::{Built, NotBuilt, build, code_of_rows, entry_cells};
use change::Refusal;
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
        self.section(&id.key)?.cell(id.row, id.cell)
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
    pub fn show(&mut self, subject: Subject, document: &mut Document, problems: &Problems) {
        if subject != self.subject {
            self.kept.clear();
            self.drafts.clear();
            self.built = Built::default();
            self.subject = subject;
            document.seal();
        }
        self.refresh(document, problems);
    }

    /// Takes in that the program, or what is wrong with it, has changed; tells whether what is shown has. Cost: reads
    /// the whole text.
    pub fn refresh(&mut self, document: &Document, problems: &Problems) -> bool {
        let version = self.version;
        let target = self.subject.target();
        self.counts = target.as_ref().map(|target| problems.counts(target)).unwrap_or_default();
        self.found = match &target {
            Some(target) => {
                problems.list().iter().filter(|problem| is_about(target, &problem.target)).cloned().collect()
            }
            None => Vec::new(),
        };
        self.rebuild(document);
        version != self.version
    }

    /// Reads the sections anew, and puts in what was typed and what is wrong.
    fn rebuild(&mut self, document: &Document) {
        let old = (std::mem::take(&mut self.problems), self.built.clone(), self.notice);
        match build(document.text(), &self.subject) {
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
            if text.is_in_program() {
                // The program says something else now.
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

    fn step_key(&self, id: &CellId) -> String {
        format!("{} {} {} {}", self.subject.key(), id.key, id.row, id.cell)
    }

    fn label(&self, key: &str) -> String {
        let section = self.section(key).map_or("fields", |section| section.label.as_str());
        format!("Edit {}", section.to_lowercase())
    }

    /// Takes in the text of a cell as it is after a keystroke. Tells whether the program has changed.
    pub fn type_text(&mut self, document: &mut Document, id: &CellId, text: &str) -> bool {
        let Some(section) = self.section(&id.key).cloned() else { return false };
        let Some(cell) = section.cell(id.row, id.cell).cloned() else { return false };
        let row = &section.rows[id.row];
        let revision = document.revision();
        if row.is_draft {
            self.type_draft(document, &section, id, text);
        } else if cell.is_committed {
            let is_same = text == cell.base;
            let kept = Kept { text: text.to_owned(), base: cell.base, error: None, is_pending: true };
            if is_same {
                self.kept.remove(id);
            } else {
                self.kept.insert(id.clone(), kept);
            }
        } else {
            let done = if section.kind == FieldKind::Rows && text.trim().is_empty() {
                Err(Refusal::EmptyLine)
            } else {
                let (label, key) = (self.label(&id.key), self.step_key(id));
                let subject = self.subject.clone();
                document
                    .edit_on(&label, &key, |tables| {
                        change::type_into(tables, &subject, &section, id.row, text)
                    })
                    .map_err(Refusal::Edit)
            };
            let base = match done {
                Ok(_) => base_of(document, &self.subject, id).unwrap_or_else(|| text.to_owned()),
                Err(_) => cell.base,
            };
            let error = done.err().map(|refusal| refusal.to_string());
            if error.is_none() && base == text {
                self.kept.remove(id);
            } else {
                self.kept.insert(id.clone(), Kept { text: text.to_owned(), base, error, is_pending: false });
            }
        }
        self.rebuild(document);
        revision != document.revision()
    }

    /// Types into a row that is not in the program: a rule becomes part of it with its first letter, an entry when its
    /// name is given.
    fn type_draft(&mut self, document: &mut Document, section: &Section, id: &CellId, text: &str) {
        let Some(draft) = self.drafts.get_mut(&section.key) else { return };
        if let Some(held) = draft.texts.get_mut(id.cell) {
            text.clone_into(held);
        }
        draft.error = None;
        if section.kind == FieldKind::Rows && !text.trim().is_empty() {
            let (label, key, texts) = (self.label(&id.key), self.step_key(id), [text.to_owned()]);
            let subject = self.subject.clone();
            if document
                .edit_on(&label, &key, |tables| change::insert(tables, &subject, section, &texts))
                .is_ok()
            {
                self.drafts.remove(&section.key);
            }
        }
    }

    /// Takes in that Enter was pressed in a cell, or the focus has left it: names are changed now, with what refers to
    /// them, and what is typed next is a step by itself. Gives the subject where that is called otherwise now: select it.
    pub fn commit(&mut self, document: &mut Document, id: &CellId) -> Option<Subject> {
        document.seal();
        let section = self.section(&id.key).cloned()?;
        let cell = section.cell(id.row, id.cell)?.clone();
        if section.rows[id.row].is_draft {
            self.commit_draft(document, &section);
            self.rebuild(document);
            return None;
        }
        let kept = self.kept.get(id).cloned()?;
        if !kept.is_pending || !cell.is_committed {
            if kept.is_in_program() {
                self.kept.remove(id);
                self.rebuild(document);
            }
            return None;
        }
        let subject = self.subject.clone();
        let mut renamed = None;
        let mut refusal = None;
        let label = if section.key == "name" || section.is_of_entries() { "Rename" } else { "Edit link" };
        let done = document.edit(label, |tables| {
            match change::commit(tables, &subject, &section, (id.row, id.cell), &kept.text) {
                Ok(new) => {
                    renamed = new;
                    Ok(())
                }
                Err(Refusal::Edit(error)) => Err(error),
                Err(other) => {
                    refusal = Some(other);
                    Ok(())
                }
            }
        });
        let refusal =
            refusal.map(|refusal| refusal.to_string()).or(done.err().map(|error| error.to_string()));
        if refusal.is_some() {
            self.kept.insert(id.clone(), Kept { error: refusal, ..kept });
            renamed = None;
        } else {
            self.kept.remove(id);
            document.seal();
        }
        if let Some(new) = &renamed {
            self.subject = new.clone();
        }
        self.rebuild(document);
        renamed
    }

    fn commit_draft(&mut self, document: &mut Document, section: &Section) {
        let Some(draft) = self.drafts.get_mut(&section.key) else { return };
        let name = draft.texts[0].trim().to_owned();
        if section.kind == FieldKind::Rows || name.is_empty() {
            return;
        }
        let texts = [name, draft.texts[1].clone()];
        match document.edit("Add entry", |tables| change::insert(tables, &self.subject, section, &texts)) {
            Ok(_) => {
                self.drafts.remove(&section.key);
                document.seal();
            }
            Err(error) => draft.error = Some(error.to_string()),
        }
    }

    /// Takes back what was typed into a cell and is not in the program, as Escape does. Tells whether there was any.
    pub fn cancel(&mut self, document: &Document, id: &CellId) -> bool {
        let is_draft = self
            .section(&id.key)
            .and_then(|section| section.rows.get(id.row))
            .is_some_and(|row| row.is_draft);
        let had = self.kept.remove(id).is_some_and(|kept| !kept.is_in_program());
        let had = is_draft && self.drafts.remove(&id.key).is_some() || had;
        self.rebuild(document);
        had
    }

    /// Undoes: first what was typed into the cell with the focus and is not in the program, else the document's last
    /// step. Tells whether there was anything.
    pub fn undo(&mut self, document: &mut Document, focus: Option<&CellId>) -> bool {
        let is_undone = focus.is_some_and(|id| self.cancel(document, id)) || document.undo().is_some();
        self.rebuild(document);
        is_undone
    }

    /// Adds an empty row to a list, which becomes part of the program as it is typed; gives its first cell for the focus.
    pub fn add_row(&mut self, document: &Document, key: &str) -> Option<CellId> {
        let section = self.section(key).filter(|section| section.can_add)?;
        let n_held = section.n_held();
        self.drafts.entry(key.to_owned()).or_default();
        self.rebuild(document);
        Some(CellId::new(key, n_held, 0))
    }

    /// Takes a row out; a port with its arcs. Tells whether the program has changed; where it cannot be, the reason stands
    /// at the row.
    pub fn remove_row(&mut self, document: &mut Document, key: &str, row: usize) -> bool {
        let Some(section) = self.section(key).cloned() else { return false };
        if section.rows.get(row).is_some_and(|row| row.is_draft) {
            self.drafts.remove(key);
            self.rebuild(document);
            return false;
        }
        if !section.rows.get(row).is_some_and(|row| row.can_remove) {
            return false;
        }
        let subject = self.subject.clone();
        let done = document.edit("Remove row", |tables| change::remove(tables, &subject, &section, row));
        if self.note(key, row, done.as_ref().err().map(ToString::to_string)) {
            self.shift(key, |held| match held.cmp(&row) {
                std::cmp::Ordering::Less => Some(held),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(held - 1),
            });
        }
        document.seal();
        self.rebuild(document);
        done == Ok(true)
    }

    /// Moves a row of a list up by one, or down. Tells whether the program has changed.
    pub fn move_row(&mut self, document: &mut Document, key: &str, row: usize, is_up: bool) -> bool {
        let Some(section) = self.section(key).cloned() else { return false };
        let can_move = |row: &Row| if is_up { row.can_move_up } else { row.can_move_down };
        if !section.rows.get(row).is_some_and(can_move) {
            return false;
        }
        let upper = if is_up { row - 1 } else { row };
        let subject = self.subject.clone();
        let done = document.edit("Move row", |tables| change::swap(tables, &subject, &section, upper));
        if self.note(key, row, done.as_ref().err().map(ToString::to_string)) {
            self.shift(key, |held| match held {
                _ if held == upper => Some(upper + 1),
                _ if held == upper + 1 => Some(upper),
                _ => Some(held),
            });
        }
        document.seal();
        self.rebuild(document);
        done == Ok(true)
    }

    /// Notes at a row why something was not done; tells whether it was.
    fn note(&mut self, key: &str, row: usize, error: Option<String>) -> bool {
        let Some(error) = error else { return true };
        let id = CellId::new(key, row, 0);
        if let Some(cell) = self.cell(&id).cloned() {
            let kept =
                Kept { text: cell.text, base: cell.base, error: Some(error), is_pending: cell.is_committed };
            self.kept.insert(id, kept);
        }
        false
    }

    /// Takes what was typed along with its rows.
    fn shift(&mut self, key: &str, to: impl Fn(usize) -> Option<usize>) {
        let kept = std::mem::take(&mut self.kept).into_iter();
        let moved = kept.filter_map(|(id, kept)| {
            let row = if id.key == key { to(id.row)? } else { id.row };
            Some((CellId { row, ..id }, kept))
        });
        self.kept = moved.collect();
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
        let choices = section.rows.first().and_then(|row| row.cells.get(1)).map(|cell| cell.choices.clone());
        entry_cells(subject, section.kind, &section.key, row, [text(0), text(1)], choices.unwrap_or_default())
    };
    let mut cells: Vec<Cell> =
        cells.into_iter().map(|cell| Cell { base: String::new(), is_kept: true, ..cell }).collect();
    if let Some(first) = cells.first_mut() {
        first.error.clone_from(&draft.error);
    }
    Row { is_draft: true, can_remove: true, ..Row::of(cells) }
}

/// The program's text of a cell.
fn base_of(document: &Document, subject: &Subject, id: &CellId) -> Option<String> {
    let built = build(document.text(), subject).ok()?;
    let section = built.sections.iter().find(|section| section.key == id.key)?;
    section.cell(id.row, id.cell).map(|cell| cell.base.clone())
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
