//! What the window remembers between starts: a JSON file in the state folder.
//!
//! Each value is read by itself, so that a damaged one, or one of another version, is as if it were not there; what is
//! not known here is written back.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::files::{FileError, save};
use crate::palette::Action;
use crate::panels::search_popup::{MOST_RECENT, Recent};

/// Colors of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Sizes of the panels and of the window, in logical pixels; 0 stands for the window's default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelSizes {
    /// Width of the panel at the left.
    pub left: f32,
    /// Width of the panel at the right.
    pub right: f32,
    /// Height of the panel at the bottom.
    pub bottom: f32,
    /// Width of the program's text next to the picture.
    pub text: f32,
    /// Width of the window.
    pub window_width: f32,
    /// Height of the window.
    pub window_height: f32,
}

impl Default for PanelSizes {
    fn default() -> Self {
        Self { left: 0.0, right: 0.0, bottom: 0.0, text: 0.0, window_width: 1280.0, window_height: 800.0 }
    }
}

/// The largest size that is believed, in logical pixels.
const MOST_PIXELS: f64 = 20_000.0;

/// What the window remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Colors.
    pub theme: Theme,
    /// Sizes of panels.
    pub sizes: PanelSizes,
    /// Whether boxes snap to the grid when they are moved.
    pub is_snapping: bool,
    /// Whether the grid is drawn.
    pub is_grid_shown: bool,
    /// What was chosen in popups.
    pub recent: Recent,
    /// What the file holds beside.
    others: Map<String, Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            sizes: PanelSizes::default(),
            is_snapping: true,
            is_grid_shown: true,
            recent: Recent::default(),
            others: Map::new(),
        }
    }
}

/// The file in a state folder.
pub fn file_of(folder: &Path) -> PathBuf {
    folder.join("window.json")
}

impl Settings {
    /// Reads what was written; what is not there or damaged is as at the first start.
    pub fn read(folder: &Path) -> Self {
        let held = fs::read(file_of(folder)).ok();
        held.map_or_else(Self::default, |bytes| Self::parse(&bytes))
    }

    fn parse(bytes: &[u8]) -> Self {
        let Ok(Value::Object(mut held)) = serde_json::from_slice(bytes) else { return Self::default() };
        let mut settings = Self::default();
        let theme = held.remove("theme");
        let theme = theme.as_ref().and_then(Value::as_str);
        settings.theme = Theme::ALL.into_iter().find(|known| Some(known.name()) == theme).unwrap_or_default();
        if let Some(Value::Object(sizes)) = held.remove("sizes") {
            for (key, size) in settings.sizes.by_key() {
                let told =
                    sizes.get(key).and_then(Value::as_f64).filter(|told| (0.0..=MOST_PIXELS).contains(told));
                if let Some(told) = told {
                    #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
                    let told = told as f32;
                    *size = told;
                }
            }
        }
        for (key, flag) in [("snap", &mut settings.is_snapping), ("grid", &mut settings.is_grid_shown)] {
            *flag = held.remove(key).as_ref().and_then(Value::as_bool).unwrap_or(*flag);
        }
        let list = |value: Option<Value>| match value {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        let actions = list(held.remove("recent_nodes")).into_iter();
        let actions = actions.filter_map(|value| serde_json::from_value::<Action>(value).ok());
        settings.recent.actions = actions.take(MOST_RECENT).collect();
        let commands = list(held.remove("recent_commands")).into_iter();
        let commands = commands.filter_map(|value| value.as_str().map(str::to_owned));
        settings.recent.commands = commands.take(MOST_RECENT).collect();
        settings.others = held;
        settings
    }

    /// Writes them, as a whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be made, or the file not be written; the old one stays.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        let file = file_of(folder);
        let cannot_write = |source| FileError::Write { path: file.clone(), source };
        let mut sizes = self.sizes;
        let mut held = self.others.clone();
        held.insert("theme".to_owned(), json!(self.theme.name()));
        let sizes: Map<String, Value> =
            sizes.by_key().into_iter().map(|(key, size)| (key.to_owned(), json!(*size))).collect();
        held.insert("sizes".to_owned(), Value::Object(sizes));
        held.insert("snap".to_owned(), json!(self.is_snapping));
        held.insert("grid".to_owned(), json!(self.is_grid_shown));
        held.insert("recent_nodes".to_owned(), json!(self.recent.actions));
        held.insert("recent_commands".to_owned(), json!(self.recent.commands));
        let written = serde_json::to_string_pretty(&held).map_err(|error| cannot_write(error.into()))?;
        fs::create_dir_all(folder).map_err(cannot_write)?;
        save(&file, &written)
    }
}

impl PanelSizes {
    fn by_key(&mut self) -> [(&'static str, &mut f32); 6] {
        [
            ("left", &mut self.left),
            ("right", &mut self.right),
            ("bottom", &mut self.bottom),
            ("text", &mut self.text),
            ("window_width", &mut self.window_width),
            ("window_height", &mut self.window_height),
        ]
    }
}
