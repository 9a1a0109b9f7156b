//! The models of a person, and the file beside the program that they are kept in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::fault;
use crate::files::{self, FileError};
use crate::views::findings::Query;

/// The models of a person, each a text of its own.
#[derive(Clone, Debug, Default)]
pub struct ModelList {
    texts: Vec<String>,
    kept: Option<Kept>,
}

/// What a file held when it was read or written last.
#[derive(Clone, Debug)]
struct Kept {
    path: PathBuf,
    text: String,
    /// The models that it was made of.
    models: Vec<String>,
}

/// What became of saving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// All models are in the file.
    Written,
    /// There are no models any more, and no file.
    Removed,
    /// The file holds what was neither read nor written here; it stays as it is.
    IsThere,
}

impl ModelList {
    /// The texts, in the order in which they were added.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Adds one; gives its position.
    pub fn add(&mut self, text: String) -> usize {
        self.texts.push(text);
        self.texts.len() - 1
    }

    /// Takes another text for one.
    pub fn set(&mut self, at: usize, text: String) {
        if let Some(own) = self.texts.get_mut(at) {
            *own = text;
        }
    }

    /// Removes one.
    pub fn remove(&mut self, at: usize) {
        if at < self.texts.len() {
            self.texts.remove(at);
        }
    }

    /// What is to be looked for in a record.
    pub fn queries(&self) -> impl Iterator<Item = Query> + '_ {
        self.texts.iter().map(|text| Query::Model(text.clone()))
    }

    /// A name that no model has.
    pub fn unused_name(&self) -> String {
        let names: Vec<&str> = self.texts.iter().flat_map(|text| text.lines()).filter_map(name_of).collect();
        let name = (1..).map(|number| format!("model_{number}"));
        name.into_iter().find(|name| !names.contains(&name.as_str())).unwrap_or_default()
    }

    /// What is wrong with another text for a model, by itself or together with the others.
    pub fn fault_with(&self, at: usize, text: &str) -> Option<String> {
        fault(text).or_else(|| {
            let mut all = self.texts.clone();
            if at < all.len() {
                all.remove(at);
            }
            // Of others that cannot be read this one is not guilty.
            let is_alone = all.is_empty() || fault(&joined(&all)).is_some();
            all.push(text.to_owned());
            let problem = if is_alone { None } else { fault(&joined(&all)) };
            problem.map(|problem| format!("with the other models: {problem}"))
        })
    }

    /// The file of models of a program: beside it, with the ending `model`.
    pub fn path_of(program: &Path) -> PathBuf {
        program.with_extension("model")
    }

    /// Whether the file holds these models.
    pub fn is_saved(&self) -> bool {
        self.kept.as_ref().map_or(self.texts.is_empty(), |kept| kept.models == self.texts)
    }

    /// Writes all to a file, which `hasse verify --model` takes; with none left, the file is removed. What the file holds
    /// that was not read or written here is kept, unless it is to be written over.
    ///
    /// # Errors
    /// The file cannot be read, written or removed.
    pub fn save(&mut self, path: &Path, writes_over: bool) -> Result<Saved, FileError> {
        let held = match files::open(path) {
            Ok(text) => Some(text),
            Err(FileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            Err(_) if writes_over => Some(String::new()),
            Err(error) => return Err(error),
        };
        let is_known = held.as_ref().is_none_or(|held| {
            self.kept.as_ref().is_some_and(|kept| kept.path == path && kept.text == *held)
        });
        if !is_known && !writes_over {
            return Ok(Saved::IsThere);
        }
        if self.texts.is_empty() {
            if held.is_some() {
                let failed = |source| FileError::Write { path: path.to_owned(), source };
                fs::remove_file(path).map_err(failed)?;
            }
            self.kept = None;
            return Ok(Saved::Removed);
        }
        let text = joined(&self.texts);
        files::save(path, &text)?;
        self.kept = Some(Kept { path: path.to_owned(), text, models: self.texts.clone() });
        Ok(Saved::Written)
    }

    /// Adds the models of a file that are not there yet; gives the number of those that the file has.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn add_file(&mut self, path: &Path) -> Result<usize, FileError> {
        let models = split(&files::open(path)?);
        let n_models = models.len();
        let added: Vec<String> = models.into_iter().filter(|text| !self.texts.contains(text)).collect();
        self.texts.extend(added);
        Ok(n_models)
    }

    /// Takes the models of a program from its file; those of another program that are saved go. Gives their number, `None`
    /// where the program has no such file.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn open(&mut self, path: &Path) -> Result<Option<usize>, FileError> {
        if let Some(kept) = self.kept.take() {
            self.texts.retain(|text| !kept.models.contains(text));
        }
        let text = match files::open(path) {
            Ok(text) => text,
            Err(FileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let models = split(&text);
        let unsaved = std::mem::replace(&mut self.texts, models.clone());
        self.texts.extend(unsaved.into_iter().filter(|text| !models.contains(text)));
        let n_models = models.len();
        self.kept = Some(Kept { path: path.to_owned(), text, models });
        Ok(Some(n_models))
    }

    /// Says that the program was saved to another place: its models are not kept there yet.
    pub fn forget_file(&mut self) {
        self.kept = None;
    }
}

/// The name of the model that a line begins.
fn name_of(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("[model.")?;
    Some(name.split(['.', ']']).next().unwrap_or(name).trim())
}

/// The text of a file.
fn joined(texts: &[String]) -> String {
    let mut file = String::new();
    for text in texts {
        if !file.is_empty() {
            file.push('\n');
        }
        file.push_str(text.trim_end());
        file.push('\n');
    }
    file
}

/// The models of a file, with the comments above each; the whole file where they cannot be told apart.
fn split(file: &str) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    let mut name = None;
    let mut above = String::new();
    for line in file.lines() {
        let own = name_of(line);
        if own.is_some() && own != name {
            name = own;
            models.push(std::mem::take(&mut above));
        }
        let is_beside = line.trim().is_empty() || line.trim_start().starts_with('#');
        match models.last_mut().filter(|_| !is_beside) {
            Some(model) => {
                model.push_str(&std::mem::take(&mut above));
                model.push_str(line);
                model.push('\n');
            }
            None => {
                above.push_str(line);
                above.push('\n');
            }
        }
    }
    if let Some(model) = models.last_mut() {
        model.push_str(&above);
    }
    for model in &mut models {
        *model = format!("{}\n", model.trim_matches('\n'));
    }
    if file.trim().is_empty() {
        return Vec::new();
    }
    let is_apart = !models.is_empty() && models.iter().all(|model| fault(model).is_none());
    if is_apart { models } else { vec![file.to_owned()] }
}
