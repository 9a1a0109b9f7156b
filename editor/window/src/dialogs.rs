//! Files, questions, names and texts that are asked for, and what there is to read.

/// The dialog that is open.
pub(crate) mod dialog;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use hasse_editor::files::differences::{SideRow, side_by_side};
use hasse_editor::panels::file_dialog::{EntryKind, FileDialog, Outcome, Purpose};
use hasse_editor::state::input::Key;
use hasse_editor::state::offer::Offer;
use hasse_editor::state::prompt::Prompt;
use hasse_ui::{Dialogs as UiDialogs, EditorWindow, LineOfList, SideRow as UiSideRow};
use slint::ComponentHandle;

use crate::hub::Shared;
use crate::keys;
use crate::studio::update::go;
use crate::studio::{Later, Studio};
use dialog::Open;

fn line(badge: &str, text: &str, detail: &str, is_current: bool) -> LineOfList {
    LineOfList {
        badge: badge.into(),
        text: text.into(),
        detail: detail.into(),
        is_current,
        tone: if badge == "program" { 4 } else { 0 },
        ..LineOfList::default()
    }
}

/// A row in which the program and its file differ.
fn difference(row: &SideRow) -> UiSideRow {
    let text = |side: &Option<String>| side.as_deref().unwrap_or_default().into();
    UiSideRow {
        mine: text(&row.first),
        theirs: text(&row.second),
        has_mine: row.first.is_some(),
        has_theirs: row.second.is_some(),
        is_same: row.is_same,
        is_title: row.is_title,
    }
}

/// Returns true for keys that change a text, but for the space, which presses buttons.
fn is_typing(text: &str) -> bool {
    const OWN_KEYS: std::ops::RangeInclusive<char> = '\u{F700}'..='\u{F8FF}';
    let changes =
        |letter: char| !letter.is_control() && !letter.is_whitespace() && !OWN_KEYS.contains(&letter);
    text.chars().all(|letter| changes(letter) || matches!(letter, '\u{8}' | '\u{7f}'))
}

impl Studio {
    /// Asks for a file to open or to save as.
    pub(crate) fn open_file_dialog(&mut self, is_save: bool) {
        let purpose = if is_save { Purpose::Save } else { Purpose::Open };
        let path = self.editor.path().map(Path::to_owned);
        let folder = self.folder();
        let name = match (is_save, &path) {
            (true, Some(path)) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            (true, None) => Some(self.editor.suggested_name()),
            (false, _) => None,
        };
        self.ask_for_file(purpose, &folder, &name.unwrap_or_default());
    }

    /// Asks for one of the files that were open before.
    pub(crate) fn open_recent_dialog(&mut self) {
        let dialog = FileDialog::of_recent(&self.folder(), &self.editor.recent());
        self.dialogs.text = dialog.path().to_owned();
        self.dialogs.open = Some(Open::File { dialog: Box::new(dialog), overwrites: None });
        self.take_dialog_text();
    }

    /// Asks for a file in a folder, by a name that can be changed.
    pub(crate) fn ask_for_file(&mut self, purpose: Purpose, folder: &Path, name: &str) {
        let recent = if purpose == Purpose::Open { self.editor.recent() } else { Vec::new() };
        let dialog = FileDialog::new(purpose, folder, name, recent);
        self.dialogs.text = dialog.path().to_owned();
        self.dialogs.open = Some(Open::File { dialog: Box::new(dialog), overwrites: None });
        self.take_dialog_text();
    }

    /// The folder of the program; the current one, if it has no file.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.editor.path().and_then(Path::parent);
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or_else(|| std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")), Path::to_owned)
    }

    /// Asks for a file for the events of runs.
    pub(crate) fn open_record_dialog(&mut self, name: &str) {
        let named = Path::new(name);
        let beside = self.editor.path().and_then(Path::parent).map(Path::to_owned);
        let folder = named.parent().map(Path::to_owned).or(beside).unwrap_or_default();
        let name = named.file_name().map_or("run.trace".into(), |name| name.to_string_lossy().into_owned());
        self.ask_for_file(Purpose::Record, &folder, &name);
    }

    /// Asks for a name or text.
    pub(crate) fn open_prompt(&mut self, prompt: Prompt) {
        self.dialogs.text = prompt.text.clone();
        self.dialogs.open = Some(Open::Prompt(prompt));
        self.take_dialog_text();
    }

    /// Shows all keys.
    pub(crate) fn open_keys(&mut self) {
        let lines = self.all_keys().into_iter().map(|(text, keys)| match keys {
            None => LineOfList { text: text.into(), is_title: true, ..LineOfList::default() },
            Some(keys) => LineOfList { depth: 1, ..line("", &text, &keys, false) },
        });
        let lines = lines.collect();
        self.dialogs.open = Some(Open::Keys(lines));
    }

    /// Shows what this is.
    pub(crate) fn open_about(&mut self) {
        self.dialogs.open = Some(Open::About);
    }

    fn take_dialog_text(&self) {
        self.window().global::<UiDialogs>().set_path((&self.dialogs.text).into());
    }

    fn dialog_chosen(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Stays => {
                if let Some(Open::File { dialog, .. }) = &self.dialogs.open {
                    self.dialogs.text = dialog.path().to_owned();
                    self.take_dialog_text();
                }
            }
            Outcome::Chosen(path) => self.take_file(&path),
            Outcome::Overwrites(path) => {
                if let Some(Open::File { overwrites, .. }) = &mut self.dialogs.open {
                    // Asked once: a second Enter means it.
                    if overwrites.as_deref() == Some(&*path) {
                        self.take_file(&path);
                    } else {
                        *overwrites = Some(path);
                    }
                }
            }
        }
    }

    fn take_file(&mut self, path: &Path) {
        let Some(Open::File { dialog, .. }) = self.dialogs.open.take() else { return };
        self.later.push(Later::FocusCanvas);
        match dialog.purpose() {
            Purpose::Open | Purpose::Recent
                if path.extension().is_some_and(|extension| extension == "trace") =>
            {
                self.open_record(path)
            }
            Purpose::Open | Purpose::Recent
                if path.extension().is_some_and(|extension| extension == "model") =>
            {
                self.open_models(path)
            }
            Purpose::Open | Purpose::Recent => self.editor.open(path),
            Purpose::Save => {
                if self.editor.save_as(path) {
                    self.keep_models();
                }
            }
            Purpose::Record => self.take_record_name(path),
            Purpose::Picture => self.save_picture(path),
            Purpose::Compare => self.compare_with_file(path),
        }
    }

    fn accept_dialog(&mut self) {
        if let Some(offer) = self.editor.offer() {
            if let Some((choice, _)) = offer.choices.first() {
                self.editor.answer(*choice);
            }
            return;
        }
        match &mut self.dialogs.open {
            Some(Open::File { dialog, .. }) => {
                let outcome = dialog.accept();
                self.dialog_chosen(outcome);
            }
            Some(Open::Prompt(prompt)) => {
                let (purpose, text) = (prompt.purpose.clone(), self.dialogs.text.clone());
                if self.editor.answer_prompt(&purpose, &text) {
                    self.close_dialog();
                }
            }
            Some(Open::Keys(_) | Open::About) => self.close_dialog(),
            None => {}
        }
    }

    fn close_dialog(&mut self) {
        if let Some(offer) = self.editor.offer() {
            if let Some((choice, _)) = offer.choices.last() {
                self.editor.answer(*choice);
            }
            return;
        }
        if matches!(&self.dialogs.open, Some(Open::File { dialog, .. }) if dialog.purpose() == Purpose::Save)
        {
            self.editor.stay();
        }
        self.dialogs.open = None;
        self.later.push(Later::FocusCanvas);
    }

    /// Whether a dialog is open.
    pub(crate) fn has_dialog(&self) -> bool {
        self.dialogs.open.is_some() || self.editor.offer().is_some() || self.points.is_open()
    }

    /// A key while a dialog is open; tells whether it is taken from the field.
    pub(crate) fn dialog_key(&mut self, text: &str, is_shift: bool) -> bool {
        let is_multiline = matches!(&self.dialogs.open, Some(Open::Prompt(prompt)) if prompt.is_multiline);
        match (keys::key(text), &mut self.dialogs.open) {
            (Some(Key::Escape), _) => self.close_dialog(),
            (Some(Key::Enter), _) if !is_multiline || is_shift => self.accept_dialog(),
            (Some(Key::Down), Some(Open::File { dialog, .. })) => {
                dialog.select_next(1);
                self.dialog_chosen(Outcome::Stays);
            }
            (Some(Key::Up), Some(Open::File { dialog, .. })) => {
                dialog.select_next(-1);
                self.dialog_chosen(Outcome::Stays);
            }
            (Some(Key::Tab), Some(Open::File { dialog, .. })) => {
                dialog.complete();
                self.dialog_chosen(Outcome::Stays);
            }
            // A question has no field: what is typed would go to the one that had the keyboard before.
            _ => return self.editor.offer().is_some() && is_typing(text),
        }
        true
    }

    pub(crate) fn show_dialogs(&self, window: &EditorWindow) {
        let dialogs = window.global::<UiDialogs>();
        if let Some(offer) = self.editor.offer() {
            self.show_offer(&dialogs, offer);
            return;
        }
        self.dialogs.choices.set([]);
        dialogs.set_has_differences(false);
        dialogs.set_text("".into());
        dialogs.set_error("".into());
        match &self.dialogs.open {
            None => dialogs.set_open("".into()),
            Some(Open::File { dialog, overwrites }) => {
                let is_recent = dialog.purpose() == Purpose::Recent;
                let is_open = dialog.purpose() == Purpose::Open || is_recent;
                dialogs.set_folder(if is_recent {
                    "".into()
                } else {
                    dialog.folder().display().to_string().into()
                });
                dialogs.set_title(match dialog.purpose() {
                    Purpose::Open => "Open a program".into(),
                    Purpose::Recent => "Open a recent file".into(),
                    Purpose::Save => "Save the program as".into(),
                    Purpose::Record => "File the events of runs in".into(),
                    Purpose::Compare => "Compare with a program, or with that of a record".into(),
                    Purpose::Picture => "Save the picture: .svg to print or scale, .png as pixels".into(),
                });
                dialogs.set_button(if is_open {
                    "Open".into()
                } else if dialog.purpose() == Purpose::Compare {
                    "Compare".into()
                } else if overwrites.is_some() {
                    "Write over it".into()
                } else {
                    "Save".into()
                });
                let warning = overwrites.as_ref().map(|path| {
                    format!("{} is there already. Press Enter again to write over it.", path.display())
                });
                dialogs.set_error(dialog.error().map(str::to_owned).or(warning).unwrap_or_default().into());
                let recent = dialog.recent().iter().filter(|_| is_open).map(|path| {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                    line("recent", &name.unwrap_or_default(), &path.display().to_string(), false)
                });
                let selected = dialog.selected();
                let entries = dialog.entries().iter().enumerate().map(|(row, entry)| {
                    let kind = match entry.kind {
                        EntryKind::Folder => "folder",
                        EntryKind::Program => "program",
                        EntryKind::Record => "record",
                        EntryKind::Picture => "picture",
                        EntryKind::Other => "file",
                    };
                    let detail = if is_recent { entry.path.display().to_string() } else { String::new() };
                    line(kind, &entry.name, &detail, selected == Some(row))
                });
                let rest = dialog.is_cut().then(|| line("", "More is there than is shown.", "", false));
                self.dialogs.entries.set(entries.chain(recent).chain(rest));
                dialogs.set_open("file".into());
            }
            Some(Open::Prompt(prompt)) => {
                dialogs.set_title(prompt.title.into());
                dialogs.set_button("OK".into());
                let status = self.editor.status();
                if status.is_refusal {
                    dialogs.set_error((&status.text).into());
                }
                dialogs.set_open(if prompt.is_multiline { "text".into() } else { "name".into() });
            }
            Some(Open::Keys(lines)) => {
                dialogs.set_title("Keys".into());
                self.dialogs.entries.set(lines.iter().cloned());
                dialogs.set_open("keys".into());
            }
            Some(Open::About) => {
                dialogs.set_title("About Hasse".into());
                let about = concat!(
                    "Version ",
                    env!("CARGO_PKG_VERSION"),
                    ". Programs drawn as graphs, run on threads, debugged by cause."
                );
                dialogs.set_text(about.into());
                dialogs.set_open("about".into());
            }
        }
    }

    fn show_offer(&self, dialogs: &UiDialogs<'_>, offer: &Offer) {
        dialogs.set_title((&offer.title).into());
        dialogs.set_text((&offer.text).into());
        dialogs.set_error("".into());
        self.dialogs.differences.set(side_by_side(&offer.differences).iter().map(difference));
        dialogs.set_has_differences(!offer.differences.is_empty());
        self.dialogs.choices.set(offer.choices.iter().map(|(_, text)| text.into()));
        dialogs.set_open("offer".into());
    }

    fn entry(&mut self, row: usize, is_double: bool) {
        let Some(Open::File { dialog, .. }) = &mut self.dialogs.open else { return };
        let n_entries = dialog.entries().len();
        let outcome = match row.checked_sub(n_entries) {
            Some(recent) if is_double => dialog.activate_recent(recent),
            Some(_) => Outcome::Stays,
            None if is_double => dialog.activate(row),
            None => {
                dialog.select(row);
                Outcome::Stays
            }
        };
        self.dialog_chosen(outcome);
    }
}

/// Connects the callbacks of dialogs.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let dialogs = window.global::<UiDialogs>();
    let weak = Rc::downgrade(shared);
    dialogs.on_edited(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.dialogs.text = text.to_string();
            if let Some(Open::File { dialog, overwrites }) = &mut studio.dialogs.open {
                dialog.set_path(&text);
                *overwrites = None;
            }
        });
    });
    let weak = Rc::downgrade(shared);
    dialogs.on_entry(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.entry(usize::try_from(row).unwrap_or(usize::MAX), false));
    });
    let weak = Rc::downgrade(shared);
    dialogs.on_entry_activated(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.entry(usize::try_from(row).unwrap_or(usize::MAX), true));
    });
    let weak = Rc::downgrade(shared);
    dialogs.on_chosen(move |index| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            let choice =
                studio.editor.offer().and_then(|offer| offer.choices.get(usize::try_from(index).ok()?));
            if let Some((choice, _)) = choice.cloned() {
                studio.editor.answer(choice);
                studio.later.push(Later::FocusCanvas);
            }
        });
    });
    let weak = Rc::downgrade(shared);
    dialogs.on_accept(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::accept_dialog);
    });
    let weak = Rc::downgrade(shared);
    dialogs.on_close(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::close_dialog);
    });
}
