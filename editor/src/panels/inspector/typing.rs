//! Typing into cells, and adding, removing and moving rows.

use std::cmp::Ordering;

use super::build::build;
use super::change::{self, Refusal};
use super::section::{CellId, Row, Section};
use super::{Inspector, Kept};
use crate::forms::FieldKind;
use crate::panels::program::Program;
use crate::panels::subject::Subject;

impl Inspector {
    fn step_key(&self, id: &CellId) -> String {
        format!("{} {} {} {}", self.subject.key(), id.key, id.row, id.cell)
    }

    fn label(&self, key: &str) -> String {
        let section = self.section(key).map_or("fields", |section| section.label.as_str());
        format!("edit {}", section.to_lowercase())
    }

    /// Takes in the text of a cell as it is after a keystroke. Tells whether the program has changed.
    pub fn type_text(&mut self, document: &mut impl Program, id: &CellId, text: &str) -> bool {
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
            let built = build(document.text(), &self.subject);
            let base = match (&done, &built) {
                (Ok(_), Ok(built)) => built.cell(id).map_or(text, |cell| &cell.base).to_owned(),
                _ => cell.base,
            };
            let error = done.err().map(|refusal| refusal.to_string());
            if error.is_none() && base == text {
                self.kept.remove(id);
            } else {
                self.kept.insert(id.clone(), Kept { text: text.to_owned(), base, error, is_pending: false });
            }
            self.take(built);
            return revision != document.revision();
        }
        self.rebuild(document);
        revision != document.revision()
    }

    /// Types into a row that is not in the program: a rule becomes part of it with its first letter, an entry when its
    /// name is given.
    fn type_draft(&mut self, document: &mut impl Program, section: &Section, id: &CellId, text: &str) {
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
    pub fn commit(&mut self, document: &mut impl Program, id: &CellId) -> Option<Subject> {
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
        let label = match section.key.as_str() {
            "do" => "change what the body is",
            "name" => "rename",
            _ if section.is_of_entries() => "rename",
            _ => "edit a link",
        };
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

    fn commit_draft(&mut self, document: &mut impl Program, section: &Section) {
        let Some(draft) = self.drafts.get_mut(&section.key) else { return };
        let name = draft.texts[0].trim().to_owned();
        if section.kind == FieldKind::Rows || name.is_empty() {
            return;
        }
        let texts = [name, draft.texts[1].clone()];
        match document.edit("add an entry", |tables| change::insert(tables, &self.subject, section, &texts)) {
            Ok(_) => {
                self.drafts.remove(&section.key);
                document.seal();
            }
            Err(error) => draft.error = Some(error.to_string()),
        }
    }

    /// Takes back what was typed into a cell and is not in the program, as Escape does. Tells whether there was any.
    pub fn cancel(&mut self, document: &impl Program, id: &CellId) -> bool {
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
    pub fn undo(&mut self, document: &mut impl Program, focus: Option<&CellId>) -> bool {
        let is_undone = focus.is_some_and(|id| self.cancel(document, id)) || document.undo().is_some();
        self.rebuild(document);
        is_undone
    }

    /// Adds an empty row to a list, which becomes part of the program as it is typed; gives its first cell for the focus.
    pub fn add_row(&mut self, document: &impl Program, key: &str) -> Option<CellId> {
        let section = self.section(key).filter(|section| section.can_add)?;
        let n_held = section.n_held();
        self.drafts.entry(key.to_owned()).or_default();
        self.rebuild(document);
        Some(CellId::new(key, n_held, 0))
    }

    /// Takes a row out; a port with its arcs. Tells whether the program has changed; where it cannot be, the reason stands
    /// at the row.
    pub fn remove_row(&mut self, document: &mut impl Program, key: &str, row: usize) -> bool {
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
        let done = document.edit("remove a row", |tables| change::remove(tables, &subject, &section, row));
        if self.note(key, row, done.as_ref().err().map(ToString::to_string)) {
            self.shift(key, |held| match held.cmp(&row) {
                Ordering::Less => Some(held),
                Ordering::Equal => None,
                Ordering::Greater => Some(held - 1),
            });
        }
        document.seal();
        self.rebuild(document);
        done == Ok(true)
    }

    /// Moves a row of a list up by one, or down. Tells whether the program has changed.
    pub fn move_row(&mut self, document: &mut impl Program, key: &str, row: usize, is_up: bool) -> bool {
        let Some(section) = self.section(key).cloned() else { return false };
        let can_move = |row: &Row| if is_up { row.can_move_up } else { row.can_move_down };
        if !section.rows.get(row).is_some_and(can_move) {
            return false;
        }
        let upper = if is_up { row - 1 } else { row };
        let subject = self.subject.clone();
        let done = document.edit("move a row", |tables| change::swap(tables, &subject, &section, upper));
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
