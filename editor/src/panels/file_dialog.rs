//! Choosing a file to open or to save as, by typing a path or by walking through folders.
//!
//! A folder is read up to a limit, so that a huge one is shown in part and never waited for. What goes wrong is a text in
//! the dialog, which stays open.

use std::fs;
use std::path::{Path, PathBuf, absolute};

/// How many entries of a folder are shown.
pub const MOST_SHOWN: usize = 5000;
/// How many entries of a folder are looked at.
pub const MOST_READ: usize = 50_000;

/// What the dialog is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To open a program or a record.
    Open,
    /// To open a file that was open before.
    Recent,
    /// To save a program.
    Save,
    /// To name a file for the events of runs.
    Record,
    /// To save a picture of a graph.
    Picture,
    /// To compare the program with another version: a program, or the one that was recorded.
    Compare,
}

/// Endings of the names of pictures: drawn lines and texts, and pixels.
pub const PICTURE_ENDINGS: [&str; 2] = ["svg", "png"];

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A program.
    Program,
    /// A record of a run.
    Record,
    /// A picture.
    Picture,
    /// Another file.
    Other,
}

impl EntryKind {
    /// Kind of a file by its name: `.hasse` is a program, `.trace` a record, `.svg` and `.png` are pictures.
    fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("hasse") => Self::Program,
            Some("trace") => Self::Record,
            Some(ending) if PICTURE_ENDINGS.contains(&ending) => Self::Picture,
            _ => Self::Other,
        }
    }
}

/// A line of the listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

/// What came of Enter or a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The dialog goes on, with another folder or an error.
    Stays,
    /// The file was chosen.
    Chosen(PathBuf),
    /// The file is there already: ask, then write it.
    Overwrites(PathBuf),
}

/// The state of the dialog while it is open.
#[derive(Clone, Debug)]
pub struct FileDialog {
    purpose: Purpose,
    folder: PathBuf,
    /// Folder from which a typed path begins.
    base: PathBuf,
    /// Beginning of the typed path that leads from there to the listed folder, up to its last separator; may be empty.
    typed: String,
    /// All that the folder has, in the order shown.
    all: Vec<Entry>,
    /// What of it is shown.
    entries: Vec<Entry>,
    is_cut: bool,
    has_others: bool,
    recent: Vec<PathBuf>,
    path: String,
    selected: Option<usize>,
    error: Option<String>,
    version: u64,
}

impl FileDialog {
    /// A dialog in a folder; `name` stands in the field of the path to begin with. `recent` are paths as
    /// [`recent`](crate::files::recent::recent) gives them.
    pub fn new(purpose: Purpose, folder: &Path, name: &str, recent: Vec<PathBuf>) -> Self {
        let folder = absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let mut dialog = Self {
            purpose,
            folder: folder.clone(),
            base: folder.clone(),
            typed: String::new(),
            all: Vec::new(),
            entries: Vec::new(),
            is_cut: false,
            has_others: false,
            recent,
            path: name.to_owned(),
            selected: None,
            error: None,
            version: 0,
        };
        dialog.go(&folder);
        name.clone_into(&mut dialog.path);
        dialog
    }

    /// A dialog with the files that were open before, the first of which is selected.
    pub fn of_recent(folder: &Path, recent: &[PathBuf]) -> Self {
        let folder = absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let entry = |path: &PathBuf| Entry {
            kind: EntryKind::of_file(path),
            name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            path: path.clone(),
        };
        let entries: Vec<Entry> = recent.iter().map(entry).collect();
        let mut dialog = Self {
            purpose: Purpose::Recent,
            base: folder.clone(),
            folder,
            typed: String::new(),
            all: entries.clone(),
            entries,
            is_cut: false,
            has_others: true,
            recent: Vec::new(),
            path: String::new(),
            selected: None,
            error: None,
            version: 0,
        };
        dialog.select(0);
        dialog
    }

    /// What it is for.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// The folder that is listed.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder above, then folders, programs, records, pictures and other files if they are shown, each by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the folder has more than is shown.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Files that were open, the latest first.
    pub fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    /// What stands in the field of the path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Position of the selected entry.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// What went wrong with what was tried last.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Lists another folder; where it cannot be read, the one before stays. Tells whether it can.
    pub fn go(&mut self, folder: &Path) -> bool {
        self.version += 1;
        match listing(folder) {
            Ok((all, is_cut)) => {
                self.folder = folder.to_owned();
                self.base = folder.to_owned();
                self.typed.clear();
                (self.all, self.is_cut) = (all, is_cut);
                self.path.clear();
                self.error = None;
                self.show();
                true
            }
            Err(error) => {
                self.error = Some(format!("cannot list {}: {error}", folder.display()));
                false
            }
        }
    }

    /// Lists the folder above.
    pub fn go_up(&mut self) -> bool {
        let parent = self.folder.parent().map(Path::to_owned);
        parent.is_some_and(|parent| self.go(&parent))
    }

    /// Reads the folder again.
    pub fn reload(&mut self) -> bool {
        self.version += 1;
        match listing(&self.folder) {
            Ok((all, is_cut)) => {
                (self.all, self.is_cut) = (all, is_cut);
                self.show();
                true
            }
            Err(error) => {
                self.error = Some(format!("cannot list {}: {error}", self.folder.display()));
                false
            }
        }
    }

    /// Shows other files than those that the dialog is for, too, or not.
    pub fn show_others(&mut self, has_others: bool) {
        self.has_others = has_others;
        self.version += 1;
        self.show();
    }

    fn show(&mut self) {
        let above = self.folder.parent().map(|parent| Entry {
            kind: EntryKind::Folder,
            name: "..".to_owned(),
            path: parent.to_owned(),
        });
        let held = self.all.iter().filter(|entry| self.is_shown(entry)).cloned();
        let mut shown: Vec<Entry> = above.into_iter().chain(held).collect();
        if shown.len() > MOST_SHOWN {
            shown.truncate(MOST_SHOWN);
            self.is_cut = true;
        }
        self.entries = shown;
        self.selected = None;
    }

    fn is_shown(&self, entry: &Entry) -> bool {
        self.has_others
            || match entry.kind {
                EntryKind::Folder => true,
                EntryKind::Program | EntryKind::Record => self.purpose != Purpose::Picture,
                EntryKind::Picture => self.purpose == Purpose::Picture,
                EntryKind::Other => false,
            }
    }

    /// Selects an entry, as one click does: a file's name goes into the field of the path.
    pub fn select(&mut self, row: usize) {
        let Some(entry) = self.entries.get(row) else { return };
        self.path = match entry.kind {
            _ if self.purpose == Purpose::Recent => entry.path.display().to_string(),
            EntryKind::Folder => format!("{}{}{}", self.typed, entry.name, std::path::MAIN_SEPARATOR),
            _ => format!("{}{}", self.typed, entry.name),
        };
        self.selected = Some(row);
        self.error = None;
        self.version += 1;
    }

    /// Selects another entry, by so many further down, as the arrow keys do; around the ends.
    pub fn select_next(&mut self, n_down: isize) {
        let row = match self.selected {
            Some(selected) => super::moved(selected, n_down, self.entries.len()),
            None if n_down > 0 => 0,
            None => self.entries.len().saturating_sub(1),
        };
        self.select(row);
    }

    /// Takes in what was typed into the field of the path: the folder that it names is listed, and the first entry that begins
    /// with the rest is selected.
    pub fn set_path(&mut self, path: &str) {
        if self.path == path {
            return;
        }
        path.clone_into(&mut self.path);
        self.error = None;
        self.version += 1;
        let lower = path.to_lowercase();
        if self.purpose == Purpose::Recent {
            let by_name = self.entries.iter().position(|entry| entry.name.to_lowercase().contains(&lower));
            let in_path = |entry: &Entry| entry.path.display().to_string().to_lowercase().contains(&lower);
            let found = by_name.or_else(|| self.entries.iter().position(in_path));
            self.selected = found.filter(|_| !lower.is_empty());
            return;
        }
        let cut = path.rfind(std::path::is_separator).map_or(0, |at| at + 1);
        self.list_typed(&path[..cut]);
        let rest = &lower[lower.rfind(std::path::is_separator).map_or(0, |at| at + 1)..];
        let fits = |entry: &Entry| !rest.is_empty() && entry.name.to_lowercase().starts_with(rest);
        self.selected = self.entries.iter().position(fits);
    }

    /// Lists the folder that a typed path names; one that cannot be read leaves the list as it is.
    fn list_typed(&mut self, typed: &str) {
        if self.typed == typed {
            return;
        }
        let folder = tidy(&self.resolved(typed));
        if let Ok((all, is_cut)) = listing(&folder) {
            typed.clone_into(&mut self.typed);
            self.folder = folder;
            (self.all, self.is_cut) = (all, is_cut);
            self.show();
        }
    }

    /// Tab: completes the last part of the path as far as all that begin with it agree. Gives the new path where there
    /// is more to it.
    pub fn complete(&mut self) -> Option<String> {
        let cut = self.path.rfind(std::path::is_separator).map_or(0, |at| at + 1);
        let (folder, typed) = self.path.split_at(cut);
        if self.purpose == Purpose::Recent {
            return None;
        }
        let held = if folder == self.typed {
            self.all.clone()
        } else {
            listing(&self.resolved(folder)).map(|(all, _)| all).unwrap_or_default()
        };
        let fits = |entry: &&Entry| entry.name.starts_with(typed) && self.is_shown(entry);
        let found: Vec<&Entry> = held.iter().filter(fits).collect();
        let mut common = found.first()?.name.clone();
        for entry in &found {
            let n_bytes = common.char_indices().zip(entry.name.chars()).take_while(|((_, a), b)| a == b);
            let end = n_bytes.last().map_or(0, |((at, letter), _)| at + letter.len_utf8());
            common.truncate(end);
        }
        if let [only] = found[..]
            && only.kind == EntryKind::Folder
        {
            common.push(std::path::MAIN_SEPARATOR);
        }
        if common.len() <= typed.len() {
            return None;
        }
        let path = format!("{folder}{common}");
        self.set_path(&path);
        Some(path)
    }

    /// A path that was typed, from the folder that was listed before it was; `~` is the user's folder.
    fn resolved(&self, typed: &str) -> PathBuf {
        let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        match typed.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(std::path::is_separator) => {
                let rest = rest.trim_start_matches(std::path::is_separator);
                home().map_or_else(|| self.base.join(typed), |home| home.join(rest))
            }
            _ => self.base.join(typed),
        }
    }

    /// Enter: goes into a folder, or chooses the file that was typed.
    pub fn accept(&mut self) -> Outcome {
        let recent = self.selected.filter(|_| self.purpose == Purpose::Recent);
        if let Some(entry) = recent.and_then(|row| self.entries.get(row)) {
            return self.choose(entry.path.clone(), false);
        }
        let typed = self.path.trim().to_owned();
        if typed.is_empty() {
            return self.fail("type a name, or choose one".to_owned());
        }
        let path = tidy(&self.resolved(&typed));
        self.choose(path, typed.ends_with(std::path::is_separator))
    }

    /// A double click on an entry.
    pub fn activate(&mut self, row: usize) -> Outcome {
        let Some(path) = self.entries.get(row).map(|entry| entry.path.clone()) else { return Outcome::Stays };
        self.select(row);
        self.choose(path, false)
    }

    /// A click on a file that was open before.
    pub fn activate_recent(&mut self, row: usize) -> Outcome {
        let Some(path) = self.recent.get(row).cloned() else { return Outcome::Stays };
        self.choose(path, false)
    }

    fn choose(&mut self, path: PathBuf, is_folder_meant: bool) -> Outcome {
        if path.is_dir() {
            self.go(&path);
            return Outcome::Stays;
        }
        if is_folder_meant {
            return self.fail(format!("{} is no folder", path.display()));
        }
        match self.purpose {
            Purpose::Open | Purpose::Recent | Purpose::Compare if path.is_file() => Outcome::Chosen(path),
            Purpose::Open | Purpose::Recent | Purpose::Compare => {
                let named = path.with_added_extension("hasse");
                if path.extension().is_none() && named.is_file() {
                    return Outcome::Chosen(named);
                }
                self.fail(format!("there is no file {}", path.display()))
            }
            Purpose::Save | Purpose::Record | Purpose::Picture => {
                let ending = match self.purpose {
                    Purpose::Record => "trace",
                    Purpose::Picture => PICTURE_ENDINGS[0],
                    Purpose::Open | Purpose::Recent | Purpose::Save | Purpose::Compare => "hasse",
                };
                let path = if path.extension().is_none() { path.with_added_extension(ending) } else { path };
                if self.purpose == Purpose::Picture && EntryKind::of_file(&path) != EntryKind::Picture {
                    return self.fail("a picture is saved as .svg or .png".to_owned());
                }
                match path.parent() {
                    Some(parent) if !parent.is_dir() => {
                        self.fail(format!("there is no folder {}", parent.display()))
                    }
                    _ if path.is_dir() => self.fail(format!("{} is a folder", path.display())),
                    _ if path.exists() => Outcome::Overwrites(path),
                    _ => Outcome::Chosen(path),
                }
            }
        }
    }

    fn fail(&mut self, error: String) -> Outcome {
        self.error = Some(error);
        self.version += 1;
        Outcome::Stays
    }
}

/// What a folder has, in the order shown, without hidden entries; and whether it has more than is read.
fn listing(folder: &Path) -> std::io::Result<(Vec<Entry>, bool)> {
    let mut entries = Vec::new();
    let mut is_cut = false;
    for (place, entry) in fs::read_dir(folder)?.enumerate() {
        if place >= MOST_READ {
            is_cut = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        // What a link leads to has to be looked up; nothing else.
        let is_folder = match entry.file_type() {
            Ok(kind) if kind.is_symlink() => path.is_dir(),
            Ok(kind) => kind.is_dir(),
            Err(_) => false,
        };
        let kind = if is_folder { EntryKind::Folder } else { EntryKind::of_file(&path) };
        entries.push(Entry { kind, name, path });
    }
    entries.sort_by_cached_key(|entry| (entry.kind, entry.name.to_lowercase(), entry.name.clone()));
    Ok((entries, is_cut))
}

/// The path without `.` and `..`, as far as they are written.
fn tidy(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if tidy.parent().is_some() => drop(tidy.pop()),
            Component::ParentDir => {}
            _ => tidy.push(part),
        }
    }
    tidy
}
